/* SPDX-License-Identifier: Apache-2.0 */
/* The stage fuse of one stream: the signals that its hits have become one score, as in a search. */
#ifndef MEM_FUSE_SIGNALS_H
#define MEM_FUSE_SIGNALS_H

#include "conf/conf.h"
#include "conf/signal_names.h"
#include "query/fuse.h"
#include "stage/stage.h"

#define MEM_FUSE_DENSE_WEIGHT .6 /* of vectors, as shipped; the words have the rest */

/*
 * Hits in, hits out, each query by itself in the order in which they first come.  lexical and dense are fused by the
 * method, those of them that any hit of the query has; each other signal adds its weight times its value.  Weights are those
 * of the options, to which what the class of the query's first hit has in search.class.NAME is added.  Hits that hold an anchor come first.
 * Each gets score and rank anew and "fuse":{"score":S} under `signals`; of two with one id the first stays.
 *
 * A query all of whose hits have that note passes as it came, unless `again`.  A line is refused that is no record or
 * without id, or whose signals are no object.
 */
struct mem_fuse_signals_options {
	enum mem_fusion how;
	double weights[MEM_SIGNALS];     /* NAN: of lexical and dense the default, 1 with rrf; of the others 0 */
	double dense;                    /* that of the store's model; the words have the rest */
	int class;                       /* enum mem_class; -1: as the hits say, factual where they do not */
	const struct mem_conf *conf;     /* BORROWS; NULL: classes add nothing */
	size_t limit;                    /* of hits, for each query; 0: all */
	double min_score;
	bool again;
};
void mem_fuse_signals_options_init(struct mem_fuse_signals_options *o);
static inline void
mem_fuse_signals_weigh(struct mem_fuse_signals_options *o, enum mem_signal signal, double weight)
{
	o->weights[signal] = weight;
}
extern const struct mem_stage mem_stage_fuse_signals; /* its options: struct mem_fuse_signals_options */

#endif
