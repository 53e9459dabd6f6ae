#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Facts that agents of a team vouch for, and their way to all.
load helper
load attest

setup() {
	scratch
	team_fact
}

record() { mem-list --kind promotion | jq -c '[.ns, .candidate, .posterior, .k, .state, .resolved_at, .promoted]' | sed "s/$fact/FACT/"; }
taken_back() { mem-list --kind promotion | jq -r .demoted_at; }
copy() { mem-list --kind fact --ns global | jq -r .id; }

@test "three perfect agents are exactly enough, two or unknown ones are not" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid
	run -0 mem-promote
	[ "$(jq -c '[.verdict, .state]' <<<"$output")" = '["new","pending"]' ]
	[ "$(record)" = '["global","FACT",0.75,2,"pending",null,null]' ]
	[ -z "$(copy)" ]
	vouch dee
	run -0 mem-promote --dry-run
	[ "$(jq -c '[.verdict, .state]' <<<"$output")" = '["changed","promoted"]' ]
	[ -z "$(copy)" ]
	run -0 mem-promote
	[ "$(jq -c '[.verdict, .state]' <<<"$output")" = '["changed","promoted"]' ]
	[ "$(record)" = '["global","FACT",0.8,3,"promoted","2026-11-28T09:00:00.000Z","'"$(copy)"'"]' ]
	[ "$(mem-get "$(copy)" | jq -c '[.ns, .statement, .trust, .status]')" = '["global","the hub answers on port 8443",0.8,"active"]' ]
	[ "$(mem-search --agent out -m keyword hub | jq -r .id)" = "$(copy)" ]
	[ "$(kg-edge list --kind promoted_to | jq -c '[.from, .to]')" = "[\"$fact\",\"$(copy)\"]" ]
	before=$(mem-export | sha256sum)
	run -0 mem-promote
	[ "$(verdict)" = unchanged ]
	[ "$(mem-export | sha256sum)" = "$before" ]
	[ "$(mem-audit | jq -r 'select(.kind=="promote").detail.posterior' | tr '\n' ' ')" = '0.8 ' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "unknown agents count half, and four of them are not enough" {
	vouch ada bob cid dee
	run -0 mem-promote "$fact"
	[ "$(record)" = '["global","FACT",0.5,4,"pending",null,null]' ]
}

@test "a threshold that no agents can reach is told" {
	echo 'attest: {threshold: 1}' >>store/config.yaml
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	run -0 --separate-stderr mem-promote "$fact"
	[ "$(jq -r .state <<<"$output")" = pending ]
	[ "$stderr" = 'mem-promote: attest.threshold is 1, and no posterior reaches 1: nothing is promoted, and what was is taken back' ]
}

@test "an edited fact is to be vouched for again, and its copy is taken back until the edit is" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mem-promote -q
	new=$(mem-edit --agent bob "$fact" --set 'statement=the hub answers on port 9443' | jq -r .id)
	[ -z "$(kg-edge list --kind attested_by | jq -r --arg n "$new" 'select(.from == $n)')" ]
	mem-promote -q
	[ "$(mem-get "$(copy)" | jq -c '[.statement, .status]')" = '["the hub answers on port 8443","quarantined"]' ]
	mem-edit -q --agent bob --undo "$new"
	mem-promote -q
	[ "$(mem-get "$(copy)" | jq -r .status)" = active ]
	[ "$(copy | wc -l)" = 1 ]
	run -0 mem-check
}

@test "mem-audit --why of the copy tells of the fact, of who wrote it, and why it was taken back" {
	why() { mem-audit --why "$(copy)" "$@"; }
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mem-promote -q
	from=" mem-promote copied it from a fact of team:a ($fact) on 2026-11-28"
	[[ $(why) == *"$from; 3 agents vouch for that, with a posterior of 0.8. bob wrote it by hand on 2026-11-28. Nothing"* ]]
	[ "$(mem-history "$(copy)" | jq -c '.sources | map(.who)')" = '["bob"]' ]
	# One who may not read the fact.
	[[ $(why --agent out) == *' mem-promote copied it from a fact that cannot be read on 2026-11-28; 3 agents vouch for that, with a posterior of 0.8. somebody wrote'* ]]
	# Lost support.
	mem-attest -q --reliability 0.2 dee
	mem-promote -q --now 2026-11-29T09:00:00Z
	[[ $(why) == *"$from; 3 agents vouch for that, with a posterior of 0.64. The gate took it back on 2026-11-29, since it asks for 3 agents and a posterior of 0.8. bob"* ]]
	mem-attest -q --reliability 1 dee
	mem-promote -q --now 2026-11-30T09:00:00Z
	[[ $(why) == *"$from; 3 agents vouch for that, with a posterior of 0.8. bob"* ]]
	mem-promote -q --demote --now 2026-12-01T09:00:00Z "$fact"
	[[ $(why) == *"which is quarantined"*"$from; 3 agents vouch for that, with a posterior of 0.8. It was demoted by hand on 2026-12-01. bob"* ]]
	mem-attest -q --reliability 1 ada
	MEM_NOW=2026-12-02T09:00:00Z vouch ada
	mem-promote -q --now 2026-12-02T09:00:00Z
	mem-forget -q --now 2026-12-03T09:00:00Z "$fact"
	mem-promote -q --now 2026-12-03T09:00:00Z
	[[ $(why --now 2026-12-04T09:00:00Z) == *" The gate took it back on 2026-12-03, since that fact does not hold any more. bob"* ]]
}

@test "a fact is taken back by hand, by lost support, and by a gate that fails now; and comes back" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mem-promote -q
	c=$(copy)
	run -0 mem-promote --demote "$c" # the copy stands for the fact
	[ "$(jq -r .state <<<"$output")" = rejected ]
	[ "$(mem-get "$c" | jq -r .status)" = quarantined ]
	run -0 mem-promote --demote "$fact"
	[ "$(record | jq -c '.[4:6]')" = '["rejected","2026-11-28T09:00:00.000Z"]' ]
	[ "$(kg-edge list --kind demoted_from | jq -c '[.from, .to]')" = "[\"$c\",\"$fact\"]" ]
	run -1 mem-search --agent out -m keyword hub
	[ "$(taken_back)" = 2026-11-28T09:00:00.000Z ]
	# The gate would pass still, and whoever vouched says so again; no run writes anything, until somebody else vouches.
	export MEM_NOW=2026-11-28T10:00:00Z
	vouch bob
	before=$(mem-export | sha256sum)
	run -0 mem-promote
	[ "$(verdict)" = unchanged ]
	run -0 mem-promote "$fact"
	[ "$(verdict)" = unchanged ]
	run -0 mem-promote --demote "$fact"
	[ "$(verdict)" = unchanged ]
	[ "$(mem-export | sha256sum)" = "$before" ]
	mem-attest -q --reliability 1 ada
	vouch ada
	# It comes back, the same node.
	mem-promote -q
	[ "$(mem-get "$c" | jq -r .status)" = active ]
	[ "$(record | jq -r '.[4]')" = promoted ]
	[ "$(taken_back)" = null ]
	export MEM_NOW=2026-11-28T09:00:00Z
	mem-attest -q --reliability 0.2 dee
	mem-promote -q
	[ "$(mem-get "$c" | jq -r .status)" = quarantined ]
	mem-attest -q --reliability 1 dee
	mem-promote -q
	[ "$(mem-get "$c" | jq -r .status)" = active ]
	mem-fact -q --ns team:a --supersede "$fact" 'the hub answers on port 9443'
	mem-promote -q
	[ "$(mem-get "$c" | jq -r .status)" = quarantined ]
	[ "$(mem-audit | jq -r 'select(.kind=="promote" or .kind=="demote").kind' | tr '\n' ' ')" = 'promote demote promote demote promote demote ' ]
	[ "$(mem-audit | jq -r 'select(.kind=="reliability_update").detail.reliability' | tr '\n' ' ')" = '1 1 1 1 0.2 1 ' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a fact that nobody was asked to promote yet is kept from it by hand, too" {
	mem-attest -q --reliability 1 bob cid dee ada
	vouch bob cid dee
	run -0 mem-promote --demote "$fact"
	[ "$(verdict)" = new ]
	mem-promote -q
	[ "$(record)" = '["global","FACT",0.8,3,"rejected","2026-11-28T09:00:00.000Z",null]' ]
	[ -z "$(copy)" ]
	export MEM_NOW=2026-11-28T10:00:00Z
	vouch ada
	mem-promote -q
	[ "$(record | jq -r '.[4]')" = promoted ]
	# Taken back again it waits for another attestation, not for the one of before.
	export MEM_NOW=2026-11-28T11:00:00Z
	mem-promote -q --demote "$fact"
	[ "$(taken_back)" = 2026-11-28T11:00:00.000Z ]
	mem-promote -q
	[ "$(record | jq -r '.[4]')" = rejected ]
}

@test "another who vouches at the very time at which it was taken back counts" {
	mem-attest -q --reliability 1 bob cid dee ada
	vouch bob cid dee
	mem-promote -q
	mem-promote -q --demote "$fact"
	mem-promote -q
	[ "$(record | jq -r '.[4]')" = rejected ]
	vouch ada
	mem-promote -q
	[ "$(record | jq -r '.[4]')" = promoted ]
}

@test "a fact is taken back when all who vouch for it are retired, or no edge says any more that they do" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mem-promote -q
	c=$(copy)
	kg-edge list --kind attested_by | kg-edge -q remove
	mem-promote -q
	[ "$(mem-get "$c" | jq -r .status)" = quarantined ]
	vouch bob cid dee
	mem-promote -q
	[ "$(mem-get "$c" | jq -r .status)" = active ]
	agent-key -q retire bob cid dee
	mem-promote -q
	[ "$(mem-get "$c" | jq -r .status)" = quarantined ]
	[ "$(record | jq -c '.[2:5]')" = '[0.5,0,"rejected"]' ]
}

@test "a fact that was erased after it was promoted has lost its support: the copy is taken back" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mem-promote -q
	copy=$(copy)
	mem-forget -q --erase "$fact"
	[ "$(mem-get "$copy" | jq -r .status)" = active ]
	run -0 mem-promote --dry-run
	[ "$(verdict)" = changed ]
	run -0 mem-promote
	[ "$(verdict)" = changed ]
	[ "$(mem-get "$copy" | jq -r .status)" = quarantined ]
	[ "$(mem-list --kind promotion | jq -c '[.k, .state]')" = '[0,"rejected"]' ]
	[ "$(mem-audit | jq -r 'select(.kind == "demote") | .kind')" = demote ]
	before=$(mem-export | sha256sum)
	run -0 mem-promote
	[ "$(mem-export | sha256sum)" = "$before" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "of the copy of an erased fact nobody is said to have written it but mem-promote" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	cp -r store base
	for gate in 'mem-promote -q' 'mem-maintain promote'; do
		rm -rf store && cp -r base store
		$gate
		mem-forget -q --erase "$fact"
		why=$(mem-audit --why "$(copy)")
		[[ $why == *' mem-promote copied it from a fact that is gone on 2026-11-28. somebody wrote it by hand on 2026-11-28.'* ]] || { echo "$why"; false; }
		[ "$(mem-history "$(copy)" | jq -c '.sources | map(.who)')" = '[null]' ]
	done
}

@test "a fact that was erased after it was promoted is taken back by hand, too; one that never was is not found" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mem-promote -q
	copy=$(copy)
	mem-forget -q --erase "$fact"
	run -0 mem-promote --demote "$fact"
	[ "$(verdict)" = changed ]
	[ "$(mem-get "$copy" | jq -r .status)" = quarantined ]
	other=$(mem-fact --no-embed --ns team:a 'the hub has four fans' | jq -r .id)
	mem-attest -q --agent bob "$other"
	mem-promote -q
	mem-forget -q --erase "$other"
	run -0 mem-promote
	run -1 mem-promote --demote "$other"
	[ "$(jq -r .reason <<<"$output")" = not_found ]
	run -1 mem-promote --demote 01900000-0000-7000-8000-000000000001
	[ "$(jq -r .reason <<<"$output")" = not_found ]
}

@test "a copy that operators forgot, put another in place of, or erased does not come back" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mem-promote -q
	c=$(copy)
	mem-forget -q "$c"
	run -0 mem-promote
	[ "$(verdict)" = unchanged ]
	mem-forget -q --undo "$c"
	mem-fact -q --ns global --supersede "$c" 'the hub answers on port 7443'
	run -0 mem-promote
	[ "$(verdict)" = unchanged ]
	[ "$(mem-get "$c" | jq -r .status)" = superseded ]
	mem-forget -q --erase "$c"
	run -0 mem-promote
	[ "$(verdict)" = unchanged ]
	run -1 mem-get "$c"
	# Nor when the gate fails, and passes again.
	mem-attest -q --reliability 0 dee
	mem-promote -q
	mem-attest -q --reliability 1 dee
	mem-promote -q
	run -1 mem-get "$c"
}

@test "that a fact is taken back by hand is audited, whatever the gate said before" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mem-promote -q
	mem-attest -q --reliability 0 dee
	mem-promote -q
	mem-promote -q --demote "$fact"
	mem-promote -q --demote "$fact"
	[ "$(mem-audit | jq -r 'select(.kind=="promote" or .kind=="demote").kind' | tr '\n' ' ')" = 'promote demote demote ' ]
	[ "$(record | jq -r '.[4]')" = rejected ]
}

@test "the gate is off as shipped, and only operators run it" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	run -4 mem-promote --agent bob
	run -4 mem-attest --agent bob --reliability 1 bob
	sed -i '/^promote:/d' store/config.yaml
	run -4 --separate-stderr mem-promote
	[[ $stderr = *'promote.gate'* ]]
	[ -z "$(mem-list --kind promotion)" ]
}

@test "k and threshold are settings; bad input" {
	echo 'attest: {k: 2, threshold: 0.5}' >>store/config.yaml
	vouch bob
	mem-promote -q "$fact"
	[ "$(record | jq -r '.[4]')" = pending ]
	vouch cid
	mem-promote -q "$fact"
	[ "$(record | jq -r '.[4]')" = promoted ]
	run -1 mem-promote "$(remember '{"content":"tea"}')"
	[ "$(verdict)" = bad_value ]
	run -1 mem-promote 00000000-0000-7000-8000-000000000000
	[ "$(verdict)" = not_found ]
	run -2 mem-promote --demote
}

@test "the job does it every night, where the gate is open" {
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mem-maintain --agent bob promote
	[ -z "$(mem-list --kind promotion)" ]
	mem-maintain promote
	[ "$(record | jq -r '.[4]')" = promoted ]
	[ "$(mem-maintain -v promote | jq -c .)" = '{"task":"promote","done":0}' ]
	sed -i '/^promote:/d' store/config.yaml
	mem-attest -q --reliability 0 dee
	mem-maintain promote
	[ "$(record | jq -r '.[4]')" = promoted ]
}
