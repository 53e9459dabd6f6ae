/* SPDX-License-Identifier: Apache-2.0 */
/* The model that made the store's vectors, and the nodes that wait for a vector. */
#include "vectors/vectors_int.h"

#include <stdlib.h>

#define DIMS_MAX 4096

/* In table meta, then the mean.  Padded to over half a page, so that LMDB gives it pages of its own and the
 * mean lies where floats may lie. */
struct stored_model {
	char name[64], sha256[65];
	uint8_t zero[3];
	uint32_t dims;
	float near;
	uint32_t zero2;
	double weight;
	uint8_t zeros[104];
};
_Static_assert(sizeof(struct stored_model) == 256, "stored as it lies in memory");
#define STORED_MIN 4080

static enum mem_status
report_damaged_model(struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "what is noted of the model of vectors is damaged: run mem-check --repair");
}

enum mem_status
mem_vectors_model_get(struct mem_txn *t, struct mem_vectors_model *out, struct mem_err *err)
{
	struct mem_str v;
	struct stored_model s;
	enum mem_status st = mem_tab_get(t, MEM_T_META, MEM_STR("model"), &v, err);
	if (st != MEM_OK)
		return st;
	if (v.n < sizeof s)
		return report_damaged_model(err);
	memcpy(&s, v.p, sizeof s);
	if (!mem_vectors_dims_fit(s.dims) || v.n < sizeof s + s.dims * sizeof(float)
	    || ((uintptr_t)v.p & (sizeof(float) - 1)) != 0 || s.name[sizeof s.name - 1] != '\0'
	    || s.sha256[sizeof s.sha256 - 1] != '\0')
		return report_damaged_model(err);
	memcpy(out->name, s.name, sizeof out->name);
	memcpy(out->sha256, s.sha256, sizeof out->sha256);
	out->dims = s.dims;
	out->near = s.near;
	out->weight = s.weight;
	out->mean = (const float *)(const void *)(v.p + sizeof s);
	return MEM_OK;
}

static bool
is_same_model(const struct mem_vectors_model *a, const struct mem_vectors_model *b)
{
	if (a->dims != b->dims || strcmp(a->name, b->name) != 0 || strcmp(a->sha256, b->sha256) != 0)
		return false;
	for (uint32_t i = 0; i < a->dims; i++) {
		float x = a->mean != NULL ? a->mean[i] : 0, y = b->mean != NULL ? b->mean[i] : 0;
		if (x < y || x > y)
			return false;
	}
	return true;
}

bool
mem_vectors_dims_fit(uint32_t dims)
{
	return dims > 0 && dims <= DIMS_MAX && dims % 8 == 0;
}

enum mem_status
mem_vectors_model_put(struct mem_txn *t, const struct mem_vectors_model *m, struct mem_err *err)
{
	struct mem_vectors_model was;
	struct stored_model s = { .dims = m->dims, .near = m->near, .weight = m->weight };
	if (!mem_vectors_dims_fit(m->dims))
		return mem_err_set(err, MEM_USAGE, "vectors of %u numbers: it must be a multiple of 8, at most %d",
		    m->dims, DIMS_MAX);
	enum mem_status st = mem_vectors_model_get(t, &was, err);
	if (st == MEM_OK && !is_same_model(m, &was) && mem_tab_count(t, MEM_T_ROW) > 0)
		return mem_err_set(err, MEM_FAIL, "the store's vectors were made by '%s', not by '%s': run mem-embed --rebuild",
		    was.name, m->name);
	if (st == MEM_NOTFOUND) /* no vector lacks its pieces */
		st = vectors_pieces_record_put(t, &(struct vectors_pieces_record){ .missing = VECTORS_PIECES_WHOLE }, err);
	if (st != MEM_OK)
		return st;
	memcpy(s.name, m->name, sizeof s.name);
	memcpy(s.sha256, m->sha256, sizeof s.sha256);
	s.name[sizeof s.name - 1] = s.sha256[sizeof s.sha256 - 1] = '\0';
	size_t n = sizeof s + m->dims * sizeof(float);
	size_t size = n > STORED_MIN ? n : STORED_MIN;
	uint8_t *value = mem_xcalloc(size, 1);
	memcpy(value, &s, sizeof s);
	if (m->mean != NULL)
		memcpy(value + sizeof s, m->mean, m->dims * sizeof(float));
	st = mem_tab_put(t, MEM_T_META, MEM_STR("model"), (struct mem_str){ (const char *)value, size }, err);
	free(value);
	return st;
}

/* ---- waiting ---------------------------------------------------------- */

enum mem_status
mem_vectors_pend(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	uint8_t key[4];
	mem_be32(key, ord);
	return mem_tab_append(t, MEM_T_PEND, mem_key(key, sizeof key), (struct mem_str){ "", 0 }, false, err);
}

enum mem_status
mem_vectors_unpend(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	uint8_t key[4];
	mem_be32(key, ord);
	enum mem_status st = mem_tab_del(t, MEM_T_PEND, mem_key(key, sizeof key), err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
mem_vectors_pending(struct mem_txn *t, uint32_t *ords, size_t max, uint32_t after, size_t *n, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	uint8_t key[4];
	*n = 0;
	mem_be32(key, after + 1); /* after UINT32_MAX: from 0 */
	if (max == 0)
		return MEM_OK;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_PEND, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, mem_key(key, sizeof key), err);
	while (st == MEM_OK) {
		struct mem_str k = mem_cursor_key(c);
		const bool sound = mem_cursor_sound(c);
		if (sound && k.n == 8) /* the first that waits for codes of pieces */
			break;
		if (!sound || k.n != sizeof key)
			st = mem_err_set(err, MEM_FAIL, "table pend is damaged: run mem-check --repair");
		else
			ords[(*n)++] = mem_be32_get((const uint8_t *)k.p);
		if (st != MEM_OK || *n == max)
			break;
		st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

uint64_t
mem_vectors_pending_count(struct mem_txn *t)
{
	struct vectors_pieces_record r;
	uint64_t all = mem_tab_count(t, MEM_T_PEND);
	return all > 0 && vectors_pieces_record_get(t, &r, NULL) == MEM_OK && r.waiting <= all ? all - r.waiting : all;
}
