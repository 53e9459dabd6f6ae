/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest route on a copy: A* with the exact costs to the end. */
#include "graph/path_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COST_UNIT 0x1p32

/* ---- arcs -------------------------------------------------------------- */

static uint64_t
arc_cost(const struct mem_graph_copy *c, size_t e, bool weighted)
{
	double left = (double)c->weight[e] * (double)c->confidence[e];
	if (!weighted)
		return 1;
	return left > 0 ? (uint64_t)llrint(-log(left) * COST_UNIT) : PATH_FAR;
}

static bool
leads_along(const struct mem_path_options *o, uint8_t flags)
{
	return o->direction != MEM_WALK_IN || (flags & MEM_GRAPH_EDGE_BIDIRECTIONAL) != 0;
}

static bool
leads_against(const struct mem_path_options *o, uint8_t flags)
{
	return o->direction != MEM_WALK_OUT || (flags & MEM_GRAPH_EDGE_BIDIRECTIONAL) != 0;
}

static double
arc_strength(const struct mem_graph_copy *c, const struct path_arc *a)
{
	return (double)c->weight[a->edge] * (double)c->confidence[a->edge];
}

/* The best edge between two nodes comes first, of equal ones the first by kind. */
static int
compare_arcs(const void *a, const void *b, void *copy)
{
	const struct path_arc *x = a, *y = b;
	const struct mem_graph_copy *c = copy;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	if (arc_strength(c, x) != arc_strength(c, y))
		return arc_strength(c, x) > arc_strength(c, y) ? -1 : 1;
	if (c->kind[x->edge] != c->kind[y->edge])
		return (int)c->kind[x->edge] - (int)c->kind[y->edge];
	return (int)x->against - (int)y->against;
}

/* Calls back for each arc of each edge. */
typedef void arc_fn(void *ctx, uint32_t from, const struct path_arc *arc);

static void
list_arcs(const struct mem_graph_copy *c, const struct mem_path_options *o, arc_fn *fn, void *ctx)
{
	for (uint32_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++) {
			struct path_arc arc = { .to = c->to[e], .edge = (uint32_t)e, .cost = arc_cost(c, e, o->weighted) };
			if (arc.to == v || arc.cost == PATH_FAR)
				continue;
			if (leads_along(o, c->flags[e]))
				fn(ctx, v, &arc);
			arc.to = v;
			arc.against = true;
			if (leads_against(o, c->flags[e]))
				fn(ctx, c->to[e], &arc);
		}
}

static void
count_arc(void *ctx, uint32_t from, const struct path_arc *arc)
{
	(void)arc;
	((size_t *)ctx)[from + 1]++;
}

struct arc_room {
	size_t *at;
	struct path_arc *v;
};

static void
put_arc(void *ctx, uint32_t from, const struct path_arc *arc)
{
	struct arc_room *room = ctx;
	room->v[room->at[from]++] = *arc;
}

/* The best arc of each pair stays. */
static void
thin_arcs(struct path_arcs *a, const struct mem_graph_copy *c)
{
	size_t kept = 0;
	for (size_t v = 0, begin = 0; v < a->nnodes; v++) {
		size_t end = a->first[v + 1];
		if (end - begin > 1)
			qsort_r(a->v + begin, end - begin, sizeof *a->v, compare_arcs, (void *)(uintptr_t)c);
		a->first[v] = kept;
		for (size_t i = begin; i < end; i++)
			if (kept == a->first[v] || a->v[kept - 1].to != a->v[i].to)
				a->v[kept++] = a->v[i];
		begin = end;
	}
	a->first[a->nnodes] = kept;
}

void
path_arcs_make(struct path_arcs *out, const struct mem_graph_copy *c, const struct mem_path_options *o)
{
	size_t n = c->nnodes, *first = mem_xcalloc(n + 1, sizeof *first), *at = mem_xmalloc((n + 1) * sizeof *at);
	list_arcs(c, o, count_arc, first);
	for (size_t v = 0; v < n; v++)
		first[v + 1] += first[v];
	memcpy(at, first, (n + 1) * sizeof *at);
	struct arc_room room = { at, mem_xmalloc((first[n] + 1) * sizeof *room.v) };
	list_arcs(c, o, put_arc, &room);
	free(at);
	*out = (struct path_arcs){ .nnodes = n, .first = first, .v = room.v };
	thin_arcs(out, c);
}

void
path_arcs_turn(struct path_arcs *out, const struct path_arcs *arcs)
{
	size_t n = arcs->nnodes, *first = mem_xcalloc(n + 2, sizeof *first);
	out->nnodes = n;
	out->v = mem_xmalloc((arcs->first[n] + 1) * sizeof *out->v);
	for (size_t i = 0; i < arcs->first[n]; i++)
		first[arcs->v[i].to + 2]++;
	for (size_t v = 0; v < n; v++)
		first[v + 2] += first[v + 1];
	for (uint32_t v = 0; v < n; v++)
		for (size_t i = arcs->first[v]; i < arcs->first[v + 1]; i++) {
			struct path_arc arc = arcs->v[i];
			arc.to = v;
			out->v[first[arcs->v[i].to + 1]++] = arc;
		}
	out->first = first;
}

void
path_arcs_release(struct path_arcs *a)
{
	free(a->first);
	free(a->v);
	*a = (struct path_arcs){ 0 };
}

/* ---- the heap: the least bound, then the fewest hops, then the nodes one after another -- */

/* Of two labels with as many hops: does the first node in which their routes differ come first in that of `a`? */
static bool
has_lesser_route(const struct path_search *s, uint32_t a, uint32_t b)
{
	bool lesser = false;
	while (a != b && a != PATH_NO_NODE && b != PATH_NO_NODE) {
		const struct path_label *x = &s->labels[a], *y = &s->labels[b];
		if (x->node != y->node)
			lesser = x->node < y->node;
		a = x->before;
		b = y->before;
	}
	return lesser;
}

/* So the label of a node that is settled first ends the least of its routes in the order of paths. */
static bool
comes_before(const struct path_search *s, const struct path_heap_entry *a, const struct path_heap_entry *b)
{
	if (a->bound != b->bound)
		return a->bound < b->bound;
	if (a->hops != b->hops)
		return a->hops < b->hops;
	return a->label != b->label ? has_lesser_route(s, a->label, b->label) : a->node < b->node;
}

static void
push_entry(struct path_search *s, struct path_heap_entry e)
{
	s->heap = mem_grow(s->heap, &s->heap_cap, s->nheap + 1, sizeof *s->heap);
	size_t i = s->nheap++;
	for (; i > 0 && comes_before(s, &e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = e;
}

static struct path_heap_entry
pop_entry(struct path_search *s)
{
	struct path_heap_entry top = s->heap[0], last = s->heap[--s->nheap];
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < s->nheap; i = child) {
		if (child + 1 < s->nheap && comes_before(s, &s->heap[child + 1], &s->heap[child]))
			child++;
		if (!comes_before(s, &s->heap[child], &last))
			break;
		s->heap[i] = s->heap[child];
	}
	s->heap[i] = last;
	return top;
}

static void
push_label(struct path_search *s, const struct path_label *label)
{
	if (s->left[label->node] == PATH_FAR)
		return;
	s->labels = mem_grow(s->labels, &s->labels_cap, s->nlabels + 1, sizeof *s->labels);
	s->labels[s->nlabels] = *label;
	push_entry(s, (struct path_heap_entry){ label->cost + s->left[label->node], label->hops, label->node, (uint32_t)s->nlabels });
	s->nlabels++;
}

/* ---- a search ----------------------------------------------------------- */

/* Has the node been settled by a label that is as good?  Those that come later cost as much or more. */
static bool
is_settled(struct path_search *s, uint32_t node, uint32_t hops, uint32_t hops_max)
{
	if (s->run_at[node] == s->run && (hops_max == 0 || s->hops_at[node] <= hops))
		return true;
	s->run_at[node] = s->run;
	s->hops_at[node] = hops;
	return false;
}

static bool
may_begin_with(const struct path_search *s, uint32_t node)
{
	for (size_t i = 0; i < s->nbarred_next; i++)
		if (s->barred_next[i] == node)
			return false;
	return true;
}

static void
extend_label(struct path_search *s, uint32_t at)
{
	struct path_label from = s->labels[at];
	for (size_t i = s->arcs->first[from.node]; i < s->arcs->first[from.node + 1]; i++) {
		const struct path_arc *arc = &s->arcs->v[i];
		bool open = s->barred == NULL || !s->barred[arc->to];
		if (open && (from.hops > 0 || may_begin_with(s, arc->to)))
			push_label(s, &(struct path_label){ from.cost + arc->cost, arc->to, from.hops + 1, at, arc });
	}
}

/* The route that a label ends.  OWNS. */
static void
take_route(const struct path_search *s, uint32_t at, struct path_route *out)
{
	const struct path_label *end = &s->labels[at];
	*out = (struct path_route){ .nodes = mem_xmalloc((end->hops + 1) * sizeof *out->nodes),
		.arcs = mem_xcalloc(end->hops + 1, sizeof *out->arcs), .narcs = end->hops, .cost = end->cost };
	for (size_t i = end->hops; i > 0; i--) {
		out->nodes[i] = s->labels[at].node;
		out->arcs[i - 1] = s->labels[at].arc;
		at = s->labels[at].before;
	}
	out->nodes[0] = s->labels[at].node;
}

void
path_route_release(struct path_route *r)
{
	free(r->nodes);
	free(r->arcs);
	*r = (struct path_route){ 0 };
}

enum mem_status
path_search_run(struct path_search *s, uint32_t from, uint32_t hops, struct path_route *out)
{
	s->run++;
	s->nlabels = s->nheap = 0;
	push_label(s, &(struct path_label){ .node = from, .before = PATH_NO_NODE });
	while (s->nheap > 0) {
		struct path_heap_entry e = pop_entry(s);
		if (is_settled(s, e.node, e.hops, hops))
			continue;
		if (e.node == s->end) {
			take_route(s, e.label, out);
			return MEM_OK;
		}
		if (hops == 0 || e.hops < hops)
			extend_label(s, e.label);
	}
	return MEM_NOTFOUND;
}

/* Costs to the end from all nodes: Dijkstra's algorithm over arcs turned round. */
static void
measure_ways(struct path_search *s, const struct path_arcs *turned, uint32_t end)
{
	for (size_t v = 0; v < turned->nnodes; v++)
		s->left[v] = PATH_FAR;
	s->left[end] = 0;
	push_entry(s, (struct path_heap_entry){ .node = end });
	while (s->nheap > 0) {
		struct path_heap_entry e = pop_entry(s);
		if (e.bound > s->left[e.node])
			continue;
		for (size_t i = turned->first[e.node]; i < turned->first[e.node + 1]; i++) {
			const struct path_arc *arc = &turned->v[i];
			if (e.bound + arc->cost < s->left[arc->to]) {
				s->left[arc->to] = e.bound + arc->cost;
				push_entry(s, (struct path_heap_entry){ .bound = s->left[arc->to], .node = arc->to });
			}
		}
	}
}

void
path_search_open(struct path_search *s, const struct path_arcs *arcs, uint32_t end, uint32_t hops)
{
	struct path_arcs turned;
	*s = (struct path_search){ .arcs = arcs, .end = end, .hops = hops };
	s->left = mem_xmalloc((arcs->nnodes + 1) * sizeof *s->left);
	s->barred = mem_xcalloc(arcs->nnodes + 1, sizeof *s->barred);
	s->hops_at = mem_xcalloc(arcs->nnodes + 1, sizeof *s->hops_at);
	s->run_at = mem_xcalloc(arcs->nnodes + 1, sizeof *s->run_at);
	path_arcs_turn(&turned, arcs);
	measure_ways(s, &turned, end);
	path_arcs_release(&turned);
}

void
path_search_release(struct path_search *s)
{
	free(s->left);
	free(s->barred);
	free(s->hops_at);
	free(s->run_at);
	free(s->labels);
	free(s->heap);
	*s = (struct path_search){ 0 };
}
