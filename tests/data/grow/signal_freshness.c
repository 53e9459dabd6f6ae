/* SPDX-License-Identifier: Apache-2.0 */
/* The signal of age in weeks: 1 for what was captured now, half as much for each week. */
#include "query/signal_int.h"
#include "store/node.h"

#include <math.h>

static enum mem_status
score_freshness(const struct query_ranking *r, struct mem_txn *t, void *kept, const uint32_t *ords, size_t n, double *scores,
    struct mem_err *err)
{
	const double week_ms = 7 * 86400e3;
	enum mem_status st = MEM_OK;
	(void)r;
	(void)kept;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct mem_attr *a;
		st = mem_attr_at(t, ords[i], &a, err);
		scores[i] = st == MEM_OK ? mem_score_round(exp2((double)(a->captured_at - mem_txn_now(t)) / week_ms)) : (double)NAN;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	return st;
}

static double
weigh_freshness(const struct query_ranking *r)
{
	(void)r;
	return .5;
}

const struct query_signal query_signal_freshness = {
	.modes = 1U << MEM_MODE_HYBRID,
	.complete = score_freshness,
	.weight = weigh_freshness,
};
