/* SPDX-License-Identifier: Apache-2.0 */
/* Decay of importance: known values of each curve, and what does not decay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "store/decay.h"

#define HOUR INT64_C(3600000)
#define DAY (24 * HOUR)

static const int64_t NOW = INT64_C(1790000000000);

static struct mem_attr
attr_of(enum mem_kind kind, unsigned type, int64_t age)
{
	struct mem_attr a = { .kind = (uint16_t)kind, .type = (uint8_t)type, .importance = .5F };
	a.created_at = NOW - age;
	a.captured_at = NOW - age;
	return a;
}

static void
factor_is(enum mem_kind kind, unsigned type, int64_t age, double factor)
{
	const struct mem_attr a = attr_of(kind, type, age);
	double got = mem_decay_factor(&a, NOW);
	if (fabs(got - factor) > 1e-6)
		print_error("kind %d type %u age %lld: %.9f, not %.9f\n", (int)kind, type, (long long)age, got, factor);
	assert_true(fabs(got - factor) <= 1e-6);
}

/* After one eta 1/e is left, whatever the shape; the others were worked out by hand. */
static void
curves_have_known_values(void **state)
{
	(void)state;
	for (unsigned i = 1; i < MEM_TYPE_COUNT; i++) {
		factor_is(MEM_KIND_FACT, i, (int64_t)mem_memory_type_info(i)->scale * HOUR, .367879);
		factor_is(MEM_KIND_FACT, i, 0, 1);
	}
	factor_is(MEM_KIND_FACT, MEM_TYPE_FACT, 360 * HOUR, .563071);
	factor_is(MEM_KIND_FACT, MEM_TYPE_PREFERENCE, 365 * DAY, .267267);
	factor_is(MEM_KIND_FACT, MEM_TYPE_EVENT, 84 * HOUR, .647087);
	factor_is(MEM_KIND_FACT, MEM_TYPE_REQUEST, 30 * DAY, 0);
}

static void
what_has_no_curve_has_a_half_life(void **state)
{
	(void)state;
	factor_is(MEM_KIND_EPISODE, MEM_TYPE_NONE, 7 * DAY, .5);
	factor_is(MEM_KIND_EPISODE, MEM_TYPE_PREFERENCE, 14 * DAY, .25);
	factor_is(MEM_KIND_ENTITY, MEM_TYPE_OTHER, 365 * DAY, .5);
	factor_is(MEM_KIND_NOTE, MEM_TYPE_NONE, 730 * DAY, .25);
}

static void
some_do_not_decay(void **state)
{
	(void)state;
	struct mem_attr a = attr_of(MEM_KIND_EPISODE, MEM_TYPE_NONE, 700 * DAY);
	assert_true(mem_decay_factor(&a, NOW) < .001);
	a.pinned = 1;
	assert_true(mem_decay_factor(&a, NOW) == 1);
	factor_is(MEM_KIND_EPISODE, MEM_TYPE_NONE, -DAY, 1);
	factor_is(MEM_KIND_CORE, MEM_TYPE_INSTRUCTION, 700 * DAY, 1);
	factor_is(MEM_KIND_TAG, MEM_TYPE_NONE, 700 * DAY, 1);
	factor_is(MEM_KIND_SKILL, MEM_TYPE_NONE, 700 * DAY, 1);
}

/* It falls with time and never rises, and looking at it changes nothing. */
static void
importance_falls(void **state)
{
	(void)state;
	for (unsigned type = 0; type < MEM_TYPE_COUNT; type++) {
		double before = .5;
		for (int64_t days = 0; days < 400; days += 7) {
			const struct mem_attr a = attr_of(MEM_KIND_FACT, type, days * DAY);
			double left = mem_decay_importance(&a, NOW);
			assert_true(left <= before && left >= 0);
			assert_true(left == mem_decay_importance(&a, NOW));
			before = left;
		}
	}
}

static void
record_factor_is(const char *text, double factor)
{
	struct mem_rec r = { 0 };
	assert_int_equal(mem_rec_scan(&r, mem_str(text), NULL), MEM_OK);
	int64_t now;
	assert_true(mem_time_parse(MEM_STR("2026-01-15T00:00:00Z"), &now));
	assert_true(fabs(mem_decay_record(&r, now) - factor) <= 1e-6);
	mem_rec_release(&r);
}

static void
records_decay_alike(void **state)
{
	(void)state;
	record_factor_is("{\"kind\":\"episode\",\"captured_at\":\"2026-01-08T00:00:00Z\",\"created_at\":\"2026-01-15T00:00:00Z\"}", .5);
	record_factor_is("{\"kind\":\"episode\",\"created_at\":\"2026-01-01T00:00:00Z\"}", .25);
	record_factor_is("{\"kind\":\"episode\",\"created_at\":\"2026-01-01T00:00:00Z\",\"pinned\":true}", 1);
	record_factor_is("{\"kind\":\"fact\",\"type\":\"decision\",\"created_at\":\"2026-01-01T00:00:00Z\"}", .367879);
	record_factor_is("{\"kind\":\"episode\",\"created_at\":\"yesterday\"}", 1);
	record_factor_is("{\"id\":\"a\",\"importance\":0.7}", 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curves_have_known_values),
		cmocka_unit_test(what_has_no_curve_has_a_half_life),
		cmocka_unit_test(some_do_not_decay),
		cmocka_unit_test(importance_falls),
		cmocka_unit_test(records_decay_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
