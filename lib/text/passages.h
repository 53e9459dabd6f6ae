/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text, sentences and passages: a text divided into byte spans.
 *
 * A sentence is what a reader takes for one.  A passage is a run of sentences that is small enough for its
 * reader: an encoder, a prompt, an excerpt.  text[start, end) is the sentence or passage, without white
 * space at its ends; nothing is copied or changed.  White space is what has the Unicode property White_Space.
 * Texts must be valid UTF-8.  The same text always gives the same spans.  The time is proportional to the
 * length of the text, whatever it holds; reading sentences takes no memory.
 *
 * A sentence ends
 *
 * - at . ! ? … before white space; at the marks of other scripts (。 ！ ？ । ؟ ۔ ։ ። and more) with or without white space; in
 *   Thai at white space after a particle that closes a sentence.  Several marks count as one.  Closing quotes, brackets,
 *   emphasis and footnotes like [1] after the mark belong to the sentence, and so do emoji after a blank;
 * - not at the full stop of an abbreviation, an initial, an ordinal or a list's number; and not at an ellipsis,
 *   a closing quote or a closing bracket if a lowercase letter follows.  lib/text/sentence_words.txt lists
 *   abbreviations of twenty languages, and what may follow each within a sentence;
 * - between an unlisted word and a lowercase letter only if the sentence began with a lowercase letter too (chat), or if an
 *   opening quote or bracket, a name of code (mem-rank, map_size) or a word that often begins sentences follows; else the
 *   word counts as an abbreviation;
 * - at an empty line, and before and after a line that Markdown sets apart: a list item, a heading, a row of a
 *   table, a rule, a change between quoted (>) and unquoted lines.  Other line breaks end nothing.
 *
 * A block of code is one sentence: fenced, with its fences, or indented between empty lines.
 */
#ifndef MEM_PASSAGES_H
#define MEM_PASSAGES_H

#include "base/base.h"

/* Bytes [start, end) of a text. */
struct mem_span {
	size_t start, end;
};

/* ---- sentences --------------------------------------------------------- */

struct mem_sentence {
	struct mem_span span;
	bool code;              /* a block of code */
};
/* Set `text`, the rest to zero.  There is nothing to release. */
struct mem_sentences {
	struct mem_str text;
	size_t at;              /* all before it has been returned */
	unsigned quotes;        /* how many > the line begins with */
	bool list;              /* in a list, where indented lines are not code */
};
/*
 * The next sentence; false: there are no more.  Sentences come in order and do not overlap.  Every byte that is not
 * white space is in one.
 *
 *	struct mem_sentences all = { .text = text };
 *	for (struct mem_sentence s; mem_sentences_next(&all, &s);)
 */
bool mem_sentences_next(struct mem_sentences *s, struct mem_sentence *out);

/* ---- passages ---------------------------------------------------------- */

/*
 * Returns the size of a text in the caller's unit.  `text` is a part of the text that is divided: a sentence, a word, or
 * the white space between two.
 *
 * The size of a passage is the sum of the sizes of its parts.  So each sentence is measured once, however many
 * passages it is in, and a slow measure (an encoder's tokenizer) reads the text about once.  A sentence over the
 * limit is measured again word by word.  A word over the limit is measured up to twenty times, in beginnings that are
 * at most a few times as long as what fits.
 *
 * No passage is over the limit if no text is larger than the sum of its parts, where parts are divided at white space or
 * between sentences.  That holds for characters, words and WordPiece ids.  Unigram ids may exceed it by one or
 * two for each boundary without white space (Chinese, Japanese).
 */
typedef size_t mem_measure_fn(const void *ctx, struct mem_str text);

size_t mem_measure_characters(const void *ctx, struct mem_str text);    /* code points; ctx is not used */
size_t mem_measure_words(const void *ctx, struct mem_str text);         /* between white space; ctx is not used */

#define MEM_PASSAGE_OVERLAP 1   /* sentences: the default of all callers */

struct mem_passage_options {
	size_t limit;           /* largest size of a passage, at least 1.  Subtract what is put before each. */
	size_t overlap;         /* how many sentences a passage repeats from the end of the one before it */
	size_t passages_max;    /* stop after this many; 0: no limit */
	mem_measure_fn *measure;
	const void *ctx;        /* the measure's first argument */
};
/*
 * Returns the number of passages, *out their spans in order.  *out OWNS (free); NULL if there are none.  Every byte
 * that is not white space is in a passage, unless passages_max stopped it.
 *
 * A passage takes as many sentences as fit.  It repeats fewer sentences than `overlap` if they are over half of the
 * limit, or leave no room for the sentence after them; so both starts and ends rise.  A sentence over the
 * limit begins a new passage and is cut: at a line break in the second half of what fits, else at white space.  A word
 * over the limit is cut between grapheme clusters (UAX #29 §3), a cluster over the limit between code
 * points.  Only a single code point can be a passage over the limit.
 */
size_t mem_passages_make(struct mem_span **out, struct mem_str text, const struct mem_passage_options *options);

#endif
