#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	mem-init -q s
	export MEM_STORE=$PWD/s
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
