#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Without a product of vectors v = (ln(m / (1 - m)) + 4.9) / .73, so that the cuts .24 and 3 are at match .0087945 and .0623859;
# with e5's (… + 4.1) / .67, .0190922 and .1100726.
load helper

setup() {
	scratch
}

# hit ID MATCH [FIELDS]
hit() { echo "{\"id\":\"$1\",\"rank\":1,\"score\":null,\"match\":$2,\"x\":1e400${3-}}"; }
dense=',"signals":{"dense":{"score":0.8}}'

@test "hits are graded by the cuts of what made their match" {
	for m in .008794:incorrect .008795:ambiguous .062385:ambiguous .062386:correct; do
		run -0 mem-grade < <(hit a "0${m%:*}"; hit b 0.9)
		[ "$(jq -r .grade <<<"${lines[0]}")" = "${m#*:}" ]
	done
	for m in .019092:incorrect .019093:ambiguous .110072:ambiguous .110073:correct; do
		run -0 mem-grade < <(hit a "0${m%:*}" "$dense"; hit b 0.9)
		[ "$(jq -r .grade <<<"${lines[0]}")" = "${m#*:}" ]
	done
	# A match is that of the question, also where a supposed answer searched.
	[ "$(hit a 0.07 "$dense,\"hyde\":true" | mem-grade | jq -r .grade)" = ambiguous ]
	[ "$(mem-grade <<<'{"id":"a","score":1}' | jq -r '.grade + .band')" = ambiguouslow ]
	[ "$(hit a null | mem-grade | jq -r '.grade + .band + .signals.grade.query')" = ambiguouslowambiguous ]
}

@test "what passes keeps its place and all else of it, byte for byte" {
	run -0 --separate-stderr mem-grade < <(hit a 0.2; hit b 0.4; hit c 0.34; hit d 0)
	[ -z "$stderr" ]
	[ "${lines[1]}" = '{"id":"b","rank":1,"score":null,"match":0.4,"x":1e400,"grade":"correct","band":"high","signals":{"grade":{"score":6.156897,"query":"correct"}}}' ]
	[ "$(jq -r '.id + .band' <<<"${lines[0]}$(printf '%s\n' "${lines[@]:2}")" | tr '\n' ' ')" = 'amedium chigh dlow ' ]
	# Once is enough, unless it is wanted again.
	again=${output/0.4/0.01}
	[ "$(mem-grade <<<"$again")" = "$again" ]
	[ "$(mem-grade --again <<<"$again" | jq -r .grade | sed -n 2p)" = ambiguous ]
}

@test "of what nothing answers no hit comes out" {
	run -1 --separate-stderr mem-grade < <(
		hit a 0.001 ',"qid":1'
		hit b 0.9 ',"qid":2'
		echo '{"qid":1,"end":true,"hits":1}'
		echo '{"qid":2,"end":true,"hits":1}'
	)
	[ "$(jq -c '[.id, .hits]' <<<"$output" | tr -d '\n')" = '[null,0]["b",null][null,1]' ]
	[ "$stderr" = 'mem-grade: 1: nothing here answers the question: the best of 1 hits has a match of 0.001000' ]
	run -0 --separate-stderr mem-grade </dev/null
	[ -z "$output$stderr" ]
	run -0 mem-grade <<<'{"qid":1,"end":true,"hits":0}'
}

@test "lines that are no hits are refused" {
	for line in '{"id":"a","match":1.1}' '{"id":"a","match":"1"}' '{"match":1}'; do
		run -1 --separate-stderr mem-grade < <(echo "$line"; hit b 0.9)
		[ "$(jq -r .id <<<"$output")" = b ]
		[[ "$stderr" = *'line 1, '* ]]
	done
}

@test "a command finds more for what is ambiguous" {
	hit new 0.5 >found
	hit a 0.99 >>found
	run -0 --separate-stderr mem-grade --query 'how?' --fallback-with 'tee in; cat found' < <(hit a 0.02 ',"qid":"7"')
	[ "$(mv in asked; jq -c '[.id, .query]' asked)" = '["a","how?"]' ]
	[ "$(jq -c '[.id, .rank, .qid, .grade, .band, .signals.grade.query, .signals.grade.fallback]' <<<"$output" | tr -d '\n')" = \
		'["a",1,"7","ambiguous","low","correct",true]["new",2,"7","correct","high","correct",true]' ]
	# An id is the same however it is escaped.
	[ "$(hit a 0.02 | mem-grade --fallback-with "cat; echo '{\"id\":\"\\u0061\",\"score\":1}'" | wc -l)" = 1 ]
	# Others are not asked for; a failure is told and changes nothing.
	run -0 --separate-stderr mem-grade --fallback-with 'touch ran' < <(hit a 0.9)
	[ ! -e ran ]
	run -0 --separate-stderr mem-grade --fallback-with 'cat; echo "{}"' < <(hit a 0.02)
	[[ "$stderr" == "mem-grade: hits are graded without the fallback: 'cat; echo \"{}\"': line 2: "* ]]
	for bad in "exit 3" "echo x" "echo '{\"match\":1}'"; do
		run -0 --separate-stderr mem-grade --fallback-with "$bad" < <(hit a 0.02)
		[[ "$stderr" = *'hits are graded without the fallback: '* ]]
		[ "$(jq -c '[.id, .grade, .signals.grade.fallback]' <<<"$output")" = '["a","ambiguous",false]' ]
	done
}

@test "the fallback is asked the question as it was typed" {
	need_store
	mem-capture -q <<<'{"content":"the blue tin","speaker":"Ann"}'
	q='tin -green "blue" (tea'
	hit a 0.02 | mem-grade --query "$q" --fallback-with 'tee in' >/dev/null
	[ "$(jq -r .query in)" = "$q" ]
	mem-rerank --query "$q" --with 'tee in' >/dev/null <<<'{"id":"a","score":1}'
	[ "$(jq -r .query in)" = "$q" ]
}

@test "a model without cuts is graded by words, which is told" {
	need_store
	random_model
	mem-capture -q <<<'{"content":"the tea is in the blue tin"}'
	mem-embed --model minilm --pending
	run -0 --separate-stderr mem-grade -S store < <(hit a 0.07 "$dense")
	[ "$(jq -r .grade <<<"$output")" = correct ]
	[ "$stderr" = 'mem-grade: the products of model minilm were never measured: hits are graded by words alone' ]
	[ "$(hit a 0.07 "$dense" | mem-grade | jq -r .grade)" = ambiguous ]
}

@test "an answer is rejected, a person asked, found in the queue, and decided" {
	need_store
	mem-capture -q --agent bob <<<'{"content":"the tea is in the blue tin"}'
	q='when does the choir sing at the harbour tea?'
	run -0 mem-search --agent bob 'where is the tea?'
	[ "$(mem-grade <<<"$output" | jq -r .grade)" = correct ]
	mem-search --agent bob "$q" >hits
	[ -s hits ]
	run -1 --separate-stderr mem-grade --agent bob --query "$q" --escalate hits
	[ -z "$output" ]
	[[ "$stderr" = *'a person is asked: review '* ]]
	id=$(mem-review --every-namespace list | jq -r .id)
	[ "$(mem-review --every-namespace show "$id" | jq -r '[.asks, .state, .asked_by, (.reason | split("\n")[0])] | join(" ")')" = "escalation open bob $q" ]
	# The same question again is the same review, decided or not.
	run -1 --separate-stderr mem-grade --agent bob --query "$q" --escalate hits
	[[ "$stderr" = *"a person was asked: review $id"* ]]
	# Who asked does not decide, an operator neither.
	lone=$(mem-grade --query "$q" --escalate hits 2>&1 >/dev/null | sed -n 's/.*a person is asked: review //p')
	run -4 mem-review approve "$lone"
	[ "$(jq -r .reason <<<"${lines[0]}")" = rights_denied ]
	mem-review -q --every-namespace --note 'on Sundays' approve "$id"
	run -1 --separate-stderr mem-grade --agent bob --query "$q" --escalate <hits
	[[ "$stderr" = *"a person was asked: review $id"* ]]
	[ "$(mem-review --agent bob show "$id" | jq -r '.state + " " + .note')" = 'approved on Sundays' ]
	# Nobody is asked about an answer, nor what.
	run -0 --separate-stderr mem-grade --agent bob --query tea --escalate < <(hit a 0.9)
	[ -z "$stderr" ]
	run -2 mem-grade --escalate hits
}

@test "what another says than the one who is named has a mark" {
	need_store
	mem-capture -q <<'END'
{"content":"My sister plays the violin in the orchestra","speaker":"Ann Lee","session_id":"s","ref":"violin"}
{"content":"That is nice","speaker":"Ben","session_id":"s","ref":"nice"}
{"content":"I bought a boat","speaker":"Ben","session_id":"s","ref":"boat"}
END
	marks() { jq -r 'select(.other_speaker) | .ref' | tr '\n' ' '; }
	wrong='does the sister of Ben play the violin in the orchestra? is that nice?' right='does the sister of Ann Lee play the violin in the orchestra?'
	mem-search "$wrong" >hits
	[ "$(mem-grade -S store --query "$wrong" hits | marks)" = 'violin ' ]
	[ -z "$(mem-grade -S store --query "$right" hits | marks)" ]
	[ -z "$(mem-grade -S store --query 'who plays the violin in the orchestra?' hits | marks)" ]
	# What nobody said is said by no other.
	kg-node -q add <<<'{"kind":"entity","type":"thing","name":"violin of the orchestra"}'
	mem-search --kind episode,entity --stages fuse,neighbours "$wrong" >both
	[ "$(jq -r .kind both | sort -u | paste -sd' ')" = 'entity episode' ]
	mem-search --kind episode,entity --stages fuse,neighbours,grade "$wrong" | diff - <(mem-grade -S store --query "$wrong" both)
	[ "$(mem-grade -S store --query "$wrong" both | marks)" = 'violin ' ]
	# It takes the store and the question, and what the caller may read.
	[ -z "$(mem-grade --query "$wrong" hits | marks)" ]
	[ -z "$(mem-grade -S store hits | marks)" ]
	[ -z "$(mem-grade -S store --agent bob --query "$wrong" hits | marks)" ]
	[ "$(mem-search --stages fuse,grade "$wrong" | marks)" = 'violin ' ]
	# The question is read as the search read it.
	asked='Ben "that is nice" violin sister'
	mem-search --plain --stages fuse "$asked" >hits
	[ "$(mem-grade -S store --plain --query "$asked" hits | marks)" = 'violin ' ]
	[ -z "$(mem-grade -S store --query "$asked" hits | marks)" ]
	mem-search --plain --stages fuse,grade "$asked" | diff - <(mem-grade -S store --plain --query "$asked" hits)
	mem-search --strict --stages fuse,grade "$wrong" | diff - <(mem-search --strict --stages fuse "$wrong" | mem-grade -S store --strict --query "$wrong")
	run -2 mem-grade --plain --strict hits
}

@test "with the filters of the search it marks what the search would mark" {
	need_store
	mem-capture -q --now 2026-05-01T09:00:00Z --agent bob <<'END'
{"content":"My sister plays the violin in the orchestra","speaker":"Ann Lee","session_id":"s","ref":"violin"}
{"content":"That is nice","speaker":"Ben","session_id":"s","ref":"nice"}
{"content":"I bought a boat","speaker":"Ben","session_id":"s","ref":"boat"}
END
	mem-capture -q --now 2026-05-02T09:00:00Z --agent bob <<<'{"content":"My sister plays the flute","speaker":"Ann Lee","session_id":"s","ref":"flute","supersedes":"'"$(mem-get --agent bob -r violin | jq -r .id)"'"}'
	wrong='does the sister of Ben play the violin in the orchestra? is that nice?'
	same() {
		mem-search --stages fuse,grade "$@" "$wrong" >whole
		[ "$(jq -r 'select(.other_speaker) | .ref' whole | paste -sd' ')" = "$marked" ]
		mem-search --stages fuse "$@" "$wrong" | mem-grade -S store "$@" --query "$wrong" | diff whole -
	}
	marked='violin flute'
	same --every-namespace --include-superseded
	same --agent bob --include-superseded --kind episode --role user --session s
	marked=violin
	same --agent bob --since 2026-04-01 --until 2026-06-01 --ns agent:bob --known-at 2026-05-01T12:00:00Z
	run -2 mem-grade --since tomorrowish
}

@test "as a stage of a search" {
	need_store
	mem-capture -q <<<'{"content":"the tea is in the blue tin"}'
	[ "$(mem-search --stages fuse,grade 'where is the tea?' | jq -r .grade)" = correct ]
	[ "$(mem-search --stages fuse,grade 'where is the tea?')" = "$(mem-search --stages fuse 'where is the tea?' | mem-grade)" ]
	run -1 --separate-stderr mem-search --stages fuse,grade 'when does the choir sing at the harbour tea?'
	[ -z "$output" ]
	[[ "$stderr" = *'nothing here answers the question'* ]]
	run -2 --separate-stderr mem-search --stages grade,fuse tea
	[[ "$stderr" = *"'grade' stands before fuse"* ]]
}
