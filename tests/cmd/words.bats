#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What commands say to a person at a terminal: refusals in words, last lines that sum up.
load helper

setup() {
	scratch
	command -v script >/dev/null || skip "no script(1)"
	need_store
}

# at_terminal STATUS COMMAND: a shell command on a terminal of its own; what it showed is in $output.
at_terminal() {
	run "-$1" script -qec "$2" /dev/null </dev/null
	output=${output//$'\r'/}
	lines=()
	mapfile -t lines <<<"$output"
}

shown() { [[ $'\n'$output$'\n' = *$'\n'"$1"$'\n'* ]] || { echo "not shown: $1"; echo "$output"; return 1; }; }
not_shown() { [[ $output != *"$1"* ]] || { echo "shown: $1"; echo "$output"; return 1; }; }

@test "each refused line is told with what is wrong and what to do" {
	{ echo hello; echo '{"content":"tea"}'; echo '[1]'; echo '{"a":1,}'; echo '{"content":"a","content":"b"}'
		printf '{"content":"\xff"}\n'; echo '{"content":"x","captured_at":"soon"}'; echo '{"content":"x","kind":"core"}'
		echo '{"content":""}'; echo '{"content":"x","role":"system"}'; echo '{"content":"x","ns":"agent:eve"}'
		echo '{"content":"x","trust":7}'; } >in
	at_terminal 1 'mem-capture --agent bob <in >out'
	shown 'mem-capture: line 1 is no JSON: for plain text use --lines or --whole'
	shown 'mem-capture: line 3 is JSON but no object: an event is an object: {"content":"..."}'
	shown 'mem-capture: line 4 is no JSON at byte 7: for plain text use --lines or --whole'
	[[ $output = *'line 5 has a key twice at byte '*': keep one of the two'* ]]
	[[ $output = *'line 6 is not UTF-8 at byte '*'iconv'* ]]
	[[ $output = *'line 7 has a time that cannot be read at byte '*': write times like '* ]]
	[[ $output = *'line 8 sets a field that only memkit sets at byte '*': leave it out'* ]]
	[[ $output = *'line 9 has no text: an event needs the field content'* ]]
	[[ $output = *'line 10 is a program'*'own prompt at byte '*': roles system and developer are not kept'* ]]
	[[ $output = *'line 11 is for a namespace that you may not write to'*': leave ns out'* ]]
	[[ $output = *'line 12 has a value that makes no sense'*': mem-records(5) says '* ]]
	not_shown 'line 2 '
	# The receipts are as ever.
	[ "$(jq -rs '[.[]|.verdict]|unique|join(" ")' out)" = "new rejected" ]
	[ "$(wc -l <out)" = 12 ]
}

@test "every reason of a refusal has words" {
	reasons=$(sed -n '/^\.Ss Refusals/,/^\.S[sh] [^R]/s/^\.It Cm \(.*\)/\1/p' "$TOP/man/mem-records.5" | tr -d ' ' | tr ',' '\n' | sort -u)
	[ "$(wc -l <<<"$reasons")" -ge 15 ]
	for reason in $reasons; do
		grep -q "{ \"$reason\", NULL, " "$TOP/lib/cli/refusals.c" || { echo "no words: $reason"; false; }
	done
}

@test "without a terminal nothing is said beside the receipts" {
	run -1 --separate-stderr mem-capture <<<hello
	[ -z "$stderr" ]
	[ "$(jq -r .reason <<<"$output")" = bad_json ]
	run -0 --separate-stderr mem-capture <<<'{"content":"tea"}'
	[ -z "$stderr" ]
	[ "$(jq -r .verdict <<<"$output")" = new ]
}

@test "a last line sums up, personal data apart" {
	{ echo '{"content":"tea at four"}'; echo '{"content":"mail ada@example.org or bob@example.org, or call +49 30 901820"}'
		echo '{"content":"the key is AKIAQYLPMN5HFIQR7XYA"}'; echo '{"content":"tea at four"}'; echo no; } >in
	at_terminal 1 'mem-capture <in >out'
	shown 'mem-capture: 5 lines: 3 new, 1 known, 2 redacted, 1 refused; personal: 2 e-mail addresses, 1 phone number'
	at_terminal 0 'head -n 1 in | mem-capture >out'
	shown 'mem-capture: 1 line: 0 new, 1 known, 0 redacted, 0 refused'
	# A name that looks like a kind is none.
	echo '{"content":"x","\"kind\":\"email\"":"AKIAQYLPMN5HFIQR7XYA"}' >in
	at_terminal 0 'mem-capture <in >out'
	shown 'mem-capture: 1 line: 1 new, 0 known, 1 redacted, 0 refused'
	at_terminal 0 'mem-capture -q <in >out'
	not_shown lines
}

@test "what is no capture is summed up in the words of its receipts" {
	id=$(mem-capture <<<'{"content":"tea at four"}' | jq -r .id)
	at_terminal 0 "mem-pin $id"
	shown 'mem-pin: 1 line: 1 changed'
	not_shown known
	at_terminal 0 "mem-pin $id"
	shown 'mem-pin: 1 line: 1 unchanged'
	at_terminal 0 "mem-boost $id"
	shown 'mem-boost: 1 line: 1 changed'
	at_terminal 1 "mem-boost $id 00000000-0000-8000-8000-000000000000"
	shown 'mem-boost: 2 lines: 1 changed, 1 refused'
	at_terminal 0 'agent-team add red ann bob'
	shown 'agent-team: 2 lines: 2 new'
	at_terminal 0 'agent-team remove red ann'
	shown 'agent-team: 1 line: 1 removed'
	at_terminal 0 'agent-key --help | mem-capture --whole --role tool'
	shown 'mem-capture: 1 line: 1 new, 0 known, 0 redacted, 0 refused'
}

@test "on a terminal receipts are sentences, unless JSON is wanted" {
	{ echo '{"content":"mail ada@example.org"}'; echo '{"content":"mail ada@example.org"}'; echo no; } >in
	at_terminal 1 'mem-capture <in'
	id=$(mem-list | jq -r .id)
	shown "line 1: new $id, redacted email"
	shown "line 2: known $id, redacted email"
	not_shown verdict
	[ "${#lines[@]}" = 5 ]
	at_terminal 1 'mem-capture -q <in'
	shown 'mem-capture: line 3 is no JSON: for plain text use --lines or --whole'
	[ "${#lines[@]}" = 1 ]
	at_terminal 1 'mem-capture --format json <in'
	[[ $output = *'{"line":1,"verdict":"duplicate"'* ]]
	# Words where the messages go elsewhere, too.
	at_terminal 1 'mem-capture <in 2>/dev/null'
	shown 'line 3 is no JSON: for plain text use --lines or --whole'
	run -1 --separate-stderr mem-capture --format text <in
	[[ $output = *"line 1: known $id, redacted email"*'line 3 is no JSON: for plain text use --lines or --whole' ]]
}

@test "blank lines of --lines are passed over" {
	printf 'one\n\n \t\r\ntwo\n' >in
	run -0 mem-capture --lines <in
	[ "$(jq -c '[.line,.verdict]' <<<"$output")" = $'[1,"new"]\n[4,"new"]' ]
	run -0 mem-capture --lines < <(printf '\n\n')
	[ -z "$output" ]
}

@test "mem-import, mem-adapt, mem-embed and filters have words, too" {
	remember '{"content":"tea"}' >/dev/null
	{ echo no; mem-export; } >in
	at_terminal 1 'mem-import <in'
	shown 'mem-import: line 1 is no JSON: lines of mem-export are wanted'
	shown 'mem-import: 2 lines: 0 new, 1 known, 0 redacted, 1 refused'
	at_terminal 1 'mem-adapt -q claude-code in >out'
	[[ $output = 'mem-adapt: in: line 1 is no JSON ('*'): is FORMAT the right one?' ]]
	at_terminal 1 'mem-render in'
	[[ $output = *'mem-render: in: line 1 is no JSON: one object a line is wanted'* ]]
	at_terminal 1 'mem-search --queries in'
	[[ $output = *'mem-search: in: line 1 is no JSON: '*'"error":"bad_json"'* ]]
	run -1 --separate-stderr mem-render in
	[ "$stderr" = "mem-render: in: line 1, byte 0: bad_json: a value expected" ]
}

@test "a file of the wrong kind does not fill the screen: five lines of a reason are shown" {
	seq -f 'no %g' 1 5 >five
	seq -f 'no %g' 1 400 >in
	for words in 'mem-adapt -q claude-code' mem-render; do
		at_terminal 1 "$words five"
		[ "$(grep -c 'is no JSON' <<<"$output")" = 5 ]
		[[ $output != *'only the first'* ]]
		at_terminal 1 "$words in"
		[ "$(grep -c 'is no JSON' <<<"$output")" = 5 ]
		[ "$(grep -c 'more lines are refused for the same reason: only the first 5 are shown' <<<"$output")" = 1 ]
		# Each input has its own, and so has each reason.
		at_terminal 1 "$words in five"
		[ "$(grep -c 'is no JSON' <<<"$output")" = 10 ]
		# shellcheck disable=SC2086 # words
		run -1 --separate-stderr $words in
		[ "${#stderr_lines[@]}" = 400 ]
	done
	at_terminal 1 'mem-capture <in >out'
	[ "$(grep -c 'is no JSON' <<<"$output")" = 5 ]
	shown 'mem-capture: 400 lines: 0 new, 0 known, 0 redacted, 400 refused'
	[ "$(wc -l <out)" = 400 ]
	{ seq 5; seq -f 'no %g' 5; } >in
	at_terminal 1 'mem-capture <in >out'
	[ "$(grep -c 'line ' <<<"$output")" = 10 ]
}

@test "mem-adapt names the formats where one is misspelt or a file stands there" {
	: >session.jsonl
	for word in clade-code session.jsonl; do
		run -2 mem-adapt $word
		[[ $output = "mem-adapt: '$word' is not one of the formats claude-code, codex, "*', jsonl' ]]
	done
}

@test "nothing is summed up where nothing was begun" {
	for words in mem-capture mem-import; do
		at_terminal 3 "$words -S nowhere </dev/null"
		[ "$output" = "$words: 'nowhere': no store here: run mem-init" ]
		at_terminal 0 "$words </dev/null"
		[[ $output = "$words: 0 lines: 0 new"* ]]
	done
	remember '{"content":"tea"}' >/dev/null
	export MEM_MODELS=$PWD/none HOME=$PWD/nobody XDG_DATA_HOME=$PWD/none
	at_terminal 3 'mem-embed --pending'
	[ "$output" = 'mem-embed: no model is installed: run mem-model install e5' ]
}

@test "mem-check says that a store is sound" {
	at_terminal 0 mem-check
	[ "$output" = "mem-check: sound" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "several operands are one query, a field that is none and filters alone are told" {
	remember '{"content":"the ring file keeps readings","role":"user"}' '{"content":"role of rol user"}' >/dev/null
	run -0 --separate-stderr mem-search ring file
	[ -z "$stderr" ]
	[ "$(jq -s length <<<"$output")" = 2 ] || [ "$(jq -s length <<<"$output")" = 1 ]
	[ "$(jq -r .content <<<"${lines[0]}")" = "the ring file keeps readings" ]
	[ "$output" = "$(mem-search 'ring file')" ]
	at_terminal 0 'mem-search ring file'
	shown 'mem-search: two operands: they are taken as one query'
	at_terminal 0 'mem-search the ring file'
	shown 'mem-search: 3 operands: they are taken as one query'
	at_terminal 0 'mem-search "ring file"'
	not_shown operands
	run -2 mem-search ring - </dev/null
	run -2 mem-search </dev/null
	at_terminal 1 'mem-search role:user'
	shown 'mem-search: only filters: mem-list prints what they leave'
	run -1 --separate-stderr mem-search role:user
	[ -z "$stderr$output" ]
	run -0 --separate-stderr mem-search 'rol:user rol:tool'
	[ "$stderr" = "mem-search: 'rol' is no field and is searched as a word; fields are kind, role, ns, speaker, tag, ref, session, since, until" ]
	for query in std::sort https://a.example 'role:user ring' '"rol:user"' 12:30 rol: x:y; do
		run --separate-stderr mem-search "$query"
		[ -z "$stderr" ] || { echo "$query: $stderr"; false; }
	done
	run -0 --separate-stderr mem-search --plain rol:user
	[ -z "$stderr" ]
}

@test "a dash in a sentence, which leaves nothing out there, is told" {
	remember '{"content":"the ring file keeps readings"}' >/dev/null
	at_terminal 0 'mem-search "what does the ring keep -file?"'
	shown 'mem-search: the query is a sentence, in which a dash leaves nothing out: --strict makes it do so'
	for query in '--strict "ring -disk?"' '"ring -disk"' '"is the ring - well-known - in --files?"' '--plain "ring -disk?"'; do
		at_terminal 0 "mem-search $query"
		not_shown sentence
	done
	run -0 --separate-stderr mem-search 'what does the ring keep -file?'
	[ -z "$stderr" ]
}

@test "the folder around a store is told where the store is" {
	mkdir -m 755 project
	mem-init -q project/.mem
	run -3 mem-stat -S project
	[ "$output" = "mem-stat: no store in project; there is one in project/.mem" ]
	chmod 700 project
	run -3 mem-stat -S project/
	[ "$output" = "mem-stat: no store in project; there is one in project/.mem" ]
	mkdir -m 755 other
	echo 'agent: eve' >other/config.yaml
	run -3 mem-stat -S other
	[ "$output" = "mem-stat: 'other': no store here: run mem-init" ]
	# A store that is open to others is none to trust, as ever.
	chmod 755 store
	run -4 mem-stat
	[[ $output = *'open to other users (mode 0755): chmod 700 '* ]]
	mkdir -m 755 full
	echo x >full/letter
	run -3 mem-init -S full
	[ "$output" = "mem-init: 'full' is no store and holds 'letter': name a new or an empty folder" ]
}

@test "maintenance says what it did" {
	at_terminal 0 mem-maintain
	shown 'mem-maintain: nothing was due'
	remember '{"content":"tea"}' >/dev/null
	at_terminal 0 'mem-maintain index'
	shown 'mem-maintain: index: 0 segments written'
	at_terminal 0 'mem-maintain -v index'
	not_shown 'mem-maintain: index'
	at_terminal 0 'mem-maintain --agent bob index'
	shown 'mem-maintain: index: done'
	run -0 mem-maintain
	[ -z "$output" ]
}

@test "vectors that are missing are told, of what the caller may see" {
	embed_server ok
	mem-capture --embed -q <<<'{"content":"the ring file keeps readings"}'
	mem-capture --no-embed -q <<<'{"content":"the ring road"}'
	mem-capture --no-embed -q --agent bob <<<'{"content":"a ring of gold"}'
	at_terminal 0 'mem-search ring'
	shown 'mem-search: 1 of the records searched waits for vectors: mem-maintain makes them'
	at_terminal 0 'mem-search --every-namespace ring'
	shown 'mem-search: 2 of the records searched wait for vectors: mem-maintain makes them'
	at_terminal 1 'mem-search --since 2030-01-01 ring'
	not_shown 'wait'
	at_terminal 0 'mem-search -m keyword ring'
	not_shown 'wait'
	run -0 --separate-stderr mem-search ring
	[ -z "$stderr" ]
	at_terminal 0 'mem-embed --pending'
	shown 'mem-embed: 2 got their vectors (near duplicates: 0), 0 wait for theirs'
	at_terminal 0 'mem-embed --pending --agent bob'
	shown 'mem-embed: done'
	at_terminal 0 'mem-search ring'
	not_shown 'wait'
}

@test "skill-gaps says that no query is kept, and that there are no gaps" {
	at_terminal 0 'skill-gaps'
	shown 'skill-gaps: queries.log is off: no query is kept, so only failures and learnings are looked at'
	shown 'skill-gaps: no gaps: nothing was needed three times'
	printf 'queries:\n  log: hash\n' >>"$MEM_STORE/config.yaml"
	at_terminal 0 'skill-gaps'
	not_shown 'queries.log'
}

@test "commands for skills say what is not there in their own words" {
	mkdir tea
	printf -- '---\nname: tea\ndescription: brew tea\n---\nx\n' >tea/SKILL.md
	skill-ingest -q --no-embed tea
	for words in 'skill-status pot active' 'skill-record pot success'; do
		at_terminal 1 "$words"
		shown "${words%% *}: line 1 names a skill that is not there: skill-list shows them"
	done
	at_terminal 1 'skill-assign tea --agent me --undo'
	shown 'skill-assign: line 1 names a skill or an assignment that is not there: skill-list and skill-show show them'
	at_terminal 1 'skill-version tea activate 9.0.0'
	shown 'skill-version: line 1 names a skill, release or comparison that is not there: skill-list and skill-version SKILL show them'
	at_terminal 1 'skill-version tea activate 1.0.0'
	shown 'skill-version: line 1 is about the release that is active: skill-version SKILL shows all'
	at_terminal 1 'skill-status tea archived'
	shown 'skill-status: line 1 is no step from the status that the skill has: draft, active, deprecated, archived: one at a time'
	for words in 'skill-repair --undo 00000000' 'skill-conflicts --dismiss 00000000-0000-8000-8000-000000000000 --reason x'; do
		at_terminal 1 "$words"
		shown "${words%% *}: line 1 names a conflict that is not there: skill-conflicts --known shows them"
	done
	at_terminal 1 'skill-propose --submit 00000000'
	shown 'skill-propose: line 1 names a proposal that is not there: mem-list --kind proposal shows them'
	at_terminal 1 'agent-team remove red ann'
	shown 'agent-team: line 1 names a team or a member that is not there: agent-team list shows them'
}
