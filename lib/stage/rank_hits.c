/* SPDX-License-Identifier: Apache-2.0 */
/* Hits as candidates of their question, one step, hits. */
#include "stage/rank_hits.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "stage/signals_int.h"

struct hit_ranker {
	struct mem_rank_hits_options opts;
	struct stage_hits hits;
	struct mem_rec rec;
	struct mem_buf note;
};

static void *
open_hit_ranker(const void *options)
{
	struct hit_ranker *r = mem_xcalloc(1, sizeof *r);
	r->opts = *(const struct mem_rank_hits_options *)options;
	return r;
}

static void
free_hit_ranker(void *state)
{
	struct hit_ranker *r = state;
	stage_hits_release(&r->hits);
	mem_rec_release(&r->rec);
	mem_buf_release(&r->note);
	free(r);
}

/* Of an id in quotes. */
static bool
parse_quoted_id(struct mem_str id, struct mem_id *out)
{
	return id.n >= 2 && mem_id_parse((struct mem_str){ id.p + 1, id.n - 2 }, out);
}

static enum mem_status
add_ranker_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct hit_ranker *r = state;
	struct stage_hit *hit;
	(void)stream;
	(void)out; /* all is read before anything is given */
	return stage_hits_add(&r->hits, line, &hit, err);
}

/* ---- a query's hits --------------------------------------------------------- */

struct hit_place {
	struct mem_id id;
	size_t hit;
	bool ranked;              /* it was found in the store */
};
struct hit_set {
	const struct stage_hit *hits;
	struct hit_place *places; /* OWNS; by id, each once; behind them hits whose ids are no nodes' */
	size_t nplaces, nforeign;
	struct mem_candidates c;  /* OWNS */
	enum mem_search_mode mode;
	bool done, explained;
};

static int
compare_hit_places(const void *a, const void *b)
{
	const struct hit_place *x = a, *y = b;
	int c = mem_id_cmp(&x->id, &y->id);
	return c != 0 ? c : (x->hit > y->hit) - (x->hit < y->hit);
}

static struct hit_place *
find_place_by_id(const struct hit_set *s, const struct mem_id *id)
{
	size_t lo = 0, hi = s->nplaces;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (mem_id_cmp(&s->places[mid].id, id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nplaces && mem_id_cmp(&s->places[lo].id, id) == 0 ? &s->places[lo] : NULL;
}

/* By words with 4-grams is what a search does by itself where no model is at hand; by words alone it was asked to. */
static enum mem_search_mode
read_hit_mode(const struct mem_rec *r)
{
	struct mem_json mode = mem_rec_value(r, "mode");
	if (mem_json_is(mode, "keyword") && mem_json_path(mem_rec_value(r, "signals"), mem_signal_name(MEM_SIGNAL_GRAMS)).type == MEM_JSON_OBJECT)
		return MEM_MODE_AUTO;
	return mem_json_is(mode, "keyword") ? MEM_MODE_KEYWORD : mem_json_is(mode, "vector") ? MEM_MODE_VECTOR : MEM_MODE_HYBRID;
}

/* Those whose ids can be nodes', by id, and behind them the others.  Returns how many the first are. */
static size_t
list_node_hits(struct hit_set *s, size_t n)
{
	size_t ids = 0;
	for (size_t i = 0; i < n; i++) {
		struct hit_place p = { .hit = i };
		if (parse_quoted_id(s->hits[i].id, &p.id))
			s->places[ids++] = p;
		else
			s->places[n - ++s->nforeign] = p;
	}
	mem_sort(s->places, ids, sizeof *s->places, compare_hit_places);
	return ids;
}

static void
read_hit_set(struct hit_ranker *r, struct hit_set *s, size_t n)
{
	size_t kept = 0;
	s->places = mem_xcalloc(n, sizeof *s->places);
	s->done = true;
	size_t ids = list_node_hits(s, n);
	for (size_t i = 0; i < ids; i++) {
		const struct hit_place p = s->places[i];
		if (kept > 0 && mem_id_cmp(&s->places[kept - 1].id, &p.id) == 0)
			continue;
		mem_rec_look(&r->rec, s->hits[p.hit].line);
		struct mem_candidate *c = mem_candidates_add(&s->c, 0, &p.id);
		stage_read_signals(c, &r->rec);
		c->score = s->hits[p.hit].score;
		if (isnan(c->step[MEM_RANK_FUSE]))
			c->step[MEM_RANK_FUSE] = c->score; /* where the step does not apply */
		s->done &= !isnan(c->step[r->opts.step]);
		s->explained |= stage_has_ranks(&r->rec);
		s->mode = read_hit_mode(&r->rec);
		s->places[kept++] = p;
	}
	s->nplaces = kept;
	memmove(s->places + kept, s->places + ids, s->nforeign * sizeof *s->places);
}

/* ---- out again -------------------------------------------------------------- */

static enum mem_status
put_ranked_hit(struct hit_ranker *r, struct hit_set *s, struct mem_question *q, size_t i, size_t rank, struct mem_buf *out, struct mem_err *err)
{
	const struct mem_candidate *c = &s->c.v[i];
	struct hit_place *place = find_place_by_id(s, &c->id);
	if (place == NULL)
		return mem_question_put_hit(q, &s->c, i, rank, out, err);
	place->ranked = true;
	mem_buf_reset(&r->note);
	if (!isnan(c->step[r->opts.step]))
		mem_rank_put_note(&r->note, &s->c, i, r->opts.step);
	const struct stage_note note = { mem_rank_step_name(r->opts.step), mem_buf_span(&r->note) };
	stage_put_hit(out, &r->rec, s->hits[place->hit].line, rank, c->score, &note, 1);
	return MEM_OK;
}

static int
compare_places_by_input(const void *a, const void *b)
{
	const struct hit_place *x = a, *y = b;
	return (x->hit > y->hit) - (x->hit < y->hit);
}

/* Those that the store did not show, in the order in which they came. */
static size_t
put_unknown_hits(struct hit_ranker *r, struct hit_set *s, size_t rank, struct mem_buf *out)
{
	const size_t n = s->nplaces + s->nforeign;
	mem_sort(s->places, n, sizeof *s->places, compare_places_by_input);
	for (size_t i = 0; i < n; i++)
		if (!s->places[i].ranked) {
			const struct stage_hit *hit = &s->hits[s->places[i].hit];
			stage_put_hit(out, &r->rec, hit->line, ++rank, hit->score, NULL, 0);
		}
	return rank;
}

static enum mem_status
put_hit_set(struct hit_ranker *r, struct hit_set *s, struct mem_question *q, struct mem_buf *out, size_t *left, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	mem_candidates_sort(&s->c);
	*left = 0;
	for (size_t i = 0; i < s->c.n && st == MEM_OK; i++) {
		st = put_ranked_hit(r, s, q, i, *left + 1, out, err);
		*left += st == MEM_OK;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	if (st == MEM_OK)
		*left = put_unknown_hits(r, s, *left, out);
	return st;
}

/* ---- a query ---------------------------------------------------------------- */

static enum mem_status
apply_rank_step(struct hit_ranker *r, struct hit_set *s, struct mem_question *q, bool *applied, struct mem_err *err)
{
	enum mem_status st = mem_question_locate(q, &s->c, err);
	for (size_t i = 0; i < s->c.n; i++)
		s->c.v[i].step[r->opts.step] = (double)NAN;
	*applied = false;
	return st == MEM_OK ? mem_rank_step_apply(&s->c, r->opts.step, q, applied, err) : st;
}

/* By the line that has the qid, with its own filters, else by --query.  *applied false: the hits pass as they came. */
static enum mem_status
rank_hit_set(struct hit_ranker *r, struct hit_set *s, struct mem_str qid, struct mem_str text, struct mem_buf *out, size_t *left, bool *applied,
    struct mem_err *err)
{
	struct mem_question *q = NULL;
	struct mem_search_options o = *r->opts.search;
	o.query = text, o.qid = qid, o.mode = s->mode, o.explain = s->explained, o.steps_named = true;
	enum mem_status st = mem_question_open_line(&q, r->opts.searcher, &o, mem_questions_find_line(r->opts.questions, qid), err);
	if (st == MEM_OK && mem_question_mode(q) == s->mode)
		st = apply_rank_step(r, s, q, applied, err);
	if (st == MEM_OK && *applied)
		st = put_hit_set(r, s, q, out, left, err);
	mem_question_close(q);
	return st;
}

static void
tell_of_question(const struct hit_ranker *r, struct mem_str qid, const char *why)
{
	struct mem_buf text = { 0 };
	mem_buf_printf(&text, "%.*s%shits pass as they came: %s", (int)(qid.n < 80 ? qid.n : 80), qid.p, qid.n > 0 ? ": " : "", why);
	if (r->opts.tell != NULL)
		r->opts.tell(text.data);
	mem_buf_release(&text);
}

/* A stage_query_fn. */
static enum mem_status
rank_query_hits(void *ctx, const struct stage_hit *hits, size_t n, struct mem_buf *out, size_t *left, struct mem_err *err)
{
	struct hit_ranker *r = ctx;
	struct hit_set s = { .hits = hits };
	bool applied = false;
	const struct mem_str qid = r->hits.queries.qids.v[hits->query];
	const struct mem_str text = mem_questions_find(r->opts.questions, qid);
	enum mem_status st = MEM_OK;
	read_hit_set(r, &s, n);
	if (!s.done || r->opts.again)
		st = text.n > 0 ? rank_hit_set(r, &s, qid, text, out, left, &applied, err) : mem_err_record(err, "bad_value", 0, "no question is known");
	if (st == MEM_REFUSED || st == MEM_USAGE) {
		tell_of_question(r, qid, err->msg);
		st = MEM_OK;
	}
	if (!applied) {
		stage_pass_hits(out, hits, n);
		*left = n;
	}
	free(s.places);
	mem_candidates_release(&s.c);
	return st;
}

static enum mem_status
put_ranker_hits(void *state, struct mem_buf *out, struct mem_err *err)
{
	struct hit_ranker *r = state;
	return stage_hits_each(&r->hits, rank_query_hits, r, out, err);
}

const struct mem_stage mem_stage_rank_hits = {
	.name = "rank_hits", .open = open_hit_ranker, .add = add_ranker_hit, .end = put_ranker_hits, .free = free_hit_ranker,
};
