/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes that are most like a text or a node. */
#include "embed/embed.h"
#include "base/order.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

enum {
	COMPARED = 16384,       /* nodes of which all are compared */
	AT_ONCE = 1024,         /* vectors in memory */
	SPARE = 4,              /* candidates of the index for each hit, */
	CANDIDATES = 512,       /* and at least */
};

struct near_search {
	struct mem_txn *t;
	const struct mem_near_query *q;
	struct mem_vectors_model model;
	float *v;               /* what is searched for, centred */
	uint32_t *ords;         /* nodes to compare */
	size_t nords, cap;
	struct mem_near *hits;
	size_t nhits, hits_cap;
	struct mem_err *err;
};

static int
compare_ns_number(const void *number, const void *ns)
{
	uint32_t x = *(const uint32_t *)number, y = ((const struct mem_ns *)ns)->number;
	return (x > y) - (x < y);
}

static bool
is_ns_wanted(const struct mem_near_query *q, uint32_t ns)
{
	return mem_sorted_find(&ns, q->ns, q->nns, sizeof *q->ns, compare_ns_number) != NULL;
}

/* A mem_search_query's `admit`. */
static bool
is_node_wanted(void *ctx, uint32_t ord)
{
	const struct near_search *s = ctx;
	const struct mem_attr *a;
	if (s->q->vector == NULL && ord == s->q->ord)
		return false;
	enum mem_status st = mem_attr_at(s->t, ord, &a, NULL);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(s->t, ord);
	return st == MEM_OK && is_ns_wanted(s->q, a->ns) && (mem_kind_set_empty(&s->q->kinds) || mem_kind_set_has(&s->q->kinds, a->kind))
	    && mem_attr_live(a, mem_txn_now(s->t));
}

/* Those that are wanted; ends behind COMPARED of them. */
static enum mem_status
list_wanted_nodes(struct near_search *s)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, s->t, MEM_T_ATTR, s->err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, s->err);
	for (; st == MEM_OK && s->nords <= COMPARED; st = mem_cursor_next(c, s->err)) {
		struct mem_str key = mem_cursor_key(c);
		uint32_t ord = key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : UINT32_MAX;
		if (key.n != 4 || !is_node_wanted(s, ord))
			continue;
		s->ords = mem_grow(s->ords, &s->cap, s->nords + 1, sizeof *s->ords);
		s->ords[s->nords++] = ord;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* By the product with the centred vector, which is the similarity but for the length of what is compared. */
static enum mem_status
list_index_nodes(struct near_search *s)
{
	struct mem_search_hit *hits = NULL;
	struct mem_filter filter = MEM_FILTER_INIT;
	filter.kinds = s->q->kinds;
	struct mem_search_query q = { .ns = s->q->ns, .nns = s->q->nns, .filter = &filter, .min_score = -2,
		.limit = s->q->limit > CANDIDATES / SPARE ? SPARE * s->q->limit : CANDIDATES, .admit = is_node_wanted, .ctx = s };
	s->nords = 0;
	size_t n = 0;
	enum mem_status st = mem_vectors_nearest(s->t, &q, s->v, &hits, &n, s->err);
	for (size_t i = 0; i < n; i++) {
		s->ords = mem_grow(s->ords, &s->cap, s->nords + 1, sizeof *s->ords);
		s->ords[s->nords++] = hits[i].ord;
	}
	free(hits);
	return st;
}

static int
compare_near(const void *a, const void *b)
{
	const struct mem_near *x = a, *y = b;
	if (x->score < y->score || x->score > y->score)
		return x->score > y->score ? -1 : 1;
	return mem_id_cmp(&x->id, &y->id);
}

static void
keep_nearest(struct near_search *s)
{
	mem_sort(s->hits, s->nhits, sizeof *s->hits, compare_near);
	s->nhits = s->nhits < s->q->limit ? s->nhits : s->q->limit;
}

/* Of some nodes, whose vectors are rows; zeros are no vector. */
static enum mem_status
take_near_nodes(struct near_search *s, const uint32_t *ords, const float *rows, size_t n)
{
	uint32_t dims = s->model.dims;
	for (size_t i = 0; i < n; i++) {
		const struct mem_attr *a;
		const float *row = rows + i * dims;
		double score = mem_vectors_similarity(s->v, row, dims);
		if (score < s->q->least || !mem_vectors_is_unit(row, dims))
			continue;
		enum mem_status st = mem_attr_at(s->t, ords[i], &a, s->err);
		if (st != MEM_OK)
			return st;
		s->hits = mem_grow(s->hits, &s->hits_cap, s->nhits + 1, sizeof *s->hits);
		s->hits[s->nhits++] = (struct mem_near){ ords[i], a->id, score };
	}
	keep_nearest(s);
	return MEM_OK;
}

static enum mem_status
compare_nodes(struct near_search *s)
{
	float *rows = mem_xmalloc((size_t)AT_ONCE * s->model.dims * sizeof *rows);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < s->nords && st == MEM_OK; i += AT_ONCE) {
		size_t n = s->nords - i < AT_ONCE ? s->nords - i : AT_ONCE;
		st = mem_vectors_centred_read(s->t, s->ords + i, n, rows, s->err);
		if (st == MEM_OK)
			st = take_near_nodes(s, s->ords + i, rows, n);
	}
	free(rows);
	return st;
}

static enum mem_status
centre_query(struct near_search *s)
{
	size_t bytes = s->model.dims * sizeof *s->v;
	s->v = mem_xmalloc(bytes);
	if (s->q->vector == NULL) {
		enum mem_status st = mem_vectors_centred_read(s->t, &s->q->ord, 1, s->v, s->err);
		return st == MEM_OK && !mem_vectors_is_unit(s->v, s->model.dims) ? MEM_NOTFOUND : st;
	}
	memcpy(s->v, s->q->vector, bytes);
	mem_vectors_centre(&s->model, s->v);
	return MEM_OK;
}

enum mem_status
mem_near_search(struct mem_txn *t, const struct mem_near_query *q, struct mem_near **out, size_t *n, struct mem_err *err)
{
	struct near_search s = { .t = t, .q = q, .err = err };
	*out = NULL;
	*n = 0;
	enum mem_status st = mem_vectors_model_get(t, &s.model, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND && q->vector != NULL ? MEM_OK : st;
	st = centre_query(&s);
	if (st == MEM_OK && !q->by_index)
		st = list_wanted_nodes(&s);
	if (st == MEM_OK && (q->by_index || s.nords > COMPARED))
		st = list_index_nodes(&s);
	if (st == MEM_OK)
		st = compare_nodes(&s);
	free(s.v);
	free(s.ords);
	if (st == MEM_OK) {
		*out = s.hits;
		*n = s.nhits;
	} else {
		free(s.hits);
	}
	return st;
}
