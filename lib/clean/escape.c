/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping of text that is shown or fenced. */
#include "clean/clean.h"
#include "text/text.h"

static bool
is_line_end(uint32_t c)
{
	return c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* The entity for a character that could open or close a tag, however wide it is written. */
static const char *
char_entity(uint32_t c, bool attr)
{
	switch (c) {
	case '&': case 0xfe60: case 0xff06: return "&amp;";
	case '<': case 0xfe64: case 0xff1c: return "&lt;";
	case '>': case 0xfe65: case 0xff1e: return "&gt;";
	case '"': case 0xff02: return attr ? "&quot;" : NULL;
	case '\'': case 0xff07: return attr ? "&#39;" : NULL;
	default: return NULL;
	}
}

/* One code point, or one byte that is none. */
static size_t
decode_char(struct mem_str s, size_t at, uint32_t *c, bool *bad)
{
	size_t n = mem_utf8_decode(s.p + at, s.n - at, c);
	*bad = n == 1 && ((unsigned char)s.p[at] & 0x80) != 0;
	return n;
}

enum { ENTITIES = 1, QUOTES = 2, ONE_LINE = 4 };

/* Is the character that ends at `at` unseen, and does nothing for what stands beside it? */
static bool
is_dropped_char(uint32_t before, uint32_t c, struct mem_str text, size_t at)
{
	uint32_t after = 0;
	bool bad;
	if (!mem_char_is_unseen(c))
		return false;
	if (at < text.n)
		(void)decode_char(text, at, &after, &bad);
	return !mem_char_is_shaping(before, c, after);
}

static void
put_shown_char(struct mem_buf *out, uint32_t c, struct mem_str as_given, unsigned flags)
{
	const char *e = (flags & ENTITIES) != 0 ? char_entity(c, (flags & QUOTES) != 0) : NULL;
	if (e != NULL)
		mem_buf_puts(out, e);
	else if ((flags & ONE_LINE) != 0 && (c == '\n' || c == '\t'))
		mem_buf_putc(out, ' ');
	else
		mem_buf_str(out, as_given);
}

/* Is the byte ASCII that is written as it is, whatever the flags?  The exceptions lie below 64: one bit each. */
static bool
is_plain_byte(unsigned char c)
{
	static const uint64_t special = 0xffffffff | 1ull << '"' | 1ull << '&' | 1ull << '\'' | 1ull << '<' | 1ull << '>';
	return c < 64 ? (special >> c & 1) == 0 : c < 0x7f;
}

static size_t
count_plain_bytes(struct mem_str text, size_t at)
{
	size_t from = at;
	while (at < text.n && is_plain_byte((unsigned char)text.p[at]))
		at++;
	return at - from;
}

static void
escape_chars(struct mem_buf *out, struct mem_str text, unsigned flags)
{
	uint32_t before = 0;
	mem_buf_reserve(out, text.n);
	for (size_t at = 0; at < text.n;) {
		uint32_t c;
		bool bad;
		size_t from = at, plain = count_plain_bytes(text, at);
		if (plain > 0) {
			mem_buf_put(out, text.p + at, plain);
			at += plain;
			before = (unsigned char)text.p[at - 1];
			continue;
		}
		at += decode_char(text, at, &c, &bad);
		struct mem_str as_given = bad ? MEM_STR("\ufffd") : (struct mem_str){ text.p + from, at - from };
		if (is_line_end(c)) {
			if (c == '\r' && at < text.n && text.p[at] == '\n')
				continue;
			c = '\n';
			as_given = MEM_STR("\n");
		} else if (is_dropped_char(before, c, text, at)) {
			at = c == 0x1b || c == 0x9b ? from + mem_terminal_sequence(text, from) : at;
			continue;
		}
		before = c;
		put_shown_char(out, c, as_given, flags);
	}
}

void
mem_escape_strip(struct mem_buf *out, struct mem_str text)
{
	escape_chars(out, text, 0);
}

void
mem_escape_line(struct mem_buf *out, struct mem_str text)
{
	escape_chars(out, text, ONE_LINE);
}

void
mem_escape_text(struct mem_buf *out, struct mem_str text)
{
	escape_chars(out, text, ENTITIES);
}

void
mem_escape_attr(struct mem_buf *out, struct mem_str text)
{
	escape_chars(out, text, ENTITIES | QUOTES | ONE_LINE);
}
