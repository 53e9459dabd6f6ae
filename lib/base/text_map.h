/* SPDX-License-Identifier: Apache-2.0 */
/* A table from texts to numbers, in memory. */
#ifndef MEM_TEXT_MAP_H
#define MEM_TEXT_MAP_H

#include "base/base.h"

/* Zero initialised it is empty. */
struct mem_text_map {
	struct mem_arena arena;
	struct mem_text_entry *entries; /* in the order in which they came */
	size_t n, cap;
	size_t *places;            /* numbers of entries; SIZE_MAX: free */
	size_t nplaces;            /* a power of two, at least twice n */
	uint8_t key[16];           /* of the hashes: strangers choose the texts */
};
struct mem_text_entry {
	struct mem_str text;
	uint64_t hash;
	size_t value;
};
/* The entry of a text, which is made with `value` where there is none; *made: whether it was.  BORROWS until the next one. */
struct mem_text_entry *mem_text_map_put(struct mem_text_map *m, struct mem_str text, size_t value, bool *made);
struct mem_text_entry *mem_text_map_find(const struct mem_text_map *m, struct mem_str text); /* NULL: there is none */
void mem_text_map_release(struct mem_text_map *m);

#endif
