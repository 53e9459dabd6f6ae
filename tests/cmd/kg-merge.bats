#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Entities that are one: merged by ada, who is the operator, by bob of team:a, and by out, who is of neither.
load helper
load links

setup() {
	scratch
	team_store
}

entities() { # NAME...
	for n in "$@"; do printf '{"kind":"entity","type":"person","name":"%s"}\n' "$n"; done | kg-node -q add
}
id_of() { kg-node --name "$1" list | jq -r "select(.name == \"$1\") | .id"; }

# Two persons with edges that both have, that one has, and one between them.
two_persons() {
	printf '%s\n' '{"kind":"entity","type":"person","name":"Alice Smith","aliases":["Ally"]}' \
		'{"kind":"entity","type":"person","name":"A. Smith","aliases":["ally","Smithy"]}' | kg-node -q add
	entities Acme Globex
	printf '%s\n' '{"edge":"relates_to","from":"Alice Smith","to":"Acme","weight":0.3}' \
		'{"edge":"relates_to","from":"A. Smith","to":"Acme","weight":0.7,"why":"both"}' \
		'{"edge":"relates_to","from":"A. Smith","to":"Globex","weight":0.2}' \
		'{"edge":"relates_to","from":"Globex","to":"A. Smith","reinforced_at":"2026-01-01T00:00:00.000Z"}' \
		'{"edge":"relates_to","from":"Alice Smith","to":"A. Smith","bidirectional":true}' | kg-edge -q add
	other=$(id_of 'A. Smith') keep=$(id_of 'Alice Smith')
}

@test "edges are rewired, equal ones joined with the greater weight, names kept" {
	two_persons
	run -0 kg-merge 'Alice Smith' 'A. Smith'
	[ "$(jq -r '"\(.verdict) \(.id)"' <<<"$output")" = "changed $other" ]
	[ "$(mem-get "$keep" | jq -c '[.aliases, .version]')" = '[["Ally","A. Smith","Smithy"],2]' ]
	[ "$(mem-get "$other" | jq -c '[.status, .superseded_by]')" = "[\"merged\",\"$keep\"]" ]
	mem-export | jq -c 'select(.edge == "relates_to") | [.from, .to, .weight]' > edges
	grep -c "$other" edges && false
	[ "$(wc -l < edges)" = 3 ]
	grep -F "[\"$keep\",\"$(id_of Acme)\",0.7]" edges
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .subject, .detail.keep, (.detail.moved | length)]')" = "[\"merge\",\"$other\",\"$keep\",2]" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "--undo is the exact inverse" {
	two_persons
	mem-export > before
	kg-merge -q "$keep" "$other"
	run -0 kg-merge --undo "$other"
	[ "$(jq -r .verdict <<<"$output")" = changed ]
	mem-export > after
	cmp before after
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .reason]')" = '["unmerge","undo"]' ]
	run -1 kg-merge --undo "$other"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	kg-merge -q "$keep" "$other"
	kg-merge -q --undo "$other"
	mem-export | cmp before -
	mem-check
}

@test "what came since stays with the one that was kept" {
	two_persons
	kg-merge -q "$keep" "$other"
	entities Initech
	kg-edge -q add <<<"{\"edge\":\"relates_to\",\"from\":\"$keep\",\"to\":\"Initech\"}"
	kg-node -q set <<<"{\"id\":\"$keep\",\"aliases\":[\"Ally\",\"A. Smith\",\"Smithy\",\"Al\"]}"
	kg-merge -q --undo "$other"
	[ "$(mem-get "$keep" | jq -c '[.aliases, .version]')" = '[["Ally","Al"],4]' ]
	kg-edge --from "$keep" list | grep -F "$(id_of Initech)"
	mem-check
}

@test "several, and one into the next" {
	entities A1 B1 C1
	a=$(id_of A1) b=$(id_of B1) c=$(id_of C1)
	mem-export > before
	kg-merge -q "$b" "$a"
	kg-merge -q "$c" "$b"
	[ "$(kg-node --live list | jq -c .aliases)" = '["B1","A1"]' ]
	run -1 kg-merge --undo "$a"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	kg-merge -q --undo "$b" "$a"
	mem-export | cmp before -
	run -0 kg-merge "$c" "$a" "$b"
	[ "$(jq -r .verdict <<<"$output" | tr '\n' ' ')" = 'changed changed ' ]
}

@test "an alias finds the one that is left, in edges and in searches" {
	two_persons
	kg-merge -q "$keep" "$other"
	kg-edge -q add <<<'{"edge":"composes","from":"Smithy","to":"Acme"}'
	[ "$(kg-edge --from "$keep" --kind composes list | wc -l)" = 1 ]
	[ "$(mem-search --kind entity -m keyword Smithy | jq -r .id)" = "$keep" ]
	run -1 mem-search --kind entity -m keyword nosuch
}

@test "refusals" {
	two_persons
	reason() { run -1 --separate-stderr kg-merge "$@"; jq -r .reason <<<"$output"; }
	[ "$(reason "$keep" "$keep")" = bad_value ]
	[ "$(reason "$keep" nosuch)" = not_found ]
	[ "$(reason nosuch "$keep")" = not_found ]
	episode=$(echo tea | mem-capture --lines | jq -r .id)
	[ "$(reason "$keep" "$episode")" = bad_value ]
	[ "$(reason "$episode" "$keep")" = bad_value ]
	kg-node --ns global -q add <<<'{"kind":"entity","type":"person","name":"Bob"}'
	[ "$(reason "$keep" Bob)" = bad_value ]
	run -2 kg-merge "$keep"
	run -2 kg-merge --undo
	mem-export > before
	kg-merge -q --dry-run "$keep" "$other"
	mem-export | cmp before -
	mem-check
}

@test "every node that would be touched must be the caller's to write" {
	printf '{"kind":"entity","type":"person","name":"%s"}\n' Bob Bobby | kg-node --ns global -q add
	kg-node --agent bob -q add <<<'{"kind":"entity","type":"person","name":"Mine"}'
	kg-edge --agent bob -q add <<<'{"edge":"relates_to","from":"Mine","to":"Bobby"}'
	mem-export --every-namespace > before
	run -4 kg-merge --agent bob Bob Bobby
	[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
	run -4 kg-merge Bob Bobby
	[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
	mem-export --every-namespace | cmp before -
	run -1 --separate-stderr kg-merge --agent out Bob Mine
	[ "$(jq -r .reason <<<"$output")" = not_found ]
	run -0 kg-merge --every-namespace Bobby Bob
}
