#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Learning from sessions: weights by hand, and that neither repeated nor late runs change more.
load helper

setup() {
	scratch
	need_store
}

# SESSION TIME TAG...: a turn.
turn() {
	local session=$1 at=$2
	shift 2
	jq -nc --arg s "$session" --arg at "$at" '{content: "turn \($s) \($at) \($ARGS.positional | join(" "))", session_id: $s, captured_at: $at,
		tags: $ARGS.positional}' --args "$@"
}
pairs() { kg-edge list --kind co_occurs | jq -c '[.weight, .reinforced_at]'; }
tags() { kg-node --kind tag list | jq -c '[.name, .status, .weight, .sessions]'; }

@test "blanks around a tag make it no other one, and blanks alone none" {
	{
		turn s1 2026-11-01T09:00:00Z ' tea ' $'\tmilk\n' ' '
		turn s2 2026-11-01T09:00:00Z tea milk
	} | mem-capture -q --no-embed
	kg-hebb -q --now 2026-11-02T00:00:00Z
	[ "$(kg-node list --kind tag | jq -r .name | sort | paste -sd' ')" = 'milk tea' ]
	[ "$(kg-mine --now 2026-11-02T00:00:00Z --maximal)" = '{"items":["milk","tea"],"count":2,"owners":1}' ]
	[ "$(kg-node add <<<'{"kind":"tag","name":" Tea\t"}' | jq -r .id)" = "$(kg-node list --name tea | jq -r .id)" ]
	[ "$(kg-node list --kind tag | wc -l)" = 2 ]
}

@test "a pair grows by delta once a session, from what it has faded to by then" {
	{
		turn a 2026-11-01T09:00:00Z tea milk
		turn a 2026-11-01T09:10:00Z milk tea
		turn b 2026-11-03T09:00:00Z tea
		turn b 2026-11-03T09:30:00Z milk
	} | mem-capture -q
	run -0 kg-hebb
	[ "$output" = '{"turns":4,"tags":2,"edges":1,"activated":2}' ]
	# .05 * .995^(2 days 30 minutes) + .05
	[ "$(pairs)" = '[0.099496,"2026-11-03T09:30:00.000Z"]' ]
	[ "$(kg-edge list | jq -c '[.edge, .bidirectional, .created_at]')" = '["co_occurs",true,"2026-11-01T09:00:00.000Z"]' ]
	[ "$(mem-audit | jq -r .kind | grep -cE '^(activation|cooccurrence)$')" = 2 ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "together is within the window, and a session counts again when it has passed" {
	{
		turn a 2026-11-01T00:00:00Z x
		turn a 2026-11-01T23:00:00Z y
		turn a 2026-11-02T01:00:00Z z
		turn a 2026-11-02T23:30:00Z x y
	} | mem-capture -q
	kg-hebb -q --delta .1 --decay 1
	# x-y at 23:00 and 24.5 hours later; y-z at 01:00; x-z at the end.
	[ "$(pairs | sort | paste -sd' ')" = '[0.1,"2026-11-02T01:00:00.000Z"] [0.1,"2026-11-02T23:30:00.000Z"] [0.2,"2026-11-02T23:30:00.000Z"]' ]
}

@test "a window of its own" {
	{ turn a 2026-11-01T00:00:00Z x; turn a 2026-11-01T02:00:00Z y; } | mem-capture -q
	cp -r store other
	kg-hebb -q --window 1h
	[ -z "$(pairs)" ]
	[ "$(kg-hebb -S other --window 2h | jq .edges)" = 1 ]
}

@test "a tag is a draft first, active after two sessions; --dry-run lists; turns without a session teach nothing" {
	{ turn a 2026-11-01T00:00:00Z tea; echo '{"content":"alone","tags":["alone"]}'; } | mem-capture -q
	kg-hebb -q
	[ "$(tags)" = '["tea","draft",1,1]' ]
	[ "$(kg-hebb --dry-run | jq -c '[.name, .ns, .sessions, .becomes]')" = '["tea","agent:ada",1,"draft"]' ]
	turn b 2026-11-02T00:00:00Z Tea | mem-capture -q
	turn b 2026-11-02T00:01:00Z cups | mem-capture -q
	turn c 2026-11-02T00:02:00Z cups mugs | mem-capture -q
	before=$(mem-export | cksum)
	[ "$(kg-hebb -q --dry-run | jq -c '[.name, .ns, .sessions, .becomes]')" = '["tea","agent:ada",2,"active"]
["cups","agent:ada",2,"active"]
["mugs","agent:ada",1,"draft"]' ]
	[ "$(mem-export | cksum)" = "$before" ]
	[ "$(kg-hebb)" = '{"turns":3,"tags":3,"edges":2,"activated":2}' ]
	[ "$(tags | sort | paste -sd' ')" = '["cups","active",1,2] ["mugs","draft",1,1] ["tea","active",1,2]' ]
	[ "$(kg-hebb --dry-run | jq -c '[.name, .sessions, .becomes]')" = '["mugs",1,"draft"]' ]
	[ "$(mem-audit | jq -r .kind | grep -c tag_active)" = 2 ]
}

@test "what a turn mentions counts, and is linked to its tags" {
	turn a 2026-11-01T00:00:00Z tea | mem-capture | jq -r .id >id
	kg-hebb -q
	echo '{"kind":"entity","type":"person","name":"Zoe"}' | kg-node -q add
	echo "{\"edge\":\"mentions\",\"from\":\"$(cat id)\",\"to\":\"Zoe\"}" | kg-edge -q add
	[ "$(kg-hebb | jq -c '[.turns, .edges]')" = '[0,1]' ]
	[ "$(pairs)" = '[0.05,"2026-11-01T00:00:00.000Z"]' ]
	[ "$(kg-hebb | jq .edges)" = 0 ]
}

@test "seven days, run twice each, and once for all a year later: the same export" {
	awk 'BEGIN { srand(3)
		for (d = 1; d <= 7; d++) for (s = 1; s <= 3; s++) for (k = 1; k <= 4; k++)
			printf "{\"content\":\"turn %d %d %d\",\"session_id\":\"s%d-%d\",\"captured_at\":\"2026-11-%02dT%02d:%02d:00Z\",\"tags\":[\"t%d\",\"t%d\"]}\n",
				d, s, k, d, s, d, 6 + s, k, int(rand() * 6), int(rand() * 6) }' | mem-capture -q --now 2026-11-08T00:00:00Z
	cp -r store once
	for day in 2 3 4 5 6 7 8; do
		kg-hebb -q --now 2026-11-0${day}T02:30:00Z
		kg-hebb -q --now 2026-11-0${day}T02:30:00Z
	done
	kg-hebb -q -S once --now 2027-11-08T02:30:00Z
	mem-export >daily
	mem-export -S once | cmp - daily
	[ "$(grep -c co_occurs daily)" -gt 10 ]
}

@test "day by day as turns come: weights as of one run over all" {
	mem-init once >/dev/null
	for day in 1 2 3 4 5; do
		for session in a b; do
			turn $session$day 2026-11-0${day}T1$day:00:00Z x y >turns
			turn $session$day 2026-11-0${day}T1$day:30:00Z x "w$((day % 2))" >>turns
			mem-capture -q <turns
			mem-capture -q -S once <turns
		done
		kg-hebb -q
	done
	kg-hebb -q -S once
	mem-export -S once | jq -c 'select(.edge or .kind == "tag") | del(.id)' | sort >all
	mem-export | jq -c 'select(.edge or .kind == "tag") | del(.id)' | sort | cmp - all
	[ "$(grep -c co_occurs all)" = 5 ]
	kg-export -S once --format taxonomy >all
	kg-export --format taxonomy | cmp - all
}

@test "a turn from the future counts as of the run that takes it, and holds nothing back" {
	turn a 2099-01-01T00:00:00Z x y | mem-capture -q --now 2026-11-01T00:00:00Z
	for day in 2 3 4; do
		turn b$day 2026-11-0${day}T00:00:00Z x y | mem-capture -q --now 2026-11-0${day}T00:00:00Z
		kg-hebb -q --now 2026-11-0${day}T01:00:00Z
	done
	# .05 (1 + .995 + .995^2 + .995^(47/24)): the first run is of 01:00
	[ "$(pairs)" = '[0.198763,"2026-11-04T00:00:00.000Z"]' ]
	[ "$(kg-node --kind tag list | jq -r .reinforced_at | sort -u)" = 2026-11-04T00:00:00.000Z ]
}

@test "a tag that had decayed is in use again by its next turn, in whatever order turns come" {
	used() { turn "$1" "$2" x y | mem-capture -q && kg-hebb -q; }
	cp -r store other
	used a 2026-01-01T00:00:00Z
	used b 2026-01-02T00:00:00Z
	[ "$(kg-mine --min-count 1 --now 2026-04-01T00:00:00Z)" = '' ]
	used c 2026-04-01T00:00:00Z
	[ "$(kg-node --kind tag list | jq -c .weight | sort -u)" = 0.15 ]
	[ "$(kg-mine --min-count 1 --now 2026-04-01T01:00:00Z | wc -l)" = 3 ]
	[ "$(kg-mine --min-count 1 --now 2026-04-10T00:00:00Z | wc -l)" = 0 ]
	export MEM_STORE=$PWD/other
	used c 2026-04-01T00:00:00Z
	used a 2026-01-01T00:00:00Z
	used b 2026-01-02T00:00:00Z
	[ "$(kg-mine --min-count 1 --now 2026-04-01T01:00:00Z | wc -l)" = 3 ]
}

@test "weights fade with the time that has passed, to the millisecond" {
	printf '%s\n' '{"kind":"entity","name":"hub"}' '{"kind":"entity","name":"port"}' | kg-node -q add
	kg-edge -q add <<<'{"edge":"co_occurs","from":"hub","to":"port","weight":0.8,"reinforced_at":"2026-06-01T12:50:00.500Z"}'
	for at in 2026-06-01T12:50:00Z 2026-06-01T12:59:59.999Z 2026-06-01T13:00:00Z 2026-06-02T13:10:07Z 2026-11-27T03:33:33.333Z; do
		for from in hub port; do
			kg-neighbors --direction both --now $at $from | jq --arg at $at '(($at | capture("^(?<t>[^.]*)[.]?(?<f>[0-9]*)") | ((.t + "Z" | sub("ZZ"; "Z") | fromdate) + (("0." + .f + "0") | tonumber))) - 1780318200.5) as $s |
				.weight - 0.8 * ((if $s > 0 then $s else 0 end) / 86400 * (0.995 | log) | exp) | fabs < 0.000001'
		done
	done >right
	[ "$(sort right | uniq -c | xargs)" = '10 true' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "runs at the same time: each turn counts once" {
	seq 2000 | jq -c '{content: "turn \(.)", session_id: "s\(.)", captured_at: "2026-11-01T09:00:00Z", tags: ["x", "y"]}' | mem-capture -q --no-embed
	cp -r store once
	kg-hebb -q -S once
	patient
	for _ in 1 2 3 4; do
		kg-hebb -q &
	done
	wait
	[ "$(kg-node --kind tag list | jq -c .sessions | paste -sd' ')" = '2000 2000' ]
	mem-export -S once >expected
	mem-export | cmp - expected
}

@test "reinforce: a tenth of what it lacks, from what it has faded to" {
	echo '{"kind":"tag","name":"tea","weight":0.5}' | kg-node -q add
	[ "$(kg-hebb --now 2026-11-01T00:00:00Z reinforce tea | jq -r .verdict)" = changed ]
	[ "$(kg-node --kind tag list | jq -c '[.weight, .reinforced_at, .version]')" = '[0.55,"2026-11-01T00:00:00.000Z",1]' ]
	# .55 * .95^2 = .496375
	kg-hebb -q --now 2026-11-03T00:00:00Z reinforce tea
	[ "$(kg-node --kind tag list | jq .weight)" = 0.546738 ]
	echo '{"kind":"entity","type":"person","name":"Zoe"}' | kg-node -q add
	run -1 kg-hebb reinforce Zoe nobody
	[ "$(jq -r .reason <<<"$output" | paste -sd' ')" = 'bad_value not_found' ]
	run -2 kg-hebb strengthen tea
	run -2 kg-hebb reinforce
	run -2 kg-hebb learn tea
	for wrong in '--window 1h' '--delta .1' '--decay .9'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr kg-hebb $wrong reinforce tea
		[ "$stderr" = "kg-hebb: ${wrong% *} is not for reinforce" ]
	done
}

@test "the nightly jobs do the same" {
	{ turn a 2026-11-01T00:00:00Z x y; turn b 2026-11-02T00:00:00Z x y; } | mem-capture -q
	cp -r store by-hand
	kg-hebb -q -S by-hand
	run -0 mem-maintain -v --now 2026-12-01T00:00:00Z activation cooccurrence tags
	[ "$output" = $'{"task":"activation","done":2}\n{"task":"cooccurrence","done":1}\n{"task":"tags","done":2}' ]
	mem-export -S by-hand | sed 's/kg-hebb/mem-maintain/' >expected
	mem-export | cmp - expected
	run -0 mem-maintain --list --now 2026-12-02T12:00:00Z activation
	[ "$(jq .due <<<"$output")" = false ]
}

@test "a tag goes with the last turn that had it" {
	turn a 2026-11-01T00:00:00Z quokkatag other | mem-capture | jq -r .id >first
	turn b 2026-11-02T00:00:00Z other | mem-capture -q
	kg-hebb -q
	mem-forget -q --erase "$(cat first)"
	[ "$(kg-node --kind tag list | jq -r .name)" = other ]
	mem-maintain compact
	run -1 grep -aq quokkatag store/data.mdb
	run -0 mem-check
}
