/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates in questions, and how well a turn's days fit them: a feature of a ranking, never a filter.
 *
 * A question names a date by its parts (5 March 2024, March 5th, 2024-03-05, 5.3.2024, March 2024, 2024-03, 2024, in
 * March, autumn 2024), or as seen from now: yesterday, three days ago, last night, this week, next month, last Friday,
 * last March, last autumn, in the last two weeks, each in English, German, French and Spanish (mark_words.txt).  A
 * date of figures with slashes that may be read in two ways is both, unless the language has one order.  "may" in small
 * letters is no month, nor "May" before a question's verb; "march" in small letters needs a day, a year, "in" or "last".
 * Days and weeks are those of UTC; a week begins on Monday; winter 2024 ends in February 2025, or is January and February 2024.
 */
#ifndef MEM_DATES_H
#define MEM_DATES_H

#include "base/base.h"
#include "text/text.h"

/* Of what is 0 the question names nothing. */
struct mem_named_date {
	int year;
	int month, months;         /* `months` in a row from that one on: a season has three */
	int day;
	struct mem_day_span span;  /* without year and month: one that is seen from now, or the season of a year */
	bool near;                 /* of a span: days apart count as for a day */
};
#define MEM_QUESTION_DATES 4   /* further ones are not read */
struct mem_question_dates {
	struct mem_named_date v[MEM_QUESTION_DATES];
	size_t n;
};
void mem_question_dates_read(struct mem_question_dates *out, struct mem_analyser *a, struct mem_str question, int64_t now);

/*
 * How well a turn fits, from 0 to 1: the best of its own day (that of captured_at; MEM_TIME_NONE: it has none) and the n
 * `days` that its words mean, over the dates of the question; 0 if that has none.  A date's year must lie in the days, and
 * its month must be touched by them.  With a day that is max(0, 1 - days apart / 10), else 1 (days within which it lies: 0 apart).
 * A single day that its words mean fits a day that is named by its parts wholly or not at all.
 */
double mem_day_match(const struct mem_question_dates *q, int64_t captured_at, const struct mem_day_span *days, size_t n);

/*
 * A date that stands in a text.  What names no year, and a weekday, may be behind or ahead of the day from which it is seen: `back` is the
 * last that began by then ("since March"), `ahead` the next that has not ended ("until March").  Of all others both are the same.
 */
struct mem_date_place {
	struct mem_day_span back, ahead;
	uint32_t start, end;       /* bytes of the text */
};
/*
 * The first dates of a text (under 4 GiB) in order, at most max, each read as that of a question; "in two weeks" and a bare weekday, too.
 * Returns how many.  `at`: when it is said; MEM_TIME_NONE: not known, and only dates with a year are found.  *language (unless
 * NULL): a Snowball name, what language it was read in.
 */
size_t mem_text_date_places(struct mem_date_place *out, size_t max, struct mem_analyser *a, struct mem_str text, int64_t at,
    const char **language);

/*
 * The days that a text names in full, by day, month and year in words or figures, each once, at most max: 5 March 2024, March 5th, 2024,
 * 2024-03-05, 5.3.2024.  What may be read in two ways is both.  Returns how many.
 */
struct mem_whole_date {
	int32_t day;               /* since 1970-01-01 */
	uint32_t start, end;       /* bytes of the text, where it stands first */
};
size_t mem_text_whole_dates(struct mem_whole_date *out, size_t max, struct mem_analyser *a, struct mem_str text);

#endif
