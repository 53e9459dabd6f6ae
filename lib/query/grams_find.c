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

/* Below that texts share what any two share: .1 to .2 in a language. */
static const double LEAST = .15;

struct grams_search {
	struct mem_txn *t;
	struct mem_grams *grams;           /* OWNS */
	struct mem_search_hit *hits;       /* OWNS */
	size_t n;
	struct mem_rec rec;                /* room */
	struct mem_buf text;
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

/* A query_node_fn. */
static enum mem_status
take_newest_node(void *ctx, uint32_t ord, const struct mem_id *id, struct mem_err *err)
{
	struct grams_search *s = ctx;
	s->hits[s->n++] = (struct mem_search_hit){ .ord = ord, .id = *id };
	return query_grams_read(s->grams, s->t, ord, &s->rec, &s->text, err);
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
	struct grams_search s = { .t = t };
	*hits = NULL;
	*n = 0;
	if (!r->misspelt)
		return MEM_OK;
	s.grams = mem_grams_new(r->text);
	s.hits = mem_xcalloc(QUERY_NEWEST_MAX, sizeof *s.hits);
	enum mem_status st = query_visit_newest(t, iq, take_newest_node, &s, err);
	if (st == MEM_OK)
		keep_like_hits(&s);
	/* A score depends on the texts beside it: all get theirs in the union. */
	for (size_t i = 0; i < s.n; i++)
		s.hits[i].score = (double)NAN;
	mem_grams_free(s.grams);
	mem_rec_release(&s.rec);
	mem_buf_release(&s.text);
	if (st != MEM_OK || s.n == 0) {
		free(s.hits);
		return st;
	}
	*hits = s.hits;
	*n = s.n;
	return MEM_OK;
}
