/* SPDX-License-Identifier: Apache-2.0 */
/* Table piece against the vectors: checked, and mended by taking away what cannot be right. */
#include "vectors/vectors_int.h"

#include <stdlib.h>
#include <string.h>

enum { KEY = VECTORS_TAIL_KEY };

/* A walk over the table. */
struct pieces_walk {
	struct mem_txn *t;
	uint32_t dims;
	struct mem_cursor *pieces, *rows;
	struct vectors_row_block at;
	uint64_t bytes;                 /* of the sound rows */
};
enum row_fault { ROW_SOUND, ROW_BAD, ROW_STRAY };

static enum mem_status
open_walk(struct pieces_walk *w, struct mem_txn *t, uint32_t dims, struct mem_err *err)
{
	*w = (struct pieces_walk){ .t = t, .dims = dims };
	enum mem_status st = mem_cursor_open(&w->pieces, t, MEM_T_PIECE, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&w->rows, t, MEM_T_ROW, err);
	return st == MEM_OK ? mem_cursor_seek(w->pieces, (struct mem_str){ NULL, 0 }, err) : st;
}

static void
close_walk(struct pieces_walk *w)
{
	mem_cursor_close(w->pieces);
	mem_cursor_close(w->rows);
}

/* The row at hand. */
static enum row_fault
find_row_fault(struct pieces_walk *w)
{
	struct mem_str k = mem_cursor_key(w->pieces), v;
	struct mem_err why;
	size_t i;
	if (k.n != KEY || mem_cursor_read(w->pieces, &v, &why) != MEM_OK || v.n == 0 || w->dims % 64 != 0 || v.n % mem_piece_bytes(w->dims) != 0)
		return ROW_BAD;
	uint64_t place = vectors_place(mem_be32_get((const uint8_t *)k.p), (uint32_t)(uint8_t)k.p[4] << 8 | (uint8_t)k.p[5]);
	/* What is there of a damaged block of vectors is not known; that is told by itself. */
	if (vectors_rows_find(w->rows, w->dims, place, &w->at, &i, &why) == MEM_NOTFOUND ||
	    (w->at.n > 0 && vectors_is_zero_row(vectors_rows_at(&w->at, i), w->at.bytes)))
		return ROW_STRAY;
	w->bytes += vectors_pieces_row_bytes(v.n);
	return ROW_SOUND;
}

static void
report_row_fault(const struct pieces_walk *w, enum row_fault fault, mem_breach_fn *fn, void *ctx)
{
	struct mem_str k = mem_cursor_key(w->pieces);
	struct mem_breach b = { "piece_bad", "piece", k, "codes of word pieces cannot be read" };
	if (k.n == KEY)
		b.key.n = 4; /* the node's */
	if (fault == ROW_STRAY) {
		b.check = "piece_stray";
		b.message = "codes of word pieces of a vector that is not there";
	}
	fn(ctx, &b);
}

static enum mem_status
count_waits(struct mem_txn *t, uint64_t *out, struct mem_err *err)
{
	uint32_t ords[1024], after = UINT32_MAX;
	size_t n;
	enum mem_status st;
	do {
		st = mem_vectors_pieces_pending(t, ords, MEM_COUNT(ords), after, &n, err);
		*out += st == MEM_OK ? n : 0;
		after = n > 0 ? ords[n - 1] : after;
	} while (st == MEM_OK && n == MEM_COUNT(ords));
	return st;
}

enum mem_status
vectors_pieces_check(struct mem_txn *t, uint32_t dims, mem_breach_fn *fn, void *ctx, struct mem_err *err)
{
	struct pieces_walk w;
	struct vectors_pieces_record r;
	bool sound = true;
	enum mem_status st = open_walk(&w, t, dims, err);
	for (; st == MEM_OK; st = mem_cursor_next(w.pieces, err)) {
		enum row_fault fault = find_row_fault(&w);
		if (fault != ROW_SOUND)
			report_row_fault(&w, fault, fn, ctx);
		sound = sound && fault == ROW_SOUND;
	}
	close_walk(&w);
	if (st != MEM_END)
		return st;
	uint64_t waiting = 0;
	st = vectors_pieces_record_get(t, &r, err);
	if (st == MEM_OK && count_waits(t, &waiting, err) != MEM_OK)
		return MEM_OK; /* a key of table pend is told as checksum */
	if (st == MEM_OK && ((sound && r.bytes != w.bytes) || r.waiting != waiting)) {
		struct mem_breach b = { "pieces_count", "meta", MEM_STR("pieces"),
			"codes of word pieces are of another size, or other nodes wait for them, than is noted" };
		fn(ctx, &b);
	}
	return st;
}

enum mem_status
vectors_pieces_mend(struct mem_txn *t, uint32_t dims, struct mem_err *err)
{
	struct pieces_walk w;
	struct mem_buf bad = { 0 };    /* keys, each behind its length */
	enum mem_status st = open_walk(&w, t, dims, err);
	for (; st == MEM_OK; st = mem_cursor_next(w.pieces, err)) {
		if (find_row_fault(&w) == ROW_SOUND)
			continue;
		struct mem_str k = mem_cursor_key(w.pieces);
		mem_buf_put(&bad, &k.n, sizeof k.n);
		mem_buf_str(&bad, k);
	}
	close_walk(&w);
	st = st == MEM_END ? MEM_OK : st;
	for (size_t at = 0; at < bad.len && st == MEM_OK;) {
		struct mem_str key = { bad.data + at + sizeof key.n, 0 };
		memcpy(&key.n, bad.data + at, sizeof key.n);
		at += sizeof key.n + key.n;
		st = mem_tab_del(t, MEM_T_PIECE, key, err);
	}
	mem_buf_release(&bad);
	if (st == MEM_OK)
		st = vectors_pieces_empty_waits(t, err);
	/* Who lacks codes is looked for from the first node on. */
	return st == MEM_OK ? vectors_pieces_record_put(t, &(struct vectors_pieces_record){ .bytes = w.bytes }, err) : st;
}
