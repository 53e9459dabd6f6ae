#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Sets and rules of transactions, by hand, and against all subsets counted one by one by jq.
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cat >t <<-'END'
	{"id":1,"items":["b","a","a"]}
	{"id":2,"items":["a","b","c"]}
	{"id":"x","items":["a","c"],"note":1e400}
	{"items":[]}
	END
}

# LEAST <transactions: all frequent sets by jq, which knows nothing of trees.
count_subsets() {
	jq -cs --argjson least "$1" '
		def subsets: reduce .[] as $i ([[]]; . + map(. + [$i]));
		[.[].items | unique | subsets[] | select(. != [])] | group_by(.) | map({items: .[0], count: length}) |
		map(select(.count >= $least)) | sort_by([(.items | length), .items])[]'
}

# SEED N KINDS: transactions of strings and numbers.
draw_transactions() {
	awk -v seed="$1" -v n="$2" -v kinds="$3" 'BEGIN { srand(seed)
		for (i = 1; i <= n; i++) { s = ""
			for (k = 0; k < kinds; k++) if (rand() < .3 + .5 * (k % 3 == 0)) s = s (s == "" ? "" : ",") (k % 2 ? k : "\"w" k "\"")
			printf "{\"id\":%d,\"items\":[%s]}\n", i, s } }'
}

@test "sets by size, then by items; what is there twice counts once" {
	run -0 --separate-stderr kg-mine t
	[ "$output" = '{"items":["a"],"count":3}
{"items":["b"],"count":2}
{"items":["c"],"count":2}
{"items":["a","b"],"count":2}
{"items":["a","c"],"count":2}' ]
	[ -z "$stderr" ]
	[ "$(kg-mine - <t)" = "$output" ]
	[ "$(kg-mine --min-support .5 --min-count 1 t)" = "$output" ]
	[ "$(kg-mine --max-size 1 t)" = "$(head -3 <<<"$output")" ]
	[ "$(kg-mine --min-count 3 t)" = '{"items":["a"],"count":3}' ]
	[ "$(kg-mine --closed t | jq -c .items | paste -sd' ')" = '["a"] ["a","b"] ["a","c"]' ]
	[ "$(kg-mine --maximal t | jq -c .items | paste -sd' ')" = '["a","b"] ["a","c"]' ]
}

@test "random transactions: the sets of a count of all subsets, in its order" {
	for seed in 1 2 3; do
		draw_transactions $seed 60 8 >random
		for least in 1 2 9; do
			[ "$(kg-mine --min-count $least random)" = "$(count_subsets $least <random)" ]
		done
	done
	draw_transactions 4 60 8 | kg-mine --min-count 5 - >all
	draw_transactions 4 60 8 | kg-mine --min-count 5 --closed - >closed
	jq -cs '. as $all | .[] | . as $s | select(all($all[]; (.items | length) <= ($s.items | length) or .count < $s.count or
		($s.items - .items != [])))' all >expected
	diff expected closed
	draw_transactions 4 60 8 | kg-mine --min-count 5 --maximal - >maximal
	jq -cs '. as $all | .[] | . as $s | select(all($all[]; (.items | length) <= ($s.items | length) or ($s.items - .items != [])))' \
		all >expected
	diff expected maximal
}

@test "numbers keep their digits and go first, by value; a string of digits is another item" {
	printf '{"items":["10",10,9,1e400,1.50,"é"]}\n%.0s' 1 2 >n
	run -0 bash -c 'kg-mine --maximal n'
	[ "$output" = '{"items":[1.50,9,10,1e400,"10","é"],"count":2}' ]
	printf '{"items":["\\u00e9","a\\/b"]}\n{"items":["é","a/b"]}\n' >n
	[ "$(kg-mine --maximal n)" = '{"items":["a/b","é"],"count":2}' ]
}

@test "a broken line is refused by its number and the others count" {
	{ sed -n 1p t; echo '{"items":'; sed -n 2,3p t; printf '%s\n' '{"items":"a"}' '{"id":1}' '{"items":[null]}' \
		'{"items":["a\u0000"]}'; sed -n 4p t; } >broken
	run -1 --separate-stderr kg-mine broken
	[ "$output" = "$(kg-mine t)" ]
	[ "$(sed -n 's/.*broken: line \([0-9]*\), byte \([0-9]*\): \([a-z_]*\).*/\1 \2 \3/p' <<<"$stderr")" = \
		$'2 9 bad_json\n5 9 bad_value\n6 0 bad_value\n7 10 bad_value\n8 12 nul' ]
}

@test "an empty line is no transaction and no fault" {
	run -0 kg-mine --min-count 2 - <<<$'\n{"items":["a"]}\n \t\n{"items":["a"]}\n\n'
	[ "$output" = '{"items":["a"],"count":2}' ]
}

@test "rules: support, confidence and lift by hand" {
	run -0 kg-mine --rules t
	[ "$output" = '{"antecedent":["a"],"consequent":["b"],"count":2,"support":0.5,"confidence":0.666667,"lift":1.333333}
{"antecedent":["b"],"consequent":["a"],"count":2,"support":0.5,"confidence":1,"lift":1.333333}
{"antecedent":["a"],"consequent":["c"],"count":2,"support":0.5,"confidence":0.666667,"lift":1.333333}
{"antecedent":["c"],"consequent":["a"],"count":2,"support":0.5,"confidence":1,"lift":1.333333}' ]
	[ "$(kg-mine --rules --min-confidence .9 t)" = "$(sed -n '2p;4p' <<<"$output")" ]
	[ -z "$(kg-mine --rules --min-lift 1.4 t)" ]
}

@test "--map joins names, without regard to case and accents" {
	cat >map <<-'END'
	joins:
	  - name: cafe
	    item: Café
	    names: [coffee house, "7"]
	  - name: tea
	    names: [chai]
	END
	printf '%s\n' '{"items":["CAFE","chai"]}' '{"items":["Coffee House",7,"tea"]}' >m
	[ "$(kg-mine --maximal --map map m)" = '{"items":["Café","tea"],"count":2}' ]
	printf 'joins:\n  - {name: a, names: [x]}\n  - {name: b, names: [X]}\n' >map
	run -3 --separate-stderr kg-mine --map map m
	[[ $stderr == *"map:3: rule b: 'X' is a name of 'a', too"* ]]
	printf 'joins:\n  - {name: a}\n' >map
	run -3 kg-mine --map map m
	run -3 kg-mine --map missing m
}

@test "too many sets are none, and the message says what to do" {
	run -3 --separate-stderr kg-mine --max-sets 4 t
	[ -z "$output" ]
	[[ $stderr == *"more than 4 sets: raise --min-count or --min-support, or set --max-size"* ]]
	jq -nc '{items: [range(5000)]}' >long
	run -3 kg-mine --min-count 1 long
	[ "$(kg-mine --min-count 1 --closed long | jq '.items | length')" = 5000 ]
}

@test "what makes no sense is told" {
	for args in '--min-owners 2 t' '--rules --min-owners 2' '--closed --maximal t' '--closed --rules t' '--min-lift 1 t' '--min-support 2 t' '--min-count 0 t' '--max-size 0 t'; do
		# shellcheck disable=SC2086 # words
		run -2 kg-mine $args
	done
	run -0 kg-mine - </dev/null
	[ -z "$output" ]
}

@test "the store: active tags and entities by session, owners counted" {
	scratch
	need_store
	local owner n at
	for owner in ada ben cy; do
		for n in 1 2; do
			at="2026-11-0${n}T09:00:00Z"
			printf '{"content":"a %s","session_id":"%s","captured_at":"%s","tags":["tea","milk"],"ns":"agent:%s"}\n' $owner$n s$n $at $owner
			printf '{"content":"b %s","session_id":"%s","captured_at":"%s","tags":["tea","%s"],"ns":"agent:%s"}\n' $owner$n s$n $at $owner $owner
		done | mem-capture -q --agent $owner
		MEM_AGENT=$owner kg-hebb -q
	done
	printf '{"content":"c","session_id":"s9","captured_at":"2026-11-03T09:00:00Z","tags":["tea","once"]}\n' | mem-capture -q
	kg-hebb -q
	run -0 kg-mine --now 2026-11-04T00:00:00Z --every-namespace --min-count 3
	[ "$output" = '{"items":["milk"],"count":6,"owners":3}
{"items":["tea"],"count":7,"owners":3}
{"items":["milk","tea"],"count":6,"owners":3}' ]
	# Of her own sessions alone; "once" is a draft.
	[ "$(kg-mine --now 2026-11-04T00:00:00Z --maximal --min-count 1)" = '{"items":["ada","milk","tea"],"count":2,"owners":1}' ]
	[ -z "$(kg-mine --now 2026-11-04T00:00:00Z --min-owners 2)" ]
	[ "$(kg-mine --now 2026-11-04T00:00:00Z --every-namespace --min-owners 3 --max-size 1 | jq -r '.items[0]' | paste -sd' ')" = 'milk tea' ]
	# .95^45 < .1: all have decayed.
	[ -z "$(kg-mine --now 2027-11-04T00:00:00Z --every-namespace)" ]
	run -4 env MEM_AGENT=ben kg-mine --every-namespace
}

# The FIMI files with counts that other programs agree on, where they lie.
@test "counts of mushroom and chess" {
	local data=${MEMKIT_DATA-}/fimi level
	[ -e "$data/expected.json" ] || skip "no \$MEMKIT_DATA/fimi"
	for file in mushroom chess; do
		jq -Rc '{items: (split(" ") | map(select(. != "") | tonumber))}' "$data/$file.dat" >"$file"
		jq -c ".[\"$file.dat\"].levels[]" "$data/expected.json" >levels
		while read -r level; do
			kg-mine --min-count "$(jq .min_support_count <<<"$level")" "$file" >sets
			[ "$(jq -sc '{frequent: length, by_size: (group_by(.items | length) | map({(.[0].items | length | tostring): length}) | add),
				sum_of_supports: (map(.count) | add)}' sets)" = "$(jq -c '{frequent, by_size, sum_of_supports}' <<<"$level")" ]
			for which in closed maximal; do
				[ "$(kg-mine --min-count "$(jq .min_support_count <<<"$level")" --$which "$file" | wc -l)" = "$(jq .$which <<<"$level")" ]
			done
		done <levels
	done
}
