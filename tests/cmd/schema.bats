#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A store of an older schema: each command that opens it says what to do.
load helper

setup() {
	scratch
	need mem-capture
	need_store
	remember '{"content":"tea at four"}' >/dev/null
}

# set_schema BYTE: behind the magic and the mark of byte order in each copy of the format's row.
set_schema() {
	local at
	while read -r at; do
		# shellcheck disable=SC2059
		printf "$1" | dd of="$MEM_STORE/data.mdb" bs=1 seek=$((at + 12)) conv=notrunc status=none
	done < <(LC_ALL=C grep -aboP 'memkit\x00\x00\x04\x03\x02\x01' "$MEM_STORE/data.mdb" | cut -d: -f1)
}

@test "a store of schema 1 is refused by every command, with the way out" {
	set_schema '\x01'
	told="$MEM_STORE has schema 1: export it with the memkit that made it, then mem-import into a new store"
	for c in "mem-audit" "mem-backup $PWD/b" "mem-capture" "mem-check" "mem-check --repair" "mem-embed --pending" "mem-export" \
		"mem-get x" "mem-import" "mem-init $MEM_STORE" "mem-list" "mem-log" "mem-log -f" "mem-maintain" "mem-maintain upgrade" "mem-search tea" "mem-stat"; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr $c <<<'{"content":"x"}'
		[ -z "$output" ]
		[ "$stderr" = "${c%% *}: $told" ]
	done
	[ ! -e b ]
}

@test "a store of a schema to come asks for another memkit" {
	set_schema '\x09'
	run -3 --separate-stderr mem-list
	[[ $stderr == "mem-list: '$MEM_STORE' was written by a newer memkit"* ]]
}
