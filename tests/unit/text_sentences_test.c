/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences against tests/data/sentences, and the list of words that they depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "text/sentence_int.h"

/* ---- against cases ------------------------------------------------------ */

static void
show_sentences(struct mem_buf *out, struct mem_str text)
{
	struct mem_sentences all = { .text = text };
	mem_buf_puts(out, "");
	for (struct mem_sentence s; mem_sentences_next(&all, &s);) {
		mem_buf_put(out, text.p + s.span.start, s.span.end - s.span.start);
		mem_buf_puts(out, "|");
	}
}

static bool
check_case(const char *path, uint64_t line, const struct mem_rec *r)
{
	struct mem_buf text = { 0 }, want = { 0 }, got = { 0 };
	assert_true(mem_json_decode(&text, mem_rec_find(r, "text")->value));
	mem_buf_puts(&want, "");
	for (struct mem_json_iter it = mem_json_each(mem_rec_find(r, "sentences")->value); mem_json_next(&it);) {
		assert_true(mem_json_decode(&want, it.value));
		mem_buf_puts(&want, "|");
	}
	show_sentences(&got, mem_buf_span(&text));
	bool same = strcmp(want.data, got.data) == 0;
	if (!same)
		print_error("%s:%u:\n  by hand  %s\n  by text  %s\n", path, (unsigned)line, want.data, got.data);
	mem_buf_release(&text);
	mem_buf_release(&want);
	mem_buf_release(&got);
	return same;
}

static void
check_cases(const char *path, unsigned cases, unsigned right)
{
	struct mem_lines lines;
	struct mem_line line;
	struct mem_err err;
	struct mem_rec r = { 0 };
	unsigned n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	mem_lines_init(&lines, fd, MEM_LINE_MAX);
	while (mem_lines_next(&lines, &line, &err) == MEM_OK) {
		assert_int_equal(mem_rec_scan(&r, line.text, &err), MEM_OK);
		n += check_case(path, line.number, &r);
	}
	assert_int_equal(lines.number, cases);
	assert_true(n >= right);
	mem_rec_release(&r);
	mem_lines_release(&lines);
}

static void
test_cases(void **state)
{
	(void)state;
	check_cases("tests/data/sentences/cases.ndjson", 61, 61);
	check_cases("tests/data/sentences/more.ndjson", 166, 164);
}

/* ---- blocks ------------------------------------------------------------- */

static void
expect_sentences(const char *text, const char *want)
{
	struct mem_buf got = { 0 };
	show_sentences(&got, mem_str(text));
	assert_string_equal(got.data, want);
	mem_buf_release(&got);
}

static void
test_blocks(void **state)
{
	(void)state;
	expect_sentences("```\nopen. To\n\nthe. End", "```\nopen. To\n\nthe. End|");
	expect_sentences("Use ```x. y``` here. Then.", "Use ```x. y``` here.|Then.|");
	expect_sentences("> ~~~\n> a. B\n\nc! d", "> ~~~\n> a. B|c!|d|");
	expect_sentences("A:\n\n    b. C\n    d\n\n\n    e. F\n\nG", "A:|b. C\n    d\n\n\n    e. F|G|");
	expect_sentences("    One. Two\nthree", "One.|Two\nthree|");
	expect_sentences("- a\n\n    b. C\n- d", "- a|b.|C|- d|");
	expect_sentences("a\nb\n---\nc", "a\nb\n---|c|");
	expect_sentences("> a\n>\n> b\nc", "> a|>\n> b|c|");
	expect_sentences(">\n>", ">\n>|");
	expect_sentences("in the year\n2019. Then\n7. go", "in the year\n2019.|Then\n7. go|");
	expect_sentences("as follows:\n7. go\n8. stop", "as follows:|7. go|8. stop|");
	expect_sentences("a\fb\xe2\x80\xa9" "c", "a|b|c|");
	expect_sentences("\xe3\x80\x80\xe6\x9d\xb1\xe3\x80\x82\xe3\x80\x80", "\xe6\x9d\xb1\xe3\x80\x82|");
	expect_sentences(" . . .  Ok", ". . .  Ok|");
}

/* An unlisted word before a lowercase letter. */
static void
test_unlisted_words(void **state)
{
	(void)state;
	expect_sentences("See the bltn. of May.", "See the bltn. of May.|");
	expect_sentences("see the dog. of course.", "see the dog.|of course.|");
	expect_sentences("It is good. [image: a cat]", "It is good.|[image: a cat]|");
	expect_sentences("It is good. then it is not. map_size is.", "It is good.|then it is not.|map_size is.|");
	expect_sentences("He saw approx. (five) of them.", "He saw approx. (five) of them.|");
}

/* What is written in capitals is another word than an abbreviation, and goes on with one. */
static void
test_capitals(void **state)
{
	(void)state;
	expect_sentences("He took Mt. Rose to St. Paul.", "He took Mt. Rose to St. Paul.|");
	expect_sentences("It has 3 MT. Rose knows.", "It has 3 MT.|Rose knows.|");
	expect_sentences("MT. ROSE IS HIGH.", "MT. ROSE IS HIGH.|");
	expect_sentences("Call at 5 p.m. EST. We wait till 6 p.m. We go.", "Call at 5 p.m. EST.|We wait till 6 p.m.|We go.|");
	expect_sentences("See FIG. 3 of it.", "See FIG. 3 of it.|");
}

static void
test_code_is_marked(void **state)
{
	(void)state;
	struct mem_sentences all = { .text = MEM_STR("a.\n```\nb\n```\n\n    c\n\nd") };
	struct mem_sentence s;
	bool code[4] = { 0 };
	for (size_t i = 0; i < 4; i++) {
		assert_true(mem_sentences_next(&all, &s));
		code[i] = s.code;
	}
	assert_false(mem_sentences_next(&all, &s));
	assert_true(!code[0] && code[1] && code[2] && !code[3]);
}

/* ---- the list ----------------------------------------------------------- */

extern const unsigned char mem_data_text_sentence_words[];
extern const size_t mem_data_text_sentence_words_len;

/* Every line is found by its own word: the list is sorted, and has no class that is unknown. */
static void
test_listed_words(void **state)
{
	(void)state;
	struct mem_str list = { (const char *)mem_data_text_sentence_words, mem_data_text_sentence_words_len };
	unsigned n = 0;
	for (size_t at = 0, end; at < list.n; at = end + 1) {
		end = text_find_line_end(list, at);
		assert_true(end < list.n);
		if (list.p[at] == '#')
			continue;
		const char *blank = memchr(list.p + at, ' ', end - at);
		assert_non_null(blank);
		struct mem_str word = { list.p + at, (size_t)(blank - list.p) - at };
		if (text_find_listed_word(word) == 0)
			fail_msg("'%.*s' is not found", (int)word.n, word.p);
		assert_non_null(memchr(blank + 1, ' ', end - (size_t)(blank + 1 - list.p)));
		n++;
	}
	assert_true(n > 500);
}

static void
test_case_of_words(void **state)
{
	(void)state;
	assert_int_equal(text_find_listed_word(MEM_STR("Sat")), TEXT_BEFORE_SMALL | TEXT_BEFORE_DIGIT);
	assert_int_equal(text_find_listed_word(MEM_STR("sat")), 0);
	assert_true(text_find_listed_word(MEM_STR("MR")) == text_find_listed_word(MEM_STR("mr")));
	assert_true((text_find_listed_word(MEM_STR("МЫ")) & TEXT_WORD_STARTS) != 0);
	assert_int_equal(text_find_listed_word(MEM_STR("")), 0);
	assert_int_equal(text_find_listed_word(MEM_STR("m")), text_find_listed_word(MEM_STR("M")));
	assert_int_equal(text_find_listed_word(MEM_STR("mrs.mrs.mrs.mrs.mrs.mrs.mrs")), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_unlisted_words),
		cmocka_unit_test(test_capitals),
		cmocka_unit_test(test_code_is_marked),
		cmocka_unit_test(test_listed_words),
		cmocka_unit_test(test_case_of_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
