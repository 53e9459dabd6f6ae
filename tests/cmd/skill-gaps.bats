#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What agents needed and no skill gave them.
load helper
load skills

setup() {
	scratch
	export MEM_AGENT=ada
	need_store
}
# asked N TEXT [OUTCOME [NS]]: a query of the log, number N, on day N of November.
asked() {
	jq -nc --arg n "$1" --arg q "$2" --arg o "${3-empty}" --arg ns "${4-agent:ada}" '{id:("0192bbbb-0000-7000-8000-" + ("000000000000" + $n)[-12:]),
		kind:"query",ns:$ns,created_at:("2026-11-" + ("0" + $n)[-2:] + "T10:00:00.000Z"),version:1,status:"active",query:$q,
		query_hash:($q | @base64),mode:"hybrid",results:0,outcome:$o}'
}
query_id() { printf '0192bbbb-0000-7000-8000-%012d' "$1"; }
gaps() { skill-gaps "$@" 2>/dev/null; }

@test "three queries that are alike and were not answered are a gap" {
	{
		asked 1 'how do I deploy the shop to kubernetes'
		asked 2 'deploy the shop to kubernetes'
		asked 3 'how to deploy the shop to kubernetes' rejected
		asked 4 'deploy the shop to Kubernetes now' answered
		asked 5 'who sings'
	} | mem-import -q
	skill 1 sing | mem-import -q
	run -0 --separate-stderr skill-gaps
	[[ "$stderr" = *'likeness of its words'* ]]
	[ "$(jq -c '[.count, ([.members[].kind] | unique), (.members | length)]' <<<"$output")" = '[3,["query"],3]' ]
	[ "$(jq -r '[.members[].id] | sort | .[]' <<<"$output")" = "$(query_id 1; echo; query_id 2; echo; query_id 3)" ]
	[ "$(jq -c '[(.labels[0:3] | sort), .members[0].likeness, .topic == .members[0].text]' <<<"$output")" = '[["deploy","kubernetes","shop"],1,true]' ]
	[ "$(jq -c '.best_skill | [.name, (.likeness < .5)]' <<<"$output")" = '["sing",true]' ]
}

@test "two are none, and one that is asked three times is one" {
	{ asked 1 'deploy the shop'; asked 2 'deploy the shops'; } | mem-import -q
	[ -z "$(gaps)" ]
	{ asked 3 'bake bread'; asked 4 'bake bread'; asked 5 'bake bread'; } | mem-import -q
	[ "$(gaps | jq -c '[.topic, .count, .best_skill, [.members[] | [.id, .times, .at]]]')" = \
		"[\"bake bread\",3,null,[[\"$(query_id 5)\",3,\"2026-11-05T10:00:00.000Z\"]]]" ]
}

@test "failures count as often as they were observed" {
	skill 1 tea | mem-import -q
	for _ in 1 2 3; do skill-record -q tea failure --text 'the kettle does not boil'; done
	[ "$(gaps | jq -c '[.topic, .count, .best_skill, .members[0].kind, .members[0].times]')" = \
		'["the kettle does not boil",3,null,"bad_pattern",3]' ]
	[ -z "$(gaps --since 2026-11-28T09:00:01Z)" ]
	[ -n "$(gaps --since 2026-11-28T09:00:00Z)" ]
}

@test "a learning counts if it matters and no skill is near it" {
	learning() { # N CONTENT IMPORTANCE
		jq -nc --arg n "$1" --arg c "$2" --argjson i "$3" '{id:("0192cccc-0000-7000-8000-" + ("000000000000" + $n)[-12:]),kind:"learning",
			ns:"agent:ada",created_at:"2026-11-27T09:00:00.000Z",version:1,status:"active",content:$c,category:"pattern",state:"open",
			importance:$i,trust:0.5,confidence:0.5}'
	}
	{
		learning 1 'rotate the signing keys each month' 0.9
		learning 2 'rotate the signing keys each week' 0.8
		learning 3 'rotate the signing keys each day' 0.75
		learning 4 'rotate the signing keys each year' 0.6
	} | mem-import -q
	[ "$(gaps | jq -c '[.count, ([.members[].id[-1:]] | sort)]')" = '[3,["1","2","3"]]' ]
	skill 1 keys '"x":0' | jq -c '.description = "rotate the signing keys each month"' | mem-import -q
	[ -z "$(gaps)" ]
}

@test "the largest gap comes first, -n stops, --since leaves out" {
	{
		for n in 1 2 3; do asked "$n" 'bake bread'; done
		for n in 4 5 6 7; do asked "$n" 'fix the roof'; done
	} | mem-import -q
	[ "$(gaps | jq -c '[.topic, .count]')" = $'["fix the roof",4]\n["bake bread",3]' ]
	[ "$(gaps -n 1 | jq -r .topic)" = 'fix the roof' ]
	[ "$(gaps --since 2026-11-02 | jq -r .topic)" = 'fix the roof' ]
	[ "$(gaps)" = "$(gaps)" ]
}

@test "what the caller may not read makes no gap" {
	for n in 1 2 3; do asked "$n" 'bake bread' empty agent:bob; done | mem-import -q --every-namespace
	[ -z "$(gaps)" ]
	[ -z "$(gaps --agent eve)" ]
	[ "$(gaps --agent bob | jq .count)" = 3 ]
	[ "$(gaps --every-namespace | jq .count)" = 3 ]
	run -4 skill-gaps --agent eve --every-namespace
}

@test "hashes are counted, and said" {
	for n in 1 2 3; do asked "$n" secret | jq -c '.query = null'; done | mem-import -q
	run -0 --separate-stderr skill-gaps
	[ -z "$output" ]
	[[ "$stderr" = *'by their hash alone: 3'* ]]
}

@test "a log that mem-search wrote" {
	printf 'queries: {log: text}\n' >>"$MEM_STORE/config.yaml"
	for n in 1 2 3; do
		run -1 mem-search -m keyword zeppelin
		eventually queries_logged "$n"
	done
	[ "$(mem-list --kind query | grep -c .)" = 3 ]
	[ "$(gaps | jq -c '[.topic, .count]')" = '["zeppelin",3]' ]
}

@test "by meaning, with the skill that is nearest" {
	need_model e5
	{
		asked 1 'roll back a kubernetes deployment'
		asked 2 'how to roll back a deployment in kubernetes'
		asked 3 'undo a deployment in kubernetes'
		asked 4 'a recipe for plum cake'
	} | mem-import -q
	skill 1 charts '"x":0' | jq -c '.description = "Write helm charts for kubernetes"' | mem-import -q
	skill 2 cakes '"x":0' | jq -c '.description = "Bake cakes"' | mem-import -q
	mem-embed --pending
	run -0 --separate-stderr skill-gaps
	[ -z "$stderr" ]
	[ "$(jq -c '[.count, .best_skill.name, (.members | all(.similarity >= .7)), .members[0].similarity]' <<<"$output")" = '[3,"charts",true,1]' ]
}

@test "gaps become drafts" {
	for n in 1 2 3; do asked "$n" 'bake bread'; done | mem-import -q
	id=$(gaps | skill-propose - | jq -r .id)
	[ "$(mem-get "$id" | jq -c '[.topic, .name, .state]')" = '["bake bread","bake-bread","draft"]' ]
}

@test "the job drafts each gap once, where the settings say so" {
	for n in 1 2 3; do asked "$n" 'bake bread'; done | mem-import -q
	mem-maintain gaps
	[ -z "$(mem-list --kind proposal)" ]
	[ "$(mem-maintain --list | jq -c 'select(.task == "gaps") | .due')" = false ]
	sed -i 's/^skills:/&\n  gaps: draft/' "$MEM_STORE/config.yaml"
	[ "$(mem-maintain -v gaps)" = '{"task":"gaps","done":1}' ]
	run -0 mem-list --kind proposal
	[ "$(jq -c '[.topic, .state, .ns, .origin.via, [.evidence[] | [.id, .source]]]' <<<"$output")" = \
		"[\"bake bread\",\"draft\",\"agent:ada\",\"mem-maintain\",[[\"$(query_id 3)\",\"gaps\"]]]" ]
	[ -z "$(mem-review list)" ]
	[ "$(mem-maintain -v gaps)" = '{"task":"gaps","done":0}' ]
	# What is new, and what was proposed so long ago that nobody saw to it.
	for n in 4 5 6; do asked "$n" 'fix the roof'; done | mem-import -q
	mem-maintain gaps
	[ "$(mem-list --kind proposal | jq -r .topic)" = $'bake bread\nfix the roof' ]
	export MEM_NOW=2027-01-05T00:00:00Z
	mem-maintain gaps
	[ "$(mem-list --kind proposal | jq -r .topic | grep -c .)" = 4 ]
	# On the first of the month.
	[ "$(mem-maintain --list | jq -r 'select(.task == "gaps").when')" = 2027-02-01T03:00:00.000Z ]
}

@test "a table for people" {
	for n in 1 2 3; do asked "$n" 'bake bread'; done | mem-import -q
	skill 1 sing | mem-import -q
	run -0 --separate-stderr skill-gaps --format text
	[[ "${lines[0]}" = COUNT*FROM*'BEST SKILL'*LIKENESS*TOPIC ]]
	[[ "${lines[1]}" = *3*'3 queries'*'bake bread' ]]
}

@test "an empty store has none, and operands are refused" {
	run -0 --separate-stderr skill-gaps
	[ -z "$output$stderr" ]
	run -2 skill-gaps bread
	run -2 skill-gaps -n 0
}
