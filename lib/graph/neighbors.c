/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours: the walk's levels, each sorted by the weight of the best way to its nodes. */
#include "graph/neighbors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* The last edge of the best way to a step. */
struct way_end {
	uint32_t from;             /* step before */
	const char *kind;          /* NULL: it is a start */
	bool against;
	double edge_weight, weight; /* of that edge, of the way */
};
struct mem_neighbors {
	struct mem_walk *walk;
	struct way_end *ends;      /* by step */
	size_t ends_cap;
	struct mem_neighbor *level; /* those that are to be given, sorted */
	size_t nlevel, level_cap, at;
	struct mem_walk_step ahead; /* the first step of the next level */
	bool has_ahead, ended;
	struct mem_way_edge *way;
	size_t way_cap;
};

enum mem_status
mem_neighbors_open(struct mem_neighbors **out, struct mem_store *s, const struct mem_walk_options *o, const struct mem_id *from,
    size_t n, struct mem_err *err)
{
	struct mem_neighbors *x = mem_xcalloc(1, sizeof *x);
	struct mem_walk_options walk = *o;
	walk.every_edge = walk.cut_untold = true;
	walk.again = false;
	enum mem_status st = mem_walk_open(&x->walk, s, &walk, from, n, err);
	if (st != MEM_OK) {
		mem_neighbors_free(x);
		return st;
	}
	*out = x;
	return MEM_OK;
}

void
mem_neighbors_free(struct mem_neighbors *x)
{
	if (x == NULL)
		return;
	mem_walk_free(x->walk);
	free(x->ends);
	free(x->level);
	free(x->way);
	free(x);
}

static double
round_weight(double v)
{
	return rint(v * 1e6) / 1e6;
}

/* The best last edge of a step; of equal ones the first. */
static void
keep_way_end(struct mem_neighbors *x, const struct mem_walk_step *step)
{
	struct way_end best = { .weight = step->hops == 0 ? 1 : -1 };
	for (size_t i = 0; i < step->nedges; i++) {
		const struct mem_walk_edge *e = &step->edges[i];
		double edge = round_weight((double)e->weight), weight = x->ends[e->from].weight * edge;
		if (weight > best.weight)
			best = (struct way_end){ e->from, e->kind, e->against, edge, weight };
	}
	x->ends = mem_grow(x->ends, &x->ends_cap, (size_t)step->number + 1, sizeof *x->ends);
	x->ends[step->number] = best;
}

static void
add_level_node(struct mem_neighbors *x, const struct mem_walk_step *step)
{
	if (step->hops == 0)
		return;
	x->level = mem_grow(x->level, &x->level_cap, x->nlevel + 1, sizeof *x->level);
	x->level[x->nlevel++] = (struct mem_neighbor){ .id = step->id, .ord = step->ord, .kind = step->kind, .hops = step->hops,
		.weight = round_weight(x->ends[step->number].weight), .step = step->number };
}

/* By weight, then in the order of steps, which is that of ids. */
static int
compare_level_nodes(const void *a, const void *b)
{
	const struct mem_neighbor *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

/* All steps of the next level.  MEM_END: there is none. */
static enum mem_status
gather_neighbor_level(struct mem_neighbors *x, struct mem_err *err)
{
	struct mem_walk_step step;
	enum mem_status st = MEM_OK;
	x->nlevel = x->at = 0;
	if (x->has_ahead)
		add_level_node(x, &x->ahead);
	uint32_t hops = x->has_ahead ? x->ahead.hops : 0;
	x->has_ahead = false;
	while (!x->ended && !x->has_ahead && (st = mem_walk_next(x->walk, &step, err)) == MEM_OK) {
		keep_way_end(x, &step);
		x->has_ahead = step.hops > hops;
		x->ahead = step;
		if (!x->has_ahead)
			add_level_node(x, &step);
	}
	x->ended = x->ended || st == MEM_END;
	if (st != MEM_OK && st != MEM_END)
		return st;
	mem_sort(x->level, x->nlevel, sizeof *x->level, compare_level_nodes);
	return x->nlevel == 0 && x->ended ? MEM_END : MEM_OK;
}

enum mem_status
mem_neighbors_next(struct mem_neighbors *x, struct mem_neighbor *out, struct mem_err *err)
{
	while (x->at == x->nlevel) {
		if (x->ended && !x->has_ahead)
			return MEM_END;
		enum mem_status st = gather_neighbor_level(x, err);
		if (st != MEM_OK)
			return st;
	}
	*out = x->level[x->at++];
	return MEM_OK;
}

const struct mem_way_edge *
mem_neighbors_way(struct mem_neighbors *x, const struct mem_neighbor *n)
{
	struct mem_walk_step step;
	x->way = mem_grow(x->way, &x->way_cap, (size_t)n->hops + 1, sizeof *x->way);
	struct mem_id reached = n->id;
	for (uint32_t i = n->hops, at = n->step; i-- > 0;) {
		const struct way_end *end = &x->ends[at];
		mem_walk_step_at(x->walk, end->from, &step);
		x->way[i] = (struct mem_way_edge){ .kind = end->kind, .from = end->against ? reached : step.id,
			.to = end->against ? step.id : reached, .weight = end->edge_weight };
		reached = step.id;
		at = end->from;
	}
	return x->way;
}
