#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need_store
}

@test "mem-stat: an empty store" {
	run -0 mem-stat
	[ "$output" = "{\"nodes\":{},\"bytes\":$(stat -c %s store/data.mdb),\"index\":{\"segments\":0,\"tail\":0,\"bytes\":0},\"pending_vectors\":0,\"pieces\":{\"bytes\":0,\"limit\":1073741824,\"waiting\":0,\"full\":false},\"consolidation\":{\"pending\":0,\"failed\":0,\"oldest_age\":null},\"model\":null,\"unread\":null,\"schema\":3,\"seq\":0,\"jobs\":[$(mem-maintain --list | paste -sd,)]}" ]
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
	[[ $output == *'"seq":4,"jobs":['* ]]
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
	[[ $output == "store     $PWD/store, schema 3"* ]]
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

@test "mem-stat tells of each job what mem-maintain --list tells" {
	remember '{"content":"the demo is at ten","expires_at":"2026-11-29T00:00:00Z"}' >/dev/null
	printf 'maintain: {compact: "sun 03:40", embed: "off"}\n' >> store/config.yaml
	mem-maintain --now 2026-11-30T00:00:00Z
	mem-stat --now 2026-12-01 | jq -c '.jobs[]' > stat
	mem-maintain --list --now 2026-12-01 | cmp - stat
	[ "$(jq -r 'select(.task=="expire")|.last+" "+.outcome' stat)" = '2026-11-30T00:00:00.000Z done' ]
	[ "$(jq -r 'select(.task=="compact")|.when' stat)" = 2026-12-06T03:40:00.000Z ]
	# Who is no operator learns what --list shows him.
	mem-stat --agent bob | jq -c '.jobs[]' > stat
	mem-maintain --list --agent bob | cmp - stat
	[ "$(jq -c 'select(.task=="expire")|[.due,.when,.last,.outcome]' stat)" = '[null,null,null,null]' ]
}

@test "mem-stat counts once what several jobs go by, and tells what they find" {
	need mem-fact mem-learn
	remember '{"content":"I work at Acme"}' '{"content":"what a day"}' >/dev/null
	mem-fact -q --now 2026-11-28 'the hub answers on port 8443'
	mem-stat --now 2026-11-29 | jq -c '.jobs[]' > stat
	[ "$(jq -c 'select(.task=="consolidate" or .task=="dedupe" or .task=="learn")|[.due,.amount]' stat)" = $'[true,2]\n[false,0]\n[false,0]' ]
	mem-fact -q --now 2026-11-28 'the gate opens at eight'
	id=$(mem-learn --now 2026-11-28 add discovery '?!' | jq -r .id)
	mem-learn -q --now 2026-11-28 --agent bob add discovery 'long tests hide slow ones'
	mem-learn -q --now 2026-11-28 disprove "$id"
	mem-stat --now 2027-01-29 | jq -c '.jobs[]' > stat
	mem-maintain --list --now 2027-01-29 | cmp - stat
	[ "$(jq -c 'select(.task=="dedupe" or .task=="learn")|[.due,.amount]' stat)" = $'[true,0]\n[true,1]' ]
}

@test "mem-stat shows a person when each job ran, how it ended and when it comes" {
	remember '{"content":"the demo is at ten","expires_at":"2026-11-29T00:00:00Z"}' >/dev/null
	printf 'maintain: {compact: "sun 03:40", embed: "off"}\n' >> store/config.yaml
	mem-maintain --now 2026-11-30T00:00:00Z
	run -0 mem-stat --format text --now 2026-12-01
	grep -Ex 'expire +2026-11-30 00:00  done +when there is work' <<<"$output"
	grep -Ex 'compact +2026-11-30 00:00  nothing +2026-12-06 03:40' <<<"$output"
	grep -Ex 'embed +never +- +off' <<<"$output"
	run -0 mem-stat --format text --agent bob
	grep -Ex 'expire +- +- +-' <<<"$output"
}

@test "for people, no line but the store's is wider than 60 columns" {
	need_store
	echo '{"content":"a goat"}' | mem-capture -q --no-embed
	COLUMNS=60 mem-stat --format text | grep -v '^store ' >out
	grep -q '^pieces ' out
	run ! grep -E '.{61}' out
}
