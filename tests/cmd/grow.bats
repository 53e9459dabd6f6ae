#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What may grow is a table: a kind of node, a job, a signal, a stage and what the decision of a review does are each a
# line of its table, a paragraph of its page and, but for a kind, a file of its own (in tests/data/grow).  One of each is
# added to a copy of the tree, which is built with the objects of this build, so that only what the new lines reach is
# compiled, and has all five.
load helper

# add_lines FILE FROM BEFORE LINE...: behind the line that matches FROM, before the next one that matches BEFORE.
add_lines() {
	local file=$1 from=$2 before=$3
	shift 3
	printf '%s\n' "$@" | awk -v from="$from" -v before="$before" '
		NR == FNR { new = new $0 "\n"; next }
		FNR == 1 { state = 0 }
		state == 1 && $0 ~ before { printf "%s", new; state = 2 }
		state == 0 && $0 ~ from { state = 1 }
		{ print }
		END { exit state != 2 }' - "$file" > new || { echo "$file has no place for $1" >&2; return 1; }
	cat new > "$file" && rm new
}

last_kind() {
	sed -n 's/^\tKIND( *\([0-9]*\),.*/\1/p' lib/store/kind.h | tail -n 1
}

# So many others that the gadget's number is over 64.
add_others() {
	local i name kinds=() rows=()
	for ((i = $(last_kind) + 1; i <= 69; i++)); do
		name=other_$(tr 0-9 a-j <<<"$i")
		kinds+=($'\tKIND('"$i, ${name^^}, MEM_KIND_USUAL(\"$name\")) \\")
		rows+=(".It Cm $name Ta no Ta no Ta something else")
	done
	add_lines lib/store/kind.h '^#define MEM_KINDS' 'here' "${kinds[@]}" &&
		add_lines man/mem-records.5 '^[.]Ss Kinds' '^[.]El' "${rows[@]}"
}

add_kind() {
	add_lines lib/store/kind.h '^#define MEM_KINDS' 'here' \
		$'\tKIND('$(($(last_kind) + 1))$', GADGET, MEM_KIND_USUAL("gadget"), .embedded = MEM_ALL_TEXT) \\' &&
		add_lines man/mem-records.5 '^[.]Ss Kinds' '^[.]El' '.It Cm gadget Ta no Ta yes Ta a small tool'
}

add_job() {
	cp "$TOP/tests/data/grow/job_shine.c" lib/upkeep &&
		add_lines lib/conf/job_names.h '^#define MEM_JOB_NAMES' 'JOB[(]embed[)]' $'\tJOB(shine) \\' &&
		add_lines man/mem-maintain.1 '^[.]It Cm expire' '^[.]It Cm embed' \
			'.It Cm shine' 'Once there are nodes, they shine.' 'Amount: nodes.'
}

add_signal() {
	cp "$TOP/tests/data/grow/signal_freshness.c" lib/query &&
		add_lines lib/conf/signal_names.h '^#define MEM_SIGNAL_NAMES' 'here' $'\tLINE(FRESHNESS, freshness) \\' &&
		add_lines man/mem-records.5 '^[.]It Cm lexical' '^[.]It Cm dense' '.It Cm freshness' 'How new it is; in hybrid.'
}

add_stage() {
	cp "$TOP/tests/data/grow/once.c" lib/stage && cp "$TOP"/tests/data/grow/mem-once.c cmd &&
		cp "$TOP/tests/data/grow/mem-once.1" man &&
		add_lines lib/stage/stage.h '^#define MEM_STAGE_TABLE' 'here' $'\tLINE(once) \\'
}

add_review() {
	cp "$TOP/tests/data/grow/review_tag.c" lib/upkeep &&
		add_lines lib/upkeep/review_effects.c '^#define REVIEW_EFFECT_TABLE' 'here' $'\tLINE(tag) \\' &&
		add_lines man/mem-review.1 '^[.]It Cm escalation' '^[.]El' '.It Cm tag' 'A tag. Once approved it marks the subject.'
}

# Each is a commit of the copy.
commit() {
	git add -A Makefile lib cmd man && git -c user.name=a -c user.email=a@a commit -qm "$1"
}

setup_file() {
	unset MEM_NOW MAKEFLAGS MAKELEVEL MFLAGS CC SAN COV WERROR
	[ "$MEM_BUILD" = "$TOP/build/release" ] || return 0
	local built=build/release copy=$BATS_FILE_TMPDIR/copy f
	mkdir "$copy"
	for f in Makefile config.mak lib cmd man scripts tests/unit/{store_kind_test.c,stage_test.c} \
		tests/cmd/{helper.bash,mem-maintain.bats,mem-import.bats} $built/{flags,members,lib,gen,cmd,scripts}; do
		[ ! -e "$TOP/$f" ] || (cd "$TOP" && cp -a --reflink=auto --parents -t "$copy" "$f") || return 1
	done
	cd "$copy" || return 1
	make_old
	git init -q . && commit before || return 1
	for f in others kind job signal stage review; do
		"add_$f" && commit "$f" || return 1
	done
	make -s "-j$(nproc)" WERROR=1 $built/bin/mem-{init,import,export,check,list,search,stat,maintain,once,review,log} \
		$built/unit/{store_kind_test,stage_test}
}

setup() {
	[ "$MEM_BUILD" = "$TOP/build/release" ] || skip "it builds build/release"
	scratch
	copy=$BATS_FILE_TMPDIR/copy
	PATH=$copy/build/release/bin:$PATH
	need_store
}

# touched NAME: the files that adding it changed, with how many lines came and went.
touched() {
	git -C "$copy" log --format= --grep "^$1\$" --numstat | tr '\t' ' '
}

# lines_of FILE: how many a new file has.
lines_of() {
	wc -l < "$TOP/tests/data/grow/$1"
}

@test "a kind touches the table and the page" {
	[ "$(touched kind)" = '1 0 lib/store/kind.h
1 0 man/mem-records.5' ]
}

@test "its number is one that no 64 bits hold" {
	grep -q 'KIND(70, GADGET' "$copy/lib/store/kind.h"
}

@test "a job touches its own file, the table and the page" {
	[ "$(touched job)" = "1 0 lib/conf/job_names.h
$(lines_of job_shine.c) 0 lib/upkeep/job_shine.c
3 0 man/mem-maintain.1" ]
}

@test "a signal touches its own file, the table and the page" {
	[ "$(touched signal)" = "1 0 lib/conf/signal_names.h
$(lines_of signal_freshness.c) 0 lib/query/signal_freshness.c
2 0 man/mem-records.5" ]
}

@test "a stage touches its own file, the table, its command and its page" {
	[ "$(touched stage)" = "$(lines_of mem-once.c) 0 cmd/mem-once.c
$(lines_of once.c) 0 lib/stage/once.c
1 0 lib/stage/stage.h
$(lines_of mem-once.1) 0 man/mem-once.1" ]
}

@test "what a decision does touches its own file, the table and the page" {
	[ "$(touched review)" = "1 0 lib/upkeep/review_effects.c
$(lines_of review_tag.c) 0 lib/upkeep/review_tag.c
2 0 man/mem-review.1" ]
}

@test "what holds the pages to the tables is content" {
	cd "$copy"
	build/release/unit/store_kind_test
	MEM_BUILD=$PWD/build/release bats --tap -f 'same tasks|unknown task' tests/cmd/mem-maintain.bats
	MEM_BUILD=$PWD/build/release bats --tap -f 'every kind' tests/cmd/mem-import.bats
}

gadgets() { # FIRST LAST: as lines for mem-import
	local i
	for i in $(seq "$1" "$2"); do
		printf '{"id":"0198f3c2-7d4e-7b1a-9c3d-%012d","kind":"gadget","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","name":"opener %d","content":"It opens tins."}\n' "$i" "$i"
	done
}

@test "a new kind is imported, listed, searched, counted and exported" {
	gadgets 1 2 > in
	echo '{"id":"0198f3c2-7d4e-7b1a-9c3d-000000000009","kind":"fact","ns":"agent:ada","created_at":"2026-11-28T09:00:00.000Z","statement":"Tins hold tea."}' >> in
	run -0 mem-import < in
	[ "$(jq -r .verdict <<<"$output" | uniq -c | tr -s ' ')" = ' 3 new' ]
	run -0 mem-list --kind gadget
	[ "$(jq -r .name <<<"$output")" = $'opener 1\nopener 2' ]
	run -0 mem-search --kind gadget tins
	[ "$(jq -r .kind <<<"$output" | uniq -c | tr -s ' ')" = ' 2 gadget' ]
	run -0 mem-search 'kind:gadget tins'
	[ "$(wc -l <<<"$output")" = 2 ]
	run -0 mem-search tins
	[ "$(jq -r .kind <<<"$output")" = fact ]
	run -0 mem-stat
	[ "$(jq -c .nodes <<<"$output")" = '{"fact":{"agent:ada":1},"gadget":{"agent:ada":2}}' ]
	[ "$(jq .pending_vectors <<<"$output")" = 3 ]
	mem-export | cmp - in
	run -0 mem-check
}

@test "a new kind goes through a segment" {
	gadgets 1 400 > in
	mem-import -q < in
	run -0 mem-maintain -v index
	[ "$output" = '{"task":"index","done":1}' ]
	[ "$(mem-search --kind gadget --all tins | wc -l)" = 400 ]
	[ "$(mem-search --kind gadget,fact --all tins | wc -l)" = 400 ]
	run -1 mem-search --kind fact tins
	run -0 mem-check
}

@test "a new job is listed, run in its place, and done" {
	run -0 mem-maintain --list shine
	[ "$output" = '{"task":"shine","due":false,"when":null,"amount":0,"after":["expire"]}' ]
	gadgets 1 7 | mem-import -q
	run -0 mem-maintain --list
	[ "$(jq -r .task <<<"$output" | sed -n '/^expire/,/^embed/p')" = $'expire\nreembed\nconsolidate\nshine\nembed' ]
	[ "$(jq -c 'select(.task == "shine")' <<<"$output")" = '{"task":"shine","due":true,"when":null,"amount":7,"after":["expire"]}' ]
	echo 'maintain: {shine: "sun 03:00"}' >> "$MEM_STORE/config.yaml"
	run -0 mem-maintain -v
	[ "$output" = '{"task":"shine","done":7}' ]
	run -0 mem-maintain -v
	[[ $output != *shine* ]]
	run -0 mem-maintain --list shine
	[ "$output" = '{"task":"shine","due":false,"when":"2026-11-29T03:00:00.000Z","amount":0,"after":["expire"],"last":"2026-11-28T09:00:00.000Z","outcome":"done"}' ]
	run -2 mem-maintain wax
	[[ $output = *' expire, reembed, consolidate, shine, embed, '* ]]
}

@test "a new signal ranks, beside the others and in its modes" {
	embed_server ok
	for day in 14 28 21; do
		echo "{\"ref\":\"$day\",\"content\":\"tea in a tin\",\"captured_at\":\"2026-11-${day}T09:00:00Z\"}"
	done | mem-capture -q
	mem-embed --pending
	# Words and meaning are the same of all three: the newest is the best.
	run -0 mem-search 'tea tin'
	[ "$(jq -c '[.ref, .mode, .signals.freshness]' <<<"$output")" = '["28","hybrid",{"score":1}]
["21","hybrid",{"score":0.5}]
["14","hybrid",{"score":0.25}]' ]
	[ "$(jq -c '.signals | keys_unsorted | .[:3]' <<<"${lines[0]}")" = '["lexical","dense","freshness"]' ]
	# A third (.5 of 1.5) of the z-scores of 1, .5 and .25; those of the other signals are 0.
	[ "$(jq -cs 'map(.score)' <<<"$output")" = '[0.445435,-0.089087,-0.356348]' ]
	[ "$(mem-search -m keyword 'tea tin' | jq -c '.signals | keys' | sort -u)" = '["lexical"]' ]
	[ "$(mem-search -m vector 'tea tin' | jq -c '.signals | keys' | sort -u)" = '["dense"]' ]
	# It was not there before.
	[ "$("$MEM_BUILD/bin/mem-search" 'tea tin' | jq -c '.signals | has("dense", "freshness")' | sort | uniq -c | tr -s ' ' | paste -sd,)" = ' 3 false, 3 true' ]
}

@test "a new stage keeps to what all stages keep to, and its command works" {
	run -0 "$copy/build/release/unit/stage_test"
	[[ $output = *'stage once'* ]]
	run -0 "$TOP/tests/examples" "$copy/man/mem-once.1"
	[[ $output != *'not ok'* ]]
	printf '%s\n' '{"id":"a", "score":1e400,"content":"tea"}' '{"id":"b","score":2,"content":"milk"}' '{"id":"a","score":3}' \
		'{"qid":1,"end":true,"hits":3}' '[]' >hits
	run -1 --separate-stderr mem-once hits
	[ "$output" = "$(sed -n '1,2p;4p' hits)" ]
	[[ $stderr = *'mem-once: hits: line 5, byte 0: not_an_object'* ]]
	run -0 bash -c 'mem-once hits 2>errors | mem-render --format plain'
	[ "$output" = $'- tea\n- milk' ]
}

@test "a new decision is made in one transaction, by the reviewer's right" {
	echo 'reviewers: [rev]' >> store/config.yaml
	page=0198f3c2-7d4e-7b1a-9c3d-000000000001
	mem-import -q <<-END
		{"id":"$page","kind":"page","ns":"global","created_at":"2026-11-28T09:00:00.000Z","title":"Tea"}
		$(for i in 2 3; do echo "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-00000000000$i\",\"kind\":\"review\",\"ns\":\"global\",\"created_at\":\"2026-11-28T09:00:00.000Z\",\"subject\":\"$page\",\"asks\":\"tag\",\"reason\":null,\"asked_by\":\"bob\",\"state\":\"open\",\"payload\":{\"tag\":\"drinks\"}}"; done)
	END
	run -0 mem-review --agent rev reject 0198f3c2-7d4e-7b1a-9c3d-000000000002
	[ "$(mem-list --kind page | jq 'has("marked")')" = false ]
	run -0 mem-review --agent rev approve 0198f3c2-7d4e-7b1a-9c3d-000000000003
	[ "$(mem-list --kind page | jq -c '[.marked, .version]')" = '["drinks",2]' ]
	[ "$(mem-log | tail -n 2 | jq -r .op)" = $'marked\napproved' ]
	# It is not put by hand, and before it was there nobody could decide it.
	run -2 mem-review ask --asks tag --note x "$page"
	run -1 "$MEM_BUILD/bin/mem-review" --agent rev approve 0198f3c2-7d4e-7b1a-9c3d-000000000003
	[ "$(jq -r .reason <<<"$output")" = bad_value ]
	run -0 mem-check
}

@test "what is in the tables has its file and its page" {
	local name count=''
	table() { sed -n "/^#define $1(LINE)/,/[^\\\\]\$/ s/.*LINE(.*\<\([a-z_]*\)).*/\1/p" "$TOP/$2"; }
	for name in $(table MEM_SIGNAL_NAMES lib/conf/signal_names.h); do # those of the record share a file
		grep -qs "^const struct query_signal query_signal_$name =" "$TOP/lib/query/signal_$name.c" ||
			grep -q "^#define RECORD_SIGNALS.*LINE($name)" "$TOP/lib/query/signal_record.c"
		grep -q "^\.It Cm $name\$" "$TOP/man/mem-records.5"
		count+=s
	done
	for name in $(table MEM_STAGE_TABLE lib/stage/stage.h) $(table MEM_SEARCH_STAGE_TABLE lib/stage/stage.h); do
		grep -q "^const struct mem_stage mem_stage_$name =" "$TOP"/lib/stage/*.c
		[ -f "$TOP/cmd/mem-${name%%_*}.c" ]
		[ -f "$TOP/man/mem-${name%%_*}.1" ]
		count+=t
	done
	for name in $(table REVIEW_EFFECT_TABLE lib/upkeep/review_effects.c); do
		grep -q "^const struct mem_review_effect mem_review_effect_$name =" "$TOP"/lib/*/"review_$name.c"
		grep -q "^\.It Cm $name\$" "$TOP/man/mem-review.1"
		count+=u
	done
	[[ $count = ss*tt*u* ]]
}
