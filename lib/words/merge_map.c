/* SPDX-License-Identifier: Apache-2.0 */
/* Where the documents of a merge's input go. */
#include "words/words_int.h"

#include <stdlib.h>

/* Documents [.., end) from the piece before move up by `by` (modulo 2^32), or are left out. */
struct words_merge_piece {
	uint32_t end, by;
	bool dead;
};

void
words_merge_map_add(struct words_merge_map *map, uint32_t end, uint32_t by, bool dead)
{
	struct words_merge_piece *last = map->n > 0 ? &map->pieces[map->n - 1] : NULL;
	if (last != NULL && last->dead == dead && (dead || last->by == by)) {
		last->end = end;
		return;
	}
	map->pieces = mem_grow(map->pieces, &map->cap, map->n + 1, sizeof *map->pieces);
	map->pieces[map->n++] = (struct words_merge_piece){ end, by, dead };
}

uint32_t
words_merge_map_end(const struct words_merge_map *map)
{
	return map->n > 0 ? map->pieces[map->n - 1].end : 0;
}

/* By steps that double and then halve: the next one asked for is mostly near. */
static size_t
find_piece(const struct words_merge_map *map, uint32_t doc)
{
	const struct words_merge_piece *p = map->pieces;
	size_t from = map->at, lo = from, step = 1;
	while (lo < map->n && p[lo].end <= doc) {
		from = lo + 1; /* all before it end at or below doc */
		lo += step;
		step *= 2;
	}
	size_t hi = lo < map->n ? lo : map->n;
	while (from < hi) {
		size_t mid = from + (hi - from) / 2;
		if (p[mid].end <= doc)
			from = mid + 1;
		else
			hi = mid;
	}
	return from;
}

bool
words_merge_map_find(struct words_merge_map *map, uint32_t doc, uint32_t *to, bool *live)
{
	map->at = find_piece(map, doc);
	if (map->at == map->n)
		return false;
	*to = doc + map->pieces[map->at].by;
	*live = !map->pieces[map->at].dead;
	return true;
}

void
words_merge_map_rewind(struct words_merge_map *map)
{
	map->at = 0;
}

void
words_merge_map_release(struct words_merge_map *map)
{
	free(map->pieces);
	*map = (struct words_merge_map){ 0 };
}
