/* SPDX-License-Identifier: Apache-2.0 */
/* A copy without directions: each edge at both of its ends, edges between the same two nodes added up. */
#include "graph/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* Each edge at both ends, by node; within a node in the order of the other one, since sources come in order: first all
 * that lead to it, from lower to higher, merged with those that leave it. */
struct half_link {
	uint32_t to;
	uint32_t edge;             /* number of the edge: sums are made in one order at both ends */
	double strength;
};

static int
compare_half_links(const void *a, const void *b)
{
	const struct half_link *x = a, *y = b;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

static double
edge_strength(const struct mem_graph_copy *c, size_t e)
{
	return (double)c->weight[e] * (double)c->confidence[e];
}

/* Where the links of each node begin, before those between the same two nodes are added up. */
static void
count_half_links(const struct mem_graph_copy *c, size_t *first)
{
	for (size_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++)
			if (c->to[e] != v && edge_strength(c, e) > 0) {
				first[v + 1]++;
				first[c->to[e] + 1]++;
			}
	for (size_t v = 0; v < c->nnodes; v++)
		first[v + 1] += first[v];
}

static void
list_half_links(const struct mem_graph_copy *c, const size_t *first, struct half_link *list)
{
	size_t *at = mem_xmalloc((c->nnodes + 1) * sizeof *at);
	memcpy(at, first, (c->nnodes + 1) * sizeof *at);
	for (size_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++)
			if (c->to[e] != v && edge_strength(c, e) > 0) {
				list[at[v]++] = (struct half_link){ c->to[e], (uint32_t)e, edge_strength(c, e) };
				list[at[c->to[e]]++] = (struct half_link){ (uint32_t)v, (uint32_t)e, edge_strength(c, e) };
			}
	free(at);
}

void
mem_graph_links_make(struct mem_graph_links *out, const struct mem_graph_copy *c)
{
	size_t *first = mem_xcalloc(c->nnodes + 1, sizeof *first);
	count_half_links(c, first);
	size_t n = first[c->nnodes];
	struct half_link *list = mem_xmalloc((n + 1) * sizeof *list);
	list_half_links(c, first, list);
	*out = (struct mem_graph_links){ .nnodes = c->nnodes, .first = first, .to = mem_xmalloc((n + 1) * sizeof *out->to),
		.strength = mem_xmalloc((n + 1) * sizeof *out->strength), .loops = mem_xcalloc(c->nnodes + 1, sizeof *out->loops) };
	for (size_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++)
			out->loops[v] += c->to[e] == v ? edge_strength(c, e) : 0;
	for (size_t v = 0, begin = 0; v < c->nnodes; v++) {
		size_t end = first[v + 1];
		mem_sort(list + begin, end - begin, sizeof *list, compare_half_links);
		first[v] = out->nlinks;
		for (size_t i = begin; i < end; i++)
			if (out->nlinks > first[v] && out->to[out->nlinks - 1] == list[i].to) {
				out->strength[out->nlinks - 1] += list[i].strength;
			} else {
				out->to[out->nlinks] = list[i].to;
				out->strength[out->nlinks++] = list[i].strength;
			}
		begin = end;
	}
	first[c->nnodes] = out->nlinks;
	free(list);
}

void
mem_graph_links_release(struct mem_graph_links *l)
{
	free(l->first);
	free(l->to);
	free(l->strength);
	free(l->loops);
	*l = (struct mem_graph_links){ 0 };
}
