/* SPDX-License-Identifier: Apache-2.0 */
/* The best of the edges between two nodes that lie side by side on a path. */
#include "graph/path_int.h"

#include <stdlib.h>
#include <string.h>

#include "graph/edge_filter_int.h"

struct edge_chooser {
	struct mem_txn *t;
	const struct mem_path_options *o;
	struct graph_edge_filter filter;
	struct mem_arena *arena;   /* of what is chosen */
	struct mem_path_edge best;
	bool found;
};

/* More of weight times confidence, then the first by kind; `against` comes behind. */
static void
offer_edge(struct edge_chooser *x, const struct mem_path_edge *e, struct mem_str kind)
{
	double left = e->weight * e->confidence, most = x->best.weight * x->best.confidence;
	if (x->found && (left < most || (left == most && mem_str_cmp(kind, mem_str(x->best.kind)) >= 0)))
		return;
	x->best = *e;
	x->best.kind = mem_arena_dup(x->arena, kind.p, kind.n);
	x->found = true;
}

/* The edge at the cursor, if it is wanted and leads the way that is asked for. */
static enum mem_status
judge_edge_between(struct edge_chooser *x, struct mem_edge_cursor *c, const struct mem_edge_row *row, struct mem_path_edge e, bool led,
    struct mem_err *err)
{
	struct mem_edge whole;
	struct mem_str kind;
	float weight;
	bool pass;
	if (!led && (row->flags & MEM_EDGE_BIDIRECTIONAL) == 0)
		return MEM_OK;
	enum mem_status st = graph_edge_filter_pass(&x->filter, c, row, &weight, &pass, err);
	if (st != MEM_OK || !pass)
		return st;
	st = mem_edge_cursor_edge(c, &whole, err);
	if (st == MEM_OK)
		st = mem_edge_kind_name(x->t, row->kind, &kind, err);
	if (st != MEM_OK)
		return st;
	e.weight = (double)weight;
	e.confidence = (double)whole.v.confidence;
	offer_edge(x, &e, kind);
	return MEM_OK;
}

/* All kinds of edges that leave `from` for `to`; `led`: not those alone that lead both ways. */
static enum mem_status
offer_edges_between(struct edge_chooser *x, const struct mem_node *from, const struct mem_node *to, bool led, struct mem_err *err)
{
	const struct mem_path_edge e = { .from = from->attr->id, .to = to->attr->id };
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t kind = graph_edge_filter_next_kind(&x->filter, 0);
	enum mem_status st = mem_edge_cursor_open(&c, x->t, true, err);
	while (st == MEM_OK && (kind > 0 || !x->filter.some_kinds)) {
		st = mem_edge_cursor_seek(c, from->ord, kind, to->ord, err);
		if (st == MEM_OK)
			st = mem_edge_cursor_next(c, &row, err);
		if (st != MEM_OK)
			break;
		if (row.kind == kind && row.other == to->ord)
			st = judge_edge_between(x, c, &row, e, led, err);
		kind = graph_edge_filter_next_kind(&x->filter, row.kind > kind ? row.kind : (uint16_t)(kind + 1));
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* Written meanwhile: it counts as it was met. */
static enum mem_status
choose_path_edge(struct edge_chooser *x, const struct mem_id *a, const struct mem_id *b, struct mem_path_edge *out, struct mem_err *err)
{
	struct mem_node from, to;
	x->found = false;
	out->confidence = 1;
	enum mem_status st = mem_node_by_id(x->t, a, &from, err);
	if (st == MEM_OK)
		st = mem_node_by_id(x->t, b, &to, err);
	if (st == MEM_OK)
		st = offer_edges_between(x, &from, &to, x->o->direction != MEM_WALK_IN, err);
	if (st == MEM_OK)
		st = offer_edges_between(x, &to, &from, x->o->direction != MEM_WALK_OUT, err);
	if (st == MEM_OK && x->found)
		*out = x->best;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
path_edges_choose(struct mem_path *path, struct mem_arena *a, struct mem_store *s, const struct mem_path_options *o, struct mem_err *err)
{
	struct edge_chooser x = { .o = o, .arena = a };
	static const struct mem_words none;
	graph_edge_filter_init(&x.filter, s, o->least_weight, o->as_of);
	enum mem_status st = mem_txn_read(&x.t, s, err);
	if (st == MEM_OK)
		st = graph_edge_filter_find(&x.filter, x.t, &o->edges_of, &none, err);
	path->weight = 1;
	for (size_t i = 0; i < path->nedges && st == MEM_OK; i++) {
		st = choose_path_edge(&x, &path->ids[i], &path->ids[i + 1], &path->edges[i], err);
		path->weight *= path->edges[i].weight * path->edges[i].confidence;
	}
	mem_txn_end(x.t);
	graph_edge_filter_release(&x.filter);
	return st;
}
