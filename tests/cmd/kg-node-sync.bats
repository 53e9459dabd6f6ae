#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Nodes of agents, teams, tasks and sessions, from turns: of ada, and of bob, who is of the same team.
load helper

setup() {
	scratch
	need_store
	export MEM_TEAMS=crew MEM_TASKS=atlas
}

# Text SESSION TIME [NS]: a turn.
turn() { jq -nc '{content: $ARGS.positional[0], session_id: $ARGS.positional[1], captured_at: $ARGS.positional[2]} + if $ARGS.positional[3] then {ns: $ARGS.positional[3]} else {} end' --args "$@"; }
some_turns() {
	turn tea s1 2026-11-01T10:00:00Z
	turn plan standup 2026-11-02T09:00:00Z team:crew
	turn milk s1 2026-11-01T09:00:00Z
	echo '{"content":"do","ns":"task:atlas"}'
}
# KIND: namespaces and names.
named() { mem-list --every-namespace --kind "$1" | jq -r '"\(.ns)/\(.name)"' | sort | paste -sd' '; }
# Edges with the names of their ends.
joined() {
	mem-export --every-namespace | jq -rs '(map(select(.kind) | {(.id): "\(.ns)/\(.name)"}) | add) as $n | .[] | select(.edge) |
		"\($n[.from]) \(.edge) \($n[.to])"' | sort
}

@test "each in its own namespace, with edges to each other; the second run writes nothing" {
	some_turns | mem-capture -q
	run -0 kg-node sync
	[ "$output" = '{"turns":4,"nodes":5,"edges":4}' ]
	[ "$(named agent) $(named team) $(named task)" = 'agent:ada/ada team:crew/crew task:atlas/atlas' ]
	[ "$(named session)" = 'agent:ada/s1 team:crew/standup' ]
	[ "$(joined)" = $'agent:ada/ada member_of team:crew/crew\nagent:ada/ada took_part agent:ada/s1\nagent:ada/ada took_part team:crew/standup\nagent:ada/ada works_on task:atlas/atlas' ]
	[ "$(mem-list --kind session --ns agent:ada | jq -c '[.first_at, .last_at]')" = '["2026-11-01T09:00:00.000Z","2026-11-01T10:00:00.000Z"]' ]
	mem-export >before; mem-log >log; mem-audit >audit
	for _ in 1 2; do
		run -0 kg-node sync
		[ "$output" = '{"turns":0,"nodes":0,"edges":0}' ]
	done
	mem-export | cmp - before; mem-log | cmp - log; mem-audit | cmp - audit
	[ "$(jq -r 'select(.kind == "sync") | .detail.nodes' audit)" = 5 ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a session's turns and who took part are asked for by its id" {
	some_turns | mem-capture -q
	kg-node -q sync
	[ "$(kg-neighbors s1 | jq -r '"\(.kind) \(.name)"')" = 'agent ada' ]
	[ "$(mem-list --session s1 | jq -r .content | sort | paste -sd' ')" = 'milk tea' ]
	[ "$(kg-neighbors --edge took_part ada | jq -r .name | sort | paste -sd' ')" = 's1 standup' ]
}

@test "a session reaches as far as its turns; what was there keeps its id and its version" {
	some_turns | mem-capture -q
	kg-node -q sync
	was=$(mem-list --kind session --ns agent:ada | jq -c '[.id, .version, .created_at, .first_at]')
	turn later s1 2026-11-05T10:00:00Z | mem-capture -q
	turn between s1 2026-11-01T09:30:00Z | mem-capture -q
	[ "$(kg-node sync)" = '{"turns":2,"nodes":1,"edges":0}' ]
	[ "$(mem-list --kind session --ns agent:ada | jq -c '[.id, .version, .created_at, .first_at]')" = "$was" ]
	[ "$(mem-list --kind session --ns agent:ada | jq -r .last_at)" = 2026-11-05T10:00:00.000Z ]
	[ "$(mem-log | grep -c '"op":"synced"')" = 1 ]
	turn amid s1 2026-11-01T09:40:00Z | mem-capture -q
	[ "$(kg-node sync)" = '{"turns":1,"nodes":0,"edges":0}' ]
}

@test "each agent joins itself: another's run leaves nothing out, and took_part is of those who captured" {
	some_turns | mem-capture -q
	turn more standup 2026-11-02T09:05:00Z team:crew | MEM_AGENT=bob mem-capture -q
	turn alone solo 2026-11-02T09:10:00Z team:crew | MEM_AGENT=bob mem-capture -q
	kg-node -q sync
	[ "$(joined | grep -c solo)" = 0 ]
	[ "$(MEM_AGENT=bob kg-node sync)" = '{"turns":4,"nodes":1,"edges":3}' ]
	[ "$(joined | grep ^agent:bob)" = $'agent:bob/bob member_of team:crew/crew\nagent:bob/bob took_part team:crew/solo\nagent:bob/bob took_part team:crew/standup' ]
	MEM_AGENT=eve MEM_TEAMS='' MEM_TASKS='' run -0 kg-node sync
	[ "$output" = '{"turns":0,"nodes":0,"edges":0}' ]
	[ "$(named agent)" = 'agent:ada/ada agent:bob/bob' ]
}

@test "an operator joins all who captured: each in its own namespace, with its own teams, tasks and sessions" {
	some_turns | mem-capture -q
	turn more standup 2026-11-02T09:05:00Z team:crew | MEM_AGENT=bob mem-capture -q
	turn alone solo 2026-11-02T09:10:00Z | MEM_AGENT=bob mem-capture -q
	run -0 kg-node sync --every-namespace
	[ "$output" = '{"turns":6,"nodes":7,"edges":7}' ]
	[ "$(named agent) $(named session)" = 'agent:ada/ada agent:bob/bob agent:ada/s1 agent:bob/solo team:crew/standup' ]
	[ "$(joined | grep ^agent:bob)" = $'agent:bob/bob member_of team:crew/crew\nagent:bob/bob took_part agent:bob/solo\nagent:bob/bob took_part team:crew/standup' ]
	mem-export --every-namespace >before; mem-audit --every-namespace >audit
	for agent in ada bob; do kg-node -q sync --agent $agent; done
	[ "$(kg-node sync --every-namespace)" = '{"turns":0,"nodes":0,"edges":0}' ]
	mem-export --every-namespace | cmp - before; mem-audit --every-namespace | cmp - audit
	run -4 kg-node sync --agent bob --every-namespace
}

@test "turns of a team that the caller joins later are seen then" {
	turn plan standup 2026-11-02T09:00:00Z team:crew | mem-capture -q
	MEM_TEAMS='' run -0 kg-node sync
	[ "$output" = '{"turns":0,"nodes":0,"edges":0}' ]
	turn tea s1 2026-11-01T10:00:00Z | mem-capture -q
	MEM_TEAMS='' kg-node -q sync
	[ "$(kg-node sync)" = '{"turns":1,"nodes":2,"edges":2}' ]
}

@test "sessions that differ by a byte are two; strange names, and one long piece after the other" {
	n=0
	for name in a A 'Zoë "x"' 'ghost\u0000' ' '; do
		n=$((n + 1))
		echo "{\"content\":\"of $n\",\"session_id\":\"${name//\"/\\\"}\"}"
	done | mem-capture -q || true
	turns=$(mem-list --kind episode | jq -s 'map(.session_id) | unique | length')
	kg-node -q sync
	[ "$(mem-list --kind session | wc -l)" = "$turns" ]
	[ "$(mem-list --kind session | jq -r .name | sort)" = "$(mem-list --kind episode | jq -r .session_id | sort -u)" ]
	seq 1300 | jq -c '{content: "n\(.)", session_id: "p\(. % 600)"}' | mem-capture -q --no-embed
	cp -r store other
	[ "$(kg-node -S other --dry-run sync)" = '{"turns":1300,"nodes":600,"edges":600}' ]
	[ "$(mem-list -S other --kind session | wc -l)" = "$turns" ]
	[ "$(kg-node sync)" = '{"turns":1300,"nodes":600,"edges":600}' ]
	[ "$(mem-audit | jq -r 'select(.kind == "sync") | .detail.nodes' | paste -sd' ')" = "$((turns + 1)) 250 250 100" ]
}

@test "--dry-run counts and keeps nothing, and the same input at the same time is the same bytes" {
	some_turns | mem-capture -q --now 2026-11-03T00:00:00Z
	cp -r store other
	mem-export >before
	[ "$(kg-node --dry-run sync)" = '{"turns":4,"nodes":5,"edges":4}' ]
	mem-export | cmp - before
	kg-node -q --now 2026-11-04T00:00:00Z sync
	kg-node -q -S other --now 2026-11-04T00:00:00Z sync
	mem-export >after
	mem-export -S other | cmp - after
}

@test "the nightly job does the same" {
	some_turns | mem-capture -q
	cp -r store by-hand
	kg-node -q -S by-hand --now 2026-12-01T00:00:00Z sync
	run -0 mem-maintain -v --now 2026-12-01T00:00:00Z sync
	[ "$output" = '{"task":"sync","done":5}' ]
	mem-export -S by-hand | sed 's/kg-node/mem-maintain/' >expected
	mem-export | cmp - expected
	run -0 mem-maintain --list --now 2026-12-02T12:00:00Z sync
	[ "$(jq .due <<<"$output")" = false ]
}

@test "a node that was there stays as it is" {
	echo '{"kind":"task","name":"Atlas","ns":"task:atlas","description":"the book of maps"}' | kg-node -q add
	some_turns | mem-capture -q
	[ "$(kg-node sync | jq .nodes)" = 4 ]
	[ "$(mem-list --kind task | jq -c '[.name, .description, .version]')" = '["Atlas","the book of maps",1]' ]
	[ "$(joined | grep works_on)" = 'agent:ada/ada works_on task:atlas/Atlas' ]
}

@test "an entity that is called like an agent or a session is what the name means" {
	echo '{"kind":"entity","type":"person","name":"Ada"}' | kg-node -q add
	echo '{"kind":"entity","type":"thing","name":"s1"}' | kg-node -q add
	some_turns | mem-capture -q
	kg-node -q sync
	[ "$(echo '{"edge":"owns","from":"ada","to":"s1"}' | kg-edge add | jq -r .verdict)" = new ]
	[ "$(joined | grep owns)" = 'agent:ada/Ada owns agent:ada/s1' ]
	[ "$(kg-neighbors ada | jq -r .kind)" = entity ]
}

@test "a session's node goes with the last of its turns" {
	turn first quokkatalk 2026-11-01T09:00:00Z | mem-capture | jq -r .id >ids
	turn second quokkatalk 2026-11-01T10:00:00Z | mem-capture | jq -r .id >>ids
	kg-node -q sync
	mem-forget -q --erase "$(sed -n 1p ids)"
	[ "$(named session)" = agent:ada/quokkatalk ]
	mem-forget -q --erase "$(sed -n 2p ids)"
	[ -z "$(named session)" ]
	[ -z "$(joined)" ]
	mem-maintain compact
	run -1 grep -aq quokkatalk store/data.mdb
	run -0 mem-check
	[ -z "$output" ]
}
