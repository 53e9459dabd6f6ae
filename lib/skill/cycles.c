/* SPDX-License-Identifier: Apache-2.0 */
/* Circles, by a breadth-first search from each node. */
#include "skill/cycles.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

bool
mem_skill_circle_kind(const char *kind)
{
	return strcmp(kind, "requires") == 0 || strcmp(kind, "composes") == 0 || strcmp(kind, "succeeds") == 0;
}

struct cycle_search {
	const struct mem_cycle_edge *edges;
	size_t nedges;
	uint32_t nnodes;
	uint32_t *first;            /* (nnodes + 1): edges of a node */
	bool *out;                  /* by edge: it was taken out */
	uint32_t *by;               /* by node: the edge by which it was reached, UINT32_MAX: it was not */
	uint32_t *queue;            /* nodes that were reached */
	uint32_t path[MEM_CYCLE_LENGTH];
};

static void
sort_cycle_edges(struct cycle_search *c)
{
	for (size_t i = 0; i < c->nedges; i++)
		c->first[c->edges[i].from + 1]++;
	for (uint32_t v = 0; v < c->nnodes; v++)
		c->first[v + 1] += c->first[v];
}

/* The edges from `start` to the end of `last`, which leads back to it; returns how many. */
static size_t
trace_cycle(struct cycle_search *c, uint32_t start, uint32_t last)
{
	size_t n = 0;
	uint32_t back[MEM_CYCLE_LENGTH];
	for (uint32_t e = last;; e = c->by[c->edges[e].from]) {
		back[n++] = e;
		if (c->edges[e].from == start)
			break;
	}
	for (size_t i = 0; i < n; i++)
		c->path[i] = back[n - 1 - i];
	return n;
}

/* Reaches what can be reached from one node.  True: an edge leads back to `start`, and *last is it. */
static bool
follow_cycle_edges(struct cycle_search *c, uint32_t start, uint32_t node, size_t *reached, uint32_t *last)
{
	for (uint32_t e = c->first[node]; e < c->first[node + 1]; e++) {
		uint32_t to = c->edges[e].to;
		if (c->out[e])
			continue;
		if (to == start) {
			*last = e;
			return true;
		}
		if (to < start || c->by[to] != UINT32_MAX) /* a circle through an earlier node would have been found there */
			continue;
		c->by[to] = e;
		c->queue[(*reached)++] = to;
	}
	return false;
}

/* The shortest circle through a node, in c->path; 0: there is none. */
static size_t
find_shortest_cycle(struct cycle_search *c, uint32_t start)
{
	size_t reached = 0, level_end = 1, n = 0;
	uint32_t last;
	c->queue[reached++] = start;
	for (size_t i = 0, length = 1; i < reached && n == 0 && length <= MEM_CYCLE_LENGTH; i++) {
		if (follow_cycle_edges(c, start, c->queue[i], &reached, &last))
			n = trace_cycle(c, start, last);
		if (i + 1 == level_end) {
			level_end = reached;
			length++;
		}
	}
	for (size_t i = 0; i < reached; i++)
		c->by[c->queue[i]] = UINT32_MAX;
	return n;
}

static uint32_t
find_weakest_edge(const struct cycle_search *c, size_t n)
{
	uint32_t weakest = c->path[0];
	for (size_t i = 1; i < n; i++)
		if (c->edges[c->path[i]].strength <= c->edges[weakest].strength)
			weakest = c->path[i];
	return weakest;
}

void
mem_cycles_find(const struct mem_cycle_edge *edges, size_t nedges, uint32_t nnodes, mem_cycle_fn *fn, void *ctx)
{
	struct cycle_search c = { .edges = edges, .nedges = nedges, .nnodes = nnodes, .first = mem_xcalloc((size_t)nnodes + 1, sizeof *c.first),
		.out = mem_xcalloc(nedges + 1, sizeof *c.out), .by = mem_xmalloc(((size_t)nnodes + 1) * sizeof *c.by),
		.queue = mem_xmalloc(((size_t)nnodes + 1) * sizeof *c.queue) };
	memset(c.by, 0xff, ((size_t)nnodes + 1) * sizeof *c.by);
	sort_cycle_edges(&c);
	bool on = true;
	for (uint32_t v = 0; v < nnodes && on; v++)
		for (size_t n; on && (n = find_shortest_cycle(&c, v)) > 0;) {
			uint32_t weakest = find_weakest_edge(&c, n);
			c.out[weakest] = true;
			on = fn(ctx, c.path, n, weakest);
		}
	free(c.first);
	free(c.out);
	free(c.by);
	free(c.queue);
}
