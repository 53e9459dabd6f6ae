/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: how a graph is written in each format. */
#ifndef MEM_GRAPH_EXPORT_INT_H
#define MEM_GRAPH_EXPORT_INT_H

#include "base/base.h"
#include "link/graph_files.h"
#include "record/record.h"

enum { GRAPH_LABEL_MAX = 80 };     /* bytes */

/* Appends the record of a node, or of an edge; `first`: none came before it. */
typedef void graph_put_fn(struct mem_buf *out, const struct mem_rec *rec, bool first);
struct graph_writer {
	const char *begin, *between, *end; /* before the nodes, before the edges, behind them */
	graph_put_fn *node, *edge;
};
extern const struct graph_writer graph_writer_json, graph_writer_csv, graph_writer_dot, graph_writer_graphml;
const struct graph_writer *graph_writer_of(enum mem_graph_format format);

/* Gives each node of a copy that is still there, with its number; reads in snapshots of 1,000. */
typedef void graph_node_fn(void *ctx, size_t v, const struct mem_rec *node);
enum mem_status graph_nodes_read(struct mem_store *s, const struct mem_graph_copy *c, graph_node_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;

/* A text as XML; `json`: a character that XML cannot hold is an escape of JSON, where it can only stand in a string; else U+FFFD. */
void graph_put_xml_text(struct mem_buf *out, struct mem_str text, bool json);
/* What people know a node by, on one line.  ARENA. */
struct mem_str graph_node_label(struct mem_arena *a, const struct mem_rec *node);

#endif
