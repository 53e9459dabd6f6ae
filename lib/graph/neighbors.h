/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbours: the nodes that some nodes are joined to by a few edges, each with the strongest of the shortest ways to it.
 *
 * A way's weight is the product of its edges' weights.  Nodes come by hops, then by weight, the heaviest first, then by
 * id; those where it begins are no neighbours.  Weights count with six decimals, as they are printed.
 * What is there, and what is read of it, is as the walk has it (graph.h).
 */
#ifndef MEM_NEIGHBORS_H
#define MEM_NEIGHBORS_H

#include "base/base.h"
#include "graph/graph.h"
#include "store/kind.h"
#include "store/store.h"

/* An edge of a way, as it stands in the store. */
struct mem_way_edge {
	const char *kind;           /* BORROWS from the run */
	struct mem_id from, to;
	double weight;              /* six decimals */
};
struct mem_neighbor {
	struct mem_id id;
	uint32_t ord;
	enum mem_kind kind;
	uint32_t hops;              /* at least 1 */
	double weight;              /* of the way, six decimals */
	uint32_t step;              /* by which mem_neighbors_way finds the way */
};

struct mem_neighbors;
/* `o`: its every_edge and again do not count.  OWNS. */
enum mem_status mem_neighbors_open(struct mem_neighbors **out, struct mem_store *s, const struct mem_walk_options *o,
    const struct mem_id *from, size_t n, struct mem_err *err) MEM_CHECKED;
/* MEM_END: there are no more. */
enum mem_status mem_neighbors_next(struct mem_neighbors *x, struct mem_neighbor *out, struct mem_err *err) MEM_CHECKED;
/* The way to a neighbour that next gave: one edge for each hop, from a start on.  BORROWS until the next call. */
const struct mem_way_edge *mem_neighbors_way(struct mem_neighbors *x, const struct mem_neighbor *n);
void mem_neighbors_free(struct mem_neighbors *x);      /* NULL is fine */

#endif
