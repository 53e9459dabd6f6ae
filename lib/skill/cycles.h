/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Circles in a directed graph, and the edges that would break them.
 *
 * From node to node in their order the shortest circle through it is looked for (breadth first), its weakest edge is taken out, and so on
 * until no circle of at most MEM_CYCLE_LENGTH edges is left.  So each such circle holds one of the edges that were taken out, and
 * of two circles that one edge would break only one is found.
 */
#ifndef MEM_SKILL_CYCLES_H
#define MEM_SKILL_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEM_CYCLE_LENGTH 10

/* Can edges of this kind make a circle of skills?  requires, composes, succeeds. */
bool mem_skill_circle_kind(const char *kind);

struct mem_cycle_edge {
	uint32_t from, to;          /* nodes, below nnodes */
	double strength;            /* weight times confidence */
};
/* The edges of a circle, by their numbers, in order, from the node where it was found; `weakest` is one of them, of equal ones the last.
 * False: no more. */
typedef bool mem_cycle_fn(void *ctx, const uint32_t *edges, size_t n, uint32_t weakest);
/* The edges are sorted by `from`; of those of one node earlier ones are preferred. */
void mem_cycles_find(const struct mem_cycle_edge *edges, size_t nedges, uint32_t nnodes, mem_cycle_fn *fn, void *ctx);

#endif
