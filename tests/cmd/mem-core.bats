#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Core blocks: written by ada, who is the operator, by bob of team:a, and by out, who is of neither.
load helper
load links

setup() {
	scratch
	team_store
}

verdict() { jq -r '.reason // .verdict' <<<"$output"; }

@test "a block has the fields of the page in their order" {
	run -0 mem-core --sensitivity high add persona I answer briefly.
	[ "$(verdict)" = new ]
	run -0 mem-core list
	[ "$(jq -c 'del(.id, .origin)' <<<"$output")" = '{"kind":"core","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","version":1,"status":"active","content":"I answer briefly.","hash":"'"$(printf %s 'I answer briefly.' | sha256sum | cut -d' ' -f1)"'","block_kind":"persona","sensitivity":"high","type":null,"importance":1,"trust":1,"confidence":null,"last_access":null,"access_count":0,"pinned":false}' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "the same block again is unchanged, another kind or a retired one is not the same" {
	run -0 mem-core add persona tea
	run -0 mem-core add persona tea
	[ "$(verdict)" = unchanged ]
	run -0 mem-core add redline tea
	[ "$(verdict)" = new ]
	id=$(mem-core list | jq -r 'select(.block_kind=="persona").id')
	mem-core -q retire "$id"
	run -0 mem-core add persona tea
	[ "$(verdict)" = new ]
	[ "$(jq -r .id <<<"$output")" != "$id" ]
	# So is the first text of one that was edited.
	id=$(jq -r .id <<<"$output")
	mem-core -q edit "$id" coffee
	run -0 mem-core add persona tea
	[ "$(verdict)" = new ]
	run -0 mem-core add persona coffee
	[ "$(verdict)" = unchanged ]
	[ "$(jq -r .id <<<"$output")" = "$id" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "an edit compares the hash, and is a new version" {
	id=$(mem-core add persona tea | jq -r .id)
	hash=$(mem-get "$id" | jq -r .hash)
	run -1 mem-core --if-hash "${hash//[0-9]/0}" edit "$id" coffee
	[ "$(verdict)" = conflict ]
	run -0 mem-core --if-hash "$hash" edit "$id" coffee
	[ "$(verdict)" = changed ]
	run -1 mem-core --if-hash "$hash" edit "$id" milk
	[ "$(verdict)" = conflict ]
	run -0 mem-core edit "$id" coffee
	[ "$(verdict)" = unchanged ]
	[ "$(mem-get "$id" | jq -c '[.version, .content, .hash, .edited_at]')" = '[2,"coffee","'"$(printf coffee | sha256sum | cut -d' ' -f1)"'","2026-11-28T09:00:00.000Z"]' ]
	# Two editors at once: one of them comes too late, or both see each other's text.
	patient
	for who in one two three four; do mem-core --if-hash "$(printf coffee | sha256sum | cut -d' ' -f1)" edit "$id" "text of $who" & done >receipts
	wait
	[ "$(jq -r 'select(.verdict=="changed").verdict' receipts | wc -l)" = 1 ]
	[ "$(jq -r 'select(.reason=="conflict").reason' receipts | wc -l)" = 3 ]
	[ "$(mem-get "$id" | jq -r .version)" = 3 ]
}

@test "the text before an edit stays in the history, and goes with the block when that is erased" {
	id=$(mem-core --sensitivity high add persona 'I like quokkatea' | jq -r .id)
	mem-core -q --now 2026-12-02T00:00:00Z edit "$id" 'I like quokkacoffee'
	mem-core -q --now 2026-12-03T00:00:00Z edit "$id" 'I like milk'
	run -1 mem-core --if-hash "$(printf quokkatea | sha256sum | cut -d' ' -f1)" edit "$id" 'I like nothing'
	run -0 mem-core edit "$id" 'I like milk'
	mem-history "$id" >versions
	[ "$(jq -r '[.text, .known_from[:10], .known_to[:10]?, .status, .superseded_by.reason] | join(" ")' versions)" = \
		$'I like quokkatea 2026-11-28 2026-12-02 superseded edited\nI like quokkacoffee 2026-12-02 2026-12-03 superseded edited\nI like milk 2026-12-03  active ' ]
	[ "$(jq -r 'select(.current).id' versions)" = "$id" ]
	[[ $(mem-audit --why "$id") == *'It took the place of "I like quokkacoffee" ('*') on 2026-12-03, since it was edited.'* ]]
	[ "$(mem-get "$(jq -sr '.[0].id' versions)" | jq -r '[.kind, .content, .sensitivity, .hash] | join(" ")')" = \
		"core I like quokkatea high $(printf 'I like quokkatea' | sha256sum | cut -d' ' -f1)" ]
	[ "$(mem-core --retired list | jq -r .content)" = 'I like milk' ]
	[ "$(mem-context | grep -c quokka)" = 0 ]
	mem-init -q other >/dev/null
	mem-export | mem-import -q -S other
	mem-export | diff <(mem-export -S other) -
	[ "$(mem-forget --erase "$id" | jq -c '[.verdict, .erased.versions]')" = '["removed",2]' ]
	mem-maintain compact
	run -1 grep -aqi quokka store/data.mdb
	run -0 mem-check
	[ -z "$output" ]
}

@test "no two live blocks of a kind say the same, and what is named twice is retired once" {
	one=$(mem-core add persona tea | jq -r .id)
	two=$(mem-core add persona coffee | jq -r .id)
	other=$(mem-core add redline milk | jq -r .id)
	run -1 mem-core edit "$two" tea
	[ "$(jq -r '"\(.reason) \(.same_as)"' <<<"$output")" = "exists $one" ]
	run -0 mem-core edit "$other" tea
	run -0 mem-core retire "$one" "${one:0:8}" "$two"
	[ "$(jq -r .verdict <<<"$output" | paste -sd' ')" = 'changed unchanged changed' ]
	run -0 mem-core retire "$one"
	[ "$(verdict)" = unchanged ]
}

@test "a retired block is in no list and no search, and cannot be edited" {
	id=$(mem-core add redline never push to main | jq -r .id)
	[ "$(mem-search -m keyword push | jq -r .id)" = "$id" ]
	run -0 mem-core retire "${id:0:8}"
	[ "$(verdict)" = changed ]
	run -0 mem-core retire "$id"
	[ "$(verdict)" = unchanged ]
	run -1 mem-core edit "$id" always push
	[ "$(verdict)" = state_conflict ]
	[ -z "$(mem-core list)" ]
	run -1 mem-search -m keyword push
	[ "$(mem-core --retired list | jq -r .status)" = retired ]
}

@test "who is no operator writes his own blocks alone" {
	run -0 mem-core --agent bob add persona mine
	id=$(MEM_TEAMS=a mem-core --ns team:a add commitment ours | jq -r .id)
	[ -n "$id" ]
	run -4 mem-core --agent bob --ns team:a add commitment theirs
	[ "$(verdict)" = rights_denied ]
	run -4 mem-core --agent bob edit "$id" theirs
	[ "$(verdict)" = rights_denied ]
	run -4 mem-core --agent bob retire "$id"
	[ "$(verdict)" = rights_denied ]
	# What is not seen is not there.
	run -1 mem-core --agent out edit "$id" theirs
	[ "$(verdict)" = not_found ]
	[ "$(mem-core --agent bob list | jq -r .content | sort | tr '\n' ' ')" = 'mine ours ' ]
	[ -z "$(mem-core --agent out list)" ]
	[ "$(mem-audit --agent bob | jq -r 'select(.kind=="rights_denied").actor' | wc -l)" = 3 ]
}

@test "what is no block, no text, or too long is refused; a secret is taken out" {
	id=$(remember '{"content":"an episode"}')
	run -1 mem-core edit "$id" tea
	[ "$(verdict)" = bad_value ]
	run -1 mem-core retire 00000000-0000-7000-8000-000000000000
	[ "$(verdict)" = not_found ]
	run -1 mem-core add persona '  '
	[ "$(verdict)" = empty ]
	head -c 20000 /dev/zero | tr '\0' a >long
	run -1 mem-core add persona - <long
	[ "$(verdict)" = too_long ]
	mem-core -q add persona - <<<'the key is ghp_0123456789abcdefghijklmnopqrstuvwxyzAB'
	[[ $(mem-core list | jq -r .content) != *ghp_* ]]
	run -2 mem-core add motto tea
	run -2 mem-core --sensitivity 'very high' add persona tea
	[ "$(mem-core --dry-run add persona dry | jq -r .verdict)" = new ]
	[ "$(mem-core list | wc -l)" = 1 ]
}

@test "the audit says what was done and never what was said" {
	id=$(mem-core add persona tea | jq -r .id)
	mem-core -q edit "$id" coffee
	mem-core -q retire "$id"
	[ "$(mem-audit | jq -c '[.kind, .subject, .actor, .detail]' | sed "s/$id/ID/")" = '["core_edit","ID","ada",{"change":"added","block_kind":"persona"}]
["core_edit","ID","ada",{"change":"edited","block_kind":"persona"}]
["core_edit","ID","ada",{"change":"retired","block_kind":"persona"}]' ]
}

@test "the kind of a block is no name of it" {
	mem-core -q add persona tea
	kg-node -q add <<<'{"kind":"entity","name":"persona"}'
	[ "$(mem-list --name persona | jq -r .kind)" = entity ]
	# Nor is what another node says under such a type a block.
	kg-node -q add <<<'{"kind":"entity","type":"=core","name":"redline"}'
	[ "$(mem-core drift | wc -l)" = 1 ]
}

# talk N DAY TEXT: N episodes captured on that day.
talk() { for ((i = 0; i < $1; i++)); do echo "{\"content\":\"$3 $i\",\"captured_at\":\"2026-11-${2}T0$((i % 10)):00:00Z\"}"; done | mem-capture -q; }

@test "drift is warned of once, and taken back" {
	embed_server
	talk 7 10 'the kettle boils tea'
	id=$(mem-core --now 2026-11-12 add persona the kettle boils tea | jq -r .id)
	[ "$(mem-core drift | jq -c '[.drift, .before, .now]')" = '[null,7,0]' ]
	talk 1 11 'the kettle boils tea well'
	talk 9 27 'ships sail over oceans'
	run -1 mem-core drift
	[ "$(jq -c '[.warning, .before, .now]' <<<"$output")" = '[true,8,9]' ]
	[ "$(jq '.drift > 0.15 and .drift <= 1' <<<"$output")" = true ]
	[ "$(mem-get "$id" | jq '[.version, .drift > 0.15]' -c)" = '[1,true]' ]
	run -1 mem-core -q drift
	[ "$(mem-audit | jq -r 'select(.kind=="drift_warning").detail.drift' | wc -l)" = 1 ]
	[ "$(mem-log | jq -r 'select(.op=="drift").op' | wc -l)" = 1 ]
	talk 30 28 'tea boils the kettle'
	talk 30 26 'the kettle boils tea again'
	run -0 mem-core drift
	[ "$(jq -c .warning <<<"$output")" = false ]
	[ "$(mem-get "$id" | jq .drift)" = null ]
	run -0 mem-core -q drift
	[ -z "$output" ]
	run -0 mem-check
	[ -z "$output" ]
}
