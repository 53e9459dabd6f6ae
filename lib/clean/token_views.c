/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views of tokens that rules do not see where they stand: written backwards, in groups, and within a word or another token.
 */
#include "clean/hidden_int.h"

#include <ctype.h>
#include <string.h>

#define TOKEN_MIN  20           /* characters: the shortest of tokens with a prefix */
#define TOKEN_MAX  512          /* what is longer is none */
#define INNER_MIN  16           /* characters of one within another */
#define INNER_MAX  96           /* of one whose end is tried at each character */
#define PLAIN_MIN  5            /* characters of a literal that stands in no word */
#define GROUP_MAX  12           /* characters of a group */
#define GROUPS_MAX 96
#define NESTED_MAX 16           /* of these in one text */

/* Where a literal of a token is looked for: it begins before `before` and ends behind `over`, and not `within` a word unless that is so. */
struct token_place {
	size_t before, over;
	bool within;
};

static bool
is_token_start(const struct clean_set *set, const struct clean_output *o, struct mem_str text, size_t end, const struct token_place *at)
{
	size_t start = end - o->length;
	return o->rule < set->n && set->rules[o->rule].wrapped && start < at->before && end > at->over &&
	    (at->within || start == 0 || isalnum((unsigned char)text.p[start - 1]) == 0);
}

static bool
has_token_literal(const struct clean_set sets[2], struct mem_str text, const struct token_place *at)
{
	for (size_t k = 0; k < 2; k++) {
		const struct clean_table *t = &sets[k].table;
		unsigned s = 0;
		for (size_t i = 0; sets[k].n > 0 && i < text.n; i++) {
			s = clean_next_state(t, s, text.p[i]);
			for (uint32_t o = t->first[s]; clean_has_outputs(t, s) && o < t->first[s + 1]; o++)
				if (is_token_start(&sets[k], &t->outputs[o], text, i + 1, at))
					return true;
		}
	}
	return false;
}

bool
clean_has_token_start(const struct clean_set sets[2], struct mem_str text, size_t before)
{
	return has_token_literal(sets, text, &(const struct token_place){ .before = before });
}

bool
clean_has_token_over(const struct clean_set sets[2], struct mem_str text, size_t at)
{
	return has_token_literal(sets, text, &(const struct token_place){ .before = at, .over = at, .within = true });
}

/* ---- backwards ----------------------------------------------------------- */

/* The next run of TOKEN_MIN characters or more from `at` on.  Looks at every 20th byte and back, so that prose is passed over. */
static bool
find_token_run(struct mem_str s, size_t at, size_t *start, size_t *end)
{
	for (size_t probe = at + TOKEN_MIN - 1; probe < s.n; probe = at + TOKEN_MIN - 1) {
		size_t from = probe + 1;
		while (from > at && clean_is_token_char(s.p[from - 1]))
			from--;
		at = from;
		if (probe + 1 - from < TOKEN_MIN)
			continue;
		*start = from;
		for (*end = probe + 1; *end < s.n && clean_is_token_char(s.p[*end]);)
			(*end)++;
		return true;
	}
	return false;
}

bool
clean_view_reverse(struct mem_view *v, const struct mem_view *parent, const struct clean_set sets[2])
{
	struct mem_str s = parent->text;
	size_t start = 0, end = 0;
	char back[TOKEN_MAX + 2];
	mem_view_derive(v, parent);
	while (find_token_run(s, end, &start, &end)) {
		size_t n = end - start;
		if (n > TOKEN_MAX)
			continue;
		back[0] = back[n + 1] = ' ';
		for (size_t i = 0; i < n; i++)
			back[n - i] = s.p[start + i];
		if (clean_has_token_start(sets, (struct mem_str){ back, n + 2 }, n))
			mem_view_made(v, (struct mem_str){ back, n + 2 }, start, n);
	}
	return v->nsegs > 0;
}

/* ---- in groups ------------------------------------------------------------- */

/* Groups of a token that is written for somebody to read or to type: of one length, but for the last. */
struct token_groups {
	size_t from[GROUPS_MAX], to[GROUPS_MAX];
	size_t n;
};

static bool
is_group_char(char c, char parting)
{
	return clean_is_token_char(c) && c != parting;
}

/* Behind what parts two groups at `at`: the parting, twice at most; or `at`. */
static size_t
skip_parting(struct mem_str s, size_t at, char parting)
{
	size_t to = at;
	while (to < s.n && to - at < 2 && s.p[to] == parting)
		to++;
	return to;
}

/* The groups from `at` on, which no character of a group stands before. */
static void
read_groups(struct token_groups *g, struct mem_str s, size_t at, char parting)
{
	size_t length = 0;
	for (g->n = 0; g->n < GROUPS_MAX;) {
		size_t end = at;
		while (end < s.n && end - at <= GROUP_MAX && is_group_char(s.p[end], parting))
			end++;
		while (end > at + 1 && (s.p[end - 1] == '.' || s.p[end - 1] == ':')) /* the sentence's */
			end--;
		length = g->n == 0 ? end - at : length;
		if (end == at || end - at > length || length > GROUP_MAX)
			return;
		g->from[g->n] = at;
		g->to[g->n++] = end;
		at = skip_parting(s, end, parting);
		if (at == end || end - g->from[g->n - 1] < length)
			return;
	}
}

/* Each token that the first groups may be, whole: where it ends is known when it is matched. */
static void
put_grouped_token(struct mem_view *v, struct mem_str s, const struct token_groups *g, const struct clean_set sets[2])
{
	char head[2 * GROUP_MAX + 2];
	size_t n = 0;
	for (size_t i = 0; i < g->n && n < CLEAN_END_MAX; i++) {
		size_t room = sizeof head - n, part = g->to[i] - g->from[i];
		part = part < room ? part : room;
		memcpy(head + n, s.p + g->from[i], part);
		n += part;
	}
	if (!clean_has_token_start(sets, (struct mem_str){ head, n }, 1))
		return;
	size_t length = 0;
	for (size_t last = 0; last < g->n; last++) {
		length += g->to[last] - g->from[last];
		if (last < 2 || length < INNER_MIN)
			continue;
		mem_view_made(v, MEM_STR(" "), g->from[0], 0);
		for (size_t i = 0; i <= last; i++)
			mem_view_same(v, g->from[i], g->to[i] - g->from[i]);
	}
	if (v->nsegs > 0)
		mem_view_made(v, MEM_STR(" "), g->to[g->n - 1], 0);
}

/* Is the next word as long as the last characters of [from, end), or might it be?  A quick look, before both are read. */
static bool
may_be_groups(struct mem_str s, size_t from, size_t end)
{
	const size_t n = end - from, next = end + 1 + (end + 1 < s.n && s.p[end + 1] == ' ');
	return n <= GROUP_MAX + 2 && next + n < s.n && (s.p[next + n] == ' ' || (n > 1 && s.p[next + n - 1] == ' '));
}

/* The groups that the word [from, end) may begin: the next is as long, and another one follows. */
static void
put_groups_of_word(struct mem_view *v, struct mem_str s, size_t from, size_t end, char parting, const struct clean_set sets[2])
{
	struct token_groups g;
	size_t start = end;
	while (start > from && end - start <= GROUP_MAX && is_group_char(s.p[start - 1], parting))
		start--;
	from = start;
	size_t next = skip_parting(s, end, parting) + (end - from);
	if (from == end || end - from > GROUP_MAX || next >= s.n || s.p[next] != parting)
		return;
	read_groups(&g, s, from, parting);
	if (g.n > 2 && g.to[0] == end)
		put_grouped_token(v, s, &g, sets);
}

bool
clean_view_ungroup(struct mem_view *v, const struct mem_view *parent, const struct clean_set sets[2])
{
	struct mem_str s = parent->text;
	size_t word = 0, part = 0, line = 0; /* where what a blank, a dash, a line's end closes begins */
	mem_view_derive(v, parent);
	for (size_t at = 0; at < s.n; at++) {
		const char c = s.p[at];
		if (c > '-')
			continue;
		if (c == ' ') {
			if (at > word && may_be_groups(s, word, at))
				put_groups_of_word(v, s, word, at, ' ', sets);
			part = word = at + 1;
		} else if (c == '\n') {
			if (at > line && at - line <= GROUP_MAX)
				put_groups_of_word(v, s, line, at, '\n', sets);
			part = word = line = at + 1;
		} else if (c == '-') {
			if (at > part && at - part <= GROUP_MAX)
				put_groups_of_word(v, s, part, at, '-', sets);
			part = at + 1;
		}
	}
	return v->nsegs > 0;
}

/* ---- within another ------------------------------------------------------ */

static void
put_between_blanks(struct mem_view *v, size_t start, size_t end)
{
	mem_view_made(v, MEM_STR(" "), start, 0);
	mem_view_same(v, start, end - start);
	mem_view_made(v, MEM_STR(" "), end, 0);
}

/* A literal that no word ends with, as "task-" ends with that of "sk-". */
static bool
is_plain_literal(struct mem_str literal)
{
	char last = literal.p[literal.n - 1];
	return literal.n >= PLAIN_MIN || (literal.n == PLAIN_MIN - 1 && (isalnum((unsigned char)last) != 0 || last == '_'));
}

/* The token from the literal on; where another token holds it, with each end that it may have. */
static void
put_inner_token(struct mem_view *v, struct mem_str s, const struct mem_clean *c, const struct clean_place *literal)
{
	size_t from = literal->start, start = from, end = from;
	while (start > 0 && from - start < TOKEN_MAX && clean_is_token_char(s.p[start - 1]))
		start--;
	while (end < s.n && end - from < TOKEN_MAX && clean_is_token_char(s.p[end]))
		end++;
	if (end - from < INNER_MIN || end - from >= TOKEN_MAX || from - start >= TOKEN_MAX)
		return;
	bool held = clean_has_token_start(c->sets, (struct mem_str){ s.p + start, from - start }, from - start);
	for (size_t n = INNER_MIN; held && n <= INNER_MAX && from + n < end; n++)
		put_between_blanks(v, from, from + n);
	if (held || is_plain_literal((struct mem_str){ s.p + from, literal->end - from }))
		put_between_blanks(v, from, end);
}

bool
clean_view_nested(struct mem_view *v, const struct mem_view *parent, const struct mem_clean *c)
{
	mem_view_derive(v, parent);
	for (size_t i = 0; i < c->nglued && i < NESTED_MAX; i++)
		put_inner_token(v, parent->text, c, &c->glued[i]);
	return v->nsegs > 0;
}
