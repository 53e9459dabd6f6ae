/* SPDX-License-Identifier: Apache-2.0 */
/* Table row: the vectors themselves, in blocks of rows. */
#include "vectors/vectors_int.h"

#include <assert.h>
#include <stdlib.h>

enum {
	KEY = 12,
	SUM = 8,        /* bytes of a checksum */
	PLACE = 8,      /* of a row's place in the list */
};

/* ---- reading ---------------------------------------------------------- */

enum mem_status
vectors_rows_report_damage(uint64_t place, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "vectors of node %u are damaged: run mem-check --repair", vectors_place_ord(place));
}

static uint64_t
read_key_place(const char *p)
{
	const uint8_t *b = (const uint8_t *)p;
	return vectors_place(mem_be32_get(b), (uint32_t)b[4] << 8 | b[5]);
}

static void
put_key_place(uint8_t *p, uint64_t place)
{
	mem_be32(p, vectors_place_ord(place));
	p[4] = (uint8_t)(vectors_place_passage(place) >> 8);
	p[5] = (uint8_t)vectors_place_passage(place);
}

static void
make_row_key(uint8_t key[KEY], uint64_t last, uint64_t first)
{
	put_key_place(key, last);
	put_key_place(key + KEY / 2, first);
}

/* A value of one row after the other, as far as its key and its size say. */
static bool
is_dense_form(const struct vectors_row_block *r, size_t bytes)
{
	uint64_t n = (uint64_t)(vectors_place_ord(r->last) - vectors_place_ord(r->first)) + 1;
	if (r->first == r->last)
		return bytes == r->stride;
	return r->first < r->last && vectors_place_passage(r->first) == 0 && vectors_place_passage(r->last) == 0
	    && n * r->stride == bytes;
}

static enum mem_status
parse_row_key(struct vectors_row_block *r, struct mem_str key, struct mem_err *err)
{
	*r = (struct vectors_row_block){ 0 };
	if (key.n != KEY)
		return vectors_rows_report_damage(UINT64_MAX, err);
	r->last = read_key_place(key.p);
	r->first = read_key_place(key.p + KEY / 2);
	return MEM_OK;
}

/* The shape alone: of a row that is found by the list, its own checksum tells whether it is the right one. */
static enum mem_status
parse_row_value(struct vectors_row_block *r, struct mem_str value, uint32_t dims, struct mem_err *err)
{
	r->bytes = dims * sizeof(float);
	r->stride = VECTORS_ROW_BYTES(dims);
	r->p = (const uint8_t *)value.p;
	if (value.n % 4 == 2 && value.n > SUM + 2) {
		r->n = (value.n - SUM - 2) / (r->stride + PLACE);
		r->list = r->p + r->n * r->stride;
		if (r->n > 0 && r->n * (r->stride + PLACE) + SUM + 2 == value.n && vectors_rows_place(r, 0) == r->first
		    && vectors_rows_place(r, r->n - 1) == r->last)
			return MEM_OK;
	} else if (is_dense_form(r, value.n)) {
		r->n = value.n / r->stride;
		return MEM_OK;
	}
	r->n = 0;
	return vectors_rows_report_damage(r->last, err);
}

static enum mem_status
check_place_list(struct vectors_row_block *r, struct mem_err *err)
{
	if (r->list != NULL && !r->checked && vectors_row_sum(r->list, r->n * PLACE, r->last) != mem_ld64(r->list + r->n * PLACE))
		return vectors_rows_report_damage(r->last, err);
	r->checked = true;
	return MEM_OK;
}

enum mem_status
vectors_rows_parse(struct vectors_row_block *r, struct mem_str key, struct mem_str value, uint32_t dims,
    struct mem_err *err)
{
	enum mem_status st = parse_row_key(r, key, err);
	if (st == MEM_OK)
		st = parse_row_value(r, value, dims, err);
	return st == MEM_OK ? check_place_list(r, err) : st;
}

/* First row that is not before; n: all are. */
static size_t
index_of_row(const struct vectors_row_block *r, uint64_t place)
{
	if (r->list == NULL) {
		uint64_t i = vectors_place_ord(place) - vectors_place_ord(r->first) + (uint64_t)(vectors_place_passage(place) > 0);
		return place <= r->first ? 0 : i < r->n ? (size_t)i : r->n;
	}
	size_t lo = 0, n = r->n;
	while (n > 0) {
		size_t half = n / 2;
		if (vectors_rows_place(r, lo + half) < place) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/*
 * A node has nothing at the place that was sought, of which the cursor stands behind, or at the end.  A key of which a bit has turned over
 * stands elsewhere, and then it is beside: so both neighbours must be what their keys say.  Of these one number alone has changed,
 * which their values' lengths tell, or their lists.
 */
static enum mem_status
check_row_gap(struct mem_cursor *c, uint32_t dims, enum mem_status sought, struct vectors_row_block *r, struct mem_err *err)
{
	struct vectors_row_block before;
	uint64_t from = 0, to = sought == MEM_OK ? r->first - 1 : UINT64_MAX;
	enum mem_status st = sought == MEM_OK ? parse_row_value(r, mem_cursor_value(c), dims, err) : MEM_OK;
	*r = (struct vectors_row_block){ 0 };
	if (st == MEM_OK)
		st = sought == MEM_OK ? mem_cursor_prev(c, err) : mem_cursor_last(c, err);
	if (st == MEM_OK)
		st = parse_row_key(&before, mem_cursor_key(c), err);
	if (st == MEM_OK)
		st = parse_row_value(&before, mem_cursor_value(c), dims, err);
	if (st == MEM_OK)
		from = before.last + 1;
	if (st != MEM_OK && st != MEM_END)
		return st;
	r->gap_from = from;
	r->gap_to = to;
	return MEM_NOTFOUND;
}

enum mem_status
vectors_rows_find(struct mem_cursor *c, uint32_t dims, uint64_t place, struct vectors_row_block *r, size_t *at,
    struct mem_err *err)
{
	if (r->n == 0 && r->gap_to > 0 && place >= r->gap_from && place <= r->gap_to)
		return MEM_NOTFOUND;
	if (r->n == 0 || place < r->first || place > r->last) {
		uint8_t key[KEY];
		*r = (struct vectors_row_block){ 0 };
		make_row_key(key, place, 0);
		enum mem_status st = mem_cursor_seek(c, mem_key(key, KEY), err);
		if (st == MEM_OK)
			st = parse_row_key(r, mem_cursor_key(c), err);
		if (st == MEM_END || (st == MEM_OK && place < r->first))
			return vectors_place_passage(place) == 0 ? check_row_gap(c, dims, st, r, err) : MEM_NOTFOUND;
		if (st == MEM_OK)
			st = parse_row_value(r, mem_cursor_value(c), dims, err);
		if (st != MEM_OK) {
			r->n = 0;
			return st;
		}
	}
	*at = index_of_row(r, place);
	if (*at < r->n && vectors_rows_place(r, *at) == place)
		return MEM_OK;
	enum mem_status st = check_place_list(r, err);
	return st == MEM_OK ? MEM_NOTFOUND : st;
}

bool
vectors_rows_intact(const struct vectors_row_block *r, size_t i)
{
	const uint8_t *row = vectors_rows_at(r, i);
	return vectors_row_sum(row, r->bytes, vectors_rows_place(r, i)) == mem_ld64(row + r->bytes);
}

bool
vectors_is_zero_row(const uint8_t *row, size_t bytes)
{
	for (size_t k = 0; k < bytes; k++)
		if (row[k] != 0)
			return false;
	return true;
}

enum mem_status
mem_vectors_get(struct mem_txn *t, uint32_t ord, uint32_t passage, float *out, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct mem_cursor *c = NULL;
	struct vectors_row_block r = { 0 };
	size_t at = 0;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = vectors_rows_find(c, m.dims, vectors_place(ord, passage), &r, &at, err);
	if (st == MEM_OK && !vectors_rows_intact(&r, at))
		st = vectors_rows_report_damage(vectors_place(ord, passage), err);
	if (st == MEM_OK && vectors_is_zero_row(vectors_rows_at(&r, at), r.bytes))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		memcpy(out, vectors_rows_at(&r, at), r.bytes);
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
		l.now += mem_cursor_value(c).n == VECTORS_ROW_BYTES(dims);
	mem_cursor_close(c);
	return st == MEM_END ? put_loose_count(t, &l, err) : st;
}

/* Rows in memory as a value holds them, with their checksums, on their way to a block. */
struct row_pile {
	uint64_t *places;
	uint8_t *rows;
	size_t n, cap, rows_cap, stride;
};

static uint8_t *
add_pile_row(struct row_pile *p, uint64_t place, const void *row, size_t bytes)
{
	p->places = mem_grow(p->places, &p->cap, p->n + 1, sizeof *p->places);
	p->rows = mem_grow(p->rows, &p->rows_cap, p->n + 1, p->stride);
	p->places[p->n] = place;
	return memcpy(p->rows + p->n++ * p->stride, row, bytes);
}

static void
add_new_row(struct row_pile *p, uint64_t place, const float *v)
{
	size_t bytes = p->stride - SUM;
	uint8_t *row = add_pile_row(p, place, v, bytes);
	uint64_t sum = vectors_row_sum(row, bytes, place);
	memcpy(row + bytes, &sum, sizeof sum);
}

static void
release_row_pile(struct row_pile *p)
{
	free(p->places);
	free(p->rows);
}

static size_t
rows_per_block(size_t stride)
{
	size_t n = (((size_t)1 << 20) - 16 - SUM - 2) / (stride + PLACE);
	return n > 0 ? n : 1;
}

static bool
is_dense_run(const uint64_t *places, size_t n)
{
	for (size_t i = 0; i < n && n > 1; i++)
		if (places[i] != places[0] + ((uint64_t)i << 16) || vectors_place_passage(places[i]) != 0)
			return false;
	return true;
}

/* Rows [from, from + n) of the pile as one value. */
static enum mem_status
put_row_block(struct mem_txn *t, const struct row_pile *p, size_t from, size_t n, struct mem_err *err)
{
	uint8_t key[KEY];
	void *room;
	assert(p->places != NULL && n > 0);
	const uint64_t *places = p->places + from;
	bool dense = is_dense_run(places, n);
	make_row_key(key, places[n - 1], places[0]);
	enum mem_status st = mem_tab_reserve(t, MEM_T_ROW, mem_key(key, KEY),
	    n * p->stride + (dense ? 0 : n * PLACE + SUM + 2), &room, err);
	if (st != MEM_OK)
		return st;
	memcpy(room, p->rows + from * p->stride, n * p->stride);
	if (!dense) {
		uint8_t *list = (uint8_t *)room + n * p->stride;
		uint64_t sum = vectors_row_sum(places, n * PLACE, places[n - 1]);
		memcpy(list, places, n * PLACE);
		memcpy(list + n * PLACE, &sum, sizeof sum);
		memset(list + n * PLACE + SUM, 0, 2);
	}
	return MEM_OK;
}

static enum mem_status
delete_row_value(struct mem_txn *t, uint64_t last, uint64_t first, struct mem_err *err)
{
	uint8_t key[KEY];
	make_row_key(key, last, first);
	return mem_tab_del(t, MEM_T_ROW, mem_key(key, KEY), err);
}

/* Values of one row that no block parts, `from` on in the pile. */
static enum mem_status
pack_row_run(struct mem_txn *t, const struct row_pile *p, size_t from, size_t end, bool last,
    struct loose_rows *l, struct mem_err *err)
{
	size_t per = rows_per_block(p->stride);
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && from < end) {
		size_t n = end - from < per ? end - from : per;
		if (n == 1 || (last && n < per))
			break;
		for (size_t i = from; i < from + n && st == MEM_OK; i++)
			st = delete_row_value(t, p->places[i], p->places[i], err);
		if (st == MEM_OK)
			st = put_row_block(t, p, from, n, err);
		l->now -= l->now > n ? (uint32_t)n : l->now;
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
			add_pile_row(p, r.first, r.p, r.stride);
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
	struct row_pile p = { .stride = VECTORS_ROW_BYTES(dims) };
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

/* ---- a node's rows in place of those it had --------------------------- */

/* What lies where the node's rows lie or would. */
struct row_change {
	uint32_t dims, ord;
	struct row_pile before, after;  /* rows of other nodes in the same values */
	uint64_t *keys;                 /* last and first place of each value */
	size_t nkeys, keys_cap;
	size_t had;                     /* rows of the node, */
	bool zero;                      /* all of them zeros */
	size_t empty;                   /* rows of zeros of others */
	uint32_t loose;                 /* values of one row among them */
};

static void
take_changed_value(struct row_change *w, const struct vectors_row_block *r)
{
	w->keys = mem_grow(w->keys, &w->keys_cap, w->nkeys + 2, sizeof *w->keys);
	w->keys[w->nkeys++] = r->last;
	w->keys[w->nkeys++] = r->first;
	w->loose += r->n == 1;
	for (size_t i = 0; i < r->n; i++) {
		uint64_t place = vectors_rows_place(r, i);
		const uint8_t *row = vectors_rows_at(r, i);
		if (vectors_place_ord(place) != w->ord) {
			w->empty += vectors_is_zero_row(row, r->bytes);
			add_pile_row(vectors_place_ord(place) < w->ord ? &w->before : &w->after, place, row, r->stride);
			continue;
		}
		w->zero &= vectors_is_zero_row(row, r->bytes);
		w->had++;
	}
}

static enum mem_status
gather_row_change(struct row_change *w, struct mem_txn *t, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct vectors_row_block r;
	uint8_t key[KEY];
	w->before.stride = w->after.stride = VECTORS_ROW_BYTES(w->dims);
	w->zero = true;
	make_row_key(key, vectors_place(w->ord, 0), 0);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, mem_key(key, KEY), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		st = vectors_rows_parse(&r, mem_cursor_key(c), mem_cursor_value(c), w->dims, err);
		if (st != MEM_OK || r.first > vectors_place(w->ord, VECTORS_PASSAGE_LAST))
			break;
		take_changed_value(w, &r);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static void
release_row_change(struct row_change *w)
{
	release_row_pile(&w->before);
	release_row_pile(&w->after);
	free(w->keys);
}

/* `sparse`: without rows of zeros. */
static void
append_pile(struct row_pile *to, const struct row_pile *from, bool sparse)
{
	for (size_t i = 0; i < from->n; i++) {
		const uint8_t *row = from->rows + i * from->stride;
		if (!sparse || !vectors_is_zero_row(row, from->stride - SUM))
			add_pile_row(to, from->places[i], row, from->stride);
	}
}

/* Blocks of like size, no more of them than needed. */
static enum mem_status
put_row_blocks(struct mem_txn *t, const struct row_pile *p, struct loose_rows *l, struct mem_err *err)
{
	size_t per = rows_per_block(p->stride), blocks = (p->n + per - 1) / per, from = 0;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < blocks && st == MEM_OK; i++) {
		size_t n = (p->n - from) / (blocks - i);
		st = put_row_block(t, p, from, n, err);
		l->now += n == 1;
		from += n;
	}
	return st;
}

static enum mem_status
append_loose_row(struct mem_txn *t, const struct row_pile *p, size_t i, struct mem_err *err)
{
	uint8_t key[KEY];
	make_row_key(key, p->places[i], p->places[i]);
	return mem_tab_append(t, MEM_T_ROW, mem_key(key, KEY),
	    (struct mem_str){ (const char *)p->rows + i * p->stride, p->stride }, false, err);
}

/* n rows, or with `v` NULL zeros where the node's rows were, so that its neighbours need not move; where half of a block
 * would be zeros, its other rows move together instead. */
static enum mem_status
write_row_change(struct row_change *w, struct mem_txn *t, const float *const *v, size_t n, struct mem_err *err)
{
	struct row_pile p = { .stride = VECTORS_ROW_BYTES(w->dims) };
	struct loose_rows l;
	size_t others = w->before.n + w->after.n;
	bool loose = others == 0, sparse = v == NULL && 2 * (w->empty + 1) > others;
	enum mem_status st = get_loose_count(t, &l, err);
	for (size_t i = 0; i < w->nkeys && st == MEM_OK; i += 2)
		st = delete_row_value(t, w->keys[i], w->keys[i + 1], err);
	l.now -= w->loose < l.now ? w->loose : l.now;
	append_pile(&p, &w->before, sparse);
	for (size_t i = 0; v != NULL && i < n; i++)
		add_new_row(&p, vectors_place(w->ord, (uint32_t)i), v[i]);
	if (v == NULL && !loose && !sparse) {
		float *zeros = mem_xcalloc(w->dims, sizeof *zeros);
		add_new_row(&p, vectors_place(w->ord, 0), zeros);
		free(zeros);
	}
	append_pile(&p, &w->after, sparse);
	for (size_t i = 0; loose && i < p.n && st == MEM_OK; i++) {
		st = append_loose_row(t, &p, i, err);
		l.now++;
	}
	if (!loose && st == MEM_OK)
		st = put_row_blocks(t, &p, &l, err);
	if (l.left > l.now)
		l.left = l.now;
	release_row_pile(&p);
	if (st == MEM_OK && l.now >= l.left + rows_per_block(VECTORS_ROW_BYTES(w->dims)))
		st = pack_row_runs(t, w->dims, &l, err);
	return st == MEM_OK ? put_loose_count(t, &l, err) : st;
}

enum mem_status
vectors_rows_put(struct mem_txn *t, uint32_t dims, uint32_t ord, const float *const *v, size_t n, size_t *had,
    struct mem_err *err)
{
	struct row_change w = { .dims = dims, .ord = ord };
	enum mem_status st = gather_row_change(&w, t, err);
	*had = w.zero ? 0 : w.had;
	if (st == MEM_OK && n == 0 && *had == 0)
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = write_row_change(&w, t, n > 0 ? v : NULL, n, err);
	release_row_change(&w);
	return st;
}
