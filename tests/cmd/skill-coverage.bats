#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Who has which skills.
load helper
load skills

setup() {
	scratch
	export MEM_AGENT=ada
	need_store
	{
		skill 1 bake '"category":"kitchen"'
		skill 2 boil '"category":"kitchen"'
		skill 3 deploy '"category":"devops"'
		skill 4 sing
		skill 5 gone '"category":"kitchen"' | sed 's/"active"/"archived"/'
	} | mem-import -q
}
coverage() { skill-coverage "$@" | jq -c '[.team, .category, .skills, .assigned, .share]'; }
team_for() { skill-coverage --task "$@" | jq -c '[[.members[] | [.agent, .skills]], .wanted, .covered, .missing]'; }

@test "categories of all, then of each team" {
	[ "$(coverage)" = $'[null,"devops",1,0,0]\n[null,"kitchen",2,0,0]\n[null,null,1,0,0]' ]
	agent-team -q add home bob
	skill-assign -q bake --agent bob
	skill-assign -q sing --team home
	skill-assign -q gone --team home
	skill-assign -q deploy --agent zoe
	[ "$(coverage)" = '[null,"devops",1,1,1]
[null,"kitchen",2,1,0.5]
[null,null,1,1,1]
["home","devops",1,0,0]
["home","kitchen",2,1,0.5]
["home",null,1,1,1]' ]
	skill-assign -q --undo bake --agent bob
	[ "$(coverage | sed -n 5p)" = '["home","kitchen",2,0,0]' ]
}

@test "a store without skills has no lines" {
	mem-init -q other
	[ -z "$(skill-coverage -S other)" ]
	run -0 skill-coverage -S other --task bake
	[ "$output" = '{"members":[],"wanted":0,"covered":0,"missing":[]}' ]
}

@test "the members of a task are who has most of what is missing" {
	run -1 skill-coverage --task 'bake, boil and deploy'
	[ "$(jq -c '[.members, .wanted, .covered, (.missing | sort)]' <<<"$output")" = '[[],3,0,["bake","boil","deploy"]]' ]
	skill-assign -q bake --agent zoe
	skill-assign -q boil --agent zoe
	skill-assign -q boil --agent amy
	skill-assign -q deploy --agent bob
	skill-assign -q deploy --agent cat
	[ "$(team_for 'bake, boil and deploy')" = '[[["zoe",["bake","boil"]],["bob",["deploy"]]],3,3,[]]' ]
	# By their teams, too.
	agent-team -q add all amy
	for s in bake deploy; do skill-assign -q "$s" --team all; done
	[ "$(team_for 'bake, boil and deploy')" = '[[["amy",["bake","boil","deploy"]]],3,3,[]]' ]
	[ "$(skill-coverage -n 1 --task 'bake bake boil deploy' | jq .wanted)" = 1 ]
}

@test "five members at most" {
	for i in 11 12 13 14 15 16; do skill "$i" "juggle-$i"; done | mem-import -q
	for i in 11 12 13 14 15 16; do skill-assign -q "juggle-$i" --agent "agent$i"; done
	run -1 skill-coverage --task 'juggle 11 12 13 14 15 16'
	[ "$(jq -c '[(.members | length), .wanted, .covered, (.missing | length)]' <<<"$output")" = '[5,6,5,1]' ]
}

@test "--format text is a table, and of a task the team" {
	run -0 skill-coverage --format text
	[[ "${lines[0]}" = 'TEAM '*'CATEGORY '*SHARE ]]
	[ "$(skill-coverage --format json)" = "$(skill-coverage)" ]
	run skill-coverage --format text --task 'brew tea'
	[[ "$output" = *'wanted '* ]]
}

@test "what the caller may not read is not there; wrong use" {
	skill 9 hide '"category":"kitchen"' | sed 's/"ns":"global"/"ns":"agent:ada"/' | mem-import -q
	[ "$(coverage | sed -n 2p)" = '[null,"kitchen",3,0,0]' ]
	[ "$(coverage --agent bob | sed -n 2p)" = '[null,"kitchen",2,0,0]' ]
	run -4 skill-coverage --agent bob --every-namespace
	run -2 skill-coverage more
	run -2 skill-coverage -n 3
}
