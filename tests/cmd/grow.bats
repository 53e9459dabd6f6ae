#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What may grow is a table: something new is a file of its own (in tests/data/grow), a line of the table and its page.
# Each is added to a copy of the tree, which builds with what was built here and works.
load helper

setup() {
	scratch
	[ "$MEM_BUILD" = "$TOP/build/release" ] || skip "it builds build/release"
	unset MAKEFLAGS MAKELEVEL MFLAGS CC SAN COV WERROR
}

# A copy of the tree, with the objects that were built: only what a new line reaches is compiled.
copy_tree() {
	local f
	mkdir tree
	for f in Makefile config.mak lib cmd man scripts tests/unit build/release/{flags,members,lib,gen,cmd,scripts,tests}; do
		[ ! -e "$TOP/$f" ] || (cd "$TOP" && cp -a --reflink=auto --parents -t "$OLDPWD/tree" "$f")
	done
}

# add_line TABLE LINE FILE: at the end of that table.
add_line() {
	sed -i "/^#define $1(LINE)/,/[^\\\\]\$/ { /[^\\\\]\$/ s/\$/ \\\\\\n\\t$2/ }" "tree/$3"
	[ "$(grep -cF "$2" "tree/$3")" = 1 ]
}

# make_copy TARGET...: builds, and uses what it built.
make_copy() {
	make -s -C tree -j2 WERROR=1 "${@/#/build/release/}"
	PATH=$PWD/tree/build/release/bin:$PATH
}

# What the copy has more or otherwise than the tree, one a line.
changed() {
	diff -rq --exclude=build "$TOP/$1" "tree/$1" | sed "s|^Only in tree/|new |; s|: |/|; s|^Files .* and tree/\(.*\) differ|changed \1|"
}

@test "a signal: its file, a line of the table, a line of the page" {
	copy_tree
	cp "$TOP/tests/data/grow/signal_recency.c" tree/lib/query/
	add_line MEM_SIGNAL_TABLE 'LINE(RECENCY, recency)' lib/query/signal_int.h
	sed -i '/^\.It Cm dense$/i .It Cm recency\nHow new it is; in hybrid.' tree/man/mem-records.5
	[ "$(for d in lib cmd man; do changed $d; done)" = $'changed lib/query/signal_int.h\nnew lib/query/signal_recency.c\nchanged man/mem-records.5' ]
	make_copy bin/mem-search
	embed_server ok
	need_store
	for day in 14 28 21; do
		echo "{\"ref\":\"$day\",\"content\":\"tea in a tin\",\"captured_at\":\"2026-11-${day}T09:00:00Z\"}"
	done | mem-capture -q
	mem-embed --pending
	# Words and meaning are the same of all three: the newest is the best.
	run -0 mem-search --explain 'tea tin'
	[ "$(jq -c '[.ref, .mode, .signals.recency]' <<<"$output")" = '["28","hybrid",{"score":1,"rank":null}]
["21","hybrid",{"score":0.5,"rank":null}]
["14","hybrid",{"score":0.25,"rank":null}]' ]
	[ "$(jq -c '.signals | keys_unsorted' <<<"${lines[0]}")" = '["lexical","dense","recency"]' ]
	# A third (.5 of 1.5) of the z-scores of 1, .5 and .25; those of the other signals are 0.
	[ "$(jq -cs 'map(.score)' <<<"$output")" = '[0.445435,-0.089087,-0.356348]' ]
	[ "$(mem-search -m keyword 'tea tin' | jq -c '.signals | keys' | sort -u)" = '["lexical"]' ]
	[ "$(mem-search -m vector 'tea tin' | jq -c '.signals | keys' | sort -u)" = '["dense"]' ]
	# It was not there before.
	[ "$("$MEM_BUILD/bin/mem-search" 'tea tin' | jq -c '.signals | keys' | sort -u)" = '["dense","lexical"]' ]
}

@test "a stage: its file, a line of the table, a command and its page" {
	copy_tree
	cp "$TOP/tests/data/grow/once.c" tree/lib/stage/
	cp "$TOP/tests/data/grow/mem-once.c" tree/cmd/
	cp "$TOP/tests/data/grow/mem-once.1" tree/man/
	add_line MEM_STAGE_TABLE 'LINE(once)' lib/stage/stage.h
	[ "$(for d in lib cmd man; do changed $d; done)" = $'new lib/stage/once.c\nchanged lib/stage/stage.h\nnew cmd/mem-once.c\nnew man/mem-once.1' ]
	make_copy bin/mem-once unit/stage_test
	# What all stages keep to it keeps to, too.
	run -0 tree/build/release/unit/stage_test
	[[ $output = *'stage once'* ]]
	run -0 "$TOP/tests/examples" tree/man/mem-once.1
	[[ $output != *'not ok'* ]]
	printf '%s\n' '{"id":"a", "score":1e400,"content":"tea"}' '{"id":"b","score":2,"content":"milk"}' '{"id":"a","score":3}' \
		'{"qid":1,"end":true,"hits":3}' '[]' >hits
	run -1 --separate-stderr mem-once hits
	[ "$output" = "$(sed -n '1,2p;4p' hits)" ]
	[[ $stderr = *'mem-once: hits: line 5, byte 0: not_an_object'* ]]
	run -0 bash -c 'mem-once hits 2>errors | mem-render --format plain'
	[ "$output" = $'- tea\n- milk' ]
}

@test "what is in the tables has its file and its page" {
	local name count=''
	table() { sed -n "/^#define $1(LINE)/,/[^\\\\]\$/ s/.*LINE(.*\<\([a-z_]*\)).*/\1/p" "$TOP/$2"; }
	for name in $(table MEM_SIGNAL_TABLE lib/query/signal_int.h); do
		grep -q "^const struct mem_signal mem_signal_$name =" "$TOP/lib/query/signal_$name.c"
		grep -q "^\.It Cm $name\$" "$TOP/man/mem-records.5"
		count+=s
	done
	for name in $(table MEM_STAGE_TABLE lib/stage/stage.h); do
		grep -q "^const struct mem_stage mem_stage_$name =" "$TOP"/lib/stage/*.c
		[ -f "$TOP/cmd/mem-$name.c" ]
		[ -f "$TOP/man/mem-$name.1" ]
		count+=t
	done
	[[ $count = ss*tt* ]]
}
