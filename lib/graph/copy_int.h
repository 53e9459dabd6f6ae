/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a copy of edges while it is made. */
#ifndef MEM_COPY_INT_H
#define MEM_COPY_INT_H

#include "graph/copy.h"
#include "graph/edge_filter_int.h"

#define COPY_NO_NODE UINT32_MAX

struct copy_node {
	struct mem_id id;
	uint32_t ord;
	uint8_t kind;
};
/* Ends are places among the nodes in the order of ords. */
struct copy_edge {
	uint32_t from, to;
	float weight, confidence;
	uint16_t kind;             /* number in the store */
	uint8_t flags;
};
struct copy_run {
	struct mem_store *s;
	const struct mem_graph_copy_options *o;
	struct graph_edge_filter edges_of;
	struct graph_node_filter nodes_of;
	struct graph_kind_names names;
	bool *spaces;              /* OWNS: by number of a namespace, whether it is wanted */
	size_t nspaces;

	struct mem_txn *t;         /* the snapshot in hand, or NULL */
	struct mem_cursor *attrs;  /* in it, or NULL */
	struct mem_edge_cursor *edges;
	unsigned rows;             /* read in it */
	int64_t began;             /* by mem_clock_ms */

	/* Where reading goes on: of nodes the first ord, of edges the node, the kind and the first node they lead to. */
	uint32_t at, next;
	uint16_t next_kind;

	struct copy_node *nodes;   /* OWNS, in the order of ords */
	size_t nnodes, nodes_cap;
	uint32_t *places;          /* OWNS: by ord; COPY_NO_NODE */
	size_t nplaces;
	struct copy_edge *kept;    /* OWNS */
	size_t nkept, kept_cap;
};

/* ---- copy_arrange.c ------------------------------------------------------- */

/* The copy of what a run has read.  OWNS. */
struct mem_graph_copy *copy_arrange(const struct copy_run *r);

#endif
