#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

# Alice tells of Acme, Bob of Globex, and ada writes down Acme again; a fact of a team stands before them.
setup() {
	scratch
	need_store
	MEM_TEAMS=blue mem-import <<'END' >receipts
{"id":"00000000-0000-8000-8000-000000000011","kind":"episode","ns":"agent:ada","created_at":"2026-03-10T00:00:00.000Z","captured_at":"2026-03-01T00:00:00.000Z","speaker":"Alice","role":"user","content":"Good news. I work at Acme."}
{"id":"00000000-0000-8000-8000-000000000012","kind":"episode","ns":"agent:ada","created_at":"2026-06-10T00:00:00.000Z","captured_at":"2026-06-01T00:00:00.000Z","role":"tool","content":"Alice moved to Globex."}
{"id":"00000000-0000-8000-8000-000000000021","kind":"fact","ns":"agent:ada","created_at":"2026-03-10T00:00:00.000Z","version":2,"status":"superseded","statement":"Alice works at Acme","valid_from":"2026-03-01T00:00:00.000Z","valid_to":"2026-06-01T00:00:00.000Z","confidence":0.72,"trust":0.45,"type":"fact","rule":"works_at@1","origin":{"agent":"ada","via":"mem-consolidate"},"sources":[{"episode":"00000000-0000-8000-8000-000000000011","start":11,"end":26,"at":"2026-03-01T00:00:00.000Z","captured_at":"2026-03-01T00:00:00.000Z","veracity":"stated","confidence":0.6}],"superseded_by":"00000000-0000-8000-8000-000000000022","superseded_at":"2026-06-10T00:00:00.000Z","superseded_reason":"newer"}
{"id":"00000000-0000-8000-8000-000000000022","kind":"fact","ns":"agent:ada","created_at":"2026-06-10T00:00:00.000Z","version":2,"status":"superseded","statement":"Alice works at Globex","valid_from":"2026-06-01T00:00:00.000Z","valid_to":"2026-10-01T00:00:00.000Z","confidence":0.8,"sources":["00000000-0000-8000-8000-000000000012"],"superseded_at":"2026-10-10T00:00:00.000Z"}
{"id":"00000000-0000-8000-8000-000000000023","kind":"fact","ns":"agent:ada","created_at":"2026-10-10T00:00:00.000Z","version":1,"status":"active","statement":"Alice works at Acme","valid_from":"2026-10-01T00:00:00.000Z","valid_to":null,"confidence":0.9,"pinned":true,"sources":[{"episode":null,"start":null,"end":null,"at":"2026-10-01T00:00:00.000Z","captured_at":"2026-10-10T00:00:00.000Z","veracity":"stated","confidence":0.9}],"origin":{"agent":"ada","via":"mem-fact"}}
{"id":"00000000-0000-8000-8000-000000000024","kind":"fact","ns":"agent:ada","created_at":"2026-10-11T00:00:00.000Z","version":1,"status":"quarantined","statement":"Alice works nowhere","valid_from":"2026-10-01T00:00:00.000Z"}
{"id":"00000000-0000-8000-8000-000000000025","kind":"fact","ns":"team:blue","created_at":"2026-01-11T00:00:00.000Z","version":2,"status":"superseded","statement":"Alice studies","valid_from":"2026-01-01T00:00:00.000Z"}
{"edge":"superseded_by","from":"00000000-0000-8000-8000-000000000021","to":"00000000-0000-8000-8000-000000000022","created_at":"2026-06-10T00:00:00.000Z","reason":"newer"}
{"edge":"superseded_by","from":"00000000-0000-8000-8000-000000000022","to":"00000000-0000-8000-8000-000000000023","created_at":"2026-10-10T00:00:00.000Z","reason":"newer"}
{"edge":"superseded_by","from":"00000000-0000-8000-8000-000000000025","to":"00000000-0000-8000-8000-000000000021","created_at":"2026-03-10T00:00:00.000Z","reason":"newer"}
{"edge":"contradicts","from":"00000000-0000-8000-8000-000000000024","to":"00000000-0000-8000-8000-000000000023","created_at":"2026-10-11T00:00:00.000Z"}
END
	[ "$(grep -c '"verdict":"new"' receipts)" = 11 ]
	id=00000000-0000-8000-8000-0000000000
}

# The last two digits of ids.
short() { jq -r "$1" | sed 's/.*\(..\)$/\1/' | paste -sd' '; }

@test "mem-history prints every version in order, whichever is named" {
	for one in 21 22 23; do
		run -0 --separate-stderr mem-history "$id$one"
		[ -z "$stderr" ]
		[ "$(short .id <<<"$output")" = '21 22 23' ]
	done
	[ "$(jq -c '[.status,.current,.valid_from[:10],.valid_to[:10]?,.known_from[:10],.known_to[:10]?]' <<<"$output" | head -1)" = \
		'["superseded",false,"2026-03-01","2026-06-01","2026-03-10","2026-06-10"]' ]
	[ "$(jq -r '.superseded_by | if . then "\(.id[-2:]) \(.reason)" else "none" end' <<<"$output" | paste -sd,)" = '22 newer,23 newer,none' ]
	[ "$(jq -c '[.rule,.via,.agent,.confidence,.pinned]' <<<"$output" | paste -sd' ')" = \
		'["works_at@1","mem-consolidate","ada",0.72,false] [null,null,null,0.8,false] [null,"mem-fact","ada",0.9,true]' ]
}

@test "mem-history names the evidence: episode, when, who and the words" {
	run -0 mem-history "${id}22"
	[ "$(jq -c '.sources[0] | [.episode[-2:]?,.who,.captured_at[:10],.excerpt]' <<<"$output" | paste -sd' ')" = \
		'["11","Alice","2026-03-01","I work at Acme."] ["12","tool","2026-06-01","Alice moved to Globex."] [null,"ada","2026-10-10",null]' ]
	[ "$(jq -c .contradicts <<<"$output" | tail -1)" = "[\"${id}24\"]" ]
	[ "$(mem-history "${id}24" | jq -c .contradicts)" = "[\"${id}23\"]" ]
	# A long text is cut between characters; a place that is not in it is none.
	long=$(printf 'ä%.0s' {1..150})
	mem-import <<END >/dev/null
{"id":"${id}31","kind":"episode","ns":"agent:ada","created_at":"2026-03-10T00:00:00.000Z","content":"x$long"}
{"id":"${id}32","kind":"note","ns":"agent:ada","created_at":"2026-03-10T00:00:00.000Z","content":"short","sources":[{"episode":"${id}31","start":700,"end":900},{"episode":"${id}99"},7,"x"]}
END
	[ "$(mem-history "${id}32" | jq -r '.sources[].excerpt')" = "x${long:0:99}" ]
}

@test "mem-history leaves out what the caller may not read" {
	[ "$(MEM_TEAMS=blue mem-history "${id}22" | short .id)" = '25 21 22 23' ]
	[ "$(MEM_TEAMS=blue mem-history "${id}25" | short .id)" = '25 21 22 23' ]
	[ "$(MEM_TEAMS=blue mem-history --agent bob "${id}25" | short .id)" = '25' ]
	run -1 --separate-stderr mem-history --agent bob "${id}21"
	[ "$stderr" = "mem-history: no such node: ${id}21" ]
	run -1 mem-history 00000000-0000-8000-8000-0000000000
	run -2 mem-history nonsense
	run -2 mem-history
	run -2 mem-history "${id}21" "${id}22"
}

@test "mem-history follows an order that runs in a circle once" {
	mem-import <<END >/dev/null
{"edge":"superseded_by","from":"${id}23","to":"${id}21","created_at":"2026-10-10T00:00:00.000Z"}
END
	[ "$(mem-history "${id}22" | short .id)" = '21 22 23' ]
}

@test "mem-history prints a table for people" {
	run -0 mem-history --format text "${id}22"
	[[ ${lines[0]} == FROM*UNTIL*STATUS*ID*WHO*WHY*WHAT ]]
	[[ ${lines[1]} == 2026-03-01*2026-06-01*superseded*"${id}21"*Alice*newer*'Alice works at Acme' ]]
	[[ ${lines[3]} == 2026-10-01*-*active*ada*-*'Alice works at Acme' ]]
	[ ${#lines[@]} = 4 ]
}
