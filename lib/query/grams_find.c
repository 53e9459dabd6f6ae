/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What 4-grams find by themselves.  No gram is indexed, so the newest texts are read, and only for a question with a word
 * that stands in no record: it is misspelt, or a part of a longer one (Kuchen, Apfelkuchen).
 */
#include "query/query_int.h"
#include "query/signal_int.h"
#include "base/order.h"
#include "store/node.h"
#include "text/grams.h"

#include <stdlib.h>

enum {
	READ = 500,    /* texts at most: as many as a list has */
	LOOKED = 4000, /* nodes at most, that others' namespaces and filters do not make it long */
};
/* Below that texts share what any two share: .1 to .2 in a language. */
static const double LEAST = .15;

struct grams_search {
	const struct mem_search_query *iq;
	struct mem_txn *t;
	struct mem_grams *grams;           /* OWNS */
	struct mem_search_hit *hits;       /* OWNS */
	size_t n;
};

/* Who asks for fields besides gets what words find. */
enum mem_status
query_grams_look(const struct mem_search_query *iq, struct mem_txn *t, bool *unknown, struct mem_err *err)
{
	uint64_t *hashes = mem_xcalloc(iq->nclauses + 1, sizeof *hashes), *df = mem_xcalloc(iq->nclauses + 1, sizeof *df);
	size_t n = 0;
	bool plain = iq->filter == NULL || iq->filter->nterms == 0;
	for (size_t i = 0; i < iq->nclauses; i++)
		if (iq->clauses[i].scored && iq->clauses[i].of == 0)
			hashes[n++] = iq->clauses[i].hash;
	enum mem_status st = plain ? mem_words_df(t, iq->ns, iq->nns, hashes, n, df, err) : MEM_OK;
	*unknown = false;
	for (size_t i = 0; plain && i < n && st == MEM_OK; i++)
		*unknown |= df[i] == 0;
	free(hashes);
	free(df);
	return st;
}

/* Damaged nodes are noted where they are read. */
static enum mem_status
look_at_node(struct grams_search *s, uint32_t ord, struct mem_rec *rec, struct mem_buf *text, struct mem_err *err)
{
	const struct mem_attr *attr;
	enum mem_status st = mem_attr_at(s->t, ord, &attr, err);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
		return MEM_OK;
	if (st != MEM_OK || !query_searches_ns(s->iq, attr->ns) || !mem_filter_kind(s->iq->filter, attr->kind))
		return st;
	struct mem_search_hit hit = { .ord = ord, .id = attr->id };
	if (s->iq->admit != NULL && !s->iq->admit(s->iq->ctx, ord))
		return MEM_OK;
	s->hits[s->n++] = hit;
	return query_grams_read(s->grams, s->t, ord, rec, text, err);
}

static enum mem_status
read_newest(struct grams_search *s, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_rec rec = { 0 };
	struct mem_buf text = { 0 };
	enum mem_status st = mem_cursor_open(&c, s->t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_last(c, err);
	for (size_t looked = 0; st == MEM_OK && looked < LOOKED && s->n < READ; looked++) {
		struct mem_str key = mem_cursor_key(c);
		if (key.n == 4)
			st = look_at_node(s, mem_be32_get((const uint8_t *)key.p), &rec, &text, err);
		if (st == MEM_OK)
			st = mem_cursor_prev(c, err);
	}
	mem_cursor_close(c);
	mem_rec_release(&rec);
	mem_buf_release(&text);
	return st == MEM_END ? MEM_OK : st;
}

static int
compare_gram_hits(const void *a, const void *b)
{
	const struct mem_search_hit *x = a, *y = b;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return mem_id_cmp(&x->id, &y->id);
}

/* Those that are like the question, best first. */
static void
keep_like_hits(struct grams_search *s)
{
	double *scores = mem_xcalloc(s->n + 1, sizeof *scores);
	size_t kept = 0;
	mem_grams_scores(s->grams, scores);
	for (size_t i = 0; i < s->n; i++) {
		s->hits[i].score = mem_score_round(scores[i]);
		if (s->hits[i].score >= LEAST)
			s->hits[kept++] = s->hits[i];
	}
	s->n = kept;
	free(scores);
	mem_sort(s->hits, s->n, sizeof *s->hits, compare_gram_hits);
}

enum mem_status
query_grams_find(const struct query_ranking *r, struct mem_txn *t, const struct mem_search_query *iq, struct mem_search_hit **hits,
    size_t *n, struct mem_err *err)
{
	struct grams_search s = { .iq = iq, .t = t };
	*hits = NULL;
	*n = 0;
	if (!r->misspelt)
		return MEM_OK;
	s.grams = mem_grams_new(r->text);
	s.hits = mem_xcalloc(READ, sizeof *s.hits);
	enum mem_status st = read_newest(&s, err);
	if (st == MEM_OK)
		keep_like_hits(&s);
	/* A score depends on the texts beside it: all get theirs in the union. */
	for (size_t i = 0; i < s.n; i++)
		s.hits[i].score = (double)NAN;
	mem_grams_free(s.grams);
	if (st != MEM_OK || s.n == 0) {
		free(s.hits);
		return st;
	}
	*hits = s.hits;
	*n = s.n;
	return MEM_OK;
}
