/* SPDX-License-Identifier: Apache-2.0 */
/* Drift: how much less like a block what happens is than it was. */
#include "belief/core.h"
#include "belief/core_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clean/clean_text.h"
#include "record/record.h"
#include "store/node.h"
#include "vectors/vectors.h"

/* ---- samples ------------------------------------------------------------- */

/* Episodes of one namespace captured in [from, to): the newest, or the oldest. */
struct drift_sample {
	int64_t from, to;
	bool oldest;
	uint32_t ords[MEM_CORE_DRIFT_SAMPLE];
	int64_t at[MEM_CORE_DRIFT_SAMPLE];
	size_t n;
};

/* Of two episodes the one that a full sample would rather keep. */
static bool
is_better_episode(const struct drift_sample *s, int64_t at, uint32_t ord, size_t i)
{
	if (at != s->at[i])
		return s->oldest ? at < s->at[i] : at > s->at[i];
	return s->oldest ? ord < s->ords[i] : ord > s->ords[i];
}

/* Keeps the sample in the order of preference, so that the last one goes first. */
static void
offer_episode(struct drift_sample *s, int64_t at, uint32_t ord)
{
	if (at < s->from || at >= s->to || (s->n == MEM_CORE_DRIFT_SAMPLE && !is_better_episode(s, at, ord, s->n - 1)))
		return;
	size_t i = s->n < MEM_CORE_DRIFT_SAMPLE ? s->n++ : s->n - 1;
	for (; i > 0 && is_better_episode(s, at, ord, i - 1); i--) {
		s->at[i] = s->at[i - 1];
		s->ords[i] = s->ords[i - 1];
	}
	s->at[i] = at;
	s->ords[i] = ord;
}

enum { BEFORE, BEHIND, NOW, SAMPLES };

/* What is measured of a block. */
struct block_samples {
	struct mem_core_drift *d;
	uint32_t ns;
	struct drift_sample sample[SAMPLES];
};

struct drift_walk {
	struct block_samples *v;
	size_t n;
	int64_t now;
};

/* A mem_attr_fn: one walk serves all blocks. */
static void
offer_attr(void *ctx, uint32_t ord, const struct mem_attr *a)
{
	struct drift_walk *w = ctx;
	if (a->kind != MEM_KIND_EPISODE || !mem_attr_live(a, w->now))
		return;
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < SAMPLES && w->v[i].ns == a->ns; k++)
			offer_episode(&w->v[i].sample[k], a->captured_at, ord);
}

/* ---- means ----------------------------------------------------------------- */

/* The mean of the sample's vectors, of length 1; *used: how many have one. */
static enum mem_status
average_sample(struct mem_txn *t, const struct drift_sample *s, uint32_t dims, float *mean, size_t *used, struct mem_err *err)
{
	float *rows = mem_xcalloc(s->n + 1, dims * sizeof *rows);
	double *sum = mem_xcalloc(dims, sizeof *sum), length = 0;
	enum mem_status st = s->n > 0 ? mem_vectors_centred_read(t, s->ords, s->n, rows, err) : MEM_OK;
	*used = 0;
	for (size_t i = 0; i < s->n && st == MEM_OK; i++) {
		const float *row = rows + i * dims;
		bool there = false;
		for (uint32_t k = 0; k < dims; k++) {
			sum[k] += (double)row[k];
			there = there || row[k] < 0 || row[k] > 0;
		}
		*used += there;
	}
	for (uint32_t k = 0; k < dims; k++)
		length += sum[k] * sum[k];
	for (uint32_t k = 0; k < dims; k++)
		mean[k] = length > 0 ? (float)(sum[k] / sqrt(length)) : 0;
	free(rows);
	free(sum);
	return st;
}

/* ---- one block -------------------------------------------------------------- */

static int64_t
read_text_time(const struct mem_core_block *b, struct mem_arena *a)
{
	struct mem_rec rec = { 0 };
	int64_t at = MEM_TIME_NONE;
	if (mem_rec_scan(&rec, b->json, NULL) == MEM_OK)
		at = core_text_since(a, &rec);
	mem_rec_release(&rec);
	return at;
}

static enum mem_status
compare_samples(struct mem_txn *t, struct mem_core_drift *d, const struct drift_sample *samples, uint32_t dims, struct mem_err *err)
{
	float *v = mem_xcalloc(4, dims * sizeof *v), *now = v + dims, *block = v + 2 * (size_t)dims, *behind = v + 3 * (size_t)dims;
	size_t late = 0;
	enum mem_status st = average_sample(t, &samples[BEFORE], dims, v, &d->before, err);
	if (st == MEM_OK && d->before < MEM_CORE_DRIFT_LEAST)
		st = average_sample(t, &samples[BEHIND], dims, behind, &late, err);
	if (late >= MEM_CORE_DRIFT_LEAST) {
		memcpy(v, behind, dims * sizeof *v);
		d->before = late;
	}
	if (st == MEM_OK)
		st = average_sample(t, &samples[NOW], dims, now, &d->now, err);
	if (st == MEM_OK)
		st = mem_vectors_centred_read(t, &d->block.ord, 1, block, err);
	d->known = st == MEM_OK && d->before >= MEM_CORE_DRIFT_LEAST && d->now >= MEM_CORE_DRIFT_LEAST;
	if (d->known) {
		double fall = mem_vectors_similarity(v, block, dims) - mem_vectors_similarity(now, block, dims);
		d->drift = round(1e6 * (fall < 0 ? 0 : fall > 1 ? 1 : fall)) / 1e6;
	}
	free(v);
	return st;
}

static enum mem_status
begin_samples(struct mem_txn *t, struct mem_arena *a, struct block_samples *b, int64_t now, struct mem_err *err)
{
	const struct mem_attr *attr;
	const int64_t at = read_text_time(&b->d->block, a);
	enum mem_status st = mem_attr_at(t, b->d->block.ord, &attr, err);
	if (st != MEM_OK || at == MEM_TIME_NONE)
		return st;
	b->ns = attr->ns;
	b->sample[BEFORE] = (struct drift_sample){ .from = at - MEM_CORE_DRIFT_WINDOW, .to = at };
	b->sample[BEHIND] = (struct drift_sample){ .from = at, .to = at + MEM_CORE_DRIFT_WINDOW, .oldest = true };
	b->sample[NOW] = (struct drift_sample){ .from = now - MEM_CORE_DRIFT_WINDOW, .to = now + 1 };
	return MEM_OK;
}

/* The blocks, none measured yet.  MEM_NOTFOUND: there are no vectors. */
static enum mem_status
list_drifting(struct drift_walk *w, struct mem_store *s, struct mem_arena *a, struct mem_core_drift **out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_core_block *blocks = NULL;
	struct mem_vectors_model model;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_core_blocks(t, a, MEM_STR(""), &blocks, &w->n, err);
	if (st == MEM_OK && w->n > 0) {
		*out = mem_arena_alloc(a, w->n * sizeof **out);
		w->v = mem_xcalloc(w->n, sizeof *w->v);
	}
	for (size_t i = 0; st == MEM_OK && i < w->n; i++) {
		(*out)[i] = (struct mem_core_drift){ .block = blocks[i] };
		w->v[i].d = &(*out)[i];
	}
	if (st == MEM_OK)
		st = mem_vectors_model_get(t, &model, err);
	for (size_t i = 0; st == MEM_OK && i < w->n; i++)
		st = begin_samples(t, a, &w->v[i], w->now, err);
	mem_txn_end(t);
	return st;
}

/* A snapshot for each: three times 256 vectors are read. */
static enum mem_status
measure_blocks(struct drift_walk *w, struct mem_store *s, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; st == MEM_OK && i < w->n; i++) {
		struct mem_txn *t = NULL;
		struct mem_vectors_model model;
		st = mem_txn_read(&t, s, err);
		if (st == MEM_OK)
			st = mem_vectors_model_get(t, &model, err);
		if (st == MEM_OK)
			st = compare_samples(t, w->v[i].d, w->v[i].sample, model.dims, err);
		mem_txn_end(t);
	}
	return st;
}

enum mem_status
mem_core_drift_measure(struct mem_store *s, struct mem_arena *a, struct mem_core_drift **out, size_t *n, struct mem_err *err)
{
	struct drift_walk w = { .now = mem_store_now(s) };
	*out = NULL;
	enum mem_status st = list_drifting(&w, s, a, out, err);
	*n = w.n;
	if (st == MEM_OK && w.n > 0)
		st = mem_attrs_each(s, offer_attr, &w, err);
	if (st == MEM_OK)
		st = measure_blocks(&w, s, err);
	free(w.v);
	return st == MEM_NOTFOUND ? MEM_OK : st; /* no vectors: nothing is known */
}

enum mem_status
mem_core_drift_keep(struct mem_write_run *r, const struct mem_core_drift *d, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = d->block.ns };
	const struct mem_principal *who = mem_store_principal(mem_writer_store(r->writer));
	bool over = d->known && d->drift > MEM_CORE_DRIFT_LIMIT;
	if (!mem_store_allows(mem_writer_store(r->writer), &to) || !(who->is_operator || mem_str_eq(d->block.ns, mem_writer_ns(r->writer))))
		return MEM_OK;
	struct mem_clean_object o = { 0 };
	struct mem_write_input in = mem_write_run_next(r, 0);
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "drift", over ? mem_clean_num(a, d->drift) : mem_clean_absent() };
	if (over)
		mem_clean_object_put(&o, "drift", mem_clean_num(a, d->drift));
	const struct mem_write_edit edit = { .set = set, .n = 1, .mark = true, .op = "drift",
		.audit = { over ? "drift_warning" : NULL, NULL, over ? mem_clean_object_end(&o, a) : mem_clean_absent() } };
	enum mem_status st = mem_write_change(r->writer, &in, &d->block.id, 0, &edit, err);
	return st == MEM_OK ? mem_write_run_end(r, err) : st;
}
