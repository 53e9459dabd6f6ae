#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need mem-capture
	need_store
	mapfile -t id < <(remember '{"content":"one","ref":"a/1"}' '{"content":"two","ref":"a/2"}' '{"content":"three","ref":"a/1"}')
	[ ${#id[@]} = 3 ]
}

contents() { grep -o '"content":"[^"]*"' <<<"$output" | cut -d'"' -f4 | tr '\n' ' '; }

@test "mem-get prints nodes in the order of the operands" {
	run -0 --separate-stderr mem-get "${id[2]}" "${id[0]}" "${id[2]}"
	[ "$(contents)" = "three one three " ]
	[ -z "$stderr" ]
	[ "${lines[0]:0:47}" = "{\"id\":\"${id[2]}\",\"k" ]
	run -0 mem-get "${id[0]^^}"
	[ "$(contents)" = "one " ]
}

@test "mem-get: what is unknown is told, the rest is printed" {
	run -1 --separate-stderr mem-get "${id[0]}" 00000000-0000-7000-8000-000000000000 nonsense "${id[1]}"
	[ "$(contents)" = "one two " ]
	[ "${stderr_lines[0]}" = "mem-get: no such node: 00000000-0000-7000-8000-000000000000" ]
	[ "${stderr_lines[1]}" = "mem-get: not an id, or the first 4 or more characters of one: 'nonsense'" ]
	run -2 mem-get
	run -2 mem-get -n 0 "${id[0]}"
}

@test "mem-get -r: newest first, then ids" {
	run -0 mem-get -r a/1
	[ "$(contents)" = "three one " ]
	run -0 mem-get -n 1 -r a/1
	[ "$(contents)" = "three " ]
	run -0 mem-get -r a/2 -r a/1 "${id[1]}"
	[ "$(contents)" = "two three one two " ]
	run -0 mem-get -r a/1 --ns agent:ada,global
	[ "$(contents)" = "three one " ]
	run -1 mem-get -r a/1 --ns global
	run -1 --separate-stderr mem-get -r a
	[ "$stderr" = "mem-get: no such node: a" ]
}

@test "mem-get -r: live ones before those that are gone" {
	remember '{"content":"newer but gone","ref":"a/1","expires_at":"2026-11-28T10:00:00Z"}'
	run -0 mem-get -r a/1
	[ "$(contents)" = "newer but gone three one " ]
	run -0 mem-get --now 2026-11-29 -r a/1
	[ "$(contents)" = "three one newer but gone " ]
}

@test "mem-get - reads ids, and records that have one" {
	run -0 mem-get "${id[1]}" - "${id[1]}" < <(printf '%s\n%s' "${id[0]}" "${id[2]}")
	[ "$(contents)" = "two one three two " ]
	run -0 bash -c "mem-get ${id[1]} | mem-get -"
	[ "$(contents)" = "two " ]
	run -0 mem-get -0 - < <(printf '%s\0%s\0' "${id[0]}" "${id[2]}")
	[ "$(contents)" = "one three " ]
	run -0 mem-get - </dev/null
	[ -z "$output" ]
	run -2 mem-get - - </dev/null
	run -1 mem-get - <<<'{"content":"no id"}'
}

@test "mem-get: another's node is as unknown as none" {
	run -1 mem-get --agent bob "${id[0]}"
	unseen=${output//${id[0]}/X}
	run -1 mem-get --agent bob 00000000-0000-7000-8000-000000000000
	[ "$unseen" = "${output//00000000-0000-7000-8000-000000000000/X}" ]
	run -1 mem-get --agent bob -r a/1
	run -4 mem-get --agent bob --every-namespace "${id[0]}"
	MEM_AGENT=bob remember '{"content":"his","ref":"b"}'
	run -1 mem-get -r b
	run -0 mem-get --every-namespace -r b
	[ "$(contents)" = "his " ]
}

@test "mem-get --format text shows fields, hidden characters escaped" {
	remember '{"content":"a\u001b[2Jb\u202ec","ref":"x"}'
	run -0 mem-get --format text -r x
	[[ $output == *$'\nkind           episode\n'* ]]
	[[ $output == *'a\u001b[2Jb\u202ec'* ]]
	[[ $output == *$'\norigin         agent '*', via mem-capture\n'* || $output == *$'\norigin         agent '*', via mem-capture' ]]
	run ! grep -E '^[a-z_]+ +(null|\[\])?$' <<<"$output"
}

@test "mem-get holds no lock while it waits for ids" {
	mkfifo ids
	mem-get - <ids >out 3>&- &
	exec 7>ids
	echo "${id[0]}" >&7
	eventually [ -s out ]
	grep -q '"content":"one"' out
	eventually flock -n -x store/store.lock true
	echo "${id[1]}" >&7
	exec 7>&-
	wait
	grep -q '"content":"two"' out
}

# The fields that count reads, of a node.
reads() { mem-get "$1" | jq -c '[.last_access, .access_count, .version]'; }

@test "mem-get --touch counts each node that it prints, and makes no version" {
	[ "$(reads "${id[0]}")" = '[null,0,1]' ]
	before=$(mem-get "${id[0]}")
	run -0 --separate-stderr mem-get --touch "${id[0]}"
	[ "$output" = "$before" ]
	[ -z "$stderr" ]
	[ "$(reads "${id[0]}")" = '["2026-11-28T09:00:00.000Z",1,1]' ]
	[ "$(reads "${id[1]}")" = '[null,0,1]' ]
	mem-get --now 2026-12-01T10:00:00Z --touch -n 1 -r a/1 >out
	[ "$(reads "${id[2]}")" = '["2026-12-01T10:00:00.000Z",1,1]' ]
	[ "$(reads "${id[0]}")" = '["2026-11-28T09:00:00.000Z",1,1]' ]
	[ "$(mem-log | jq -r 'select(.op == "touched").id' | paste -sd' ')" = "${id[0]} ${id[2]}" ]
	[ "$(mem-audit --kind touched,touch | wc -l)" = 0 ]
	[ "$(mem-search one | jq -r .id)" = "${id[0]}" ]
	mem-check
}

@test "mem-get --touch counts nothing of others' nodes, nor while another writes" {
	mem-import <<'END' >/dev/null
{"id":"00000000-0000-8000-8000-000000000001","kind":"fact","ns":"global","created_at":"2026-11-28T09:00:00.000Z","statement":"the hub is blue","importance":0.5,"access_count":0}
{"id":"00000000-0000-8000-8000-000000000002","kind":"page","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","title":"a page"}
END
	run -0 --separate-stderr mem-get --agent bob --touch 00000000-0000-8000-8000-000000000001
	[ -z "$stderr" ]
	mem-get --touch 00000000-0000-8000-8000-000000000002 >out
	[ "$(mem-log | jq -r 'select(.op == "touched").id')" = '' ]
	mem-get --touch 00000000-0000-8000-8000-000000000001 >out
	[ "$(mem-log | jq -r 'select(.op == "touched").id')" = 00000000-0000-8000-8000-000000000001 ]
	patient
	exec 7>>store/write.lock
	flock -x 7
	run -0 --separate-stderr timeout 120 mem-get --touch "${id[0]}"
	[ -z "$stderr" ]
	exec 7>&-
	[ "$(reads "${id[0]}")" = '[null,0,1]' ]
}

@test "fewer characters of an id than name one are told so, whatever the command does with it" {
	mem-init -q store >/dev/null
	export MEM_STORE=$PWD/store
	local one command operand words
	one=$(mem-capture --lines <<<"one" | jq -r .id)
	for command in mem-get 'mem-review show' mem-history 'mem-audit --why' mem-pin mem-boost mem-forget 'mem-edit --tag x' 'kg-node remove' \
		'mem-review approve' 'mem-learn verify' mem-attest; do
		for operand in "${one:0:3}" nothing; do
			echo "$command $operand"
			read -ra words <<<"$command"
			run --separate-stderr "${words[@]}" "$operand"
			[ "$status" = 1 ] || [ "$status" = 2 ]
			[[ $stderr == *"not an id, or the first 4 or more characters of one: '$operand'"* ]] || false
		done
		# An id that is not there, and enough of one, are just unknown.
		run --separate-stderr "${words[@]}" "${one/[0-9a-f]/e}"
		[[ $stderr != *"not an id"* ]] || false
	done
	# The others are printed all the same.
	run -1 --separate-stderr mem-get "${one:0:3}" "$one"
	[ "$(jq -r .id <<<"$output")" = "$one" ]
}
