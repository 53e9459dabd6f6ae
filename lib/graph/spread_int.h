/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: spreading from inside. */
#ifndef MEM_SPREAD_INT_H
#define MEM_SPREAD_INT_H

#include "graph/graph.h"
#include "graph/spread.h"

/* The node of a step. */
struct spread_sum {
	uint32_t first;            /* number of its first step */
	double potential;          /* at its first step: all that has arrived */
	double looped;             /* of what arrived at this step, that by edges from the node to itself */
};
/* A path that ends at a step: the last edge, and the path to the step before. */
struct spread_trail {
	double signal;
	uint32_t from;             /* step */
	uint32_t before;           /* place among the trails of that one */
	const char *kind;          /* BORROWS from the walk */
	double weight;
};
struct spread_trails {
	struct spread_trail v[MEM_SPREAD_PATHS_MAX]; /* the strongest first */
	size_t n;
	double all, looped;        /* how many there are; how many end with an edge from the node to itself */
	uint32_t next;             /* the next step at the same node; 0: none */
};
struct spread_run {
	struct mem_spread_options o;
	struct mem_walk *walk;
	size_t nsteps;
	double *signals;           /* by step: what arrived */
	size_t signals_cap;
	struct spread_sum *nodes;  /* by step */
	size_t nodes_cap;
	struct spread_trails *trails; /* by step, with paths */
	size_t trails_cap;
};

/* Does the edge, one of those to a step, lead from its node to itself? */
static inline bool
spread_edge_loops(const struct spread_run *r, const struct mem_walk_step *step, const struct mem_walk_edge *e)
{
	return step->first != step->number && r->nodes[e->from].first == step->first;
}

/* ---- spread_paths.c ------------------------------------------------------ */

/* Keeps the strongest paths to a step, which is the last one. */
void spread_paths_add(struct spread_run *r, const struct mem_walk_step *step);
/* Those of the node whose first step this is, over all of its steps. */
void spread_paths_show(struct spread_run *r, uint32_t first, struct mem_spread_node *out, struct mem_arena *a);
void spread_paths_release(struct spread_run *r);

#endif
