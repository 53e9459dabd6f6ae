/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of the Leiden algorithm, and their gathering into coarser ones. */
#include "graph/leiden_int.h"
#include "base/numbers.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

void
leiden_graph_begin(struct leiden_graph *g, const struct mem_graph_links *l)
{
	*g = (struct leiden_graph){ .n = (uint32_t)l->nnodes, .first = l->first, .to = l->to, .strength = l->strength,
		.degree = mem_xcalloc(l->nnodes + 1, sizeof *g->degree) };
	for (size_t v = 0; v < l->nnodes; v++) {
		g->degree[v] = 2 * l->loops[v]; /* both of its ends are here */
		for (size_t i = l->first[v]; i < l->first[v + 1]; i++)
			g->degree[v] += l->strength[i];
		g->total += g->degree[v];
	}
}

void
leiden_sums_init(struct leiden_sums *s, uint32_t n)
{
	*s = (struct leiden_sums){ .to = mem_xcalloc((size_t)n + 1, sizeof *s->to), .met = mem_xmalloc(((size_t)n + 1) * sizeof *s->met) };
}

void
leiden_sums_release(struct leiden_sums *s)
{
	free(s->to);
	free(s->met);
	*s = (struct leiden_sums){ 0 };
}

/* The nodes by group: a count sort.  OWNS both. */
static void
list_group_nodes(const uint32_t *group, uint32_t n, uint32_t ngroups, size_t **first, uint32_t **nodes)
{
	size_t *at = mem_xcalloc((size_t)ngroups + 2, sizeof *at);
	*nodes = mem_xmalloc(((size_t)n + 1) * sizeof **nodes);
	for (uint32_t v = 0; v < n; v++)
		at[group[v] + 2]++;
	for (uint32_t i = 0; i < ngroups; i++)
		at[i + 2] += at[i + 1];
	for (uint32_t v = 0; v < n; v++)
		(*nodes)[at[group[v] + 1]++] = v;
	*first = at;
}

/* The edges of one group, ascending. */
static void
add_group_edges(struct leiden_graph *out, struct leiden_sums *s, uint32_t self, size_t *n)
{
	mem_sort(s->met, s->nmet, sizeof *s->met, mem_number_compare);
	for (size_t i = 0; i < s->nmet; i++) {
		if (s->met[i] != self) {
			out->to[*n] = s->met[i];
			out->strength[(*n)++] = s->to[s->met[i]];
		}
		s->to[s->met[i]] = 0;
	}
	s->nmet = 0;
}

void
leiden_graph_gather(struct leiden_graph *out, const struct leiden_graph *g, const uint32_t *group, uint32_t ngroups)
{
	size_t *first, n = 0;
	uint32_t *nodes;
	struct leiden_sums s;
	leiden_sums_init(&s, ngroups);
	list_group_nodes(group, g->n, ngroups, &first, &nodes);
	*out = (struct leiden_graph){ .n = ngroups, .total = g->total, .first = mem_xcalloc((size_t)ngroups + 1, sizeof *out->first),
		.degree = mem_xcalloc((size_t)ngroups + 1, sizeof *out->degree) };
	out->to = mem_xmalloc((g->first[g->n] + 1) * sizeof *out->to);
	out->strength = mem_xmalloc((g->first[g->n] + 1) * sizeof *out->strength);
	for (uint32_t c = 0; c < ngroups; c++) {
		for (size_t k = first[c]; k < first[c + 1]; k++) {
			uint32_t v = nodes[k];
			out->degree[c] += g->degree[v];
			for (size_t i = g->first[v]; i < g->first[v + 1]; i++) {
				uint32_t other = group[g->to[i]];
				if (s.to[other] == 0)
					s.met[s.nmet++] = other;
				s.to[other] += g->strength[i];
			}
		}
		add_group_edges(out, &s, c, &n);
		out->first[c + 1] = n;
	}
	free(first);
	free(nodes);
	leiden_sums_release(&s);
}

void
leiden_graph_release(struct leiden_graph *g)
{
	free(g->first);
	free(g->to);
	free(g->strength);
	free(g->degree);
	*g = (struct leiden_graph){ 0 };
}
