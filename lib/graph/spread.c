/* SPDX-License-Identifier: Apache-2.0 */
/* Spreading over a walk. */
#include "graph/spread_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

const char *const mem_spread_edges_left_out[3] = { "derived_from", "superseded_by", "attested_by" };
const char *const mem_spread_edges_climbed[1] = { "uses_tag" };

static double
round_signal(double v)
{
	return rint(v * 1e6) / 1e6;
}

/* ---- a run ----------------------------------------------------------------- */

/* What arrives at a step, and the node that it adds to. */
static void
take_spread_step(struct spread_run *r, const struct mem_walk_step *step)
{
	double arriving = step->hops == 0 ? 1 : 0, looped = 0;
	for (size_t i = 0; i < step->nedges; i++) {
		const struct mem_walk_edge *e = &step->edges[i];
		bool loop = spread_edge_loops(r, step, e);
		double sent = loop ? r->signals[e->from] - r->nodes[e->from].looped : r->signals[e->from];
		double carried = sent * round_signal((double)e->weight) * r->o.leak;
		arriving += carried;
		looped += loop ? carried : 0;
	}
	r->signals = mem_grow(r->signals, &r->signals_cap, step->number + 1, sizeof *r->signals);
	r->nodes = mem_grow(r->nodes, &r->nodes_cap, step->number + 1, sizeof *r->nodes);
	r->signals[step->number] = arriving;
	r->nodes[step->number] = (struct spread_sum){ .first = step->first, .potential = arriving, .looped = looped };
	if (step->first != step->number)
		r->nodes[step->first].potential += arriving;
	r->nsteps = step->number + 1;
}

static enum mem_status
walk_signals(struct spread_run *r, struct mem_err *err)
{
	struct mem_walk_step step;
	enum mem_status st;
	while ((st = mem_walk_next(r->walk, &step, err)) == MEM_OK) {
		take_spread_step(r, &step);
		if (r->o.paths)
			spread_paths_add(r, &step);
		if (round_signal(r->signals[step.number]) < r->o.least_signal)
			mem_walk_close_step(r->walk, step.number);
	}
	return st == MEM_END ? MEM_OK : st;
}

/* A node by its first step. */
struct spread_rank {
	double potential;
	uint32_t step;
};

/* By potential, then by step. */
static int
compare_spread_ranks(const void *a, const void *b)
{
	const struct spread_rank *x = a, *y = b;
	if (x->potential != y->potential)
		return x->potential > y->potential ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static int
compare_spread_ids(const void *a, const void *b)
{
	return mem_id_cmp(&((const struct mem_spread_node *)a)->id, &((const struct mem_spread_node *)b)->id);
}

/* Of nodes in order of potential those of the same by id. */
static void
sort_equal_nodes(struct mem_spread *s)
{
	for (size_t begin = 0, end; begin < s->n; begin = end) {
		for (end = begin + 1; end < s->n && s->nodes[end].potential == s->nodes[begin].potential;)
			end++;
		mem_sort(s->nodes + begin, end - begin, sizeof *s->nodes, compare_spread_ids);
	}
}

static void
show_spread_node(struct spread_run *r, const struct spread_rank *rank, struct mem_spread *out)
{
	struct mem_walk_step step;
	struct mem_spread_node *n = &out->nodes[out->n++];
	mem_walk_step_at(r->walk, rank->step, &step);
	*n = (struct mem_spread_node){ .id = step.id, .ord = step.ord, .kind = step.kind, .hops = step.hops, .potential = rank->potential,
		.fires = rank->potential >= r->o.threshold };
	if (r->o.paths)
		spread_paths_show(r, rank->step, n, &out->arena);
}

/* The nodes from their first steps. */
static void
list_spread_nodes(struct spread_run *r, struct mem_spread *out)
{
	struct spread_rank *ranks = mem_xmalloc((r->nsteps + 1) * sizeof *ranks);
	size_t n = 0;
	for (uint32_t i = 0; i < r->nsteps; i++) {
		double potential = round_signal(r->nodes[i].potential);
		if (r->nodes[i].first == i && potential > 0)
			ranks[n++] = (struct spread_rank){ potential, i };
	}
	mem_sort(ranks, n, sizeof *ranks, compare_spread_ranks);
	out->nodes = mem_xmalloc((n + 1) * sizeof *out->nodes);
	for (size_t i = 0; i < n; i++)
		show_spread_node(r, &ranks[i], out);
	sort_equal_nodes(out);
	free(ranks);
}

enum mem_status
mem_spread_run(struct mem_spread *out, struct mem_store *s, const struct mem_spread_options *o, const struct mem_id *seeds, size_t n,
    struct mem_err *err)
{
	struct spread_run r = { .o = *o };
	struct mem_walk_options walk = MEM_WALK_OPTIONS_INIT;
	const char *left_out[MEM_COUNT(mem_spread_edges_left_out)], *climbed[MEM_COUNT(mem_spread_edges_climbed)];
	*out = (struct mem_spread){ 0 };
	memcpy(left_out, mem_spread_edges_left_out, sizeof left_out);
	memcpy(climbed, mem_spread_edges_climbed, sizeof climbed);
	walk.again = walk.every_edge = true;
	walk.hops = o->hops;
	walk.edges_of = o->edges_of;
	walk.edges_back = (struct mem_words){ .v = climbed, .n = MEM_COUNT(climbed) };
	if (o->edges_of.n == 0)
		walk.edges_but = (struct mem_words){ .v = left_out, .n = MEM_COUNT(left_out) };
	walk.least_weight = 5e-7; /* what is less is printed as 0 */
	enum mem_status st = mem_walk_open(&r.walk, s, &walk, seeds, n, err);
	if (st == MEM_OK)
		st = walk_signals(&r, err);
	if (st == MEM_OK) {
		list_spread_nodes(&r, out);
		out->edges = mem_walk_edges(r.walk);
	}
	mem_walk_free(r.walk);
	spread_paths_release(&r);
	free(r.signals);
	free(r.nodes);
	return st;
}

void
mem_spread_release(struct mem_spread *s)
{
	free(s->nodes);
	mem_arena_release(&s->arena);
	*s = (struct mem_spread){ 0 };
}

/* ---- by id ------------------------------------------------------------------ */

static int
compare_nodes_by_id(const void *a, const void *b)
{
	const struct mem_spread_node *const *x = a, *const *y = b;
	return mem_id_cmp(&(*x)->id, &(*y)->id);
}

void
mem_spread_index_make(struct mem_spread_index *out, const struct mem_spread *s)
{
	*out = (struct mem_spread_index){ .by_id = mem_xmalloc((s->n + 1) * sizeof *out->by_id), .n = s->n };
	for (size_t i = 0; i < s->n; i++)
		out->by_id[i] = &s->nodes[i];
	mem_sort(out->by_id, s->n, sizeof *out->by_id, compare_nodes_by_id);
}

const struct mem_spread_node *
mem_spread_find(const struct mem_spread_index *x, const struct mem_id *id)
{
	size_t low = 0, high = x->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = mem_id_cmp(id, &x->by_id[mid]->id);
		if (c == 0)
			return x->by_id[mid];
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

void
mem_spread_index_release(struct mem_spread_index *x)
{
	free(x->by_id);
	*x = (struct mem_spread_index){ 0 };
}
