#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Bits turn over on the disk: in values and keys of every table, in the pages' own headers and slots, in the list of free
# pages and in the page where all begins.  tests/proof/store_flip.c chooses one for each seed.
#
#   DAMAGE_FLIPS=500   so many, seeds 1 and up (100 as it stands)
load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	export HOME=$PWD/home USER=ada LOGNAME=ada MEM_NOW=2026-11-28T09:00:00Z MEM_STORE=$PWD/sound
	unset MEM_AGENT MEM_TEAMS MEM_TASKS MEM_AGENT_ROLE
	mkdir "$HOME"
	"${CC:-cc}" -O1 -o store_flip "$TOP/tests/proof/store_flip.c"
	random_model
	fill_store
	measure_sound
}

# A store that has rows in every table, large values and branches in some.
fill_store() {
	local i ids
	mem-init -q "$MEM_STORE"
	for i in 1 2 3; do
		for n in $(seq 25); do echo "{\"content\":\"number $i$n has a vector\"}"; done | mem-capture -q
	done
	seq 4200 | awk '{ printf "{\"content\":\"event %d tells of tea and %d cups\",\"session_id\":\"s%d\",\"ref\":\"r%d\"%s}\n", $1, $1 * 7919 % 1000,
		$1 % 40, $1, $1 % 50 ? "" : ",\"expires_at\":\"2027-03-01T00:00:00Z\"" }' | mem-capture -q --no-embed
	for i in 1 2 3; do
		echo "{\"content\":\"long $i $(seq 3000 | tr '\n' ' ')\"}"
	done | mem-capture -q --no-embed
	mapfile -t ids < <(mem-list --limit 30 | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
	[ ${#ids[@]} = 30 ]
	for i in "${ids[@]}"; do echo "{\"content\":\"what is said instead of $i\",\"supersedes\":\"$i\"}"; done | mem-capture -q --no-embed
	rm sound/lock.mdb
	mem-export > whole
	rm sound/lock.mdb
}

measure_sound() {
	run_limited mem-check
	[ "$status" = 0 ] && [ ! -s out ]
	echo "$ms $kib" > limits
}

setup() {
	scratch
	export MEM_STORE=$PWD/s
	cp -r "$BATS_FILE_TMPDIR/sound" s
	read -r sound_ms sound_kib < "$BATS_FILE_TMPDIR/limits"
	flips=${DAMAGE_FLIPS:-100}
}

# run_limited COMMAND...: in files out and err; sets $status, $ms, $kib.  Over 10 s is 124.
run_limited() {
	"$BATS_FILE_TMPDIR/store_flip" run 10 "$@" > out 2> err 3> limit
	read -r status ms kib < limit
}

# flip SEED: into the sound store; sets $place.
flip() {
	cp "$BATS_FILE_TMPDIR/sound/data.mdb" s/data.mdb
	rm -f s/lock.mdb
	place=$("$BATS_FILE_TMPDIR/store_flip" flip s/data.mdb "$1")
}

# blame WORDS...: counts one for the end of the test.
blame() {
	echo "seed $seed: $place: $*: status $status, $ms ms, $kib KiB: $(head -n 1 out) $(head -n 1 err)"
	faults=$((faults + 1))
}

# A key of a branch only has to separate what is on its left from what is on its right: one that still does changes nothing.
@test "mem-check finds each bit that anything reads, and takes no more for it" {
	faults=0
	for seed in $(seq "$flips"); do
		flip "$seed"
		run_limited mem-check
		case $status:$place in
		0:*' slack '*|0:*' branch-key '*) ;;
		1:*) [ -s out ] || blame "says nothing" ;;
		3:*) [ -s err ] || blame "says nothing" ;;
		*) blame "is not found" ;;
		esac
		[ "$kib" -le $((sound_kib + 65536)) ] || blame "takes memory"
		[ "$ms" -le $((3 * sound_ms + 1000)) ] || blame "takes time" # other tests run beside this one
	done
	[ $faults = 0 ]
}

# same_as_before: is it sound, with all that was in it?
same_as_before() {
	mem-check > checked 2>&1 && [ ! -s checked ] && mem-export 2>/dev/null | cmp -s - "$BATS_FILE_TMPDIR/whole"
}

@test "--repair mends all that is derived, and says of the rest that it cannot" {
	faults=0
	for seed in $(seq "$flips"); do
		flip "$seed"
		run_limited mem-check --repair
		case $place in
		attr\ *|code\ *|dup\ *|due\ *|id\ *|in\ *|name\ *|ns\ *|pend\ *|ref\ *|row\ *|seg\ *|segs\ *|sess\ *|tail\ *|'(free) '*|*' slack '*)
			[ "$status" = 0 ] || blame "is not mended"
			same_as_before || blame "is not what it was" ;;
		*)
			[ "$status" -le 3 ] || blame "ends badly"
			[ "$status" != 0 ] || same_as_before || blame "is not what it was"
			[ "$status" = 0 ] || [ -s out ] || [ -s err ] || blame "says nothing" ;;
		esac
	done
	[ $faults = 0 ]
}
