#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

# A command that opens a store for reading and does nothing else.
look() { mem-log "$@"; }

@test "mem-init makes .mem in the working folder, and says when it is there" {
	run -0 --separate-stderr mem-init
	[ "$output" = "{\"verdict\":\"new\",\"store\":\"$PWD/.mem\"}" ]
	[ -z "$stderr" ]
	[ "$(stat -c %a .mem)" = 700 ]
	[ "$(find .mem -mindepth 1 -printf '%f\n' | LC_ALL=C sort | tr '\n' ' ')" = ".gitignore config.yaml data.mdb store.gate store.lock wake write.lock " ]
	[ -z "$(find .mem -type f ! -perm 600)" ]
	[ "$(cat .mem/.gitignore)" = '*' ]
	sum=$(cat .mem/data.mdb .mem/config.yaml | cksum)
	run -0 mem-init
	[ "$output" = "{\"verdict\":\"unchanged\",\"store\":\"$PWD/.mem\"}" ]
	[ "$sum" = "$(cat .mem/data.mdb .mem/config.yaml | cksum)" ]
	run -0 look
}

@test "mem-init: settings name the maker" {
	mem-init a
	grep -qx 'agent: "ada"' a/config.yaml
	grep -qx 'operators: \["ada"\]' a/config.yaml
	[ "$(grep -c 'ns: global' a/config.yaml)" = 3 ]
	mem-init --agent no b
	grep -qx 'agent: "no"' b/config.yaml
	run -0 look -S b
	MEM_AGENT=from.env mem-init c
	grep -qx 'agent: "from.env"' c/config.yaml
	LOGNAME='odd name' USER=/ mem-init d
	grep -qx "agent: \"uid-$(id -u)\"" d/config.yaml
	run -2 mem-init --agent 'a b' e
	[ ! -e e ]
}

@test "mem-init: DIR, -S, MEM_STORE, --user" {
	run -0 mem-init deep/er/a
	[ -f deep/er/a/data.mdb ]
	run -0 mem-init -S b
	[ -f b/data.mdb ]
	MEM_STORE=$PWD/c run -0 mem-init
	[ -f c/data.mdb ]
	run -0 mem-init --user
	[ -f "$HOME/.local/share/memkit/default/data.mdb" ]
	XDG_DATA_HOME=$PWD/data run -0 mem-init --user
	[ -f data/memkit/default/data.mdb ]
	run -2 mem-init a b
	run -2 mem-init --user x
	run -2 mem-init -S a b
	run -2 mem-init --user -S a
}

@test "mem-init leaves a folder with other things alone" {
	mkdir -m 700 full
	echo x >full/letter
	run -3 mem-init full
	[[ $output == *"'letter'"* ]]
	[ "$(ls -A full)" = letter ]
	mkdir -m 755 empty
	run -0 mem-init empty
	[ "$(stat -c %a empty)" = 700 ]
	echo x >file
	run -3 mem-init file
}

@test "mem-init goes on where a killed run stopped" {
	umask 077
	mkdir -m 700 half half/init.tmp
	echo '*' >half/.gitignore
	: >half/store.gate
	: >half/init.tmp/data.mdb
	run -0 mem-init half
	[ ! -e half/init.tmp ]
	run -0 look -S half
}

@test "mem-init: two at once make one store" {
	for i in 1 2 3 4 5 6; do mem-init s >out.$i & done
	wait
	[ "$(grep -l '"new"' out.* | wc -l)" = 1 ]
	[ "$(grep -l '"unchanged"' out.* | wc -l)" = 5 ]
	run -0 look -S s
}

@test "no store: exit 3, and nothing is made" {
	run -3 look
	[ "$output" = "mem-log: no store here: run mem-init" ]
	run -3 look -S nowhere
	[ "$output" = "mem-log: 'nowhere': no store here: run mem-init" ]
	run -3 mem-init --trust nowhere
	mkdir -m 700 empty
	run -3 look -S empty
	[ "$(find . -mindepth 1)" = ./empty ]
}

@test "a store is found upward, and trusted only where it was made" {
	mem-init
	mkdir -p a/b
	cd a/b
	run -0 look
	cd ../..
	mv .mem other && mv other .mem
	run -0 look
	# Copied, as by a clone: another inode.
	cp -a .mem copy && mkdir clone && mv copy clone/.mem && cd clone
	run -4 look
	[[ $output == *"run mem-init --trust $PWD/.mem" ]]
	run -0 look -S .mem
	MEM_STORE=.mem run -0 look
	run -0 mem-init --trust .mem
	[ "$output" = "{\"verdict\":\"changed\",\"store\":\"$PWD/.mem\"}" ]
	run -0 look
	# Moved: another path.
	cd .. && mv clone moved && cd moved
	run -4 look
}

@test "the untrusted store is refused before its data or settings are read" {
	mem-init
	cp -a .mem copy && mkdir clone && mv copy clone/.mem && cd clone
	[ -x "$(command -v strace)" ] || skip "no strace"
	strace -f -o ../trace -e trace=openat,open "$MEM_BUILD/bin/mem-log" || true
	run ! grep -E 'data\.mdb|lock\.mdb|config\.yaml' ../trace
	grep -q '"trusted"' ../trace
}

@test "looking upward stops at home, at a mount point, at another's folder" {
	mem-init "$HOME/.mem"
	mkdir -p "$HOME/in"
	run -0 env -C "$HOME/in" mem-log
	cd "$HOME"
	rm -rf .mem
	mem-init ../.mem # above home
	run -3 look
	mv ../.mem .mem
	mem-init --trust .mem
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir other mnt
	chown 12345 other
	run -3 env -C other mem-log
	mount -t tmpfs none mnt 2>/dev/null || skip "cannot mount"
	run env -C mnt mem-log
	umount mnt
	[ "$status" = 3 ]
}

@test "owner, mode, links: each refused with 4 before data.mdb is opened" {
	mem-init s
	refused() {
		run -4 look -S "$1"
		[[ $output == *"$2"* ]]
		if [ -x "$(command -v strace)" ]; then # the first of the two proves it
			strace -f -o trace -e trace=openat,open "$MEM_BUILD/bin/mem-log" -S "$1" || true
			run ! grep -E '"[^"]*data\.mdb' trace
		fi
	}
	ln -s s link
	refused link 'symbolic link'
	refused link/ 'symbolic link'
	chmod 777 s && refused s 'open to other users'
	chmod 750 s && refused s 'mode 0750'
	chmod 700 s
	mv s/data.mdb d && ln -s ../d s/data.mdb && refused s 'not a plain file'
	rm s/data.mdb && mv d s/data.mdb
	ln -s /etc/passwd s/lock.mdb && refused s 'not a plain file'
	rm s/lock.mdb
	# Another name of another store's file: what is written would stand in both.
	mem-init other
	cp other/data.mdb before
	for f in data.mdb lock.mdb wake write.lock store.lock; do
		[ ! -e s/$f ] || mv s/$f kept
		ln other/data.mdb s/$f
		refused s 'a hard link'
		rm s/$f
		[ ! -e kept ] || mv kept s/$f
	done
	cmp before other/data.mdb
	ln -s ../other/data.mdb s/maintain.lock
	run -4 mem-maintain -S s
	[[ $output == *"'$PWD/s/maintain.lock' is not a plain file" ]]
	rm s/maintain.lock
	chmod 644 s/data.mdb && refused s 'open to other users'
	chmod 600 s/data.mdb
	run -0 look -S s
	[ "$(id -u)" = 0 ] || skip "the rest needs root"
	chown 12345 s && refused s 'belongs to user 12345'
	chown 0 s && chown 12345 s/config.yaml && refused s 'belongs to user 12345'
}

@test "settings that act, changed after trust: 4, before data.mdb is opened" {
	mem-init s
	echo 'redact: {rules: mine.yaml}' >>s/config.yaml
	run -4 look -S s
	[[ $output == *"run mem-init --trust $PWD/s" ]]
	if [ -x "$(command -v strace)" ]; then
		strace -f -o trace -e trace=openat,open "$MEM_BUILD/bin/mem-log" -S s || true
		run ! grep -E '"[^"]*data\.mdb' trace
	fi
	run -0 mem-init --trust s
	run -0 look -S s
	# Other settings need no trust,
	echo 'capture: {trust: 0.7}' >>s/config.yaml
	run -0 look -S s
	# another value of this one does,
	sed -i 's/mine.yaml/yours.yaml/' s/config.yaml
	run -4 look -S s
	# and none again does not.
	sed -i '/redact/d' s/config.yaml
	run -0 look -S s
	# Without a list nothing that acts is trusted.
	echo 'markers: {rules: mine.yaml}' >>s/config.yaml
	mem-init --trust s
	run -0 look -S s
	run -4 env HOME=/nonexistent "$MEM_BUILD/bin/mem-log" -S s
}

@test "network file systems are refused" {
	cat >fs.c <<'END'
#include <stdlib.h>
#include <sys/vfs.h>
int fstatfs(int fd, struct statfs *s)
{
	(void)fd;
	*s = (struct statfs){ .f_type = strtol(getenv("FS"), NULL, 0) };
	return 0;
}
END
	"${CC:-cc}" -shared -fPIC -o fs.so fs.c
	mem-init s
	export ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0
	for fs in 0x6969=nfs 0xFF534D42=cifs 0xFE534D42=smb 0x01021997=9p 0x65735546=fuse 0x00c36400=ceph; do
		run -4 env LD_PRELOAD="$PWD/fs.so" FS="${fs%=*}" "$MEM_BUILD/bin/mem-log" -S s
		[[ $output == *"is on a ${fs#*=} file system"* ]]
	done
	run -4 env LD_PRELOAD="$PWD/fs.so" FS=0x6969 "$MEM_BUILD/bin/mem-init" t
	[ ! -e t/data.mdb ]
	run -0 env LD_PRELOAD="$PWD/fs.so" FS=0xEF53 "$MEM_BUILD/bin/mem-log" -S s
}

@test "an edited config.yaml may be readable by others, not writable" {
	mem-init s
	chmod 644 s/config.yaml
	run -0 look -S s
	chmod 664 s/config.yaml
	run -4 look -S s
}

@test "a .mem that is a link is refused, one that is a file is passed over" {
	mem-init s
	ln -s s .mem
	run -4 look
	[[ $output == *'symbolic link'* ]]
	rm .mem
	: >.mem
	run -3 look
}

@test "the list of trusted stores must be one's own" {
	mem-init
	list=$HOME/.local/state/memkit/trusted
	[ "$(stat -c %a "$list")" = 600 ]
	chmod 666 "$list"
	run -4 look
	[[ $output == *'not yours alone'* ]]
	chmod 600 "$list"
	run -0 look
	# One line a store, however often it is trusted.
	mem-init --trust .mem
	mem-init --trust .mem
	[ "$(wc -l <"$list")" = 1 ]
}

@test "no HOME, no PATH, no state: a named store works" {
	mem-init s
	run -0 env -i "$MEM_BUILD/bin/mem-log" -S s
	env -i XDG_STATE_HOME=/proc/nowhere "$MEM_BUILD/bin/mem-init" t >out 2>err
	grep -q '"new"' out
	grep -q 'not listed as trusted' err
	run -0 env -i "$MEM_BUILD/bin/mem-log" -S t
}

@test "settings of a store are checked; an operator is needed for all namespaces" {
	mem-init s
	run -0 look -S s --every-namespace
	run -4 look -S s --agent bob --every-namespace
	[[ $output == *'operators'* ]]
	echo 'nonsense: 1' >>s/config.yaml
	run -3 look -S s
	[[ $output == *'nonsense'* ]]
}

@test "a store that lost its data is told so, and an empty one does not hide it" {
	mem-init -q s
	mem-capture -q --lines -S s <<<'a line'
	rm s/data.mdb
	for look in 'mem-log -S s' 'mem-check --repair -S s' 'mem-capture --lines -S s'; do
		# shellcheck disable=SC2086
		run -3 $look <<<'another'
		[ "$output" = "${look%% *}: '$PWD/s/data.mdb' is not there any more: restore a backup" ]
	done
	run -3 mem-init s
	[ ! -e s/data.mdb ]
}

@test "a full disk is named with its place, and what was begun is made whole once there is room" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir small
	mount -t tmpfs -o size=64k,mode=700 none small 2>/dev/null || skip "cannot mount"
	fill_disk || { umount small; return 1; }
	umount small
}

fill_disk() {
	local left
	for left in 0 8 16 24; do
		head -c $((64 - left))K /dev/zero >small/pad
		run -3 mem-init small/s
		echo "$left: $output"
		[[ $output = "mem-init: "*"small/s"*'disk full' && $output != */proc/* ]] || return 1
	done
	rm small/pad
	mount -o remount,size=1m small
	run -0 mem-init -q small/s
	run -0 mem-check -S small/s
}

@test "a file that is no store is refused with reason" {
	mem-init s
	cp s/data.mdb good
	head -c 100000 /dev/urandom >s/data.mdb
	run -3 look -S s
	[[ $output == *'is not a memkit store: restore a backup' ]]
	: >s/data.mdb
	run -3 look -S s
	[[ $output == *'empty'* ]]
	head -c 8192 good >s/data.mdb
	run -3 look -S s
	[[ $output == *'cut short'* ]]
	head -c -4096 good >s/data.mdb
	run -3 look -S s
	[[ $output == *'cut short'* ]]
	cp good s/data.mdb
	run -0 look -S s
}

@test "a read-only mount can be read" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mem-init m/s
	mkdir ro
	mount --bind m ro 2>/dev/null || skip "cannot mount"
	mount -o remount,bind,ro ro || { umount ro; skip "cannot mount read-only"; }
	run mem-log -S ro/s
	read=$status
	run mem-init ro/t
	made=$status
	umount ro
	[ "$read" = 0 ]
	[ "$made" = 3 ]
}

@test "files that a killed run had not put in their place are removed" {
	mkdir -m 700 half
	touch half/{.gitignore,config.yaml,wake}.0123456789abcdef
	mem-init -q --agent bob other
	cp other/{config.yaml,.gitignore,wake} half
	run -0 mem-init half
	grep -qx 'agent: "ada"' half/config.yaml
	run -0 ls -A half
	mem-init -q whole
	[ "$output" = "$(ls -A whole)" ]
	for name in wake.0123456789abcde wake.0123456789abcdefg notes; do
		rm -rf half
		mkdir -m 700 half
		touch half/$name
		run -3 mem-init half
		[[ $output = *"is no store and holds '$name'"* ]]
	done
}

@test "what mem-init did not write is refused by name, and stays" {
	for file in config.yaml .gitignore wake; do
		for text in '' 'agent: bob' $'*\nx' $'agent: "bob"\noperators: ["bob", "eve"]'; do
			rm -rf s
			mkdir -m 700 s
			echo "$text" >s/$file
			cp s/$file before
			run -3 --separate-stderr mem-init s
			[ "$stderr" = "mem-init: '$PWD/s/$file' was not written by mem-init: move it away, and back once the store is made" ]
			cmp before s/$file
			[ ! -e s/data.mdb ]
		done
	done
	mem-init -q other
	sed 's/ada/bob/;s/global/team:x/' other/config.yaml >s/config.yaml
	rm s/wake
	run -3 mem-init s
	rm s/config.yaml
	: >s/config.yaml.bak
	run -3 mem-init s
	[[ $output = *"is no store and holds 'config.yaml.bak'"* ]]
}

@test "folders above a new store are synced, too" {
	command -v strace >/dev/null || skip "no strace"
	strace -f -y -o trace -e trace=mkdirat,fsync mem-init -q one/two/three
	for made in one one/two one/two/three; do
		at=$(grep -n "mkdirat([^ ]*, \"$PWD/$made\"\|mkdirat([^ ]*, \"$made\"" trace | head -1 | cut -d: -f1)
		[ -n "$at" ]
		tail -n +"$at" trace | grep -q "fsync([0-9]*<$(dirname "$PWD/$made")>)"
	done
}
