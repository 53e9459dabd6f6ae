/* SPDX-License-Identifier: Apache-2.0 */
/* Is a release in the range that is asked for? */
#include "skill/release_range.h"

#include <string.h>

#include "skill/release.h"

enum { NUMBERS = 3, NUMBER_MAX = 1000000000 };

/* One condition: its sign and the numbers that it gives. */
struct range_part {
	char sign;                  /* '^', '~', '>', '<', or '=' for none */
	bool or_equal;
	struct mem_str text;        /* behind the sign */
	unsigned n;                 /* numbers given */
	int number[NUMBERS];
};

static void
read_range_numbers(struct mem_str s, struct range_part *p)
{
	size_t at = s.n > 0 && (s.p[0] == 'v' || s.p[0] == 'V') ? 1 : 0;
	while (p->n < NUMBERS && at < s.n && s.p[at] >= '0' && s.p[at] <= '9') {
		int v = 0;
		for (; at < s.n && s.p[at] >= '0' && s.p[at] <= '9'; at++)
			v = v < NUMBER_MAX / 10 ? v * 10 + (s.p[at] - '0') : NUMBER_MAX;
		p->number[p->n++] = v;
		at += at < s.n && s.p[at] == '.';
	}
}

static bool
is_gap(char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

/* The next condition; false: there are no more. */
static bool
read_range_part(struct mem_str range, size_t *at, struct range_part *p)
{
	*p = (struct range_part){ .sign = '=' };
	while (*at < range.n && is_gap(range.p[*at]))
		++*at;
	if (*at >= range.n)
		return false;
	if (strchr("^~><=", range.p[*at]) != NULL)
		p->sign = range.p[(*at)++];
	if (*at < range.n && range.p[*at] == '=') {
		p->or_equal = true;
		++*at;
	}
	while (*at < range.n && is_gap(range.p[*at]))
		++*at;
	size_t from = *at;
	while (*at < range.n && !is_gap(range.p[*at]) && strchr("<>", range.p[*at]) == NULL)
		++*at;
	p->text = (struct mem_str){ range.p + from, *at - from };
	read_range_numbers(p->text, p);
	return true;
}

/* How many of the numbers of ^1.2.3 a release must have: up to the first that is not 0, or all that are given. */
static unsigned
count_fixed_numbers(const struct range_part *p)
{
	unsigned n = 0;
	while (n < p->n && p->number[n] == 0)
		n++;
	return n < p->n ? n + 1 : p->n;
}

/* Are the first `n` numbers of a release those of the condition? */
static bool
begins_alike(const struct range_part *release, const struct range_part *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if ((i < release->n ? release->number[i] : 0) != (i < p->n ? p->number[i] : 0))
			return false;
	return true;
}

static bool
fits_range_part(struct mem_str release, const struct range_part *p)
{
	struct range_part r = { 0 };
	int order = mem_release_compare(release, p->text);
	bool any = mem_str_is(p->text, "*") || mem_str_is(p->text, "x") || p->text.n == 0;
	read_range_numbers(release, &r);
	if (any)
		return true;
	if (p->n == 0)
		return mem_str_eq(release, p->text);
	switch (p->sign) {
	case '^':
		return order >= 0 && begins_alike(&r, p, count_fixed_numbers(p));
	case '~':
		return order >= 0 && begins_alike(&r, p, p->n > 1 ? 2 : 1);
	case '>':
		return order > 0 || (p->or_equal && order == 0);
	case '<':
		return order < 0 || (p->or_equal && order == 0);
	default:
		return p->n < NUMBERS ? begins_alike(&r, p, p->n) : order == 0;
	}
}

/* Conditions of which all hold. */
static bool
fits_all_parts(struct mem_str release, struct mem_str range)
{
	struct range_part p;
	for (size_t at = 0; read_range_part(range, &at, &p);)
		if (!fits_range_part(release, &p))
			return false;
	return true;
}

/* "1.2 - 1.5": from 1.2.0 on, and at most what 1.5 says. */
static bool
fits_span(struct mem_str release, struct mem_str from, struct mem_str to)
{
	struct range_part low = { .sign = '>', .or_equal = true, .text = mem_str_trim(from) }, high = { .sign = '=', .text = mem_str_trim(to) };
	struct range_part below = { .sign = '<', .text = high.text };
	read_range_numbers(low.text, &low);
	read_range_numbers(high.text, &high);
	read_range_numbers(below.text, &below);
	return fits_range_part(release, &low) && (fits_range_part(release, &high) || fits_range_part(release, &below));
}

/* Where `what` begins in s, or s.n. */
static size_t
find_range_sign(struct mem_str s, const char *what)
{
	const char *at = s.n > 0 ? memmem(s.p, s.n, what, strlen(what)) : NULL;
	return at != NULL ? (size_t)(at - s.p) : s.n;
}

bool
mem_release_within(struct mem_str release, struct mem_str range)
{
	static const char either[] = "||", span[] = " - ";
	const size_t end = find_range_sign(range, either);
	const struct mem_str first = { range.p, end };
	const size_t dash = find_range_sign(first, span), behind = dash + sizeof span - 1;
	bool within = dash < first.n ? fits_span(release, (struct mem_str){ first.p, dash }, (struct mem_str){ first.p + behind, first.n - behind })
	    : fits_all_parts(release, first);
	if (within || end == range.n)
		return within;
	return mem_release_within(release, (struct mem_str){ range.p + end + sizeof either - 1, range.n - end - (sizeof either - 1) });
}
