/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the words that texts have in common. */
#ifndef MEM_COMMON_WORDS_H
#define MEM_COMMON_WORDS_H

#include "base/base.h"
#include "base/text_map.h"
#include "text/text.h"

struct common_word {
	struct mem_str text;        /* ARENA; folded, as it is written where its stem comes first */
	size_t times;               /* of the texts that have it, the sum */
	size_t last;                /* 1 + the number of the last text that was counted */
	size_t order;               /* in which they came first */
};
/* Zero initialised it is empty. */
struct common_words {
	struct mem_text_map stems;
	struct common_word *v;      /* OWNS */
	size_t n, cap, texts;
};
typedef bool common_word_fn(const struct mem_term *t, struct mem_str word); /* as it is written */

/* Counts the words of a text for which `counts` is true, each once, as those of so many equal texts. */
void common_words_read(struct common_words *w, struct mem_analyser *analyser, struct mem_str text, size_t times, common_word_fn *counts,
    struct mem_arena *a);
/* By their times, the most first, then in the order in which they came.  Nothing is read after it. */
void common_words_sort(struct common_words *w);
void common_words_release(struct common_words *w);

#endif
