/* SPDX-License-Identifier: Apache-2.0 */
/* The words of mark_words.txt, found in its own bytes by halving: no table is made when a command starts. */
#include "text/marks_int.h"

#include <utf8proc.h>

extern const unsigned char mem_data_text_mark_words[];
extern const size_t mem_data_text_mark_words_len;

/* Longer than any listed word, in bytes. */
enum { MARK_WORD_MAX = 20 };

static const struct {
	const char *name;
	uint16_t bits;
} mark_classes[] = {
	{ "time", TEXT_IS_TIME }, { "number", TEXT_IS_NUMBER }, { "me", TEXT_IS_ME }, { "you", TEXT_IS_YOU },
	{ "greeting", TEXT_IS_GREETING },
#define ROLE(name, role) { name, TEXT_ROLE_##role << TEXT_ROLE_SHIFT }
	ROLE("count", COUNT), ROLE("month", MONTH), ROLE("weekday", WEEKDAY), ROLE("season", SEASON), ROLE("day", DAY),
	ROLE("unit", UNIT), ROLE("last", LAST), ROLE("next", NEXT), ROLE("this", THIS), ROLE("ago", AGO),
	ROLE("ago_before", AGO_BEFORE), ROLE("before", BEFORE), ROLE("after", AFTER), ROLE("end", END), ROLE("of", OF),
	ROLE("when", WHEN), ROLE("what", WHAT), ROLE("how", HOW), ROLE("long", LONG),
#undef ROLE
};

static bool
is_capital_first(struct mem_str raw)
{
	uint32_t c;
	mem_utf8_decode(raw.p, raw.n, &c);
	return c < 0x80 ? c - 'A' < 26 : utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_LU;
}

/* "month=5" or "time", at p and before the next + or blank. */
static uint16_t
read_mark_class(const unsigned char *p, size_t n)
{
	const unsigned char *equals = memchr(p, '=', n);
	size_t name = equals != NULL ? (size_t)(equals - p) : n;
	int value = 0;
	if (equals != NULL)
		for (const unsigned char *d = equals + 1; d < p + n; d++)
			value = *d == '-' ? 0 : value * 10 + (*d - '0');
	if (equals != NULL && equals[1] == '-')
		value = -value;
	for (size_t i = 0; i < MEM_COUNT(mark_classes); i++)
		if (mem_str_is((struct mem_str){ (const char *)p, name }, mark_classes[i].name))
			return (uint16_t)(mark_classes[i].bits | (equals != NULL ? (value + TEXT_VALUE_ZERO) << TEXT_VALUE_SHIFT : 0));
	return 0;
}

/* The classes up to the next blank or the line's end; 0 where the word's case is another one. */
static uint16_t
read_mark_classes(const unsigned char *p, bool capital)
{
	uint16_t bits = 0;
	bool fits = true;
	while (*p != ' ' && *p != '\n') {
		size_t n = 0;
		while (p[n] != ' ' && p[n] != '\n' && p[n] != '+')
			n++;
		struct mem_str name = { (const char *)p, n };
		if (mem_str_is(name, "capital") || mem_str_is(name, "small"))
			fits = (p[0] == 'c') == capital;
		else
			bits |= read_mark_class(p, n);
		p += n + (p[n] == '+');
	}
	return fits ? bits : 0;
}

/* What follows the word on its line; NULL: it is not listed. */
static const unsigned char *
find_listed_line(struct mem_str word)
{
	const unsigned char *data = mem_data_text_mark_words;
	size_t low = 0, high = word.n > 0 && word.n <= MARK_WORD_MAX ? mem_data_text_mark_words_len : 0;
	while (low < high) {
		size_t at = low + (high - low) / 2;
		while (at > low && data[at - 1] != '\n')
			at--;
		const unsigned char *blank = data + at;
		while (*blank != ' ' && *blank != '\n')
			blank++;
		int d = mem_str_cmp((struct mem_str){ (const char *)data + at, (size_t)(blank - data) - at }, word);
		if (d == 0)
			return blank;
		if (d > 0) {
			high = at;
			continue;
		}
		while (*blank != '\n')
			blank++;
		low = (size_t)(blank - data) + 1;
	}
	return NULL;
}

void
text_find_mark_word(struct mem_str folded, struct mem_str raw, uint16_t classes[TEXT_MARK_LANGS])
{
	static const char codes[TEXT_MARK_LANGS][3] = { "en", "de", "fr", "es" };
	memset(classes, 0, TEXT_MARK_LANGS * sizeof *classes);
	const unsigned char *p = find_listed_line(folded);
	bool capital = p != NULL && is_capital_first(raw);
	while (p != NULL && *p == ' ') {
		p++;
		for (size_t i = 0; i < TEXT_MARK_LANGS; i++)
			if (memcmp(p, codes[i], 2) == 0)
				classes[i] = read_mark_classes(p + 3, capital);
		while (*p != ' ' && *p != '\n')
			p++;
	}
}
