/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paths: the shortest ways from one node to another.
 *
 * Short is what has few edges or, `weighted`, what has a small sum of −log(weight × confidence) over its edges: the path on
 * which most is left when the edges' weights and confidences are multiplied.  An edge on which nothing is left is no way
 * then.  A path visits no node twice; two paths differ in the nodes that they visit.  Between two nodes the best edge counts, of
 * several equally good ones the first by the name of its kind, of those the one in its own direction.
 *
 * Paths come from the shortest on; equally short ones by the number of their edges, then by the ids of their nodes, one after
 * another.
 *
 * The first path by edges is found by the walk (graph.h), which reads no more than it needs.  All else is worked out on a
 * copy (copy.h): k paths by Yen's algorithm (Yen 1971, Management Science 17:11), each search led by the exact distances to
 * the end (A*, Hart, Nilsson and Raphael 1968).  Sums of logarithms are whole multiples of 2^-32, so that they do not depend
 * on the order in which they are added.
 */
#ifndef MEM_PATHS_H
#define MEM_PATHS_H

#include "base/base.h"
#include "graph/graph.h"
#include "store/store.h"

struct mem_path_options {
	enum mem_walk_direction direction;
	struct mem_words edges_of;  /* kinds of edges; none: all; BORROWED during the call */
	double least_weight;
	int64_t as_of;              /* MEM_TIME_NONE: now */
	bool weighted;
	uint32_t hops;              /* edges of a path at most; 0: any number */
	size_t k;                   /* paths at most, from 1 */
};
#define MEM_PATH_OPTIONS_INIT { .as_of = MEM_TIME_NONE, .k = 1 }

struct mem_path_edge {
	const char *kind;
	struct mem_id from, to;     /* as it stands in the store */
	double weight, confidence;
};
struct mem_path {
	struct mem_id *ids;         /* (nedges + 1): from the start to the end */
	struct mem_path_edge *edges;
	size_t nedges;              /* 0: the start is the end */
	double weight;              /* weights and confidences of the edges multiplied */
};
struct mem_paths {
	struct mem_path *v;
	size_t n;                   /* 0: there is no path, or a node is not there */
	struct mem_arena arena;     /* of all that is above */
};
/* Release also after a failure. */
enum mem_status mem_paths_find(struct mem_paths *out, struct mem_store *s, const struct mem_path_options *o, const struct mem_id *from,
    const struct mem_id *to, struct mem_err *err) MEM_CHECKED;
void mem_paths_release(struct mem_paths *p);

#endif
