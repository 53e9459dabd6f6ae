#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Transcripts as they are found: messages in other envelopes, states of a reply, parts of unknown type, files that an
# editor has changed.
load helper

# said FORMAT...: role and text of each event, joined by spaces.
said() { mem-adapt -q "$@" | jq -c '[.role,.content]' | paste -sd' '; }

@test "gemini: messages in changes of the session are messages" {
	printf '%s\n' '{"sessionId":"g"}' \
		'{"$set":{"messages":[{"id":"a","type":"user","content":"one"},{"id":"b","type":"gemini","content":"par","tokens":null}]}}' \
		'{"$set":{"lastUpdated":"x"}}' \
		'{"$push":{"messages":{"id":"c","type":"user","content":"two"}}}' \
		'{"$append":{"messages":[{"id":"d","type":"gemini","content":[{"text":"three"}]}]}}' \
		'{"$set":{"messages":[{"id":"a","type":"user","content":"one"},{"id":"b","type":"gemini","content":"partial"}]}}' >in
	[ "$(said gemini in)" = '["user","one"] ["assistant","par"] ["user","two"] ["assistant","three"]' ]
	# A state of it that comes before something else was said is the reply.
	sed -i '3,4d' in
	[ "$(sed -n '1,2p;4p' in | said gemini)" = '["user","one"] ["assistant","partial"]' ]
}

@test "gemini: chats that /chat save wrote, in both forms" {
	setup='{"role":"user","parts":[{"text":"This is the Gemini CLI. We are setting up the context for our chat.\nToday is Saturday.\nMy setup is complete. I will provide my first command in the next turn."}]},{"role":"model","parts":[{"text":"Got it. Thanks for the context!"}]}'
	talk='{"role":"user","parts":[{"text":"which hen is ill"}]},{"role":"model","parts":[{"thought":true,"text":"hm"},{"text":"I look."},{"functionCall":{"id":"f","name":"read_file","args":{"path":"hens"}}}]},{"role":"user","parts":[{"functionResponse":{"id":"f","name":"read_file","response":{"output":"Berta"}}}]},{"role":"model","parts":[{"text":"Berta."}]}'
	want='["user","which hen is ill"] ["assistant","I look."] ["tool","read_file {\"path\":\"hens\"}"] ["tool","Berta"] ["assistant","Berta."]'
	printf '[%s,%s]' "$setup" "$talk" >checkpoint-a.json
	printf '{"history":[%s,%s],"authType":"oauth-personal"}\n' "$setup" "$talk" >checkpoint-b.json
	for f in checkpoint-a.json checkpoint-b.json; do
		[ "$(said gemini $f)" = "$want" ]
	done
	# The same words twice are two events; a chat saved again keeps its refs.
	printf '[%s,%s,{"role":"user","parts":[{"text":"yes"}]},{"role":"user","parts":[{"text":"yes"}]}]' "$setup" "$talk" >checkpoint-c.json
	[ "$(said gemini checkpoint-c.json)" = "$want"' ["user","yes"] ["user","yes"]' ]
	[ "$(mem-adapt -q gemini checkpoint-a.json checkpoint-c.json | wc -l)" = 7 ]
	# Words behind the program's last line are the person's; older versions had no such line, and nothing behind.
	begin='This is the Gemini CLI. We are setting up the context for our chat.'
	last='My setup is complete. I will provide my first command in the next turn.'
	for end in "$last"$'\n'"which hen" 'My operating system is: linux'; do
		jq -nc --arg t "$begin"$'\nToday is Saturday.\n'"$end" '[{role:"user",parts:[{text:$t}]}]' | said gemini >>out
	done
	[ "$(cat out)" = '["user","which hen"]' ]
}

@test "codex: a command's exit code, in JSON or in its text" {
	ran() { jq -nc --arg o "$1" '{timestamp:"2026-08-01T10:00:01Z",type:"response_item",payload:{type:"function_call_output",call_id:"c",output:$o}}' | mem-adapt -q codex | jq -c '[.exit_code,.is_error]'; }
	[ "$(ran $'Exit code: 1\nWall time: 0.1 seconds\nOutput:\nboom\n')" = '[1,true]' ]
	[ "$(ran $'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfine\n')" = '[0,null]' ]
	[ "$(ran '{"output":"boom","metadata":{"exit_code":2}}')" = '[2,true]' ]
	[ "$(ran $'Exit code: 1 is what it says')" = '[null,null]' ]
	[ "$(ran $'Exit code: "x"\nWall time: 1\n')" = '[null,null]' ]
}

@test "aider: Markdown without a chat's head is none" {
	printf '# Notes\n\n#### a heading  \n\nSome text.\n\n> a quotation  \n' >in
	run -0 --separate-stderr mem-adapt aider in
	[ -z "$output" ]
	[[ $stderr == *'in: nothing in it is what a person, an agent or a tool said in format aider' ]]
	printf 'Some text.' >in # a last line without its end, too
	run -0 --separate-stderr mem-adapt aider in
	[[ $stderr == *'nothing in it'* ]]
	printf 'Notes of mine.\n\n# aider chat started at 2026-02-14 08:30:11\n\n#### which barn  \n\nThe red one.\n\n' >in
	[ "$(said aider in)" = '["user","which barn"] ["assistant","The red one."]' ]
}

@test "cursor: an export's time is that of its turns, or named" {
	export_at() { printf '# Pond\n_Exported on %s from Cursor (3.2.11)_\n\n---\n\n**User**\n\nhow deep\n\n---\n' "$1" | mem-adapt cursor; }
	for pair in '8/1/2026 at 17:47:04 PDT=2026-08-02T00:47:04.000Z' '2026/2/28 at GMT+8 10:28:33=2026-02-28T02:28:33.000Z' \
		'28/2/2026 at 17:09:40 GMT+5:30=2026-02-28T11:39:40.000Z' '1.8.2026 at 17:47:04 MESZ=2026-08-01T15:47:04.000Z'; do
		[ "$(export_at "${pair%=*}" | jq -r .captured_at)" = "${pair#*=}" ] || { echo "$pair"; false; }
	done
	run -0 --separate-stderr export_at '3/4/2026 at 17:20:05 GMT+1'
	[ "$(jq -r '[.content,.captured_at]|@tsv' <<<"$output")" = "how deep	" ]
	[[ $stderr == *"1 export with a date that cannot be read, or could be two days: '3/4/2026 at 17:20:05 GMT+1'" ]]
}

@test "gemini: a reply gives way to a newer state of itself alone" {
	head='{"sessionId":"g"}'
	reply='{"id":"m","type":"gemini","content":"the answer"}'
	for after in '{"id":"m","type":"message_update","tokens":{"total":2}}' '{"id":"m","type":"gemini","content":"","tokens":{"total":2}}' \
		'{"id":"m","type":"gemini","content":[]}' '{"id":"m","type":"gemini","content":[{"thought":true,"text":"hm"}]}' \
		'{"id":"m","type":"info","content":"x"}' '{"id":"m","tokens":{}}'; do
		[ "$(printf '%s\n' "$head" "$reply" "$after" | said gemini)" = '["assistant","the answer"]' ] || { echo "$after"; false; }
	done
	[ "$(printf '%s\n' "$head" "$reply" '{"id":"m","type":"gemini","content":"the answer, at length"}' | said gemini)" = '["assistant","the answer, at length"]' ]
	# A record that calls a tool without text lets the text go first.
	[ "$(printf '%s\n' "$head" "$reply" '{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"t","name":"ls","args":{},"status":"success","result":[]}]}' |
		said gemini)" = '["assistant","the answer"] ["tool","ls {}"]' ]
	# The tokens that it waited for may come without its text.
	printf '%s\n' "$head" '{"id":"m","type":"gemini","content":"the answer","tokens":null}' >in
	[ -z "$(said gemini in)" ]
	echo '{"id":"m","type":"gemini","content":"","tokens":{"total":1}}' >>in
	[ "$(said gemini in)" = '["assistant","the answer"]' ]
}

@test "claude-code: what a sub-agent said as its progress, and streams" {
	printf '%s\n' '{"type":"progress","uuid":"p1","sessionId":"s","data":{"type":"agent_progress","message":{"type":"user","uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-08-01T10:00:00Z","message":{"role":"user","content":"look"}}}}' \
		'{"type":"progress","uuid":"p2","sessionId":"s","data":{"type":"agent_progress","message":{"type":"assistant","uuid":"00000000-0000-4000-8000-000000000002","message":{"content":[{"type":"text","text":"seen"}]}}}}' \
		'{"type":"progress","uuid":"p3","sessionId":"s","data":{"type":"bash_progress","output":"x"}}' \
		'{"type":"user","session_id":"s","message":{"role":"user","content":"typed"}}' '{"type":"result","result":"seen"}' >in
	[ "$(said claude-code in)" = '["assistant","look"] ["assistant","seen"] ["user","typed"]' ]
	[ "$(mem-adapt claude-code in 2>&1 | jq -r .session_id | sort -u)" = s ]
}

@test "claude-code: a prompt that a program queued is nobody's" {
	queued() { printf '{"type":"attachment","uuid":"%s","sessionId":"s"%s,"attachment":{"type":"queued_command","commandMode":"prompt","prompt":"%s"%s}}\n' "$@"; }
	{ queued 1 '' typed ''; queued 2 ',"isMeta":true' told ''; queued 3 '' told ',"isMeta":true'; queued 4 '' told ',"origin":{"kind":"peer"}'
		queued 5 '' also ',"origin":{"kind":"human"},"isMeta":false'; } >in
	[ "$(said claude-code in)" = '["user","typed"] ["user","also"]' ]
}

@test "claude-code: a plan that came back as a prompt is the agent's" {
	printf '{"type":"user","uuid":"u%s","sessionId":"s","message":{"role":"user","content":"Implement the following plan:\\n\\nFit the new pump."}%s}\n' \
		1 ',"planContent":"Fit the new pump."' 2 ',"planContent":""' 3 '' >in
	[ "$(mem-adapt claude-code in | jq -r .role | paste -sd' ')" = 'assistant user user' ]
}

@test "openai: messages in logs of requests and in data sets" {
	m='[{"role":"system","content":"x"},{"role":"user","content":"how wide"}]'
	for record in "{\"messages\":$m}" "{\"request\":{\"messages\":$m}}" "{\"body\":{\"messages\":$m},\"custom_id\":\"1\"}" \
		"{\"request\":{\"body\":{\"messages\":$m}}}" "{\"conversation\":$m}" "{\"conversation\":{\"messages\":$m}}" \
		"{\"data\":{\"messages\":$m}}" "{\"input\":$m}" "{\"history\":$m}"; do
		[ "$(echo "$record" | said openai)" = '["user","how wide"]' ] || { echo "$record"; false; }
	done
	a='[{"message":{"role":"assistant","content":"Nine metres."}}]'
	for record in "{\"messages\":$m,\"choices\":$a}" "{\"messages\":$m,\"response\":{\"choices\":$a}}" \
		"{\"request\":{\"body\":{\"messages\":$m}},\"response\":{\"body\":{\"choices\":$a}}}"; do
		[ "$(echo "$record" | said openai)" = '["user","how wide"] ["assistant","Nine metres."]' ] || { echo "$record"; false; }
	done
	[ "$(echo '{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]}' | said openai)" = '["user","a"] ["assistant","b"]' ]
	run -0 --separate-stderr mem-adapt openai <<<'{"input":"a text"}'
	[[ $stderr == *"1 record of unknown type skipped"* ]]
}

@test "openai: what was answered, as logs of other interfaces hold it" {
	m='{"role":"assistant","content":[{"type":"output_text","text":"Nine metres."}]}'
	for answer in "\"output\":[$m]" "\"response\":{\"output\":[{\"type\":\"reasoning\"},$m]}" "\"response\":{\"body\":{\"output\":[$m]}}" \
		"\"response\":$m" "\"response\":{\"body\":$m}" "\"response\":{\"message\":$m}" "\"message\":$m"; do
		[ "$(echo "{\"input\":[{\"role\":\"user\",\"content\":\"how wide\"}],$answer}" | said openai)" = '["user","how wide"] ["assistant","Nine metres."]' ] || { echo "$answer"; false; }
	done
}

@test "a role is known in capitals, too, and a program's is no person's" {
	printf '{"role":"%s","content":"x","speaker":"s"}\n' Assistant USER Tool System DEVELOPER MODEL >in
	for f in openai jsonl; do
		[ "$(mem-adapt $f in | jq -r .role | paste -sd' ')" = 'assistant user tool assistant' ] || { echo $f; false; }
	done
	run -0 --separate-stderr mem-adapt -v jsonl in
	[[ $stderr == *"2 records of the program's own"* ]]
}

@test "openai: parts that are tools' are tool events" {
	printf '%s\n' '{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"read","input":{"path":"a"}}],"tool_calls":[{"id":"t0","function":{"name":"ls","arguments":"{}"}}]}' \
		'{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"the pump runs"}],"is_error":true},{"type":"text","text":"and now?"}]}' >in
	[ "$(said openai in)" = '["assistant","I look."] ["tool","ls {}"] ["tool","read {\"path\":\"a\"}"] ["user","and now?"] ["tool","the pump runs"]' ]
	[ "$(mem-adapt openai in | jq -c 'select(.content=="the pump runs")|[.tool,.tool_call_id,.is_error,.tool_part]')" = '["read","t1",true,"result"]' ]
}

@test "a part of unknown type is never speech: it is skipped and counted" {
	part='{"type":"hologram","text":"not said","data":"x"}'
	printf '{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"text","text":"said"},%s]}}\n' "$part" >claude-code
	printf '{"type":"session_meta","payload":{"id":"c"}}\n{"timestamp":"2026-08-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"said"},%s]}}\n' "$part" >codex
	printf '{"sessionId":"g"}\n{"id":"m","type":"user","content":[{"text":"said"},%s]}\n' "$part" >gemini
	printf '{"role":"user","content":[{"type":"text","text":"said"},%s]}\n' "$part" >openai
	printf '[{"id":"c","current_node":"a","mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"content":{"content_type":"multimodal_text","parts":["said",%s]}}}}}]' "$part" >chatgpt
	printf '{"content":["said",%s]}\n' "$part" >jsonl
	for f in claude-code codex gemini openai chatgpt jsonl; do
		run -0 --separate-stderr mem-adapt $f $f
		[ "$(jq -c '[.role,.content]' <<<"$output")" = '["user","said"]' ] || { echo "$f: $output"; false; }
		[ "$stderr" = "mem-adapt: 1 record of unknown type skipped (hologram 1)" ]
	done
	run -0 --separate-stderr mem-adapt jsonl <<<"{\"content\":$part}"
	[ -z "$output" ]
	[ "$(printf '{"sessionId":"g"}\n{"id":"m","type":"user","content":[{"text":"said"},{"functionResponse":{"response":{"output":"x"}}}]}\n' | said gemini)" = '["user","said"]' ]
	# What is known stays a marker.
	[ "$(echo '{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}},{"type":"input_audio"}]}' | said openai)" = '["user","[image: image/png]\n\n[input_audio]"]' ]
}

@test "chatgpt: conversations a line each, and in an object" {
	c='{"id":"c","current_node":"a","mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"content":{"content_type":"text","parts":["said"]}}}}}'
	d=${c//\"a\"/\"b\"}
	[ "$(printf '%s\n%s\n' "$c" "$d" | said chatgpt)" = '["user","said"] ["user","said"]' ]
	for text in "$c" "[$c]" "{\"conversations\":[$c]}" "{\"conversation\":$c}" "{\"data\":[$c]}" "$(jq . <<<"$c")"; do
		[ "$(echo "$text" | said chatgpt)" = '["user","said"]' ] || { echo "$text"; false; }
	done
}

@test "aider: a banner behind other lines, and a file whose trailing spaces are gone" {
	printf '%s\n' '# aider chat started at 2026-08-01 10:00:00' '' '> You can skip this check with --no-gitignore  ' '' \
		'> /usr/bin/aider --model x  ' '> Aider v0.86.1  ' '> Main model: gpt-x with diff edit format  ' '' '#### which barn is older  ' '#### or newer  ' '' \
		'The red one.' '' '> Tokens: 2k sent  ' '' >h.md
	mem-adapt -q --ended aider h.md >out
	[ "$(jq -c '[.role,.content,.model]' out | paste -sd' ')" = '["tool","You can skip this check with --no-gitignore",null] ["user","which barn is older\nor newer",null] ["assistant","The red one.","gpt-x"] ["tool","Tokens: 2k sent",null]' ]
	sed 's/ *$//' h.md >trimmed.md
	mem-adapt -q --ended aider trimmed.md | diff out -
}

# captured FORMAT FILE...: the verdicts of the files in turn.
captured() {
	local format=$1 f
	shift
	for f; do mem-adapt -q "$format" "$f" | mem-capture --no-embed | jq -r .verdict; done | paste -sd' '
}

@test "a record that a program copied into another session adds nothing" {
	need_store
	u() { printf '{"type":"user","uuid":"00000000-0000-4000-8000-00000000000%s","sessionId":"%s","timestamp":"2026-08-01T10:00:00.000Z"%s,"message":{"content":"%s"}}\n' "$@"; }
	{ u 1 sA '' 'Gerda is the oldest.'; u 2 sA '' 'And Ida?'; } >first
	{ u 1 sB '' 'Gerda is the oldest.'; u 2 sB '' 'And Ida?'; u 3 sB '' 'And Ida?'; } >resumed
	u 9 sC ',"forkedFrom":{"sessionId":"sA","messageUuid":"00000000-0000-4000-8000-000000000001"}' 'Gerda is the oldest.' >forked
	[ "$(captured claude-code first resumed forked)" = 'new new duplicate duplicate new duplicate' ]
	# Within one run, too.
	[ "$(mem-adapt -q claude-code first resumed forked | wc -l)" = 3 ]

	item() { printf '{"timestamp":"2026-08-01T10:00:0%sZ","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"%s"}]}}\n' "$@"; }
	call='{"timestamp":"2026-08-01T10:00:05Z","type":"response_item","payload":{"type":"function_call","name":"ls","arguments":"{}","call_id":"call_0123456789abcdefABCDEF"}}'
	{ echo '{"type":"session_meta","payload":{"id":"c1"}}'; item 1 hay; echo "$call"; } >first
	{ echo '{"type":"session_meta","payload":{"id":"c2","forked_from_id":"c1"}}'; cat first; item 7 straw; } >forked
	[ "$(captured codex first forked)" = 'new new duplicate duplicate new' ]

	# A call has an id of its own, whatever the time of the copy; so has a record whose time cannot be read.
	ran='{"timestamp":"2026-08-01T10:00:06Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_AbCdEfGhIjKlMnOpQrStUvWx","output":"boom"}}'
	{ echo '{"type":"session_meta","payload":{"id":"c5"}}'; echo "$ran"; } >first
	{ echo '{"type":"session_meta","payload":{"id":"c6","forked_from_id":"c5"}}'; echo "${ran/T10/T19}"; } >forked
	[ "$(captured codex first forked)" = 'new duplicate' ]
	u 7 sF '' 'Which hen laid?' | sed 's/2026[^"]*/some day/' >first
	sed 's/sF/sG/' first >resumed
	[ "$(captured claude-code first resumed)" = 'new duplicate' ]

	# What a fork repeats has the time of the fork; the ids of its turns tell whose they are and when they began (10:00, 10:01).
	turn() { printf '{"timestamp":"2026-08-01T10:0%s:00Z","type":"event_msg","payload":{"type":"task_%s","turn_id":"019fbc%s-7d26-a9a9-000000000000"}}\n' "$@"; }
	meta() { printf '{"type":"session_meta","payload":{"id":"019fbc%s-7222-8333-444455556666"%s}}\n' "$@"; }
	one=c4-2900 two=c5-1360
	{ meta c4-2518 ''; turn 0 started $one; item 1 oats; item 2 oats; echo "${call/_0123456789abcdefABCDEF/_1}"; turn 0 complete $one; turn 1 started $two; item 3 oats; } >first
	{ meta d1-68ec ',"forked_from_id":"019fbcc4-2518-7222-8333-444455556666"'; sed 's/T10:0./T11:30/' first; turn 9 started d1-7000; item 8 oats; } >forked
	{ sed 1q forked; sed 's/T10:0./T11:30/' first | sed 1d; } >without
	sed 's/"forked_from_id":\("[^"]*"\)/"source":{"subagent":{"thread_spawn":{"parent_thread_id":\1}}}/' forked >spawned
	[ "$(captured codex first forked without spawned)" = "new new new new $(printf 'duplicate %.0s' 1 2 3 4)new $(printf 'duplicate %.0s' 1 2 3 4)$(printf 'duplicate %.0s' 1 2 3 4)new" ]
	mem-adapt -q codex spawned >out
	[ "$(jq -r '"\(.role) \(.session_id[6:13]) \(.captured_at[11:19])"' out | uniq -c | tr -s ' ' | paste -sd,)" = ' 2 user c4-2518 10:00:00, 1 tool c4-2518 10:00:00, 1 user c4-2518 10:01:00, 1 assistant d1-68ec 10:00:08' ]

	m() { printf '{"id":"11111111-2222-4333-8444-55555555555%s","timestamp":"2026-08-01T10:01:00Z","type":"user","content":"%s"}\n' "$@"; }
	{ echo '{"sessionId":"g1"}'; m 1 silo; } >first
	{ echo '{"sessionId":"g2"}'; m 1 silo; m 2 barn; } >resumed
	[ "$(captured gemini first resumed)" = 'new duplicate new' ]

	c() { printf '[{"id":"%s","current_node":"a","mapping":{"a":{"message":{"id":"11111111-2222-4333-8444-666666666666","create_time":1785585600,"author":{"role":"user"},"content":{"content_type":"text","parts":["said"]}}}}}]' "$1"; }
	c k1 >first
	c k2 >branched
	[ "$(captured chatgpt first branched)" = 'new duplicate' ]
}

@test "what only looks like a copy is kept" {
	need_store
	e() { printf '{"content":"%s","ref":"%s","role":"%s","session_id":"%s","captured_at":"2026-08-01T10:00:0%sZ"}\n' "$@"; }
	long=notes/2026/august.md # no id that a program draws
	{ e a $long user s1 1; e a $long user s2 1; e b $long user s2 1; e a $long assistant s2 1; e a $long user s2 2; e a ${long}0 user s2 1
	  e a short user s1 1; e a short user s2 1
	  printf '{"content":"now","ref":"%s","session_id":"%s"}\n' $long s1 $long s2; } >events
	[ "$(mem-capture --no-embed <events | jq -r .verdict | paste -sd' ')" = 'new duplicate new new new new new new new new' ]
	# In one's own namespace alone.
	[ "$(e a $long user s3 1 | MEM_TEAMS=t mem-capture --agent bob --no-embed | jq -r .verdict)" = new ]
}

# at FORMAT: captured_at of each event of standard input, joined by spaces.
at() { mem-adapt -q "$@" | jq -r '.captured_at//"none"' | paste -sd' '; }

@test "a time that is there is read in every format" {
	want=2026-08-01T10:00:03.000Z
	for t in '"2026-08-01T10:00:03Z"' '"2026-08-01T12:00:03.000+02:00"' '"2026-08-01 10:00:03"' 1785578403 1785578403000 1785578403000000 '"1785578403"' \
		'"Sat, 1 Aug 2026 10:00:03 +0000"' '"Aug 1, 2026, 10:00:03 AM"'; do
		for line in '{"type":"user","uuid":"u","sessionId":"s","timestamp":T,"message":{"content":"x"}} claude-code' \
			'{"display":"x","timestamp":T,"sessionId":"s"} claude-code' \
			'{"timestamp":T,"type":"response_item","payload":{"type":"message","role":"user","content":"x"}} codex' \
			'{"session_id":"s","ts":T,"text":"x"} codex' \
			'{"id":"m","type":"user","timestamp":T,"content":"x"} gemini' \
			'{"role":"user","content":"x","timestamp":T} openai' '{"role":"user","content":"x","created_at":T} openai' \
			'{"messages":[{"role":"user","content":"x"}],"created":T} openai' \
			'{"id":"c","create_time":T,"mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"content":{"content_type":"text","parts":["x"]}}}}} chatgpt' \
			'{"id":"c","mapping":{"a":{"message":{"id":"a","create_time":T,"author":{"role":"user"},"content":{"content_type":"text","parts":["x"]}}}}} chatgpt' \
			'{"content":"x","captured_at":T} jsonl'; do
			json=${line% *}
			[ "$(echo "${json/T/$t}" | at "${line##* }")" = $want ] || { echo "${line##* }: ${json/T/$t}"; false; }
		done
		text=${t//\"/}
		printf -- '---\ncreated: %s\n---\nx\n' "$text" >p.md
		[ "$(at markdown p.md)" = $want ]
		printf '<!-- Generated by SpecStory -->\n<!-- Claude Code Session s -->\n_**User (%s)**_\n\nx\n\n---\n_**Agent (m-1 2026-08-01 10:00Z)**_\n\ny\n' "$text" >h.md
		[ "$(at cursor h.md)" = "$want 2026-08-01T10:00:00.000Z" ]
		printf '# aider chat started at %s\n\n#### x  \n\ny\n\n' "$text" >a.md
		[ "$(TZ=UTC at aider a.md)" = "$want $want" ]
	done
	# The time of a session is that of turns without one, and a model's name is none.
	printf '<!-- Generated by SpecStory -->\n<!-- Claude Code Session s (2026-01-25 11:14Z) -->\n_**User**_\n\nx\n\n---\n_**Agent (gpt-4 2025)**_\n\ny\n' >h.md
	[ "$(at cursor h.md)" = '2026-01-25T11:14:00.000Z 2026-01-25T11:14:00.000Z' ]
	# Without a zone aider's are of this machine.
	printf '# aider chat started at 2026-02-14 08:30\n\n#### x  \n\n' >a.md
	[ "$(TZ=CET-1 at aider a.md)" = 2026-02-14T07:30:00.000Z ]
}

@test "a time that cannot be read is named by its line, once for a record, and the event is kept" {
	bad() { # FORMAT LINE: standard input
		run -1 --separate-stderr mem-adapt "$1" in
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "mem-adapt: in:$2: byte "*": bad_time: no time that can be read: "*soon* ]]
		[ "$(jq -r '.captured_at//"none"' <<<"$output" | sort -u)" = none ]
	}
	printf '\n{"type":"assistant","uuid":"u","sessionId":"s","timestamp":"soon","message":{"content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}}\n' >in
	bad claude-code 2
	echo '{"timestamp":"soon","type":"response_item","payload":{"type":"message","role":"user","content":"x"}}' >in
	bad codex 1
	echo '{"content":"x","captured_at":"soon"}' >in
	bad jsonl 1
	printf -- '---\ntitle: t\ndate: soon\n---\nx\n' >in
	bad markdown 3
	printf '<!-- Generated by SpecStory -->\n<!-- Claude Code Session s -->\n_**User (soon)**_\n\nx\n\n---\n' >in
	bad cursor 3
	printf '# aider chat started at 2026-99-99 soon\n\n#### x  \n\ny\n\n' >in
	bad aider 1
	# What is not there is not missing.
	run -0 --separate-stderr mem-adapt jsonl <<<'{"content":"x","captured_at":null}'
	[ -z "$stderr" ]
	# A heading of the model's is no session.
	printf '# aider chat started at 2026-02-14 08:30:11\n\n#### x  \n\n# aider chat started at the wrong end\n\n' >in
	run -0 --separate-stderr mem-adapt aider in
	[ "${#lines[@]}" = 2 ]
}

@test "front matter is read value by value" {
	printf -- '---\ntype: mail\ntitle: Re: lunch on Friday\nauthor: [Kim, Lee]\ncreated: 2026-01-02\ntags: [a]\nnote: "open\nlink: @x\n---\ntext\n' >n.md
	run -1 --separate-stderr mem-adapt markdown n.md
	[ "$(jq -c '[.content,.speaker,.captured_at,.tags,.title]' <<<"$output")" = '["text","Kim, Lee","2026-01-02T00:00:00.000Z",["a"],"Re: lunch on Friday"]' ]
	[[ $stderr == "mem-adapt: n.md:7: byte "*": bad_value: note: the value cannot be read:"* ]]
	[ "${#stderr_lines[@]}" = 1 ]
	printf -- '---\n\nA rule above, and one below.\n\n---\nmore\n' >n.md
	[ "$(said markdown n.md)" = '["user","---\n\nA rule above, and one below.\n\n---\nmore"]' ]
	printf -- '---\nauthor: {a: b}\ndate: [x]\n---\ntext\n' >n.md
	run -1 --separate-stderr mem-adapt markdown n.md
	[[ $stderr == *"n.md:3: byte 0: bad_value: date: a time is wanted"*"n.md:2: byte 0: bad_value: author: a text is wanted"* ]]
}

@test "a file that gives no event says so" {
	printf 'Just a page.\n' >page
	printf '<system-reminder>x</system-reminder>\n' >wrapped
	echo '{"type":"user","isMeta":true,"message":{"content":"x"}}' >meta
	for how in 'cursor page' 'markdown wrapped' 'claude-code meta'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr mem-adapt $how
		[ -z "$output" ]
		[[ $stderr == "mem-adapt: ${how#* }: nothing in it is what a person, an agent or a tool said in format ${how% *}" ]]
		# shellcheck disable=SC2086
		run -0 --separate-stderr mem-adapt -q $how
		[ -z "$stderr" ]
	done
	# What is told otherwise, or waits, or has nothing in it, is not told twice.
	: >empty
	printf '\n\n' >blank
	echo '{"type":"x"}' >unknown
	printf '{"type":"user","mess' >half
	run -0 --separate-stderr mem-adapt claude-code empty blank unknown half
	[ "$stderr" = "mem-adapt: 1 record of unknown type skipped (x 1)" ]
}

@test "chatgpt: marks of citations in characters of private use go" {
	o=$'\ue200' s=$'\ue202' e=$'\ue201'
	said_text() { jq -nc --arg t "$1" '{id:"c",current_node:"a",mapping:{a:{message:{id:"a",author:{role:"assistant"},content:{content_type:"text",parts:[$t]}}}}}' | mem-adapt chatgpt | jq -r .content; }
	[ "$(said_text "Nine metres ${o}cite${s}turn0search1${s}turn0search2${e}. Tall ${o}filecite${s}turn1file0${e}")" = 'Nine metres. Tall' ]
	# What a reader sees of a mark stays.
	[ "$(said_text "In ${o}entity${s}[\"city\",\"Sankt \\\"P\\\" \\u00d6lten\",\"in Austria\"]${e} now, ${o}entity${s}Ida${e}, ${o}url${s}the page${s}https://a.example${e}, ${o}link_title${s}Map${s}turn0search1${e}.")" = 'In Sankt "P" Ölten now, Ida, the page, Map.' ]
	[ "$(said_text "a ${o}entity${s}[1]${e} b ${o}entity${e} c ${o}entity${s}[\"x${e} d")" = 'a b c d' ]
	[ "$(said_text "a${o}b")" = ab ]
	[ "$(said_text "kept 【1†source】 $'\uf8ff'")" = "kept 【1†source】 $'\uf8ff'" ]
}

@test "marks of citations go in every format" {
	o=$'\ue200' s=$'\ue202' e=$'\ue201'
	text="Nine metres ${o}cite${s}turn0search1${e}, in ${o}entity${s}[\"city\",\"Graz\"]${e}."
	want='Nine metres, in Graz.'
	says() { jq -nc --arg t "$text" "$1" | mem-adapt -q "$2" | jq -r .content; }
	[ "$(says '{role:"user",content:$t}' jsonl)" = "$want" ]
	[ "$(says '{role:"assistant",content:$t}' openai)" = "$want" ]
	[ "$(says '{timestamp:"2026-08-01T10:00:01Z",type:"response_item",payload:{type:"message",role:"assistant",content:[{type:"output_text",text:$t}]}}' codex)" = "$want" ]
	[ "$(says '[{role:"model",parts:[{text:$t}]}]' gemini)" = "$want" ]
	[ "$(says '{type:"assistant",sessionId:"s",uuid:"u",message:{role:"assistant",content:[{type:"text",text:$t}]}}' claude-code)" = "$want" ]
	[ "$(says '{type:"user",sessionId:"s",uuid:"u",message:{role:"user",content:$t}}' claude-code)" = "$want" ]
	printf '%s\n' "$text" >page.md
	[ "$(mem-adapt markdown page.md | jq -r .content)" = "$want" ]
}

@test "claude-code: why a call was refused is the person's, without the program's hint" {
	refused() { # ID REASON
		jq -nc --arg i "$1" --arg r "$2" '{type:"user",sessionId:"s",uuid:("r" + $i),message:{role:"user",content:[{type:"tool_result",tool_use_id:$i,is_error:true,
			content:("The user doesn\u0027t want to proceed with this tool use. To tell you how to proceed, the user said:\n" + $r)}]}}'
	}
	echo '{"type":"assistant","sessionId":"s","uuid":"a","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{}}]}}' >in
	note="Note: The user's next message may contain a correction or preference. Pay close attention"
	for hint in "$note — if they explain what went wrong, consider saving that to memory for future sessions." "$note to what they explain went wrong."; do
		[ "$({ cat in; refused t1 $'use the blue pump\n\n'"$hint"; } | mem-adapt claude-code | jq -r 'select(.role=="user").content')" = 'use the blue pump' ]
	done
	# Whose call it was is not known, so the words may be a server's: they stay, and it is told.
	refused t2 'use the blue pump' >in
	run -0 --separate-stderr mem-adapt claude-code in
	[ "$(jq -c '[.role,(.content|endswith("use the blue pump"))]' <<<"$output")" = '["tool",true]' ]
	[ "$stderr" = 'mem-adapt: 1 call refused that the input does not hold: the reasons stay in the results, as words of a tool' ]
}

@test "codex: the exit code of exec_command, and a session that is one JSON value" {
	ran() { jq -nc --arg o "$1" '{timestamp:"2026-08-01T10:00:01Z",type:"response_item",payload:{type:"function_call_output",call_id:"c",output:$o}}' | mem-adapt -q codex | jq -c '[.exit_code,.is_error]'; }
	[ "$(ran $'Chunk ID: 9f2\nWall time: 0.1 seconds\nProcess exited with code 3\nOriginal token count: 7\nOutput:\nboom\n')" = '[3,true]' ]
	[ "$(ran $'Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n')" = '[0,null]' ]
	[ "$(ran $'Chunk ID: 9\nWall time: 0.1 seconds\nProcess running with session ID 5\nOutput:\nProcess exited with code 3\n')" = '[null,null]' ]
	[ "$(ran $'Process exited with code 3\nsays the page')" = '[null,null]' ]
	jq -n '{session:{id:"s",timestamp:"2025-04-17T10:00:00.000Z",instructions:""},items:[
		{role:"user",content:[{type:"input_text",text:"which hen"}],type:"message"},
		{id:"m1",type:"message",role:"assistant",content:[{type:"output_text",text:"Berta"}]}]}' >rollout.json
	[ "$(said codex rollout.json)" = '["user","which hen"] ["assistant","Berta"]' ]
	[ "$(jq -c . rollout.json | said codex)" = '["user","which hen"] ["assistant","Berta"]' ]
	[ "$(mem-adapt codex rollout.json | jq -r .captured_at | uniq)" = 2025-04-17T10:00:00.000Z ]
	# A first line that breaks off is one broken line.
	{ echo '{"timestamp":"2026-08'; echo '{"timestamp":"2026-08-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":"hen"}}'; } >in
	run -1 --separate-stderr mem-adapt codex in
	[ "$(jq -r .content <<<"$output")" = hen ]
}

@test "a file without a line break: what is no half line is told, and CRs are line ends" {
	line='{"type":"user","sessionId":"s","uuid":"u1","message":{"role":"user","content":"one"}}'
	printf '[%s]' "$line" >array
	printf '%s' 'no JSON at all' >words
	printf '%s {"b":2}' "$line" >two
	for f in array words two; do
		run -1 --separate-stderr mem-adapt claude-code $f
		[[ $stderr = "mem-adapt: $f:1: byte "* ]]
	done
	printf '%s\r%s\r{"type":"us' "$line" "${line//u1/u2}" >cr
	run -0 --separate-stderr mem-adapt -v claude-code cr
	[ "$(jq -r .ref <<<"$output" | xargs)" = 's/u1#0 s/u2#0' ]
	[[ $stderr = *'1 left for the next time' ]]
	printf '%s\r\n' "$line" | gzip >packed
	run -1 --separate-stderr mem-adapt claude-code packed
	[[ $stderr = *'packed:1: '*'is packed by gzip: unpack it first (zcat)' ]]
}

@test "a query that is longer than the model reads is told" {
	need_model e5
	need_store
	printf '%s\n' '{"content":"The printer jams on thick paper."}' | mem-capture -q
	long=$(printf 'rain %.0s' {1..700})
	run --separate-stderr mem-search "$long"
	[[ $stderr == *"the query is longer than the model reads: its end was left out"* ]]
	run --separate-stderr mem-search -m keyword "$long"
	[ -z "$stderr" ]
	printf '{"query":"paper"}\n{"query":"%s"}\n' "$long" >queries
	run --separate-stderr mem-search --queries queries
	[[ $stderr == "mem-search: line 2: the query is longer than the model reads"* ]]
}

@test "nobody writes to system" {
	need_store
	[ "$(echo '{"content":"x","ns":"system"}' | mem-capture --no-embed | jq -r .reason)" = namespace_denied ]
	run -4 mem-capture --ns system --no-embed <<<'{"content":"x"}'
	[ "$(echo '{"content":"x","ns":"global"}' | mem-capture --no-embed | jq -r .verdict)" = new ]
	echo '{"id":"01980000-0000-7000-8000-000000000001","kind":"episode","ns":"system","created_at":"2026-08-01T10:00:00.000Z","content":"x"}' >line
	# What was exported comes back, for operators.
	[ "$(mem-import <line | jq -r .verdict)" = new ]
	[ "$(mem-import --agent bob <line | jq -r .reason)" = namespace_denied ]
}

@test "halves of characters and U+0000, as escapes, are U+FFFD, and the record is kept" {
	export MEM_STORE=$PWD/store
	mem-init -q
	keeps() { # FORMAT, RECORD with TEXT for its text
		printf '%s\n' "${2/TEXT/"$text"}" >in
		run -0 --separate-stderr mem-adapt "$1" in
		[ -z "$stderr" ]
		[ "$(jq -r .content <<<"$output")" = "$want" ]
		[ "$(mem-capture --no-embed <<<"$output" | jq -r .verdict)" = new ]
	}
	# \\u0000 is a backslash and letters: a path on Windows, or a text about it.
	for text in 'a nul \u0000 in C:\\u0000' 'half \ud83d of \ud83d\ude00'; do
		case $text in
		*nul*) want=$'a nul \ufffd in C:\\u0000' ;;
		*) want=$'half \ufffd of \U1f600' ;;
		esac
		keeps claude-code '{"type":"user","uuid":"'"${#text}"'ee0000-0000-4000-8000-000000000777","sessionId":"w","timestamp":"2026-11-21T10:00:00Z","message":{"role":"user","content":"TEXT"}}'
		keeps codex '{"timestamp":"2026-11-21T11:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"TEXT"}]}}'
		keeps openai '{"messages":[{"role":"user","content":"TEXT"}]}'
		keeps chatgpt '[{"title":"t","id":"c'"${#text}"'","current_node":"n","mapping":{"n":{"id":"n","parent":null,"message":{"id":"n","author":{"role":"user"},"create_time":1700000000,"content":{"content_type":"text","parts":["TEXT"]}}}}}]'
		keeps gemini '{"sessionId":"g'"${#text}"'","messages":[{"id":"a","type":"user","content":"TEXT"}]}'
		keeps jsonl '{"content":"TEXT","captured_at":"2026-11-21T12:00:00Z"}'
	done
}
