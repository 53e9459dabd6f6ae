/* SPDX-License-Identifier: Apache-2.0 */
/* The days that texts mean, the dates that questions ask for, and how well they fit. */
#include "text/dates_int.h"

/* ---- texts ------------------------------------------------------------------ */

static bool
has_span(const struct mem_day_span *days, size_t n, struct mem_day_span s)
{
	for (size_t i = 0; i < n; i++)
		if (days[i].first == s.first && days[i].last == s.last)
			return true;
	return false;
}

/* "in March" of a text is not looked for: it may be any year's.  With a day it is the nearest. */
static bool
is_certain(const struct mem_named_date *d)
{
	return d->year != 0 || d->months == 0 || d->day != 0;
}

void
text_find_days(struct mem_day_span *days, struct mem_str text, const struct text_tokens *t, int32_t today)
{
	struct text_date_reader r = { .text = text, .t = t, .today = today };
	size_t n = 0;
	for (size_t i = 0, taken; i < t->n && n < MEM_TEXT_DAYS; i += taken > 0 ? taken : 1) {
		struct mem_named_date d, other;
		enum text_role role = text_mark_role(text_token_classes(t, i));
		taken = 0;
		if ((role == TEXT_ROLE_NONE || role == TEXT_ROLE_OF) && (t->v[i].bits & TEXT_TOKEN_DIGIT) == 0)
			continue;
		taken = text_read_seen_date(&r, i, &d);
		if (taken == 0)
			taken = text_read_named_date(&r, i, &d, &other);
		struct mem_day_span s = taken > 0 && is_certain(&d) ? text_named_span(&d, today) : MEM_DAY_SPAN_NONE;
		if (s.first <= s.last && !has_span(days, n, s))
			days[n++] = s;
	}
	while (n < MEM_TEXT_DAYS)
		days[n++] = MEM_DAY_SPAN_NONE;
}

/* ---- questions ---------------------------------------------------------------- */

void
mem_question_dates_read(struct mem_question_dates *out, struct mem_analyser *a, struct mem_str question, int64_t now)
{
	const struct text_tokens *t = text_read_tokens(a, question);
	struct text_date_reader r = { .text = question, .t = t, .today = text_day_of_time(now), .question = true };
	*out = (struct mem_question_dates){ 0 };
	for (size_t i = 0, taken; i < t->n && out->n < MEM_QUESTION_DATES; i += taken > 0 ? taken : 1) {
		struct mem_named_date d, other = { 0 };
		taken = text_read_seen_date(&r, i, &d);
		if (taken == 0)
			taken = text_read_named_date(&r, i, &d, &other);
		if (taken > 0)
			out->v[out->n++] = d;
		if (other.year != 0 && out->n < MEM_QUESTION_DATES)
			out->v[out->n++] = other;
	}
}

/* ---- how well ------------------------------------------------------------------ */

static int64_t
count_days_apart(struct mem_day_span a, struct mem_day_span b)
{
	return a.first > b.last ? (int64_t)a.first - b.last : b.first > a.last ? (int64_t)b.first - a.last : 0;
}

static double
fit_days(int64_t apart)
{
	return apart < 10 ? 1 - (double)apart / 10 : 0;
}

/* Days apart of a date without a year: of the nearest one. */
static int64_t
count_days_to_date(const struct mem_named_date *d, struct mem_day_span days)
{
	int64_t a = count_days_apart(text_named_span(d, days.first), days), b = count_days_apart(text_named_span(d, days.last), days);
	return a < b ? a : b;
}

static double
match_span(const struct mem_named_date *d, struct mem_day_span days)
{
	if (d->year == 0 && d->months == 0) {
		int64_t apart = count_days_apart(d->span, days);
		return apart == 0 ? 1 : d->near ? fit_days(apart) : 0;
	}
	struct mem_named_date wide = *d;
	wide.day = 0;
	if (d->year == 0 ? !text_touches_months(d, days) : count_days_apart(text_named_span(&wide, days.first), days) > 0)
		return 0;
	return d->day != 0 ? fit_days(count_days_to_date(d, days)) : 1;
}

/* Of a day people speak on those around it; but words that mean one day mean no other. */
static double
match_meant_days(const struct mem_named_date *d, struct mem_day_span days)
{
	double m = match_span(d, days);
	return m < 1 && d->day != 0 && days.first == days.last ? 0 : m;
}

double
mem_day_match(const struct mem_question_dates *q, int64_t captured_at, const struct mem_day_span *days, size_t n)
{
	double best = 0;
	int32_t own = captured_at != MEM_TIME_NONE ? text_day_of_time(captured_at) : 0;
	for (size_t i = 0; i < q->n && best < 1; i++) {
		double m = captured_at != MEM_TIME_NONE ? match_span(&q->v[i], (struct mem_day_span){ own, own }) : 0;
		best = m > best ? m : best;
		for (size_t k = 0; k < n && days[k].first <= days[k].last; k++) {
			m = match_meant_days(&q->v[i], days[k]);
			best = m > best ? m : best;
		}
	}
	return best;
}
