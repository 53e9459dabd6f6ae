/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of hits: that in a hit's field `vector`, else that of the store's node.  Centred, so that products are similarities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "stage/rerank_int.h"
#include "store/node.h"
#include "vector/vector.h"
#include "vectors/vectors.h"

enum { DIMS_MAX = 4096 };
static const double NUMBER_MAX = 1e30; /* fits a float */
/* What the kernel of mem_similar may be wrong by, of vectors of length 1 with up to 4,096 numbers. */
static const float PRODUCT_ERROR = 1e-3F;

void
rerank_vectors_release(struct rerank_vectors *x)
{
	free(x->has);
	free(x->v);
	free(x->products);
	*x = (struct rerank_vectors){ 0 };
}

/* ---- the field ---------------------------------------------------------- */

static uint32_t
read_number_array(struct mem_json array, float *out)
{
	uint32_t n = 0;
	for (struct mem_json_iter it = mem_json_each(array); mem_json_next(&it); n++) {
		double d;
		if (n == DIMS_MAX || !mem_json_num(it.value, &d) || fabs(d) > NUMBER_MAX)
			return 0;
		out[n] = (float)d;
	}
	return n;
}

/* Little-endian float32 in base64. */
static uint32_t
read_base64_floats(struct reranker *r, struct mem_json string, float *out)
{
	struct mem_buf bytes = { 0 };
	uint32_t n = 0;
	mem_buf_reset(&r->text);
	if (mem_json_decode(&r->text, string) && mem_buf_base64_decode(&bytes, mem_buf_span(&r->text))
	    && bytes.len % sizeof *out == 0 && bytes.len / sizeof *out <= DIMS_MAX) {
		n = (uint32_t)(bytes.len / sizeof *out);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t bits = mem_ld32(bytes.data + i * sizeof bits);
			memcpy(&out[i], &bits, sizeof bits);
		}
	}
	mem_buf_release(&bytes);
	return n;
}

/* The numbers of a hit's own vector, of length 1; 0: it has none that can be used. */
static uint32_t
read_hit_vector(struct reranker *r, const struct stage_hit *hit, float *out)
{
	mem_rec_look(&r->rec, hit->line);
	struct mem_json v = mem_rec_value(&r->rec, "vector");
	uint32_t n = v.type == MEM_JSON_ARRAY ? read_number_array(v, out) : v.type == MEM_JSON_STRING ? read_base64_floats(r, v, out) : 0;
	return n > 0 && mem_normalise(out, n) ? n : 0;
}

/* The first hit's dimensions count, unless a store's are known. */
static void
take_hit_vectors(struct rerank_vectors *x, struct reranker *r, struct mem_vectors_model *m, const struct rerank_hit *v)
{
	float *own = mem_xcalloc(DIMS_MAX, sizeof *own);
	for (size_t i = 0; i < x->n; i++) {
		uint32_t dims = read_hit_vector(r, v[i].hit, own);
		if (dims > 0 && m->dims == 0) {
			m->dims = dims;
			m->mean = r->opts.find_mean != NULL ? r->opts.find_mean(dims) : NULL;
		}
		if (dims == 0 || dims != m->dims)
			continue;
		if (x->v == NULL)
			x->v = mem_xcalloc(x->n * dims, sizeof *x->v);
		memcpy(x->v + i * dims, own, dims * sizeof *own);
		x->has[i] = mem_vectors_centre(m, x->v + i * dims);
	}
	free(own);
}

/* ---- the store ---------------------------------------------------------- */

struct stored_vector {
	uint32_t ord;
	size_t at;                 /* among the hits */
};

static int
compare_stored_by_ord(const void *a, const void *b)
{
	const struct stored_vector *x = a, *y = b;
	return x->ord != y->ord ? (x->ord > y->ord) - (x->ord < y->ord) : (x->at > y->at) - (x->at < y->at);
}

/* What the caller may not see has no vector. */
static bool
find_hit_node(struct mem_txn *t, const struct stage_hit *hit, uint32_t *ord)
{
	struct mem_id id;
	struct mem_node node;
	struct mem_str text = { hit->id.p + 1, hit->id.n - 2 };
	if (!mem_id_parse(text, &id))
		return false;
	enum mem_status st = mem_node_by_id(t, &id, &node, NULL);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, node.ord);
	*ord = node.ord;
	return st == MEM_OK && mem_node_readable(t, node.attr);
}

static size_t
list_stored_vectors(const struct rerank_vectors *x, struct mem_txn *t, const struct rerank_hit *v, struct stored_vector *out)
{
	size_t n = 0;
	for (size_t i = 0; i < x->n; i++)
		if (!x->has[i] && find_hit_node(t, v[i].hit, &out[n].ord))
			out[n++].at = i;
	mem_sort(out, n, sizeof *out, compare_stored_by_ord);
	return n;
}

static enum mem_status
take_stored_vectors(struct rerank_vectors *x, struct mem_txn *t, uint32_t dims, const struct rerank_hit *v, struct mem_err *err)
{
	struct stored_vector *stored = mem_xcalloc(x->n, sizeof *stored);
	uint32_t *ords = mem_xcalloc(x->n, sizeof *ords);
	float *rows = mem_xcalloc(x->n * dims, sizeof *rows);
	size_t n = list_stored_vectors(x, t, v, stored), different = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || stored[i].ord != stored[i - 1].ord)
			ords[different++] = stored[i].ord;
	enum mem_status st = different > 0 ? mem_vectors_centred_read(t, ords, different, rows, err) : MEM_OK;
	if (x->v == NULL)
		x->v = mem_xcalloc(x->n * dims, sizeof *x->v);
	for (size_t i = 0, k = 0; i < n && st == MEM_OK; i++) {
		k += ords[k] != stored[i].ord;
		const float *row = rows + k * dims;
		memcpy(x->v + stored[i].at * dims, row, dims * sizeof *row);
		x->has[stored[i].at] = mem_vectors_is_unit(row, dims);
	}
	free(stored);
	free(ords);
	free(rows);
	return st;
}

/* ---- all of them -------------------------------------------------------- */

static void
multiply_vectors(struct rerank_vectors *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->nhave += x->has[i];
	if (x->nhave < 2)
		return;
	x->products = mem_xmalloc(x->n * x->n * sizeof *x->products);
	mem_similar(x->v, x->n, x->v, x->n, x->dims, x->products);
}

enum mem_status
rerank_vectors_read(struct rerank_vectors *x, struct reranker *r, const struct rerank_hit *v, size_t n, struct mem_err *err)
{
	struct mem_vectors_model m = { .dims = 0 };
	struct mem_txn *t = NULL;
	enum mem_status st = MEM_OK;
	*x = (struct rerank_vectors){ .n = n, .has = mem_xcalloc(n, sizeof *x->has) };
	if (r->opts.store != NULL)
		st = mem_txn_read(&t, r->opts.store, err);
	if (t != NULL && st == MEM_OK) {
		st = mem_vectors_model_get(t, &m, err);
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	bool stored = m.dims > 0;
	if (st == MEM_OK)
		take_hit_vectors(x, r, &m, v);
	if (st == MEM_OK && stored)
		st = take_stored_vectors(x, t, m.dims, v, err);
	mem_txn_end(t);
	x->dims = m.dims;
	if (st == MEM_OK)
		multiply_vectors(x);
	return st;
}

bool
rerank_vectors_nearer(const struct rerank_vectors *x, size_t i, size_t j, double *similarity)
{
	if (x->products[i * x->n + j] < (float)*similarity - PRODUCT_ERROR)
		return false;
	double s = mem_vectors_similarity(x->v + i * x->dims, x->v + j * x->dims, x->dims);
	if (s <= *similarity)
		return false;
	*similarity = s;
	return true;
}
