/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph files: a graph as other programs write it, taken in, and the store's graph as they read it.
 *
 * taxonomy.  A JSON object of two lists:
 *
 *	{"nodes":[{"id":"sc:water","type":"super_concept","name":"Water"},…],
 *	 "edges":[{"source":"tag:sea","target":"sc:water","type":"MAPS_TO_CONCEPT","weight":3},…]}
 *
 * Its nodes become tags (type tag, category, super_concept or site; `ref` the foreign id), its edges edges whose kind is the
 * type in lower case.  Both keep the file's own record as `extra`, and that is what an export prints again, with what the
 * store says otherwise by now in its place.  Where the greatest weight of a kind is above 1, `raw_weight` keeps each weight of
 * that kind and `weight` is it over the greatest; of nodes the kinds are their types.  A tag or category a-b gets the
 * aliases "a b", "a" and "b".  co_occurs has no direction: unless the file has the edge the other way round as well, it is
 * bidirectional.
 */
#ifndef MEM_GRAPH_FILES_H
#define MEM_GRAPH_FILES_H

#include "base/base.h"
#include "graph/copy.h"
#include "link/link.h"
#include "store/store.h"

enum mem_graph_format { MEM_GRAPH_TAXONOMY, MEM_GRAPH_JSON, MEM_GRAPH_GRAPHML, MEM_GRAPH_CSV, MEM_GRAPH_DOT, MEM_GRAPH_HTML, MEM_GRAPH_SVG };

/* ---- taking in: graph_import.c --------------------------------------------- */

#define MEM_GRAPH_FILE_MAX ((size_t)512 << 20)

struct mem_graph_import;
/* Nodes and edges go to this run, which it BORROWS; options.audit_batch of the run stands for their audit rows.  OWNS. */
struct mem_graph_import *mem_graph_import_new(struct mem_link_run *run);
void mem_graph_import_free(struct mem_graph_import *g);     /* NULL is fine */
/*
 * Reads a whole file; the text is BORROWED until all is written.  Files that are read one after the other are one graph.
 * A file that is not of the format at all has one receipt, with the place of the fault.
 */
void mem_graph_import_read(struct mem_graph_import *g, enum mem_graph_format format, struct mem_str text);
/* What stands beside nodes and edges in a file that was read, and is not taken; empty: nothing does. */
struct mem_str mem_graph_import_ignored(const struct mem_graph_import *g);
/*
 * Writes the next `max` nodes and edges, nodes first, in the order of the files.  Each has a receipt, whose line and offset are the
 * place in the file where it begins.  MEM_END: all are written, but for the last mem_link_run_commit.
 *
 * Reasons of a refusal beside those of mem_link_add_node and mem_link_add_edge: bad_value (no id, an id, or an edge that
 * was there before in these files), not_found (an end that the files do not have).
 */
enum mem_status mem_graph_import_write(struct mem_graph_import *g, size_t max, struct mem_err *err) MEM_CHECKED;

/* ---- giving out -------------------------------------------------------------- */

/*
 * All that a copy of the graph holds (graph/copy.h), in one of the other formats: nodes in the order of their ids, then edges in the
 * order of the nodes that they leave and enter.  It is read in pieces, each a snapshot of at most 1,000 rows, and given out
 * between them.
 */
enum mem_status mem_graph_export(struct mem_store *s, enum mem_graph_format format, const struct mem_graph_copy_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;

/*
 * The same as a picture, laid out by forces (graph/layout.h): a page that needs nothing but itself, in which one can look around,
 * search and filter; or a still.  What the store's texts say is data in either; of the page only its own script may run
 * (Content-Security-Policy by hash).  MEM_REFUSED: more than MEM_GRAPH_PICTURE_MAX nodes.
 */
#define MEM_GRAPH_PICTURE_MAX 200000
enum mem_status mem_graph_export_picture(struct mem_store *s, enum mem_graph_format format, const struct mem_graph_copy_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;

/* The types of tags that a taxonomy is made of. */
extern const char *const mem_graph_taxonomy_types[4];
struct mem_filter;
/*
 * The nodes that the filter leaves (live tags of these types, at most), in the order of their commits, and the edges between them in
 * the order of their last changes, a taxonomy as above: so a file comes out in its own order.  What is of no file, and
 * edges that were reinforced, come behind, by id.  emit gets whole lines, with no transaction open; false ends it with MEM_FAIL.
 */
enum mem_status mem_graph_export_taxonomy(struct mem_store *s, const struct mem_filter *f, mem_emit_fn *emit, void *ctx,
    struct mem_err *err) MEM_CHECKED;

#endif
