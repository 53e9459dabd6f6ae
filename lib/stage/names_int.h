/* SPDX-License-Identifier: Apache-2.0 */
/* Strings by number, from 0, each once: what stages and judging know qids, ids and names by. */
#ifndef MEM_STAGE_NAMES_INT_H
#define MEM_STAGE_NAMES_INT_H

#include "base/base.h"

/* Zero initialised is empty. */
struct stage_names {
	struct mem_str *v;      /* by number; ARENA */
	size_t n, cap;
	uint32_t *slots;        /* number + 1, 0: free; a power of two of them, at most half of them taken */
	size_t nslots;
	uint8_t secret[MEM_SECRET_LEN]; /* strangers choose the strings */
	struct mem_arena arena;
};
#define STAGE_NO_NAME UINT32_MAX
uint32_t stage_find_name(const struct stage_names *names, struct mem_str s); /* STAGE_NO_NAME: it is not there */
uint32_t stage_add_name(struct stage_names *names, struct mem_str s);
void stage_release_names(struct stage_names *names);

#endif
