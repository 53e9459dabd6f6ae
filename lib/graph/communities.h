/* SPDX-License-Identifier: Apache-2.0 */
/*
 * communities: groups of nodes that are joined more closely to each other than to the rest, by the Leiden algorithm (Traag,
 * Waltman and van Eck 2019, "From Louvain to Leiden: guaranteeing well-connected communities", Scientific Reports 9:5233).
 *
 * Edges count without direction (struct mem_graph_links).  What is made as large as can be is modularity (Newman and Girvan
 * 2004), a sum over communities, in which m is the strength of all edges, in that of the edges inside a community, and
 * total that of all edges at its nodes, those inside twice, those from a node to itself among them:
 *
 *	modularity = sum of in / m − (total / 2m)²
 *
 * Nothing is drawn by chance: nodes are looked at in a fixed order, where the paper draws one of several moves the
 * best is taken, of equal ones that to the community met first.  So the same graph gives the same communities on every machine.
 * The algorithm is begun anew with what it has found, each round in another fixed order, as long as rounds gain
 * MEM_COMMUNITIES_GAIN.  All of this is done again from single nodes on, in other orders, up to MEM_COMMUNITIES_STARTS times: fewer of
 * a large graph, where one is as good as the next.  What has the greatest modularity counts.
 */
#ifndef MEM_COMMUNITIES_H
#define MEM_COMMUNITIES_H

#include "graph/copy.h"

#define MEM_COMMUNITIES_GAIN   1e-6
#define MEM_COMMUNITIES_IDLE   8    /* rounds in a row that gain less end it, */
#define MEM_COMMUNITIES_ROUNDS 50   /* or so many in all: fewer of a large graph, so that rounds times edges stay below */
#define MEM_COMMUNITIES_WORK   5000000 /* this number, but at least */
#define MEM_COMMUNITIES_FEW    4
#define MEM_COMMUNITIES_STARTS 16

struct mem_communities {
	uint32_t n;
	uint32_t *of;               /* OWNS: by node, the number of its community; by size, the largest first, then by their lowest node */
	double modularity;
	/* OWNS each, by community. */
	uint32_t *size;
	double *share;              /* of modularity */
	/* OWNS: by node, the strength of its edges inside its community, to others. */
	double *inside;
};
void mem_communities_find(struct mem_communities *out, const struct mem_graph_links *l);
void mem_communities_release(struct mem_communities *c);

/* The nodes of each community, by strength inside it, the highest first, then by number.  OWNS both; first: (n + 1). */
struct mem_community_members {
	size_t *first;
	uint32_t *nodes;
};
void mem_community_members_make(struct mem_community_members *out, const struct mem_communities *c, size_t nnodes);
void mem_community_members_release(struct mem_community_members *m);

#endif
