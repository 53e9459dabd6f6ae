#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	mem-init -S "$PWD/a" >/dev/null
	mem-init -S "$PWD/b" >/dev/null
}

@test "export, import, export again: the same bytes" {
	one=$(mem-capture -S a <<<'{"content":"über \u00fc","big":1e400,"n":123456789012345678901234567890,"odd":{"k":[null,true]}}' | jq -r .id)
	mem-capture -S a -q <<<"{\"content\":\"newer\",\"supersedes\":\"$one\",\"expires_at\":\"2030-01-01T00:00:00Z\"}"
	MEM_TEAMS=red mem-capture -S a -q <<<'{"content":"of the team","ns":"team:red"}'
	mem-export -S a --every-namespace > x
	[ "$(wc -l <x)" = 4 ]
	run -0 mem-import -S b --every-namespace < x
	[ "$(jq -r .verdict <<<"$output" | sort | uniq -c | tr -s ' ')" = ' 4 new' ]
	mem-export -S b --every-namespace > y
	cmp x y
	run -0 mem-check -S b
	run -0 mem-search -S b newer
}

@test "--rename: another login name, with origin, edges, duplicates and rights" {
	one=$(mem-capture -S a <<<'{"content":"tea of ada","speaker":"ada","session_id":"agent:ada"}' | jq -r .id)
	mem-capture -S a -q <<<"{\"content\":\"newer tea\",\"supersedes\":\"$one\"}"
	MEM_TEAMS=red mem-capture -S a -q <<<'{"content":"of the team","ns":"team:red"}'
	MEM_TEAMS=red mem-export -S a > x
	jq -c 'if .ns=="agent:ada" then .ns="agent:bob" else . end | if .origin.agent=="ada" then .origin.agent="bob" else . end' x > want
	# bob's own store, and one where he is no operator.
	mem-init -q --agent bob -S "$PWD/c"
	MEM_TEAMS=red mem-import --agent bob -S c --rename agent:ada=agent:bob < x > receipts
	[ "$(jq -r '.verdict + " " + (.ns // "edge")' receipts | paste -sd,)" = 'new agent:bob,new agent:bob,new edge,new team:red' ]
	MEM_TEAMS=red mem-export --agent bob -S c > y
	cmp want y
	run -0 mem-check --agent bob -S c
	[ "$(mem-search --agent bob -S c -m keyword newer | jq -r .ns)" = agent:bob ]
	run -0 mem-import --agent bob -S c --rename agent:ada=agent:bob < <(head -1 x)
	[ "$(jq -r .verdict <<<"$output")" = duplicate ]
	# The renamed is his to take in, as nobody's operator; a third one's is not.
	run -0 mem-import --agent bob -S b --rename agent:ada=agent:bob < <(head -1 x)
	[ "$(jq -r .ns <<<"$output")" = agent:bob ]
	run -1 mem-import --agent eve -S b --rename agent:ada=agent:bob < <(head -1 x)
	[ "$(jq -r .reason <<<"$output")" = rights_denied ]
	run -1 mem-import --agent eve -S b < <(head -1 x)
	[ "$(jq -r .reason <<<"$output")" = rights_denied ]
	run -1 mem-import --agent eve -S b --rename agent:ada=global < <(jq -c 'del(.origin)' < <(head -1 x))
	[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
}

@test "--rename: several at once, and what is no rename" {
	{
		echo '{"id":"0198f3c2-7d4e-7b1a-9c3d-000000000001","kind":"episode","ns":"agent:ada","created_at":"2026-11-28T09:00:00Z","role":"user","content":"one","origin":{"agent":"bob","via":"x"}}'
		echo '{"id":"0198f3c2-7d4e-7b1a-9c3d-000000000002","kind":"episode","ns" : "agent:\u0062ob","created_at":"2026-11-28T09:00:00Z","role":"user","content":"agent:ada","n":1e400}'
		echo '{"id":"0198f3c2-7d4e-7b1a-9c3d-000000000003","kind":"episode","ns":"team:x","created_at":"2026-11-28T09:00:00Z","role":"user","content":"three"}'
	} >x
	mem-import -q -S a --every-namespace --rename agent:ada=agent:bob --rename agent:bob=agent:ada --rename team:x=team:y <x
	mem-export -S a --every-namespace >y
	[ "$(jq -r '.ns + " " + (.origin.agent // "-")' y | paste -sd,)" = 'agent:bob ada,agent:ada -,team:y -' ]
	[ "$(sed -n 2p y)" = "$(sed -n '2s/"agent:[^"]*ob"/"agent:ada"/p' x)" ]
	for bad in agent:ada agent:ada= =agent:ada ada=bob agent:ada=agent:b/b agent:ada=x:y; do
		run -2 mem-import -S a --rename "$bad" </dev/null
		[[ $output = *"is not OLD=NEW of namespaces"* ]]
	done
	run -2 mem-import -S a --rename agent:ada=agent:bob --rename agent:ada=agent:eve </dev/null
	[[ $output = *'agent:ada has two new names' ]]
	command -v script >/dev/null || return 0
	run -0 script -qec "mem-import -S a --every-namespace --rename agent:eva=agent:eve <y >/dev/null" /dev/null </dev/null
	[[ $output = *'--rename: nothing was of agent:eva'* ]]
}

@test "an edge whose numbers, times or direction have the wrong form is refused, with the place of the field" {
	a=0198f3c2-7d4e-7b1a-9c3d-000000000001
	head="{\"edge\":\"relates_to\",\"from\":\"$a\",\"to\":\"$a\""
	n=0
	while read -r reason field value; do
		n=$((n + 1))
		printf '%s,"created_at":"2026-11-28T09:00:00Z","%s":%s}\n' "$head" "$field" "$value"
		echo "$n $reason $((${#head} + 40 + ${#field}))" >> want
	done > x <<-'END'
		bad_value weight 1.5
		bad_value weight -0.001
		bad_value weight "1"
		bad_value weight 1e400
		bad_value confidence 2
		bad_value confidence [1]
		bad_value bidirectional 1
		bad_value bidirectional "true"
		bad_time valid_from "yesterday"
		bad_time valid_to 1790000000
		bad_time reinforced_at "2026-13-01T00:00:00Z"
	END
	echo "$head,\"created_at\":\"now\"}" >> x
	echo "12 bad_time $((${#head} + 14))" >> want
	echo "{\"id\":\"$a\",\"kind\":\"page\",\"ns\":\"agent:ada\",\"created_at\":\"2026-11-28T09:00:00Z\"}" | mem-import -S a -q
	run -1 mem-import -S a < x
	[ "$(jq -r '"\(.line) \(.reason) \(.offset)"' <<<"$output")" = "$(<want)" ]
	# null is as left out, and the ends of what is allowed are allowed.
	run -0 mem-import -S a <<<"$head,\"weight\":null,\"confidence\":0,\"bidirectional\":null,\"valid_to\":null,\"valid_from\":\"0000-01-01T00:00:00Z\"}"
	run -0 mem-check -S a
}

@test "the path of a page leads down from the top of its vault, by folders that are not hidden" {
	head='"kind":"page","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z"'
	n=0
	for path in '"../x.md"' '"/etc/x.md"' '"a/../../x.md"' '"a//x.md"' '"./x.md"' '"a/"' '".git/x.md"' '"a/.x.md"' '"..\u002fx.md"' \
	    '"a/x.md"' '"a..b/x..md"' '""' null; do
		n=$((n + 1))
		printf '{"id":"0198f3c2-7d4e-7b1a-9c3d-%012d",%s,"path":%s}\n' $n "$head" "$path"
	done > x
	run -1 mem-import -S a < x
	[ "$(jq -r '"\(.verdict) \(.reason)"' <<<"$output" | uniq -c | tr -s ' ')" = $' 9 rejected bad_value\n 4 new null' ]
	[ "$(jq -r 'select(.reason).offset' <<<"$output" | sort -u)" = $((${#head} + 53)) ]
	# Of another kind it is what it says.
	run -0 mem-import -S a <<<"{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-000000000100\",${head/page/entity},\"path\":\"/etc/x.md\"}"
	run -0 mem-check -S a
}

@test "every kind of node and any edge go through" {
	mapfile -t kinds < <(sed -n '/^\.Ss Kinds/,/^\.El/s/^\.It Cm \([a-z_]*\) .*/\1/p' "$TOP/man/mem-records.5")
	[ ${#kinds[@]} -ge 30 ]
	n=0
	for kind in "${kinds[@]}"; do
		n=$((n + 1))
		printf '{"id":"0198f3c2-7d4e-7b1a-9c3d-%012d","kind":"%s","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","version":1,"status":"active","name":"%s %d"}\n' $n "$kind" "$kind" $n
		[ $n = 1 ] || printf '{"edge":"relates_to","from":"0198f3c2-7d4e-7b1a-9c3d-%012d","to":"0198f3c2-7d4e-7b1a-9c3d-000000000001","weight":0.5}\n' $n
	done > x
	run -0 mem-import -S a < x
	mem-export -S a > y
	cmp x y
	mem-import -S b < y >/dev/null
	mem-export -S b | cmp - y
	run -0 mem-check -S b
}

# new_node KIND FIELDS: a line for it, with these fields at its end.
new_node() {
	n=$((${n:-0} + 1))
	printf '{"id":"0198f3c2-7d4e-7b1a-9c3d-%012d","kind":"%s","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z",%s}\n' $n "$1" "$2"
}

@test "only an active node is found; another status than those of the page is refused" {
	mapfile -t statuses < <(sed -n '/^\.Ss Statuses/,/^\.El/s/^\.It Cm \([a-z_]*\) .*/\1/p' "$TOP/man/mem-records.5")
	[ "${statuses[*]}" = 'active draft superseded quarantined deprecated archived retired merged' ]
	for status in "${statuses[@]}"; do
		new_node skill "\"status\":\"$status\",\"name\":\"$status teapot\""
	done > x
	run -0 mem-import -S a < x
	run -0 mem-search -S a --kind skill teapot
	[ "$(jq -r .name <<<"$output")" = 'active teapot' ]
	[ "$(mem-list -S a | wc -l)" = 8 ]
	line=$(new_node skill '"name":"teapot","status":"fine"')
	run -1 mem-import -S a <<<"$line"
	[ "$(jq -c '[.verdict,.reason,.offset]' <<<"$output")" = "[\"rejected\",\"bad_value\",$((${#line} - 7))]" ]
	run -0 mem-check -S a
}

@test "shares are from 0 to 1, and tags are strings" {
	for field in '"importance":1.5' '"trust":-1' '"confidence":"high"' '"confidence":2' '"tags":"a"' '"tags":["a",null]'; do
		line=$(new_node fact "\"statement\":\"x\",$field") value=${field#*:}
		run -1 mem-import -S a <<<"$line"
		[ "$(jq -c '[.verdict,.reason,.offset]' <<<"$output")" = "[\"rejected\",\"bad_value\",$((${#line} - ${#value} - 1))]" ]
	done
	run -0 mem-import -S a < <(new_node fact '"statement":"x","importance":1,"trust":0,"confidence":null,"tags":[]')
}

@test "an alias is found as the name is" {
	new_node entity '"type":"person","name":"Alice Smith","aliases":["Ally","Ärztin Straße"]' > x
	run -0 mem-import -S a < x
	[ "$(mem-search -S a --kind entity Ally | jq -r .name)" = 'Alice Smith' ]
	[ "$(mem-search -S a --kind entity '"arztin strasse"' | jq -r .name)" = 'Alice Smith' ]
	run -1 mem-search -S a --kind entity Allyson
	line=$(new_node entity '"name":"Bob","aliases":"Bobby"')
	run -1 mem-import -S a <<<"$line"
	[ "$(jq -c '[.reason,.offset]' <<<"$output")" = "[\"bad_value\",$((${#line} - 8))]" ]
	run -0 mem-check -S a
	run -0 mem-check -S a --repair
	run -0 mem-check -S a
}

@test "a slot is stored, listed and in no index" {
	new_node slot '"name":"kettle","content":"the tea is ready"' > x
	new_node fact '"statement":"the tea is hot"' >> x
	run -0 mem-import -S a < x
	[ "$(mem-list -S a --kind slot | jq -r .name)" = kettle ]
	run -1 mem-search -S a --kind slot tea
	[ "$(mem-search -S a --kind slot,fact tea | jq -r .kind)" = fact ]
	[ "$(mem-stat -S a | jq -c '[.nodes.slot["agent:ada"], .index.tail, .pending_vectors]')" = '[1,1,1]' ]
	run -0 mem-check -S a
	run -0 mem-check -S a --repair
	run -0 mem-check -S a
	[ "$(mem-stat -S a | jq -c .index.tail)" = 1 ]
}

@test "again: duplicates; the same id with other bytes is refused" {
	mem-capture -S a -q <<<'{"content":"x"}'
	mem-export -S a > x
	mem-import -S b -q < x
	run -0 mem-import -S b < x
	[ "$(jq -r .verdict <<<"$output")" = duplicate ]
	sed 's/"content":"x"/"content":"y"/' x > z
	run -1 mem-import -S b < z
	[ "$(jq -r .reason <<<"$output")" = bad_value ]
	run -0 mem-export -S b
	[ "$output" = "$(cat x)" ]
}

@test "bad lines are named, the rest goes in" {
	mem-capture -S a -q <<<'{"content":"x"}'
	{ echo nonsense; mem-export -S a --header; echo '{"edge":"relates_to","from":"0198f3c2-7d4e-7b1a-9c3d-000000000001","to":"0198f3c2-7d4e-7b1a-9c3d-000000000001"}'
	  echo '{"id":"nope","kind":"episode"}'; mem-export -S a; } > x
	run -1 mem-import -S b < x
	[ "$(jq -r '"\(.line):\(.verdict):\(.reason)"' <<<"$output" | paste -sd' ')" = \
	  '1:rejected:bad_json 2:rejected:bad_value 3:new:null 4:rejected:bad_value 5:rejected:bad_value 6:duplicate:null' ]
}

@test "who is no operator imports nothing that the sanitiser would change, and only into its own" {
	mem-capture -S a -q --redact secrets <<<'{"content":"write to anna@example.org"}'
	mem-export -S a | sed 's/"agent":"ada"/"agent":"bob"/' > x
	run -1 mem-import -S b --agent bob < x
	[ "$(jq -r .reason <<<"$output")" = residue ]
	sed 's/anna@example.org/Anna/' x > y
	run -1 mem-import -S b --agent bob < y
	[ "$(jq -r .reason <<<"$output")" = namespace_denied ]
	sed 's/agent:ada/agent:bob/' y > z
	run -0 mem-import -S b --agent bob < z
	run -4 mem-import -S b --agent bob --every-namespace < x
}

@test "a version is a whole number from 1 on, and the next change counts on from it" {
	local v id
	mem-capture -S a -q <<<'{"content":"x"}'
	mem-export -S a > x
	for v in -5 0 1.5 '"x"' 1e3 18446744073709551616; do
		sed 's/"version":1/"version":'"$v/" x > y
		run -1 mem-import -S b < y
		[ "$(jq -r .reason <<<"$output")" = bad_value ] || { echo "$v: $output"; return 1; }
	done
	sed 's/"version":1/"version":9223372036854775807/' x > y
	run -0 mem-import -S b < y
	id=$(jq -r .id y)
	run -0 mem-capture -S b --no-embed <<<'{"content":"z","supersedes":"'"$id"'"}'
	run -0 mem-get -S b "$id"
	[[ $output == *'"version":9223372036854775807,"status":"superseded"'* ]]
	run -0 mem-check -S b
}

@test "only a header is passed over: a first line that is a node or an edge is one, whatever fields it has" {
	mem-export -S a --header > x
	id=$(mem-capture -S a <<<'{"content":"x"}' | jq -r .id)
	mem-export -S a | sed 's/}$/,"memkit":1}/' > y
	run -0 mem-import -S b < <(cat x y)
	[ "$(jq -c '[.line, .verdict]' <<<"$output")" = '[2,"new"]' ]
	run -0 mem-import -S b < y
	[ "$(jq -c '[.line, .verdict]' <<<"$output")" = '[1,"duplicate"]' ]
	run -0 mem-import -S b <<<'{"edge":"relates_to","from":"'"$id"'","to":"'"$id"'","memkit":1}'
	[ "$(jq -c '[.line, .verdict]' <<<"$output")" = '[1,"new"]' ]
}

# ---- rights -----------------------------------------------------------------------------------

# node N FIELDS: a node of bob's with this number, of kind note unless the fields name one.
node() {
	local kind='"kind":"note",'
	[[ $2 != *'ind":'* ]] || kind=
	printf '{"id":"0198f3c2-7d4e-7b1a-9c3d-%012d",%s%s"created_at":"2026-11-28T09:00:00.000Z"}\n' "$1" "$kind" '"ns":"agent:bob",'"$2"
}
edge() { # KIND FROM TO FIELDS
	printf '{"edge":"%s","from":"0198f3c2-7d4e-7b1a-9c3d-%012d","to":"0198f3c2-7d4e-7b1a-9c3d-%012d",%s"created_at":"2026-11-28T09:00:00.000Z"}\n' "$@"
}

# An export that tries each of the rights; its first two lines give none.
export_of_rights() {
	local kind n=10
	node 1 ''
	node 2 ''
	for kind in core policy domain grant review proposal promotion agent team; do
		node $((n += 1)) "\"kind\":\"$kind\",\"name\":\"$kind\","
	done
	node 21 '"\u006bind":"c\u006fre","name":"escaped",'
	node 22 '"origin":{"agent":"ada","via":"mem-capture"},'
	node 23 '"origin":{"\u0061gent":"\u0061da"},'
	node 24 '"origin":"ada",'
	node 25 '"origin":{"agent":["bob"]},'
	node 26 '"trust":0.500001,'
	node 27 '"tru\u0073t":1,'
	node 28 '"role":"system",'
	node 29 '"role":"\u0053ystem",'
	for kind in attested_by promoted_to demoted_from member_of; do
		edge "$kind" 1 2 ''
	done
	edge att\\u0065sted_by 2 1 ''
	edge relates_to 1 2 '"origin":{"agent":"ada"},'
}

@test "who is no operator imports nothing that gives rights: line by line, audited; an operator's import goes in as it stands" {
	export_of_rights > x
	n=$(($(wc -l <x) - 2))
	[ "$n" = 24 ]
	run -1 mem-import -S b --agent bob < x
	[ "$(jq -r .verdict <<<"$output" | uniq -c | tr -s ' ' | paste -sd,)" = " 2 new, $n rejected" ]
	[ "$(jq -r 'select(.verdict == "rejected") | .reason' <<<"$output" | sort -u)" = rights_denied ]
	# Each names the place of what it is refused for.
	while read -r line offset; do
		rest=$(sed -n "${line}p" x | tail -c +$((offset + 1)))
		[[ $rest = '"c\u006fre"'* || $rest = '"'@(core|policy|domain|grant|review|proposal|promotion|agent|team)'"'* ||
			$rest = '{"agent":"ada"'* || $rest = '{"\u0061gent"'* || $rest = '"ada"'* || $rest = '{"agent":["bob"]}'* ||
			$rest = '"system"'* || $rest = '"\u0053ystem"'* || $rest = 0.500001,* || $rest = 1,* || $rest = '"'@(attested_by|promoted_to|demoted_from|member_of|att\\u0065sted_by)'"'* ]] ||
			{ echo "line $line at $offset: $rest"; return 1; }
	done < <(jq -r 'select(.verdict == "rejected") | "\(.line) \(.offset)"' <<<"$output")
	[ "$(mem-export -S b --agent bob)" = "$(head -n 2 x)" ]
	run -0 mem-audit -S b --agent bob --kind rights_denied
	[ "$(jq -r '"\(.subject) \(.ns) \(.actor) \(.reason)"' <<<"$output" | uniq -c | tr -s ' ')" = " $n null agent:bob bob rights_denied" ]
	run -0 mem-audit -S b --agent bob --kind import
	[ "$(jq -c '[.subject, .ns, .actor, .reason, .detail]' <<<"$output")" = \
		"[null,\"agent:bob\",\"bob\",null,{\"nodes\":2,\"edges\":0,\"refused\":$n}]" ]
	run -0 mem-check -S b
	# The same by an operator, but for the two whose kind is not written plainly, which nobody can import.
	grep -v 'u0065sted_by\|u006bind' x > y
	run -0 mem-import -S a --every-namespace < y
	[ "$(jq -r .verdict <<<"$output" | sort -u)" = new ]
	mem-export -S a --every-namespace | sort | cmp - <(sort y)
	run -0 mem-audit -S a --kind import
	[ "$(jq -c '[.ns, .actor, .detail]' <<<"$output")" = '["agent:ada","ada",{"nodes":19,"edges":5,"refused":0}]' ]
}

@test "the page has the kinds of nodes that the table says give rights" {
	sed -n 's/^.KIND([^"]*"\([a-z_]*\)".*[.]rights = true.*/\1/p' "$TOP/lib/store/kind.h" | sort > table
	[ "$(wc -l < table)" -ge 9 ]
	sed -n '/^nodes of the kinds/,/^edges of the kinds/s/^[.]Cm //p' "$TOP/man/mem-import.1" | sed 's/ [,;]/\n/g' | tr -d ' ' | grep . | sort |
		diff table -
}

@test "what gives no rights passes: the own origin, trust up to the cap, importance, pinned" {
	{ node 1 '"origin":{"agent":"bob","via":"mem-capture"},"trust":0.5,"importance":1,"pinned":true,'
	  node 2 '"origin":null,"trust":null,"role":"tool",'
	  node 3 '"origin":{},"trust":0.2,'
	  node 4 '"origin":{"agent":null},'
	  edge relates_to 1 2 '"origin":{"agent":"bob"},"weight":1,'
	} > x
	run -0 mem-import -S a --agent bob < x
	mem-export -S a --agent bob | sort | cmp - <(sort x)
	echo 'capture: {trust_max: 0.1}' >> a/config.yaml
	run -1 mem-import -S a --agent bob < <(node 5 '"trust":0.2,')
	[ "$(jq -r .reason <<<"$output")" = rights_denied ]
	run -0 mem-import -S a --agent bob < <(node 5 '"trust":0.1,')
}

@test "nothing is superseded that the importer may not write, and what he cannot see is as what is not there" {
	shared=$(mem-capture -S a <<<'{"content":"shared","ns":"global"}' | jq -r .id)
	hidden=$(mem-capture -S a <<<'{"content":"hidden"}' | jq -r .id)
	{ node 1 ''; node 2 ''; } | mem-import -S a -q --agent bob
	{ node 3 "\"supersedes\":\"$shared\","
	  node 4 "\"supersedes\":\"$hidden\","
	  node 5 '"supersedes":"0198f3c2-7d4e-7b1a-9c3d-999999999999",'
	  node 6 '"supersedes":"0198f3c2-7d4e-7b1a-9c3d-000000000001",'
	  node 7 '"supersedes":17,'
	  edge supersedes 1 0 ''
	  edge superseded_by 0 1 ''
	  edge superseded_by 1 0 '"bidirectional":true,'
	  edge superseded_by 1 0 ''
	  edge supersedes 1 2 ''
	  edge superseded_by 2 1 '"bidirectional":true,'
	} | sed "s/0198f3c2-7d4e-7b1a-9c3d-000000000000/$shared/" > x
	run -1 mem-import -S a --agent bob < x
	[ "$(jq -r '.reason // .verdict' <<<"$output")" = 'supersedes_denied
new
new
new
new
supersedes_denied
namespace_denied
supersedes_denied
new
new
new' ]
	run -0 mem-audit -S a --agent bob --kind supersedes_rejected
	[ "$(jq -r .reason <<<"$output" | uniq -c | tr -s ' ')" = ' 3 supersedes_denied' ]
	run -0 mem-get -S a "$shared"
	[ "$(jq -r .status <<<"$output")" = active ]
	run -0 mem-check -S a
}

@test "each transaction has its row in the audit" {
	for i in $(seq 1500); do node "$i" ''; done > x
	edge relates_to 1 2 '' >> x
	echo nonsense >> x
	run -1 mem-import -S a --agent bob -q < x
	run -0 mem-audit -S a --agent bob
	[ "$(jq -c '[.kind, .detail]' <<<"$output")" = '["import",{"nodes":1024,"edges":0,"refused":0}]
["import",{"nodes":476,"edges":1,"refused":1}]' ]
	# What is there already is not counted.
	last=$(jq -s '.[-1].seq' <<<"$output")
	run -0 mem-import -S a --agent bob -q < <(head -n 3 x)
	run -0 mem-audit -S a --agent bob -n 1 --after "$last"
	[ "$(jq -c .detail <<<"$output")" = '{"nodes":0,"edges":0,"refused":0}' ]
}

@test "an export of a later version is refused by its version, as a whole" {
	mem-init -q "$PWD/later"
	{ echo '{"memkit":99,"exported_at":"2030-01-01T00:00:00.000Z"}'; echo '{"id":"01900000-0000-7000-8000-000000000001"}'; } >later.ndjson
	run -3 mem-import -S later <later.ndjson
	[ "$output" = "mem-import: line 1: an export of version 99, and this memkit reads version 1: import it with the memkit that made it, or a newer one" ]
	[ -z "$(mem-export -S later)" ]
	run -0 mem-import -S later <<<'{"memkit":1,"exported_at":"2030-01-01T00:00:00.000Z"}'
	[ -z "$output" ]
}

@test "of events mem-import says where they go" {
	need_store
	run -1 --separate-stderr mem-import <<<'{"content":"tea","speaker":"Ada"}'
	[ "$(jq -r .reason <<<"$output")" = bad_value ]
	echo '{"content":"tea"}' >event
	run -1 script -qec 'mem-import <event' /dev/null
	[[ $output = *'those go to mem-capture'* ]]
}
