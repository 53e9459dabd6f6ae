#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a reader of README.md pastes after the two commands, line by line.
load helper

setup() {
	scratch
	[ "$MEM_BUILD" = "$TOP/build/release" ] || skip "README.md names build/release"
	unset MEM_STORE MEM_AGENT MEM_NOW XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME
	export HOME=$PWD/home
	mkdir -p home/.claude/projects/one home/.codex/sessions/2026/11/28
	cp "$TOP/tests/data/sample/session.jsonl" home/.claude/projects/one
	cp "$TOP"/tests/data/transcripts/codex*.jsonl home/.codex/sessions/2026/11/28
}

# The blocks behind the first one, a command a line, in the folder that they are pasted in.
print_blocks() {
	# 1 is an answer: this reader has decided nothing about a database.
	printf 'trap "[ \\$? -le 1 ] || exit 9" ERR\ncd %q\n' "$TOP"
	awk '/^```sh$/ { n++; inside = n > 1; next } /^```/ { inside = 0 } inside' "$TOP/README.md"
}

@test "every line behind the two commands works as pasted" {
	print_blocks >lines
	[ "$(grep -c . lines)" -ge 9 ]
	run -0 bash lines
	[[ $output = *'ring file'* ]]
	[ -e home/.local/share/memkit/default/data.mdb ]
	[ ! -e home/.claude/settings.json ]
	[ "$("$MEM_BUILD/bin/mem-stat" | jq '.nodes.episode | add')" -gt 20 ]
}

@test "the examples with output name files that are there" {
	mkdir checkout
	ln -s "$TOP/tests" checkout/tests
	{ printf 'cd checkout\nset -e\nexport PATH="%s/bin:$PATH"\n' "$MEM_BUILD"
	  awk '/^## / { inside = /^## How it works/ } /^<!-- needs model/ { skip = 2 } skip && /^```/ { skip-- }
		inside && !skip && /^(\$|>) / { print substr($0, 3) }' "$TOP/README.md"; } >lines
	[ "$(grep -c . lines)" -ge 12 ]
	run -0 --separate-stderr bash lines
	[ -z "$stderr" ] || { echo "$stderr"; false; }
	[[ $output = *'ring file'* ]]
}

@test "the story of what was true, and when" {
	{ printf 'cd %q\nset -e\n' "$TOP"; awk '/^## / { story = /^## What was true/ } story && /^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$TOP/README.md"; } >lines
	run -0 --separate-stderr bash lines
	grep '^{' <<<"$output" | jq -r '.statement // .text' >told
	# Now, in May, in July, known in June, and the history.
	[ "$(paste -sd, told)" = "Alice works at Acme,Alice works at Acme,Alice works at Globex,Alice works at Globex,Alice works at Acme,Alice works at Globex,Alice works at Acme" ]
	[[ $output = *'It is believed that "Alice works at Acme", true since 2026-10-05'*'took the place of "Alice works at Globex"'* ]]
}

@test "the life of a skill" {
	{ printf 'cd %q\nset -e\n' "$TOP"; awk '/^## / { story = /^## The life of a skill/ } story && /^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$TOP/README.md"; } >lines
	run -0 --separate-stderr bash lines
	[ "${lines[0]}" = shop-release-tag ]
	[[ $output = *'<memory '*'kind="skill"'*'Bash git diff'*'</recalled-memory-context>'* ]]
	[ "$(tail -n 4 <<<"$output")" = '1.0.1
["1.0.1",true]
changed
["shop-release-tag","1.0.1",0.75]' ]
}

@test "the same at a terminal" {
	print_blocks >lines
	run -0 timeout 300 script -qec "stty cols 100; bash lines" /dev/null </dev/null
	[[ $output = *'SCORE'*'ring file'* ]]
	run -1 grep -qi 'error\|cannot' <<<"$output"
}
