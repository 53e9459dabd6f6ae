/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank by power iteration over edges that enter each node. */
#include "graph/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* What comes to a node: from which one, and which part of what that one has. */
struct rank_inflow {
	uint32_t from;
	float strength;
};
struct rank_run {
	size_t n;
	size_t *first;             /* (n + 1): inflows by the node that they enter */
	struct rank_inflow *v;
	double *leaving;           /* by node: the sum of strengths that leave it */
	double *seed;              /* by node: the chance to begin there */
};

/* Calls back for each way that an edge is followed. */
typedef void flow_fn(struct rank_run *r, uint32_t from, uint32_t to, float strength);

static void
list_flows(struct rank_run *r, const struct mem_graph_copy *c, enum mem_walk_direction direction, flow_fn *fn)
{
	for (uint32_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++) {
			float strength = c->weight[e] * c->confidence[e];
			bool both = direction == MEM_WALK_BOTH || (c->flags[e] & MEM_GRAPH_EDGE_BIDIRECTIONAL) != 0;
			if (strength <= 0)
				continue;
			if (both || direction == MEM_WALK_OUT)
				fn(r, v, c->to[e], strength);
			if ((both || direction == MEM_WALK_IN) && (c->to[e] != v || !both))
				fn(r, c->to[e], v, strength);
		}
}

static void
count_flow(struct rank_run *r, uint32_t from, uint32_t to, float strength)
{
	r->first[to + 2]++;
	r->leaving[from] += (double)strength;
}

static void
put_flow(struct rank_run *r, uint32_t from, uint32_t to, float strength)
{
	r->v[r->first[to + 1]++] = (struct rank_inflow){ from, strength };
}

/* While flows are put, first[v + 1] is where the next one of v goes; at the end it is where those of v + 1 begin. */
static void
gather_flows(struct rank_run *r, const struct mem_graph_copy *c, enum mem_walk_direction direction)
{
	r->first = mem_xcalloc(r->n + 2, sizeof *r->first);
	r->leaving = mem_xcalloc(r->n + 1, sizeof *r->leaving);
	list_flows(r, c, direction, count_flow);
	for (size_t v = 0; v < r->n; v++)
		r->first[v + 2] += r->first[v + 1];
	r->v = mem_xmalloc((r->first[r->n + 1] + 1) * sizeof *r->v);
	list_flows(r, c, direction, put_flow);
}

static void
spread_seeds(struct rank_run *r, const struct mem_ranks_options *o)
{
	r->seed = mem_xcalloc(r->n + 1, sizeof *r->seed);
	for (size_t v = 0; v < r->n && o->nseeds == 0; v++)
		r->seed[v] = 1 / (double)r->n;
	for (size_t i = 0; i < o->nseeds; i++)
		r->seed[o->seeds[i]] = 1 / (double)o->nseeds;
}

/* One round: from `now` to `next`; what each node gives for each unit of strength is in `share`.  The change. */
static double
iterate_scores(const struct rank_run *r, double damping, const double *now, double *next, double *share)
{
	double stuck = 0, change = 0;
	for (size_t v = 0; v < r->n; v++) {
		share[v] = r->leaving[v] > 0 ? now[v] / r->leaving[v] : 0;
		stuck += r->leaving[v] > 0 ? 0 : now[v];
	}
	for (size_t v = 0; v < r->n; v++) {
		double sum = stuck * r->seed[v];
		for (size_t i = r->first[v]; i < r->first[v + 1]; i++)
			sum += share[r->v[i].from] * (double)r->v[i].strength;
		next[v] = (1 - damping) * r->seed[v] + damping * sum;
		change += fabs(next[v] - now[v]);
	}
	return change;
}

double *
mem_ranks_make(const struct mem_graph_copy *c, const struct mem_ranks_options *o)
{
	struct rank_run r = { .n = c->nnodes };
	gather_flows(&r, c, o->direction);
	spread_seeds(&r, o);
	double *now = mem_xmalloc((r.n + 1) * sizeof *now), *next = mem_xmalloc((r.n + 1) * sizeof *next);
	double *share = mem_xmalloc((r.n + 1) * sizeof *share), change = 1;
	memcpy(now, r.seed, r.n * sizeof *now);
	for (int round = 0; round < MEM_RANKS_ROUNDS && change >= MEM_RANKS_TOLERANCE; round++) {
		change = iterate_scores(&r, o->damping, now, next, share);
		double *swap = now;
		now = next;
		next = swap;
	}
	free(next);
	free(share);
	free(r.first);
	free(r.v);
	free(r.leaving);
	free(r.seed);
	return now;
}

/* ---- order ---------------------------------------------------------------- */

struct rank_place {
	double score;              /* rounded */
	uint32_t node;
};

static int
compare_rank_places(const void *a, const void *b)
{
	const struct rank_place *x = a, *y = b;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

uint32_t *
mem_ranks_order(const double *scores, size_t n)
{
	struct rank_place *places = mem_xmalloc((n + 1) * sizeof *places);
	uint32_t *order = mem_xmalloc((n + 1) * sizeof *order);
	for (size_t i = 0; i < n; i++)
		places[i] = (struct rank_place){ rint(scores[i] * 1e12), (uint32_t)i };
	mem_sort(places, n, sizeof *places, compare_rank_places);
	for (size_t i = 0; i < n; i++)
		order[i] = places[i].node;
	free(places);
	return order;
}
