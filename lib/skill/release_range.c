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
		return order >= 0 && begins_alike(&r, p, p->number[0] > 0 ? 1 : 2);
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

bool
mem_release_within(struct mem_str release, struct mem_str range)
{
	struct range_part p;
	for (size_t at = 0; read_range_part(range, &at, &p);)
		if (!fits_range_part(release, &p))
			return false;
	return true;
}
