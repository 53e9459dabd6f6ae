#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Bits turn over on the disk: in values and keys of every table, in the pages' own headers and slots, in the list of free
# pages and in the page where all begins.  tests/proof/store_flip.c chooses one for each seed.
#
#   DAMAGE_FLIPS=500   so many, seeds 1 and up (40 as it stands); DAMAGE_TABLE=FILE gets what each command came to
load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
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
	mapfile -t ids < <(mem-list --limit 400 | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
	printf '%s\n' "${ids[@]}" > ids
	mem-export > whole
	rm sound/lock.mdb
}

# What reads the store, in words for run_limited.
readers='mem-list --limit 9999|mem-export|kg-edge list --all|mem-get -|mem-log|mem-audit|mem-stat|mem-search --limit 20 tea'

measure_sound() {
	local reader
	run_limited mem-check
	[ "$status" = 0 ] && [ ! -s out ]
	echo "$ms $kib" > limits
	mkdir said
	while read -r reader; do
		# shellcheck disable=SC2086
		run_limited $reader < ids
		[ "$status" = 0 ]
		cp out "said/${reader%% *}"
		echo "$kib" > "said/${reader%% *}.kib"
	done < <(tr '|' '\n' <<<"$readers")
	[ "$(wc -l < said/mem-get)" = 400 ]
}

setup() {
	scratch
	export MEM_STORE=$PWD/s
	cp -r "$BATS_FILE_TMPDIR/sound" s
	read -r sound_ms sound_kib < "$BATS_FILE_TMPDIR/limits"
	flips=${DAMAGE_FLIPS:-40}
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

# read_damaged READER: it ends by itself, and prints what it printed of the sound store, or says that it does not.
read_damaged() {
	local name=${1%% *} said=$BATS_FILE_TMPDIR/said
	# shellcheck disable=SC2086
	run_limited $1 < "$BATS_FILE_TMPDIR/ids"
	[ -z "${DAMAGE_TABLE-}" ] || echo "$place|$name|$status|$ms|$kib" >> "$DAMAGE_TABLE"
	[ "$status" -le 4 ] || blame "$name ends badly"
	[ "$kib" -le $(($(<"$said/$name.kib") + 65536)) ] || blame "$name takes memory"
	[ "$name" != mem-stat ] || return 0 # it counts what there is
	if [ "$status" = 0 ]; then
		cmp -s out "$said/$name" || blame "$name serves it in silence"
	elif grep -vxFf "$said/$name" out > wrong; then
		blame "$name prints what was never there: $(head -c 100 wrong)"
	fi
}

@test "readers print what is right, or say that it is not all; writers end by themselves" {
	faults=0
	for seed in $(seq "$flips"); do
		flip "$seed"
		while read -r reader; do
			read_damaged "$reader"
		done < <(tr '|' '\n' <<<"$readers")
		run_limited mem-capture --no-embed <<<'{"content":"one more","session_id":"s3","ref":"r7"}'
		[ "$status" -le 4 ] || blame "mem-capture ends badly"
		[ -z "${DAMAGE_TABLE-}" ] || echo "$place|mem-capture|$status|$ms|$kib" >> "$DAMAGE_TABLE"
	done
	[ $faults = 0 ]
}

# Of 500 flips these two ended a writer by a signal: LMDB moves about in memory what a page's header says.
@test "a writer looks at the page where a row goes, and at the list of free pages, before LMDB changes them" {
	faults=0
	for table in ns '(free)' log dup meta; do
		found=0
		for seed in $(seq 4000); do
			flip "$seed"
			case $place in
			"$table "*' bounds '*|"$table "*' flags '*|"$table "*' number '*) ;;
			*) continue ;;
			esac
			found=$((found + 1))
			run_limited mem-capture --no-embed <<<'{"content":"one more","session_id":"s3","ref":"r7"}'
			[ "$status" -le 4 ] || blame "mem-capture ends badly"
			[ $found -lt 8 ] || break
		done
		[ $found = 8 ]
	done
	[ $faults = 0 ]
}
