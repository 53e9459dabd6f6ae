/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks: how much the edges of a graph favour each node, by PageRank (Page, Brin, Motwani and Winograd 1999).
 *
 * Somebody walks from node to node.  With the chance `damping` the next node is one to which an edge leads, each with a chance
 * in proportion to weight times confidence; else, and where no edge leads on, it is one of the seeds, or where there
 * are none any node, each as likely.  A node's score is the share of time spent there:
 *
 *	score(v) = (1 − damping) · seed(v) + damping · (sum over u -> v of score(u) · strength(u, v) / strength(u)
 *	           + seed(v) · sum over u without edges of score(u))
 *
 * Scores add up to 1.  They are worked out by power iteration, from seed(v) on, until the scores of two rounds differ by less
 * than MEM_RANKS_TOLERANCE in sum, at most MEM_RANKS_ROUNDS times.  Sums are made in the order of the copy (copy.h), so that
 * scores are the same on every machine.
 */
#ifndef MEM_RANKS_H
#define MEM_RANKS_H

#include "graph/copy.h"
#include "graph/graph.h"

#define MEM_RANKS_TOLERANCE 1e-13
#define MEM_RANKS_ROUNDS    1000

struct mem_ranks_options {
	double damping;             /* from 0 to less than 1 */
	enum mem_walk_direction direction; /* IN: edges are followed against their direction; BOTH: either way */
	const uint32_t *seeds;      /* numbers of nodes, each once; none: all nodes */
	size_t nseeds;
};
#define MEM_RANKS_OPTIONS_INIT { .damping = .85, .direction = MEM_WALK_OUT }

/* Scores by node: nnodes of them.  OWNS: free(). */
double *mem_ranks_make(const struct mem_graph_copy *c, const struct mem_ranks_options *o);
/* Nodes by score with MEM_RANKS_DECIMALS decimals, the highest first, then by number: nnodes of them.  OWNS: free(). */
#define MEM_RANKS_DECIMALS 12
uint32_t *mem_ranks_order(const double *scores, size_t n);

#endif
