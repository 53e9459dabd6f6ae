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

@test "mem-history of what was made of beliefs names who said those, each episode once" {
	MEM_TEAMS=blue mem-import <<END >receipts
{"id":"${id}13","kind":"episode","ns":"agent:ada","created_at":"2026-10-20T00:00:00.000Z","captured_at":"2026-10-02T00:00:00.000Z","speaker":"Zed","content":"I live in Bonn and know Bo."}
{"id":"${id}14","kind":"episode","ns":"team:blue","created_at":"2026-10-20T00:00:00.000Z","captured_at":"2026-10-02T00:00:00.000Z","speaker":"Zed","content":"The team keeps this to itself."}
{"id":"${id}41","kind":"fact","ns":"agent:ada","created_at":"2026-10-20T00:00:00.000Z","statement":"Zed lives in Bonn","confidence":0.9,"sources":[{"episode":"${id}13","start":0,"end":14,"captured_at":"2026-10-02T00:00:00.000Z","veracity":"stated","confidence":0.9}],"origin":{"agent":"ada"}}
{"id":"${id}42","kind":"fact","ns":"agent:ada","created_at":"2026-10-20T00:00:00.000Z","statement":"Zed knows Bo","sources":["${id}13"],"origin":{"agent":"ada"}}
{"id":"${id}43","kind":"fact","ns":"agent:ada","created_at":"2026-10-20T00:00:00.000Z","statement":"Zed studies","sources":[{"episode":null,"captured_at":"2026-10-05T00:00:00.000Z"}],"origin":{"agent":"bob"}}
{"id":"${id}44","kind":"fact","ns":"agent:ada","created_at":"2026-10-20T00:00:00.000Z","statement":"Zed hides","sources":["${id}14"],"origin":{"agent":"ada"}}
{"id":"${id}45","kind":"fact","ns":"agent:ada","created_at":"2026-10-21T00:00:00.000Z","statement":"Zed sings","origin":{"agent":"cid"}}
{"id":"${id}51","kind":"note","ns":"agent:ada","created_at":"2026-10-20T00:00:00.000Z","content":"All of Zed","confidence":0.9,"sources":["${id}41","${id}42","${id}43","${id}44","${id}45"],"origin":{"agent":"ada"}}
{"id":"${id}52","kind":"note","ns":"agent:ada","created_at":"2026-10-21T00:00:00.000Z","content":"In a circle","sources":["${id}51","${id}54"],"origin":{"agent":"ada"}}
{"id":"${id}54","kind":"note","ns":"agent:ada","created_at":"2026-10-21T00:00:00.000Z","content":"In a circle, too","sources":["${id}52"],"origin":{"agent":"ada"}}
{"id":"${id}53","kind":"learning","ns":"agent:ada","created_at":"2026-10-21T00:00:00.000Z","content":"Zed is busy","origin":{"agent":"ada"}}
{"edge":"derived_from","from":"${id}53","to":"${id}42","created_at":"2026-10-21T00:00:00.000Z"}
END
	[ "$(grep -c '"verdict":"new"' receipts)" = 12 ]
	sources() { mem-history "${id}$1" | jq -r '.sources[] | [.episode[-2:]? // "-", .who, .captured_at[:10], .excerpt, .confidence] | map(tostring) | join("|")' | paste -sd' '; }
	said='13|Zed|2026-10-02|I live in Bonn|null -|bob|2026-10-05|Zed studies|null -|cid|2026-10-21|Zed sings|null'
	[ "$(sources 51)" = "$said" ]
	[ "$(sources 52)" = "$said" ]
	[ "$(sources 53)" = '13|Zed|2026-10-02|I live in Bonn and know Bo.|null' ]
	[ "$(sources 41)" = '13|Zed|2026-10-02|I live in Bonn|0.9' ]
	[[ $(mem-audit --why "${id}51") == *' Zed said so on 2026-10-02: "I live in Bonn"; bob wrote it by hand on 2026-10-05: "Zed studies"; and cid wrote it by hand on 2026-10-21: "Zed sings". '* ]]
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
