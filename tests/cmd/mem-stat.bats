#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need_store
}

@test "mem-stat: an empty store" {
	run -0 mem-stat
	[ "$output" = "{\"nodes\":{},\"bytes\":$(stat -c %s store/data.mdb),\"index\":{\"segments\":0,\"tail\":0,\"bytes\":0},\"pending_vectors\":0,\"consolidation\":{\"pending\":0,\"failed\":0,\"oldest_age\":null},\"model\":null,\"schema\":2,\"seq\":0}" ]
	run -2 mem-stat operand
}

@test "mem-stat counts what the caller sees" {
	need mem-capture
	export MEM_TEAMS=red
	remember '{"content":"a"}' '{"content":"b"}' '{"content":"c","ns":"team:red"}'
	MEM_AGENT=bob remember '{"content":"d"}'
	run -0 mem-stat --now 2026-11-28T09:01:00Z
	[[ $output == '{"nodes":{"episode":{"agent:ada":2,"team:red":1}},'* ]]
	[[ $output == *'"index":{"segments":0,"tail":4,'* ]]
	[[ $output == *'"consolidation":{"pending":3,"failed":0,"oldest_age":60}'* ]]
	[[ $output == *'"seq":4}' ]]
	# Numbers of the whole store are for operators.
	run -0 mem-stat --agent bob
	[ "$(jq -c '[.bytes,.index,.pending_vectors,.seq]' <<<"$output")" = '[null,{"segments":null,"tail":null,"bytes":null},null,null]' ]
	[[ $output == '{"nodes":{"episode":{"team:red":1,"agent:bob":1}},'* ]]
	run -0 mem-stat --every-namespace
	[[ $output == '{"nodes":{"episode":{"agent:ada":2,"team:red":1,"agent:bob":1}},'* ]]
	run -4 mem-stat --agent bob --every-namespace
	# A clock that was set back makes no negative age.
	run -0 mem-stat --now 2020-01-01
	[[ $output == *'"oldest_age":0}'* ]]
}

@test "mem-stat --format text" {
	run -0 mem-stat --format text
	[[ $output == "store     $PWD/store, schema 2"* ]]
}

@test "mem-stat tells who made the vectors" {
	embed_server ok
	remember '{"content":"a"}' >/dev/null
	mem-capture -q --no-embed --lines <<<b
	run -0 mem-stat
	[ "$(jq -c '[.pending_vectors,.model]' <<<"$output")" = '[1,"words"]' ]
	run -0 mem-stat --format text
	[[ $output = *'vectors   by words'* ]]
	run -0 mem-stat --agent bob
	[ "$(jq -c .pending_vectors <<<"$output")" = null ]
}
