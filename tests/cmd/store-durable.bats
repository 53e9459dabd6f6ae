#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A kill does not show what a power failure leaves.  So every write and every barrier of a capture
# is recorded, and the file is rebuilt as it may stand at each cut: all that a
# barrier holds, and a random part of the rest.
load helper

setup_file() {
	local proof=$BATS_TEST_DIRNAME/../proof
	"${CC:-cc}" -O1 -shared -fPIC -o "$BATS_FILE_TMPDIR/shim.so" "$proof/shim.c" -ldl
	"${CC:-cc}" -O1 -o "$BATS_FILE_TMPDIR/cut" "$proof/cut.c"
}

setup() {
	scratch
	need_store
	remember '{"content":"before"}' >/dev/null
	cp -r store base
	cp -r store rebuilt
	rm -f rebuilt/lock.mdb
}

# record COMMAND...: runs it with its writes to the store recorded in file log.
record() {
	: >receipts
	ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 LD_PRELOAD=$BATS_FILE_TMPDIR/shim.so \
		SHIM_DATA=$PWD/store/data.mdb SHIM_RECEIPTS=$PWD/receipts SHIM_LOG=$PWD/log "$@" >>receipts
}

# cut K SEED [noop]: does the file as it stands there open, is it clean, has it what was told?
cut_holds() {
	"$BATS_FILE_TMPDIR/cut" log base/data.mdb rebuilt/data.mdb "$@" >told || return 2
	rm -f rebuilt/lock.mdb
	timeout 120 mem-check -S rebuilt >breaches 2>&1 || return 1
	sed -n 's/.*"verdict":"new","id":"\([^"]*\)".*/\1/p' told >ids
	timeout 120 mem-get -S rebuilt - <ids >nodes 2>&1 || return 1
	[ "$(wc -l <nodes)" = "$(wc -l <ids)" ]
}

events() {
	local i
	for i in $(seq "$1"); do
		printf '{"content":"event %d %0300d","session_id":"s%d","ref":"r/%d","expires_at":"2030-01-01T00:00:00Z"}\n' "$i" "$i" $((i % 3)) "$i"
	done
}

# all_hold SEEDS: every cut worth looking at.
all_hold() {
	local k seed
	"$BATS_FILE_TMPDIR/cut" log >cuts
	while read -r k; do
		for seed in $(seq "$1"); do
			cut_holds "$k" "$seed" || { echo "cut $k, seed $seed:"; cat breaches nodes; return 1; }
		done
	done <cuts
}

@test "a power failure at any point leaves a clean store that holds every receipt" {
	events 12 >in
	record mem-capture --commit-every 3 <in
	[ "$(grep -c '"verdict":"new"' receipts)" = 12 ]
	all_hold 3
	# Four commits: pages, barrier, meta page, receipts.
	[ "$(wc -l <cuts)" -gt 16 ]
	[ "$(wc -l <ids)" = 12 ]
}

@test "the same while nodes expire and the index gets a segment" {
	events 4070 | sed 's/,"expires_at":"[^"]*"//' | mem-capture -q
	events 20 | sed 's/event/soon/' | mem-capture -q
	mem-stat | grep -q '"segments":0'
	cp store/data.mdb base/data.mdb
	events 6 | sed 's/event/other/' >in
	record mem-maintain expire --now 2031-01-01
	record mem-capture --commit-every 2 <in
	mem-stat | grep -q '"segments":1'
	all_hold 1
	[ "$(wc -l <cuts)" -gt 16 ]
}

@test "without its barriers a store would fail this test" {
	events 12 >in
	record mem-capture --commit-every 3 <in
	"$BATS_FILE_TMPDIR/cut" log >cuts
	failed=0
	while read -r k; do
		cut_holds "$k" 1 noop || failed=$((failed + 1))
	done <cuts
	echo "$failed cuts of $(wc -l <cuts) show it"
	[ $failed -gt 0 ]
}

@test "a compaction syncs the new file before its name and the name after" {
	[ -x "$(command -v strace)" ] || skip "no strace"
	export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # it traces too
	strace -f -y -o trace -e trace=fsync,fdatasync,rename,renameat,renameat2,openat mem-maintain compact
	# fsync of the copy, rename, fsync of the folder, in this order.
	grep -nE 'fsync\([0-9]+<[^>]*/data\.mdb\.new>\) += 0' trace | tail -1 | cut -d: -f1 >copy
	grep -nE 'rename.*"data\.mdb\.new".*"data\.mdb"\) = 0' trace | cut -d: -f1 >name
	grep -nE 'fsync\([0-9]+<[^>]*/store>\) += 0' trace | tail -1 | cut -d: -f1 >folder
	[ "$(cat copy)" -lt "$(cat name)" ]
	[ "$(cat name)" -lt "$(cat folder)" ]
}
