#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Skills in global, assigned by ada, who is the operator, and by bob of team:a.
load helper
load skills

setup() {
	scratch
	need_store
	cat >> store/config.yaml <<-'END'
		agents:
		  bob: {teams: [a]}
	END
	{ skill 1 Fold; skill 2 Iron; } | mem-import -q
}

# assigned: FROM>TO of all assignments, by name.
assigned() {
	kg-edge list --every-namespace --kind assigned | while read -r edge; do
		printf '%s>%s ' "$(mem-get --every-namespace "$(jq -r .from <<<"$edge")" | jq -r '.ns + "/" + .kind + "/" + .name')" \
			"$(mem-get "$(jq -r .to <<<"$edge")" | jq -r .name)"
	done
}

@test "a skill is assigned to agents and teams, once" {
	run -0 skill-assign fold --agent cy --team weather
	[ "$(verdicts)" = 'new new ' ]
	[ "$(jq -r '"\(.skill) \(.agent) \(.team)"' <<<"$output" | tr '\n' ' ')" = "$(skill_id 1) cy null $(skill_id 1) null weather " ]
	[ "$(jq -r .id <<<"${lines[1]}")" = "$(mem-list --kind team | jq -r .id)" ]
	[ "$(assigned)" = 'global/agent/cy>Fold global/team/weather>Fold ' ]
	run -0 skill-assign skill/fold --agent cy,dan
	[ "$(verdicts)" = 'unchanged new ' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "the team that agent-team made is the one that a skill is assigned to" {
	agent-team -q add weather cy
	skill-assign -q Fold --team Weather --agent cy
	[ "$(mem-list --kind team | wc -l) $(mem-list --kind agent | wc -l)" = '1 1' ]
}

@test "--undo ends an assignment, once" {
	skill-assign -q Fold Iron --agent cy
	run -0 skill-assign --undo Fold --agent cy
	[ "$(verdicts)" = 'removed ' ]
	[ "$(assigned)" = 'global/agent/cy>Iron ' ]
	run -1 skill-assign --undo Fold --agent cy
	[ "$(verdicts)" = 'rejected/not_found ' ]
	run -1 skill-assign --undo Fold --team nobody
	[ "$(verdicts)" = 'rejected/not_found ' ]
	[ "$(mem-audit | jq -r .kind | grep -c 'edge_added\|edge_removed')" = 3 ]
}

@test "who may not write to global assigns to herself and to her teams" {
	export MEM_AGENT=bob
	run -4 skill-assign Fold --agent bob --team a --agent cy --team b
	[ "$(verdicts)" = 'new rejected/namespace_denied new rejected/namespace_denied ' ]
	unset MEM_AGENT
	[ "$(assigned)" = 'agent:bob/agent/bob>Fold team:a/team/a>Fold ' ]
	# The operator's assignment is another; --undo takes away what the caller may.
	skill-assign -q Fold --agent bob
	MEM_AGENT=bob run -4 skill-assign --undo Fold --agent bob
	run -0 skill-assign --undo Fold --agent bob
	[ "$(verdicts)" = 'removed ' ]
}

@test "an assignment gives no right" {
	skill 3 Own | sed 's/"ns":"global"/"ns":"agent:ada"/' | mem-import -q
	skill-assign -q Own --agent bob
	run -1 mem-get --agent bob "$(skill_id 3)"
	[ "$output" = "mem-get: no such node: $(skill_id 3)" ]
}

@test "what is not there, and names that are none, are refused" {
	run -1 skill-assign nothing Fold --agent cy
	[ "$(verdicts)" = 'rejected/not_found new ' ]
	run -1 skill-assign Fold --agent 'c y'
	[ "$(verdicts)" = 'rejected/bad_value ' ]
	run -2 skill-assign Fold
	run -2 skill-assign --agent cy
	run -2 skill-assign --ns x Fold --agent cy
}

@test "a secret is no name" {
	run -1 skill-assign Fold --agent ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0
	[ "$(verdicts)" = 'rejected/residue ' ]
	run -1 skill-assign Fold --team ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0
	[ "$(verdicts)" = 'rejected/residue ' ]
	[ "$(grep -ac EXAMPLEexample "$MEM_STORE/data.mdb")" = 0 ]
}

@test "--dry-run changes nothing" {
	run -0 skill-assign --dry-run Fold --agent cy
	[ "$(verdicts)" = 'new ' ]
	[ -z "$(assigned)$(mem-list --kind agent)" ]
}
