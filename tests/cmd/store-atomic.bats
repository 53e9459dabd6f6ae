#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A writer that dies or finds the disk full leaves all of a batch or nothing, and every record
# whose receipt was printed.  MEMKIT_KILLS sets how often it is killed (default 200).
load helper

setup_file() {
	"${CC:-cc}" -O1 -shared -fPIC -o "$BATS_FILE_TMPDIR/shim.so" "$BATS_TEST_DIRNAME/../proof/shim.c" -ldl
}

setup() {
	scratch
	need_store
}

# Run $1's events: told apart from all others, numbered, some with an expiry, a session, a ref.
events() { # RUN COUNT
	awk -v run="$1" -v count="$2" 'BEGIN {
		pad = sprintf("%200s", ""); gsub(/ /, "x", pad)
		for (i = 1; i <= count; i++)
			printf "{\"content\":\"run %d event %d %s\",\"session_id\":\"s%d\",\"ref\":\"%d/%d\"}\n", run, i, pad, run, run, i
	}'
}

# Every receipt's record is there, and of each run the events from the first to some last one.
all_there() {
	mem-check
	cat receipts.* | grep '}$' | sed -n 's/.*"verdict":"new","id":"\([^"]*\)".*/\1/p' >ids
	mem-get - <ids >got
	[ "$(wc -l <got)" = "$(wc -l <ids)" ]
	mem-list | sed -n 's/.*"content":"run \([0-9]*\) event \([0-9]*\) x*".*/\1 \2/p' >there
	[ "$(wc -l <there)" = "$(mem-list | wc -l)" ]
	awk '{ if ($2 != last[$1] + 1) { print "run " $1 ": " $2 " behind " last[$1] + 0; bad = 1 } last[$1] = $2 } END { exit bad }' there
}

@test "a writer killed 200 times at random points" {
	kills=${MEMKIT_KILLS:-200} died=0 run=0
	while [ $died -lt "$kills" ]; do
		run=$((run + 1))
		[ $run -le $((kills * 3)) ] || { echo "only $died of $run died"; return 1; }
		every=$((run % 7 + 1)) st=0
		if [ $((run % 2)) = 0 ]; then
			# At a random moment,
			events "$run" 1500 >in
			mem-capture --commit-every "$every" <in >"receipts.$run" 2>err &
			pid=$!
			sleep "0.0$((RANDOM % 90 + 10))"
			kill -KILL $pid 2>/dev/null || true
		else
			# and between two writes of a random commit.
			events "$run" 60 >in
			ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 LD_PRELOAD=$BATS_FILE_TMPDIR/shim.so \
				SHIM_DATA=$MEM_STORE/data.mdb SHIM_KILL=$((RANDOM % 60 + 1)) \
				mem-capture --commit-every "$every" <in >"receipts.$run" 2>err &
			pid=$!
		fi
		wait $pid 2>/dev/null || st=$?
		[ $st = 0 ] || [ $st = 137 ] || { echo "run $run: $st: $(cat err)"; return 1; }
		[ $st = 0 ] || died=$((died + 1))
		[ $((run % 10)) != 0 ] || mem-check
	done
	echo "$died of $run died, $(cat receipts.* | wc -l) receipts"
	all_there
	# The store goes on.
	events 0 3 | mem-capture >receipts.0
	all_there
}

@test "disk full: told so, nothing half there, and it goes on once there is room" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir small
	mount -t tmpfs -o size=1500k,mode=700 none small 2>/dev/null || skip "cannot mount"
	full_disk || { umount small; return 1; }
	umount small
}

full_disk() {
	local st=0
	rm -rf "$MEM_STORE"
	mem-init -q small/s || return 1
	export MEM_STORE=$PWD/small/s
	events 1 20 | mem-capture >receipts.1 || return 1
	events 2 5000 | mem-capture --commit-every 8 >receipts.2 2>err || st=$?
	if [ $st != 3 ]; then echo "status $st: $(cat err)"; return 1; fi
	grep -q 'disk full' err || { cat err; return 1; }
	all_there || return 1
	[ "$(wc -l <there)" -gt 20 ] || return 1
	# Reading goes on, also by a process that comes only now, and writing says the same again.
	mem-search event -n 1 >hits || return 1
	[ -s hits ] || return 1
	st=0
	events 3 5000 | mem-capture >receipts.3 2>err || st=$?
	[ $st = 3 ] && grep -q 'disk full' err || return 1
	mount -o remount,size=8m small || return 1
	events 4 100 | mem-capture >receipts.4 || return 1
	all_there && grep -q '^4 100$' there
}

@test "a limit of file sizes is told as one, and which task it holds up" {
	events 1 20 | mem-capture -q --no-embed
	limit=$(($(stat -c %s "$MEM_STORE/data.mdb") / 1024 + 8))
	limited() { (ulimit -f "$limit"; "$@"); }
	events 2 5000 >more.ndjson
	run -3 --separate-stderr limited mem-capture -q --no-embed <more.ndjson
	[[ $stderr = *"its file may not grow further: raise the limit of file sizes (ulimit -f)" ]]
	run -3 --separate-stderr limited mem-maintain
	[[ $stderr =~ 'mem-maintain: '[a-z]+': cannot commit in '.*'its file may not grow further' ]]
	mem-check
}

@test "a repair for which the disk is full changes nothing, and works once there is room" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir small
	mount -t tmpfs -o size=16m,mode=700 none small 2>/dev/null || skip "cannot mount"
	repair_on_full_disk || { umount small; return 1; }
	umount small
}

repair_on_full_disk() {
	local st=0
	rm -rf "$MEM_STORE"
	mem-init -q small/s || return 1
	export MEM_STORE=$PWD/small/s
	events 1 3000 | mem-capture -q || return 1
	mem-list >list; mem-search event -n 20 >hits
	# So much room as a copy needs, or less, down to none: the copy, or what is built in it, does not fit.
	for share in 2 4 8 100; do
		size=$(stat -c %s "$MEM_STORE/data.mdb")
		head -c $(($(df --output=avail -B1 small | tail -1) - size / share)) /dev/zero >small/fill
		st=0
		mem-check --repair 2>err || st=$?
		if [ $st != 3 ]; then echo "1/$share: status $st: $(cat err)"; return 1; fi
		grep -q 'disk full' err || { cat err; return 1; }
		[ ! -e "$MEM_STORE/data.mdb.new" ] || return 1
		rm small/fill
		mem-check && mem-list | cmp - list && mem-search event -n 20 | cmp - hits || return 1
		events 1 3000 | mem-capture | grep -c '"verdict":"duplicate"' | grep -qx 3000 || return 1
	done
	mem-check --repair || return 1
	mem-list | cmp - list && mem-search event -n 20 | cmp - hits
}
