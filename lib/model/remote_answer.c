/* SPDX-License-Identifier: Apache-2.0 */
/* Reads vectors from the answer of a server. */
#include "model/model_int.h"

#include <math.h>
#include <stdlib.h>

#include "record/record.h"

/* In double, so that what a server rounded is not rounded again. */
static bool
scale_to_length_1(float *v, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (double)v[i] * (double)v[i];
	if (!(sum > 0) || !isfinite(sum))
		return false;
	double by = 1 / sqrt(sum);
	for (size_t i = 0; i < n; i++)
		v[i] = (float)((double)v[i] * by);
	return true;
}

static uint32_t
count_elements(struct mem_json array)
{
	uint32_t n = 0;
	for (struct mem_json_iter it = mem_json_each(array); mem_json_next(&it) && n <= MODEL_REMOTE_DIMS_MAX;)
		n++;
	return n;
}

static enum mem_status
read_vector(struct mem_json v, float *to, uint32_t dims, struct mem_err *err)
{
	uint32_t i = 0;
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it); i++) {
		double d;
		if (i == dims)
			break;
		if (!mem_json_num(it.value, &d) || !isfinite((float)d))
			return mem_err_set(err, MEM_FAIL, "a vector holds what is no number");
		to[i] = (float)d;
	}
	if (i != dims || count_elements(v) != dims)
		return mem_err_set(err, MEM_FAIL, "vectors of %u and of %u dimensions", dims, count_elements(v));
	if (!scale_to_length_1(to, dims))
		return mem_err_set(err, MEM_FAIL, "a vector of length 0");
	return MEM_OK;
}

/* Which of the n texts an element is about; n: none of them. */
static size_t
find_text_place(struct mem_json element, size_t at, size_t n)
{
	struct mem_json index = mem_json_member(element, "index");
	int64_t i;
	if (!mem_json_there(index))
		return at;
	return mem_json_int(index, &i) && i >= 0 && (uint64_t)i < n ? (size_t)i : n;
}

static enum mem_status
read_vectors(struct mem_json data, size_t n, uint32_t *dims, float **to, bool *seen, struct mem_err *err)
{
	size_t at = 0;
	for (struct mem_json_iter it = mem_json_each(data); mem_json_next(&it); at++) {
		struct mem_json v = mem_json_member(it.value, "embedding");
		size_t i = find_text_place(it.value, at, n);
		if (i >= n || seen[i])
			return mem_err_set(err, MEM_FAIL, "vectors for other texts than were sent");
		seen[i] = true;
		if (v.type != MEM_JSON_ARRAY)
			return mem_err_set(err, MEM_FAIL, "no array 'embedding' in its data");
		if (*dims == 0)
			*dims = count_elements(v);
		if (*dims == 0 || *dims > MODEL_REMOTE_DIMS_MAX)
			return mem_err_set(err, MEM_FAIL, "a vector of %s dimensions", *dims == 0 ? "no" : "too many");
		if (*to == NULL)
			*to = mem_xcalloc(n, *dims * sizeof **to);
		enum mem_status st = read_vector(v, *to + i * *dims, *dims, err);
		if (st != MEM_OK)
			return st;
	}
	return at == n ? MEM_OK : mem_err_set(err, MEM_FAIL, "%zu vectors for %zu texts", at, n);
}

enum mem_status
model_read_answer(struct mem_str body, size_t n, uint32_t *dims, float **to, struct mem_err *err)
{
	struct mem_json answer;
	struct mem_err why;
	*to = NULL;
	if (mem_json_scan(&answer, body, &why) != MEM_OK)
		return mem_err_set(err, MEM_FAIL, "no JSON: %s at byte %zu", why.reason, why.offset);
	struct mem_json data = mem_json_member(answer, "data");
	if (data.type != MEM_JSON_ARRAY)
		return mem_err_set(err, MEM_FAIL, "no array 'data'");
	uint32_t d = *dims;
	bool *seen = mem_xcalloc(n, sizeof *seen);
	enum mem_status st = read_vectors(data, n, &d, to, seen, err);
	free(seen);
	if (st == MEM_OK) {
		*dims = d;
	} else {
		free(*to);
		*to = NULL;
	}
	return st;
}
