/* SPDX-License-Identifier: Apache-2.0 */
/* Views of what stands in a code: base64, in one run or over lines, hexadecimal digits, numbers of characters. */
#include "clean/hidden_int.h"

#include <string.h>

#define BASE64_MIN 24           /* characters: a key of 18 bytes */
#define BASE64_MAX ((size_t)1 << 20)
#define LINE_MIN   8            /* characters of base64 in one of several lines */
#define HEX_MIN    16           /* bytes */

/* ---- base64 ------------------------------------------------------------ */

/* RFC 4648 §4 and §5; -1: no such character. */
static int
base64_value(char c)
{
	if (clean_is_upper(c))
		return c - 'A';
	if (clean_is_lower(c))
		return c - 'a' + 26;
	if (clean_is_digit(c))
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* The next run of BASE64_MIN characters or more from `at` on.  Looks at every 24th byte and back, so that prose is passed over. */
static bool
find_base64_run(struct mem_str s, size_t at, size_t *start, size_t *end)
{
	for (size_t probe = at + BASE64_MIN - 1; probe < s.n;) {
		size_t from = probe + 1;
		while (from > at && base64_value(s.p[from - 1]) >= 0)
			from--;
		if (probe + 1 - from >= BASE64_MIN) {
			*start = from;
			for (*end = probe + 1; *end < s.n && base64_value(s.p[*end]) >= 0;)
				(*end)++;
			for (unsigned pad = 0; pad < 2 && *end < s.n && s.p[*end] == '='; pad++)
				(*end)++;
			return true;
		}
		at = from;
		probe = from + BASE64_MIN - 1;
	}
	return false;
}

/* The next byte of ASCII that is written as UTF-16: whether it is kept, or, with *bad set, that it is no such text. */
static bool
keep_wide_byte(unsigned char b, size_t i, unsigned zero, bool *bad)
{
	bool mark = i < 2 && (b == 0xff || b == 0xfe);
	*bad = !mark && (i % 2 == zero) != (b == 0);
	return !mark && b != 0;
}

/* Where the zeros of the first bytes stand if they are UTF-16 of ASCII: 1 behind, 0 before each; 2: they are not. */
static unsigned
find_wide_zero(struct mem_str run)
{
	uint32_t bits = 0;
	if (run.n < 8)
		return 2;
	for (size_t i = 0; i < 4; i++)
		bits = bits << 6 | (unsigned)base64_value(run.p[i + 4]);
	/* Bytes 3 to 5, behind what may be a mark of the order of bytes. */
	const unsigned char third = (unsigned char)(bits >> 16), fourth = (unsigned char)(bits >> 8), fifth = (unsigned char)bits;
	if (third == 0 && fourth != 0 && fifth == 0)
		return 1;
	return third != 0 && fourth == 0 && fifth != 0 ? 0 : 2;
}

/* Appends what `run` stands for.  False: it stands for no text. */
static bool
decode_base64_text(struct mem_buf *to, struct mem_str run)
{
	unsigned bits = 0, n = 0;
	size_t bytes = 0;
	const unsigned zero = find_wide_zero(run);
	while (run.n > 0 && run.p[run.n - 1] == '=')
		run.n--;
	size_t before = to->len;
	if (run.n % 4 == 1 || run.n > BASE64_MAX)
		return false;
	for (size_t i = 0; i < run.n; i++) {
		bits = bits << 6 | (unsigned)base64_value(run.p[i]);
		n += 6;
		if (n < 8)
			continue;
		n -= 8;
		unsigned char b = (unsigned char)(bits >> n);
		bool bad = false, kept = zero == 2 || keep_wide_byte(b, bytes, zero, &bad);
		bytes++;
		if (bad || (kept && !clean_is_text_byte(b)))
			return false;
		if (kept)
			mem_buf_putc(to, (char)b);
	}
	return mem_utf8_valid(to->data + before, to->len - before) == to->len - before;
}

bool
clean_view_decode(struct mem_view *v, const struct mem_view *parent)
{
	struct mem_buf text = { 0 };
	size_t start = 0, end = 0;
	mem_view_derive(v, parent);
	while (find_base64_run(parent->text, end, &start, &end)) {
		mem_buf_reset(&text);
		mem_buf_putc(&text, '\n');
		if (decode_base64_text(&text, (struct mem_str){ parent->text.p + start, end - start }))
			mem_view_made(v, mem_buf_span(&text), start, end - start);
	}
	mem_buf_release(&text);
	return v->nsegs > 0;
}

/* ---- base64 over lines --------------------------------------------------- */

/* Behind the characters of base64 from `at` on, with what fills up the last. */
static size_t
base64_end(struct mem_str s, size_t at)
{
	while (at < s.n && base64_value(s.p[at]) >= 0)
		at++;
	for (unsigned pad = 0; pad < 2 && at < s.n && s.p[at] == '='; pad++)
		at++;
	return at;
}

/*
 * The base64 of `least` characters and more that the line from `at` on is made of, behind its head; *next is where the line after
 * it begins.  Empty: other things.
 */
static struct mem_str
read_base64_line(struct mem_str s, size_t at, size_t least, size_t *next)
{
	size_t from = clean_skip_line_head(s, at), end = base64_end(s, from), stop = clean_skip_blanks(s, end);
	stop += stop < s.n && s.p[stop] == '\r';
	if (end - from < least || (stop < s.n && s.p[stop] != '\n'))
		return (struct mem_str){ s.p + from, 0 };
	*next = stop + (stop < s.n);
	return (struct mem_str){ s.p + from, end - from };
}

/* The characters of base64 before the line's end at `end`, down to `least`. */
static size_t
base64_start(struct mem_str s, size_t least, size_t end)
{
	while (end > least && base64_value(s.p[end - 1]) >= 0)
		end--;
	return end;
}

/* Puts what the lines of base64 from `at` on stand for, with the end of the line before.  Returns where they end, or `at`. */
static size_t
put_base64_lines(struct mem_view *v, struct mem_str s, size_t least, size_t at)
{
	struct mem_buf row = { 0 }, text = { 0 };
	size_t next = at, lines = 0, end = at;
	size_t before = at > least + 1 && s.p[at - 2] == '\r' ? at - 2 : at > least ? at - 1 : at;
	size_t start = base64_start(s, least, before);
	mem_buf_put(&row, s.p + start, before - start);
	lines += before - start >= LINE_MIN;
	if (lines == 0)
		mem_buf_reset(&row);
	/* The last line may be as short as it likes. */
	for (struct mem_str line; next < s.n && (line = read_base64_line(s, next, lines > 0 ? 2 : LINE_MIN, &next)).n > 0; lines++) {
		if (row.len == 0)
			start = (size_t)(line.p - s.p);
		mem_buf_str(&row, line);
		end = (size_t)(line.p - s.p) + line.n;
		if (line.p[line.n - 1] == '=' || line.n < LINE_MIN)
			break;
	}
	mem_buf_putc(&text, '\n');
	if (end > at && lines > 1 && row.len >= BASE64_MIN && decode_base64_text(&text, mem_buf_span(&row)))
		mem_view_made(v, mem_buf_span(&text), start, end - start);
	mem_buf_release(&row);
	mem_buf_release(&text);
	return end;
}

bool
clean_view_decode_lines(struct mem_view *v, const struct mem_view *parent)
{
	struct mem_str s = parent->text;
	size_t least = 0;
	mem_view_derive(v, parent);
	for (size_t at = 0; at < s.n;) {
		size_t next = at, end = at;
		if (read_base64_line(s, at, LINE_MIN, &next).n > 0)
			least = end = put_base64_lines(v, s, least, at);
		const char *p = end < s.n ? memchr(s.p + end, '\n', s.n - end) : NULL;
		at = p != NULL ? (size_t)(p - s.p) + 1 : s.n;
	}
	return v->nsegs > 0;
}

/* ---- hexadecimal -------------------------------------------------------- */

/* Two digits at `at`, maybe behind \x, 0x or %; their byte, and *next behind them.  -1: there are none. */
static int
read_hex_byte(struct mem_str s, size_t at, size_t *next)
{
	if (at + 1 < s.n && (s.p[at] == '\\' || s.p[at] == '0') && (s.p[at + 1] | 32) == 'x')
		at += 2;
	else if (at < s.n && s.p[at] == '%')
		at++;
	if (at + 2 > s.n || mem_hex_digit(s.p[at]) < 0 || mem_hex_digit(s.p[at + 1]) < 0)
		return -1;
	*next = at + 2;
	return mem_hex_digit(s.p[at]) * 16 + mem_hex_digit(s.p[at + 1]);
}

/* Are the bytes of `text` from `from` on no characters? */
static bool
is_broken_text(const struct mem_buf *text, size_t from)
{
	return text->len > from && mem_utf8_valid(text->data + from, text->len - from) < text->len - from;
}

/*
 * Appends what the digits from *start on stand for, and returns where they end.  What before them looks like digits ("see:",
 * "added") stands for no characters: *start is behind it.
 */
static size_t
decode_hex_run(struct mem_buf *to, struct mem_str s, size_t *start)
{
	size_t at = *start, end = at, next = 0, begun = to->len, checked = begun;
	int byte;
	while ((byte = read_hex_byte(s, at, &next)) >= 0 && clean_is_text_byte((unsigned char)byte)) {
		if (byte < 0x80 && is_broken_text(to, checked)) {
			to->len = checked = begun;
			*start = at;
		}
		mem_buf_putc(to, (char)byte);
		checked = byte < 0x80 ? to->len : checked;
		end = at = next;
		if (at < s.n && s.p[at] != '\0' && strchr(" ,:-", s.p[at]) != NULL)
			at++;
		if (at < s.n && s.p[at] == ' ')
			at++;
	}
	return end;
}

/* The same of decimal numbers, "104, 102, 95", of ASCII. */
static size_t
decode_number_run(struct mem_buf *to, struct mem_str s, size_t at)
{
	size_t end = at;
	while (at < s.n && clean_is_digit(s.p[at])) {
		unsigned number = 0;
		for (size_t from = at; at < s.n && at - from < 3 && clean_is_digit(s.p[at]); at++)
			number = number * 10 + (unsigned)(s.p[at] - '0');
		if ((at < s.n && clean_is_digit(s.p[at])) || number >= 0x7f || !clean_is_text_byte((unsigned char)number))
			break;
		mem_buf_putc(to, (char)number);
		end = at;
		while (at < s.n && (s.p[at] == ',' || s.p[at] == ' '))
			at++;
		if (at == end)
			break;
	}
	return end;
}

/* May `c` stand in a row of such digits? */
static bool
is_hex_run_char(char c)
{
	static const bool runs[256] = {
		['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true, ['5'] = true, ['6'] = true, ['7'] = true, ['8'] = true,
		['9'] = true, ['a'] = true, ['b'] = true, ['c'] = true, ['d'] = true, ['e'] = true, ['f'] = true, ['A'] = true, ['B'] = true,
		['C'] = true, ['D'] = true, ['E'] = true, ['F'] = true, [' '] = true, ['\\'] = true, ['x'] = true, ['X'] = true, ['%'] = true,
		[','] = true, [':'] = true, ['-'] = true,
	};
	return runs[(unsigned char)c];
}

/*
 * The start of the next row of characters that are long enough, from `at` on.  Looks at every 32nd byte and back, so that
 * prose is passed over.
 */
static size_t
find_hex_run(struct mem_str s, size_t at)
{
	for (size_t probe = at + 2 * HEX_MIN - 1; probe < s.n; probe += 2 * HEX_MIN) {
		size_t from = probe + 1;
		while (from > at && is_hex_run_char(s.p[from - 1]))
			from--;
		size_t end = probe + 1;
		while (end < s.n && end - from < 2 * HEX_MIN && is_hex_run_char(s.p[end]))
			end++;
		if (from <= probe && end - from >= 2 * HEX_MIN)
			return from;
	}
	return s.n;
}

bool
clean_view_unhex(struct mem_view *v, const struct mem_view *parent)
{
	struct mem_str s = parent->text;
	struct mem_buf text = { 0 };
	mem_view_derive(v, parent);
	for (size_t at = find_hex_run(s, 0); at < s.n; at = find_hex_run(s, at)) {
		size_t next;
		while (at < s.n && is_hex_run_char(s.p[at]) && read_hex_byte(s, at, &next) < 0)
			at++;
		mem_buf_reset(&text);
		mem_buf_putc(&text, '\n');
		size_t end = decode_number_run(&text, s, at);
		if (text.len <= HEX_MIN) {
			mem_buf_reset(&text);
			mem_buf_putc(&text, '\n');
			end = decode_hex_run(&text, s, &at);
		}
		if (text.len > HEX_MIN && mem_utf8_valid(text.data, text.len) == text.len)
			mem_view_made(v, mem_buf_span(&text), at, end - at);
		for (at = end > at ? end : at + 1; at < s.n && mem_hex_digit(s.p[at]) >= 0;) /* half of a run is none */
			at++;
	}
	mem_buf_release(&text);
	return v->nsegs > 0;
}
