/* SPDX-License-Identifier: Apache-2.0 */
/* All dates of a text with their places, each as it is read by who looks back and by who looks ahead. */
#include "text/dates_int.h"

#include <string.h>

/* Friday, in bare words: the last one, and the next. */
static size_t
read_bare_weekday(const struct text_date_reader *r, size_t i, struct mem_date_place *out)
{
	if (text_date_role(r, i) != TEXT_ROLE_WEEKDAY)
		return 0;
	int weekday = text_date_value(r, i);
	out->back = text_weekday_seen(r->today, weekday, -1);
	out->ahead = text_weekday_seen(r->today, weekday, 1);
	return 1;
}

/* in two weeks, in 3 days. */
static size_t
read_in_amount(const struct text_date_reader *r, size_t i, struct mem_date_place *out)
{
	if (text_date_role(r, i) != TEXT_ROLE_OF)
		return 0;
	size_t n = text_read_amount_ahead(r, i + 1, &out->ahead);
	out->back = out->ahead;
	return n > 0 ? n + 1 : 0;
}

/* Of a date without a year: the last time that began by today, and the first that ends from today on. */
static void
read_both_ways(const struct mem_named_date *d, int32_t today, struct mem_date_place *out)
{
	struct mem_named_date dated = *d;
	int year, month, day;
	mem_date_from_days(today, &year, &month, &day);
	for (dated.year = year + 1; dated.year > year - 1 && text_named_span(&dated, today).first > today;)
		dated.year--;
	out->back = text_named_span(&dated, today);
	for (dated.year = year - 1; dated.year < year + 1 && text_named_span(&dated, today).last < today;)
		dated.year++;
	out->ahead = text_named_span(&dated, today);
}

static size_t
read_named_place(const struct text_date_reader *r, size_t i, struct mem_date_place *out)
{
	struct mem_named_date d, other;
	size_t n = text_read_named_date(r, i, &d, &other);
	if (n == 0)
		return 0;
	if (d.year == 0 && d.months > 0)
		read_both_ways(&d, r->today, out);
	else
		out->back = out->ahead = text_named_span(&d, r->today);
	return n;
}

static size_t
read_date_place(const struct text_date_reader *r, size_t i, bool seen, struct mem_date_place *out)
{
	struct mem_named_date d;
	size_t n = text_read_seen_date(r, i, &d);
	if (n > 0)
		out->back = out->ahead = d.span;
	else
		n = read_in_amount(r, i, out);
	if (n == 0 && (n = read_named_place(r, i, out)) > 0)
		return seen || out->back.first == out->ahead.first ? n : 0;
	if (n == 0)
		n = read_bare_weekday(r, i, out);
	return seen ? n : 0;
}

size_t
mem_text_date_places(struct mem_date_place *out, size_t max, struct mem_analyser *a, struct mem_str text, int64_t at,
    const char **language)
{
	const struct text_tokens *t = text_read_tokens(a, text);
	bool seen = at != MEM_TIME_NONE;
	struct text_date_reader r = { .text = text, .t = t, .today = seen ? text_day_of_time(at) : 0, .question = true };
	size_t n = 0;
	for (size_t i = 0, taken; i < t->n && n < max; i += taken > 0 ? taken : 1) {
		taken = read_date_place(&r, i, seen, &out[n]);
		if (taken == 0)
			continue;
		out[n].start = t->v[i].start;
		out[n++].end = t->v[i + taken - 1].end;
	}
	if (language != NULL)
		*language = text_languages[t->lang].name;
	return n;
}

/* ---- named in full -------------------------------------------------------- */

/* Four digits alone that begin as years of two centuries do: most texts have none, and their words need not be looked up. */
static bool
may_name_year(struct mem_str text)
{
	size_t digits = 0;
	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && (unsigned)(text.p[i] - '0') < 10) {
			digits++;
			continue;
		}
		if (digits == 4 && (memcmp(text.p + i - 4, "19", 2) == 0 || memcmp(text.p + i - 4, "20", 2) == 0))
			return true;
		digits = 0;
	}
	return false;
}

static size_t
add_whole_date(struct mem_whole_date *out, size_t n, size_t max, const struct mem_named_date *d, struct mem_whole_date at)
{
	if (n == max || d->year == 0 || d->day == 0 || d->day > mem_month_days(d->year, d->month))
		return n;
	at.day = (int32_t)mem_date_to_days(d->year, d->month, d->day);
	for (size_t i = 0; i < n; i++)
		if (out[i].day == at.day)
			return n;
	out[n] = at;
	return n + 1;
}

size_t
mem_text_whole_dates(struct mem_whole_date *out, size_t max, struct mem_analyser *a, struct mem_str text)
{
	if (!may_name_year(text))
		return 0;
	const struct text_tokens *t = text_read_tokens(a, text);
	struct text_date_reader r = { .text = text, .t = t, .question = true };
	size_t n = 0;
	for (size_t i = 0, taken; i < t->n && n < max; i += taken > 0 ? taken : 1) {
		struct mem_named_date d, other;
		taken = text_read_named_date(&r, i, &d, &other);
		if (taken == 0)
			continue;
		const struct mem_whole_date at = { .start = t->v[i].start, .end = t->v[i + taken - 1].end };
		n = add_whole_date(out, n, max, &d, at);
		n = add_whole_date(out, n, max, &other, at);
	}
	return n;
}
