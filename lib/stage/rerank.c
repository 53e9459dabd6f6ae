/* SPDX-License-Identifier: Apache-2.0 */
/* The stage rerank: which steps a query's hits go through, and the two that need one pass. */
#include "stage/rerank_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "query/query.h"
#include "store/decay.h"

static bool wants_with(const struct mem_rerank_options *o) { return o->with != NULL; }
static bool wants_factors(const struct mem_rerank_options *o) { return o->factors; }
static bool wants_mmr(const struct mem_rerank_options *o) { return o->mmr; }
static bool wants_per_session(const struct mem_rerank_options *o) { return o->per_session > 0; }
static bool wants_per_community(const struct mem_rerank_options *o) { return o->per_community > 0; }

#define RERANK_STEP_ROW(name) { #name, wants_##name, rerank_##name },
static const struct {
	const char *name;          /* of its note */
	bool (*is_wanted)(const struct mem_rerank_options *o);
	rerank_step_fn *run;
} steps[] = { RERANK_STEPS(RERANK_STEP_ROW) };

void
mem_rerank_options_read(struct mem_rerank_options *o, const struct mem_conf *conf)
{
	struct mem_str with = mem_conf_str(conf, "rerank.with");
	o->with = with.n > 0 ? with.p : NULL;
	o->mmr = mem_str_is(mem_conf_str(conf, "rerank.mmr"), "on");
	o->factors = mem_str_is(mem_conf_str(conf, "rerank.factors"), "on");
	o->per_session = (size_t)mem_conf_int(conf, "rerank.per_session");
	o->per_community = (size_t)mem_conf_int(conf, "rerank.per_community");
	o->lambda = mem_conf_num(conf, "rerank.lambda");
}

static void *
open_reranker(const void *options)
{
	static const struct mem_rerank_options defaults = MEM_RERANK_OPTIONS_INIT;
	struct reranker *r = mem_xcalloc(1, sizeof *r);
	r->opts = options != NULL ? *(const struct mem_rerank_options *)options : defaults;
	return r;
}

static enum mem_status
open_search_reranker(void **state, const struct mem_stage_search *with, struct mem_err *err)
{
	struct mem_rerank_options o = MEM_RERANK_OPTIONS_INIT;
	(void)err;
	mem_rerank_options_read(&o, with->conf);
	o.store = with->searcher->index.store;
	o.now = mem_store_now(o.store);
	o.query = with->options->query;
	o.tell = with->tell;
	*state = open_reranker(&o);
	return MEM_OK;
}

static void
free_reranker(void *state)
{
	struct reranker *r = state;
	stage_hits_release(&r->hits);
	mem_arena_release(&r->arena);
	mem_rec_release(&r->rec);
	mem_buf_release(&r->text);
	free(r);
}

static enum mem_status
add_rerank_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct reranker *r = state;
	struct stage_hit *hit;
	(void)stream;
	(void)out; /* all is read before anything is given */
	return stage_hits_add(&r->hits, line, &hit, err);
}

/* ---- scores ------------------------------------------------------------- */

double
rerank_round(double score)
{
	return round(score * 1e6) / 1e6 + 0.0;
}

void
rerank_scale(const struct rerank_hit *v, size_t n, double *out)
{
	double least = v[0].score, most = v[0].score;
	for (size_t i = 1; i < n; i++) {
		least = fmin(least, v[i].score);
		most = fmax(most, v[i].score);
	}
	for (size_t i = 0; i < n; i++)
		out[i] = most > least ? (v[i].score - least) / (most - least) : 1;
}

static int
compare_reranked_hits(const void *a, const void *b)
{
	const struct rerank_hit *x = a, *y = b;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	int c = mem_str_cmp(x->hit->id, y->hit->id);
	return c != 0 ? c : (x->hit->order > y->hit->order) - (x->hit->order < y->hit->order);
}

void
rerank_sort(struct rerank_hit *v, size_t n)
{
	mem_sort(v, n, sizeof *v, compare_reranked_hits);
}

struct mem_str
rerank_question(const struct reranker *r, const struct stage_hit *hit)
{
	struct mem_str qid = r->hits.queries.qids.v[hit->query];
	return r->opts.questions != NULL ? mem_questions_find(r->opts.questions, qid) : r->opts.query;
}

/* ---- two steps ---------------------------------------------------------- */

static double
read_factor(const struct mem_rec *r, const char *name)
{
	double v;
	bool fits = mem_json_num(mem_rec_value(r, name), &v) && v >= 0 && v <= 1;
	return fits ? v : (double)NAN;
}

static double
or_half(double factor)
{
	return isnan(factor) ? .5 : factor;
}

enum mem_status
rerank_factors(struct reranker *r, struct rerank_hit *v, size_t *n, struct mem_err *err)
{
	double *scaled = mem_xcalloc(*n, sizeof *scaled);
	const int64_t now = r->opts.now != MEM_TIME_NONE ? r->opts.now : mem_time_now();
	(void)err;
	rerank_scale(v, *n, scaled);
	for (size_t i = 0; i < *n; i++) {
		mem_rec_look(&r->rec, v[i].hit->line);
		double importance = or_half(rerank_round(read_factor(&r->rec, "importance") * mem_decay_record(&r->rec, now)));
		double trust = or_half(read_factor(&r->rec, "trust"));
		v[i].score = rerank_round(scaled[i] * (.8 + .1 * importance + .1 * trust));
		mem_buf_reset(&r->text);
		mem_buf_putc(&r->text, '{');
		mem_json_put_num(&r->text, "score", v[i].score);
		mem_json_put_num(&r->text, "importance", importance);
		mem_json_put_num(&r->text, "trust", trust);
		mem_buf_putc(&r->text, '}');
		v[i].note[RERANK_factors] = mem_arena_str(&r->arena, mem_buf_span(&r->text));
	}
	free(scaled);
	rerank_sort(v, *n);
	return MEM_OK;
}

struct session_place {
	struct mem_str session;    /* in quotes, without escapes */
	size_t at, place;          /* at: among the hits; place: 0: it has no session */
};

static int
compare_places_by_session(const void *a, const void *b)
{
	const struct session_place *x = a, *y = b;
	int c = mem_str_cmp(x->session, y->session);
	return c != 0 ? c : (x->at > y->at) - (x->at < y->at);
}

static int
compare_places_by_hit(const void *a, const void *b)
{
	const struct session_place *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

/* Of each hit the place in its session, by hit. */
static struct session_place *
number_session_hits(struct reranker *r, const struct rerank_hit *v, size_t n)
{
	struct session_place *places = mem_xcalloc(n, sizeof *places);
	for (size_t i = 0; i < n; i++) {
		places[i].at = i;
		struct mem_json session = mem_json_member(mem_json_object(v[i].hit->line), "session_id");
		if (session.type == MEM_JSON_STRING && session.raw.n > 2)
			places[i].session = mem_arena_str(&r->arena, stage_queries_normalise(&r->hits.queries, session));
	}
	mem_sort(places, n, sizeof *places, compare_places_by_session);
	for (size_t i = 0; i < n; i++)
		if (places[i].session.n > 0)
			places[i].place = i > 0 && mem_str_eq(places[i - 1].session, places[i].session) ? places[i - 1].place + 1 : 1;
	mem_sort(places, n, sizeof *places, compare_places_by_hit);
	return places;
}

enum mem_status
rerank_per_session(struct reranker *r, struct rerank_hit *v, size_t *n, struct mem_err *err)
{
	struct session_place *places = number_session_hits(r, v, *n);
	size_t kept = 0;
	(void)err;
	for (size_t i = 0; i < *n; i++) {
		if (places[i].place > r->opts.per_session)
			continue;
		mem_buf_reset(&r->text);
		mem_buf_puts(&r->text, "{");
		if (places[i].place > 0)
			mem_json_put_int(&r->text, "place", (int64_t)places[i].place);
		else
			mem_json_put_null(&r->text, "place");
		mem_buf_putc(&r->text, '}');
		v[i].note[RERANK_per_session] = mem_arena_str(&r->arena, mem_buf_span(&r->text));
		v[kept++] = v[i];
	}
	free(places);
	*n = kept;
	return MEM_OK;
}

/* ---- one query ---------------------------------------------------------- */

/* Has every hit the step's note, and not that of a failure? */
static bool
was_step_done(const struct stage_hit *hits, size_t n, size_t step)
{
	for (size_t i = 0; i < n; i++) {
		struct mem_json note = stage_hit_note(&hits[i], steps[step].name);
		if (!mem_json_there(note) || mem_json_member(note, "failed").type == MEM_JSON_TRUE)
			return false;
	}
	return true;
}

/* Bit i: step i is to be done. */
static unsigned
find_steps_due(struct reranker *r, const struct stage_hit *hits, size_t n)
{
	unsigned due = 0;
	for (size_t i = 0; i < MEM_COUNT(steps); i++)
		if (steps[i].is_wanted(&r->opts) && (r->opts.again || !was_step_done(hits, n, i)))
			due |= 1U << i;
	return due;
}

static void
put_reranked_hit(struct reranker *r, const struct rerank_hit *v, size_t rank, struct mem_buf *out)
{
	struct stage_note notes[MEM_COUNT(steps)];
	for (size_t i = 0; i < MEM_COUNT(steps); i++)
		notes[i] = (struct stage_note){ steps[i].name, v->note[i] };
	stage_put_hit(out, &r->rec, v->hit->line, rank, v->score, notes, MEM_COUNT(notes));
}

/* A stage_query_fn. */
static enum mem_status
rerank_query(void *ctx, const struct stage_hit *hits, size_t n, struct mem_buf *out, size_t *left, struct mem_err *err)
{
	struct reranker *r = ctx;
	const unsigned due = find_steps_due(r, hits, n);
	enum mem_status st = MEM_OK;
	*left = n;
	if (due == 0) {
		stage_pass_hits(out, hits, n);
		return MEM_OK;
	}
	struct rerank_hit *v = mem_xcalloc(n, sizeof *v);
	mem_arena_reset(&r->arena);
	for (size_t i = 0; i < n; i++)
		v[i] = (struct rerank_hit){ .hit = &hits[i], .score = rerank_round(hits[i].score) };
	rerank_sort(v, n);
	for (size_t i = 0; i < MEM_COUNT(steps) && st == MEM_OK; i++)
		if ((due >> i & 1) != 0)
			st = steps[i].run(r, v, left, err);
	for (size_t i = 0; i < *left && st == MEM_OK; i++)
		put_reranked_hit(r, &v[i], i + 1, out);
	free(v);
	return st;
}

static enum mem_status
put_reranked_hits(void *state, struct mem_buf *out, struct mem_err *err)
{
	struct reranker *r = state;
	return stage_hits_each(&r->hits, rerank_query, r, out, err);
}

const struct mem_stage mem_stage_rerank = {
	.name = "rerank", .open = open_reranker, .open_search = open_search_reranker, .add = add_rerank_hit, .end = put_reranked_hits,
	.free = free_reranker,
};
