/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of sentence splitting: characters, lines, listed words, what ends a sentence. */
#ifndef MEM_SENTENCE_INT_H
#define MEM_SENTENCE_INT_H

#include "text/passages.h"
#include "text/text.h"

/* ---- characters (sentence_chars.c) ------------------------------------- */

/* The character that begins at `at`, 0 at `end`; returns its length. */
size_t text_read_char(struct mem_str text, size_t at, size_t end, uint32_t *c);
/* The character that ends at `at`, 0 at `start`; returns its length. */
size_t text_read_char_before(struct mem_str text, size_t start, size_t at, uint32_t *c);
/* The first byte at or after `at` that is no white space. */
size_t text_skip_white_space(struct mem_str text, size_t at);
/* The end of text[start, at) without white space at its end. */
size_t text_trim_end(struct mem_str text, size_t start, size_t at);

/* What a character may do at the end of a sentence, as bits. */
enum text_mark {
	TEXT_MARK_STOP = 1,     /* . */
	TEXT_MARK_ELLIPSIS = 2,
	TEXT_MARK_STRONG = 4,   /* ends a sentence whatever the word before it: ! ? and other scripts' full stops */
	TEXT_MARK_WIDE = 8,     /* needs no white space after it */
	TEXT_MARK_OPENS = 16,   /* an opening quote or bracket, ¿ ¡ or emphasis */
	TEXT_MARK_CLOSES = 32,  /* a closing quote or bracket, or emphasis */
	TEXT_MARK_JOINS = 64,   /* a comma and the like: no sentence begins with it */
	TEXT_MARK_PICTURE = 128 /* emoji, and what joins them */
};
unsigned text_find_marks(uint32_t c);
#define TEXT_MARK_ENDS (TEXT_MARK_STOP | TEXT_MARK_ELLIPSIS | TEXT_MARK_STRONG)

/* ---- lines (sentence_lines.c) ------------------------------------------ */

enum text_line_kind {
	TEXT_LINE_PROSE, TEXT_LINE_BLANK, TEXT_LINE_HEADING, TEXT_LINE_FENCE, TEXT_LINE_RULE, TEXT_LINE_ROW, TEXT_LINE_ITEM
};
struct text_line {
	enum text_line_kind kind;
	unsigned indent;        /* columns of white space after the last >, at most 255 */
	unsigned quotes;        /* how many > it begins with */
	size_t body;            /* what follows these, and an item's mark */
	char mark;              /* of a fence or rule: its character */
	unsigned length;        /* of a fence: how many */
	bool bare;              /* a fence with nothing after it */
	bool interrupts;        /* an item that needs no list before it to be one */
};
struct text_line text_look_at_line(struct mem_str text, size_t at);
/* The line break at or after `at`, or the end of the text. */
size_t text_find_line_end(struct mem_str text, size_t at);
/* The end of the fenced block whose first line begins at `at`. */
size_t text_find_fence_end(struct mem_str text, size_t at, const struct text_line *open);
/* The end of the indented block that begins with the line at `at`; `at` itself: it is none. */
size_t text_find_indented_end(struct mem_str text, size_t at);

/* ---- words that are listed (sentence_words.c) --------------------------- */

/* What may follow a full stop after a word without a new sentence, and what else is listed of it. */
enum text_word_bits {
	TEXT_BEFORE_SMALL = 1,   /* a lowercase letter */
	TEXT_BEFORE_DIGIT = 2,
	TEXT_BEFORE_CAPITAL = 4, /* a capital, or a letter without case, but for words that begin sentences */
	TEXT_BEFORE_ANY = 8,     /* these too */
	TEXT_WORD_STARTS = 16,   /* begins many sentences and few names */
	TEXT_WORD_STARTS_SMALL = 32, /* in lowercase letters, too */
	TEXT_WORD_ORDINAL = 64,  /* a number and a full stop after it are an ordinal */
	TEXT_WORD_MONTH = 128
};
/* Of a word, whatever its case; a word that is listed with a capital must have one.  0: not listed. */
unsigned text_find_listed_word(struct mem_str word);

/* ---- what ends a sentence (sentence_end.c) ------------------------------ */

/*
 * A mark stands at `at`, in a sentence whose words begin at `start`.  True: the sentence ends, and *after is its end.
 * False: reading goes on at *after.
 */
bool text_judge_end(struct mem_str text, size_t start, size_t at, size_t *after);

#endif
