/* SPDX-License-Identifier: Apache-2.0 */
/* The signal of words: BM25 (words.h). */
#include "query/signal_int.h"
#include "words/words.h"

static enum mem_status
find_words(const struct mem_blend *b, struct mem_txn *t, const struct mem_search_query *iq, struct mem_search_hit **hits,
    size_t *n, struct mem_err *err)
{
	(void)b;
	return mem_words_search(t, iq, hits, n, err);
}

static enum mem_status
score_words(const struct mem_blend *b, struct mem_txn *t, const void *kept, const uint32_t *ords, size_t n, double *scores,
    struct mem_err *err)
{
	(void)kept;
	return mem_words_scores(t, b->iq, ords, n, scores, err);
}

static double
weigh_words(const struct mem_blend *b)
{
	return 1 - b->weight;
}

const struct mem_signal mem_signal_lexical = {
	.name = "lexical",
	.modes = 1U << MEM_MODE_KEYWORD | 1U << MEM_MODE_HYBRID,
	.find = find_words,
	.complete = score_words,
	.weight = weigh_words,
};
