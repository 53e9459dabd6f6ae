#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A file that is mapped loses its end while it is read: a word and exit 3, not a signal.
load helper

setup() {
	scratch
	need_store
	told="the store is damaged: run mem-check, or restore a backup"
}

# held COMMAND...: runs it in the background with its output held back by a pipe that nobody reads yet; $held is its
# process.  let_go reads it all into file out and sets $status; its messages are in file err.
held() {
	mkfifo pipe
	"$@" > pipe 2> err 3>&- &
	held=$!
	exec 7< pipe
	read -r -u 7 first
}

let_go() {
	status=0
	{ printf '%s\n' "$first"; cat <&7; } > out
	wait "$held" || status=$?
}

@test "data.mdb cut short under a reader: exit 3, and what was printed are whole lines of the store's" {
	seq 20000 | sed 's/^/a line that is somewhat longer than its number /' | mem-capture -q --no-embed --lines
	mem-export > whole
	held mem-export
	truncate -s 65536 store/data.mdb
	let_go
	[ "$status" = 3 ]
	[ "$(<err)" = "mem-export: '$PWD/store': $told" ]
	[ "$(wc -l < out)" -ge 1 ]
	[ "$(wc -l < out)" -lt 20000 ]
	cmp <(head -n "$(wc -l < out)" whole) out
}

@test "so with requests that processes of their own answer" {
	seq 20000 | sed 's/^/a line that is somewhat longer than its number /' | mem-capture -q --no-embed --lines
	mkfifo asked
	mem-search --queries - < asked > out 2> err 3>&- &
	held=$!
	exec 8> asked
	echo '{"query":"line"}' >&8
	eventually grep -q '"end"' out
	truncate -s 65536 store/data.mdb
	seq 8 | sed 's/.*/{"query":"somewhat longer"}/' >&8 2>/dev/null || true # it may have ended
	exec 8>&-
	status=0
	wait $held || status=$?
	[ "$status" = 3 ]
	grep -q "store is damaged\|cut short" err
}

@test "a fault that no store has to do with ends as it always did" {
	seq 20000 | sed 's/^/a line that is somewhat longer than its number /' | mem-capture -q --no-embed --lines
	for signal in SEGV BUS; do
		rm -f pipe
		held mem-export
		kill -$signal "$held"
		let_go
		[ "$status" -gt 128 ]
		run -1 grep -q damaged err
	done
}

@test "a model file that is cut short in use gets a word" {
	random_model
	mkfifo texts
	mem-embed --model minilm < texts > out 2> err 3>&- &
	held=$!
	exec 8> texts
	echo '{"content":"one"}' >&8
	eventually lines_in out 1
	truncate -s 4096 "$HOME"/.local/share/memkit/models/minilm.model
	echo '{"content":"two"}' >&8
	exec 8>&-
	status=0
	wait $held || status=$?
	[ "$status" = 3 ]
	[[ $(<err) == "mem-embed: '$HOME/.local/share/memkit/models/minilm.model': the model file changed while in use"* ]]
	[ "$(wc -l < out)" = 1 ]
}
