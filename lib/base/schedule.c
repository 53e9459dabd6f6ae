/* SPDX-License-Identifier: Apache-2.0 */
/* Times that come again and again: every day, week or month, or so long after the last one. */
#include "base/base.h"

#define MINUTE_MS ((int64_t)60000)
#define DAY_MS    ((int64_t)86400000)

static bool
parse_two_digits(struct mem_str s, int64_t max, int64_t *out)
{
	return s.n == 2 && s.p[0] != '-' && mem_number_parse(s, 0, max, out);
}

/* "HH:MM" as the milliseconds since midnight. */
static bool
parse_clock(struct mem_str s, int64_t *ms)
{
	int64_t h, m;
	if (s.n != 5 || s.p[2] != ':' || !parse_two_digits((struct mem_str){ s.p, 2 }, 23, &h) ||
	    !parse_two_digits((struct mem_str){ s.p + 3, 2 }, 59, &m))
		return false;
	*ms = (h * 60 + m) * MINUTE_MS;
	return true;
}

/* "sun" or "1" to "31". */
static bool
parse_day(struct mem_str s, struct mem_schedule *out)
{
	static const char *const names[] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };
	int64_t day;
	for (int i = 0; i < (int)MEM_COUNT(names); i++)
		if (mem_str_is(s, names[i])) {
			out->form = MEM_SCHEDULE_WEEKLY;
			out->day = i;
			return true;
		}
	if (s.n > 2 || !mem_number_parse(s, 1, 31, &day))
		return false;
	out->form = MEM_SCHEDULE_MONTHLY;
	out->day = (int)day;
	return true;
}

bool
mem_schedule_parse(struct mem_str s, struct mem_schedule *out)
{
	const char *space = s.n > 0 ? memchr(s.p, ' ', s.n) : NULL;
	size_t n = space != NULL ? (size_t)(space - s.p) : 0;
	*out = (struct mem_schedule){ .form = MEM_SCHEDULE_DAILY };
	if (space != NULL)
		return parse_clock((struct mem_str){ space + 1, s.n - n - 1 }, &out->ms) &&
		    parse_day((struct mem_str){ s.p, n }, out);
	if (parse_clock(s, &out->ms))
		return true;
	out->form = mem_str_is(s, "off") ? MEM_SCHEDULE_OFF : MEM_SCHEDULE_EVERY;
	return out->form == MEM_SCHEDULE_OFF || (mem_duration_parse(s, &out->ms) && out->ms > 0);
}

/* The day that `ms` lies in. */
static int64_t
day_of_time(int64_t ms)
{
	return ms >= 0 ? ms / DAY_MS : -((DAY_MS - 1 - ms) / DAY_MS);
}

/* The first day from `day` on that is this day of the week. */
static int64_t
find_weekday(int64_t day, int weekday)
{
	/* 1970-01-01 was a Thursday.  Day 0 of the year 0 keeps what is divided positive. */
	int64_t of_week = (day + 3 - MEM_TIME_MIN / DAY_MS * 7) % 7;
	return day + (weekday - of_week + 7) % 7;
}

/* This day of the `ahead`th month after that of `day`, or the month's last day. */
static int64_t
find_month_day(int64_t day, int day_of_month, int ahead)
{
	int y, m, d;
	mem_date_from_days(day, &y, &m, &d);
	y += (m - 1 + ahead) / 12;
	m = (m - 1 + ahead) % 12 + 1;
	int last = mem_month_days(y, m);
	return mem_date_to_days(y, m, day_of_month < last ? day_of_month : last);
}

int64_t
mem_schedule_next(const struct mem_schedule *s, int64_t after)
{
	int64_t next = MEM_TIME_NONE;
	if (after >= MEM_TIME_MAX)
		return MEM_TIME_NONE;
	if (after < MEM_TIME_MIN)
		after = MEM_TIME_MIN;
	int64_t day = day_of_time(after);
	switch (s->form) {
	case MEM_SCHEDULE_NONE:
	case MEM_SCHEDULE_OFF:
		return MEM_TIME_NONE;
	case MEM_SCHEDULE_EVERY:
		return s->ms <= MEM_TIME_MAX - after ? after + s->ms : MEM_TIME_NONE;
	case MEM_SCHEDULE_DAILY:
		next = day * DAY_MS + s->ms;
		next += next > after ? 0 : DAY_MS;
		break;
	case MEM_SCHEDULE_WEEKLY:
		next = find_weekday(day, s->day) * DAY_MS + s->ms;
		next += next > after ? 0 : 7 * DAY_MS;
		break;
	case MEM_SCHEDULE_MONTHLY:
		for (int ahead = 0; ahead < 2 && next <= after; ahead++)
			next = find_month_day(day, s->day, ahead) * DAY_MS + s->ms;
		break;
	}
	return next <= MEM_TIME_MAX ? next : MEM_TIME_NONE;
}
