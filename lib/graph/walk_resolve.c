/* SPDX-License-Identifier: Apache-2.0 */
/* From edges that were read to nodes that are visited: what is there, what is counted, what is new. */
#include "graph/graph_int.h"

bool
walk_node_is_there(struct mem_walk *w, const struct mem_attr *a, bool start)
{
	struct graph_node_filter f = w->node_filter;
	if (start)
		f.kinds = (struct mem_kind_set){ 0 };
	return graph_node_filter_pass(&f, w->t, a);
}

/* One node that the walk meets for the first time. */
static enum mem_status
look_up_node(struct mem_walk *w, uint32_t ord, uint32_t *value, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = walk_take_snapshot(w, err);
	if (st != MEM_OK)
		return st;
	(void)walk_count_row(w);
	st = mem_attr_at(w->t, ord, &a, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(w->t, ord);
	if (st == MEM_DAMAGED || st == MEM_NOTFOUND || (st == MEM_OK && !walk_node_is_there(w, a, false))) {
		*value = WALK_NOT_THERE;
		w->map.not_there++;
		return MEM_OK;
	}
	if (st != MEM_OK)
		return st;
	if (w->has_last && mem_id_cmp(&a->id, &w->last) > 0) {
		*value = WALK_OVER;
		w->map.not_there++;
		return MEM_OK;
	}
	*value = (uint32_t)w->nnodes;
	walk_node_add(w, a, ord);
	return MEM_OK;
}

/* Those of the batch that were not met before, in the order of the table, so that its pages are read once.  What there is
 * no time for stays WALK_PENDING. */
static enum mem_status
look_up_nodes(struct mem_walk *w, struct mem_err *err)
{
	size_t n = 0;
	walk_map_reserve(w, w->nbatch);
	for (size_t i = 0; i < w->nbatch; i++) {
		struct walk_candidate *c = &w->batch[i];
		if (i + WALK_AHEAD < w->nbatch)
			walk_map_prefetch(&w->map, w->batch[i + WALK_AHEAD].ord);
		c->slot = walk_map_find(&w->map, c->ord);
		uint32_t *value = &w->map.slots[c->slot].value;
		if (*value == WALK_UNKNOWN) {
			*value = WALK_PENDING;
			w->unknown[n++] = (uint64_t)c->ord << 32 | c->slot;
		}
	}
	walk_sort_by_ord(w->unknown, w->unknown_room, n);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK && !w->late; i++)
		st = look_up_node(w, (uint32_t)(w->unknown[i] >> 32), &w->map.slots[(uint32_t)w->unknown[i]].value, err);
	return st;
}

/* Was the edge counted from its other end?  That was read before if it is on an earlier level, or earlier on this one. */
static bool
is_counted_before(const struct mem_walk *w, const struct walk_candidate *c, uint32_t place)
{
	if (walk_kind_direction(w, c->link.kind) != MEM_WALK_BOTH && !c->link.bidirectional)
		return false;
	return place < w->level || c->ord < w->nodes[c->link.from].ord;
}

/* False: the limit is used up. */
static bool
count_edge(struct mem_walk *w)
{
	if (w->o.edges > 0 && w->edges >= w->o.edges) {
		w->cut |= MEM_WALK_CUT_EDGES;
		return false;
	}
	w->edges++;
	return true;
}

enum mem_status
walk_resolve_batch(struct mem_walk *w, struct mem_err *err)
{
	enum mem_status st = look_up_nodes(w, err);
	for (size_t i = 0; i < w->nbatch && st == MEM_OK; i++) {
		const struct walk_candidate *c = &w->batch[i];
		uint32_t place = w->map.slots[c->slot].value;
		if (w->o.again && place < w->fresh) {
			walk_node_add_again(w, place);
			place = w->map.slots[c->slot].value = (uint32_t)w->nnodes - 1;
		}
		bool visited = place < w->fresh;
		if (place == WALK_PENDING)
			w->cut |= MEM_WALK_CUT_TIME;
		if (place == WALK_PENDING || place == WALK_NOT_THERE || (visited && (w->probe || is_counted_before(w, c, place))))
			continue;
		if (w->probe)
			w->found = true;
		if (w->probe || !count_edge(w))
			break;
		if (!visited && place != WALK_OVER)
			walk_link_add(w, place, &c->link);
	}
	return st;
}
