#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cat >words <<-'END'
	{"id":"a","rank":1,"score":3,"mode":"keyword","signals":{"lexical":{"score":3}},"extra":1e400}
	{"id":"b","rank":2,"score":1,"mode":"keyword","signals":{"lexical":{"score":1}}}
	END
	cat >meaning <<-'END'
	{"id":"b","rank":1,"score":0.9,"mode":"vector","signals":{"dense":{"score":0.9}}}
	{"id":"c","rank":2,"score":0.8,"mode":"vector","signals":{"dense":{"score":0.8}}}
	END
}

scores() { jq -r '"\(.id) \(.score)"'; }

@test "each method by its formula" {
	# By hand: words are 3 1 1, mean 5/3, sd .942809; meaning is .8 .9 .8, mean .833333, sd .047140.
	run -0 bash -c 'mem-fuse words meaning | jq -r "\"\(.id) \(.score)\""'
	[ "$output" = $'a 0.353553\nb 0.353553\nc -0.707107' ]
	run -0 bash -c 'mem-fuse --fusion minmax words meaning | jq -r "\"\(.id) \(.score)\""'
	[ "$output" = $'a 0.5\nb 0.5\nc 0' ]
	run -0 bash -c 'mem-fuse --fusion rrf words meaning | jq -r "\"\(.id) \(.score)\""'
	[ "$output" = $'b 0.032522\na 0.016393\nc 0.016129' ]
	run -0 bash -c 'mem-fuse --fusion weighted words meaning | jq -r "\"\(.id) \(.score)\""'
	[ "$output" = $'b 0.666667\na 0.5\nc 0.444444' ]
	run -0 bash -c 'mem-fuse --fusion simple words meaning | jq -r "\"\(.id) \(.score)\""'
	[ "$output" = $'a 3\nb 1.9\nc 0.8' ]
}

@test "weights shift the order; for three of them only shares count" {
	run -0 bash -c 'mem-fuse --weights 4,6 words meaning'
	[ "$output" = "$(mem-fuse --weights .4,.6 words meaning)" ]
	[ "$(head -1 <<<"$output" | jq -r .id)" = b ]
	run -0 bash -c 'mem-fuse --weights 1,0 words meaning | head -1 | jq -r .id'
	[ "$output" = a ]
	run -0 bash -c 'mem-fuse --fusion rrf --weights 2,0 words meaning | head -1 | jq -r .score'
	[ "$output" = 0.032787 ]
}

@test "a record is the first list's, all else byte for byte, with the signals of both" {
	run -0 mem-fuse words meaning
	[ "${lines[0]}" = '{"id":"a","rank":1,"score":0.353553,"mode":"hybrid","signals":{"lexical":{"score":3}},"extra":1e400}' ]
	[ "${lines[1]}" = '{"id":"b","rank":2,"score":0.353553,"mode":"hybrid","signals":{"lexical":{"score":1},"dense":{"score":0.9}}}' ]
}

@test "one stream is parted where the mode changes or the rank does not rise" {
	[ "$(cat words meaning | mem-fuse)" = "$(mem-fuse words meaning)" ]
	sed 's/"mode":"[a-z]*",//' words meaning >bare
	[ "$(mem-fuse bare | scores)" = "$(mem-fuse words meaning | scores)" ]
	[ "$(sed 's/"rank":[0-9],//' words meaning | mem-fuse --fusion rrf | scores)" = \
		"$(mem-fuse --fusion rrf words meaning | scores)" ]
}

@test "queries are fused apart, and their end records count anew" {
	for q in 1 '"x"'; do
		sed "s/}\$/,\"qid\":$q}/" words; echo "{\"qid\":$q,\"end\":true,\"hits\":2}"
	done >w
	for q in 1 '"x"'; do
		sed "s/}\$/,\"qid\":$q}/" meaning; echo "{\"qid\":$q,\"end\":true,\"hits\":2}"
	done >m
	echo '{"qid":7,"end":true,"hits":0,"error":"bad_json"}' >>m
	run -0 mem-fuse w m
	[ "${#lines[@]}" = 9 ]
	[ "${lines[3]}" = '{"qid":1,"end":true,"hits":3}' ]
	[ "${lines[7]}" = '{"qid":"x","end":true,"hits":3}' ]
	[ "${lines[8]}" = '{"qid":7,"end":true,"hits":0,"error":"bad_json"}' ]
	[ "$(head -3 <<<"$output" | sed 's/,"qid":1//')" = "$(mem-fuse words meaning)" ]
}

@test "-n and --min-score are on what was fused" {
	run -0 mem-fuse -n 1 words meaning
	[ "${#lines[@]}" = 1 ]
	run -0 bash -c 'mem-fuse --min-score 0 words meaning | jq -r .id | tr -d "\n"'
	[ "$output" = ab ]
}

@test "the same record twice in a list counts once, by its better rank" {
	printf '%s\n' '{"id":"a","rank":1,"score":2}' '{"id":"a","rank":2,"score":9}' '{"id":"b","rank":3,"score":1}' >l
	run -0 bash -c 'mem-fuse --fusion simple l | jq -r "\"\(.id) \(.score)\""'
	[ "$output" = $'a 2\nb 1' ]
}

@test "an id is the same however it is written, and so is a qid" {
	run -0 mem-fuse <(printf '%s\n' '{"id":"\u00e9\"","score":1,"qid":"\u0061"}' '{"qid":"a","end":true,"hits":1}') \
		<(echo '{"id":"é\u0022","score":2,"qid":"a"}')
	[ "${#lines[@]}" = 2 ]
	[ "$(jq -c '[.id,.rank]' <<<"${lines[0]}")" = '["é\"",1]' ]
	[ "${lines[1]}" = '{"qid":"a","end":true,"hits":1}' ]
	# A number is no string.
	run -0 mem-fuse <(echo '{"id":"a","score":1,"qid":1}') <(echo '{"id":"a","score":1,"qid":"1"}')
	[ "${#lines[@]}" = 2 ]
}

@test "no input and no hits: nothing, 0" {
	run -0 --separate-stderr mem-fuse </dev/null
	[ -z "$output$stderr" ]
	run -0 mem-fuse /dev/null /dev/null
	[ -z "$output" ]
}

@test "equal scores in a list leave the others to decide" {
	printf '{"id":"%s","score":1}\n' a b c >flat
	run -0 bash -c 'mem-fuse flat words | head -1 | jq -r .id'
	[ "$output" = a ]
	run -0 bash -c 'mem-fuse flat | jq -r .score | sort -u'
	[ "$output" = 0 ]
}

@test "a bad line is named and the rest goes on" {
	{ cat words; printf '%s\n' '{"id":7,"score":1}' '{"id":"d"}' '{"id":"e","score":"1"}' 'tea' '{"id":"f","score":1,"rank":0}'
	  seq 100000 | sed 's/.*/"&":1/' | paste -sd, | sed 's/.*/{"id":"g","score":1,"signals":{&}}/'; } >bad
	run -1 --separate-stderr mem-fuse bad
	[ "${#lines[@]}" = 2 ]
	[ "$(grep -c 'bad_value' <<<"$stderr")" = 5 ]
	grep -q 'bad: line 6, byte 0: bad_json' <<<"$stderr"
	grep -q 'bad: line 3, byte 6: bad_value: a hit has an id' <<<"$stderr"
}

@test "weights that make no sense are refused" {
	run -2 mem-fuse --weights 1 words meaning
	run -2 mem-fuse --weights 1,x words meaning
	run -2 mem-fuse --weights 0,0 words meaning
	run -2 mem-fuse --weights -1,2 words meaning
	run -2 mem-fuse --weights nan,2 words meaning
	run -2 mem-fuse --fusion simple --weights 1,2 words meaning
	run -2 --separate-stderr mem-fuse --weights 1 < <(cat words meaning)
	grep -q '2 lists but 1 weights' <<<"$stderr"
}

@test "many queries in many streams take time and memory that grow with the input" {
	for f in 1 2; do
		seq 60000 | sed 's/.*/{"id":"a","rank":1,"score":1,"qid":"&"}\n{"qid":"&","end":true,"hits":1}/' >q$f
	done
	tac q2 >q3
	# Looking through all queries for each hit would take minutes.
	run -0 timeout 120 bash -c 'mem-fuse q1 q2 q3 | tail -n 2'
	[ "${lines[1]}" = '{"qid":"60000","end":true,"hits":1}' ]
}

@test "of lists without end in one stream those over the limit are refused, as are too many files" {
	seq 100000 | sed 's/.*/{"id":"&","rank":1,"score":&}/' >same
	# A sanitizer needs the address space.
	case $MEM_BUILD in *address*|*thread*) limit=unlimited ;; *) limit=1000000 ;; esac
	run -1 --separate-stderr bash -c "ulimit -v $limit; mem-fuse same"
	[ "${#lines[@]}" = 64 ]
	[ "$(grep -c 'bad_value: more than 64 lists of one query' <<<"$stderr")" = 99936 ]
	# Nor does the rest of such a list count as one that was taken.
	run -1 --separate-stderr bash -c '{ head -n 64 same; echo "{\"id\":\"x\",\"rank\":1,\"score\":1}"; echo "{\"id\":\"y\",\"rank\":2,\"score\":1}"; } | mem-fuse'
	[ "${#lines[@]}" = 64 ]
	mapfile -t files < <(yes same | head -n 65)
	run -2 mem-fuse "${files[@]}"
	[[ $output = *'at most 64 lists'* ]]
}

# ---- signals ---------------------------------------------------------------

signal_hits() {
	cat <<-'END'
	{"id":"c","rank":null,"score":null,"mode":"hybrid","signals":{"lexical":{"score":3,"rank":1},"dense":{"score":0.8,"rank":3},"recency":{"score":0.5,"rank":2}},"class":"temporal","x":1e400}
	{"id":"a","rank":null,"score":null,"mode":"hybrid","signals":{"lexical":{"score":1,"rank":2},"dense":{"score":0.9,"rank":1},"recency":{"score":1,"rank":1}},"class":"temporal"}
	{"id":"b","signals":{"lexical":{"score":null,"rank":null},"dense":{"score":0.8,"rank":2},"trust":{"score":1}},"class":"temporal"}
	END
}

@test "--signals: by the formula, all else byte for byte" {
	# By hand: lexical is 3 1 1 (the lowest stands in), mean 5/3, sd .942809; dense .8 .9 .8, mean .833333, sd .047140.
	run -0 --separate-stderr mem-fuse --signals <(signal_hits)
	[ -z "$stderr" ]
	[ "$(scores <<<"$output")" = $'a 0.565685\nc 0.141421\nb -0.707107' ]
	[ "${lines[1]}" = '{"id":"c","rank":2,"score":0.141421,"mode":"hybrid","signals":{"lexical":{"score":3,"rank":1},"dense":{"score":0.8,"rank":3},"recency":{"score":0.5,"rank":2},"fuse":{"score":0.141421}},"class":"temporal","x":1e400}' ]
	[ "$(signal_hits | mem-fuse --signals --weights lexical=1,dense=0 | scores)" = $'c 1.414214\na -0.707107\nb -0.707107' ]
	[ "$(signal_hits | mem-fuse --signals --weights recency=.1,trust=2 | scores)" = $'b 1.292893\na 0.665685\nc 0.191421' ]
	[ "$(signal_hits | mem-fuse --signals --fusion rrf | scores)" = $'a 0.032522\nc 0.032266\nb 0.016129' ]
	[ "$(signal_hits | mem-fuse --signals -n 1 | scores)" = 'a 0.565685' ]
	[ "$(signal_hits | mem-fuse --signals --min-score 0.5 | scores)" = 'a 0.565685' ]
}

@test "--signals: an anchor comes first" {
	signal_hits | sed 's/"trust":{"score":1}/"anchor":{"score":1}/' >anchored
	[ "$(mem-fuse --signals anchored | scores)" = $'b -0.707107\na 0.565685\nc 0.141421' ]
}

@test "--signals: what was fused passes as it came, unless --again" {
	signal_hits | mem-fuse --signals >once
	mem-fuse --signals once | cmp - once
	mem-fuse --signals --weights recency=5 once | cmp - once
	[ "$(mem-fuse --signals --again --weights recency=5 once | scores | head -1)" = 'a 5.565685' ]
	[ "$(mem-fuse --signals --again --weights recency=5 once | grep -o '"fuse"' | wc -l)" = 3 ]
	# One of them was not: all are.
	{ cat once; signal_hits | sed 's/"id":"."/"id":"d"/;q'; } | mem-fuse --signals >mixed
	[ "$(jq -c .rank mixed | paste -sd,)" = 1,2,3,4 ]
}

@test "--signals: classes from the person's settings or the store's" {
	scratch
	mkdir -p "$HOME/.config/memkit"
	echo 'search: {class: {temporal: {recency: 1, dense: -0.6}, entity: {lexical: 1}}}' >"$HOME/.config/memkit/config.yaml"
	# dense counts no more: lexical alone, and recency once.
	[ "$(signal_hits | mem-fuse --signals | scores)" = $'c 1.914214\na 0.292893\nb -0.707107' ]
	[ "$(signal_hits | mem-fuse --signals --class factual | scores | head -1)" = 'a 0.565685' ]
	mem-init -q store >/dev/null
	echo 'search: {class: {temporal: {recency: 0, dense: 0}}}' >>store/config.yaml
	[ "$(signal_hits | mem-fuse --signals -S store | scores | head -1)" = 'a 0.565685' ]
	run -3 mem-fuse --signals -S nowhere
}

@test "--signals: hits without signals, twice, of queries, of many" {
	run -0 mem-fuse --signals <<<$'{"id":"b"}\n{"id":"a","score":7}\n{"id":"b","signals":null}'
	[ "$output" = $'{"id":"a","score":0,"rank":1,"signals":{"fuse":{"score":0}}}\n{"id":"b","rank":2,"score":0,"signals":{"fuse":{"score":0}}}' ]
	for q in 1 '"x"'; do
		signal_hits | sed "s/}\$/,\"qid\":$q}/"; echo "{\"qid\":$q,\"end\":true,\"hits\":3}"
	done >queries
	run -0 mem-fuse --signals -n 2 queries
	[ "$(jq -c '[.qid, .id, .hits]' <<<"$output" | paste -sd' ')" = '[1,"a",null] [1,"c",null] [1,null,2] ["x","a",null] ["x","c",null] ["x",null,2]' ]
	run -1 --separate-stderr mem-fuse --signals <<<$'{"id":1}\n{"id":"a","signals":[1]}\n{"id":"b","score":"x"}\ntea\n{"id":"c","signals":{"lexical":{"score":1e300}}}\n{"id":"d","signals":{"lexical":5,"dense":{"score":"x"}}}'
	[ "$(scores <<<"$output")" = $'c 0\nd 0' ]
	[ "$(grep -c bad_ <<<"$stderr")" = 4 ]
	# Not more room for many queries than for the lines.
	jq -n -c 'range(100000) | {id: "h\(. * 7919 % 100000)", signals: {lexical: {score: (. % 1000 / 10)}}}' >many
	run -0 bash -c 'mem-fuse --signals -n 3 many | jq -c .rank | paste -sd,'
	[ "$output" = 1,2,3 ]
}

@test "--signals: options that make no sense" {
	for w in lexical lexical= =1 nonsense=1 lexical=-1 lexical=x .4,.6 lexical=1,dense=1,lexical=1; do
		run -2 mem-fuse --signals --weights "$w" words
	done
	run -2 mem-fuse --class factual words
	run -2 mem-fuse --again words
	run -2 mem-fuse -S store words
	run -2 mem-fuse --signals --class nonsense words
}

@test "--signals gives the bytes of mem-search" {
	scratch
	random_model
	mem-init -q store >/dev/null
	export MEM_STORE=$PWD/store
	mem-capture -q <<'END'
{"content":"tea in a tin","captured_at":"2026-10-01T00:00:00Z"}
{"content":"a tin of tea and some tea","trust":0.2}
{"content":"coffee"}
END
	mem-embed --model minilm --pending
	echo 'search: {class: {entity: {recency: 1, lexical: 0.5}}}' >>store/config.yaml
	[ "$(mem-search --explain --stages fuse tea | wc -l)" -gt 1 ]
	for q in tea Tin 'what is "some tea" about?' coffee; do
		for f in zscore minmax rrf weighted simple; do
			cmp <(mem-search --explain --stages fuse --fusion $f "$q") <(mem-search --stages none "$q" | mem-fuse --signals --fusion $f -S store)
		done
	done
}
