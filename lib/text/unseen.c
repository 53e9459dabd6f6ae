/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of characters that nobody sees, and where they do honest work. */
#include "text/text.h"

#include <string.h>

#include <utf8proc.h>

struct unseen_range {
	uint32_t first, last;
};

static bool
is_in_code_points(const struct unseen_range *r, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n && r[i].first <= c; i++)
		if (c <= r[i].last)
			return true;
	return false;
}

/*
 * Besides the format characters (category Cf): all other Default_Ignorable_Code_Point of Unicode 16
 * (DerivedCoreProperties.txt), whole blocks of them, whether assigned yet or not; and characters without ink that
 * have not that property.
 */
static const struct unseen_range others[] = {
	{ 0x034f, 0x034f },   /* combining grapheme joiner */
	{ 0x115f, 0x1160 },   /* Hangul fillers */
	{ 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
	{ 0x180b, 0x180f },   /* Mongolian variation selectors, vowel separator */
	{ 0x2060, 0x206f },
	{ 0x3164, 0x3164 },   /* Hangul filler */
	{ 0xfe00, 0xfe0f },   /* variation selectors */
	{ 0xffa0, 0xffa0 },   /* half-width Hangul filler */
	{ 0xfff0, 0xfffc },   /* specials; with the annotation marks and the object replacement character */
	{ 0x1107f, 0x1107f }, /* Brahmi number joiner */
	{ 0x16fe4, 0x16fe4 }, /* Khitan small script filler */
	{ 0x1d159, 0x1d159 }, /* musical null notehead */
	{ 0xe0000, 0xe0fff }, /* tags, supplementary variation selectors */
};

/* Format characters that are seen: Prepended_Concatenation_Mark (PropList.txt). */
static const struct unseen_range seen_formats[] = {
	{ 0x0600, 0x0605 }, { 0x06dd, 0x06dd }, { 0x070f, 0x070f }, { 0x0890, 0x0891 }, { 0x08e2, 0x08e2 },
	{ 0x110bd, 0x110bd }, { 0x110cd, 0x110cd },
};

bool
mem_char_is_unseen(uint32_t c)
{
	if (c < 0xa0)
		return c < 0x20 ? c != '\t' && c != '\n' && c != '\r' : c >= 0x7f && c != 0x85;
	if (c < 0x300)
		return c == 0xad; /* soft hyphen */
	if ((c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef)) /* noncharacters */
		return true;
	if (is_in_code_points(others, MEM_COUNT(others), c))
		return true;
	return utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_CF &&
	    !is_in_code_points(seen_formats, MEM_COUNT(seen_formats), c);
}

/* ---- what terminals obey ------------------------------------------------- */

/* The end of a string of a terminal, from `at` on: BEL, or ESC \\ in the same line; 0: it has none. */
static size_t
find_terminal_string_end(struct mem_str s, size_t at)
{
	for (; at < s.n && s.p[at] != '\n'; at++) {
		if (s.p[at] == '\a')
			return at + 1;
		if (s.p[at] == 0x1b)
			return at + 1 < s.n && s.p[at + 1] == '\\' ? at + 2 : 0;
	}
	return 0;
}

/* Behind the bytes from `at` on that lie in [first, last]. */
static size_t
skip_byte_range(struct mem_str s, size_t at, char first, char last)
{
	while (at < s.n && s.p[at] >= first && s.p[at] <= last)
		at++;
	return at;
}

/*
 * The end of a control sequence whose parameters begin at `at`; 0: it is none.  Without parameters any other letter than the
 * `bare` ones may be that of a word.
 */
static size_t
find_control_end(struct mem_str s, size_t at, const char *bare)
{
	size_t end = skip_byte_range(s, skip_byte_range(s, at, 0x30, 0x3f), 0x20, 0x2f);
	if (end >= s.n || s.p[end] < 0x40 || s.p[end] > 0x7e || (end == at && strchr(bare, s.p[end]) == NULL))
		return 0;
	return end + 1;
}

size_t
mem_terminal_sequence(struct mem_str s, size_t at)
{
	const bool wide = s.p[at] != 0x1b; /* U+009B */
	const size_t begin = wide ? 1 : 0, next = at + 1 + begin;
	size_t end = 0;
	if (wide || (next < s.n && s.p[next] == '['))
		end = find_control_end(s, next + !wide, wide ? "" : "mKHJABCDsu");
	else if (next + 1 < s.n && s.p[next] != '\0' && strchr("]PX^_", s.p[next]) != NULL)
		end = find_terminal_string_end(s, next + 1);
	else if (next + 1 < s.n && s.p[next] != '\0' && strchr("()*+#%", s.p[next]) != NULL && s.p[next + 1] >= 0x30 && s.p[next + 1] <= 0x7e)
		end = next + 2;
	return end > 0 ? end - at : 1 + begin;
}

/* ---- honest work --------------------------------------------------------- */

static bool
is_joiner(uint32_t c)
{
	return c == 0x200c || c == 0x200d;
}

static bool
is_selector(uint32_t c)
{
	return c >= 0xfe00 && c <= 0xfe0f;
}

/* A letter or mark of a script whose letters join, or a picture. */
static bool
is_joined_char(uint32_t c)
{
	if (c < 0x590 || mem_char_is_unseen(c))
		return false;
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
	return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_NO) || k == UTF8PROC_CATEGORY_SO ||
	    k == UTF8PROC_CATEGORY_SM || k == UTF8PROC_CATEGORY_SK || k == UTF8PROC_CATEGORY_CN;
}

/* What has several forms; of ASCII that is the base of a keycap. */
static bool
has_forms(uint32_t c)
{
	if (c < 0x80)
		return (c >= '0' && c <= '9') || c == '#' || c == '*';
	return c == 0xa9 || c == 0xae || c >= 0x2000;
}

/* Controls of one script, which stand behind its letters. */
static bool
is_script_control(uint32_t c, uint32_t before)
{
	static const struct {
		struct unseen_range controls, script;
	} scripts[] = {
		{ { 0x034f, 0x034f }, { 0x0300, 0x05ff } },    /* orders marks, of Hebrew above all */
		{ { 0x115f, 0x1160 }, { 0x1100, 0x11ff } },
		{ { 0x180b, 0x180f }, { 0x1820, 0x18aa } },
		{ { 0x3164, 0x3164 }, { 0x3131, 0x318e } },
		{ { 0x1107f, 0x1107f }, { 0x11000, 0x1106f } },
		{ { 0x13430, 0x1343f }, { 0x13000, 0x143fa } },
		{ { 0x16fe4, 0x16fe4 }, { 0x18b00, 0x18cff } },
		{ { 0x1bca0, 0x1bca3 }, { 0x1bc00, 0x1bc9f } },
		{ { 0x1d159, 0x1d159 }, { 0x1d100, 0x1d1ff } },
		{ { 0x1d173, 0x1d17a }, { 0x1d100, 0x1d1ff } },
	};
	for (size_t i = 0; i < MEM_COUNT(scripts); i++)
		if (c >= scripts[i].controls.first && c <= scripts[i].controls.last)
			return before >= scripts[i].script.first && before <= scripts[i].script.last && before != c;
	return false;
}

bool
mem_char_is_shaping(uint32_t before, uint32_t c, uint32_t after)
{
	if (is_joiner(c))
		return is_selector(before) || is_joined_char(before) || (!is_joiner(before) && is_joined_char(after));
	if (is_selector(c))
		return has_forms(before) && (before >= 0x80 || c >= 0xfe0e) && !mem_char_is_unseen(before);
	return is_script_control(c, before);
}
