#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What was true, and what was known, at a moment of the past.
load helper

setup() {
	scratch
	need_store
	# Acme from March on, Globex from June on, Acme again from October on; each was told ten days later.  Before that "nobody",
	# which an older program marked: when it was superseded stands on the edge alone.
	mem-import <<'END' >receipts
{"id":"00000000-0000-8000-8000-000000000001","kind":"fact","ns":"agent:ada","created_at":"2026-03-10T00:00:00.000Z","version":2,"status":"superseded","statement":"Alice works at Acme","valid_from":"2026-03-01T00:00:00.000Z","valid_to":"2026-06-01T00:00:00.000Z","superseded_by":"00000000-0000-8000-8000-000000000002","superseded_at":"2026-06-10T00:00:00.000Z","ref":"acme"}
{"id":"00000000-0000-8000-8000-000000000002","kind":"fact","ns":"agent:ada","created_at":"2026-06-10T00:00:00.000Z","version":2,"status":"superseded","statement":"Alice works at Globex","valid_from":"2026-06-01T00:00:00.000Z","valid_to":"2026-10-01T00:00:00.000Z","superseded_by":"00000000-0000-8000-8000-000000000003","superseded_at":"2026-10-10T00:00:00.000Z","ref":"globex"}
{"id":"00000000-0000-8000-8000-000000000003","kind":"fact","ns":"agent:ada","created_at":"2026-10-10T00:00:00.000Z","version":1,"status":"active","statement":"Alice works at Acme","valid_from":"2026-10-01T00:00:00.000Z","valid_to":null,"ref":"again"}
{"id":"00000000-0000-8000-8000-000000000004","kind":"fact","ns":"agent:ada","created_at":"2026-01-10T00:00:00.000Z","version":2,"status":"superseded","statement":"Alice works for nobody","superseded_by":"00000000-0000-8000-8000-000000000001","ref":"nobody"}
{"edge":"superseded_by","from":"00000000-0000-8000-8000-000000000004","to":"00000000-0000-8000-8000-000000000001","created_at":"2026-03-10T00:00:00.000Z","reason":"newer"}
{"id":"00000000-0000-8000-8000-000000000005","kind":"fact","ns":"agent:ada","created_at":"2026-03-10T00:00:00.000Z","version":1,"status":"active","statement":"Alice lives where nobody knows","expired_at":"2026-04-01T00:00:00.000Z","ref":"forgotten"}
{"id":"00000000-0000-8000-8000-000000000006","kind":"episode","ns":"agent:ada","created_at":"2026-07-10T00:00:00.000Z","content":"Alice said so","ref":"said"}
END
	[ "$(grep -c '"verdict":"new"' receipts)" = 7 ]
}

refs() { jq -r .ref | sort | paste -sd' '; }

@test "true then: facts by their validity, superseded ones too" {
	[ "$(mem-search alice | refs)" = 'again said' ]
	[ "$(mem-search --as-of 2026-05-01 alice | refs)" = 'acme said' ]
	[ "$(mem-search --as-of 2026-07-01 alice | refs)" = 'globex said' ]
	[ "$(mem-search --as-of 2026-11-01 alice | refs)" = 'again said' ]
	# valid_from is in, valid_to is not.
	[ "$(mem-search --as-of 2026-06-01T00:00:00Z alice | refs)" = 'globex said' ]
	[ "$(mem-search --as-of 2026-05-31T23:59:59.999Z alice | refs)" = 'acme said' ]
	# Without an end, until it was superseded.
	[ "$(mem-search --as-of 2026-02-01 alice | refs)" = 'nobody said' ]
	run -2 mem-search --as-of 'once upon a time' alice
}

@test "known then: what was there and not yet superseded, of any kind" {
	[ "$(mem-search --known-at 2026-06-15 alice | refs)" = 'globex' ]
	[ "$(mem-search --known-at 2026-06-05 alice | refs)" = 'acme' ]
	[ "$(mem-search --known-at 2026-08-01 alice | refs)" = 'globex said' ]
	[ "$(mem-search --known-at 2026-02-01 alice | refs)" = 'nobody' ]
	run -1 mem-search --known-at 2025-01-01 alice
	# In June nobody knew yet what was true in July.
	[ "$(mem-search --as-of 2026-07-01 --known-at 2026-06-05 alice | refs)" = 'acme' ]
}

@test "a record of then says what it said then" {
	then='["acme","active",null,false,false]'
	as_then() { jq -c '[.ref, .status, .valid_to, has("superseded_by"), has("superseded_at")]'; }
	[ "$(mem-search --known-at 2026-06-05 alice | as_then)" = "$then" ]
	[ "$(mem-list --known-at 2026-06-05 --kind fact | as_then)" = "$then" ]
	# By a line of many, too; and today it says what it says today.
	echo '{"query":"alice","known_at":"2026-06-05"}' >one
	[ "$(mem-search --queries one | jq -r 'select(.ref).status')" = active ]
	[ "$(mem-search --as-of 2026-05-01 --kind fact alice | jq -c '[.status, .valid_to]')" = '["superseded","2026-06-01T00:00:00.000Z"]' ]
}

@test "superseded ones on request, before any limit; what is forgotten never comes back" {
	[ "$(mem-search --include-superseded alice | refs)" = 'acme again globex nobody said' ]
	[ "$(mem-search --as-of 2026-03-20 alice | refs)" = 'acme said' ]
	[ "$(mem-search --as-of 2026-07-01 --kind fact -n 1 alice | refs)" = 'globex' ]
	[ "$(mem-search --include-superseded alice | jq -r 'select(.ref == "globex").status')" = superseded ]
}

@test "each question of many by itself" {
	cat >queries <<'END'
{"query":"alice","as_of":"2026-05-01","kind":"fact"}
{"query":"alice","known_at":"2026-06-15"}
{"query":"alice","include_superseded":true,"kind":"fact"}
{"query":"alice","as_of":5}
{"query":"alice","include_superseded":"yes"}
{"query":"alice","kind":"fact"}
END
	run -1 --separate-stderr mem-search --queries queries
	[ "$(jq -r 'select(.end | not) | "\(.qid)\(.ref)"' <<<"$output" | sort | paste -sd' ')" = '1acme 2globex 3acme 3again 3globex 3nobody 6again' ]
	[ "$(jq -r 'select(.error).error' <<<"$output" | paste -sd' ')" = 'bad_time bad_value' ]
	[ "$(mem-search --as-of 2026-05-01 --queries <(tail -n 1 queries) | jq -r 'select(.ref).ref')" = acme ]
}

@test "lists of the past" {
	[ "$(mem-list --as-of 2026-05-01 | refs)" = 'acme said' ]
	[ "$(mem-list --known-at 2026-06-15 | refs)" = 'globex' ]
	[ "$(mem-list --live --include-superseded | refs)" = 'acme again globex nobody said' ]
	[ "$(mem-list --live | refs)" = 'again said' ]
	run -2 mem-list --include-superseded
}

# Facts as consolidation writes them, each on the day on which it was told.
tell() {
	mem-capture -q --no-embed --now "$1" <<<"{\"content\":\"$2\",\"captured_at\":\"$1T00:00:00Z\"}"
	mem-consolidate -q --no-embed --now "$1"
}
objects() { jq -r .object.name | sort | paste -sd' '; }

@test "what was held true of one moment at another: past facts by then, too" {
	export MEM_AGENT=tom
	tell 2026-01-10 "Thomas works at Ferncast"
	tell 2026-03-10 "Thomas moved to Globex"
	tell 2026-06-10 "Thomas moved to Initech"
	for each in 'mem-search --kind fact thomas' 'mem-list --kind fact'; do
		# In May it was held that he had been at Ferncast in February, and of today that he is at Globex.
		[ "$($each --as-of 2026-02-01 --known-at 2026-05-01 | objects)" = Ferncast ]
		[ "$($each --as-of 2026-04-01 --known-at 2026-05-01 | objects)" = Globex ]
		[ "$($each --as-of 2026-05-01 --known-at 2026-05-01 | objects)" = Globex ]
		# What ended it was not known yet.
		[ "$($each --as-of 2026-04-01 --known-at 2026-02-01 | objects)" = Ferncast ]
		[ "$($each --as-of 2026-07-01 --known-at 2026-05-01 | objects)" = Globex ]
		[ "$($each --as-of 2026-02-01 --known-at 2026-01-01 | objects)" = '' ]
		# By what is known today it is as without the option.
		for at in 2026-01-01 2026-02-01 2026-04-01 2026-07-01; do
			[ "$($each --as-of $at --known-at 2026-11-01 | objects)" = "$($each --as-of $at | objects)" ]
		done
	done
	# The record stands as it stood then: past already, and present still.
	as_then() { jq -c '[.status, .valid_to, .superseded_at]'; }
	[ "$(mem-list --as-of 2026-02-01 --known-at 2026-05-01 --kind fact | as_then)" = \
		'["superseded","2026-03-10T00:00:00.000Z","2026-03-10T00:00:00.000Z"]' ]
	[ "$(mem-search --as-of 2026-02-01 --known-at 2026-05-01 --kind fact thomas | as_then)" = \
		'["superseded","2026-03-10T00:00:00.000Z","2026-03-10T00:00:00.000Z"]' ]
	[ "$(mem-list --as-of 2026-04-01 --known-at 2026-05-01 --kind fact | as_then)" = '["active",null,null]' ]
}

@test "what was superseded because it was wrong is held true until then, and of no moment after" {
	wrong=$(mem-fact --now 2026-01-10 --from 2026-01-10 --subject Thomas --predicate works_at --object Fencast | jq -r .id)
	mem-edit -q --now 2026-03-10 --set statement='Thomas works at Ferncast' --why typo "$wrong"
	[ "$(mem-list --kind fact --as-of 2026-02-01 --known-at 2026-02-15 | jq -r 'select(.id == "'"$wrong"'").status')" = active ]
	[ -z "$(mem-list --kind fact --as-of 2026-02-01 --known-at 2026-05-01 | jq -r 'select(.id == "'"$wrong"'").status')" ]
	[ "$(mem-search --kind fact --as-of 2026-02-01 --known-at 2026-05-01 thomas | jq -r .statement)" = 'Thomas works at Ferncast' ]
}

@test "beside --known-at also what had been superseded by then, on request" {
	for each in 'mem-search alice' mem-list; do
		[ "$($each --known-at 2026-06-15 --include-superseded | refs)" = 'acme globex nobody' ]
		[ "$($each --known-at 2026-06-05 --include-superseded | refs)" = 'acme nobody' ]
		[ "$($each --known-at 2026-06-15 --include-superseded --as-of 2026-04-01 | refs)" = acme ]
		[ "$($each --known-at 2026-06-15 --include-superseded | jq -r 'select(.ref == "acme" or .ref == "globex") | "\(.ref) \(.status)"' | sort | paste -sd' ')" = \
			'acme superseded globex active' ]
	done
}

# ends LINES…: "object status end ender" of each fact, the ender by its object.
ends() {
	jq -rs '(map({(.id): .object.name}) | add) as $name | .[] |
		"\(.object.name) \(.status) \((.valid_to // "-")[:10]) \($name[.superseded_by // ""] // "-")"' | LC_ALL=C sort | paste -sd,
}

@test "an end that moved is that of then: by a fact that came between, and back again" {
	export MEM_AGENT=tom
	at() { mem-fact -q --no-embed --now "$1" --from "$2" --subject Thomas --predicate works_at --object "${@:3}"; }
	at 2026-03-10 2026-03-01 Ferncast
	at 2026-06-10 2026-06-01 Globex
	at 2026-09-10 2026-05-01 Initech
	for each in 'mem-list --kind fact' 'mem-search --kind fact thomas'; do
		[ "$($each --known-at 2026-04-01 | ends)" = 'Ferncast active - -' ]
		[ "$($each --known-at 2026-07-01 | ends)" = 'Globex active - -' ]
		[ "$($each --known-at 2026-07-01 --include-superseded | ends)" = 'Ferncast superseded 2026-06-01 Globex,Globex active - -' ]
		[ "$($each --known-at 2026-11-01 --include-superseded | ends)" = \
			'Ferncast superseded 2026-05-01 Initech,Globex active - -,Initech superseded 2026-06-01 Globex' ]
		# In May he was at Ferncast, it was held in July; today it is known that he was at Initech.
		[ "$($each --as-of 2026-05-15 --known-at 2026-07-01 | objects)" = Ferncast ]
		[ "$($each --as-of 2026-05-15 --known-at 2026-11-01 | objects)" = Initech ]
		[ "$($each --as-of 2026-05-15 --known-at 2026-04-01 | objects)" = Ferncast ]
		[ "$($each --as-of 2026-05-15 | objects)" = Initech ]
	done
	[ "$(mem-list --kind fact --known-at 2026-07-01 --include-superseded --status superseded | objects)" = Ferncast ]
	[ "$(mem-list --kind fact --known-at 2026-07-01 --include-superseded | jq -r 'select(.object.name == "Ferncast").superseded_at')" = 2026-06-10T00:00:00.000Z ]
	# By what is known today each line is the one of today.
	cmp <(mem-list --kind fact --known-at 2026-11-01 --include-superseded) <(mem-list --kind fact)
	echo '{"query":"thomas","known_at":"2026-07-01","kind":"fact"}' >one
	[ "$(mem-search --queries one | jq -r 'select(.object).object.name')" = Globex ]
}

@test "what began earlier than was known, and what was taken back, is as it was held then" {
	export MEM_AGENT=tom
	at() { mem-fact -q --no-embed --now "$1" --from "$2" --subject Thomas --predicate works_at --object "${@:3}"; }
	at 2026-03-10 2026-03-01 Ferncast
	at 2026-06-10 2026-06-01 Globex
	at 2026-09-10 2026-05-01 Globex
	[ "$(mem-list --kind fact --known-at 2026-11-01 --include-superseded | ends)" = 'Ferncast superseded 2026-05-01 Globex,Globex active - -,Globex superseded 2026-06-01 Globex' ]
	[ "$(mem-list --kind fact --known-at 2026-07-01 --include-superseded | ends)" = 'Ferncast superseded 2026-06-01 Globex,Globex active - -' ]
	[ "$(mem-list --kind fact --known-at 2026-07-01 | jq -r .valid_from)" = 2026-06-01T00:00:00.000Z ]
	[ "$(mem-list --kind fact --known-at 2026-07-01 --as-of 2026-05-15 | objects)" = Ferncast ]
	# By hand.
	at 2026-10-10 2026-10-01 Hooli --supersede "$(mem-list --kind fact --live | jq -r .id)"
	[ "$(mem-list --kind fact --known-at 2026-09-15 | jq -r '"\(.object.name) \(.status) \(.valid_from[:10]) \(.valid_to)"')" = 'Globex active 2026-05-01 null' ]
	[ "$(mem-list --kind fact --known-at 2026-11-01 | objects)" = Hooli ]
}

# validities: what facts say, and how that stands to the present, on one line.
validities() { jq -c '[.object.name, .validity]' | sort | paste -sd' '; }

@test "what begins later takes no place before its time" {
	export MEM_AGENT=tom MEM_NOW=2026-06-01
	mem-fact -q --subject Tom --predicate works_at --object Ferncast --from 2026-03-01
	mem-fact -q --subject Tom --predicate works_at --object Globeville --from 2026-09-01
	now='["Ferncast",null] ["Globeville","future"]'
	[ "$(mem-search --kind fact tom | validities)" = "$now" ]
	[ "$(mem-list --kind fact --live | jq -r .object.name | sort | paste -sd' ')" = 'Ferncast Globeville' ]
	[ "$(mem-list --kind fact --as-of 2026-06-01 | jq -r .object.name)" = Ferncast ]
	id=$(mem-list --kind fact | jq -r 'select(.object.name == "Globeville").id')
	[ "$(mem-history "$id" | jq -c '[.status, .current]' | paste -sd' ')" = '["superseded",true] ["active",false]' ]
	[ "$(mem-history --format text "$id" | awk 'NR > 1 { print $3 }' | paste -sd' ')" = 'current future' ]
	mem-audit --why "$id" | grep -q 'It is expected that "Tom works at Globeville", true from 2026-09-01 on.*It takes the place of "Tom works at Ferncast" ([^)]*) on 2026-09-01'
	mem-context tom >block
	grep -q 'until="2026-09-01T00:00:00.000Z">Tom works at Ferncast<' block
	grep -q 'validity="future">Tom works at Globeville<' block
	mem-search --kind fact tom | mem-render --format plain | grep -q ' future: *Tom works at Globeville'
	mem-search --kind fact --format text tom | grep -q 'fact, future .*Globeville'
	# What the store knew is not the same question: by then the one had been superseded.
	[ "$(mem-list --kind fact --known-at 2026-06-02 | jq -r .object.name)" = Globeville ]
	# The export depends on no present, and when the time has come nothing need be written.
	mem-export >before
	export MEM_NOW=2026-09-01
	[ "$(mem-search --kind fact tom | validities)" = '["Globeville",null]' ]
	[ "$(mem-history "$id" | jq -c '[.status, .current]' | paste -sd' ')" = '["superseded",false] ["active",true]' ]
	mem-audit --why "$id" | grep -q 'It is believed that "Tom works at Globeville", true since 2026-09-01.*It took the place of "Tom works at Ferncast" ([^)]*) on 2026-06-01'
	mem-consolidate -q --no-embed
	mem-export | cmp - before
}

@test "what ended without a successor is not current, and what was wrong never comes back" {
	export MEM_AGENT=tom MEM_NOW=2026-06-01
	id=$(mem-fact --subject Tom --predicate likes --object tea --from 2025-01-01 --to 2026-03-01 | jq -r .id)
	[ "$(mem-history "$id" | jq -c '[.status, .current]')" = '["active",false]' ]
	[ "$(mem-history --now 2026-02-01 "$id" | jq -c .current)" = true ]
	mem-audit --why "$id" | grep -q 'It is believed of the past that "Tom likes tea"'
	# What is edited was wrong, however long it was to be true.
	old=$(mem-fact --subject Tom --predicate lives_in --object Ferncast --from 2026-03-01 --to 2027-01-01 | jq -r .id)
	mem-edit -q --set 'statement=Tom dwells in Ferncast' "$old"
	[ "$(mem-search --kind fact ferncast | jq -c '[.statement, .status]')" = '["Tom dwells in Ferncast","active"]' ]
}

@test "what is not true now says so: in a hit, in a prompt" {
	export MEM_AGENT=tom
	mem-fact -q --subject Tom --predicate works_at --object Ferncast --from 2025-01-01 --to 2026-03-01
	mem-fact -q --subject Tom --predicate lives_in --object Globeville --from 2026-12-24
	mem-fact -q --subject Tom --predicate likes --object tea --from 2026-01-01 --to 2027-01-01
	hits() { mem-search --kind fact "$@" | jq -c '[.object.name, .validity]' | sort | paste -sd' '; }
	[ "$(hits tom)" = '["Ferncast","past"] ["Globeville","future"] ["tea",null]' ]
	# By the present of the asker; the moment that is asked about chooses, and changes no word of it.
	[ "$(hits --now 2026-02-01 tom)" = '["Ferncast",null] ["Globeville","future"] ["tea",null]' ]
	[ "$(hits --as-of 2026-02-01 tom)" = '["Ferncast","past"] ["tea",null]' ]
	mem-search --kind fact tom | mem-render >block
	[ "$(grep -o 'at="[^"]*"\( ns="[^"]*"\)\? until="[^"]*"' block | sed 's/ ns="[^"]*"//' | sort | paste -sd' ')" = \
		'at="2025-01-01T00:00:00.000Z" until="2026-03-01T00:00:00.000Z" at="2026-01-01T00:00:00.000Z" until="2027-01-01T00:00:00.000Z"' ]
	mem-context tom | grep -q 'until="2026-03-01T00:00:00.000Z"'
	mem-search --kind fact tom | mem-render --format markdown | grep -q '^- 2025-01-01T00:00:00.000Z, until 2026-03-01T00:00:00.000Z, '
	mem-search --kind fact tom | mem-render --format plain | grep -q 'until 2026-03-01T00:00:00.000Z'
}
