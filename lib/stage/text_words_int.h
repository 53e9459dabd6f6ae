/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a text, as stages compare and count them: runs of letters, digits and marks on them; a character of a script that
 * is written without spaces is one. */
#ifndef MEM_STAGE_WORDS_INT_H
#define MEM_STAGE_WORDS_INT_H

#include "base/base.h"

/* The next word of a folded text (mem_text_fold) from byte *at, which goes behind it.  BORROWS.  False: there is none. */
bool stage_word_next(struct mem_str folded, size_t *at, struct mem_str *word);

#endif
