/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy: the edges that the principal may see, in memory, for whatever computes over all of them: ranks, communities,
 * statistics, pictures.
 *
 * The copy holds nodes and edges that are there in the sense of graph.h: a node that the principal may not read or that is
 * not live is left out, with all of its edges, so that a result is that of a store without it.  Nodes stand in the order of
 * their ids, the edges of a node in the order of the nodes to which they lead, then of the names of their kinds.  Nothing in
 * a copy depends on the order in which the store was written.  Weights fade as in a walk (graph.h).
 *
 * It is read in pieces, each a snapshot of at most a second or 1,000 rows.  An edge that is written meanwhile may be missing;
 * none is there twice.
 *
 * Cost.  A row of table attr for each node of the store, a row of table out for each edge that leaves a node of the copy.
 * Memory: 29 bytes for each node and 24 for each edge, about twice as much while it is made, and four bytes for each node of
 * the store meanwhile.
 */
#ifndef MEM_COPY_H
#define MEM_COPY_H

#include "base/base.h"
#include "store/kind.h"
#include "store/store.h"

/* What is 0, empty or MEM_TIME_NONE limits nothing.  Words are BORROWED during the call. */
struct mem_graph_copy_options {
	struct mem_words edges_of;   /* kinds of edges */
	struct mem_words edges_but;  /* kinds of edges that are left out */
	struct mem_kind_set kinds;   /* of nodes, both ends of an edge */
	struct mem_words namespaces; /* of nodes, both ends of an edge; compartments are in their namespace */
	double least_weight;         /* of an edge, faded */
	int64_t as_of;               /* nodes and edges valid at that time; without it edges that hold now */
	bool any_time;               /* edges whether they hold then or not */
	bool orphans;                /* nodes without an edge in the copy, too, */
	struct mem_kind_set orphans_of; /* if they are of these kinds */
};
/* The kinds whose nodes belong to the graph even without an edge: entities, pages, tags, skills, tasks, agents, teams, sessions. */
struct mem_kind_set mem_graph_kinds(void);
#define MEM_GRAPH_COPY_OPTIONS_INIT { .as_of = MEM_TIME_NONE }

#define MEM_GRAPH_EDGE_BIDIRECTIONAL 1U /* a flag of an edge: it leads both ways, and is listed where it begins */

/* A graph as rows of adjacent nodes: the edges of node v are those numbered first[v] to first[v + 1] - 1. */
struct mem_graph_copy {
	size_t nnodes, nedges, nkinds; /* the last: names of kinds of edges */
	/* By node. */
	const struct mem_id *ids;      /* ascending */
	const uint32_t *ords;
	const uint8_t *kinds;          /* enum mem_kind */
	const size_t *first;           /* (nnodes + 1) */
	/* By edge. */
	const uint32_t *to;            /* number of a node */
	const float *weight;           /* faded, in [0, 1] */
	const float *confidence;       /* in [0, 1] */
	const uint16_t *kind;          /* index into kind_names */
	const uint8_t *flags;
	const char *const *kind_names; /* in order of strcmp */
};
/* OWNS.  Fails as the store does when it is read. */
enum mem_status mem_graph_copy_make(struct mem_graph_copy **out, struct mem_store *s, const struct mem_graph_copy_options *o,
    struct mem_err *err) MEM_CHECKED;
void mem_graph_copy_free(struct mem_graph_copy *c);        /* NULL is fine */
/* The number of the node with this id.  MEM_NOTFOUND: it is not in the copy. */
enum mem_status mem_graph_copy_find(const struct mem_graph_copy *c, const struct mem_id *id, uint32_t *node) MEM_CHECKED;

/*
 * The same graph without directions and kinds: between two nodes there is one edge, whose strength is the sum of weight times
 * confidence over all edges between them, in either direction.  Edges of strength 0 are left out.  Each edge stands at both of
 * its ends; edges from a node to itself are none of the links, and are added up by themselves.
 */
struct mem_graph_links {
	size_t nnodes, nlinks;         /* twice the number of edges */
	size_t *first;                 /* (nnodes + 1) */
	uint32_t *to;                  /* ascending for each node */
	double *strength;
	double *loops;                 /* by node: of its edges to itself */
};
void mem_graph_links_make(struct mem_graph_links *out, const struct mem_graph_copy *c); /* OWNS its arrays */
void mem_graph_links_release(struct mem_graph_links *l);

#endif
