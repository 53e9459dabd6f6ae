#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How well skills are kept.
load helper
load skills

setup() {
	scratch
	export MEM_AGENT=ada MEM_NOW=2026-01-20T00:00:00Z
	need_store
}
health() { skill-health "$@" | jq -c '[.score, .grade, .skills, .coverage, .connectivity, .freshness, .effectiveness, .conflicts]'; }

@test "without skills it is 0, and F" {
	[ "$(health)" = '[0,"F",0,0,0,0,0,0]' ]
	[ "$(skill-health | wc -l)" = 1 ]
}

@test "who has them, what joins them, how new they are, what came of them" {
	{
		skill 1 cook '"effectiveness":0.9'
		skill 2 wash
		skill 3 iron
		skill 4 old | sed 's/"active"/"archived"/'
	} | mem-import -q
	[ "$(health)" = '[39.8,"F",3,0,0,1,0.633333,0]' ]
	{
		skill_edge requires 1 2
		skill_edge co_occurs 2 3
		skill_edge requires 1 4
	} | mem-import -q
	[ "$(health | jq -c '[.[2], .[4]]')" = '[3,0.222222]' ]
	skill-assign -q cook --agent bob
	skill-assign -q cook --team home
	[ "$(health | jq -c .[3])" = 0.333333 ]
	# Two months later none is new; one was used.
	MEM_NOW=2026-03-20T00:00:00Z skill-record -q wash success
	[ "$(MEM_NOW=2026-03-25T00:00:00Z health | jq -c .[5])" = 0.333333 ]
	[ "$(MEM_NOW=2026-06-25T00:00:00Z health | jq -c .[5])" = 0 ]
	# 100 ((.25/3 + .2 * 2/9 + .2 + .25 * 1.9/3) / .9)
	[ "$(health)" = '[54,"F",3,0.333333,0.222222,1,0.633333,0]' ]
}

@test "an edge to itself joins nothing" {
	{
		skill 1 cook
		skill 2 wash
		skill_edge requires 1 1
		skill_edge co_occurs 1 1
		skill_edge requires 1 2
	} | mem-import -q
	[ "$(health | jq .[4])" = 0.166667 ]
}

@test "open conflicts count by their severity, decided ones do not" {
	{
		skill 1 cook
		skill 2 wash
		skill_edge requires 1 2
		skill_edge requires 2 1
	} | mem-import -q
	before=$(health | jq .[0])
	skill-conflicts -q >/dev/null || true
	[ "$(health | jq .[7])" = 1 ] # 4 of two skills, at most 1
	[ "$(jq -n "$before - $(health | jq .[0])")" = 10 ]
	skill-conflicts --dismiss "$(mem-list --kind conflict | jq -r 'select(.type == "circular").id')" --reason "it is so" >/dev/null
	[ "$(health | jq .[7])" = 0 ]
}

@test "only what the caller may read" {
	skill 1 cook | sed 's/"ns":"global"/"ns":"agent:ada"/' | mem-import -q
	skill 2 wash | mem-import -q
	[ "$(health | jq .[2])" = 2 ]
	[ "$(health --agent bob | jq .[2])" = 1 ]
	[ "$(health --ns agent:ada | jq .[2])" = 1 ]
	run -4 skill-health --agent bob --every-namespace
	run -2 skill-health more
	run -2 skill-health --ns 'no namespace'
	run -0 skill-health --format text
	[[ "$output" = *grade* ]]
}

@test "a letter for each ten from 60 on" {
	# All are assigned and new; 100 (.45 + .2 connectivity + .25 effectiveness) / .9.
	letter() { # EDGES EFFECTIVENESS: of one skill, with as many edges to it of three
		MEM_STORE=$(mktemp -d -p "$PWD")/store
		mem-init -q "$MEM_STORE"
		{
			for i in 1 2 3; do skill $i "s$i" "\"effectiveness\":$2"; done
			for ((i = 0; i < $1; i++)); do skill_edge "$(cut -d' ' -f$((i / 6 + 1)) <<<'requires enhances composes')" $((i % 3 + 1)) $((i / 3 % 2 == 0 ? (i % 3 + 1) % 3 + 1 : (i % 3 + 2) % 3 + 1)); done
		} | mem-import -q
		for i in 1 2 3; do skill-assign -q "s$i" --agent bob; done
		skill-health | jq -r '"\(.score) \(.grade)"'
	}
	[ "$(letter 9 1)" = '100 A' ]
	[ "$(letter 9 0.64)" = '90 A' ]
	[ "$(letter 9 0.636)" = '89.9 B' ]
	[ "$(letter 9 0.28)" = '80 B' ]
	[ "$(letter 9 0.276)" = '79.9 C' ]
	[ "$(letter 3 0.4533)" = '70 C' ]
	[ "$(letter 3 0.453)" = '70 C' ]
	[ "$(letter 3 0.45)" = '69.9 D' ]
	[ "$(letter 0 0.36)" = '60 D' ]
	[ "$(letter 0 0.356)" = '59.9 F' ]
}
