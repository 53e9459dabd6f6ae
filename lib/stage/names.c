/* SPDX-License-Identifier: Apache-2.0 */
/* Strings by number, in an open hash table. */
#include "stage/names_int.h"

#include <stdlib.h>

/* The slot that holds the string, or the free one that waits for it. */
static uint32_t *
find_name_slot(const struct stage_names *names, struct mem_str s)
{
	size_t i = mem_hash64(names->secret, s) & (names->nslots - 1);
	while (names->slots[i] != 0 && !mem_str_eq(names->v[names->slots[i] - 1], s))
		i = (i + 1) & (names->nslots - 1);
	return &names->slots[i];
}

static void
grow_name_slots(struct stage_names *names)
{
	if (names->n < names->nslots / 2)
		return;
	if (names->nslots == 0)
		mem_random(names->secret, sizeof names->secret);
	free(names->slots);
	names->nslots = names->nslots > 0 ? 2 * names->nslots : 64;
	names->slots = mem_xcalloc(names->nslots, sizeof *names->slots);
	for (size_t i = 0; i < names->n; i++)
		*find_name_slot(names, names->v[i]) = (uint32_t)i + 1;
}

uint32_t
stage_find_name(const struct stage_names *names, struct mem_str s)
{
	uint32_t number = names->nslots > 0 ? *find_name_slot(names, s) : 0;
	return number > 0 ? number - 1 : STAGE_NO_NAME;
}

uint32_t
stage_add_name(struct stage_names *names, struct mem_str s)
{
	grow_name_slots(names);
	uint32_t *slot = find_name_slot(names, s);
	if (*slot == 0) {
		names->v = mem_grow(names->v, &names->cap, names->n + 1, sizeof *names->v);
		names->v[names->n++] = mem_arena_str(&names->arena, s);
		*slot = (uint32_t)names->n;
	}
	return *slot - 1;
}

void
stage_release_names(struct stage_names *names)
{
	free(names->v);
	free(names->slots);
	mem_arena_release(&names->arena);
	*names = (struct stage_names){ 0 };
}
