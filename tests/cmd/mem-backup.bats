#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	mem-init -S "$PWD/s" >/dev/null
	export MEM_STORE=$PWD/s
	mem-capture -q --lines < <(seq 1000)
}

@test "the copy is a store of its own, with settings and everything in it" {
	run -0 mem-backup copy
	[ "$(jq -r .store <<<"$output")" = "$PWD/copy" ]
	[ "$(jq -r .bytes <<<"$output")" = "$(stat -c %s copy/data.mdb)" ]
	[ "$(stat -c %a copy)" = 700 ]
	cmp s/config.yaml copy/config.yaml
	cmp <(mem-export) <(mem-export -S copy)
	run -0 mem-check -S copy
	mem-capture -q --lines -S copy <<<'only in the copy'
	run -0 mem-search 'only copy' -S copy
	run -1 mem-search 'only copy'
}

@test "writers go on meanwhile, and the copy is one moment" {
	for i in 1 2 3; do
		(for n in $(seq 5); do seq $((i * 10000 + n * 100)) $((i * 10000 + n * 100 + 99)) | mem-capture -q --lines; done) &
	done
	for n in 1 2 3; do
		mem-backup -q "copy$n"
		run -0 mem-check -S "copy$n"
	done
	wait
	[ "$(mem-export | wc -l)" = 2500 ]
}

@test "a folder that is there, or one that cannot be made, is refused and nothing is left" {
	mkdir there
	run -3 mem-backup there
	[[ $output = *'is there already'* ]]
	run -3 mem-backup no/such/place
	[ "$(ls)" = $'s\nthere' ]
	run -2 mem-backup
}

@test "a full device is a failure, though the copy is there" {
	run -3 bash -c 'mem-backup copy >/dev/full'
	run -0 mem-check -S copy
}
