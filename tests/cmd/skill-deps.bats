#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper
load skills

setup() {
	scratch
	need_store
	{
		skill 1 Pack '"missing":["label"]'
		skill 2 Fold
		skill 3 Wash '"missing":["water","soap"]'
		skill 4 Sort | sed 's/"active"/"deprecated"/'
		skill 5 Send
		skill 6 Sing
		skill_edge requires 1 2
		skill_edge requires 2 3
		skill_edge composes 3 4
		skill_edge succeeds 5 1
		skill_edge enhances 6 1
		skill_edge enhances 1 6
	} | mem-import -q
}

list() { jq -r "[.$1[] | .name] | join(\" \")" <<<"$output"; }

@test "what a skill needs, what needs it, and the order" {
	run -0 skill-deps pack
	[ "$(jq -r '"\(.id) \(.name)"' <<<"$output")" = "$(skill_id 1) Pack" ]
	[ "$(jq -c '.needs[] | [.name, .status, .edge, .from, .hops]' <<<"$output" | tr '\n' ' ')" = \
		'["Fold","active","requires","Pack",1] ["Wash","active","requires","Fold",2] ["Sort","deprecated","composes","Wash",3] ' ]
	[ "$(jq -c '.needed_by[] | [.id, .name, .status, .edge, .to, .hops]' <<<"$output")" = "[\"$(skill_id 5)\",\"Send\",\"active\",\"succeeds\",\"Pack\",1]" ]
	[ "$(list order)" = 'Sort Wash Fold Pack' ]
	[ "$(jq -c '.cycles' <<<"$output")" = '[]' ]
	[ "$(jq -c '.missing' <<<"$output")" = '[{"name":"label","by":"Pack"},{"name":"water","by":"Wash"},{"name":"soap","by":"Wash"}]' ]
}

@test "only some kinds of edges, and not so far" {
	run -0 skill-deps --kind requires Pack
	[ "$(list needs)/$(list needed_by)" = 'Fold Wash/' ]
	run -0 skill-deps --hops 1 Pack
	[ "$(list needs)/$(list order)" = 'Fold/Fold Pack' ]
	run -0 skill-deps Sing
	[ "$(list needs)/$(list needed_by)/$(list order)" = '//Sing' ]
}

@test "a circle is told once, with the way around it" {
	{ skill_edge requires 4 2; skill_edge requires 6 6; skill_edge requires 3 6; } | mem-import -q
	run -0 skill-deps Pack
	[ "$(jq -c '[.cycles[] | [.[].name]]' <<<"$output")" = '[["Sing"],["Fold","Wash","Sort"]]' ]
	[ "$(list order)" = 'Sing Fold Wash Sort Pack' ]
	run -0 skill-deps Sort
	[ "$(list needed_by)" = 'Wash Fold Pack Send' ]
}

@test "a circle of 1,000" {
	{
		for i in {101..1100}; do skill "$i" "s$i"; done
		for i in {101..1100}; do skill_edge requires "$i" $((i == 1100 ? 101 : i + 1)); done
	} | mem-import -q
	run -0 skill-deps s500
	[ "$(jq '[(.needs | length), (.needed_by | length), (.order | length), (.cycles | length), (.cycles[0] | length)] | join(" ")' <<<"$output")" = '"999 999 1000 1 1000"' ]
}

@test "several skills, from standard input too; what is not there is told" {
	[ "$(skill-list | skill-deps - | jq -r .name | tr '\n' ' ')" = 'Pack Fold Wash Sort Send Sing ' ]
	run -1 --separate-stderr skill-deps nothing Fold
	[ "$(jq -r .name <<<"$output")" = Fold ]
	[[ $stderr = *'no such skill: nothing'* ]]
}

@test "skills that the caller may not read are neither shown nor walked through" {
	{ skill 7 Own | sed 's/"ns":"global"/"ns":"agent:bob"/'; skill_edge requires 7 1; } | mem-import -q --agent bob
	run -0 skill-deps Pack
	[ "$(list needed_by)" = Send ]
	run -0 skill-deps --agent bob Pack
	[ "$(list needed_by)" = 'Send Own' ]
}

@test "a page for people" {
	skill_edge requires 4 2 | mem-import -q
	run -0 skill-deps --format text Fold
	[[ $output = *$'name           Fold\nneeds          Wash, active: requires of Fold\n'* ]]
	[[ $output = *$'\nneeded by      Pack, active: requires Fold\n'* ]]
	[[ $output = *$'\ncycle          Fold, Wash, Sort\n'* ]]
	[[ $output = *$'\norder          Fold, Wash, Sort' ]]
}

@test "what makes no sense is usage" {
	run -2 skill-deps
	run -2 skill-deps --kind enhances Pack
	run -2 skill-deps --hops 0 Pack
	run -2 skill-deps --ns x Pack
}
