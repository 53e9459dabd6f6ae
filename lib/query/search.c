/* SPDX-License-Identifier: Apache-2.0 */
/* A query to hits: what may be seen, what is left of it, its order, its records. */
#include "query/known_record.h"
#include "query/question_int.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH_HITS = 256 }; /* records read in one transaction */

struct mem_hits {
	struct mem_searcher *m;
	struct mem_candidates c;
	enum mem_search_mode mode; /* by which they were found */
	enum mem_class class;
	unsigned signals;         /* bits: those that hits show */
	struct mem_search_notes notes; /* OWNS the field's name */
	struct mem_err fallback;   /* why not by more than words; MEM_OK: as asked */
	size_t read;              /* hits whose records were read */
	struct mem_buf records;   /* of the last batch, each with '\n' */
	struct mem_buf known;     /* a record as it was known then */
	size_t at;
	char *qid;
	const char *hyde;         /* JSON put on every hit; NULL: none */
	size_t words_cut;
	double words_most;
	struct query_passages passages;
	struct mem_str *ways;      /* of MEM_MODE_GRAPH: what stands under the signal of each hit; in `kept_ways` */
	struct mem_arena kept_ways;
	struct mem_search_options options; /* as asked; BORROWS the caller's, or what stands in these: */
	struct mem_arena kept;
	struct mem_filter kept_filter;
};

enum mem_status
mem_searcher_open(struct mem_searcher *s, const struct mem_store_options *options, struct mem_err *err)
{
	*s = (struct mem_searcher){ 0 };
	enum mem_status st = mem_index_open(&s->index, options, err);
	s->encoder.store = s->index.store;
	return st;
}

void
mem_searcher_close(struct mem_searcher *s)
{
	mem_query_encoder_close(&s->encoder);
	mem_index_close(&s->index);
}

enum mem_search_mode
mem_hits_mode(const struct mem_hits *h)
{
	return h->mode == MEM_MODE_AUTO ? MEM_MODE_KEYWORD : h->mode;
}

const float *
mem_hits_vector(const struct mem_hits *h, uint32_t *dims)
{
	*dims = h->passages.dims;
	return h->passages.vector;
}

double
mem_hits_words_most(const struct mem_hits *h)
{
	return h->words_most;
}

int
mem_hits_class(const struct mem_hits *h)
{
	return (int)h->class;
}

size_t
mem_hits_count(const struct mem_hits *h)
{
	return h->c.n;
}

const struct mem_search_options *
mem_hits_options(const struct mem_hits *h)
{
	return &h->options;
}

void
query_hits_keep(struct mem_hits *h, struct mem_arena *arena, struct mem_filter *filter)
{
	h->kept = *arena;
	h->kept_filter = *filter;
	h->options.filter = &h->kept_filter;
	*arena = (struct mem_arena){ 0 };
	*filter = (struct mem_filter)MEM_FILTER_INIT;
}

size_t
mem_hits_words_cut(const struct mem_hits *h)
{
	return h->words_cut;
}

const struct mem_search_notes *
mem_hits_notes(const struct mem_hits *h)
{
	return &h->notes;
}

enum mem_status
mem_hits_fallback(const struct mem_hits *h, const char **why)
{
	*why = h->fallback.msg;
	return h->fallback.status;
}

const struct query_passages *
query_hit_words(const struct mem_hits *h)
{
	return &h->passages;
}

struct mem_index *
query_hit_index(const struct mem_hits *h)
{
	return &h->m->index;
}

void
mem_hits_free(struct mem_hits *h)
{
	if (h == NULL)
		return;
	mem_candidates_release(&h->c);
	free((void *)(uintptr_t)h->notes.unknown_field.p);
	free((void *)(uintptr_t)h->notes.hyde_failed);
	free(h->qid);
	mem_filter_release(&h->kept_filter);
	mem_arena_release(&h->kept);
	query_passages_release(&h->passages);
	mem_arena_release(&h->kept_ways);
	mem_buf_release(&h->records);
	mem_buf_release(&h->known);
	free(h);
}

/* ---- records ------------------------------------------------------------ */

/* The next records, as they are in this snapshot. */
static enum mem_status
read_hit_batch(struct mem_hits *h, struct mem_txn *t, struct mem_err *err)
{
	const struct query_hit_form form = { .index = &h->m->index, .c = &h->c, .mode = h->mode, .class = h->class, .signals = h->signals,
		.explain = h->options.explain || h->options.unranked, .qid = mem_str(h->qid != NULL ? h->qid : ""), .hyde = h->hyde, .vectors = h->options.vectors, .without = h->options.without,
		.ways = h->ways, .passages = h->options.no_passage ? NULL : &h->passages };
	size_t end = h->c.n - h->read < BATCH_HITS ? h->c.n : h->read + BATCH_HITS;
	mem_buf_reset(&h->records);
	h->at = 0;
	while (h->read < end) {
		struct mem_str json;
		size_t i = h->read++;
		enum mem_status st = mem_node_text_at(t, h->c.v[i].ord, &json, err);
		if (st == MEM_OK && h->options.filter != NULL)
			st = query_known_record(&json, &h->known, t, h->c.v[i].ord, &h->options.filter->past, err);
		if (st == MEM_NOTFOUND)
			continue; /* erased since */
		if (st == MEM_DAMAGED) {
			mem_node_damage_note(t, h->c.v[i].ord);
			continue;
		}
		if (st == MEM_OK)
			st = query_put_hit(&h->records, &form, t, json, i, h->options.unranked ? 0 : i + 1, err);
		if (st != MEM_OK)
			return st;
	}
	return MEM_OK;
}

enum mem_status
mem_hits_next(struct mem_hits *h, struct mem_str *record, struct mem_err *err)
{
	while (h->at == h->records.len) {
		if (h->read == h->c.n)
			return MEM_END;
		struct mem_txn *t = NULL;
		enum mem_status st = mem_txn_read(&t, h->m->index.store, err);
		if (st == MEM_OK)
			st = read_hit_batch(h, t, err);
		mem_txn_end(t);
		if (st != MEM_OK)
			return st;
	}
	const char *p = h->records.data + h->at;
	const char *nl = memchr(p, '\n', h->records.len - h->at);
	*record = (struct mem_str){ p, (size_t)(nl - p) };
	h->at += record->n + 1;
	return MEM_OK;
}

static bool
is_by_meaning(enum mem_search_mode mode)
{
	return mode == MEM_MODE_VECTOR || mode == MEM_MODE_HYBRID;
}

/* ---- searching ----------------------------------------------------------- */

/* Is there a hit that a person may be shown without a word? */
static bool
does_any_hit_fit(const struct mem_candidates *c, const char *model)
{
	bool known = false;
	for (size_t i = 0; i < c->n; i++) {
		const struct mem_hit_match *m = &c->v[i].match;
		if (m->v >= mem_match_model_find(isnan(m->cosine) ? NULL : model)->unfit)
			return true;
		known |= !isnan(m->v);
	}
	return !known && c->n > 0;
}

/* Drops what min_match excludes, then all over the limit. */
static void
keep_matching_hits(struct mem_hits *h, const struct mem_question *q)
{
	const struct mem_search_options *o = q->options;
	struct mem_candidates *c = &h->c;
	size_t kept = 0;
	if (!(o->min_match > 0) || o->unranked)
		return;
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].match.chance >= o->min_match) {
			if (h->ways != NULL)
				h->ways[kept] = h->ways[i];
			c->v[kept++] = c->v[i];
		}
	c->n = kept;
	if (!o->whole && o->limit > 0 && c->n > (size_t)o->limit)
		c->n = (size_t)o->limit;
	h->notes.nothing_fits |= kept == 0;
}

/* Vectors that cannot be read cost a word about it, not the answer. */
static enum mem_status
rank_found_nodes(struct mem_hits *h, struct mem_question *q, struct mem_err *err)
{
	struct mem_err fault = { 0 };
	enum mem_status st = query_ranking_run(&q->ranking, q->t, &h->c, &fault);
	if (st == MEM_FAIL && q->options->mode == MEM_MODE_AUTO && q->ranking.mode == MEM_MODE_HYBRID) {
		q->fallback = fault;
		q->ranking.mode = q->by_grams ? MEM_MODE_AUTO : MEM_MODE_KEYWORD;
		mem_candidates_release(&h->c);
		st = query_ranking_run(&q->ranking, q->t, &h->c, &fault);
	}
	for (enum mem_rank_step i = MEM_RANK_FUSE + 1; i < MEM_RANK_STEPS && st == MEM_OK; i++) {
		bool applied;
		if ((q->options->steps >> i & 1) != 0 && !q->options->unranked && q->options->fusion == MEM_FUSE_ZSCORE)
			st = mem_rank_step_apply(&h->c, i, q, &applied, &fault);
	}
	query_ranking_cut(&q->ranking, &h->c);
	if (st == MEM_OK && (q->options->explain || q->options->unranked))
		st = query_fill_words_share(q, &h->c, &fault);
	if (st == MEM_OK)
		st = query_fill_match(q, &h->c, &fault);
	if (st == MEM_OK) {
		h->notes.nothing_fits = !does_any_hit_fit(&h->c, q->searcher->encoder.model.name);
		keep_matching_hits(h, q);
	}
	if (st == MEM_OK && q->admit_status != MEM_OK) {
		fault = q->admit_fault;
		st = q->admit_status;
	}
	if (st != MEM_OK && err != NULL)
		*err = fault;
	return st;
}

/* The hits of a question that can find something.  Words are searched while a model here works out what the question means;
 * no snapshot is held while another machine is asked. */
static enum mem_status
find_hits(struct mem_hits *h, struct mem_question *q, struct mem_err *err)
{
	query_question_suppose(q);
	bool at_once = query_question_waits_beside(q);
	enum mem_status st = at_once ? MEM_OK : query_question_embed(q, err);
	if (st == MEM_OK)
		st = query_question_look(q, err);
	if (st == MEM_OK && at_once) {
		if (!q->options->alone && q->iq.nns > 0)
			mem_heap_use_large_pages();
		if (q->iq.nns > 0)
			query_ranking_begin(&q->ranking, MEM_MODE_HYBRID, q->t);
		st = query_question_embed(q, err);
	}
	if (st == MEM_OK && q->iq.nns > 0)
		st = rank_found_nodes(h, q, err);
	query_ranking_release(&q->ranking);
	h->mode = q->ranking.mode;
	h->class = q->class;
	h->signals = query_ranking_shown(&q->ranking);
	if (q->hyde.asked)
		h->hyde = q->hyde.text.len > 0 && is_by_meaning(h->mode) ? "true" : "false";
	if (st == MEM_OK)
		query_passages_init(&h->passages, &q->iq, is_by_meaning(h->mode) ? q->vector : NULL, h->m->encoder.model.dims);
	if (st == MEM_OK)
		st = read_hit_batch(h, q->t, err);
	if (st == MEM_OK && q->options->count_unembedded && is_by_meaning(h->mode) && q->iq.nns > 0)
		st = query_count_unembedded(&h->notes.unembedded, q->t, &q->iq, q->now, err);
	return st;
}

/* Edges lead to hits that the question was not compared with: this does, for their match. */
static enum mem_status
read_dense_scores(struct mem_question *q, struct mem_candidates *c, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	uint32_t *ords = mem_xcalloc(c->n + 1, sizeof *ords);
	double *scores = mem_xcalloc(c->n + 1, sizeof *scores);
	for (size_t i = 0; i < c->n; i++)
		ords[i] = c->v[i].ord;
	if (q->vector != NULL)
		st = query_signals[MEM_SIGNAL_DENSE]->complete(&q->ranking, q->t, NULL, ords, c->n, scores, err);
	for (size_t i = 0; i < c->n && st == MEM_OK && q->vector != NULL; i++)
		c->v[i].signal[MEM_SIGNAL_DENSE].score = scores[i];
	free(scores);
	free(ords);
	return st;
}

/* What the edges reach from what is near the question. */
static enum mem_status
find_graph_hits(struct mem_hits *h, struct mem_question *q, struct mem_err *err)
{
	enum mem_status st = query_question_embed(q, err);
	if (st == MEM_OK)
		st = query_question_look(q, err);
	if (st == MEM_OK)
		st = query_search_graph(q, &h->c, &h->ways, &h->kept_ways, err);
	h->mode = MEM_MODE_GRAPH;
	h->class = q->class;
	if (st == MEM_OK)
		st = read_dense_scores(q, &h->c, err);
	if (st == MEM_OK)
		st = query_fill_match(q, &h->c, err);
	if (st == MEM_OK)
		keep_matching_hits(h, q);
	if (st == MEM_OK)
		query_passages_init(&h->passages, &q->iq, q->vector, h->m->encoder.model.dims);
	return st == MEM_OK ? read_hit_batch(h, q->t, err) : st;
}

/* What is to say of the question beside its hits. */
static void
note_question(struct mem_hits *h, const struct mem_question *q)
{
	const struct query_parsed *p = &q->parsed;
	h->fallback = q->fallback;
	h->words_cut = p->words_cut;
	h->words_most = q->words.most > 0 ? q->words.most * mem_words_top_gain(q->iq.ns, q->iq.nns) : 0;
	h->notes.query_cut = q->vector_cut;
	h->notes.dash_is_text = p->dash_is_text;
	if (q->hyde.failure.status != MEM_OK)
		h->notes.hyde_failed = mem_xstrdup(q->hyde.failure.msg);
	h->notes.filters_alone = !p->searchable && p->filtered && p->encoder_text.len == 0;
	if (p->unknown_field.n > 0)
		h->notes.unknown_field = (struct mem_str){ strndup(p->unknown_field.p, p->unknown_field.n), p->unknown_field.n };
}

enum mem_status
mem_search_query(struct mem_hits **out, struct mem_searcher *m, const struct mem_search_options *options,
    struct mem_err *err)
{
	struct mem_question q;
	*out = NULL;
	struct mem_hits *h = mem_xcalloc(1, sizeof *h);
	h->m = m;
	h->options = *options;
	if (options->qid.n > 0)
		h->qid = strndup(options->qid.p, options->qid.n);
	enum mem_status st = query_question_parse(&q, m, options, err);
	if (st == MEM_OK && q.parsed.searchable && !q.parsed.filter.nothing)
		st = options->mode == MEM_MODE_GRAPH ? find_graph_hits(h, &q, err) : find_hits(h, &q, err);
	else if (st == MEM_OK)
		st = query_question_embed(&q, err);
	note_question(h, &q);
	query_question_release(&q);
	if (st == MEM_OK)
		*out = h;
	else
		mem_hits_free(h);
	return st;
}
