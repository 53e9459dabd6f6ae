#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Erasing and promoting, killed at each of their writes: all of it is there, or nothing.
load helper
load attest

setup_file() {
	"${CC:-cc}" -O1 -shared -fPIC -o "$BATS_FILE_TMPDIR/shim.so" "$BATS_TEST_DIRNAME/../proof/shim.c" -ldl
}

# killed N COMMAND...: which dies at the Nth write to the data, which it may not come to.
killed() {
	local n=$1
	shift
	ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 LD_PRELOAD=$BATS_FILE_TMPDIR/shim.so \
		SHIM_DATA=$PWD/store/data.mdb SHIM_KILL="$n" "$@" >out 2>err
}

# all_or_nothing COMMAND...: from store `base`, killed at its first write, at its second, and so on until it comes to its end.
all_or_nothing() {
	local n st=137 died=0
	mem-export -S base >before
	rm -rf store && cp -r base store
	"$@" >out
	mem-export >after
	run ! cmp -s before after
	for ((n = 1; st == 137; n++)); do
		rm -rf store && cp -r base store
		st=0
		killed $n "$@" || st=$?
		[ $st = 0 ] || [ $st = 137 ] || { echo "killed at $n: $st: $(cat err)"; return 1; }
		[ $st = 0 ] || died=$n
		mem-export >left
		cmp -s left before || cmp left after
		mem-check
		# Once more, and it is whole.
		cmp -s left after || "$@" >out
		mem-export | cmp - after
	done
	echo "it died at $died writes"
	[ $died -gt 3 ]
}

@test "mem-forget --erase, killed anywhere" {
	scratch
	need_store
	remember '{"content":"I use Vim, tmux and Git. I work at Quokkacorp.","speaker":"Nora"}' '{"content":"I use Emacs.","speaker":"Olaf"}' >ids
	mem-consolidate -q --no-embed
	mv store base
	all_or_nothing mem-forget --erase "$(head -n 1 ids)"
	[ "$(grep -c Quokkacorp before)" -gt 1 ]
	run -1 grep Quokkacorp after
}

@test "mem-promote, killed anywhere" {
	scratch
	team_fact
	mem-attest -q --reliability 1 bob cid dee
	vouch bob cid dee
	mv store base
	all_or_nothing mem-promote
	[ "$(grep -c '"kind":"promotion"' after)" = 1 ]
}
