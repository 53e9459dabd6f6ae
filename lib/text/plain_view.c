/* SPDX-License-Identifier: Apache-2.0 */
/* Look-alikes and characters nobody sees, made plain. */
#include "text/pattern.h"
#include "text/text.h"

#include <ctype.h>
#include <string.h>
#include <utf8proc.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * Letters that look like Latin ones (a part of Unicode's confusables.txt: those whose
 * form is the same in common fonts).  Only words that mix scripts are changed, so
 * that Greek and Russian stay what they are.
 */
static const struct {
	uint16_t from;
	char to;
} lookalikes[] = {
	{ 0x391, 'A' }, { 0x392, 'B' }, { 0x395, 'E' }, { 0x396, 'Z' }, { 0x397, 'H' }, { 0x399, 'I' },
	{ 0x39a, 'K' }, { 0x39c, 'M' }, { 0x39d, 'N' }, { 0x39f, 'O' }, { 0x3a1, 'P' }, { 0x3a4, 'T' },
	{ 0x3a5, 'Y' }, { 0x3a7, 'X' }, { 0x3b1, 'a' }, { 0x3b9, 'i' }, { 0x3bd, 'v' }, { 0x3bf, 'o' },
	{ 0x3c1, 'p' }, { 0x3c5, 'u' }, { 0x405, 'S' }, { 0x406, 'I' }, { 0x408, 'J' }, { 0x410, 'A' },
	{ 0x412, 'B' }, { 0x415, 'E' }, { 0x41a, 'K' }, { 0x41c, 'M' }, { 0x41d, 'H' }, { 0x41e, 'O' },
	{ 0x420, 'P' }, { 0x421, 'C' }, { 0x422, 'T' }, { 0x423, 'y' }, { 0x425, 'X' }, { 0x430, 'a' },
	{ 0x435, 'e' }, { 0x43e, 'o' }, { 0x440, 'p' }, { 0x441, 'c' }, { 0x443, 'y' }, { 0x445, 'x' },
	{ 0x455, 's' }, { 0x456, 'i' }, { 0x458, 'j' }, { 0x501, 'd' }, { 0x51b, 'q' }, { 0x51d, 'w' },
};

static bool
is_latin_letter(uint32_t c)
{
	return c < 0x80 ? isalpha((int)c) != 0 : c >= 0xc0 && c < 0x250;
}

static bool
is_greek_or_cyrillic_letter(uint32_t c)
{
	return c >= 0x370 && c < 0x530;
}

static char
find_lookalike(uint32_t c)
{
	for (size_t i = 0; i < MEM_COUNT(lookalikes); i++)
		if (lookalikes[i].from == c)
			return lookalikes[i].to;
	return '\0';
}

/* Where the word that begins at `at` ends, and whether it mixes Latin with its look-alikes. */
static size_t
find_mixed_word_end(struct mem_str s, size_t at, bool *mixed)
{
	bool latin = false, other = false;
	while (at < s.n) {
		uint32_t c;
		size_t n = mem_utf8_decode(s.p + at, s.n - at, &c);
		if (is_latin_letter(c))
			latin = true;
		else if (is_greek_or_cyrillic_letter(c))
			other = true;
		else
			break;
		at += n;
	}
	*mixed = latin && other;
	return at;
}

/* ---- one character ----------------------------------------------------- */

enum char_change { KEEP, DROP, HIDDEN, REPLACE };

static bool
is_compatibility_type(int type)
{
	return type == UTF8PROC_DECOMP_TYPE_FONT || type == UTF8PROC_DECOMP_TYPE_WIDE ||
	    type == UTF8PROC_DECOMP_TYPE_NARROW || type == UTF8PROC_DECOMP_TYPE_NOBREAK;
}

static enum char_change
decompose_char(uint32_t c, const utf8proc_property_t *prop, struct mem_buf *to)
{
	utf8proc_int32_t d[16];
	int boundary = 0;
	bool compat = is_compatibility_type(prop->decomp_type);
	if (prop->decomp_seqindex == UINT16_MAX || (prop->decomp_type != 0 && !compat))
		return KEEP;
	utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)c, d, MEM_COUNT(d),
	    compat ? UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT : UTF8PROC_DECOMPOSE, &boundary);
	/* Accents are stripped from Latin letters only: elsewhere they make other letters. */
	if (n < 1 || n > (utf8proc_ssize_t)MEM_COUNT(d) || (!compat && !is_latin_letter((uint32_t)d[0])))
		return KEEP;
	for (utf8proc_ssize_t i = 0; i < n; i++)
		if (d[i] < 0x300 || d[i] > 0x36f)
			mem_buf_utf8(to, (uint32_t)d[i]);
	return REPLACE;
}

/* Marks of the blocks that belong to no script. */
static bool
is_common_mark(uint32_t c)
{
	return (c >= 0x300 && c <= 0x36f && c != 0x34f) || (c >= 0x1ab0 && c <= 0x1aff) || (c >= 0x1dc0 && c <= 0x1dff) ||
	    (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe20 && c <= 0xfe2f);
}

/* Is it left out, since nobody sees it or no font has it? */
static bool
is_left_out_char(uint32_t c, const utf8proc_property_t *prop)
{
	return mem_char_is_unseen(c) || prop->category == UTF8PROC_CATEGORY_CF || prop->category == UTF8PROC_CATEGORY_CO ||
	    prop->category == UTF8PROC_CATEGORY_CN;
}

static enum char_change
put_plain_char(struct mem_buf *to, char c)
{
	mem_buf_putc(to, c);
	return REPLACE;
}

static enum char_change
simplify_char(uint32_t c, bool mixed, struct mem_buf *to)
{
	const utf8proc_property_t *prop = utf8proc_get_property((utf8proc_int32_t)c);
	if (mixed && is_greek_or_cyrillic_letter(c) && find_lookalike(c) != '\0')
		return put_plain_char(to, find_lookalike(c));
	if (is_common_mark(c))
		return DROP;
	if (is_left_out_char(c, prop))
		return HIDDEN;
	switch (prop->category) {
	case UTF8PROC_CATEGORY_CC: /* NEXT LINE */
	case UTF8PROC_CATEGORY_ZS:
		return put_plain_char(to, ' ');
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
		return put_plain_char(to, '\n');
	case UTF8PROC_CATEGORY_PD:
		return put_plain_char(to, '-');
	case UTF8PROC_CATEGORY_PI:
	case UTF8PROC_CATEGORY_PF:
		return put_plain_char(to, (c >= 0x2018 && c <= 0x201b) || c == 0x2039 || c == 0x203a ? '\'' : '"');
	default:
		break;
	}
	if (c == 0x201a)
		return put_plain_char(to, '\'');
	if (c == 0x201e)
		return put_plain_char(to, '"');
	if (c == 0x2212)
		return put_plain_char(to, '-');
	if (c == 0x2800) /* a braille cell without dots */
		return put_plain_char(to, ' ');
	return decompose_char(c, prop, to);
}

/* ---- spaced letters ---------------------------------------------------- */

/* The end of "a l l" that begins at `at`, or 0: three letters at least, one separator. */
static size_t
find_spaced_letters_end(struct mem_str s, size_t at)
{
	const char *p = s.p;
	if (at + 5 > s.n || !isalpha((unsigned char)p[at]) || p[at + 1] != p[at + 3] ||
	    p[at + 1] == '\0' || strchr(" .-_*", p[at + 1]) == NULL ||
	    (at > 0 && (isalnum((unsigned char)p[at - 1]) || (p[at - 1] & 0x80) != 0)))
		return 0;
	size_t n = 1, i = at + 1;
	while (i + 1 < s.n && p[i] == p[at + 1] && isalpha((unsigned char)p[i + 1]) &&
	    (i + 2 == s.n || !(isalnum((unsigned char)p[i + 2]) || (p[i + 2] & 0x80) != 0))) {
		i += 2;
		n++;
	}
	return n >= 3 ? i : 0;
}

/* May the character change that this byte begins?  All that are not ASCII may, and the controls that nobody sees. */
static bool
is_changeable(unsigned char b)
{
	/* As a signed number, one more than it is: all but 0x20 to 0x7e are below 0x21. */
	return (signed char)(b + 1) <= 0x20 && b != '\t' && b != '\n' && b != '\r';
}

#ifdef __SSE2__
static inline __m128i
find_byte_lanes(__m128i v, char c)
{
	return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

/* Of 16 bytes at p, behind which three more can be read, those that find_next_change has to look at, as bits. */
static unsigned
find_change_lanes(const char *p)
{
	const __m128i v = _mm_loadu_si128((const void *)p), next = _mm_loadu_si128((const void *)(p + 1));
	const __m128i third = _mm_loadu_si128((const void *)(p + 3));
	const __m128i low = _mm_cmplt_epi8(_mm_add_epi8(v, _mm_set1_epi8(1)), _mm_set1_epi8(0x21)); /* is_changeable */
	const __m128i breaks = _mm_or_si128(_mm_or_si128(find_byte_lanes(v, '\t'), find_byte_lanes(v, '\n')), find_byte_lanes(v, '\r'));
	const __m128i parts = _mm_or_si128(_mm_or_si128(_mm_or_si128(find_byte_lanes(next, ' '), find_byte_lanes(next, '.')),
	    _mm_or_si128(find_byte_lanes(next, '-'), find_byte_lanes(next, '_'))), find_byte_lanes(next, '*'));
	const __m128i spaced = _mm_and_si128(_mm_cmpeq_epi8(next, third), parts); /* find_spaced_letters_end */
	return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_andnot_si128(breaks, low), spaced));
}
#endif

/* Past bytes of which none is to be looked at, in whole lots of them. */
static size_t
skip_unchanged(struct mem_str s, size_t at)
{
#ifdef __SSE2__
	enum { LOT = 16, BEHIND = 3 };
	for (; s.n - at >= LOT + BEHIND; at += LOT) {
		unsigned lanes = find_change_lanes(s.p + at);
		if (lanes != 0)
			return at + (size_t)__builtin_ctz(lanes);
	}
#else
	(void)s;
#endif
	return at;
}

/* The first byte from `at` on that may have to change. */
static size_t
find_next_change(struct mem_str s, size_t at)
{
	for (at = skip_unchanged(s, at); at < s.n; at = skip_unchanged(s, at + 1)) {
		if (is_changeable((unsigned char)s.p[at]))
			return at;
		if (at + 3 < s.n && s.p[at + 1] == s.p[at + 3] && find_spaced_letters_end(s, at) != 0)
			return at;
	}
	return at;
}

/* Words with look-alikes begin with a Latin letter more often than not: go back to it. */
static size_t
find_word_start(struct mem_str s, size_t at, size_t done)
{
	while (at > done && isalpha((unsigned char)s.p[at - 1]))
		at--;
	return at;
}

struct plain_view {
	struct mem_view *view;
	struct mem_str s;
	size_t done;     /* bytes of the parent that are in the view or dropped */
	size_t word;     /* end of the word that `mixed` speaks of */
	bool mixed, changed;
	struct mem_buf one;
};

static size_t
simplify_text_at(struct plain_view *b, size_t at)
{
	size_t end = find_spaced_letters_end(b->s, at);
	if (end != 0) {
		mem_view_same(b->view, b->done, at - b->done);
		for (; at < end; at += 2)
			mem_view_made(b->view, (struct mem_str){ b->s.p + at, 1 }, at, 1);
		b->changed = true;
		return b->done = end;
	}
	uint32_t c;
	size_t n = mem_utf8_decode(b->s.p + at, b->s.n - at, &c);
	if (at >= b->word && is_greek_or_cyrillic_letter(c))
		b->word = find_mixed_word_end(b->s, find_word_start(b->s, at, b->done), &b->mixed);
	mem_buf_reset(&b->one);
	enum char_change change = simplify_char(c, b->mixed && at < b->word, &b->one);
	if (change == KEEP)
		return at + n;
	if (c == 0x1b || c == 0x9b)
		n = mem_terminal_sequence(b->s, at);
	b->changed = true;
	b->view->dropped |= change == HIDDEN;
	mem_view_same(b->view, b->done, at - b->done);
	if (change == REPLACE)
		mem_view_made(b->view, mem_buf_span(&b->one), at, n);
	return b->done = at + n;
}

bool
mem_view_plain(struct mem_view *v, const struct mem_view *parent)
{
	struct plain_view b = { .view = v, .s = parent->text };
	mem_view_derive(v, parent);
	for (size_t at = find_next_change(b.s, 0); at < b.s.n; at = find_next_change(b.s, at))
		at = simplify_text_at(&b, at);
	if (b.changed)
		mem_view_same(v, b.done, b.s.n - b.done);
	mem_buf_release(&b.one);
	return b.changed;
}

void
mem_view_seen(struct mem_view *v, const struct mem_view *parent)
{
	struct mem_str s = parent->text;
	size_t done = 0, n = 1;
	mem_view_derive(v, parent);
	for (size_t at = 0; at < s.n; at += n) {
		uint32_t c;
		n = 1;
		if (!is_changeable((unsigned char)s.p[at]))
			continue;
		n = mem_utf8_decode(s.p + at, s.n - at, &c);
		if (!is_left_out_char(c, utf8proc_get_property((utf8proc_int32_t)c)))
			continue;
		if (c == 0x1b || c == 0x9b)
			n = mem_terminal_sequence(s, at);
		mem_view_same(v, done, at - done);
		done = at + n;
	}
	mem_view_same(v, done, s.n - done);
}
