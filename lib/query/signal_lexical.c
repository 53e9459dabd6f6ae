/* SPDX-License-Identifier: Apache-2.0 */
/* The signal of words: BM25 (words.h). */
#include "query/signal_int.h"
#include "words/words.h"

static enum mem_status
find_lexical_nodes(const struct query_ranking *r, struct mem_txn *t, const struct mem_search_query *iq, struct mem_search_hit **hits,
    size_t *n, struct mem_err *err)
{
	(void)r;
	return mem_words_search(t, iq, hits, n, err);
}

static enum mem_status
score_lexical_nodes(const struct query_ranking *r, struct mem_txn *t, void *kept, const uint32_t *ords, size_t n, double *scores,
    struct mem_err *err)
{
	(void)kept;
	return mem_words_scores(t, r->iq, ords, n, scores, err);
}

static double
weigh_lexical_signal(const struct query_ranking *r)
{
	return r->mode == MEM_MODE_AUTO ? 1 - MEM_FUSE_GRAMS_WEIGHT : 1 - r->weight;
}

const struct query_signal query_signal_lexical = {
	.modes = 1U << MEM_MODE_AUTO | 1U << MEM_MODE_KEYWORD | 1U << MEM_MODE_HYBRID,
	.find = find_lexical_nodes,
	.complete = score_lexical_nodes,
	.weight = weigh_lexical_signal,
};
