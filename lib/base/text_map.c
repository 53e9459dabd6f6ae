/* SPDX-License-Identifier: Apache-2.0 */
/* A table of texts: open addressing, at most half full. */
#include "base/text_map.h"

#include <stdlib.h>

enum { PLACES_MIN = 64 };

/* Where the text is, or would be. */
static size_t
find_entry_place(const struct mem_text_map *m, struct mem_str text, uint64_t hash)
{
	size_t i = (size_t)hash & (m->nplaces - 1);
	for (; m->places[i] != SIZE_MAX; i = (i + 1) & (m->nplaces - 1)) {
		const struct mem_text_entry *e = &m->entries[m->places[i]];
		if (e->hash == hash && mem_str_eq(e->text, text))
			break;
	}
	return i;
}

static void
grow_text_map(struct mem_text_map *m)
{
	if (2 * (m->n + 1) <= m->nplaces)
		return;
	m->nplaces = m->nplaces > 0 ? 2 * m->nplaces : PLACES_MIN;
	m->places = mem_xrealloc(m->places, m->nplaces, sizeof *m->places);
	memset(m->places, 0xff, m->nplaces * sizeof *m->places);
	for (size_t i = 0; i < m->n; i++)
		m->places[find_entry_place(m, m->entries[i].text, m->entries[i].hash)] = i;
}

struct mem_text_entry *
mem_text_map_put(struct mem_text_map *m, struct mem_str text, size_t value, bool *made)
{
	if (m->nplaces == 0)
		mem_random(m->key, sizeof m->key);
	uint64_t hash = mem_hash64(m->key, text);
	grow_text_map(m);
	size_t place = find_entry_place(m, text, hash);
	*made = m->places[place] == SIZE_MAX;
	if (*made) {
		m->places[place] = m->n;
		m->entries = mem_grow(m->entries, &m->cap, m->n + 1, sizeof *m->entries);
		m->entries[m->n++] = (struct mem_text_entry){ mem_arena_str(&m->arena, text), hash, value };
	}
	return &m->entries[m->places[place]];
}

struct mem_text_entry *
mem_text_map_find(const struct mem_text_map *m, struct mem_str text)
{
	if (m->n == 0)
		return NULL;
	size_t place = find_entry_place(m, text, mem_hash64(m->key, text));
	return m->places[place] != SIZE_MAX ? &m->entries[m->places[place]] : NULL;
}

void
mem_text_map_release(struct mem_text_map *m)
{
	mem_arena_release(&m->arena);
	free(m->entries);
	free(m->places);
	*m = (struct mem_text_map){ 0 };
}
