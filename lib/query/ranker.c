/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of the step neighbours, by model. */
#include "query/question_int.h"
#include "query/ranker.h"

#include <string.h>

/* The turns around count .3 and .21, the best of the session .4. */
#define AROUND [MEM_FEATURE_P1] = .3, [MEM_FEATURE_N1] = .3, [MEM_FEATURE_P2] = .21, [MEM_FEATURE_N2] = .21, [MEM_FEATURE_SMAX2] = .4
#define VECTORS "search.ranker.vectors"

static const struct query_ranker rankers[] = {
	{ "e5", .4, .6, .0306, { [MEM_FEATURE_L] = .4, [MEM_FEATURE_D] = .6, AROUND }, VECTORS },
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
