/* SPDX-License-Identifier: Apache-2.0 */
/* What a question demands of turns that come beside its hits. */
#include "query/around.h"
#include "query/question_int.h"

#include <stdlib.h>

/* Clauses that a turn must or must not hold, and the filter's terms, as unscored clauses; NULL: there are none. */
static struct mem_search_clause *
list_demands(const struct mem_question *q, size_t *n)
{
	struct mem_search_clause *v = mem_xcalloc(q->iq.nclauses + q->filter.nterms + 1, sizeof *v);
	*n = 0;
	for (size_t i = 0; i < q->iq.nclauses; i++)
		if (q->iq.clauses[i].occur != MEM_SHOULD)
			v[(*n)++] = q->iq.clauses[i];
	for (size_t i = 0; i < q->filter.nterms; i++)
		v[(*n)++] = mem_filter_clause(&q->filter.terms[i]);
	if (*n > 0)
		return v;
	free(v);
	return NULL;
}

/* drop[i]: one of at most MEM_WORDS_MASK demands is not met. */
static enum mem_status
check_demands(const struct mem_question *q, const struct mem_search_clause *demands, size_t n, const struct mem_candidates *c, size_t from,
    bool *drop, struct mem_err *err)
{
	struct mem_search_query iq = q->iq;
	const size_t nturns = c->n - from;
	uint32_t *ords = mem_xcalloc(nturns + 1, sizeof *ords);
	uint64_t *masks = mem_xcalloc(nturns + 1, sizeof *masks);
	const struct mem_words_coverage cover = { .masks = masks };
	iq.clauses = demands;
	iq.nclauses = n;
	for (size_t i = 0; i < nturns; i++)
		ords[i] = c->v[from + i].ord;
	enum mem_status st = mem_words_cover(q->t, &iq, ords, nturns, &cover, err);
	for (size_t i = 0; i < nturns; i++)
		for (size_t k = 0; k < n; k++)
			drop[from + i] |= (masks[i] >> k & 1) == (demands[k].occur == MEM_MUST_NOT);
	free(ords);
	free(masks);
	return st;
}

enum mem_status
query_turns_drop_unwanted(struct query_turns *t, struct mem_question *q, struct mem_candidates *c, size_t from, struct mem_err *err)
{
	size_t n;
	struct mem_search_clause *demands = list_demands(q, &n);
	bool *drop = mem_xcalloc(c->n + 1, sizeof *drop);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i += MEM_WORDS_MASK)
		st = check_demands(q, demands + i, n - i < MEM_WORDS_MASK ? n - i : MEM_WORDS_MASK, c, from, drop, err);
	const bool phrases = q->parsed.nphrases > q->parsed.nanchors;
	for (size_t i = from; i < c->n && st == MEM_OK && phrases; i++)
		drop[i] |= !q->iq.admit(q->iq.ctx, c->v[i].ord);
	if (st == MEM_OK && (n > 0 || phrases))
		query_turns_drop(t, c, drop);
	free(drop);
	free(demands);
	return st;
}
