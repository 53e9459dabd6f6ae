/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and edges of a store as lines, in commit order. */
#include "upkeep/upkeep_int.h"
#include "base/order.h"
#include "store/edge.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

enum { OUT_BYTES = 256 * 1024 };

#define EXPORT_FORMAT 1 /* of the lines; the schema of the store may change without it */

struct export {
	struct mem_txn *t;
	struct mem_cursor *attrs;  /* goes along with the nodes: a step costs less than a look-up */
	struct mem_buf out;
	mem_emit_fn *emit;
	void *ctx;
	uint32_t ord;              /* the node at hand: edges behind it are gathered */
	struct mem_edge_cursor *ways[2]; /* edges that leave, edges that enter; they go along with the nodes, too */
	struct mem_str *edges;     /* BORROW from the snapshot */
	size_t nedges, cap;
	enum mem_status status;    /* of a look-up of attributes */
	struct mem_err *err;
};

/* `st`, `a`: of the look-up.  Attributes that are damaged hide no text that is whole: whose it is stands in the text as well. */
static bool
may_read_attr(struct export *x, uint32_t ord, enum mem_status st, const struct mem_attr *a)
{
	if (st == MEM_OK)
		return mem_node_readable(x->t, a);
	if (st != MEM_DAMAGED && st != MEM_NOTFOUND) {
		x->status = st;
		return false;
	}
	mem_node_damage_note(x->t, ord);
	return mem_node_damage_readable(x->t, ord, false);
}

static bool
may_read_node(struct export *x, uint32_t ord)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(x->t, ord, &a, x->err);
	return may_read_attr(x, ord, st, a);
}

/* The same of the node at hand, whose key this is. */
static bool
may_read_this(struct export *x, struct mem_str key)
{
	struct mem_str v;
	enum mem_status st = mem_cursor_next(x->attrs, x->err);
	if (st != MEM_OK || !mem_str_eq(mem_cursor_key(x->attrs), key))
		st = mem_cursor_seek(x->attrs, key, x->err);
	if (st == MEM_OK && !mem_str_eq(mem_cursor_key(x->attrs), key))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_cursor_read(x->attrs, &v, x->err);
	if (st == MEM_OK && v.n != sizeof(struct mem_attr))
		st = MEM_DAMAGED;
	return may_read_attr(x, x->ord, st == MEM_END ? MEM_NOTFOUND : st, st == MEM_OK ? (const struct mem_attr *)(const void *)v.p : NULL);
}

/* An edge belongs behind the later of its ends; one from a node to itself is outgoing. */
static enum mem_status
gather_edges(struct export *x, bool outgoing)
{
	struct mem_edge_cursor *c = x->ways[outgoing ? 0 : 1];
	struct mem_edge_row row;
	struct mem_edge e;
	enum mem_status st = mem_edge_cursor_seek(c, x->ord, 0, 0, x->err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, x->err)) == MEM_OK) {
		bool here = outgoing ? row.other <= x->ord : row.other < x->ord;
		if (!here || !may_read_node(x, row.other)) {
			/* It comes behind its other end, if that knows of it. */
			if (!here && outgoing && may_read_node(x, row.other))
				mem_edge_cursor_check_return(c, &row);
			st = x->status;
			continue;
		}
		st = mem_edge_cursor_edge(c, &e, x->err);
		if (st == MEM_OK) {
			x->edges = mem_grow(x->edges, &x->cap, x->nedges + 1, sizeof *x->edges);
			x->edges[x->nedges++] = e.json;
		}
	}
	return st == MEM_END ? MEM_OK : st;
}

static int
compare_edges_by_text(const void *a, const void *b)
{
	return mem_str_cmp(*(const struct mem_str *)a, *(const struct mem_str *)b);
}

/* By text, since the numbers of edge kinds differ from store to store. */
static enum mem_status
export_edges(struct export *x)
{
	x->nedges = 0;
	enum mem_status st = gather_edges(x, true);
	if (st == MEM_OK)
		st = gather_edges(x, false);
	mem_sort(x->edges, x->nedges, sizeof *x->edges, compare_edges_by_text);
	for (size_t i = 0; i < x->nedges && st == MEM_OK; i++) {
		mem_buf_str(&x->out, x->edges[i]);
		mem_buf_putc(&x->out, '\n');
	}
	return st;
}

static enum mem_status
flush_export(struct export *x)
{
	if (x->out.len == 0)
		return MEM_OK;
	bool taken = x->emit(x->ctx, mem_buf_span(&x->out));
	mem_buf_reset(&x->out);
	return taken ? MEM_OK : mem_err_set(x->err, MEM_FAIL, "cannot write the export");
}

static enum mem_status
export_node(struct export *x, struct mem_cursor *c)
{
	struct mem_str key = mem_cursor_key(c);
	if (key.n != 4)
		return mem_err_set(x->err, MEM_FAIL, "table node is damaged: run mem-check");
	x->ord = mem_be32_get((const uint8_t *)key.p);
	struct mem_str json;
	enum mem_status st = mem_cursor_read(c, &json, x->err);
	if (st == MEM_DAMAGED) {
		mem_node_damage_note(x->t, x->ord);
		return MEM_OK;
	}
	if (st != MEM_OK || !may_read_this(x, key))
		return st != MEM_OK ? st : x->status;
	mem_buf_str(&x->out, json);
	mem_buf_putc(&x->out, '\n');
	st = export_edges(x);
	return st == MEM_OK && x->out.len >= OUT_BYTES ? flush_export(x) : st;
}

enum mem_status
mem_upkeep_export(struct mem_index *m, bool header, mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	struct export x = { .emit = emit, .ctx = ctx, .err = err };
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_txn_read(&x.t, m->store, err);
	if (st != MEM_OK)
		return st;
	if (header) {
		mem_buf_putc(&x.out, '{');
		mem_json_put_int(&x.out, "memkit", EXPORT_FORMAT);
		mem_json_put_time(&x.out, "exported_at", mem_store_now(m->store));
		mem_buf_puts(&x.out, "}\n");
	}
	st = mem_cursor_open(&c, x.t, MEM_T_NODE, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&x.attrs, x.t, MEM_T_ATTR, err);
	for (int i = 0; i < 2 && st == MEM_OK; i++)
		st = mem_edge_cursor_open(&x.ways[i], x.t, i == 0, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	while (st == MEM_OK) {
		st = export_node(&x, c);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	if (st == MEM_END)
		st = flush_export(&x);
	mem_cursor_close(c);
	mem_cursor_close(x.attrs);
	mem_edge_cursor_close(x.ways[0]);
	mem_edge_cursor_close(x.ways[1]);
	mem_txn_end(x.t);
	mem_buf_release(&x.out);
	free(x.edges);
	return st;
}
