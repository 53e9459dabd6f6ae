#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Tiers: ada is the operator; bob, cam and dee have tags in common.
load helper
load links

setup() {
	scratch
	team_store
}

# AGENT SESSION TAG...: a turn of the agent's.
turn() {
	local agent=$1 session=$2
	shift 2
	jq -nc --arg s "$session" '{content: "turn \($s) \($ARGS.positional | join(" "))", session_id: $s, captured_at: "2026-11-01T09:00:00Z",
		tags: $ARGS.positional}' --args "$@" | mem-capture -q --no-embed --agent "$agent"
}
# sessions AGENT TAG...: two sessions with these tags, so that they are active.
sessions() {
	turn "$1" "$1-1" "${@:2}"
	turn "$1" "$1-2" "${@:2}"
}
two_operators() { sed -i 's/^operators:.*/operators: [ada, eve]/' store/config.yaml; }
three_owners() {
	for agent in bob cam dee; do
		sessions $agent tea harbour
	done
	sessions bob fog moor # bob's alone
	kg-hebb -q --every-namespace
}
# night DAY [ARG...]: the receipts of a run on that day of November, without ids.
night() { kg-tier --now "2026-11-${1}T03:00:00Z" "${@:2}" | jq -c '[.verdict, .ns, .name, .count, .owners, .nights, .state]'; }
patterns() { kg-node list --kind tag "$@" | jq -c 'select(.type == "pattern") | [.ns, .name, .items, .state, .status]'; }

@test "what three owners have waits in system, counted and without their names" {
	three_owners
	[ "$(night 10)" = '["new","system","harbour + tea",6,3,1,"waiting"]' ]
	[ "$(patterns)" = '["system","harbour + tea",["harbour","tea"],"waiting","active"]' ]
	[ "$(patterns --agent bob)" = '' ]
	run -0 kg-node list --kind tag
	[[ $(grep pattern <<<"$output") != *@(bob|cam|dee)* ]]
	[ "$(mem-audit --kind tier | jq -c '[.reason, .detail]')" = '["mined",{"count":6,"owners":3,"nights":1}]' ]
	run -0 mem-check
}

@test "two owners are too few, and so is a tag that has decayed" {
	sessions bob tea harbour
	sessions cam tea harbour
	sessions dee tea moor
	kg-hebb -q --every-namespace
	[ "$(night 10)" = '' ]
	three_owners
	[ "$(kg-tier --now 2027-11-10T03:00:00Z)" = '' ]
}

@test "one agent is one owner in how many namespaces ever, and so are agents of one owner" {
	cat >> store/config.yaml <<-'END'
		  cam: {teams: [a, b]}
	END
	for ns in agent:cam team:a team:b; do
		for session in 1 2; do
			jq -nc --arg ns "$ns" --arg s "$ns-$session" '{content: "in \($s)", session_id: $s, ns: $ns, captured_at: "2026-11-01T09:00:00Z", tags: ["tea", "harbour"]}'
		done
	done | mem-capture -q --no-embed --agent cam
	sessions dee tea harbour
	sessions eve tea harbour
	kg-hebb -q --every-namespace
	# Two more of whom config.yaml says that they work for cam.
	[ "$(kg-mine --every-namespace --now 2026-11-02T00:00:00Z --maximal)" = '{"items":["harbour","tea"],"count":10,"owners":3}' ]
	printf '  dee: {owner: cam}\n  eve: {owner: cam, teams: [b]}\n' >> store/config.yaml
	[ "$(kg-mine --every-namespace --now 2026-11-02T00:00:00Z --maximal)" = '{"items":["harbour","tea"],"count":10,"owners":1}' ]
	[ "$(night 10)" = '' ]
	run -0 mem-list -n 1 --agent eve
}

@test "members of a team are owners of what they say there, each of what he says himself" {
	cat >> store/config.yaml <<-'END'
		  cam: {teams: [a]}
		  dee: {teams: [a]}
	END
	say() { jq -nc --arg s "$2" '{content: "\($s) \($ARGS.positional)", session_id: $s, ns: "team:a", captured_at: "2026-11-01T09:00:00Z",
		tags: $ARGS.positional}' --args "${@:3}" | mem-capture -q --no-embed --agent "$1"; }
	for session in 1 2; do
		say bob $session tea harbour
		say cam $session tea harbour fog
		say dee $session tea moor
	done
	kg-hebb -q --every-namespace
	kg-mine --every-namespace --now 2026-11-02T00:00:00Z > sets
	[ "$(jq -c 'select(.items == ["harbour", "tea"] or .items == ["tea"] or .items == ["fog", "moor"]) | [.count, .owners]' sets | paste -sd' ')" = '[2,3] [2,0] [2,2]' ]
}

@test "names that differ by case and accents are one, written as most write them, and stay one pattern" {
	sessions bob Café TEE
	sessions cam cafe tee
	sessions dee CAFE tee
	kg-hebb -q --every-namespace
	[ "$(night 10)" = '["new","system","CAFE + tee",6,3,1,"waiting"]' ]
	turn cam cam-3 cafe TEE
	kg-hebb -q --every-namespace
	[ "$(night 11)" = '["changed","system","cafe + tee",7,3,2,"waiting"]' ]
	[ "$(patterns | wc -l)" = 1 ]
	run -0 mem-check
}

@test "sets of two to four items" {
	for agent in bob cam dee; do
		sessions $agent a b c d e
	done
	kg-hebb -q --every-namespace
	[ "$(night 10 | wc -l)" = 25 ]
	[ "$(patterns | jq -c '.[2] | length' | sort | uniq -c | tr -s ' ')" = ' 10 2
 10 3
 5 4' ]
	echo 'tier: {most_items: 2, owners: 4}' >> store/config.yaml
	[ "$(night 10 | sort -u | jq -c '[.[0], .[1]]' | sort -u)" = '["removed","system"]' ]
	[ "$(patterns)" = '' ]
}

@test "seven nights, one a day, and it is known to all; an eighth changes nothing" {
	three_owners
	for day in 10 11 12 13 14 15; do
		[ "$(night $day | wc -l)" = 1 ]
		[ "$(night $day | jq -r '.[0]')" = unchanged ]
	done
	[ "$(night 16)" = '["changed","system","harbour + tea",6,3,7,"waiting"]
["new","global","harbour + tea",6,3,7,"shared"]' ]
	[ "$(patterns --agent bob)" = '["global","harbour + tea",["harbour","tea"],null,"active"]' ]
	[ "$(patterns | sort)" = '["global","harbour + tea",["harbour","tea"],null,"active"]
["system","harbour + tea",["harbour","tea"],"shared","active"]' ]
	[ "$(kg-edge list --kind promoted_to | jq -c '[.from, .to]' | wc -l)" = 1 ]
	mem-export --every-namespace > before
	[ "$(night 17 | jq -r '.[0]' | sort -u)" = unchanged ]
	mem-export --every-namespace | cmp - before
	# More sessions are more counts, there too.
	turn bob more tea harbour
	kg-hebb -q --every-namespace
	[ "$(night 17 | jq -c '[.[0], .[1], .[3]]')" = '["changed","system",7]
["changed","global",7]' ]
	run -0 mem-check
}

@test "what a night does not find begins anew" {
	three_owners
	night 10
	night 11
	echo 'tier: {owners: 4}' >> store/config.yaml
	[ "$(night 12)" = '["removed","system","harbour + tea",6,3,2,"waiting"]' ]
	sed -i '/tier:/d' store/config.yaml
	[ "$(night 13)" = '["new","system","harbour + tea",6,3,1,"waiting"]' ]
}

@test "an approved review shares it at the next run, a rejected one holds it" {
	three_owners
	two_operators
	night 10 --ask
	[ "$(mem-review list | jq -r '[.asks, .ns, .state] | join(" ")')" = 'tier system open' ]
	[ "$(night 10 --ask | jq -r '.[0]' | sort -u | tr '\n' ' ')" = 'duplicate unchanged ' ]
	id=$(mem-review list | jq -r .id)
	run -4 mem-review approve "$id" # by who asked
	run -0 mem-review --agent eve approve "$id"
	[ "$(night 10 | tail -n 1)" = '["new","global","harbour + tea",6,3,1,"shared"]' ]
	run -0 mem-check
}

@test "a rejected one is held" {
	three_owners
	two_operators
	night 10 --ask
	mem-review -q --agent eve reject "$(mem-review list | jq -r .id)"
	for day in 11 12 13 14 15 16 17 18; do
		night $day
	done
	[ "$(patterns)" = '["system","harbour + tea",["harbour","tea"],"held","active"]' ]
}

@test "taken back it is retired, and held" {
	three_owners
	echo 'tier: {nights: 1}' >> store/config.yaml
	night 10
	[ "$(night 11 --dry-run --undo "$(kg-node list --kind tag --ns global | jq -r .id)")" = '["changed","global","harbour + tea",6,3,1,"held"]' ]
	[ "$(patterns --agent bob | wc -l)" = 1 ]
	[ "$(night 11 --undo 'harbour + tea')" = '["changed","global","harbour + tea",6,3,1,"held"]' ]
	[ "$(patterns --agent bob)" = '["global","harbour + tea",["harbour","tea"],null,"retired"]' ]
	[ "$(patterns --ns system)" = '["system","harbour + tea",["harbour","tea"],"held","active"]' ]
	night 12
	[ "$(patterns --agent bob | jq -c '.[4]')" = '"retired"' ]
	run -1 kg-tier --undo "$(kg-node list --kind tag --ns system | jq -r .id)" nobody
	[ "$(jq -r .reason <<<"$output" | tr '\n' ' ')" = 'state_conflict not_found ' ]
}

@test "--dry-run says what would be and keeps nothing" {
	three_owners
	[ "$(night 10 --dry-run)" = '["new","system","harbour + tea",6,3,1,"waiting"]' ]
	[ "$(patterns)" = '' ]
}

@test "operators run it, and nobody writes to system by hand" {
	three_owners
	run -4 --separate-stderr kg-tier --agent bob
	[ "$stderr" = "kg-tier: bob is no operator, and tiers are the operators'" ]
	run -4 kg-tier --agent bob --undo x
	run -4 kg-node --ns system add <<<'{"kind":"tag","name":"x"}'
	run -2 kg-tier x
	run -2 kg-tier --undo
	run -2 kg-tier --undo --ask x
}

@test "the jobs mining and tiers do the same at night, in this order" {
	three_owners
	for day in 10 11 12 13 14 15 16; do
		mem-maintain --now "2026-11-${day}T03:45:00Z" mining tiers
	done
	[ "$(patterns | sort | jq -c '[.[0], .[3]]')" = '["global",null]
["system","shared"]' ]
	run -0 mem-maintain --list
	[ "$(jq -c 'select(.task == "tiers") | .after' <<<"$output")" = '["upgrade","mining"]' ]
	mem-maintain --agent bob mining tiers
	echo 'mine: {patterns: "off"}' >> store/config.yaml
	[ "$(mem-maintain --list | jq -r 'select(.task == "mining") | .due')" = false ]
}
