/* SPDX-License-Identifier: Apache-2.0 */
/*
 * near_word: words of texts that a misspelt one may mean.
 *
 * Two words are near where few edits make one of the other: a character put in, left out, taken for another, or exchanged with its
 * neighbour, no part edited twice (optimal string alignment: Damerau, "A technique for computer detection and correction of
 * spelling errors", CACM 7(3), 1964, who found four of five misspellings to be one such edit).  One edit is allowed where the longer
 * word has 5 to 7 letters, two from 8 on; both begin with the same letter, have at least 4 and at most 32, and no digit.
 */
#ifndef MEM_NEAR_WORD_H
#define MEM_NEAR_WORD_H

#include "base/base.h"

struct mem_near_words;
/* OWNS.  NULL: the word, folded as words are (mem_text_fold), is too short, too long, or has what is no letter. */
struct mem_near_words *mem_near_words_new(struct mem_str word);
void mem_near_words_free(struct mem_near_words *w); /* NULL is fine */
/* Looks at the words of a text, valid UTF-8. */
void mem_near_words_read(struct mem_near_words *w, struct mem_str text);
/*
 * The nearest so far, by edits, then by how often it came, then by name, folded; BORROWS.  An empty one: none.  *likeness: 1 less the share of its characters, or of the longer word's, that are edited.
 */
struct mem_str mem_near_words_best(const struct mem_near_words *w, double *likeness);

#endif
