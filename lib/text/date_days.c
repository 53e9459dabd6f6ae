/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of days: weeks, months and seasons around a day, and the days that a date may mean. */
#include "text/dates_int.h"

enum { DAY_MS = 86400000 };

int32_t
text_day_of_time(int64_t ms)
{
	int64_t day = ms / DAY_MS - (ms % DAY_MS < 0);
	return (int32_t)day;
}

static struct mem_day_span
make_span(int64_t first, int64_t last)
{
	return (struct mem_day_span){ (int32_t)first, (int32_t)last };
}

/* `months` in a row, counted from January of year 0. */
static struct mem_day_span
count_months(int64_t first, int months)
{
	int64_t ends[] = { first, first + months };
	for (size_t i = 0; i < MEM_COUNT(ends); i++) {
		int64_t month = (ends[i] % 12 + 12) % 12;
		ends[i] = mem_date_to_days((int)((ends[i] - month) / 12), (int)month + 1, 1);
	}
	return make_span(ends[0], ends[1] - 1);
}

struct mem_day_span
text_calendar_span(int32_t today, enum text_unit unit, int from)
{
	int year, month, day;
	int64_t monday = today - ((today + 3) % 7 + 7) % 7;
	mem_date_from_days(today, &year, &month, &day);
	switch (unit) {
	case TEXT_UNIT_WEEK:
		return make_span(monday + 7 * from, monday + 7 * from + 6);
	case TEXT_UNIT_WEEKEND:
		return make_span(monday + 7 * from + 5, monday + 7 * from + 6);
	case TEXT_UNIT_MONTH:
		return count_months((int64_t)year * 12 + month - 1 + from, 1);
	case TEXT_UNIT_YEAR:
		return count_months(((int64_t)year + from) * 12, 12);
	default:
		return make_span(today + from, today + from);
	}
}

struct mem_day_span
text_month_span(int32_t today, int month, int from)
{
	int year, now, day;
	mem_date_from_days(today, &year, &now, &day);
	if (from < 0 && month >= now)
		year--;
	else if (from > 0 && month <= now)
		year++;
	return count_months((int64_t)year * 12 + month - 1, 1);
}

struct mem_day_span
text_season_span(int year, int season)
{
	return count_months((int64_t)year * 12 + season * 3 - 1, 3);
}

struct mem_day_span
text_season_seen(int32_t today, int season, int from)
{
	int year, month, day;
	mem_date_from_days(today, &year, &month, &day);
	struct mem_day_span s = text_season_span(year - 2, season);
	int y = year - 2;
	if (from == 0)
		return text_season_span(season == 4 && month < 3 ? year - 1 : year, season);
	if (from > 0) {
		while (s.first <= today)
			s = text_season_span(++y, season);
		return s;
	}
	for (struct mem_day_span next; next = text_season_span(y + 1, season), next.last < today; y++)
		s = next;
	return s;
}

/* The days that it means in that year. */
static struct mem_day_span
find_days_in_year(const struct mem_named_date *d, int year)
{
	if (d->months == 0)
		return count_months((int64_t)year * 12, 12);
	int most = mem_month_days(year, d->month);
	int64_t day = mem_date_to_days(year, d->month, d->day < most ? d->day : most);
	return d->day != 0 ? make_span(day, day) : count_months((int64_t)year * 12 + d->month - 1, d->months);
}

/* Of all years the one in which the days lie nearest; ahead they count twice, since more is told of what was. */
static struct mem_day_span
find_nearest_year(const struct mem_named_date *d, int32_t today)
{
	struct mem_day_span best = MEM_DAY_SPAN_NONE;
	int year, month, day;
	int64_t least = INT64_MAX;
	mem_date_from_days(today, &year, &month, &day);
	for (int y = year - 1; y <= year + 1; y++) {
		struct mem_day_span s = find_days_in_year(d, y);
		int64_t apart = s.first > today ? 2 * ((int64_t)s.first - today) : s.last < today ? (int64_t)today - s.last : 0;
		if (apart < least) {
			least = apart;
			best = s;
		}
	}
	return best;
}

struct mem_day_span
text_named_span(const struct mem_named_date *d, int32_t today)
{
	if (d->year == 0 && d->months == 0)
		return d->span;
	return d->year == 0 ? find_nearest_year(d, today) : find_days_in_year(d, d->year);
}

bool
text_touches_months(const struct mem_named_date *d, struct mem_day_span days)
{
	struct mem_named_date in = { .month = d->month, .months = d->months };
	int first, last, month, day;
	mem_date_from_days(days.first, &first, &month, &day);
	mem_date_from_days(days.last, &last, &month, &day);
	for (int y = first - 1; y <= last; y++) {
		struct mem_day_span s = find_days_in_year(&in, y);
		if (s.first <= days.last && days.first <= s.last)
			return true;
	}
	return false;
}
