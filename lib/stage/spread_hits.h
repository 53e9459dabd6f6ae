/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage spread: what the hits of each query activate along the edges of the store (graph/spread.h).
 *
 * The hits are the seeds.  Other nodes that fire, and that the filter leaves, come out as hits, by potential, the highest
 * first, then by id: the node's record with rank, score, the mode and the qid of the first seed that has them, and
 * signals.  Signals go through nodes that the filter does not leave, too.
 *
 * Without `seeds` they alone come out, and their score is their potential.  With `seeds` the seeds come first, in the order in
 * which they came and as they came, but for rank and the note; the others stand behind them, with the score
 *
 *	the least score of a seed (0 if none has one) - 1 / (1 + potential)
 *
 * The note under `signals`, which each has, is "spread":{"score":P,"hops":H}: the potential, and how many hops lead to the
 * node; both are null of a hit that is no node here that the principal may read.  With paths it has also "paths", the
 * strongest by which signals arrived, and "more" of them, where there are more:
 * {"signal":S,"from":ID,"via":[{"edge":KIND,"weight":W,"id":ID},…]}.
 *
 * Where each hit of a query has the note, the lines pass as they came, unless `again` is set.
 */
#ifndef MEM_SPREAD_HITS_H
#define MEM_SPREAD_HITS_H

#include "conf/conf.h"
#include "graph/spread.h"
#include "query/query.h"
#include "stage/stage.h"
#include "store/store.h"

struct mem_spread_stage_options {
	struct mem_spread_options spread;
	struct mem_store *store;   /* BORROWS; NULL: as one without nodes */
	const struct mem_node_filter *filter; /* BORROWS; NULL: none */
	bool seeds, again;
	size_t limit;              /* lines of a query; 0: all */
};
#define MEM_SPREAD_STAGE_OPTIONS_INIT { .spread = MEM_SPREAD_OPTIONS_INIT }

/* What the settings spread.* say. */
void mem_spread_options_read(struct mem_spread_options *o, const struct mem_conf *conf);

/*
 * Hits in, hits out, each query by itself in the order in which they first come.  A line is refused that is no record,
 * without an id, with a score that is no number within 1e100, or with signals that are no object.  An end record comes
 * behind the hits of its query, with their new number.
 */
extern const struct mem_stage mem_stage_spread; /* its options: struct mem_spread_stage_options; NULL: with the seeds */

#endif
