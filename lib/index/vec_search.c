/* SPDX-License-Identifier: Apache-2.0 */
#include "index/index_int.h"
#include "vector/vector.h"

#include <math.h>
#include <stdlib.h>

struct near {
	struct mem_search s;
	const float *v;
	uint32_t dims;
	uint64_t *bits;         /* what clauses leave; NULL: all */
	size_t nbits;
	float *row;
};

static bool
passes(const struct near *n, uint32_t ord, const struct mem_attr *a)
{
	return (n->bits == NULL || (ord < n->nbits && (n->bits[ord / 64] >> (ord % 64) & 1) != 0))
	    && mem_search_sees(&n->s, a->ns)
	    && (!n->s.filter.on || mem_filter_row(&n->s.filter, a->kind, a->role, a->session, a->captured_at));
}

static double
product(const struct near *n, const struct mem_rows *r, size_t i)
{
	memcpy(n->row, r->p + i * r->bytes, r->bytes);
	return mem_score_round((double)mem_dot(n->v, n->row, n->dims));
}

static enum mem_status
offer_rows(struct near *n, const struct mem_rows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct mem_attr *a;
		uint32_t ord = mem_rows_ord(r, i);
		if (mem_rows_none(r, i))
			continue;
		enum mem_status st = mem_attr_at(n->s.t, ord, &a, n->s.err);
		if (st == MEM_NONE)
			continue; /* mem-check tells */
		if (st != MEM_OK)
			return st;
		if (!passes(n, ord, a))
			continue;
		struct mem_top top = { .score = product(n, r, i), .ord = ord, .exact = true };
		memcpy(&top.id_min, &a->id, sizeof top.id_min);
		top.id_max = top.id_min;
		mem_tops_offer(&n->s.tops, &top);
		if (n->s.tops.status != MEM_OK)
			return n->s.tops.status;
	}
	return MEM_OK;
}

static enum mem_status
offer_all(struct near *n)
{
	struct mem_cursor *c = NULL;
	struct mem_rows r;
	enum mem_status st = mem_cursor_open(&c, n->s.t, MEM_T_ROW, n->s.err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, n->s.err);
	while (st == MEM_OK) {
		st = mem_rows_parse(&r, mem_cursor_key(c), mem_cursor_value(c), n->dims, n->s.err);
		if (st == MEM_OK)
			st = offer_rows(n, &r);
		if (st == MEM_OK)
			st = mem_cursor_next(c, n->s.err);
	}
	mem_cursor_close(c);
	return st == MEM_NONE ? MEM_OK : st;
}

enum mem_status
mem_index_nearest(struct mem_txn *t, const struct mem_index_query *q, const float *v,
    struct mem_index_hit **hits, size_t *nhits, struct mem_err *err)
{
	struct mem_index_model m;
	struct near *n = mem_xcalloc(1, sizeof *n);
	n->s = (struct mem_search){ .t = t, .q = q, .err = err };
	n->s.tops = (struct mem_tops){ .limit = q->limit, .min_score = q->min_score, .eager = true,
		.admit = q->admit, .ctx = q->ctx, .t = t, .err = err };
	n->v = v;
	*hits = NULL;
	*nhits = 0;
	enum mem_status st = q->limit > 0 && q->nns > 0 ? mem_index_model_get(t, &m, err) : MEM_NONE;
	if (st == MEM_OK)
		st = mem_clause_bits(t, q, &n->bits, &n->nbits, err);
	if (st == MEM_OK) {
		n->dims = m.dims;
		n->row = mem_xmalloc(m.dims * sizeof *n->row);
		mem_search_namespaces(&n->s);
		mem_filter_init(&n->s.filter, q);
		st = offer_all(n);
	}
	if (st == MEM_OK) {
		mem_tops_finish(&n->s.tops, q->limit, hits, nhits);
		st = n->s.tops.status;
	}
	if (st != MEM_OK) {
		free(*hits);
		*hits = NULL;
		*nhits = 0;
	}
	free(n->s.tops.v);
	free(n->s.ns);
	free(n->bits);
	free(n->row);
	free(n);
	return st == MEM_NONE ? MEM_OK : st;
}

/* ---- hits that are known ---------------------------------------------- */

struct wanted {
	uint32_t ord;
	size_t at;
};

static int
by_ord(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	return x->ord < y->ord ? -1 : x->ord > y->ord;
}

enum mem_status
mem_index_products(struct mem_txn *t, const float *v, const uint32_t *ords, size_t n,
    double *scores, struct mem_err *err)
{
	struct mem_index_model m;
	struct mem_cursor *c = NULL;
	struct mem_rows r = { 0 };
	struct near near = { .v = v };
	for (size_t i = 0; i < n; i++)
		scores[i] = (double)NAN;
	enum mem_status st = n > 0 ? mem_index_model_get(t, &m, err) : MEM_NONE;
	if (st != MEM_OK)
		return st == MEM_NONE ? MEM_OK : st;
	struct wanted *w = mem_xcalloc(n, sizeof *w);
	for (size_t i = 0; i < n; i++)
		w[i] = (struct wanted){ ords[i], i };
	qsort(w, n, sizeof *w, by_ord);
	near.dims = m.dims;
	near.row = mem_xmalloc(m.dims * sizeof *near.row);
	st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		size_t at = 0;
		st = mem_rows_find(c, m.dims, w[i].ord, &r, &at, err);
		if (st == MEM_OK && !mem_rows_none(&r, at))
			scores[w[i].at] = product(&near, &r, at);
		st = st == MEM_NONE ? MEM_OK : st;
	}
	mem_cursor_close(c);
	free(near.row);
	free(w);
	return st;
}
