/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of proposals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "skill/proposal_score.h"

static void
test_confidence(void **state)
{
	(void)state;
	const struct { size_t sources, findings; double overlap, expected; } cases[] = {
		{ 0, 0, 0, 0 }, { 1, 1, 0, .17 }, { 3, 7, .5, .59 }, { 4, 15, .7, .9 }, { 6, 400, .7, .9 },
		{ 4, 15, .75, .8 }, { 4, 15, .92, .46 }, { 1, 1, .95, 0 }, { 2, 3, .70003, .3599 },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_true(mem_proposal_confidence(cases[i].sources, cases[i].findings, cases[i].overlap) == cases[i].expected);
}

static void
test_overlap(void **state)
{
	(void)state;
	assert_null(mem_proposal_overlap(.49));
	assert_string_equal(mem_proposal_overlap(.5), "moderate");
	assert_string_equal(mem_proposal_overlap(.69), "moderate");
	assert_string_equal(mem_proposal_overlap(.7), "high");
	assert_string_equal(mem_proposal_overlap(.92), "duplicate");
}

static void
test_relation(void **state)
{
	(void)state;
	assert_null(mem_proposal_relation(.49, true));
	assert_string_equal(mem_proposal_relation(.5, true), "requires");
	assert_string_equal(mem_proposal_relation(.8, true), "requires");
	assert_string_equal(mem_proposal_relation(.81, true), "enhances");
	assert_string_equal(mem_proposal_relation(.81, false), "composes");
	assert_null(mem_proposal_relation(.92, false));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_confidence), cmocka_unit_test(test_overlap), cmocka_unit_test(test_relation) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
