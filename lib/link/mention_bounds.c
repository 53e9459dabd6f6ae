/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside a name in prose. */
#include "link/mention_bounds.h"
#include "text/text.h"

#include <string.h>

enum { TOKEN_MAX = 200 }; /* bytes before a name in which "www." is looked for */

/* 0: the text ends there. */
static char
byte_at(struct mem_str text, size_t at)
{
	return at < text.n ? text.p[at] : '\0';
}

static char
byte_before(struct mem_str text, size_t at)
{
	return at > 0 ? text.p[at - 1] : '\0';
}

static bool
is_name_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_token_gap(char c)
{
	return c == '\0' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool
begins_word(struct mem_str text, size_t at)
{
	uint32_t c;
	return at < text.n && mem_utf8_decode(text.p + at, text.n - at, &c) > 0 && (mem_char_is_word(c) || c == '_');
}

static bool
ends_word(struct mem_str text, size_t at)
{
	size_t start = at;
	while (start > 0 && at - start < 4 && ((unsigned char)text.p[--start] & 0xc0) == 0x80)
		;
	return start < at && begins_word((struct mem_str){ text.p, at }, start);
}

/* ---- words joined by hyphens ---------------------------------------------- */

static bool
is_compound_char(char c)
{
	return is_name_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (unsigned char)c >= 0x80 || c == '-' || c == '_';
}

/* The ends of the compound; false: a hyphen joins a number. */
static bool
widen_to_compound(struct mem_str text, size_t *start, size_t *end)
{
	size_t from = *start, to = *end;
	if (byte_before(text, from) == '-' && ends_word(text, from - 1)) {
		if (is_name_digit(text.p[from]) || is_name_digit(byte_before(text, from - 1)))
			return false;
		while (is_compound_char(byte_before(text, from)) && byte_before(text, from) != '\0')
			from--;
	}
	if (byte_at(text, to) == '-' && begins_word(text, to + 1)) {
		if (is_name_digit(text.p[to - 1]) || is_name_digit(byte_at(text, to + 1)))
			return false;
		while (is_compound_char(byte_at(text, to)) && byte_at(text, to) != '\0')
			to++;
	}
	*start = from;
	*end = to;
	return true;
}

/* ---- what is beside it ------------------------------------------------------- */

/* " -x", " --x": an option. */
static bool
is_option(struct mem_str text, size_t start)
{
	size_t at = start;
	while (byte_before(text, at) == '-')
		at--;
	return at < start && is_token_gap(byte_before(text, at));
}

static bool
joins_before(struct mem_str text, size_t start)
{
	char c = byte_before(text, start), before = start > 1 ? text.p[start - 2] : '\0';
	switch (c) {
	case '/': case '\\': case '@': case '#': case '^': case '$': case '!': case '[': case '{':
		return true;
	case '.': /* an ellipsis joins nothing */
		return before != '.';
	case '=': /* ==highlighted== */
		return before != '=';
	case ':':
		return is_name_digit(byte_at(text, start)) && is_name_digit(before);
	case '-':
		return is_option(text, start);
	default:
		return false;
	}
}

static bool
joins_behind(struct mem_str text, size_t end)
{
	char c = byte_at(text, end), behind = byte_at(text, end + 1);
	switch (c) {
	case '/': case '@': case '(': case ']': case '}':
		return true;
	case '.': case '\\': case '#':
		return begins_word(text, end + 1);
	case '=':
		return behind != '=' && !is_token_gap(behind);
	case ':': /* also a key of Dataview, "x:: y" */
		return behind == ':' || (is_name_digit(text.p[end - 1]) && is_name_digit(behind));
	case '+':
		return behind == '+' || byte_before(text, end) == '+';
	default:
		return false;
	}
}

/* ":x:", "&x;", "%x%". */
static bool
is_between_marks(struct mem_str text, size_t start, size_t end)
{
	char a = byte_before(text, start), b = byte_at(text, end);
	return (a == ':' && b == ':') || (a == '&' && b == ';') || (a == '%' && b == '%');
}

/* A mark at an edge of the name, as in "C++" or ".net", and a word right beyond it. */
static bool
goes_on_as_word(struct mem_str text, size_t start, size_t end)
{
	return (!begins_word(text, start) && ends_word(text, start)) || (!ends_word(text, end) && begins_word(text, end));
}

/* "www.x.no/…": what has a scheme is no prose in the first place. */
static bool
is_in_web_address(struct mem_str text, size_t start)
{
	size_t at = start;
	while (!is_token_gap(byte_before(text, at)) && start - at < TOKEN_MAX)
		at--;
	while (at < start && strchr("(<\"'*_", text.p[at]) != NULL)
		at++;
	return start - at >= 4 && memcmp(text.p + at, "www.", 4) == 0;
}

bool
mention_stands_alone(struct mem_str text, size_t start, size_t end)
{
	if (goes_on_as_word(text, start, end) || !widen_to_compound(text, &start, &end))
		return false;
	return !joins_before(text, start) && !joins_behind(text, end) && !is_between_marks(text, start, end) && !is_in_web_address(text, start);
}
