/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the Leiden algorithm from inside. */
#ifndef MEM_LEIDEN_INT_H
#define MEM_LEIDEN_INT_H

#include "graph/communities.h"

#define LEIDEN_NONE UINT32_MAX

/* A graph whose nodes may stand for several nodes of a finer one. */
struct leiden_graph {
	uint32_t n;
	size_t *first;             /* (n + 1) */
	uint32_t *to;              /* each edge at both ends; none leads to its own node */
	double *strength;
	double *degree;            /* by node: the strength of all edges at it, those inside it twice */
	double total;              /* of all degrees: 2m */
};
/* The graph of links itself: BORROWS its arrays. */
void leiden_graph_begin(struct leiden_graph *g, const struct mem_graph_links *l);
/* The graph whose nodes are the groups of another, `ngroups` of them.  OWNS. */
void leiden_graph_gather(struct leiden_graph *out, const struct leiden_graph *g, const uint32_t *group, uint32_t ngroups);
void leiden_graph_release(struct leiden_graph *g);

/* Strengths from one node to the groups around it. */
struct leiden_sums {
	double *to;                /* OWNS: by group; 0 but for those that are listed */
	uint32_t *met;             /* OWNS: groups, in the order in which they were met */
	size_t nmet;
};
void leiden_sums_init(struct leiden_sums *s, uint32_t n);
void leiden_sums_release(struct leiden_sums *s);

/* The order in which the nodes are looked at in a round: of round 0 that of their numbers, of others one that looks like
 * chance and is always the same.  OWNS: free(). */
uint32_t *leiden_order(uint32_t n, unsigned round);
/* Moves single nodes between communities as long as modularity rises.  False: nothing was moved. */
bool leiden_move_nodes(const struct leiden_graph *g, const uint32_t *order, uint32_t *community);
/* Groups inside the communities, from single nodes on: group[v] of each; how many there are. */
uint32_t leiden_refine(const struct leiden_graph *g, const uint32_t *order, const uint32_t *community, uint32_t *group);

#endif
