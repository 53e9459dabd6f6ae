/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out: from, kind, to -> seq (8 bytes, big-endian), the edge's JSON.  in: to, kind, from -> nothing.
 * Names of kinds are open: meta holds "edge:" name -> number and "edge#" number -> name.
 */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"
#include "store/edge.h"
#include "store/log.h"
#include "store/node.h"

#define EDGE_KEY 10

static struct mem_str
edge_key(uint8_t key[EDGE_KEY], uint32_t a, uint16_t kind, uint32_t b)
{
	mem_be32(key, a);
	key[4] = (uint8_t)(kind >> 8);
	key[5] = (uint8_t)kind;
	mem_be32(key + 6, b);
	return (struct mem_str){ (const char *)key, EDGE_KEY };
}

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

static enum mem_status
log_edge(struct mem_txn *t, uint32_t from, const char *op, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, from, &a, err);
	if (st == MEM_NOTFOUND)
		return mem_err_set(err, MEM_FAIL, "an edge needs nodes that are there");
	return st == MEM_OK ? mem_log_put(t, op, &a->id, a->ns, (enum mem_kind)a->kind, err) : st;
}

enum mem_status
mem_edge_put(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to, struct mem_str json, struct mem_err *err)
{
	uint8_t key[EDGE_KEY];
	uint16_t k;
	const struct mem_attr *target;
	struct mem_buf value = { 0 };
	enum mem_status st = edge_kind_number(t, kind, true, &k, err);
	if (st == MEM_OK)
		st = mem_attr_at(t, to, &target, err);
	if (st == MEM_NOTFOUND)
		st = mem_err_set(err, MEM_FAIL, "an edge needs nodes that are there");
	if (st == MEM_OK)
		st = log_edge(t, from, "edge", err);
	if (st == MEM_OK) {
		uint8_t seq[8];
		mem_be64(seq, t->c.seq);
		mem_buf_put(&value, seq, sizeof seq);
		mem_buf_str(&value, json);
		st = mem_tab_put(t, MEM_T_OUT, edge_key(key, from, k, to), mem_buf_span(&value), err);
	}
	if (st == MEM_OK)
		st = mem_tab_put(t, MEM_T_IN, edge_key(key, to, k, from), (struct mem_str){ "", 0 }, err);
	mem_buf_release(&value);
	return st;
}

static enum mem_status
remove_edge_rows(struct mem_txn *t, uint16_t kind, uint32_t from, uint32_t to, struct mem_err *err)
{
	uint8_t key[EDGE_KEY];
	enum mem_status st = mem_tab_del(t, MEM_T_OUT, edge_key(key, from, kind, to), err);
	if (st == MEM_OK)
		st = mem_tab_del(t, MEM_T_IN, edge_key(key, to, kind, from), err);
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

/* An edge from a row of out or in; its text is in out alone. */
static enum mem_status
read_edge_row(struct mem_txn *t, struct mem_str key, bool out, struct mem_edge *e, struct mem_err *err)
{
	uint8_t k[EDGE_KEY];
	const uint8_t *p = (const uint8_t *)key.p;
	struct mem_str v;
	if (key.n != EDGE_KEY)
		return mem_err_set(err, MEM_FAIL, "'%s': a row of table %s is damaged: run mem-check", t->s->path, out ? "out" : "in");
	uint32_t a = mem_be32_get(p), b = mem_be32_get(p + 6);
	e->from = out ? a : b;
	e->to = out ? b : a;
	e->kind = (uint16_t)(p[4] << 8 | p[5]);
	enum mem_status st = mem_tab_get(t, MEM_T_OUT, edge_key(k, e->from, e->kind, e->to), &v, err);
	if (st == MEM_NOTFOUND || (st == MEM_OK && v.n < 8))
		return mem_err_set(err, MEM_FAIL, "'%s': tables out and in differ: run mem-check", t->s->path);
	if (st != MEM_OK)
		return st;
	e->seq = mem_be64_get((const uint8_t *)v.p);
	e->json = (struct mem_str){ v.p + 8, v.n - 8 };
	return MEM_OK;
}

enum mem_status
mem_edge_find(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to, struct mem_edge *out, struct mem_err *err)
{
	uint8_t key[EDGE_KEY];
	uint16_t k;
	struct mem_str v, row;
	enum mem_status st = edge_kind_number(t, kind, false, &k, err);
	if (st != MEM_OK)
		return st;
	row = edge_key(key, from, k, to);
	st = mem_tab_get(t, MEM_T_OUT, row, &v, err);
	return st == MEM_OK ? read_edge_row(t, row, true, out, err) : st;
}

enum mem_status
mem_edge_each(struct mem_txn *t, uint32_t ord, bool out, mem_edge_fn *fn, void *ctx, struct mem_err *err)
{
	uint8_t from[4];
	struct mem_cursor *c = NULL;
	struct mem_edge e;
	enum mem_status st = mem_cursor_open(&c, t, out ? MEM_T_OUT : MEM_T_IN, err);
	mem_be32(from, ord);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)from, sizeof from }, err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str key = mem_cursor_key(c);
		if (key.n < 4 || memcmp(key.p, from, 4) != 0)
			break;
		st = read_edge_row(t, key, out, &e, err);
		if (st != MEM_OK || !fn(ctx, &e))
			break;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

struct edge_list {
	struct mem_edge *v;
	size_t n, cap;
};

static bool
collect_edge(void *ctx, const struct mem_edge *e)
{
	struct edge_list *l = ctx;
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = *e;
	return true;
}

/* An edge of a node to itself stands in both lists: the second removal finds nothing, and that is fine. */
enum mem_status
store_drop_edges(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct edge_list l = { 0 };
	enum mem_status st = mem_edge_each(t, ord, true, collect_edge, &l, err);
	if (st == MEM_OK)
		st = mem_edge_each(t, ord, false, collect_edge, &l, err);
	for (size_t i = 0; i < l.n && st == MEM_OK; i++) {
		st = remove_edge_rows(t, l.v[i].kind, l.v[i].from, l.v[i].to, err);
		if (st == MEM_NOTFOUND)
			st = MEM_OK;
	}
	free(l.v);
	return st;
}
