/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Literals that each match of a pattern has.
 *
 * The source is read as a regular expression: of a concatenation all that its parts have is there, of alternatives something of
 * each.  Strings are multiplied out as long as they are few (Cox, "Regular Expression Matching with a Trigram Index", 2012,
 * gives the rules).  What is not understood has no literals, so that what is told is true of every match.
 */
#include "text/pattern.h"
#include "text/text_int.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define STRINGS_MAX 96          /* of one set */
#define STRING_MAX  20          /* bytes */
#define BOUNDARY    '\001'      /* in strings: \b */
#define CLASS_MAX   8           /* characters of a class that are multiplied out */
#define DEPTH_MAX   64          /* of groups */
#define TOLD_MAX    8           /* bytes of a literal that is told */
#define CHARACTER_MAX 4         /* bytes of a character */
#define ENDLESS     MEM_PATTERN_NEEDS_ENDLESS
#define COMMON      3.0         /* a set that is expected so often in TEXT bytes tells nothing */
#define TEXT        3000.0

struct string_set {
	struct mem_str *v;
	size_t n;
	size_t reach;                   /* bytes from where the part begins to where the string ends, at most */
};
/* What a part of a pattern has. */
struct pattern_part {
	bool exact;                     /* it is one of the strings of `run`, ... */
	struct string_set run;          /* ... or ends with one of them; none: nothing is known */
	size_t length;                  /* bytes, at most */
	struct string_set sets[MEM_PATTERN_NEEDS]; /* one of each is in it, the rarest first */
	size_t nsets;
};
struct reader {
	const char *p, *end;
	struct mem_arena *arena;
	bool extended, failed;
	bool boundary;                  /* \b stands right before */
	unsigned depth;
};

/* ---- sets of strings ------------------------------------------------------ */

/* Of 1,000 characters of English text, roughly; others are rare. */
static double
letter_share(char c)
{
	static const char letters[] = "\001 etaoinsrhldcumfpgwybvk";
	static const double shares[] = { 200, 170, 100, 75, 65, 62, 57, 58, 52, 50, 49, 33, 33, 23, 23, 20, 18, 16, 16, 16, 14, 12, 8, 6 };
	const char *l = c != '\0' ? strchr(letters, c | (c >= 'A' && c <= 'Z' ? 32 : 0)) : NULL;
	return (l != NULL ? shares[l - letters] : 1.5) / 1000;
}

/* How often one of the strings is expected in a text; words of few letters are more frequent than their letters. */
static double
expect_strings(const struct string_set *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->n; i++) {
		double one = TEXT;
		for (size_t k = 0; k < s->v[i].n; k++)
			one *= letter_share(s->v[i].p[k]);
		sum += s->v[i].n <= 4 ? one * 4 : one * 2;
	}
	return s->n == 0 ? TEXT : sum;
}

static void
add_string(struct reader *r, struct string_set *s, struct mem_str a, struct mem_str b)
{
	char *p = mem_arena_alloc(r->arena, a.n + b.n + 1);
	if (a.n > 0 && b.n > 0 && a.p[a.n - 1] == BOUNDARY && b.p[0] == BOUNDARY)
		a.n--;
	memcpy(p, a.p, a.n);
	memcpy(p + a.n, b.p, b.n);
	struct mem_str joined = { p, a.n + b.n };
	for (size_t i = 0; i < s->n; i++)
		if (mem_str_eq(s->v[i], joined))
			return;
	s->v[s->n++] = joined;
}

static struct string_set
new_strings(struct reader *r, size_t max)
{
	return (struct string_set){ .v = mem_arena_alloc(r->arena, (max + 1) * sizeof(struct mem_str)) };
}

static struct string_set
one_string(struct reader *r, const char *p, size_t n)
{
	struct string_set s = new_strings(r, 1);
	add_string(r, &s, (struct mem_str){ p, n }, MEM_STR(""));
	return s;
}

static struct string_set
unite_strings(struct reader *r, const struct string_set *a, const struct string_set *b)
{
	struct string_set s = new_strings(r, a->n + b->n);
	s.reach = a->reach > b->reach ? a->reach : b->reach;
	for (size_t i = 0; i < a->n; i++)
		add_string(r, &s, a->v[i], MEM_STR(""));
	for (size_t i = 0; i < b->n; i++)
		add_string(r, &s, b->v[i], MEM_STR(""));
	return s;
}

static bool
may_multiply(const struct string_set *a, const struct string_set *b)
{
	size_t longest = 0, more = 0;
	for (size_t i = 0; i < a->n; i++)
		longest = a->v[i].n > longest ? a->v[i].n : longest;
	for (size_t i = 0; i < b->n; i++)
		more = b->v[i].n > more ? b->v[i].n : more;
	return a->n * b->n <= STRINGS_MAX && longest + more <= STRING_MAX;
}

static struct string_set
multiply_strings(struct reader *r, const struct string_set *a, const struct string_set *b)
{
	struct string_set s = new_strings(r, a->n * b->n);
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			add_string(r, &s, a->v[i], b->v[k]);
	return s;
}

/* ---- parts ---------------------------------------------------------------- */

/* Keeps the set if it is rare enough, by how rare it is. */
static void
keep_string_set(struct pattern_part *p, const struct string_set *s)
{
	double worth = expect_strings(s);
	size_t at = p->nsets;
	if (s->n > STRINGS_MAX || worth > COMMON)
		return;
	while (at > 0 && expect_strings(&p->sets[at - 1]) > worth)
		at--;
	if (at == MEM_PATTERN_NEEDS)
		return;
	p->nsets += p->nsets < MEM_PATTERN_NEEDS;
	memmove(p->sets + at + 1, p->sets + at, (p->nsets - at - 1) * sizeof *p->sets);
	p->sets[at] = *s;
}

static size_t
add_lengths(size_t a, size_t b)
{
	return a >= ENDLESS - b ? ENDLESS : a + b;
}

/* Of `length` bytes, at most. */
static struct pattern_part
unknown_part(size_t length)
{
	return (struct pattern_part){ .length = length };
}

static struct pattern_part
exact_part(struct string_set run)
{
	struct pattern_part p = { .exact = true, .run = run };
	for (size_t i = 0; i < run.n; i++)
		p.length = run.v[i].n > p.length ? run.v[i].n : p.length;
	return p;
}

/* What is at the end is known no more. */
static void
break_run(struct pattern_part *p)
{
	p->run.reach = p->length;
	if (p->run.n > 0)
		keep_string_set(p, &p->run);
	p->run = (struct string_set){ .n = 0 };
	p->exact = false;
}

/* `p` and then `next`. */
static void
append_part(struct reader *r, struct pattern_part *p, const struct pattern_part *next)
{
	const size_t before = p->length;
	for (size_t i = 0; i < next->nsets; i++) {
		struct string_set s = next->sets[i];
		s.reach = add_lengths(before, s.reach);
		keep_string_set(p, &s);
	}
	if (next->exact && p->run.n > 0 && may_multiply(&p->run, &next->run)) {
		p->run = multiply_strings(r, &p->run, &next->run);
	} else {
		break_run(p);
		p->run = next->run;
	}
	p->length = add_lengths(before, next->length);
}

/* `a` or `b`. */
static struct pattern_part
unite_parts(struct reader *r, struct pattern_part a, struct pattern_part b)
{
	struct pattern_part p = a.exact && b.exact && a.run.n + b.run.n <= STRINGS_MAX ? exact_part(unite_strings(r, &a.run, &b.run)) : unknown_part(0);
	p.length = a.length > b.length ? a.length : b.length;
	if (p.exact && a.nsets + b.nsets == 0)
		return p;
	p.exact = false;
	p.run = a.run.n > 0 && b.run.n > 0 && a.run.n + b.run.n <= STRINGS_MAX ? unite_strings(r, &a.run, &b.run) : (struct string_set){ .n = 0 };
	break_run(&a);
	break_run(&b);
	for (size_t i = 0; a.nsets > 0 && b.nsets > 0 && (i < a.nsets || i < b.nsets); i++) {
		struct string_set both = unite_strings(r, &a.sets[i < a.nsets ? i : a.nsets - 1], &b.sets[i < b.nsets ? i : b.nsets - 1]);
		keep_string_set(&p, &both);
	}
	return p;
}

/* ---- reading -------------------------------------------------------------- */

static bool
skip_token(struct reader *r, const char *s)
{
	size_t n = strlen(s);
	if ((size_t)(r->end - r->p) < n || memcmp(r->p, s, n) != 0)
		return false;
	r->p += n;
	return true;
}

static void
skip_ignored(struct reader *r)
{
	while (r->extended && r->p < r->end) {
		if (*r->p == '#')
			while (r->p < r->end && *r->p != '\n')
				r->p++;
		else if (strchr(" \t\r\n\v\f", *r->p) == NULL || *r->p == '\0')
			break;
		else
			r->p++;
	}
}

/* One character.  Beyond ASCII case is not folded by who looks for literals: only CJK and Hangul, without case, are told. */
static struct pattern_part
read_pattern_character(struct reader *r, const char *p)
{
	uint32_t c;
	size_t n = mem_utf8_decode(p, (size_t)(r->end - p), &c);
	r->p = p + n;
	if (c >= 0x80 && (c < 0x2e80 || c > 0x9fff) && (c < 0xac00 || c > 0xd7a3))
		return unknown_part(CHARACTER_MAX);
	return exact_part(one_string(r, p, n));
}

static struct pattern_part
boundary_part(struct reader *r)
{
	struct pattern_part p = exact_part(one_string(r, &(char){ BOUNDARY }, 1));
	p.length = 0;
	return p;
}

/* Behind the backslash. */
static struct pattern_part
read_pattern_escape(struct reader *r)
{
	char c = r->p < r->end ? *r->p++ : '\0';
	if (c == 'b')
		return boundary_part(r);
	if (c != '\0' && strchr("BAzZGE", c) != NULL)
		return exact_part(one_string(r, "", 0));
	if (c == 'n' || c == 't' || c == 'r')
		return exact_part(one_string(r, " ", 1));
	if (c == 'Q' || c == 'K')
		r->failed = true;
	if ((c == 'x' || c == 'p' || c == 'P' || c == 'g' || c == 'k' || c == 'o' || c == 'N') && r->p < r->end && *r->p == '{')
		while (r->p < r->end && *r->p++ != '}')
			;
	else if (c == 'x' || c == 'p' || c == 'P' || c == 'c' || c == 'g' || c == 'k' || c == 'o' || (c >= '0' && c <= '9'))
		r->failed = true; /* none of the rules has them */
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\0' || (c & 0x80) != 0)
		return unknown_part(c == 'X' ? ENDLESS : CHARACTER_MAX);
	return exact_part(one_string(r, &c, 1));
}

/* Behind the bracket: few characters are told one by one. */
static struct pattern_part
read_character_class(struct reader *r)
{
	struct string_set s = new_strings(r, CLASS_MAX);
	bool few = true;
	if (r->p < r->end && *r->p == '^') {
		few = false;
		r->p++;
	}
	for (const char *first = r->p; r->p < r->end && (*r->p != ']' || r->p == first); r->p++) {
		char c = *r->p;
		if (c == '[' && r->p + 1 < r->end && strchr(":.=", r->p[1]) != NULL) {
			const char *close = memchr(r->p + 2, ']', (size_t)(r->end - r->p - 2));
			r->p = close != NULL ? close : r->end - 1;
			few = false;
			continue;
		}
		if (c == '\\' && r->p + 1 < r->end) {
			c = *++r->p;
			few &= (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9');
		}
		few &= (c & 0x80) == 0 && s.n < CLASS_MAX && !(c == '-' && r->p > first && r->p + 1 < r->end && r->p[1] != ']');
		if (few)
			add_string(r, &s, (struct mem_str){ &c, 1 }, MEM_STR(""));
	}
	if (r->p == r->end)
		r->failed = true;
	else
		r->p++;
	return few && s.n > 0 ? exact_part(s) : unknown_part(CHARACTER_MAX);
}

static struct pattern_part read_alternatives(struct reader *r);

/* A group's alternatives and its end. */
static struct pattern_part
read_group_rest(struct reader *r)
{
	bool extended = r->extended;
	if (++r->depth > DEPTH_MAX) {
		r->failed = true;
		r->p = r->end;
	}
	struct pattern_part p = read_alternatives(r);
	r->depth--;
	r->extended = extended;
	if (!skip_token(r, ")"))
		r->failed = true;
	return p;
}

/* "i", "-i", "x" behind "(?": false: there are none. */
static bool
read_group_options(struct reader *r, bool *extended)
{
	bool on = true;
	const char *p = r->p;
	*extended = r->extended;
	for (; p < r->end && strchr("imsxnU-", *p) != NULL && *p != '\0'; p++) {
		on = *p == '-' ? false : on;
		*extended = *p == 'x' ? on : *extended;
	}
	if (p == r->end || p == r->p || (*p != ':' && *p != ')'))
		return false;
	r->p = p;
	return true;
}

/* A positive lookahead: what follows has it, but is not joined to it. */
static struct pattern_part
read_lookahead(struct reader *r)
{
	struct pattern_part p = read_group_rest(r);
	break_run(&p);
	p.run = one_string(r, "", 0);
	p.exact = true;
	p.length = 0;
	return p;
}

/* "(?x)" and "(?i:...)", behind the question mark. */
static struct pattern_part
read_option_group(struct reader *r)
{
	bool before = r->extended, extended;
	struct pattern_part p = unknown_part(0);
	if (!read_group_options(r, &extended)) {
		r->failed = true;
		return p;
	}
	r->extended = extended;
	if (skip_token(r, ")")) /* up to the end of the group around it */
		return exact_part(one_string(r, "", 0));
	r->p++;
	p = read_group_rest(r);
	r->extended = before;
	return p;
}

/* Behind the parenthesis. */
static struct pattern_part
read_pattern_group(struct reader *r)
{
	if (skip_token(r, "?="))
		return read_lookahead(r);
	if (skip_token(r, "?!") || skip_token(r, "?<=") || skip_token(r, "?<!")) {
		r->boundary = false;
		read_group_rest(r);
		return exact_part(one_string(r, "", 0));
	}
	if (skip_token(r, "?:") || skip_token(r, "?>"))
		return read_group_rest(r);
	if (skip_token(r, "?<") || skip_token(r, "?P<")) {
		const char *close = memchr(r->p, '>', (size_t)(r->end - r->p));
		r->p = close != NULL ? close + 1 : r->end;
		return read_group_rest(r);
	}
	if (skip_token(r, "?"))
		return read_option_group(r);
	r->failed |= r->p < r->end && *r->p == '*';
	return read_group_rest(r);
}

/* One item without its quantifier. */
static struct pattern_part
read_atom(struct reader *r)
{
	const char *p = r->p++;
	switch (*p) {
	case '(':
		return read_pattern_group(r);
	case '[':
		return read_character_class(r);
	case '\\':
		return read_pattern_escape(r);
	case '.':
		return unknown_part(CHARACTER_MAX);
	case '^':
	case '$':
		return exact_part(one_string(r, "", 0));
	default:
		return read_pattern_character(r, p);
	}
}

/* "{2}", "{2,}" and "{2,5}"; false: the brace stands for itself. */
static bool
read_braces(struct reader *r, unsigned long *min, unsigned long *max)
{
	char *end;
	const char *p = r->p + 1;
	if (p == r->end || *p < '0' || *p > '9')
		return false;
	*min = *max = strtoul(p, &end, 10);
	if (*end == ',') {
		const char *second = end + 1;
		*max = strtoul(second, &end, 10);
		*max = end == second ? ULONG_MAX : *max;
	}
	if (*end != '}')
		return false;
	r->p = end + 1;
	return true;
}

/* An item with its quantifier. */
static struct pattern_part
read_pattern_item(struct reader *r)
{
	unsigned long min = 1, max = 1;
	struct pattern_part p = read_atom(r);
	skip_ignored(r);
	if (r->p == r->end)
		return p;
	if (strchr("?*+", *r->p) != NULL && *r->p != '\0') {
		min = *r->p == '+';
		max = *r->p++ == '?' ? 1 : ULONG_MAX;
	} else if (*r->p != '{' || !read_braces(r, &min, &max)) {
		return p;
	}
	skip_ignored(r);
	if (r->p < r->end && (*r->p == '?' || *r->p == '+'))
		r->p++;
	size_t length = p.length == 0 ? 0 : max < ENDLESS / p.length ? p.length * max : ENDLESS;
	if (min == 0) {
		struct string_set empty = one_string(r, "", 0);
		return p.exact && max == 1 && p.nsets == 0 && p.run.n < STRINGS_MAX ? exact_part(unite_strings(r, &p.run, &empty)) : unknown_part(length);
	}
	if (max > 1)
		break_run(&p);
	p.length = length;
	return p;
}

static struct pattern_part
read_branch(struct reader *r)
{
	bool boundary = r->boundary;
	struct pattern_part p = boundary ? boundary_part(r) : exact_part(one_string(r, "", 0));
	for (skip_ignored(r); r->p < r->end && *r->p != '|' && *r->p != ')'; skip_ignored(r)) {
		bool sets = r->p[0] == '\\' && r->p + 1 < r->end && r->p[1] == 'b';
		r->boundary = boundary;
		const struct pattern_part next = read_pattern_item(r);
		append_part(r, &p, &next);
		boundary = sets || (boundary && next.length == 0);
	}
	return p;
}

static struct pattern_part
read_alternatives(struct reader *r)
{
	bool boundary = r->boundary;
	struct pattern_part p = read_branch(r);
	while (skip_token(r, "|")) {
		r->boundary = boundary;
		p = unite_parts(r, p, read_branch(r));
	}
	return p;
}

/* ---- what is told ---------------------------------------------------------- */

/* The part of a string between two boundaries that is longest. */
static struct mem_pattern_literal
tell_literal(struct mem_str s)
{
	struct mem_pattern_literal best = { { s.p, 0 }, false, false };
	for (size_t at = 0; at < s.n;) {
		const char *stop = memchr(s.p + at, BOUNDARY, s.n - at);
		size_t end = stop != NULL ? (size_t)(stop - s.p) : s.n;
		if (end - at > best.text.n)
			best = (struct mem_pattern_literal){ { s.p + at, end - at }, at > 0 && text_is_ascii_word(s.p[at]), end < s.n && text_is_ascii_word(s.p[end - 1]) };
		at = end + 1;
	}
	best.ends_word &= best.text.n <= TOLD_MAX;
	best.text.n = mem_utf8_cut(best.text, TOLD_MAX);
	return best;
}

/* Is `a` wherever `b` is? */
static bool
is_within_literal(const struct mem_pattern_literal *a, const struct mem_pattern_literal *b)
{
	for (size_t at = 0; at + a->text.n <= b->text.n; at++)
		if (strncasecmp(a->text.p, b->text.p + at, a->text.n) == 0 && (!a->begins_word || (at == 0 && b->begins_word)) &&
		    (!a->ends_word || (b->ends_word && at + a->text.n == b->text.n)))
			return true;
	return false;
}

static struct mem_pattern_need
tell_set(struct reader *r, const struct string_set *s)
{
	struct mem_pattern_need need = { mem_arena_alloc(r->arena, (s->n + 1) * sizeof *need.literals), 0, s->reach };
	for (size_t i = 0; i < s->n; i++) {
		const struct mem_pattern_literal l = tell_literal(s->v[i]);
		size_t n = 0;
		bool known = false;
		for (size_t k = 0; k < need.n; k++) {
			known |= is_within_literal(&need.literals[k], &l);
			if (!is_within_literal(&l, &need.literals[k]) || known)
				need.literals[n++] = need.literals[k];
		}
		if (!known)
			need.literals[n++] = l;
		need.n = n;
	}
	return need;
}

size_t
mem_pattern_needs(struct mem_pattern_need out[MEM_PATTERN_NEEDS], struct mem_arena *arena, struct mem_str source)
{
	char *copy = mem_arena_alloc(arena, source.n + 1); /* with an end for strtoul */
	memcpy(copy, source.p, source.n);
	copy[source.n] = '\0';
	struct reader r = { .p = copy, .end = copy + source.n, .arena = arena };
	struct pattern_part p = read_alternatives(&r);
	break_run(&p);
	if (r.failed || r.p != r.end)
		return 0;
	for (size_t i = 0; i < p.nsets; i++)
		out[i] = tell_set(&r, &p.sets[i]);
	return p.nsets;
}
