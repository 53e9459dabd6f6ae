#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need_store
	id=$(remember '{"content":"the boat leaves at six"}')
}

importance() { mem-get "$id" | jq -c .importance; }
verdict() { "$@" | jq -r '.verdict + " " + (.reason // "-")'; }

@test "mem-boost adds a tenth, or as much as --by says, and --down takes it away" {
	[ "$(verdict mem-boost "$id")" = "changed -" ]
	[ "$(importance)" = 0.6 ]
	mem-boost -q --by 0.07 "$id"
	[ "$(importance)" = 0.67 ]
	mem-boost -q --down --by 0.37 "$id"
	[ "$(importance)" = 0.3 ]
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .detail.by]')" = '["boost",-0.37]' ]
	run -0 mem-check
}

@test "mem-boost stays between 0 and 1, and --undo goes back to what was" {
	mem-boost -q --by 0.45 "$id"
	mem-boost -q --by 0.45 "$id"
	[ "$(importance)" = 1 ]
	[ "$(verdict mem-boost "$id")" = "unchanged -" ]
	mem-boost -q --undo "$id"
	[ "$(importance)" = 0.95 ]
	mem-boost -q --undo "$id"
	[ "$(importance)" = 0.5 ]
	[ "$(verdict mem-boost --undo "$id")" = "unchanged -" ]
	mem-boost -q --down --by 0.5 "$id"
	[ "$(importance)" = 0 ]
	[ "$(verdict mem-boost --down "$id")" = "unchanged -" ]
}

@test "mem-boost and mem-pin undo each their own" {
	mem-pin -q "$id"
	mem-boost -q "$id"
	mem-pin -q --undo "$id"
	[ "$(mem-get "$id" | jq -c '[.pinned, .importance]')" = '[false,0.6]' ]
	mem-boost -q --undo "$id"
	[ "$(mem-get "$id" | jq -c '[.pinned, .importance]')" = '[false,0.5]' ]
}

@test "the same id several times, in one call or at once, is undone as often" {
	for _ in 1 2 3; do mem-boost -q --by 0.05 "$id"; done
	run -0 mem-boost --undo "$id" "$id" "$id" "$id"
	[ "$(jq -r .verdict <<<"$output" | tr '\n' ' ')" = 'changed changed changed unchanged ' ]
	[ "$(importance)" = 0.5 ]
	for _ in 1 2 3 4; do mem-boost -q --by 0.05 "$id"; done
	patient
	for i in 1 2 3 4; do mem-boost --undo "$id" > "one-$i" & done
	wait
	[ "$(cat one-* | jq -r .verdict | sort -u)" = changed ]
	[ "$(importance)" = 0.5 ]
	[ "$(mem-audit | jq -s '[.[] | select(.detail.undoes) | .detail.undoes] | length - (unique | length)')" = 0 ]
}

@test "mem-boost --by takes 0.01 to 0.5" {
	run -2 mem-boost --by 0.005 "$id"
	run -2 mem-boost --by 0.51 "$id"
	run -2 mem-boost --by nan "$id"
	run -2 mem-boost --down --undo "$id"
	run -0 mem-boost -q --by 0.01 "$id"
	[ "$(importance)" = 0.51 ]
}

@test "mem-boost refuses by line, and does the others" {
	run -1 mem-boost 00000000-0000-7000-8000-000000000000 "$id"
	[ "$(jq -c '[.line, .verdict, .reason]' <<<"$output")" = $'[1,"rejected","not_found"]\n[2,"changed",null]' ]
	[ "$(importance)" = 0.6 ]
}
