/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: texts as numbered words, for names. */
#ifndef MEM_NAME_WORDS_INT_H
#define MEM_NAME_WORDS_INT_H

#include "text/names.h"

/* Words of names have numbers from 1; all others are 0. */
struct name_word {
	uint32_t start, end;    /* bytes of the text */
	uint32_t number;
	bool run;               /* a character of a script without spaces */
	bool letters;           /* no punctuation */
};
struct name_words {
	struct name_word *v;
	size_t n, cap;
};

struct name_lexicon;
struct name_lexicon *name_lexicon_new(void);    /* OWNS */
void name_lexicon_free(struct name_lexicon *l);
/* The words of a text; `add`: those that are new get numbers. */
void name_words_read(struct name_lexicon *l, struct name_words *out, struct mem_str text, bool add);

#endif
