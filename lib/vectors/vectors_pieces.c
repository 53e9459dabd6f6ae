/* SPDX-License-Identifier: Apache-2.0 */
/* Table piece: the codes of word pieces, beside the vectors that they came with. */
#include "vectors/vectors_int.h"
#include "store/kind.h"
#include "store/node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = VECTORS_TAIL_KEY, SUM = 8 /* bytes of the checksum that the store adds */ };

_Static_assert(sizeof(struct vectors_pieces_record) == 24, "stored as it lies in memory");

/* ---- what is noted of them -------------------------------------------------- */

enum mem_status
vectors_pieces_record_get(struct mem_txn *t, struct vectors_pieces_record *out, struct mem_err *err)
{
	struct mem_str v;
	*out = (struct vectors_pieces_record){ .missing = 0 }; /* of vectors that were made before there were any */
	enum mem_status st = mem_tab_get(t, MEM_T_META, MEM_STR("pieces"), &v, err);
	if (st == MEM_OK && v.n == sizeof *out) /* of another length it is damaged, and nothing is known */
		memcpy(out, v.p, sizeof *out);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
vectors_pieces_record_put(struct mem_txn *t, const struct vectors_pieces_record *r, struct mem_err *err)
{
	return mem_tab_put(t, MEM_T_META, MEM_STR("pieces"), (struct mem_str){ (const char *)r, sizeof *r }, err);
}

/* ---- rows --------------------------------------------------------------------- */

uint64_t
vectors_pieces_row_bytes(size_t value_bytes)
{
	return KEY + SUM + value_bytes;
}

/* The rows of a node go; *bytes: what they were.  A damaged one counts as much as its record says, so that the sum of all
 * is set right by a repair alone. */
static enum mem_status
delete_piece_rows(struct mem_txn *t, uint32_t ord, uint64_t *bytes, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_str v;
	struct mem_err why;
	uint8_t key[KEY];
	enum mem_status st = MEM_OK;
	*bytes = 0;
	for (uint32_t passage = 0; st == MEM_OK && passage < MEM_VECTORS_PASSAGES; passage++) {
		vectors_tail_key(key, ord, passage);
		st = mem_cursor_open(&c, t, MEM_T_PIECE, err);
		if (st == MEM_OK)
			st = mem_cursor_seek(c, mem_key(key, KEY), err);
		bool its = st == MEM_OK && mem_cursor_key(c).n == KEY && mem_be32_get((const uint8_t *)mem_cursor_key(c).p) == ord;
		if (its) {
			memcpy(key, mem_cursor_key(c).p, KEY);
			if (mem_cursor_read(c, &v, &why) == MEM_OK)
				*bytes += vectors_pieces_row_bytes(v.n);
		}
		mem_cursor_close(c);
		if (st != MEM_OK || !its)
			return st == MEM_END ? MEM_OK : st;
		st = mem_tab_del(t, MEM_T_PIECE, mem_key(key, KEY), err);
	}
	return st;
}

enum mem_status
vectors_pieces_drop(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct vectors_pieces_record r;
	uint64_t bytes = 0;
	enum mem_status st = vectors_pieces_unwait(t, ord, err);
	if (st == MEM_OK && mem_tab_count(t, MEM_T_PIECE) > 0)
		st = delete_piece_rows(t, ord, &bytes, err);
	if (st == MEM_OK && bytes > 0) {
		st = vectors_pieces_record_get(t, &r, err);
		r.bytes -= bytes < r.bytes ? bytes : r.bytes;
		if (st == MEM_OK)
			st = vectors_pieces_record_put(t, &r, err);
	}
	return st;
}

/* Of a node that has none yet. */
static enum mem_status
put_piece_rows(struct mem_txn *t, uint32_t ord, uint32_t dims, const struct mem_vectors_passage *passages, size_t n,
    uint64_t *bytes, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	uint8_t key[KEY];
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		size_t size = passages[i].npieces * mem_piece_bytes(dims);
		if (passages[i].pieces == NULL || size == 0)
			continue;
		vectors_tail_key(key, ord, (uint32_t)i);
		st = mem_tab_append(t, MEM_T_PIECE, mem_key(key, KEY), (struct mem_str){ (const char *)passages[i].pieces, size }, false, err);
		*bytes += vectors_pieces_row_bytes(size);
	}
	return st;
}

enum mem_status
vectors_pieces_put(struct mem_txn *t, const struct mem_attr *a, uint32_t ord, uint32_t dims,
    const struct mem_vectors_passage *passages, size_t n, struct mem_err *err)
{
	struct vectors_pieces_record r;
	bool whole = true;
	for (size_t i = 0; i < n; i++)
		whole = whole && passages[i].pieces != NULL;
	if (!mem_kind_info(a->kind)->pieces)
		return MEM_OK;
	enum mem_status st = vectors_pieces_record_get(t, &r, err);
	if (st == MEM_OK && whole && dims % 64 == 0)
		st = put_piece_rows(t, ord, dims, passages, n, &r.bytes, err);
	if (!whole) {
		r.missing = ord < r.missing ? ord : r.missing;
		r.marks++;
	}
	return st == MEM_OK ? vectors_pieces_record_put(t, &r, err) : st;
}

enum mem_status
mem_vectors_pieces_limit(struct mem_txn *t, struct mem_vectors_passage *passages, size_t n, uint64_t limit, struct mem_err *err)
{
	struct vectors_pieces_record r;
	enum mem_status st = vectors_pieces_record_get(t, &r, err);
	for (size_t i = 0; i < n && st == MEM_OK && r.bytes >= limit; i++)
		passages[i].pieces = NULL;
	return st;
}

/* ---- reading -------------------------------------------------------------------- */

/* One question's match with the codes of nodes, or a thread's share of it. */
struct pieces_match {
	struct mem_txn *t;
	struct mem_cursor *c;
	mem_piece_match_fn *match;
	const uint8_t *question;
	size_t nquestion;
	uint32_t dims;
	const uint32_t *ords;           /* [n] */
	size_t n;
	uint16_t *bits;                 /* [n][nquestion] */
	bool there;                     /* the cursor stands at a row */
	uint32_t *damaged;              /* nodes with a row that is; OWNS */
	size_t ndamaged, cap;
	enum mem_status status;
	struct mem_err err;
};

enum {
	STEPS = 4,      /* a row at most so far ahead is found by stepping, which costs less than to look for it from the root */
	SPLIT = 128,    /* nodes from which a second thread takes its half */
};

/* The cursor at the first row that is not before the node's. */
static enum mem_status
find_piece_row(struct pieces_match *m, uint32_t ord)
{
	uint8_t key[KEY];
	enum mem_status st = MEM_OK;
	for (int i = 0; m->there && i < STEPS; i++) {
		struct mem_str k = mem_cursor_key(m->c);
		if (k.n == KEY && mem_be32_get((const uint8_t *)k.p) >= ord)
			return MEM_OK;
		st = mem_cursor_next(m->c, &m->err);
		if (st != MEM_OK)
			return st;      /* MEM_END: there is nothing behind it */
	}
	vectors_tail_key(key, ord, 0);
	return mem_cursor_seek(m->c, mem_key(key, KEY), &m->err);
}

/* All rows of the node; a damaged one does not count. */
static enum mem_status
match_node_pieces(struct pieces_match *m, uint32_t ord, uint16_t *bits)
{
	struct mem_str v;
	struct mem_err why;
	enum mem_status st = find_piece_row(m, ord);
	m->there = st == MEM_OK;
	while (st == MEM_OK) {
		struct mem_str k = mem_cursor_key(m->c);
		if (k.n != KEY || mem_be32_get((const uint8_t *)k.p) != ord)
			break;
		if (mem_cursor_read(m->c, &v, &why) == MEM_OK && v.n % mem_piece_bytes(m->dims) == 0) {
			m->match(m->question, m->nquestion, (const uint8_t *)v.p, v.n / mem_piece_bytes(m->dims), m->dims, bits);
		} else {
			m->damaged = mem_grow(m->damaged, &m->cap, m->ndamaged + 1, sizeof *m->damaged);
			m->damaged[m->ndamaged++] = ord;
		}
		st = mem_cursor_next(m->c, &m->err);
		m->there = st == MEM_OK;
	}
	return st == MEM_END ? MEM_OK : st;
}

/* A mem_worker_fn. */
static void
match_share(void *ctx)
{
	struct pieces_match *m = ctx;
	m->status = mem_cursor_open(&m->c, m->t, MEM_T_PIECE, &m->err);
	for (size_t i = 0; i < m->n && m->status == MEM_OK; i++)
		m->status = match_node_pieces(m, m->ords[i], m->bits + i * m->nquestion);
	mem_cursor_close(m->c);
	m->c = NULL;
}

/* Half of it by another thread, where there is one to be had: most of the time pages are waited for. */
static void
match_halves(struct pieces_match *m, struct pieces_match *half)
{
	struct mem_worker *w = m->n >= SPLIT ? mem_worker_start() : NULL;
	struct mem_txn *second = w != NULL ? mem_txn_open_second(m->t) : NULL;
	if (second != NULL) {
		*half = *m;
		half->t = second;
		m->n /= 2;
		half->ords += m->n;
		half->bits += m->n * m->nquestion;
		half->n -= m->n;
		mem_worker_give(w, match_share, half);
	}
	match_share(m);
	if (second != NULL)
		mem_worker_wait(w);
	mem_txn_end(second);
	mem_worker_end(w);
}

static enum mem_status
end_match(struct mem_txn *t, struct pieces_match *m, struct mem_err *err)
{
	for (size_t i = 0; i < m->ndamaged; i++)
		mem_node_part_damage_note(t, m->damaged[i], "a code of its word pieces");
	free(m->damaged);
	if (m->status != MEM_OK && err != NULL)
		*err = m->err;
	return m->status;
}

enum mem_status
mem_vectors_pieces_match(struct mem_txn *t, const uint8_t *question, size_t nquestion, uint32_t dims, const uint32_t *ords, size_t n,
    uint16_t *bits, struct mem_err *err)
{
	struct mem_vectors_model model;
	struct pieces_match m = { .t = t, .match = mem_piece_choose_match(), .question = question, .nquestion = nquestion,
		.dims = dims, .ords = ords, .n = n, .bits = bits }, half = { .n = 0 };
	memset(bits, 0xff, n * nquestion * sizeof *bits);
	enum mem_status st = mem_vectors_model_get(t, &model, err);
	if (st != MEM_OK || mem_tab_count(t, MEM_T_PIECE) == 0 || model.dims != dims || dims % 64 != 0)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	match_halves(&m, &half);
	enum mem_status second = end_match(t, &half, err);
	st = end_match(t, &m, err);
	return st == MEM_OK ? second : st;
}

double
mem_vectors_pieces_agreement(const uint16_t *bits, const double *weights, size_t n, uint32_t dims)
{
	double sum = 0, all = 0;
	for (size_t i = 0; i < n; i++) {
		if (bits[i] == MEM_PIECES_NONE)
			return (double)NAN;
		sum += weights[i] * (1 - 2 * (double)bits[i] / dims);
		all += weights[i];
	}
	return all > 0 ? sum / all : (double)NAN;
}
