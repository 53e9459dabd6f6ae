#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The log of queries: what mem-search leaves behind, who sees it, and when it goes.
load helper

setup() {
	scratch
	export MEM_STORE=$PWD/store MEM_AGENT=ada
	mem-init -q
	printf '%s\n' 'tea with milk' 'the ring file of the hub' 'milk alone' | mem-capture --lines -q
	cp store/config.yaml plain
}

keep_log() { # HOW [MORE SETTINGS]
	cp plain store/config.yaml
	printf 'queries: {log: %s%s}\n' "$1" "${2:+, $2}" >>store/config.yaml
}

logged() { mem-list --kind query; }

wait_for_log() { # N
	eventually queries_logged "$1"
	[ "$(logged | wc -l)" = "$1" ]
}

@test "nothing is logged unless the settings say so" {
	run -0 mem-search tea
	keep_log off
	run -0 mem-search tea
	sleep 0.3
	[ -z "$(logged)" ]
	[ "$(mem-stat --queries)" = '{"queries":{"count":0,"ms":null,"avg_score":null,"empty":null,"rejected":null,"failed":null},"by":[]}' ]
}

@test "a query is logged with its text, what came of it and how long it took" {
	keep_log text
	run -0 mem-search -m keyword -n 2 --min-score 0.1 milk
	scores=$(jq -s 'map(.score) | add / length | . * 1e6 | round / 1e6' <<<"$output")
	wait_for_log 1
	run -0 logged
	jq -e --argjson mean "$scores" '.query == "milk" and .mode == "keyword" and .class == "factual" and .top_k == 2 and .threshold == 0.1 and
		.fusion == null and .results == 2 and (.avg_score - $mean | fabs) < 2e-6 and .ms >= 0 and .ms < 60000 and .quality == null and
		.outcome == "answered" and .ns == "agent:ada" and .created_at == "2026-11-28T09:00:00.000Z" and
		.expires_at == "2026-12-28T09:00:00.000Z" and .origin.via == "mem-search" and (.query_hash | test("^[0-9a-f]{32}$"))' <<<"$output"
	run -1 mem-search -m keyword --all why is zeppelin
	wait_for_log 2
	run -0 jq -s -c '.[1] | [.query, .class, .top_k, .results, .avg_score, .outcome]' < <(logged)
	[ "$output" = '["why is zeppelin","multi_hop",null,0,null,"empty"]' ]
	mem-check
}

@test "what was rejected and what failed are logged as such, and counted apart from what found nothing" {
	keep_log text
	run -1 mem-search --stages fuse,grade 'milk zeppelin harbour quantum lattice'
	wait_for_log 1
	run -3 mem-search -m vector tea
	wait_for_log 2
	run -1 mem-search -m keyword zeppelin
	wait_for_log 3
	run -0 mem-search -m keyword tea
	wait_for_log 4
	run -0 jq -s -c 'map([.mode, .results, .outcome])' < <(logged)
	[ "$output" = '[["keyword",0,"rejected"],["vector",0,"failed"],["keyword",0,"empty"],["keyword",1,"answered"]]' ]
	[ "$(mem-stat --queries | jq -c '.queries | [.count, .empty, .rejected, .failed]')" = '[4,0.25,0.25,0.25]' ]
	[ "$(mem-stat --queries | jq -c '[.by[] | [.mode, .empty, .rejected, .failed]]')" = '[["keyword",0.333333,0.333333,0],["vector",0,0,1]]' ]
	[ "$(mem-stat --queries --format text | head -1 | tr -s ' ')" = 'MODE CLASS QUERIES MS SCORE EMPTY REJECTED FAILED' ]
}

@test "hash keeps no text, and tells the same query again" {
	keep_log hash
	for q in milk tea milk; do
		mem-search "$q" >/dev/null
		n=$((${n-0} + 1))
		wait_for_log "$n"
	done
	run -0 jq -s -c '[map(.query), .[0].query_hash == .[2].query_hash, .[0].query_hash == .[1].query_hash]' < <(logged)
	[ "$output" = '[[null,null,null],true,false]' ]
	run -1 grep -qa zzkettle store/data.mdb
	run -1 mem-search -m keyword zzkettle
	wait_for_log 4
	run -1 grep -qa zzkettle store/data.mdb
}

@test "what is kept is cleaned" {
	keep_log text
	run -0 mem-search 'password: hunter2secret of the hub'
	wait_for_log 1
	run -0 logged
	[[ $output != *hunter2* ]]
	[ "$(jq -c '[.query, .redactions[0].kind]' <<<"$output")" = '["password: [redacted:password] of the hub","password"]' ]
}

@test "the log is the asker's own, and no search finds it" {
	keep_log text
	run -1 mem-search --agent bob tea
	eventually queries_logged 1 --agent bob
	[ -z "$(logged)" ]
	[ "$(mem-stat --queries | jq .queries.count)" = 0 ]
	run -0 mem-search tea
	wait_for_log 1
	run -0 mem-search --kind query,episode tea
	[ "$(jq -r .kind <<<"$output" | sort -u)" = episode ]
}

@test "many queries in one go are not logged" {
	keep_log text
	run -0 mem-search --queries - <<<'{"query":"tea"}'
	sleep 0.3
	[ -z "$(logged)" ]
}

@test "where another process writes the answer comes, and the record is given up" {
	keep_log text
	patient
	# The program that writes the log, and behind it a file that tells that it has ended.
	mkdir -p own/bin own/libexec/memkit
	cp "$MEM_BUILD/bin/mem-search" own/bin
	printf '#!/bin/sh\n%s\n: >%s\n' "$MEM_BUILD/libexec/memkit/mem-log-query" "$PWD/ended" >own/libexec/memkit/mem-log-query
	chmod +x own/libexec/memkit/mem-log-query
	exec 7>>store/write.lock
	flock 7
	run -0 timeout 120 own/bin/mem-search tea 7>&-
	[ -n "$output" ]
	eventually [ -e ended ]
	[ -z "$(logged)" ]
	exec 7>&-
	run -0 mem-search tea
	wait_for_log 1
}

@test "what is kept long enough is removed for good" {
	keep_log text 'keep: 2d'
	mem-search zzlongago >/dev/null || true
	wait_for_log 1
	id=$(logged | jq -r .id)
	[ "$(logged | jq -r .expires_at)" = 2026-11-30T09:00:00.000Z ]
	mem-maintain --now 2026-11-30T08:59:00Z expire
	wait_for_log 1
	mem-maintain --now 2026-11-30T09:00:00Z expire
	run -1 mem-get "$id"
	mem-export >exported
	run -1 grep zzlongago exported
	[ "$(mem-log --kind query | jq -r .op | paste -sd,)" = new,removed ]
	mem-check
	keep_log text 'keep: off'
	mem-search tea >/dev/null
	wait_for_log 1
	[ "$(logged | jq -c .expires_at)" = null ]
}

@test "without the program that writes it a search says so and answers" {
	keep_log text
	mkdir elsewhere
	cp "$MEM_BUILD/bin/mem-search" elsewhere/
	run -0 --separate-stderr elsewhere/mem-search tea
	[ -n "$output" ]
	[[ $stderr = *'the query is not logged: '*'mem-log-query'*'No such file'* ]]
}

@test "mem-stat --queries: by mode and class, since a time, for people" {
	keep_log text
	mem-search -m keyword milk >/dev/null
	wait_for_log 1
	mem-search -m keyword zeppelin >/dev/null || true
	wait_for_log 2
	MEM_NOW=2026-11-29T09:00:00Z mem-search -m keyword 'when was the tea' >/dev/null
	wait_for_log 3
	run -0 mem-stat --queries
	[ "$(jq -c '[.queries | .count, .empty]' <<<"$output")" = '[3,0.333333]' ]
	[ "$(jq -c '[.by[] | [.mode, .class, .count, .empty]]' <<<"$output")" = '[["keyword","factual",2,0.5],["keyword","temporal",1,0]]' ]
	jq -s -e '.[0].by[0].ms - (.[1:3] | map(.ms) | add / 2) | fabs < 2e-6' <(mem-stat --queries) <(logged)
	jq -s -e '.[0].by[0].avg_score == .[1].avg_score' <(mem-stat --queries) <(logged)
	run -0 mem-stat --queries --since 2026-11-29
	[ "$(jq -c '[.by[] | [.class, .count]]' <<<"$output")" = '[["temporal",1]]' ]
	run -0 mem-stat --queries --format text
	[[ ${lines[0]} = 'MODE '*CLASS*QUERIES*MS*SCORE*EMPTY*REJECTED*FAILED ]]
	[[ ${lines[1]} = keyword*factual*2*0.500*0.000*0.000 ]]
	run -2 mem-stat --since 2026-11-29
}

@test "tasks of skill-find and skill-activate are logged, and what no skill answers is a gap" {
	printf '%s\n' '{"id":"01900000-0000-7000-8000-000000000001","kind":"skill","ns":"global","created_at":"2026-01-01T00:00:00.000Z","ref":"skill/bake","name":"bake","description":"A cake","content":"Mix flour."}' |
		mem-import -q
	keep_log text
	run -0 skill-find -m keyword bake a cake
	wait_for_log 1
	n=1
	for _ in 1 2 3; do
		run -1 skill-activate -m keyword rotate the kettle certificates
		n=$((n + 1))
		wait_for_log "$n"
	done
	run -0 jq -s -c 'map([.origin.via, .query, .results, .outcome])[:2]' < <(logged)
	[ "$output" = '[["skill-find","bake a cake",1,"answered"],["skill-activate","rotate the kettle certificates",0,"empty"]]' ]
	for _ in 1 2 3; do # what failed tells of no gap
		run -3 mem-search -m vector mend the failing pump
		n=$((n + 1))
		wait_for_log "$n"
	done
	run -0 skill-gaps
	[[ $output != *"failing pump"* ]]
	[[ $output == *"rotate the kettle certificates"* ]]
}

@test "a task that no skill reaches is a gap, also where skill-find lists what comes nearest" {
	need_model e5
	printf '%s\n' '{"id":"01900000-0000-7000-8000-000000000001","kind":"skill","ns":"global","created_at":"2026-01-01T00:00:00.000Z","ref":"skill/bake-pie","name":"bake-pie","description":"Bake an apple pie","content":"Slice the apples."}' \
		'{"id":"01900000-0000-7000-8000-000000000002","kind":"skill","ns":"global","created_at":"2026-01-01T00:00:00.000Z","ref":"skill/dig-pond","name":"dig-pond","description":"Dig a garden pond with a liner","content":"Mark it out."}' |
		mem-import -q
	mem-embed --pending
	keep_log text
	run -1 skill-find orbit of the moons of Jupiter
	[ -z "$output" ]
	wait_for_log 1
	for n in 2 3 4; do # a word in common, and nothing else
		run -0 skill-find why does an apple fall from the tree and the moon does not
		[ "$(jq -r .name <<<"${lines[0]}")" = bake-pie ]
		wait_for_log "$n"
	done
	run -0 skill-find bake a pie with apples
	wait_for_log 5
	[ "$(logged | jq -s -c 'map([.results, .outcome]) | unique')" = '[[0,"empty"],[0,"rejected"],[1,"answered"]]' ]
	[ "$(skill-gaps | jq -c '[.topic, .count]')" = '["why does an apple fall from the tree and the moon does not",3]' ]
}
