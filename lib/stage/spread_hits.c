/* SPDX-License-Identifier: Apache-2.0 */
/* The stage spread: a query's hits as seeds, and what they activate as hits. */
#include "stage/spread_hits.h"

#include <math.h>
#include <stdlib.h>

#include "stage/hits_int.h"
#include "store/node.h"

enum { SNAPSHOT_NODES = 500 };

struct spreader {
	struct mem_spread_stage_options o;
	struct stage_hits hits;
	struct mem_node_filter *filter; /* OWNS; behind a search: the question's */
	/* Of one query: */
	struct mem_spread found;
	struct mem_spread_index by_id;
	struct mem_arena arena;
	struct mem_rec rec;
	struct mem_buf text;
};

/* ---- options ---------------------------------------------------------------- */

void
mem_spread_options_read(struct mem_spread_options *o, const struct mem_conf *conf)
{
	o->leak = mem_conf_num(conf, "spread.leak");
	o->threshold = mem_conf_num(conf, "spread.threshold");
	o->least_signal = mem_conf_num(conf, "spread.min_signal");
	o->hops = (uint32_t)mem_conf_int(conf, "spread.hops");
}

static void *
open_spreader(const void *options)
{
	static const struct mem_spread_stage_options defaults = { .spread = MEM_SPREAD_OPTIONS_INIT, .seeds = true };
	struct spreader *s = mem_xcalloc(1, sizeof *s);
	s->o = options != NULL ? *(const struct mem_spread_stage_options *)options : defaults;
	s->hits.unscored = true;
	return s;
}

static enum mem_status
open_search_spreader(void **state, const struct mem_stage_search *with, struct mem_err *err)
{
	struct mem_spread_stage_options o = MEM_SPREAD_STAGE_OPTIONS_INIT;
	o.store = with->searcher->index.store;
	o.seeds = true;
	o.spread.paths = with->options->explain;
	mem_spread_options_read(&o.spread, with->conf);
	struct spreader *s = open_spreader(&o);
	*state = s;
	enum mem_status st = mem_search_node_filter(&s->filter, with->searcher, with->options, err);
	s->o.filter = s->filter;
	return st;
}

static void
free_query(struct spreader *s)
{
	mem_spread_index_release(&s->by_id);
	mem_spread_release(&s->found);
	mem_arena_reset(&s->arena);
}

static void
free_spreader(void *state)
{
	struct spreader *s = state;
	free_query(s);
	stage_hits_release(&s->hits);
	mem_node_filter_free(s->filter);
	mem_arena_release(&s->arena);
	mem_rec_release(&s->rec);
	mem_buf_release(&s->text);
	free(s);
}

static enum mem_status
add_spread_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct spreader *s = state;
	struct stage_hit *hit;
	(void)stream;
	(void)out; /* all is read before anything is given */
	enum mem_status st = stage_hits_add(&s->hits, line, &hit, err);
	if (st == MEM_OK && hit != NULL && mem_rec_value(&s->hits.rec, "score").type != MEM_JSON_NUMBER)
		hit->score = (double)NAN;
	return st;
}

/* ---- notes ------------------------------------------------------------------- */

static void
put_id_field(struct mem_buf *out, const char *name, const struct mem_id *id)
{
	char text[MEM_ID_LEN + 1];
	mem_id_format(id, text);
	mem_json_put_field(out, name, mem_str(text));
}

static void
put_spread_path(struct mem_buf *out, const struct mem_spread_path *path)
{
	mem_buf_putc(out, '{');
	mem_json_put_num(out, "signal", path->signal);
	put_id_field(out, "from", &path->links[0].id);
	mem_json_put_key(out, "via");
	mem_buf_putc(out, '[');
	for (size_t i = 1; i < path->n; i++) {
		mem_buf_puts(out, i > 1 ? ",{" : "{");
		mem_json_put_field(out, "edge", mem_str(path->links[i].kind));
		mem_json_put_num(out, "weight", path->links[i].weight);
		put_id_field(out, "id", &path->links[i].id);
		mem_buf_putc(out, '}');
	}
	mem_buf_puts(out, "]}");
}

/* The note of a node; NULL: it is none.  ARENA. */
static struct mem_str
make_spread_note(struct spreader *s, const struct mem_spread_node *n)
{
	struct mem_buf *b = &s->text;
	mem_buf_reset(b);
	if (n == NULL)
		return MEM_STR("{\"score\":null,\"hops\":null}");
	mem_buf_putc(b, '{');
	mem_json_put_num(b, "score", n->potential);
	mem_json_put_int(b, "hops", n->hops);
	if (s->o.spread.paths) {
		mem_json_put_key(b, "paths");
		mem_buf_putc(b, '[');
		for (size_t i = 0; i < n->npaths; i++) {
			if (i > 0)
				mem_buf_putc(b, ',');
			put_spread_path(b, &n->paths[i]);
		}
		mem_buf_putc(b, ']');
		if (n->all_paths > (double)n->npaths)
			mem_json_put_num(b, "more", n->all_paths - (double)n->npaths);
	}
	mem_buf_putc(b, '}');
	return mem_arena_str(&s->arena, mem_buf_span(b));
}

/* ---- one query ----------------------------------------------------------------- */

/* The hits' ids, as far as they are ids of nodes. */
static enum mem_status
spread_from_hits(struct spreader *s, const struct stage_hit *hits, size_t n, struct mem_err *err)
{
	struct mem_id *ids = mem_xmalloc((n + 1) * sizeof *ids);
	size_t nids = 0;
	for (size_t i = 0; i < n; i++)
		nids += mem_id_parse((struct mem_str){ hits[i].id.p + 1, hits[i].id.n - 2 }, &ids[nids]);
	enum mem_status st = s->o.store != NULL ? mem_spread_run(&s->found, s->o.store, &s->o.spread, ids, nids, err) : MEM_OK;
	if (st == MEM_OK)
		mem_spread_index_make(&s->by_id, &s->found);
	free(ids);
	return st;
}

static const struct mem_spread_node *
find_seed_node(const struct spreader *s, const struct stage_hit *hit)
{
	struct mem_id id;
	return mem_id_parse((struct mem_str){ hit->id.p + 1, hit->id.n - 2 }, &id) ? mem_spread_find(&s->by_id, &id) : NULL;
}

/* The seeds as they came, with their places. */
static void
put_seeds(struct spreader *s, const struct stage_hit *hits, size_t n, struct mem_buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct stage_note note = { "spread", make_spread_note(s, find_seed_node(s, &hits[i])) };
		stage_put_hit(out, &s->rec, hits[i].line, i + 1, hits[i].score, &note, 1);
	}
}

/* What all of a query's new hits share. */
struct new_hits {
	struct mem_str mode, qid;  /* JSON; empty: none */
	double least;              /* score of a seed */
	bool behind;               /* the seeds */
};

static void
read_new_hits(struct spreader *s, const struct stage_hit *hits, size_t n, struct new_hits *x)
{
	*x = (struct new_hits){ .least = HUGE_VAL, .behind = s->o.seeds, .qid = s->hits.queries.qids.v[hits[0].query] };
	for (size_t i = 0; i < n; i++) {
		if (x->mode.n == 0)
			x->mode = mem_arena_str(&s->arena, mem_json_member(mem_json_object(hits[i].line), "mode").raw);
		if (!isnan(hits[i].score) && hits[i].score < x->least)
			x->least = hits[i].score;
	}
	if (!isfinite(x->least))
		x->least = 0;
}

/* A node as a hit. */
static void
put_new_hit(struct spreader *s, const struct new_hits *x, const struct mem_spread_node *n, size_t rank, struct mem_buf *out)
{
	struct mem_buf place = { 0 }, score = { 0 }, signals = { 0 };
	struct mem_edit edits[5];
	size_t nedits = 3;
	mem_buf_printf(&place, "%zu", rank);
	mem_json_put_number(&score, x->behind ? x->least - 1 / (1 + n->potential) : n->potential);
	mem_buf_putc(&signals, '{');
	mem_json_put_raw(&signals, "spread", make_spread_note(s, n));
	mem_buf_putc(&signals, '}');
	edits[0] = (struct mem_edit){ "rank", mem_buf_span(&place) };
	edits[1] = (struct mem_edit){ "score", mem_buf_span(&score) };
	if (x->mode.n > 0)
		edits[nedits++ - 1] = (struct mem_edit){ "mode", x->mode };
	edits[nedits - 1] = (struct mem_edit){ "signals", mem_buf_span(&signals) };
	if (x->qid.n > 0)
		edits[nedits++] = (struct mem_edit){ "qid", x->qid };
	mem_rec_edit(out, &s->rec, edits, nedits);
	mem_buf_putc(out, '\n');
	mem_buf_release(&place);
	mem_buf_release(&score);
	mem_buf_release(&signals);
}

/* One that has fired, unless it is gone since, or the filter does not leave it.  *rank rises with each that comes out. */
static enum mem_status
put_fired_node(struct spreader *s, struct mem_txn *t, const struct new_hits *x, const struct mem_spread_node *n, size_t *rank,
    struct mem_buf *out, struct mem_err *err)
{
	struct mem_node node;
	bool passes = false;
	enum mem_status st = mem_node_at(t, n->ord, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, n->ord);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
		return MEM_OK;
	if (st == MEM_OK && !mem_node_shown(t, node.attr))
		return MEM_OK;
	if (st == MEM_OK && mem_rec_scan(&s->rec, node.json, err) != MEM_OK)
		st = mem_err_set(err, MEM_FAIL, "a stored record is damaged: run mem-check");
	if (st == MEM_OK)
		st = mem_node_filter_pass(s->o.filter, t, node.attr, &s->rec, &passes, err);
	if (st == MEM_OK && passes)
		put_new_hit(s, x, n, ++*rank, out);
	return st;
}

/* A snapshot at a time. */
static enum mem_status
put_fired_nodes(struct spreader *s, const struct new_hits *x, size_t limit, size_t *rank, struct mem_buf *out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < s->found.n && st == MEM_OK && *rank < limit && s->found.nodes[i].fires;) {
		struct mem_txn *t = NULL;
		size_t end = i + SNAPSHOT_NODES;
		st = mem_txn_read(&t, s->o.store, err);
		for (; i < end && i < s->found.n && st == MEM_OK && *rank < limit && s->found.nodes[i].fires; i++)
			if (s->found.nodes[i].hops > 0) /* no seed */
				st = put_fired_node(s, t, x, &s->found.nodes[i], rank, out, err);
		mem_txn_end(t);
	}
	return st;
}

/* A stage_query_fn. */
static enum mem_status
spread_query(void *ctx, const struct stage_hit *hits, size_t n, struct mem_buf *out, size_t *left, struct mem_err *err)
{
	struct spreader *s = ctx;
	struct new_hits x;
	size_t limit = s->o.limit > 0 ? s->o.limit : SIZE_MAX, seeds = n < limit ? n : limit;
	*left = 0;
	if (!s->o.again && stage_hits_have_note(hits, n, "spread")) {
		stage_pass_hits(out, hits, seeds);
		*left = seeds;
		return MEM_OK;
	}
	enum mem_status st = spread_from_hits(s, hits, n, err);
	if (st == MEM_OK) {
		read_new_hits(s, hits, n, &x);
		if (s->o.seeds) {
			put_seeds(s, hits, seeds, out);
			*left = seeds;
		}
		st = put_fired_nodes(s, &x, limit, left, out, err);
	}
	free_query(s);
	return st;
}

static enum mem_status
put_spread_hits(void *state, struct mem_buf *out, struct mem_err *err)
{
	struct spreader *s = state;
	return stage_hits_each(&s->hits, spread_query, s, out, err);
}

const struct mem_stage mem_stage_spread = {
	.name = "spread", .open = open_spreader, .open_search = open_search_spreader, .add = add_spread_hit, .end = put_spread_hits,
	.free = free_spreader,
};
