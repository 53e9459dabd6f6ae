/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of reading marks: listed words, the words of a text as such a reader sees them. */
#ifndef MEM_MARKS_INT_H
#define MEM_MARKS_INT_H

#include "text/marks.h"
#include "text/text_int.h"

/* ---- listed words (mark_words.c) ---------------------------------------- */

/* A word's classes in one language: bits, a role above them, and the role's value above that. */
enum {
	TEXT_IS_TIME = 1, TEXT_IS_NUMBER = 2, TEXT_IS_ME = 4, TEXT_IS_YOU = 8, TEXT_IS_GREETING = 16,
	TEXT_ROLE_SHIFT = 5, TEXT_ROLE_MASK = 31,
	TEXT_VALUE_SHIFT = 10, TEXT_VALUE_ZERO = 32,
};
enum text_role {
	TEXT_ROLE_NONE, TEXT_ROLE_COUNT, TEXT_ROLE_MONTH, TEXT_ROLE_WEEKDAY, TEXT_ROLE_SEASON, TEXT_ROLE_DAY, TEXT_ROLE_UNIT,
	TEXT_ROLE_LAST, TEXT_ROLE_NEXT, TEXT_ROLE_THIS, TEXT_ROLE_AGO, TEXT_ROLE_AGO_BEFORE, TEXT_ROLE_BEFORE, TEXT_ROLE_AFTER,
	TEXT_ROLE_END, TEXT_ROLE_OF, TEXT_ROLE_WHEN, TEXT_ROLE_WHAT, TEXT_ROLE_HOW, TEXT_ROLE_LONG
};
/* Values of role UNIT. */
enum text_unit {
	TEXT_UNIT_DAY = 1, TEXT_UNIT_WEEK, TEXT_UNIT_MONTH, TEXT_UNIT_YEAR, TEXT_UNIT_WEEKEND, TEXT_UNIT_NIGHT,
	TEXT_UNIT_PART, /* of a day */
	TEXT_UNIT_OTHER
};

static inline enum text_role
text_mark_role(uint16_t classes)
{
	return (enum text_role)(classes >> TEXT_ROLE_SHIFT & TEXT_ROLE_MASK);
}

static inline int
text_mark_value(uint16_t classes)
{
	return (classes >> TEXT_VALUE_SHIFT) - TEXT_VALUE_ZERO;
}

/* ---- words of a text (mark_tokens.c) ------------------------------------ */

/*
 * Letters and digits that stand together; an apostrophe parts them.  What a token is by its characters, as bits.
 */
enum {
	TEXT_TOKEN_CAPITAL = 1,     /* begins with a capital, and has two letters or more */
	TEXT_TOKEN_CAPITALS = 2,    /* and another capital or a digit behind it */
	TEXT_TOKEN_NUMBER = 4,      /* digits, and nothing else but the ending of an ordinal */
	TEXT_TOKEN_DIGIT = 8,       /* begins with a digit */
	TEXT_TOKEN_BEGINS = 16,     /* a sentence */
	TEXT_TOKEN_APOSTROPHE = 32, /* stands before it */
	TEXT_TOKEN_COMMA = 64,      /* stands before it */
	TEXT_TOKEN_MIXED = 128,     /* digits and letters */
};
struct text_token {
	uint32_t start, end;
	uint16_t classes[TEXT_MARK_LANGS];
	uint16_t number;            /* of at most four digits; else UINT16_MAX */
	uint8_t bits;
};
struct text_tokens {
	struct text_token *v;
	size_t n, cap;
	enum text_lang lang;        /* of the text's Latin words */
};
/* All of a text, into the analyser's own list; BORROWS until the next. */
struct text_tokens *text_read_tokens(struct mem_analyser *a, struct mem_str text);

static inline struct mem_str
text_token_str(struct mem_str text, const struct text_token *k)
{
	return (struct mem_str){ text.p + k->start, k->end - k->start };
}

/* The classes of a token in the text's language; 0 where that is none of those listed. */
static inline uint16_t
text_token_classes(const struct text_tokens *t, size_t i)
{
	return i < t->n && (unsigned)t->lang < TEXT_MARK_LANGS ? t->v[i].classes[t->lang] : 0;
}

/* ---- of the analyser (analyse.c) ---------------------------------------- */

struct text_stems *text_analyser_stems(struct mem_analyser *a);
struct text_tokens *text_analyser_tokens(struct mem_analyser *a);
/* TEXT_LANG_COUNT: by each text. */
enum text_lang text_analyser_language(const struct mem_analyser *a);

#endif
