/* SPDX-License-Identifier: Apache-2.0 */
/* The graph that the principal may see, given out node by node and edge by edge. */
#include "link/graph_export_int.h"

#include <stdlib.h>

#include "store/edge.h"
#include "store/node.h"

enum { PIECE_ROWS = 1000 };        /* that one snapshot reads */

struct graph_export {
	struct mem_store *s;
	const struct graph_writer *writer;
	const struct mem_graph_copy *copy;
	mem_emit_fn *emit;
	void *ctx;
	struct mem_err *err;
	struct mem_buf out;
	struct mem_rec rec;
	bool *gone;                /* nodes that are there no more */
	bool first;                /* of nodes, of edges */
	size_t node, edge;         /* what comes next */
};

/* ---- what all formats show of a node --------------------------------------- */

struct mem_str
graph_node_label(struct mem_arena *a, const struct mem_rec *node)
{
	static const char *const names[] = { "name", "title", "statement", "content", "description", "ref", "id" };
	struct mem_str found = { NULL, 0 };
	for (size_t i = 0; i < MEM_COUNT(names) && found.n == 0; i++)
		found = mem_json_text(a, mem_rec_value(node, names[i]));
	const char *end = found.n > 0 ? memchr(found.p, '\n', found.n) : NULL;
	if (end != NULL && end > found.p)
		found.n = (size_t)(end - found.p);
	found.n = mem_utf8_cut(found, GRAPH_LABEL_MAX);
	return found;
}

/* ---- reading ------------------------------------------------------------------ */

static enum mem_status
flush_graph(struct graph_export *x)
{
	if (x->out.len == 0)
		return MEM_OK;
	mem_store_pause(x->s); /* a slow reader must not hold up a compaction */
	bool taken = x->emit(x->ctx, mem_buf_span(&x->out));
	mem_buf_reset(&x->out);
	return taken ? MEM_OK : mem_err_set(x->err, MEM_FAIL, "cannot write the export");
}

static enum mem_status
scan_stored(struct graph_export *x, struct mem_str json)
{
	if (mem_rec_scan(&x->rec, json, NULL) == MEM_OK)
		return MEM_OK;
	return mem_err_set(x->err, MEM_FAIL, "'%s': a record cannot be read: run mem-check", mem_store_path(x->s));
}

/* Since the copy was made the node may have gone: then it is MEM_NOTFOUND. */
static enum mem_status
find_copied_node(struct mem_txn *t, uint32_t ord, struct mem_str *json, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	if (st == MEM_DAMAGED || (st == MEM_OK && !mem_node_shown(t, node.attr)))
		return MEM_NOTFOUND;
	*json = node.json;
	return st;
}

enum mem_status
graph_nodes_read(struct mem_store *s, const struct mem_graph_copy *c, graph_node_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_rec rec = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t v = 0; v < c->nnodes && st == MEM_OK; v++) {
		struct mem_str json;
		if (v % PIECE_ROWS == 0) {
			mem_txn_end(t);
			t = NULL;
			st = mem_txn_read(&t, s, err);
		}
		if (st == MEM_OK)
			st = find_copied_node(t, c->ords[v], &json, err);
		if (st == MEM_OK)
			st = mem_rec_scan(&rec, json, err);
		if (st == MEM_OK)
			fn(ctx, v, &rec);
		else if (st == MEM_NOTFOUND)
			st = MEM_OK;
	}
	mem_txn_end(t);
	mem_rec_release(&rec);
	return st;
}

/* The edges of a node that has gone are gone, too. */
static enum mem_status
export_one_node(struct graph_export *x, struct mem_txn *t, size_t v)
{
	struct mem_str json;
	enum mem_status st = find_copied_node(t, x->copy->ords[v], &json, x->err);
	x->gone[v] = st == MEM_NOTFOUND;
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = scan_stored(x, json);
	if (st == MEM_OK)
		x->writer->node(&x->out, &x->rec, x->first);
	x->first = false;
	return st;
}

static enum mem_status
export_one_edge(struct graph_export *x, struct mem_txn *t, size_t from, size_t e)
{
	const struct mem_graph_copy *c = x->copy;
	struct mem_edge edge;
	if (x->gone[from] || x->gone[c->to[e]])
		return MEM_OK;
	enum mem_status st = mem_edge_find(t, c->kind_names[c->kind[e]], c->ords[from], c->ords[c->to[e]], &edge, x->err);
	if (st == MEM_NOTFOUND)
		return MEM_OK;
	if (st == MEM_OK)
		st = scan_stored(x, edge.json);
	if (st == MEM_OK)
		x->writer->edge(&x->out, &x->rec, x->first);
	x->first = false;
	return st;
}

static enum mem_status
export_node_piece(struct graph_export *x, struct mem_txn *t)
{
	enum mem_status st = MEM_OK;
	for (size_t rows = 0; st == MEM_OK && rows < PIECE_ROWS && x->node < x->copy->nnodes; rows++)
		st = export_one_node(x, t, x->node++);
	return st == MEM_OK && x->node == x->copy->nnodes ? MEM_END : st;
}

static enum mem_status
export_edge_piece(struct graph_export *x, struct mem_txn *t)
{
	const struct mem_graph_copy *c = x->copy;
	enum mem_status st = MEM_OK;
	for (size_t rows = 0; st == MEM_OK && rows < PIECE_ROWS && x->edge < c->nedges; rows++) {
		while (x->edge >= c->first[x->node + 1])
			x->node++;
		st = export_one_edge(x, t, x->node, x->edge);
		x->edge++;
	}
	return st == MEM_OK && x->edge == c->nedges ? MEM_END : st;
}

/* No snapshot is held while anything is given out. */
static enum mem_status
export_pieces(struct graph_export *x, enum mem_status (*piece)(struct graph_export *, struct mem_txn *))
{
	enum mem_status st = MEM_OK;
	x->first = true;
	x->node = x->edge = 0;
	while (st == MEM_OK) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, x->s, x->err);
		if (st == MEM_OK)
			st = piece(x, t);
		mem_txn_end(t);
		if (st == MEM_OK || st == MEM_END) {
			enum mem_status flushed = flush_graph(x);
			st = flushed != MEM_OK ? flushed : st;
		}
	}
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
export_copy(struct graph_export *x)
{
	x->gone = mem_xcalloc(x->copy->nnodes + 1, sizeof *x->gone);
	mem_buf_puts(&x->out, x->writer->begin);
	enum mem_status st = export_pieces(x, export_node_piece);
	if (st != MEM_OK)
		return st;
	mem_buf_puts(&x->out, x->writer->between);
	st = export_pieces(x, export_edge_piece);
	if (st != MEM_OK)
		return st;
	mem_buf_puts(&x->out, x->writer->end);
	return flush_graph(x);
}

enum mem_status
mem_graph_export(struct mem_store *s, enum mem_graph_format format, const struct mem_graph_copy_options *o, mem_emit_fn *emit, void *ctx,
    struct mem_err *err)
{
	struct graph_export x = { .s = s, .writer = graph_writer_of(format), .emit = emit, .ctx = ctx, .err = err };
	struct mem_graph_copy *copy = NULL;
	struct mem_graph_copy_options all = *o;
	all.any_time = true; /* who reads it has their validity */
	enum mem_status st = mem_graph_copy_make(&copy, s, &all, err);
	x.copy = copy;
	if (st == MEM_OK)
		st = export_copy(&x);
	mem_graph_copy_free(copy);
	mem_buf_release(&x.out);
	mem_rec_release(&x.rec);
	free(x.gone);
	return st;
}
