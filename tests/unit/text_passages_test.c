/* SPDX-License-Identifier: Apache-2.0 */
/* Passages: packing, overlap, sentences and words over the limit, and how much is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "text/passages.h"

/* ---- what comes out ----------------------------------------------------- */

static void
expect_passages(const char *text, struct mem_passage_options o, const char *want)
{
	struct mem_buf got = { 0 };
	struct mem_span *spans;
	if (o.measure == NULL)
		o.measure = mem_measure_characters;
	size_t n = mem_passages_make(&spans, mem_str(text), &o);
	mem_buf_puts(&got, "");
	for (size_t i = 0; i < n; i++) {
		mem_buf_put(&got, text + spans[i].start, spans[i].end - spans[i].start);
		mem_buf_puts(&got, "|");
	}
	assert_string_equal(got.data, want);
	free(spans);
	mem_buf_release(&got);
}
#define OPTIONS(...) (struct mem_passage_options){ __VA_ARGS__ }

static void
test_packing(void **state)
{
	(void)state;
	expect_passages("", OPTIONS(.limit = 9), "");
	expect_passages(" \n", OPTIONS(.limit = 9), "");
	expect_passages(" One.  Two. ", OPTIONS(.limit = 10), "One.  Two.|");
	expect_passages(" One.  Two. ", OPTIONS(.limit = 9), "One.|Two.|");
	expect_passages("Äh. Öh. Üh.", OPTIONS(.limit = 7), "Äh. Öh.|Üh.|");
	expect_passages("One two. Three. Four five six.", OPTIONS(.limit = 3, .measure = mem_measure_words),
	    "One two. Three.|Four five six.|");
	expect_passages("One. Two. Six.", OPTIONS(.limit = 4, .passages_max = 2), "One.|Two.|");
}

static void
test_overlap(void **state)
{
	(void)state;
	const char *text = "Aa. Bb. Cc. Dd. Ee. Ff.";
	expect_passages(text, OPTIONS(.limit = 15, .overlap = 1), "Aa. Bb. Cc. Dd.|Dd. Ee. Ff.|");
	expect_passages(text, OPTIONS(.limit = 15, .overlap = 2), "Aa. Bb. Cc. Dd.|Cc. Dd. Ee. Ff.|");
	expect_passages(text, OPTIONS(.limit = 11, .overlap = 99), "Aa. Bb. Cc.|Cc. Dd. Ee.|Ee. Ff.|");
	/* No more than half of the limit, and only what leaves room. */
	expect_passages("Aa. Bbbbbb. Cc.", OPTIONS(.limit = 11, .overlap = 1), "Aa. Bbbbbb.|Cc.|");
	expect_passages("Aaaaaa. Bb. Cccccccc.", OPTIONS(.limit = 11, .overlap = 1), "Aaaaaa. Bb.|Cccccccc.|");
	expect_passages("Aaaaaa. Bb. Ccccccc.", OPTIONS(.limit = 12, .overlap = 1), "Aaaaaa. Bb.|Bb. Ccccccc.|");
}

static void
test_long_sentences(void **state)
{
	(void)state;
	expect_passages("Ab. One two three four. Cd. Ef.", OPTIONS(.limit = 11, .overlap = 1),
	    "Ab.|One two|three four.|Cd. Ef.|");
	/* What is left of a long sentence goes on with the next one, and may be repeated as a sentence is. */
	expect_passages("one two three x. Cd. Ef.", OPTIONS(.limit = 8, .overlap = 1), "one two|three x.|Cd. Ef.|");
	expect_passages("one two three. x. Yyyyyy yyyy. Z.", OPTIONS(.limit = 15), "one two three.|x. Yyyyyy yyyy.|Z.|");
	/* A line break in the second half of what fits. */
	expect_passages("one two\nthree four", OPTIONS(.limit = 13), "one two|three four|");
	expect_passages("one\ntwo three four", OPTIONS(.limit = 13), "one\ntwo three|four|");
	expect_passages("```\na b\nc d e f\n```", OPTIONS(.limit = 12), "```\na b|c d e f\n```|");
}

static void
test_long_words(void **state)
{
	(void)state;
	expect_passages("abcdefghij", OPTIONS(.limit = 4), "abcd|efgh|ij|");
	expect_passages("ab cdefghij kl", OPTIONS(.limit = 4), "ab|cdef|ghij|kl|");
	expect_passages("東京都東京都", OPTIONS(.limit = 4), "東京都東|京都|");
	/* Clusters stay together: a letter with its mark, a family, flags; not one that is over the limit. */
	expect_passages("xe\xcc\x81xe\xcc\x81", OPTIONS(.limit = 2), "x|e\xcc\x81|x|e\xcc\x81|");
	expect_passages("🇩🇪🇫🇷🇪🇸", OPTIONS(.limit = 3), "🇩🇪|🇫🇷|🇪🇸|");
	expect_passages("a👨‍👩‍👧b", OPTIONS(.limit = 5), "a|👨‍👩‍👧|b|");
	expect_passages("👨‍👩‍👧", OPTIONS(.limit = 2), "👨‍|👩‍|👧|");
}

/* ---- what is measured --------------------------------------------------- */

struct meter {
	size_t *bytes;          /* measured in all */
	size_t *longest;
	size_t bytes_a_unit;
};

static size_t
count_measured(const void *ctx, struct mem_str text)
{
	const struct meter *m = ctx;
	*m->bytes += text.n;
	if (text.n > *m->longest)
		*m->longest = text.n;
	return text.n / m->bytes_a_unit;
}

static size_t
measure_passages(struct mem_buf *text, struct mem_passage_options o, size_t unit, size_t *longest)
{
	size_t bytes = 0;
	struct mem_span *spans;
	struct meter m = { &bytes, longest, unit };
	*longest = 0;
	o.measure = count_measured;
	o.ctx = &m;
	(void)mem_passages_make(&spans, mem_buf_span(text), &o);
	free(spans);
	return bytes;
}

static void
test_measured_once(void **state)
{
	(void)state;
	struct mem_buf text = { 0 };
	size_t longest;
	for (int i = 0; i < 5000; i++)
		mem_buf_printf(&text, "This is sentence %d of many. ", i);
	assert_true(measure_passages(&text, OPTIONS(.limit = 400, .overlap = 3), 1, &longest) < text.len);
	assert_true(longest < 40);
	/* Stops as soon as there are enough. */
	assert_true(measure_passages(&text, OPTIONS(.limit = 400, .passages_max = 4), 1, &longest) < 2000);

	/* One word: nothing far ahead is measured for each passage. */
	mem_buf_reset(&text);
	for (int i = 0; i < 100000; i++)
		mem_buf_puts(&text, "ab");
	assert_true(measure_passages(&text, OPTIONS(.limit = 100), 1, &longest) < 20 * text.len);
	assert_true(measure_passages(&text, OPTIONS(.limit = 100), 7, &longest) < 20 * text.len);
	mem_buf_release(&text);
}

/* A single character over the limit is a passage all the same. */
static size_t
weigh_heavily(const void *ctx, struct mem_str text)
{
	(void)ctx;
	return 10 * text.n;
}

static void
test_nothing_fits(void **state)
{
	(void)state;
	expect_passages("ab. Cd", OPTIONS(.limit = 3, .overlap = 1, .measure = weigh_heavily), "a|b|.|C|d|");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packing),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_long_sentences),
		cmocka_unit_test(test_long_words),
		cmocka_unit_test(test_measured_once),
		cmocka_unit_test(test_nothing_fits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
