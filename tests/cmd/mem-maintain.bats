#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	mem-init -S "$PWD/s" >/dev/null
	export MEM_STORE=$PWD/s
}

tasks_of_the_page() {
	sed -n '/^The tasks/,/^\.El/s/^\.It Cm //p' "$TOP/man/mem-maintain.1"
}

@test "what has expired is hidden at once, and marked and audited once" {
	id=$(mem-capture <<<'{"content":"the demo is at ten","expires_at":"2026-11-29T00:00:00Z"}' | jq -r .id)
	mem-capture -q <<<'{"content":"the demo room is 4"}'
	run -0 mem-search --now 2026-11-28T23:59:59Z 'demo ten'
	[ "$(wc -l <<<"$output")" = 2 ]
	run -0 mem-search --now 2026-11-29T00:00:00Z demo
	[ "$(jq -r .content <<<"$output")" = 'the demo room is 4' ]
	run -0 mem-maintain --list --now 2026-11-29T00:00:00Z expire
	[ "$output" = '{"task":"expire","due":true,"when":null,"amount":1}' ]
	run -0 mem-maintain -v --now 2026-12-01T00:00:00Z expire
	[ "$output" = '{"task":"expire","done":1}' ]
	run -0 mem-get "$id"
	[ "$(jq -r .expired_at <<<"$output")" = 2026-11-29T00:00:00.000Z ]
	run -0 mem-maintain -v --now 2026-12-01T00:00:00Z expire
	[ "$output" = '{"task":"expire","done":0}' ]
	run -0 mem-audit --kind forget
	[ "$(jq -r '.subject+" "+.reason' <<<"$output")" = "$id expired" ]
	run -0 mem-check
}

@test "it is quiet, and a second run finds nothing to do" {
	seq 9000 | mem-capture -q --lines
	run -0 --separate-stderr mem-maintain
	[ -z "$output$stderr" ]
	run -0 mem-maintain -v index
	[ "$output" = '{"task":"index","done":0}' ]
}

@test "no score changes by it" {
	seq 20000 | sed 's/\(.\)$/\1 word\1/' | mem-capture -q --lines
	mem-search -n 50 --explain '17 word3 word5' > before
	mem-maintain index compact
	mem-search -n 50 --explain '17 word3 word5' | cmp - before
}

@test "one at a time: without a task a second one ends with 0, with one it is busy" {
	exec 7>s/maintain.lock
	flock -x 7
	run -0 mem-maintain
	run -75 mem-maintain --wait 100ms index
	[[ $output = *'another maintenance'* ]]
}

@test "compaction gives space back and keeps all" {
	seq 20000 | mem-capture -q --lines --commit-every 50
	mem-export > before
	size=$(stat -c %s s/data.mdb)
	run -0 mem-maintain -v compact
	[ "$(jq -r .done <<<"$output")" -gt 0 ]
	[ "$(stat -c %s s/data.mdb)" -lt "$size" ]
	mem-export | cmp - before
	run -0 mem-check
}

@test "an unknown task is named, with those that there are" {
	run -2 mem-maintain expire polish
	[ "$output" = "mem-maintain: no such task: 'polish' ($(tasks_of_the_page | paste -sd, | sed 's/,/, /g'))" ]
}

@test "--list and the page have the same tasks in the same order" {
	run -0 mem-maintain --list
	[ "$(tasks_of_the_page | wc -l)" -ge 5 ]
	jq -r .task <<<"$output" | diff - <(tasks_of_the_page)
}

@test "tasks run in the order of the table, whatever the order of their names" {
	run -0 mem-maintain -v compact index upgrade
	[ "$(jq -r .task <<<"$output")" = $'upgrade\nindex\ncompact' ]
	run -0 mem-maintain --list index expire
	[ "$(jq -r .task <<<"$output")" = $'expire\nindex' ]
}

@test "to others than operators only whether to upgrade is told" {
	MEM_AGENT=eve run -0 mem-maintain --list upgrade expire embed index compact
	[ "$(jq -c '[.task, .due, .when, .amount]' <<<"$output")" = '["upgrade",false,null,null]
["expire",null,null,null]
["embed",null,null,null]
["index",null,null,null]
["compact",null,null,null]' ]
	MEM_AGENT=eve run -0 mem-maintain -v expire index
	[ "$output" = '{"task":"expire","done":null}
{"task":"index","done":null}' ]
}

@test "another language is named as the reason; upgrade builds the index anew" {
	mem-capture -q --lines <<<'die Häuser der Nachbarn'
	echo 'search: {language: german}' >> s/config.yaml
	run -3 mem-search Haus
	[[ $output = *'mem-maintain upgrade'* ]]
	run -3 mem-capture --lines <<<'noch ein Haus'
	run -0 mem-maintain --list upgrade
	[ "$output" = '{"task":"upgrade","due":true,"when":null,"amount":1}' ]
	run -0 mem-maintain
	run -0 mem-search Haus
	[ "$(jq -r .content <<<"$output")" = 'die Häuser der Nachbarn' ]
	run -0 mem-maintain -v upgrade
	[ "$output" = '{"task":"upgrade","done":0}' ]
	run -0 mem-check
}

@test "store.wait says how long to wait, --wait overrides it" {
	exec 7>s/write.lock
	flock -x 7
	echo 'store: {wait: 50ms}' >> s/config.yaml
	run -75 timeout 8 mem-capture --lines <<<x     # without the setting: 10 s
	(sleep 1; flock -u 7) &
	run -0 mem-capture --lines --wait 30s <<<x
}

@test "embed: due where there is an encoder and something waits" {
	seq 40 | mem-capture -q --lines
	run -0 mem-maintain --list embed
	[ "$output" = '{"task":"embed","due":false,"when":null,"amount":40}' ]
	run -0 --separate-stderr mem-maintain
	[ -z "$output$stderr" ]
	run -3 mem-maintain embed
	[ "$output" = 'mem-maintain: no model is installed: run mem-model install e5' ]
	embed_server ok
	run -0 mem-maintain --list embed
	[ "$output" = '{"task":"embed","due":true,"when":null,"amount":40}' ]
	run -0 mem-maintain -v
	[[ $output = *'{"task":"embed","done":40}'* ]]
	[ "$(mem-stat | jq .pending_vectors)" = 0 ]
	run -0 mem-maintain -v embed
	[ "$output" = '{"task":"embed","done":0}' ]
}

@test "an encoder that fails keeps no other task from its work" {
	seq 600 | mem-capture -q --lines
	embed_server 401
	run -3 --separate-stderr mem-maintain -v
	[[ $stderr = *'answered 401'* ]]
	[[ $output = *'{"task":"index","done":1}'* ]]
}
