/* SPDX-License-Identifier: Apache-2.0 */
/* What came of using a skill: counters, days, effectiveness, trend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "skill/uses.h"

#define DAY ((int64_t)24 * 3600 * 1000)
static const int64_t noon = 20000 * (int64_t)DAY + DAY / 2; /* 2024-10-04T12:00:00Z */

static bool
is_near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

static struct mem_skill_uses
read_uses(const char *json)
{
	struct mem_skill_uses u;
	mem_skill_uses_read(&u, mem_json_object(mem_str(json)));
	return u;
}

static void
partial_outcomes_count_half(void **state)
{
	struct mem_skill_uses u = read_uses("{\"successes\":2,\"failures\":1,\"partials\":1}");
	(void)state;
	assert_int_equal(mem_skill_uses_sum(&u), 4);
	assert_true(is_near(mem_skill_success_rate(&u), 2.5 / 4));
	assert_true(is_near(mem_skill_uses_alpha(&u), 3.5) && is_near(mem_skill_uses_beta(&u), 2.5));
	u = read_uses("{}");
	assert_true(is_near(mem_skill_success_rate(&u), .5) && is_near(mem_skill_uses_alpha(&u), 1) && is_near(mem_skill_uses_beta(&u), 1));
}

static void
effectiveness_begins_with_five_outcomes(void **state)
{
	struct mem_skill_uses u = read_uses("{\"successes\":3,\"partials\":1}");
	double e = -1;
	(void)state;
	assert_false(mem_skill_effectiveness(&u, .5, .5, &e));
	assert_true(is_near(e, -1));
	mem_skill_uses_add(&u, MEM_SKILL_FAILURE, noon, -1);
	assert_true(mem_skill_effectiveness(&u, .5, .5, &e));
	assert_true(is_near(e, .6));       /* .15 + .5 · 3.5/5 + .1 */
	assert_true(mem_skill_effectiveness(&u, .9, .3333, &e));
	assert_true(is_near(e, .6867));    /* .27 + .35 + .06666 */
}

static void
the_mean_of_latencies_is_exact(void **state)
{
	struct mem_skill_uses u = read_uses("{}");
	(void)state;
	mem_skill_uses_add(&u, MEM_SKILL_SUCCESS, noon, 100);
	mem_skill_uses_add(&u, MEM_SKILL_SUCCESS, noon, -1);
	mem_skill_uses_add(&u, MEM_SKILL_SUCCESS, noon - 1, 400);
	assert_int_equal(u.latencies, 2);
	assert_true(is_near(mem_skill_uses_latency(&u), 250));
	assert_int_equal(u.last_used, noon);
	u = read_uses("{\"latency_ms\":333.333,\"latencies\":3}"); /* of a store that kept no sum */
	assert_int_equal(u.latency_us, 999999);
	u = read_uses("{\"latency_ms\":333.333,\"latencies\":3,\"latency_total_us\":1000000}");
	assert_int_equal(u.latency_us, 1000000);
	mem_skill_uses_add(&u, MEM_SKILL_SUCCESS, noon, 1e300);
	assert_int_equal(u.latencies, 3); /* more than can be added up */
}

static void
days_rise_and_the_oldest_go(void **state)
{
	struct mem_skill_uses u = read_uses("{}");
	(void)state;
	for (int i = 0; i < 70; i++)
		mem_skill_uses_add(&u, MEM_SKILL_SUCCESS, noon + i * DAY, -1);
	assert_int_equal(u.ndays, 60);
	assert_int_equal(u.days[0].day, 20010);
	mem_skill_uses_add(&u, MEM_SKILL_FAILURE, noon, -1);       /* too old for a day of its own */
	mem_skill_uses_add(&u, MEM_SKILL_FAILURE, noon + 10 * DAY, -1);
	assert_int_equal(u.ndays, 60);
	assert_int_equal(u.days[0].n[MEM_SKILL_FAILURE], 1);
	assert_int_equal(mem_skill_uses_sum(&u), 72);
	mem_skill_uses_add(&u, MEM_SKILL_PARTIAL, noon + 200 * DAY, -1);
	assert_int_equal(u.ndays, 1);
}

static void
days_before_1970_are_whole_too(void **state)
{
	struct mem_skill_uses u = read_uses("{}");
	(void)state;
	mem_skill_uses_add(&u, MEM_SKILL_SUCCESS, -1, -1);
	mem_skill_uses_add(&u, MEM_SKILL_SUCCESS, 0, -1);
	assert_int_equal(u.ndays, 2);
	assert_int_equal(u.days[0].day, -1);
}

static void
the_trend_compares_two_weeks(void **state)
{
	struct mem_skill_uses u = read_uses("{}");
	(void)state;
	assert_true(is_near(mem_skill_trend(&u, noon), 0));
	for (int i = 0; i < 7; i++)
		mem_skill_uses_add(&u, i < 2 ? MEM_SKILL_SUCCESS : MEM_SKILL_FAILURE, noon - (13 - i) * DAY, -1);
	assert_true(is_near(mem_skill_trend(&u, noon), round((.5 - 2. / 7) * 1e4) / 1e4));
	for (int i = 0; i < 7; i++)
		mem_skill_uses_add(&u, i < 1 ? MEM_SKILL_SUCCESS : MEM_SKILL_FAILURE, noon - (6 - i) * DAY, -1);
	assert_string_equal(mem_skill_trend_word(mem_skill_trend(&u, noon)), "declining");
	assert_string_equal(mem_skill_trend_word(.05), "improving");
	assert_string_equal(mem_skill_trend_word(.0499), "stable");
	assert_string_equal(mem_skill_trend_word(-.05), "declining");
}

/* What is written is read again; what nobody can have written is left out. */
static void
fields_are_read_as_they_are_written(void **state)
{
	struct mem_arena a = { 0 };
	struct mem_clean_field fields[MEM_SKILL_USES_FIELDS];
	struct mem_skill_uses u = read_uses("{}"), again;
	struct mem_buf json = { 0 };
	(void)state;
	mem_skill_uses_add(&u, MEM_SKILL_SUCCESS, noon, 12.5);
	mem_skill_uses_add(&u, MEM_SKILL_PARTIAL, noon + DAY, -1);
	mem_skill_uses_fields(&u, &a, fields);
	struct mem_clean_object o = { 0 };
	for (size_t i = 0; i < MEM_COUNT(fields); i++)
		mem_clean_object_put(&o, fields[i].name, fields[i].value);
	struct mem_clean_text whole = mem_clean_object_end(&o, &a);
	mem_buf_printf(&json, "%.*s", (int)whole.value.raw.n, whole.value.raw.p);
	assert_non_null(strstr(json.data, "\"days\":[{\"d\":\"2024-10-04\",\"s\":1,\"f\":0,\"p\":0},{\"d\":\"2024-10-05\",\"s\":0,\"f\":0,\"p\":1}]"));
	mem_skill_uses_read(&again, mem_json_object(mem_buf_span(&json)));
	assert_int_equal(again.ndays, u.ndays);
	assert_memory_equal(again.days, u.days, u.ndays * sizeof *u.days);
	assert_memory_equal(again.n, u.n, sizeof u.n);
	assert_true(is_near(mem_skill_uses_latency(&again), 12.5) && again.latencies == 1 && again.last_used == u.last_used);
	u = read_uses("{\"successes\":-1,\"failures\":1e300,\"partials\":\"x\",\"latency_ms\":-3,\"latencies\":4,\"last_used\":7,"
	    "\"days\":[{\"d\":\"2024-10-05\",\"s\":1},{\"d\":\"2024-10-04\",\"s\":1},{\"d\":\"soon\"},{\"d\":5},7]}");
	assert_int_equal(mem_skill_uses_sum(&u), 0);
	assert_int_equal(u.latencies, 0);
	assert_int_equal(u.last_used, MEM_TIME_NONE);
	assert_int_equal(u.ndays, 1);
	mem_buf_release(&json);
	mem_arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(partial_outcomes_count_half), cmocka_unit_test(effectiveness_begins_with_five_outcomes),
		cmocka_unit_test(the_mean_of_latencies_is_exact), cmocka_unit_test(days_rise_and_the_oldest_go),
		cmocka_unit_test(days_before_1970_are_whole_too), cmocka_unit_test(the_trend_compares_two_weeks),
		cmocka_unit_test(fields_are_read_as_they_are_written) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
