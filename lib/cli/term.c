/* SPDX-License-Identifier: Apache-2.0 */
/* What a terminal may be shown, and how wide it is. */
#include "cli/cli_int.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct char_range {
	uint32_t first, last;
};

/* Marks that stand on the character before them. */
static const struct char_range marks[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x064b, 0x065f },
	{ 0x0e34, 0x0e3a }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200c, 0x200d }, { 0x20d0, 0x20ff },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
};

/* Two columns: the W and F blocks of Unicode Standard Annex 11. */
static const struct char_range wide[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf }, { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1faff }, { 0x20000, 0x3fffd },
};

static bool
is_in_ranges(const struct char_range *r, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].first && c <= r[i].last)
			return true;
	return false;
}

bool
mem_out_tty(void)
{
	static int known = -1;
	if (known < 0)
		known = isatty(STDOUT_FILENO) ? 1 : 0;
	return known == 1;
}

bool
mem_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return mem_out_tty() && (no == NULL || *no == '\0') && term != NULL &&
	    strcmp(term, "dumb") != 0;
}

bool
mem_text_wanted(int format)
{
	return format == MEM_FORMAT_TEXT || (format == MEM_FORMAT_AUTO && mem_out_tty());
}

static void
put_unicode_escape(struct mem_buf *out, uint32_t c)
{
	if (c >= 0x10000) {
		mem_buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
		    0xdc00 + ((c - 0x10000) & 0x3ff));
		return;
	}
	switch (c) {
	case '\n':
		mem_buf_puts(out, "\\n");
		break;
	case '\t':
		mem_buf_puts(out, "\\t");
		break;
	default:
		mem_buf_printf(out, "\\u%04x", c);
	}
}

/*
 * May a terminal not have it?  What moves the cursor, turns the direction of text, or is not seen at all, but for what
 * shapes the characters beside it.
 */
static bool
is_hidden_char(uint32_t before, uint32_t c, struct mem_str rest)
{
	uint32_t after = 0;
	if (c == '\t' || c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029)
		return true;
	if (!mem_char_is_unseen(c))
		return false;
	if (rest.n > 0 && mem_utf8_valid(rest.p, rest.n < 4 ? rest.n : 4) > 0)
		(void)mem_utf8_decode(rest.p, rest.n, &after);
	return !mem_char_is_shaping(before, c, after);
}

void
mem_show(struct mem_buf *out, struct mem_str s, bool multiline)
{
	uint32_t before = 0, c;
	for (size_t i = 0, n; i < s.n; i += n) {
		n = 1;
		c = (unsigned char)s.p[i];
		if ((c >= 0x20 && c < 0x7f) || (multiline && (c == '\n' || c == '\t'))) {
			mem_buf_putc(out, s.p[i]);
		} else if (mem_utf8_valid(s.p + i, s.n - i < 4 ? s.n - i : 4) == 0) {
			mem_buf_puts(out, "\\ufffd");
		} else {
			n = mem_utf8_decode(s.p + i, s.n - i, &c);
			if (is_hidden_char(before, c, (struct mem_str){ s.p + i + n, s.n - i - n }))
				put_unicode_escape(out, c);
			else
				mem_buf_put(out, s.p + i, n);
		}
		before = c;
	}
}

void
mem_show_field(struct mem_buf *out, struct mem_str name, struct mem_str value)
{
	enum { COLUMN = 14 };
	struct mem_buf shown = { 0 };
	size_t start = out->len;
	mem_show(out, name, false);
	do
		mem_buf_putc(out, ' ');
	while (out->len - start <= COLUMN);
	mem_show(&shown, value, true);
	for (size_t i = 0; i < shown.len; i++) {
		mem_buf_putc(out, shown.data[i]);
		if (shown.data[i] == '\n')
			mem_buf_printf(out, "%*s", COLUMN + 1, "");
	}
	mem_buf_putc(out, '\n');
	mem_buf_release(&shown);
}

static size_t
find_char_width(uint32_t c)
{
	if (c < 0x300)
		return 1;
	if (is_in_ranges(marks, MEM_COUNT(marks), c))
		return 0;
	return is_in_ranges(wide, MEM_COUNT(wide), c) ? 2 : 1;
}

/* The longest beginning of s that fits `columns`, and its width. */
size_t
cli_cut_to_width(struct mem_str s, size_t columns, size_t *width)
{
	size_t i = 0;
	*width = 0;
	while (i < s.n) {
		uint32_t c;
		size_t n = mem_utf8_decode(s.p + i, s.n - i, &c);
		size_t w = find_char_width(c);
		if (*width + w > columns)
			break;
		*width += w;
		i += n;
	}
	return i;
}

size_t
mem_width(struct mem_str s)
{
	size_t width;
	cli_cut_to_width(s, SIZE_MAX, &width);
	return width;
}
