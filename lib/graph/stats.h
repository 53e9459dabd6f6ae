/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats: how large a graph is, and how it hangs together.
 *
 * Degrees count edges, in and out, an edge from a node to itself twice.  Components are those of the graph without directions; a
 * node without edges is one of its own.  Density is the number of edges over N · (N − 1), the mean degree 2 · edges / N.
 */
#ifndef MEM_STATS_H
#define MEM_STATS_H

#include "graph/copy.h"

struct mem_graph_stats {
	uint64_t nodes, edges;
	uint64_t nodes_of[MEM_KIND_COUNT]; /* by kind */
	uint64_t *edges_of;         /* OWNS: by kind of edges, as the copy numbers them */
	uint64_t bidirectional, loops;
	double weight, confidence;  /* means over edges; 0 where there are none */
	double mean_degree, density;
	double median_degree;       /* of an even number of nodes the mean of the two in the middle */
	uint64_t max_degree;
	uint64_t components, largest; /* the latter in nodes */
	uint64_t orphans;           /* nodes without edges */
	uint32_t *in, *out;         /* OWNS: degrees by node */
};
void mem_graph_stats_make(struct mem_graph_stats *out, const struct mem_graph_copy *c);
void mem_graph_stats_release(struct mem_graph_stats *s);

/* The n nodes (fewer if there are no more) of the highest values above 0, the highest first, then by number.  OWNS: free(). */
uint32_t *mem_graph_highest(const uint64_t *values, size_t nvalues, size_t *n);

#endif
