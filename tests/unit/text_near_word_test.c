/* SPDX-License-Identifier: Apache-2.0 */
/* Words of texts that a misspelt one may mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "text/near_word.h"

static void
expect_near(const char *word, const char *text, const char *want, double likeness)
{
	struct mem_near_words *w = mem_near_words_new(mem_str(word));
	double got;
	assert_non_null(w);
	mem_near_words_read(w, mem_str(text));
	struct mem_str best = mem_near_words_best(w, &got);
	if (!mem_str_is(best, want) || fabs(got - likeness) > 1e-12)
		fail_msg("'%s' means '%.*s' (%g), not '%s' (%g), in '%s'", word, (int)best.n, best.p, got, want, likeness, text);
	mem_near_words_free(w);
}

static void
test_edits(void **state)
{
	(void)state;
	expect_near("cusin", "My Cousin will marry.", "cousin", 5 / 6.);         /* left out */
	expect_near("couusin", "my cousin, again", "cousin", 6 / 7.);            /* put in */
	expect_near("cousan", "cousin", "cousin", 5 / 6.);                       /* taken for another */
	expect_near("bakrey", "the bakery", "bakery", 5 / 6.);                   /* exchanged */
	expect_near("cancled", "it is cancelled", "cancelled", 7 / 9.);          /* two edits */
	expect_near("maraton", "marathon", "marathon", 7 / 8.);
	expect_near("kuhlschrnak", "Der Kühlschrank ist leer.", "kuhlschrank", 10 / 11.);
	expect_near("мосвка", "столица — Москва", "москва", 5 / 6.);
}

static void
test_what_is_not_near(void **state)
{
	(void)state;
	expect_near("cousin", "cousin", "", 0);             /* the very word: it is not misspelt */
	expect_near("bakery", "fakery", "", 0);             /* another first letter */
	expect_near("tear", "tea", "", 0);                  /* too short: 4 letters, and 3 */
	expect_near("tear", "team year", "", 0);            /* none has five */
	expect_near("manual", "manners", "", 0);            /* three edits */
	expect_near("barley", "barkly", "", 0);             /* two, of six letters */
	expect_near("atlas", "atlas2 at1as", "", 0);        /* names with digits */
	expect_near("cusin", "a b 1 - \xe2\x82\xac", "", 0);
	expect_near("cusin", "", "", 0);
	static const char *const no_words[] = { "", "abc", "v1.2", "release2", "abcdefghijklmnopqrstuvwxyzabcdefgh", "two words" };
	for (size_t i = 0; i < sizeof no_words / sizeof *no_words; i++)
		assert_null(mem_near_words_new(mem_str(no_words[i])));
	mem_near_words_free(NULL);
}

static void
test_the_nearest(void **state)
{
	(void)state;
	expect_near("marten", "martin mart mortan Martin", "martin", 5 / 6.);
	expect_near("stone", "stove stove store", "stove", 4 / 5.);              /* the commonest */
	expect_near("stone", "stove store", "store", 4 / 5.);                    /* else by name */
	expect_near("sailings", "ailing mailings sailing sailors", "sailing", 7 / 8.);
}

/* Texts come one after the other; of very many near words the first count. */
static void
test_many(void **state)
{
	(void)state;
	struct mem_near_words *w = mem_near_words_new(MEM_STR("abcdefgh"));
	double likeness;
	char text[] = "abcd?fgh";
	for (int round = 0; round < 3; round++)
		for (char c = 'a'; c <= 'z'; c++)
			for (char d = 'a'; d <= 'z'; d++) {
				text[4] = c;
				text[6] = d;
				mem_near_words_read(w, mem_str(text));
			}
	assert_true(mem_str_is(mem_near_words_best(w, &likeness), "abcdafgh"));
	assert_true(likeness == 7 / 8.);
	mem_near_words_free(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edits),
		cmocka_unit_test(test_what_is_not_near),
		cmocka_unit_test(test_the_nearest),
		cmocka_unit_test(test_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
