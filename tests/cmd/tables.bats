#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=tables
# What commands print on a terminal: it fits, whatever the texts are.
load helper

setup() {
	scratch
	command -v script >/dev/null || skip "no script(1)"
	need_store
	export NO_COLOR=1 TERM=xterm
}

# on_tty COLUMNS COMMAND...: its lines, in $lines, as a terminal of that width was given them.
on_tty() {
	local columns=$1
	shift
	printf '%q ' "$@" >cmd
	run script -qec "stty cols $columns; bash cmd" /dev/null </dev/null
	mapfile -t lines < <(tr -d '\r' <<<"$output")
}

# Columns of a line, by another table than memkit's: that of this machine's libc.
columns_of() {
	perl -CS -Mutf8 -e 'use POSIX; my $n = 0; my $s = $ARGV[0]; utf8::decode($s);
	for (split //, $s) { $n += /\p{East_Asian_Width=Wide}|\p{East_Asian_Width=Fullwidth}/ ? 2 : /\p{Mn}|\p{Me}|\p{Cf}/ ? 0 : 1 } print $n' "$1"
}

fits() { # COLUMNS
	local line
	for line in "${lines[@]}"; do
		[ "$(columns_of "$line")" -le "$1" ] || { echo "over $1 columns: $line"; return 1; }
	done
}

fill() {
	remember '{"content":"✅ ⭐ 日本語のテキストはとても長いので切られます、そしてまだまだ続きます ring","speaker":"山田太郎さんとその友人たち"}' \
		'{"content":"Me\u0301me\u0301 e\u0301te\u0301 e\u0301te\u0301 e\u0301te\u0301 e\u0301te\u0301 e\u0301te\u0301 e\u0301te\u0301 e\u0301te\u0301 e\u0301te\u0301 ring","speaker":"Zoe\u0308"}' \
		'{"content":"A long story of how it rained, how the hub was down, and how nobody knew of it until the garden was dry. Then the ring file was found.","speaker":"Ada","captured_at":"2026-11-27T23:59:00Z"}' \
		'{"content":"ring ring ring ring ring ring ring ring ring ring ring ring","speaker":"Ada"}' >ids
	mem-review -q ask --note "Is it right that the ring file is kept for 14 days, or is that too long for the disk?"
}

@test "no table is wider than the screen, and each has its head" {
	fill
	local name n=0
	for name in 'mem-search -m keyword ring' mem-list mem-log mem-audit 'mem-review list' mem-stat 'mem-maintain --list'; do
		for columns in 40 60 80 132; do
			# shellcheck disable=SC2086
			on_tty $columns $name
			[ "$status" = 0 ]
			[ "${#lines[@]}" -ge 2 ]
			[ "$name" = mem-stat ] || fits $columns
			n=$((n + 1))
		done
	done
	[ $n = 28 ]
	COLUMNS=50 on_tty 132 mem-list
	fits 50
}

@test "columns align where texts are wide, combined or pictures" {
	fill
	on_tty 80 mem-search -m keyword ring
	local line at want=
	for line in "${lines[@]:1}"; do
		at=$(columns_of "$(sed -E 's/^(.*  ).*/\1/' <<<"$line")")
		[ "${want:=$at}" = "$at" ]
	done
	[[ ${lines[0]} = RANK*SCORE*WHEN*WHO*WHAT ]]
}

@test "WHEN is the time of day today and the date before, SCORE has two digits" {
	fill
	on_tty 100 mem-search -m keyword ring
	local n=0
	for line in "${lines[@]:1}"; do
		[[ $line =~ ^[0-9]\ +-?[0-9]+\.[0-9][0-9]\ +(09:00|2026-11-27)\ +[^\ ] ]]
		n=$((n + 1))
	done
	[ $n = 4 ]
	on_tty 100 mem-search -m keyword --now 2026-11-29 ring
	[[ $output != *09:00* && $output = *2026-11-28* ]]
}

@test "WHAT shows the place that matched" {
	fill
	on_tty 60 mem-search -m keyword 'ring file found'
	[[ $output = *'…'*'ring file was found'* ]]
	on_tty 60 mem-search -m keyword 'long story'
	[[ $output = *' A long story of'* ]]
	# A long text: the passage, and in it the words.
	{ printf '{"content":"'; for i in {1..400}; do printf 'Sentence %d says nothing. ' "$i"; done; printf 'The zebra is in the barn. '; for i in {1..400}; do printf 'Nor does %d. ' "$i"; done; echo '"}'; } | mem-capture -q
	on_tty 60 mem-search -m keyword zebra
	[[ $output = *'zebra is in'* ]]
}

@test "short ids are told apart, and every command takes them" {
	fill
	mem-capture -q --agent bob --lines <<<'not for ada'
	mem-list | jq -r .id >all
	cp all whole
	on_tty 120 mem-list
	local short full n=0
	while read -r full; do
		n=$((n + 1))
		short=${lines[n]%% *}
		[ ${#short} -ge 8 ]
		[ ${#short} -lt 36 ]
		[[ $full = "$short"* ]]
		[ "$(grep -c "^$short" whole)" = 1 ]
		[ "$(mem-get "$short" | jq -r .id)" = "$full" ]
		[ "$(mem-get - <<<"$short" | jq -r .id)" = "$full" ]
		[ "$(mem-list --after "$short" | jq -r .id)" = "$(tail -n +$((n + 1)) whole)" ]
		[ "$(mem-audit --subject "$short" | jq -r .subject)" = "$(mem-audit --subject "$full" | jq -r .subject)" ]
	done <all
	[ $n = 5 ]
	for name in mem-log mem-audit 'mem-search -m keyword ring'; do
		# shellcheck disable=SC2086
		on_tty 120 $name
		short=$(grep -oE '\b[0-9a-f]{8}[0-9a-f-]*' <<<"${lines[1]}" | head -1)
		[ ${#short} -lt 36 ]
		mem-get "$short" >/dev/null
	done
	# NDJSON has whole ids, on a terminal, too.
	on_tty 120 mem-list --format json
	[ "$(jq -r .id <<<"$(printf '%s\n' "${lines[@]}")")" = "$(cat all)" ]
	# A review by its short id.
	on_tty 120 mem-review list
	short=${lines[1]%% *}
	mem-review show "$short" >/dev/null
	run mem-review --agent bob approve "$short"
	[[ $output = *'"reason":"not_found"'* ]]
}

@test "a beginning of several ids is named with those that may be seen" {
	fill
	mem-capture -q --agent bob --lines <<<'not for ada'
	run -1 --separate-stderr mem-get 01a2
	[ -z "$output" ]
	[[ $stderr = "mem-get: '01a2' begins several ids: "* ]]
	for full in $(mem-list | jq -r .id); do [[ $stderr = *$full* ]]; done
	other=$(mem-list --agent bob | jq -r 'select(.ns=="agent:bob").id')
	[[ $stderr != *$other* ]]
	run -1 --separate-stderr mem-get "${other%????????????}"
	[ "$stderr" = "mem-get: no such node: ${other%????????????}" ]
	run -1 --separate-stderr mem-list --after 01a2
	[[ $stderr = *'begins several ids: '* ]]
	run -1 --separate-stderr mem-audit --subject 01a2
	[[ $stderr = *'begins several ids: '* ]]
	run -1 --separate-stderr mem-review approve 01a2
	[[ $output = *'"verdict":"rejected"'*'"reason":"ambiguous"'* && $stderr = *'begins several ids: '* ]]
	run -2 mem-list --after 01a
	run -1 mem-get 01a
}

@test "mem-maintain --list is a table for people, of all whose numbers they may know" {
	fill
	on_tty 80 mem-maintain --list
	[[ ${lines[0]} =~ ^JOB\ +LAST\ RUN\ +OUTCOME\ +TO\ DO\ +NEXT$ ]]
	[[ $output =~ embed\ +never\ +-\ +[0-9]+\ +(due now|when there is work) ]]
	[ "$(mem-maintain --list | jq -r .task | wc -l)" = $((${#lines[@]} - 1)) ]
	on_tty 80 mem-maintain --list --format json
	[ "$(jq -r .task <<<"${lines[0]}")" = upgrade ]
	run -0 mem-maintain --list --format text --agent bob expire
	[[ ${lines[1]} =~ ^expire\ +-\ +-\ +-\ +- ]]
}

@test "an empty answer is no table" {
	on_tty 80 mem-list
	[ -z "$output" ]
	on_tty 80 mem-review list
	[ -z "$output" ]
}
