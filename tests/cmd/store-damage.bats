#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Bits turn over on the disk: in values and keys of every table, in the pages' own headers and slots, in the list of free
# pages and in the page where all begins.  tests/proof/store_flip.c chooses one for each seed.
#
#   DAMAGE_FLIPS=500   so many, seeds 1 and up (40 as it stands); DAMAGE_TABLE=FILE gets what each command came to
#   DAMAGE_EACH=10     so many of the keys of each table, and of its values (1 as it stands)
load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	export HOME=$PWD/home USER=ada LOGNAME=ada MEM_NOW=2026-11-28T09:00:00Z MEM_STORE=$PWD/sound
	unset MEM_AGENT MEM_TEAMS MEM_TASKS MEM_AGENT_ROLE
	mkdir "$HOME"
	"${CC:-cc}" -O1 -o store_flip "$TOP/tests/proof/store_flip.c"
	"${CC:-cc}" -O1 -shared -fPIC -o fixed_random.so "$TOP/tests/proof/fixed_random.c"
	random_model
	mkdir -p "$HOME/.config/memkit"
	echo 'embed: {model: minilm}' >"$HOME/.config/memkit/config.yaml"
	# Every run has the same pages.
	(
		export ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" LD_PRELOAD=$PWD/fixed_random.so
		fill_store
	)
	measure_sound
}

# Vectors and codes of word pieces, in a segment and in none; of some the nodes are erased.
fill_vectors() {
	seq 270 | sed 's/.*/{"content":"number & has a vector"}/' | mem-capture -q --embed
	mem-maintain index
	for i in 1 2; do
		seq 25 | sed "s/.*/{\"content\":\"number $i& has a vector in no segment\"}/" | mem-capture -q
	done
	mem-search -m keyword -n 8 vector number | jq -r .id | xargs mem-forget -q --erase
}

# A store that has rows in every table, large values and branches in some.
fill_store() {
	local i ids
	mem-init -q "$MEM_STORE"
	fill_vectors
	seq 200 | sed 's/.*/{"kind":"entity","entity_type":"place","name":"Harbour & of the North"}/' | kg-node -q add
	seq 1200 | awk '{ printf "{\"content\":\"event %d tells of tea and %d cups\",\"session_id\":\"s%d\",\"ref\":\"r%d\"%s}\n", $1, $1 * 7919 % 1000,
		$1 % 40, $1, $1 % 20 ? "" : ",\"expires_at\":\"2027-03-01T00:00:00Z\"" }' | mem-capture -q --no-embed
	for i in 1 2 3; do
		echo "{\"content\":\"long $i $(seq 3000 | tr '\n' ' ')\"}"
	done | mem-capture -q --no-embed
	mem-list --limit 500 | jq -r .id > some
	for i in 1 2 3 4; do # the log's last 4096 rows are never packed
		xargs mem-pin -q < some
		xargs mem-pin -q --off < some
	done
	mem-maintain index pack
	mapfile -t ids < <(mem-list --limit 30 | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
	[ ${#ids[@]} = 30 ]
	for i in "${ids[@]}"; do echo "{\"content\":\"what is said instead of $i\",\"supersedes\":\"$i\"}"; done | mem-capture -q --no-embed
	mapfile -t ids < <(mem-list --limit 400 | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
	printf '%s\n' "${ids[@]}" > ids
	mem-export > whole
	rm sound/lock.mdb
	# All that memkit knows of are there.
	./store_flip tables sound/data.mdb | grep -v '^(' | sort > named
	grep -o '\[MEM_T_[A-Z]*\] = "[a-z]*"' "$TOP/lib/store/store_format.c" | cut -d '"' -f 2 | sort | diff - named
}

# What reads the store, in words for run_limited.
readers='mem-list --limit 9999|mem-list --session s3|mem-export|kg-edge list --all|kg-node list --limit 500|mem-get -|mem-get -r r777|mem-log|mem-audit|mem-stat'
readers+='|mem-search -m keyword --limit 20 tea|mem-search -m vector --limit 20 number vector'

measure_sound() {
	local reader
	run_limited mem-check
	[ "$status" = 0 ]
	[ ! -s out ]
	echo "$ms $kib" > limits
	mkdir said
	while read -r reader; do
		# shellcheck disable=SC2086
		run_limited $reader < ids
		[ "$status" = 0 ]
		[ -s out ]
		[ ! -s err ]
		cp out "said/$reader"
		echo "$kib" > "said/$reader.kib"
	done < <(tr '|' '\n' <<<"$readers")
	[ "$(wc -l < 'said/mem-get -')" = 400 ]
}

setup() {
	scratch
	export MEM_STORE=$PWD/s
	cp -r "$BATS_FILE_TMPDIR/sound" s
	read -r sound_ms sound_kib < "$BATS_FILE_TMPDIR/limits"
	flips=${DAMAGE_FLIPS:-40}
}

# run_limited COMMAND...: in files out and err; sets $status, $ms of the processor, $kib.  Over five minutes is 124.
run_limited() {
	"$BATS_FILE_TMPDIR/store_flip" run 300 "$@" > out 2> err 3> limit
	read -r status ms kib < limit
}

# flip SEED [TABLE PLACE]: into the sound store; sets $place.  Fails where the table has no such place.
flip() {
	cp "$BATS_FILE_TMPDIR/sound/data.mdb" s/data.mdb
	rm -f s/lock.mdb
	place=$("$BATS_FILE_TMPDIR/store_flip" flip s/data.mdb "$@")
}

# blame WORDS...: counts one for the end of the test.
blame() {
	echo "seed $seed: $place: $*: status $status, $ms ms, $kib KiB: $(head -n 1 out) $(head -n 1 err)"
	faults=$((faults + 1))
}

# A key of a branch only has to separate what is on its left from what is on its right: one that still does changes nothing.
check_damaged() {
	run_limited mem-check
	case $status:$place in
	0:*' slack '*|0:*' branch-key '*) ;;
	1:*) [ -s out ] || blame "says nothing" ;;
	3:*) [ -s err ] || blame "says nothing" ;;
	*) blame "is not found" ;;
	esac
	[ "$kib" -le $((sound_kib + 65536)) ] || blame "takes memory"
	[ "$ms" -le $((3 * sound_ms + 1000)) ] || is_quick_again || blame "takes time"
}

# What takes time by itself takes it whenever it is tried.
is_quick_again() {
	for _ in {1..9}; do
		run_limited mem-check
		[ "$ms" -gt $((3 * sound_ms + 1000)) ] || return 0
	done
	return 1
}

@test "mem-check finds each bit that anything reads, and takes no more for it" {
	faults=0
	for seed in $(seq "$flips"); do
		flip "$seed"
		check_damaged
	done
	[ $faults = 0 ]
}

# same_as_before: is it sound, with all that was in it?
same_as_before() {
	mem-check > checked 2>&1 && [ ! -s checked ] && mem-export 2>/dev/null | cmp -s - "$BATS_FILE_TMPDIR/whole"
}

repair_damaged() {
	run_limited mem-check --repair
	case $place in
	attr\ *|code\ *|dup\ *|due\ *|id\ *|in\ *|name\ *|ns\ *|pend\ *|piece\ *|ref\ *|row\ *|seg\ *|segs\ *|sess\ *|tail\ *|tomb\ *|'(free) '*|*' slack '*)
		[ "$status" = 0 ] || blame "is not mended"
		same_as_before || blame "is not what it was" ;;
	*)
		[ "$status" -le 3 ] || blame "ends badly"
		[ "$status" != 0 ] || same_as_before || blame "is not what it was"
		[ "$status" = 0 ] || [ -s out ] || [ -s err ] || blame "says nothing" ;;
	esac
}

@test "--repair mends all that is derived, and says of the rest that it cannot" {
	faults=0
	for seed in $(seq "$flips"); do
		flip "$seed"
		repair_damaged
	done
	[ $faults = 0 ]
}

# read_damaged READER: it ends by itself, and prints what it printed of the sound store, or says that it does not.
read_damaged() {
	local said=$BATS_FILE_TMPDIR/said/$1
	# shellcheck disable=SC2086
	run_limited $1 < "$BATS_FILE_TMPDIR/ids"
	[ -z "${DAMAGE_TABLE-}" ] || echo "$place|$1|$status|$ms|$kib" >> "$DAMAGE_TABLE"
	[ "$status" -le 4 ] || blame "$1 ends badly"
	[ "$kib" -le $(($(<"$said.kib") + 65536)) ] || blame "$1 takes memory"
	[ "$1" != mem-stat ] || return 0 # it counts what there is
	if [ "$status" = 0 ]; then
		cmp -s out "$said" || blame "$1 serves it in silence"
	elif ! awk 'NR == FNR { said[$0] = 1; next } !($0 in said) { print; wrong = 1 } END { exit wrong }' "$said" out > wrong; then
		blame "$1 prints what was never there: $(head -c 100 wrong)"
	fi
}

use_damaged() {
	while read -r reader; do
		read_damaged "$reader"
	done < <(tr '|' '\n' <<<"$readers")
	run_limited mem-capture --no-embed <<<'{"content":"one more","session_id":"s3","ref":"r7"}'
	[ "$status" -le 4 ] || blame "mem-capture ends badly"
	[ -z "${DAMAGE_TABLE-}" ] || echo "$place|mem-capture|$status|$ms|$kib" >> "$DAMAGE_TABLE"
}

@test "readers print what is right, or say that it is not all; writers end by themselves" {
	faults=0
	for seed in $(seq "$flips"); do
		flip "$seed"
		use_damaged
	done
	[ $faults = 0 ]
}

@test "the same of a key and of a value of each table" {
	faults=0
	while read -r table; do
		for what in key value large-value; do
			for seed in $(seq "${DAMAGE_EACH:-1}"); do
				flip "$seed" "$table" "$what" || break
				check_damaged
				use_damaged
				flip "$seed" "$table" "$what"
				repair_damaged
			done
		done
	done < "$BATS_FILE_TMPDIR/named"
	[ $faults = 0 ]
}

# Of 500 flips these two ended a writer by a signal: LMDB moves about in memory what a page's header says.
@test "a writer looks at the page where a row goes, and at the list of free pages, before LMDB changes them" {
	faults=0
	for table in ns '(free)' log dup meta; do
		for what in bounds flags number; do
			for seed in 1 2 3; do
				flip "$seed" "$table" "$what"
				run_limited mem-capture --no-embed <<<'{"content":"one more","session_id":"s3","ref":"r7"}'
				[ "$status" -le 4 ] || blame "mem-capture ends badly"
			done
		done
	done
	[ $faults = 0 ]
}
