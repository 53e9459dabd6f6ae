/* SPDX-License-Identifier: Apache-2.0 */
/* Edges: typed, directed links between nodes. */
#ifndef MEM_EDGE_H
#define MEM_EDGE_H

#include "base/base.h"
#include "store/store.h"

struct mem_edge {
	uint32_t from, to;         /* ords */
	uint16_t kind;             /* number of the name in meta: names are open */
	uint64_t seq;              /* of its last change: export goes by it */
	struct mem_str json;       /* {"edge":kind,"from":id,"to":id,…} exactly as exported */
};
/* Adds or replaces the edge (from, kind, to); written to tables out and in, and logged as "edge"
 * under its source's id. */
enum mem_status mem_edge_put(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to,
    struct mem_str json, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_edge_remove(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to,
    struct mem_err *err) MEM_CHECKED;  /* MEM_NOTFOUND: was not there */
enum mem_status mem_edge_kind_name(struct mem_txn *t, uint16_t kind, struct mem_str *out,
    struct mem_err *err) MEM_CHECKED;  /* BORROWS from the snapshot; MEM_NOTFOUND: no such kind */
/* The edge (from, kind, to); MEM_NOTFOUND: there is none. */
enum mem_status mem_edge_find(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to, struct mem_edge *out,
    struct mem_err *err) MEM_CHECKED;
/* Edges leaving (`out`) or entering a node, in key order; fn returns false to stop. */
typedef bool mem_edge_fn(void *ctx, const struct mem_edge *e);
enum mem_status mem_edge_each(struct mem_txn *t, uint32_t ord, bool out, mem_edge_fn *fn,
    void *ctx, struct mem_err *err) MEM_CHECKED;

#endif
