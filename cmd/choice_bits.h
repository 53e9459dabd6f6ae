/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a list, by their places and as bits. */
#ifndef MEM_CHOICE_BITS_H
#define MEM_CHOICE_BITS_H

#include <string.h>

#include "cli/cli.h"

/* The place of a word in a list that ends with NULL; -1: it is not there. */
static inline int
find_word(const char *word, const char *const *list)
{
	for (int i = 0; list[i] != NULL; i++)
		if (strcmp(word, list[i]) == 0)
			return i;
	return -1;
}

/* 1 << place in the list, of each; 0: none is asked for.  `page` explains the words.  Ends the process at a word that is not listed. */
static inline unsigned
read_choice_bits(const struct mem_words *w, const char *const *list, const char *option, const char *page)
{
	unsigned bits = 0;
	for (size_t i = 0; i < w->n; i++) {
		int k = find_word(w->v[i], list);
		if (k >= 0)
			bits |= 1U << k;
		else
			mem_die(MEM_USAGE, "--%s: '%s' is none of its words: see %s", option, w->v[i], page);
	}
	return bits;
}

#endif
