#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=search
# A search, and the same as a pipe of its stages.
load helper

WORDS="tea coffee kettle garden painted sunrise lake March 2024 yesterday house dog cat river travels Berlin meeting budget lamp window music guitar concert recipe bread flour oven winter summer autumn train station ticket doctor clinic school teacher exam book author poem parse_config lib/a.c"

setup() {
	scratch
	random_model
	mem-init -q store >/dev/null
	export MEM_STORE=$PWD/store
}

# Turns of sessions, some without one, some with a tag; seeded, so the same each time.
make_turns() {
	awk -v words="$WORDS" 'function text(n, s) {
		for (s = ""; n > 0; n--)
			s = s w[int(rand() * nw) + 1] (n > 1 ? " " : "")
		return s
	}
	BEGIN {
		srand(7); nw = split(words, w, " ")
		for (i = 0; i < 400; i++)
			printf "{\"content\":\"%s%s\",\"role\":\"%s\",\"speaker\":\"%s\",\"captured_at\":\"2026-%02d-%02dT10:00:00Z\"%s%s}\n",
				text(3 + int(rand() * 12)), substr(".?! ", 1 + int(rand() * 4), 1), rand() < .5 ? "user" : "assistant",
				rand() < .4 ? "Ann" : rand() < .5 ? "Bob" : "Cleo", 1 + i / 40, 1 + i % 28,
				rand() < .8 ? ",\"session_id\":\"s" int(i / 23) "\"" : "", rand() < .2 ? ",\"tags\":[\"home\"]" : ""
	}'
}

# A thousand questions: words, sentences, phrases, operators, filters of their own.
make_questions() {
	awk -v words="$WORDS" 'function text(n, s) {
		for (s = ""; n > 0; n--)
			s = s w[int(rand() * nw) + 1] (n > 1 ? " " : "")
		return s
	}
	BEGIN {
		srand(11); nw = split(words, w, " ")
		for (i = 0; i < 1000; i++) {
			r = rand()
			q = r < .2 ? "When did Ann " text(3) "?" : r < .3 ? "what does Bob say of " text(1 + int(rand() * 9)) : r < .4 ? "Where is \\\"" text(1 + int(rand() * 2)) "\\\" of " text(2) "?" : r < .45 ? text(2) " -" text(1) : r < .5 ? "\\\"" text(1) "\\\" " text(1) : r < .52 ? "speaker:Ann " text(3) : text(1 + int(rand() * 7))
			own = rand() < .05 ? ",\"session\":\"s3\"" : rand() < .05 ? ",\"since\":\"2026-06-01\"" : ""
			printf "{\"qid\":\"q%d\",\"query\":\"%s\"%s}\n", i, q, own
		}
	}'
}

# With the filters given: the search, and the pipe's first ten of each question.
compare_search_and_pipe() { # N FILTER...
	mem-search --explain --candidates "$1" --queries questions "${@:2}" | sed '/"end":true/d' >search
	mem-search --stages none --candidates "$1" --queries questions "${@:2}" | mem-fuse --signals -S store |
		mem-rerank --neighbours --queries questions "${@:2}" | grep -E '"rank":([1-9]|10),"score"' >pipe
	[ -s search ]
	cmp search pipe
}

@test "a thousand questions: the pipe gives the bytes of the search, with any filters" {
	make_turns | mem-capture -q
	mem-embed --model minilm --pending
	make_questions >questions
	[ "$(wc -l <questions)" = 1000 ]
	compare_search_and_pipe 20
	# The turns around count, and let others in.
	[ "$(grep -c '"neighbours":{' search)" -gt 3000 ]
	[ "$(grep -c '"lexical":{"score":[0-9.]*,"rank":null,"words":[0-9.]*},"dense":{"score":[0-9.]*,"rank":null}' search)" -gt 100 ]
	compare_search_and_pipe 500 --role user
	compare_search_and_pipe 20 --since 2026-03-10 --tag home
	compare_search_and_pipe 40 --plain --until 2026-08-01
}

@test "the pipe gives the bytes of the search where texts are long, too" {
	make_turns | jq -c 'del(.session_id) | .content = ([.content, .content, .content, .content, .content, .content, .content, .content, .content, .content] | join(" "))' |
		mem-capture -q
	mem-embed --model minilm --pending
	make_questions | head -n 200 >questions
	mem-search --explain --candidates 60 --queries questions | sed '/"end":true/d' >search
	[ "$(grep -c '"rm3":{' search)" -gt 500 ]
	# A question that names a day ranks by neighbours, and then not by the widened question.
	mem-search --stages none --candidates 60 --queries questions | mem-fuse --signals -S store |
		mem-rerank --neighbours --queries questions | mem-rerank --rm3 --queries questions |
		grep -E '"rank":([1-9]|10),"score"' >pipe
	cmp search pipe
}

@test "without a model a thousand questions, by words and 4-grams or by words alone, are ranked by the pipe as by the search" {
	make_turns | mem-capture -q
	make_questions >questions
	compare_search_and_pipe 500
	# By both, and by one signal alone: short questions and those with operators.
	[ "$(grep -c '"grams":{' search)" -gt 2000 ]
	[ "$(grep -vc '"grams":{' search)" -gt 2000 ]
	compare_search_and_pipe 20 --role user
	compare_search_and_pipe 40 --strict --since 2026-03-10
}

@test "without sessions, too, with a model and without" {
	make_turns | jq -c 'del(.session_id)' | mem-capture -q
	make_questions >questions
	compare_search_and_pipe 60
	mem-embed --model minilm --pending
	compare_search_and_pipe 60
	compare_search_and_pipe 30 --strict
}

@test "a mode of one signal whose stages are named is ranked by the pipe as by the search" {
	make_turns | mem-capture -q
	mem-embed --model minilm --pending
	make_questions >questions
	for mode in keyword vector; do
		mem-search -m $mode --stages fuse --explain --candidates 50 --queries questions | sed '/"end":true/d' >search
		mem-search -m $mode --stages none --candidates 50 --queries questions | mem-fuse --signals -S store |
			grep -E '"rank":([1-9]|10),"score"' >pipe
		[ -s search ]
		cmp search pipe
	done
}
