/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a text with what is listed of each. */
#include "text/marks_int.h"

#include <utf8proc.h>

/* Longer words are not looked up: none that long is listed, nor a stop word. */
enum { LOOKED_UP_MAX = 26 };

/* What lies between two words decides what the second one may be. */
struct token_reader {
	struct mem_str text;
	struct text_stems *stems;
	struct text_tokens *out;
	uint32_t counts[TEXT_LANG_LATIN_COUNT];
	bool begins, comma, apostrophe;
};

/* The classes of characters that words are made of. */
enum { CHAR_OTHER, CHAR_SMALL, CHAR_CAPITAL, CHAR_DIGIT };

static unsigned
classify_ascii(unsigned char c)
{
	if ((unsigned)(c - 'a') < 26)
		return CHAR_SMALL;
	if ((unsigned)(c - 'A') < 26)
		return CHAR_CAPITAL;
	return (unsigned)(c - '0') < 10 ? CHAR_DIGIT : CHAR_OTHER;
}

static unsigned
classify_wide_char(const char *p, size_t left, size_t *n)
{
	uint32_t c;
	*n = mem_utf8_decode(p, left, &c);
	switch (utf8proc_category((utf8proc_int32_t)c)) {
	case UTF8PROC_CATEGORY_LU: case UTF8PROC_CATEGORY_LT:
		return CHAR_CAPITAL;
	case UTF8PROC_CATEGORY_LL: case UTF8PROC_CATEGORY_LM: case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_MN: case UTF8PROC_CATEGORY_MC: case UTF8PROC_CATEGORY_ME:
		return CHAR_SMALL;
	case UTF8PROC_CATEGORY_ND: case UTF8PROC_CATEGORY_NL: case UTF8PROC_CATEGORY_NO:
		return CHAR_DIGIT;
	default:
		return CHAR_OTHER;
	}
}

/* Of the character at p; *n is its length.  Marks go with the letter before them. */
static inline unsigned
classify_char(const char *p, size_t left, size_t *n)
{
	if ((unsigned char)*p >= 0x80)
		return classify_wide_char(p, left, n);
	*n = 1;
	return classify_ascii((unsigned char)*p);
}

/* An apostrophe's length at p, 0: none. */
static size_t
measure_apostrophe(const char *p, size_t left)
{
	if (*p == '\'')
		return 1;
	return left >= 3 && memcmp(p, "\xe2\x80\x99", 3) == 0 ? 3 : 0;
}

/* st, nd, rd, th, er, e, º, ª behind digits. */
static bool
is_ordinal_ending(struct mem_str s)
{
	static const char *const endings[] = { "st", "nd", "rd", "th", "er", "e", "re", "º", "ª" };
	for (size_t i = 0; i < MEM_COUNT(endings); i++)
		if (mem_str_is(s, endings[i]))
			return true;
	return false;
}

static uint16_t
read_token_number(struct mem_str s, size_t *digits)
{
	unsigned v = 0;
	size_t i = 0;
	for (; i < s.n && classify_ascii((unsigned char)s.p[i]) == CHAR_DIGIT; i++)
		v = i < 4 ? v * 10 + (unsigned)(s.p[i] - '0') : UINT16_MAX;
	*digits = i;
	return (uint16_t)v;
}

static bool
begins_latin(struct mem_str s)
{
	uint32_t c;
	bool latin;
	mem_utf8_decode(s.p, s.n, &c);
	text_find_script_language(c, &latin);
	return latin && text_is_letter(c);
}

/* A stop word of a language counts for it, and so does a word listed in one. */
static void
count_languages(struct token_reader *r, const struct text_word_facts *facts)
{
	uint32_t m = facts->stops;
	for (uint32_t i = 0; i < TEXT_MARK_LANGS; i++)
		m |= (uint32_t)(facts->classes[i] != 0) << i;
	for (; m != 0; m &= m - 1)
		r->counts[__builtin_ctz(m)]++;
}

static struct text_word_facts
look_up_span(struct token_reader *r, size_t start, size_t end)
{
	struct text_word_facts facts = { 0 };
	struct mem_str s = { r->text.p + start, end - start };
	if (s.n <= LOOKED_UP_MAX && begins_latin(s))
		text_look_up_word(r->stems, s, &facts);
	return facts;
}

/* What is listed of the tokens from `first` on, which apostrophes part; as a stop word they are one word. */
static void
look_up_tokens(struct token_reader *r, size_t first)
{
	struct text_tokens *t = r->out;
	for (size_t i = first; i < t->n; i++) {
		struct text_word_facts facts = look_up_span(r, t->v[i].start, t->v[i].end);
		memcpy(t->v[i].classes, facts.classes, sizeof facts.classes);
		if (t->n - first == 1)
			count_languages(r, &facts);
	}
	if (t->n - first > 1) {
		struct text_word_facts facts = look_up_span(r, t->v[first].start, t->v[t->n - 1].end);
		count_languages(r, &facts);
	}
}

static void
add_token(struct token_reader *r, size_t start, size_t end, unsigned bits)
{
	struct text_tokens *t = r->out;
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof *t->v);
	struct text_token *k = &t->v[t->n++];
	*k = (struct text_token){ .start = (uint32_t)start, .end = (uint32_t)end, .number = UINT16_MAX };
	if (bits & TEXT_TOKEN_DIGIT) {
		struct mem_str s = text_token_str(r->text, k);
		size_t digits;
		k->number = read_token_number(s, &digits);
		if (digits > 0 && (digits == s.n || is_ordinal_ending((struct mem_str){ s.p + digits, s.n - digits })))
			bits = (bits | TEXT_TOKEN_NUMBER) & ~(unsigned)TEXT_TOKEN_MIXED;
	}
	k->bits = (uint8_t)(bits | (r->begins ? TEXT_TOKEN_BEGINS : 0) | (r->comma ? TEXT_TOKEN_COMMA : 0) |
	    (r->apostrophe ? TEXT_TOKEN_APOSTROPHE : 0));
	r->begins = r->comma = false;
}

/* One token; returns where it ends. */
static size_t
read_token(struct token_reader *r, size_t at)
{
	struct mem_str text = r->text;
	size_t start = at, chars = 0, capitals = 0, digits = 0, n;
	unsigned first = CHAR_OTHER;
	for (; at < text.n; at += n, chars++) {
		unsigned c = classify_char(text.p + at, text.n - at, &n);
		if (c == CHAR_OTHER)
			break;
		if (chars == 0)
			first = c;
		capitals += c == CHAR_CAPITAL;
		digits += c == CHAR_DIGIT;
	}
	unsigned bits = 0;
	if (first == CHAR_CAPITAL && chars >= 2)
		bits |= TEXT_TOKEN_CAPITAL | (capitals > 1 || digits > 0 ? TEXT_TOKEN_CAPITALS : 0);
	if (first == CHAR_DIGIT)
		bits |= TEXT_TOKEN_DIGIT;
	if (digits > 0 && digits < chars)
		bits |= TEXT_TOKEN_MIXED;
	add_token(r, start, at, bits);
	return at;
}

/* The character between words at `at`; returns its length. */
static size_t
read_between(struct token_reader *r, size_t at)
{
	const char *p = r->text.p + at;
	size_t left = r->text.n - at;
	if ((unsigned char)*p < 0x80) {
		r->begins |= *p == '.' || *p == '!' || *p == '?' || *p == '\n';
		r->comma |= *p == ',';
		return 1;
	}
	uint32_t c;
	size_t n = mem_utf8_decode(p, left, &c);
	r->begins |= c == 0x2026 || c == 0xbf || c == 0xa1 || c == 0x3002 || c == 0xff01 || c == 0xff1f || c == 0x61f;
	return n;
}

/* The words that lie between two apostrophes, or none: to the end of what they part. */
static size_t
read_word(struct token_reader *r, size_t at)
{
	size_t first = r->out->n, mark;
	r->apostrophe = false;
	for (at = read_token(r, at); at < r->text.n; at = read_token(r, at + mark)) {
		size_t n;
		mark = measure_apostrophe(r->text.p + at, r->text.n - at);
		if (mark == 0 || at + mark >= r->text.n ||
		    classify_char(r->text.p + at + mark, r->text.n - at - mark, &n) == CHAR_OTHER)
			break;
		r->apostrophe = true;
	}
	look_up_tokens(r, first);
	return at;
}

static enum text_lang
choose_text_language(const struct token_reader *r, enum text_lang expected)
{
	enum text_lang best = expected < TEXT_LANG_LATIN_COUNT ? expected : TEXT_LANG_ENGLISH;
	for (int i = 0; i < TEXT_LANG_LATIN_COUNT; i++)
		if (r->counts[i] > r->counts[best])
			best = (enum text_lang)i;
	return best;
}

struct text_tokens *
text_read_tokens(struct mem_analyser *a, struct mem_str text)
{
	struct token_reader r = {
		.text = text, .stems = text_analyser_stems(a), .out = text_analyser_tokens(a), .begins = true,
	};
	r.out->n = 0;
	for (size_t at = 0, n; at < text.n;)
		at = classify_char(text.p + at, text.n - at, &n) == CHAR_OTHER ? at + read_between(&r, at) : read_word(&r, at);
	r.out->lang = choose_text_language(&r, text_analyser_language(a));
	return r.out;
}
