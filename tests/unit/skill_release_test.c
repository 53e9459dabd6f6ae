/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of skills: their numbers, and whether two succeed at different rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "skill/fisher.h"
#include "skill/release.h"

/* The p-values are sums of exact fractions, worked out elsewhere. */
static void
p_values_are_those_of_exact_fractions(void **state)
{
	static const struct { int64_t first[2], second[2]; double p; } tables[] = {
		{ { 3, 1 }, { 1, 3 }, .485714285714 },          /* Fisher's tea */
		{ { 10, 2 }, { 3, 15 }, .000536724119143 },     { { 20, 0 }, { 14, 6 }, .020196020196 },
		{ { 19, 1 }, { 12, 8 }, .019656019656 },        { { 16, 4 }, { 10, 10 }, .0958455674807 },
		{ { 5, 15 }, { 12, 8 }, .0535509925944 },       { { 200, 100 }, { 150, 150 }, 4.75385213929e-05 },
		{ { 0, 20 }, { 20, 0 }, 1.45088891038e-11 },    { { 1, 9 }, { 11, 3 }, .00275945618522 },
		{ { 10, 10 }, { 10, 10 }, 1 },                  { { 0, 0 }, { 3, 4 }, 1 },
		{ { 5, 0 }, { 9, 0 }, 1 },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(tables); i++) {
		double p = mem_fisher_two_sided(tables[i].first, tables[i].second);
		double swapped = mem_fisher_two_sided(tables[i].second, tables[i].first);
		if (fabs(p - tables[i].p) > 1e-9 * (1 + tables[i].p) || fabs(p / tables[i].p - 1) > 1e-9)
			fail_msg("table %zu: %.12g, not %.12g", i, p, tables[i].p);
		assert_true(fabs(p - swapped) <= 1e-9 * p);
	}
}

static double
count_choices(int n, int k)
{
	double c = 1;
	for (int i = 1; i <= k; i++)
		c *= (double)(n - k + i) / i;
	return c;
}

/* By its definition: all tables with these sums that are at most as likely. */
static double
sum_unlikely_tables(int a, int b, int c, int d)
{
	double sum = 0, seen = count_choices(a + b, a) * count_choices(c + d, c);
	for (int x = 0; x <= a + b && x <= a + c; x++) {
		double here = a + c - x <= c + d ? count_choices(a + b, x) * count_choices(c + d, a + c - x) : 0;
		sum += here <= seen * (1 + 1e-9) ? here : 0;
	}
	return sum / count_choices(a + b + c + d, a + c);
}

static void
small_tables_have_the_p_of_the_definition(void **state)
{
	(void)state;
	for (int i = 0; i < 9 * 9 * 9 * 9; i++) {
		const int64_t first[] = { i % 9, i / 9 % 9 }, second[] = { i / 81 % 9, i / 729 };
		double p = mem_fisher_two_sided(first, second);
		assert_true(fabs(p - sum_unlikely_tables((int)first[0], (int)first[1], (int)second[0], (int)second[1])) < 1e-9);
	}
	assert_true(mem_fisher_two_sided((int64_t[2]){ 18, 2 }, (int64_t[2]){ 100, 0 }) < .03);
}

static void
counts_of_any_size_end_soon(void **state)
{
	static const int64_t many[2] = { 500000000, 500000000 }, more[2] = { INT64_MAX, 500000000 }, none[2] = { -5, 3 };
	(void)state;
	assert_true(mem_fisher_two_sided(many, many) > .999);
	assert_true(mem_fisher_two_sided(many, more) < 1e-9);
	assert_true(mem_fisher_two_sided(many, none) > .1);
}

static void
each_change_raises_its_part(void **state)
{
	static const struct { const char *now; enum mem_release_change change; const char *next; } steps[] = {
		{ "", MEM_RELEASE_MAJOR, "1.0.0" },                         { "1.0.0", MEM_RELEASE_MAJOR, "2.0.0" },
		{ "1.2.3", MEM_RELEASE_MINOR, "1.3.0" },                    { "1.2.3", MEM_RELEASE_PATCH, "1.2.4" },
		{ "1.2.3", MEM_RELEASE_HOTFIX, "1.2.4" },                   { "1.2.3", MEM_RELEASE_EXPERIMENTAL, "1.2.4-experimental.1" },
		{ "1.2.4-experimental.1", MEM_RELEASE_EXPERIMENTAL, "1.2.4-experimental.2" },
		{ "1.2.4-rc.1", MEM_RELEASE_EXPERIMENTAL, "1.2.5-experimental.1" },
		{ "1.2.4-experimental.2", MEM_RELEASE_PATCH, "1.2.4" },     { "1.2.4-experimental.2", MEM_RELEASE_MINOR, "1.3.0" },
		{ "v1.2", MEM_RELEASE_PATCH, "1.2.1" },                     { "2", MEM_RELEASE_MINOR, "2.1.0" },
		{ "1.2.3+build", MEM_RELEASE_PATCH, "1.2.4" },              { "draft-b", MEM_RELEASE_MAJOR, "draft-b.1" },
		{ "draft-b.9", MEM_RELEASE_PATCH, "draft-b.10" },           { "1.0.99999999999999999999", MEM_RELEASE_PATCH, "1.0.99999999999999999999.1" },
		{ "1.0.0-", MEM_RELEASE_PATCH, "1.0.0-.1" },
	};
	struct mem_arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(steps); i++) {
		struct mem_str next = mem_release_next(&a, mem_str(steps[i].now), steps[i].change);
		assert_string_equal(next.p, steps[i].next);
		if (steps[i].now[0] != '\0')
			assert_true(mem_release_compare(mem_str(steps[i].now), next) < 0);
	}
	mem_arena_release(&a);
}

/* The example of Semantic Versioning 2.0.0, item 11, between two words and some greater numbers. */
static void
releases_have_the_order_of_their_numbers(void **state)
{
	static const char *const order[] = { "draft", "final", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
		"1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1-experimental.1", "1.0.1", "v1.2", "1.10.0" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(order); i++)
		for (size_t j = 0; j < MEM_COUNT(order); j++) {
			int c = mem_release_compare(mem_str(order[i]), mem_str(order[j]));
			assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
		}
	assert_int_equal(mem_release_compare(MEM_STR("1.0"), MEM_STR("v1.0.0+b")), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(p_values_are_those_of_exact_fractions), cmocka_unit_test(counts_of_any_size_end_soon),
		cmocka_unit_test(small_tables_have_the_p_of_the_definition),
		cmocka_unit_test(each_change_raises_its_part), cmocka_unit_test(releases_have_the_order_of_their_numbers) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
