/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many names looked for in a text at once.
 *
 * Names and texts are read as words: runs of letters, digits, marks and '_' (at the ends of a word it is none of it), folded and
 * stripped as text.h's rules 5 and 6 have it, so that case, accents and their composition make no difference.  A character of a
 * script without spaces (rule 1 there) is a word by itself, and so is each mark of punctuation; white space parts words and is
 * nothing else.  So a name is found only as whole words, "C++" and "node.js" too; a name of one character of those scripts,
 * where no other such character stands beside it.
 *
 * What is found are the leftmost names, of several at one place the longest; none lies within another.  Words of names,
 * read backwards, make the automaton of Aho and Corasick ("Efficient string matching: an aid to bibliographic search", CACM 18,
 * 1975), so that the time is linear in the text whatever the names are.
 */
#ifndef MEM_NAMES_H
#define MEM_NAMES_H

#include "base/base.h"

struct mem_names;
struct mem_names *mem_names_new(void);          /* OWNS */
void mem_names_free(struct mem_names *n);       /* NULL is fine */

/* Returns the name's number: 0, 1, 2 …; names that fold to the same words have the same.  MEM_NAME_NONE: it has no letter or digit. */
#define MEM_NAME_NONE UINT32_MAX
uint32_t mem_names_add(struct mem_names *n, struct mem_str name);

struct mem_name_hit {
	size_t start, end;      /* bytes of the text */
	uint32_t name;
};
/* The names in a text of valid UTF-8 under 4 GiB, in order; *hits BORROWS until the next call. */
size_t mem_names_find(struct mem_names *n, struct mem_str text, const struct mem_name_hit **hits);

#endif
