/* SPDX-License-Identifier: Apache-2.0 */
/* Communities: the levels of the Leiden algorithm, and what came of them. */
#include "graph/communities.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "graph/leiden_int.h"

/* ---- levels ---------------------------------------------------------------- */

/* The communities of a graph's nodes as those of its groups: all of a group are in one. */
static void
carry_communities(const uint32_t *community, const uint32_t *group, uint32_t n, uint32_t ngroups, uint32_t *out)
{
	uint32_t *lowest = mem_xmalloc(((size_t)n + 1) * sizeof *lowest);
	uint32_t *of_group = mem_xmalloc(((size_t)ngroups + 1) * sizeof *of_group);
	memset(lowest, 0xff, ((size_t)n + 1) * sizeof *lowest); /* LEIDEN_NONE: no group of this community was met */
	for (uint32_t v = 0; v < n; v++)
		of_group[group[v]] = community[v];
	for (uint32_t c = 0; c < ngroups; c++) {
		if (lowest[of_group[c]] == LEIDEN_NONE)
			lowest[of_group[c]] = c; /* a number below ngroups */
		out[c] = lowest[of_group[c]];
	}
	free(lowest);
	free(of_group);
}

/* One run from the communities `of` on: moves, refines and gathers until nothing moves. */
static void
run_leiden(const struct mem_graph_links *l, unsigned round, uint32_t *of)
{
	size_t n = l->nnodes;
	struct leiden_graph g, next;
	uint32_t *node = mem_xmalloc((n + 1) * sizeof *node), *community = mem_xmalloc((n + 1) * sizeof *community);
	uint32_t *group = mem_xmalloc((n + 1) * sizeof *group);
	bool borrowed = true;
	leiden_graph_begin(&g, l);
	memcpy(community, of, n * sizeof *community);
	for (uint32_t v = 0; v < n; v++)
		node[v] = v;
	uint32_t *order = leiden_order(g.n, round);
	while (leiden_move_nodes(&g, order, community) || borrowed) {
		uint32_t ngroups = leiden_refine(&g, order, community, group);
		if (ngroups == g.n && !borrowed)
			break;
		leiden_graph_gather(&next, &g, group, ngroups);
		uint32_t *carried = mem_xmalloc((n + 1) * sizeof *carried);
		carry_communities(community, group, g.n, ngroups, carried);
		for (size_t v = 0; v < n; v++)
			node[v] = group[node[v]];
		free(community);
		community = carried;
		if (borrowed)
			free(g.degree);
		else
			leiden_graph_release(&g);
		g = next;
		borrowed = false;
		free(order);
		order = leiden_order(g.n, round);
	}
	for (size_t v = 0; v < n; v++)
		of[v] = community[node[v]];
	leiden_graph_release(&g);
	free(order);
	free(node);
	free(community);
	free(group);
}

/* ---- what came of it ------------------------------------------------------- */

/* Sums by community number, which is below the number of nodes. */
static double
measure_modularity(const struct mem_graph_links *l, const uint32_t *of, double *share, double *inside)
{
	double *total = mem_xcalloc(l->nnodes + 1, sizeof *total), all = 0, sum = 0;
	memset(share, 0, l->nnodes * sizeof *share);
	for (size_t v = 0; v < l->nnodes; v++) {
		inside[v] = 0;
		total[of[v]] += 2 * l->loops[v];
		share[of[v]] += 2 * l->loops[v];
		for (size_t i = l->first[v]; i < l->first[v + 1]; i++) {
			total[of[v]] += l->strength[i];
			inside[v] += of[l->to[i]] == of[v] ? l->strength[i] : 0;
		}
		share[of[v]] += inside[v];
	}
	for (size_t c = 0; c < l->nnodes; c++)
		all += total[c];
	for (size_t c = 0; c < l->nnodes && all > 0; c++) {
		share[c] = share[c] / all - (total[c] / all) * (total[c] / all);
		sum += share[c];
	}
	free(total);
	return sum;
}

struct sized_community {
	uint32_t size, lowest, number;
};

static int
compare_sized(const void *a, const void *b)
{
	const struct sized_community *x = a, *y = b;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return (x->lowest > y->lowest) - (x->lowest < y->lowest);
}

/* Numbers communities by size. */
static void
number_communities(struct mem_communities *out, const struct mem_graph_links *l, const double *share)
{
	size_t n = l->nnodes;
	struct sized_community *list = mem_xcalloc(n + 1, sizeof *list);
	uint32_t *number = mem_xmalloc((n + 1) * sizeof *number);
	for (uint32_t v = (uint32_t)n; v-- > 0;) {
		struct sized_community *c = &list[out->of[v]];
		*c = (struct sized_community){ c->size + 1, v, out->of[v] };
	}
	mem_sort(list, n, sizeof *list, compare_sized);
	while (out->n < n && list[out->n].size > 0)
		out->n++;
	out->size = mem_xcalloc((size_t)out->n + 1, sizeof *out->size);
	out->share = mem_xcalloc((size_t)out->n + 1, sizeof *out->share);
	for (uint32_t c = 0; c < out->n; c++) {
		number[list[c].number] = c;
		out->size[c] = list[c].size;
		out->share[c] = share[list[c].number];
	}
	for (size_t v = 0; v < n; v++)
		out->of[v] = number[out->of[v]];
	free(list);
	free(number);
}

static size_t
count_rounds(size_t edges)
{
	size_t rounds = MEM_COMMUNITIES_WORK / (edges + 1);
	return rounds < MEM_COMMUNITIES_FEW ? MEM_COMMUNITIES_FEW : rounds > MEM_COMMUNITIES_ROUNDS ? MEM_COMMUNITIES_ROUNDS : rounds;
}

static size_t
count_starts(size_t edges)
{
	size_t starts = 1 + MEM_COMMUNITIES_WORK / (MEM_COMMUNITIES_ROUNDS * (edges + 1));
	return starts > MEM_COMMUNITIES_STARTS ? MEM_COMMUNITIES_STARTS : starts;
}

/* From single nodes on, in orders that begin with this one.  Returns the modularity. */
static double
search_communities(const struct mem_graph_links *l, unsigned first_round, uint32_t *of, double *share, double *inside)
{
	double modularity = 0, before = -1;
	size_t rounds = count_rounds(l->nlinks / 2);
	int idle = 0; /* rounds that gained nothing to speak of */
	for (uint32_t v = 0; v < l->nnodes; v++)
		of[v] = v;
	for (unsigned i = 0; i < rounds && idle < MEM_COMMUNITIES_IDLE && l->nlinks > 0; i++) {
		run_leiden(l, first_round + i, of);
		modularity = measure_modularity(l, of, share, inside);
		idle = modularity < before + MEM_COMMUNITIES_GAIN ? idle + 1 : 0;
		before = modularity > before ? modularity : before;
	}
	return modularity;
}

void
mem_communities_find(struct mem_communities *out, const struct mem_graph_links *l)
{
	double *share = mem_xcalloc(l->nnodes + 1, sizeof *share);
	uint32_t *of = mem_xmalloc((l->nnodes + 1) * sizeof *of);
	*out = (struct mem_communities){ .of = mem_xmalloc((l->nnodes + 1) * sizeof *out->of),
		.inside = mem_xcalloc(l->nnodes + 1, sizeof *out->inside) };
	out->modularity = search_communities(l, 0, out->of, share, out->inside);
	size_t starts = l->nlinks > 0 ? count_starts(l->nlinks / 2) : 1;
	for (unsigned i = 1; i < starts; i++) {
		double modularity = search_communities(l, i * MEM_COMMUNITIES_ROUNDS, of, share, out->inside);
		if (modularity > out->modularity + MEM_COMMUNITIES_GAIN) {
			uint32_t *best = of;
			of = out->of;
			out->of = best;
			out->modularity = modularity;
		}
	}
	free(of);
	out->modularity = measure_modularity(l, out->of, share, out->inside);
	if (l->nnodes > 0)
		number_communities(out, l, share);
	free(share);
}

void
mem_communities_release(struct mem_communities *c)
{
	free(c->of);
	free(c->size);
	free(c->share);
	free(c->inside);
	*c = (struct mem_communities){ 0 };
}

/* ---- members ---------------------------------------------------------------- */

static int
compare_members(const void *a, const void *b, void *communities)
{
	const struct mem_communities *c = communities;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (c->of[x] != c->of[y])
		return c->of[x] < c->of[y] ? -1 : 1;
	if (c->inside[x] != c->inside[y])
		return c->inside[x] > c->inside[y] ? -1 : 1;
	return (x > y) - (x < y);
}

void
mem_community_members_make(struct mem_community_members *out, const struct mem_communities *c, size_t nnodes)
{
	out->first = mem_xcalloc((size_t)c->n + 1, sizeof *out->first);
	out->nodes = mem_xmalloc((nnodes + 1) * sizeof *out->nodes);
	for (uint32_t v = 0; v < nnodes; v++)
		out->nodes[v] = v;
	for (uint32_t i = 0; i < c->n; i++)
		out->first[i + 1] = out->first[i] + c->size[i];
	qsort_r(out->nodes, nnodes, sizeof *out->nodes, compare_members, (void *)(uintptr_t)c);
}

void
mem_community_members_release(struct mem_community_members *m)
{
	free(m->first);
	free(m->nodes);
	*m = (struct mem_community_members){ 0 };
}
