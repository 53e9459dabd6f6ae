/* SPDX-License-Identifier: Apache-2.0 */
/* Is a release in the range that is asked for? */
#include "skill/release_range.h"

#include <string.h>

#include "skill/release.h"

enum { NUMBERS = 3, DIGITS_MAX = 9 };

/* One condition: its sign and the numbers that it gives. */
struct range_part {
	char sign;                  /* '^', '~', '>', '<', or '=' for none */
	bool or_equal;
	struct mem_str text;        /* behind the sign; of 1.x or 1.* what stands before that */
	bool known, any;            /* known: a number of a release, or its beginning; any: *, x or nothing */
	unsigned n;                 /* numbers given */
	int number[NUMBERS];
};

static bool
is_range_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_wildcard(char c)
{
	return c == '*' || c == 'x' || c == 'X';
}

/* What stands behind the third number: -pre, +build, or nothing. */
static bool
is_range_suffix(struct mem_str s)
{
	if (s.n == 0)
		return true;
	for (size_t i = 1; i < s.n; i++)
		if (!is_range_digit(s.p[i]) && !(s.p[i] >= 'a' && s.p[i] <= 'z') && !(s.p[i] >= 'A' && s.p[i] <= 'Z') && strchr(".-+", s.p[i]) == NULL)
			return false;
	return s.n > 1 && (s.p[0] == '-' || s.p[0] == '+');
}

/* Are there only wildcards in the places behind the first one, s.p[at]? */
static bool
is_wild_end(struct mem_str s, size_t at, unsigned places)
{
	while (places-- > 0 && at < s.n && is_wildcard(s.p[at])) {
		if (++at == s.n)
			return true;
		if (s.p[at++] != '.')
			return false;
	}
	return false;
}

/* Numbers from the left, each behind a point; sets known. */
static void
read_range_numbers(struct range_part *p)
{
	const struct mem_str s = p->text;
	size_t at = s.n > 0 && (s.p[0] == 'v' || s.p[0] == 'V') ? 1 : 0;
	for (; p->n < NUMBERS; at++) {
		size_t from = at;
		int v = 0;
		if (at < s.n && is_wildcard(s.p[at])) {
			p->known = is_wild_end(s, at, NUMBERS - p->n);
			p->any = p->n == 0;
			p->text.n = at > 0 && p->n > 0 ? at - 1 : 0;
			return;
		}
		for (; at < s.n && is_range_digit(s.p[at]) && at - from < DIGITS_MAX; at++)
			v = v * 10 + (s.p[at] - '0');
		if (at == from)
			return;
		p->number[p->n++] = v;
		if (at >= s.n || s.p[at] != '.')
			break;
	}
	p->known = is_range_suffix((struct mem_str){ s.p + at, at < s.n ? s.n - at : 0 });
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
	bool signed_part = range.p[*at] != '\0' && strchr("^~><=", range.p[*at]) != NULL;
	if (signed_part)
		p->sign = range.p[(*at)++];
	if (*at < range.n && (range.p[*at] == '=' || (range.p[*at] == '>' && p->sign == '~'))) { /* "~>1.2" is "~1.2" */
		p->or_equal = range.p[*at] == '=';
		++*at;
	}
	while (*at < range.n && is_gap(range.p[*at]))
		++*at;
	size_t from = *at;
	while (*at < range.n && !is_gap(range.p[*at]) && strchr("<>", range.p[*at]) == NULL)
		++*at;
	p->text = (struct mem_str){ range.p + from, *at - from };
	read_range_numbers(p);
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

/* A part that names no number is the text of a release that is none either. */
static enum mem_release_fit
fits_word(struct mem_str release, const struct range_part *p)
{
	struct range_part r = { .text = release };
	read_range_numbers(&r);
	if (p->sign != '=' || p->text.n == 0)
		return MEM_RELEASE_UNKNOWN;
	if (mem_str_eq(release, p->text))
		return MEM_RELEASE_WITHIN;
	return r.known || p->n > 0 ? MEM_RELEASE_UNKNOWN : MEM_RELEASE_OUTSIDE;
}

static enum mem_release_fit
fits_range_part(struct mem_str release, const struct range_part *p)
{
	struct range_part r = { .text = release };
	if (!p->known)
		return fits_word(release, p);
	if (p->any)
		return p->sign == '<' && !p->or_equal ? MEM_RELEASE_OUTSIDE : MEM_RELEASE_WITHIN;
	const int order = mem_release_compare(release, p->text);
	read_range_numbers(&r);
	/* Of 1.2 all that begins so is as great: >1.2 is 1.3.0 and above. */
	const bool alike = p->n < NUMBERS ? begins_alike(&r, p, p->n) : order == 0;
	bool within = alike;
	if (p->sign == '^')
		within = order >= 0 && begins_alike(&r, p, count_fixed_numbers(p));
	else if (p->sign == '~')
		within = order >= 0 && begins_alike(&r, p, p->n > 1 ? 2 : 1);
	else if (p->sign == '>')
		within = p->or_equal ? order >= 0 : order > 0 && !alike;
	else if (p->sign == '<')
		within = order < 0 || (p->or_equal && alike);
	return within ? MEM_RELEASE_WITHIN : MEM_RELEASE_OUTSIDE;
}

/* Both must hold: of conditions of which one is not known the other says nothing. */
static enum mem_release_fit
fits_both(enum mem_release_fit x, enum mem_release_fit y)
{
	if (x == MEM_RELEASE_UNKNOWN || y == MEM_RELEASE_UNKNOWN)
		return MEM_RELEASE_UNKNOWN;
	return x == MEM_RELEASE_WITHIN ? y : x;
}

/* Conditions of which all hold; none: all releases. */
static enum mem_release_fit
fits_all_parts(struct mem_str release, struct mem_str range)
{
	enum mem_release_fit fit = MEM_RELEASE_WITHIN;
	struct range_part p;
	for (size_t at = 0; read_range_part(range, &at, &p);)
		fit = fits_both(fit, fits_range_part(release, &p));
	return fit;
}

/* "1.2 - 1.5": from 1.2.0 on, and at most what 1.5 says. */
static enum mem_release_fit
fits_span(struct mem_str release, struct mem_str from, struct mem_str to)
{
	struct range_part low = { .sign = '>', .or_equal = true, .text = mem_str_trim(from) };
	struct range_part high = { .sign = '<', .or_equal = true, .text = mem_str_trim(to) };
	read_range_numbers(&low);
	read_range_numbers(&high);
	return fits_both(fits_range_part(release, &low), fits_range_part(release, &high));
}

/* Where `what` begins in s, or s.n. */
static size_t
find_range_sign(struct mem_str s, const char *what)
{
	const char *at = s.n > 0 ? memmem(s.p, s.n, what, strlen(what)) : NULL;
	return at != NULL ? (size_t)(at - s.p) : s.n;
}

enum mem_release_fit
mem_release_fits(struct mem_str release, struct mem_str range)
{
	static const char either[] = "||", span[] = " - ";
	enum mem_release_fit fit = MEM_RELEASE_OUTSIDE;
	for (bool last = false; !last && fit != MEM_RELEASE_WITHIN;) {
		const size_t end = find_range_sign(range, either), past = end + sizeof either - 1;
		const struct mem_str first = { range.p, end };
		const size_t dash = find_range_sign(first, span), behind = dash + sizeof span - 1;
		enum mem_release_fit one = dash < first.n ?
		    fits_span(release, (struct mem_str){ first.p, dash }, (struct mem_str){ first.p + behind, first.n - behind }) : fits_all_parts(release, first);
		fit = one == MEM_RELEASE_OUTSIDE ? fit : one;
		last = end == range.n;
		range = last ? range : (struct mem_str){ range.p + past, range.n - past };
	}
	return fit;
}
