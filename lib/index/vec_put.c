/* SPDX-License-Identifier: Apache-2.0 */
#include "index/index_int.h"

static enum mem_status
no_model(struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "index: vectors come before it is known who makes them");
}

enum mem_status
mem_index_vector_put(struct mem_txn *t, uint32_t ord, const float *v, struct mem_err *err)
{
	struct mem_index_model m;
	const struct mem_attr *a;
	bool fresh;
	enum mem_status st = mem_index_model_get(t, &m, err);
	if (st == MEM_NONE)
		return no_model(err);
	if (st == MEM_OK)
		st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_NONE)
		return mem_err_set(err, MEM_FAIL, "index: a vector of node %u, which is not there", ord);
	if (st == MEM_OK)
		st = mem_rows_put(t, m.dims, ord, v, &fresh, err);
	return st == MEM_OK ? mem_index_unpend(t, ord, err) : st;
}

/* All ords that have a row become pending. */
static enum mem_status
pend_all(struct mem_txn *t, uint32_t dims, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_rows r;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK) {
		st = mem_rows_parse(&r, mem_cursor_key(c), mem_cursor_value(c), dims, err);
		for (size_t i = 0; i < r.n && st == MEM_OK; i++)
			if (!mem_rows_none(&r, i))
				st = mem_index_pend(t, mem_rows_ord(&r, i), err);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_NONE ? MEM_OK : st;
}

enum mem_status
mem_index_vectors_clear(struct mem_txn *t, struct mem_err *err)
{
	struct mem_index_model m;
	enum mem_status st = mem_index_model_get(t, &m, err);
	if (st == MEM_NONE)
		return MEM_OK;
	if (st == MEM_OK)
		st = pend_all(t, m.dims, err);
	if (st == MEM_OK)
		st = mem_index_empty(t, MEM_T_ROW, err);
	static const char *const keys[] = { "model", "rows" };
	for (size_t i = 0; i < MEM_COUNT(keys) && (st == MEM_OK || st == MEM_NONE); i++)
		st = mem_tab_del(t, MEM_T_META, mem_str(keys[i]), err);
	return st == MEM_NONE ? MEM_OK : st;
}
