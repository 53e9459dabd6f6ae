/* SPDX-License-Identifier: Apache-2.0 */
/* A list of the numbers of nodes. */
#include "skill/skill_ords.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/numbers.h"
#include "base/order.h"

void
mem_skill_ords_take(void *ctx, uint32_t ord)
{
	struct mem_skill_ords *l = ctx;
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = ord;
}

void
mem_skill_ords_sort(struct mem_skill_ords *l)
{
	l->n = mem_numbers_sort_unique(l->v, l->n);
}

bool
mem_skill_ords_have(const struct mem_skill_ords *l, uint32_t ord)
{
	return mem_sorted_find(&ord, l->v, l->n, sizeof *l->v, mem_number_compare) != NULL;
}

void
mem_skill_ords_release(struct mem_skill_ords *l)
{
	free(l->v);
	*l = (struct mem_skill_ords){ 0 };
}
