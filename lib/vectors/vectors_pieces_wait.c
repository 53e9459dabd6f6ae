/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that have a vector and lack the codes of its word pieces: found, put on a list, and taken from it. */
#include "vectors/vectors_int.h"
#include "store/kind.h"
#include "store/node.h"

#include <string.h>

/* In table pend, behind the nodes that wait for a vector. */
enum { KEY = 8, PIECE_KEY = VECTORS_TAIL_KEY };

static void
make_wait_key(uint8_t key[KEY], uint32_t ord)
{
	mem_be32(key, UINT32_MAX);
	mem_be32(key + 4, ord);
}

/* ---- the list --------------------------------------------------------------- */

enum mem_status
vectors_pieces_unwait(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct vectors_pieces_record r;
	uint8_t key[KEY];
	enum mem_status st = vectors_pieces_record_get(t, &r, err);
	if (st != MEM_OK || r.waiting == 0)
		return st;
	make_wait_key(key, ord);
	st = mem_tab_del(t, MEM_T_PEND, mem_key(key, KEY), err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	r.waiting--;
	return vectors_pieces_record_put(t, &r, err);
}

enum mem_status
mem_vectors_pieces_pending(struct mem_txn *t, uint32_t *ords, size_t max, uint32_t after, size_t *n, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	uint8_t key[KEY];
	*n = 0;
	make_wait_key(key, after + 1); /* after UINT32_MAX: from 0 */
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_PEND, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, mem_key(key, KEY), err);
	while (st == MEM_OK && *n < max) {
		struct mem_str k = mem_cursor_key(c);
		if (k.n != KEY || !mem_cursor_sound(c))
			st = mem_err_set(err, MEM_FAIL, "table pend is damaged: run mem-check --repair");
		else
			ords[(*n)++] = mem_be32_get((const uint8_t *)k.p + 4);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
vectors_pieces_empty_waits(struct mem_txn *t, struct mem_err *err)
{
	uint32_t ord = 0;
	size_t n;
	enum mem_status st;
	do {
		uint8_t key[KEY];
		st = mem_vectors_pieces_pending(t, &ord, 1, UINT32_MAX, &n, err);
		make_wait_key(key, ord);
		if (st == MEM_OK && n > 0)
			st = mem_tab_del(t, MEM_T_PEND, mem_key(key, KEY), err);
	} while (st == MEM_OK && n > 0);
	return st;
}

/* ---- what there is, and what lacks ----------------------------------------------- */

enum mem_status
mem_vectors_pieces_stat(struct mem_txn *t, struct mem_vectors_pieces_info *out, struct mem_err *err)
{
	struct vectors_pieces_record r;
	*out = (struct mem_vectors_pieces_info){ 0 };
	if (!mem_tab_has(t, MEM_T_META, MEM_STR("model")))
		return MEM_OK;
	enum mem_status st = vectors_pieces_record_get(t, &r, err);
	uint64_t nodes = mem_tab_count(t, MEM_T_NODE);
	*out = (struct mem_vectors_pieces_info){ .bytes = r.bytes, .waiting = r.waiting, .lack = r.missing == VECTORS_PIECES_WHOLE ? 0 :
		nodes > r.missing ? nodes - r.missing : 1 };
	return st;
}

static bool
has_pieces(struct mem_cursor *pieces, uint32_t ord, enum mem_status *st, struct mem_err *err)
{
	uint8_t key[PIECE_KEY];
	vectors_tail_key(key, ord, 0);
	*st = mem_cursor_seek(pieces, mem_key(key, PIECE_KEY), err);
	if (*st != MEM_OK) {
		*st = *st == MEM_END ? MEM_OK : *st;
		return false;
	}
	struct mem_str k = mem_cursor_key(pieces);
	return k.n == PIECE_KEY && mem_be32_get((const uint8_t *)k.p) == ord;
}

static bool
is_listed(struct mem_txn *t, uint32_t ord)
{
	uint8_t key[KEY];
	make_wait_key(key, ord);
	/* Who waits for a vector gets its codes with it. */
	return mem_tab_has(t, MEM_T_PEND, mem_key(key, KEY)) || mem_tab_has(t, MEM_T_PEND, mem_key(key + 4, 4));
}

/* Nodes from `from` on that lack codes, as far as attributes tell: at most max, of at most MEM_VECTORS_PIECES_LOOK. */
static enum mem_status
find_lacking_nodes(struct mem_txn *t, struct mem_vectors_pieces_lack *l, uint32_t from, size_t max, struct mem_err *err)
{
	struct mem_cursor *attrs = NULL, *pieces = NULL;
	struct mem_attr a;
	struct mem_str v;
	struct mem_err why;
	uint8_t key[4];
	mem_be32(key, from);
	l->n = 0;
	enum mem_status st = mem_cursor_open(&attrs, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&pieces, t, MEM_T_PIECE, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(attrs, mem_key(key, sizeof key), err);
	for (int i = 0; st == MEM_OK && i < MEM_VECTORS_PIECES_LOOK && l->n < max; i++) {
		struct mem_str k = mem_cursor_key(attrs);
		uint32_t ord = k.n == 4 ? mem_be32_get((const uint8_t *)k.p) : UINT32_MAX;
		bool sound = mem_cursor_read(attrs, &v, &why) == MEM_OK && v.n == sizeof a && ord != UINT32_MAX;
		if (sound)
			memcpy(&a, v.p, sizeof a);
		if (sound && mem_kind_info(a.kind)->pieces && !has_pieces(pieces, ord, &st, err) && st == MEM_OK && !is_listed(t, ord))
			l->ords[l->n++] = ord;
		l->next = ord + 1;
		if (st == MEM_OK)
			st = mem_cursor_next(attrs, err);
	}
	if (st == MEM_END)
		l->next = VECTORS_PIECES_WHOLE;
	mem_cursor_close(attrs);
	mem_cursor_close(pieces);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_vectors_pieces_lack_find(struct mem_txn *t, struct mem_vectors_pieces_lack *out, uint64_t limit, struct mem_err *err)
{
	enum { NODE_BYTES = 768 };      /* of a turn's codes, about */
	struct vectors_pieces_record r;
	out->n = 0;
	if (!mem_tab_has(t, MEM_T_META, MEM_STR("model")))
		return MEM_END;
	enum mem_status st = vectors_pieces_record_get(t, &r, err);
	uint64_t room = r.bytes < limit ? (limit - r.bytes) / NODE_BYTES : 0;
	if (st == MEM_OK && (r.missing == VECTORS_PIECES_WHOLE || room <= r.waiting))
		return MEM_END;
	room -= r.waiting;
	out->marks = r.marks;
	return st == MEM_OK ? find_lacking_nodes(t, out, r.missing, room < MEM_COUNT(out->ords) ? (size_t)room : MEM_COUNT(out->ords), err) : st;
}

enum mem_status
mem_vectors_pieces_lack_pend(struct mem_txn *t, const struct mem_vectors_pieces_lack *lack, struct mem_err *err)
{
	struct vectors_pieces_record r;
	uint8_t key[KEY];
	enum mem_status st = vectors_pieces_record_get(t, &r, err);
	for (size_t i = 0; i < lack->n && st == MEM_OK; i++) {
		make_wait_key(key, lack->ords[i]);
		st = mem_tab_append(t, MEM_T_PEND, mem_key(key, KEY), (struct mem_str){ "", 0 }, true, err);
		r.waiting += st == MEM_OK;
		st = st == MEM_EXISTS ? MEM_OK : st;
	}
	/* Where others were noted meanwhile, the search begins again from where it began. */
	if (r.marks == lack->marks)
		r.missing = lack->next;
	return st == MEM_OK ? vectors_pieces_record_put(t, &r, err) : st;
}

/* ---- codes that come later --------------------------------------------------------- */

enum mem_status
mem_vectors_pieces_add(struct mem_txn *t, uint32_t ord, const struct mem_vectors_passage *passages, size_t n, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct mem_cursor *c = NULL;
	struct vectors_row_block at = { 0 };
	const struct mem_attr *a;
	size_t row = 0;
	enum mem_status st = vectors_pieces_unwait(t, ord, err);
	if (st == MEM_OK)
		st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = vectors_rows_find(c, m.dims, vectors_place(ord, n > 0 ? (uint32_t)n - 1 : 0), &at, &row, err);
	bool there = st == MEM_OK && !vectors_is_zero_row(vectors_rows_at(&at, row), at.bytes);
	mem_cursor_close(c);
	if (st != MEM_OK || !there || n == 0)
		return st == MEM_NOTFOUND ? MEM_OK : st; /* of vectors that are not there, none */
	st = vectors_pieces_drop(t, ord, err);
	return st == MEM_OK ? vectors_pieces_put(t, a, ord, m.dims, passages, n, err) : st;
}
