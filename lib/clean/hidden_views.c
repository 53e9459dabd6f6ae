/* SPDX-License-Identifier: Apache-2.0 */
/* Views of what a text hides from rules: %5F and &#95;, and tokens that a line's end, quotes or a tag break. */
#include "clean/hidden_int.h"

#include <string.h>

#define RUN_MAX    256          /* characters of a token on one side of a break */
#define HEAD_MAX   48           /* bytes before it that may name it */
#define WRAPPED_MIN 12          /* characters of both sides */
#define PARTS_MAX  3            /* of a token that is tried with each number of parts */
#define TAG_MAX    64           /* characters of a tag within a token */
#define LINES_MAX  64           /* parts of a long one, such as a JWT */

/* ---- characters by their number --------------------------------------- */

/* &quot; and its like at `at`: their length and their character, or 0. */
static size_t
parse_named_char(struct mem_str s, size_t at, char *c)
{
	static const struct { const char *name; char c; } named[] = {
		{ "&quot;", '"' }, { "&apos;", '\'' }, { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&nbsp;", ' ' },
	};
	for (size_t i = 0; i < MEM_COUNT(named); i++) {
		size_t n = strlen(named[i].name);
		if (s.n - at >= n && memcmp(s.p + at, named[i].name, n) == 0) {
			*c = named[i].c;
			return n;
		}
	}
	return 0;
}

/* %5F (RFC 3986 §2.1), &#95;, &#x5f; or &quot; at `at`, of a character of ASCII that texts have: its length, or 0. */
static size_t
parse_numbered_char(struct mem_str s, size_t at, char *c)
{
	int value = 0;
	size_t i = at + 1;
	if (s.p[at] == '%') {
		if (at + 2 >= s.n || mem_hex_digit(s.p[i]) < 0 || mem_hex_digit(s.p[i + 1]) < 0)
			return 0;
		value = mem_hex_digit(s.p[i]) << 4 | mem_hex_digit(s.p[i + 1]);
		i += 2;
	} else {
		if (i >= s.n || s.p[i++] != '#')
			return parse_named_char(s, at, c);
		bool hex = i < s.n && (s.p[i] | 32) == 'x';
		for (i += hex; i < s.n && value < 128 && (hex ? mem_hex_digit(s.p[i]) >= 0 : clean_is_digit(s.p[i])); i++)
			value = value * (hex ? 16 : 10) + mem_hex_digit(s.p[i]);
		if (i >= s.n || s.p[i++] != ';')
			return 0;
	}
	*c = (char)value;
	return value < 128 && clean_is_text_byte((unsigned char)value) ? i - at : 0;
}

/* Is the + at `at` a blank, as forms write it (HTML, application/x-www-form-urlencoded)? */
static bool
is_query_blank(struct mem_str s, size_t at)
{
	return at > 0 && at + 1 < s.n && (clean_is_lower(s.p[at - 1]) || clean_is_upper(s.p[at - 1]) || strchr(".,;:!?", s.p[at - 1]) != NULL) &&
	    (clean_is_lower(s.p[at + 1]) || clean_is_upper(s.p[at + 1]));
}

/* What such a character begins with. */
static const bool may_number[256] = { ['%'] = true, ['&'] = true, ['+'] = true };

bool
clean_view_unnumber(struct mem_view *v, const struct mem_view *parent)
{
	struct mem_str s = parent->text;
	size_t done = 0;
	mem_view_derive(v, parent);
	for (size_t at = 0; at < s.n; at++) {
		if (!may_number[(unsigned char)s.p[at]])
			continue;
		char c = ' ';
		size_t n = s.p[at] == '%' || s.p[at] == '&' ? parse_numbered_char(s, at, &c) : s.p[at] == '+' && is_query_blank(s, at);
		if (n == 0)
			continue;
		mem_view_same(v, done, at - done);
		mem_view_made(v, (struct mem_str){ &c, 1 }, at, n);
		done = at + n;
		at = done - 1;
	}
	if (done > 0)
		mem_view_same(v, done, s.n - done);
	return done > 0;
}

/* ---- tokens that are broken --------------------------------------------- */

const bool clean_token_chars[256] = {
	['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true, ['5'] = true, ['6'] = true, ['7'] = true,
	['8'] = true, ['9'] = true, ['A'] = true, ['B'] = true, ['C'] = true, ['D'] = true, ['E'] = true, ['F'] = true,
	['G'] = true, ['H'] = true, ['I'] = true, ['J'] = true, ['K'] = true, ['L'] = true, ['M'] = true, ['N'] = true,
	['O'] = true, ['P'] = true, ['Q'] = true, ['R'] = true, ['S'] = true, ['T'] = true, ['U'] = true, ['V'] = true,
	['W'] = true, ['X'] = true, ['Y'] = true, ['Z'] = true, ['a'] = true, ['b'] = true, ['c'] = true, ['d'] = true,
	['e'] = true, ['f'] = true, ['g'] = true, ['h'] = true, ['i'] = true, ['j'] = true, ['k'] = true, ['l'] = true,
	['m'] = true, ['n'] = true, ['o'] = true, ['p'] = true, ['q'] = true, ['r'] = true, ['s'] = true, ['t'] = true,
	['u'] = true, ['v'] = true, ['w'] = true, ['x'] = true, ['y'] = true, ['z'] = true, ['_'] = true, ['-'] = true,
	['.'] = true, ['+'] = true, ['/'] = true, ['='] = true, [':'] = true,
};

size_t
clean_skip_blanks(struct mem_str s, size_t at)
{
	while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\t'))
		at++;
	return at;
}

static bool
is_string_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

size_t
clean_skip_line_head(struct mem_str s, size_t at)
{
	at = clean_skip_blanks(s, at);
	if (at < s.n && s.p[at] != '\0' && strchr(">|#*", s.p[at]) != NULL)
		at = clean_skip_blanks(s, at + 1);
	return at;
}

/* What joins two strings or goes on in the next line: + . & or a backslash. */
static size_t
skip_joiner(struct mem_str s, size_t at)
{
	at = clean_skip_blanks(s, at);
	if (at < s.n && s.p[at] != '\0' && strchr("+.&\\", s.p[at]) != NULL)
		at++;
	return clean_skip_blanks(s, at);
}

size_t
clean_find_joined_string(struct mem_str s, size_t at, size_t *end)
{
	if (at >= s.n || !is_string_quote(s.p[at]))
		return 0;
	size_t next = skip_joiner(s, at + 1);
	bool apart = next > at + 1 && next == clean_skip_blanks(s, at + 1);
	if (next < s.n && s.p[next] == '\n') {
		size_t head = clean_skip_line_head(s, next + 1);
		apart &= skip_joiner(s, head) == head;
		next = skip_joiner(s, head);
	}
	if (apart || next >= s.n || !is_string_quote(s.p[next]))
		return 0;
	size_t max = s.n - next > RUN_MAX ? next + RUN_MAX : s.n, stop = next + 1;
	while (stop < max && s.p[stop] != s.p[next] && s.p[stop] != '\n')
		stop++;
	*end = stop;
	return stop < max && s.p[stop] == s.p[next] ? next + 1 : 0;
}

/* A tag, a delimiter of turns, a mark of ours or emphasis within a token: its end, or 0. */
static size_t
find_tag_end(struct mem_str s, size_t at)
{
	static const char mark[] = "[redacted:";
	char close = s.p[at] == '<' ? '>' : ']';
	size_t max = s.n - at > TAG_MAX ? at + TAG_MAX : s.n, i = at + 1;
	if (s.p[at] == '*') {
		while (i < max && s.p[i] == '*')
			i++;
		return i;
	}
	if (s.p[at] == '[' && (s.n - at < sizeof mark || memcmp(s.p + at, mark, sizeof mark - 1) != 0))
		return 0;
	while (i < max && s.p[i] != close && s.p[i] != '<' && s.p[i] != '\n' && s.p[i] != '"')
		i++;
	return i < max && s.p[i] == close ? i + 1 : 0;
}

/* A text and, once it was asked for, whether it joins lists: "".join(["a", "b"]), ["a", "b"].join(""), implode, concat. */
struct broken_text {
	struct mem_str s;
	bool known, joins;
};

static bool
joins_lists(struct broken_text *t)
{
	static const char *const calls[] = { "join", "concat", "implode", "Concat", "Join" };
	for (size_t i = 0; !t->known && !t->joins && i < MEM_COUNT(calls); i++)
		t->joins = memmem(t->s.p, t->s.n, calls[i], strlen(calls[i])) != NULL;
	t->known = true;
	return t->joins;
}

/* Behind the + or - at `at` that marks a changed line, as it marks the line that ends at `end`. */
static size_t
skip_change_mark(struct mem_str s, size_t end, size_t at)
{
	const char *before = memrchr(s.p, '\n', end);
	const char *line = before != NULL ? before + 1 : s.p;
	bool mark = at < s.n && (s.p[at] == '+' || s.p[at] == '-') && line < s.p + end && *line == s.p[at];
	return mark ? clean_skip_blanks(s, at + 1) : at;
}

/*
 * A token breaks at `at`, behind its first part: where does it go on?  `"` + `"`, `'` `'`, a comma in a list that is joined, a
 * line's end with or without a backslash and with an empty line, which joins the parts of a content, or both.  0: it does not.
 */
static size_t
find_break_end(struct broken_text *t, size_t at)
{
	struct mem_str s = t->s;
	if (s.p[at] == '\\' && at + 1 < s.n && s.p[at + 1] != '\0' && strchr("_-.~=+#", s.p[at + 1]) != NULL) /* Markdown's */
		return at + 1;
	bool quoted = is_string_quote(s.p[at]), line = false;
	if (s.p[at] == '<' || s.p[at] == '*' || s.p[at] == '[') {
		at = find_tag_end(s, at);
		return at > 0 && at < s.n && clean_is_token_char(s.p[at]) ? at : 0;
	}
	at = skip_joiner(s, at + (quoted ? 1 : 0));
	if (quoted && at < s.n && s.p[at] == ',' && joins_lists(t))
		at = clean_skip_blanks(s, at + 1);
	for (unsigned ends = 0; ends < 2; ends++) {
		size_t end = at + (at < s.n && s.p[at] == '\r');
		if (end >= s.n || s.p[end] != '\n')
			break;
		line = true;
		at = skip_change_mark(s, at, clean_skip_line_head(s, end + 1));
	}
	if (line && quoted)
		at = skip_joiner(s, at);
	if (quoted && (at >= s.n || !is_string_quote(s.p[at++])))
		return 0;
	return (line || quoted) && at < s.n && clean_is_token_char(s.p[at]) ? at : 0;
}

/* The end of the run of a token's characters from `at` on. */
static size_t
find_run_end(struct mem_str s, size_t at)
{
	size_t max = s.n - at > RUN_MAX ? at + RUN_MAX : s.n;
	while (at < max && clean_is_token_char(s.p[at]))
		at++;
	return at;
}

static size_t
find_run_start(struct mem_str s, size_t at)
{
	size_t min = at > RUN_MAX ? at - RUN_MAX : 0;
	while (at > min && clean_is_token_char(s.p[at - 1]))
		at--;
	return at;
}

/* The end of a part before its break at `at`: a soft one has = before the line's end (RFC 2045 §6.7). */
static size_t
find_part_end(struct mem_str s, size_t from, size_t at)
{
	bool soft = at > from + 1 && s.p[at - 1] == '=' && s.p[at - 2] != '=' && at < s.n && (s.p[at] == '\n' || s.p[at] == '\r');
	return soft ? at - 1 : at;
}

/* Before a token a space, and what names it in its line, where that has a sign: NAME = */
static void
put_token_head(struct mem_view *v, struct mem_str s, size_t start)
{
	size_t at = start;
	while (at > 0 && start - at < HEAD_MAX && s.p[at - 1] != '\n')
		at--;
	mem_view_made(v, MEM_STR(" "), at, 0);
	if (memchr(s.p + at, '=', start - at) != NULL || memchr(s.p + at, ':', start - at) != NULL)
		mem_view_same(v, at, start - at);
}

/* All parts of a token as one; returns where the last ends. */
static size_t
put_long_token(struct mem_view *v, struct broken_text *t, size_t start, size_t at, size_t next)
{
	struct mem_str s = t->s;
	put_token_head(v, s, start);
	mem_view_same(v, start, find_part_end(s, start, at) - start);
	for (unsigned n = 1; n < LINES_MAX && next != 0; n++) {
		at = find_run_end(s, next);
		mem_view_same(v, next, find_part_end(s, next, at) - next);
		next = at < s.n ? find_break_end(t, at) : 0;
	}
	return at;
}

/*
 * The token whose first part ends at `at` and goes on at `next`: of two parts, of three, since where it ends is known only
 * when it is matched; and of all that follow, unless it lies in such a one, which ends at `done`.  Returns where that ends.
 */
static size_t
put_broken_token(struct mem_view *v, struct broken_text *t, size_t at, size_t next, size_t done)
{
	struct mem_str s = t->s;
	size_t from[PARTS_MAX] = { find_run_start(s, at) }, to[PARTS_MAX] = { at }, second = next;
	for (unsigned n = 1; n < PARTS_MAX && next != 0; n++) {
		from[n] = next;
		to[n] = find_run_end(s, next);
		if (n == 1 && s.p[at] != '\\' && to[0] - from[0] + to[1] - from[1] < WRAPPED_MIN)
			return done;
		put_token_head(v, s, from[0]);
		for (unsigned i = 0; i <= n; i++)
			mem_view_same(v, from[i], (i < n ? find_part_end(s, from[i], to[i]) : to[i]) - from[i]);
		next = to[n] < s.n ? find_break_end(t, to[n]) : 0;
	}
	return next != 0 && at >= done ? put_long_token(v, t, from[0], at, second) : done;
}

/* What a break begins with. */
static const bool may_break[256] = {
	['\n'] = true, ['\r'] = true, ['\\'] = true, ['"'] = true, ['\''] = true, ['`'] = true, ['<'] = true, ['*'] = true, ['['] = true,
};

bool
clean_view_unwrap(struct mem_view *v, const struct mem_view *parent)
{
	struct broken_text t = { .s = parent->text };
	struct mem_str s = t.s;
	size_t done = 0;
	mem_view_derive(v, parent);
	for (size_t at = 1; at < s.n; at++) {
		if (!may_break[(unsigned char)s.p[at]] || !clean_is_token_char(s.p[at - 1]))
			continue;
		size_t next = find_break_end(&t, at);
		if (next != 0)
			done = put_broken_token(v, &t, at, next, done);
	}
	return v->nsegs > 0;
}
