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

@test "--suggest: names, aliases and neighbours, each with its number" {
	printf '%s\n' '{"kind":"entity","type":"person","name":"Jonathan Miller"}' '{"kind":"entity","type":"person","name":"Jonathon Miller"}' \
		'{"kind":"entity","type":"organisation","name":"Acme Corp"}' '{"kind":"entity","type":"organisation","name":"Acme"}' \
		'{"kind":"entity","type":"place","name":"New York","aliases":["Big Apple"]}' '{"kind":"entity","name":"big apple"}' \
		'{"kind":"entity","type":"tool","name":"PostgreSQL 15"}' '{"kind":"entity","type":"tool","name":"PostgreSQL 16"}' \
		'{"kind":"entity","type":"place","name":"Berlin"}' '{"kind":"entity","type":"place","name":"Munich"}' \
		'{"kind":"entity","type":"person","name":"Jordan"}' '{"kind":"entity","type":"place","name":"Jordan"}' \
		'{"kind":"entity","type":"topic","name":"x1"}' | kg-node -q add
	[ "$(kg-merge --suggest | jq -c '[.keep.name, .other.name, .evidence.alias]' | sort)" = '["Jonathan Miller","Jonathon Miller",0]
["New York","big apple",1]' ]
	printf '%s\n' '{"edge":"relates_to","from":"Acme Corp","to":"x1"}' '{"edge":"relates_to","from":"x1","to":"Acme"}' | kg-edge -q add
	kg-merge --suggest > suggestions
	[ "$(jq -c 'select(.other.name == "Acme") | [.keep.name, .evidence]' suggestions)" = '["Acme Corp",{"name":0.615385,"alias":0,"vector":null,"neighbour":1}]' ]
	jq -r .score suggestions | sort -rn | diff - <(jq -r .score suggestions)
	[ "$(kg-merge --suggest --min-score .99 | wc -l)" = 1 ]
	[ "$(kg-merge --suggest -n 2 | wc -l)" = 2 ]
	[ "$(kg-merge --suggest --format text | wc -l)" = 4 ]
	run -1 kg-merge --suggest --ns global
	[ -z "$output" ]
}

@test "--suggest: by vectors, and what only means the like stays out" {
	need_model e5
	printf '{"kind":"entity","type":"person","name":"%s"}\n' 'Alice Smith' 'Bob Jones' 'Alicia Keys' | kg-node -q add
	printf '{"kind":"entity","type":"tool","name":"%s"}\n' PostgreSQL Postgres MySQL | kg-node -q add
	printf '{"kind":"entity","type":"place","name":"%s"}\n' Berlin Munich | kg-node -q add
	printf '{"kind":"entity","type":"project","name":"%s"}\n' 'project Atlas' 'project Apollo' | kg-node -q add
	mem-embed --pending
	[ "$(kg-merge --suggest | jq -c '[.keep.name, .other.name, (.evidence.vector > 0.7)]')" = '["PostgreSQL","Postgres",true]' ]
}

@test "--ask puts them in the queue; approved, they are merged, rejected, not suggested again" {
	sed -i '/^reviewers/d' store/config.yaml
	echo 'reviewers: [rev]' >> store/config.yaml
	MEM_TEAMS='' printf '{"kind":"entity","type":"person","name":"%s"}\n' 'Jonathan Miller' 'Jonathon Miller' Christine Christina | kg-node --ns team:a --agent bob -q add
	run -0 kg-merge --agent bob --ask
	[ "$(jq -r .verdict <<<"$output" | tr '\n' ' ')" = 'new new ' ]
	run -0 kg-merge --agent bob --ask --suggest
	[ "$(jq -r .verdict <<<"$output" | tr '\n' ' ')" = 'duplicate duplicate ' ]
	export MEM_AGENT=rev MEM_TEAMS=a
	one=$(mem-review list | jq -r 'select(.payload.name >= 0.8) | .id') two=$(mem-review list | jq -r 'select(.payload.name < 0.8) | .id')
	[ "$(mem-review show "$one" | head -n 1 | jq -r '.asks, .reason')" = $'merge\nIs Jonathon Miller the same as Jonathan Miller?' ]
	mem-review -q approve "$one"
	[ "$(kg-node --live list | jq -c 'select(.aliases != []) | [.name, .aliases]')" = '["Jonathan Miller",["Jonathon Miller"]]' ]
	mem-review -q reject "$two"
	run -1 kg-merge --agent bob --suggest
	[ -z "$output" ]
	run -0 mem-check
}

@test "--split makes an alias an entity of its own, with the edges named" {
	printf '%s\n' '{"kind":"entity","type":"person","name":"Sam","aliases":["Samuel Lee","Sammy"]}' '{"kind":"entity","name":"x1"}' '{"kind":"entity","name":"x2"}' | kg-node -q add
	printf '%s\n' '{"edge":"relates_to","from":"Sam","to":"x1","weight":0.5}' '{"edge":"relates_to","from":"Sam","to":"x2"}' | kg-edge -q add
	mem-export > before
	run -0 kg-merge --split Sam 'samuel lee' x1
	new=$(jq -r .id <<<"$output")
	[ "$(jq -r .verdict <<<"$output")" = new ]
	[ "$(mem-get "$new" | jq -c '[.name, .type, .aliases]')" = '["Samuel Lee","person",[]]' ]
	[ "$(mem-get "$(id_of Sam)" | jq -c .aliases)" = '["Sammy"]' ]
	[ "$(kg-edge --from "$new" list | jq -c '[.to, .weight]')" = "[\"$(id_of x1)\",0.5]" ]
	[ "$(kg-edge --from "$(id_of Sam)" list | jq -r .to)" = "$(id_of x2)" ]
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .subject, .detail.keep]')" = "[\"split\",\"$(id_of Sam)\",\"$new\"]" ]
	kg-merge -q "$(id_of Sam)" "$new" # and back
	[ "$(kg-edge --from "$(id_of Sam)" list | wc -l)" = 2 ]
	run -1 kg-merge --split Sam nosuch
	[ "$(jq -r .reason <<<"$output")" = bad_value ]
	run -1 kg-merge --split Sam 'samuel lee' # that is what --undo is for
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	run -1 --separate-stderr kg-merge --split Sam Sammy nosuch
	[ "$(jq -r .reason <<<"$output")" = not_found ]
	run -2 kg-merge --split Sam
	run -2 kg-merge --suggest --undo x
	run -2 kg-merge --suggest Sam
	run -0 mem-check
}

@test "facts follow, and come back" {
	entities 'Alice Smith'
	mem-fact -q --subject 'Alice Smith' --predicate works_at --object Acme 'Alice Smith works at Acme.'
	mem-fact -q --subject 'A. Smith' --predicate likes --object Tea 'A. Smith likes tea.'
	mem-fact -q --subject 'A. Smith' --predicate knows --object 'Bob Jones' 'A. Smith knows Bob Jones.'
	mem-fact -q --subject 'Bob Jones' --predicate knows --object 'A. Smith' 'Bob Jones knows A. Smith.'
	keep=$(mem-list --kind fact | jq -r 'select(.predicate == "works_at") | .subject.id')
	other=$(mem-list --kind fact | jq -r 'select(.predicate == "likes") | .subject.id')
	mem-export > before
	run -0 kg-merge "$keep" "$other"
	[ "$(mem-list --kind fact --live | jq -r '.subject.id, .object.id?' | grep -cx "$keep")" = 4 ]
	mem-list --kind fact | grep -c "$other" && false
	[ "$(mem-export | jq -c "select(.edge == \"about\" and .to == \"$keep\")" | wc -l)" = 4 ]
	mem-check
	[ "$(mem-audit | tail -n 1 | jq '.detail.facts | length')" = 3 ]
	mem-fact -q --subject 'Alice Smith' --predicate likes --object Tea 'Alice Smith likes tea.' # what she is known to like already
	[ "$(mem-list --kind fact --live | wc -l)" = 4 ]
	kg-merge -q --undo "$other"
	[ "$(mem-list --kind fact --live | jq -r .subject.id | grep -cx "$other")" = 2 ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a fact about both of what is merged has its two ends again" {
	mem-fact -q --subject 'Alice Smith' --predicate knows --object 'A. Smith' 'Alice Smith knows A. Smith.'
	mem-fact -q --subject 'A. Smith' --predicate works_at --object 'Acme' 'A. Smith works at Acme.'
	read -r keep other < <(mem-list --kind fact | jq -r 'select(.predicate == "knows") | "\(.subject.id) \(.object.id)"')
	mem-export | grep '"kind":"fact"' >before
	for ends in "$keep $other" "$other $keep"; do
		# shellcheck disable=SC2086
		kg-merge -q $ends
		[ "$(mem-list --kind fact | jq -r 'select(.predicate == "knows") | .subject.id == .object.id')" = true ]
		kg-merge -q --undo "${ends#* }"
		mem-export | grep '"kind":"fact"' | cmp before -
	done
	run -0 mem-check
}

@test "a fact is restored to the byte" {
	mem-fact -q --subject 'Alice Smith' --predicate works_at --object Acme 'Alice Smith works at Acme.'
	mem-fact -q --subject 'A. Smith' --predicate likes --object Tea 'A. Smith likes tea.'
	keep=$(mem-list --kind fact | jq -r 'select(.predicate == "works_at") | .subject.id')
	other=$(mem-list --kind fact | jq -r 'select(.predicate == "likes") | .subject.id')
	mem-export > before
	kg-merge -q "$keep" "$other"
	kg-merge -q --undo "$other"
	mem-export | cmp before -
}

@test "the edges of sources that move to another fact and back keep their time" {
	printf '%s\n' '{"content":"Alice Smith uses Vim.","speaker":"Cid"}' '{"content":"Alicia Smith uses Vim. Alicia Smith likes tea.","speaker":"Cid"}' |
		mem-capture -q
	mem-consolidate -q
	mem-export > before
	kg-merge -q --now 2027-01-01T00:00:00Z 'Alice Smith' 'Alicia Smith'
	kg-merge -q --now 2027-01-02T00:00:00Z --undo "$(kg-node --status merged list | jq -r .id)"
	# Edges of one node stand in the order in which they were made.
	diff <(jq -cS . before | sort) <(mem-export | jq -cS . | sort)
}

@test "by the id of what was merged, the graph leads on from where it went" {
	kg-node -q add <<-'END'
		{"kind":"entity","name":"Ann"}
		{"kind":"entity","name":"Anna"}
		{"kind":"entity","name":"Anya"}
		{"kind":"entity","name":"Hull"}
	END
	old=$(kg-node list --name Anna | jq -r .id)
	kg-edge -q add <<<'{"edge":"works_on","from":"Anna","to":"Hull"}'
	kg-merge -q Ann Anna
	kg-merge -q Anya Ann
	[ "$(kg-neighbors "$old" | jq -r .name)" = Hull ]
	[ "$(kg-path "$old" Hull | jq -r '.nodes[0].name')" = Anya ]
	[ "$(kg-rank --seed "$old" | jq -r .name | sort | paste -sd,)" = Anya,Hull ]
	[ "$(kg-query "(x \"$old\")-->(y)" | jq -r .x.name)" = Anya ]
	# So do new edges.
	kg-edge -q add <<<"{\"edge\":\"likes\",\"from\":\"Hull\",\"to\":\"$old\"}"
	[ "$(kg-neighbors --edge likes Hull | jq -r .name)" = Anya ]
	[ "$(kg-edge set <<<"{\"edge\":\"likes\",\"from\":\"Hull\",\"to\":\"$old\",\"weight\":0.5}" | jq -r .verdict)" = changed ]
	[ "$(kg-edge remove <<<"{\"edge\":\"likes\",\"from\":\"Hull\",\"to\":\"$old\"}" | jq -r .verdict)" = removed ]
	# What tells whose place was taken is about the node itself.
	[ "$(kg-edge list --from "$old" | jq -r .edge)" = superseded_by ]
}

# say_fact FROM STATEMENT OPTION...: by hand.
say_fact() {
	mem-fact -q --from "$1" "$2" "${@:3}"
}
facts() {
	mem-list --kind fact | jq -r '"\(.valid_from[:7]) \(.valid_to[:7]? // "now") \(.object.name) \(.status)"' | sort
}

@test "facts of what is one now are judged anew, and apart again by --undo" {
	say_fact 2026-03-01 "Alice Smith works at Acme" --subject "Alice Smith" --predicate works_at --object Acme
	say_fact 2026-06-01 "Ally Smith works at Globex" --subject "Ally Smith" --predicate works_at --object Globex
	say_fact 2026-10-01 "Alice Smith is still at Acme" --subject "Alice Smith" --predicate works_at --object Acme
	keep=$(id_of 'Alice Smith') other=$(id_of 'Ally Smith')
	[ "$(facts)" = $'2026-03 now Acme active\n2026-06 now Globex active' ]
	mem-export >before
	kg-merge -q "$keep" "$other"
	[ "$(facts)" = $'2026-03 2026-06 Acme superseded\n2026-06 2026-10 Globex superseded\n2026-10 now Acme active' ]
	run -0 mem-check
	[ -z "$output" ]
	kg-merge -q --undo "$other"
	[ "$(facts)" = $'2026-03 now Acme active\n2026-06 now Globex active' ]
	jq -Sc 'del(.created_at)' before | sort >was
	mem-export | jq -Sc 'del(.created_at)' | sort | diff was -
	run -0 mem-check
	[ -z "$output" ]
}

# who: of each fact whose it is, since when and until when, and whether it stands.
who() { mem-list --kind fact | jq -r '"\(.subject.id) \(.object.name) \(.valid_to[5:7]? // "now") \(.status)"' | sed "s/$keep/keep/; s/$other/other/; s/${third:-none}/third/" | sort; }
works() { say_fact "$2" "$1 works at $3" --subject "$1" --predicate works_at --object "$3"; }

@test "what others have ended since then is judged anew by --undo" {
	works "Rike Ahl" 2026-01-01 Acme
	works "Ulrike Ahl" 2026-02-01 Boco
	keep=$(id_of 'Rike Ahl') other=$(id_of 'Ulrike Ahl')
	kg-merge -q "$keep" "$other"
	works "Rike Ahl" 2026-03-01 Cargo
	[ "$(who)" = $'keep Acme 02 superseded\nkeep Boco 03 superseded\nkeep Cargo now active' ]
	[ "$(mem-list --kind fact | jq -r 'select(.object.name == "Boco") | .subject.name + "/" + .statement')" = 'Rike Ahl/Ulrike Ahl works at Boco' ]
	kg-merge -q --undo "$other"
	[ "$(mem-list --kind fact | jq -r 'select(.object.name == "Boco").subject.name')" = 'Ulrike Ahl' ]
	[ "$(who)" = $'keep Acme 03 superseded\nkeep Cargo now active\nother Boco now active' ]
	[ "$(mem-export | jq -c 'select(.edge == "about" and .valid_to != null) | .valid_to[5:7]' | sort -u)" = '"03"' ]
	[ "$(mem-export | jq -c 'select(.edge == "superseded_by")' | wc -l)" = 1 ]
	[ "$(mem-list --kind conflict | jq -r .over | wc -l)" = 1 ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "so is what the other one's have ended" {
	works "Ulrike Ahl" 2026-02-01 Boco
	works "Rike Ahl" 2026-06-01 Acme
	keep=$(id_of 'Rike Ahl') other=$(id_of 'Ulrike Ahl')
	kg-merge -q "$keep" "$other"
	works "Rike Ahl" 2026-01-01 Cargo
	[ "$(who)" = $'keep Acme now active\nkeep Boco 06 superseded\nkeep Cargo 02 superseded' ]
	kg-merge -q --undo "$other"
	[ "$(who)" = $'keep Acme now active\nkeep Cargo 06 superseded\nother Boco now active' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "what contradicted only while they were one does so no more" {
	works "Rolf Ahl" 2026-01-01 Acer
	works "Ralf Ahl" 2026-01-01 Benq
	say_fact 2026-02-01 "Ugo likes Rex" --subject Ugo --predicate likes --object Rex --object-type person
	say_fact 2026-02-01 "Ugo dislikes Rexy" --subject Ugo --predicate dislikes --object Rexy --object-type person
	mem-export | sort >before
	for pair in "Rolf Ahl/Ralf Ahl" Rex/Rexy; do
		keep=$(id_of "${pair%/*}") other=$(id_of "${pair#*/}")
		kg-merge -q "$keep" "$other"
		[ "$(mem-export | jq -c 'select(.edge == "contradicts")' | wc -l)" = 1 ]
		[ "$(mem-list --kind conflict | wc -l)" = 1 ]
		kg-merge -q --undo "$other"
		mem-export | sort | diff before -
		run -0 mem-check
		[ -z "$output" ]
	done
}

@test "what --split parts contradicts no more" {
	works "Rolf Ahl" 2026-01-01 Acer
	keep=$(id_of 'Rolf Ahl')
	kg-node -q set <<<"{\"id\":\"$keep\",\"aliases\":[\"Ralf Ahl\"]}"
	works "Ralf Ahl" 2026-01-01 Benq
	benq=$(mem-list --kind fact | jq -r 'select(.object.name == "Benq").id')
	[ "$(mem-export | jq -c 'select(.edge == "contradicts")' | wc -l)" = 1 ]
	kg-merge -q --split "$keep" "Ralf Ahl" "$benq"
	[ "$(mem-export | jq -c 'select(.edge == "contradicts" or .kind == "conflict")')" = "" ]
	[ "$(mem-list --kind fact | jq -r .status | sort | uniq -c | tr -s ' ')" = ' 2 active' ]
}

@test "of several merges the last is undone first" {
	works "Ann Roe" 2026-01-01 Acme
	works "Bea Roe" 2026-02-01 Boco
	works "Cea Roe" 2026-03-01 Cargo
	keep=$(id_of 'Ann Roe') other=$(id_of 'Bea Roe') third=$(id_of 'Cea Roe')
	mem-export | jq -Sc 'del(.created_at)' | sort > before
	kg-merge -q "$keep" "$other"
	kg-merge -q "$keep" "$third"
	[ "$(who)" = $'keep Acme 02 superseded\nkeep Boco 03 superseded\nkeep Cargo now active' ]
	run -1 kg-merge --undo "$other"
	[ "$(field reason)" = state_conflict ]
	run -0 kg-merge --undo "$third" "$other"
	mem-export | jq -Sc 'del(.created_at)' | sort | diff before -
	run -0 mem-check
	[ -z "$output" ]
	# So it is of those that one call has merged.
	kg-merge -q "$keep" "$other" "$third"
	run -1 kg-merge --undo "$other"
	run -0 kg-merge --undo "$third"
	run -0 kg-merge --undo "$other"
	mem-export | jq -Sc 'del(.created_at)' | sort | diff before -
}

@test "facts that --split takes away are judged by what they are about, and so are those that stay" {
	works "Rike Ahl" 2026-01-01 Acme
	keep=$(id_of 'Rike Ahl')
	kg-node -q set <<<"{\"id\":\"$keep\",\"aliases\":[\"Ulrike Ahl\"]}"
	works "Ulrike Ahl" 2026-02-01 Boco
	works "Rike Ahl" 2026-03-01 Cargo
	boco=$(mem-list --kind fact | jq -r 'select(.object.name == "Boco").id')
	other=$(kg-merge --split "$keep" "Ulrike Ahl" "$boco" | jq -r .id)
	[ "$(who)" = $'keep Acme 03 superseded\nkeep Cargo now active\nother Boco now active' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "mem-check sees a fact that was ended by one about another" {
	works "Rike Ahl" 2026-01-01 Acme
	works "Rike Ahl" 2026-02-01 Boco
	works "Ulrike Ahl" 2026-01-01 Cargo
	mem-export | jq -c 'if .object.name? == "Boco" then .subject = $u else . end' --argjson u "$(mem-list --kind fact | jq -c 'select(.object.name == "Cargo").subject')" > planted
	mem-init -q other >/dev/null
	mem-import -q -S other < planted
	run -1 mem-check -S other
	[ "$(jq -r '.check + " " + .table' <<<"$output")" = 'fact_ender node' ]
	run -0 mem-check
	# A repair lets it stand, and judges by what each is about now.
	mem-list -S other --kind fact | jq -c '[.object.name, .status]' | grep -q '"Acme","superseded"'
	run -0 mem-check -S other --repair
	[ "$(mem-list -S other --kind fact | jq -c '[.object.name, .status, .valid_to]' | sort | paste -sd' ')" = \
		'["Acme","active",null] ["Boco","active",null] ["Cargo","superseded","2026-02-01T00:00:00.000Z"]' ]
	mem-export -S other | jq -c 'select(.edge == "superseded_by") | .reason' >reasons
	[ "$(cat reasons)" = '"newer"' ]
	run -0 mem-check -S other
	[ -z "$output" ]
}

@test "facts that a merge makes get their vectors from the same command, by hand or by a review" {
	embed_server ok
	unset MEM_NOW
	local -x MEM_AGENT=bob
	sed -i '/^reviewers/d' store/config.yaml
	echo 'reviewers: [rev]' >>store/config.yaml
	# A, B, A of one who was two: the last is a fact that nobody wrote.
	for who in 'Alice Smith:Ally Smith' 'Jonathan Miller:Jonathon Miller'; do
		one=${who%:*} two=${who#*:}
		say_fact 2026-03-01 "$one works at Acme" --subject "$one" --predicate works_at --object Acme --ns team:a
		say_fact 2026-06-01 "$two works at Globex" --subject "$two" --predicate works_at --object Globex --ns team:a
		say_fact 2026-10-01 "$one is still at Acme" --subject "$one" --predicate works_at --object Acme --ns team:a
	done
	mem-embed --pending
	before=$(mem-list --kind fact | wc -l)
	kg-merge -q "$(id_of 'Alice Smith')" "$(id_of 'Ally Smith')"
	[ "$(mem-list --kind fact | wc -l)" = $((before + 1)) ]
	[ "$(MEM_AGENT=ada mem-stat | jq .pending_vectors)" = 0 ]
	kg-merge -q --ask
	review=$(MEM_AGENT=rev MEM_TEAMS=a mem-review list | jq -r 'select(.reason | contains("Jonathon")) | .id')
	MEM_AGENT=rev MEM_TEAMS=a mem-review -q approve "$review"
	[ "$(mem-list --kind fact | wc -l)" = $((before + 2)) ]
	[ "$(MEM_AGENT=ada mem-stat | jq .pending_vectors)" = 0 ]
}

@test "rules that cannot be loaded end a merge before it writes" {
	say_fact 2026-03-01 "Alice Smith works at Acme" --subject "Alice Smith" --predicate works_at --object Acme
	say_fact 2026-06-01 "Ally Smith works at Globex" --subject "Ally Smith" --predicate works_at --object Globex
	keep=$(id_of 'Alice Smith') other=$(id_of 'Ally Smith')
	echo '- no map' >store/bad.yaml
	echo 'belief: {rules: [bad.yaml]}' >>store/config.yaml
	mem-init -q --trust store
	mem-export >before
	run -3 kg-merge "$keep" "$other"
	[[ $output == *bad.yaml* ]]
	mem-export | cmp - before
}

@test "where a fact that was judged cannot be read, --undo writes nothing" {
	say_fact 2026-03-01 "Alice Smith works at Acme" --subject "Alice Smith" --predicate works_at --object Acme
	say_fact 2026-06-01 "Ally Smith works at Globex" --subject "Ally Smith" --predicate works_at --object Globex
	keep=$(id_of 'Alice Smith') other=$(id_of 'Ally Smith')
	kg-merge -q "$keep" "$other"
	[ "$(facts)" = $'2026-03 2026-06 Acme superseded\n2026-06 now Globex active' ]
	while read -r at; do
		printf Bcme | dd of="$MEM_STORE/data.mdb" bs=1 seek="$((at + 21))" conv=notrunc status=none
	done < <(LC_ALL=C grep -abo 'Alice Smith works at Acme' "$MEM_STORE/data.mdb" | cut -d: -f1)
	run -3 kg-merge --undo "$other"
	[[ $output == *'is damaged'* ]]
	[ "$(mem-get "$other" | jq -r .status)" = merged ]
}

@test "what both were said to be is one fact with the sources of both, and two again" {
	say_fact 2026-03-01 "Alice Smith works at Acme" --subject "Alice Smith" --predicate works_at --object Acme
	say_fact 2026-06-01 "Ally Smith works at Acme" --subject "Ally Smith" --predicate works_at --object Acme
	keep=$(id_of 'Alice Smith') other=$(id_of 'Ally Smith')
	mem-export >before
	kg-merge -q "$keep" "$other"
	[ "$(mem-list --kind fact --live | jq -c '[.object.name, .mentions]')" = '["Acme",2]' ]
	kg-merge -q --undo "$other"
	jq -Sc 'del(.created_at)' before | sort >was
	mem-export | jq -Sc 'del(.created_at)' | sort | diff was -
	# What was said since then stays with what was kept.
	kg-merge -q "$keep" "$other"
	say_fact 2026-09-01 "Alice Smith works at Initech" --subject "Alice Smith" --predicate works_at --object Initech
	kg-merge -q --undo "$other"
	[ "$(mem-list --kind fact --live | jq -r '"\(.subject.id) \(.object.name)"' | sort)" = "$(printf '%s\n' "$keep Initech" "$other Acme" | sort)" ]
	mem-check
}

# Two persons, each of whom an episode says to work at Acme: one fact of both once they are one.
both_at_acme() {
	printf '%s\n' '{"content":"Bob Day works at Acme.","speaker":"Eve","captured_at":"2026-04-01T00:00:00Z"}' \
		'{"content":"Ann Lee works at Acme.","speaker":"Eve","captured_at":"2026-03-01T00:00:00Z"}' | mem-capture -q --no-embed
	mem-consolidate -q --no-embed
	bob=$(id_of 'Bob Day') ann=$(id_of 'Ann Lee')
	# shellcheck disable=SC2034 # by what is run on it
	bobs=$(mem-list --kind fact | jq -r 'select(.statement | startswith("Bob")).id') anns=$(mem-list --kind fact | jq -r 'select(.statement | startswith("Ann")).id')
}

# What is live: who, of which episodes; mentions and edges must be as many.
live_sources() {
	mem-list --kind episode | jq -c '{(.id): .content[:3]}' | jq -sc add >said
	mem-list --kind fact --live | jq -r --slurpfile said said \
		'"\(.subject.name[:3]) \(.mentions) \([.sources[] | if .episode == null then "hand" else $said[0][.episode] end] | sort | join(","))"' | sort
	mem-list --kind fact --live | jq -r '.id as $f | .sources[].episode | select(. != null) | "\($f) \(.)"' | sort >want
	for f in $(mem-list --kind fact --live | jq -r .id); do
		kg-edge list | jq -r --arg f "$f" 'select(.edge == "derived_from" and .from == $f) | "\(.from) \(.to)"'
	done | sort | diff want -
	for f in $(mem-list --kind fact --live | jq -r .id); do
		kg-edge list | jq -r --arg f "$f" 'select(.edge == "supports" and .to == $f) | "\(.to) \(.from)"'
	done | sort | diff want -
}

@test "whatever is done to a fact of both, each has its own sources again after --undo" {
	both_at_acme
	mem-backup -q "$PWD/begin"
	# shellcheck disable=SC2016 # they are run below, one after the other, each on the store as it began
	while IFS='|' read -r bob_has ann_has what; do
		for order in "$bob $ann" "$ann $bob"; do
			rm -rf "$PWD/again"
			cp -r "$PWD/begin" "$PWD/again"
			export MEM_STORE=$PWD/again
			# shellcheck disable=SC2086
			kg-merge -q $order
			mem-list --kind fact --live | jq -e '.mentions == 2'
			one=$(mem-list --kind fact --live | jq -r .id)
			[ "$one" = "$anns" ] # it begins first
			eval "$what"
			kg-merge -q --undo "${order#* }"
			[ "$order" = "$bob $ann" ] && want="Ann 1 Ann|Bob $bob_has" || want="Ann $ann_has|Bob 1 Bob"
			live_sources | paste -sd '|' | diff <(printf '%s\n' "$want") -
			mem-check
		done
	done <<'END'
1 Bob|1 Ann|mem-pin -q $one
1 Bob|1 Ann|mem-boost -q $one; mem-boost -q --undo $one
1 Bob|1 Ann|mem-boost -q $bobs; mem-boost -q --undo $bobs
1 Bob|1 Ann|mem-pin -q $one $bobs
1 Bob|1 Ann|mem-edit -q --set topic=work $one
1 Bob|1 Ann|mem-edit -q --set topic=work $one; mem-edit -q --set topic=job $(mem-list --kind fact --live | jq -r .id)
1 Bob|1 Ann|new=$(mem-edit --set topic=work $one | jq -r .id); mem-edit -q --undo $new
1 Bob|1 Ann|mem-edit -q --tag blue $one
1 Bob|1 Ann|mem-forget -q $one; mem-forget -q --undo $one
2 Bob,hand|2 Ann,hand|mem-fact -q --no-embed --subject "Bob Day" --predicate works_at --object Acme "Bob Day works at Acme."
2 Bob,hand|2 Ann,hand|mem-pin -q $one; mem-fact -q --no-embed --subject "Ann Lee" --predicate works_at --object Acme "Ann Lee works at Acme."
END
}

@test "confidence follows the sources that a fact has again" {
	both_at_acme
	before=$(mem-list --kind fact --live | jq -c '[.id, .confidence, .trust, .veracity]' | sort)
	kg-merge -q "$bob" "$ann"
	mem-pin -q "$anns"
	kg-merge -q --undo "$ann"
	[ "$(mem-list --kind fact --live | jq -c '[.id, .confidence, .trust, .veracity]' | sort)" = "$before" ]
	[ "$(mem-get "$anns" | jq .pinned)" = true ]
}

@test "of merges that made the same facts one the last is undone first" {
	both_at_acme
	printf '%s\n' '{"content":"Bob Day works at Globex.","speaker":"Eve","captured_at":"2026-05-01T00:00:00Z"}' | mem-capture -q --no-embed
	mem-consolidate -q --no-embed
	acme=$(id_of Acme) globex=$(id_of Globex)
	mem-export >before
	kg-merge -q "$bob" "$ann"
	kg-merge -q "$acme" "$globex"
	[ "$(mem-list --kind fact --live | jq .mentions)" = 3 ]
	run -1 kg-merge --undo "$ann"
	[ "$(field reason)" = state_conflict ]
	kg-merge -q --undo "$globex"
	kg-merge -q --undo "$ann"
	mem-export | jq -Sc 'del(.created_at)' | sort | diff <(jq -Sc 'del(.created_at)' before | sort) -
}

@test "what an episode said of the kept one meanwhile is found anew, and leaves the other one's fact" {
	hear() { printf '{"content":"%s","speaker":"Eve","captured_at":"2026-%s-01T00:00:00Z"}\n' "$2" "$1" | mem-capture -q --no-embed; mem-consolidate -q --no-embed; }
	held() { mem-list --kind fact --live | jq -r '"\(.subject.name) \(.object.name // .object.value) \(.mentions) \(.valid_from[5:7])"' | sort; }
	hear 03 'Ann Lee works at Acme.'
	hear 04 'Bob Day likes tea.'
	bob=$(id_of 'Bob Day') ann=$(id_of 'Ann Lee')
	kg-merge -q "$bob" "$ann"
	hear 05 'I met Bob Day; Bob Day works at Acme.'
	[ "$(held)" = $'Bob Day Acme 2 03\nBob Day tea 1 04' ]
	kg-merge -q --undo "$ann"
	[ "$(held)" = $'Ann Lee Acme 1 03\nBob Day tea 1 04' ]
	[ "$(mem-stat | jq -c '[.consolidation.pending, .consolidation.failed]')" = '[1,0]' ]
	mem-consolidate -q --no-embed
	[ "$(held)" = $'Ann Lee Acme 1 03\nBob Day Acme 1 05\nBob Day tea 1 04' ]
	[ "$(mem-stat | jq -c '[.consolidation.pending, .consolidation.failed]')" = '[0,0]' ]
	mem-check
}

# tell STORE SENTENCE@MONTH-DAY...: what Eve says, consolidated.
tell() {
	local store=$1 what
	shift
	for what; do
		printf '{"content":"%s.","speaker":"Eve","captured_at":"2026-%sT00:00:00Z","ref":"%s"}\n' "${what%@*}" "${what#*@}" "$what"
	done | mem-capture -q --no-embed -S "$store"
	mem-consolidate -q --no-embed -S "$store"
}
# believed STORE: what is live, by whom and since when, of which sentences.
believed() {
	mem-export -S "$1" | jq -rs '(map(select(.kind == "episode") | {(.id): .ref}) | add) as $said | .[] | select(.kind == "fact" and .status == "active") |
		[.subject.name, .predicate, .object.name, .valid_from, .valid_to // "-", .confidence, .mentions, ([.sources[].episode | $said[.]] | sort | join("; "))] |
		map(tostring) | join(" | ")' | sort
}

@test "what was said of the kept one while two were one is believed after --undo as if they never had been" {
	unset MEM_NOW
	i=0
	# shellcheck disable=SC2016 # what is done between is run below
	while IFS='|' read -r meanwhile before since; do
		i=$((i + 1))
		IFS=, read -ra first <<<"$before"
		IFS=, read -ra later <<<"$since"
		for store in apart-$i joined-$i; do
			mem-init -q "$store"
			tell "$store" "${first[@]}" 'Bob Day likes chess@01-01' 'Ann Lee likes chess@01-02'
		done
		export MEM_STORE=$PWD/joined-$i
		kg-merge -q "$(id_of 'Bob Day')" "$(id_of 'Ann Lee')"
		ann=$(mem-list --kind entity --all | jq -r 'select(.name == "Ann Lee").id')
		one=$(mem-list --kind fact --live | jq -r .id | head -n 1)
		eval "$meanwhile"
		tell "$PWD/apart-$i" "${later[@]}"
		tell "$PWD/joined-$i" "${later[@]}"
		kg-merge -q --undo "$ann"
		mem-consolidate -q --no-embed
		believed "$PWD/apart-$i" >want
		believed "$PWD/joined-$i" | diff want -
		mem-check
	done <<'END'
mem-pin -q "$one"|Ann Lee works at Globex@03-21,Bob Day works at Acme@05-22|Bob Day works at Globex@01-22
mem-pin -q "$one"|Bob Day works at Globex@03-10,Ann Lee works at Globex@04-22,Bob Day works at Acme@05-11|Bob Day works at Acme@04-13
mem-pin -q "$one"|Bob Day works at Initech@02-13,Ann Lee works at Globex@03-09,Ann Lee works at Globex@01-19|Bob Day works at Globex@04-22
mem-pin -q "$one"|Bob Day uses Vim@05-20,Ann Lee uses Vim@05-05|Bob Day uses Vim@04-02
mem-pin -q "$one"|Ann Lee lives in Munich@01-17,Ann Lee lives in Munich@04-28|Bob Day lives in Munich@02-08,Bob Day lives in Berlin@03-21
true|Ann Lee works at Globex@03-21,Bob Day works at Acme@05-22|Bob Day works at Globex@01-22
mem-edit -q --set topic=x "$one"|Ann Lee uses Emacs@03-07|Bob Day uses Emacs@03-20,Bob Day likes jazz@04-08
END
}
