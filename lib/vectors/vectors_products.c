/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a query with rows, many at a time and by two threads. */
#include "vectors/vectors_int.h"
#include "base/numbers.h"
#include "base/order.h"
#include "store/node.h"

#include <math.h>
#include <stdlib.h>

#define SPLIT     64      /* rows from which a helper takes its half */
#define NEAR      6144    /* bytes from row to row that are read together: copying those between costs less than one call more */
#define READ_ROOM (1 << 16)

struct product_share {
	struct mem_txn *t;
	const float *v;
	uint32_t dims;
	struct vectors_product *reads;
	size_t n;
	enum mem_status status;
	struct mem_err err;
};

/* A row and its checksum; `row` has room for both. */
static enum mem_status
read_row_and_sum(struct mem_txn *t, const struct vectors_product *r, float *row, size_t bytes, bool *intact, struct mem_err *err)
{
	uint64_t place = vectors_place(r->ord, r->passage);
	enum mem_status st = mem_txn_pread(t, r->row, row, bytes + sizeof place, err);
	*intact = st == MEM_OK && vectors_row_sum(row, bytes, place) == mem_ld64((const uint8_t *)row + bytes);
	return st;
}

/* The product with a row that was read, its checksum behind it. */
static void
take_read_row(const struct product_share *p, struct vectors_product *r, const uint8_t *row)
{
	size_t bytes = p->dims * sizeof(float);
	r->damaged = vectors_row_sum(row, bytes, vectors_place(r->ord, r->passage)) != mem_ld64(row + bytes);
	if (!r->damaged && !vectors_is_zero_row(row, bytes))
		r->score = mem_score_round((double)mem_dot(p->v, (const float *)(const void *)row, p->dims));
}

/* How many rows, from the first on, lie so near in one value that a read of all with what lies between takes less than
 * several. */
static size_t
count_near_rows(const struct vectors_product *r, size_t n, size_t stride)
{
	size_t i = 1;
	while (i < n && r[i].row != NULL && r[i].value == r->value && r[i].row > r[i - 1].row
	    && (size_t)(r[i].row - r[i - 1].row) <= NEAR && (size_t)(r[i].row - r->row) + stride <= READ_ROOM)
		i++;
	return i;
}

static void
read_share(void *ctx)
{
	struct product_share *p = ctx;
	size_t stride = VECTORS_ROW_BYTES(p->dims), near = 1;
	uint8_t *room = mem_xmalloc(stride < READ_ROOM ? READ_ROOM : stride);
	for (size_t i = 0; i < p->n; i++) {
		p->reads[i].score = (double)NAN;
		p->reads[i].damaged = false;
	}
	for (size_t i = 0; i < p->n && p->status == MEM_OK; i += near) {
		struct vectors_product *r = &p->reads[i];
		near = 1;
		if (r->row == NULL)
			continue;
		near = count_near_rows(r, p->n - i, stride);
		p->status = mem_txn_pread(p->t, r->row, room, (size_t)(r[near - 1].row - r->row) + stride, &p->err);
		for (size_t k = 0; k < near && p->status == MEM_OK; k++)
			take_read_row(p, &r[k], room + (r[k].row - r->row));
	}
	free(room);
}

static int
compare_products_by_place(const void *a, const void *b)
{
	const struct vectors_product *x = a, *y = b;
	if (x->ord != y->ord)
		return x->ord < y->ord ? -1 : 1;
	return x->passage < y->passage ? -1 : x->passage > y->passage;
}

/* Their places in the file, in whose order they are then read. */
static enum mem_status
locate_rows(struct vectors_reader *r, struct vectors_product *reads, size_t n, struct mem_err *err)
{
	mem_sort(reads, n, sizeof *reads, compare_products_by_place);
	for (size_t i = 0; i < n; i++) {
		size_t at = 0;
		enum mem_status st = vectors_rows_find(r->rows, r->dims, vectors_place(reads[i].ord, reads[i].passage), &r->at, &at, err);
		if (st != MEM_OK && st != MEM_NOTFOUND)
			return st;
		reads[i].row = st == MEM_OK ? vectors_rows_at(&r->at, at) : NULL;
		reads[i].value = r->at.p;
	}
	return MEM_OK;
}

enum mem_status
vectors_reader_open(struct vectors_reader *r, struct mem_txn *t, uint32_t dims, const float *v, struct mem_err *err)
{
	*r = (struct vectors_reader){ .t = t, .dims = dims, .v = v };
	return mem_cursor_open(&r->rows, t, MEM_T_ROW, err);
}

void
vectors_reader_start_helper(struct vectors_reader *r)
{
	if (r->helper != NULL || r->alone)
		return;
	r->helper = mem_worker_start();
	r->own_helper = r->helper != NULL;
}

/* Nodes whose attributes will be asked for. */
struct attr_share {
	struct mem_txn *t;
	uint32_t *ords;            /* OWNS; rising */
	size_t n;
};

static void
read_attr_share(void *ctx)
{
	struct attr_share *a = ctx;
	mem_attrs_read_ahead(a->t, a->ords, a->n);
}

/* Rows by this thread, which then asks the transaction for nothing but bytes of the file; attributes by the helper. */
static void
read_rows_and_attrs(struct vectors_reader *r, struct product_share *p)
{
	struct attr_share a = { .t = r->t, .ords = mem_xcalloc(p->n, sizeof *a.ords) };
	for (size_t i = 0; i < p->n; i++)
		if (a.n == 0 || a.ords[a.n - 1] != p->reads[i].ord)
			a.ords[a.n++] = p->reads[i].ord;
	mem_worker_give(r->helper, read_attr_share, &a);
	read_share(p);
	mem_worker_wait(r->helper);
	free(a.ords);
}

/* The products of rows whose places are known. */
static enum mem_status
read_located(struct vectors_reader *r, struct vectors_product *reads, size_t n, struct mem_err *err)
{
	struct product_share p = { .t = r->t, .v = r->v, .dims = r->dims, .reads = reads, .n = n }, half = p;
	if (n == 0)
		return MEM_OK;
	if (r->helper != NULL && r->wants_attrs) {
		read_rows_and_attrs(r, &p);
	} else if (r->helper != NULL && n >= SPLIT) {
		p.n = n / 2;
		half.reads += p.n;
		half.n -= p.n;
		/* The first one alone, so that what is found out once about the file is known to both. */
		struct product_share first = p;
		first.n = 1;
		read_share(&first);
		mem_worker_give(r->helper, read_share, &half);
		read_share(&p);
		mem_worker_wait(r->helper);
	} else {
		read_share(&p);
	}
	for (size_t i = 0; i < n && p.status == MEM_OK && half.status == MEM_OK; i++)
		if (reads[i].damaged)
			mem_node_part_damage_note(r->t, reads[i].ord, "its vector");
	if (p.status == MEM_OK && half.status == MEM_OK)
		return MEM_OK;
	const struct product_share *bad = p.status != MEM_OK ? &p : &half;
	if (err != NULL)
		*err = bad->err;
	return bad->status;
}

enum mem_status
vectors_reader_read(struct vectors_reader *r, struct vectors_product *reads, size_t n, struct mem_err *err)
{
	enum mem_status st = locate_rows(r, reads, n, err);
	return st == MEM_OK ? read_located(r, reads, n, err) : st;
}

void
vectors_reader_close(struct vectors_reader *r)
{
	if (r->own_helper)
		mem_worker_end(r->helper);
	mem_cursor_close(r->rows);
	r->helper = NULL;
	r->rows = NULL;
}

/* ---- of known nodes ---------------------------------------------------- */

/* OWNS: free(). */
static uint32_t *
sort_ords(const uint32_t *ords, size_t n)
{
	uint32_t *sorted = mem_xcalloc(n, sizeof *sorted);
	memcpy(sorted, ords, n * sizeof *sorted);
	mem_sort(sorted, n, sizeof *sorted, mem_number_compare);
	return sorted;
}

/* The places of rows of nodes, one after the other. */
struct row_walk {
	struct vectors_reader *r;
	const uint32_t *ords;      /* rising */
	size_t n, at;
	uint32_t passage;          /* next one of ords[at]; of the last one all are there */
	size_t row;                /* its place in r->at, where passage > 0 */
};

/* The next row, or one without a place for a node that has none; MEM_END: that was the last node. */
static enum mem_status
walk_rows(struct row_walk *w, struct vectors_product *out, struct mem_err *err)
{
	struct vectors_row_block *b = &w->r->at;
	enum mem_status st;
	if (w->passage > 0) { /* is there another one of the same node? */
		uint64_t place = vectors_place(w->ords[w->at], w->passage);
		if (w->passage > VECTORS_PASSAGE_LAST)
			st = MEM_NOTFOUND;
		else if (++w->row < b->n)
			st = vectors_rows_place(b, w->row) == place ? MEM_OK : MEM_NOTFOUND;
		else
			st = vectors_rows_find(w->r->rows, w->r->dims, place, b, &w->row, err);
		if (st == MEM_OK) {
			*out = (struct vectors_product){ .ord = w->ords[w->at], .passage = (uint16_t)w->passage, .row = vectors_rows_at(b, w->row),
				.value = b->p, .score = (double)NAN };
			w->passage++;
			return MEM_OK;
		}
		if (st != MEM_NOTFOUND)
			return st;
		w->passage = 0;
		w->at++;
	}
	if (w->at == w->n)
		return MEM_END;
	st = vectors_rows_find(w->r->rows, w->r->dims, vectors_place(w->ords[w->at], 0), b, &w->row, err);
	*out = (struct vectors_product){ .ord = w->ords[w->at], .row = st == MEM_OK ? vectors_rows_at(b, w->row) : NULL, .value = b->p,
		.score = (double)NAN };
	w->passage = st == MEM_OK;
	w->at += st == MEM_NOTFOUND;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* ---- rows to keep ------------------------------------------------------ */

/* Drops the rows of the last node again where they are too many.  A row of the next one is not among them. */
static void
drop_long_node(struct vectors_product *v, size_t *n, size_t max)
{
	if (*n <= max)
		return;
	uint32_t ord = v[*n - 1].ord;
	while (*n > 0 && v[*n - 1].ord == ord)
		--*n;
}

static enum mem_status
gather_rows(struct row_walk *w, size_t max, struct vectors_product **out, size_t *n, struct mem_err *err)
{
	struct vectors_product *v = NULL, one;
	size_t cap = 0;
	enum mem_status st;
	*n = 0;
	while ((st = walk_rows(w, &one, err)) == MEM_OK) {
		v = mem_grow(v, &cap, *n + 1, sizeof *v);
		v[(*n)++] = one;
		if (*n <= max)
			continue;
		drop_long_node(v, n, max);
		w->at += w->passage > 0; /* on with the next node */
		w->passage = 0;
	}
	*out = v;
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
copy_rows(struct mem_vectors_rows *out, struct vectors_reader *r, const struct vectors_product *rows, size_t n, struct mem_err *err)
{
	size_t bytes = r->dims * sizeof *out->v;
	float *row = mem_xmalloc(VECTORS_ROW_BYTES(r->dims));
	enum mem_status st = MEM_OK;
	*out = (struct mem_vectors_rows){ .dims = r->dims, .n = n, .ords = mem_xcalloc(n + 1, sizeof *out->ords),
		.passages = mem_xcalloc(n + 1, sizeof *out->passages), .v = mem_xcalloc(n * r->dims + 1, sizeof *out->v) };
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		out->ords[i] = rows[i].ord;
		out->passages[i] = rows[i].passage;
		if (rows[i].row == NULL)
			continue;
		bool intact;
		st = read_row_and_sum(r->t, &rows[i], row, bytes, &intact, err);
		if (intact)
			memcpy(out->v + i * r->dims, row, bytes);
		else if (st == MEM_OK)
			mem_node_part_damage_note(r->t, rows[i].ord, "its vector");
	}
	free(row);
	return st;
}

enum mem_status
mem_vectors_rows_read(struct mem_vectors_rows *out, struct mem_txn *t, const uint32_t *ords, size_t n, size_t max,
    struct mem_err *err)
{
	struct mem_vectors_model m;
	struct vectors_reader r = { 0 };
	struct vectors_product *rows = NULL;
	*out = (struct mem_vectors_rows){ 0 };
	if (n == 0)
		return MEM_OK;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		st = vectors_reader_open(&r, t, m.dims, NULL, err);
	if (st == MEM_OK) {
		uint32_t *sorted = sort_ords(ords, n);
		struct row_walk w = { .r = &r, .ords = sorted, .n = n };
		st = gather_rows(&w, max, &rows, &n, err);
		if (st == MEM_OK)
			st = copy_rows(out, &r, rows, n, err);
		free(sorted);
		free(rows);
		vectors_reader_close(&r);
	}
	if (st != MEM_OK)
		mem_vectors_rows_release(out);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

void
mem_vectors_rows_release(struct mem_vectors_rows *r)
{
	free(r->ords);
	free(r->passages);
	free(r->v);
	*r = (struct mem_vectors_rows){ 0 };
}

size_t
mem_vectors_rows_find(const struct mem_vectors_rows *r, uint32_t ord)
{
	size_t i = mem_count_below(r->ords, r->n, ord);
	return i < r->n && r->ords[i] == ord ? i : r->n;
}

struct mem_vectors_product
mem_vectors_rows_product(const struct mem_vectors_rows *r, uint32_t ord, const float *v)
{
	struct mem_vectors_product best = { (double)NAN, 0 };
	size_t bytes = r->dims * sizeof *r->v;
	for (size_t i = mem_vectors_rows_find(r, ord); i < r->n && r->ords[i] == ord; i++) {
		const float *row = r->v + i * r->dims;
		double score = vectors_is_zero_row((const uint8_t *)row, bytes) ? (double)NAN
		    : mem_score_round((double)mem_dot(v, row, r->dims));
		if (score > best.score || (isnan(best.score) && !isnan(score)))
			best = (struct mem_vectors_product){ score, r->passages[i] };
	}
	return best;
}

/* ---- products alone ----------------------------------------------------- */

enum { READ_AT_ONCE = 1024 };

/* The best of each node among rows in order of place, into `best`, which goes by ord. */
static void
fold_products(const struct vectors_product *v, size_t n, const uint32_t *ords, struct mem_vectors_product *best, size_t *at)
{
	for (size_t i = 0; i < n; i++) {
		while (ords[*at] != v[i].ord)
			++*at;
		struct mem_vectors_product *b = &best[*at];
		if (v[i].score > b->score || (isnan(b->score) && !isnan(v[i].score)))
			*b = (struct mem_vectors_product){ v[i].score, v[i].passage };
	}
}

static enum mem_status
read_best_products(struct vectors_reader *r, const uint32_t *ords, size_t n, struct mem_vectors_product *best, struct mem_err *err)
{
	struct row_walk w = { .r = r, .ords = ords, .n = n };
	struct vectors_product *v = mem_xcalloc(READ_AT_ONCE, sizeof *v);
	enum mem_status st = MEM_OK, more = MEM_OK;
	size_t at = 0;
	while (st == MEM_OK && more == MEM_OK) {
		size_t count = 0;
		while (count < READ_AT_ONCE && (more = walk_rows(&w, &v[count], err)) == MEM_OK)
			count++;
		st = more == MEM_OK || more == MEM_END ? read_located(r, v, count, err) : more;
		if (st == MEM_OK)
			fold_products(v, count, ords, best, &at);
	}
	free(v);
	return st;
}

enum mem_status
mem_vectors_products(struct mem_txn *t, const float *v, const uint32_t *ords, size_t n, struct mem_vectors_product *out,
    struct mem_err *err)
{
	struct mem_vectors_model m;
	struct vectors_reader r = { 0 };
	for (size_t i = 0; i < n; i++)
		out[i] = (struct mem_vectors_product){ (double)NAN, 0 };
	if (n == 0)
		return MEM_OK;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		st = vectors_reader_open(&r, t, m.dims, v, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	uint32_t *sorted = sort_ords(ords, n);
	struct mem_vectors_product *best = mem_xcalloc(n, sizeof *best);
	for (size_t i = 0; i < n; i++)
		best[i] = out[i];
	st = read_best_products(&r, sorted, n, best, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const uint32_t *at = mem_sorted_find(&ords[i], sorted, n, sizeof *sorted, mem_number_compare);
		out[i] = best[at - sorted];
	}
	free(sorted);
	free(best);
	vectors_reader_close(&r);
	return st;
}

/* ---- means --------------------------------------------------------------- */

/* Sums of rows that go on from node to node. */
struct row_mean {
	double *sum;               /* [dims] */
	size_t n;
};

static void
put_row_mean(struct row_mean *m, uint32_t dims, float *out)
{
	for (uint32_t i = 0; i < dims; i++) {
		out[i] = m->n > 0 ? (float)(m->sum[i] / (double)m->n) : 0;
		m->sum[i] = 0;
	}
	m->n = 0;
}

/* `ords` rising; out goes by them. */
static enum mem_status
read_sorted_means(struct vectors_reader *r, const uint32_t *ords, size_t n, float *out, struct mem_err *err)
{
	struct row_walk w = { .r = r, .ords = ords, .n = n };
	struct row_mean m = { .sum = mem_xcalloc(r->dims, sizeof *m.sum) };
	struct vectors_product one;
	float *row = mem_xmalloc(VECTORS_ROW_BYTES(r->dims));
	size_t at = 0;
	bool intact;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && (st = walk_rows(&w, &one, err)) == MEM_OK) {
		for (; ords[at] != one.ord; at++)
			put_row_mean(&m, r->dims, out + at * r->dims);
		if (one.row == NULL)
			continue;
		st = read_row_and_sum(r->t, &one, row, r->dims * sizeof *row, &intact, err);
		if (st == MEM_OK && !intact)
			mem_node_part_damage_note(r->t, one.ord, "its vector");
		for (uint32_t i = 0; i < r->dims && intact; i++)
			m.sum[i] += (double)row[i];
		m.n += intact;
	}
	for (; st == MEM_END && at < n; at++)
		put_row_mean(&m, r->dims, out + at * r->dims);
	free(m.sum);
	free(row);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
vectors_means_read(struct mem_txn *t, uint32_t dims, const uint32_t *ords, size_t n, float *out, struct mem_err *err)
{
	struct vectors_reader r = { 0 };
	if (n == 0)
		return MEM_OK;
	enum mem_status st = vectors_reader_open(&r, t, dims, NULL, err);
	if (st != MEM_OK)
		return st;
	uint32_t *sorted = sort_ords(ords, n);
	float *means = mem_xmalloc(n * dims * sizeof *means);
	st = read_sorted_means(&r, sorted, n, means, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const uint32_t *at = mem_sorted_find(&ords[i], sorted, n, sizeof *sorted, mem_number_compare);
		memcpy(out + i * dims, means + (size_t)(at - sorted) * dims, dims * sizeof *out);
	}
	free(sorted);
	free(means);
	vectors_reader_close(&r);
	return st;
}
