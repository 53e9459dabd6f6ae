/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forward pass.  Texts stand one after another in one matrix of rows, an id each, without
 * padding: all but attention treats rows alike, and attention stays within each text.
 */
#include "model/model_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	D = MEM_MODEL_DIMS,
	HEADS = MEM_MODEL_HEADS,
	WIDE = D / HEADS,               /* numbers of a head; one panel is as wide */
	INNER = MEM_MODEL_INNER,
	BLOCK = 56,                     /* rows that pass through the wide layers together */
	KEYS = (MEM_MODEL_PLACES + 31) / 32 * 32,
};

struct model_forward {
	size_t rows;
	float *x;                       /* [rows][D] */
	float *qkv;                     /* [rows][3 D] */
	float *mixed;                   /* [rows][D] */
	float *added;                   /* [BLOCK][D] */
	float *inner;                   /* [BLOCK][INNER] */
	float *keys;                    /* [KEYS / 32][WIDE][32] of one head */
	float *values;                  /* [KEYS][WIDE] of one head */
	float *scores;                  /* [BLOCK][KEYS] */
};

struct model_forward *
model_forward_new(size_t rows)
{
	size_t block = rows < BLOCK ? rows : BLOCK, keys = (rows < KEYS ? rows + 31 : KEYS) / 32 * 32;
	const size_t n[] = { rows * D, rows * 3 * D, rows * D, block * D, block * INNER, keys * WIDE,
		keys * WIDE, block * keys };
	size_t all = sizeof(struct model_forward) / sizeof(float) + 16;
	for (size_t i = 0; i < MEM_COUNT(n); i++)
		all += n[i];
	struct model_forward *f = mem_xmalloc(all * sizeof(float));
	float *p = (float *)(void *)f + sizeof *f / sizeof *p;
	p += (64 - (uintptr_t)p % 64) % 64 / sizeof *p;
	f->rows = rows;
	float **const to[] = { &f->x, &f->qkv, &f->mixed, &f->added, &f->inner, &f->keys, &f->values, &f->scores };
	for (size_t i = 0; i < MEM_COUNT(n); i++) {
		*to[i] = p;
		p += n[i];
	}
	return f;
}

void
model_forward_free(struct model_forward *f)
{
	free(f);
}

static void
norm_rows(float *x, size_t rows, const float *add, const struct model_norm *t)
{
	for (size_t r = 0; r < rows; r++)
		mem_layer_norm(x + r * D, D, &(struct mem_norm_terms){ add != NULL ? add + r * D : NULL,
		    t->weight, t->bias, 1e-12f });
}

static void
embed_ids(float *x, const struct model_weights *w, const uint32_t *ids, size_t n)
{
	for (size_t t = 0; t < n; t++) {
		model_read_row(&w->word, ids[t], x + t * D);
		for (size_t i = 0; i < D; i++)
			x[t * D + i] += w->position[t * D + i];
	}
	norm_rows(x, n, NULL, &w->norm);
}

/* One head of one text of n ids: its keys as panels, with the scale of the scores in them. */
static void
attend_head(struct model_forward *f, const float *qkv, size_t n, float *mixed)
{
	const float scale = 1 / sqrtf(WIDE);
	size_t keys = (n + 31) / 32 * 32;
	memset(f->keys + (keys - 32) * WIDE, 0, 32 * WIDE * sizeof(float));
	for (size_t t = 0; t < n; t++) {
		const float *k = qkv + t * 3 * D + D;
		float *to = f->keys + t / 32 * 32 * WIDE + t % 32;
		for (size_t i = 0; i < WIDE; i++)
			to[i * 32] = k[i] * scale;
		memcpy(f->values + t * WIDE, k + D, WIDE * sizeof(float));
	}
	for (size_t r = 0; r < n; r += BLOCK) {
		size_t rows = n - r < BLOCK ? n - r : BLOCK;
		for (size_t j = 0; j < keys; j += 32)
			mem_panel_mul(f->keys + j * WIDE, WIDE, qkv + r * 3 * D, 3 * D, rows, f->scores + j, keys);
		for (size_t i = 0; i < rows; i++)
			mem_softmax(f->scores + i * keys, n);
		mem_panel_mul(f->values, n, f->scores, keys, rows, mixed + r * D, D);
	}
}

static void
attend_texts(struct model_forward *f, const uint32_t *lengths, size_t ntexts)
{
	size_t row = 0;
	for (size_t i = 0; i < ntexts; i++) {
		for (size_t h = 0; h < HEADS; h++)
			attend_head(f, f->qkv + row * 3 * D + h * WIDE, lengths[i], f->mixed + row * D + h * WIDE);
		row += lengths[i];
	}
}

static void
run_block(struct model_forward *f, const struct model_block *b, const uint32_t *lengths, size_t ntexts, size_t all)
{
	mem_mat_mul(&b->qkv.w, b->qkv.bias, f->x, all, f->qkv);
	attend_texts(f, lengths, ntexts);
	for (size_t r = 0; r < all; r += BLOCK) {
		size_t rows = all - r < BLOCK ? all - r : BLOCK;
		float *x = f->x + r * D;
		mem_mat_mul(&b->mix.w, b->mix.bias, f->mixed + r * D, rows, f->added);
		norm_rows(x, rows, f->added, &b->mix_norm);
		mem_mat_mul(&b->inner.w, b->inner.bias, x, rows, f->inner);
		mem_gelu(f->inner, rows * INNER);
		mem_mat_mul(&b->outer.w, b->outer.bias, f->inner, rows, f->added);
		norm_rows(x, rows, f->added, &b->norm);
	}
}

static bool
pool_text(float *out, const float *x, size_t n, enum mem_pooling how)
{
	memcpy(out, x, D * sizeof *out);
	if (how == MEM_POOLING_MEAN)
		for (size_t t = 1; t < n; t++)
			for (size_t i = 0; i < D; i++)
				out[i] += x[t * D + i];
	return mem_normalise(out, D);
}

size_t
model_encode_ids(struct model_forward *f, const struct model_weights *w, enum mem_pooling how, const uint32_t *ids,
    const uint32_t *lengths, size_t ntexts, float *out)
{
	size_t all = 0;
	for (size_t i = 0; i < ntexts; all += lengths[i++])
		embed_ids(f->x + all * D, w, ids + all, lengths[i]);
	for (size_t i = 0; i < w->nblocks; i++)
		run_block(f, &w->block[i], lengths, ntexts, all);
	const float *x = f->x;
	for (size_t i = 0; i < ntexts; x += (size_t)lengths[i++] * D)
		if (!pool_text(out + i * D, x, lengths[i], how))
			return i;
	return ntexts;
}

const float *
model_forward_states(const struct model_forward *f)
{
	return f->x;
}
