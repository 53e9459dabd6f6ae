/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a walk: which were met, and the level that is gathered. */
#include "graph/graph_int.h"

#include <stdlib.h>

#include "base/order.h"

/* ---- the map ----------------------------------------------------------- */

enum {
	MAP_BITS_MIN = 10,
	/* Nodes that are not there are remembered so that each is looked up once, but they are as many as strangers please:
	 * beyond this number, and this many times the nodes that were visited, they are looked up again. */
	NOT_THERE_KEPT = 1 << 16, NOT_THERE_TIMES = 4,
};

/* Fibonacci hashing: Knuth, TAOCP 3, 6.4. */
static uint32_t
map_begin(const struct walk_map *m, uint32_t ord)
{
	return (ord * 0x9e3779b1U) >> (32 - m->bits);
}

void
walk_map_prefetch(const struct walk_map *m, uint32_t ord)
{
	__builtin_prefetch(&m->slots[map_begin(m, ord)], 1);
}

uint32_t
walk_map_find(struct walk_map *m, uint32_t ord)
{
	uint32_t mask = (1U << m->bits) - 1, i = map_begin(m, ord);
	while (m->slots[i].key != ord + 1 && m->slots[i].key != 0)
		i = (i + 1) & mask;
	if (m->slots[i].key == 0) {
		m->slots[i] = (struct walk_map_slot){ ord + 1, WALK_UNKNOWN };
		m->used++;
	}
	return i;
}

/* A map with what the old one has, without what is not there if there is too much of it. */
static void
rebuild_map(struct mem_walk *w, size_t more, bool nodes_alone)
{
	struct walk_map *m = &w->map, old = *m;
	size_t keep = nodes_alone ? w->nnodes : old.used;
	*m = (struct walk_map){ .bits = MAP_BITS_MIN };
	while ((size_t)1 << m->bits < 2 * (keep + more))
		m->bits++;
	m->slots = mem_xcalloc((size_t)1 << m->bits, sizeof *m->slots);
	if (nodes_alone) {
		for (size_t i = 0; i < w->nnodes; i++)
			m->slots[walk_map_find(m, w->nodes[i].ord)].value = (uint32_t)i;
	} else if (old.slots != NULL) {
		for (size_t i = 0; i < (size_t)1 << old.bits; i++)
			if (old.slots[i].key != 0)
				m->slots[walk_map_find(m, old.slots[i].key - 1)].value = old.slots[i].value;
		m->not_there = old.not_there;
	}
	free(old.slots);
}

void
walk_map_reserve(struct mem_walk *w, size_t more)
{
	struct walk_map *m = &w->map;
	bool too_many = m->not_there > NOT_THERE_KEPT + NOT_THERE_TIMES * w->nnodes;
	if (too_many)
		rebuild_map(w, more, true);
	else if (m->bits == 0 || 2 * (m->used + more) > (size_t)1 << m->bits)
		rebuild_map(w, m->used + more, false); /* doubled, so that what is moved is moved a few times only */
}

/* ---- nodes and links --------------------------------------------------- */

void
walk_node_add(struct mem_walk *w, const struct mem_attr *a, uint32_t ord)
{
	w->nodes = mem_grow(w->nodes, &w->nodes_cap, w->nnodes + 1, sizeof *w->nodes);
	w->nodes[w->nnodes++] = (struct walk_node){ .id = a->id, .ord = ord, .hops = w->fresh == 0 ? 0 : w->hops + 1,
		.kind = a->kind, .link = { .from = WALK_NO_NODE }, .first = WALK_NO_NODE };
}

void
walk_node_add_again(struct mem_walk *w, uint32_t place)
{
	struct walk_node again = w->nodes[place];
	again.first = again.first == WALK_NO_NODE ? place : again.first;
	again.hops = w->hops + 1;
	again.closed = false;
	again.link = (struct walk_link){ .from = WALK_NO_NODE };
	w->nodes = mem_grow(w->nodes, &w->nodes_cap, w->nnodes + 1, sizeof *w->nodes);
	w->nodes[w->nnodes++] = again;
}

static int
compare_links(const struct mem_walk *w, const struct walk_link *a, const struct walk_link *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	int names = a->kind == b->kind ? 0 : strcmp(w->names.v[a->kind], w->names.v[b->kind]);
	return names != 0 ? names : (int)a->against - (int)b->against;
}

void
walk_link_add(struct mem_walk *w, uint32_t place, const struct walk_link *link)
{
	struct walk_link *first = &w->nodes[place].link;
	if (first->from == WALK_NO_NODE || compare_links(w, link, first) < 0)
		*first = *link;
	if (w->o.every_edge) {
		w->links = mem_grow(w->links, &w->links_cap, w->nlinks + 1, sizeof *w->links);
		w->links[w->nlinks++] = (struct walk_level_link){ place, *link };
	}
}

static int
compare_level_links(const void *a, const void *b, void *walk)
{
	const struct walk_level_link *x = a, *y = b;
	return compare_links(walk, &x->link, &y->link);
}

/* ---- a level ----------------------------------------------------------- */

/* An id as two numbers whose order is that of its bytes. */
struct sort_entry {
	uint64_t high, low;
	uint32_t place;
};

static int
compare_entries(const void *a, const void *b)
{
	const struct sort_entry *x = a, *y = b;
	if (x->high != y->high)
		return x->high < y->high ? -1 : 1;
	return (x->low > y->low) - (x->low < y->low);
}

/* By id: by its first 32 bits, and what is equal in these by all of it. */
static void
sort_level_entries(struct sort_entry *list, size_t n)
{
	uint64_t *by_head = mem_xmalloc((n + 1) * sizeof *by_head), *room = mem_xmalloc((n + 1) * sizeof *room);
	struct sort_entry *sorted = mem_xmalloc((n + 1) * sizeof *sorted);
	for (size_t i = 0; i < n; i++)
		by_head[i] = (list[i].high >> 32 << 32) | i;
	walk_sort_by_ord(by_head, room, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = list[(uint32_t)by_head[i]];
	for (size_t begin = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && sorted[end].high >> 32 == sorted[begin].high >> 32;)
			end++;
		mem_sort(sorted + begin, end - begin, sizeof *sorted, compare_entries);
	}
	memcpy(list, sorted, n * sizeof *list);
	free(by_head);
	free(room);
	free(sorted);
}

/* The nodes of the level that were reached, by id: all but the first are reached by an edge that was counted. */
static size_t
list_level_by_id(const struct mem_walk *w, struct sort_entry *list)
{
	size_t n = 0;
	bool sorted = true;
	for (size_t i = w->fresh; i < w->nnodes; i++) {
		const struct walk_node *node = &w->nodes[i];
		if (w->fresh > 0 && node->link.from == WALK_NO_NODE)
			continue;
		list[n] = (struct sort_entry){ mem_be64_get(node->id.b), mem_be64_get(node->id.b + 8), (uint32_t)i };
		sorted = sorted && (n == 0 || compare_entries(&list[n - 1], &list[n]) < 0);
		n++;
	}
	if (!sorted)
		sort_level_entries(list, n);
	return n;
}

/* Sorts the level by id and leaves `keep` of it; links follow their nodes. */
static void
sort_level(struct mem_walk *w, size_t keep)
{
	size_t total = w->nnodes - w->fresh, nlinks = 0;
	struct sort_entry *list = mem_xmalloc((total + 1) * sizeof *list);
	struct walk_node *kept = mem_xmalloc((total + 1) * sizeof *kept);
	uint32_t *moved = mem_xmalloc((total + 1) * sizeof *moved);
	size_t n = list_level_by_id(w, list);
	if (n > keep) {
		n = keep;
		w->cut |= MEM_WALK_CUT_NODES;
	}
	memset(moved, 0xff, total * sizeof *moved); /* WALK_NO_NODE */
	for (size_t i = 0; i < n; i++) {
		kept[i] = w->nodes[list[i].place];
		moved[list[i].place - w->fresh] = (uint32_t)(w->fresh + i);
	}
	if (n > 0)
		memcpy(w->nodes + w->fresh, kept, n * sizeof *kept);
	w->nnodes = w->fresh + n;
	for (size_t i = w->fresh; i < w->nnodes && w->o.again; i++) /* who comes again is known by its place */
		w->map.slots[walk_map_find(&w->map, w->nodes[i].ord)].value = (uint32_t)i;
	for (size_t i = 0; i < w->nlinks; i++) {
		uint32_t to = moved[w->links[i].to - w->fresh];
		if (to != WALK_NO_NODE)
			w->links[nlinks++] = (struct walk_level_link){ to, w->links[i].link };
	}
	w->nlinks = nlinks;
	free(list);
	free(kept);
	free(moved);
}

/* Of the level that is gathered. */
static size_t
nodes_left(const struct mem_walk *w)
{
	return w->o.nodes > 0 ? w->o.nodes - w->fresh : SIZE_MAX;
}

void
walk_trim_level(struct mem_walk *w)
{
	size_t keep = nodes_left(w), total = w->nnodes - w->fresh;
	if (keep == SIZE_MAX || total < 2 * keep + WALK_SNAPSHOT_ROWS)
		return;
	sort_level(w, keep);
	w->has_last = true;
	w->last = w->nodes[w->nnodes - 1].id;
	rebuild_map(w, w->nnodes, true);
}

/* Keeps the order of equal ords, too. */
static void
insert_by_ord(uint64_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const uint64_t one = v[i];
		size_t at = i;
		for (; at > 0 && v[at - 1] >> 32 > one >> 32; at--)
			v[at] = v[at - 1];
		v[at] = one;
	}
}

/* Three passes of 11 bits, a count sort each: the numbers are dense, and a level may be all there is. */
void
walk_sort_by_ord(uint64_t *v, uint64_t *room, size_t n)
{
	enum { BITS = 11, SIZE = 1 << BITS, FEW = 64 };
	if (n <= FEW) { /* for which the counts cost more */
		insert_by_ord(v, n);
		return;
	}
	for (unsigned shift = 32; shift < 64; shift += BITS) {
		size_t at[SIZE + 1] = { 0 };
		for (size_t i = 0; i < n; i++)
			at[(v[i] >> shift & (SIZE - 1)) + 1]++;
		if (n == 0 || at[(v[0] >> shift & (SIZE - 1)) + 1] == n)
			continue; /* all the same */
		for (size_t i = 0; i < SIZE; i++)
			at[i + 1] += at[i];
		for (size_t i = 0; i < n; i++)
			room[at[v[i] >> shift & (SIZE - 1)]++] = v[i];
		memcpy(v, room, n * sizeof *v);
	}
}

/* By node: a count sort, since places are dense and a level may have all links that there are.  Then those of each node. */
static void
sort_links(struct mem_walk *w)
{
	size_t nodes = w->nnodes - w->fresh;
	if (w->nlinks < 2)
		return;
	size_t *at = mem_xcalloc(nodes + 1, sizeof *at);
	struct walk_level_link *sorted = mem_xmalloc(w->nlinks * sizeof *sorted);
	for (size_t i = 0; i < w->nlinks; i++)
		at[w->links[i].to - w->fresh + 1]++;
	for (size_t i = 0; i < nodes; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < w->nlinks; i++)
		sorted[at[w->links[i].to - w->fresh]++] = w->links[i];
	for (size_t i = 0, begin = 0; i < nodes; begin = at[i++]) /* at[i] is where those of the next node begin, now */
		if (at[i] - begin > 1)
			qsort_r(sorted + begin, at[i] - begin, sizeof *sorted, compare_level_links, w);
	free(w->links);
	w->links = sorted;
	w->links_cap = w->nlinks;
	free(at);
}

void
walk_settle_level(struct mem_walk *w)
{
	w->hops = w->fresh == 0 ? 0 : w->hops + 1;
	sort_level(w, nodes_left(w));
	sort_links(w);
	w->next_link = 0;
	w->has_last = false;
	w->level = w->fresh;
	w->fresh = w->nnodes;
	w->norder = w->fresh - w->level;
	w->order = mem_grow(w->order, &w->order_cap, w->norder + 1, sizeof *w->order);
	for (size_t i = 0; i < w->norder; i++)
		w->order[i] = (uint64_t)w->nodes[w->level + i].ord << 32 | (w->level + i);
	uint64_t *room = mem_xmalloc((w->norder + 1) * sizeof *room);
	walk_sort_by_ord(w->order, room, w->norder);
	free(room);
	w->at = 0;
	w->table = 0;
	w->at_kind = 0;
	w->at_ord = 0;
}
