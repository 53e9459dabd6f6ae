#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The models that are installed, by mem-embed, beside the golden vectors of a reference program
# (tests/data/encoder-golden).  Tokens are equal; vectors to what the precision allows: cosine .99999 and 1e-5 a
# component with float32, .9999 with float16, .999 with int8.
load helper

# measure WANT GOT: the worst cosine, the largest difference of a component, how many lines have other tokens.
measure() {
	jq -n -c --slurpfile want "$1" --slurpfile got "$2" '
		def dot(a; b): [a, b] | transpose | map(.[0] * .[1]) | add;
		if ($want | length) != ($got | length) then error("\($got | length) lines of \($want | length)") else
		[range($want | length) | $want[.] as $w | $got[.] as $g | {
			cosine: (dot($w.vector; $g.vector) / ((dot($w.vector; $w.vector) * dot($g.vector; $g.vector)) | sqrt)),
			off: ([$w.vector, $g.vector] | transpose | map(.[0] - .[1] | fabs) | max),
			other: (if $w.token_ids == $g.token_ids then 0 else 1 end) }]
		| [(map(.cosine) | min), (map(.off) | max), (map(.other) | add)] end'
}

# holds MODEL MEASURED: is it within what the model's precision allows?
holds() {
	local precision
	precision=$(mem-model list | jq -r "select(.name == \"$1\") | .precision")
	echo "$1, $precision: $2"
	jq -e --arg p "$precision" '.[2] == 0 and (
		if $p == "float32" then .[0] >= 0.99999 and .[1] <= 1e-5
		elif $p == "float16" then .[0] >= 0.9999 else .[0] >= 0.999 end)' <<<"$2" >/dev/null
}

# wanted MODEL: the golden lines into `want`.  A sanitizer takes ten times as long, so that it gets some of them.
wanted() {
	case $MEM_BUILD in
	*address*|*thread*) sed -n '1,8p;40,42p' "$TOP/tests/data/encoder-golden/$1.ndjson" ;;
	*) cat "$TOP/tests/data/encoder-golden/$1.ndjson" ;;
	esac > want
}

# embed MODEL: texts of both kinds in the order of `want`.
embed() {
	jq -c 'select(.kind != "query") | {text}' want > texts
	jq -c 'select(.kind == "query") | {text}' want > questions
	mem-embed --model "$1" --ids texts
	[ ! -s questions ] || mem-embed --model "$1" --ids --query questions
}

has_kernel() {
	case $1 in
	avx2) grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && grep -qw f16c /proc/cpuinfo ;;
	avx512) grep -qw avx512f /proc/cpuinfo && grep -qw avx512bw /proc/cpuinfo && grep -qw avx512vl /proc/cpuinfo ;;
	esac
}

golden() {
	need_model "$1"
	local kernel
	wanted "$1"
	for kernel in "" plain avx2 avx512 openblas; do
		[ -z "$kernel" ] || has_kernel "$kernel" || continue
		MEM_KERNEL=$kernel embed "$1" > got
		echo "kernel $kernel"
		holds "$1" "$(measure want got)"
	done
}

@test "e5: the golden texts at once, with each kernel" { golden e5; }
@test "minilm: the golden texts at once, with each kernel" { golden minilm; }
@test "bge: the golden texts at once, with each kernel" { golden bge; }
@test "me5: the golden texts at once, with each kernel" { golden me5; }

# Each text in a process of its own: as good, and as in company to 1e-6.
alone() {
	need_model "$1"
	local line query
	wanted "$1"
	embed "$1" > together
	while IFS= read -r line; do
		query=()
		[ "$(jq -r .kind <<<"$line")" != query ] || query=(--query)
		mem-embed --model "$1" --ids "${query[@]}" <<<"$line"
	done < <(jq -c '{text,kind}' want) > got
	holds "$1" "$(measure want got)"
	jq -e '.[1] <= 1e-6' <<<"$(measure together got)"
}

@test "e5: one text a process" { alone e5; }
@test "minilm: one text a process" { alone minilm; }
@test "bge: one text a process" { alone bge; }
@test "me5: one text a process" { alone me5; }

@test "a text beyond the limit equals itself cut, and is marked" {
	need_model e5
	printf 'word %.0s' $(seq 1000) > long
	printf 'word %.0s' $(seq 508) > short
	mem-embed --model e5 --ids long short > got
	[ "$(jq -c '[.truncated, (.token_ids | length)]' got | paste -sd' ')" = '[true,512] [null,512]' ]
	[ "$(jq -c .vector got | sort -u | wc -l)" = 1 ]
	head -c 1000000 /dev/zero | tr '\0' x > huge
	run -0 mem-embed --model e5 huge
	[ "$(jq '.vector | length' <<<"$output")" = 384 ]
}

@test "texts that say nothing have a vector; many come out in order" {
	need_model minilm
	printf '\n \t\n\001\002\n{"text":""}\n' > odd
	run -0 mem-embed --model minilm odd
	[ "$(jq -c '.vector | length' <<<"$output" | sort | uniq -c | tr -d ' ')" = 4384 ]
	seq 3000 | mem-embed --model minilm --format base64 > got
	[ "$(jq -r .text got | cmp - <(seq 3000); jq -r .vector got | sort -u | wc -l)" = 3000 ]
}

@test "capture, --pending and mem-embed make the same vectors; a model that comes later finds what waits" {
	mem-init -q "$PWD/a"
	mem-init -q "$PWD/b"
	for i in 1 2 3; do jq -c --arg s "s$i" '{content: .base, speaker: "Mina", session_id: $s}' "$TOP/tests/data/near/pairs.ndjson"; done > events
	mem-capture -q -S a < events
	run -0 mem-search -S a 'where do they keep the tea'
	[ "$(jq -r .mode <<<"$output" | sort -u)" = keyword ]
	need_model e5
	[ "$(mem-stat -S a | jq -c '[.pending_vectors,.model]')" = '[120,null]' ]
	run -0 --separate-stderr mem-maintain -S a embed # alone: facts of a would stand among the hits, which b has none of
	[ -z "$output$stderr" ]
	mem-capture -q -S b --embed < events
	for s in a b; do [ "$(mem-stat -S $s | jq -c '[.pending_vectors,.model]')" = '[0,"e5"]' ]; done
	for s in a b; do mem-search -S $s -m vector -n 120 'a journey by plane' | jq -c '[.rank,.score,.content]' > hits.$s; done
	cmp hits.a hits.b
	[ "$(head -n 1 hits.a | jq -r '.[2]')" = 'I finally booked the flight to Lisbon for the 14th of May.' ]
	# The score is the product with what mem-embed gives.
	jq -c 'select(.session_id == "s1" and (.content | test("Lisbon")))' events | mem-embed > text
	mem-embed --query <<<'a journey by plane' > question
	[ "$(jq -s '[.[0].vector, .[1].vector] | transpose | map(.[0] * .[1]) | add * 100000 | round' text question)" = \
	  "$(head -n 1 hits.a | jq '.[1] * 100000 | round')" ]
	run -0 mem-check -S a
	run -0 mem-check -S b
}

@test "what says nearly the same is told, what says something else is not" {
	need_store
	need_model e5
	mem-capture -q --lines <<<'The staging server is called marmot and runs Debian 12.'
	run -0 mem-capture --lines <<<'the staging server is called Marmot, and runs Debian 12'
	[ "$(jq -r .verdict <<<"$output")" = near_duplicate ]
	[ "$(jq '.score > 0.97 and .score <= 1' <<<"$output")" = true ]
	run -0 mem-capture --lines <<<'We are painting the kitchen yellow this weekend.'
	[ "$(jq -c '[.verdict,.score]' <<<"$output")" = '["new",null]' ]
}

@test "an English model sees all Arabic pages near each other: they are no near duplicates" {
	need_store
	need_model e5
	run -0 mem-capture --embed < <(jq -c 'select(.lang == "ar") | {content}' "$TOP/tests/data/languages/pages.ndjson")
	[ "$(jq -r .verdict <<<"$output" | sort | uniq -c | tr -d ' ')" = 60new ]
	run -0 mem-capture --embed < <(jq -c 'select(.lang == "ar" and .topic == "t05") | {content: (.content + " !")}' "$TOP/tests/data/languages/pages.ndjson")
	[ "$(jq -r .verdict <<<"$output")" = near_duplicate ]
}

@test "--rebuild from one model to another, and back" {
	need_store
	need_model e5
	need_model minilm
	jq -r .base "$TOP/tests/data/near/pairs.ndjson" | mem-capture -q --lines --embed
	mem-search -m vector 'when do we fly to Lisbon' > before
	run -3 mem-embed --pending --model minilm
	[[ $output = *'made by e5 ('*', not by minilm ('*'run mem-embed --rebuild'* ]]
	run -0 mem-embed --rebuild --model minilm -v
	[ "$(jq .embedded <<<"$output")" = 40 ]
	[ "$(mem-stat | jq -r .model)" = minilm ]
	mem-search -m vector 'when do we fly to Lisbon' > other
	[ "$(head -n 1 other | jq .content)" = "$(head -n 1 before | jq .content)" ]
	# Without a setting the store's own model goes on.
	mem-capture -q --lines <<<'The plane was late.'
	[ "$(mem-stat | jq .pending_vectors)" = 0 ]
	run -0 mem-embed --rebuild --model e5
	mem-search -m vector -n 1 'when do we fly to Lisbon' | cmp - <(head -n 1 before)
	run -0 mem-check
}
