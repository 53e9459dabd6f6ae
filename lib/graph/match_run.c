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
/* Matches given, by hash: open addressing, linear probing.  No stranger chooses the numbers of nodes. */
struct match_set {
	uint32_t *rows;            /* of nnames numbers each */
	size_t nrows, rows_cap;
	uint32_t *slots;           /* number of a row + 1; 0: empty */
	unsigned bits;
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
	struct mem_id ids[MEM_GRAPH_PATTERN_NODES];
	size_t named[MEM_GRAPH_PATTERN_NODES], nnamed;
	struct match_set given;
	bool cut;
};

/* ---- matches given -------------------------------------------------------------- */

static size_t
find_match_slot(const struct match_set *set, const uint32_t *row, size_t n)
{
	size_t mask = ((size_t)1 << set->bits) - 1, i = (size_t)mem_hash_fast(row, n * sizeof *row) & mask;
	while (set->slots[i] != 0 && memcmp(&set->rows[(set->slots[i] - 1) * n], row, n * sizeof *row) != 0)
		i = (i + 1) & mask;
	return i;
}

static void
grow_match_set(struct match_set *set, size_t n)
{
	free(set->slots);
	set->bits = set->bits == 0 ? 10 : set->bits + 1;
	set->slots = mem_xcalloc((size_t)1 << set->bits, sizeof *set->slots);
	for (size_t i = 0; i < set->nrows; i++)
		set->slots[find_match_slot(set, &set->rows[i * n], n)] = (uint32_t)i + 1;
}

/* True if these named nodes are new. */
static bool
keep_match(struct mem_matches *m)
{
	struct match_set *set = &m->given;
	uint32_t row[MEM_GRAPH_PATTERN_NODES];
	size_t n = m->nnamed;
	for (size_t i = 0; i < n; i++)
		row[i] = m->bound[m->named[i]];
	if (set->bits == 0 || set->nrows >= (size_t)1 << (set->bits - 1))
		grow_match_set(set, n);
	size_t slot = find_match_slot(set, row, n);
	if (set->slots[slot] != 0)
		return false;
	set->rows = mem_grow(set->rows, &set->rows_cap, (set->nrows + 1) * n, sizeof *set->rows);
	memcpy(&set->rows[set->nrows++ * n], row, n * sizeof *row);
	set->slots[slot] = (uint32_t)set->nrows;
	return true;
}

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
	for (size_t i = 0; i < m->nnamed; i++)
		if (m->named[i] != node && m->bound[m->named[i]] == candidate && m->pattern->nodes[node].name.n > 0)
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

static bool
give_match(struct mem_matches *m)
{
	bool fresh = !m->plan.gaps || keep_match(m);
	for (size_t i = 0; i < m->pattern->nnodes; i++)
		m->ids[i] = m->c->ids[m->bound[i]];
	/* Other nodes without a name would give the same names. */
	cut_match_levels(m, m->plan.last_named + 1);
	return fresh;
}

enum mem_status
mem_matches_next(struct mem_matches *m, const struct mem_id **ids, struct mem_err *err)
{
	*ids = m->ids;
	while (m->depth > 0) {
		enum mem_status st = bind_match_level(m, err);
		if (st == MEM_END)
			cut_match_levels(m, m->depth - 1);
		else if (st != MEM_OK)
			return st;
		else if (m->depth < m->plan.nlevels)
			open_match_level(m);
		else if (give_match(m)) {
			match_nodes_pause(&m->nodes);
			return MEM_OK;
		}
		m->cut = match_ways_over(&m->ways);
		if (m->cut)
			cut_match_levels(m, 0);
	}
	match_nodes_pause(&m->nodes);
	return MEM_END;
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
	for (size_t i = 0; i < o->pattern->nnodes; i++) {
		m->bound[i] = MATCH_NO_NODE;
		if (o->pattern->nodes[i].name.n > 0)
			m->named[m->nnamed++] = i;
	}
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
	free(m->given.rows);
	free(m->given.slots);
	free(m);
}
