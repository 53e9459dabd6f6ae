/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping of text that is shown or fenced. */
#include "clean/clean.h"

/* What a code point is for a reader of the output. */
enum shown_class { PLAIN, LINE_END, UNSEEN, SELECTOR };

static enum shown_class
classify_char(uint32_t c)
{
	if (c < 0x20)
		return c == '\t' || c == '\n' ? PLAIN : c == '\r' ? LINE_END : UNSEEN;
	if (c < 0x7f)
		return PLAIN;
	if (c <= 0x9f)
		return c == 0x85 ? LINE_END : UNSEEN;
	if (c < 0x61c)
		return PLAIN;
	if (c == 0x61c || c == 0x180e || c == 0x200b || c == 0x200e || c == 0x200f || c == 0xfeff)
		return UNSEEN;
	if (c == 0x2028 || c == 0x2029)
		return LINE_END;
	if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || (c >= 0xfff9 && c <= 0xfffb))
		return UNSEEN;
	if (c >= 0xfe00 && c <= 0xfe0f)
		return SELECTOR;
	if ((c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe || (c >= 0xe0000 && c <= 0xe0fff))
		return UNSEEN;
	return PLAIN;
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

enum { ENTITIES = 1, ATTRIBUTE = 2 };

static void
escape_chars(struct mem_buf *out, struct mem_str text, unsigned flags)
{
	bool selected = false; /* a variation selector was the last character put out */
	mem_buf_reserve(out, text.n);
	for (size_t at = 0; at < text.n;) {
		uint32_t c;
		bool bad;
		size_t from = at;
		at += decode_char(text, at, &c, &bad);
		enum shown_class class = classify_char(c);
		if (class == LINE_END) {
			if (c == '\r' && at < text.n && text.p[at] == '\n')
				continue;
			c = '\n';
		} else if (class == UNSEEN || (class == SELECTOR && selected)) {
			continue;
		}
		selected = class == SELECTOR;
		const char *e = (flags & ENTITIES) != 0 ? char_entity(c, (flags & ATTRIBUTE) != 0) : NULL;
		if (e != NULL)
			mem_buf_puts(out, e);
		else if ((flags & ATTRIBUTE) != 0 && (c == '\n' || c == '\t'))
			mem_buf_putc(out, ' ');
		else if (class == LINE_END || bad)
			mem_buf_utf8(out, c);
		else
			mem_buf_put(out, text.p + from, at - from);
	}
}

void
mem_escape_strip(struct mem_buf *out, struct mem_str text)
{
	escape_chars(out, text, 0);
}

void
mem_escape_text(struct mem_buf *out, struct mem_str text)
{
	escape_chars(out, text, ENTITIES);
}

void
mem_escape_attr(struct mem_buf *out, struct mem_str text)
{
	escape_chars(out, text, ENTITIES | ATTRIBUTE);
}
