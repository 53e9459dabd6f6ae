#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper
load skills

setup() {
	scratch
	need_store
	{
		skill 1 Fold '"license":"MIT","params":[{"name":"size","default":2}],"uses":3,"successes":2,"release":"1.1.0","front":"---\nname: Fold\n---\n","content":"Lay it flat.\nFold it.\n"'
		skill 2 Wash
		skill 3 Iron | sed 's/"active"/"archived"/'
		skill 9 Fold "\"release_of\":\"$(skill_id 1)\",\"release\":\"1.0.0\"" | sed 's|"ref":"skill/fold"|"ref":"skill-release/fold/1.0.0"|; s/"active"/"superseded"/'
		skill 10 'Fold/1' | sed 's|"ref":"skill/fold/1"|"ref":"skill-release/fold/1.2.0"|'
		skill_edge requires 1 2 '"weight":0.8,"confidence":0.7'
		skill_edge enhances 3 1
	} | mem-import -q
}

@test "the record has all fields of the node, its edges and its releases" {
	run -0 skill-show fold
	[ "$(jq -c 'del(.edges, .releases)' <<<"$output")" = "$(mem-get "$(skill_id 1)" | jq -c .)" ]
	[[ $output = *'"license":"MIT","params":[{"name":"size","default":2}],"uses":3'* ]]
	[ "$(jq -c '.edges[] | [.edge, .weight, .confidence, .end.kind, .end.name, .end.status]' <<<"$output" | tr '\n' ' ')" = \
		'["requires",0.8,0.7,"skill","Wash","active"] ["enhances",null,null,"skill","Iron","archived"] ' ]
	[ "$(jq -c '.edges[0] | [.from, .to, .end.id]' <<<"$output")" = "[\"$(skill_id 1)\",\"$(skill_id 2)\",\"$(skill_id 2)\"]" ]
	[ "$(jq -c .releases <<<"$output")" = "[{\"id\":\"$(skill_id 9)\",\"release\":\"1.0.0\",\"status\":\"superseded\",\"created_at\":\"2026-01-01T00:00:00.000Z\"}]" ]
}

@test "a skill is meant by id, beginning, ref and name; a release by its id" {
	for operand in "$(skill_id 1)" skill/fold FOLD; do
		[ "$(skill-show "$operand" | jq -r .id)" = "$(skill_id 1)" ]
	done
	[ "$(skill-show "$(skill_id 9)" | jq -c '[.release, .releases]')" = '["1.0.0",[]]' ]
	run -1 skill-show 0192aaaa
	[[ $output = *'skill-show: '* ]]
	[ "$(printf '%s\n' Fold skill/wash | skill-show - | jq -r .name | tr '\n' ' ')" = 'Fold Wash ' ]
	[ "$(skill-list --live | skill-show - | wc -l)" = 2 ]
}

@test "what is not there is told, and the others are printed" {
	run -1 --separate-stderr skill-show nothing Wash
	[ "$(jq -r .name <<<"$output")" = Wash ]
	[[ $stderr = *'skill-show: no such skill: nothing'* ]]
	skill 4 Own | sed 's/"ns":"global"/"ns":"agent:bob"/' | mem-import -q --agent bob
	run -1 skill-show Own
	run -0 skill-show --every-namespace Own
	run -0 skill-show --agent bob --ns agent:bob Own
	run -1 skill-show --agent bob --ns agent:bob Fold
}

@test "edges to what the caller may not read are left out" {
	skill 4 Own | sed 's/"ns":"global"/"ns":"agent:bob"/' | mem-import -q --agent bob
	skill_edge requires 4 1 | mem-import -q --agent bob
	[ "$(skill-show Fold | jq '.edges | length')" = 2 ]
	[ "$(skill-show --agent bob Fold | jq '.edges | length')" = 3 ]
}

@test "a page for people" {
	skill-status -q Fold deprecated --reason 'The dryer folds.'
	skill-assign -q Fold --agent cy
	run -0 skill-show --format text Fold
	[[ $output = *$'\nname           Fold\n'* ]]
	[[ $output = *$'\nlicense        MIT\n'* ]]
	[[ $output = *$'\nchanged        active -> deprecated, 2026-11-28T09:00:00.000Z, ada: The dryer folds.\n'* ]]
	[[ $output = *$'\nrequires       -> Wash (0.8)\n'* ]]
	[[ $output = *$'\nenhances       <- Iron, archived\n'* ]]
	[[ $output = *$'\nassigned       <- cy\n'* ]]
	[[ $output = *$'\nother release  1.0.0, superseded, 2026-01-01T00:00:00.000Z\n'* ]]
	[[ $output = *$'\n\nLay it flat.\nFold it.' ]]
	[[ $output != *front* ]]
}

@test "what makes no sense is usage" {
	run -2 skill-show
	run -2 skill-show --ns nowhere Fold
}
