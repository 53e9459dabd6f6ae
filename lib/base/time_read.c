/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times as programs write them: Unix times, RFC 3339 and ISO 8601 with gaps, RFC 2822, ctime(3), what JavaScript and
 * locales in English make of them.  What could be two dates is none.
 */
#include "base/base.h"

#include <string.h>

#define SECOND ((int64_t)1000)
#define HOUR   (3600 * SECOND)
#define DAY    (24 * HOUR)

struct scan {
	const char *p, *end;
};
struct date_parts {
	int y, m, d;
	bool has_year, has_month;
};
struct time_parts {
	int64_t ms;             /* of the day */
	int64_t offset;
	bool there, zoned;
	bool american;          /* AM or PM was said, or a zone of the USA: the month comes first */
};

/* ---- small steps ------------------------------------------------------ */

static bool
at_digit(const struct scan *s)
{
	return s->p < s->end && *s->p >= '0' && *s->p <= '9';
}

static char
lower_letter(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool
at_letter(const struct scan *s)
{
	return s->p < s->end && lower_letter(*s->p) >= 'a' && lower_letter(*s->p) <= 'z';
}

static bool
step_char(struct scan *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

/* White space, also the narrow no-break one that locales put before AM and PM. */
static void
step_space(struct scan *s)
{
	for (;;) {
		if (step_char(s, ' ') || step_char(s, '\t'))
			continue;
		size_t left = (size_t)(s->end - s->p);
		if (left >= 3 && memcmp(s->p, "\xe2\x80\xaf", 3) == 0)
			s->p += 3;
		else if (left >= 2 && memcmp(s->p, "\xc2\xa0", 2) == 0)
			s->p += 2;
		else
			return;
	}
}

/* A number of at most `max` digits; returns how many it has, 0: none is there. */
static int
step_number(struct scan *s, int max, int *out)
{
	int n = 0, v = 0;
	for (; n < max && at_digit(s); n++)
		v = 10 * v + (*s->p++ - '0');
	if (n > 0)
		*out = v;
	return at_digit(s) ? 0 : n;
}

/* Letters, lower case; false: none, or more than fit. */
static bool
step_word(struct scan *s, char word[16])
{
	size_t n = 0;
	while (at_letter(s) && n < 15)
		word[n++] = lower_letter(*s->p++);
	word[n] = '\0';
	return n > 0 && !at_letter(s);
}

/* ---- words ------------------------------------------------------------ */

/* The place of a name, from 1, that `word` is, or is the beginning of by at least three letters; 0: none. */
static int
find_name(const char *word, const char *const *names, int n)
{
	size_t len = strlen(word);
	for (int i = 0; i < n && len >= 3; i++)
		if (strncmp(word, names[i], len) == 0)
			return i + 1;
	return 0;
}

static int
find_month(const char *word)
{
	static const char *const months[] = { "january", "february", "march", "april", "may", "june", "july", "august",
		"september", "october", "november", "december" };
	return find_name(word, months, 12);
}

static bool
is_weekday(const char *word)
{
	static const char *const days[] = { "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday" };
	return find_name(word, days, 7) > 0;
}

/* Names of zones that mean one thing (RFC 5322 §4.3, and those of Europe, Japan, Australia). */
static bool
find_zone(const char *word, struct time_parts *t)
{
	static const struct {
		const char *name;
		int hours;          /* behind Greenwich are those of the USA alone */
	} zones[] = {
		{ "z", 0 }, { "utc", 0 }, { "gmt", 0 }, { "ut", 0 }, { "wet", 0 }, { "west", 1 }, { "bst", 1 }, { "cet", 1 },
		{ "cest", 2 }, { "mez", 1 }, { "mesz", 2 }, { "eet", 2 }, { "eest", 3 }, { "msk", 3 }, { "jst", 9 }, { "aest", 10 }, { "aedt", 11 },
		{ "est", -5 }, { "edt", -4 }, { "cst", -6 }, { "cdt", -5 }, { "mst", -7 }, { "mdt", -6 }, { "pst", -8 }, { "pdt", -7 },
	};
	for (size_t i = 0; i < MEM_COUNT(zones); i++) {
		if (strcmp(word, zones[i].name) == 0) {
			t->offset = zones[i].hours * HOUR;
			t->american |= zones[i].hours < 0;
			return true;
		}
	}
	return false;
}

/* ---- dates ------------------------------------------------------------ */

static bool
set_date(struct date_parts *d, int y, int m, int day)
{
	*d = (struct date_parts){ y, m, day, true, true };
	return m >= 1 && m <= 12 && day >= 1 && day <= mem_month_days(y, m);
}

/* Years of two digits as RFC 5322 §4.3 reads them. */
static int
widen_year(int y, int digits)
{
	return digits == 4 ? y : digits == 2 ? y + (y < 50 ? 2000 : 1900) : -1;
}

/* "2026-08-01", "2026/8/1", "2026. 8. 1.", "2026-08", "2026". */
static bool
read_year_first(struct scan *s, int y, struct date_parts *d)
{
	int m = 1, day = 1;
	char sep = s->p < s->end ? *s->p : '\0';
	if ((sep == '-' || sep == '/' || sep == '.') && s->end - s->p > 1) {
		s->p++;
		if (sep == '.')
			step_space(s);
		if (step_number(s, 2, &m) == 0)
			return false;
		bool more = step_char(s, sep);
		if (more && sep == '.')
			step_space(s);
		if (more && step_number(s, 2, &day) == 0)
			return false;
	}
	return set_date(d, y, m, day);
}

/* "28.11.2025"; "11/28/2025", where only one of the two can be a month or the time is an American one. */
static bool
read_year_last(struct scan *s, int a, struct date_parts *d, bool *unsure)
{
	int b, y, digits;
	char sep = *s->p++;
	if (step_number(s, 2, &b) == 0 || !step_char(s, sep) || (digits = step_number(s, 4, &y)) == 0 ||
	    (y = widen_year(y, digits)) < 0 || (digits == 2 && sep != '/'))
		return false;
	*unsure = sep != '.' && a <= 12 && b <= 12 && a != b;
	bool month_first = sep != '.' && a <= 12;
	return set_date(d, y, month_first ? a : b, month_first ? b : a);
}

static void
step_ordinal(struct scan *s)
{
	static const char *const ends[] = { "st", "nd", "rd", "th" };
	struct scan at = *s;
	char word[16];
	if (!step_word(&at, word))
		return;
	for (size_t i = 0; i < MEM_COUNT(ends); i++)
		if (strcmp(word, ends[i]) == 0)
			*s = at;
}

static void
step_date_gap(struct scan *s)
{
	step_space(s);
	while (step_char(s, ',') || step_char(s, '.') || step_char(s, '-'))
		step_space(s);
}

/* "1 Aug 2026", "01-Aug-26", "1. August 2026". */
static bool
read_day_first(struct scan *s, int day, struct date_parts *d)
{
	char word[16];
	int m, y, digits;
	step_ordinal(s);
	step_date_gap(s);
	if (!step_word(s, word) || (m = find_month(word)) == 0)
		return false;
	step_date_gap(s);
	if ((digits = step_number(s, 4, &y)) == 0 || (y = widen_year(y, digits)) < 0)
		return false;
	return set_date(d, y, m, day);
}

static bool
read_number_date(struct scan *s, struct date_parts *d, bool *unsure)
{
	int n, digits = step_number(s, 8, &n);
	if (digits == 8)
		return set_date(d, n / 10000, n / 100 % 100, n % 100);
	if (digits == 4)
		return read_year_first(s, n, d);
	if (digits < 1 || digits > 2 || s->p == s->end)
		return false;
	/* "28.11.2025" and "28. November 2025" begin alike. */
	struct scan next = { s->p + 1, s->end };
	if ((*s->p == '.' || *s->p == '/' || *s->p == '-') && at_digit(&next))
		return read_year_last(s, n, d, unsure);
	return read_day_first(s, n, d);
}

/* "Aug 1, 2026"; "Aug  1 10:00:00 2026", whose year comes last. */
static bool
read_word_date(struct scan *s, int month, struct date_parts *d)
{
	int day, y;
	step_date_gap(s);
	if (step_number(s, 2, &day) == 0)
		return false;
	step_ordinal(s);
	*d = (struct date_parts){ .m = month, .d = day, .has_month = true };
	struct scan at = *s;
	step_date_gap(&at);
	if (step_number(&at, 4, &y) != 4 || (at.p < at.end && *at.p == ':'))
		return true;
	*s = at;
	return set_date(d, y, month, day);
}

static bool
read_date_part(struct scan *s, struct date_parts *d, bool *unsure)
{
	char word[16];
	int month;
	*unsure = false;
	while (at_letter(s)) {
		if (!step_word(s, word))
			return false;
		if (!is_weekday(word))
			return (month = find_month(word)) > 0 && read_word_date(s, month, d);
		step_date_gap(s);
	}
	return read_number_date(s, d, unsure);
}

/* ---- times of the day ------------------------------------------------- */

static bool
read_half(struct scan *s, int *hour, bool *american)
{
	struct scan at = *s;
	step_space(&at);
	char half = at.p < at.end ? lower_letter(*at.p) : '\0';
	if (half != 'a' && half != 'p')
		return true;
	at.p++;
	step_char(&at, '.');
	if (at.p == at.end || lower_letter(*at.p) != 'm')
		return true;
	at.p++;
	if (at_letter(&at))
		return true;
	step_char(&at, '.');
	*s = at;
	*american = true;
	if (*hour < 1 || *hour > 12)
		return false;
	*hour = *hour % 12 + (half == 'p' ? 12 : 0);
	return true;
}

static int
step_fraction(struct scan *s)
{
	int milli = 0, n = 0;
	for (; at_digit(s); s->p++, n++)
		if (n < 3)
			milli = 10 * milli + (*s->p - '0');
	for (; n < 3; n++)
		milli *= 10;
	return milli;
}

/* "10:00", "10:00:03.123456", "10:15 PM", "10 PM", "100003". */
static bool
read_clock(struct scan *s, struct time_parts *t)
{
	int h, min = 0, sec = 0, milli = 0, n, digits = step_number(s, 6, &n);
	bool compact = digits == 4 || digits == 6;
	h = n;
	if (compact) {
		h = digits == 6 ? n / 10000 : n / 100;
		min = digits == 6 ? n / 100 % 100 : n % 100;
		sec = digits == 6 ? n % 100 : 0;
	} else if (digits < 1 || digits > 2) {
		return false;
	}
	bool colon = !compact && step_char(s, ':');
	if (colon && step_number(s, 2, &min) == 0)
		return false;
	if (colon && step_char(s, ':') && step_number(s, 2, &sec) == 0)
		return false;
	struct scan next = { s->p + 1, s->end };
	if ((colon || compact) && s->p < s->end && (*s->p == '.' || *s->p == ',') && at_digit(&next)) {
		s->p++;
		milli = step_fraction(s);
	}
	if (!read_half(s, &h, &t->american) || (!colon && !compact && !t->american) || h > 23 || min > 59 || sec > 60)
		return false;
	t->ms = h * HOUR + (min * 60 + sec) * SECOND + milli;
	t->there = true;
	return true;
}

/* "+02:00", "-0530", "+2". */
static bool
read_offset(struct scan *s, int64_t *offset)
{
	int sign = *s->p++ == '+' ? 1 : -1, h, m = 0, n, digits;
	if ((digits = step_number(s, 4, &n)) == 0)
		return false;
	h = digits > 2 ? n / 100 : n;
	if (digits > 2)
		m = n % 100;
	else if (step_char(s, ':') && step_number(s, 2, &m) == 0)
		return false;
	if (h > 23 || m > 59)
		return false;
	*offset += sign * (h * HOUR + m * 60 * SECOND);
	return true;
}

static bool
read_zone(struct scan *s, struct time_parts *t)
{
	char word[16];
	struct scan at = *s;
	step_space(&at);
	if (at_letter(&at)) {
		/* A word that is no zone may be something else. */
		if (!step_word(&at, word) || !find_zone(word, t))
			return true;
		t->zoned = true;
		*s = at;
	}
	if (at.p < at.end && (*at.p == '+' || *at.p == '-')) {
		t->zoned = true;
		*s = at;
		return read_offset(s, &t->offset);
	}
	return true;
}

/* What stands between a date and a time: "T", ", ", " at ", "_". */
static void
step_time_gap(struct scan *s)
{
	char word[16];
	step_date_gap(s);
	if (step_char(s, '_') || step_char(s, '@') || !at_letter(s)) {
		step_space(s);
		return;
	}
	struct scan at = *s;
	if (step_word(&at, word) && (strcmp(word, "at") == 0 || strcmp(word, "t") == 0)) {
		*s = at;
		step_space(s);
	}
}

/* "(Central European Summer Time)", "[Europe/Berlin]". */
static void
step_comment(struct scan *s)
{
	step_space(s);
	if (s->end - s->p >= 2 && ((*s->p == '(' && s->end[-1] == ')') || (*s->p == '[' && s->end[-1] == ']')))
		s->p = s->end;
}

/* ---- all of it -------------------------------------------------------- */

/* Seconds up to the year 5138 are seconds; what is larger milli-, micro- or nanoseconds. */
bool
mem_time_from_unix(double v, int64_t *ms)
{
	double size = v < 0 ? -v : v;
	v = size < 1e11 ? v * 1e3 : size < 1e14 ? v : size < 1e17 ? v / 1e3 : v / 1e6;
	if (!(v >= (double)MEM_TIME_MIN && v <= (double)MEM_TIME_MAX))
		return false;
	*ms = (int64_t)(v + (v < 0 ? -0.5 : 0.5));
	return true;
}

/* A number alone; years and dates of digits are none. */
static bool
read_unix_text(struct scan *s, int64_t *ms)
{
	struct scan at = *s;
	double v = 0, unit = 1;
	bool minus = step_char(&at, '-');
	int digits = 0;
	for (; at_digit(&at); digits++)
		v = 10 * v + (*at.p++ - '0');
	if (step_char(&at, '.')) {
		if (!at_digit(&at))
			return false;
		while (at_digit(&at))
			v += (unit /= 10) * (*at.p++ - '0');
	}
	if (at.p != at.end || digits < 9 || digits > 19)
		return false;
	return mem_time_from_unix(minus ? -v : v, ms);
}

/* "20260801100003": a date and a time of digits. */
static bool
read_long_digits(struct scan *s, struct date_parts *d, struct time_parts *t)
{
	if (s->end - s->p != 14 || (memcmp(s->p, "19", 2) != 0 && memcmp(s->p, "20", 2) != 0))
		return false;
	struct scan date = { s->p, s->p + 8 }, clock = { s->p + 8, s->end };
	bool unsure;
	if (!read_number_date(&date, d, &unsure) || !read_clock(&clock, t) || clock.p != clock.end)
		return false;
	s->p = s->end;
	return true;
}

bool
mem_time_read(struct mem_str text, int64_t *ms, bool *zoned)
{
	struct scan s = { text.p, text.p + text.n };
	struct date_parts d = { 0 };
	struct time_parts t = { 0 };
	bool unsure = false;
	int y;
	*zoned = true;
	while (s.end > s.p && (s.end[-1] == ' ' || s.end[-1] == '\t' || s.end[-1] == '\r' || s.end[-1] == '\n'))
		s.end--;
	step_space(&s);
	if (s.p == s.end || s.end - s.p > 100)
		return false;
	if (mem_time_parse((struct mem_str){ s.p, (size_t)(s.end - s.p) }, ms))
		return true;
	if (!read_long_digits(&s, &d, &t)) {
		if (read_unix_text(&s, ms))
			return true;
		if (!read_date_part(&s, &d, &unsure))
			return false;
		step_time_gap(&s);
		/* "2026/8/1 at GMT+8 10:28:33" */
		if (!at_digit(&s) && !read_zone(&s, &t))
			return false;
		step_space(&s);
		if (at_digit(&s) && !read_clock(&s, &t))
			return false;
		if (!t.zoned && !read_zone(&s, &t))
			return false;
		step_space(&s);
		if (!d.has_year && (step_number(&s, 4, &y) != 4 || !set_date(&d, y, d.m, d.d) || !read_zone(&s, &t)))
			return false;
	}
	step_comment(&s);
	if (s.p != s.end || (unsure && !t.american))
		return false;
	*zoned = t.zoned;
	int64_t v = mem_date_to_days(d.y, d.m, d.d) * DAY + t.ms - t.offset;
	if (v < MEM_TIME_MIN || v > MEM_TIME_MAX)
		return false;
	*ms = v;
	return true;
}
