/* SPDX-License-Identifier: Apache-2.0 */
/* Times that come again: their forms, and the next of each, over months, leap years and the ends of the calendar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

static struct mem_schedule
parse_schedule(const char *text)
{
	struct mem_schedule s;
	if (!mem_schedule_parse(mem_str(text), &s))
		fail_msg("refused: '%s'", text);
	return s;
}

static void
each_form_is_read(void **state)
{
	static const struct { const char *text; struct mem_schedule is; } good[] = {
		{ "off", { MEM_SCHEDULE_OFF, 0, 0 } },
		{ "90m", { MEM_SCHEDULE_EVERY, 5400000, 0 } },
		{ "12h", { MEM_SCHEDULE_EVERY, 43200000, 0 } },
		{ "7", { MEM_SCHEDULE_EVERY, 7000, 0 } },
		{ "00:00", { MEM_SCHEDULE_DAILY, 0, 0 } },
		{ "23:59", { MEM_SCHEDULE_DAILY, 86340000, 0 } },
		{ "mon 03:00", { MEM_SCHEDULE_WEEKLY, 10800000, 0 } },
		{ "sun 03:30", { MEM_SCHEDULE_WEEKLY, 12600000, 6 } },
		{ "1 00:05", { MEM_SCHEDULE_MONTHLY, 300000, 1 } },
		{ "31 02:00", { MEM_SCHEDULE_MONTHLY, 7200000, 31 } },
	};
	static const char *const bad[] = { "", " ", "on", "0", "0m", "-1h", "24:00", "03:60", "3:00", "03:0", "03:00 ", " 03:00", "0a:00",
		"-1:00", "03-00", "Sun 03:00", "sunday 03:00", "sun", "sun 3:00", "sun  03:00", "sun03:00", "0 03:00", "32 03:00",
		"-1 03:00", "001 03:00", "1 24:00", "1 12h", "sun 12h", "03:00 sun", "03:00:00", "1 1 03:00", "off 03:00",
		"9223372036854775807s" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(good); i++) {
		struct mem_schedule s = parse_schedule(good[i].text);
		assert_int_equal(s.form, good[i].is.form);
		assert_true(s.ms == good[i].is.ms);
		assert_int_equal(s.day, good[i].is.day);
	}
	for (size_t i = 0; i < MEM_COUNT(bad); i++) {
		struct mem_schedule s;
		if (mem_schedule_parse(mem_str(bad[i]), &s))
			fail_msg("taken for a schedule: '%s'", bad[i]);
	}
}

static void
the_next_time_is_right(void **state)
{
	static const struct { const char *schedule, *after, *next; } cases[] = {
		{ "03:00", "2026-11-28T02:59:59.999Z", "2026-11-28T03:00:00.000Z" },
		{ "03:00", "2026-11-28T03:00:00.000Z", "2026-11-29T03:00:00.000Z" }, /* strictly after */
		{ "03:00", "2026-12-31T12:00:00.000Z", "2027-01-01T03:00:00.000Z" },
		{ "00:00", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z" },
		{ "23:00", "1969-12-30T23:30:00.000Z", "1969-12-31T23:00:00.000Z" },
		/* 2026-11-28 is a Saturday. */
		{ "sat 03:00", "2026-11-28T01:00:00.000Z", "2026-11-28T03:00:00.000Z" },
		{ "sat 03:00", "2026-11-28T03:00:00.000Z", "2026-12-05T03:00:00.000Z" },
		{ "sun 03:00", "2026-11-28T12:00:00.000Z", "2026-11-29T03:00:00.000Z" },
		{ "fri 03:00", "2026-11-28T12:00:00.000Z", "2026-12-04T03:00:00.000Z" },
		{ "thu 00:00", "1969-12-31T12:00:00.000Z", "1970-01-01T00:00:00.000Z" },
		{ "sat 00:00", "0000-01-01T00:00:00.000Z", "0000-01-08T00:00:00.000Z" },
		{ "1 03:00", "2026-11-28T12:00:00.000Z", "2026-12-01T03:00:00.000Z" },
		{ "1 03:00", "2026-12-01T03:00:00.000Z", "2027-01-01T03:00:00.000Z" },
		{ "28 03:00", "2026-11-28T01:00:00.000Z", "2026-11-28T03:00:00.000Z" },
		/* A month without such a day has it on its last. */
		{ "31 02:00", "2026-10-31T02:00:00.000Z", "2026-11-30T02:00:00.000Z" },
		{ "31 02:00", "2026-11-30T02:00:00.000Z", "2026-12-31T02:00:00.000Z" },
		{ "31 02:00", "2026-11-30T01:59:00.000Z", "2026-11-30T02:00:00.000Z" },
		{ "30 02:00", "2027-01-30T02:00:00.000Z", "2027-02-28T02:00:00.000Z" },
		{ "30 02:00", "2028-01-30T02:00:00.000Z", "2028-02-29T02:00:00.000Z" },
		{ "29 02:00", "2100-02-01T00:00:00.000Z", "2100-02-28T02:00:00.000Z" },
		{ "29 02:00", "2000-02-01T00:00:00.000Z", "2000-02-29T02:00:00.000Z" },
		{ "12h", "2026-11-28T01:00:00.500Z", "2026-11-28T13:00:00.500Z" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_schedule s = parse_schedule(cases[i].schedule);
		int64_t after;
		char text[MEM_TIME_LEN + 1];
		assert_true(mem_time_parse(mem_str(cases[i].after), &after));
		mem_time_format(mem_schedule_next(&s, after), text);
		if (strcmp(text, cases[i].next) != 0)
			fail_msg("%s after %s: %s, not %s", cases[i].schedule, cases[i].after, text, cases[i].next);
	}
}

static void
there_is_no_time_without_a_schedule_or_past_the_calendar(void **state)
{
	static const char *const all[] = { "12h", "03:00", "fri 03:00", "31 03:00" };
	const struct mem_schedule none = { 0 }, off = parse_schedule("off");
	(void)state;
	assert_true(mem_schedule_next(&none, 0) == MEM_TIME_NONE);
	assert_true(mem_schedule_next(&off, 0) == MEM_TIME_NONE);
	assert_true(mem_schedule_next(&off, MEM_TIME_NONE) == MEM_TIME_NONE);
	for (size_t i = 0; i < MEM_COUNT(all); i++) {
		struct mem_schedule s = parse_schedule(all[i]);
		assert_true(mem_schedule_next(&s, MEM_TIME_MAX - 3600000) == MEM_TIME_NONE);
		assert_true(mem_schedule_next(&s, MEM_TIME_MIN) > MEM_TIME_MIN);
		assert_true(mem_schedule_next(&s, MEM_TIME_NONE) == mem_schedule_next(&s, MEM_TIME_MIN));
		assert_true(mem_schedule_next(&s, INT64_MAX) == MEM_TIME_NONE);
	}
}

/* Of each form, over 400 years: each time comes after the one before, on the day and at the hour that it names. */
static void
times_follow_each_other_for_four_centuries(void **state)
{
	struct mem_schedule daily = parse_schedule("04:05"), weekly = parse_schedule("wed 04:05"), monthly = parse_schedule("31 04:05");
	int64_t at = 0, n = 0;
	(void)state;
	for (; (at = mem_schedule_next(&monthly, at)) < INT64_C(12622780800000); n++) { /* 2370-01-01 */
		int y, m, d;
		mem_date_from_days(at / 86400000, &y, &m, &d);
		assert_int_equal(y * 12 + m, 1970 * 12 + n + 1);
		assert_int_equal(d, mem_month_days(y, m));
		assert_true(at % 86400000 == 14700000);
	}
	assert_int_equal(n, 4800);
	for (at = 0, n = 0; (at = mem_schedule_next(&weekly, at)) < INT64_C(12622780800000); n++)
		assert_true((at - 14700000 - INT64_C(518400000)) % 604800000 == 0); /* 1970-01-07 was a Wednesday */
	assert_int_equal(n, 20871);
	for (at = 0, n = 0; (at = mem_schedule_next(&daily, at)) < INT64_C(12622780800000); n++)
		assert_true(at == n * 86400000 + 14700000);
	assert_int_equal(n, 146097);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_is_read),
		cmocka_unit_test(the_next_time_is_right),
		cmocka_unit_test(there_is_no_time_without_a_schedule_or_past_the_calendar),
		cmocka_unit_test(times_follow_each_other_for_four_centuries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
