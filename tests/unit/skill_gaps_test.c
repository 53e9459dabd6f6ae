/* SPDX-License-Identifier: Apache-2.0 */
/* Stars around which most counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "skill/gaps_int.h"

static void
begin_with_weights(struct gap_stars *s, size_t n, int64_t weight)
{
	gap_stars_begin(s, n);
	for (size_t i = 0; i < n; i++)
		s->weights[i] = weight;
}

static void
the_heaviest_star_comes_first_and_shares_nothing(void **state)
{
	struct gap_stars s;
	size_t members[8];
	(void)state;
	begin_with_weights(&s, 8, 1);
	/* 0-1-2-3, 2-4: the star of 2 takes 1, 3, 4 and leaves 0 alone.  5, 6, 7 are a circle. */
	const size_t edges[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 2, 4 }, { 5, 6 }, { 6, 7 }, { 7, 5 } };
	for (size_t i = 0; i < MEM_COUNT(edges); i++)
		gap_stars_join(&s, edges[i][0], edges[i][1]);
	gap_stars_weigh(&s);
	assert_int_equal(gap_stars_next(&s, 3, members), 4);
	assert_int_equal(members[0], 2);
	assert_int_equal(members[1], 1);
	assert_int_equal(members[3], 4);
	assert_int_equal(gap_stars_next(&s, 3, members), 3);
	assert_int_equal(members[0], 5);
	assert_int_equal(gap_stars_next(&s, 3, members), 0);
	assert_int_equal(gap_stars_next(&s, 1, members), 1);
	assert_int_equal(members[0], 0);
	gap_stars_release(&s);
}

static void
one_that_counts_often_is_a_star_alone(void **state)
{
	struct gap_stars s;
	size_t members[3];
	(void)state;
	begin_with_weights(&s, 3, 1);
	s.weights[1] = 3;
	gap_stars_weigh(&s);
	assert_int_equal(gap_stars_next(&s, 3, members), 1);
	assert_int_equal(members[0], 1);
	assert_int_equal(gap_stars_next(&s, 3, members), 0);
	gap_stars_release(&s);
}

/* Rows of several words, and a star that takes weight from others. */
static void
items_of_a_star_count_in_no_other(void **state)
{
	enum { N = 200 };
	struct gap_stars s;
	size_t members[N];
	(void)state;
	begin_with_weights(&s, N, 1);
	for (size_t i = 0; i + 1 < N; i++)
		gap_stars_join(&s, i, i + 1);
	for (size_t i = 100; i < N; i += 2)
		gap_stars_join(&s, 0, i);
	gap_stars_weigh(&s);
	assert_int_equal(gap_stars_next(&s, 3, members), 52);
	assert_int_equal(members[0], 0);
	for (size_t n; (n = gap_stars_next(&s, 3, members)) > 0;)
		for (size_t k = 0; k < n; k++)
			assert_true(members[k] >= 2 && members[k] < 100);
	gap_stars_release(&s);
}

static void
no_items_have_no_star(void **state)
{
	struct gap_stars s;
	size_t members[1];
	(void)state;
	gap_stars_begin(&s, 0);
	gap_stars_weigh(&s);
	assert_int_equal(gap_stars_next(&s, 0, members), 0);
	gap_stars_release(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_heaviest_star_comes_first_and_shares_nothing),
		cmocka_unit_test(one_that_counts_often_is_a_star_alone), cmocka_unit_test(items_of_a_star_count_in_no_other),
		cmocka_unit_test(no_items_have_no_star) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
