/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fill_vectors DIR ROWS [SHARE]: gives every pending node of a store a vector of the installed default model
 * (make build/release/bench/fill_vectors), for benches of hybrid search at sizes that would take hours
 * to encode.
 *
 * ROWS are real ones, as mem-embed --format f32 prints them, of the store's first texts.  So many nodes get
 * theirs; each later one that of an earlier one, moved by SHARE (a third) of how far that is from the model's mean.
 * Each has as many codes of word pieces as a turn of a conversation has on average, at random: what is made of
 * texts would wait for the encoder.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_store.h"
#include "model/model.h"
#include "vector/vector.h"
#include "vectors/vectors.h"
#include "words/words.h"
#include "write/tidy.h"

enum { BATCH = 2000, PIECES = 16 };

/* Near enough to normal: four uniform numbers in [-1, 1) from one hash. */
static float
spread(uint64_t seed)
{
	uint64_t h = mix_bits(seed);
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
	uint64_t *pieces;       /* [BATCH][PIECES][dims / 64] */
	const float *rows;      /* [nrows][dims] */
	size_t nrows;
	float share;            /* of how far a row is from the mean, that one of it is moved */
};

static void
make(const struct batch *b, uint32_t ord, float *v)
{
	const struct mem_encoder_info *m = b->model;
	const float *real = b->rows + (ord < b->nrows ? ord : mix_bits(ord) % b->nrows) * m->dims;
	float own = 0, away = 0;
	for (uint32_t i = 0; i < m->dims; i++) {
		float from = real[i] - (m->mean != NULL ? m->mean[i] : 0);
		v[i] = ord < b->nrows ? 0 : spread((uint64_t)ord << 32 | i);
		own += v[i] * v[i];
		away += from * from;
	}
	float by = own > 0 ? sqrtf(away / own) * b->share : 0;
	for (uint32_t i = 0; i < m->dims; i++)
		v[i] = v[i] * by + real[i];
	if (!mem_normalise(v, m->dims))
		exit(3);
}

static void
make_pieces(const struct batch *b, uint32_t ord, uint64_t *pieces)
{
	for (uint64_t i = 0; i < PIECES * b->model->dims / 64; i++)
		pieces[i] = mix_bits((uint64_t)ord << 32 | i);
}

static enum mem_status
put_model(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct batch *b = ctx;
	struct mem_vectors_model m = { .dims = b->model->dims, .near = b->model->near, .weight = b->model->weight,
		.mean = b->model->mean };
	snprintf(m.name, sizeof m.name, "%s", b->model->name);
	snprintf(m.sha256, sizeof m.sha256, "%s", b->model->sha256);
	return mem_vectors_model_put(t, &m, e);
}

static enum mem_status
put_batch(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct batch *b = ctx;
	const size_t words = PIECES * b->model->dims / 64;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < b->n && st == MEM_OK; i++)
		st = mem_vectors_put(t, b->ords[i], &(struct mem_vectors_passage){ .v = b->v + i * b->model->dims,
		    .pieces = (const uint8_t *)(b->pieces + i * words), .npieces = PIECES }, 1, e);
	return st;
}

int
main(int argc, char **argv)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct mem_store *store;
	struct mem_encoder *encoder;
	struct batch b = { .share = argc > 3 ? strtof(argv[3], NULL) : 1.0F / 3 };
	uint32_t after = UINT32_MAX;
	uint64_t done = 0;
	bool did;
	struct mem_buf rows = { 0 };
	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: fill_vectors DIR ROWS [SHARE]\n");
		return 2;
	}
	ask.dir = argv[1];
	ask.write = true;
	must(mem_store_open(&store, &ask, &err), argv[1]);
	must(mem_encoder_open(&encoder, mem_store_conf(store), MEM_MODEL_DEFAULT, &err), MEM_MODEL_DEFAULT);
	b.model = mem_encoder_info(encoder);
	must(mem_file_read(-100, argv[2], (size_t)1 << 30, &rows, &err), argv[2]);
	b.rows = (const float *)(const void *)rows.data;
	b.nrows = rows.len / (b.model->dims * sizeof *b.rows);
	if (b.nrows == 0)
		return 3;
	b.v = mem_xmalloc(BATCH * b.model->dims * sizeof *b.v);
	b.pieces = mem_xmalloc(BATCH * PIECES * b.model->dims / 8);
	must(mem_store_write(store, put_model, &b, &err), "model");
	for (;;) {
		struct mem_txn *t;
		must(mem_txn_read(&t, store, &err), "read");
		must(mem_vectors_pending(t, b.ords, BATCH, after, &b.n, &err), "pending");
		mem_txn_end(t);
		if (b.n == 0)
			break;
		for (size_t i = 0; i < b.n; i++) {
			make(&b, b.ords[i], b.v + i * b.model->dims);
			make_pieces(&b, b.ords[i], b.pieces + i * PIECES * b.model->dims / 64);
		}
		must(mem_store_write(store, put_batch, &b, &err), "write");
		after = b.ords[b.n - 1];
		if ((done += b.n) % (BATCH * 64) == 0)
			must(mem_index_tidy(store, UINT32_MAX, &did, &err), "tidy");
	}
	must(mem_index_tidy(store, UINT32_MAX, &did, &err), "tidy");
	printf("%llu\n", (unsigned long long)done);
	free(b.v);
	free(b.pieces);
	mem_buf_release(&rows);
	mem_encoder_close(encoder);
	mem_store_close(store);
	return 0;
}
