/* SPDX-License-Identifier: Apache-2.0 */
/* What an edge of a pattern leads to: rounds over the edges of the copy, one for each length. */
#include "graph/match_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* ---- edges by both ends ----------------------------------------------------- */

/* Calls back for each way that an edge may be followed, along it or against it. */
typedef void match_arc_fn(struct match_arcs *arcs, uint32_t from, uint32_t to, uint16_t kind);

static void
list_match_arcs(struct match_arcs *arcs, const struct mem_graph_copy *c, bool against, match_arc_fn *fn)
{
	for (uint32_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++) {
			bool both = (c->flags[e] & MEM_GRAPH_EDGE_BIDIRECTIONAL) != 0;
			if (!against || both)
				fn(arcs, v, c->to[e], c->kind[e]);
			if (against || both)
				fn(arcs, c->to[e], v, c->kind[e]);
		}
}

static void
count_match_arc(struct match_arcs *arcs, uint32_t from, uint32_t to, uint16_t kind)
{
	(void)to;
	(void)kind;
	arcs->first[from + 2]++;
}

static void
put_match_arc(struct match_arcs *arcs, uint32_t from, uint32_t to, uint16_t kind)
{
	arcs->v[arcs->first[from + 1]++] = (struct match_arc){ to, kind };
}

/* While arcs are put, first[v + 1] is where the next one of v goes; at the end it is where those of v + 1 begin. */
static void
gather_match_arcs(struct match_arcs *arcs, const struct mem_graph_copy *c, bool against)
{
	arcs->first = mem_xcalloc(c->nnodes + 2, sizeof *arcs->first);
	list_match_arcs(arcs, c, against, count_match_arc);
	for (size_t v = 0; v < c->nnodes; v++)
		arcs->first[v + 2] += arcs->first[v + 1];
	arcs->v = mem_xmalloc((arcs->first[c->nnodes + 1] + 1) * sizeof *arcs->v);
	list_match_arcs(arcs, c, against, put_match_arc);
}

static bool *
mark_wanted_kinds(const struct mem_graph_copy *c, const struct mem_words *kinds)
{
	bool *wanted = mem_xcalloc(c->nkinds + 1, sizeof *wanted);
	for (size_t k = 0; k < c->nkinds; k++)
		for (size_t i = 0; i < kinds->n; i++)
			wanted[k] = wanted[k] || strcmp(c->kind_names[k], kinds->v[i]) == 0;
	return wanted;
}

void
match_ways_init(struct match_ways *w, const struct mem_graph_copy *c, const struct mem_graph_pattern *p, uint64_t steps)
{
	*w = (struct match_ways){ .c = c, .pattern = p, .most_steps = steps };
	gather_match_arcs(&w->along, c, false);
	gather_match_arcs(&w->against, c, true);
	w->seen = mem_xcalloc(c->nnodes + 1, sizeof *w->seen);
	w->found = mem_xcalloc(c->nnodes + 1, sizeof *w->found);
	for (size_t e = 0; e < p->nedges; e++) {
		w->reach[e].source = MATCH_NO_NODE;
		if (p->edges[e].kinds.n > 0)
			w->kinds[e] = mark_wanted_kinds(c, &p->edges[e].kinds);
	}
}

void
match_ways_release(struct match_ways *w)
{
	for (size_t e = 0; e < MEM_GRAPH_PATTERN_NODES; e++) {
		free(w->kinds[e]);
		free(w->reach[e].v);
	}
	free(w->along.first);
	free(w->along.v);
	free(w->against.first);
	free(w->against.v);
	free(w->seen);
	free(w->found);
	free(w->now);
	free(w->next);
}

bool
match_ways_over(const struct match_ways *w)
{
	return w->most_steps > 0 && w->steps >= w->most_steps;
}

/* ---- rounds ----------------------------------------------------------------- */

/* Numbers that no node has yet; before they run out all are forgotten. */
static uint32_t
take_match_number(uint32_t *last, uint32_t *marks, size_t n)
{
	if (*last == UINT32_MAX) {
		memset(marks, 0, n * sizeof *marks);
		*last = 0;
	}
	return ++*last;
}

/* One round of a search: where it goes on from, and what it finds. */
struct match_round {
	struct match_reach *out;
	const bool *kinds;
	bool counts;               /* ways of this length are wanted */
	size_t nnext;
};

/* A node found is followed once: what a longer way finds behind it the first one finds, too. */
static void
meet_match_node(struct match_ways *w, struct match_round *r, uint32_t node)
{
	if (w->seen[node] == w->rounds || (r->counts && w->found[node] == w->searches))
		return;
	w->seen[node] = w->rounds;
	w->next = mem_grow(w->next, &w->next_cap, r->nnext + 1, sizeof *w->next);
	w->next[r->nnext++] = node;
	if (!r->counts)
		return;
	w->found[node] = w->searches;
	r->out->v = mem_grow(r->out->v, &r->out->cap, r->out->n + 1, sizeof *r->out->v);
	r->out->v[r->out->n++] = node;
}

static void
follow_match_arcs(struct match_ways *w, struct match_round *r, const struct match_arcs *arcs, uint32_t node)
{
	size_t first = arcs->first[node], end = arcs->first[node + 1];
	w->steps += end - first;
	for (size_t i = first; i < end; i++)
		if (r->kinds == NULL || r->kinds[arcs->v[i].kind])
			meet_match_node(w, r, arcs->v[i].to);
}

static void
turn_match_round(struct match_ways *w)
{
	uint32_t *v = w->now;
	size_t cap = w->now_cap;
	w->now = w->next;
	w->now_cap = w->next_cap;
	w->next = v;
	w->next_cap = cap;
}

static int
compare_match_nodes(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Each length in turn, from what the one before has met. */
static bool
search_match_rounds(struct match_ways *w, const struct mem_graph_pattern_edge *e, struct match_round *r, uint32_t source)
{
	bool back = r->out->back;
	bool along = e->direction == MEM_WALK_BOTH || (e->direction == MEM_WALK_OUT) != back;
	bool against = e->direction == MEM_WALK_BOTH || (e->direction == MEM_WALK_IN) != back;
	size_t nnow = 1;
	w->now = mem_grow(w->now, &w->now_cap, 1, sizeof *w->now);
	w->now[0] = source;
	for (uint32_t length = 1; length <= e->most && nnow > 0; length++) {
		w->rounds = take_match_number(&w->rounds, w->seen, w->c->nnodes);
		r->counts = length >= e->least;
		r->nnext = 0;
		for (size_t i = 0; i < nnow; i++) {
			if (match_ways_over(w))
				return false;
			if (along)
				follow_match_arcs(w, r, &w->along, w->now[i]);
			if (against)
				follow_match_arcs(w, r, &w->against, w->now[i]);
		}
		nnow = r->nnext;
		turn_match_round(w);
	}
	return true;
}

const struct match_reach *
match_ways_reach(struct match_ways *w, size_t e, uint32_t source, bool back)
{
	struct match_reach *reach = &w->reach[e];
	struct match_round r = { .out = reach, .kinds = w->kinds[e] };
	if (reach->source == source && reach->back == back)
		return reach;
	reach->n = 0;
	reach->source = MATCH_NO_NODE;
	reach->back = back;
	w->searches = take_match_number(&w->searches, w->found, w->c->nnodes);
	if (!search_match_rounds(w, &w->pattern->edges[e], &r, source))
		return NULL;
	mem_sort(reach->v, reach->n, sizeof *reach->v, compare_match_nodes);
	reach->source = source;
	return reach;
}

bool
match_reach_has(const struct match_reach *r, uint32_t node)
{
	return mem_sorted_find(&node, r->v, r->n, sizeof *r->v, compare_match_nodes) != NULL;
}
