/* SPDX-License-Identifier: Apache-2.0 */
/* BM25: rounding, the logarithm, and bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "segment/segment_write.h"
#include "vectors/vectors.h"
#include "words/words_int.h"
#include "write/tidy.h"

/* Against libm over what idf takes: from little above 1 to the number of documents. */
static void
test_ln(void **state)
{
	(void)state;
	for (double x = 1e-9; x < 1e12; x *= 1.00137) {
		double got = words_score_ln(1 + x), want = log(1 + x);
		if (fabs(got - want) > 4e-16 * (1 + fabs(want)))
			fail_msg("ln %.17g is %.17g, not %.17g", 1 + x, got, want);
	}
	for (double x = 1; x < 1e9; x *= 2)
		assert_true(fabs(words_score_ln(x) - log(x)) < 1e-14);
	assert_true(fabs(words_score_ln(.25) - log(.25)) < 1e-15);
	assert_true(words_score_ln(-1) <= 0 && words_score_ln(-1) >= 0);
}

static void
test_round(void **state)
{
	(void)state;
	for (double x = 1e-7; x < 1e6; x *= 1.0137) {
		double want = nearbyint(x * 1e6) / 1e6;
		assert_true(mem_score_round(x) <= want && mem_score_round(x) >= want);
		assert_true(mem_score_round(-x) <= -want && mem_score_round(-x) >= -want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ln),
		cmocka_unit_test(test_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
