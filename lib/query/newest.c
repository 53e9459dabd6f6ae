/* SPDX-License-Identifier: Apache-2.0 */
/* The newest of what a search may find: what is not indexed is looked for there. */
#include "query/query_int.h"
#include "query/signal_int.h"
#include "store/node.h"

enum { LOOKED = 4000 }; /* nodes at most, that others' namespaces and filters do not make it long */

/* Damaged nodes are noted where they are read. */
static enum mem_status
look_at_node(struct mem_txn *t, const struct mem_search_query *iq, uint32_t ord, query_node_fn *fn, void *ctx, size_t *n, struct mem_err *err)
{
	const struct mem_attr *attr;
	enum mem_status st = mem_attr_at(t, ord, &attr, err);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
		return MEM_OK;
	if (st != MEM_OK || !query_searches_ns(iq, attr->ns) || !mem_filter_kind(iq->filter, attr->kind))
		return st;
	const struct mem_id id = attr->id;
	if (iq->admit != NULL && !iq->admit(iq->ctx, ord))
		return MEM_OK;
	++*n;
	return fn(ctx, ord, &id, err);
}

enum mem_status
query_visit_newest(struct mem_txn *t, const struct mem_search_query *iq, query_node_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	size_t n = 0;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_last(c, err);
	for (size_t looked = 0; st == MEM_OK && looked < LOOKED && n < QUERY_NEWEST_MAX; looked++) {
		struct mem_str key = mem_cursor_key(c);
		if (key.n == 4)
			st = look_at_node(t, iq, mem_be32_get((const uint8_t *)key.p), fn, ctx, &n, err);
		if (st == MEM_OK)
			st = mem_cursor_prev(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}
