/* SPDX-License-Identifier: Apache-2.0 */
/* All pairs of texts that are written alike: what comparing each with each says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/text.h"

enum { TEXTS = 500, PAIRS_MAX = TEXTS * TEXTS };

static struct pair_list {
	size_t n, i[PAIRS_MAX], j[PAIRS_MAX];
	double likeness[PAIRS_MAX];
} found;

static bool
keep_pair(void *ctx, size_t i, size_t j, double likeness)
{
	struct pair_list *list = ctx;
	list->i[list->n] = i;
	list->j[list->n] = j;
	list->likeness[list->n++] = likeness;
	return true;
}

/* Always the same. */
static unsigned
draw_number(uint64_t *state, unsigned below)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(*state >> 33) % below;
}

/* A name of one to four words of few letters, or one before it with some letters changed. */
static struct mem_str
draw_name(struct mem_arena *a, uint64_t *state, const struct mem_str *names, size_t n)
{
	char text[64];
	size_t len = 0;
	if (n > 0 && draw_number(state, 2) == 0) {
		struct mem_str from = names[draw_number(state, (unsigned)n)];
		char *changed = mem_arena_dup(a, from.p, from.n);
		for (unsigned k = draw_number(state, 3); k > 0 && from.n > 0; k--)
			changed[draw_number(state, (unsigned)from.n)] = (char)('a' + draw_number(state, 26));
		return (struct mem_str){ changed, from.n };
	}
	for (unsigned w = 1 + draw_number(state, 4); w > 0; w--) {
		for (unsigned k = 1 + draw_number(state, 7); k > 0; k--)
			text[len++] = (char)('a' + draw_number(state, 6));
		text[len++] = w > 1 ? '-' : ' ';
	}
	return mem_arena_str(a, (struct mem_str){ text, len });
}

static void
check_pairs(double least, uint64_t seed)
{
	struct mem_arena a = { 0 };
	struct mem_str names[TEXTS];
	uint64_t state = seed;
	for (size_t i = 0; i < TEXTS; i++)
		names[i] = draw_name(&a, &state, names, i);
	found.n = 0;
	assert_true(mem_likeness_pairs(names, TEXTS, least, keep_pair, &found));
	size_t at = 0;
	for (size_t i = 0; i < TEXTS; i++)
		for (size_t j = 0; j < i; j++) {
			double like = mem_text_likeness(names[i], names[j]);
			if (like < least)
				continue;
			assert_true(at < found.n);
			assert_int_equal(found.i[at], i);
			assert_int_equal(found.j[at], j);
			assert_true(found.likeness[at] == like);
			at++;
		}
	assert_int_equal(at, found.n);
	assert_true(at > 50);
	mem_arena_release(&a);
}

static void
pairs_are_those_of_all_comparisons(void **state)
{
	(void)state;
	const double leasts[] = { .5, .7, .8, .9, 1 };
	for (size_t i = 0; i < MEM_COUNT(leasts); i++)
		for (uint64_t seed = 1; seed <= 3; seed++)
			check_pairs(leasts[i], seed);
}

static bool
stop_at_once(void *ctx, size_t i, size_t j, double likeness)
{
	(void)i, (void)j, (void)likeness;
	++*(int *)ctx;
	return false;
}

static void
texts_without_words_are_like_none(void **state)
{
	(void)state;
	const struct mem_str texts[] = { MEM_STR("--"), MEM_STR(""), MEM_STR("--"), MEM_STR("Code review"), MEM_STR("code-review"),
		MEM_STR("CODE REVIEW") };
	int calls = 0;
	found.n = 0;
	assert_true(mem_likeness_pairs(texts, MEM_COUNT(texts), .9, keep_pair, &found));
	assert_int_equal(found.n, 3);
	assert_false(mem_likeness_pairs(texts, MEM_COUNT(texts), .9, stop_at_once, &calls));
	assert_int_equal(calls, 1);
	assert_true(mem_likeness_pairs(NULL, 0, .9, stop_at_once, &calls));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_those_of_all_comparisons),
		cmocka_unit_test(texts_without_words_are_like_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
