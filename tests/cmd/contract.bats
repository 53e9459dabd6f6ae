#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What holds for every command.  Each test runs over all of them and names those that fail.
# contract.args says, for a command that does nothing without operands, which to give it.
load helper

setup() {
	scratch
	if [ -x "$MEM_BUILD/bin/mem-init" ]; then
		mem-init -q "$PWD/store" >/dev/null
		export MEM_STORE=$PWD/store
	fi
}

# Calls `$1 COMMAND` for each command; fails when any call did.
each() {
	local check=$1 c bad=()
	for c in "$TOP"/cmd/*.c; do
		c=$(basename "$c" .c)
		[ "$c" != '*' ] || skip "no commands"
		args=()
		read -r -a args < <(sed -n "s/^${c}[[:space:]]\{1,\}//p" "$TOP/tests/cmd/contract.args") || true
		(set +e; "$check" "$c") || bad+=("$c")
	done
	[ ${#bad[@]} = 0 ] || { echo "failed: ${bad[*]}"; return 1; }
}

fault() { echo "$c: $*"; exit 1; }

# Any exit status that pages promise is an answer; a signal or a sanitizer's report is not.
sane() {
	case $1 in 0|1|2|3|4|75) ;; *) fault "$2: status $1: $(head -c 2000 err)" ;; esac
	! grep -qE 'Sanitizer|runtime error:' err || fault "$2: $(head -c 2000 err)"
}

is_filter() { "$1" --complete | grep -qE "^usage	$1 .*\[FILE"; }

help() {
	"$1" --help >out 2>err || fault "--help fails"
	"$1" -h | cmp -s - out || fault "-h differs"
	[ "$(head -c $((7 + ${#1})) out)" = "usage: $1" ] || fault "does not begin with its usage"
	[ ! -s err ] || fault "help writes to standard error"
	"$1" --nope --help >/dev/null 2>&1 && fault "takes an unknown option before --help"
	return 0
}
@test "every command: --help and -h" { each help; }

version() {
	[[ $("$1" --version) =~ ^"$1 (memkit) "[0-9]+\.[0-9]+\.[0-9]+$ ]] || fault "--version"
	[ "$("$1" -V)" = "$("$1" --version)" ] || fault "-V differs"
}
@test "every command: --version and -V" { each version; }

unknown() {
	for o in --no-such-option --hel -Y --help=1; do
		"$1" "$o" >out 2>err </dev/null
		[ $? = 2 ] || fault "$o is not 2"
		[ ! -s out ] || fault "$o prints"
		grep -q "^$1: " err || fault "$o: no message"
	done
}
@test "every command: an unknown or shortened option is 2" { each unknown; }

values() {
	local letter name arg
	while IFS=$'\t' read -r _ letter name arg _; do
		[ "$arg" != - ] || continue
		[ "$name" != - ] && o=--$name || o=-$letter
		"$1" "$o" >out 2>err </dev/null
		[ $? = 2 ] || fault "$o without its value is not 2"
	done < <("$1" --complete | grep '^option')
	doubled=$("$1" --complete | awk -F '\t' '/^option/ { if ($2 != "-") print $2; if ($3 != "-") print $3 }' | sort | uniq -d)
	[ -z "$doubled" ] || fault "declared twice: $doubled"
}
@test "every command: an option without its value is 2" { each values; }

full() {
	"$1" --help >/dev/full 2>err
	[ $? = 3 ] || fault "--help into a full device is not 3"
	grep -q "^$1: cannot write standard output: disk full" err || fault "no message"
	echo '{"content":"tea"}' | "$1" "${args[@]}" >out 2>/dev/null
	[ -s out ] || return 0
	echo '{"content":"milk"}' | "$1" "${args[@]}" >/dev/full 2>err
	[ $? = 3 ] || fault "into a full device is not 3"
}
@test "every command: a full device is 3, with a message" { each full; }

closed_pipe() {
	exec 5> >(:)
	wait $!
	"$1" --help >&5 2>err
	[ $? = 141 ] || fault "a closed pipe is not SIGPIPE"
	echo '{"content":"tea"}' | "$1" "${args[@]}" 2>err >&5
	! grep -qi 'pipe' err || fault "a closed pipe is told: $(cat err)"
	exec 5>&-
}
@test "every command: a closed pipe is a quiet end" { each closed_pipe; }

closed_descriptors() {
	"$1" --help >&- 2>err
	[ $? = 3 ] || fault "closed standard output is not 3"
	"$1" "${args[@]}" <&- >out 2>err
	sane $? "closed standard input"
}
@test "every command: closed descriptors" { each closed_descriptors; }

empty() {
	"$1" "${args[@]}" </dev/null >out 2>err
	local st=$?
	sane $st "empty input"
	if is_filter "$1" && [ $st != 0 ]; then fault "empty input is $st: $(cat err)"; fi
}
@test "every command: empty input" { each empty; }

invalid() {
	printf '{"content":"\377\300\200\355\240\200"}\n\377\n\000\n' | "$1" "${args[@]}" >out 2>err
	sane $? "invalid UTF-8"
}
@test "every command: invalid UTF-8 and NUL" { each invalid; }

unended() {
	printf '{"content":"tea"}\n' | "$1" "${args[@]}" >whole 2>err
	local st=$?
	sane $st "a line"
	printf '{"content":"tea"}' | "$1" "${args[@]}" >out 2>err
	[ $? = $st ] || fault "a missing last newline changes the status"
}
@test "every command: a missing last newline" { each unended; }

long_line() {
	{ printf '{"content":"'; head -c 1000000 /dev/zero | tr '\0' a; printf '"}\n'; } |
		"$1" "${args[@]}" >out 2>err
	sane $? "a line of 1 MB"
	head -c 1000000 /dev/zero | tr '\0' '[' | "$1" "${args[@]}" >out 2>err
	sane $? "1 MB of brackets"
}
@test "every command: a line of 1 MB" { each long_line; }

bare() {
	env -i "$MEM_BUILD/bin/$1" --help >out 2>err || fault "--help without environment"
	echo '{"content":"tea"}' | env -i ${MEM_STORE+MEM_STORE="$MEM_STORE"} \
		"$MEM_BUILD/bin/$1" "${args[@]}" >out 2>err
	sane $? "no environment"
}
@test "every command: no HOME, no PATH" { each bare; }

# Each in a folder that has what they name: a store, a session, an export, notes under git.
@test "every command: the two examples of --help run" {
	mkdir -p home/.claude/projects/one home/.codex/sessions/2026/11/28 old
	export HOME=$PWD/home PATH=$PWD/fake:$PATH
	cp "$TOP/tests/data/sample/session.jsonl" home/.claude/projects/one/
	cp "$TOP/tests/data/sample/session.jsonl" .
	cp "$TOP/tests/data/transcripts/codex.jsonl" home/.codex/sessions/2026/11/28
	printf '%s\n' '{"id":1}' >words
	tee meaning gold hits before after <words >/dev/null
	git init -q .
	mkdir notes home/notes
	echo '{"items":["tea"]}' >baskets.ndjson
	echo '{"tags":["tea"]}' >notes.ndjson
	echo '[[tea]]' | tee notes/tea.md >notes/milk.md
	mkdir fake
	printf '#!/bin/sh\nexit 0\n' >fake/crontab
	chmod +x fake/crontab
	MEM_STORE=$PWD/s
	export MEM_STORE
	mem-init -q
	echo 'promote: {gate: "on"}' >>s/config.yaml
	mem-init -q -S old
	mem-init -q -S new
	mem-adapt claude-code session.jsonl | mem-capture -q
	mem-export >memory.ndjson
	local name example what status n=0
	while IFS=$'\t' read -r name example what; do
		[[ $example = *"$name"* && -n $what ]]
		case $example in
		*'install e5') continue ;; # from far away
		'mem-log -f'*) example="timeout 1 $example" ;;
		esac
		status=0
		bash -c "$example" >out 2>err </dev/null || status=$?
		! grep -q 'no model is installed' err || status=0
		case $status in 0 | 1 | 124) ;; *) echo "$example: $status: $(cat err)"; false ;; esac
		n=$((n + 1))
	done <"$TOP/lib/cli/examples.txt"
	[ $n -ge 38 ]
}
