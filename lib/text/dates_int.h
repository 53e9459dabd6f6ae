/* SPDX-License-Identifier: Apache-2.0 */
/* Reading dates: what stands at a word, by its parts or seen from a day. */
#ifndef MEM_DATES_INT_H
#define MEM_DATES_INT_H

#include "text/dates.h"
#include "text/marks_int.h"

struct text_date_reader {
	struct mem_str text;
	const struct text_tokens *t;
	int32_t today;           /* that dates are seen from */
	bool question;           /* weeks and months are those of the calendar; else so many days around */
};

/* ---- words (date_words.c) ------------------------------------------------- */

enum text_role text_date_role(const struct text_date_reader *r, size_t i); /* of none: NONE */
int text_date_value(const struct text_date_reader *r, size_t i);
/* Is it there, and in the same sentence as the one before it? */
bool text_date_goes_on(const struct text_date_reader *r, size_t i);
/* The first from i on that is not of, the, in …; at most two are passed over. */
size_t text_date_skip(const struct text_date_reader *r, size_t i);
/* Does exactly `by` stand between i and the next one? */
bool text_date_joined(const struct text_date_reader *r, size_t i, char by);
int text_date_year(const struct text_date_reader *r, size_t i); /* 1900 to 2099; else 0 */
int text_date_day(const struct text_date_reader *r, size_t i);  /* 1 to 31; else 0 */
/* Digits of at most three, or a word that is listed as a count; 0: no number. */
int text_date_count(const struct text_date_reader *r, size_t i);

/* ---- what stands at token i: how many tokens it takes, 0 for none ------------ */

/* By its parts (date_named.c).  *other: a second reading, which has a year. */
size_t text_read_named_date(const struct text_date_reader *r, size_t i, struct mem_named_date *out, struct mem_named_date *other);
/* Seen from r->today, as a span (date_seen.c). */
size_t text_read_seen_date(const struct text_date_reader *r, size_t i, struct mem_named_date *out);
/* "two weeks" of "in two weeks". */
size_t text_read_amount_ahead(const struct text_date_reader *r, size_t i, struct mem_day_span *out);
/* The weekday last before today, of this week, or next after today, as `from` is -1, 0 or 1. */
struct mem_day_span text_weekday_seen(int32_t today, int weekday, int from);

/* ---- days (date_days.c) ------------------------------------------------------ */

/* A day, week (from Monday), month, … so many of them from the one in which `today` lies. */
struct mem_day_span text_calendar_span(int32_t today, enum text_unit unit, int from);
/* The month `month` last before the one of today, in it, or next after it, as `from` is -1, 0 or 1. */
struct mem_day_span text_month_span(int32_t today, int month, int from);
/* The season, from 1, spring, of that year; and that which ended last, is or comes this year, or begins next. */
struct mem_day_span text_season_span(int year, int season);
struct mem_day_span text_season_seen(int32_t today, int season, int from);
/* The days that a named date may mean, seen from `today`: the nearest, where no year is named. */
struct mem_day_span text_named_span(const struct mem_named_date *d, int32_t today);
/* Do the days touch its months, of any year? */
bool text_touches_months(const struct mem_named_date *d, struct mem_day_span days);
int32_t text_day_of_time(int64_t ms);

/* ---- of texts (date_match.c) -------------------------------------------------- */

/* The first MEM_TEXT_DAYS different spans that the words of a text mean, said on `today`; the others are none. */
void text_find_days(struct mem_day_span *days, struct mem_str text, const struct text_tokens *t, int32_t today);

#endif
