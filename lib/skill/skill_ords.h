/* SPDX-License-Identifier: Apache-2.0 */
/* A list of the numbers of nodes. */
#ifndef MEM_SKILL_ORDS_H
#define MEM_SKILL_ORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero initialised it is empty. */
struct mem_skill_ords {
	uint32_t *v;                /* OWNS */
	size_t n, cap;
};
/* A mem_ord_fn that appends; ctx is the list. */
void mem_skill_ords_take(void *ctx, uint32_t ord);
/* Ascending, each once. */
void mem_skill_ords_sort(struct mem_skill_ords *l);
/* Of a list that is sorted. */
bool mem_skill_ords_have(const struct mem_skill_ords *l, uint32_t ord);
void mem_skill_ords_release(struct mem_skill_ords *l);

#endif
