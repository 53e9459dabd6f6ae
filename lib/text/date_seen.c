/* SPDX-License-Identifier: Apache-2.0 */
/* Dates that are seen from a day: yesterday, last week, three months ago. */
#include "text/dates_int.h"

static struct mem_day_span
make_day_span(int64_t middle, int half)
{
	return (struct mem_day_span){ (int32_t)(middle - half), (int32_t)(middle + half) };
}

/* So many units from today, give or take: a day 0 days, a week 3, a month 15, a year 180. */
static struct mem_day_span
count_units(int32_t today, enum text_unit unit, int n)
{
	switch (unit) {
	case TEXT_UNIT_WEEK:
		return make_day_span(today + 7 * (int64_t)n, 3);
	case TEXT_UNIT_MONTH:
		return make_day_span(today + (int64_t)n * 3044 / 100, 15);
	case TEXT_UNIT_YEAR:
		return make_day_span(today + (int64_t)n * 36525 / 100, 180);
	case TEXT_UNIT_WEEKEND:
		return text_calendar_span(today, unit, n);
	default:
		return make_day_span(today + (int64_t)n, 0);
	}
}

/* last -1, this 0, next 1; another word: false. */
static bool
read_direction(const struct text_date_reader *r, size_t i, int *from)
{
	enum text_role role = text_date_role(r, i);
	*from = role == TEXT_ROLE_LAST ? -1 : role == TEXT_ROLE_NEXT;
	return role == TEXT_ROLE_LAST || role == TEXT_ROLE_NEXT || role == TEXT_ROLE_THIS;
}

struct mem_day_span
text_weekday_seen(int32_t today, int weekday, int from)
{
	int now = ((today + 3) % 7 + 7) % 7 + 1, ahead = weekday - now;
	if (from < 0 && ahead >= 0)
		ahead -= 7;
	else if (from > 0 && ahead <= 0)
		ahead += 7;
	return make_day_span(today + (int64_t)ahead, 0);
}

/* A week, a month, a weekend, a night, March, Friday, autumn, seen so; false: there is nothing of the kind at token i. */
static bool
read_directed(const struct text_date_reader *r, size_t i, int from, struct mem_day_span *out)
{
	int value = text_date_value(r, i);
	switch (text_date_role(r, i)) {
	case TEXT_ROLE_WEEKDAY:
		*out = text_weekday_seen(r->today, value, from);
		return true;
	case TEXT_ROLE_MONTH:
		*out = text_month_span(r->today, value, from);
		return true;
	case TEXT_ROLE_SEASON:
		*out = text_season_seen(r->today, value, from);
		return true;
	case TEXT_ROLE_UNIT:
		break;
	default:
		return false;
	}
	if (value == TEXT_UNIT_OTHER || (value == TEXT_UNIT_PART && from != 0) || (value == TEXT_UNIT_DAY && from != 0))
		return false;
	*out = r->question ? text_calendar_span(r->today, (enum text_unit)value, from) : count_units(r->today, (enum text_unit)value, from);
	return true;
}

/* "fin de semana" is one word of it; *next: what comes behind. */
static bool
read_weekend(const struct text_date_reader *r, size_t i, size_t *next)
{
	size_t k = text_date_skip(r, i + 1);
	*next = k + 1;
	return text_date_role(r, i) == TEXT_ROLE_END && k > i + 1 && text_date_role(r, k) == TEXT_ROLE_UNIT &&
	    text_date_value(r, k) == TEXT_UNIT_WEEK;
}

/* Words in the place of "last": those of languages where they follow. */
static size_t
read_direction_after(const struct text_date_reader *r, size_t i, int *from)
{
	bool follows = r->t->lang == TEXT_LANG_SPANISH || r->t->lang == TEXT_LANG_FRENCH;
	if (follows && text_date_goes_on(r, i) && read_direction(r, i, from) && text_date_role(r, i) != TEXT_ROLE_THIS)
		return 1;
	/* que viene */
	if (follows && text_date_goes_on(r, i + 1) && r->t->v[i].end - r->t->v[i].start == 3 &&
	    text_date_role(r, i + 1) == TEXT_ROLE_NEXT && text_date_role(r, i) == TEXT_ROLE_WHAT) {
		*from = 1;
		return 2;
	}
	return 0;
}

/* last week, this morning, next Friday; la semana pasada, lundi prochain, el fin de semana pasado. */
static size_t
read_last_or_next(const struct text_date_reader *r, size_t i, struct mem_named_date *out)
{
	int from;
	size_t next, k = read_direction(r, i, &from) ? i + 1 : i, after;
	bool weekend = read_weekend(r, k, &next);
	if (!weekend)
		next = k + 1;
	if (k == i && (after = read_direction_after(r, next, &from)) == 0)
		return 0;
	if (k == i)
		next += after;
	else if (!text_date_goes_on(r, k))
		return 0;
	if (weekend)
		out->span = text_calendar_span(r->today, TEXT_UNIT_WEEKEND, from);
	else if (!read_directed(r, k, from, &out->span))
		return 0;
	return next - i;
}

/* How many there are of the unit behind it (a couple of: the last number of three), and which; *next: what comes behind that.
 * 0: no such thing. */
static int
read_amount(const struct text_date_reader *r, size_t i, enum text_unit *unit, size_t *next)
{
	int n = text_date_count(r, i);
	size_t k = i + 1;
	while (n != 0 && k < i + 3 && text_date_goes_on(r, k) && text_date_count(r, k) != 0)
		n = text_date_count(r, k++);
	k = text_date_skip(r, k);
	if (n == 0 || !text_date_goes_on(r, k) || text_date_role(r, k) != TEXT_ROLE_UNIT)
		return 0;
	int value = text_date_value(r, k);
	*unit = value == TEXT_UNIT_NIGHT ? TEXT_UNIT_DAY : (enum text_unit)value;
	*next = k + 1;
	return value <= TEXT_UNIT_NIGHT ? n : 0;
}

size_t
text_read_amount_ahead(const struct text_date_reader *r, size_t i, struct mem_day_span *out)
{
	enum text_unit unit;
	size_t next;
	int n = read_amount(r, i, &unit, &next);
	if (n == 0)
		return 0;
	*out = count_units(r->today, unit, n);
	return next - i;
}

/* two weeks ago, vor zwei Wochen, hace dos semanas, il y a deux semaines. */
static size_t
read_ago(const struct text_date_reader *r, size_t i, struct mem_named_date *out)
{
	enum text_unit unit;
	size_t next;
	bool before = text_date_role(r, i) == TEXT_ROLE_AGO_BEFORE;
	int n = read_amount(r, before ? text_date_skip(r, i + 1) : i, &unit, &next);
	if (n == 0 || (!before && !(text_date_goes_on(r, next) && text_date_role(r, next) == TEXT_ROLE_AGO)))
		return 0;
	out->span = count_units(r->today, unit, -n);
	return next - i + !before;
}

/* the last two weeks, las dos últimas semanas: up to today. */
static size_t
read_last_few(const struct text_date_reader *r, size_t i, struct mem_named_date *out)
{
	enum text_unit unit;
	size_t next;
	int from, n;
	if (!r->question)
		return 0;
	if (read_direction(r, i, &from) && from < 0)
		n = read_amount(r, i + 1, &unit, &next);
	else {
		n = text_date_count(r, i);
		bool fits = n != 0 && read_direction(r, i + 1, &from) && from < 0 && text_date_role(r, i + 2) == TEXT_ROLE_UNIT;
		unit = (enum text_unit)text_date_value(r, i + 2);
		next = i + 3;
		n = fits && unit <= TEXT_UNIT_WEEKEND ? n : 0;
	}
	if (n == 0)
		return 0;
	out->span = (struct mem_day_span){ count_units(r->today, unit, -n).first, r->today };
	return next - i;
}

/* yesterday, the day before yesterday, pasado mañana, heute Morgen. */
static size_t
read_day_word(const struct text_date_reader *r, size_t i, struct mem_named_date *out)
{
	enum text_role role = text_date_role(r, i);
	size_t k = i;
	if (role == TEXT_ROLE_BEFORE || role == TEXT_ROLE_AFTER || role == TEXT_ROLE_LAST)
		k = text_date_skip(r, i + 1);
	if (text_date_role(r, k) != TEXT_ROLE_DAY || (k > i && !text_date_goes_on(r, k)))
		return 0;
	int days = text_date_value(r, k);
	bool further = k > i && (role == TEXT_ROLE_BEFORE ? days == -1 : days == 1);
	if (further)
		days *= 2;
	else if (k > i)
		return 0;
	/* Of Spanish mañana behind an article: the morning. */
	if (k == i && i > 0 && r->t->lang == TEXT_LANG_SPANISH && days == 1) {
		enum text_role before = text_date_role(r, i - 1);
		if (before == TEXT_ROLE_OF)
			return 0;
		days = before == TEXT_ROLE_THIS ? 0 : days;
	}
	out->span = make_day_span(r->today + (int64_t)days, 0);
	/* Behind another one German morgen is the morning. */
	bool morning = r->t->lang == TEXT_LANG_GERMAN && text_date_joined(r, k, ' ') && text_date_role(r, k + 1) == TEXT_ROLE_DAY;
	return k + 1 - i + morning;
}

size_t
text_read_seen_date(const struct text_date_reader *r, size_t i, struct mem_named_date *out)
{
	*out = (struct mem_named_date){ 0 };
	size_t n = read_day_word(r, i, out);
	if (n == 0)
		n = read_last_or_next(r, i, out);
	if (n == 0)
		n = read_ago(r, i, out);
	if (n == 0)
		n = read_last_few(r, i, out);
	out->near = out->span.last - out->span.first <= 14;
	return n;
}
