#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	mem-init -S "$PWD/s" >/dev/null
	export MEM_STORE=$PWD/s
	mem-capture -q --lines < <(seq 1000)
}

@test "the copy is a store of its own, with settings and everything in it" {
	run -0 mem-backup copy
	[ "$(jq -r .store <<<"$output")" = "$PWD/copy" ]
	[ "$(jq -r .bytes <<<"$output")" = "$(stat -c %s copy/data.mdb)" ]
	[ "$(stat -c %a copy)" = 700 ]
	cmp s/config.yaml copy/config.yaml
	cmp <(mem-export) <(mem-export -S copy)
	run -0 mem-check -S copy
	mem-capture -q --lines -S copy <<<'only in the copy'
	run -0 mem-search 'only copy' -S copy
	run -1 mem-search 'only copy'
}

@test "writers go on meanwhile, and the copy is one moment" {
	patient
	for i in 1 2 3; do
		(for n in $(seq 5); do seq $((i * 10000 + n * 100)) $((i * 10000 + n * 100 + 99)) | mem-capture -q --lines; done) &
	done
	for n in 1 2 3; do
		mem-backup -q "copy$n"
		run -0 mem-check -S "copy$n"
	done
	wait
	[ "$(mem-export | wc -l)" = 2500 ]
}

@test "a folder that is there, or one that cannot be made, is refused and nothing is left" {
	mkdir there
	: >there/file
	run -3 mem-backup there
	[[ $output = *'is there already'* ]]
	run -3 mem-backup no/such/place
	[ "$(ls)" = $'s\nthere' ]
	# An empty one is what somebody made for it.
	rm there/file
	mem-backup -q there
	mem-check -S there
	mkdir again
	mem-backup -q --replace again/
	mem-check -S again
	[ "$(ls)" = $'again\ns\nthere' ]
	run -2 mem-backup
}

@test "a full device is a failure, though the copy is there" {
	run -3 bash -c 'mem-backup copy >/dev/full'
	run -0 mem-check -S copy
}

# break_pages BYTE: fills each page in which a text stands with that byte; some of them are free.
break_pages() {
	local at
	while IFS=: read -r at _; do
		head -c 4096 /dev/zero | tr '\0' "$1" | dd of=s/data.mdb bs=4096 seek=$((at / 4096)) conv=notrunc status=none
	done < <(grep -abo 'line number 700 of' s/data.mdb)
}

@test "a store with damaged pages is neither copied nor compacted, and the older copy stays" {
	seq 2000 | sed 's/.*/line number & of many/' | mem-capture -q --no-embed --lines
	mem-backup -q copy
	cp -r s sound
	for byte in '\0' '\252' '\377'; do
		cp sound/data.mdb s/data.mdb
		break_pages "$byte"
		inode=$(stat -c %i s/data.mdb)
		run -3 --separate-stderr mem-backup -q --replace copy
		[ "$stderr" = "mem-backup: '$PWD/s' has damaged pages and is not copied: run mem-check --repair" ]
		run -3 --separate-stderr mem-maintain compact
		[ "$stderr" = "mem-maintain: '$PWD/s' has damaged pages and is not copied: run mem-check --repair" ]
		[ "$(stat -c %i s/data.mdb)" = "$inode" ]
	done
	run -0 mem-check -S copy
	[ "$(ls)" = $'copy\ns\nsound' ]
}

@test "damaged values replace no older copy, and a copy that has them says so" {
	mem-capture -q --no-embed --lines <<<'what is told at noon'
	mem-backup -q copy
	mem-capture -q --no-embed --lines <<<'a later line'
	while IFS=: read -r at _; do
		printf N | dd of=s/data.mdb bs=1 seek=$((at + 16)) conv=notrunc status=none
	done < <(grep -abo 'what is told at noon' s/data.mdb)
	run -3 --separate-stderr mem-backup --replace copy
	[ -z "$output" ]
	[ "$stderr" = "mem-backup: '$PWD/s' holds 1 damaged values, and the copy in 'copy' stays: run mem-check, or copy to another folder" ]
	run -0 mem-check -S copy
	run -0 mem-search -S copy noon
	run -3 --separate-stderr mem-backup other
	[ "$(jq -r .store <<<"$output")" = "$PWD/other" ]
	[ "$stderr" = "mem-backup: '$PWD/s' holds 1 damaged values, and so does the copy: run mem-check" ]
	run -0 mem-search -S other 'a later line'
	[ "$(ls)" = $'copy\nother\ns' ]
}

@test "a full disk of copies is told from one of the store, and the older copy stays" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir small
	mount -t tmpfs -o size=3m,mode=700 none small 2>/dev/null || skip "cannot mount"
	fill_disk || { umount small; return 1; }
	umount small
}

fill_disk() {
	mem-backup -q small/copy || return 1
	seq 8000 | sed 's/.*/line number & of many/' | mem-capture -q --no-embed --lines
	run -3 mem-backup --replace small/copy
	[ "$output" = "mem-backup: cannot copy the data of '$PWD/s': the disk that the copy is on is full" ] || return 1
	mount -o remount,size=6m small
	run -0 mem-check -S small/copy
	[ "$(ls small)" = copy ]
}

@test "--replace puts the copy in the place of an older one, and takes only copies" {
	run -0 mem-backup --replace copy
	mem-capture -q --lines <<<'a later line'
	run -0 mem-backup --replace copy
	[ "$(jq -r .store <<<"$output")" = "$PWD/copy" ]
	run -0 mem-search -S copy 'later line'
	[ "$(ls -A)" = $'copy\ns' ]
	mem-search -S copy later >/dev/null # which leaves lock files there
	run -0 mem-backup -q --replace copy/
	[ "$(ls -A)" = $'copy\ns' ]
	# What is no copy, or holds more, stays as it is.
	mkdir notes; echo mine > notes/list
	run -3 mem-backup --replace notes
	[[ $output = *"'notes' is not replaced: it is no store"* ]]
	echo mine > copy/list
	run -3 mem-backup --replace copy
	[[ $output = *"it holds 'list', which is no file of a store"* ]]
	[ "$(<copy/list)" = mine ]
	run -3 mem-backup --replace s
	[[ $output = *'is the store itself'* ]]
	ln -s copy link; rm copy/list
	run -3 mem-backup --replace link
	[ -L link ]
	[ "$(ls -A)" = $'copy\nlink\nnotes\ns' ]
	run -0 mem-check
}

@test "--replace: the old copy stands until the new one does, whenever it is killed" {
	mem-backup -q copy
	for ms in 1 2 4 6 8 10 12 15 18 22 26 30; do
		mem-backup -q --replace copy & pid=$!
		sleep "$(printf 0.%03d $ms)"
		kill -KILL $pid || true
		wait $pid || true
		run -0 mem-check -S copy
		[ "$(mem-export -S copy | wc -l)" = 1000 ]
	done
}

@test "what killed runs left is removed by the next backup of that name, and nothing else" {
	mem-backup -q b
	for name in b.0123abcd.tmp b.ffffffff.tmp b.20261128 b.0123abcd.tmpx c.0123abcd.tmp b.00000001.tmp b.00000002.tmp; do cp -a b $name; done
	echo mine >b.00000001.tmp/mine
	ln -s c.0123abcd.tmp b.00000003.tmp
	exec 7<b.00000002.tmp
	flock 7
	mem-backup -q --replace b 7<&-
	[ "$(printf '%s\n' b.* c.* | sort | xargs)" = 'b.00000001.tmp b.00000002.tmp b.00000003.tmp b.0123abcd.tmpx b.20261128 c.0123abcd.tmp' ]
	exec 7<&-
	mem-check -S b
	mem-check -S c.0123abcd.tmp
	# Those that were killed while they began.
	mkdir -m 700 b.0123abcd.tmp b.0123abce.tmp
	printf '*\n' >b.0123abcd.tmp/.gitignore.0123456789abcdef
	printf '*\n' | tee b.0123abce.tmp/.gitignore >b.0123abce.tmp/config.yaml.0123456789abcdef
	mem-backup -q --replace b
	[ "$(echo b.0123abc?.tmp)" = 'b.0123abc?.tmp' ]
	# One that is killed while it copies.
	strace -f -o trace -e trace=fsync -e inject=fsync:signal=KILL:when=6 mem-backup -q d || true
	[ "$(echo d.*)" = "$(echo d.????????.tmp)" ]
	mem-backup -q d
	[ "$(echo d.*)" = 'd.*' ]
}
