/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a graph with a place for each node. */
#ifndef MEM_GRAPH_PICTURE_INT_H
#define MEM_GRAPH_PICTURE_INT_H

#include "graph/communities.h"
#include "graph/copy.h"
#include "graph/layout.h"
#include "link/graph_export_int.h"

struct graph_picture {
	struct mem_store *s;
	const struct mem_graph_copy *copy;
	struct mem_graph_links links;
	struct mem_layout_place *places; /* by node */
	struct mem_communities communities;
};
/* Appends the whole. */
typedef enum mem_status graph_draw_fn(struct mem_buf *out, const struct graph_picture *p, struct mem_err *err);
graph_draw_fn graph_page_put, graph_svg_put;

#endif
