#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	cat >hits <<-'END'
	{"id":"a","content":"the red kettle is in the shed","session_id":"s","importance":1,"trust":0,"rank":1,"score":3,"extra":1e400}
	{"id":"b","content":"the red kettle is in the new shed","session_id":"s","importance":1,"trust":1,"rank":2,"score":2.8}
	{"id":"c","content":"tea comes at four","session_id":"s","importance":0,"trust":0,"rank":3,"score":2}
	{"id":"d","content":"milk comes at five","rank":4,"score":1,"signals":{"lexical":{"score":1 }}}
	END
}

join_ids() { jq -r .id | tr -d '\n'; }
settings() { mkdir -p "$HOME/.config/memkit"; echo "$1" >"$HOME/.config/memkit/config.yaml"; }

@test "marginal relevance by its formula" {
	# By hand: scores are 1 .9 .5 0; a, b share 6 of 7 words; c, d two of 6.  With .5: a .5; then b .45 - .4285715,
	# c .25, d 0; then d -.5 / 3.
	run -0 mem-rerank --lambda .5 hits
	[ "$(join_ids <<<"$output")" = acbd ]
	[ "$(jq -c '[.rank,.score,.signals.mmr.score,.signals.mmr.similarity]' <<<"$output" | tr -d '\n')" = \
		'[1,0.5,0.5,0][2,0.25,0.25,0][3,0.021428,0.021428,0.857143][4,-0.166667,-0.166667,0.333333]' ]
	[ "$(mem-rerank --lambda 1 hits | jq -c .score | tr '\n' ' ')" = '1 0.9 0.5 0 ' ]
	[ "$(mem-rerank --lambda 0 hits | join_ids)" = acdb ]
}

@test "all but rank, score and signals stays byte for byte" {
	run -0 mem-rerank --lambda 1 hits
	[ "${lines[0]}" = '{"id":"a","content":"the red kettle is in the shed","session_id":"s","importance":1,"trust":0,"rank":1,"score":1,"extra":1e400,"signals":{"mmr":{"score":1,"similarity":0}}}' ]
	[ "${lines[3]}" = '{"id":"d","content":"milk comes at five","rank":4,"score":0,"signals":{"lexical":{"score":1 },"mmr":{"score":0,"similarity":0.333333}}}' ]
}

@test "importance and trust weigh the score; a hit without them has .5 of each" {
	run -0 mem-rerank --factors hits
	[ "$(jq -c '[.id,.score,.signals.factors.importance,.signals.factors.trust]' <<<"$output" | tr -d '\n')" = \
		'["a",0.9,1,0]["b",0.9,1,1]["c",0.4,0,0]["d",0,0.5,0.5]' ]
	[ "$(jq -c '.signals|has("mmr")' <<<"$output" | sort -u)" = false ]
	run -0 mem-rerank --factors < <(printf '%s\n' '{"id":"a","score":2,"importance":7,"trust":"1"}' '{"id":"b","score":1}')
	[ "$(head -1 <<<"$output" | jq -c '[.score,.signals.factors.importance,.signals.factors.trust]')" = '[0.9,0.5,0.5]' ]
}

@test "importance has decayed by the present, unless it is pinned" {
	old='"kind":"episode","captured_at":"2026-01-01T00:00:00Z","importance":0.8,"trust":0'
	run -0 mem-rerank --now 2026-01-15T00:00:00Z --factors < <(printf '%s\n' '{"id":"a","score":2,'"$old"'}' '{"id":"b","score":1,"pinned":true,'"$old"'}')
	[ "$(jq -c '[.id,.score,.signals.factors.importance]' <<<"$output" | tr -d '\n')" = '["a",0.82,0.2]["b",0,0.8]' ]
}

@test "at most so many hits of a session; hits without one stay" {
	run -0 mem-rerank --per-session 1 hits
	[ "$(join_ids <<<"$output")" = ad ]
	[ "$(jq -c '[.rank,.score,.signals.per_session.place]' <<<"$output" | tr -d '\n')" = '[1,3,1][2,1,null]' ]
	[ "$(mem-rerank --per-session 2 hits | join_ids)" = abd ]
}

@test "several steps follow one another in one order, however they are named" {
	run -0 mem-rerank --per-session 2 --mmr --factors hits
	[ "$output" = "$(mem-rerank --factors hits | mem-rerank --mmr | mem-rerank --per-session 2)" ]
	[ "$(head -1 <<<"$output" | jq -c '.signals|keys_unsorted')" = '["factors","mmr","per_session"]' ]
}

@test "what was done is not done twice unless that is asked for" {
	mem-rerank hits >once
	[ "$(mem-rerank once)" = "$(cat once)" ]
	# Only the step that is new is done; one hit without the note is enough to do it.
	[ "$(mem-rerank --mmr --per-session 1 once | jq -c .score)" = "$(mem-rerank --mmr hits | mem-rerank --per-session 1 | jq -c .score)" ]
	run -0 mem-rerank --again once
	[ "$output" != "$(cat once)" ]
	[ "$(cat once hits | mem-rerank | jq -c .rank | tr -d '\n')" = 12345678 ]
}

@test "queries are ranked apart, and their end records count anew" {
	for q in 1 '"x"'; do sed "s/}\$/,\"qid\":$q}/" hits; echo "{\"qid\":$q,\"end\":true,\"hits\":4}"; done >two
	run -0 mem-rerank --per-session 1 two
	[ "${#lines[@]}" = 6 ]
	[ "${lines[2]}" = '{"qid":1,"end":true,"hits":2}' ]
	[ "${lines[5]}" = '{"qid":"x","end":true,"hits":2}' ]
	[ "$(head -2 <<<"$output" | sed 's/,"qid":1//')" = "$(mem-rerank --per-session 1 hits)" ]
}

@test "the settings say what is done unless the options do" {
	settings 'rerank: {mmr: off, factors: on, per_session: 1, lambda: 0.5}'
	[ "$(mem-rerank hits)" = "$(mem-rerank --factors --per-session 1 hits)" ]
	[ "$(mem-rerank --mmr hits)" = "$(mem-rerank --lambda .5 --mmr hits)" ]
	settings 'rerank: {lambda: 2}'
	run -3 mem-rerank hits
	[[ $output = *'rerank.lambda must be a number from 0 to 1'* ]]
}

@test "one hit, equal scores, no text: a defined answer" {
	[ "$(echo '{"id":"a","score":7}' | mem-rerank)" = '{"id":"a","score":0.7,"rank":1,"signals":{"mmr":{"score":0.7,"similarity":0}}}' ]
	printf '{"id":"%s","score":1}\n' c a b >flat
	run -0 mem-rerank --mmr --factors flat
	[ "$(join_ids <<<"$output")" = abc ]
	[ "$(jq -c .score <<<"$output" | sort -u)" = 0.7 ]
	printf '{"id":"%s","score":%s}\n' a 1e100 b -1e100 >far
	[ "$(mem-rerank far | jq -c .score | tr '\n' ' ')" = '0.7 0 ' ]
	run -0 mem-rerank </dev/null
	[ -z "$output" ]
}

@test "the words of all scripts are compared" {
	printf '%s\n' '{"id":"a","content":"東京の天気","score":3}' '{"id":"b","content":"東京の天気は晴れ","score":2}' '{"id":"c","content":"Ärger Straße","score":1}' \
		'{"id":"d","content":"arger, STRASSE!","score":0}' >wide
	run -0 mem-rerank --lambda 0 wide
	[ "$(jq -r '"\(.id) \(.signals.mmr.similarity)"' <<<"$output")" = $'a 0\nc 0\nb 0.625\nd 1' ]
}

@test "a bad line is named and the rest goes on" {
	{ cat hits; printf '%s\n' '{"id":7,"score":1}' '{"id":"d"}' '{"id":"e","score":null}' tea '{"id":"f","score":1,"signals":[]}'; } >bad
	run -1 --separate-stderr mem-rerank bad
	[ "${#lines[@]}" = 4 ]
	[ "$(grep -c bad_value <<<"$stderr")" = 4 ]
	grep -q 'bad: line 8, byte 0: bad_json' <<<"$stderr"
	grep -q 'bad: line 9, byte .*: bad_value: a hit has an object as signals' <<<"$stderr"
}

@test "a hundred thousand hits take time and memory that grow with the input" {
	seq 100000 | awk '{ printf "{\"id\":\"%06d\",\"content\":\"tea %d\",\"session_id\":\"s%d\",\"score\":%d}\n", $1, $1, $1 % 7, $1 }' >many
	case $MEM_BUILD in *address*|*thread*) limit=unlimited ;; *) limit=1000000 ;; esac
	run -0 timeout 300 bash -c "ulimit -v $limit; mem-rerank --mmr --factors --per-session 9000 many | tail -n 1 | jq -c '[.rank,.signals.mmr.similarity]'"
	[ "$output" = '[63000,1]' ]
}

@test "behind a search it gives what it gives in a pipe" {
	need_store
	remember '{"content":"the red kettle is in the shed"}' '{"content":"the red kettle is in the new shed"}' '{"content":"a kettle for tea at four"}' >/dev/null
	run -0 mem-search --stages fuse,rerank kettle
	[ "$output" = "$(mem-search --stages fuse kettle | mem-rerank)" ]
	[ "$(head -1 <<<"$output" | jq -c '.signals|has("mmr")')" = true ]
	echo 'rerank: {factors: on, mmr: off, per_session: 1}' >>store/config.yaml
	[ "$(mem-search --stages fuse,rerank kettle)" = "$(mem-search --stages fuse kettle | mem-rerank --factors --per-session 1)" ]
}

@test "hits with vectors are compared by these, others by words" {
	printf '%s\n' '{"id":"a","content":"one two","score":4,"vector":[2,0,0]}' '{"id":"b","content":"one two","score":3,"vector":[0,1,0]}' \
		'{"id":"c","content":"three","score":2,"vector":[0.8,0.6,0]}' '{"id":"d","content":"one two four","score":1}' \
		'{"id":"e","content":"three","score":0,"vector":[1,0]}' '{"id":"f","content":"x","score":-1,"vector":[0,0,0]}' \
		'{"id":"g","content":"y","score":-2,"vector":["1",0,0]}' '{"id":"h","content":"z","score":-3,"vector":"AACAPwAAAAAAAAAA"}' >wide
	run -0 mem-rerank --lambda 1 wide
	[ "$(jq -c '[.id,.signals.mmr.similarity]' <<<"$output" | tr -d '\n')" = \
		'["a",0]["b",0]["c",0.8]["d",0.666667]["e",1]["f",0]["g",0]["h",1]' ]
}

@test "vectors come from the store, less the mean of its model; what may not be seen has none" {
	need_model e5
	need_store
	remember '{"content":"the red kettle is in the shed"}' '{"content":"a crimson teapot stands in the garden house"}' \
		'{"content":"trains to Bergen leave at nine"}' '{"content":"we bought forty litres of paint"}' >/dev/null
	mem-maintain >/dev/null
	mem-search --stages fuse kettle >found
	run -0 mem-rerank -S store --lambda .3 found
	[ "$(jq -c .signals.mmr.similarity <<<"$output" | sort -u | wc -l)" = 4 ]
	[ "$output" = "$(mem-search --stages fuse kettle | mem-embed | mem-rerank --lambda .3 | jq -c 'del(.vector)')" ]
	# Unrelated texts are not alike, as they would be by the plain cosine.
	[ "$(jq 'select(.content|contains("Bergen")).signals.mmr.similarity < 0.4' <<<"$output")" = true ]
	echo 'rerank: {lambda: 0.3}' >>store/config.yaml
	[ "$(mem-search --stages fuse,rerank kettle)" = "$output" ]
	[ "$(mem-rerank -S store --agent bob found)" = "$(mem-rerank --lambda .3 found)" ]
	run -3 mem-rerank -S nowhere found
	# Those of other agents have theirs for an operator.
	mem-capture -q --agent bob <<<'{"content":"a kettle of cast iron hangs over the fire"}'
	mem-maintain >/dev/null
	mem-search --every-namespace --stages fuse kettle >found
	[ "$(jq -r .ns found | sort -u | wc -l)" = 2 ]
	mem-search --every-namespace --stages fuse,rerank kettle | diff - <(mem-rerank --every-namespace -S store found)
}

notes() { jq -c '[.id,.score,.signals.with]' | tr -d '\n'; }

@test "a command ranks by its scores, or by the order of its lines" {
	run -0 mem-rerank --with "jq -c '.score = (.score - 2.5) * (.score - 2.5) | .content = 1'" hits
	[ "$(notes <<<"$output")" = '["d",2.25,{"score":2.25,"place":4}]["a",0.25,{"score":0.25,"place":1}]["c",0.25,{"score":0.25,"place":3}]["b",0.09,{"score":0.09,"place":2}]' ]
	# What it does to other fields does not count.
	[ "$(jq -r .content <<<"$output" | head -1)" = 'milk comes at five' ]
	[ "$(mem-rerank --with tac hits | notes)" = '["d",1,{"score":1,"place":1}]["c",0.75,{"score":2,"place":2}]["b",0.5,{"score":2.8,"place":3}]["a",0.25,{"score":3,"place":4}]' ]
	[ "$(mem-rerank --with cat hits | jq -c .score | tr '\n' ' ')" = '3 2.8 2 1 ' ]
	[ "$(mem-rerank --with 'grep tea' hits | notes)" = '["c",1,{"score":2,"place":1}]["a",0.75,{"score":null,"place":null}]["b",0.5,{"score":null,"place":null}]["d",0.25,{"score":null,"place":null}]' ]
	[ "$(mem-rerank --with 'jq -c {id}|tac' hits | join_ids)" = dcba ]
}

@test "a line of a command that is no answer is told with the command and the line's number" {
	printf '{"id":"a","score":2}\n{"id":"b","score":1}\n' >hits
	while IFS='|' read -r command told; do
		run -0 --separate-stderr mem-rerank --with "$command" hits
		[ "$stderr" = "mem-rerank: the hits are as they were before the reranker: '$command': $told" ]
		[ "$(jq -c '[.id,.signals.with]' <<<"$output" | tr -d '\n')" = '["a",{"failed":true}]["b",{"failed":true}]' ]
	done <<-'END'
		cat; echo x|line 3: a value expected
		head -1; echo '{"id":7}'|line 2: an id that was not asked, or twice: 7
		sed s/b/a/|line 2: an id that was not asked, or twice: "a"
		true|it gave no hit
	END
}

@test "a command gets the hits best first, with the question, each query by itself" {
	sed 's/}$/,"qid":"x"}/; s/"id":"\(.\)"/"id":"\\u006\1"/; s/006a/0061/; s/006b/0062/; s/006c/0063/; s/006d/0064/' hits | tac >x
	cat hits x | mem-rerank --with 'tee -a seen' --query 'which "kettle"?' --queries <(echo '{"query":"tea","qid":"x"}') >out
	[ "$(jq -c '[.id,.query,.qid]' seen | tr -d '\n')" = '["a","which \"kettle\"?",null]["b","which \"kettle\"?",null]["c","which \"kettle\"?",null]["d","which \"kettle\"?",null]["a","tea","x"]["b","tea","x"]["c","tea","x"]["d","tea","x"]' ]
	[ "$(jq -c 'has("query")' out | sort -u)" = false ]
	[ "$(jq -c '[.rank,.signals.with.place]' out | sort -u | tr -d '\n')" = '[1,1][2,2][3,3][4,4]' ]
	mem-rerank --with 'tee seen' hits >out
	[ "$(jq -c 'has("query")' seen | sort -u)" = false ]
	run -1 --separate-stderr mem-rerank --queries <(echo '{"qid":1}') hits
	[[ $stderr = *'bad_value: a line has a query'* ]]
}

@test "a command that fails changes nothing, and the hits say so" {
	mem-rerank --with false hits >failed 2>/dev/null
	[ "$(jq -c 'del(.signals)' failed)" = "$(jq -c 'del(.signals)' hits)" ]
	[ "$(jq -c .signals.with failed | sort -u)" = '{"failed":true}' ]
	long=$(printf '%0200d' 0)
	for command in 'exit 3' 'kill -9 $$' 'head -c 100; exit 0' 'echo "{\"id\":\"z\",\"score\":1}"; cat' 'cat; head -1 hits' true 'echo tea' 'no-such-command' \
		'yes 2>/dev/null' 'exec <&-; exec cat hits | head -c 50' 'echo "{\"id\":7}"' "cat; exit 1 # $long"; do
		run -0 --separate-stderr mem-rerank --with "$command" hits
		[ "$output" = "$(cat failed)" ]
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "mem-rerank: the hits are as they were before the reranker: "* ]]
	done
	# It is tried again, and other steps go on.
	[ "$(mem-rerank --with tac failed | join_ids)" = dcba ]
	[ "$(mem-rerank --with false --factors hits 2>/dev/null | jq -c .score)" = "$(mem-rerank --factors hits | jq -c .score)" ]
}

@test "a command that does not read, or sleeps, holds nobody up" {
	seq 20000 | awk '{ printf "{\"id\":\"%d\",\"content\":\"%0200d\",\"score\":%d}\n", $1, 0, $1 }' >many
	run -0 bash -c 'mem-rerank --with "exec <&-; echo {\\\"id\\\":\\\"7\\\",\\\"score\\\":1}" many | head -1 | jq -c "[.id,.score,.signals.with.place]"'
	[ "$output" = '["7",1,1]' ]
	begun=$SECONDS
	run -0 --separate-stderr timeout 300 mem-rerank --with 'trap "" TERM; sleep 3000 & sleep 3000; wait' hits
	[ $((SECONDS - begun)) -ge 9 ]
	[ "$(jq -c .signals.with <<<"$output" | sort -u)" = '{"failed":true}' ]
	[[ $stderr = *'took longer than 10 s'* ]]
}

@test "a command of the store's settings runs where it is trusted, and gets the question" {
	need_store
	remember '{"content":"the red kettle is in the shed"}' '{"content":"a kettle for tea at four"}' >/dev/null
	mem-search --stages fuse kettle >found
	echo "rerank: {with: 'tee $PWD/seen | tac', mmr: off}" >>store/config.yaml
	run -4 mem-search --stages fuse,rerank kettle
	[ ! -e seen ]
	mem-init -q --trust store
	run -0 mem-search --stages fuse,rerank kettle
	[ "$(jq -r .id <<<"$output")" = "$(jq -r .id found | tac)" ]
	[ "$(jq -r .query seen | sort -u)" = kettle ]
	[ "$output" = "$(mem-rerank -S store found)" ]
	settings "rerank: {with: 'exit 9', mmr: off}"
	run -0 --separate-stderr mem-search --stages fuse,rerank kettle
	[ "$(jq -r .id <<<"$output")" = "$(jq -r .id found | tac)" ]
	sed -i '/^rerank/d' store/config.yaml
	run -0 --separate-stderr mem-search --stages fuse,rerank kettle
	[[ $stderr == "mem-search: the hits are as they were before the reranker: 'exit 9' ended with status 9" ]]
	[ "$(jq -r .id <<<"$output")" = "$(jq -r .id found)" ]
}

# ---- --neighbours -------------------------------------------------------------

# A session of five turns, and one turn without a session.
fill_talk() {
	scratch
	random_model
	mem-init -q store >/dev/null
	export MEM_STORE=$PWD/store
	mem-capture -q <<'END'
{"ref":"t1","content":"the kettle is red","speaker":"Ann","session_id":"s","captured_at":"2026-01-01T10:00:00Z"}
{"ref":"t2","content":"we drank tea by the lake","speaker":"Bob","session_id":"s","captured_at":"2026-01-01T10:01:00Z"}
{"ref":"t3","content":"the red kettle broke in the garden","speaker":"Ann","session_id":"s","captured_at":"2026-01-01T10:02:00Z"}
{"ref":"t4","content":"that was a pity","speaker":"Bob","session_id":"s","role":"assistant","captured_at":"2026-01-01T10:03:00Z"}
{"ref":"t5","content":"yes","speaker":"Ann","session_id":"s","captured_at":"2026-01-01T10:04:00Z"}
{"ref":"t6","content":"a kettle in a shop","speaker":"Cleo","captured_at":"2026-01-02T10:00:00Z"}
END
	mem-embed --model minilm --pending
	question='where is the red kettle of Ann'
}

fused() { mem-search --stages none "$question" | mem-fuse --signals -S store; }

@test "--neighbours gives what mem-search gives" {
	fill_talk
	fused >hits
	mem-rerank --neighbours --query "$question" hits >ranked
	cmp ranked <(mem-search --explain "$question")
	[ "$(mem-rerank --neighbours --query "$question" --role assistant hits | jq -r .ref | head -n 1)" = t4 ]
	# What was not fused has no score, and is refused.
	run -1 --separate-stderr bash -c 'mem-search --stages none "$0" | mem-rerank --neighbours --query "$0"' "$question"
	[ -z "$output" ]
	[ "$(grep -c bad_value <<<"$stderr")" = 6 ]
}

@test "--neighbours: a turn that comes in is a whole hit, without ranks where the others have none" {
	fill_talk
	question='who broke the red kettle in the garden'
	mem-search --stages fuse --candidates 1 -n 1 "$question" >hits
	run -0 --separate-stderr mem-rerank --neighbours --query "$question" hits
	[ -z "$stderr" ]
	[ "$(wc -l <hits)" -le 2 ]
	[ "$(jq -r .ref <<<"$output" | sort | grep -v t6 | paste -sd' ')" = 't1 t2 t3 t4 t5' ]
	[ "$(jq -c '.signals | del(.fuse) | map_values(keys)' <<<"$output" | sort -u)" = '{"lexical":["score"],"dense":["score"],"neighbours":["score"]}' ]
	[ "$(jq -s 'map(.score) == (map(.score) | sort | reverse)' <<<"$output")" = true ]
}

@test "--neighbours once, unless --again; questions by qid; end records" {
	fill_talk
	fused >hits
	mem-rerank --neighbours --query "$question" hits >once
	mem-rerank --neighbours --query "$question" once | cmp - once
	mem-rerank --neighbours --again --query "$question" once | cmp - once
	mem-rerank --neighbours --again --query 'when did Bob drink tea' once >other
	run -1 cmp -s other once
	[ "$(grep -o '"neighbours":' other | wc -l)" = "$(grep -o '"neighbours":' once | wc -l)" ]
	printf '%s\n' '{"qid":"x","query":"where is the red kettle of Ann"}' '{"qid":"y","query":"when did Bob drink tea","role":"user","session":"s"}' >questions
	mem-search --stages none --queries questions | mem-fuse --signals -S store >many
	cmp <(mem-rerank --neighbours --queries questions many) <(mem-search --explain --queries questions)
	# One whose question nobody knows passes, and that is told.
	head -n 1 questions >fewer
	run -0 --separate-stderr mem-rerank --neighbours --queries fewer many
	[ "$stderr" = 'mem-rerank: "y": hits pass as they came: no question is known' ]
	[ "$(jq -c 'select(.qid == "y")' <<<"$output")" = "$(jq -c 'select(.qid == "y")' many)" ]
}

@test "--neighbours: hits of another store come behind, unchanged; others are refused or pass" {
	fill_talk
	fused >hits
	foreign='{"id":"019acb00-0000-7000-8000-00000000000a","score":99,"x":1e400}'
	run -0 --separate-stderr mem-rerank --neighbours --query "$question" hits - <<<"$foreign"
	[ -z "$stderr" ]
	[ "$(tail -n 1 <<<"$output")" = '{"id":"019acb00-0000-7000-8000-00000000000a","score":99,"x":1e400,"rank":7}' ]
	# So do those whose ids are no store's, in the order in which they came.
	run -0 --separate-stderr mem-rerank --neighbours --query "$question" <(printf '{"id":"doc#9","score":7}\n') hits - <<<"$foreign"$'\n{"id":"a","score":8}'
	[ -z "$stderr" ]
	[ "$(tail -n 3 <<<"$output" | jq -c '[.id,.score,.rank]' | paste -sd' ')" = '["doc#9",7,7] ["019acb00-0000-7000-8000-00000000000a",99,8] ["a",8,9]' ]
	[ "$(head -n 6 <<<"$output")" = "$(mem-rerank --neighbours --query "$question" hits)" ]
	# To somebody else all are unknown, and nothing is said of them.
	run -0 --separate-stderr mem-rerank --agent eve --neighbours --query "$question" hits
	[ -z "$stderr" ]
	[ "$output" = "$(<hits)" ]
	# By one word, by an identifier: the step does not apply.
	run -0 mem-rerank --neighbours --query kettle hits
	[ "$output" = "$(<hits)" ]
	run -0 --separate-stderr mem-rerank --neighbours --query 'kind:king of the kettle' hits
	[ "$output" = "$(<hits)" ]
	[[ $stderr == "mem-rerank: hits pass as they came: "*king* ]]
	run -1 --separate-stderr mem-rerank --neighbours --query "$question" <<<$'{"id":"a","score":1}\n{"id":"019acb00-0000-7000-8000-00000000000a"}\ntea'
	[ "$output" = '{"id":"a","score":1}' ]
	[ "$(grep -c bad_ <<<"$stderr")" = 2 ]
	run -0 mem-rerank --neighbours --query "$question" </dev/null
	[ -z "$output" ]
	run -2 mem-rerank --neighbours hits
	run -2 mem-rerank --neighbours --mmr --query x hits
	run -3 mem-rerank --neighbours --query x -S nowhere hits
}
