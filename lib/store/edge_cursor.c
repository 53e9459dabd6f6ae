/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of one node after another, by one cursor. */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"
#include "store/edge_int.h"
#include "store/edge.h"

struct mem_edge_cursor {
	struct mem_txn *t;
	struct mem_cursor *c;
	bool leaving;
	uint32_t ord;          /* whose edges are read */
	bool ended;            /* it has no more */
	/* Where the cursor is: on a row (`key`, `value`) that next has not given yet, on the one that it gave last, behind
	 * the last row of the table, or nowhere. */
	enum { NOWHERE, BEFORE_ROW, ON_ROW, BEHIND } at;
	bool gap;              /* between the edges of `ord` and where the cursor is there is no row */
	struct mem_str key, value;
};

enum mem_status
mem_edge_cursor_open(struct mem_edge_cursor **out, struct mem_txn *t, bool leaving, struct mem_err *err)
{
	struct mem_cursor *rows;
	enum mem_status st = mem_cursor_open(&rows, t, leaving ? MEM_T_OUT : MEM_T_IN, err);
	if (st != MEM_OK)
		return st;
	struct mem_edge_cursor *c = mem_xcalloc(1, sizeof *c);
	c->t = t;
	c->c = rows;
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
	mem_cursor_close(c->c);
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

/* What a move of the cursor came to.  Rows whose values are damaged are passed over, and noted. */
static enum mem_status
take_edge_row(struct mem_edge_cursor *c, enum mem_status st, struct mem_err *err)
{
	struct mem_err why;
	while (st == MEM_OK && mem_cursor_read(c->c, &c->value, &why) == MEM_DAMAGED) {
		mem_store_damage_note(c->t->s, &why);
		st = mem_cursor_next(c->c, err);
	}
	c->at = st == MEM_OK ? BEFORE_ROW : st == MEM_END ? BEHIND : NOWHERE;
	if (st != MEM_OK)
		return st == MEM_END ? MEM_OK : st;
	c->key = mem_cursor_key(c->c);
	return c->key.n == STORE_EDGE_KEY ? MEM_OK : refuse_damaged_edge(c, err);
}

/* Is the row from which a seek to `key` would begin the one where the cursor is? */
static bool
is_placed_for(const struct mem_edge_cursor *c, uint32_t ord, const uint8_t key[STORE_EDGE_KEY])
{
	if (!c->gap || ord <= c->ord)
		return false;
	return c->at == BEHIND || (c->at == BEFORE_ROW && memcmp(c->key.p, key, STORE_EDGE_KEY) >= 0);
}

enum mem_status
mem_edge_cursor_seek(struct mem_edge_cursor *c, uint32_t ord, uint16_t kind, uint32_t other, struct mem_err *err)
{
	uint8_t key[STORE_EDGE_KEY];
	struct mem_str k = store_edge_key(key, ord, kind, other);
	enum mem_status st = MEM_OK;
	if (!is_placed_for(c, ord, key))
		st = take_edge_row(c, mem_cursor_seek(c->c, k, err), err);
	c->ord = ord;
	c->gap = false;
	c->ended = st != MEM_OK;
	return st;
}

enum mem_status
mem_edge_cursor_open_at(struct mem_edge_cursor **out, struct mem_txn *t, uint32_t ord, const char *kind, bool leaving, uint16_t *number,
    struct mem_err *err)
{
	enum mem_status st = mem_edge_kind_find(t, kind, number, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_open(out, t, leaving, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(*out, ord, *number, 0, err);
	return st == MEM_NOTFOUND ? MEM_END : st;
}

enum mem_status
mem_edge_cursor_next(struct mem_edge_cursor *c, struct mem_edge_row *out, struct mem_err *err)
{
	uint32_t ord = 0;
	if (c->ended)
		return MEM_END;
	if (c->at == ON_ROW) {
		enum mem_status st = take_edge_row(c, mem_cursor_next(c->c, err), err);
		if (st != MEM_OK)
			return st;
	}
	if (c->at == BEFORE_ROW)
		store_edge_key_parse(c->key.p, &ord, &out->kind, &out->other);
	if (c->at != BEFORE_ROW || ord != c->ord) {
		c->ended = c->gap = true;
		return MEM_END;
	}
	if (c->leaving) {
		struct store_out_head h;
		if (c->value.n < sizeof h)
			return refuse_damaged_edge(c, err);
		memcpy(&h, c->value.p, sizeof h);
		out->weight = h.weight;
		out->reinforced = h.reinforced;
		out->flags = h.flags;
	} else {
		struct store_in_row r;
		if (c->value.n != sizeof r)
			return refuse_damaged_edge(c, err);
		memcpy(&r, c->value.p, sizeof r);
		out->weight = r.weight;
		out->reinforced = r.reinforced;
		out->flags = r.flags;
	}
	c->at = ON_ROW;
	return MEM_OK;
}

void
mem_edge_cursor_check_return(struct mem_edge_cursor *c, const struct mem_edge_row *row)
{
	uint8_t key[STORE_EDGE_KEY];
	struct mem_err err;
	if (!mem_tab_has(c->t, MEM_T_IN, store_edge_key(key, row->other, row->kind, c->ord)) &&
	    mem_err_set(&err, MEM_DAMAGED, "'%s': an edge does not stand in table in: run mem-check", c->t->s->path) == MEM_DAMAGED)
		mem_store_damage_note(c->t->s, &err);
}

enum mem_status
mem_edge_cursor_edge(struct mem_edge_cursor *c, struct mem_edge *out, struct mem_err *err)
{
	uint32_t a, b;
	uint8_t key[STORE_EDGE_KEY];
	struct mem_str v = c->value;
	store_edge_key_parse(c->key.p, &a, &out->kind, &b);
	out->from = c->leaving ? a : b;
	out->to = c->leaving ? b : a;
	if (!c->leaving) {
		struct mem_err why;
		enum mem_status st = mem_tab_get(c->t, MEM_T_OUT, store_edge_key(key, out->from, out->kind, out->to), &v, &why);
		if (st == MEM_DAMAGED)
			mem_store_damage_note(c->t->s, &why);
		if (st != MEM_OK && st != MEM_NOTFOUND)
			return mem_err_set(err, st, "%s", why.msg);
		if (st == MEM_NOTFOUND || (st == MEM_OK && v.n < sizeof(struct store_out_head)))
			return mem_err_set(err, MEM_FAIL, "'%s': tables out and in differ: run mem-check", c->t->s->path);
	}
	store_out_row_read(out, v);
	return MEM_OK;
}

enum mem_status
mem_edge_cursor_holds(struct mem_edge_cursor *c, const struct mem_edge_row *row, int64_t at, bool *holds, struct mem_err *err)
{
	struct mem_edge e;
	*holds = (row->flags & MEM_EDGE_TIMED) == 0;
	if (*holds)
		return MEM_OK;
	enum mem_status st = mem_edge_cursor_edge(c, &e, err);
	*holds = st == MEM_OK && mem_edge_valid(&e.v, at);
	return st == MEM_DAMAGED ? MEM_OK : st;
}
