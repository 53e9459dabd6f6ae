#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

T=$TOP/tests/data/transcripts

# golden NAME ARGUMENTS...: exactly the events of NAME.events, whose texts were checked by hand.
golden() {
	local name=$1
	shift
	TZ=UTC mem-adapt -q --user-name Ivo "$@" >out
	diff -u "$T/$name.events" out
}

refs() { sed -n 's/.*"ref":"\([^"]*\)".*/\1/p' "$@"; }

@test "claude-code: sessions and prompt history" {
	golden claude-code claude-code "$T/claude-code.jsonl"
	golden claude-thinking --thinking claude-code "$T/claude-code.jsonl"
	golden claude-history claude-code "$T/claude-history.jsonl"
}

@test "codex: rollouts with and without envelope, prompt history" {
	golden codex --thinking codex "$T/codex.jsonl"
	golden codex-legacy codex "$T/codex-legacy.jsonl"
	golden codex-history codex "$T/codex-history.jsonl"
}

@test "gemini: JSON lines, one object, prompt log" {
	golden gemini gemini "$T/gemini.jsonl"
	golden gemini-thinking --thinking gemini "$T/gemini.jsonl"
	golden gemini-json gemini "$T/gemini.json"
	golden gemini-logs gemini "$T/gemini-logs.json"
}

@test "gemini: both forms of a session give the same refs" {
	mem-adapt -q gemini "$T/gemini.json" | refs | sort >old
	mem-adapt -q gemini "$T/gemini.jsonl" | refs | sort >new
	[ -z "$(comm -23 old new)" ]
	[ "$(mem-adapt -q gemini "$T/gemini.jsonl" "$T/gemini.json" | wc -l)" = "$(wc -l <new)" ]
}

@test "chatgpt: the shown path, or all branches" {
	golden chatgpt chatgpt "$T/chatgpt.json"
	golden chatgpt-all --branches all --thinking chatgpt "$T/chatgpt.json"
}

@test "openai: a request log gives a growing conversation once" {
	local i
	for i in 1 2 3; do
		jq -nc --argjson i "$i" '{request: {body: {messages: [range($i) | {role: "user", content: "weld step \(.)"},
			(if . < $i - 1 then {role: "assistant", content: "ok \(.)"} else empty end)]}},
			response: {choices: [{message: {role: "assistant", content: "ok \($i - 1)", refusal: null}}]}}'
	done >log
	run -0 --separate-stderr mem-adapt openai log
	[ "$(jq -r .content <<<"$output" | paste -sd,)" = "weld step 0,ok 0,weld step 1,ok 1,weld step 2,ok 2" ]
	# As a run for each line gives them.
	while read -r line; do mem-adapt openai <<<"$line"; done <log | jq -r .ref | sort -u >apart
	jq -r .ref <<<"$output" | sort -u | diff - apart
	# One that is told otherwise from a question on is another one, whole.
	tail -n 1 log | jq -c '.request.body.messages[2].content = "grind"' >other
	cat log other | mem-adapt openai | jq -r '[.session_id, .content] | @tsv' >got
	[ "$(cut -f1 got | sort | uniq -c | awk '{ print $1 }' | paste -sd' ')" = "6 6" ]
}

@test "openai: a turn that is sent again in another form is no other turn" {
	# again ANSWER SENT-AGAIN [NEXT]: two requests, the second with the first one's answer.
	again() {
		jq -nc --argjson a "$1" --argjson b "$2" --argjson n "${3:-{\"role\":\"user\",\"content\":\"thanks\"\}}" '
			{messages: [{role: "system", content: "Today is Monday."}, {role: "user", content: "weld?"}], choices: [{message: $a}]},
			{messages: [{role: "system", content: "Today is Tuesday."}, {role: "user", content: [{type: "text", text: "weld?"}]}, $b, $n],
				choices: [{message: {role: "assistant", content: "done"}}]}' | mem-adapt openai >out
		jq -r .session_id out | sort -u | wc -l
		[ "$(wc -l <out)" = 4 ]
	}
	say='{"role":"assistant","content":"yes"}'
	[ "$(again "$say" "$say")" = 1 ]
	[ "$(again '{"role":"assistant","content":"yes ","refusal":null,"annotations":[],"reasoning_content":"hm"}' "$say")" = 1 ]
	[ "$(again "$say" '{"role":"assistant","content":[{"type":"text","text":"yes"}]}')" = 1 ]
	call='{"type":"function","function":{"name":"weld","arguments":"{\"x\":1}"}}' result='{"role":"tool","tool_call_id":"t1","content":"seam"}'
	for content in '' '"content":"",' '"content":[],'; do
		[ "$(again "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$(jq -c '. + {id: "t1", index: 0}' <<<"$call")]}" \
			"{\"role\":\"assistant\",$content\"tool_calls\":[$call]}" "$result")" = 1 ]
	done
	# Items of responses: without ids, as a plain message, without the reasoning.
	jq -nc '{role: "assistant", type: "message", id: "m1", status: "completed", content: [{type: "output_text", text: "yes", annotations: []}]} as $m |
		{input: "weld?", model: "x", output: [{type: "reasoning", id: "r1", summary: []}, $m]},
		{input: [{role: "user", content: "weld?"}, {role: "assistant", content: "yes"}, {role: "user", content: "thanks"}], output: [$m]}' | mem-adapt --thinking openai >out
	[ "$(jq -r .ref out | sed 's/.*\///' | paste -sd,)" = 1,2,3,4 ]
	[ "$(jq -r .session_id out | sort -u | wc -l)" = 1 ]
	# Another answer is another turn.
	[ "$(again "$say" '{"role":"assistant","content":"no"}' || true)" = 2 ]
}

@test "openai: a session is named alike wherever its conversation stands" {
	for q in one two one; do jq -nc --arg q "$q" '{messages: [{role: "user", content: $q}, {role: "assistant", content: "\($q) \(input_line_number)"}]}' <<<$'\n'; done >log
	sed -n 2p log | mem-adapt openai | jq -r .ref >alone
	mem-adapt openai log | jq -r .ref | grep -cxFf alone | grep -qx 2
	# What begins alike and goes on otherwise in one file is told apart.
	printf '%s\n' '{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":"a"}]}' \
		'{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":"b"}]}' >log
	[ "$(mem-adapt openai log | jq -r .session_id | sort -u | sed 's/openai-[a-p]*//' | paste -sd,)" = ,-2 ]
}

@test "openai: items and questions of the interface of responses" {
	echo '{"request":{"body":{"input":[{"role":"user","content":"q"},{"type":"function_call","call_id":"c1","name":"weld","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"seam ok"},{"type":"odd_call"}]}}}' >in
	run -0 --separate-stderr mem-adapt openai in
	[ "$(jq -r '[.role, .content, .tool_part // "-"] | join(":")' <<<"$output" | paste -sd,)" = "user:q:-,tool:weld {}:call,tool:seam ok:result" ]
	[[ "$stderr" == *'odd_call 1'* ]] || false
	# The same, an item a line.
	jq -c '.request.body.input[0:3][]' in | mem-adapt openai | jq -r .content | diff - <(jq -r .content <<<"$output")
	echo '{"request":{"body":{"input":"how hot is the kiln"}},"response":{"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"very"}]}]}}' >in
	[ "$(mem-adapt openai in | jq -r .content | paste -sd,)" = "how hot is the kiln,very" ]
	[ "$(mem-adapt --thinking openai in | jq -r .content | paste -sd,)" = "how hot is the kiln,hm,very" ]
	echo '{"input":{"messages":[{"role":"user","content":"pick"}]},"preferred_output":[{"role":"assistant","content":"this"}],"non_preferred_output":[{"role":"assistant","content":"that"}]}' >in
	[ "$(mem-adapt openai in | jq -r .content | paste -sd,)" = "pick,this" ]
	# A data set with an input is no request.
	run -0 --separate-stderr mem-adapt openai <<<'{"instruction":"x","input":"y","output":"z"}'
	[ -z "$output" ]
}

@test "openai: messages and conversations" {
	golden openai --thinking openai "$T/openai.jsonl"
	golden openai-conversations openai "$T/openai-conversations.jsonl"
	# An array of messages is the same conversation.
	{ echo '['; grep -v oracle "$T/openai.jsonl" | sed '$!s/$/,/'; echo ']'; } >array.json
	mem-adapt openai array.json >a
	mem-adapt -q openai "$T/openai.jsonl" | diff - a
}

@test "aider: blocks, and what only looks like one" { golden aider aider "$T/aider.md"; }

@test "aider: output at the end waits, unless the file has ended" {
	mem-adapt aider "$T/aider.md" | grep -c KeyboardInterrupt | grep -qx 1
	mem-adapt --ended aider "$T/aider.md" | grep -c KeyboardInterrupt | grep -qx 2
	TZ=CET-1 mem-adapt aider "$T/aider.md" | head -1 | grep -q '"captured_at":"2026-02-14T07:30:11.000Z"'
}

@test "cursor: its own export and SpecStory's" {
	golden cursor-export cursor "$T/cursor-export.md"
	golden cursor-specstory --thinking cursor "$T/cursor-specstory.md"
}

@test "markdown: a file or a heading each" {
	cp "$T/page.md" .
	golden page-file markdown page.md
	golden page-heading --split heading markdown ./page.md
}

@test "jsonl: a map of fields" {
	golden generic --agent-name bot --map content=msg.body --map speaker=who --map captured_at=ts \
		--map session_id=room --map n=n --map first=deep.a.0 --map ns==team:garden jsonl "$T/generic.jsonl"
}

@test "cursor: thinking does not move the refs of other pieces" {
	mem-adapt --thinking cursor "$T/cursor-specstory.md" | refs | sort >with
	mem-adapt cursor "$T/cursor-specstory.md" | refs | sort >without
	[ -z "$(comm -13 with without)" ]
}

@test "names: of the options, else of the file, else of the format" {
	mem-adapt --user-name Mara --agent-name Robin claude-code "$T/claude-code.jsonl" 2>/dev/null | head -1 >out
	grep -q '"speaker":"Mara","listener":"Robin"' out
	mem-adapt -q openai "$T/openai.jsonl" | grep -q '"role":"user","speaker":"ines"'
	mem-adapt -q claude-code "$T/claude-code.jsonl" | grep -q '"role":"user","speaker":"user"'
}

@test "unknown types are counted on standard error, -q keeps quiet, -v tells all" {
	run -0 --separate-stderr mem-adapt claude-code "$T/claude-code.jsonl"
	[ "$stderr" = "mem-adapt: 1 record of unknown type skipped (not-yet-invented 1)" ]
	run -0 --separate-stderr mem-adapt -q claude-code "$T/claude-code.jsonl"
	[ -z "$stderr" ]
	run -0 --separate-stderr mem-adapt -q -v claude-code "$T/claude-code.jsonl"
	[[ $stderr == "mem-adapt: 22 events; "* ]]
}

@test "a broken line is named by file, line and byte; the rest goes on" {
	printf '%s\n' '{"role":"user","content":"a"}' '{"role":"user","content":"b"x}' '[1]' \
		'{"role":"user","role":"user"}' '{"role":"user","content":"c"}' >in.jsonl
	run -1 --separate-stderr mem-adapt openai in.jsonl
	[ "${#lines[@]}" = 2 ]
	[[ $stderr == "mem-adapt: in.jsonl:2: byte 58: bad_json: "*"mem-adapt: in.jsonl:3: byte 61: not_an_object: "*"mem-adapt: in.jsonl:4: byte 80: duplicate_key: "* ]]
}

@test "a half-written last line is left for the next time" {
	printf '%s\n%s' '{"role":"user","content":"a"}' '{"role":"user","cont' >in.jsonl
	run -0 --separate-stderr mem-adapt -v openai in.jsonl
	[ "${#lines[@]}" = 1 ]
	[[ $stderr == *"1 left for the next time" ]]
	run -1 --separate-stderr mem-adapt --ended openai in.jsonl
	[[ $stderr == "mem-adapt: in.jsonl:2: byte "*": bad_json: "* ]]
	# Without its line end, but whole:
	printf '%s\n%s' '{"role":"user","content":"a"}' '{"role":"user","content":"b"}' >in.jsonl
	run -0 --separate-stderr mem-adapt openai in.jsonl
	[ "${#lines[@]}" = 2 ]
}

@test "a cut-off export is told" {
	head -c 3000 "$T/chatgpt.json" >cut.json
	run -1 --separate-stderr mem-adapt chatgpt cut.json
	[[ $stderr == *"bad_json: the file ends inside a JSON value" ]]
	{ cat "$T/chatgpt.json"; echo ' trailing'; } >more.json
	run -1 --separate-stderr mem-adapt chatgpt more.json
	[[ $stderr == *"bad_json: text behind the JSON value" ]]
	[ "${#lines[@]}" = 8 ]
}

@test "bytes that are no text in Markdown are replaced and told" {
	printf '# aider chat started at 2026-02-14 08:30:11\n\n#### caf\xe9 \x00 x  \n\nYes.\n\n' >h.md
	run -1 --separate-stderr mem-adapt aider h.md
	[[ ${lines[0]} == '{"content":"caf'$'\xef\xbf\xbd'' '$'\xef\xbf\xbd'' x",'* ]]
	[[ $stderr == "mem-adapt: h.md:3: byte 53: bad_utf8: "* ]]
}

@test "a line over 16 MiB is refused, the next one read" {
	{ printf '{"role":"user","content":"'; head -c 17000000 /dev/zero | tr '\0' a; printf '"}\n'
	  echo '{"role":"user","content":"b"}'; } >big.jsonl
	run -1 --separate-stderr mem-adapt --map content=content jsonl big.jsonl
	[ "${#lines[@]}" = 1 ]
	[ "$stderr" = "mem-adapt: big.jsonl:1: byte 0: too_long: the line is longer than 16 MiB" ]
}

@test "a conversation over 16 MiB on one line is read" {
	{ printf '[{"id":"c","current_node":"a","mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"metadata":{"x":"'
	  head -c 17000000 /dev/zero | tr '\0' a
	  printf '"},"content":{"content_type":"text","parts":["found"]}}}}}]'; } >big.json
	run -0 mem-adapt chatgpt big.json
	[[ $output == '{"content":"found",'* ]]
}

@test "a tool's long text is cut at a character and says so" {
	{ printf '{"type":"user","sessionId":"s","uuid":"u","message":{"content":[{"type":"tool_result","content":"'
	  for _ in {1..30000}; do printf 'äöüäö'; done; printf '"}]}}\n'; } >long.jsonl
	mem-adapt claude-code long.jsonl >out
	grep -q '\\n\[37856 more bytes left out\]","role":"tool"' out
}

@test "several files, standard input, a file that is not there" {
	mem-adapt -q openai - <"$T/openai.jsonl" >stdin.out
	mem-adapt -q openai "$T/openai.jsonl" | diff - stdin.out
	run -3 --separate-stderr mem-adapt -q openai nowhere.jsonl "$T/openai.jsonl"
	[ "${#lines[@]}" = 12 ]
	[ "$stderr" = "mem-adapt: cannot open 'nowhere.jsonl': No such file or directory" ]
}

@test "what makes no sense is 2" {
	run -2 mem-adapt
	run -2 mem-adapt nonsense
	run -2 mem-adapt --thinking markdown x.md
	run -2 mem-adapt --branches all gemini x.json
	run -2 mem-adapt --branches some chatgpt x.json
	run -2 mem-adapt --split heading aider x.md
	run -2 mem-adapt --map content=x openai x.jsonl
	run -2 mem-adapt --map content jsonl x.jsonl
	run -2 mem-adapt --map 'a b=c' jsonl x.jsonl
	run -2 mem-adapt --session x codex x.jsonl
	run -2 mem-adapt -f openai
	run -2 mem-adapt -f chatgpt "$T/chatgpt.json"
	run -2 mem-adapt -f gemini "$T/gemini.json"
	run -3 mem-adapt -f openai nowhere.jsonl
}

@test "-f gives each record when it is whole" {
	head -3 "$T/codex.jsonl" >log
	mem-adapt -f codex log >out 2>err &
	pid=$!
	sed -n 4,8p "$T/codex.jsonl" >>log
	eventually lines_in out 1
	sed -n 9p "$T/codex.jsonl" | head -c 40 >>log
	sed -n 9p "$T/codex.jsonl" | tail -c +41 >>log
	eventually lines_in out 2
	sed -n '10,$p' "$T/codex.jsonl" >>log
	eventually lines_in out 14
	kill -TERM $pid
	wait $pid || [ $? = 143 ]
	mem-adapt -q codex "$T/codex.jsonl" | diff - out
}

@test "-f reads a shortened or replaced file anew, and repeats nothing" {
	say() { printf '{"type":"user","sessionId":"s","uuid":"%s","message":{"content":"%s"}}\n' "$1" "$1"; }
	{ say one; say two; } >log
	mem-adapt -f claude-code log >out &
	pid=$!
	eventually lines_in out 2
	say three >log
	eventually lines_in out 3
	{ say two; say four; } >new
	mv new log
	eventually lines_in out 4
	rm log
	say five >late
	mv late log
	eventually lines_in out 5
	say six >>log
	eventually lines_in out 6
	kill -TERM $pid
	wait $pid || [ $? = 143 ]
	[ "$(refs out | tr '\n' ' ')" = "s/one#0 s/two#0 s/three#0 s/four#0 s/five#0 s/six#0 " ]
}

@test "-f ends when its reader went away" {
	cp "$T/codex.jsonl" log
	mem-adapt -f codex log > >(head -n 1 >first) &
	pid=$!
	eventually gone $pid
	[ "$(wc -l <first)" = 1 ]
}

@test "a live pipe is not held up" {
	mkfifo pipe
	mem-adapt claude-code <pipe >out &
	pid=$!
	exec 7>pipe
	head -5 "$T/claude-code.jsonl" >&7
	eventually lines_in out 2
	exec 7>&-
	wait $pid
}

@test "captured twice, a transcript adds only what is new" {
	need mem-capture
	mem-init -q store >/dev/null
	export MEM_STORE=$PWD/store
	head -20 "$T/claude-code.jsonl" >part.jsonl
	mem-adapt -q claude-code part.jsonl | mem-capture >first
	mem-adapt -q claude-code "$T/claude-code.jsonl" | mem-capture >second
	[ "$(grep -c '"verdict":"new"' first)" = "$(wc -l <first)" ]
	[ "$(cat first second | grep -c '"verdict":"new"')" = 22 ]
	[ "$(grep -c '"verdict":"duplicate"' second)" = "$(wc -l <first)" ]
}

@test "the shared samples are read without a fault" {
	need_data transcripts
	cd "$MEMKIT_DATA/transcripts"
	for f in claude-code/*.jsonl claude-code/subagents/*.jsonl codex/*.jsonl openai/*.jsonl gemini-cli/* \
		chatgpt/*.json aider/*.md cursor/*.md; do
		format=${f%%/*}
		[ "$format" != gemini-cli ] || format=gemini
		mem-adapt -q "$format" "$f" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
		[ -s "$BATS_TEST_TMPDIR/out" ]
		[ ! -s "$BATS_TEST_TMPDIR/err" ]
	done
}

# Each format with a mark at its start and CR LF gives what it gives without.
@test "byte order marks and carriage returns change nothing in any format" {
	while read -r format file; do
		mem-adapt -q "$format" - <"$T/$file" >plain
		{ printf '\xef\xbb\xbf'; sed 's/$/\r/' "$T/$file"; } | mem-adapt -q "$format" - >marked
		diff plain marked
		[ -s plain ]
		# The same, a byte at a time.
		{ printf '\xef\xbb\xbf'; cat "$T/$file"; } | dd bs=1 2>/dev/null | mem-adapt -q "$format" - | diff plain -
	done <<-END
		claude-code claude-code.jsonl
		codex codex.jsonl
		gemini gemini.jsonl
		gemini gemini.json
		openai openai.jsonl
		openai openai-conversations.jsonl
		chatgpt chatgpt.json
		aider aider.md
		cursor cursor-export.md
		cursor cursor-specstory.md
		markdown page.md
		jsonl generic.events
	END
}

@test "an input of UTF-16 is named in any format" {
	for format in claude-code codex gemini openai chatgpt aider cursor markdown jsonl; do
		printf '\xff\xfe{\0"\0' >wide
		run -1 --separate-stderr mem-adapt "$format" wide
		[ -z "$output" ]
		[ "$stderr" = "mem-adapt: wide:1: byte 0: bad_utf8: the input is UTF-16, not UTF-8: convert it first (iconv -f UTF-16 -t UTF-8)" ]
	done
}

@test "the first signal ends it, whatever it waits for" {
	mkfifo pipe lonely
	exec 9<>pipe
	for sig in INT TERM; do
		for how in 'claude-code' 'markdown' 'claude-code pipe' 'chatgpt pipe' 'claude-code lonely' '-f claude-code log'; do
			: >log
			# shellcheck disable=SC2086
			env --default-signal=INT mem-adapt $how <pipe >out 2>err &
			pid=$!
			waits() { # it sleeps, and catches SIGTERM
				grep -q '^State:.S' /proc/$pid/status && (( 16#$(sed -n 's/^SigCgt:.//p' /proc/$pid/status) & 1 << 14 ))
			}
			eventually waits
			kill "-$sig" $pid
			status=0
			timeout 120 tail --pid=$pid -f /dev/null
			wait $pid || status=$?
			[ $status = $((128 + $(kill -l $sig))) ] || { echo "$sig $how: $status"; return 1; }
		done
	done
}
