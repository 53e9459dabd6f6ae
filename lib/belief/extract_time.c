/* SPDX-License-Identifier: Apache-2.0 */
/* When a claim holds: the dates beside it, and the words before them. */
#include "belief/extract_int.h"

enum { DAY_MS = 86400000, DAYS_OF_YEAR = 365, LEADING_WORDS = 5, DATE_WORDS = 4 };

/* The date's place in the sentence; false: it lies elsewhere. */
static bool
place_date(const struct belief_sentence *s, const struct mem_date_place *d, size_t *start, size_t *end)
{
	if (d->start < s->at || d->end > s->at + s->text.n - s->lead)
		return false;
	*start = d->start - s->at + s->lead;
	*end = d->end - s->at + s->lead;
	return true;
}

/* "every Tuesday" is no day of the claim. */
static bool
is_recurring(const struct belief_sentence *s, size_t token)
{
	for (size_t i = 0; i < s->nmarks && s->marks[i].first < token; i++)
		if (s->marks[i].effect == BELIEF_RECURS && s->marks[i].last == token)
			return true;
	return false;
}

/* The first of the dates that do not begin before a byte of the content. */
static size_t
find_date_from(const struct belief_sentence *s, size_t at)
{
	size_t low = 0, high = s->ndates;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->dates[middle].start >= at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The first of those that are not before the sentence. */
static size_t
find_first_date(const struct belief_sentence *s)
{
	return find_date_from(s, s->at);
}

bool
belief_has_date_at(const struct belief_sentence *s, size_t start)
{
	if (start < s->lead)
		return false;
	size_t at = s->at + start - s->lead, i = find_date_from(s, at);
	return i < s->ndates && s->dates[i].start == at;
}

bool
belief_leads_date(const struct belief_sentence *s, size_t token)
{
	return belief_has_effect(s, token, BELIEF_AT) || belief_has_effect(s, token, BELIEF_SINCE) || belief_has_effect(s, token, BELIEF_UNTIL) ||
	    belief_has_effect(s, token, BELIEF_BY) || belief_has_effect(s, token, BELIEF_LEADS) || belief_has_effect(s, token, BELIEF_TRIMS);
}

size_t
belief_date_start(const struct belief_sentence *s, size_t start, size_t end)
{
	for (size_t i = find_first_date(s); i < s->ndates; i++) {
		size_t from, to;
		if (!place_date(s, &s->dates[i], &from, &to) || from >= end)
			break;
		if (from < start)
			continue;
		size_t t = belief_token_at(s, from);
		if (is_recurring(s, t))
			continue;
		while (t > 0 && s->tokens[t - 1].start >= start && belief_leads_date(s, t - 1))
			t--;
		/* "a 1974 Vespa": what is left behind the date is the term. */
		size_t first = belief_token_at(s, start), next = belief_token_at(s, to);
		while (first < t && belief_has_effect(s, first, BELIEF_LEADS))
			first++;
		if (first == t && next < s->ntokens && s->tokens[next].start < end)
			continue;
		return s->tokens[t].start < start ? start : s->tokens[t].start;
	}
	return end;
}

/* The first date in [start, end); NULL: there is none. */
static const struct mem_date_place *
find_date_within(const struct belief_sentence *s, size_t start, size_t end)
{
	size_t from, to;
	for (size_t i = find_first_date(s); i < s->ndates && place_date(s, &s->dates[i], &from, &to) && from < end; i++)
		if (from >= start)
			return &s->dates[i];
	return NULL;
}

struct mem_str
belief_date_text(const struct belief_sentence *s, bool ahead, size_t start, size_t end)
{
	const struct mem_date_place *d = find_date_within(s, start, end);
	int year, month, day;
	if (d == NULL)
		return (struct mem_str){ NULL, 0 };
	mem_date_from_days(ahead ? d->ahead.last : d->back.first, &year, &month, &day);
	return mem_str(mem_arena_printf(s->out->arena, "%04d-%02d-%02d", year, month, day));
}

struct mem_str
belief_day_text(const struct belief_sentence *s, size_t start, size_t end)
{
	const struct mem_date_place *d = find_date_within(s, start, end);
	int year, month, day;
	/* Days of a week that is not named lie some days apart, those of a year that is not named hundreds. */
	bool weekday = d != NULL && d->ahead.first != d->back.first && d->ahead.first - d->back.first < DAYS_OF_YEAR;
	if (d == NULL || weekday || d->back.first != d->back.last)
		return (struct mem_str){ NULL, 0 };
	mem_date_from_days(d->back.first, &year, &month, &day);
	return mem_str(mem_arena_printf(s->out->arena, "%02d-%02d", month, day));
}

/* The words right before a date that say what it is of the claim; those of another term, as in "to Graz on Monday", do not. */
static enum belief_effect
read_date_sense(const struct belief_sentence *s, size_t token)
{
	static const enum belief_effect senses[] = { BELIEF_SINCE, BELIEF_UNTIL, BELIEF_BY };
	for (size_t k = 1; k <= DATE_WORDS && k <= token && belief_leads_date(s, token - k); k++)
		for (size_t i = 0; i < MEM_COUNT(senses); i++)
			if (belief_has_effect(s, token - k, senses[i]))
				return senses[i];
	return BELIEF_AT;
}

static int64_t
end_of_days(struct mem_day_span days)
{
	return ((int64_t)days.last + 1) * DAY_MS;
}

static void
apply_date(const struct belief_sentence *s, const struct belief_predicate *p, const struct mem_date_place *d, size_t token, bool future,
    struct mem_claim *c)
{
	bool due = p != NULL && p->due;
	switch (read_date_sense(s, token)) {
	case BELIEF_SINCE:
		c->valid_from = (int64_t)(future ? d->ahead : d->back).first * DAY_MS;
		return;
	case BELIEF_UNTIL:
		c->valid_to = end_of_days(d->ahead);
		return;
	case BELIEF_BY:
		if (due)
			c->due = end_of_days(d->ahead) - 1;
		return;
	default:
		break;
	}
	if (due)
		c->due = end_of_days(d->ahead) - 1;
	else if (c->valid_from == MEM_TIME_NONE)
		c->valid_from = (int64_t)(future ? d->ahead : d->back).first * DAY_MS;
}

static bool
leads_to_time(const struct belief_sentence *s, size_t token)
{
	static const enum belief_effect times[] = { BELIEF_AT, BELIEF_SINCE, BELIEF_UNTIL, BELIEF_BY };
	for (size_t i = 0; i < MEM_COUNT(times); i++)
		if (belief_has_effect(s, token, times[i]))
			return true;
	return false;
}

/* A month's name alone may be a person's (Jan, April): it is a month at the beginning, or where "in", "since early" lead to it. */
static bool
may_be_person(const struct belief_sentence *s, const struct mem_date_place *d, size_t token, size_t to)
{
	int days = d->back.last - d->back.first + 1;
	if (days < 28 || days > 31 || token == 0 || token >= s->ntokens || s->tokens[token].end < to || (unsigned char)s->text.p[s->tokens[token].start] < 'A')
		return false;
	bool early = token > 1 && belief_has_effect(s, token - 1, BELIEF_TRIMS) && leads_to_time(s, token - 2);
	return !leads_to_time(s, token - 1) && !early;
}

/* May a clause with a subject of its own begin at this word? */
static bool
begins_subject(const struct belief_sentence *s, size_t token)
{
	static const enum belief_effect subjects[] = { BELIEF_SPEAKER, BELIEF_LISTENER, BELIEF_SPEAKER_OWNS, BELIEF_LISTENER_OWNS, BELIEF_NOBODY,
		BELIEF_LEADS };
	unsigned char first = (unsigned char)s->text.p[s->tokens[token].start];
	for (size_t i = 0; i < MEM_COUNT(subjects); i++)
		if (belief_has_effect(s, token, subjects[i]))
			return true;
	return first < 'a' || first > 'z';
}

/* Where the verbs end that an "and" adds to those before `end`: "write it and send it to Omar". */
static size_t
find_end_of_verbs(const struct belief_sentence *s, size_t end)
{
	while (end + 1 < s->ntokens && belief_has_effect(s, end, BELIEF_JOINS) && !begins_subject(s, end + 1)) {
		const struct belief_token *t = &s->tokens[end + 1];
		end = belief_clauses_around(s, t->start, t->end).end;
	}
	return end;
}

/* Applies the dates from `first` on at the tokens of `where`; false: there is none. */
static bool
apply_dates(const struct belief_sentence *s, const struct belief_predicate *p, size_t first, struct belief_range where, bool future,
    struct mem_claim *c)
{
	size_t from, to;
	bool any = false;
	for (size_t i = first; i < s->ndates && place_date(s, &s->dates[i], &from, &to); i++) {
		size_t t = belief_token_at(s, from);
		if (t < where.start || t >= where.end || is_recurring(s, t) || may_be_person(s, &s->dates[i], t, to))
			continue;
		apply_date(s, p, &s->dates[i], t, future, c);
		any = true;
	}
	return any;
}

void
belief_times_read(const struct belief_sentence *s, const struct belief_predicate *p, size_t start, size_t end, struct mem_claim *c)
{
	size_t first = find_first_date(s), from, to;
	if (first >= s->ndates || !place_date(s, &s->dates[first], &from, &to))
		return;
	struct belief_range clauses = belief_clauses_around(s, start, end);
	bool future = belief_has_effect_within(s, clauses, BELIEF_FUTURE);
	const struct belief_range verbs = { clauses.end, p != NULL && p->due ? find_end_of_verbs(s, clauses.end) : clauses.end };
	/* "Last Friday, I …": a clause of a few words in front is of this one. */
	if (clauses.start <= LEADING_WORDS)
		clauses.start = 0;
	/* What is done with another by one day is due that day, too. */
	if (!apply_dates(s, p, first, clauses, future, c))
		apply_dates(s, p, first, verbs, future, c);
	if (c->valid_to != MEM_TIME_NONE && c->valid_from != MEM_TIME_NONE && c->valid_to <= c->valid_from)
		c->valid_to = MEM_TIME_NONE;
}
