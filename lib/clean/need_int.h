/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean, inside: needs, sets of literals of each of which every match of a rule has one.
 */
#ifndef MEM_CLEAN_NEED_INT_H
#define MEM_CLEAN_NEED_INT_H

#include "clean/clean_int.h"

/* Forgets the literals of the view before. */
void clean_needs_begin(struct mem_clean *c);
/* The literal of an output behind those of cues ends at `end`; they come by their ends. */
void clean_need_add(struct mem_clean *c, const struct clean_set *set, const struct clean_output *o, struct mem_str text, size_t end);
/* Where the search for literals is, of one rule. */
struct clean_need_walk {
	uint32_t from;                    /* of the window before: a later one may begin sooner, where a literal is longer */
	uint32_t hits[MEM_PATTERN_NEEDS]; /* + 1 into need_hits; 0: there is none */
};
struct clean_need_walk clean_need_walk_begin(const struct mem_clean *c, const struct clean_rule *rule);
/* Is a literal within reach of the window of each set that the rule's matches need? */
bool clean_needs_met(const struct mem_clean *c, const struct clean_rule *rule, const struct clean_window *w, struct clean_need_walk *walk);

#endif
