#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Many processes at one store.  MEMKIT_CROWD_MS sets how long the crowd runs (default 6000;
# the full proof is 30000, and then asks for twenty swaps).
load helper

setup_file() {
	"${CC:-cc}" -O1 -shared -fPIC -o "$BATS_FILE_TMPDIR/shim.so" "$BATS_TEST_DIRNAME/../proof/shim.c" -ldl
}

setup() {
	scratch
	need_store
}

teardown() {
	[ -z "${writer-}" ] || kill -KILL "$writer" 2>/dev/null || true
}

shim() { # VAR=VALUE... COMMAND...: with the preload library that watches the store
	env ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" LD_PRELOAD="$BATS_FILE_TMPDIR/shim.so" \
		SHIM_DATA="$MEM_STORE/data.mdb" "$@"
}

writer() { # NAME
	local n=0
	while [ ! -e stop ]; do
		n=$((n + 1))
		printf '{"content":"%s says %d","session_id":"%s"}\n{"content":"%s adds %d"}\n' "$1" $n "$1" "$1" $n |
			mem-capture >>"receipts.$1" 2>>errors || echo "writer $1: status $?" >>errors
	done
}

reader() { # NAME
	local id
	while [ ! -e stop ]; do
		id=$(tail -n 1 "receipts.$1" 2>/dev/null | sed -n 's/.*"verdict":"new","id":"\([^"]*\)".*}$/\1/p')
		[ -n "$id" ] || continue
		mem-get "$id" >>"reads.$1" 2>>errors || echo "reader $1: $id: status $?" >>errors
		mem-search -n 3 says >>"reads.$1" 2>>errors || echo "search $1: status $?" >>errors
		mem-list -n 5 >>"reads.$1" 2>>errors || echo "list $1: status $?" >>errors
	done
}

# Every swap gives data.mdb another inode.
compactor() {
	local st
	while [ ! -e stop ]; do
		st=0
		mem-maintain compact 2>>errors || st=$?
		[ $st = 0 ] || echo "compaction: status $st" >>errors
		stat -c %i "$MEM_STORE/data.mdb" >>inodes
	done
}

# Has every writer and reader got through, and were there swaps?
everybody_came() {
	local i
	for i in $(seq 10); do
		[ -s "receipts.w$i" ] && [ -s "reads.w$i" ] || return 1
	done
	[ -s inodes ] && [ "$(uniq inodes | wc -l)" -ge $((ms >= 30000 ? 20 : 2)) ]
}

@test "ten writers, ten readers, a compaction in a loop" {
	ms=${MEMKIT_CROWD_MS:-6000}
	patient
	: >errors
	pids=()
	for i in $(seq 10); do
		writer "w$i" 3>&- &
		pids+=($!)
		reader "w$i" 3>&- &
		pids+=($!)
	done
	compactor 3>&- &
	pids+=($!)
	sleep "$((ms / 1000))"
	# On a machine with much else to do it may take longer until everybody had a turn.
	eventually everybody_came
	touch stop
	wait "${pids[@]}"
	[ ! -s errors ] || { sort errors | uniq -c | head -20; return 1; }
	mem-check
	cat receipts.* | sed -n 's/.*"verdict":"new","id":"\([^"]*\)".*/\1/p' >ids
	[ "$(mem-get - <ids | wc -l)" = "$(wc -l <ids)" ]
	[ "$(mem-list | wc -l)" = "$(wc -l <ids)" ]
	echo "$(wc -l <ids) records, $(cat reads.* | wc -l) lines read, $(uniq inodes | wc -l) swaps"
}

@test "a stopped writer makes others answer 75 with its number, and hang nobody" {
	echo '{"content":"a"}' | shim SHIM_STOP=1 mem-capture >held 3>&- &
	job=$!
	stopped() {
		writer=$(cut -d' ' -f1 "$MEM_STORE/write.lock")
		[ -n "$writer" ] && [ "$(cut -d' ' -f3 "/proc/$writer/stat")" = T ]
	}
	eventually stopped
	run -75 --separate-stderr mem-capture --wait 300ms <<<'{"content":"b"}'
	[ "$stderr" = "mem-capture: busy: process $writer is writing" ]
	run -1 mem-search a
	run -0 mem-list
	[ -z "$output" ]
	run -0 mem-check
	kill -CONT "$writer"
	wait $job
	grep -q '"verdict":"new"' held
	run -0 mem-capture --wait 300ms <<<'{"content":"b"}'
	[ "$(mem-list | wc -l)" = 2 ]
}

@test "two writers grow the map at once" {
	case $MEM_BUILD in *address*|*thread*) skip "a sanitizer needs the address space" ;; esac
	# Little address space, so that the map begins at twice the file; much to write.
	for w in a b; do
		for i in $(seq 60); do
			printf '{"content":"%s%d %0200000d"}\n' $w "$i" "$i"
		done >in.$w
	done
	for w in a b; do
		(ulimit -v 600000 && exec mem-capture --commit-every 1 --wait 1h) <in.$w >receipts.$w 2>errors.$w 3>&- &
	done
	wait
	cat errors.a errors.b
	[ "$(cat receipts.a receipts.b | grep -c '"verdict":"new"')" = 120 ]
	[ "$(stat -c %s "$MEM_STORE/data.mdb")" -gt 20000000 ]
	mem-check
}

@test "who opens a store beside one that is killed as it opens sees the newest snapshot" {
	case $MEM_BUILD in *address*|*thread*) skip "a sanitizer needs the address space" ;; esac
	echo '{"content":"first"}' >in
	patient
	SHIM_MAP=1 LD_PRELOAD="$BATS_FILE_TMPDIR/shim.so" mem-capture <in >first 2>&1 3>&- &
	writer=$!
	opener_stopped() { [ "$(cut -d' ' -f3 "/proc/$writer/stat")" = T ]; }
	eventually opener_stopped
	mem-list >list 2>&1 3>&- &
	reader=$!
	echo '{"content":"second"}' | mem-capture >second 2>&1 3>&- &
	second=$!
	sleep 0.3
	kill -KILL "$writer"
	wait "$reader"
	wait "$second"
	writer=
	grep -q '"verdict":"new"' second
	[ "$(mem-list | wc -l)" = 1 ]
	mem-check
}

@test "who finds the store closed for a compaction waits, then answers 75" {
	echo '{"content":"a"}' | mem-capture -q
	echo 'store: {wait: 300ms}' >>"$MEM_STORE/config.yaml"
	for lock in store.lock store.gate; do
		exec 8>>"$MEM_STORE/$lock"
		flock -x 8
		run -75 mem-list
		[[ $output == *"busy: '$MEM_STORE' is being compacted or restored" ]]
		run -75 mem-capture <<<'{"content":"b"}'
		exec 8>&-
	done
	run -0 mem-list
	[ ${#lines[@]} = 1 ]
	# It waits no longer than it must.
	echo 'store: {wait: 10m}' >"$MEM_STORE/config.yaml"
	flock -x "$MEM_STORE/store.lock" sleep 0.3 3>&- &
	run -0 mem-list
	wait
}

@test "a compaction that others keep out gives up, and leaves nothing behind" {
	echo '{"content":"a"}' | mem-capture -q
	inode=$(stat -c %i "$MEM_STORE/data.mdb")
	exec 8>>"$MEM_STORE/store.lock"
	flock -s 8
	run -75 --separate-stderr mem-maintain --wait 300ms compact
	[[ $stderr == *"busy: other processes hold '$MEM_STORE' open" ]]
	[ "$(stat -c %i "$MEM_STORE/data.mdb")" = "$inode" ]
	[ ! -e "$MEM_STORE/data.mdb.new" ]
	run -0 mem-list
	exec 8>&-
	# What a killed one left is written over.
	echo rubbish >"$MEM_STORE/data.mdb.new"
	run -0 mem-maintain --wait 300ms compact
	[ "$(stat -c %i "$MEM_STORE/data.mdb")" != "$inode" ]
	[ ! -e "$MEM_STORE/data.mdb.new" ]
	[ "$(mem-list | wc -l)" = 1 ]
	mem-check
}
