#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# mem-forget --erase: what goes, what stays, what is refused, and that nothing of it is left.
load helper

setup() {
	scratch
	need_store
	one=$(remember '{"content":"Alice works at Quokkacorp"}')
	two=$(remember '{"content":"It is known: Alice works at Quokkacorp!"}')
}

U() { printf '%08d-1111-7111-8111-111111111111' "$1"; }
src() { printf '{"episode":"%s","start":%s,"end":%s,"at":"%s","captured_at":"%s","veracity":"stated","confidence":%s,"trust":%s}' "$1" "$2" "$3" "$4" "$4" "$5" "$6"; }
# fact NUMBER STATEMENT SOURCES [MORE]
fact() {
	printf '{"id":"%s","kind":"fact","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","statement":"%s","sources":[%s],"mentions":2,"confidence":0.76,"trust":0.5,"valid_from":"2026-01-01T00:00:00.000Z"%s}\n' \
		"$(U "$1")" "$2" "$3" "${4-}"
}
node() { printf '{"id":"%s","kind":"%s","ns":"%s","created_at":"2026-11-28T09:00:00.000Z",%s}\n' "$(U "$1")" "$2" "${4-agent:ada}" "$3"; }
edge() { printf '{"edge":"%s","from":"%s","to":"%s"}\n' "$1" "$2" "$3"; }
first() { src "$one" 0 25 2026-01-01T00:00:00.000Z 0.6 0.5; }
second() { src "$two" 13 38 2026-02-01T00:00:00.000Z 0.7 0.4; }
erased() { mem-forget --erase "$@" | jq -c .erased; }
there() { mem-get "$1" >/dev/null 2>&1; }

@test "what came of it alone goes with it, step by step" {
	{
		fact 1 'she works there' "$(first)"
		node 2 learning '"content":"ask her about work"'
		edge derived_from "$(U 1)" "$one"
		edge derived_from "$(U 2)" "$(U 1)"
	} | mem-import -q
	mem-review -q ask "$(U 1)" --note 'is that so?'
	mem-forget --erase --dry-run "$one" >list
	[ "$(head -n 4 list | jq -r '[.fate, .why, .kind, .depth] | join(" ")')" = \
		$'erased asked episode 0\nerased derived fact 1\nerased derived learning 2\nerased about review 1' ]
	[ "$(tail -n 1 list | jq -r .verdict)" = removed ]
	there "$one"
	[ "$(erased "$one")" = '{"cascaded":2,"depth":2,"versions":0,"about":1,"queries":0,"spared":0,"copies":[]}' ]
	for id in "$one" "$(U 1)" "$(U 2)"; do ! there "$id"; done
	[ -z "$(mem-review list)" ]
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .subject, .detail.cascaded, .detail.about]')" = "[\"purge\",\"$one\",2,1]" ]
	run -1 mem-forget --erase "$one"
	[ "$(jq -r .reason <<<"$output")" = not_found ]
	run -0 mem-check
}

@test "what has another source stays and loses this one" {
	{
		fact 1 'quokkafirst words' "$(first),$(second)"
		node 2 entity '"name":"Alice","mentions":2,"origin":{"via":"mem-consolidate"}'
		node 3 entity '"name":"Quokkathing","mentions":1,"origin":{"via":"mem-consolidate"}'
		node 4 entity '"name":"By hand","mentions":1,"origin":{"via":"kg-node"}'
		edge derived_from "$(U 1)" "$one"
		edge derived_from "$(U 1)" "$two"
		for n in 2 3 4; do edge mentions "$one" "$(U $n)"; done
		edge mentions "$two" "$(U 2)"
	} | mem-import -q
	[ "$(erased "$one" | jq -c '[.cascaded, .spared]')" = '[1,3]' ]
	[ "$(mem-get "$(U 1)" | jq -c '[.statement, .mentions, .confidence, .trust, .valid_from, (.sources | length)]')" = \
		'["Alice works at Quokkacorp",1,0.7,0.4,"2026-02-01T00:00:00.000Z",1]' ]
	[ "$(mem-get "$(U 2)" | jq .mentions)" = 1 ]
	run -1 there "$(U 3)"
	[ "$(mem-get "$(U 4)" | jq .mentions)" = 0 ]
	mem-maintain compact
	run -1 grep -aq quokkafirst store/data.mdb
	run -1 grep -aqi quokkathing store/data.mdb
	run -0 mem-check
	# The other source takes the rest with it.
	[ "$(erased "$two" | jq .cascaded)" = 2 ]
	run -1 there "$(U 1)"
}

@test "a note goes as soon as one of its sources does" {
	{
		fact 1 'a' "$(first)"
		fact 2 'b' "$(second)"
		node 3 note '"content":"a and b"'
		edge derived_from "$(U 1)" "$one"
		edge derived_from "$(U 2)" "$two"
		edge derived_from "$(U 3)" "$(U 1)"
		edge derived_from "$(U 3)" "$(U 2)"
	} | mem-import -q
	erased "$one"
	run -1 there "$(U 3)"
	there "$(U 2)"
}

@test "a fact that it had ended stands again, or ends where the next one begins" {
	ended=',"status":"superseded","superseded_by":"'$(U 2)'","superseded_at":"2026-11-28T09:00:00.000Z","valid_to":"2026-03-01T00:00:00.000Z"'
	{
		fact 1 'before' "$(second)" "$ended"
		fact 2 'between' "$(first)"
		edge derived_from "$(U 1)" "$two"
		edge derived_from "$(U 2)" "$one"
		edge superseded_by "$(U 1)" "$(U 2)"
	} | mem-import -q
	erased "$one"
	[ "$(mem-get "$(U 1)" | jq -c '[.status, .superseded_by, .valid_to]')" = '["active",null,null]' ]
	run -0 mem-check
}

@test "an end moves to the next fact that stays" {
	ended() { printf ',"status":"superseded","superseded_by":"%s","superseded_at":"2026-11-28T09:00:00.000Z","valid_to":"2026-03-01T00:00:00.000Z"' "$1"; }
	{
		fact 1 'before' "$(second)" "$(ended "$(U 2)")"
		fact 2 'between' "$(first)" "$(ended "$(U 3)")"
		fact 3 'behind' "$(second)" | sed 's/2026-01-01/2026-07-01/'
		edge derived_from "$(U 1)" "$two"
		edge derived_from "$(U 2)" "$one"
		edge derived_from "$(U 3)" "$two"
		edge superseded_by "$(U 1)" "$(U 2)"
		edge superseded_by "$(U 2)" "$(U 3)"
	} | mem-import -q
	erased "$one"
	[ "$(mem-get "$(U 1)" | jq -c '[.status, .superseded_by, .valid_to]')" = "[\"superseded\",\"$(U 3)\",\"2026-07-01T00:00:00.000Z\"]" ]
	mem-export | grep -q "\"superseded_by\",\"from\":\"$(U 1)\",\"to\":\"$(U 3)\""
	run -0 mem-check
}

# at DAY OBJECT [OPTION...]: where Thomas works from then on, told on that day.
at() { mem-fact --no-embed --now "$1" --from "$1" --subject Thomas --predicate works_at --object "${@:2}" | jq -r .id; }
jobs_of() { mem-list --kind fact | jq -r 'select(.subject.name == "Thomas") | "\(.object.name) \(.status) \(.valid_from[:10]) \((.valid_to // "-")[:10])"' | LC_ALL=C sort | paste -sd,; }
abouts() { mem-export | jq -r 'select(.edge == "about") | "\(.valid_from[:10]) \((.valid_to // "-")[:10])"' | LC_ALL=C sort -u | paste -sd,; }

@test "without the fact that had ended it a fact ends as the others have it, and so do its edges" {
	at 2026-03-01 Ferncast
	between=$(at 2026-06-01 Globex)
	last=$(at 2026-09-01 Initech)
	erased "$between"
	[ "$(jobs_of)" = 'Ferncast superseded 2026-03-01 2026-09-01,Initech active 2026-09-01 -' ]
	[ "$(abouts)" = '2026-03-01 2026-09-01,2026-09-01 -' ]
	erased "$last"
	[ "$(jobs_of)" = 'Ferncast active 2026-03-01 -' ]
	[ "$(abouts)" = '2026-03-01 -' ]
	run -0 mem-check
}

@test "what stood on both sides of it is one again; an end that a source says stays" {
	at 2026-03-01 Ferncast
	between=$(at 2026-06-01 Globex)
	at 2026-09-01 Ferncast
	erased "$between"
	[ "$(jobs_of)" = 'Ferncast active 2026-03-01 -,Ferncast superseded 2026-09-01 2026-09-01' ]
	last=$(at 2026-10-01 Hooli --to 2026-12-31)
	after=$(at 2026-11-01 Initech)
	[[ "$(jobs_of)" = *'Hooli superseded 2026-10-01 2026-11-01'* ]] || false
	erased "$after"
	[[ "$(jobs_of)" = *'Hooli active 2026-10-01 2026-12-31'* ]] || false
	run -0 mem-check
}

@test "what lost to it stands again" {
	at 2026-03-01 Ferncast
	at 2026-03-01 Globex
	winner=$(mem-list --kind fact --live | jq -r 'select(.subject.name == "Thomas").id')
	erased "$winner"
	[[ "$(jobs_of)" = *' active 2026-03-01 -' ]] || false
	run -0 mem-check
}

@test "what is pinned, or what would go with it, needs --force" {
	{ fact 1 'a' "$(first)"; edge derived_from "$(U 1)" "$one"; } | mem-import -q
	mem-pin -q "$(U 1)"
	run -1 mem-forget --erase "$one"
	[ "$(jq -r .reason <<<"$output")" = state_conflict ]
	there "$one"
	run -1 mem-forget --erase --dry-run "$one"
	[ "$(wc -l <<<"$output")" = 1 ]
	[ "$(erased --force "$one" | jq .cascaded)" = 1 ]
	run -1 there "$(U 1)"
}

@test "the copy that was promoted stays, and is told" {
	{
		fact 1 'a' "$(first)"
		node 2 fact '"statement":"a"' global
		edge derived_from "$(U 1)" "$one"
		edge promoted_to "$(U 1)" "$(U 2)"
	} | mem-import -q
	run -0 --separate-stderr mem-forget --erase "$one"
	[ "$(jq -c .erased.copies <<<"$output")" = "[\"$(U 2)\"]" ]
	[[ $stderr = *"the copy that was promoted stays: $(U 2)"* ]]
	there "$(U 2)"
}

@test "each copy that was promoted is told, those of copies, too" {
	export MEM_TEAMS=wolves
	{
		fact 1 'a' "$(first)"
		node 2 fact '"statement":"a"' global
		node 3 fact '"statement":"a"' team:wolves
		node 4 fact '"statement":"a"' global
		node 5 fact '"statement":"a"' agent:bob
		edge derived_from "$(U 1)" "$one"
		edge promoted_to "$(U 1)" "$(U 2)"
		edge promoted_to "$(U 1)" "$(U 3)"
		edge promoted_to "$(U 3)" "$(U 4)"
		edge promoted_to "$(U 3)" "$(U 2)"
		edge promoted_to "$(U 1)" "$(U 5)"
	} | mem-import -q --every-namespace
	run -0 --separate-stderr mem-forget --erase --dry-run "$one"
	[ "$(jq -r 'select(.why == "copy").id' <<<"$output" | sort | xargs)" = "$(U 2) $(U 3) $(U 4)" ]
	run -0 --separate-stderr mem-forget --erase "$one"
	[ "$(jq -r '.erased.copies[]' <<<"$output" | sort | xargs)" = "$(U 2) $(U 3) $(U 4)" ]
	for n in 2 3 4; do
		[[ $stderr = *"the copy that was promoted stays: $(U $n)"* ]] || false
		there "$(U $n)"
	done
	[ "$(grep -c 'promoted stays' <<<"$stderr")" = 3 ]
}

# overwrite OLD NEW: bytes of the data file, of one length.
overwrite() { LC_ALL=C perl -pi -e "s/$1/$2/g" store/data.mdb; }

@test "what is damaged is told, and nothing of the rest is erased" {
	fact=$(mem-fact --subject Zonk --predicate uses --object grobnutz | jq -r .id)
	mem-review -q ask "$fact" --note 'is that so?'
	overwrite 'is that so' 'is that sO'
	run -3 --separate-stderr mem-forget --erase --format text "$fact"
	[[ $output = 'line 1 has something to it that is damaged: '*'mem-check --repair'* ]] || false
	[[ $stderr = *' is damaged: its text is damaged: run mem-check' ]] || false
	[ "$(mem-get "$fact" | jq -r .status)" = active ]
	[ "$(mem-audit | grep -c purge || true)" = 0 ]
	run -3 --separate-stderr mem-forget --erase --dry-run "$fact"
	[ "$(jq -r .reason <<<"$output")" = damaged ]
}

@test "without the right to write to one of them nothing goes" {
	theirs=$(mem-capture --agent bob <<<'{"content":"of bob"}' | jq -r .id)
	{ node 1 fact '"statement":"of all"' global; edge derived_from "$(U 1)" "$theirs"; } | mem-import -q --every-namespace
	run -4 mem-forget --agent bob --erase "$theirs"
	[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
	mem-get --agent bob "$theirs"
	run -1 mem-forget --agent eve --erase "$theirs"
	[ "$(jq -r .reason <<<"$output")" = not_found ]
}

@test "the query log of the namespace goes from the capture on" {
	echo 'queries: {log: text}' >>store/config.yaml
	run -1 mem-search quokkaearly
	eventually queries 1
	late=$(remember '{"content":"something later"}')
	run -1 mem-search quokkalate
	eventually queries 2
	[ "$(erased "$late" | jq .queries)" = 1 ]
	[ "$(mem-list --kind query | jq -r .query)" = quokkaearly ]
	mem-maintain compact
	run -1 grep -aq quokkalate store/data.mdb
}
queries() { [ "$(mem-list --kind query | wc -l)" = "$1" ]; }

@test "what gives rights is not erased so, and another version is a conflict" {
	mem-review -q ask "$one" --note 'is that so?'
	run -1 mem-forget --erase "$(mem-review list | jq -r .id)"
	[ "$(jq -r .reason <<<"$output")" = bad_value ]
	run -1 mem-forget --erase --if-version 3 "$one"
	[ "$(jq -r .reason <<<"$output")" = conflict ]
	run -2 mem-forget --erase --undo "$one"
	run -2 mem-forget --erase --sweep
	run -2 mem-forget --erase
}

# said TIME EVENT: captured and consolidated.
said() {
	mem-capture -q --no-embed --now "$1" <<<"$2"
	mem-consolidate -q --no-embed --now "$1"
}
id_of() { mem-list --kind "$1" | jq -r "select(.$2 == \"$3\") | .id"; }
# nothing_of WORD...: no file of the store has it.
nothing_of() {
	mem-maintain compact
	local w
	for w in "$@"; do
		if grep -rlai -- "$w" store; then
			echo "left: $w"
			return 1
		fi
	done
}

# again: every way of taking the episodes once more.
again() {
	mem-consolidate -q --no-embed
	mem-consolidate -q --no-embed --session s1
	mem-consolidate -q --no-embed --since 2026-01-01
	mem-consolidate -q --no-embed --since 2026-01-01 --retry-failed
	cat >more.yaml <<-'END'
		version: 1
		language: english
		rules:
		  - {name: works2, words: [works], pattern: '(?<subject>\p{Lu}\p{L}+) works at (?<object>\p{L}+)', predicate: works_at}
	END
	mem-consolidate -q --no-embed --since 2026-01-01 --rules more.yaml
}
facts_with() { mem-list --kind fact | jq -r .statement | grep -c "$1" || true; }

@test "a fact that was erased is not derived again from what it came of" {
	said 2026-03-01 '{"content":"Zorblax works at Acme. Dora likes tea.","speaker":"Eve","session_id":"s1"}'
	said 2026-03-02 '{"content":"Zorblax works at Acme!","speaker":"Bob","session_id":"s1"}'
	mem-forget -q --erase "$(mem-list --kind fact | jq -r 'select(.statement | test("Zorblax")).id')"
	again
	[ "$(mem-list --kind fact | jq -r 'select(.statement | test("Zorblax")).id')" = '' ]
	[ "$(facts_with 'Dora likes tea')" = 1 ]
	run -0 mem-check
	# Nor where its entity has become part of another one.
	said 2026-03-03 '{"content":"Zora likes cake.","speaker":"Eve"}'
	kg-merge -q "$(id_of entity name Zora)" "$(id_of entity name Zorblax)"
	again
	[ "$(mem-list --kind fact | jq -r 'select(.statement | test("Zorblax")).id')" = '' ]
	# Said again it is a new one, and goes with that alone.
	said 2026-03-05 '{"content":"Zorblax works at Acme.","speaker":"Eve","session_id":"s2"}'
	[ "$(mem-list --kind fact | jq -c 'select(.statement | test("Zorblax")) | [.sources[].captured_at[:10]]')" = '["2026-03-05"]' ]
	run -0 mem-check
}

@test "what is remembered of an erased fact is none of its words, and goes with the episode" {
	said 2026-03-01 '{"content":"Honestly, Dora likes grobnutz.","speaker":"Eve","session_id":"s1"}'
	said 2026-03-02 '{"content":"Dora likes tea.","speaker":"Eve","session_id":"s1"}'
	mem-forget -q --erase "$(mem-list --kind fact | jq -r 'select(.statement | test("grobnutz")).id')"
	mem-edit -q "$(id_of fact statement 'Dora likes tea.')" --set 'statement=Dora likes quimbytea.'
	mem-forget -q --erase "$(id_of fact statement 'Dora likes quimbytea.')"
	again
	[ "$(facts_with Dora)" = 0 ]
	[ "$(grep -c erased: store/data.mdb)" -gt 0 ]
	mem-forget -q --erase "$(id_of episode content 'Honestly, Dora likes grobnutz.')"
	nothing_of grobnutz quimbytea
	mem-forget -q --erase "$(id_of episode content 'Dora likes tea.')"
	nothing_of erased: 'likes tea'
	run -0 mem-check
}

@test "what a person stated, too, stays, in words of the triple" {
	said 2026-03-02 '{"content":"Honestly, Zorblax Quimby likes grobnutz.","speaker":"Yekaterina"}'
	episode=$(mem-list --kind episode | jq -r 'select(.content | test("Zorblax")) | .id')
	fact=$(mem-list --kind fact | jq -r 'select(.statement | test("Zorblax")) | .id')
	[ -n "$fact" ]
	mem-fact -q --subject 'Zorblax Quimby' --predicate likes --object grobnutz
	mem-forget -q --erase "$episode"
	[ "$(mem-get "$fact" | jq -c '[.statement, .status, (.sources | length), .sources[0].episode]')" = \
		'["Zorblax Quimby likes grobnutz","active",1,null]' ]
	[ -n "$(id_of entity name 'Zorblax Quimby')" ]
	[ -n "$(id_of entity name grobnutz)" ]
	nothing_of Honestly Yekaterina
	run -0 mem-check
}

@test "a name that was merged goes with the last that says it" {
	said 2026-03-02 '{"content":"Bob Stone works at Acme.","speaker":"Bob"}'
	said 2026-03-03 '{"content":"Zorblax Quimby works at Acme.","speaker":"Eve"}'
	said 2026-03-04 '{"content":"Zorblax Quimby likes tea.","speaker":"Eve"}'
	bob=$(id_of entity name 'Bob Stone')
	kg-merge -q "$bob" "$(id_of entity name 'Zorblax Quimby')"
	one=$(id_of episode content 'Zorblax Quimby works at Acme.')
	two=$(id_of episode content 'Zorblax Quimby likes tea.')
	mem-forget -q --erase "$one"
	[ "$(mem-get "$bob" | jq -c .aliases)" = '["Zorblax Quimby"]' ]
	[ "$(erased "$two" | jq .versions)" = 1 ]
	[ "$(mem-get "$bob" | jq -c '[.name, .aliases, .status]')" = '["Bob Stone",[],"active"]' ]
	nothing_of Zorblax Quimby
	run -0 mem-check
}

@test "what was merged into what goes, goes; a repeat goes with its own source" {
	said 2026-03-03 '{"content":"Zorblax Quimby likes tea.","speaker":"Eve"}'
	said 2026-03-04 '{"content":"Zorblux likes tea. Zorblux likes cake.","speaker":"Eve"}'
	kg-merge -q "$(id_of entity name 'Zorblax Quimby')" "$(id_of entity name Zorblux)"
	for content in 'Zorblax Quimby likes tea.' 'Zorblux likes tea. Zorblux likes cake.'; do
		mem-forget -q --erase "$(id_of episode content "$content")"
	done
	nothing_of Zorbl
	merged=',"status":"merged","superseded_by":"'$(U 1)'","superseded_at":"2026-11-28T09:00:00.000Z"'
	{
		fact 1 'Alice works at Quokkacorp' "$(first),$(second)"
		fact 2 'Alice wombles at Quokkacorp' "$(second)" "$merged"
		edge derived_from "$(U 1)" "$one"
		edge derived_from "$(U 1)" "$two"
		edge superseded_by "$(U 2)" "$(U 1)"
	} | mem-import -q
	mem-forget -q --erase "$two"
	there "$(U 1)"
	nothing_of wombles
	run -0 mem-check
}

@test "a node keeps the name that those who stay call it by" {
	said 2026-03-01 '{"content":"Zorblax Quimby works at Acme.","speaker":"Eve"}'
	said 2026-03-02 '{"content":"Alice Stone works at Acme.","speaker":"Eve"}'
	said 2026-03-03 '{"content":"Alice Stone likes cake.","speaker":"Eve"}'
	kept=$(id_of entity name 'Zorblax Quimby')
	kg-merge -q "$kept" "$(id_of entity name 'Alice Stone')"
	mem-forget -q --erase "$(id_of episode content 'Zorblax Quimby works at Acme.')"
	[ "$(mem-get "$kept" | jq -c '[.name, .aliases]')" = '["Alice Stone",[]]' ]
	[ "$(mem-list --kind fact --live | jq -c '[.statement, .subject.name]' | grep Stone | sort)" = \
		$'["Alice Stone likes cake.","Alice Stone"]\n["Alice Stone works at Acme.","Alice Stone"]' ]
	nothing_of Zorblax Quimby
	run -0 mem-check
	# Said again, the name means the node whose id is made of it.
	said 2026-03-05 '{"content":"Zorblax Quimby likes tea.","speaker":"Eve"}'
	[ "$(mem-list --kind fact | jq -r 'select(.object.name == "tea").subject.id')" = "$kept" ]
}

@test "a name of one who was merged goes, though the other has said the same" {
	said 2026-03-01 '{"content":"Zorblax Quimby likes tea.","speaker":"Eve"}'
	said 2026-03-02 '{"content":"Alice Stone likes tea.","speaker":"Eve"}'
	kept=$(id_of entity name 'Alice Stone')
	kg-merge -q "$kept" "$(id_of entity name 'Zorblax Quimby')"
	[ "$(erased "$(id_of episode content 'Zorblax Quimby likes tea.')" | jq .versions)" = 1 ]
	[ "$(mem-get "$kept" | jq -c '[.name, .aliases]')" = '["Alice Stone",[]]' ]
	nothing_of Zorblax Quimby
	run -0 mem-check
}

# merged_name TEXT KEPT [GONE]: GONE (Joanna), who works at Acme, is the same as KEPT, of whom TEXT tells; then what told of GONE is erased.
merged_name() {
	local gone=${3-Joanna}
	said 2026-03-01 "{\"content\":\"$gone works at Acme.\",\"speaker\":\"Eve\"}"
	said 2026-03-02 "$(jq -nc --arg text "$1" '{content:$text,speaker:"Eve"}')"
	kept=$(id_of entity name "$2")
	kg-merge -q "$kept" "$(id_of entity name "$gone")"
	[ "$(mem-get "$kept" | jq -c .aliases)" = "[\"$gone\"]" ]
	mem-forget -q --erase "$(id_of episode content "$gone works at Acme.")"
	run -0 mem-check
	names=$(mem-get "$kept" | jq -c '[.name, .aliases]')
}

@test "a name that others have only in a longer word or name goes" {
	for text in 'Zora works at Joannas-Bar.' 'Zora lives in Joannaville.' 'Zora likes Joanna Kraus.' 'Zora lives in San Joanna.' \
		'Zora likes joanna.example.' 'Zora uses x-joanna.'; do
		mem-init -q "$PWD/of $text"
		MEM_STORE="$PWD/of $text" merged_name "$text" Zora
		echo "$text: $names"
		[ "$names" = '["Zora",[]]' ]
	done
	merged_name 'Joanna Kraus likes cake.' 'Joanna Kraus'
	[ "$names" = '["Joanna Kraus",[]]' ]
}

@test "a name that others say stays, in each of its forms" {
	for text in 'Zora likes tea. JOANNA likes cake.' $'Zora likes cake.\nJoanna likes tea' 'Zora likes tea with Joanna.' "Zora likes Joanna's cake." \
		'Zora likes tea. Das ist Joannas Kuchen.' 'Zora likes cake.Joanna likes tea.' 'Zora likes "Joanna".' 'Zora likes tea (Joanna, too).'; do
		mem-init -q "$PWD/of $text"
		MEM_STORE="$PWD/of $text" merged_name "$text" Zora
		echo "$text: $names"
		[ "$names" = '["Zora",["Joanna"]]' ]
	done
}

@test "a name of what is somebody's stays while they speak of it" {
	said 2026-03-01 '{"content":"My sister lives in Oslo.","speaker":"Eve"}'
	said 2026-03-02 '{"content":"My sister likes tea.","speaker":"Eve"}'
	said 2026-03-03 '{"content":"Zora likes cake.","speaker":"Bob"}'
	kept=$(id_of entity name Zora)
	kg-merge -q "$kept" "$(id_of entity name "Eve's sister")"
	mem-forget -q --erase "$(id_of episode content 'My sister lives in Oslo.')"
	[ "$(mem-get "$kept" | jq -c .aliases)" = '["Eve'"'"'s sister"]' ]
	mem-forget -q --erase "$(id_of episode content 'My sister likes tea.')"
	[ "$(mem-get "$kept" | jq -c .aliases)" = '[]' ]
	run -0 mem-check
}

# mentions_fit: each live entity has as many mentions as episodes that mention it, each fact as many as sources.
mentions_fit() {
	mem-export | jq -s '([.[] | select(.edge == "mentions").to] | group_by(.) | map({(.[0]): length}) | add) as $n |
		.[] | select((.kind == "entity" and .status != "merged" and .mentions != ($n[.id] // 0)) or
			(.kind == "fact" and .mentions != (.sources | length))) | [.name, .statement, .mentions]' >unfit
	cat unfit
	[ ! -s unfit ]
}

@test "what was merged has the mentions of the episodes that stay, when it is taken apart" {
	said 2026-03-01 '{"content":"Zora lives in Oslo.","speaker":"Eve"}'
	said 2026-03-02 '{"content":"Zora likes tea. Dora likes cake.","speaker":"Eve"}'
	said 2026-03-03 '{"content":"Dora likes coffee.","speaker":"Eve"}'
	said 2026-03-04 '{"content":"Alice Stone likes coffee.","speaker":"Eve"}'
	zora=$(id_of entity name Zora) dora=$(id_of entity name Dora)
	kg-merge -q "$dora" "$zora"
	kg-merge -q "$(id_of entity name 'Alice Stone')" "$dora"
	for content in 'Zora lives in Oslo.' 'Zora likes tea. Dora likes cake.'; do mem-forget -q --erase "$(id_of episode content "$content")"; done
	mentions_fit
	kg-merge -q --undo "$dora"
	mentions_fit
	[ "$(mem-get "$dora" | jq .mentions)" = 1 ]
	run -0 mem-check
}

@test "a fact that an erase made part of another's has its sources again, when those are taken apart" {
	said 2026-03-01 '{"content":"Bob Stone works at Acme.","speaker":"Eve"}'
	said 2026-03-02 '{"content":"Zora works at Globex.","speaker":"Eve"}'
	said 2026-03-03 '{"content":"Zora works at Acme.","speaker":"Eve"}'
	kg-merge -q "$(id_of entity name 'Bob Stone')" "$(id_of entity name Zora)"
	zora=$(mem-list --kind entity | jq -r 'select(.name == "Zora").id')
	mem-forget -q --erase "$(id_of episode content 'Zora works at Globex.')"
	mentions_fit
	kg-merge -q --undo "$zora"
	mentions_fit
	[ "$(mem-list --kind fact --live | jq -r '[.statement, .subject.name, .sources[0].at[:10]] | join("/")' | grep Acme | sort)" = \
		$'Bob Stone works at Acme./Bob Stone/2026-03-01\nZora works at Acme./Zora/2026-03-03' ]
	run -0 mem-check
}

@test "a name goes from all that it has come to by merging" {
	said 2026-03-01 '{"content":"Zorblax Quimby works at Acme.","speaker":"Eve"}'
	said 2026-03-02 '{"content":"Alice Rock works at Acme.","speaker":"Eve"}'
	said 2026-03-03 '{"content":"Alice Stone works at Acme.","speaker":"Eve"}'
	between=$(id_of entity name 'Alice Rock')
	kept=$(id_of entity name 'Alice Stone')
	kg-merge -q "$between" "$(id_of entity name 'Zorblax Quimby')"
	kg-merge -q "$kept" "$between"
	mem-forget -q --erase "$(id_of episode content 'Zorblax Quimby works at Acme.')"
	[ "$(mem-get "$kept" | jq -c '[.name, .aliases]')" = '["Alice Stone",["Alice Rock"]]' ]
	[ "$(mem-get "$between" | jq -c '[.name, .aliases, .merged.aliases]')" = '["Alice Rock",[],["Alice Rock"]]' ]
	nothing_of Zorblax Quimby
	run -0 mem-check
}

@test "a fact that became part of an earlier one goes with its own words" {
	said 2026-03-01 '{"content":"Honestly zorbly, Dora works at Acme.","speaker":"Eve"}'
	said 2026-03-02 '{"content":"Dora works at Acme since January 2026.","speaker":"Eve"}'
	said 2026-03-03 '{"content":"Dora works at Acme since May 2025.","speaker":"Eve"}'
	[ "$(mem-list --kind fact | grep Dora | jq -r .status | sort | uniq -c | tr -s ' \n' ' ')" = ' 1 active 2 superseded ' ]
	[ "$(erased "$(id_of episode content 'Honestly zorbly, Dora works at Acme.')" | jq .versions)" = 1 ]
	[ "$(mem-list --kind fact | grep Dora | jq -r .status | sort | uniq -c | tr -s ' \n' ' ')" = ' 1 active 1 superseded ' ]
	nothing_of zorbly
	run -0 mem-check
}

@test "words of two who said it at one time are those of the one who stays" {
	{
		fact 1 'Alice works at Quokkacorp' "$(first),$(src "$two" 0 39 2026-01-01T00:00:00.000Z 0.7 0.4)"
		fact 2 'It is known: Alice works at Quokkacorp!' "$(first),$(src "$two" 0 39 2026-01-01T00:00:00.000Z 0.7 0.4)"
		for n in 1 2; do
			edge derived_from "$(U $n)" "$one"
			edge derived_from "$(U $n)" "$two"
		done
	} | mem-import -q
	mem-forget -q --erase "$two"
	for n in 1 2; do [ "$(mem-get "$(U $n)" | jq -r .statement)" = 'Alice works at Quokkacorp' ]; done
	nothing_of 'It is known'
}

@test "a note goes with the words of a fact that stays" {
	said 2026-03-01 '{"content":"Honestly zorbly, Dora likes tea.","speaker":"Eve"}'
	said 2026-03-02 '{"content":"Dora likes tea.","speaker":"Eve"}'
	said 2026-03-03 '{"content":"Dora works at Acme.","speaker":"Eve"}'
	said 2026-03-04 '{"content":"Dora lives in Berlin.","speaker":"Eve"}'
	[ "$(mem-list --kind note | wc -l)" = 1 ]
	[ "$(erased "$(id_of episode content 'Dora likes tea.')" | jq .cascaded)" = 0 ]
	[ "$(mem-list --kind note | wc -l)" = 1 ]
	mem-capture -q --no-embed --now 2026-03-05 <<<'{"content":"Dora likes tea.","speaker":"Eve"}'
	mem-consolidate -q --no-embed --now 2026-03-05
	[ "$(erased "$(id_of episode content 'Honestly zorbly, Dora likes tea.')" | jq .cascaded)" = 1 ]
	[ "$(mem-list --kind note | wc -l)" = 0 ]
	nothing_of zorbly
	run -0 mem-check
}

@test "a question about two goes with either of them" {
	said 2026-03-01 '{"content":"Zorblaxen Quimby works at Acme."}'
	said 2026-03-02 '{"content":"Zorblaxon Quimby works at Acme."}'
	kg-merge -q --suggest --ask
	[ "$(mem-review list | jq -r .reason)" = 'Is Zorblaxon Quimby the same as Zorblaxen Quimby?' ]
	[ "$(erased "$(id_of episode content 'Zorblaxon Quimby works at Acme.')" | jq .about)" = 1 ]
	nothing_of Zorblaxon
	run -0 mem-check
}

@test "what somebody corrected goes with the one who did" {
	said 2026-03-01 '{"content":"Dora now uses PostgreSQL instead of Zorblax.","speaker":"Eve"}'
	said 2026-03-02 '{"content":"Dora uses PostgreSQL.","speaker":"Eve"}'
	mem-list --kind fact | grep -q corrects
	mem-forget -q --erase "$(id_of episode content 'Dora now uses PostgreSQL instead of Zorblax.')"
	mem-list --kind fact | grep -q PostgreSQL
	nothing_of Zorblax
	run -0 mem-check
}

@test "a tag goes with the last that has it, one made by hand stays" {
	three=$(remember '{"content":"something else"}')
	kg-node -q add <<<'{"kind":"tag","name":"byhandtag"}'
	mem-edit -q --tag lonetag --tag sharedtag --tag byhandtag "$one"
	mem-edit -q --tag sharedtag "$three"
	mem-forget -q --erase "$one"
	[ "$(mem-list --kind tag | jq -r .name | sort | tr '\n' ' ')" = 'byhandtag sharedtag ' ]
	mem-forget -q --erase "$three"
	nothing_of lonetag sharedtag
	run -0 mem-check
}

@test "entities that a fact by hand has made go with it" {
	fact=$(mem-fact --subject zonksubject --predicate uses --object zonkobject | jq -r .id)
	[ "$(erased "$fact" | jq .cascaded)" = 2 ]
	nothing_of zonksubject zonkobject
}

@test "a core block of a team is erased by operators only, also as what is derived" {
	export MEM_TEAMS=wolves
	block=$(mem-core --ns team:wolves add redline 'never at night' | jq -r .id)
	own=$(mem-core --agent bob add persona 'I am Bob' | jq -r .id)
	run -4 mem-forget --agent bob --erase "$block"
	[ "$(jq -r .reason <<<"$output")" = rights_denied ]
	run -4 mem-forget --agent bob --erase --force "$block"
	seed=$(mem-capture --agent bob --ns team:wolves <<<'{"content":"seed"}' | jq -r .id)
	edge derived_from "$block" "$seed" | mem-import -q
	run -4 mem-forget --agent bob --erase "$seed"
	there "$block"
	[ "$(mem-forget --agent bob --erase "$own" | jq -r .verdict)" = removed ]
	[ "$(mem-forget --erase "$block" | jq -r .verdict)" = removed ]
}

# quokka_skill NAME TEXT: a skill's file, of which all but the name of another skill is quokka's.
quokka_skill() {
	mkdir -p "files/$1"
	printf -- '---\nname: %s\ndescription: quokkawhat %s\nlicense: quokkalicense\ntags: [quokkatag, shared]\n---\n%s\n' "$1" "$2" "$2" > "files/$1/SKILL.md"
}

@test "a skill goes with its releases, its failures and what is wrong with it" {
	quokka_skill quokkaskill 'Always rinse quokkacups.'
	quokka_skill quokkaskill_two 'Never rinse quokkacups.'
	mkdir -p files/other
	printf -- '---\nname: other\ndescription: another\ntags: [shared]\n---\nBody.\n' > files/other/SKILL.md
	skill-ingest -q files
	quokka_skill quokkaskill 'Always rinse new quokkacups.'
	skill-ingest -q files
	skill-version -q quokkaskill activate 1.0.0
	for skill in quokkaskill quokkaskill_two; do skill-record -q "$skill" failure --text 'quokkafailure here'; done
	skill-record -q other failure --text 'its own failure'
	skill-status -q quokkaskill_two deprecated --reason quokkareason
	kg-edge -q add <<<"$(jq -nc --arg a "$(skill-list | jq -r 'select(.name == "quokkaskill").id')" --arg b "$(skill-list | jq -r 'select(.name == "other").id')" \
		'({edge:"requires",from:$a,to:$b,note:"quokkanote"},{edge:"requires",from:$b,to:$a})')"
	skill-conflicts --type naming,circular 2>/dev/null | jq -r 'select(.type == "circular").id' > id
	skill-repair -q --reason quokkawhy "$(cat id)"
	other_skill=$(skill-list --status deprecated | jq -r .id)
	run -0 mem-forget --erase "$(skill-list | jq -r 'select(.name == "quokkaskill").id')"
	[ "$(jq -c '[.erased.versions, .erased.about > 0]' <<<"$output")" = '[2,true]' ]
	[ "$(mem-list --kind bad_pattern | wc -l)" -eq 2 ]
	[ "$(mem-list --kind conflict | jq -r '.repair // empty')" = '' ]
	mem-forget -q --erase "$other_skill"
	[ "$(mem-list --kind bad_pattern | jq -r .description)" = 'its own failure' ]
	[ "$(mem-list --kind tag | jq -r .name)" = shared ]
	[ "$(mem-list --kind skill | jq -r .name)" = other ]
	nothing_of quokkaskill quokkawhat quokkacups quokkalicense quokkatag quokkafailure quokkareason quokkanote quokkawhy
	run -0 mem-check
}
