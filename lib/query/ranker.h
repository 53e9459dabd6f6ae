/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of the step neighbours, by model. */
#ifndef QUERY_RANKER_H
#define QUERY_RANKER_H

#include "query/rank.h"

struct query_ranker {
	const char *model;       /* of the store's vectors; NULL: any other */
	double lexical, dense;   /* in F */
	double dense_unit;       /* of the product: about its deviation over the turns of a conversation */
	double weight[MEM_FEATURES];
};
/* NULL: a question by one signal alone. */
const struct query_ranker *query_ranker_find(const struct mem_question *q);

#endif
