#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Teams in the store, made by ada, who is the operator, and seen by bob.
load helper

setup() {
	scratch
	need_store
}

members() { agent-team list "$1" | jq -c .members; }
verdicts() { jq -r '"\(.verdict)/\(.reason)/\(.agent)"' <<<"$output" | tr '\n' ' '; }

@test "members are added once, in one team whatever the case of its name" {
	run -0 agent-team add weather bob ada
	[ "$(verdicts)" = 'new/null/bob new/null/ada ' ]
	[ "$(jq -r .id <<<"$output" | sort -u)" = "$(agent-team list | jq -r .id)" ]
	run -0 agent-team add Weather ada cy
	[ "$(verdicts)" = 'unchanged/null/ada new/null/cy ' ]
	[ "$(agent-team list | jq -c '[.kind, .ns, .name, .status, .members]')" = '["team","global","weather","active",["ada","bob","cy"]]' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a member is removed, and the team stays" {
	agent-team -q add weather ada
	run -1 agent-team remove weather ada bob
	[ "$(verdicts)" = 'removed/null/ada rejected/not_found/bob ' ]
	[ "$(members weather)" = '[]' ]
	run -1 agent-team remove storms ada
	[ "$(verdicts)" = 'rejected/not_found/ada ' ]
	[ "$(mem-audit | jq -r .kind | tr '\n' ' ')" = 'edge_added edge_removed ' ]
}

@test "a team can be made without members" {
	run -0 agent-team add weather
	[ "$(verdicts)" = 'new/null/null ' ]
	run -0 agent-team add weather
	[ "$(verdicts)" = 'duplicate/null/null ' ]
	[ "$(members weather)" = '[]' ]
}

@test "what is no name is refused, and the others are added" {
	run -1 agent-team add weather 'a b' ada ''
	[ "$(verdicts)" = 'rejected/bad_value/null new/null/ada rejected/bad_value/null ' ]
	run -1 agent-team add 'no/team'
	[ "$(jq -r .reason <<<"$output")" = bad_value ]
}

@test "a secret is no name, neither of a team nor of an agent" {
	local token=ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0
	run -1 agent-team add "$token" ada
	[ "$(jq -r .reason <<<"$output")" = residue ]
	run -1 agent-team add weather "$token"
	[ "$(jq -r .reason <<<"$output")" = residue ]
	run -1 agent-team add "$token"
	[ "$(jq -r .reason <<<"$output")" = residue ]
	[ "$(grep -ac EXAMPLEexample "$MEM_STORE/data.mdb")" = 0 ]
}

@test "a team that is archived takes no members" {
	agent-team -q add weather ada
	mem-export | sed '/"kind":"team"/s/"status":"active"/"status":"archived"/' > kept
	mem-init -q other
	mem-import -q -S other < kept
	export MEM_STORE=$PWD/other
	run -1 agent-team add weather bob
	[ "$(verdicts)" = 'rejected/state_conflict/bob ' ]
	[ -z "$(agent-team list)" ]
}

@test "teams grant no rights, and only operators make them" {
	agent-team -q add weather bob
	run -4 agent-team --agent bob add weather cy
	run -4 agent-team --agent bob remove weather bob
	[ "$(agent-team --agent bob list | jq -c .members)" = '["bob"]' ]
	echo '{"content":"rain"}' | mem-capture -q --agent cy
	run -4 mem-capture --agent bob --ns team:weather <<<'{"content":"rain"}'
}

@test "--dry-run changes nothing" {
	run -0 agent-team --dry-run add weather ada
	[ "$(verdicts)" = 'new/null/ada ' ]
	[ -z "$(agent-team list)" ]
	[ -z "$(mem-list)" ]
}

@test "a table for people; limits; teams that are not there" {
	agent-team -q add weather ada bob
	agent-team -q add storms
	run -0 agent-team --format text list
	[[ ${lines[0]} = ID*TEAM*NS*MEMBERS ]]
	[[ ${lines[1]} = *weather*global*"ada, bob" ]]
	[[ ${lines[2]} = *storms*global*- ]]
	[ "$(agent-team -n 1 list | jq -r .name)" = weather ]
	[ "$(agent-team list STORMS | jq -r .name)" = storms ]
	run -1 --separate-stderr agent-team list nobody
	[ "$stderr" = 'agent-team: no such team: nobody' ]
	[ -z "$output" ]
	run -1 --separate-stderr agent-team list storms nobody
	[ "$(jq -r .name <<<"$output")" = storms ]
	[ "$stderr" = 'agent-team: no such team: nobody' ]
	run -2 agent-team remove weather
}

@test "a team that turns were written for is listed, too" {
	export MEM_TEAMS=hub
	mem-capture -q --ns team:hub <<<'{"content":"the hub is down"}'
	kg-node -q sync
	[ "$(agent-team list | jq -c '[.ns, .name, .members]')" = '["team:hub","hub",["ada"]]' ]
}
