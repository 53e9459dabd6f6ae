/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fusion: several rankings of the same records to one.
 *
 * With s a record's score in a list and w the list's weight, the fused score is the sum
 * over the lists of
 *
 *   zscore    w · (s - mean) / sd, mean and population sd of the list over all records that
 *             stand in any; one that is missing counts as the list's lowest
 *   minmax    w · (s - min) / (max - min); missing: 0; where all are equal: w
 *   weighted  w · s / max |s|; missing: 0
 *   rrf       w / (60 + rank), rank from 1 (Cormack, Clarke and Büttcher, "Reciprocal rank fusion
 *             outperforms Condorcet and individual rank learning methods", SIGIR 2009); missing: 0
 *   simple    s (CombSUM: Fox and Shaw, "Combination of multiple searches", TREC-2, 1994)
 *
 * Weights of the first three are divided by their sum, so that scores stay comparable; those of rrf
 * are taken as they are, by default 1.  z-scores keep how far ahead a hit is, which ranks lose: on
 * conversations rrf finds about 8 points less (recall@10).
 */
#ifndef MEM_FUSE_H
#define MEM_FUSE_H

#include "base/base.h"

enum mem_fusion { MEM_FUSE_ZSCORE, MEM_FUSE_MINMAX, MEM_FUSE_RRF, MEM_FUSE_WEIGHTED, MEM_FUSE_SIMPLE };
extern const char *const mem_fusion_names[]; /* in that order, NULL behind them */

/* One list, by record. */
struct mem_fuse_list {
	double *score;             /* NAN: it does not stand in this list */
	uint32_t *rank;            /* from 1; 0 likewise; read by rrf alone */
	double weight;
};
/* Fused scores of n records, not rounded. */
void mem_fuse(enum mem_fusion how, const struct mem_fuse_list *lists, size_t nlists, size_t n, double *out);

/* ---- streams of hits -------------------------------------------------- */

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
