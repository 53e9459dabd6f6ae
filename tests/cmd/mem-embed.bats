#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

# unit: of the records on standard input, how many vectors are of length 1.
unit() { jq -s 'map(select((.vector | map(. * .) | add - 1) | fabs < 1e-5)) | length'; }
# inputs: what the server was asked for, a request a line.
inputs() { grep -a '"input":' requests | jq -c .input; }
# asked N: was it asked so often?
asked() { [ "$(inputs | wc -l)" -ge "$1" ]; }
# setting TEXT: one of the person's settings.
setting() { mkdir -p "$HOME/.config/memkit"; echo "$1" > "$HOME/.config/memkit/config.yaml"; }

# tls_server: one that shows cert.pem, keeps what it reads in `got` and sends the file `answer`.
tls_server() {
	local port
	: > got
	# What it sends has no end before it is stopped.
	rm -f sent
	mkfifo sent
	exec 6<>sent
	cat answer >&6
	openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem <sent >got 2>&1 3>&- 6>&- &
	embed_servers+=" $!"
	eventually grep -q '^ACCEPT .' got
	port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' got)
	setting "embed: {url: 'https://127.0.0.1:$port/x/', model: m, key_env: THE_KEY}"
}

@test "without an encoder it says what to do; empty input wants none" {
	run -3 --separate-stderr mem-embed <<<'tea'
	[ -z "$output" ]
	[ "$stderr" = 'mem-embed: no model is installed: run mem-model install e5' ]
	run -0 mem-embed </dev/null
	[ -z "$output" ]
	setting 'embed: {model: none}'
	run -3 mem-embed <<<'tea'
	[[ $output = *'embed.model: none'* ]]
	# The settings' fault, not that of whoever runs the command.
	setting 'embed: {model: nosuch}'
	run -3 mem-embed <<<'tea'
	[[ $output = *"embed.model: there is no model 'nosuch'"* ]]
	run -2 mem-embed --model nosuch <<<'tea'
}

@test "a model as it is installed gives the vectors that others compute, by each kernel" {
	random_model
	local golden=$TOP/tests/data/random-model/vectors.ndjson ran=0
	jq -c '{text}' "$golden" >texts
	for kernel in plain avx2 avx512; do
		MEM_KERNEL=$kernel mem-embed --model minilm --ids <texts >got 2>err || { grep -q "$kernel" err; continue; }
		jq -s -e --slurpfile want "$golden" 'length == 23 and all(range(length) as $i | .[$i].token_ids == $want[$i].token_ids
			and ([.[$i].vector, $want[$i].vector] | transpose | map(.[0] * .[1]) | add) > .999; .)' got >/dev/null
		[ "$(unit <got)" = 23 ]
		ran=$((ran + 1))
	done
	[ $ran -ge 1 ]
	# A question by it, through a store.
	need_store
	setting 'embed: {model: minilm}'
	jq -r .text "$golden" | grep '[a-z]' | mem-capture -q --lines
	mem-embed --pending
	run -0 mem-search -m vector -n 1 'where is the tea kept'
	[ "$(jq -r .content <<<"$output")" = 'Where is the tea kept?' ]
}

@test "codes of word pieces come later where they lack, and leave the vectors as they are" {
	random_model
	need_store
	setting $'embed: {model: minilm}\nsearch: {pieces: off}'
	jq -r .text "$TOP/tests/data/random-model/vectors.ndjson" | grep '[a-z]' | mem-capture -q --lines
	jq -nc '{id: "0198f3c2-7d4e-7b1a-9c3d-000000000001", kind: "fact", ns: "global", created_at: "2026-11-28T09:00:00Z", statement: "tea is warm"}' | mem-import -q
	mem-embed --pending
	pieces() { mem-stat | jq -c .pieces; }
	vectors() { mem-search -m vector --vectors -n 50 'where is the tea kept' | jq -c '[.id, .score, .vector]' | sort; }
	[ "$(pieces)" = '{"bytes":0,"limit":1073741824,"waiting":0,"full":false}' ]
	[ "$(mem-maintain --list | jq -c 'select(.task == "embed") | [.due, .amount]')" = '[false,0]' ]
	vectors >before
	local episodes
	episodes=$(mem-stat | jq '.nodes.episode | add')
	setting 'embed: {model: minilm}'
	[ "$(mem-maintain --list | jq -c 'select(.task == "embed") | .due')" = true ]
	run -0 mem-embed --pending -v
	[ "$output" = "{\"embedded\":$episodes,\"near_duplicates\":0,\"pending\":0}" ]
	[ "$(mem-maintain --list | jq -c 'select(.task == "embed") | [.due, .amount]')" = '[false,0]' ]
	[ "$(pieces | jq '.bytes >= 48 * '"$episodes")" = true ]
	vectors | diff - before
	run -0 mem-check
	[ -z "$output" ]
	# what is written now has them at once
	local bytes
	bytes=$(pieces | jq .bytes)
	mem-capture -q --lines <<<'a cold cup of milk'
	[ "$(pieces | jq ".bytes > $bytes and .waiting == 0")" = true ]
	[ "$(mem-stat --agent nobody | jq -c .pieces)" = '{"bytes":null,"limit":1073741824,"waiting":null,"full":null}' ]
}

@test "past search.pieces_bytes no more codes are kept" {
	random_model
	need_store
	setting $'embed: {model: minilm}\nsearch: {pieces_bytes: 1}'
	printf '%s\n' 'one cup of tea' 'a jug of milk' 'bread and butter' | mem-capture -q --lines
	run -0 mem-stat
	[ "$(jq -c '.pieces | [.bytes > 0, .limit, .full]' <<<"$output")" = '[true,1,true]' ]
	local bytes
	bytes=$(jq .pieces.bytes <<<"$output")
	run -0 mem-embed --pending -v
	[ "$output" = '{"embedded":0,"near_duplicates":0,"pending":0}' ]
	[ "$(mem-stat | jq .pieces.bytes)" = "$bytes" ]
	run -0 script -qec 'mem-stat' /dev/null
	[[ $output = *"search.pieces_bytes allows no more"* ]]
	setting 'embed: {model: minilm}'
	run -0 mem-embed --pending -v
	[ "$output" = '{"embedded":2,"near_duplicates":0,"pending":0}' ]
	[ "$(mem-stat | jq ".pieces.bytes > $bytes")" = true ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "texts become records, records get a vector, in their order and with all they had" {
	embed_server ok
	run -0 --separate-stderr mem-embed <<'END'
tea in a tin
{"a":1e400,"text":"milk","vector":[9],"truncated":true,"b":"\u00e9"}
{"content":"is \"out\"","speaker":"Mina"}
{"title":"Tea","content":null,"name":"x","description":"A leaf."}
END
	[ -z "$stderr" ]
	[ "$(head -n 1 <<<"$output" | jq -c 'del(.vector)')" = '{"text":"tea in a tin"}' ]
	[[ $(sed -n 2p <<<"$output") = '{"a":1e400,"text":"milk","vector":['*'],"b":"\u00e9"}' ]]
	[ "$(unit <<<"$output")" = 4 ]
	[ "$(inputs)" = '["tea in a tin","milk","Mina: is \"out\"","Tea: A leaf."]' ]
	grep -aq '^POST /v1/embeddings ' requests
	run ! grep -aqi authorization requests
}

@test "bad lines are refused by line, the rest goes on" {
	embed_server ok
	run -1 --separate-stderr mem-embed < <(printf '%s\n' a '{"text":' '{"text":5}' '{"speaker":"x"}' '{"text":"\n"}' b; printf 'c\377\n')
	[ "$(jq -r .text <<<"$output" | paste -sd' ')" = 'a b' ]
	[ "$(grep -o 'line [0-9]*, byte [0-9]*: [a-z_0-9]*' <<<"$stderr" | paste -sd,)" = \
	  'line 2, byte 8: bad_json,line 3, byte 8: bad_value,line 4, byte 0: empty,line 5, byte 0: empty,line 7, byte 1: bad_utf8' ]
}

@test "--format base64 and f32 hold the same numbers as json" {
	embed_server ok
	mem-embed --format json <<<'a b' | jq -r '.vector[]' > numbers
	mem-embed --format f32 <<<'a b' > rows
	[ "$(stat -c %s rows)" = 256 ]
	od -An -v -w4 -t f4 rows | awk '{ print $1 + 0 }' > floats
	awk '{ print $1 + 0 }' numbers | cmp - floats
	mem-embed --format base64 <<<'{"text":"a b"}' | jq -r .vector | base64 -d | cmp - rows
}

@test "-n, files, --query, prefixes" {
	embed_more=", query_prefix: 'query: ', text_prefix: 'passage: '" embed_server ok
	seq 5 > five
	run -0 mem-embed -n 6 five five
	[ "$(jq -r .text <<<"$output" | paste -sd' ')" = '1 2 3 4 5 1' ]
	run -0 mem-embed --query <<<'what'
	[ "$(inputs | tail -n 1)" = '["query: what"]' ]
	[ "$(inputs | head -n 1 | jq -c .[0])" = '"passage: 1"' ]
}

@test "--ids: a server does not tell them" {
	embed_server ok
	run -3 mem-embed --ids <<<tea
	[ "$output" = 'mem-embed: --ids: the tokens of a remote encoder are not known' ]
}

@test "a live pipe gets its vector before the next text is there" {
	embed_server ok
	mkfifo in out
	mem-embed < in > out &
	exec 7> in 8< out
	for i in 1 2 3; do
		echo "text $i" >&7
		read -r -t 120 line <&8
		[ "$(jq -r .text <<<"$line")" = "text $i" ]
	done
	exec 7>&-
	wait $!
}

@test "order is kept over many batches and requests, whatever order the server answers in" {
	embed_server reversed
	seq 2000 | mem-embed > out
	jq -r .text out | cmp - <(seq 2000)
	# Each has the vector of its own text.
	sed -n 1777p out | jq -c .vector > one
	mem-embed <<<1777 | jq -c .vector | cmp - one
	[ "$(inputs | jq length | sort -n | tail -n 1)" -le 64 ]
}

@test "a long text is cut at a character and marked" {
	embed_more=', max_bytes: 10' embed_server ok
	(echo 123456789; echo 123456789é; head -c 1000000 /dev/zero | tr '\0' a; echo) > texts
	run -0 mem-embed texts
	[ "$(jq -c .truncated <<<"$output" | paste -sd' ')" = 'null true true' ]
	[ "$(inputs)" = '["123456789","123456789","aaaaaaaaaa"]' ]
}

@test "requests stay small whatever the texts" {
	embed_more=', max_bytes: 400000' embed_server ok
	for _ in 1 2 3 4 5; do head -c 300000 /dev/zero | tr '\0' a; echo; done > texts
	mem-embed texts > out
	[ "$(wc -l < out)" = 5 ]
	[ "$(inputs | jq length | paste -sd' ')" = '3 2' ]
}

@test "the key comes from its variable, goes to the server and nowhere else" {
	embed_more=', key_env: THE_KEY' embed_server ok 401
	run -3 mem-embed <<<tea
	[ "$output" = 'mem-embed: embed.key_env: the variable THE_KEY is not set' ]
	THE_KEY=$'a\nX: b' run -3 mem-embed <<<tea
	[[ $output = *'what THE_KEY holds is no key' ]]
	export THE_KEY=sk-test-key
	run -0 mem-embed <<<tea
	grep -aq '^Authorization: Bearer sk-test-key' requests
	[[ $output != *sk-test* ]]
	# Nor when the server says it.
	run -3 mem-embed <<<tea
	[ "$output" = "mem-embed: the encoder at '127.0.0.1' answered 401: it does not take the key" ]
}

@test "a key goes to another machine by https only, and the url has no password" {
	export THE_KEY=sk-test-key
	setting 'embed: {url: "http://encoder.example", model: m, key_env: THE_KEY}'
	run -3 mem-embed <<<tea
	[[ $output = *"'encoder.example' in the clear"* ]]
	setting 'embed: {url: "https://u:p@encoder.example", model: m}'
	run -3 mem-embed <<<tea
	[[ $output = *'without user and password'* && $output != *u:p* ]]
}

@test "a certificate that nobody vouches for is refused before the key is sent; a known one is taken" {
	command -v openssl >/dev/null || skip "no openssl"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
		-addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null
	body='{"data":[{"embedding":[3,4]}]}'
	printf 'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s' ${#body} "$body" > answer
	tls_server
	export THE_KEY=sk-test-key
	run -3 mem-embed <<<tea
	[[ $output = "mem-embed: the encoder at '127.0.0.1': "*certificate* ]]
	run ! grep -aq sk-test got
	tls_server
	SSL_CERT_FILE=cert.pem run -0 mem-embed <<<tea
	[ "$(jq -c .vector <<<"$output")" = '[0.600000024,0.800000012]' ]
	grep -aq '^POST /x/v1/embeddings ' got
}

@test "a redirection is not followed" {
	embed_more=', key_env: THE_KEY' embed_server 302
	THE_KEY=sk-test-key run -3 mem-embed <<<tea
	[[ $output = *'answered 302: a redirection, which is not followed' ]]
}

@test "429 and 5xx are asked again, in the end they are told" {
	embed_server 429=1 500 503 ok 429=3600
	run -0 mem-embed <<<tea
	[ "$(inputs | wc -l)" = 4 ]
	# An hour is too long to wait.
	run -75 timeout 120 mem-embed <<<tea
	[ "$output" = "mem-embed: the encoder at '127.0.0.1' answered 429: too many requests" ]
	[ "$(inputs | wc -l)" = 5 ]
}

@test "a server that always breaks is left after five attempts or at the limit" {
	embed_more=', timeout: 6s' embed_server 500
	run -3 timeout 120 mem-embed <<<tea
	[[ $output = *"'127.0.0.1' answered 500" ]]
	[ "$(inputs | wc -l)" -le 5 ]
	[ "$(inputs | wc -l)" -gt 1 ]
}

@test "a server that never answers, or a byte a second, is left at the limit" {
	embed_more=', timeout: 1500ms' embed_server slow trickle
	for _ in 1 2; do
		run -3 timeout 120 mem-embed <<<tea
		[[ $output = "mem-embed: the encoder at '127.0.0.1': "*'timed out'* ]]
	done
}

@test "nobody there" {
	setting 'embed: {url: "http://127.0.0.1:1", model: m}'
	run -3 timeout 120 mem-embed <<<tea
	[[ $output = "mem-embed: the encoder at '127.0.0.1': "* ]]
}

@test "answers that are none are told, and nothing is printed" {
	local ways=(half nojson nodata nan huge null zero unequal few many twice)
	embed_server "${ways[@]}" flood
	for way in "${ways[@]}" flood; do
		run -3 --separate-stderr timeout 120 mem-embed < <(echo a; echo b)
		echo "$way: $stderr"
		[ -z "$output" ]
		[[ $stderr = "mem-embed: the encoder at '127.0.0.1'"* ]]
	done
	[ "$(inputs | wc -l)" = 12 ]
}

@test "dimensions that change from one answer to the next are refused" {
	embed_server dims=64 dims=72
	run -3 --separate-stderr mem-embed < <(seq 100)
	[[ $stderr = *'64 and of 72 dimensions' ]]
}

@test "a store's settings name the encoder, and only while they are trusted" {
	need_store
	embed_server ok
	mv "$HOME/.config/memkit/config.yaml" settings
	run -3 mem-embed <<<tea
	cat settings >> store/config.yaml
	run -4 mem-embed <<<tea
	[[ $output = *'mem-init --trust'* ]]
	mem-init --trust -q
	run -0 mem-embed <<<tea
	unset MEM_STORE
	run -3 mem-embed <<<tea
	run -0 mem-embed -S store <<<tea
	# Another address needs trust again.
	sed -i 's/words/other/' store/config.yaml
	run -4 mem-embed -S store <<<tea
	run -3 mem-embed -S nowhere <<<tea
}

@test "each setting is in mem-config(5) with its default, and takes it" {
	[ -f "$TOP/lib/conf/settings.c" ]
	sed -n 's/^\t{ "\([a-z._]*\)", \([A-Z]*\), [a-z]*, \("\(.*\)"\|NULL\), .* },$/\1 \2 \4/p' "$TOP/lib/conf/settings.c" >settings
	[ "$(grep -c ^embed. settings)" -ge 9 ]
	mandoc -T ascii "$TOP/man/mem-config.5" | col -b >page
	while read -r name type value; do
		[ "$type" != SCHEDULES ] || name+=.TASK
		grep -qE "(^|[ ,])$name([ ,]|\$)" page
		[ -n "$value" ] || continue
		grep -qF "$name ($value)" page
		[ "$type" = LIST ] || setting "{$name: '$value'}"
		setting "$(sed 's/^{\([a-z]*\)\.\(.*\)}$/\1: {\2}/' "$HOME/.config/memkit/config.yaml")"
		run -0 mem-embed </dev/null
	done <settings
}

# waiting: how many nodes wait for a vector.
waiting() { mem-stat | jq .pending_vectors; }
# texts [FIRST] LAST: texts that are far from each other.
texts() { seq "$@" | sed 's/.*/n& m& o& p& q& r&/'; }

@test "--pending: what waits gets its vector, once" {
	need_store
	texts 1500 | mem-capture -q --lines
	[ "$(waiting)" = 1500 ]
	[ "$(mem-stat | jq .model)" = null ]
	run -3 mem-embed --pending
	[ "$output" = 'mem-embed: no model is installed: run mem-model install e5' ]
	embed_server ok
	run -0 mem-embed --pending -v -n 700
	[ "$output" = '{"embedded":700,"near_duplicates":0,"pending":800}' ]
	[ "$(waiting)" = 800 ]
	run -0 --separate-stderr mem-embed --pending
	[ -z "$output$stderr" ]
	[ "$(waiting)" = 0 ]
	[ "$(mem-stat | jq -r .model)" = words ]
	[ "$(inputs | jq length | awk '{ n += $1 } END { print n }')" = 1500 ]
	run -0 mem-embed --pending -v
	[ "$output" = '{"embedded":0,"near_duplicates":0,"pending":0}' ]
	[ "$(inputs | jq length | awk '{ n += $1 } END { print n }')" = 1500 ]
	run -0 mem-check
}

@test "--pending: the speaker stands before the content" {
	need_store
	mem-capture -q --no-embed < <(echo '{"content":"tea","speaker":"Mina"}'; echo '{"content":"milk"}')
	embed_server ok
	mem-embed --pending
	[ "$(inputs)" = '["Mina: tea","milk"]' ]
}

@test "--pending: what was done stays done when the encoder breaks" {
	need_store
	texts 300 | mem-capture -q --lines
	embed_more=', timeout: 5s' embed_server ok ok 500
	run -3 mem-embed --pending -v
	[[ $output = *"answered 500"*'{"embedded":128,"near_duplicates":0,"pending":172}' ]]
	[ "$(waiting)" = 172 ]
	embed_server ok
	run -0 mem-embed --pending
	[ "$(waiting)" = 0 ]
	run -0 mem-check
}

@test "--pending: an interrupt keeps what was done" {
	need_store
	texts 600 | mem-capture -q --lines
	embed_more=', timeout: 1h' embed_server ok ok slow
	mem-embed --pending -v > out 2>&1 3>&- &
	pid=$!
	eventually asked 3
	kill -TERM $pid
	# The request in hand goes on to its end: now.
	embed_servers_stop
	st=0; wait $pid || st=$?
	[ $st = 143 ]
	grep -qF '{"embedded":128,"near_duplicates":0,"pending":472}' out
	[ "$(waiting)" = 472 ]
	run -0 mem-check
}

@test "--pending and mem-maintain: one at a time" {
	need_store
	texts 40 | mem-capture -q --lines
	embed_more=', timeout: 1h' embed_server slow
	patient
	mem-embed --pending 3>&- &
	pid=$!
	eventually asked 1
	run -75 timeout 120 mem-embed --pending
	[[ $output = *'another maintenance'* ]]
	# What could not begin says no numbers.
	run -75 --separate-stderr timeout 120 mem-embed --pending -v
	[ -z "$output" ]
	run -0 timeout 120 mem-maintain
	[ -z "$output" ]
	run -75 timeout 120 mem-maintain --wait 100ms embed
	kill "$pid"
	embed_servers_stop
	wait $pid || true
}

@test "--pending: a younger node that says the same is marked and logged, not across namespaces" {
	need_store
	export MEM_TEAMS=red
	mapfile -t ids < <(remember '{"content":"the tea is in the blue tin"}' '{"content":"milk and honey for all"}')
	mem-capture -q --no-embed <<<'{"content":"The tea: is in the blue tin!"}'
	mem-capture -q --no-embed <<<'{"content":"the tea, is in the blue tin","ns":"team:red"}'
	embed_server ok
	run -0 mem-embed --pending -v
	[ "$output" = '{"embedded":4,"near_duplicates":1,"pending":0}' ]
	[ "$(mem-list | jq -c .near_duplicate_of)" = "null
null
\"${ids[0]}\"
null" ]
	[ "$(mem-log | jq -r .op | tail -n 1)" = near_duplicate ]
	run -0 mem-check
	mem-export > one
	mem-embed --pending
	mem-export | cmp - one
}

@test "--pending: the older one may get its vector last" {
	need_store
	a=$(remember '{"content":"the tea is in the blue tin"}')
	embed_server ok
	b=$(remember '{"content":"The tea is in the blue tin."}')
	run -0 mem-embed --pending -v
	[ "$output" = '{"embedded":1,"near_duplicates":1,"pending":0}' ]
	[ "$(mem-get "$b" | jq -r .near_duplicate_of)" = "$a" ]
	[ "$(mem-get "$a" | jq -r .near_duplicate_of)" = null ]
}

@test "--pending: a text that is too long for one vector is sent in passages, with its head before each" {
	need_store
	mem-capture -q --no-embed < <(echo '{"content":"short"}'; echo '{"content":"One two. Three four. Five six.","speaker":"Al"}')
	embed_more=', max_bytes: 16' embed_server ok
	run -0 mem-embed --pending -v
	[ "$output" = '{"embedded":2,"near_duplicates":0,"pending":0}' ]
	[ "$(inputs)" = '["short","Al: One two.","Al: Three four.","Al: Five six."]' ]
	mem-list > nodes
	run -1 grep -q truncated nodes
	run -0 mem-check
	# Found by any of them, and once.
	run -0 mem-search -m vector 'Al: Five six.'
	[ "$(jq -rs 'map(.content[:3]) | join(" ")' <<<"$output")" = 'One sho' ]
	run -0 mem-maintain compact
	run -0 mem-check
	run -0 mem-check --repair
	[ "$(mem-stat | jq .pending_vectors)" = 1 ] # where the passages lay is known by the text alone
	mem-embed --pending
	run -0 mem-check
}

@test "a store whose vectors belong to another model is refused by name, with what mends it" {
	need_store
	embed_server ok
	mem-capture -q --lines <<<tea
	sed -i s/words/other/ "$HOME/.config/memkit/config.yaml"
	mem-capture -q --no-embed --lines <<<milk
	run -3 mem-embed --pending
	[[ $output = *'made by words (remote), not by other (remote): run mem-embed --rebuild'* ]]
	run -3 mem-maintain
	[[ $output = *'made by words'* ]]
	# Memories are stored all the same.
	run -0 --separate-stderr mem-capture --lines <<<honey
	[[ $stderr = *'vectors are left for later: '*'made by words'* ]]
	run -3 mem-capture --embed --lines <<<beer
	[ "$(waiting)" = 2 ]
	# The same name, but other vectors.
	embed_server dims=72
	run -3 mem-embed --pending
	[[ $output = *'64 dimensions, and now it gives 72: run mem-embed --rebuild'* ]]
	[ "$(waiting)" = 2 ]
	run -0 mem-check
}

@test "settings that want no model: a store with vectors is searched by words" {
	need_store
	embed_server ok
	mem-capture -q --lines <<<tea
	[ "$(mem-search tea | jq -r .mode)" = hybrid ]
	setting 'embed: {model: none}'
	run -0 --separate-stderr mem-search tea
	[ "$(jq -r .mode <<<"$output")" = keyword ]
	run -3 mem-search -m vector tea
	[[ $output = *'embed.model: none'* ]]
	# Nor is a store that never had one told to make vectors.
	mem-init -q bare >/dev/null
	printf 'embed: {model: none}\n' >bare/config.yaml
	mem-init -q --trust -S bare >/dev/null
	mem-capture -q -S bare --lines <<<tea
	run -3 mem-search -S bare -m vector tea
	[[ $output = *'embed.model: none'* && $output != *--pending* ]]
}

@test "vectors of a length that no store keeps cost nothing but themselves" {
	need_store
	for dims in 1 12 4104; do
		embed_server dims=$dims
		run -0 --separate-stderr mem-capture <<<'{"content":"tea '$dims'"}'
		[ "$(jq -r .verdict <<<"$output")" = new ]
		[[ $stderr = *"vectors are left for later: vectors of $dims numbers"*'cannot be kept: a multiple of 8'* ]]
		run -3 mem-embed --pending
		[[ $output = *"vectors of $dims numbers"*'cannot be kept'* ]]
		run -0 mem-check
	done
	embed_server ok
	mem-embed --pending
	embed_server dims=12
	other_model
	run -3 mem-embed --rebuild
	[[ $output = *'vectors of 12 numbers, as other gives them, cannot be kept'* ]]
	[ ! -e store/vectors.new ]
	[ "$(mem-stat | jq -c '[.model,.pending_vectors]')" = '["words",0]' ]
	run -0 mem-check
}

@test "a server that is down is asked by the first of many queries" {
	need_store
	remember '{"content":"tea in a tin"}' >ids
	embed_server ok 401
	mem-embed --pending
	printf '{"query":"tea"}\n%.0s' 1 2 3 4 >queries
	run -0 --separate-stderr mem-search --queries queries
	[ "$(jq -r 'select(.end == null) | .mode' <<<"$output" | uniq -c | xargs)" = '4 keyword' ]
	[[ $stderr = *'searched by words alone'*'answered 401'* ]]
	[ "$(inputs | wc -l)" = 2 ]
	# The next process asks again.
	embed_server ok
	run -0 --separate-stderr mem-search --queries queries
	[ "$(jq -r 'select(.end == null) | .mode' <<<"$output" | uniq -c | xargs)" = '4 hybrid' ]
}

@test "--pending wants no lines, and its options want it" {
	need_store
	run -2 mem-embed --pending --query
	run -2 mem-embed --pending --format f32
	run -2 mem-embed --pending file
	run -2 mem-embed --pending --ids
	run -2 mem-embed --format f32 --ids
	run -2 mem-embed -v
	run -2 mem-embed --wait 1s
}

# other_model: the person's settings name another one at the same server.
other_model() { sed -i 's/words/other/' "$HOME/.config/memkit/config.yaml"; }
# by MODEL: the store's vectors are all by MODEL, and it is sound.
by() {
	[ "$(mem-stat | jq -c '[.model,.pending_vectors]')" = "[\"$1\",0]" ]
	run -0 mem-check
	[ ! -e store/vectors.new ]
}

@test "--rebuild changes a store over to another model, once" {
	need_store
	embed_server ok
	texts 300 | mem-capture -q --lines --embed
	texts 301 340 | mem-capture -q --lines --no-embed
	by words || [ "$(waiting)" = 40 ]
	embed_server dims=128
	other_model
	run -3 mem-embed --pending
	run -0 mem-embed --rebuild -v
	[ "$output" = '{"embedded":340,"near_duplicates":0,"pending":0}' ]
	by other
	[ "$(inputs | jq length | awk '{ n += $1 } END { print n }')" = 340 ]
	run -0 mem-embed --rebuild -v
	[ "$output" = '{"embedded":0,"near_duplicates":0,"pending":0}' ]
	run -0 mem-capture --embed --lines <<<'n7 m7 o7 p7 q7 r7.'
	[ "$(jq -r .verdict <<<"$output")" = near_duplicate ]
}

@test "--rebuild: old vectors serve until the new ones are there; who is stopped goes on" {
	need_store
	embed_server ok
	texts 300 | mem-capture -q --lines --embed
	embed_more=', timeout: 1h' embed_server ok ok slow
	other_model
	mem-embed --rebuild -v > out 2>&1 3>&- &
	pid=$!
	eventually asked 3
	[ "$(mem-stat | jq -c '[.model,.pending_vectors]')" = '["words",0]' ]
	run -75 mem-embed --rebuild
	# What comes meanwhile waits.
	run -0 mem-capture -q --no-embed --lines <<<'new'
	kill -TERM $pid
	embed_servers_stop
	st=0; wait $pid || st=$?
	[ $st = 143 ]
	grep -qF '"embedded":128,' out
	[ "$(stat -c %a store/vectors.new)" = 600 ]
	[ "$(mem-stat | jq -c '[.model,.pending_vectors]')" = '["words",1]' ]
	embed_server ok
	other_model
	run -0 mem-embed --rebuild -v
	[ "$output" = '{"embedded":173,"near_duplicates":0,"pending":0}' ]
	by other
}

@test "--rebuild goes on from a file that was cut or damaged, and not from that of another model" {
	need_store
	embed_server ok
	texts 300 | mem-capture -q --lines --embed
	other_model
	run -0 mem-embed --rebuild -v -n 128
	[ "$output" = '{"embedded":128,"near_duplicates":0,"pending":172}' ]
	size=$(stat -c %s store/vectors.new)
	truncate -s $((size - 10)) store/vectors.new
	printf x | dd of=store/vectors.new bs=1 seek=$((size / 2)) conv=notrunc status=none
	cp store/vectors.new damaged
	run -0 mem-embed --rebuild -v
	n=$(jq .embedded <<<"$output")
	[ "$n" -gt 230 ]
	[ "$n" -lt 240 ]
	by other
	sed -i 's/other/third/' "$HOME/.config/memkit/config.yaml"
	mv damaged store/vectors.new
	run -0 mem-embed --rebuild -v
	[ "$(jq .embedded <<<"$output")" = 300 ]
	by third
	# Under the same name the server has other vectors by now.
	sed -i 's/third/last/' "$HOME/.config/memkit/config.yaml"
	run -0 mem-embed --rebuild -n 128
	embed_server dims=72
	sed -i 's/words/last/' "$HOME/.config/memkit/config.yaml"
	run -0 mem-embed --rebuild -v
	by last
}

@test "--rebuild, killed while it exchanges, is finished by the next" {
	need_store
	"${CC:-cc}" -O1 -shared -fPIC -o shim.so "$TOP/tests/proof/shim.c" -ldl
	embed_server ok
	texts 1500 | mem-capture -q --lines --embed
	other_model
	cp -r store before
	killed=0
	for n in 1 4 30 80; do
		rm -rf store
		cp -r before store
		ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 SHIM_DATA=$PWD/store/data.mdb SHIM_KILL=$n \
			LD_PRELOAD=$PWD/shim.so mem-embed --rebuild >/dev/null 2>&1 && continue
		killed=$((killed + 1))
		[ "$(mem-check | head -c 300)" = '' ]
		run -0 mem-embed --rebuild
		by other
	done
	[ $killed -gt 1 ]
}

@test "--rebuild of long texts goes on behind the last whose passages are all there" {
	need_store
	embed_more=', max_bytes: 24' embed_server ok
	for i in 1 2 3 4; do
		seq $((i * 1000)) $((i * 1000 + 60)) | sed 's/$/ is a number./' | jq -Rsc '{content: .}'
	done | mem-capture -q --no-embed
	mem-embed --pending
	[ "$(inputs | jq length | awk '{ n += $1 } END { print n }')" = 244 ]
	mem-search -m vector -n 1 '3017 is a number.' > before
	other_model
	run -0 mem-embed --rebuild -v -n 2
	[ "$output" = '{"embedded":2,"near_duplicates":0,"pending":2}' ]
	truncate -s -100 store/vectors.new
	run -0 mem-embed --rebuild -v
	[ "$output" = '{"embedded":3,"near_duplicates":0,"pending":0}' ]
	run -0 mem-check
	mem-search -m vector -n 1 '3017 is a number.' > after
	[ "$(jq -c .passage after)" = "$(jq -c .passage before)" ]
	# What the server knows of a number is its digits' hash, so it may be another one with the same.
	[[ $(jq -r '.passage as $p | .content[$p.start:$p.end]' after) =~ ^[0-9]+\ is\ a\ number\.$ ]]
	[ "$(mem-stat | jq -c '[.model,.pending_vectors]')" = '["other",0]' ]
}

@test "--pending: what is killed again and again gets on, since it commits at least once a second" {
	need_model e5
	need_store
	case $MEM_BUILD in *address*|*thread*|*coverage*) skip "encodes too slowly for the kills" ;; esac
	for i in {1..900}; do
		echo "$i: the little girl asked for a picture of the garden with $i tall trees, a red gate, a dog that sleeps in the sun, and a pond where ducks swim all day long"
	done | mem-capture -q --lines --no-embed
	for ((i = 0; i < 40; i++)); do
		timeout -s KILL 1.2 mem-embed --pending || true
		[ "$(waiting)" = 900 ] || break
	done
	[ "$(waiting)" -lt 900 ]
	run -0 mem-check
}
