/* SPDX-License-Identifier: Apache-2.0 */
/* Where text may be cut: runs and clusters, words, pieces, parts (rules 1, 2 and 4). */
#include "text/text_int.h"

#include <stdlib.h>
#include <string.h>
#include <uniwbrk.h>
#include <utf8proc.h>

enum { PARTS_MAX = 8 };

void
text_add_span(struct text_spans *s, size_t start, size_t end)
{
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
	s->v[s->n++] = (struct text_span){ (uint32_t)start, (uint32_t)end };
}

/* ---- characters --------------------------------------------------------- */

static bool
is_ascii_lower(unsigned char c)
{
	return (unsigned)(c - 'a') < 26;
}

static bool
is_ascii_upper(unsigned char c)
{
	return (unsigned)(c - 'A') < 26;
}

static bool
is_ascii_digit(unsigned char c)
{
	return (unsigned)(c - '0') < 10;
}

static bool
is_ascii_letter(unsigned char c)
{
	return (unsigned)((c | 0x20) - 'a') < 26;
}

bool
text_is_letter(uint32_t c)
{
	if (c < 0x80)
		return is_ascii_letter((unsigned char)c);
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
	return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
}

bool
text_is_letter_or_digit(uint32_t c)
{
	if (c < 0x80)
		return is_ascii_letter((unsigned char)c) || is_ascii_digit((unsigned char)c);
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
	return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) ||
	    (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO);
}

bool
mem_char_is_word(uint32_t c)
{
	if (c < 0x80)
		return is_ascii_letter((unsigned char)c) || is_ascii_digit((unsigned char)c);
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
	return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_NO;
}

/* ---- runs --------------------------------------------------------------- */

/* Blocks of rule 1's scripts, without their digits, in order. */
static bool
is_run_block_char(uint32_t c)
{
	static const uint32_t blocks[][2] = {
		{ 0x0e01, 0x0e4e }, { 0x0e81, 0x0ecf }, { 0x0edc, 0x0edf }, { 0x1000, 0x103f },
		{ 0x1050, 0x108f }, { 0x1100, 0x11ff }, { 0x1780, 0x17d3 }, { 0x2e80, 0x2fdf },
		{ 0x3005, 0x3007 }, { 0x3021, 0x3029 }, { 0x3031, 0x303b }, { 0x3041, 0x309f },
		{ 0x30a1, 0x30fa }, { 0x30fc, 0x312f }, { 0x3131, 0x318e }, { 0x31a0, 0x31bf },
		{ 0x31f0, 0x31ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff }, { 0xa960, 0xa97c },
		{ 0xa9e0, 0xa9ef }, { 0xa9fa, 0xa9fe }, { 0xaa60, 0xaa76 }, { 0xac00, 0xd7fb },
		{ 0xf900, 0xfad9 }, { 0xff66, 0xff9f }, { 0xffa0, 0xffdc }, { 0x1aff0, 0x1b16f },
		{ 0x20000, 0x323af },
	};
	if (c < blocks[0][0])
		return false;
	for (size_t i = 0; i < MEM_COUNT(blocks); i++)
		if (c <= blocks[i][1])
			return c >= blocks[i][0];
	return false;
}

size_t
text_find_cluster_end(struct mem_str text, size_t at, size_t end)
{
	uint32_t c, next;
	utf8proc_int32_t state = 0;
	size_t i = at + mem_utf8_decode(text.p + at, end - at, &c);
	while (i < end) {
		size_t n = mem_utf8_decode(text.p + i, end - i, &next);
		if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)c, (utf8proc_int32_t)next, &state))
			break;
		c = next;
		i += n;
	}
	return i;
}

size_t
text_find_run_end(struct mem_str text, size_t at, size_t end)
{
	while (at < end) {
		uint32_t c;
		mem_utf8_decode(text.p + at, end - at, &c);
		if (!is_run_block_char(c) || !text_is_letter_or_digit(c))
			break;
		at = text_find_cluster_end(text, at, end);
	}
	return at;
}

/* ---- words -------------------------------------------------------------- */

static bool
has_letter_or_digit(struct mem_str text, size_t start, size_t end)
{
	for (size_t i = start; i < end;) {
		unsigned char b = (unsigned char)text.p[i];
		if (is_ascii_letter(b) || is_ascii_digit(b))
			return true;
		uint32_t c;
		i += mem_utf8_decode(text.p + i, end - i, &c);
		if (text_is_letter_or_digit(c))
			return true;
	}
	return false;
}

static void
add_wordy_span(struct text_spans *out, struct mem_str text, size_t start, size_t end)
{
	if (has_letter_or_digit(text, start, end))
		text_add_span(out, start, end);
}

static void
add_word_span(struct text_word_list *w, struct mem_str text, size_t start, size_t end)
{
	while (start < end && text.p[start] == '_')
		start++;
	while (start < end && text.p[end - 1] == '_')
		end--;
	add_wordy_span(&w->words, text, start, end);
}

/*
 * UAX #29 for ASCII: letters, digits and underscore hold together (WB5, WB8 to WB10, WB13a,
 * WB13b); one of . : ' between letters (WB6, WB7) and of . , ; ' between digits (WB11, WB12) too.
 */
static bool
is_word_bridge(unsigned char before, unsigned char c, unsigned char after)
{
	if (c == '.' || c == '\'')
		return (is_ascii_letter(before) && is_ascii_letter(after)) || (is_ascii_digit(before) && is_ascii_digit(after));
	if (c == ':')
		return is_ascii_letter(before) && is_ascii_letter(after);
	return (c == ',' || c == ';') && is_ascii_digit(before) && is_ascii_digit(after);
}

static void
find_ascii_words(struct text_word_list *w, struct mem_str text, size_t start, size_t end)
{
	const unsigned char *p = (const unsigned char *)text.p;
	for (size_t i = start; i < end;) {
		size_t from = i;
		while (i < end && (is_ascii_letter(p[i]) || is_ascii_digit(p[i]) || p[i] == '_' ||
		    (i > from && i + 1 < end && is_word_bridge(p[i - 1], p[i], p[i + 1]))))
			i++;
		if (i > from)
			add_word_span(w, text, from, i);
		else
			i++;
	}
}

static void
find_unicode_words(struct text_word_list *w, struct mem_str text, size_t start, size_t end)
{
	size_t n = end - start;
	w->breaks = mem_grow(w->breaks, &w->cap, n, 1);
	u8_wordbreaks((const uint8_t *)text.p + start, n, w->breaks);
	size_t from = 0;
	for (size_t i = 1; i <= n; i++) {
		if (i < n && !w->breaks[i])
			continue;
		add_word_span(w, text, start + from, start + i);
		from = i;
	}
}

void
text_find_words(struct text_word_list *w, struct mem_str text, size_t start, size_t end, bool ascii)
{
	w->words.n = 0;
	if (ascii && !w->by_unicode)
		find_ascii_words(w, text, start, end);
	else
		find_unicode_words(w, text, start, end);
}

/* ---- pieces ------------------------------------------------------------- */

static bool
is_apostrophe(uint32_t c)
{
	return c == '\'' || c == 0x2019 || c == 0x02bc || c == 0xff07;
}

/* Does character c stay inside a word?  Letters, digits, marks and invisible characters do. */
static bool
is_kept_in_word(uint32_t c)
{
	if (c < 0x80)
		return is_ascii_letter((unsigned char)c) || is_ascii_digit((unsigned char)c);
	if (c == 0x00b7 || c == 0x0387)
		return true;
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
	return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_NO) || k == UTF8PROC_CATEGORY_CF;
}

void
text_find_pieces(struct text_spans *out, struct mem_str text, struct text_span word,
    bool elides, bool *compound)
{
	size_t first = out->n, from = word.start;
	bool cut = false;
	for (size_t i = from; i < word.end;) {
		uint32_t c = (unsigned char)text.p[i];
		size_t n = c < 0x80 ? 1 : mem_utf8_decode(text.p + i, word.end - i, &c);
		bool apo = is_apostrophe(c);
		if (apo ? elides : !is_kept_in_word(c)) {
			add_wordy_span(out, text, from, i);
			from = i + n;
			cut = cut || !apo;
		}
		i += n;
	}
	add_wordy_span(out, text, from, word.end);
	*compound = *compound || (cut && out->n - first > 1);
}

/* ---- names -------------------------------------------------------------- */

bool
text_is_all_letters(struct mem_str s)
{
	for (size_t i = 0; i < s.n;) {
		uint32_t c;
		i += mem_utf8_decode(s.p + i, s.n - i, &c);
		if (!text_is_letter(c))
			return false;
	}
	return s.n > 0;
}

bool
text_find_name_apostrophe(struct mem_str text, struct text_span word, struct text_span *mark)
{
	enum { LEAST = 3 };
	size_t behind = 0, marks = 0;
	for (size_t i = word.start, n; i < word.end; i += n) {
		uint32_t c;
		n = mem_utf8_decode(text.p + i, word.end - i, &c);
		if (!is_apostrophe(c)) {
			behind += text_is_letter(c);
			continue;
		}
		*mark = (struct text_span){ (uint32_t)i, (uint32_t)(i + n) };
		behind = 0;
		marks++;
	}
	return marks == 1 && mark->start > word.start && behind >= LEAST;
}

bool
text_is_hash(struct mem_str word)
{
	bool digits = false, letters = false;
	for (size_t i = 0; i < word.n; i++) {
		unsigned char c = (unsigned char)word.p[i], low = c | 0x20;
		bool digit = is_ascii_digit(c), letter = low >= 'a' && low <= 'f';
		if (!digit && !letter)
			return false;
		digits |= digit;
		letters |= letter;
	}
	return word.n > TEXT_HASH_LEAST && digits && letters;
}

/* ---- parts -------------------------------------------------------------- */

enum char_shape { OTHER, LOWER, UPPER, DIGIT, MARK };

static enum char_shape
find_char_shape(uint32_t c)
{
	if (c < 0x80)
		return is_ascii_lower((unsigned char)c) ? LOWER : is_ascii_upper((unsigned char)c) ? UPPER :
		    is_ascii_digit((unsigned char)c) ? DIGIT : OTHER;
	switch (utf8proc_category((utf8proc_int32_t)c)) {
	case UTF8PROC_CATEGORY_LU: case UTF8PROC_CATEGORY_LT:
		return UPPER;
	case UTF8PROC_CATEGORY_LL:
		return LOWER;
	case UTF8PROC_CATEGORY_ND:
		return DIGIT;
	case UTF8PROC_CATEGORY_MN: case UTF8PROC_CATEGORY_MC: case UTF8PROC_CATEGORY_ME:
	case UTF8PROC_CATEGORY_CF:
		return MARK;
	default:
		return OTHER;
	}
}

/* URLs, IDs: capitals and a last small s. */
static bool
is_upper_plural(struct mem_str s)
{
	if (s.n < 3 || s.p[s.n - 1] != 's')
		return false;
	for (size_t i = 0; i + 1 < s.n; i++)
		if (!is_ascii_upper((unsigned char)s.p[i]))
			return false;
	return true;
}

void
text_find_parts(struct text_spans *out, struct mem_str text, struct text_span piece)
{
	size_t first = out->n, from = piece.start, last = 0;
	enum char_shape before = OTHER, prev = OTHER; /* of the characters at and before `last` */
	struct mem_str raw = { text.p + piece.start, piece.end - piece.start };
	bool undivided = is_upper_plural(raw);
	for (size_t i = piece.start; i < piece.end && !undivided;) {
		size_t at = i;
		uint32_t c = (unsigned char)text.p[i];
		i += c < 0x80 ? 1 : mem_utf8_decode(text.p + i, piece.end - i, &c);
		enum char_shape now = find_char_shape(c);
		if (now == MARK)
			continue;
		size_t cut = from;
		if (now == UPPER && prev == LOWER)
			cut = at;
		else if (now == LOWER && prev == UPPER && (before == UPPER || before == DIGIT))
			cut = last;
		if (cut > from) {
			text_add_span(out, from, cut);
			from = cut;
		}
		before = prev;
		prev = now;
		last = at;
	}
	text_add_span(out, from, piece.end);
	if (out->n - first > PARTS_MAX) {
		out->n = first;
		text_add_span(out, piece.start, piece.end);
	}
}
