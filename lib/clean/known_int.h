/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean, inside: short strings that were searched before.
 */
#ifndef MEM_CLEAN_KNOWN_INT_H
#define MEM_CLEAN_KNOWN_INT_H

#include "clean/clean_int.h"

/* Was nothing found when this string was searched last, by itself and with these rules?  Then it costs the steps that it cost then;
 * false also where fewer are left. */
bool clean_known_take(const struct mem_clean *c, struct mem_str text, bool is_key, uint64_t *steps_left);
/* Nothing was found in it, nor may a token begin at its end. */
void clean_known_keep(struct mem_clean *c, struct mem_str text, bool is_key, uint64_t steps);
/* The rules are others from now on. */
void clean_known_forget(struct mem_clean *c);

#endif
