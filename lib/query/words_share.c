/* SPDX-License-Identifier: Apache-2.0 */
/* Which share of the question's words stands in each candidate. */
#include "query/question_int.h"

#include <stdlib.h>

/* What each clause adds to the share; sums up to 1, or 0 where no clause scores. */
static void
weigh_words(const struct mem_search_query *iq, const double *idf, double *weight)
{
	double sum = 0;
	for (size_t i = 0; i < iq->nclauses; i++) {
		const struct mem_search_clause *c = &iq->clauses[i];
		weight[i] = i < MEM_WORDS_MASK && c->scored && c->occur != MEM_MUST_NOT ? idf[i] : 0;
		sum += weight[i];
	}
	for (size_t i = 0; i < iq->nclauses && sum > 0; i++)
		weight[i] /= sum;
}

static double
sum_mask(uint64_t mask, const double *weight)
{
	double share = 0;
	for (; mask != 0; mask &= mask - 1)
		share += weight[__builtin_ctzll(mask)];
	return mem_score_round(share < 1 ? share : 1);
}

enum mem_status
query_fill_words_share(const struct mem_question *q, struct mem_candidates *c, struct mem_err *err)
{
	const struct mem_search_query *iq = &q->iq;
	uint32_t *ords = mem_xcalloc(c->n + 1, sizeof *ords);
	uint64_t *masks = mem_xcalloc(c->n + 1, sizeof *masks);
	double *idf = mem_xcalloc(2 * iq->nclauses + 1, sizeof *idf), *weight = idf + iq->nclauses;
	const struct mem_words_coverage out = { .masks = masks, .idf = idf };
	for (size_t i = 0; i < c->n; i++)
		ords[i] = c->v[i].ord;
	enum mem_status st = mem_words_cover(q->t, iq, ords, c->n, &out, err);
	if (st == MEM_OK)
		weigh_words(iq, idf, weight);
	for (size_t i = 0; i < c->n && st == MEM_OK; i++)
		c->v[i].words = sum_mask(masks[i], weight);
	free(ords);
	free(masks);
	free(idf);
	return st;
}
