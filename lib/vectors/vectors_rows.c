/* SPDX-License-Identifier: Apache-2.0 */
/* Table row: the vectors themselves, in blocks of rows. */
#include "vectors/vectors_int.h"

#include <assert.h>
#include <stdlib.h>

enum { KEY = 8 };

/* ---- reading ---------------------------------------------------------- */

static enum mem_status
report_damaged_rows(uint32_t ord, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "vectors of node %u are damaged: run mem-check --repair", ord);
}

enum mem_status
vectors_rows_parse(struct vectors_row_block *r, struct mem_str key, struct mem_str value, uint32_t dims,
    struct mem_err *err)
{
	if (key.n != KEY)
		return report_damaged_rows(UINT32_MAX, err);
	r->last = mem_be32_get((const uint8_t *)key.p);
	r->first = mem_be32_get((const uint8_t *)key.p + 4);
	r->bytes = dims * sizeof(float);
	r->p = (const uint8_t *)value.p;
	r->ords = NULL;
	if (value.n % 4 == 2) {
		r->n = (value.n - 2) / (r->bytes + 4);
		r->ords = r->p + r->n * r->bytes;
		if (r->n == 0 || r->n * (r->bytes + 4) + 2 != value.n || vectors_rows_ord(r, 0) != r->first
		    || vectors_rows_ord(r, r->n - 1) != r->last)
			return report_damaged_rows(r->last, err);
	} else {
		r->n = (size_t)(r->last - r->first) + 1;
		if (r->last < r->first || r->n * r->bytes != value.n)
			return report_damaged_rows(r->last, err);
	}
	return MEM_OK;
}

/* First place whose ord is not below; n: all are. */
static size_t
place_in_rows(const struct vectors_row_block *r, uint32_t ord)
{
	if (r->ords == NULL)
		return ord <= r->first ? 0 : ord - r->first;
	size_t lo = 0, n = r->n;
	while (n > 0) {
		size_t half = n / 2;
		if (vectors_rows_ord(r, lo + half) < ord) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

static void
make_row_key(uint8_t key[KEY], uint32_t last, uint32_t first)
{
	mem_be32(key, last);
	mem_be32(key + 4, first);
}

enum mem_status
vectors_rows_find(struct mem_cursor *c, uint32_t dims, uint32_t ord, struct vectors_row_block *r, size_t *at,
    struct mem_err *err)
{
	if (r->n == 0 || ord < r->first || ord > r->last) {
		uint8_t key[KEY];
		r->n = 0;
		make_row_key(key, ord, 0);
		enum mem_status st = mem_cursor_seek(c, mem_key(key, KEY), err);
		if (st == MEM_OK)
			st = vectors_rows_parse(r, mem_cursor_key(c), mem_cursor_value(c), dims, err);
		if (st != MEM_OK) {
			r->n = 0;
			return st == MEM_END ? MEM_NOTFOUND : st;
		}
	}
	if (ord < r->first)
		return MEM_NOTFOUND;
	*at = place_in_rows(r, ord);
	return *at < r->n && vectors_rows_ord(r, *at) == ord ? MEM_OK : MEM_NOTFOUND;
}

bool
vectors_is_zero_row(const struct vectors_row_block *r, size_t i)
{
	const uint8_t *row = r->p + i * r->bytes;
	for (size_t k = 0; k < r->bytes; k++)
		if (row[k] != 0)
			return false;
	return true;
}

enum mem_status
mem_vectors_get(struct mem_txn *t, uint32_t ord, float *out, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct mem_cursor *c = NULL;
	struct vectors_row_block r = { 0 };
	size_t at = 0;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = vectors_rows_find(c, m.dims, ord, &r, &at, err);
	if (st == MEM_OK && vectors_is_zero_row(&r, at))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		memcpy(out, r.p + at * r.bytes, r.bytes);
	mem_cursor_close(c);
	return st;
}

/* ---- writing ---------------------------------------------------------- */

/* How many values hold one row, and how many of them packing had to leave. */
struct loose_rows {
	uint32_t now, left;
};

static enum mem_status
get_loose_count(struct mem_txn *t, struct loose_rows *l, struct mem_err *err)
{
	struct mem_str v;
	*l = (struct loose_rows){ 0 };
	enum mem_status st = mem_tab_get(t, MEM_T_META, MEM_STR("rows"), &v, err);
	if (st == MEM_OK && v.n == sizeof *l)
		memcpy(l, v.p, sizeof *l);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
put_loose_count(struct mem_txn *t, const struct loose_rows *l, struct mem_err *err)
{
	return mem_tab_put(t, MEM_T_META, MEM_STR("rows"),
	    (struct mem_str){ (const char *)l, sizeof *l }, err);
}

enum mem_status
vectors_rows_count_loose(struct mem_txn *t, uint32_t dims, struct mem_err *err)
{
	struct loose_rows l = { 0 };
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err))
		l.now += mem_cursor_value(c).n == dims * sizeof(float);
	mem_cursor_close(c);
	return st == MEM_END ? put_loose_count(t, &l, err) : st;
}

/* Rows in memory, on their way to a block. */
struct row_pile {
	uint32_t *ords;
	uint8_t *rows;
	size_t n, cap, rows_cap, bytes;
};

static void
add_pile_row(struct row_pile *p, uint32_t ord, const void *row)
{
	p->ords = mem_grow(p->ords, &p->cap, p->n + 1, sizeof *p->ords);
	p->rows = mem_grow(p->rows, &p->rows_cap, p->n + 1, p->bytes);
	p->ords[p->n] = ord;
	memcpy(p->rows + p->n++ * p->bytes, row, p->bytes);
}

static void
release_row_pile(struct row_pile *p)
{
	free(p->ords);
	free(p->rows);
}

static size_t
rows_per_block(size_t bytes)
{
	size_t n = (((size_t)1 << 20) - 16 - 2) / (bytes + 4);
	return n > 0 ? n : 1;
}

/* Rows [from, from + n) of the pile as one value. */
static enum mem_status
put_row_block(struct mem_txn *t, const struct row_pile *p, size_t from, size_t n, struct mem_err *err)
{
	uint8_t key[KEY];
	void *room;
	const uint32_t *ords = p->ords + from;
	assert(p->ords != NULL && n > 0);
	bool dense = (size_t)(ords[n - 1] - ords[0]) + 1 == n;
	make_row_key(key, ords[n - 1], ords[0]);
	enum mem_status st = mem_tab_reserve(t, MEM_T_ROW, mem_key(key, KEY),
	    n * p->bytes + (dense ? 0 : 4 * n + 2), &room, err);
	if (st != MEM_OK)
		return st;
	memcpy(room, p->rows + from * p->bytes, n * p->bytes);
	if (!dense) {
		memcpy((uint8_t *)room + n * p->bytes, ords, 4 * n);
		memset((uint8_t *)room + n * (p->bytes + 4), 0, 2);
	}
	return MEM_OK;
}

/* A block anew with the node's row set, put in or, NULL, zeroed. */
static enum mem_status
change_row_block(struct mem_txn *t, const struct vectors_row_block *r, uint32_t ord, const float *v,
    struct mem_err *err)
{
	struct row_pile p = { .bytes = r->bytes };
	size_t at = place_in_rows(r, ord), per = rows_per_block(r->bytes);
	bool there = at < r->n && vectors_rows_ord(r, at) == ord;
	for (size_t i = 0; i < r->n; i++) {
		if (i == at && v != NULL)
			add_pile_row(&p, ord, v);
		if (i != at || !there)
			add_pile_row(&p, vectors_rows_ord(r, i), r->p + i * r->bytes);
		else if (v == NULL) {
			add_pile_row(&p, ord, r->p + i * r->bytes);
			memset(p.rows + i * r->bytes, 0, r->bytes);
		}
	}
	enum mem_status st = MEM_OK;
	if (p.n > per) {
		uint8_t key[KEY];
		make_row_key(key, r->last, r->first);
		st = mem_tab_del(t, MEM_T_ROW, mem_key(key, KEY), err);
		if (st == MEM_OK)
			st = put_row_block(t, &p, 0, p.n / 2, err);
		if (st == MEM_OK)
			st = put_row_block(t, &p, p.n / 2, p.n - p.n / 2, err);
	} else {
		st = put_row_block(t, &p, 0, p.n, err);
	}
	release_row_pile(&p);
	return st;
}

/* Values of one row that no block parts, `from` on in the pile. */
static enum mem_status
pack_row_run(struct mem_txn *t, const struct row_pile *p, size_t from, size_t end, bool last,
    struct loose_rows *l, struct mem_err *err)
{
	size_t per = rows_per_block(p->bytes);
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && from < end) {
		size_t n = end - from < per ? end - from : per;
		if (n == 1 || (last && n < per))
			break;
		for (size_t i = from; i < from + n && st == MEM_OK; i++) {
			uint8_t key[KEY];
			make_row_key(key, p->ords[i], p->ords[i]);
			st = mem_tab_del(t, MEM_T_ROW, mem_key(key, KEY), err);
		}
		if (st == MEM_OK)
			st = put_row_block(t, p, from, n, err);
		l->now -= (uint32_t)n;
		from += n;
	}
	return st;
}

/* All values of one row, and where each run of them ends. */
static enum mem_status
gather_loose_rows(struct mem_txn *t, uint32_t dims, struct row_pile *p, struct mem_buf *ends, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct vectors_row_block r;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		/* One that cannot be read stays for mem-check, and parts them like a block. */
		if (vectors_rows_parse(&r, mem_cursor_key(c), mem_cursor_value(c), dims, NULL) == MEM_OK && r.n == 1)
			add_pile_row(p, r.first, r.p);
		else
			mem_buf_put(ends, &p->n, sizeof p->n);
	}
	mem_cursor_close(c);
	mem_buf_put(ends, &p->n, sizeof p->n);
	return st == MEM_END ? MEM_OK : st;
}

/* The last run may still grow, so only whole blocks of it are made. */
static enum mem_status
pack_row_runs(struct mem_txn *t, uint32_t dims, struct loose_rows *l, struct mem_err *err)
{
	struct row_pile p = { .bytes = dims * sizeof(float) };
	struct mem_buf ends = { 0 };
	size_t from = 0, end = 0;
	enum mem_status st = gather_loose_rows(t, dims, &p, &ends, err);
	for (size_t i = 0; i < ends.len && st == MEM_OK; i += sizeof end) {
		memcpy(&end, ends.data + i, sizeof end);
		st = pack_row_run(t, &p, from, end, i + sizeof end == ends.len, l, err);
		from = end;
	}
	l->left = l->now;
	release_row_pile(&p);
	mem_buf_release(&ends);
	return st;
}

static enum mem_status
put_loose_row(struct mem_txn *t, uint32_t dims, uint32_t ord, const float *v, struct mem_err *err)
{
	struct loose_rows l;
	uint8_t key[KEY];
	make_row_key(key, ord, ord);
	enum mem_status st = get_loose_count(t, &l, err);
	if (st == MEM_OK)
		st = mem_tab_append(t, MEM_T_ROW, mem_key(key, KEY),
		    (struct mem_str){ (const char *)v, dims * sizeof *v }, false, err);
	l.now++;
	if (st == MEM_OK && l.now >= l.left + rows_per_block(dims * sizeof *v))
		st = pack_row_runs(t, dims, &l, err);
	return st == MEM_OK ? put_loose_count(t, &l, err) : st;
}

/* The value whose ords the node's lies among: r->n 0 when there is none. */
static enum mem_status
find_block_around(struct mem_txn *t, uint32_t dims, uint32_t ord, struct vectors_row_block *r, bool *there, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	size_t at = 0;
	*r = (struct vectors_row_block){ 0 };
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = vectors_rows_find(c, dims, ord, r, &at, err);
	mem_cursor_close(c);
	*there = st == MEM_OK && !vectors_is_zero_row(r, at);
	if (r->n > 0 && ord < r->first)
		r->n = 0;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
vectors_rows_put(struct mem_txn *t, uint32_t dims, uint32_t ord, const float *v, bool *fresh, struct mem_err *err)
{
	struct vectors_row_block r;
	bool there;
	enum mem_status st = find_block_around(t, dims, ord, &r, &there, err);
	if (st != MEM_OK)
		return st;
	*fresh = !there;
	return r.n > 0 ? change_row_block(t, &r, ord, v, err) : put_loose_row(t, dims, ord, v, err);
}

enum mem_status
vectors_rows_drop(struct mem_txn *t, uint32_t dims, uint32_t ord, struct mem_err *err)
{
	struct vectors_row_block r;
	bool there;
	enum mem_status st = find_block_around(t, dims, ord, &r, &there, err);
	if (st != MEM_OK || !there)
		return st == MEM_OK ? MEM_NOTFOUND : st;
	if (r.n > 1)
		return change_row_block(t, &r, ord, NULL, err);
	struct loose_rows l;
	uint8_t key[KEY];
	make_row_key(key, ord, ord);
	st = get_loose_count(t, &l, err);
	if (st == MEM_OK)
		st = mem_tab_del(t, MEM_T_ROW, mem_key(key, KEY), err);
	l.now--;
	if (l.left > l.now)
		l.left = l.now;
	return st == MEM_OK ? put_loose_count(t, &l, err) : st;
}
