/* SPDX-License-Identifier: Apache-2.0 */
/* Times as programs write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/base.h"

static void
times_of_programs_are_read(void **state)
{
	static const struct {
		const char *text, *time;
		bool local;
	} cases[] = {
		{ "2026-08-01T10:00:03.123456789Z", "2026-08-01T10:00:03.123Z", false },
		{ "2026-08-01T10:00:03+02:00", "2026-08-01T08:00:03.000Z", false },
		{ "2026-08-01T10:00:03,5+0530", "2026-08-01T04:30:03.500Z", false },
		{ "2026-08-01 10:00:03", "2026-08-01T10:00:03.000Z", true },
		{ " 2026-08-01 10:00\r\n", "2026-08-01T10:00:00.000Z", true },
		{ "2026-01-25 11:14Z", "2026-01-25T11:14:00.000Z", false },
		{ "2026-08-01 10:00:03 UTC", "2026-08-01T10:00:03.000Z", false },
		{ "2026-08-01 10:00:03.25 GMT+2", "2026-08-01T08:00:03.250Z", false },
		{ "2026-08-01 10:00 CEST", "2026-08-01T08:00:00.000Z", false },
		{ "2026-08-01T10:00:03+02:00[Europe/Berlin]", "2026-08-01T08:00:03.000Z", false },
		{ "2026-08-01_10:00", "2026-08-01T10:00:00.000Z", true },
		{ "2026/8/1 9:05 PM", "2026-08-01T21:05:00.000Z", true },
		{ "2026-08-01", "2026-08-01T00:00:00.000Z", true },
		{ "2026-08", "2026-08-01T00:00:00.000Z", true },
		{ "2026", "2026-01-01T00:00:00.000Z", true },
		{ "20260801", "2026-08-01T00:00:00.000Z", true },
		{ "20260801T100003Z", "2026-08-01T10:00:03.000Z", false },
		{ "20260801100003", "2026-08-01T10:00:03.000Z", true },
		{ "1785578403", "2026-08-01T10:00:03.000Z", false },
		{ "1785578403.25", "2026-08-01T10:00:03.250Z", false },
		{ "1785578403123", "2026-08-01T10:00:03.123Z", false },
		{ "1785578403123456", "2026-08-01T10:00:03.123Z", false },
		{ "1785578403123456789", "2026-08-01T10:00:03.123Z", false },
		{ "Sat, 1 Aug 2026 10:00:03 +0200", "2026-08-01T08:00:03.000Z", false },
		{ "1 Aug 2026 10:00:03 EST", "2026-08-01T15:00:03.000Z", false },
		{ "Saturday, 01-Aug-26 10:00:03 GMT", "2026-08-01T10:00:03.000Z", false },
		{ "Sat Aug  1 10:00:03 2026", "2026-08-01T10:00:03.000Z", true },
		{ "Sat Aug  1 10:00:03 UTC 2026", "2026-08-01T10:00:03.000Z", false },
		{ "Sat Aug 01 2026 10:00:03 GMT+0200 (Central European Summer Time)", "2026-08-01T08:00:03.000Z", false },
		{ "Nov 28, 2025, 10:15 AM", "2025-11-28T10:15:00.000Z", true },
		{ "November 28, 2025 at 10:15:07\xe2\x80\xafPM UTC", "2025-11-28T22:15:07.000Z", false },
		{ "Nov 28th, 2025 12:00 a.m.", "2025-11-28T00:00:00.000Z", true },
		{ "28. November 2025 10:15", "2025-11-28T10:15:00.000Z", true },
		{ "28.11.2025, 10:15:03", "2025-11-28T10:15:03.000Z", true },
		{ "3.4.2026", "2026-04-03T00:00:00.000Z", true },
		{ "11/28/2025, 10:15:03 PM", "2025-11-28T22:15:03.000Z", true },
		{ "28/11/2025 10:15", "2025-11-28T10:15:00.000Z", true },
		{ "3/4/2026, 1:02 PM", "2026-03-04T13:02:00.000Z", true },
		{ "28.11.2025, 7 pm", "2025-11-28T19:00:00.000Z", true },
		{ "8/1/2026 at 17:47:04 PDT", "2026-08-02T00:47:04.000Z", false },
		{ "28/2/2026 at 17:09:40 GMT+5:30", "2026-02-28T11:39:40.000Z", false },
		{ "2026/2/28 at GMT+8 10:28:33", "2026-02-28T02:28:33.000Z", false },
		{ "2026. 2. 28. at 10:28:33 GMT+9", "2026-02-28T01:28:33.000Z", false },
		{ "1.8.2026 at 17:47:04 MESZ", "2026-08-01T15:47:04.000Z", false },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		int64_t ms;
		bool zoned;
		char out[MEM_TIME_LEN + 1];
		if (!mem_time_read(mem_str(cases[i].text), &ms, &zoned))
			fail_msg("not read: %s", cases[i].text);
		mem_time_format(ms, out);
		if (strcmp(out, cases[i].time) != 0 || zoned != !cases[i].local)
			fail_msg("%s: %s, zoned %d", cases[i].text, out, zoned);
	}
}

static void
what_is_no_time_is_not_guessed(void **state)
{
	static const char *const cases[] = {
		"", " ", "yesterday", "soon", "3/4/2026", "3-4-2026 10:00", "3/4/2026 at 10:00:00 GMT+1", "2026/2/28 at GMT+8 10:28:33 GMT+8", "2026-13-01", "2026-02-30", "2026-08-01 25:00", "2026-08-01 10:61",
		"2026-08-01 10", "2026-08-01 10:00 IST", "2026-08-01 10:00 and more", "Aug 1", "Aug 1 10:00", "1 Foo 2026", "13:00 PM",
		"2026-08-01 13:00 PM", "123", "12345678901234567890", "99999999", "Aug", "Sat", "1785578403.", "--1", "1/2",
		"2026-08-01 10:00 +99:00", "31 Jun 2026", "2026-08-01T10:00:00Z2026-08-01T10:00:00Z",
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		int64_t ms;
		bool zoned;
		if (mem_time_read(mem_str(cases[i]), &ms, &zoned))
			fail_msg("read: %s", cases[i]);
	}
	int64_t ms;
	assert_false(mem_time_from_unix(1e300, &ms));
	assert_false(mem_time_from_unix(-1e300, &ms));
	assert_true(mem_time_from_unix(-1.5, &ms));
	assert_int_equal(ms, -1500);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_of_programs_are_read),
		cmocka_unit_test(what_is_no_time_is_not_guessed),
	};
	return cmocka_run_group_tests_name("base_time", tests, NULL, NULL);
}
