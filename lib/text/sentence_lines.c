/* SPDX-License-Identifier: Apache-2.0 */
/* What a line is in Markdown (CommonMark 0.31, sections 3.1 to 4.6 and 5), as far as sentences depend on it. */
#include "text/sentence_int.h"

#include <string.h>

enum { INDENT_MAX = 255, CODE_INDENT = 4, TAB_STOP = 4, NUMBER_DIGITS_MAX = 3 };

size_t
text_find_line_end(struct mem_str text, size_t at)
{
	const char *nl = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;
	return nl != NULL ? (size_t)(nl - text.p) : text.n;
}

/* White space of this line from `at` on; counts its columns. */
static size_t
skip_line_space(struct mem_str text, size_t at, unsigned *columns)
{
	uint32_t c;
	unsigned wide = 0;
	for (size_t n; (n = text_read_char(text, at, text.n, &c)) > 0 && c != '\n' && mem_char_is_space(c); at += n)
		if (wide < INDENT_MAX)
			wide += c == '\t' ? TAB_STOP - wide % TAB_STOP : c == '\r' ? 0 : 1;
	*columns = wide < INDENT_MAX ? wide : INDENT_MAX;
	return at;
}

static bool
is_blank_at(struct mem_str text, size_t at)
{
	uint32_t c;
	return text_read_char(text, at, text.n, &c) == 0 || mem_char_is_space(c);
}

static unsigned
count_repeats(struct mem_str text, size_t at, unsigned max)
{
	unsigned n = 0;
	while (n < max && at + n < text.n && text.p[at + n] == text.p[at])
		n++;
	return n;
}

/* ---- kinds -------------------------------------------------------------- */

static bool
is_heading(struct mem_str text, size_t at)
{
	unsigned n = count_repeats(text, at, 7);
	return text.p[at] == '#' && n <= 6 && is_blank_at(text, at + n);
}

/* Three or more of one fence character; with ` no other ` in the line, which were code within prose. */
static bool
find_fence(struct mem_str text, size_t at, struct text_line *line)
{
	char mark = text.p[at];
	if (mark != '`' && mark != '~')
		return false;
	unsigned n = count_repeats(text, at, UINT32_MAX), columns;
	size_t after = at + n, end;
	if (n < 3)
		return false;
	end = text_find_line_end(text, after);
	if (mark == '`' && memchr(text.p + after, '`', end - after) != NULL)
		return false;
	line->mark = mark;
	line->length = n;
	line->bare = skip_line_space(text, after, &columns) == end;
	return true;
}

/* Nothing but three or more of - * _ with blanks between, or = without. */
static bool
find_rule(struct mem_str text, size_t at, struct text_line *line)
{
	char mark = text.p[at];
	unsigned n = 0;
	if (mark != '-' && mark != '*' && mark != '_' && mark != '=')
		return false;
	for (; at < text.n && text.p[at] != '\n'; at++) {
		if (text.p[at] == mark)
			n += n < 3;
		else if (text.p[at] != '\r' && (mark == '=' || (text.p[at] != ' ' && text.p[at] != '\t')))
			return false;
	}
	line->mark = mark;
	return n >= 3;
}

static bool
is_digit_at(struct mem_str text, size_t at)
{
	return at < text.n && (unsigned)(text.p[at] - '0') < 10;
}

static bool
is_small_at(struct mem_str text, size_t at)
{
	return at < text.n && (unsigned)(text.p[at] - 'a') < 26;
}

/* "12." "12)" "(12)" "a)" "(a)": the length of the mark; 0: none. */
static size_t
find_number_mark(struct mem_str text, size_t at, bool *first)
{
	size_t i = at;
	bool open = text.p[i] == '(';
	i += open;
	size_t from = i;
	while (is_digit_at(text, i) && i - from <= NUMBER_DIGITS_MAX)
		i++;
	bool digits = i > from;
	if (!digits && is_small_at(text, i))
		i++;
	if (i == from || i - from > NUMBER_DIGITS_MAX || i >= text.n)
		return 0;
	*first = i - from == 1 && (text.p[from] == '1' || text.p[from] == 'a');
	return text.p[i] == ')' || (digits && !open && text.p[i] == '.') ? i + 1 - at : 0;
}

/* Bullets as they are typed; the dash before a speaker's words may be without a blank. */
static size_t
find_bullet(struct mem_str text, size_t at)
{
	static const uint32_t bullets[] = {
		'-', '*', '+', 0x2013, 0x2014, 0x2022, 0x2023, 0x25aa, 0x25a0, 0x25cb, 0x25cf, 0x25e6
	};
	uint32_t c;
	size_t n = text_read_char(text, at, text.n, &c);
	for (size_t i = 0; i < MEM_COUNT(bullets); i++)
		if (c == bullets[i])
			return c == 0x2014 || is_blank_at(text, at + n) ? n : 0;
	return 0;
}

static bool
find_item(struct mem_str text, size_t at, struct text_line *line)
{
	unsigned columns;
	size_t n = find_bullet(text, at);
	line->interrupts = n > 0;
	if (n == 0) {
		n = find_number_mark(text, at, &line->interrupts);
		if (n == 0 || !is_blank_at(text, at + n))
			return false;
	}
	line->body = skip_line_space(text, at + n, &columns);
	return true;
}

struct text_line
text_look_at_line(struct mem_str text, size_t at)
{
	struct text_line line = { .kind = TEXT_LINE_PROSE };
	at = skip_line_space(text, at, &line.indent);
	while (at < text.n && text.p[at] == '>' && line.indent < CODE_INDENT) {
		line.quotes++;
		at = skip_line_space(text, at + 1, &line.indent);
	}
	line.body = at;
	if (at == text.n || text.p[at] == '\n')
		line.kind = TEXT_LINE_BLANK;
	else if (is_heading(text, at))
		line.kind = TEXT_LINE_HEADING;
	else if (find_fence(text, at, &line))
		line.kind = TEXT_LINE_FENCE;
	else if (text.p[at] == '|')
		line.kind = TEXT_LINE_ROW;
	else if (find_rule(text, at, &line))
		line.kind = TEXT_LINE_RULE;
	else if (find_item(text, at, &line))
		line.kind = TEXT_LINE_ITEM;
	return line;
}

/* ---- blocks ------------------------------------------------------------- */

size_t
text_find_fence_end(struct mem_str text, size_t at, const struct text_line *open)
{
	size_t end = text_find_line_end(text, at);
	while (end < text.n) {
		struct text_line line = text_look_at_line(text, end + 1);
		if (line.quotes < open->quotes)
			return end;
		end = text_find_line_end(text, end + 1);
		if (line.kind == TEXT_LINE_FENCE && line.mark == open->mark && line.bare && line.length >= open->length)
			return end;
	}
	return end;
}

/*
 * The lines from `at` to the next empty one; *all: each is indented as code is.  A paragraph whose
 * first line alone is indented is prose.
 */
static size_t
find_chunk_end(struct mem_str text, size_t at, bool *all)
{
	size_t end = at;
	*all = true;
	for (;;) {
		unsigned columns;
		size_t body = skip_line_space(text, at, &columns);
		if (body == text.n || text.p[body] == '\n')
			return end;
		*all = *all && columns >= CODE_INDENT;
		end = text_find_line_end(text, body);
		if (!*all || end == text.n)
			return end;
		at = end + 1;
	}
}

size_t
text_find_indented_end(struct mem_str text, size_t at)
{
	size_t code_end = at;
	for (;;) {
		bool all;
		size_t end = find_chunk_end(text, at, &all);
		if (!all || end == at)
			return code_end;
		code_end = end;
		/* Over empty lines to the line that the next chunk begins with. */
		for (at = end; at < text.n;) {
			unsigned columns;
			size_t body = skip_line_space(text, at + 1, &columns);
			if (body < text.n && text.p[body] != '\n') {
				at++;
				break;
			}
			at = body;
		}
		if (at >= text.n)
			return code_end;
	}
}
