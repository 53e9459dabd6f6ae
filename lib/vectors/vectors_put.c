/* SPDX-License-Identifier: Apache-2.0 */
/* A node's vector: put, dropped, restored. */
#include "vectors/vectors_int.h"
#include "store/node.h"

#include <stdlib.h>

static enum mem_status
bury_segment_code(struct mem_txn *t, struct mem_seg *seg, const struct mem_attr *a, uint32_t ord, bool *found,
    struct mem_err *err)
{
	struct mem_cols c = { .zone = UINT32_MAX };
	uint32_t doc;
	*found = mem_seg_doc(seg, &c, a->ns, ord, &doc);
	if (!*found)
		return seg->status;
	enum mem_status st = mem_tomb_put(t, seg->number, doc, err);
	*found = st == MEM_OK; /* an older one's is of no use */
	return st == MEM_EXISTS ? MEM_OK : st;
}

/* The code that the index has of the node is no longer its vector's. */
static enum mem_status
bury_code(struct mem_txn *t, const struct mem_attr *a, uint32_t ord, struct mem_err *err)
{
	struct mem_segment_info *segs = NULL;
	size_t n = 0;
	uint8_t key[4];
	bool found = false;
	mem_be32(key, ord);
	enum mem_status st = mem_tab_del(t, MEM_T_CODE, mem_key(key, sizeof key), err);
	if (st != MEM_NOTFOUND)
		return st;
	st = mem_segment_list(t, true, &segs, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK && !found; i++) {
		struct mem_seg seg;
		if (ord < segs[i].m.ord_min || ord > segs[i].m.ord_max)
			continue;
		st = mem_seg_open_table(&seg, t, segs[i].number,
		    (struct mem_str){ (const char *)&segs[i].m, sizeof segs[i].m }, err);
		if (st == MEM_OK)
			st = bury_segment_code(t, &seg, a, ord, &found, err);
		mem_seg_close(&seg);
	}
	free(segs);
	return st;
}

static enum mem_status
put_tail_code(struct mem_txn *t, const struct mem_vectors_model *m, const struct mem_attr *a, uint32_t ord,
    const float *v, struct mem_err *err)
{
	struct mem_code_mean mean;
	uint8_t key[4], *value = mem_xcalloc(1, VECTORS_TAIL_BYTES(m->dims));
	struct vectors_tail_head head = { .captured_at = a->captured_at, .ord = ord, .ns = a->ns,
		.session = a->session, .kind = a->kind, .role = a->role };
	memcpy(value, &head, sizeof head);
	mem_code_mean_init(&mean, m->mean, m->dims);
	mem_code_make(&mean, v, value + sizeof head);
	mem_code_mean_release(&mean);
	mem_be32(key, ord);
	enum mem_status st = mem_tab_append(t, MEM_T_CODE, mem_key(key, sizeof key),
	    (struct mem_str){ (const char *)value, VECTORS_TAIL_BYTES(m->dims) }, false, err);
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

enum mem_status
mem_vectors_put(struct mem_txn *t, uint32_t ord, const float *v, struct mem_err *err)
{
	struct mem_vectors_model m;
	const struct mem_attr *a;
	bool fresh = true;
	enum mem_status st = get_model_and_node(t, ord, &m, &a, err);
	if (st != MEM_OK)
		return st;
	if (!mem_vectors_is_unit(v, m.dims))
		return mem_err_set(err, MEM_USAGE, "index: the vector of node %u is not of length 1", ord);
	st = vectors_rows_put(t, m.dims, ord, v, &fresh, err);
	if (st == MEM_OK && !fresh)
		st = bury_code(t, a, ord, err);
	if (st == MEM_OK)
		st = put_tail_code(t, &m, a, ord, v, err);
	return st == MEM_OK ? mem_vectors_unpend(t, ord, err) : st;
}

enum mem_status
mem_vectors_drop(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_vectors_model m;
	const struct mem_attr *a;
	enum mem_status st = get_model_and_node(t, ord, &m, &a, err);
	if (st == MEM_OK)
		st = vectors_rows_drop(t, m.dims, ord, err);
	return st == MEM_OK ? bury_code(t, a, ord, err) : st;
}

enum mem_status
mem_vectors_restore(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_vectors_model m;
	const struct mem_attr *a;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st != MEM_OK)
		return st;
	float *v = mem_xmalloc(m.dims * sizeof *v);
	st = mem_vectors_get(t, ord, v, err);
	if (st == MEM_OK)
		st = get_model_and_node(t, ord, &m, &a, err);
	if (st == MEM_OK)
		st = put_tail_code(t, &m, a, ord, v, err);
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
			if (!vectors_is_zero_row(&r, i))
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
	static const enum mem_table tabs[] = { MEM_T_ROW, MEM_T_CODE };
	static const char *const keys[] = { "model", "rows" };
	struct mem_vectors_model m;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_NOTFOUND)
		return MEM_OK;
	if (st == MEM_OK)
		st = pend_row_nodes(t, m.dims, err);
	if (st == MEM_OK)
		st = drop_vector_segments(t, err);
	for (size_t i = 0; i < MEM_COUNT(tabs) && st == MEM_OK; i++)
		st = mem_segment_empty_table(t, tabs[i], err);
	for (size_t i = 0; i < MEM_COUNT(keys) && (st == MEM_OK || st == MEM_NOTFOUND); i++)
		st = mem_tab_del(t, MEM_T_META, mem_str(keys[i]), err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}
