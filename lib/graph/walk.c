/* SPDX-License-Identifier: Apache-2.0 */
/* The walk: where it begins, level after level, steps. */
#include "graph/graph_int.h"

#include <stdlib.h>

#include "base/order.h"

/* ---- beginning --------------------------------------------------------- */

static int
compare_ids(const void *a, const void *b)
{
	return mem_id_cmp(a, b);
}

static enum mem_status
add_start(struct mem_walk *w, const struct mem_id *id, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = walk_take_snapshot(w, err);
	if (st != MEM_OK)
		return st;
	(void)walk_count_row(w);
	st = mem_node_by_id(w->t, id, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(w->t, node.ord);
	if (st == MEM_DAMAGED || st == MEM_NOTFOUND)
		return MEM_OK;
	if (st != MEM_OK || !walk_node_is_there(w, node.attr, true))
		return st;
	walk_map_reserve(w, 1);
	w->map.slots[walk_map_find(&w->map, node.ord)].value = (uint32_t)w->nnodes;
	walk_node_add(w, node.attr, node.ord);
	return MEM_OK;
}

/* The first level, in order of id; one more than the limit tells that it cuts. */
static enum mem_status
add_starts(struct mem_walk *w, const struct mem_id *from, size_t n, struct mem_err *err)
{
	struct mem_id *ids = mem_xmalloc((n + 1) * sizeof *ids);
	enum mem_status st = MEM_OK;
	if (n > 0)
		memcpy(ids, from, n * sizeof *ids);
	mem_sort(ids, n, sizeof *ids, compare_ids);
	for (size_t i = 0; i < n && st == MEM_OK && (w->o.nodes == 0 || w->nnodes <= w->o.nodes); i++)
		if (i == 0 || mem_id_cmp(&ids[i - 1], &ids[i]) != 0)
			st = add_start(w, &ids[i], err);
	free(ids);
	return st;
}

enum mem_status
mem_walk_open(struct mem_walk **out, struct mem_store *s, const struct mem_walk_options *options, const struct mem_id *from,
    size_t n, struct mem_err *err)
{
	struct mem_walk *w = mem_xcalloc(1, sizeof *w);
	w->s = s;
	w->o = *options;
	w->node_filter = (struct graph_node_filter){ .kinds = options->kinds, .dead = options->dead, .as_of = options->as_of,
		.now = mem_store_now(s) };
	graph_edge_filter_init(&w->edge_filter, s, options->least_weight, options->as_of);
	w->deadline = options->time_ms > 0 ? mem_clock_ms() + options->time_ms : INT64_MAX;
	enum mem_status st = walk_find_kinds(w, err);
	if (st == MEM_OK)
		st = add_starts(w, from, n, err);
	walk_end_snapshot(w);
	if (st != MEM_OK) {
		mem_walk_free(w);
		return st;
	}
	walk_settle_level(w);
	w->ended = (w->cut & MEM_WALK_CUT_NODES) != 0;
	*out = w;
	return MEM_OK;
}

void
mem_walk_free(struct mem_walk *w)
{
	if (w == NULL)
		return;
	walk_end_snapshot(w);
	graph_kind_names_release(&w->names);
	graph_edge_filter_release(&w->edge_filter);
	free(w->back_kinds);
	free(w->nodes);
	free(w->map.slots);
	free(w->order);
	free(w->batch);
	free(w->unknown);
	free(w->unknown_room);
	free(w->links);
	free(w->shown);
	free(w);
}

/* ---- levels ------------------------------------------------------------ */

/* Room for batches of twice the size, up to the largest, and not far beyond what a limit lets through. */
static void
grow_batch(struct mem_walk *w)
{
	const struct mem_walk_options *o = &w->o;
	if (w->batch_max == WALK_BATCH_MAX || (w->batch_max > 0 && ((o->nodes > 0 && w->batch_max >= o->nodes) ||
	    (o->edges > 0 && w->batch_max >= o->edges))))
		return;
	w->batch_max = w->batch_max == 0 ? WALK_BATCH_MIN : 2 * w->batch_max;
	w->batch = mem_xrealloc(w->batch, w->batch_max, sizeof *w->batch);
	w->unknown = mem_xrealloc(w->unknown, w->batch_max, sizeof *w->unknown);
	w->unknown_room = mem_xrealloc(w->unknown_room, w->batch_max, sizeof *w->unknown_room);
}

/* Reads all edges of the last level, or as many as the limits leave. */
static enum mem_status
read_level(struct mem_walk *w, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && w->at < w->norder && !w->found && (w->cut & (MEM_WALK_CUT_EDGES | MEM_WALK_CUT_TIME)) == 0) {
		w->late = w->late || mem_clock_ms() >= w->deadline;
		if (w->late) {
			w->cut |= MEM_WALK_CUT_TIME;
			break;
		}
		grow_batch(w);
		st = walk_read_batch(w, err);
		if (st == MEM_OK)
			st = walk_resolve_batch(w, err);
		if (st == MEM_OK && !w->probe)
			walk_trim_level(w);
	}
	walk_end_snapshot(w);
	return st;
}

/* From the last level to the next; `ended` when there is none to come after it. */
static enum mem_status
gather_level(struct mem_walk *w, struct mem_err *err)
{
	bool hops = w->o.hops > 0 && w->hops == w->o.hops, nodes = w->o.nodes > 0 && w->fresh == w->o.nodes;
	if (hops && (w->o.again || w->o.cut_untold)) {
		w->ended = true;
		return MEM_OK;
	}
	w->probe = hops || nodes;
	w->nlinks = 0;
	enum mem_status st = read_level(w, err);
	if (st != MEM_OK || w->probe) {
		w->nnodes = w->fresh;
		w->ended = true;
		if (w->found)
			w->cut |= (hops ? MEM_WALK_CUT_HOPS : 0) | (nodes ? MEM_WALK_CUT_NODES : 0);
		return st;
	}
	walk_settle_level(w);
	w->ended = w->level == w->fresh || w->cut != 0;
	return MEM_OK;
}

/* ---- steps ------------------------------------------------------------- */

static struct mem_walk_edge
show_link(const struct mem_walk *w, const struct walk_link *l)
{
	return (struct mem_walk_edge){ .from = l->from, .kind = w->names.v[l->kind], .against = l->against,
		.bidirectional = l->bidirectional, .weight = l->weight };
}

void
mem_walk_step_at(struct mem_walk *w, uint32_t number, struct mem_walk_step *out)
{
	const struct walk_node *node = &w->nodes[number];
	w->shown = mem_grow(w->shown, &w->shown_cap, 1, sizeof *w->shown);
	*out = (struct mem_walk_step){ .number = number, .first = node->first == WALK_NO_NODE ? number : node->first, .hops = node->hops, .id = node->id, .ord = node->ord,
		.kind = (enum mem_kind)node->kind, .edges = w->shown };
	if (node->link.from != WALK_NO_NODE)
		w->shown[out->nedges++] = show_link(w, &node->link);
}

/* The node's links are the next ones: steps are given in their order. */
static void
show_every_link(struct mem_walk *w, struct mem_walk_step *out)
{
	size_t begin = w->next_link;
	while (w->next_link < w->nlinks && w->links[w->next_link].to == out->number)
		w->next_link++;
	out->nedges = w->next_link - begin;
	w->shown = mem_grow(w->shown, &w->shown_cap, out->nedges + 1, sizeof *w->shown);
	for (size_t i = 0; i < out->nedges; i++)
		w->shown[i] = show_link(w, &w->links[begin + i].link);
	out->edges = w->shown;
}

enum mem_status
mem_walk_next(struct mem_walk *w, struct mem_walk_step *out, struct mem_err *err)
{
	while (w->given == w->fresh) {
		if (w->ended)
			return MEM_END;
		enum mem_status st = gather_level(w, err);
		if (st != MEM_OK)
			return st;
	}
	mem_walk_step_at(w, (uint32_t)w->given++, out);
	if (w->o.every_edge)
		show_every_link(w, out);
	return MEM_OK;
}

void
mem_walk_close_step(struct mem_walk *w, uint32_t number)
{
	w->nodes[number].closed = true;
}

unsigned
mem_walk_cut(const struct mem_walk *w)
{
	return w->cut;
}

uint64_t
mem_walk_edges(const struct mem_walk *w)
{
	return w->edges;
}

uint64_t
mem_walk_snapshots(const struct mem_walk *w)
{
	return w->snapshots;
}
