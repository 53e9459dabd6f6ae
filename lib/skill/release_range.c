/* SPDX-License-Identifier: Apache-2.0 */
/* Is a release in the range that is asked for? */
#include "skill/release_range.h"

#include <string.h>

#include "skill/release.h"

enum { NUMBERS = 3, DIGITS_MAX = 9 };

/* One condition: its sign and the numbers that it gives. */
struct range_part {
	char sign;                  /* '^', '~', '>', '<', or '=' for none */
	bool or_equal, known;
	unsigned n;                 /* numbers given, up to the first wildcard */
	struct mem_release_number low; /* with 0 for those that are not given */
};

/* A release against conditions of which all must hold. */
struct range_test {
	const struct mem_release_number *release; /* NULL: it is no number */
	bool outside, unknown;
	bool same_release;          /* a condition names a prerelease of the same three numbers */
};

/* ---- what is written --------------------------------------------------------- */

static bool
is_range_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_gap(char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

static bool
is_identifier_char(char c)
{
	return is_range_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

/* Words of letters, digits and - with points between them, up to the end or to `stop`. */
static bool
read_identifiers(struct mem_str s, size_t *at, char stop)
{
	size_t word = *at;
	for (; *at < s.n && s.p[*at] != stop; ++*at) {
		if (s.p[*at] != '.' && !is_identifier_char(s.p[*at]))
			return false;
		if (s.p[*at] == '.' && *at == word)
			return false;
		word = s.p[*at] == '.' ? *at + 1 : word;
	}
	return *at > word;
}

/* Behind the numbers: -pre, +build, both, or nothing; only a full number has them. */
static bool
read_range_suffix(struct range_part *p, struct mem_str s, size_t at, unsigned places)
{
	if (at < s.n && s.p[at] == '-' && places == NUMBERS) {
		const size_t from = ++at;
		if (!read_identifiers(s, &at, '+'))
			return false;
		if (p->n == NUMBERS)
			p->low.pre = (struct mem_str){ s.p + from, at - from };
	}
	if (at < s.n && s.p[at] == '+' && places == NUMBERS) {
		at++;
		return read_identifiers(s, &at, '\0');
	}
	return at == s.n;
}

/* Numbers and wildcards with points between them; what follows a wildcard counts as one. */
static void
read_range_numbers(struct range_part *p, struct mem_str s)
{
	size_t at = 0;
	unsigned place = 0;
	bool wild = false;
	p->low.pre = MEM_STR("");
	for (; place < NUMBERS; place++) {
		const size_t from = at;
		int64_t v = 0;
		if (at < s.n && (s.p[at] == '*' || s.p[at] == 'x' || s.p[at] == 'X'))
			wild = true, at++;
		else
			for (; at < s.n && at - from < DIGITS_MAX && is_range_digit(s.p[at]); at++)
				v = v * 10 + (s.p[at] - '0');
		if (at == from)
			return;
		if (!wild)
			p->low.part[p->n++] = v;
		if (at >= s.n || s.p[at] != '.' || place + 1 == NUMBERS) {
			p->known = read_range_suffix(p, s, at, place + 1);
			return;
		}
		at++;
	}
}

/* A sign and what it is before, `s` being all of it.  >=1.2, ~> 1.2, ^v1, == 1.2.3 */
static struct range_part
read_range_part(struct mem_str s)
{
	struct range_part p = { .sign = '=' };
	size_t at = 0;
	if (s.n > 0 && s.p[0] != '\0' && strchr("^~><", s.p[0]) != NULL)
		p.sign = s.p[at++];
	if (at < s.n && p.sign == '~' && s.p[at] == '>')
		at++;
	p.or_equal = at < s.n && s.p[at] == '=';
	while (at < s.n && (is_gap(s.p[at]) || s.p[at] == '=' || s.p[at] == 'v' || s.p[at] == 'V'))
		at++;
	read_range_numbers(&p, (struct mem_str){ s.p + at, s.n - at });
	return p;
}

/* The text of the next condition; empty: there are no more.  Blanks stand between conditions, and between a sign and its number. */
static struct mem_str
take_range_part(struct mem_str *s)
{
	size_t from = 0, at;
	while (from < s->n && is_gap(s->p[from]))
		from++;
	for (at = from; at < s->n && (is_gap(s->p[at]) || (s->p[at] != '\0' && strchr("^~><=", s->p[at]) != NULL)); at++)
		;
	for (; at < s->n && !is_gap(s->p[at]) && s->p[at] != '<' && s->p[at] != '>'; at++)
		;
	const struct mem_str part = { s->n > 0 ? s->p + from : s->p, at - from };
	s->p = s->n > 0 ? s->p + at : s->p, s->n -= at;
	return part;
}

/* ---- what it means ----------------------------------------------------------- */

/* The release must be above (sign '>') or below ('<') `bound`, or be it. */
static void
test_bound(struct range_test *t, char sign, bool or_equal, const struct mem_release_number *bound)
{
	if (t->release == NULL) {
		t->outside = true;
		return;
	}
	const int order = mem_release_compare_numbers(t->release, bound);
	t->outside |= order == 0 ? !or_equal : (order < 0) != (sign == '<');
	t->same_release |= bound->pre.n > 0 && memcmp(bound->part, t->release->part, sizeof bound->part) == 0;
}

/* The least of all numbers, prereleases too, that are above those that begin with the first n of p: of 1.2 that is 1.3.0-0. */
static struct mem_release_number
number_above(const struct range_part *p, unsigned n, const char *pre)
{
	struct mem_release_number above = { .pre = mem_str(pre) };
	for (unsigned i = 0; i < n; i++)
		above.part[i] = p->low.part[i] + (i + 1 == n);
	return above;
}

/* From p on, and of the same first n numbers. */
static void
test_same_beginning(struct range_test *t, const struct range_part *p, unsigned n)
{
	const struct mem_release_number above = number_above(p, n, "0");
	test_bound(t, '>', true, &p->low);
	test_bound(t, '<', false, &above);
}

/* How many of the numbers of ^1.2.3 a release must have: up to the first that is not 0, or all that are given. */
static unsigned
count_fixed_numbers(const struct range_part *p)
{
	unsigned n = 0;
	while (n < p->n && p->low.part[n] == 0)
		n++;
	return n < p->n ? n + 1 : p->n;
}

/* >1.2 is above all that begins with 1.2, <=1.2 holds all of it. */
static void
test_order(struct range_test *t, const struct range_part *p)
{
	const bool whole = p->n == NUMBERS, behind = !whole && (p->sign == '>') != p->or_equal;
	struct mem_release_number bound = p->low;
	if (behind)
		bound = number_above(p, p->n, p->sign == '>' ? "" : "0");
	else if (!whole && p->sign == '<')
		bound.pre = MEM_STR("0");
	test_bound(t, p->sign, whole ? p->or_equal : p->sign == '>', &bound);
}

static void
test_range_part(struct range_test *t, const struct range_part *p)
{
	if (!p->known)
		t->unknown = true;
	else if (p->n == 0) /* nothing is above or below all */
		t->outside |= (p->sign == '<' || p->sign == '>') && !p->or_equal;
	else if (p->sign == '^')
		test_same_beginning(t, p, count_fixed_numbers(p));
	else if (p->sign == '~')
		test_same_beginning(t, p, p->n > 1 ? 2 : 1);
	else if (p->sign == '<' || p->sign == '>')
		test_order(t, p);
	else if (p->n < NUMBERS)
		test_same_beginning(t, p, p->n);
	else
		test_bound(t, '>', true, &p->low), test_bound(t, '<', true, &p->low);
}

/* "1.2 - 1.5": from 1.2.0 on, and at most what 1.5 says.  Neither has a sign of its own. */
static void
test_span(struct range_test *t, struct mem_str from, struct mem_str to)
{
	struct range_part low = read_range_part(from), high = read_range_part(to);
	t->unknown |= low.sign != '=' || high.sign != '=';
	low.sign = '>', high.sign = '<';
	low.or_equal = high.or_equal = true;
	test_range_part(t, &low);
	test_range_part(t, &high);
}

/* Where the - of "1.2 - 1.5" is, or s.n. */
static size_t
find_span(struct mem_str s)
{
	for (size_t i = 1; i + 1 < s.n; i++)
		if (s.p[i] == '-' && is_gap(s.p[i - 1]) && is_gap(s.p[i + 1]))
			return i;
	return s.n;
}

/* Conditions of which all hold; none: all releases.  A prerelease is in them only if one names a prerelease of the same number. */
static enum mem_release_fit
fits_all_parts(const struct mem_release_number *release, struct mem_str range)
{
	struct range_test t = { .release = release };
	const size_t dash = find_span(range);
	if (dash < range.n)
		test_span(&t, mem_str_trim((struct mem_str){ range.p, dash }), mem_str_trim((struct mem_str){ range.p + dash + 1, range.n - dash - 1 }));
	else
		for (struct mem_str text; (text = take_range_part(&range)).n > 0;) {
			struct range_part p = read_range_part(text);
			test_range_part(&t, &p);
		}
	if (t.unknown)
		return MEM_RELEASE_UNKNOWN;
	const bool prerelease = release != NULL && release->pre.n > 0;
	return t.outside || (prerelease && !t.same_release) ? MEM_RELEASE_OUTSIDE : MEM_RELEASE_WITHIN;
}

enum mem_release_fit
mem_release_fits(struct mem_str release, struct mem_str range)
{
	static const char either[] = "||";
	struct mem_release_number number;
	const bool is_number = mem_release_read(&number, release);
	enum mem_release_fit fit = MEM_RELEASE_OUTSIDE;
	if (release.n > 0 && mem_str_eq(mem_str_trim(release), mem_str_trim(range)))
		return MEM_RELEASE_WITHIN;
	for (bool last = false; !last && fit != MEM_RELEASE_WITHIN;) {
		const char *at = range.n > 0 ? memmem(range.p, range.n, either, sizeof either - 1) : NULL;
		const size_t end = at != NULL ? (size_t)(at - range.p) : range.n, past = end + sizeof either - 1;
		enum mem_release_fit one = fits_all_parts(is_number ? &number : NULL, (struct mem_str){ range.p, end });
		fit = one == MEM_RELEASE_OUTSIDE ? fit : one;
		last = at == NULL;
		range = last ? range : (struct mem_str){ range.p + past, range.n - past };
	}
	return fit;
}
