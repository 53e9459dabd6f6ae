/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks, and times as RFC 3339 writes them. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DAY_MS ((int64_t)86400000)

int64_t
mem_clock_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t
mem_time_now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/*
 * Days since 1970-01-01 of a date in the proleptic Gregorian calendar, counted
 * in eras of 400 years that begin in March, so that the leap day comes last.
 */
int64_t
mem_date_to_days(int y, int m, int d)
{
	int64_t yy = m <= 2 ? y - 1 : y;
	int64_t era = (yy >= 0 ? yy : yy - 399) / 400;
	int64_t yoe = yy - era * 400;
	int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
	return era * 146097 + doe - 719468;
}

void
mem_date_from_days(int64_t days, int *y, int *m, int *d)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;
	*d = (int)(doy - (153 * mp + 2) / 5 + 1);
	*m = (int)(mp < 10 ? mp + 3 : mp - 9);
	*y = (int)(yoe + era * 400 + (*m <= 2));
}

static bool
parse_digits(const char **p, const char *end, int n, int *out)
{
	int v = 0;
	for (int i = 0; i < n; i++) {
		if (*p == end || **p < '0' || **p > '9')
			return false;
		v = v * 10 + (*(*p)++ - '0');
	}
	*out = v;
	return true;
}

static bool
take_char(const char **p, const char *end, char c)
{
	if (*p == end || **p != c)
		return false;
	(*p)++;
	return true;
}

int
mem_month_days(int y, int m)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
	return m == 2 && leap ? 29 : days[m - 1];
}

static bool
parse_date(const char **p, const char *end, int64_t *day)
{
	int y, m, d;
	if (!parse_digits(p, end, 4, &y) || !take_char(p, end, '-') || !parse_digits(p, end, 2, &m) ||
	    !take_char(p, end, '-') || !parse_digits(p, end, 2, &d))
		return false;
	if (m < 1 || m > 12 || d < 1 || d > mem_month_days(y, m))
		return false;
	*day = mem_date_to_days(y, m, d);
	return true;
}

static bool
parse_offset(const char **p, const char *end, int64_t *ms)
{
	*ms = 0;
	if (take_char(p, end, 'Z') || take_char(p, end, 'z'))
		return true;
	int sign = take_char(p, end, '+') ? 1 : take_char(p, end, '-') ? -1 : 0;
	int h, m;
	if (sign == 0 || !parse_digits(p, end, 2, &h) || !take_char(p, end, ':') || !parse_digits(p, end, 2, &m) ||
	    h > 23 || m > 59)
		return false;
	*ms = sign * ((int64_t)h * 60 + m) * 60000;
	return true;
}

bool
mem_time_parse(struct mem_str s, int64_t *ms)
{
	const char *p = s.p, *end = s.p + s.n;
	int64_t day, offset;
	int h, min, sec, milli = 0;
	if (s.n == 0 || !parse_date(&p, end, &day))
		return false;
	if (!take_char(&p, end, 'T') && !take_char(&p, end, 't') && !take_char(&p, end, ' '))
		return false;
	if (!parse_digits(&p, end, 2, &h) || !take_char(&p, end, ':') || !parse_digits(&p, end, 2, &min) ||
	    !take_char(&p, end, ':') || !parse_digits(&p, end, 2, &sec))
		return false;
	/* Second 60 is a leap second (RFC 3339 §5.7): the next instant here. */
	if (h > 23 || min > 59 || sec > 60)
		return false;
	if (take_char(&p, end, '.')) {
		int n = 0;
		for (; p < end && *p >= '0' && *p <= '9'; p++, n++)
			if (n < 3)
				milli = milli * 10 + (*p - '0');
		if (n == 0)
			return false;
		for (; n < 3; n++)
			milli *= 10;
	}
	if (!parse_offset(&p, end, &offset) || p != end)
		return false;
	int64_t t = day * DAY_MS + ((int64_t)h * 3600 + min * 60 + sec) * 1000 + milli - offset;
	if (t < MEM_TIME_MIN || t > MEM_TIME_MAX)
		return false;
	*ms = t;
	return true;
}

/* The first instant of the day that is `days` before that of `now`. */
static int64_t
find_day_start(int64_t now, int64_t days)
{
	int64_t day = now / DAY_MS - (now % DAY_MS < 0);
	return (day - days) * DAY_MS;
}

/* The first instant of the day of the same number, or of the last day of a shorter month, `months` before that of `now`. */
static int64_t
find_day_months_back(int64_t now, int64_t months, bool first_day)
{
	int y, m, d;
	mem_date_from_days(find_day_start(now, 0) / DAY_MS, &y, &m, &d);
	const int64_t month = (int64_t)y * 12 + m - 1 - months;
	if (month < 12)
		return INT64_MIN;
	y = (int)(month / 12);
	m = (int)(month % 12) + 1;
	const int days = mem_month_days(y, m);
	return mem_date_to_days(y, m, first_day ? 1 : d < days ? d : days) * DAY_MS;
}

/* Does it begin with `first` and a blank?  Then *s is what stands behind them. */
static bool
take_time_word(struct mem_str *s, const char *first)
{
	const size_t n = strlen(first);
	if (s->n <= n || memcmp(s->p, first, n) != 0 || s->p[n] != ' ')
		return false;
	*s = (struct mem_str){ s->p + n + 1, s->n - n - 1 };
	return true;
}

/* "last Monday", or monday: the last one before today. */
static bool
parse_last_weekday(struct mem_str s, int64_t now, int64_t weekday, int64_t *at)
{
	static const char *const days[] = { "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday" };
	enum { WEEK = 7 };
	for (int64_t i = 0; i < WEEK; i++)
		if (s.n == strlen(days[i]) && strncasecmp(s.p, days[i], s.n) == 0) {
			*at = find_day_start(now, (weekday - i + WEEK - 1) % WEEK + 1);
			return true;
		}
	return false;
}

/* "3 days ago": that day; minutes and hours go back from now. */
static bool
parse_time_ago(struct mem_str s, int64_t now, int64_t *at)
{
	enum { WEEK = 7, YEAR = 12, MOST = 100000 };
	static const struct {
		const char *unit;
		int64_t ms, days, months;
	} units[] = { { "minute", 60000, 0, 0 }, { "hour", 3600000, 0, 0 }, { "day", 0, 1, 0 }, { "week", 0, WEEK, 0 }, { "month", 0, 0, 1 },
		{ "year", 0, 0, YEAR } };
	int64_t n;
	size_t digits = 0;
	while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9')
		digits++;
	if (digits == s.n || s.p[digits] != ' ' || !mem_number_parse((struct mem_str){ s.p, digits }, 0, MOST, &n))
		return false;
	s = (struct mem_str){ s.p + digits + 1, s.n - digits - 1 };
	for (size_t i = 0; i < MEM_COUNT(units); i++) {
		char many[16];
		struct mem_str left = s;
		snprintf(many, sizeof many, "%ss", units[i].unit);
		if ((!take_time_word(&left, units[i].unit) && !take_time_word(&left, many)) || !mem_str_is(left, "ago"))
			continue;
		*at = units[i].ms > 0 ? now - n * units[i].ms : units[i].days > 0 ? find_day_start(now, n * units[i].days)
		    : find_day_months_back(now, n * units[i].months, false);
		return true;
	}
	return false;
}

/* Words for times, in UTC: days begin at midnight, weeks on Monday (ISO 8601). */
static bool
parse_time_word(struct mem_str s, int64_t now, int64_t *ms)
{
	enum { MONDAY_BEFORE_EPOCH = 3, WEEK = 7, YEAR = 12 }; /* 1970-01-01 was a Thursday */
	const int64_t today = find_day_start(now, 0) / DAY_MS;
	const int64_t weekday = ((today + MONDAY_BEFORE_EPOCH) % WEEK + WEEK) % WEEK;
	int year, month, day;
	mem_date_from_days(today, &year, &month, &day);
	const struct {
		const char *word;
		int64_t at;
	} words[] = {
		{ "now", now }, { "today", find_day_start(now, 0) }, { "yesterday", find_day_start(now, 1) },
		{ "this week", find_day_start(now, weekday) }, { "last week", find_day_start(now, weekday + WEEK) },
		{ "this month", find_day_months_back(now, 0, true) }, { "last month", find_day_months_back(now, 1, true) },
		{ "this year", find_day_months_back(now, month - 1, true) }, { "last year", find_day_months_back(now, month - 1 + YEAR, true) },
	};
	struct mem_str rest = s;
	int64_t at = INT64_MIN;
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (mem_str_is(s, words[i].word))
			at = words[i].at;
	if (at == INT64_MIN && take_time_word(&rest, "last"))
		(void)parse_last_weekday(rest, now, weekday, &at);
	if (at == INT64_MIN)
		(void)parse_time_ago(s, now, &at);
	if (at < MEM_TIME_MIN)
		return false;
	*ms = at;
	return true;
}

bool
mem_time_parse_user(struct mem_str s, int64_t now, int64_t *ms)
{
	if (mem_time_parse(s, ms) || parse_time_word(s, now, ms))
		return true;
	const char *p = s.p, *end = s.p + s.n;
	int64_t day, back;
	if (s.n == 10 && parse_date(&p, end, &day) && p == end) {
		*ms = day * DAY_MS;
		return true;
	}
	if (!mem_duration_parse(s, &back) || back > now - MEM_TIME_MIN)
		return false;
	*ms = now - back;
	return true;
}

/* `n` decimal digits of v and what follows them; without printf, since every record has several times. */
static char *
put_digits(char *to, int v, int n, char then)
{
	for (int i = n; i-- > 0; v /= 10)
		to[i] = (char)('0' + v % 10);
	to[n] = then;
	return to + n + 1;
}

void
mem_time_format(int64_t ms, char out[MEM_TIME_LEN + 1])
{
	if (ms < MEM_TIME_MIN)
		ms = MEM_TIME_MIN;
	if (ms > MEM_TIME_MAX)
		ms = MEM_TIME_MAX;
	int64_t day = ms >= 0 ? ms / DAY_MS : -((DAY_MS - 1 - ms) / DAY_MS);
	int rest = (int)(ms - day * DAY_MS);
	int y, m, d;
	mem_date_from_days(day, &y, &m, &d);
	out = put_digits(out, y, 4, '-');
	out = put_digits(out, m, 2, '-');
	out = put_digits(out, d, 2, 'T');
	out = put_digits(out, rest / 3600000, 2, ':');
	out = put_digits(out, rest / 60000 % 60, 2, ':');
	out = put_digits(out, rest / 1000 % 60, 2, '.');
	out = put_digits(out, rest % 1000, 3, 'Z');
	*out = '\0';
}

bool
mem_number_parse(struct mem_str s, int64_t min, int64_t max, int64_t *out)
{
	size_t i = 0;
	bool neg = s.n > 0 && s.p[0] == '-';
	int64_t v = 0;
	if (neg)
		i++;
	if (i == s.n)
		return false;
	for (; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		int d = s.p[i] - '0';
		if (__builtin_mul_overflow(v, (int64_t)10, &v) ||
		    (neg ? __builtin_sub_overflow(v, (int64_t)d, &v) : __builtin_add_overflow(v, (int64_t)d, &v)))
			return false;
	}
	if (v < min || v > max)
		return false;
	*out = v;
	return true;
}

bool
mem_duration_parse(struct mem_str s, int64_t *ms)
{
	static const struct {
		const char *name;
		int64_t ms;
	} units[] = {
		{ "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 },
		{ "d", DAY_MS }, { "w", 7 * DAY_MS }, { "", 1000 },
	};
	size_t n = 0;
	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	int64_t v;
	if (!mem_number_parse((struct mem_str){ s.p, n }, 0, INT64_MAX, &v))
		return false;
	struct mem_str unit = { s.p + n, s.n - n };
	for (size_t i = 0; i < MEM_COUNT(units); i++)
		if (mem_str_is(unit, units[i].name))
			return !__builtin_mul_overflow(v, units[i].ms, ms) && *ms <= MEM_DURATION_MAX;
	return false;
}
