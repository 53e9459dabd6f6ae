#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The paragraph that says why something is believed.
load helper

setup() {
	scratch
	need_store
	mem-import <<'END' >receipts
{"id":"00000000-0000-8000-8000-000000000011","kind":"episode","ns":"agent:ada","created_at":"2026-03-10T00:00:00.000Z","captured_at":"2026-03-01T00:00:00.000Z","speaker":"Alice","role":"user","content":"Good news. I work at Acme."}
{"id":"00000000-0000-8000-8000-000000000012","kind":"episode","ns":"agent:ada","created_at":"2026-03-20T00:00:00.000Z","captured_at":"2026-03-20T00:00:00.000Z","speaker":"Bob","role":"user","content":"Alice works at Acme"}
{"id":"00000000-0000-8000-8000-000000000021","kind":"fact","ns":"agent:ada","created_at":"2026-03-10T00:00:00.000Z","version":2,"status":"superseded","statement":"Alice works at Acme","valid_from":"2026-03-01T00:00:00.000Z","valid_to":"2026-06-01T00:00:00.000Z","confidence":0.72,"trust":0.45,"rule":"works_at@1","sources":[{"episode":"00000000-0000-8000-8000-000000000011","start":11,"end":26,"at":"2026-03-01T00:00:00.000Z","captured_at":"2026-03-01T00:00:00.000Z","veracity":"stated","confidence":0.6},{"episode":"00000000-0000-8000-8000-000000000012","start":0,"end":19,"at":"2026-03-20T00:00:00.000Z","captured_at":"2026-03-20T00:00:00.000Z","veracity":"stated","confidence":0.6}],"superseded_by":"00000000-0000-8000-8000-000000000022","superseded_at":"2026-06-10T00:00:00.000Z","superseded_reason":"newer"}
{"id":"00000000-0000-8000-8000-000000000022","kind":"fact","ns":"agent:ada","created_at":"2026-06-10T00:00:00.000Z","version":1,"status":"active","statement":"Alice works at Globex","valid_from":"2026-06-01T00:00:00.000Z","valid_to":null,"confidence":0.9,"sources":[{"episode":null,"start":null,"end":null,"at":"2026-06-01T00:00:00.000Z","captured_at":"2026-06-10T00:00:00.000Z","veracity":"stated","confidence":0.9}],"origin":{"agent":"ada","via":"mem-fact"}}
{"id":"00000000-0000-8000-8000-000000000024","kind":"fact","ns":"agent:ada","created_at":"2026-10-11T00:00:00.000Z","version":1,"status":"quarantined","statement":"Alice works\nnowhere","valid_from":"2026-10-01T00:00:00.000Z"}
{"edge":"superseded_by","from":"00000000-0000-8000-8000-000000000021","to":"00000000-0000-8000-8000-000000000022","created_at":"2026-06-10T00:00:00.000Z","reason":"newer"}
{"edge":"contradicts","from":"00000000-0000-8000-8000-000000000024","to":"00000000-0000-8000-8000-000000000022","created_at":"2026-10-11T00:00:00.000Z"}
END
	id=00000000-0000-8000-8000-0000000000
}

@test "mem-audit --why: what was believed, from whom, what took its place, how sure it was" {
	run -0 --separate-stderr mem-audit --why "${id}21"
	[ -z "$stderr" ]
	[ "$output" = 'It was believed from 2026-03-10 to 2026-06-10 that "Alice works at Acme", true from 2026-03-01 to 2026-06-01.'\
' Alice said so on 2026-03-01: "I work at Acme."; and Bob said so on 2026-03-20. The rule works_at@1 found it.'\
' "Alice works at Globex" ('"${id}"'22) took its place on 2026-06-10, since another value is true since then. Nothing contradicts it.'\
' Its confidence is 0.72: 0.6 at first, 0.72 after Bob. Its trust is 0.45.' ]
	[ "$(mem-audit --why "${id}21" --now 2027-01-01)" = "$output" ]
}

@test "mem-audit --why: what is believed, what it replaced, what contradicts it, who took care of it" {
	run -0 mem-audit --why "${id}22"
	[ "$output" = 'It is believed that "Alice works at Globex", true since 2026-06-01, known since 2026-06-10. ada wrote it by hand on 2026-06-10.'\
' It took the place of "Alice works at Acme" ('"${id}"'21) on 2026-06-10, since another value is true since then.'\
' "Alice works nowhere" ('"${id}"'24) contradicts it and is quarantined. Its confidence is 0.9.' ]
	mem-pin -q --now 2026-11-01T00:00:00Z "${id}22"
	mem-boost -q "${id}22"
	[[ $(mem-audit --why "${id}22") == *' ada pinned it on 2026-11-01. ada changed its importance on 2026-11-28.' ]]
	mem-forget -q --force "${id}22"
	[[ $(mem-audit --why "${id}22") == 'It is forgotten that "Alice works at Globex"'*' ada forgot it on 2026-11-28.' ]]
	[[ $(mem-audit --why "${id}24") == 'It is not believed that "Alice works nowhere", which is quarantined, true since 2026-10-01'* ]]
	[ "$(mem-audit --why "${id}11")" = '"Good news. I work at Acme.", an episode, is kept since 2026-03-10. By Alice, on 2026-03-01.' ]
}

@test "mem-audit --why: as a record, and what it refuses" {
	run -0 mem-audit --format json --why "${id}22"
	[ "$(jq -r .id <<<"$output")" = "${id}22" ]
	[ "$(jq -r .why <<<"$output")" = "$(mem-audit --why "${id}22")" ]
	run -1 --separate-stderr mem-audit --agent bob --why "${id}22"
	[ "$stderr" = "mem-audit: --why: no such node: ${id}22" ]
	run -1 mem-audit --why 00000000-0000-8000-8000-000000000099
	run -2 mem-audit --why nonsense
	run -2 mem-audit --why "${id}22" --subject "${id}22"
}

@test "mem-audit --why: denied or affirmed, a belief of one day, one of the past, one of no time" {
	mem-import <<'END' >receipts
{"id":"00000000-0000-8000-8000-000000000031","kind":"fact","ns":"agent:ada","created_at":"2026-05-01T08:00:00.000Z","status":"superseded","statement":"Bo likes tea","valid_from":"2026-05-01T08:00:00.000Z","valid_to":"2026-05-01T09:00:00.000Z","superseded_by":"00000000-0000-8000-8000-000000000032","superseded_at":"2026-05-01T09:00:00.000Z","superseded_reason":"negated"}
{"id":"00000000-0000-8000-8000-000000000032","kind":"fact","ns":"agent:ada","created_at":"2026-05-01T09:00:00.000Z","status":"superseded","statement":"Bo does not like tea","negated":true,"valid_from":"2026-05-01T09:00:00.000Z","valid_to":"2026-06-01T00:00:00.000Z","superseded_by":"00000000-0000-8000-8000-000000000033","superseded_at":"2026-06-01T00:00:00.000Z","superseded_reason":"negated"}
{"id":"00000000-0000-8000-8000-000000000033","kind":"fact","ns":"agent:ada","created_at":"2026-06-01T00:00:00.000Z","statement":"Bo likes tea again","valid_from":"2026-06-01T00:00:00.000Z"}
{"id":"00000000-0000-8000-8000-000000000034","kind":"fact","ns":"agent:ada","created_at":"2026-06-02T00:00:00.000Z","status":"superseded","statement":"Bo lived in Ulm","valid_from":"2026-01-01T00:00:00.000Z","valid_to":"2026-03-01T00:00:00.000Z","superseded_by":"00000000-0000-8000-8000-000000000033","superseded_at":"2026-06-02T00:00:00.000Z","superseded_reason":"newer"}
{"id":"00000000-0000-8000-8000-000000000035","kind":"fact","ns":"agent:ada","created_at":"2026-06-02T00:00:00.000Z","status":"superseded","statement":"Bo lived in Bonn","valid_from":"2026-01-01T00:00:00.000Z","valid_to":"2026-01-01T00:00:00.000Z","superseded_by":"00000000-0000-8000-8000-000000000033","superseded_at":"2026-06-02T00:00:00.000Z","superseded_reason":"tie"}
{"edge":"superseded_by","from":"00000000-0000-8000-8000-000000000031","to":"00000000-0000-8000-8000-000000000032","created_at":"2026-05-01T09:00:00.000Z","reason":"negated"}
END
	why() { mem-audit --why "${id}$1"; }
	[[ $(why 31) == 'It was believed on 2026-05-01 that "Bo likes tea", true on 2026-05-01.'* ]]
	[[ $(why 31) == *'took its place on 2026-05-01, since it was denied.'* ]]
	[[ $(why 32) == *'It took the place of "Bo likes tea" ('"${id}"'31) on 2026-05-01, since it was denied.'* ]]
	[[ $(why 32) == *'took its place on 2026-06-01, since what it denied was affirmed.'* ]]
	[[ $(why 34) == 'It is believed of the past that "Bo lived in Ulm", true from 2026-01-01 to 2026-03-01, known since 2026-06-02.'* ]]
	[[ $(why 35) == 'It was never believed that "Bo lived in Bonn", true at no time, known since 2026-06-02.'* ]]
}
