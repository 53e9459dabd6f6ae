/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of four characters: by hand, against a naive count, and what they find that words do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/grams.h"

static void
score_texts(const char *question, const char *const *texts, size_t n, double *scores)
{
	struct mem_grams *g = mem_grams_new(mem_str(question));
	for (size_t i = 0; i < n; i++)
		mem_grams_add(g, mem_str(texts[i]));
	mem_grams_scores(g, scores);
	mem_grams_free(g);
}

/*
 * The question's grams are " ab ", "ab c" and "b c ", and in both texts together they stand 1, 0 and 1 times: idf ln 2, ln 6 and
 * ln 2, of which all are ln 24.  The texts have four and two grams, three in the mean: the first has " ab " twice, and
 * 2 / (2 + .9 * (.6 + .4 * 4 / 3)) = 1 / 1.51 of ln 2 / ln 24; the second "b c " once, and 1 / (1 + .9 * (.6 + .4 * 2 / 3)) = 1 / 1.78.
 */
static void
test_by_hand(void **state)
{
	static const char *const texts[] = { "Ab ab", "b, C!" };
	double scores[2];
	(void)state;
	score_texts("AB c", texts, 2, scores);
	assert_true(fabs(scores[0] - .1444399) < 1e-7);
	assert_true(fabs(scores[1] - .1225305) < 1e-7);
}

/* How often four bytes at p stand in a text that is folded already. */
static uint32_t
count_gram(const char *text, const char *p)
{
	uint32_t n = 0;
	for (size_t i = 0; i + 4 <= strlen(text); i++)
		n += memcmp(text + i, p, 4) == 0;
	return n;
}

static void
test_against_naive(void **state)
{
	(void)state;
	enum { N = 5 };
	static const char *const texts[N] = { " a big dog barks at a big dog ", " the dogs of the house ", " nothing ", " b ", " big bigger biggest " };
	static const char question[] = " which big dog is biggest ";
	double scores[N], mean = 0, all = 0;
	for (size_t i = 0; i < N; i++)
		mean += (double)(strlen(texts[i]) > 3 ? strlen(texts[i]) - 3 : 0) / N;
	double want[N] = { 0 };
	for (size_t k = 0; k + 4 < sizeof question; k++) {
		uint32_t df = 0;
		for (size_t i = 0; i < N; i++)
			df += count_gram(texts[i], question + k) > 0;
		double idf = log(1 + (N - df + .5) / (df + .5));
		all += idf;
		for (size_t i = 0; i < N; i++) {
			double tf = count_gram(texts[i], question + k), length = (double)(strlen(texts[i]) > 3 ? strlen(texts[i]) - 3 : 0);
			want[i] += tf > 0 ? idf * tf / (tf + .9 * (.6 + .4 * length / mean)) : 0;
		}
	}
	score_texts("Which BIG dog is... biggest?", texts, N, scores);
	for (size_t i = 0; i < N; i++)
		if (fabs(scores[i] - want[i] / all) > 1e-12)
			fail_msg("text %zu has %.12f, not %.12f", i, scores[i], want[i] / all);
	assert_true(scores[0] > scores[1] && scores[4] > scores[2]);
}

/* The text that must have most. */
static void
expect_best(const char *question, const char *a, const char *b, const char *c, size_t best)
{
	const char *const texts[] = { a, b, c };
	double scores[3];
	score_texts(question, texts, 3, scores);
	for (size_t i = 0; i < 3; i++)
		if (i != best && !(scores[i] < scores[best]))
			fail_msg("'%s': text %zu has %f, text %zu %f", question, i, scores[i], best, scores[best]);
}

static void
test_finds(void **state)
{
	(void)state;
	expect_best("Wohnungssuche", "the weather", "Suche eine Wohnung", "Kaffee und Kuchen", 1);
	expect_best("the accomodation", "a long walk", "the dog", "our accommodation was fine", 2);
	expect_best("wi-fi passwort", "WLAN", "the wifi password", "a passage", 1);
	expect_best("CAF\xc3\x89 R\xc3\xa9sum\xc3\xa9", "resume of the cafe", "a tree", "the sea", 0);
	expect_best("\xd0\x9a\xd0\xbd\xd0\xb8\xd0\xb3\xd0\xb0\xd0\xbc\xd0\xb8", "abc", "", "\xd0\xba\xd0\xbd\xd0\xb8\xd0\xb3\xd0\xb0", 2);
	expect_best("\xf0\x9f\x98\x80 party \xf0\x9f\x98\x80", "party!", "a tree", "the sea", 0);
}

static void
test_bounds(void **state)
{
	(void)state;
	struct mem_buf b = { 0 };
	for (int i = 0; b.len < 100000; i++)
		mem_buf_printf(&b, "w%d \xef\xb7\xba ", i); /* one that is folded to eighteen */
	mem_buf_puts(&b, "the end");
	const char *const texts[] = { b.data, "the end", "", "!?" };
	double scores[4];
	score_texts(b.data, texts, 4, scores);
	assert_true(scores[0] > .3 && scores[0] < 1);
	for (size_t i = 1; i < 4; i++) /* the end is past what is read */
		assert_true(fabs(scores[i]) < 1e-12);
	score_texts("", texts, 4, scores);
	for (size_t i = 0; i < 4; i++)
		assert_true(fabs(scores[i]) < 1e-12);
	struct mem_grams *g = mem_grams_new(MEM_STR("dog"));
	mem_grams_scores(g, scores);
	mem_grams_free(g);
	mem_buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_against_naive),
		cmocka_unit_test(test_finds),
		cmocka_unit_test(test_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
