/* SPDX-License-Identifier: Apache-2.0 */
/* A query to hits: what may be seen, what is left of it, its order, its records. */
#include "query/query_int.h"
#include "query/signal_int.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH_HITS = 256 }; /* records read in one transaction */

struct mem_hits {
	struct mem_searcher *m;
	struct query_hit *v;
	size_t n;
	enum mem_search_mode mode; /* by which they were found */
	struct mem_search_notes notes; /* OWNS the field's name */
	struct mem_err fallback;   /* why not by more than words; MEM_OK: as asked */
	size_t read;              /* hits whose records were read */
	struct mem_buf records;   /* of the last batch, each with '\n' */
	size_t at;
	bool explain;
	char *qid;
	size_t words_cut;
	struct query_passages passages;
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

size_t
mem_hits_count(const struct mem_hits *h)
{
	return h->n;
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
	free(h->v);
	free((void *)(uintptr_t)h->notes.unknown_field.p);
	free(h->qid);
	query_passages_release(&h->passages);
	mem_buf_release(&h->records);
	free(h);
}

/* ---- records ------------------------------------------------------------ */

/* "name":{"score":…} */
static void
put_hit_signal(struct mem_buf *out, const char *name, const struct query_signal_score *s, bool explain)
{
	mem_json_put_key(out, name);
	mem_buf_putc(out, '{');
	mem_json_put_num(out, "score", s->score);
	if (explain && s->rank > 0)
		mem_json_put_int(out, "rank", s->rank);
	else if (explain)
		mem_json_put_raw(out, "rank", MEM_STR("null"));
	mem_buf_putc(out, '}');
}

static void
put_hit_signals(struct mem_buf *out, const struct mem_hits *h, const struct query_hit *v)
{
	mem_buf_putc(out, '{');
	for (enum query_signal_number i = 0; i < QUERY_SIGNALS; i++)
		if (query_signal_in_mode(i, h->mode))
			put_hit_signal(out, query_signals[i]->name, &v->signal[i], h->explain);
	mem_buf_putc(out, '}');
}

/* {"field":"content","start":B,"end":B}; nothing where the text has no passages. */
static enum mem_status
put_hit_passage(struct mem_buf *out, struct mem_hits *h, struct mem_txn *t, uint32_t ord, const struct mem_rec *node, struct mem_err *err)
{
	struct mem_vectors_span span;
	enum mem_status st = query_choose_passage(&span, &h->passages, &h->m->index, t, ord, node, err);
	if (st != MEM_OK || span.start >= span.end || span.field >= MEM_TEXT_COUNT)
		return st;
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "field", mem_str(mem_text_field_name((enum mem_text_field)span.field)));
	mem_json_put_int(out, "start", span.start);
	mem_json_put_int(out, "end", span.end);
	mem_buf_putc(out, '}');
	return MEM_OK;
}

static enum mem_status
put_hit_record(struct mem_hits *h, struct mem_txn *t, struct mem_str node, size_t i, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	enum mem_status st = mem_rec_scan(&r, node, err);
	if (st != MEM_OK) {
		mem_rec_release(&r);
		return mem_err_set(err, MEM_FAIL, "a stored record is damaged: run mem-check");
	}
	static const char *const modes[] = {
		[MEM_MODE_KEYWORD] = "\"keyword\"", [MEM_MODE_VECTOR] = "\"vector\"", [MEM_MODE_HYBRID] = "\"hybrid\"",
	};
	struct mem_buf rank = { 0 }, score = { 0 }, signals = { 0 }, passage = { 0 };
	st = put_hit_passage(&passage, h, t, h->v[i].ord, &r, err);
	mem_buf_printf(&rank, "%zu", i + 1);
	mem_json_put_num(&score, "", h->v[i].score);
	put_hit_signals(&signals, h, &h->v[i]);
	enum { FIXED_EDITS = 4 };
	struct mem_edit edits[FIXED_EDITS + 2] = {
		{ "rank", mem_buf_span(&rank) },
		{ "score", { score.data + strlen("\"\":"), score.len - strlen("\"\":") } },
		{ "mode", mem_str(modes[h->mode]) },
		{ "signals", mem_buf_span(&signals) },
	};
	size_t n = FIXED_EDITS;
	if (h->qid != NULL)
		edits[n++] = (struct mem_edit){ "qid", mem_str(h->qid) };
	if (passage.len > 0)
		edits[n++] = (struct mem_edit){ "passage", mem_buf_span(&passage) };
	mem_rec_edit(&h->records, &r, edits, n);
	mem_buf_putc(&h->records, '\n');
	mem_buf_release(&rank);
	mem_buf_release(&score);
	mem_buf_release(&signals);
	mem_buf_release(&passage);
	mem_rec_release(&r);
	return st;
}

/* The next records, as they are in this snapshot. */
static enum mem_status
read_hit_batch(struct mem_hits *h, struct mem_txn *t, struct mem_err *err)
{
	size_t end = h->n - h->read < BATCH_HITS ? h->n : h->read + BATCH_HITS;
	mem_buf_reset(&h->records);
	h->at = 0;
	while (h->read < end) {
		struct mem_str json;
		size_t i = h->read++;
		enum mem_status st = mem_node_text_at(t, h->v[i].ord, &json, err);
		if (st == MEM_NOTFOUND)
			continue; /* erased since */
		if (st == MEM_DAMAGED) {
			mem_node_damage_note(t, h->v[i].ord);
			continue;
		}
		if (st == MEM_OK)
			st = put_hit_record(h, t, json, i, err);
		if (st != MEM_OK)
			return st;
	}
	return MEM_OK;
}

enum mem_status
mem_hits_next(struct mem_hits *h, struct mem_str *record, struct mem_err *err)
{
	while (h->at == h->records.len) {
		if (h->read == h->n)
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

/* ---- admission ----------------------------------------------------------- */

struct admission {
	struct mem_txn *t;
	struct mem_searcher *m;
	const struct query_parsed *q;
	const struct mem_filter *filter;
	int64_t now;
	struct mem_rec rec;
	struct mem_buf text;
	enum mem_status status;
	struct mem_err fault;
};

static bool
admit_hit(void *ctx, uint32_t ord)
{
	struct admission *c = ctx;
	const struct mem_attr *attr;
	struct mem_node node;
	if (c->status != MEM_OK)
		return false;
	enum mem_status st = mem_attr_at(c->t, ord, &attr, &c->fault);
	if (st == MEM_OK && !mem_filter_attr(c->filter, attr, c->now))
		return false;
	if (st == MEM_OK && c->q->nphrases == 0 && c->filter->session.n == 0)
		return true;
	if (st == MEM_OK)
		st = mem_node_at(c->t, ord, &node, &c->fault);
	if (st == MEM_OK)
		st = mem_rec_scan(&c->rec, node.json, &c->fault);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(c->t, ord);
	if (st != MEM_OK) {
		/* Erased, damaged, or a text that cannot be read, which mem-check tells: it is no hit. */
		c->status = st == MEM_NOTFOUND || st == MEM_REFUSED || st == MEM_DAMAGED ? MEM_OK : st;
		return false;
	}
	return mem_filter_session(c->filter, &c->rec, &c->text) && (c->q->nphrases == 0 || query_match_phrases(c->q, &c->m->index, &c->rec));
}

/* ---- searching ----------------------------------------------------------- */

static enum mem_status
cut_query_words(struct mem_txn *t, struct query_parsed *q, const struct mem_ns *ns, size_t nns, struct mem_err *err)
{
	size_t scored = 0;
	for (size_t i = 0; i < q->n; i++)
		scored += q->clauses[i].scored;
	if (scored <= MEM_QUERY_WORDS_MAX)
		return MEM_OK;
	uint64_t *hashes = mem_xcalloc(q->n, sizeof *hashes);
	uint64_t *df = mem_xcalloc(q->n, sizeof *df);
	for (size_t i = 0; i < q->n; i++)
		hashes[i] = q->clauses[i].hash;
	enum mem_status st = mem_words_df(t, ns, nns, hashes, q->n, df, err);
	if (st == MEM_OK)
		query_cut_words(q, df, MEM_QUERY_WORDS_MAX);
	free(hashes);
	free(df);
	return st;
}

/* One question in one snapshot. */
struct search_snapshot {
	struct mem_txn *t;
	struct mem_filter filter;  /* what options and query leave */
	struct mem_ns *ns;         /* OWNS */
	struct admission admission;
	struct mem_search_query iq; /* nns 0: nothing can be found */
};

static void
close_search(struct search_snapshot *s)
{
	free(s->ns);
	mem_filter_release(&s->filter);
	mem_rec_release(&s->admission.rec);
	mem_buf_release(&s->admission.text);
	mem_txn_end(s->t);
}

/* What is left to search: the namespaces, and what filters say. */
static enum mem_status
open_search(struct search_snapshot *s, struct mem_searcher *m, const struct mem_search_options *options, struct query_parsed *q,
    struct mem_err *err)
{
	size_t nns = 0;
	mem_filter_copy(&s->filter, &q->filter);
	if (options->filter != NULL)
		mem_filter_narrow(&s->filter, options->filter);
	s->filter.live = true;
	mem_filter_prepare(&s->filter, m->index.store, mem_kinds_searched());
	s->iq = (struct mem_search_query){
		.filter = &s->filter,
		.min_score = options->min_score,
		.limit = options->limit > 0 ? (size_t)options->limit : SIZE_MAX,
		.admit = admit_hit,
		.ctx = &s->admission,
		.alone = options->alone,
	};
	enum mem_status st = mem_txn_read(&s->t, m->index.store, err);
	s->admission = (struct admission){ .t = s->t, .m = m, .q = q, .filter = &s->filter, .now = mem_store_now(m->index.store) };
	if (st == MEM_OK)
		st = mem_filter_visible(&s->filter, s->t, &s->ns, &nns, err);
	if (st == MEM_OK && nns > 0)
		st = cut_query_words(s->t, q, s->ns, nns, err);
	if (st != MEM_OK)
		return st;
	s->iq.clauses = q->clauses;
	s->iq.nclauses = q->n;
	s->iq.ns = s->ns;
	s->iq.nns = nns;
	return MEM_OK;
}

static enum mem_status
check_query_utf8(struct mem_str query, struct mem_err *err)
{
	size_t valid = mem_utf8_valid(query.p, query.n);
	if (valid == query.n)
		return MEM_OK;
	mem_err_set(err, MEM_USAGE, "the query is not UTF-8 at byte %zu", valid);
	if (err != NULL)
		err->reason = "bad_utf8";
	return MEM_USAGE;
}

/* ---- what the question means --------------------------------------------- */

/*
 * Fills the vector of the ranking, which says then how it is searched.  Without one it is by
 * words, when that will do; h->fallback tells why.
 */
static enum mem_status
find_query_vector(struct mem_hits *h, const struct mem_search_options *options, const struct query_parsed *q,
    struct query_ranking *ranking, float **vector, struct mem_err *err)
{
	struct mem_err fault = { 0 };
	const struct mem_str text = mem_buf_span(&q->encoder_text);
	if (options->mode == MEM_MODE_KEYWORD || text.n == 0)
		return MEM_OK;
	enum mem_status st = mem_embed_query(&h->m->encoder, text, vector, &ranking->weight, &h->notes.query_cut, &fault);
	if (st == MEM_OK) {
		ranking->mode = options->mode == MEM_MODE_VECTOR ? MEM_MODE_VECTOR : MEM_MODE_HYBRID;
		ranking->vector = *vector;
		return MEM_OK;
	}
	if (options->mode == MEM_MODE_VECTOR || (options->mode == MEM_MODE_HYBRID && st != MEM_ABSENT)) {
		*err = fault;
		return st == MEM_ABSENT ? mem_err_set(err, MEM_FAIL, "%s", fault.msg) : st;
	}
	h->fallback = fault;
	return MEM_OK;
}

/* Is there something for words to do while a model here works out what the question means?  No snapshot is
 * held while another machine is asked. */
static bool
may_encode_beside_search(struct mem_searcher *m, const struct mem_search_options *options, const struct query_parsed *q)
{
	struct mem_encoder *e;
	return options->mode != MEM_MODE_KEYWORD && options->mode != MEM_MODE_VECTOR && q->encoder_text.len > 0 &&
	    mem_encoder_for_query(&m->encoder, &e, NULL) == MEM_OK && !mem_encoder_needs_child(e);
}

/* Vectors that cannot be read cost a word about it, not the answer. */
static enum mem_status
rank_found_nodes(struct mem_hits *h, struct search_snapshot *s, const struct mem_search_options *options,
    struct query_ranking *ranking, struct mem_err *err)
{
	struct mem_err fault = { 0 };
	enum mem_status st = query_ranking_run(ranking, s->t, &h->v, &h->n, &fault);
	if (st == MEM_FAIL && options->mode == MEM_MODE_AUTO && ranking->mode == MEM_MODE_HYBRID) {
		h->fallback = fault;
		ranking->mode = MEM_MODE_KEYWORD;
		st = query_ranking_run(ranking, s->t, &h->v, &h->n, &fault);
	}
	if (st == MEM_OK && s->admission.status != MEM_OK) {
		fault = s->admission.fault;
		st = s->admission.status;
	}
	if (st != MEM_OK && err != NULL)
		*err = fault;
	return st;
}

/* The hits of a question that can find something. */
static enum mem_status
find_hits(struct mem_hits *h, const struct mem_search_options *options, struct query_parsed *q, struct query_ranking *ranking,
    float **vector, struct mem_err *err)
{
	struct search_snapshot s = { 0 };
	bool at_once = may_encode_beside_search(h->m, options, q);
	enum mem_status st = at_once ? MEM_OK : find_query_vector(h, options, q, ranking, vector, err);
	if (st == MEM_OK)
		st = open_search(&s, h->m, options, q, err);
	ranking->iq = &s.iq;
	if (st == MEM_OK && at_once) {
		if (s.iq.nns > 0)
			query_ranking_begin(ranking, MEM_MODE_HYBRID, s.t);
		st = find_query_vector(h, options, q, ranking, vector, err);
	}
	if (st == MEM_OK && s.iq.nns > 0)
		st = rank_found_nodes(h, &s, options, ranking, err);
	query_ranking_release(ranking);
	h->mode = ranking->mode;
	if (st == MEM_OK)
		query_passages_init(&h->passages, &s.iq, h->mode != MEM_MODE_KEYWORD ? *vector : NULL, h->m->encoder.model.dims);
	if (st == MEM_OK)
		st = read_hit_batch(h, s.t, err);
	if (st == MEM_OK && options->count_unembedded && h->mode != MEM_MODE_KEYWORD && s.iq.nns > 0)
		st = query_count_unembedded(&h->notes.unembedded, s.t, &s.iq, s.admission.now, err);
	close_search(&s);
	return st;
}

enum mem_status
mem_search_query(struct mem_hits **out, struct mem_searcher *m, const struct mem_search_options *options,
    struct mem_err *err)
{
	struct query_parsed q = { 0 };
	struct query_ranking ranking = { .mode = MEM_MODE_KEYWORD, .fusion = options->fusion };
	float *vector = NULL;
	*out = NULL;
	enum mem_status st = check_query_utf8(options->query, err);
	if (st != MEM_OK)
		return st;
	struct mem_hits *h = mem_xcalloc(1, sizeof *h);
	h->m = m;
	h->explain = options->explain;
	if (options->qid.n > 0)
		h->qid = strndup(options->qid.p, options->qid.n);
	st = query_parse_text(&q, m->index.analyser, mem_store_secret(m->index.store), options->query, options->plain,
	    mem_store_now(m->index.store), err);
	if (st == MEM_OK && q.searchable && !q.filter.nothing)
		st = find_hits(h, options, &q, &ranking, &vector, err);
	else if (st == MEM_OK)
		st = find_query_vector(h, options, &q, &ranking, &vector, err);
	h->words_cut = q.words_cut;
	h->notes.filters_alone = !q.searchable && q.filtered && q.encoder_text.len == 0;
	if (q.unknown_field.n > 0)
		h->notes.unknown_field = (struct mem_str){ strndup(q.unknown_field.p, q.unknown_field.n), q.unknown_field.n };
	query_release(&q);
	free(vector);
	if (st == MEM_OK)
		*out = h;
	else
		mem_hits_free(h);
	return st;
}
