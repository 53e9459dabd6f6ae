/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out: from, kind, to -> struct store_out_head, the edge's JSON.  in: to, kind, from -> struct store_in_row.
 * Names of kinds are open: meta holds "edge:" name -> number and "edge#" number -> name.
 */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"
#include "store/edge_int.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/log.h"
#include "store/node.h"

static struct mem_str
edge_kind_key(char key[7], uint16_t kind)
{
	memcpy(key, "edge#", 5);
	key[5] = (char)(kind >> 8);
	key[6] = (char)kind;
	return (struct mem_str){ key, 7 };
}

enum mem_status
mem_edge_kind_name(struct mem_txn *t, uint16_t kind, struct mem_str *out, struct mem_err *err)
{
	char key[7];
	return mem_tab_get(t, MEM_T_META, edge_kind_key(key, kind), out, err);
}

/* The number of a kind's name; `make` gives a new one to a new name, else that is MEM_NOTFOUND. */
static enum mem_status
edge_kind_number(struct mem_txn *t, const char *kind, bool make, uint16_t *out, struct mem_err *err)
{
	struct mem_buf name = { 0 };
	struct mem_str v;
	uint8_t be[4];
	char key[7];
	if (strlen(kind) == 0 || strlen(kind) > 64)
		return mem_err_set(err, MEM_FAIL, "an edge's kind is 1 to 64 bytes long");
	mem_buf_printf(&name, "edge:%s", kind);
	enum mem_status st = mem_tab_get(t, MEM_T_META, mem_buf_span(&name), &v, err);
	if (st == MEM_OK)
		*out = v.n == 4 ? (uint16_t)mem_be32_get((const uint8_t *)v.p) : 0;
	else if (st == MEM_NOTFOUND && make) {
		if (t->c.next_edge == UINT16_MAX) {
			mem_buf_release(&name);
			return mem_err_set(err, MEM_FAIL, "too many kinds of edges");
		}
		*out = t->c.next_edge++;
		t->counters_dirty = true;
		mem_be32(be, *out);
		st = mem_tab_put(t, MEM_T_META, mem_buf_span(&name), (struct mem_str){ (const char *)be, sizeof be }, err);
		if (st == MEM_OK)
			st = mem_tab_put(t, MEM_T_META, edge_kind_key(key, *out), mem_str(kind), err);
	}
	mem_buf_release(&name);
	return st;
}

enum mem_status
mem_edge_kind_find(struct mem_txn *t, const char *name, uint16_t *kind, struct mem_err *err)
{
	return edge_kind_number(t, name, false, kind, err);
}

static enum mem_status
log_edge(struct mem_txn *t, uint32_t from, const char *op, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, from, &a, err);
	if (st == MEM_NOTFOUND)
		return mem_err_set(err, MEM_FAIL, "an edge needs nodes that are there");
	return st == MEM_OK ? mem_log_put(t, op, &a->id, a->ns, (enum mem_kind)a->kind, err) : st;
}

/* Both rows, under the number that the log's row has just got. */
static enum mem_status
put_edge_rows(struct mem_txn *t, uint16_t kind, uint32_t from, uint32_t to, const struct mem_edge_values *v, struct mem_str json,
    struct mem_err *err)
{
	uint8_t key[STORE_EDGE_KEY];
	struct mem_buf row = { 0 };
	struct store_out_head head = store_out_head_make(t->c.seq, v);
	struct store_in_row in = store_in_row_make(&head);
	mem_buf_put(&row, (const char *)&head, sizeof head);
	mem_buf_str(&row, json);
	enum mem_status st = mem_tab_put(t, MEM_T_OUT, store_edge_key(key, from, kind, to), mem_buf_span(&row), err);
	mem_buf_release(&row);
	if (st != MEM_OK)
		return st;
	return mem_tab_put(t, MEM_T_IN, store_edge_key(key, to, kind, from), (struct mem_str){ (const char *)&in, sizeof in }, err);
}

enum mem_status
mem_edge_put(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to, struct mem_str json, struct mem_err *err)
{
	uint16_t k;
	const struct mem_attr *target;
	struct mem_edge_values values;
	struct mem_rec rec = { 0 };
	enum mem_status st = mem_rec_scan(&rec, json, err);
	if (st == MEM_OK)
		st = mem_edge_values_read(&values, &rec, err);
	mem_rec_release(&rec);
	if (st == MEM_OK)
		st = edge_kind_number(t, kind, true, &k, err);
	if (st == MEM_OK)
		st = mem_attr_at(t, to, &target, err);
	if (st == MEM_NOTFOUND)
		st = mem_err_set(err, MEM_FAIL, "an edge needs nodes that are there");
	if (st == MEM_OK)
		st = log_edge(t, from, "edge", err);
	return st == MEM_OK ? put_edge_rows(t, k, from, to, &values, json, err) : st;
}

static enum mem_status
remove_edge_rows(struct mem_txn *t, uint16_t kind, uint32_t from, uint32_t to, struct mem_err *err)
{
	uint8_t key[STORE_EDGE_KEY];
	enum mem_status st = mem_tab_del(t, MEM_T_OUT, store_edge_key(key, from, kind, to), err);
	if (st == MEM_OK)
		st = mem_tab_del(t, MEM_T_IN, store_edge_key(key, to, kind, from), err);
	return st;
}

enum mem_status
mem_edge_remove(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to, struct mem_err *err)
{
	uint16_t k;
	enum mem_status st = edge_kind_number(t, kind, false, &k, err);
	if (st == MEM_OK)
		st = remove_edge_rows(t, k, from, to, err);
	return st == MEM_OK ? log_edge(t, from, "edge_removed", err) : st;
}

enum mem_status
mem_edge_find(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to, struct mem_edge *out, struct mem_err *err)
{
	uint8_t key[STORE_EDGE_KEY];
	struct mem_str v;
	enum mem_status st = edge_kind_number(t, kind, false, &out->kind, err);
	if (st == MEM_OK)
		st = mem_tab_get(t, MEM_T_OUT, store_edge_key(key, from, out->kind, to), &v, err);
	if (st == MEM_DAMAGED || (st == MEM_OK && v.n < sizeof(struct store_out_head)))
		st = mem_err_set(err, MEM_FAIL, "'%s': a row of table out is damaged: run mem-check", t->s->path);
	if (st != MEM_OK)
		return st;
	out->from = from;
	out->to = to;
	store_out_row_read(out, v);
	return MEM_OK;
}

enum mem_status
mem_edge_each(struct mem_txn *t, uint32_t ord, bool out, mem_edge_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	struct mem_edge e;
	bool more = true;
	enum mem_status st = mem_edge_cursor_open(&c, t, out, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, ord, 0, 0, err);
	while (st == MEM_OK && more) {
		st = mem_edge_cursor_next(c, &row, err);
		if (st == MEM_OK)
			st = mem_edge_cursor_edge(c, &e, err);
		if (st == MEM_OK)
			more = fn(ctx, &e);
		else if (st == MEM_DAMAGED) /* noted */
			st = MEM_OK;
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

struct edge_list {
	struct { uint32_t from, to; uint16_t kind; } *v;
	size_t n, cap;
};

/* By their keys: an edge whose text is damaged goes, too. */
static enum mem_status
collect_edges(struct mem_txn *t, uint32_t ord, bool leaving, struct edge_list *l, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	uint8_t first[STORE_EDGE_KEY];
	enum mem_status st = mem_cursor_open(&c, t, leaving ? MEM_T_OUT : MEM_T_IN, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, store_edge_key(first, ord, 0, 0), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str key = mem_cursor_key(c);
		uint32_t other;
		if (key.n != STORE_EDGE_KEY || memcmp(key.p, first, sizeof ord) != 0)
			break;
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
		store_edge_key_parse(key.p, &ord, &l->v[l->n].kind, &other);
		l->v[l->n].from = leaving ? ord : other;
		l->v[l->n++].to = leaving ? other : ord;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* An edge of a node to itself is in both lists: the second removal finds nothing, and that is fine. */
enum mem_status
store_drop_edges(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct edge_list l = { 0 };
	enum mem_status st = collect_edges(t, ord, true, &l, err);
	if (st == MEM_OK)
		st = collect_edges(t, ord, false, &l, err);
	for (size_t i = 0; i < l.n && st == MEM_OK; i++) {
		st = remove_edge_rows(t, l.v[i].kind, l.v[i].from, l.v[i].to, err);
		if (st == MEM_NOTFOUND)
			st = MEM_OK;
	}
	free(l.v);
	return st;
}
