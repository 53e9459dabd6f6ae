/* SPDX-License-Identifier: Apache-2.0 */
/* Several streams of hits to one, each query by itself. */
#ifndef MEM_FUSE_STREAMS_H
#define MEM_FUSE_STREAMS_H

#include "base/base.h"
#include "query/fuse.h"

/*
 * Hits in, fused hits out.  Each qid is fused by itself, in the order in which they first come; hits without one
 * belong together.  A record is the first list's that holds it, with rank, score and mode (hybrid) set anew
 * and the signals of all its hits.
 */
struct mem_fuser;
struct mem_fuser *mem_fuser_new(void);   /* OWNS */
void mem_fuser_free(struct mem_fuser *f);

/* Of one query: each takes as much room as all records, so a hit that would begin another is refused. */
#define MEM_FUSE_LISTS_MAX 64

/*
 * A hit, or the end record of a query, of stream `stream` (from 0).  Where there is but one stream (`split`) a list ends
 * where the mode changes or the rank does not rise.  Copies.  MEM_NONE: no record, without id
 * or score, or of one list too many.
 */
enum mem_status mem_fuser_add(struct mem_fuser *f, size_t stream, bool split, struct mem_str line,
    struct mem_err *err) MEM_CHECKED;

struct mem_fuser_opts {
	enum mem_fusion how;
	const double *weights;     /* by list; NULL: equal */
	size_t nweights;
	size_t limit;              /* of hits, for each query; 0: all */
	double min_score;
};
/* Appends the lines.  MEM_USAGE: a query has more lists than there are weights. */
enum mem_status mem_fuser_write(struct mem_fuser *f, const struct mem_fuser_opts *opts, struct mem_buf *out,
    struct mem_err *err) MEM_CHECKED;

#endif
