/* SPDX-License-Identifier: Apache-2.0 */
/* Entropies of texts, against what the formula gives by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "stage/gate_int.h"

static void
assert_near(double got, double want)
{
	if (!(fabs(got - want) < 5e-7))
		fail_msg("%.7f is not %.7f", got, want);
}

static void
characters_by_their_shares(void **unused)
{
	struct gate_meter *m = gate_meter_open();
	(void)unused;
	assert_near(gate_char_entropy(m, mem_str("")), 0);
	assert_near(gate_char_entropy(m, mem_str("aaaa")), 0);
	assert_near(gate_char_entropy(m, mem_str("abab")), 1);
	assert_near(gate_char_entropy(m, mem_str("abcd")), 2);
	assert_near(gate_char_entropy(m, mem_str("aab")), .9182958);              /* 2/3 log2 3/2 + 1/3 log2 3 */
	assert_near(gate_char_entropy(m, mem_str("\xc3\xa9\xc3\xa8")), 1);       /* characters, not bytes */
	assert_near(gate_char_entropy(m, mem_str("a\xe6\x9d\xb1\xe6\x9d\xb1z")), 1.5); /* 1/4, 1/2, 1/4 */
	gate_meter_close(m);
}

static void
words_by_their_shares(void **unused)
{
	struct gate_meter *m = gate_meter_open();
	size_t n;
	(void)unused;
	assert_near(gate_word_entropy(m, mem_str("tea Tea, TEA"), &n), 0);
	assert_int_equal(n, 3);
	assert_near(gate_word_entropy(m, mem_str("one two three four"), &n), 2);
	assert_int_equal(n, 4);
	assert_near(gate_word_entropy(m, mem_str("a a b c"), &n), 1.5);
	assert_near(gate_word_entropy(m, mem_str(" .,- "), &n), 0);
	assert_int_equal(n, 0);
	assert_near(gate_word_entropy(m, mem_str("\xe6\x9d\xb1\xe4\xba\xac"), &n), 1); /* two characters, two words */
	assert_int_equal(n, 2);
	/* y 3; on off; no pictures, arrows, times or signs of full width: tea tea 2 2. */
	assert_near(gate_word_entropy(m, mem_str("y_3"), &n), 1);
	assert_int_equal(n, 2);
	assert_near(gate_word_entropy(m, mem_str("__on\xe2\x86\x92off__"), &n), 1);
	assert_int_equal(n, 2);
	assert_near(gate_word_entropy(m, mem_str("\xf0\x9f\x8d\xb5 tea\xf0\x9f\x91\x8dtea \xe2\x9d\xa4\xef\xb8\x8f 2\xc3\x97" "2\xef\xbc\x8c"), &n), 1);
	assert_int_equal(n, 4);
	gate_meter_close(m);
}

static void
the_score_joins_both(void **unused)
{
	struct gate_meter *m = gate_meter_open();
	(void)unused;
	assert_near(gate_entropy_score(m, mem_str("")), 0);
	assert_near(gate_entropy_score(m, mem_str("abcd")), .145455);               /* .4 2/5.5; one word */
	/* 3 3 1 of 7 characters: 1.448816; two different words: 1 of 1. */
	assert_near(gate_entropy_score(m, mem_str("ab abab")), .705368);
	/* All are one word; 6 6 5 of 17 characters. */
	assert_near(gate_entropy_score(m, mem_str("no no no no no no")), .114899);
	assert_string_equal(gate_band_name(.35), "low");
	assert_string_equal(gate_band_name(.350001), "middle");
	assert_string_equal(gate_band_name(.649999), "middle");
	assert_string_equal(gate_band_name(.65), "high");
	gate_meter_close(m);
}

static void
a_text_leaves_nothing_for_the_next(void **unused)
{
	struct gate_meter *m = gate_meter_open(), *fresh;
	struct mem_buf text = { 0 };
	(void)unused;
	for (unsigned i = 0; i < 5000; i++) {
		mem_buf_printf(&text, "w%u ", i % 3001);
		mem_buf_utf8(&text, 0x4e00 + i % 2999);
	}
	double many = gate_entropy_score(m, mem_buf_span(&text));
	assert_near(gate_entropy_score(m, mem_str("no no no no no no")), .114899);
	assert_near(gate_entropy_score(m, mem_buf_span(&text)), many);
	fresh = gate_meter_open();
	assert_near(gate_entropy_score(fresh, mem_buf_span(&text)), many);
	gate_meter_close(fresh);
	gate_meter_close(m);
	mem_buf_release(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_by_their_shares),
		cmocka_unit_test(words_by_their_shares),
		cmocka_unit_test(the_score_joins_both),
		cmocka_unit_test(a_text_leaves_nothing_for_the_next),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
