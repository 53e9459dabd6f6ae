/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over a copy. */
#include "graph/stats.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "base/order.h"

/* ---- edges --------------------------------------------------------------- */

static void
count_edges(struct mem_graph_stats *s, const struct mem_graph_copy *c)
{
	double weights = 0, confidences = 0;
	for (size_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++) {
			s->edges_of[c->kind[e]]++;
			s->out[v]++;
			s->in[c->to[e]]++;
			s->bidirectional += (c->flags[e] & MEM_GRAPH_EDGE_BIDIRECTIONAL) != 0;
			s->loops += c->to[e] == v;
			weights += (double)c->weight[e];
			confidences += (double)c->confidence[e];
		}
	if (c->nedges > 0) {
		s->weight = weights / (double)c->nedges;
		s->confidence = confidences / (double)c->nedges;
	}
}

/* ---- degrees ------------------------------------------------------------- */

static void
measure_degrees(struct mem_graph_stats *s, const struct mem_graph_copy *c)
{
	uint64_t *degrees = mem_xcalloc(c->nnodes + 1, sizeof *degrees);
	for (size_t v = 0; v < c->nnodes; v++) {
		degrees[v] = (uint64_t)s->in[v] + s->out[v];
		s->orphans += degrees[v] == 0;
	}
	if (c->nnodes > 0) {
		mem_sort(degrees, c->nnodes, sizeof *degrees, mem_number64_compare);
		const size_t lower = (c->nnodes - 1) / 2, upper = c->nnodes / 2;
		s->median_degree = (double)(degrees[lower] + degrees[upper]) / 2;
		s->max_degree = degrees[c->nnodes - 1];
		s->mean_degree = 2 * (double)c->nedges / (double)c->nnodes;
	}
	if (c->nnodes > 1)
		s->density = (double)c->nedges / ((double)c->nnodes * (double)(c->nnodes - 1));
	free(degrees);
}

/* ---- components: union by size, paths halved (Tarjan and van Leeuwen 1984) -- */

static uint32_t
find_set(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v) {
		parent[v] = parent[parent[v]];
		v = parent[v];
	}
	return v;
}

static void
count_components(struct mem_graph_stats *s, const struct mem_graph_copy *c)
{
	uint32_t *parent = mem_xmalloc((c->nnodes + 1) * sizeof *parent), *size = mem_xmalloc((c->nnodes + 1) * sizeof *size);
	for (uint32_t v = 0; v < c->nnodes; v++) {
		parent[v] = v;
		size[v] = 1;
	}
	s->components = c->nnodes;
	s->largest = c->nnodes > 0;
	for (uint32_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++) {
			uint32_t a = find_set(parent, v), b = find_set(parent, c->to[e]);
			if (a == b)
				continue;
			uint32_t large = size[a] >= size[b] ? a : b, small = large == a ? b : a;
			parent[small] = large;
			size[large] += size[small];
			s->components--;
			s->largest = size[large] > s->largest ? size[large] : s->largest;
		}
	free(parent);
	free(size);
}

void
mem_graph_stats_make(struct mem_graph_stats *out, const struct mem_graph_copy *c)
{
	*out = (struct mem_graph_stats){ .nodes = c->nnodes, .edges = c->nedges };
	out->edges_of = mem_xcalloc(c->nkinds + 1, sizeof *out->edges_of);
	out->in = mem_xcalloc(c->nnodes + 1, sizeof *out->in);
	out->out = mem_xcalloc(c->nnodes + 1, sizeof *out->out);
	for (size_t v = 0; v < c->nnodes; v++)
		if (c->kinds[v] < MEM_KIND_COUNT)
			out->nodes_of[c->kinds[v]]++;
	count_edges(out, c);
	measure_degrees(out, c);
	count_components(out, c);
}

void
mem_graph_stats_release(struct mem_graph_stats *s)
{
	free(s->edges_of);
	free(s->in);
	free(s->out);
	*s = (struct mem_graph_stats){ 0 };
}

/* ---- the highest ---------------------------------------------------------- */

/* An insertion into a short list: most values are below its last one. */
uint32_t *
mem_graph_highest(const uint64_t *values, size_t nvalues, size_t *n)
{
	size_t max = *n, kept = 0;
	uint32_t *top = mem_xmalloc((max + 1) * sizeof *top);
	for (size_t v = 0; v < nvalues && max > 0; v++) {
		if (values[v] == 0 || (kept == max && values[v] <= values[top[kept - 1]]))
			continue;
		size_t at = kept < max ? kept++ : max - 1;
		for (; at > 0 && values[top[at - 1]] < values[v]; at--)
			top[at] = top[at - 1];
		top[at] = (uint32_t)v;
	}
	*n = kept;
	return top;
}
