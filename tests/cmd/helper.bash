# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For every bats file (`load helper`): an empty folder of its own as the working folder and
# home, a fixed present, a fixed person, the commands of the build under test in PATH.
bats_require_minimum_version 1.5.0

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
: "${MEM_BUILD:=build/release}"
case $MEM_BUILD in /*) ;; *) MEM_BUILD=$TOP/$MEM_BUILD ;; esac
export TOP MEM_BUILD
PATH=$MEM_BUILD/bin:$PATH
export PATH

setup() {
	scratch
}

# A test that sets up more calls this first in its own setup().
scratch() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export HOME=$BATS_TEST_TMPDIR/home USER=ada LOGNAME=ada
	export MEM_NOW=2026-11-28T09:00:00Z
	unset MEM_STORE MEM_AGENT MEM_TEAMS MEM_TASKS MEM_AGENT_ROLE
	mkdir -p "$HOME" work
	cd work || return 1
}

# need_data FOLDER: skips unless MEMKIT_DATA has it.
need_data() {
	[ -d "${MEMKIT_DATA:-/nonexistent}/$1" ] || skip "MEMKIT_DATA/$1 is not there"
}

# need COMMAND: skips unless it was built.
need() {
	[ -x "$MEM_BUILD/bin/$1" ] || skip "$1 is not built"
}

# need_store: a store named by MEM_STORE, and `remember` to fill it.
need_store() {
	mem-init -q "$PWD/store"
	export MEM_STORE=$PWD/store
}

# remember JSON...: captures each event; prints the ids, one a line.
remember() {
	printf '%s\n' "$@" | mem-capture | sed -n 's/.*"id":"\([^"]*\)".*/\1/p'
}
