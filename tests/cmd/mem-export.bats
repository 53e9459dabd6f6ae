#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	mem-init -S "$PWD/s" >/dev/null
	export MEM_STORE=$PWD/s
}

@test "lines come in commit order, each edge behind the later of its ends" {
	a=$(mem-capture <<<'{"content":"a"}' | jq -r .id)
	mem-capture -q <<<'{"content":"b"}'
	c=$(mem-capture <<<"{\"content\":\"c\",\"supersedes\":\"$a\"}" | jq -r .id)
	mem-capture -q <<<'{"content":"d"}'
	run -0 mem-export
	[ "$(jq -r '.content // .edge' <<<"$output" | paste -sd' ')" = 'a b c superseded_by d' ]
	[ "$(jq -r 'select(.edge)|.from+.to' <<<"$output")" = "$a$c" ]
}

@test "--header says what it is and when it was made" {
	run -0 mem-export --header
	[ "$output" = '{"memkit":1,"exported_at":"2026-11-28T09:00:00.000Z"}' ]
}

@test "only what the caller may read; all of it for an operator who asks" {
	mem-capture -q <<<'{"content":"mine"}'
	mem-capture -q --agent bob <<<'{"content":"his"}'
	run -0 mem-export
	[ "$(jq -r .content <<<"$output")" = mine ]
	run -0 mem-export --every-namespace
	[ "$(jq -r .content <<<"$output" | paste -sd' ')" = 'mine his' ]
	run -4 mem-export --every-namespace --agent bob
}

@test "a full device is a failure with a message" {
	mem-capture -q <<<'{"content":"x"}'
	run -3 --separate-stderr bash -c 'mem-export >/dev/full'
	[[ $stderr = *'No space left'* || $stderr = *'disk full'* ]]
}
