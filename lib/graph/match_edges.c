/* SPDX-License-Identifier: Apache-2.0 */
/* Which edges of the graph the edges of a pattern are that have a name. */
#include "graph/match_int.h"

#include <stdlib.h>

void
match_edges_init(struct match_edges *x, const struct mem_graph_pattern *p)
{
	*x = (struct match_edges){ 0 };
	for (size_t e = 0; e < p->nedges; e++)
		if (p->edges[e].name.n > 0)
			x->lists[x->nlists++].edge = e;
}

void
match_edges_release(struct match_edges *x)
{
	for (size_t i = 0; i < x->nlists; i++) {
		free(x->lists[i].v);
		free(x->lists[i].from);
	}
}

/* ---- lists ------------------------------------------------------------------ */

/* The first edge of a node that leads to `to` or to a node behind it. */
static size_t
find_first_edge(const struct mem_graph_copy *c, uint32_t from, uint32_t to)
{
	size_t low = c->first[from], high = c->first[from + 1];
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (c->to[mid] < to)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* `both`: of those that leave `from` for `to` only the ones that lead both ways. */
static void
add_edges_between(struct match_edge_list *l, struct match_ways *w, uint32_t from, uint32_t to, bool both)
{
	const bool *kinds = w->kinds[l->edge];
	for (size_t e = find_first_edge(w->c, from, to); e < w->c->first[from + 1] && w->c->to[e] == to; e++) {
		w->steps++;
		if ((both && (w->c->flags[e] & MEM_GRAPH_EDGE_BIDIRECTIONAL) == 0) || (kinds != NULL && !kinds[w->c->kind[e]]))
			continue;
		l->v = mem_grow(l->v, &l->v_cap, l->n + 1, sizeof *l->v);
		l->from = mem_grow(l->from, &l->from_cap, l->n + 1, sizeof *l->from);
		l->v[l->n] = e;
		l->from[l->n++] = from;
	}
}

void
match_edges_list(struct match_edges *x, struct match_ways *w, const uint32_t *bound)
{
	x->open = x->fresh = true;
	for (size_t i = 0; i < x->nlists; i++) {
		struct match_edge_list *l = &x->lists[i];
		const struct mem_graph_pattern_edge *e = &w->pattern->edges[l->edge];
		uint32_t from = bound[e->from], to = bound[e->to];
		l->n = l->at = 0;
		add_edges_between(l, w, from, to, from != to && e->direction == MEM_WALK_IN);
		if (from != to)
			add_edges_between(l, w, to, from, e->direction == MEM_WALK_OUT);
		x->open = x->open && l->n > 0;
	}
}

/* ---- choices ---------------------------------------------------------------- */

static void
turn_edge_lists(struct match_edges *x)
{
	size_t i = x->nlists;
	while (i > 0 && ++x->lists[i - 1].at >= x->lists[i - 1].n)
		x->lists[--i].at = 0;
	x->open = i > 0;
}

static bool
is_choice_distinct(const struct match_edges *x)
{
	for (size_t i = 0; i < x->nlists; i++)
		for (size_t k = 0; k < i; k++)
			if (x->lists[i].v[x->lists[i].at] == x->lists[k].v[x->lists[k].at])
				return false;
	return true;
}

bool
match_edges_choose(struct match_edges *x, struct match_ways *w)
{
	if (x->open && !x->fresh)
		turn_edge_lists(x);
	x->fresh = false;
	while (x->open && !is_choice_distinct(x)) {
		turn_edge_lists(x);
		w->steps++;
		x->open = x->open && !match_ways_over(w);
	}
	return x->open;
}
