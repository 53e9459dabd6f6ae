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

#include <stddef.h>
#include <stdint.h>

/*
 * What 4-grams weigh where no vector is at hand, beside words with the rest of 1; and where a word of the question stands in
 * no record, beside words and vectors, whose weights make 1.  Of the 107 questions of tests/data/hard .25 to 1 find the same.
 */
#define MEM_FUSE_GRAMS_WEIGHT .5
#define MEM_FUSE_GRAMS_THIRD_WEIGHT .4

enum mem_fusion { MEM_FUSE_ZSCORE, MEM_FUSE_MINMAX, MEM_FUSE_RRF, MEM_FUSE_WEIGHTED, MEM_FUSE_SIMPLE };
extern const char *const mem_fusion_names[]; /* in that order, NULL behind them */

/* One list, by record. */
struct mem_fuse_list {
	double *score;             /* NAN: it does not stand in this list */
	uint32_t *rank;            /* from 1; 0 likewise; read by rrf alone */
	double weight;
};
/* Fused scores of n records, not rounded. */
void mem_fuse_scores(enum mem_fusion how, const struct mem_fuse_list *lists, size_t nlists, size_t n, double *out);

#endif
