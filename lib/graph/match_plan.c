/* SPDX-License-Identifier: Apache-2.0 */
/* In which order the nodes of a pattern are bound. */
#include "graph/match_int.h"

struct plan_maker {
	struct match_plan *out;
	const struct mem_graph_pattern *p;
	bool bound[MEM_GRAPH_PATTERN_NODES];
};

static void
add_plan_level(struct plan_maker *m, size_t node, size_t edge)
{
	struct match_level *l = &m->out->levels[m->out->nlevels++];
	*l = (struct match_level){ .node = node, .edge = edge };
	m->bound[node] = true;
	for (size_t e = 0; e < m->p->nedges; e++) {
		size_t from = m->p->edges[e].from, to = m->p->edges[e].to;
		if (e != edge && (from == node || to == node) && m->bound[from] && m->bound[to])
			l->checks[l->nchecks++] = e;
	}
}

/* How much is said of a node by itself. */
static unsigned
weigh_pattern_node(const struct mem_graph_pattern_node *n)
{
	return n->nconditions > 0 ? 2 : mem_kind_set_empty(&n->kinds) ? 0 : 1;
}

static size_t
choose_plan_start(const struct plan_maker *m)
{
	size_t best = MEM_GRAPH_PATTERN_NODES;
	for (size_t i = 0; i < m->p->nnodes; i++)
		if (!m->bound[i] && (best == MEM_GRAPH_PATTERN_NODES || weigh_pattern_node(&m->p->nodes[i]) > weigh_pattern_node(&m->p->nodes[best])))
			best = i;
	return best;
}

/* An edge with one end that is bound, of those the shortest; MATCH_NO_EDGE: there is none. */
static size_t
choose_plan_edge(const struct plan_maker *m)
{
	size_t best = MATCH_NO_EDGE;
	for (size_t e = 0; e < m->p->nedges; e++)
		if (m->bound[m->p->edges[e].from] != m->bound[m->p->edges[e].to] &&
		    (best == MATCH_NO_EDGE || m->p->edges[e].most < m->p->edges[best].most))
			best = e;
	return best;
}

/* Does what it is show in a match? */
static bool
is_pattern_node_shown(const struct mem_graph_pattern *p, size_t node)
{
	bool shown = p->nodes[node].name.n > 0;
	for (size_t e = 0; e < p->nedges; e++)
		shown = shown || (p->edges[e].name.n > 0 && (p->edges[e].from == node || p->edges[e].to == node));
	return shown;
}

void
match_plan_make(struct match_plan *out, const struct mem_graph_pattern *p)
{
	struct plan_maker m = { .out = out, .p = p };
	*out = (struct match_plan){ 0 };
	for (size_t i = 0; i < p->nnodes; i++)
		if (p->nodes[i].called.p != NULL)
			add_plan_level(&m, i, MATCH_NO_EDGE);
	while (out->nlevels < p->nnodes) {
		size_t e = out->nlevels > 0 ? choose_plan_edge(&m) : MATCH_NO_EDGE;
		if (e == MATCH_NO_EDGE)
			add_plan_level(&m, choose_plan_start(&m), e);
		else
			add_plan_level(&m, m.bound[p->edges[e].from] ? p->edges[e].to : p->edges[e].from, e);
	}
	for (size_t i = 0; i < out->nlevels; i++)
		if (is_pattern_node_shown(p, out->levels[i].node))
			out->last_shown = i;
	for (size_t i = 0; i <= out->last_shown; i++)
		out->gaps = out->gaps || p->nodes[out->levels[i].node].name.n == 0;
}

/* ---- what the copy must hold --------------------------------------------------- */

static void
settle_copied_edges(struct mem_graph_copy_options *o, const struct mem_graph_pattern *p, const char **kinds)
{
	size_t n = 0;
	for (size_t e = 0; e < p->nedges; e++) {
		if (p->edges[e].kinds.n == 0)
			return;
		for (size_t i = 0; i < p->edges[e].kinds.n; i++)
			kinds[n++] = p->edges[e].kinds.v[i];
	}
	o->edges_of = (struct mem_words){ kinds, n };
}

/* A node that no edge of the pattern touches may have none in the graph. */
static bool
is_pattern_node_alone(const struct mem_graph_pattern *p, size_t node)
{
	for (size_t e = 0; e < p->nedges; e++)
		if (p->edges[e].from == node || p->edges[e].to == node)
			return false;
	return true;
}

void
match_copy_settle(struct mem_graph_copy_options *o, const struct mem_graph_pattern *p, const char **kinds)
{
	bool short_edges = true, kinds_said = true;
	struct mem_kind_set all = { 0 };
	settle_copied_edges(o, p, kinds);
	for (size_t e = 0; e < p->nedges; e++)
		short_edges = short_edges && p->edges[e].most == 1;
	for (size_t i = 0; i < p->nnodes; i++) {
		const struct mem_graph_pattern_node *n = &p->nodes[i];
		kinds_said = kinds_said && !mem_kind_set_empty(&n->kinds);
		all = mem_kind_set_union(all, n->kinds);
		if (!is_pattern_node_alone(p, i))
			continue;
		o->orphans = true;
		o->orphans_of = mem_kind_set_union(o->orphans_of, !mem_kind_set_empty(&n->kinds) ? n->kinds :
		    n->called.p != NULL ? mem_kind_set_all() : mem_graph_kinds());
	}
	if (short_edges && kinds_said)
		o->kinds = all;
}
