/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of the step neighbours, by model. */
#include "query/question_int.h"
#include "query/ranker.h"

#include <string.h>

/* The turns around count .3 and .21, the best of the session .4. */
#define AROUND [MEM_FEATURE_P1] = .3, [MEM_FEATURE_N1] = .3, [MEM_FEATURE_P2] = .21, [MEM_FEATURE_N2] = .21, [MEM_FEATURE_SMAX2] = .4
#define VECTORS "search.ranker.vectors"

static const struct query_ranker rankers[] = {
	{ "e5", .4, .6, .0306, { [MEM_FEATURE_L] = .05, [MEM_FEATURE_D] = 1, [MEM_FEATURE_P1] = .2, [MEM_FEATURE_N1] = .03, [MEM_FEATURE_P2] = .05,
		[MEM_FEATURE_N2] = -.08, [MEM_FEATURE_SMAX2] = .3, [MEM_FEATURE_SPK] = 2.29, [MEM_FEATURE_ISQ] = -.61, [MEM_FEATURE_PREVQ] = .36, [MEM_FEATURE_TW] = .37, [MEM_FEATURE_NW] = .34,
		[MEM_FEATURE_WHEN_TW] = 2.22, [MEM_FEATURE_DUR_TW] = 3, [MEM_FEATURE_CAPS] = .43, [MEM_FEATURE_COV] = .55, [MEM_FEATURE_COVW] = 3.91 }, VECTORS },
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
