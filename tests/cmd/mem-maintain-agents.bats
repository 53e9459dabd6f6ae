#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Whose nights they are: ada is the operator; amy and bob run mem-maintain for themselves, or leave it to her.
load helper

setup() {
	scratch
	need_store
}

# AGENT DAY: a turn of the agent's, early that day of December.
turn_of() {
	jq -nc --arg d "$2" '{content: "Alice lives in Berlin. It is day \($d).", session_id: "s\($d)", tags: ["tea", "milk"]}' |
		mem-capture -q --no-embed --agent "$1" --now "2026-12-${2}T03:00:00Z"
}
# AGENT [DAY-TIME [TASK...]]
maintain() { mem-maintain --agent "$1" --now "2026-12-${2}:00Z" "${@:3}"; }
# AGENT: numbers of the tags, sessions and facts that it has.
has() {
	echo "$(kg-node list --agent "$1" --kind tag | wc -l) $(mem-list --agent "$1" --kind session | wc -l) $(mem-list --agent "$1" --kind fact | wc -l)"
}

@test "two agents that run it in turn: neither takes the other's time" {
	for day in 02 03 04; do
		turn_of amy $day
		turn_of bob $day
		maintain amy ${day}T04:40
		maintain bob ${day}T04:50
	done
	[ "$(has amy)" = '2 3 1' ]
	[ "$(has bob)" = "$(has amy)" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "one line of an operator's is enough: it covers every namespace" {
	for day in 02 03 04; do
		turn_of amy $day
		turn_of bob $day
		maintain ada ${day}T04:40
	done
	[ "$(has amy) $(has bob)" = '2 3 1 2 3 1' ]
	[ "$(has ada)" = '0 0 0' ]
	# Each agent has its node, and took part in its own sessions.
	[ "$(kg-neighbors --agent bob --edge took_part bob | jq -r .name | sort | paste -sd' ')" = 's02 s03 s04' ]
	mem-export --every-namespace > before
	for agent in amy bob ada; do maintain $agent 04T23:00; done
	mem-export --every-namespace | cmp - before
}

@test "an operator's nights fill the tiers, whoever else runs it before" {
	for agent in amy bob cam; do
		turn_of $agent 02
		turn_of $agent 03
	done
	for day in 04 05 06 07 08 09 10; do
		maintain bob ${day}T04:40
		maintain ada ${day}T05:00
	done
	[ "$(kg-node list --every-namespace --type pattern | jq -r 'select(.name == "milk + tea").ns' | sort | paste -sd' ')" = 'global system' ]
}

@test "--list and mem-stat tell an operator of every namespace" {
	turn_of bob 02
	listed() { "$@" --now 2026-12-02T05:00:00Z | jq -c '.jobs[]? // . | select(.task | IN("consolidate", "sync", "activation", "promote")) | [.task, .due, .amount, .last]' | sort; }
	[ "$(listed mem-maintain --list)" = '["activation",true,0,null]
["consolidate",true,1,null]
["promote",false,0,null]
["sync",true,0,null]' ]
	[ "$(listed mem-stat)" = "$(listed mem-maintain --list)" ]
	maintain bob 02T04:40
	[ "$(listed mem-maintain --list | grep -c null)" = 4 ] # bob's runs are no runs of hers
	[ "$(listed mem-stat)" = "$(listed mem-maintain --list)" ]
}

@test "what operators alone run is left alone by others, and they are told" {
	turn_of bob 02
	run -0 --separate-stderr maintain bob 02T05:00 -v mining
	[ -z "$output" ]
	[ "$stderr" = "mem-maintain: mining is for operators, and 'bob' is none" ]
	[ "$(mem-maintain --list --now 2026-12-02T06:00:00Z mining | jq .last)" = null ]
}

@test "a store whose rows are from before: each agent's first run does all" {
	turn_of bob 02
	maintain ada 02T04:40
	turn_of bob 03
	maintain bob 03T04:40
	[ "$(has bob)" = '2 2 1' ]
}

@test "what proved useful is shared with the team that the settings name, whoever runs the job" {
	printf 'agents: {bob: {teams: [crew]}, eve: {teams: [crew, band]}}\n' >> store/config.yaml
	for agent in bob eve; do
		id=$(mem-learn --agent $agent add discovery "what $agent knows" | jq -r .id)
		for _ in 1 2; do
			mem-learn -q --agent $agent verify "$id"
			mem-get --agent $agent --touch "$id" > /dev/null
		done
	done
	mem-maintain learn
	[ "$(mem-list --every-namespace --kind learning | jq -r .ns | sort | paste -sd' ')" = 'agent:bob agent:eve team:crew' ]
}
