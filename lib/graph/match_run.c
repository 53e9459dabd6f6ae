/* SPDX-License-Identifier: Apache-2.0 */
/* The search for matches: level by level, back where a level has no candidates left. */
#include "graph/match_int.h"

#include <stdlib.h>
#include <string.h>

/* Candidates of a level: those an edge leads to, or all nodes from `at` to `end`. */
struct match_candidates {
	uint32_t *v;               /* OWNS; not used where all are tried */
	size_t cap, at, end;
};
struct mem_matches {
	const struct mem_graph_pattern *pattern;
	struct mem_graph_copy *c;
	struct match_plan plan;
	struct match_ways ways;
	struct match_nodes nodes;
	struct match_candidates levels[MEM_GRAPH_PATTERN_NODES];
	size_t depth;              /* levels with candidates; 0: the search is over */
	uint32_t bound[MEM_GRAPH_PATTERN_NODES]; /* by node of the pattern; MATCH_NO_NODE */
	struct match_edges edges;
	struct match_set given;
	bool cut;
};

/* ---- levels --------------------------------------------------------------------- */

static void
offer_all_nodes(struct mem_matches *m, struct match_candidates *x, size_t node)
{
	uint32_t called = m->nodes.called[node];
	x->at = 0;
	x->end = m->c->nnodes;
	if (m->pattern->nodes[node].called.p == NULL)
		return;
	x->at = called != MATCH_NO_NODE ? called : 0;
	x->end = called != MATCH_NO_NODE ? (size_t)called + 1 : 0;
}

/* Candidates of the next level. */
static void
open_match_level(struct mem_matches *m)
{
	const struct match_level *l = &m->plan.levels[m->depth];
	struct match_candidates *x = &m->levels[m->depth++];
	if (l->edge == MATCH_NO_EDGE) {
		offer_all_nodes(m, x, l->node);
		return;
	}
	const struct mem_graph_pattern_edge *e = &m->pattern->edges[l->edge];
	bool back = e->from == l->node;
	const struct match_reach *r = match_ways_reach(&m->ways, l->edge, m->bound[back ? e->to : e->from], back);
	x->at = 0;
	x->end = r != NULL ? r->n : 0;
	x->v = mem_grow(x->v, &x->cap, x->end + 1, sizeof *x->v);
	if (r != NULL && r->n > 0)
		memcpy(x->v, r->v, x->end * sizeof *x->v);
}

static bool
is_another_name(const struct mem_matches *m, size_t node, uint32_t candidate)
{
	const struct mem_graph_pattern *p = m->pattern;
	for (size_t i = 0; i < p->nnodes && p->nodes[node].name.n > 0; i++)
		if (i != node && p->nodes[i].name.n > 0 && m->bound[i] == candidate)
			return true;
	return false;
}

/* Do the edges hold of which this candidate is the second end? */
static bool
holds_level_edges(struct mem_matches *m, const struct match_level *l, uint32_t candidate)
{
	for (size_t i = 0; i < l->nchecks; i++) {
		const struct mem_graph_pattern_edge *e = &m->pattern->edges[l->checks[i]];
		bool back = e->from == l->node;
		size_t other = back ? e->to : e->from;
		uint32_t source = other == l->node ? candidate : m->bound[other];
		const struct match_reach *r = match_ways_reach(&m->ways, l->checks[i], source, back);
		if (r == NULL || !match_reach_has(r, candidate))
			return false;
	}
	return true;
}

/* Binds the next candidate of the last level that fits.  MEM_END: there is none. */
static enum mem_status
bind_match_level(struct mem_matches *m, struct mem_err *err)
{
	const struct match_level *l = &m->plan.levels[m->depth - 1];
	struct match_candidates *x = &m->levels[m->depth - 1];
	m->bound[l->node] = MATCH_NO_NODE;
	while (x->at < x->end && !match_ways_over(&m->ways)) {
		uint32_t candidate = l->edge == MATCH_NO_EDGE ? (uint32_t)x->at : x->v[x->at];
		bool fit = false;
		x->at++;
		m->ways.steps++;
		if (is_another_name(m, l->node, candidate))
			continue;
		enum mem_status st = match_nodes_fit(&m->nodes, l->node, candidate, &fit, err);
		if (st != MEM_OK)
			return st;
		if (fit && holds_level_edges(m, l, candidate)) {
			m->bound[l->node] = candidate;
			return MEM_OK;
		}
	}
	return MEM_END;
}

/* Back to a level: what lies behind it is bound no more. */
static void
cut_match_levels(struct mem_matches *m, size_t depth)
{
	while (m->depth > depth)
		m->bound[m->plan.levels[--m->depth].node] = MATCH_NO_NODE;
}

/* Binds all nodes in the next way; of what binds none that is shown one way is enough.  MEM_END: there is none. */
static enum mem_status
search_match(struct mem_matches *m, struct mem_err *err)
{
	while (m->depth > 0) {
		enum mem_status st = bind_match_level(m, err);
		if (st == MEM_END)
			cut_match_levels(m, m->depth - 1);
		else if (st != MEM_OK)
			return st;
		else if (m->depth < m->plan.nlevels)
			open_match_level(m);
		else {
			cut_match_levels(m, m->plan.last_shown + 1);
			return MEM_OK;
		}
		m->cut = match_ways_over(&m->ways);
		if (m->cut)
			cut_match_levels(m, 0);
	}
	return MEM_END;
}

/* ---- matches ---------------------------------------------------------------------- */

/* False: what has a name was given before. */
static bool
keep_match(struct mem_matches *m)
{
	const struct mem_graph_pattern *p = m->pattern;
	uint64_t row[2 * MEM_GRAPH_PATTERN_NODES];
	size_t n = 0;
	if (!m->plan.gaps)
		return true;
	for (size_t i = 0; i < p->nnodes; i++)
		if (p->nodes[i].name.n > 0)
			row[n++] = m->bound[i];
	for (size_t i = 0; i < m->edges.nlists; i++)
		row[n++] = m->edges.lists[i].v[m->edges.lists[i].at];
	return match_set_add(&m->given, row);
}

static void
fill_match(const struct mem_matches *m, struct mem_graph_match *out)
{
	const struct mem_graph_copy *c = m->c;
	for (size_t i = 0; i < m->pattern->nnodes; i++)
		if (m->pattern->nodes[i].name.n > 0)
			out->nodes[i] = c->ids[m->bound[i]];
	for (size_t i = 0; i < m->edges.nlists; i++) {
		const struct match_edge_list *l = &m->edges.lists[i];
		size_t e = l->v[l->at];
		out->edges[l->edge] = (struct mem_match_edge){ .from = c->ids[l->from[l->at]], .to = c->ids[c->to[e]],
			.kind = c->kind_names[c->kind[e]], .weight = (double)c->weight[e], .confidence = (double)c->confidence[e] };
	}
}

enum mem_status
mem_matches_next(struct mem_matches *m, struct mem_graph_match *out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && (!match_edges_choose(&m->edges, &m->ways) || !keep_match(m))) {
		if (m->edges.open)
			continue;
		st = search_match(m, err);
		if (st == MEM_OK)
			match_edges_list(&m->edges, &m->ways, m->bound);
	}
	if (st == MEM_OK)
		fill_match(m, out);
	match_nodes_pause(&m->nodes);
	return st;
}

/* ---- opening and closing ---------------------------------------------------------- */

static enum mem_status
copy_for_matches(struct mem_matches *m, struct mem_store *s, const struct mem_match_options *o, struct mem_err *err)
{
	struct mem_graph_copy_options copied = { .least_weight = o->least_weight, .as_of = o->as_of };
	size_t n = 0;
	for (size_t e = 0; e < o->pattern->nedges; e++)
		n += o->pattern->edges[e].kinds.n;
	const char **kinds = mem_xcalloc(n + 1, sizeof *kinds);
	match_copy_settle(&copied, o->pattern, kinds);
	enum mem_status st = mem_graph_copy_make(&m->c, s, &copied, err);
	free((void *)kinds);
	return st;
}

enum mem_status
mem_matches_open(struct mem_matches **out, struct mem_store *s, const struct mem_match_options *o, struct mem_err *err)
{
	struct mem_matches *m = mem_xcalloc(1, sizeof *m);
	m->pattern = o->pattern;
	match_plan_make(&m->plan, o->pattern);
	enum mem_status st = copy_for_matches(m, s, o, err);
	if (st != MEM_OK) {
		free(m);
		return st;
	}
	match_ways_init(&m->ways, m->c, o->pattern, o->steps);
	match_nodes_init(&m->nodes, s, o, m->c);
	match_edges_init(&m->edges, o->pattern);
	m->given.n = o->pattern->nnames;
	memset(m->bound, 0xff, sizeof m->bound); /* MATCH_NO_NODE */
	open_match_level(m);
	*out = m;
	return MEM_OK;
}

bool
mem_matches_cut(const struct mem_matches *m)
{
	return m->cut;
}

void
mem_matches_free(struct mem_matches *m)
{
	if (m == NULL)
		return;
	match_nodes_release(&m->nodes);
	match_ways_release(&m->ways);
	mem_graph_copy_free(m->c);
	for (size_t i = 0; i < MEM_GRAPH_PATTERN_NODES; i++)
		free(m->levels[i].v);
	match_edges_release(&m->edges);
	match_set_release(&m->given);
	free(m);
}
