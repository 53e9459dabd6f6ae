/* SPDX-License-Identifier: Apache-2.0 */
/* A list of the numbers of nodes. */
#include "skill/skill_ords.h"

#include <stdlib.h>

#include "base/base.h"

static int
compare_skill_ords(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

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
	size_t kept = 0;
	if (l->n > 1)
		qsort(l->v, l->n, sizeof *l->v, compare_skill_ords);
	for (size_t i = 0; i < l->n; i++)
		if (kept == 0 || l->v[kept - 1] != l->v[i])
			l->v[kept++] = l->v[i];
	l->n = kept;
}

bool
mem_skill_ords_have(const struct mem_skill_ords *l, uint32_t ord)
{
	return l->n > 0 && bsearch(&ord, l->v, l->n, sizeof *l->v, compare_skill_ords) != NULL;
}

void
mem_skill_ords_release(struct mem_skill_ords *l)
{
	free(l->v);
	*l = (struct mem_skill_ords){ 0 };
}
