/* SPDX-License-Identifier: Apache-2.0 */
/* Searching along edges: from the entities and pages nearest the question to what two hops reach. */
#include "graph/graph.h"
#include "graph/spread.h"
#include "query/question_int.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 5, HOPS = 2, SNAPSHOT_NODES = 1000, NAMED_OF = 500 };
#define LEAST_SIMILARITY .5  /* of a seed; one that was found by its name has it */
/*
 * The same where the question comes near nothing and names nothing.  A question is less like the page that answers it than two texts of one
 * matter are: of 24 pages of notes and a question in other words about each, e5 gives right pairs .19 to .62 (median .41), wrong
 * ones .10 (95th percentile .24).  .25 keeps 22 of 24 right and 4 % of wrong pairs; .5 keeps 4.
 */
#define LEAST_OF_ANSWER  .25
#define LEFT_AT_EDGE     .85 /* of a score */

/* Where the search begins. */
struct graph_seeds {
	struct mem_near v[SEEDS];  /* score: the similarity */
	size_t n;
};
/* The best way to a step. */
struct graph_way {
	double score;
	uint32_t from;             /* step before */
	const char *kind;          /* BORROWS from the walk; NULL: it is a seed */
	bool against;
	double weight;
};
struct graph_search {
	struct mem_question *q;
	struct graph_seeds near, seeds; /* the nearest, best first; those that it begins at */
	struct mem_walk *walk;
	struct graph_way *ways;    /* OWNS: by step */
	uint32_t *best;            /* OWNS: by first step of a node, its step of the highest score */
	size_t nsteps, ways_cap, best_cap;
	uint32_t *found;           /* OWNS: first steps of nodes that pass */
	size_t nfound, found_cap;
};

/* ---- seeds ----------------------------------------------------------------- */

static struct mem_kind_set
seed_kinds(void)
{
	struct mem_kind_set out = mem_kind_set_of(MEM_KIND_ENTITY);
	mem_kind_set_add(&out, MEM_KIND_PAGE);
	return out;
}

/* The nearest into g->near. */
static enum mem_status
find_near_seeds(struct graph_search *g, struct mem_err *err)
{
	struct mem_near_query near = { .kinds = seed_kinds(), .vector = g->q->vector, .least = LEAST_OF_ANSWER, .limit = SEEDS };
	struct mem_ns *ns = NULL;
	struct mem_near *hits = NULL;
	size_t n = 0;
	if (g->q->vector == NULL)
		return MEM_OK;
	enum mem_status st = mem_ns_visible(g->q->t, &ns, &near.nns, err);
	near.ns = ns;
	if (st == MEM_OK)
		st = mem_near_search(g->q->t, &near, &hits, &n, err);
	for (size_t i = 0; i < n && i < SEEDS && st == MEM_OK; i++)
		g->near.v[g->near.n++] = hits[i];
	free(ns);
	free(hits);
	return st;
}

/* Those of at least this similarity; the nearest come first. */
static void
take_near_seeds(struct graph_search *g, double least)
{
	for (size_t i = 0; i < g->near.n && g->near.v[i].score >= least; i++)
		g->seeds.v[g->seeds.n++] = g->near.v[i];
}

/* Of hits by words those whose names the question holds. */
static enum mem_status
take_named_hits(struct graph_search *g, struct mem_hits *hits, struct mem_err *err)
{
	struct mem_str record;
	enum mem_status st = MEM_OK;
	while (g->seeds.n < SEEDS && (st = mem_hits_next(hits, &record, err)) == MEM_OK) {
		struct mem_near *seed = &g->seeds.v[g->seeds.n];
		struct mem_json hit = mem_json_object(record);
		*seed = (struct mem_near){ .score = LEAST_SIMILARITY };
		g->seeds.n += query_names_node(g->q, hit) && mem_json_id(mem_json_member(hit, "id"), &seed->id);
	}
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
find_seeds_by_name(struct graph_search *g, struct mem_err *err)
{
	struct mem_search_options o = MEM_SEARCH_OPTIONS_INIT;
	struct mem_filter f = MEM_FILTER_INIT;
	struct mem_hits *hits = NULL;
	f.kinds = seed_kinds();
	o.query = g->q->options->query;
	o.plain = g->q->options->plain;
	o.strict = g->q->options->strict;
	o.mode = MEM_MODE_KEYWORD;
	o.limit = NAMED_OF;
	o.alone = true;
	o.filter = &f;
	enum mem_status st = mem_search_query(&hits, g->q->searcher, &o, err);
	if (st == MEM_OK)
		st = take_named_hits(g, hits, err);
	mem_hits_free(hits);
	mem_filter_release(&f);
	return st;
}

/* ---- ways ------------------------------------------------------------------- */

static double
seed_score(const struct graph_search *g, const struct mem_id *id)
{
	for (size_t i = 0; i < g->seeds.n; i++)
		if (mem_id_cmp(&g->seeds.v[i].id, id) == 0)
			return g->seeds.v[i].score;
	return 0;
}

/* A node comes again on each level that reaches it: its best step counts, of equal ones the first. */
static void
take_graph_step(struct graph_search *g, const struct mem_walk_step *step)
{
	struct graph_way way = { .score = step->hops == 0 ? seed_score(g, &step->id) : -1 };
	for (size_t i = 0; i < step->nedges; i++) {
		const struct mem_walk_edge *e = &step->edges[i];
		double weight = mem_score_round((double)e->weight), score = g->ways[e->from].score * weight * LEFT_AT_EDGE;
		if (score > way.score)
			way = (struct graph_way){ score, e->from, e->kind, e->against, weight };
	}
	g->ways = mem_grow(g->ways, &g->ways_cap, (size_t)step->number + 1, sizeof *g->ways);
	g->best = mem_grow(g->best, &g->best_cap, (size_t)step->number + 1, sizeof *g->best);
	g->ways[step->number] = way;
	g->best[step->number] = step->number;
	if (step->first != step->number && way.score > g->ways[g->best[step->first]].score)
		g->best[step->first] = step->number;
	g->nsteps = (size_t)step->number + 1;
}

static enum mem_status
walk_from_seeds(struct graph_search *g, struct mem_err *err)
{
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	const char *left_out[MEM_COUNT(mem_spread_edges_left_out)];
	struct mem_id ids[SEEDS];
	struct mem_walk_step step;
	memcpy(left_out, mem_spread_edges_left_out, sizeof left_out);
	o.direction = MEM_WALK_BOTH;
	o.edges_but = (struct mem_words){ left_out, MEM_COUNT(left_out) };
	o.again = o.every_edge = true;
	o.hops = HOPS;
	for (size_t i = 0; i < g->seeds.n; i++)
		ids[i] = g->seeds.v[i].id;
	enum mem_status st = mem_walk_open(&g->walk, g->q->searcher->index.store, &o, ids, g->seeds.n, err);
	while (st == MEM_OK && (st = mem_walk_next(g->walk, &step, err)) == MEM_OK)
		take_graph_step(g, &step);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- what the filter leaves ---------------------------------------------------- */

static enum mem_status
filter_graph_node(struct graph_search *g, struct mem_txn *t, const struct mem_node_filter *f, uint32_t first, struct mem_rec *rec,
    struct mem_err *err)
{
	struct mem_walk_step step;
	struct mem_node node;
	bool pass = false;
	mem_walk_step_at(g->walk, first, &step);
	double score = mem_score_round(g->ways[g->best[first]].score);
	if (step.first != first || score <= 0 || score < g->q->options->min_score)
		return MEM_OK;
	enum mem_status st = mem_node_at(t, step.ord, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, step.ord);
	if (st == MEM_DAMAGED || st == MEM_NOTFOUND)
		return MEM_OK;
	if (st == MEM_OK)
		st = mem_rec_scan(rec, node.json, err);
	if (st == MEM_OK)
		st = mem_node_filter_pass(f, t, node.attr, rec, &pass, err);
	if (st == MEM_OK && pass) {
		g->found = mem_grow(g->found, &g->found_cap, g->nfound + 1, sizeof *g->found);
		g->found[g->nfound++] = first;
	}
	return st;
}

static enum mem_status
filter_graph_nodes(struct graph_search *g, struct mem_err *err)
{
	struct mem_node_filter *f = NULL;
	struct mem_txn *t = NULL;
	struct mem_rec rec = { 0 };
	enum mem_status st = mem_search_node_filter(&f, g->q->searcher, g->q->options, err);
	for (uint32_t i = 0; i < g->nsteps && st == MEM_OK; i++) {
		if (i % SNAPSHOT_NODES == 0) {
			mem_txn_end(t);
			t = NULL;
			st = mem_txn_read(&t, g->q->searcher->index.store, err);
		}
		if (st == MEM_OK)
			st = filter_graph_node(g, t, f, i, &rec, err);
	}
	mem_txn_end(t);
	mem_rec_release(&rec);
	mem_node_filter_free(f);
	return st;
}

/* ---- hits ----------------------------------------------------------------------- */

/* By score, then by id. */
static int
compare_found_steps(const void *a, const void *b, void *search)
{
	const struct graph_search *g = search;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double p = mem_score_round(g->ways[g->best[x]].score), q = mem_score_round(g->ways[g->best[y]].score);
	struct mem_walk_step s;
	if (p != q)
		return p > q ? -1 : 1;
	mem_walk_step_at(g->walk, x, &s);
	struct mem_id id = s.id;
	mem_walk_step_at(g->walk, y, &s);
	return mem_id_cmp(&id, &s.id);
}

static void
put_graph_id(struct mem_buf *out, const char *name, const struct mem_id *id)
{
	char text[MEM_ID_LEN + 1];
	mem_id_format(id, text);
	mem_json_put_field(out, name, mem_str(text));
}

/* {"score":S,"hops":H,"via":[{"edge":KIND,"from":ID,"to":ID,"weight":W},…]}, from the seed on. */
static struct mem_str
show_graph_way(struct graph_search *g, uint32_t step, struct mem_arena *a)
{
	struct mem_buf b = { 0 };
	uint32_t steps[HOPS + 1], hops = 0;
	struct mem_walk_step here, before;
	for (uint32_t at = step; g->ways[at].kind != NULL && hops < HOPS; at = g->ways[at].from)
		steps[hops++] = at;
	mem_buf_putc(&b, '{');
	mem_json_put_num(&b, "score", mem_score_round(g->ways[step].score));
	mem_json_put_int(&b, "hops", hops);
	mem_json_put_key(&b, "via");
	mem_buf_putc(&b, '[');
	for (uint32_t i = hops; i-- > 0;) {
		const struct graph_way *way = &g->ways[steps[i]];
		mem_walk_step_at(g->walk, steps[i], &here);
		mem_walk_step_at(g->walk, way->from, &before);
		mem_buf_puts(&b, i + 1 < hops ? ",{" : "{");
		mem_json_put_field(&b, "edge", mem_str(way->kind));
		put_graph_id(&b, "from", way->against ? &here.id : &before.id);
		put_graph_id(&b, "to", way->against ? &before.id : &here.id);
		mem_json_put_num(&b, "weight", way->weight);
		mem_buf_putc(&b, '}');
	}
	mem_buf_puts(&b, "]}");
	struct mem_str out = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return out;
}

static void
list_graph_hits(struct graph_search *g, struct mem_candidates *out, struct mem_str **ways, struct mem_arena *a)
{
	size_t n = g->q->iq.limit < g->nfound ? g->q->iq.limit : g->nfound;
	struct mem_walk_step step;
	if (g->nfound > 1)
		qsort_r(g->found, g->nfound, sizeof *g->found, compare_found_steps, g);
	*ways = mem_arena_alloc(a, (n + 1) * sizeof **ways);
	for (size_t i = 0; i < n; i++) {
		uint32_t best = g->best[g->found[i]];
		mem_walk_step_at(g->walk, best, &step);
		struct mem_candidate *c = mem_candidates_add(out, step.ord, &step.id);
		c->score = mem_score_round(g->ways[best].score);
		c->signal[MEM_SIGNAL_GRAPH] = (struct mem_signal_score){ c->score, (uint32_t)i + 1 };
		(*ways)[i] = show_graph_way(g, best, a);
	}
}

enum mem_status
query_search_graph(struct mem_question *q, struct mem_candidates *out, struct mem_str **ways, struct mem_arena *a, struct mem_err *err)
{
	struct graph_search g = { .q = q };
	enum mem_status st = find_near_seeds(&g, err);
	take_near_seeds(&g, LEAST_SIMILARITY);
	if (st == MEM_OK && g.seeds.n == 0)
		st = find_seeds_by_name(&g, err);
	if (g.seeds.n == 0)
		take_near_seeds(&g, LEAST_OF_ANSWER);
	if (st == MEM_OK && g.seeds.n > 0)
		st = walk_from_seeds(&g, err);
	if (st == MEM_OK && g.seeds.n > 0)
		st = filter_graph_nodes(&g, err);
	if (st == MEM_OK && g.seeds.n > 0)
		list_graph_hits(&g, out, ways, a);
	mem_walk_free(g.walk);
	free(g.ways);
	free(g.best);
	free(g.found);
	return st;
}
