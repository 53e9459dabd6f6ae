/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fill_vectors DIR: gives every pending node of a store a made-up vector of the installed default
 * model (make build/release/bench/fill_vectors), for benches of hybrid search at sizes that would
 * take hours to encode.
 *
 * A vector is the model's mean, plus one of 1,000 centres, plus half as much of its own: about
 * as far apart as those of real texts, which lie in a narrow cone in groups.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/index.h"
#include "model/model.h"
#include "vector/vector.h"

enum { BATCH = 2000, CENTRES = 1000 };

static struct mem_err err;

static void
must(enum mem_status st, const char *what)
{
	if (st == MEM_OK)
		return;
	fprintf(stderr, "fill_vectors: %s: %s\n", what, err.msg);
	exit(3);
}

static uint64_t
mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15U;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

/* Near enough to normal: four uniform numbers in [-1, 1) from one hash. */
static float
spread(uint64_t seed)
{
	uint64_t h = mix(seed);
	float sum = 0;
	for (int i = 0; i < 4; i++)
		sum += (float)(h >> (16 * i) & 0xffff) / 0x1p15f - 1;
	return sum;
}

struct batch {
	const struct mem_encoder_info *model;
	uint32_t ords[BATCH];
	size_t n;
	float *v;
};

/* Length of what is added to the mean: the rest of a vector of length 1. */
static void
make(const struct mem_encoder_info *m, uint32_t ord, float *v)
{
	float own = 0, mean = 0;
	uint64_t centre = mix(ord) % CENTRES;
	for (uint32_t i = 0; i < m->dims; i++) {
		v[i] = spread(centre << 32 | i) + .5f * spread((uint64_t)(ord + CENTRES) << 32 | i);
		own += v[i] * v[i];
		mean += m->mean != NULL ? m->mean[i] * m->mean[i] : 0;
	}
	float by = sqrtf(fmaxf(1 - mean, .01f) / own);
	for (uint32_t i = 0; i < m->dims; i++)
		v[i] = v[i] * by + (m->mean != NULL ? m->mean[i] : 0);
	if (!mem_normalise(v, m->dims))
		exit(3);
}

static enum mem_status
put_model(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct batch *b = ctx;
	struct mem_index_model m = { .dims = b->model->dims, .near = b->model->near, .weight = b->model->weight,
		.mean = b->model->mean };
	snprintf(m.name, sizeof m.name, "%s", b->model->name);
	snprintf(m.sha256, sizeof m.sha256, "%s", b->model->sha256);
	return mem_index_model_put(t, &m, e);
}

static enum mem_status
put_batch(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct batch *b = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < b->n && st == MEM_OK; i++)
		st = mem_index_vector_put(t, b->ords[i], b->v + i * b->model->dims, e);
	return st;
}

int
main(int argc, char **argv)
{
	struct mem_store_ask ask = MEM_STORE_ASK_INIT;
	struct mem_store *store;
	struct mem_encoder *encoder;
	struct batch b = { 0 };
	uint32_t after = UINT32_MAX;
	uint64_t done = 0;
	bool did;
	if (argc != 2) {
		fprintf(stderr, "usage: fill_vectors DIR\n");
		return 2;
	}
	ask.dir = argv[1];
	ask.write = true;
	must(mem_store_open(&store, &ask, &err), argv[1]);
	must(mem_encoder_open(&encoder, mem_store_conf(store), MEM_MODEL_DEFAULT, &err), MEM_MODEL_DEFAULT);
	b.model = mem_encoder_info(encoder);
	b.v = mem_xmalloc(BATCH * b.model->dims * sizeof *b.v);
	must(mem_store_write(store, put_model, &b, &err), "model");
	for (;;) {
		struct mem_txn *t;
		must(mem_txn_read(&t, store, &err), "read");
		must(mem_index_pending(t, b.ords, BATCH, after, &b.n, &err), "pending");
		mem_txn_end(t);
		if (b.n == 0)
			break;
		for (size_t i = 0; i < b.n; i++)
			make(b.model, b.ords[i], b.v + i * b.model->dims);
		must(mem_store_write(store, put_batch, &b, &err), "write");
		after = b.ords[b.n - 1];
		if ((done += b.n) % (BATCH * 64) == 0)
			must(mem_index_tidy(store, UINT32_MAX, &did, &err), "tidy");
	}
	must(mem_index_tidy(store, UINT32_MAX, &did, &err), "tidy");
	printf("%llu\n", (unsigned long long)done);
	free(b.v);
	mem_encoder_close(encoder);
	mem_store_close(store);
	return 0;
}
