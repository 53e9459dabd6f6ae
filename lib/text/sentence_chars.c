/* SPDX-License-Identifier: Apache-2.0 */
/* Characters for sentence splitting: white space, and what marks do at the end of a sentence. */
#include "text/sentence_int.h"

bool
mem_char_is_space(uint32_t c)
{
	if (c < 0x80)
		return c == ' ' || (c >= '\t' && c <= '\r');
	return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
	    c == 0x202f || c == 0x205f || c == 0x3000;
}

size_t
text_read_char(struct mem_str text, size_t at, size_t end, uint32_t *c)
{
	*c = 0;
	if (at >= end)
		return 0;
	*c = (unsigned char)text.p[at];
	return *c < 0x80 ? 1 : mem_utf8_decode(text.p + at, end - at, c);
}

size_t
text_read_char_before(struct mem_str text, size_t start, size_t at, uint32_t *c)
{
	*c = 0;
	if (at <= start)
		return 0;
	size_t n = 1;
	while (n < 4 && at - n > start && ((unsigned char)text.p[at - n] & 0xc0) == 0x80)
		n++;
	mem_utf8_decode(text.p + at - n, n, c);
	return n;
}

size_t
text_skip_white_space(struct mem_str text, size_t at)
{
	uint32_t c;
	for (size_t n; (n = text_read_char(text, at, text.n, &c)) > 0 && mem_char_is_space(c);)
		at += n;
	return at;
}

size_t
text_trim_end(struct mem_str text, size_t start, size_t at)
{
	uint32_t c;
	for (size_t n; (n = text_read_char_before(text, start, at, &c)) > 0 && mem_char_is_space(c);)
		at -= n;
	return at;
}

/* Ranges of characters and their marks, in order.  What both opens and closes is told by where it stands. */
static const struct char_marks {
	uint32_t from, to;
	unsigned marks;
} char_marks[] = {
	{ 0x00a1, 0x00a1, TEXT_MARK_OPENS },                                    /* ¡ */
	{ 0x00ab, 0x00ab, TEXT_MARK_OPENS | TEXT_MARK_CLOSES },                 /* « */
	{ 0x00bb, 0x00bb, TEXT_MARK_OPENS | TEXT_MARK_CLOSES },                 /* » */
	{ 0x00bf, 0x00bf, TEXT_MARK_OPENS },                                    /* ¿ */
	{ 0x037e, 0x037e, TEXT_MARK_STRONG },                                   /* Greek question mark */
	{ 0x0589, 0x0589, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* Armenian full stop */
	{ 0x060c, 0x060c, TEXT_MARK_JOINS },                                    /* Arabic comma */
	{ 0x061b, 0x061b, TEXT_MARK_JOINS },                                    /* Arabic semicolon */
	{ 0x061f, 0x061f, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* Arabic question mark */
	{ 0x06d4, 0x06d4, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* Arabic full stop */
	{ 0x0964, 0x0965, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* danda */
	{ 0x0e5a, 0x0e5b, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* Thai */
	{ 0x104b, 0x104b, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* Myanmar section */
	{ 0x1362, 0x1362, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* Ethiopic full stop */
	{ 0x1367, 0x1368, TEXT_MARK_STRONG | TEXT_MARK_WIDE },
	{ 0x17d4, 0x17d5, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* Khmer */
	{ 0x1803, 0x1803, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* Mongolian full stop */
	{ 0x1809, 0x1809, TEXT_MARK_STRONG | TEXT_MARK_WIDE },
	{ 0x200d, 0x200d, TEXT_MARK_PICTURE },                                  /* joins emoji */
	{ 0x2018, 0x2019, TEXT_MARK_OPENS | TEXT_MARK_CLOSES },                 /* ‘ ’; „…“ closes with the other */
	{ 0x201a, 0x201a, TEXT_MARK_OPENS },
	{ 0x201c, 0x201d, TEXT_MARK_OPENS | TEXT_MARK_CLOSES },                 /* “ ” */
	{ 0x201e, 0x201e, TEXT_MARK_OPENS },
	{ 0x2026, 0x2026, TEXT_MARK_ELLIPSIS },
	{ 0x2039, 0x203a, TEXT_MARK_OPENS | TEXT_MARK_CLOSES },                 /* ‹ › */
	{ 0x203c, 0x203d, TEXT_MARK_STRONG },                                   /* ‼ ‽ */
	{ 0x2047, 0x2049, TEXT_MARK_STRONG },
	{ 0x20e3, 0x20e3, TEXT_MARK_PICTURE },
	{ 0x2600, 0x27bf, TEXT_MARK_PICTURE },
	{ 0x2b05, 0x2b55, TEXT_MARK_PICTURE },
	{ 0x3001, 0x3001, TEXT_MARK_JOINS },                                    /* 、 */
	{ 0x3002, 0x3002, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* 。 */
	{ 0x3008, 0x3008, TEXT_MARK_OPENS }, { 0x3009, 0x3009, TEXT_MARK_CLOSES },
	{ 0x300a, 0x300a, TEXT_MARK_OPENS }, { 0x300b, 0x300b, TEXT_MARK_CLOSES },
	{ 0x300c, 0x300c, TEXT_MARK_OPENS }, { 0x300d, 0x300d, TEXT_MARK_CLOSES },
	{ 0x300e, 0x300e, TEXT_MARK_OPENS }, { 0x300f, 0x300f, TEXT_MARK_CLOSES },
	{ 0x3010, 0x3010, TEXT_MARK_OPENS }, { 0x3011, 0x3011, TEXT_MARK_CLOSES },
	{ 0x3014, 0x3014, TEXT_MARK_OPENS }, { 0x3015, 0x3015, TEXT_MARK_CLOSES },
	{ 0xfe0f, 0xfe0f, TEXT_MARK_PICTURE },
	{ 0xff01, 0xff01, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* ！ */
	{ 0xff08, 0xff08, TEXT_MARK_OPENS }, { 0xff09, 0xff09, TEXT_MARK_CLOSES },
	{ 0xff0c, 0xff0c, TEXT_MARK_JOINS },                                    /* ， */
	{ 0xff0e, 0xff0e, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* ． */
	{ 0xff1a, 0xff1b, TEXT_MARK_JOINS },                                    /* ： ； */
	{ 0xff1f, 0xff1f, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* ？ */
	{ 0xff3b, 0xff3b, TEXT_MARK_OPENS }, { 0xff3d, 0xff3d, TEXT_MARK_CLOSES },
	{ 0xff5b, 0xff5b, TEXT_MARK_OPENS }, { 0xff5d, 0xff5d, TEXT_MARK_CLOSES },
	{ 0xff61, 0xff61, TEXT_MARK_STRONG | TEXT_MARK_WIDE },                  /* ｡ */
	{ 0xff62, 0xff62, TEXT_MARK_OPENS }, { 0xff63, 0xff63, TEXT_MARK_CLOSES },
	{ 0xff64, 0xff64, TEXT_MARK_JOINS },
	{ 0x1f000, 0x1faff, TEXT_MARK_PICTURE },
};

static const unsigned char ascii_marks[128] = {
	['.'] = TEXT_MARK_STOP, ['!'] = TEXT_MARK_STRONG, ['?'] = TEXT_MARK_STRONG,
	['"'] = TEXT_MARK_OPENS | TEXT_MARK_CLOSES, ['\''] = TEXT_MARK_OPENS | TEXT_MARK_CLOSES,
	['('] = TEXT_MARK_OPENS, ['['] = TEXT_MARK_OPENS, ['{'] = TEXT_MARK_OPENS,
	[')'] = TEXT_MARK_CLOSES, [']'] = TEXT_MARK_CLOSES, ['}'] = TEXT_MARK_CLOSES,
	['*'] = TEXT_MARK_OPENS | TEXT_MARK_CLOSES, ['_'] = TEXT_MARK_OPENS | TEXT_MARK_CLOSES,
	['~'] = TEXT_MARK_OPENS | TEXT_MARK_CLOSES, ['`'] = TEXT_MARK_OPENS | TEXT_MARK_CLOSES,
	[','] = TEXT_MARK_JOINS, [';'] = TEXT_MARK_JOINS, [':'] = TEXT_MARK_JOINS,
};

unsigned
text_find_marks(uint32_t c)
{
	if (c < 0x80)
		return ascii_marks[c];
	size_t low = 0, high = MEM_COUNT(char_marks);
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (c > char_marks[mid].to)
			low = mid + 1;
		else
			high = mid;
	}
	return low < MEM_COUNT(char_marks) && c >= char_marks[low].from ? char_marks[low].marks : 0;
}
