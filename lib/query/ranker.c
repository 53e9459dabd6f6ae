/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of the step neighbours, by model. */
#include "query/question_int.h"
#include "query/ranker.h"

#include <string.h>

/*
 * Weights fitted to the judgements of three conversations (tests/bench/fit); left out one by one these find recall@10 83.7, nDCG@10 70.1
 * (383 questions), in sample 85.1 / 71.6.  dur_tw is backed by few questions, so it is 3 where the fit says 4.1.  A model
 * without weights of its own has fixed constants, which need no fitting.
 *
 * The turns around count .3 and .21, the best of the session .4.
 */
#define AROUND [MEM_FEATURE_P1] = .3, [MEM_FEATURE_N1] = .3, [MEM_FEATURE_P2] = .21, [MEM_FEATURE_N2] = .21, [MEM_FEATURE_SMAX2] = .4
#define VECTORS "search.ranker.vectors"

static const struct query_ranker rankers[] = {
	{ "e5", .4, .6, .0306, { [MEM_FEATURE_D] = 1, [MEM_FEATURE_P1] = .18, [MEM_FEATURE_N1] = .02, [MEM_FEATURE_P2] = .05,
		[MEM_FEATURE_N2] = -.1, [MEM_FEATURE_SMAX2] = .31, [MEM_FEATURE_SPK] = 2.18, [MEM_FEATURE_HASQ] = -.16,
		[MEM_FEATURE_ISQ] = -.44, [MEM_FEATURE_PREVQ] = .34, [MEM_FEATURE_TW] = .35, [MEM_FEATURE_NW] = .34,
		[MEM_FEATURE_WHEN_TW] = 2.22, [MEM_FEATURE_DUR_TW] = 3, [MEM_FEATURE_CAPS] = .28, [MEM_FEATURE_COV] = 1.24,
		[MEM_FEATURE_COVW] = 3.89, [MEM_FEATURE_DMATCH] = 2.53 }, VECTORS },
	{ NULL, .4, .6, .0306, { [MEM_FEATURE_L] = .4, [MEM_FEATURE_D] = .6, AROUND }, VECTORS },
};

const struct query_ranker *
query_ranker_find(const struct mem_question *q)
{
	size_t i = 0;
	if (q->ranking.mode != MEM_MODE_HYBRID)
		return NULL;
	while (rankers[i].model != NULL && strcmp(rankers[i].model, q->searcher->encoder.model.name) != 0)
		i++;
	return &rankers[i];
}
