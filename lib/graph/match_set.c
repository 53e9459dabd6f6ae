/* SPDX-License-Identifier: Apache-2.0 */
/* Which matches were given. */
#include "graph/match_int.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 10 };

static size_t
find_match_slot(const struct match_set *set, const uint64_t *row)
{
	size_t bytes = set->n * sizeof *row;
	size_t mask = ((size_t)1 << set->bits) - 1, i = (size_t)mem_hash_fast(row, bytes) & mask;
	while (set->slots[i] != 0 && memcmp(&set->rows[(set->slots[i] - 1) * set->n], row, bytes) != 0)
		i = (i + 1) & mask;
	return i;
}

static void
grow_match_set(struct match_set *set)
{
	free(set->slots);
	set->bits = set->bits == 0 ? FIRST_BITS : set->bits + 1;
	set->slots = mem_xcalloc((size_t)1 << set->bits, sizeof *set->slots);
	for (size_t i = 0; i < set->nrows; i++)
		set->slots[find_match_slot(set, &set->rows[i * set->n])] = (uint32_t)i + 1;
}

bool
match_set_add(struct match_set *set, const uint64_t *row)
{
	if (set->bits == 0 || set->nrows >= (size_t)1 << (set->bits - 1))
		grow_match_set(set);
	size_t slot = find_match_slot(set, row);
	if (set->slots[slot] != 0)
		return false;
	set->rows = mem_grow(set->rows, &set->rows_cap, (set->nrows + 1) * set->n, sizeof *set->rows);
	memcpy(&set->rows[set->nrows++ * set->n], row, set->n * sizeof *row);
	set->slots[slot] = (uint32_t)set->nrows;
	return true;
}

void
match_set_release(struct match_set *set)
{
	free(set->rows);
	free(set->slots);
}
