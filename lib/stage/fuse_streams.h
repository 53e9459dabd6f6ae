/* SPDX-License-Identifier: Apache-2.0 */
/* The stage fuse: several streams of hits to one, each query by itself. */
#ifndef MEM_FUSE_STREAMS_H
#define MEM_FUSE_STREAMS_H

#include <math.h>

#include "query/fuse.h"
#include "stage/stage.h"

/* Of one query: each takes as much room as all records, so a hit that would begin another is refused. */
#define MEM_FUSE_LISTS_MAX 64

/*
 * Hits in, fused hits out.  Each qid is fused by itself, in the order in which they first come; hits without one
 * belong together.  A record is the first list's that holds it, with rank, score and mode (hybrid) set anew
 * and the signals of all its hits.  An end record of a query comes out behind its hits, with their new number.
 *
 * A line is refused that is no record, without id or score, or of one list too many.  The end is MEM_USAGE where a query
 * has more lists than there are weights.
 */
struct mem_fuse_options {
	enum mem_fusion how;
	size_t streams;            /* below 2: a list ends where the mode changes or the rank does not rise; else with its stream */
	const double *weights;     /* by list; NULL: equal */
	size_t nweights;
	size_t limit;              /* of hits, for each query; 0: all */
	double min_score;
};
#define MEM_FUSE_OPTIONS_INIT { .min_score = -HUGE_VAL }
extern const struct mem_stage mem_stage_fuse; /* its options: struct mem_fuse_options */

#endif
