#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	# Question 1 has two right records of grades 2 and 1, question 2 one, 3 none; 4 is judged, but nothing is relevant.
	cat >gold <<-'END'
	{"qid":"1","ref":"a","grade":2}
	{"qid":"1","id":"B"}
	{"qid":"2","ref":"c"}
	{"qid":"3","none":true}
	{"qid":"4","ref":"d","grade":0}
	END
	cat >one <<-'END'
	{"qid":"1","id":"X","ref":"x","rank":1}
	{"qid":"1","id":"B","ref":"b","rank":2}
	{"qid":"1","id":"A","ref":"a","rank":3}
	{"qid":"1","end":true,"hits":3,"ms":10}
	{"qid":2,"end":true,"hits":0,"ms":20}
	{"qid":"3","end":true,"hits":0}
	{"qid":"4","id":"D","ref":"d","rank":1}
	{"qid":"5","id":"E","ref":"e","rank":1}
	END
}

# field FILTER ARGUMENTS: of what mem-eval prints.
field() { mem-eval --gold gold "${@:2}" | jq -c "$1"; }

@test "each measure by its formula" {
	# By hand, exponential gain: DCG of question 1 is 1/log2(3) + 3/log2(4) = 2.130930, the best 3 + 1/log2(3) = 3.630930.
	run -0 field 'del(.run)' --at 1,2,3 --each one
	[ "${lines[0]}" = '{"qid":"1","hits":3,"recall_1":0,"recall_2":0.5,"recall_3":1,"hit_1":0,"hit_2":1,"hit_3":1,"ndcg_1":0,"ndcg_2":0.173765,"ndcg_3":0.586883,"mrr":0.5,"false_rejection":0,"ms":10}' ]
	[ "${lines[1]}" = '{"qid":"2","hits":0,"recall_1":0,"recall_2":0,"recall_3":0,"hit_1":0,"hit_2":0,"hit_3":0,"ndcg_1":0,"ndcg_2":0,"ndcg_3":0,"mrr":0,"false_rejection":1,"ms":20}' ]
	[ "${lines[2]}" = '{"qid":"3","hits":0,"rejection":1}' ]
	[ "${#lines[@]}" = 3 ]
	# Linear: 1/log2(3) + 2/2 of 2 + 1/log2(3).
	run -0 field 'select(.qid == "1").ndcg_3' --at 3 --gain linear --each one
	[ "$output" = 0.619906 ]
}

@test "the means are over questions with gold; what is not measured is null" {
	run -0 field 'del(.. | .low?, .high?)' --at 3 one
	[ "$output" = '{"run":"one","questions":2,"answered":1,"nones":1,"errors":0,"recall_3":{"mean":0.5},"hit_3":{"mean":0.5},"ndcg_3":{"mean":0.293441},"mrr":{"mean":0.25},"false_rejection":{"mean":0.5},"rejection":{"mean":1},"ms":{"mean":15}}' ]
	run -0 mem-eval --gold /dev/null one
	[ "$(jq -c '[.questions, .recall_5, .mrr, .rejection, .ms.mean]' <<<"$output")" = '[0,null,null,null,15]' ]
	run -0 mem-eval --gold gold /dev/null
	[ "$(jq -c '[.questions, .answered, .recall_5.mean, .rejection.mean, .ms]' <<<"$output")" = '[2,0,0,1,null]' ]
}

@test "every figure of runs with ties, unjudged and missing records is trec_eval's" {
	local figures=0
	for n in 0 1 2; do
		data=$TOP/tests/data/eval
		mem-eval --gold "$data/gold.$n" --gain linear --at 1,5,10,20,100 --each "$data/run.$n" |
			jq -c 'del(.run, .hits, .false_rejection) | to_entries[]' >ours
		jq -c 'to_entries[] | .key |= sub("success"; "hit") | .key |= sub("ndcg_cut"; "ndcg")' "$data/figures.$n" >theirs
		[ "$(wc -l <ours)" = "$(wc -l <theirs)" ]
		figures=$((figures + $(wc -l <ours)))
		jq -n --slurpfile a ours --slurpfile b theirs '
			def question: reduce .[] as $e ({q: null, out: {}}; if $e.key == "qid" then .q = $e.value else .out[.q + " " + $e.key] = $e.value end) | .out;
			($a | question) as $x | ($b | question) as $y | ($x | keys) == ($y | keys) and all($x | keys[]; ($x[.] - $y[.] | fabs) < 1.1e-6)' >same
		[ "$(cat same)" = true ]
	done
	[ "$figures" -gt 100 ]
}

@test "hits count in the order of rank, those without one as they come" {
	shuf --random-source=<(yes) one >shuffled
	[ "$(mem-eval --gold gold <shuffled | jq -S 'del(.run)')" = "$(mem-eval --gold gold one | jq -S 'del(.run)')" ]
	sed 's/,"rank":[0-9]//' one >bare
	[ "$(mem-eval --gold gold bare | jq 'del(.run)')" = "$(mem-eval --gold gold one | jq 'del(.run)')" ]
}

@test "a record that is found twice counts once, and the second takes a place" {
	printf '%s\n' '{"qid":"1","id":"A","ref":"a"}' '{"qid":"1","id":"A","ref":"a"}' '{"qid":"1","id":"B"}' >twice
	run -0 field 'select(.qid == "1") | [.recall_2, .recall_3, .ndcg_3]' --at 2,3 --each twice
	[ "$output" = '[0.5,1,0.96394]' ]
}

@test "qrels of TREC name ids or refs" {
	printf '1 0 a 2\n1\t0\tB\t1\r\n\n2 0 c 1\n' >qrels
	[ "$(mem-eval --gold qrels one | jq -c .ndcg_5)" = "$(mem-eval --gold gold one | jq -c .ndcg_5)" ]
}

@test "an answer that failed was not rejected" {
	echo '{"qid":"3","end":true,"hits":0,"error":"bad_value"}' >failed
	run -0 field '[.errors, .rejection.mean]' failed
	[ "$output" = '[1,0]' ]
}

@test "the same seed gives the same bytes, another one other intervals around the same mean" {
	for q in $(seq 60); do
		echo "{\"qid\":$q,\"ref\":\"r\"}" >>many
		echo "{\"qid\":$q,\"id\":\"a\",\"ref\":\"$([ $((q % 3)) = 0 ] && echo s || echo r)\"}"
	done >run
	run -0 mem-eval --gold many run
	first=$output
	[ "$(mem-eval --gold many run)" = "$first" ]
	[ "$(mem-eval --gold many --seed 2 --samples 100 run | jq .mrr.mean)" = "$(jq .mrr.mean <<<"$first")" ]
	[ "$(mem-eval --gold many --seed 2 --samples 100 run | jq -c .mrr)" != "$(mem-eval --gold many --seed 3 --samples 100 run | jq -c .mrr)" ]
	# Of 40 hits in 60 the normal interval is .6667 -+ 1.96 * sqrt(.6667 * .3333 / 60) = .5474 to .7860.
	jq -e '.mrr | .low > 0.52 and .low < 0.57 and .high > 0.76 and .high < 0.81' <<<"$first"
}

@test "two runs are compared question by question with the first" {
	for q in $(seq 20); do
		echo "{\"qid\":$q,\"ref\":\"r\"}" >>many
		echo "{\"qid\":$q,\"id\":\"a\",\"ref\":\"r\"}" >>good
		echo "{\"qid\":$q,\"id\":\"a\",\"ref\":\"$([ "$q" -gt 6 ] && echo r || echo s)\"}" >>worse
	done
	run -0 mem-eval --gold many good worse good
	[ "${#lines[@]}" = 5 ]
	[ "$(jq -c '[.run, .against, .mrr.difference]' <<<"${lines[2]}")" = '["worse","good",-0.3]' ]
	# All six differences have one sign in 2 of 64 samples.
	jq -e '.mrr.p > 0.025 and .mrr.p < 0.038 and .mrr.low < -0.3 and .mrr.high < 0' <<<"${lines[2]}"
	[ "$(jq -c .mrr <<<"${lines[4]}")" = '{"difference":0,"low":0,"high":0,"p":1}' ]
}

@test "a table for people" {
	command -v script >/dev/null || skip "no script(1)"
	run -0 script -qec 'mem-eval --gold gold --at 5 one one' /dev/null </dev/null
	[[ $output = *'one: 1 of 2 questions answered, 1 with nothing to find, 0 errors'* ]]
	[[ $output = *'recall_5 '*'0.5000'* ]]
	[[ $output = *'one against one'*'DIFFERENCE'* ]]
}

@test "bad lines are named and the rest goes on" {
	{ cat gold; printf '%s\n' '{"qid":"1"}' '{"ref":"a"}' '{"qid":"1","ref":"a","grade":1}' '{"qid":"1","ref":"q","grade":31}' '{"qid":"1","ref":"q","grade":0.5}' \
		'{"qid":"3","ref":"a"}' '{"qid":"1","none":true}' '1 0 a' '1 0 a x' '[1]' '{"qid":"1","ref":"a","grade":2}'; } >bad
	run -1 --separate-stderr mem-eval --gold bad one
	[ "$(jq -c 'del(.run)' <<<"$output")" = "$(field 'del(.run)' one)" ]
	[ "${#stderr_lines[@]}" = 10 ]
	grep -q 'bad: line 8, byte 0: bad_value: the record has another grade already' <<<"$stderr"
	{ cat one; printf '%s\n' '{"id":"a","rank":1}' '{"qid":"1","rank":1}' '{"qid":"1","id":"a","rank":0}' '{"qid":true,"id":"a"}' '{"qid":"1","end":true,"ms":-1}' tea; } >bad
	run -1 --separate-stderr mem-eval --gold gold bad
	[ "$(jq -c 'del(.run)' <<<"$output")" = "$(field 'del(.run)' one)" ]
	[ "${#stderr_lines[@]}" = 6 ]
}

@test "a judgement that is refused leaves nothing, and none stands alone" {
	printf '%s\n' '{"qid":"1","ref":"X","grade":2}' '1 0 X 1' '{"qid":"2","id":"Z"}' >mixed
	echo '{"qid":"1","id":"X"}' >run
	run -1 --separate-stderr mem-eval --gold mixed run
	[ "$(jq .hit_5.mean <<<"$output")" = 0 ]
	# Said by its ref and again in the other form, it is one record.
	printf '%s\n' '{"qid":"1","ref":"X"}' '1 0 X 1' >mixed
	run -0 mem-eval --gold mixed --at 1 run
	[ "$(jq .recall_1.mean <<<"$output")" = 1 ]
	printf '%s\n' '{"qid":"1","id":"X","none":true}' '{"qid":"2","ref":"X","none":true}' '{"qid":"3","id":null,"none":true}' >nones
	run -1 --separate-stderr mem-eval --gold nones run
	[ "$(jq .nones <<<"$output")" = 1 ]
	[ "$(grep -c 'a judgement has none, or the record that is right' <<<"$stderr")" = 2 ]
}

@test "options that make no sense, and files that are not there" {
	run -2 mem-eval one
	run -2 mem-eval --gold gold --at 0 one
	run -2 mem-eval --gold gold --at 5,5 one
	run -2 mem-eval --gold gold --at 1,x one
	run -2 mem-eval --gold gold --samples 99 one
	run -2 mem-eval --gold - - <gold
	run -3 --separate-stderr mem-eval --gold no-such one
	[ -z "$output" ]
	run -3 --separate-stderr mem-eval --gold gold no-such one
	[ "$(jq -r .run <<<"$output")" = one ]
}

# ---- fitting ----

# features: three questions of two groups, three hits each; x says which hit is right, y is noise, z is the same everywhere.
make_features() {
	for q in 1 2 3 4 5 6; do
		echo "{\"qid\":\"$([ $q -lt 4 ] && echo a || echo b):$q\",\"ref\":\"$((q % 3))\",\"conv\":\"$([ $q -lt 4 ] && echo one || echo two)\"}" >>fit.gold
		for hit in 0 1 2; do
			echo "{\"qid\":\"$([ $q -lt 4 ] && echo a || echo b):$q\",\"id\":\"$hit\",\"ref\":\"$hit\",\"mode\":\"hybrid\",\"signals\":{\"neighbours\":{\"score\":0,\"features\":{\"x\":$([ $hit = $((q % 3)) ] && echo 1 || echo 0),\"y\":$(((hit * 7 + q) % 3)),\"z\":5}}}}"
		done
	done >fit.run
}

@test "weights are fitted: what tells the right hits apart counts, what is everywhere does not" {
	make_features
	run -0 mem-eval --fit --gold fit.gold --at 1 --format json fit.run
	jq -e '.ranker == "vectors" and .weights.x > 1 and (.weights.y | fabs) < 0.3 and .weights.z == 0 and .fitted.recall_1 == 1 and .fitted.questions == 6' <<<"$output"
	[ "$(mem-eval --fit --gold fit.gold --at 1 --format json fit.run)" = "$output" ]
	# A greater penalty, smaller weights.
	[ "$(mem-eval --fit --gold fit.gold --ridge 100 --format json fit.run | jq .weights.x)" != "$(jq .weights.x <<<"$output")" ]
	jq -e '.weights.x < 0.5' < <(mem-eval --fit --gold fit.gold --ridge 100 --format json fit.run)
}

@test "the weights are those of least loss" {
	# One question, features 1 and 0, the first is right: the loss of w is log(1 + e^-w) + r w^2 / 4, since x / sd = 2 x.
	# For r = 1.5 its derivative 1 / (1 + e^w) = .75 w has the root .503, to two decimals .5.
	echo '{"qid":"1","ref":"a"}' >g
	printf '%s\n' '{"qid":"1","id":"1","ref":"a","signals":{"neighbours":{"features":{"x":1}}}}' '{"qid":"1","id":"2","signals":{"neighbours":{"features":{"x":0}}}}' >r
	run -0 bash -c 'mem-eval --fit --gold g --format json r | jq -c "[.ranker, .weights.x]"'
	[ "$output" = '["words",0.5]' ]
}

@test "groups are judged by the weights of the others" {
	make_features
	run -0 mem-eval --fit --gold fit.gold --at 1 --group conv --format json fit.run
	[ "$(jq -c '[.left_out[] | [.group, .questions, .recall_1]] + [.all_left_out.questions]' <<<"$output")" = '[["one",3,1],["two",3,1],6]' ]
	run -0 mem-eval --fit --gold fit.gold --at 1 --group prefix --format json fit.run
	[ "$(jq -c '[.left_out[].group]' <<<"$output")" = '["a","b"]' ]
	# In group two what is right has x = 0 and all others have 1: weights of the other group rank it last.
	sed '/"b:/ { s/"x":1/"x":9/; s/"x":0/"x":1/; s/"x":9/"x":0/ }' fit.run >turned
	run -0 mem-eval --fit --gold fit.gold --at 1 --group conv --format json turned
	[ "$(jq -c '[.left_out[].recall_1]' <<<"$output")" = '[0,0]' ]
}

@test "no hit has features; options that do not go together" {
	run -1 --separate-stderr mem-eval --fit --gold gold one
	[ -z "$output" ]
	[[ $stderr = *'--explain'* ]]
	run -2 mem-eval --fit --each --gold gold one
	run -2 mem-eval --fit --gold gold one one
	run -2 mem-eval --group x --gold gold one
	run -2 mem-eval --fit --ridge 0 --gold gold one
}

# search_by_weights SETTING: the ranker's, of a store with or without word pieces.
search_by_weights() {
	scratch
	random_model
	export MEM_STORE=$PWD/store
	mem-init -q
	cp store/config.yaml plain
	[ "$1" = pieces ] || echo 'search: {pieces: off}' >>store/config.yaml
	for s in 1 2 3; do for t in 1 2 3; do
		echo "{\"content\":\"we talked of tea and milk number $s$t\",\"session_id\":\"s$s\",\"ref\":\"$s$t\"}"
	done; done | mem-capture -q --no-embed
	mem-embed --model minilm --pending
	for q in 1 2 3; do echo "{\"qid\":$q,\"query\":\"which tea and milk is number $q$q\"}"; done >asked
	for q in 1 2 3; do echo "{\"qid\":$q,\"ref\":\"$q$q\"}"; done >right
	mem-search --explain --queries asked >before
	run -0 mem-eval --fit --gold right before
	[[ $output = *"    $1: \""* ]]
	{ cat plain; echo "$output"; } >store/config.yaml
	weights=$(mem-eval --fit --gold right --format json before | jq -c .weights)
	mem-search --explain --queries asked >after
	run -0 jq -s -e --argjson w "$weights" 'map(select(.end | not)) |
		length > 5 and all(.score - ([.signals.neighbours.features | to_entries[] | .value * $w[.key]] | add) | fabs < 2e-5)' after
	# One weight alone.
	sed -i "s/^    $1: .*/    $1: smax2=2/" store/config.yaml
	run -0 jq -s -e 'map(select(.end | not)) | length > 5 and all(.score - 2 * .signals.neighbours.features.smax2 | fabs < 4e-6)' < <(mem-search --explain --queries asked)
	sed -i "s/^    $1: .*/    $1: \"l=1,q=2\"/" store/config.yaml
	run -3 mem-search 'which tea and milk'
	[[ $output = *"search.ranker.$1: 'q' is no feature of the ranker"* ]]
	for bad in l l= l=x 'l=1,' l=1e9 l=nan ','; do
		sed -i "s/^    $1: .*/    $1: \"$bad\"/" store/config.yaml
		run -3 mem-search 'which tea and milk'
	done
}

@test "search ranks by the weights that were fitted" { search_by_weights vectors; }
@test "and where there are word pieces, by those of its own" { search_by_weights pieces; }
