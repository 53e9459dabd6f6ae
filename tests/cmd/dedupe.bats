#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Repeats among what is derived: which are merged by the task dedupe, and which are not.
load helper

setup() {
	scratch
	need_model e5
	need_store
}

# fact STATEMENT [FIELDS [KIND]]: imports one, each a second younger; prints its id.
fact() {
	count=$((${count-0} + 1))
	local id
	id=$(printf '00000000-0000-8000-8000-%012d' "$count")
	jq -nc --arg id "$id" --arg s "$1" --arg at "$(printf '2026-01-01T00:00:%02d.000Z' "$count")" --arg kind "${3-fact}" --argjson more "${2:-{\}}" \
		'{id: $id, kind: $kind, ns: "agent:ada", created_at: $at, version: 1, status: "active"}
		+ (if $kind == "fact" then {statement: $s} else {content: $s, role: "user"} end)
		+ {type: "fact", mentions: 1, importance: 0.5, trust: 0.5, confidence: 0.5, last_access: null, access_count: 1, pinned: false} + $more' |
		mem-import -q
	echo "$id"
}
dedupe() { mem-embed --pending; mem-maintain dedupe; }
merged() { mem-list --status merged | jq -r .statement; }

@test "a repeat is merged into the older one, with its counts" {
	a=$(fact 'The staging database listens on port 5433.') count=1
	b=$(fact 'the staging database is listening on port 5433') count=2
	dedupe
	[ "$(mem-get "$b" | jq -c '[.status, .superseded_by]')" = "[\"merged\",\"$a\"]" ]
	[ "$(mem-get "$a" | jq -c '[.status, .mentions, .access_count]')" = '["active",2,2]' ]
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .subject, .detail.keep]')" = "[\"dedupe\",\"$b\",\"$a\"]" ]
	mem-export > before
	mem-maintain dedupe # again: nothing
	mem-export | cmp before -
	run -0 mem-check
	[ -z "$output" ]
}

@test "what says something else stays" {
	local s=(
		'Alice likes green tea.' 'Alice dislikes green tea.' 'Alice does not like green tea.' 'Alice liked green tea.'
		'Alice manages Bob.' 'Bob manages Alice.'
		'The staging database listens on port 5433.' 'The staging database listens on port 5434.'
		'The meeting is on Tuesday at ten.' 'The meeting is on Thursday at ten.'
		'Alice moved to Berlin.' 'Alice moved from Berlin.' 'Alice moved to Munich.'
		'Project Atlas uses PostgreSQL.' 'Project Apollo uses PostgreSQL.' 'Project Atlas uses MySQL.'
	)
	for count in "${!s[@]}"; do fact "${s[count]}" >/dev/null; done
	dedupe
	[ -z "$(merged)" ]
}

@test "of another type, namespace, subject or time, pinned, or an episode: no repeat" {
	local same='The build runs on every push.'
	count=0; fact "$same" >/dev/null
	count=1; fact "$same" '{"type":"decision"}' >/dev/null
	count=2; fact "$same" '{"ns":"global"}' >/dev/null
	count=3; fact "$same" '{"subject":{"id":"00000000-0000-8000-8000-0000000000ff","name":"x","type":"tool"},"predicate":"runs"}' >/dev/null
	count=4; fact "$same" '{"valid_to":"2026-02-01T00:00:00.000Z"}' >/dev/null
	count=5; fact "$same" '{"pinned":true}' >/dev/null
	count=6; fact "$same" '{}' episode >/dev/null
	count=7; fact "$same" '{}' episode >/dev/null
	dedupe
	[ -z "$(mem-list --status merged)" ]
}

@test "a fact that comes later is compared with the old ones, and waits for its vector" {
	count=0; a=$(fact 'Deploys happen on Tuesdays.')
	dedupe
	count=1; fact 'deploys happen on Tuesdays' >/dev/null
	mem-maintain dedupe # it has no vector yet
	[ -z "$(merged)" ]
	dedupe
	[ "$(merged)" = 'deploys happen on Tuesdays' ]
	[ "$(mem-list --live --kind fact | jq -r .id)" = "$a" ]
}

@test "mem-consolidate --dedupe, and --undo" {
	count=0; a=$(fact 'Deploys happen on Tuesdays.')
	count=1; b=$(fact 'deploys happen on Tuesdays')
	mem-embed --pending
	mem-export > before
	run -0 mem-consolidate --dedupe --dry-run
	[ "$(jq -c '[.verdict, .id, .duplicate_of]' <<<"$output")" = "[\"changed\",\"$b\",\"$a\"]" ]
	mem-export | cmp before -
	run -0 mem-consolidate --dedupe
	[ "$(jq -c '[.id, .duplicate_of, .score > 0.92]' <<<"$output")" = "[\"$b\",\"$a\",true]" ]
	run -0 mem-consolidate --dedupe
	[ -z "$output" ]
	run -0 mem-consolidate --dedupe --undo "$b"
	mem-export | cmp before -
	run -1 mem-consolidate --dedupe --undo "$b"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	run -2 mem-consolidate --undo "$b"
	run -2 mem-consolidate --dedupe "$b"
	# What was taken back stays, and is no repeat of that one; of another it may be.
	run -0 mem-consolidate --dedupe
	[ -z "$output" ]
	[ -z "$(merged)" ]
	count=2; fact 'Deploys  happen on tuesdays.' >/dev/null
	mem-embed --pending
	run -0 mem-consolidate --dedupe
	[ "$(jq -r .duplicate_of <<<"$output")" = "$a" ]
	[ "$(merged)" = 'Deploys  happen on tuesdays.' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "facts about entities that are one are judged anew, and as they were once that is taken back" {
	said() {
		mem-capture -q --now "$1" <<<"{\"content\":\"$2\",\"speaker\":\"Eve\"}"
		mem-consolidate -q --no-embed --now "$1"
	}
	said 2026-03-01 'Zoe Baker-Smith works at Acme.'
	said 2026-06-01 'Zoe Baker Smith works at Globex.'
	mem-embed --pending
	mem-export > before
	run -0 mem-consolidate --dedupe
	other=$(jq -r .id <<<"$output")
	[ "$(mem-get "$other" | jq -r .name)" = 'Zoe Baker Smith' ]
	states() { mem-list --kind fact | jq -c '[.object.name, .status, .valid_to]' | paste -sd' '; }
	[ "$(states)" = '["Acme","superseded","2026-06-01T00:00:00.000Z"] ["Globex","active",null]' ]
	run -0 mem-check
	mem-consolidate -q --dedupe --undo "$other"
	[ "$(states)" = '["Acme","active",null] ["Globex","active",null]' ]
	mem-export | cmp before -
	run -0 mem-check
	[ -z "$output" ]
}

@test "what says again what was merged away supports the one that was kept" {
	mem-fact -q --now 2026-01-01 'The staging database listens on port 5433.'
	mem-fact -q --now 2026-01-02 'the staging database is listening on port 5433'
	dedupe
	kept=$(mem-list --kind fact --status active | jq -r .id)
	[ "$(mem-list --kind fact --status merged | wc -l)" = 1 ]
	[ "$(mem-fact --now 2026-02-02 'the staging database is listening on port 5433' | jq -r '.verdict + " " + .id')" = "changed $kept" ]
	[ "$(mem-get "$kept" | jq -c '[.statement, .mentions]')" = '["The staging database listens on port 5433.",3]' ]
	[ "$(mem-list --kind fact | wc -l)" = 2 ]
	# The same source is counted once; and taken back each is its own again.
	[ "$(mem-fact --now 2026-01-02 'the staging database is listening on port 5433' | jq -r '.verdict + " " + .id')" = "unchanged $kept" ]
	other=$(mem-list --kind fact --status merged | jq -r .id)
	mem-consolidate -q --dedupe --undo "$other"
	[ "$(mem-fact --now 2026-03-03 'the staging database is listening on port 5433' | jq -r .id)" = "$other" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a learning that was merged away is learned again as the one that was kept, by words alone, too" {
	for count in 0 1; do
		jq -nc --arg n "$count" '{id: "00000000-0000-8000-8000-00000000000\($n)", kind: "learning", ns: "agent:ada", created_at: "2026-01-01T00:00:0\($n).000Z", version: 1, status: "active",
			content: ["The staging database listens on port 5433.", "the staging database is listening on port 5433"][$n | tonumber], category: "pattern", state: "open",
			effectiveness: {positive: 0, negative: 0, uses: 0}, sources: [], type: "learning", importance: 0.5, trust: 0.5, confidence: 0.5, last_access: null, access_count: 0, pinned: false}' | mem-import -q
	done
	dedupe
	[ "$(mem-list --kind learning --status merged | jq -r .id)" = 00000000-0000-8000-8000-000000000001 ]
	[ "$(XDG_DATA_HOME=$PWD/none mem-learn add pattern 'The staging database is listening on port 5433' | jq -r '.verdict + " " + .id')" = 'changed 00000000-0000-8000-8000-000000000000' ]
	[ "$(mem-list --kind learning | wc -l)" = 2 ]
}
