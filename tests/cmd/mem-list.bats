#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need mem-capture
	need_store
	export MEM_TEAMS=red
	mapfile -t id < <(remember \
		'{"content":"one","session_id":"s","tags":["x","y"],"captured_at":"2026-01-01T00:00:00Z"}' \
		'{"content":"two","role":"assistant","session_id":"t","tags":["x"],"captured_at":"2026-01-03T00:00:00Z"}' \
		'{"content":"three","session_id":"s","ns":"team:red","captured_at":"2026-01-02T00:00:00Z"}' \
		'{"content":"four","expires_at":"2026-11-28T10:00:00Z"}')
	[ ${#id[@]} = 4 ]
}

contents() { grep -o '"content":"[^"]*"' <<<"$output" | cut -d'"' -f4 | tr '\n' ' '; }
lists() { # EXPECTED OPTION...
	local want=$1
	shift
	run -0 mem-list "$@"
	[ "$(contents)" = "$want" ] || { echo "mem-list $*: $(contents), not $want"; return 1; }
}

@test "mem-list: all, in commit order, as mem-get prints them" {
	lists "one two three four "
	[ "$output" = "$(mem-get "${id[@]}")" ]
}

@test "mem-list: each filter, and all together" {
	lists "one two four " --ns agent:ada
	lists "three " --ns team:red
	lists "" --ns global
	lists "one three " --session s
	lists "three " --session s --ns team:red
	lists "" --session u
	lists "two " --role assistant
	lists "one two three four " --role assistant,user
	lists "one two " --tag x
	lists "one " --tag x --tag y
	lists "" --tag z
	lists "one two three four " --kind episode
	lists "" --kind fact,core
	lists "three " --since 2026-01-02 --until 2026-01-03
	lists "two three four " --since 2026-01-02
	lists "one three " --until 2026-01-03
	lists "one two three four " --live
	lists "one two three " --live --now 2026-11-29
	lists "one " --session s --tag x --role user --since 2026-01-01 --until 2026-01-02 --live --ns agent:ada --kind episode
}

named() { # EXPECTED OPTION...: by their names
	local want=$1
	shift
	run -0 mem-list "$@"
	[ "$(jq -r '.name // .title' <<<"$output" | paste -sd' ')" = "$want" ] || { echo "mem-list $*: $output"; return 1; }
}

add_people() {
	local n=0 ns kind rest
	while read -r ns kind rest; do
		n=$((n + 1))
		printf '{"id":"0198f3c2-7d4e-7b1a-9c3d-%012d","kind":"%s","ns":"%s","created_at":"2026-11-28T09:00:00.000Z",%s}\n' $n "$kind" "$ns" "$rest"
	done <<'END' | mem-import -q
agent:ada entity "type":"person","name":"Alice","aliases":["Ally","Al"]
agent:ada entity "type":"person","status":"archived","name":"Bob"
agent:ada entity "type":"place","name":"Ally"
team:red page "title":"ALLY","slug":"on-ally","path":"notes/Ally.md"
agent:ada note "type":"fact","status":"draft","name":"Straße","session_id":"s"
agent:ada note "type":"decision","name":"Ally","session_id":"s"
team:red skill "status":"deprecated","name":"Al"
END
}

@test "mem-list: by status, type and name" {
	add_people
	named "Bob" --status archived
	named "Straße Al" --status draft,deprecated
	named "Straße Al" --status draft --status deprecated
	named "Alice Ally ALLY Ally" --status active --kind entity,page,note
	named "" --status retired
	named "" --status draft --live
	named "Alice Bob" --type person
	named "Straße" --type fact
	named "Straße Ally" --type fact,decision
	named "Alice Bob Ally" --type person,decision
	named "" --type perso
	named "Alice Ally ALLY Ally" --name ally
	named "Alice Al" --name AL
	named "Straße" --name STRASSE
	named "ALLY" --name notes/ally.md
	named "ALLY" --name On-Ally
	named "" --name 'notes/ally'
	named "Alice Bob Al" --name al --name bob
	named "Ally" --name ally --type place
	named "ALLY" --name ally --ns team:red
	named "Alice Ally Ally" --name ally --ns agent:ada
	named "Ally" --name ally --session s
	named "" --name ally --session t
	named "ALLY" --name ally --agent bob
	named "Ally ALLY" --name ally --after 0198f3c2-7d4e-7b1a-9c3d-000000000001 -n 2
	named "" --name '!!'
}

@test "mem-list: words that do not exist" {
	run -2 mem-list --status fine
	[[ $output = *"--status: 'fine' is not one of active, draft, superseded, quarantined, deprecated, archived, retired, merged"* ]]
	run -2 mem-list --status ''
	run -2 mem-list --type ''
	run -2 mem-list --name ''
	run -2 mem-list --kind nonsense
	run -2 mem-list --role nonsense
	run -2 mem-list --ns nonsense
	run -2 mem-list --after nonsense
	run -2 mem-list -n 0
	run -2 mem-list operand
}

@test "mem-list: pages are stable while others write" {
	lists "one two " -n 2
	lists "three four " -n 2 --after "${id[1]}"
	remember '{"content":"five"}'
	lists "three four " -n 2 --after "${id[1]}"
	lists "five " -n 2 --after "${id[3]}"
	lists "three " --session s --after "${id[0]}"
	lists "one two three four five " --all
	run -1 mem-list --after 00000000-0000-7000-8000-000000000000
	run -1 mem-list --agent bob --after "${id[0]}"
}

@test "mem-list: others' nodes are not there" {
	lists "three " --agent bob
	MEM_TEAMS='' lists "" --agent bob
	MEM_TEAMS='' lists "one two four "
	MEM_TEAMS='' lists "one two three four " --every-namespace
	run -4 mem-list --agent bob --every-namespace
}

@test "mem-list: more than a snapshot hands out" {
	for i in $(seq 2500); do echo "{\"content\":\"n$i\"}"; done | mem-capture -q
	[ "$(mem-list | wc -l)" = 2504 ]
	[ "$(mem-list --after "${id[3]}" | grep -o '"content":"[^"]*"' | cksum)" = \
		"$(for i in $(seq 2500); do echo "\"content\":\"n$i\""; done | cksum)" ]
	[ "$(mem-list -n 1999 | wc -l)" = 1999 ]
}

@test "mem-list --format text is a table" {
	run -0 mem-list --format text -n 2
	[ ${#lines[@]} = 3 ]
	[[ ${lines[0]} == ID*KIND*NS*WHEN*WHO*WHAT ]]
	[[ ${lines[2]} == "${id[1]:0:18}  episode  agent:ada  2026-01-03  assistant  two" ]]
}
