/* SPDX-License-Identifier: Apache-2.0 */
/* The k shortest loopless routes: Yen's algorithm (Yen 1971). */
#include "graph/path_int.h"

#include <stdlib.h>
#include <string.h>

struct yen_run {
	struct path_search *s;
	struct path_route *found;  /* the routes, from the shortest on */
	size_t nfound;
	struct path_route *next;   /* candidates for the one after them, each once */
	size_t nnext, next_cap;
	uint32_t *barred;          /* room for the nodes to which a deviation may not lead */
};

/* By cost, then by the number of arcs, then by the nodes one after another. */
static int
compare_routes(const struct path_route *a, const struct path_route *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->narcs != b->narcs)
		return a->narcs < b->narcs ? -1 : 1;
	for (size_t i = 0; i <= a->narcs; i++)
		if (a->nodes[i] != b->nodes[i])
			return a->nodes[i] < b->nodes[i] ? -1 : 1;
	return 0;
}

static void
add_candidate(struct yen_run *y, struct path_route *r)
{
	for (size_t i = 0; i < y->nnext; i++)
		if (compare_routes(&y->next[i], r) == 0) {
			path_route_release(r);
			return;
		}
	y->next = mem_grow(y->next, &y->next_cap, y->nnext + 1, sizeof *y->next);
	y->next[y->nnext++] = *r;
}

/* The first `narcs` arcs of `root`, then those of `spur`, which is released. */
static struct path_route
join_routes(const struct path_route *root, size_t narcs, struct path_route *spur)
{
	size_t n = narcs + spur->narcs;
	struct path_route out = { .nodes = mem_xmalloc((n + 1) * sizeof *out.nodes), .arcs = mem_xcalloc(n + 1, sizeof *out.arcs),
		.narcs = n, .cost = spur->cost };
	memcpy(out.nodes, root->nodes, narcs * sizeof *out.nodes);
	memcpy(out.nodes + narcs, spur->nodes, (spur->narcs + 1) * sizeof *out.nodes);
	for (size_t i = 0; i < narcs; i++) {
		out.arcs[i] = root->arcs[i];
		out.cost += root->arcs[i]->cost;
	}
	for (size_t i = 0; i < spur->narcs; i++)
		out.arcs[narcs + i] = spur->arcs[i];
	path_route_release(spur);
	return out;
}

/* The nodes to which routes found so far go on from the same first `n` arcs as `root`. */
static size_t
list_barred_next(struct yen_run *y, const struct path_route *root, size_t n)
{
	size_t nbarred = 0;
	for (size_t i = 0; i < y->nfound; i++) {
		const struct path_route *r = &y->found[i];
		if (r->narcs > n && memcmp(r->nodes, root->nodes, (n + 1) * sizeof *r->nodes) == 0)
			y->barred[nbarred++] = r->nodes[n + 1];
	}
	return nbarred;
}

/* The shortest route that leaves the last one found behind its first `n` arcs. */
static void
find_deviation(struct yen_run *y, size_t n)
{
	const struct path_route *root = &y->found[y->nfound - 1];
	uint32_t hops = y->s->hops > 0 ? y->s->hops - (uint32_t)n : 0;
	struct path_route spur;
	y->s->barred_next = y->barred;
	y->s->nbarred_next = list_barred_next(y, root, n);
	for (size_t i = 0; i < n; i++)
		y->s->barred[root->nodes[i]] = true;
	enum mem_status st = path_search_run(y->s, root->nodes[n], hops, &spur);
	for (size_t i = 0; i < n; i++)
		y->s->barred[root->nodes[i]] = false;
	y->s->nbarred_next = 0;
	if (st == MEM_OK) {
		struct path_route r = join_routes(root, n, &spur);
		add_candidate(y, &r);
	}
}

/* The best candidate becomes the next route.  False: there is none. */
static bool
take_best_candidate(struct yen_run *y)
{
	size_t best = 0;
	for (size_t i = 1; i < y->nnext; i++)
		if (compare_routes(&y->next[i], &y->next[best]) < 0)
			best = i;
	if (y->nnext == 0)
		return false;
	y->found[y->nfound++] = y->next[best];
	y->next[best] = y->next[--y->nnext];
	return true;
}

size_t
path_routes_find(struct path_route **out, struct path_search *s, uint32_t from, size_t k)
{
	struct yen_run y = { .s = s, .found = mem_xcalloc(k, sizeof *y.found), .barred = mem_xcalloc(k, sizeof *y.barred) };
	if (path_search_run(s, from, s->hops, &y.found[0]) == MEM_OK)
		y.nfound = 1;
	while (y.nfound > 0 && y.nfound < k) {
		for (size_t n = 0; n < y.found[y.nfound - 1].narcs; n++)
			find_deviation(&y, n);
		if (!take_best_candidate(&y))
			break;
	}
	for (size_t i = 0; i < y.nnext; i++)
		path_route_release(&y.next[i]);
	free(y.next);
	free(y.barred);
	*out = y.found;
	return y.nfound;
}
