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
	# No models, settings or stores but those of the test.
	unset MEM_STORE MEM_AGENT MEM_TEAMS MEM_TASKS MEM_AGENT_ROLE MEM_KERNEL "${!XDG_@}"
	mkdir -p "$HOME" work
	cd work || return 1
}

# with_lock_hook VAR=VALUE... COMMAND...: the command under tests/proof/lock_hook.c.
with_lock_hook() {
	[ -e lock_hook.so ] || "${CC:-cc}" -O1 -shared -fPIC -o lock_hook.so "$TOP/tests/proof/lock_hook.c"
	env ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" LD_PRELOAD="$PWD/lock_hook.so" "$@"
}

# need_data FOLDER: skips unless MEMKIT_DATA has it.
need_data() {
	[ -d "${MEMKIT_DATA:-/nonexistent}/$1" ] || skip "MEMKIT_DATA/$1 is not there"
}

# need_model NAME: that model, as it is installed on this machine; skips when it is not.
need_model() {
	local models=${MEMKIT_MODELS:-/nonexistent}
	[ -f "$models/$1.model" ] || skip "model $1 is not installed"
	mkdir -p "$HOME/.local/share/memkit"
	[ -e "$HOME/.local/share/memkit/models" ] || ln -s "$models" "$HOME/.local/share/memkit/models"
}

# random_model: the random model (tests/data/random-model) installed as minilm, for tests that multiply on any machine.
random_model() {
	local made=$BATS_FILE_TMPDIR/random_model
	if [ ! -d "$made" ]; then
		mkdir "$made"
		"${CC:-cc}" -O1 -I "$TOP/tests/unit" -x c -o "$made/write" - <<-'END'
			#include "random_model.h"
			int main(void) { return random_write_weights("random.safetensors") != 0 || random_write_words("vocab.txt") != 0; }
		END
		(cd "$made" && ./write)
	fi
	mem-model -q --model minilm --unverified install "$made/random.safetensors"
}

# embed_server BEHAVIOUR...: a server of embeddings (tests/proof/embed_server.c) that the person's settings name;
# its requests are in ./requests.  Its vectors count words.
embed_server() {
	local bin=$BATS_FILE_TMPDIR/embed_server port=
	[ -x "$bin" ] || "${CC:-cc}" -O1 -o "$bin" "$TOP/tests/proof/embed_server.c"
	: > requests
	: > port # on a busy machine the server comes later than the first look
	"$bin" requests "$@" > port 3>&- &
	embed_servers+=" $!"
	while [ -z "$port" ]; do sleep 0.02; port=$(<port); done
	mkdir -p "$HOME/.config/memkit"
	echo "embed: {url: 'http://127.0.0.1:$port', model: words${embed_more-}}" > "$HOME/.config/memkit/config.yaml"
}

embed_servers_stop() {
	# shellcheck disable=SC2086
	[ -z "${embed_servers-}" ] || kill $embed_servers
	embed_servers=
}

teardown() {
	embed_servers_stop
}

# eventually COMMAND...: waits until it succeeds; fails when it never does, which no load of a machine may look like.
eventually() {
	local end=$((SECONDS + 300))
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "never: $*"; return 1; }
		sleep 0.05
	done
}

# lines_in FILE N: has it so many lines?
lines_in() { [ "$(wc -l <"$1")" -ge "$2" ]; }

# gone PID: has that process ended?
gone() { ! kill -0 "$1" 2>/dev/null; }

# has_open PID NAME: has that process a file of this name open?
has_open() { readlink /proc/"$1"/fd/* | grep -q "/$2\$"; }

# queries_logged N [OPTION...]: are so many queries in the log, and has who wrote the last of them let go of the store?  The log is
# written by a process that nobody waits for, and that waits for nobody.
queries_logged() {
	[ "$(mem-list "${@:2}" --kind query | wc -l)" -ge "$1" ] && flock -n -s "$MEM_STORE/write.lock" true
}

# patient: who waits for the store does not give up because the machine is busy.
patient() { echo 'store: {wait: 10m}' >>"$MEM_STORE/config.yaml"; }

# make_old: all below this folder gets one old time, so that make finds newer what is written next, however coarse
# the clock of files is.
make_old() {
	find . -exec touch -h -d 2020-01-01 {} +
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
