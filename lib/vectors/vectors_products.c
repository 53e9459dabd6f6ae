/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a query with rows, many at a time and by two threads. */
#include "vectors/vectors_int.h"
#include "store/node.h"

#include <math.h>
#include <stdlib.h>

#define SPLIT 64 /* rows from which a helper takes its half */

struct product_share {
	struct mem_txn *t;
	struct mem_txn *attrs;     /* this thread's; NULL: they are not wanted */
	const float *v;
	uint32_t dims;
	struct vectors_product *reads;
	size_t n;
	enum mem_status status;
	struct mem_err err;
};

/* A page that comes into memory now need not be waited for later. */
static void
touch_attr(const struct mem_attr *attr)
{
	volatile uint16_t kind = attr->kind;
	(void)kind;
}

static void
read_share(void *ctx)
{
	struct product_share *p = ctx;
	size_t bytes = p->dims * sizeof(float);
	float *row = mem_xmalloc(bytes);
	for (size_t i = 0; i < p->n && p->status == MEM_OK; i++) {
		struct vectors_product *r = &p->reads[i];
		struct vectors_row_block one = { .n = 1, .bytes = bytes, .p = (const uint8_t *)row };
		r->score = (double)NAN;
		if (r->row == NULL)
			continue;
		p->status = mem_txn_pread(p->t, r->row, row, bytes, &p->err);
		if (p->status == MEM_OK && !vectors_is_zero_row(&one, 0))
			r->score = mem_score_round((double)mem_dot(p->v, row, p->dims));
		const struct mem_attr *attr;
		if (p->attrs != NULL && mem_attr_at(p->attrs, r->ord, &attr, NULL) == MEM_OK)
			touch_attr(attr);
	}
	free(row);
}

static int
compare_products_by_ord(const void *a, const void *b)
{
	const struct vectors_product *x = a, *y = b;
	return x->ord < y->ord ? -1 : x->ord > y->ord;
}

/* Their places in the file, in whose order they are then read. */
static enum mem_status
locate_rows(struct vectors_reader *r, struct vectors_product *reads, size_t n, struct mem_err *err)
{
	if (n > 0)
		qsort(reads, n, sizeof *reads, compare_products_by_ord);
	for (size_t i = 0; i < n; i++) {
		size_t at = 0;
		enum mem_status st = vectors_rows_find(r->rows, r->dims, reads[i].ord, &r->at, &at, err);
		if (st != MEM_OK && st != MEM_NOTFOUND)
			return st;
		reads[i].row = st == MEM_OK ? r->at.p + at * r->at.bytes : NULL;
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
vectors_reader_prefetch_attrs(struct vectors_reader *r)
{
	if (r->helper != NULL && r->helper_txn == NULL)
		r->helper_txn = mem_txn_open_second(r->t);
}

enum mem_status
vectors_reader_read(struct vectors_reader *r, struct vectors_product *reads, size_t n, struct mem_err *err)
{
	struct product_share p = { .t = r->t, .v = r->v, .dims = r->dims, .reads = reads, .n = n }, half = p;
	if (r->helper_txn != NULL) {
		p.attrs = r->t;
		half.attrs = r->helper_txn;
	}
	enum mem_status st = n > 0 ? locate_rows(r, reads, n, err) : MEM_OK;
	if (st != MEM_OK || n == 0)
		return st;
	if (r->helper != NULL && n >= SPLIT) {
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
		half.status = MEM_OK;
	}
	if (p.status == MEM_OK && half.status == MEM_OK)
		return MEM_OK;
	const struct product_share *bad = p.status != MEM_OK ? &p : &half;
	if (err != NULL)
		*err = bad->err;
	return bad->status;
}

void
vectors_reader_close(struct vectors_reader *r)
{
	mem_cursor_close(r->rows);
	mem_txn_end(r->helper_txn);
	r->rows = NULL;
	r->helper_txn = NULL;
}

/* ---- rows to keep ------------------------------------------------------ */

static enum mem_status
copy_rows(struct mem_vectors_rows *out, struct vectors_reader *r, const uint32_t *ords, size_t n, struct mem_err *err)
{
	struct vectors_product *reads = mem_xcalloc(n, sizeof *reads);
	for (size_t i = 0; i < n; i++)
		reads[i].ord = ords[i];
	enum mem_status st = locate_rows(r, reads, n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		out->ords[i] = reads[i].ord;
		if (reads[i].row != NULL)
			st = mem_txn_pread(r->t, reads[i].row, out->v + i * r->dims, r->dims * sizeof *out->v, err);
	}
	free(reads);
	return st;
}

enum mem_status
mem_vectors_rows_read(struct mem_vectors_rows *out, struct mem_txn *t, const uint32_t *ords, size_t n, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct vectors_reader r = { 0 };
	*out = (struct mem_vectors_rows){ 0 };
	if (n == 0)
		return MEM_OK;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		st = vectors_reader_open(&r, t, m.dims, NULL, err);
	if (st == MEM_OK) {
		*out = (struct mem_vectors_rows){ .dims = m.dims, .n = n };
		out->ords = mem_xcalloc(n, sizeof *out->ords);
		out->v = mem_xcalloc(n * m.dims, sizeof *out->v);
		st = copy_rows(out, &r, ords, n, err);
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
	free(r->v);
	*r = (struct mem_vectors_rows){ 0 };
}

static int
compare_ords_by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

double
mem_vectors_rows_product(const struct mem_vectors_rows *r, uint32_t ord, const float *v)
{
	const uint32_t *at = r->n > 0 ? bsearch(&ord, r->ords, r->n, sizeof ord, compare_ords_by_number) : NULL;
	if (at == NULL)
		return (double)NAN;
	const float *row = r->v + (size_t)(at - r->ords) * r->dims;
	const struct vectors_row_block one = { .n = 1, .bytes = r->dims * sizeof *row, .p = (const uint8_t *)row };
	return vectors_is_zero_row(&one, 0) ? (double)NAN : mem_score_round((double)mem_dot(v, row, r->dims));
}
