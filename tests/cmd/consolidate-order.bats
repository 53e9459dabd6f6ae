#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What consolidation ends in depends neither on the order in which episodes came nor on how often it was killed.
# MEMKIT_KILLS sets how often (default 20), MEMKIT_ORDERS in how many orders they come (default 6).
load helper
load consolidate

setup_file() {
	"${CC:-cc}" -O1 -shared -fPIC -o "$BATS_FILE_TMPDIR/shim.so" "$BATS_TEST_DIRNAME/../proof/shim.c" -ldl
}

setup() {
	scratch
	need_store
	extractor
}

# episodes N SEED: of few people who often change where they work and live; many at the same moment, many that say the same.
episodes() {
	awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		split("Alice Bob Carol Dora", who, " ")
		split("Acme Globex Initech Hooli", at, " ")
		split("Berlin Rome Oslo Lima", in_, " ")
		for (i = 1; i <= n; i++) {
			w = who[int(rand() * 4) + 1]; k = int(rand() * 4)
			text = k == 0 ? w " works at " at[int(rand() * 4) + 1] : k == 1 ? w " lives in " in_[int(rand() * 4) + 1] : \
				k == 2 ? w " knows " who[int(rand() * 4) + 1] : w " said nothing of it"
			printf "{\"content\":\"%s\",\"ref\":\"e%d\",\"captured_at\":\"2026-%02d-%02dT10:00:00Z\",\"trust\":%s}\n", \
				text, i, int(rand() * 6) + 1, int(rand() * 5) + 1, "0.5"
		}
	}'
}

# A second run writes nothing, and the store is sound.
settled() {
	mem-export >once
	consolidate -q
	mem-export | cmp - once
	mem-check
}

# beliefs: what is known, without ids and times of writing; not what was taken for true only until more was known.
beliefs() {
	mem-list --kind fact | jq -c 'select(.valid_from != .valid_to) | [.status, .statement, .subject.name, .predicate, .object.name, .valid_from, .valid_to, .confidence, .trust,
		.mentions, ([.sources[].at] | sort)]' | LC_ALL=C sort
}

@test "the facts do not depend on the order in which episodes come, nor on how they are batched" {
	local orders=${MEMKIT_ORDERS:-6} seed order
	for seed in 1 2; do
		for order in $(seq 0 "$orders"); do
			rm -rf store
			mem-init -q store
			episodes 120 "$seed" >in
			[ "$order" = 0 ] || shuf --random-source=<(yes "$order") in -o in
			if [ "$order" = 2 ]; then
				# A late arrival comes after the others were consolidated.
				split -l 40 in part.
				for part in part.*; do
					mem-capture -q --no-embed <"$part"
					consolidate -q
				done
			else
				mem-capture -q --no-embed <in
				consolidate -q
			fi
			beliefs >facts
			[ "$order" != 0 ] || cp facts first
			diff first facts
			[ "$(wc -l <facts)" -gt 20 ]
			settled
		done
	done
}

# tell REF DAY TRUST TEXT [REPLACED]: an episode, consolidated before the next one.
tell() {
	local old=
	[ $# -lt 5 ] || old=$(mem-list --kind episode | jq -r "select(.ref == \"$5\").id")
	jq -cn --arg ref "$1" --arg at "2026-03-$2T10:00:00Z" --argjson trust "$3" --arg text "$4" --arg old "$old" \
		'{ref:$ref,captured_at:$at,trust:$trust,content:$text} + if $old == "" then {} else {supersedes:$old} end' |
		mem-capture -q --no-embed
	consolidate -q
}

@test "what an episode replaces does not depend on when others said the same" {
	local trust late
	# Another says the same before it is replaced, and is heard of earlier or later; or says it afterwards.
	for trust in 0.3 0.5 0.9; do
		for late in 02 20; do
			rm -rf store
			mem-init -q store
			tell old 01 0.5 "Alice uses Vim. Alice likes jazz."
			tell other $late 0.5 "Alice uses Vim."
			tell new 10 $trust "Alice uses Emacs." old
			beliefs >early
			rm -rf store
			mem-init -q store
			tell old 01 0.5 "Alice uses Vim. Alice likes jazz."
			tell new 10 $trust "Alice uses Emacs." old
			tell other $late 0.5 "Alice uses Vim."
			beliefs | diff early -
			[ "$(grep -c '^."active".*[Vv]im' early)" = 1 ]
			settled
		done
	done
}

# killed N: consolidation that dies at the Nth write to the data, which it may not come to.
killed() {
	ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 LD_PRELOAD=$BATS_FILE_TMPDIR/shim.so \
		SHIM_DATA=$PWD/store/data.mdb SHIM_KILL=$1 mem-consolidate -q --no-embed --with ./work.sh 2>err
}

@test "killed anywhere it goes on, and ends in the same bytes" {
	local kills=${MEMKIT_KILLS:-20} died=0 run=0 st
	episodes 600 7 | mem-capture -q --no-embed
	cp -r store base
	consolidate -q
	mem-export >whole
	[ "$(grep -c '"kind":"fact"' whole)" -gt 40 ]
	[ "$(grep -c '"kind":"note"' whole)" -gt 2 ]
	while [ $died -lt "$kills" ]; do
		run=$((run + 1))
		[ $run -le $((kills * 3)) ] || { echo "only $died of $run died"; return 1; }
		rm -rf store
		cp -r base store
		# Twice in a row, now and then.
		for _ in $(seq $((run % 3 == 0 ? 2 : 1))); do
			st=0
			killed $((RANDOM % 12 + 1)) || st=$?
			[ $st = 0 ] || [ $st = 137 ] || { echo "run $run: $st: $(cat err)"; return 1; }
			[ $st = 0 ] || died=$((died + 1))
		done
		consolidate -q
		mem-export | cmp - whole
	done
	mem-check
	echo "$died of $run died"
}
