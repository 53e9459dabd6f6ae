/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: searches for paths on a copy. */
#ifndef MEM_PATH_INT_H
#define MEM_PATH_INT_H

#include "graph/copy.h"
#include "graph/paths.h"

#define PATH_NO_NODE UINT32_MAX
#define PATH_FAR     UINT64_MAX /* a cost: there is no way */

/* A step that a path may take: along an edge or against it. */
struct path_arc {
	uint32_t to;
	uint32_t edge;             /* number in the copy */
	bool against;
	uint64_t cost;             /* 1, or −log(weight × confidence) · 2^32 */
};
/* Arcs by the node where they begin, ascending by `to`, the best one for each pair of nodes. */
struct path_arcs {
	size_t nnodes;
	size_t *first;             /* (nnodes + 1) */
	struct path_arc *v;
};
void path_arcs_make(struct path_arcs *out, const struct mem_graph_copy *c, const struct mem_path_options *o); /* OWNS */
/* The same arcs by the node where they end; `to` is where they begin. */
void path_arcs_turn(struct path_arcs *out, const struct path_arcs *arcs);       /* OWNS */
void path_arcs_release(struct path_arcs *a);

/* A route: nodes and the arcs between them. */
struct path_route {
	uint32_t *nodes;           /* OWNS: (narcs + 1) */
	const struct path_arc **arcs; /* OWNS; BORROWS each */
	size_t narcs;
	uint64_t cost;
};
void path_route_release(struct path_route *r);

/* A partial route: how it came to its last node. */
struct path_label {
	uint64_t cost;
	uint32_t node, hops, before; /* label of the node before; PATH_NO_NODE: it begins here */
	const struct path_arc *arc;
};
struct path_heap_entry {
	uint64_t bound;            /* cost of the label and of the way from there to the end, at least */
	uint32_t hops, node, label;
};
struct path_search {
	const struct path_arcs *arcs;
	uint64_t *left;            /* OWNS: by node, cost to the end when nothing is barred */
	uint32_t end, hops;        /* hops 0: any number */
	bool *barred;              /* OWNS: nodes that a route may not visit */
	const uint32_t *barred_next; /* and nodes to which its first arc may not lead */
	size_t nbarred_next;

	struct path_label *labels; /* of the search in hand */
	size_t nlabels, labels_cap;
	struct path_heap_entry *heap;
	size_t nheap, heap_cap;
	uint32_t *hops_at, *run_at; /* OWNS: by node, hops of the label that was settled last, and in which search */
	uint32_t run;
};
void path_search_open(struct path_search *s, const struct path_arcs *arcs, uint32_t end, uint32_t hops);
void path_search_release(struct path_search *s);
/* The shortest route from a node to the end with at most `hops` arcs (0: any number).  MEM_NOTFOUND: there is none.  OWNS. */
enum mem_status path_search_run(struct path_search *s, uint32_t from, uint32_t hops, struct path_route *out) MEM_CHECKED;

/* The k shortest routes, fewer if there are no more.  OWNS *out. */
size_t path_routes_find(struct path_route **out, struct path_search *s, uint32_t from, size_t k);

/* ---- path_edges.c ---------------------------------------------------------- */

/* Puts the best edge between its two nodes in the place of each edge of a path that a walk has found, and weighs the path. */
enum mem_status path_edges_choose(struct mem_path *path, struct mem_arena *a, struct mem_store *s, const struct mem_path_options *o,
    struct mem_err *err) MEM_CHECKED;

#endif
