/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of numbers: in rising order, each once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/numbers.h"

static void
each_is_kept_once_in_rising_order(void **state)
{
	uint32_t v[] = { 7, UINT32_MAX, 0, 7, 3000000000, 1, 0, 7 };
	static const uint32_t sorted[] = { 0, 1, 7, 3000000000, UINT32_MAX };
	(void)state;
	assert_int_equal(mem_numbers_sort_unique(v, MEM_COUNT(v)), MEM_COUNT(sorted));
	assert_memory_equal(v, sorted, sizeof sorted);
	assert_int_equal(mem_numbers_sort_unique(v, MEM_COUNT(sorted)), MEM_COUNT(sorted));
	assert_memory_equal(v, sorted, sizeof sorted);
	for (size_t i = 0; i < MEM_COUNT(sorted); i++)
		assert_ptr_equal(bsearch(&sorted[i], sorted, MEM_COUNT(sorted), sizeof *sorted, mem_number_compare), &sorted[i]);
}

static void
few_are_no_trouble(void **state)
{
	uint32_t one = 5;
	(void)state;
	assert_int_equal(mem_numbers_sort_unique(NULL, 0), 0);
	assert_int_equal(mem_numbers_sort_unique(&one, 1), 1);
	assert_int_equal(one, 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_is_kept_once_in_rising_order), cmocka_unit_test(few_are_no_trouble) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
