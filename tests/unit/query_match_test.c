/* SPDX-License-Identifier: Apache-2.0 */
/* The chance that a hit answers, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "query/match.h"

static void
test_model_without_constants_goes_by_words(void **state)
{
	(void)state;
	assert_string_equal(mem_match_model_find("e5")->name, "e5");
	assert_null(mem_match_model_find("e6")->name);
	assert_null(mem_match_model_find(NULL)->name);
}

static void
test_weighted_sum_becomes_chance(void **state)
{
	const struct mem_match_model model = { "hand", 10, 2, -1, -8, .5, -1, -2, .24, 3 };
	struct mem_hit_match m = { .cosine = .9, .covered = .5, .unknown = .25 };
	(void)state;
	mem_match_weigh(&m, &model);
	assert_true(fabs(m.v - 1.75) < 1e-12);
	assert_true(m.chance == round(1e6 / (1 + exp(.125))) / 1e6);
	assert_true(fabs(mem_match_undo(m.chance, &model) - 1.75) < 1e-4);
}

static void
test_without_model_no_cosine_counts(void **state)
{
	struct mem_hit_match m = { .cosine = (double)NAN, .covered = 1, .unknown = 0 };
	(void)state;
	mem_match_weigh(&m, mem_match_model_find(NULL));
	assert_true(m.v > 3);
	assert_true(m.chance > 0 && m.chance < 1);
}

static void
test_unknown_facts_give_no_chance(void **state)
{
	struct mem_hit_match m = { (double)NAN, (double)NAN, (double)NAN, 0, 0 };
	(void)state;
	mem_match_weigh(&m, mem_match_model_find(NULL));
	assert_true(isnan(m.v));
	assert_true(isnan(m.chance));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model_without_constants_goes_by_words),
		cmocka_unit_test(test_weighted_sum_becomes_chance),
		cmocka_unit_test(test_without_model_no_cosine_counts),
		cmocka_unit_test(test_unknown_facts_give_no_chance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
