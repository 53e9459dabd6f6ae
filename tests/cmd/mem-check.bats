#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	mem-init -S "$PWD/s" >/dev/null
	export MEM_STORE=$PWD/s
}

@test "a clean store is silence, empty or not" {
	run -0 mem-check
	[ -z "$output" ]
	seq 5000 | mem-capture -q --lines --session s --tag t
	run -0 mem-check
	[ -z "$output" ]
}

@test "--repair changes neither nodes nor scores" {
	seq 3000 | sed 's/^/number /' | mem-capture -q --lines --session s
	mem-export > before
	mem-search 'number 77' > hits
	run -0 mem-check --repair
	mem-export | cmp - before
	mem-search 'number 77' | cmp - hits
}
