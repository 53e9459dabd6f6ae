/* SPDX-License-Identifier: Apache-2.0 */
/* A node's vectors: put, dropped, restored. */
#include "vectors/vectors_int.h"
#include "store/node.h"

#include <stdlib.h>

/* *left: codes of the node that were not found yet. */
static enum mem_status
bury_segment_codes(struct mem_txn *t, struct mem_seg *seg, const struct mem_attr *a, uint32_t ord, size_t *left,
    struct mem_err *err)
{
	struct mem_cols c = { .zone = UINT32_MAX };
	uint32_t *docs = NULL;
	size_t n = 0;
	enum mem_status st = mem_seg_docs(seg, &c, a->ns, ord, &docs, &n) ? MEM_OK : seg->status;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		st = mem_tomb_put(t, seg->number, docs[i], err);
		*left -= st == MEM_OK && *left > 0;
		st = st == MEM_EXISTS ? MEM_OK : st; /* an older one's is of no use */
	}
	free(docs);
	return st;
}

/* The `had` codes that the index has of the node are no longer its vectors'. */
static enum mem_status
bury_codes(struct mem_txn *t, const struct mem_attr *a, uint32_t ord, size_t had, struct mem_err *err)
{
	struct mem_segment_info *segs = NULL;
	size_t n = 0, left = had;
	enum mem_status st = MEM_OK;
	for (uint32_t passage = 0; passage < had && st == MEM_OK; passage++) {
		uint8_t key[VECTORS_TAIL_KEY];
		vectors_tail_key(key, ord, passage);
		st = mem_tab_del(t, MEM_T_CODE, mem_key(key, sizeof key), err);
		left -= st == MEM_OK;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	if (st == MEM_OK && left > 0)
		st = mem_segment_list(t, true, &segs, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK && left > 0; i++) {
		struct mem_seg seg;
		if (ord < segs[i].m.ord_min || ord > segs[i].m.ord_max)
			continue;
		st = mem_seg_open_table(&seg, t, segs[i].number,
		    (struct mem_str){ (const char *)&segs[i].m, sizeof segs[i].m }, err);
		if (st == MEM_OK)
			st = bury_segment_codes(t, &seg, a, ord, &left, err);
		mem_seg_close(&seg);
	}
	free(segs);
	return st;
}

static enum mem_status
put_tail_codes(struct mem_txn *t, const struct mem_vectors_model *m, const struct mem_attr *a, uint32_t ord,
    const struct mem_vectors_passage *passages, size_t n, struct mem_err *err)
{
	struct mem_code_mean mean;
	uint8_t key[VECTORS_TAIL_KEY], *value = mem_xcalloc(1, VECTORS_TAIL_BYTES(m->dims));
	struct vectors_tail_head head = { .captured_at = a->captured_at, .ord = ord, .ns = a->ns,
		.session = a->session, .kind = a->kind, .role = a->role };
	enum mem_status st = MEM_OK;
	mem_code_mean_init(&mean, m->mean, m->dims);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		head.passage = (uint16_t)i;
		if (n > 1)
			head.span = passages[i].span;
		memcpy(value, &head, sizeof head);
		mem_code_make(&mean, passages[i].v, value + sizeof head);
		vectors_tail_key(key, ord, (uint32_t)i);
		st = mem_tab_append(t, MEM_T_CODE, mem_key(key, sizeof key),
		    (struct mem_str){ (const char *)value, VECTORS_TAIL_BYTES(m->dims) }, false, err);
	}
	mem_code_mean_release(&mean);
	free(value);
	return st;
}

/* The model and the node; MEM_FAIL: one of them is not there. */
static enum mem_status
get_model_and_node(struct mem_txn *t, uint32_t ord, struct mem_vectors_model *m, const struct mem_attr **a, struct mem_err *err)
{
	enum mem_status st = mem_vectors_model_get(t, m, err);
	if (st == MEM_NOTFOUND)
		return mem_err_set(err, MEM_FAIL, "index: vectors come before it is known who makes them");
	if (st == MEM_OK)
		st = mem_attr_at(t, ord, a, err);
	return st == MEM_NOTFOUND ? mem_err_set(err, MEM_FAIL, "index: a vector of node %u, which is not there", ord) : st;
}

bool
mem_vectors_is_unit(const float *v, uint32_t dims)
{
	double square = 0;
	for (uint32_t i = 0; i < dims; i++)
		square += (double)v[i] * (double)v[i];
	return square > 1 - 1e-5 && square < 1 + 1e-5; /* not of a NaN */
}

/* MEM_USAGE: they cannot be kept. */
static enum mem_status
check_passages(const struct mem_vectors_passage *passages, size_t n, uint32_t dims, uint32_t ord, struct mem_err *err)
{
	if (n == 0 || n > MEM_VECTORS_PASSAGES)
		return mem_err_set(err, MEM_USAGE, "index: %zu vectors of node %u", n, ord);
	for (size_t i = 0; i < n; i++) {
		const struct mem_vectors_span *s = &passages[i].span;
		if (!mem_vectors_is_unit(passages[i].v, dims))
			return mem_err_set(err, MEM_USAGE, "index: the vector of node %u is not of length 1", ord);
		if (n > 1 && (s->start >= s->end || s->field > 255))
			return mem_err_set(err, MEM_USAGE, "index: passage %zu of node %u lies nowhere", i, ord);
	}
	return MEM_OK;
}

enum mem_status
mem_vectors_put(struct mem_txn *t, uint32_t ord, const struct mem_vectors_passage *passages, size_t n, struct mem_err *err)
{
	struct mem_vectors_model m;
	const struct mem_attr *a;
	size_t had = 0;
	enum mem_status st = get_model_and_node(t, ord, &m, &a, err);
	if (st == MEM_OK)
		st = check_passages(passages, n, m.dims, ord, err);
	if (st != MEM_OK)
		return st;
	const float **v = mem_xcalloc(n, sizeof *v);
	for (size_t i = 0; i < n; i++)
		v[i] = passages[i].v;
	st = vectors_rows_put(t, m.dims, ord, v, n, &had, err);
	free(v);
	if (st == MEM_OK && had > 0)
		st = bury_codes(t, a, ord, had, err);
	if (st == MEM_OK && had > 0)
		st = vectors_pieces_drop(t, ord, err);
	if (st == MEM_OK)
		st = put_tail_codes(t, &m, a, ord, passages, n, err);
	if (st == MEM_OK)
		st = vectors_pieces_put(t, a, ord, m.dims, passages, n, err);
	return st == MEM_OK ? mem_vectors_unpend(t, ord, err) : st;
}

enum mem_status
mem_vectors_drop(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_vectors_model m;
	const struct mem_attr *a;
	size_t had = 0;
	enum mem_status st = get_model_and_node(t, ord, &m, &a, err);
	if (st == MEM_OK)
		st = vectors_rows_put(t, m.dims, ord, NULL, 0, &had, err);
	if (st == MEM_OK)
		st = vectors_pieces_drop(t, ord, err);
	return st == MEM_OK ? bury_codes(t, a, ord, had, err) : st;
}

enum mem_status
mem_vectors_restore(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_vectors_model m;
	const struct mem_attr *a;
	size_t had;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st != MEM_OK)
		return st;
	float *v = mem_xmalloc(m.dims * sizeof *v);
	st = mem_vectors_get(t, ord, 1, v, err);
	if (st == MEM_OK) {
		st = vectors_rows_put(t, m.dims, ord, NULL, 0, &had, err);
		if (st == MEM_OK)
			st = vectors_pieces_drop(t, ord, err);
		free(v);
		return st == MEM_OK ? MEM_NOTFOUND : st;
	}
	if (st == MEM_NOTFOUND)
		st = mem_vectors_get(t, ord, 0, v, err);
	if (st == MEM_OK)
		st = get_model_and_node(t, ord, &m, &a, err);
	if (st == MEM_OK)
		st = put_tail_codes(t, &m, a, ord, &(struct mem_vectors_passage){ .v = v }, 1, err);
	free(v);
	return st;
}

/* ---- away with all ---------------------------------------------------- */

/* All that have a row become pending. */
static enum mem_status
pend_row_nodes(struct mem_txn *t, uint32_t dims, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct vectors_row_block r;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK) {
		st = vectors_rows_parse(&r, mem_cursor_key(c), mem_cursor_value(c), dims, err);
		for (size_t i = 0; st == MEM_OK && i < r.n; i++)
			if (vectors_place_passage(vectors_rows_place(&r, i)) == 0 && !vectors_is_zero_row(vectors_rows_at(&r, i), r.bytes))
				st = mem_vectors_pend(t, vectors_rows_ord(&r, i), err);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* Manifests go; their parts are swept by whoever tidies next. */
static enum mem_status
drop_vector_segments(struct mem_txn *t, struct mem_err *err)
{
	struct mem_segment_info *segs = NULL;
	size_t n = 0;
	uint8_t key[4];
	enum mem_status st = mem_segment_list(t, true, &segs, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		mem_be32(key, segs[i].number);
		st = mem_tab_del(t, MEM_T_SEGS, mem_key(key, sizeof key), err);
		if (st == MEM_OK)
			st = mem_tombs_drop(t, segs[i].number, err);
	}
	free(segs);
	return st;
}

enum mem_status
mem_vectors_clear(struct mem_txn *t, struct mem_err *err)
{
	static const enum mem_table tabs[] = { MEM_T_ROW, MEM_T_CODE, MEM_T_PIECE };
	static const char *const keys[] = { "model", "rows", "pieces" };
	struct mem_vectors_model m;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_NOTFOUND)
		return MEM_OK;
	if (st == MEM_OK)
		st = pend_row_nodes(t, m.dims, err);
	if (st == MEM_OK)
		st = drop_vector_segments(t, err);
	if (st == MEM_OK)
		st = vectors_pieces_empty_waits(t, err);
	for (size_t i = 0; i < MEM_COUNT(tabs) && st == MEM_OK; i++)
		st = mem_segment_empty_table(t, tabs[i], err);
	for (size_t i = 0; i < MEM_COUNT(keys) && (st == MEM_OK || st == MEM_NOTFOUND); i++)
		st = mem_tab_del(t, MEM_T_META, mem_str(keys[i]), err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}
