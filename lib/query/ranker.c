/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of the step neighbours, by model. */
#include "query/question_int.h"
#include "query/ranker.h"

#include <string.h>

/*
 * Weights fitted to the judgements of three conversations (tests/bench/fit).  Recall@10 and nDCG@10 of their 383 questions, each
 * conversation ranked by weights of the others: with word pieces 86.4 / 72.0, without 84.0 / 70.2; without a model 81.6 / 67.8.
 * dur_tw is backed by few questions, so it is 3 where a fit says 4.  A model without weights of its own has fixed constants, which
 * need no fitting.
 *
 * P1q counts with word pieces of e5 alone: there it gave .3 / .5 in that way, 1.1 of nDCG with questions of all categories, and on
 * the same conversations without names .8 / 1.4.  Without a model it gave 0 / -.2; with vectors alone .5 / .9, but -.2 of nDCG by
 * weights fitted on all three.
 *
 * The turns around count .3 and .21, the best of the session .4.
 */
#define AROUND [MEM_FEATURE_P1] = .3, [MEM_FEATURE_N1] = .3, [MEM_FEATURE_P2] = .21, [MEM_FEATURE_N2] = .21, [MEM_FEATURE_SMAX2] = .4
/*
 * What ranks by vectors of e5 ranks by those of me5, whose products lie as close together: 84.0 / 69.9 on the same questions,
 * where the fixed constants give 78.6 / 59.7, less than words alone.  With pieces me5 has weights of its own: 84.8 / 71.2.
 */
#define E5_VECTORS [MEM_FEATURE_D] = 1, [MEM_FEATURE_P1] = .18, [MEM_FEATURE_N1] = .02, \
	[MEM_FEATURE_P2] = .05, [MEM_FEATURE_N2] = -.1, [MEM_FEATURE_SMAX2] = .3, [MEM_FEATURE_SPK] = 2.14, [MEM_FEATURE_HASQ] = -.17, \
	[MEM_FEATURE_ISQ] = -.45, [MEM_FEATURE_PREVQ] = .34, [MEM_FEATURE_TW] = .35, [MEM_FEATURE_NW] = .34, \
	[MEM_FEATURE_WHEN_TW] = 2.23, [MEM_FEATURE_DUR_TW] = 3, [MEM_FEATURE_CAPS] = .28, [MEM_FEATURE_COV] = 1.33, \
	[MEM_FEATURE_COVW] = 3.9, [MEM_FEATURE_DMATCH] = 3.17
#define PIECES "search.ranker.pieces"
#define VECTORS "search.ranker.vectors"
#define WORDS "search.ranker.words"

static const struct query_ranker rankers[] = {
	{ MEM_MODE_HYBRID, true, "e5", MEM_SIGNAL_DENSE, .2, .3, .5, .0306, { [MEM_FEATURE_L] = .03, [MEM_FEATURE_D] = .59, [MEM_FEATURE_M] = .05,
		[MEM_FEATURE_MSW2] = .69, [MEM_FEATURE_P1] = .01, [MEM_FEATURE_N1] = .02, [MEM_FEATURE_P2] = .02, [MEM_FEATURE_N2] = -.13,
		[MEM_FEATURE_SMAX2] = .07, [MEM_FEATURE_SPK] = 2.1, [MEM_FEATURE_HASQ] = -.33, [MEM_FEATURE_ISQ] = -.32,
		[MEM_FEATURE_PREVQ] = .56, [MEM_FEATURE_P1Q] = .22, [MEM_FEATURE_TW] = .28, [MEM_FEATURE_NW] = .32,
		[MEM_FEATURE_WHEN_TW] = 2.22, [MEM_FEATURE_DUR_TW] = 3, [MEM_FEATURE_CAPS] = .28, [MEM_FEATURE_COV] = .82,
		[MEM_FEATURE_COVW] = 1.08, [MEM_FEATURE_DMATCH] = 3.85 }, PIECES },
	{ MEM_MODE_HYBRID, false, "e5", MEM_SIGNAL_DENSE, .4, .6, 0, .0306, { E5_VECTORS }, VECTORS },
	{ MEM_MODE_HYBRID, true, "me5", MEM_SIGNAL_DENSE, .2, .3, .5, .0306, { [MEM_FEATURE_D] = .41, [MEM_FEATURE_M] = .02,
		[MEM_FEATURE_MSW2] = .75, [MEM_FEATURE_P1] = .19, [MEM_FEATURE_N1] = .01, [MEM_FEATURE_P2] = .03, [MEM_FEATURE_N2] = -.1,
		[MEM_FEATURE_SMAX2] = .11, [MEM_FEATURE_SPK] = 2.24, [MEM_FEATURE_HASQ] = -.34, [MEM_FEATURE_ISQ] = -.43,
		[MEM_FEATURE_PREVQ] = .5, [MEM_FEATURE_TW] = .4, [MEM_FEATURE_NW] = .36, [MEM_FEATURE_WHEN_TW] = 2.06,
		[MEM_FEATURE_DUR_TW] = 3, [MEM_FEATURE_CAPS] = .39, [MEM_FEATURE_COV] = 1.96, [MEM_FEATURE_COVW] = 1.53,
		[MEM_FEATURE_DMATCH] = 3.8 }, PIECES },
	{ MEM_MODE_HYBRID, false, "me5", MEM_SIGNAL_DENSE, .4, .6, 0, .0306, { E5_VECTORS }, VECTORS },
	/* Pieces of another model count where its store's settings weigh them. */
	{ MEM_MODE_HYBRID, true, NULL, MEM_SIGNAL_DENSE, .4, .6, 0, .0306, { [MEM_FEATURE_L] = .4, [MEM_FEATURE_D] = .6, AROUND }, PIECES },
	{ MEM_MODE_HYBRID, false, NULL, MEM_SIGNAL_DENSE, .4, .6, 0, .0306, { [MEM_FEATURE_L] = .4, [MEM_FEATURE_D] = .6, AROUND }, VECTORS },
	{ MEM_MODE_AUTO, false, NULL, MEM_SIGNAL_GRAMS, .5, .5, 0, .0232, { [MEM_FEATURE_L] = .05, [MEM_FEATURE_D] = .13, [MEM_FEATURE_P1] = .17,
		[MEM_FEATURE_P2] = .04, [MEM_FEATURE_N2] = -.04, [MEM_FEATURE_SMAX2] = .19, [MEM_FEATURE_SPK] = 2.76,
		[MEM_FEATURE_HASQ] = -.67, [MEM_FEATURE_ISQ] = -.02, [MEM_FEATURE_PREVQ] = .67, [MEM_FEATURE_TW] = .24, [MEM_FEATURE_NW] = .28,
		[MEM_FEATURE_WHEN_TW] = 2.06, [MEM_FEATURE_DUR_TW] = 3, [MEM_FEATURE_CAPS] = .33, [MEM_FEATURE_COV] = 1.25,
		[MEM_FEATURE_COVW] = 4.61, [MEM_FEATURE_DMATCH] = 3.03 }, WORDS },
};

const struct query_ranker *
query_ranker_find(const struct mem_question *q, bool pieces)
{
	const char *model = q->searcher->encoder.model.name;
	for (size_t i = 0; i < MEM_COUNT(rankers); i++)
		if (rankers[i].mode == q->ranking.mode && (!rankers[i].pieces || pieces) && (rankers[i].model == NULL || strcmp(rankers[i].model, model) == 0))
			return &rankers[i];
	return NULL;
}
