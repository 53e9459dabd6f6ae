/* SPDX-License-Identifier: Apache-2.0 */
/* Dates by their parts: a day, a month and a year, or some of them, in words or figures. */
#include "text/dates_int.h"

/* ---- in figures ------------------------------------------------------------- */

static bool
is_month_number(const struct text_date_reader *r, size_t i, int *month)
{
	*month = i < r->t->n && (r->t->v[i].bits & TEXT_TOKEN_NUMBER) != 0 ? r->t->v[i].number : 0;
	return *month >= 1 && *month <= 12;
}

/* 2024-03-05, 2024-03, 2024/03/05, 2024-03-05T10:00. */
static size_t
read_iso_named(const struct text_date_reader *r, size_t i, struct mem_named_date *out)
{
	int month, year = text_date_year(r, i);
	char by = text_date_joined(r, i, '-') ? '-' : '/';
	if (year == 0 || !text_date_joined(r, i, by) || !is_month_number(r, i + 1, &month))
		return 0;
	*out = (struct mem_named_date){ .year = year, .month = month, .months = 1 };
	if (!text_date_joined(r, i + 1, by) || (r->t->v[i + 2].bits & TEXT_TOKEN_DIGIT) == 0)
		return 2;
	int day = r->t->v[i + 2].number;
	bool clock = (r->t->v[i + 2].bits & TEXT_TOKEN_MIXED) == 0 || r->text.p[r->t->v[i + 2].start + 2] == 'T';
	if (day < 1 || day > mem_month_days(year, month) || !clock)
		return 2;
	out->day = day;
	return 3;
}

/* 5.3.2024, 5/3/2024; with slashes in English either way. */
static size_t
read_figures(const struct text_date_reader *r, size_t i, struct mem_named_date *out, struct mem_named_date *other)
{
	char by = text_date_joined(r, i, '.') ? '.' : text_date_joined(r, i, '-') ? '-' : '/';
	if (!text_date_joined(r, i, by) || !text_date_joined(r, i + 1, by))
		return 0;
	int year = text_date_year(r, i + 2), a, b;
	bool day_first = is_month_number(r, i + 1, &b), month_first = is_month_number(r, i, &a) && by == '/' && r->t->lang == TEXT_LANG_ENGLISH;
	if (year == 0 || a < 1 || b < 1)
		return 0;
	struct mem_named_date readings[2];
	size_t n = 0;
	if (day_first && a <= mem_month_days(year, b))
		readings[n++] = (struct mem_named_date){ .year = year, .month = b, .months = 1, .day = a };
	if (month_first && a != b && b <= mem_month_days(year, a))
		readings[n++] = (struct mem_named_date){ .year = year, .month = a, .months = 1, .day = b };
	if (n == 0)
		return 0;
	*out = readings[0];
	if (n == 2)
		*other = readings[1];
	return 3;
}

/* ---- in words ----------------------------------------------------------------- */

/* The year behind a month or season, from token i on; *next: what comes behind it. */
static int
read_year_after(const struct text_date_reader *r, size_t i, size_t *next)
{
	size_t k = text_date_skip(r, i);
	int year = text_date_goes_on(r, k) ? text_date_year(r, k) : 0;
	*next = year != 0 ? k + 1 : i;
	return year;
}

/* "5. März": the point behind a day ends no sentence. */
static bool
follows_day(const struct text_date_reader *r, size_t i)
{
	return text_date_goes_on(r, i) || (i > 0 && i < r->t->n && r->t->v[i].start - r->t->v[i - 1].end <= 3 &&
	    r->text.p[r->t->v[i - 1].end] == '.');
}

/* 5 March 2024, the 5th of March, 5. März, le 5 mars, 5 de marzo de 2024. */
static size_t
read_day_and_month(const struct text_date_reader *r, size_t i, struct mem_named_date *out)
{
	int day = text_date_day(r, i);
	size_t k = i + 1, next;
	if (day == 0 || !follows_day(r, k))
		return 0;
	k = text_date_skip(r, k);
	if (k >= r->t->n || (k > i + 1 && !text_date_goes_on(r, k)) || text_date_role(r, k) != TEXT_ROLE_MONTH)
		return 0;
	*out = (struct mem_named_date){ .day = day, .month = text_date_value(r, k), .months = 1 };
	out->year = read_year_after(r, k + 1, &next);
	return next - i;
}

/* Words that are more often something else: "march" and "May I". */
static bool
is_doubtful_month(const struct text_date_reader *r, size_t i)
{
	const struct text_token *k = &r->t->v[i];
	char first = r->text.p[k->start];
	if (r->t->lang != TEXT_LANG_ENGLISH || (first != 'm' && first != 'M'))
		return false;
	struct mem_str before = i > 0 ? text_token_str(r->text, k - 1) : MEM_STR("");
	int month = text_date_value(r, i);
	if (month == 3 && k->end - k->start == 5)
		return first == 'm' && !mem_str_is(before, "in") && !mem_str_is(before, "In") && !mem_str_is(before, "since");
	return month == 5 && (k->bits & TEXT_TOKEN_BEGINS) != 0;
}

/* March, March 5, March 5th 2024, March 2024. */
static size_t
read_named_month(const struct text_date_reader *r, size_t i, struct mem_named_date *out)
{
	size_t k = i + 1, next;
	if (text_date_role(r, i) != TEXT_ROLE_MONTH)
		return 0;
	*out = (struct mem_named_date){ .month = text_date_value(r, i), .months = 1 };
	if (text_date_goes_on(r, k) && !text_date_joined(r, k, '.'))
		out->day = text_date_day(r, k);
	if (out->day != 0)
		k++;
	out->year = read_year_after(r, k, &next);
	return out->day == 0 && out->year == 0 && is_doubtful_month(r, i) ? 0 : next - i;
}

/* in autumn, in the fall, im Herbst: any year's. */
static bool
is_within_season(const struct text_date_reader *r, size_t i)
{
	static const char *const within[] = { "in", "In", "im", "Im", "en", "En", "au", "Au" };
	if (i > 1 && mem_str_is(text_token_str(r->text, &r->t->v[i - 1]), "the"))
		i--;
	for (size_t k = 0; i > 0 && k < MEM_COUNT(within); k++)
		if (mem_str_is(text_token_str(r->text, &r->t->v[i - 1]), within[k]))
			return true;
	return false;
}

/* autumn 2024, in autumn; "spring" and "fall" alone are other words. */
static size_t
read_season(const struct text_date_reader *r, size_t i, struct mem_named_date *out, struct mem_named_date *other)
{
	size_t next;
	if (text_date_role(r, i) != TEXT_ROLE_SEASON)
		return 0;
	int season = text_date_value(r, i), first = season * 3;
	int year = read_year_after(r, i + 1, &next);
	if (year == 0 && !is_within_season(r, i))
		return 0;
	*out = (struct mem_named_date){ .month = first, .months = 3 };
	if (year == 0)
		return 1;
	*out = (struct mem_named_date){ .span = text_season_span(year, season) };
	if (first == 12)
		*other = (struct mem_named_date){ .year = year, .month = 1, .months = 2 };
	return next - i;
}

/* All begin with figures, or with a word that is listed in one of the languages: most tokens are neither. */
static bool
may_begin_date(const struct text_date_reader *r, size_t i)
{
	uint16_t classes = 0;
	for (size_t k = 0; k < TEXT_MARK_LANGS && i < r->t->n; k++)
		classes |= r->t->v[i].classes[k];
	return i < r->t->n && ((r->t->v[i].bits & TEXT_TOKEN_NUMBER) != 0 || classes != 0);
}

size_t
text_read_named_date(const struct text_date_reader *r, size_t i, struct mem_named_date *out, struct mem_named_date *other)
{
	*other = (struct mem_named_date){ 0 };
	if (!may_begin_date(r, i))
		return 0;
	size_t n = read_iso_named(r, i, out);
	if (n == 0)
		n = read_figures(r, i, out, other);
	if (n == 0)
		n = read_day_and_month(r, i, out);
	if (n == 0)
		n = read_named_month(r, i, out);
	if (n == 0)
		n = read_season(r, i, out, other);
	if (n == 0 && text_date_year(r, i) != 0 && !text_date_joined(r, i, '-') && !text_date_joined(r, i, '.')) {
		*out = (struct mem_named_date){ .year = text_date_year(r, i) };
		n = 1;
	}
	return n;
}
