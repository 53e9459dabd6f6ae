#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What would make skills better.
load helper
load skills

setup() {
	scratch
	export MEM_AGENT=ada
	need_store
}
GOOD='"tags":["home"],"description":"How to wash what was worn, by colour and by heat, in a machine"'
# good N NAME [MORE]: a skill of which nothing is said.
good() { skill "$1" "$2" "${3:+$3}" | jq -c ". + {$GOOD}"; }
evolve() { skill-evolve "$@" | jq -c '[.name, .suggest]' | tr '\n' ' '; }
# record N SKILL OUTCOME: so many of them.
record() { for _ in $(seq "$1"); do echo "{\"skill\":\"$2\",\"outcome\":\"$3\"}"; done | skill-record -q -; }
# session ID SKILLS [TOOLS [OPTION...]]: a session that used the skills and called the tools.
session() {
	local s
	for s in $2; do skill-record -q "$s" success --session "$1"; done
	for s in ${3-}; do
		printf '{"content":"%s {}","role":"tool","session_id":"%s","tool":"%s","tool_part":"call"}\n' "$s" "$1" "$s"
	done | mem-capture -q --no-embed "${@:4}"
}

@test "descriptions, tags and bodies" {
	{
		good 1 fine
		skill 2 short '"x":1' | jq -c '.tags = ["a"]'
		good 3 long | jq -c '.description = ("ä" * 501)'
		good 4 edge | jq -c '.description = ("ä" * 500)'
		good 5 untagged | jq -c '.tags = []'
		good 6 fat | jq -c '.content = ("word " * 3000)'
	} | mem-import -q
	[ "$(evolve --tokens 2000)" = '["short","description"] ["long","description"] ["untagged","tags"] ["fat","body"] ' ]
	[ "$(skill-evolve --suggest description long | jq -c '[.characters, .least, .most]')" = '[501,40,500]' ]
	[ "$(skill-evolve --tokens 2000 fat | jq -c '[.tokens >= 3000, .budget]')" = '[true,2000]' ]
	# Without --tokens the budget of skill-activate, whatever mem-gate has.
	printf 'gate: {tokens: 100}\n' >>"$MEM_STORE/config.yaml"
	[ "$(skill-evolve fat | jq -c .budget)" = 2000 ]
	[ "$(evolve -n 1)" = '["short","description"] ' ]
	# Nothing was changed.
	[ "$(mem-log | jq -r .op | sort | uniq -c | xargs)" = '6 import' ]
}

@test "a tool that is allowed and that no session called" {
	good 1 wash '"allowed-tools":"Read, Bash(git add:*, git push:*) Grep"' | mem-import -q
	good 2 iron '"allowed-tools":["Read","Write"]' | mem-import -q
	session s1 wash 'Read bash'
	session s2 wash 'Read'
	[ -z "$(evolve)" ]
	session s3 wash 'Bash'
	session s4 iron
	session s5 iron
	session s6 iron
	[ "$(skill-evolve | jq -c '[.name, .suggest, .tool, .sessions]')" = '["wash","tool","Grep",3]' ]
	session s7 wash 'Grep'
	[ -z "$(evolve)" ]
}

@test "the turns of a session may lie in another namespace than its uses" {
	good 1 wash '"allowed-tools":["Read","Write","Grep"]' | mem-import -q
	session s1 wash Read --ns global
	session s2 wash Read --ns global
	[ -z "$(skill-evolve)" ]
	session s3 wash Read
	session s3 '' Grep --ns global
	[ "$(skill-evolve | jq -c '[.tool, .sessions]')" = '["Write",3]' ]
}

@test "of a long session the first 2,000 turns" {
	good 1 wash '"allowed-tools":"Read Grep Write"' | mem-import -q
	session s1 wash 'Read'
	session s2 wash 'Read'
	skill-record -q wash success --session s3
	for n in $(seq 2001); do
		tool=Read
		[ "$n" != 1001 ] || tool=Grep
		[ "$n" != 2001 ] || tool=Write
		printf '{"content":"%s %d","role":"tool","session_id":"s3","tool":"%s","tool_part":"call"}\n' "$tool" "$n" "$tool"
	done | mem-capture -q --no-embed
	[ "$(skill-evolve | jq -c '[.suggest, .tool, .sessions]')" = '["tool","Write",3]' ]
}

@test "a dependency that is always used and not declared" {
	{ good 1 wash; good 2 iron; good 3 fold; good 4 darn; skill_edge composes 1 3; } | mem-import -q
	session s1 'wash iron fold darn'
	session s2 'wash iron fold'
	[ -z "$(evolve wash)" ]
	session s3 'wash iron fold'
	[ "$(skill-evolve wash | jq -c '[.suggest, .dependency.name, .dependency.id, .sessions]')" = "[\"dependency\",\"iron\",\"$(skill_id 2)\",3]" ]
	# They were always used together: it is told of both.
	skill-evolve iron >of-iron
	[ "$(jq -r '"\(.suggest) \(.dependency.name) \(.sessions)"' of-iron | sort)" = $'dependency fold 3\ndependency wash 3' ]
	session s4 'wash'
	[ -z "$(evolve wash)" ]
	[ "$(skill-evolve iron | jq -r .dependency.name | sort | tr '\n' ' ')" = 'fold wash ' ]
}

@test "no dependency is suggested that would close a circle" {
	{ good 1 wash; good 2 iron; good 3 fold; good 4 darn; skill_edge requires 2 3; skill_edge composes 3 1; skill_edge requires 4 1; } | mem-import -q
	for s in s1 s2 s3; do session "$s" 'wash iron fold darn'; done
	# iron needs fold, and that wash; darn needs wash.
	[ "$(skill-evolve | jq -r 'select(.suggest == "dependency") | "\(.name) \(.dependency.name)"' | sort | tr '\n' ' ')" = 'darn fold darn iron fold darn iron darn ' ]
}

@test "a success rate below that of the category" {
	{ for n in 1 2 3; do good "$n" "s$n" '"category":"home"'; done; good 4 s4 '"category":"other"'; good 5 s5; } | mem-import -q
	record 3 s1 success
	record 2 s1 failure
	record 4 s2 success
	[ -z "$(evolve)" ]
	record 4 s3 success
	record 2 s3 partial
	[ "$(skill-evolve | jq -c '[.name, .suggest, .rate, .outcomes, .category_rate, .category_outcomes]')" = '["s1","success_rate",0.6,5,0.9,10]' ]
	record 1 s1 success
	record 5 s4 failure
	record 5 s5 failure
	# .6667 of .9
	[ "$(evolve)" = '["s1","success_rate"] ' ]
	record 4 s1 success
	[ -z "$(evolve)" ]
}

@test "how it went from release to release" {
	mkdir -p skills/wash
	text() { printf -- '---\nname: wash\ndescription: How to wash what was worn, by colour and by heat\ntags: [home]\nversion: %s\n---\n%s\n' "$1" "$2" >skills/wash/SKILL.md; }
	text 1.0.0 Wash. && skill-ingest -q --no-embed skills
	record 4 wash success
	record 1 wash failure
	text 1.1.0 'Wash it.' && skill-ingest -q --no-embed skills
	record 4 wash success
	[ -z "$(evolve)" ]
	record 4 wash failure
	[ "$(skill-evolve | jq -c '[.suggest, .trend, .releases]')" = \
		'["trend","declining",[{"release":"1.0.0","outcomes":5,"rate":0.8},{"release":"1.1.0","outcomes":8,"rate":0.5}]]' ]
	[ "$(skill-evolve | jq -r .why)" = 'declining: 80 percent of the uses succeeded with 1.0.0, and 50 percent with 1.1.0' ]
	# One that has few outcomes tells nothing; with enough it goes up again.
	text 1.2.0 'Wash it well.' && skill-ingest -q --no-embed skills
	record 4 wash success
	[ "$(skill-evolve | jq -c '[.trend, (.releases | length)]')" = '["declining",2]' ]
	record 1 wash success
	[ "$(skill-evolve | jq -c '[.suggest, .trend, .releases[2]]')" = '["trend","improving",{"release":"1.2.0","outcomes":5,"rate":1}]' ]
}

@test "only what the caller may read, and what is live" {
	{
		skill 1 own | sed 's/"ns":"global"/"ns":"agent:bob"/'
		skill 2 gone | sed 's/"active"/"archived"/'
	} | mem-import -q --every-namespace
	[ -z "$(evolve)" ]
	[ "$(evolve --agent bob)" = '["own","description"] ["own","tags"] ' ]
	[ "$(evolve --every-namespace --suggest tags)" = '["own","tags"] ' ]
	run -1 skill-evolve own
	[ "$output" = 'skill-evolve: no such skill: own' ]
}

@test "a table for people, and wrong use" {
	skill 1 tea | mem-import -q
	run -0 skill-evolve --format text
	[[ "${lines[0]}" = SKILL*SUGGEST*WHY ]]
	[[ "${lines[1]}" = tea*description*'the description has 10 characters'* ]]
	run -2 skill-evolve --suggest everything
	run -2 skill-evolve -n 0
	run -2 skill-evolve --tokens 0
}
