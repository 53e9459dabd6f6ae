/* SPDX-License-Identifier: Apache-2.0 */
/* The similarity of texts, by their vectors less the model's mean. */
#include "vectors/vectors_int.h"

#include <string.h>

bool
mem_vectors_centre(const struct mem_vectors_model *m, float *v)
{
	for (uint32_t i = 0; i < m->dims && m->mean != NULL; i++)
		v[i] -= m->mean[i];
	if (mem_normalise(v, m->dims))
		return true;
	memset(v, 0, m->dims * sizeof *v);
	return false;
}

static double
round_similarity(float product)
{
	double s = mem_score_round((double)product);
	return s > 0 ? s : 0; /* not of a NaN */
}

double
mem_vectors_similarity(const float *a, const float *b, uint32_t dims)
{
	return round_similarity(mem_dot(a, b, dims));
}

enum mem_status
mem_vectors_centred_read(struct mem_txn *t, const uint32_t *ords, size_t n, float *out, struct mem_err *err)
{
	struct mem_vectors_model m;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		st = vectors_means_read(t, m.dims, ords, n, out, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		float *v = out + i * m.dims;
		if (!vectors_is_zero_row((const uint8_t *)v, m.dims * sizeof *v))
			mem_vectors_centre(&m, v);
	}
	return st;
}

struct similar_pairs {
	double least;
	mem_vectors_pair_fn *fn;
	void *ctx;
};

/* A mem_similar_fn. */
static bool
take_similar_pair(void *ctx, size_t i, size_t j, float product)
{
	const struct similar_pairs *p = ctx;
	double s = round_similarity(product);
	return s < p->least || p->fn(p->ctx, i, j, s);
}

bool
mem_vectors_similar_each(const float *a, size_t na, const float *b, size_t nb, uint32_t dims, double least,
    mem_vectors_pair_fn *fn, void *ctx)
{
	struct similar_pairs p = { least, fn, ctx };
	/* What rounds up to the least counts. */
	return mem_similar_each(a, na, b, nb, dims, (float)least - 1e-6F, take_similar_pair, &p);
}

bool
mem_vectors_similar_pairs(const float *a, size_t n, uint32_t dims, double least, mem_vectors_pair_fn *fn, void *ctx)
{
	struct similar_pairs p = { least, fn, ctx };
	return mem_similar_pairs(a, n, dims, (float)least - 1e-6F, take_similar_pair, &p);
}
