/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of one node after another, by one cursor of LMDB. */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"
#include "store/edge.h"

struct mem_edge_cursor {
	struct mem_txn *t;
	MDB_cursor *c;
	bool leaving;
	uint32_t ord;          /* whose edges are read */
	bool ended;            /* it has no more */
	/* Where the cursor is: on a row (`key`, `value`) that next has not given yet, on the one that it gave last, behind
	 * the last row of the table, or nowhere. */
	enum { NOWHERE, BEFORE_ROW, ON_ROW, BEHIND } at;
	bool gap;              /* between the edges of `ord` and where the cursor is there is no row */
	MDB_val key, value;
};

enum mem_status
mem_edge_cursor_open(struct mem_edge_cursor **out, struct mem_txn *t, bool leaving, struct mem_err *err)
{
	MDB_cursor *mc;
	int rc = mdb_cursor_open(t->txn, t->dbi[leaving ? MEM_T_OUT : MEM_T_IN], &mc);
	if (rc != 0)
		return store_txn_err(t, rc, "read", err);
	struct mem_edge_cursor *c = mem_xcalloc(1, sizeof *c);
	c->t = t;
	c->c = mc;
	c->leaving = leaving;
	c->ended = true;
	*out = c;
	return MEM_OK;
}

void
mem_edge_cursor_close(struct mem_edge_cursor *c)
{
	if (c == NULL)
		return;
	mdb_cursor_close(c->c);
	free(c);
}

static enum mem_status
refuse_damaged_edge(struct mem_edge_cursor *c, struct mem_err *err)
{
	c->at = NOWHERE;
	c->ended = true;
	return mem_err_set(err, MEM_FAIL, "'%s': a row of table %s is damaged: run mem-check", c->t->s->path,
	    c->leaving ? "out" : "in");
}

static enum mem_status
move_edge_cursor(struct mem_edge_cursor *c, MDB_cursor_op op, struct mem_err *err)
{
	int rc = mdb_cursor_get(c->c, &c->key, &c->value, op);
	c->at = rc == 0 ? BEFORE_ROW : rc == MDB_NOTFOUND ? BEHIND : NOWHERE;
	if (rc != 0 && rc != MDB_NOTFOUND)
		return store_txn_err(c->t, rc, "read", err);
	return rc == 0 && (c->key.mv_size != STORE_EDGE_KEY || !store_value_has_room(c->t, &c->value)) ? refuse_damaged_edge(c, err) : MEM_OK;
}

/* Is the row from which a seek to `key` would begin the one where the cursor is? */
static bool
is_placed_for(const struct mem_edge_cursor *c, uint32_t ord, const uint8_t key[STORE_EDGE_KEY])
{
	if (!c->gap || ord <= c->ord)
		return false;
	return c->at == BEHIND || (c->at == BEFORE_ROW && memcmp(c->key.mv_data, key, STORE_EDGE_KEY) >= 0);
}

enum mem_status
mem_edge_cursor_seek(struct mem_edge_cursor *c, uint32_t ord, uint16_t kind, uint32_t other, struct mem_err *err)
{
	uint8_t key[STORE_EDGE_KEY];
	struct mem_str k = store_edge_key(key, ord, kind, other);
	enum mem_status st = MEM_OK;
	if (!is_placed_for(c, ord, key)) {
		c->key = store_mdb_val(k);
		st = move_edge_cursor(c, MDB_SET_RANGE, err);
	}
	c->ord = ord;
	c->gap = false;
	c->ended = st != MEM_OK;
	return st;
}

enum mem_status
mem_edge_cursor_next(struct mem_edge_cursor *c, struct mem_edge_row *out, struct mem_err *err)
{
	uint32_t ord = 0;
	if (c->ended)
		return MEM_END;
	if (c->at == ON_ROW) {
		enum mem_status st = move_edge_cursor(c, MDB_NEXT, err);
		if (st != MEM_OK)
			return st;
	}
	if (c->at == BEFORE_ROW)
		store_edge_key_parse(c->key.mv_data, &ord, &out->kind, &out->other);
	if (c->at != BEFORE_ROW || ord != c->ord) {
		c->ended = c->gap = true;
		return MEM_END;
	}
	if (c->leaving) {
		struct store_out_head h;
		if (c->value.mv_size < sizeof h)
			return refuse_damaged_edge(c, err);
		memcpy(&h, c->value.mv_data, sizeof h);
		out->weight = h.weight;
		out->reinforced = h.reinforced;
		out->flags = h.flags;
	} else {
		struct store_in_row r;
		if (c->value.mv_size != sizeof r)
			return refuse_damaged_edge(c, err);
		memcpy(&r, c->value.mv_data, sizeof r);
		out->weight = r.weight;
		out->reinforced = r.reinforced;
		out->flags = r.flags;
	}
	c->at = ON_ROW;
	return MEM_OK;
}

enum mem_status
mem_edge_cursor_edge(struct mem_edge_cursor *c, struct mem_edge *out, struct mem_err *err)
{
	uint32_t a, b;
	uint8_t key[STORE_EDGE_KEY];
	struct mem_str v = { c->value.mv_data, c->value.mv_size };
	store_edge_key_parse(c->key.mv_data, &a, &out->kind, &b);
	out->from = c->leaving ? a : b;
	out->to = c->leaving ? b : a;
	if (!c->leaving) {
		enum mem_status st = mem_tab_get(c->t, MEM_T_OUT, store_edge_key(key, out->from, out->kind, out->to), &v, err);
		if (st == MEM_NOTFOUND || (st == MEM_OK && v.n < sizeof(struct store_out_head)))
			return mem_err_set(err, MEM_FAIL, "'%s': tables out and in differ: run mem-check", c->t->s->path);
		if (st != MEM_OK)
			return st;
	}
	store_out_row_read(out, v);
	return MEM_OK;
}
