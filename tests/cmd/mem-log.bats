#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need_store
}

@test "mem-log: an empty store has no changes" {
	run -0 mem-log
	[ -z "$output" ]
	run -0 mem-log --format text
	[ -z "$output" ]
}

@test "mem-log: words that do not exist" {
	run -2 mem-log --kind episodes
	run -2 mem-log --ns somewhere
	run -2 mem-log operand
	run -2 mem-log --after -1
	run -2 mem-log -n 0
}

@test "mem-log tells each change once, in order" {
	need mem-capture
	mapfile -t id < <(remember '{"content":"secret tea"}' '{"content":"b"}')
	run -0 mem-log
	[ ${#lines[@]} = 2 ]
	[ "${lines[0]}" = "{\"seq\":1,\"op\":\"new\",\"id\":\"${id[0]}\",\"ns\":\"agent:ada\",\"kind\":\"episode\",\"at\":\"2026-11-28T09:00:00.000Z\"}" ]
	run -0 mem-log --after 1
	[[ $output == '{"seq":2,'* ]]
	run -0 mem-log --after 2
	[ -z "$output" ]
	run -0 mem-log -n 1
	[ ${#lines[@]} = 1 ]
	run -0 mem-log --kind fact
	[ -z "$output" ]
	run -0 mem-log --ns global
	[ -z "$output" ]
}

@test "mem-log: numbers of what others did are left out" {
	need mem-capture
	remember '{"content":"a"}'
	MEM_AGENT=bob remember '{"content":"b"}'
	remember '{"content":"c"}'
	[ "$(mem-log | cut -c1-8 | tr '\n' ' ')" = '{"seq":1 {"seq":3 ' ]
	[ "$(mem-log --agent bob | cut -c1-8)" = '{"seq":2' ]
	[ "$(mem-log --every-namespace | wc -l)" = 3 ]
	run -4 mem-log --agent bob --every-namespace
}

@test "mem-log -f prints what is there, then each change, and misses none" {
	need mem-capture
	remember '{"content":"before"}'
	mem-log -f >out 3>&- &
	follower=$!
	eventually lines_in out 1
	patient
	writers=()
	for i in $(seq 3); do
		for k in $(seq 20); do echo "{\"content\":\"$i/$k\"}"; done | mem-capture -q --commit-every 1 &
		writers+=($!)
	done
	wait "${writers[@]}"
	eventually lines_in out 61
	kill $follower
	st=0; wait $follower || st=$?
	[ $st = 143 ]
	[ "$(cut -c1-200 out | sed 's/{"seq":\([0-9]*\).*/\1/')" = "$(seq 61)" ]
}

@test "mem-log -f holds nothing while it waits" {
	need mem-capture
	remember '{"content":"a"}'
	mem-log -f >out 3>&- &
	follower=$!
	eventually lines_in out 1
	eventually flock -n -x store/store.lock true
	eventually flock -n -x store/store.gate true
	unmapped() { ! grep -q data.mdb /proc/$follower/maps; }
	eventually unmapped
	kill $follower
}

@test "mem-log -f -n ends by itself" {
	need mem-capture
	mem-log -f -n 2 >out 3>&- &
	remember '{"content":"a"}' '{"content":"b"}' '{"content":"c"}'
	wait $!
	[ "$(wc -l <out)" = 2 ]
}
