/* SPDX-License-Identifier: Apache-2.0 */
/* What a terminal may be shown. */
#include "cli/cli_int.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
