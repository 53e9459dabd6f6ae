#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	cat >hits <<-'END'
	{"id":"a","content":"the red kettle is in the shed behind the house","rank":1,"score":3,"extra":1e400}
	{"id":"b","content":"The red kettle is in the shed, behind the house.","rank":2,"score":2}
	{"id":"c","content":"no no no no no no","rank":3,"score":1}
	{"id":"d","content":"tea comes at four, milk at five","rank":4,"score":0,"signals":{"lexical":{"score":1 }}}
	END
}

join_ids() { jq -r .id | tr -d '\n'; }
gone() { jq -r 'select(.id) | "\(.id) \(.reason)"' "$@"; }

@test "the score is the entropy of characters and words" {
	# By hand: of no no no no no no 6, 6 and 5 of 17 characters, H = 1.579860; all words are one.
	# ab abab: a and b each 3 of 7, a blank 1: H = 1.448816; two words, 1 bit of 1.
	printf '%s\n' '{"id":"a","content":"no no no no no no","score":1}' '{"id":"b","content":"ab abab","score":1}' \
		'{"id":"c","content":"x","score":1}' '{"id":"d","content":"éééé","score":1}' '{"id":"e","score":1}' >texts
	run -0 mem-gate texts
	[ "$(jq -c '[.id, .signals.gate.score, .signals.gate.band]' <<<"$output" | tr -d '\n')" = \
		'["a",0.114899,"low"]["b",0.705368,"high"]["c",0,"low"]["d",0,"low"]["e",0,"low"]' ]
	[ "$(jq -c .signals.gate.tokens <<<"$output" | tail -1)" = 0 ]
	# Words are counted without regard to case and accents; characters are not.
	[ "$(echo '{"id":"a","content":"Tea TEA téa","score":1}' | mem-gate | jq .signals.gate.score)" = 0.211926 ]
}

@test "what is kept keeps its place and all else of it, byte for byte" {
	run -0 mem-gate hits
	[ "$(join_ids <<<"$output")" = acd ]
	[ "${lines[0]}" = '{"id":"a","content":"the red kettle is in the shed behind the house","rank":1,"score":3,"extra":1e400,"signals":{"gate":{"score":0.757029,"band":"high","tokens":33}}}' ]
	[ "${lines[2]}" = '{"id":"d","content":"tea comes at four, milk at five","rank":3,"score":0,"signals":{"lexical":{"score":1 },"gate":{"score":0.810621,"band":"high","tokens":29}}}' ]
	# Ranks are by score, whatever the order.
	[ "$(tac hits | mem-gate | jq -c '[.id, .rank]' | tr -d '\n')" = '["d",3]["c",2]["a",1]' ]
}

@test "repeats go first, then what says little, then the worst; the report says which and why" {
	run -0 mem-gate --report gone hits
	[ "$(gone gone)" = 'b duplicate' ]
	[ "$(tail -1 gone)" = '{"hits":4,"kept":3,"tokens":85,"duplicate":1,"low_entropy":0,"over_budget":0}' ]
	run -0 mem-gate --tokens 84 --report gone hits
	[ "$(join_ids <<<"$output")" = ad ]
	[ "$(gone gone)" = $'b duplicate\nc low_entropy' ]
	run -0 mem-gate --tokens 61 --report gone hits
	[ "$(join_ids <<<"$output")" = a ]
	[ "$(gone gone)" = $'b duplicate\nc low_entropy\nd over_budget' ]
	[ "$(head -1 gone)" = '{"id":"b","score":0.77358,"tokens":35,"reason":"duplicate"}' ]
	# What cannot fit at all is stepped over; behind what does not fit any more nothing is tried.
	run -0 mem-gate --tokens 30 --report gone hits
	[ "$(join_ids <<<"$output")" = d ]
	printf '{"id":"%s","content":"%s","score":%s}\n' x 'seven brown foxes jumped over fences' 3 y 'quietly the river ran past old mills and farms' 2 z 'hot tea' 1 >three
	run -0 mem-gate --tokens 55 --report gone three
	[ "$(join_ids <<<"$output")" = x ]
	[ "$(jq -s 'map(select(.reason == "over_budget")) | length' gone)" = 2 ]
}

@test "that nothing fits is said, for each query" {
	run -0 --separate-stderr mem-gate --tokens 1 hits
	[ -z "$output" ]
	[ "$stderr" = 'mem-gate: no hit fits into the budget of 1 token' ]
	printf '%s\n' '{"qid":"p","id":"a","content":"hot tea","score":1,"pinned":true}' '{"qid":"q","id":"b","content":"cold milk","score":1}' >two
	run -0 --separate-stderr mem-gate --tokens 1 two
	[ "$(join_ids <<<"$output")" = a ]
	[ "$stderr" = 'mem-gate: "q": no hit fits into the budget of 1 token' ]
}

@test "of what says little the least goes first, and no more than must" {
	printf '{"id":"%s","content":"%s","score":%s}\n' a 'aaaa aaaa aaaa' 5 b 'no no no no' 4 c 'hm hm hm hm hm hm hm hm so so so so so' 3 >low
	[ "$(mem-gate low | jq -r .signals.gate.band | sort -u)" = low ]
	all=$(mem-gate low | jq -s 'map(.signals.gate.tokens) | add')
	run -0 mem-gate --tokens $((all - 1)) --report gone low
	[ "$(gone gone)" = 'a low_entropy' ]
	run -0 mem-gate --tokens 40 --report gone low
	[ "$(gone gone)" = $'a low_entropy\nb low_entropy' ]
}

@test "pinned records and core blocks never go" {
	sed 's/"id":"c"/"id":"c","pinned":true/; s/"id":"b"/"id":"b","kind":"core"/' hits >kept
	run -0 mem-gate --tokens 1 --report gone kept
	[ "$(join_ids <<<"$output")" = bc ]
	# A repeat of one goes, though it has the better score.
	[ "$(gone gone)" = $'a duplicate\nd over_budget' ]
	sed 's/"score":3/"score":3,"pinned":"true"/' hits | mem-gate --tokens 1 >none
	[ ! -s none ]
}

@test "each query has a budget, and end records count anew" {
	for q in 1 '"x"'; do sed "s/}\$/,\"qid\":$q}/" hits; echo "{\"qid\":$q,\"end\":true,\"hits\":4}"; done >two
	run -0 mem-gate --tokens 70 --report gone two
	[ "${lines[2]}" = '{"qid":1,"end":true,"hits":2}' ]
	[ "${lines[5]}" = '{"qid":"x","end":true,"hits":2}' ]
	[ "$(head -2 <<<"$output" | sed 's/,"qid":1//')" = "$(mem-gate --tokens 70 hits)" ]
	[ "$(jq -c '[.qid, .id]' gone | head -4 | tr -d '\n')" = '[1,"b"][1,"c"]["x","b"]["x","c"]' ]
	[ "$(tail -1 gone | jq -c '[.hits, .kept]')" = '[8,4]' ]
}

@test "what was gated is not gated again unless that is asked for" {
	mem-gate hits >once
	[ "$(mem-gate --tokens 1 once)" = "$(cat once)" ]
	[ -z "$(mem-gate --again --tokens 1 once)" ]
}

@test "the budget is mem-render's: what is kept is shown" {
	for budget in 60 100 200; do
		mem-gate --tokens $budget hits >kept
		[ "$(mem-render --tokens $((budget + 51)) kept | grep -c '^<memory')" = "$(wc -l <kept)" ]
	done
	mkdir -p "$HOME/.config/memkit"
	echo 'gate: {tokens: 61}' >"$HOME/.config/memkit/config.yaml"
	[ "$(mem-gate hits)" = "$(mem-gate --tokens 61 hits)" ]
}

@test "the passage that answers is what counts" {
	jq -nc '{id: "a", content: (("tea " * 500) + "the kettle stands in the old shed"), score: 1, passage: {field: "content", start: 2000, end: 2033}}' >long
	[ "$(mem-gate long | jq -c '[.signals.gate.band, .signals.gate.tokens < 60]')" = '["high",true]' ]
}

@test "behind a search it gives what it gives in a pipe" {
	need_store
	remember '{"content":"the red kettle is in the shed"}' '{"content":"The red kettle is in the shed."}' '{"content":"a kettle for tea at four"}' >/dev/null
	run -0 mem-search --stages fuse,rerank,gate kettle
	[ "$output" = "$(mem-search --stages fuse kettle | mem-rerank | mem-gate)" ]
	[ "${#lines[@]}" = 2 ]
	echo 'gate: {tokens: 120}' >>store/config.yaml
	run -0 mem-search --stages fuse,gate kettle
	[ "$output" = "$(mem-search --stages fuse kettle | mem-gate --tokens 120)" ]
	[ "${#lines[@]}" = 1 ]
}

@test "bad lines are named, a report that cannot be written ends with 3" {
	{ cat hits; printf '%s\n' '{"id":7,"score":1}' tea '{"id":"e","score":null}'; } >bad
	run -1 --separate-stderr mem-gate bad
	[ "${#lines[@]}" = 3 ]
	[ "$(grep -c 'bad_value\|bad_json' <<<"$stderr")" = 3 ]
	run -3 mem-gate --report nowhere/gone hits
	[ -z "$(mem-gate </dev/null)" ]
	run -3 --separate-stderr mem-gate --report /dev/full hits
	[ "${#lines[@]}" = 3 ]
}

@test "the same is kept whether a report is wanted or not" {
	awk 'BEGIN { srand(5); for (i = 0; i < 300; i++) { s = ""; for (k = 1 + int(rand() * 30); k > 0; k--) s = s "word" int(rand() * 60) " "
		if (rand() < .2) s = "yes yes yes"
		printf "{\"id\":\"h%03d\",\"content\":\"%s\",\"score\":%.1f%s}\n", i, s, rand() * 20, rand() < .05 ? ",\"pinned\":true" : "" } }' >hits
	for tokens in 20 60 500 4000 100000; do
		mem-gate --tokens $tokens hits >without
		mem-gate --tokens $tokens --report report hits >with
		[ -s with ]
		cmp with without
	done
}

@test "many hits, alike and not, take time and memory that grow with the input" {
	seq 10000 | awk '{ printf "{\"id\":\"%06d\",\"content\":\"memory %d of the %d kettle in shed %d\",\"score\":%d}\n", $1, $1 * 7919 % 100003, $1 * 31 % 9973, $1 * 17 % 997, $1 }' >many
	case $MEM_BUILD in *address*|*thread*) limit=unlimited cpu=300 ;; *) limit=1000000 cpu=30 ;; esac
	run -0 timeout 600 bash -c "ulimit -v $limit; mem-gate --tokens 100000000 many | wc -l"
	[ "$output" -gt 9000 ]
	yes '{"id":"x","content":"the red kettle is in the shed behind the house","score":1}' | head -50000 >same
	run -0 timeout 600 bash -c "ulimit -v $limit; mem-gate same | wc -l"
	[ "$output" = 1 ]
	# Of few words, so that all share much and none repeats another.
	awk 'BEGIN { srand(3); for (i = 0; i < 15000; i++) { s = ""; for (k = 0; k < 40; k++) s = s "w" int(rand() * 9) "x" int(rand() * 40) " "
		printf "{\"id\":\"%06d\",\"content\":\"%s\",\"score\":%d}\n", i, s, i } }' >few
	run -0 timeout 600 bash -c "ulimit -v $limit; ulimit -t $cpu; mem-gate --tokens 100000000 few | wc -l"
	[ "$output" -gt 14900 ]
}
