/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of neighbours, by k-means over signs: a centre's sign is that of most of its members, a vector goes to the
 * centre whose signs differ least.  Centres with hardly any members move to where the sample is worst off, and more
 * are added there, so that each heap of vectors comes by one of its own.
 *
 * By products of all rows with all centres (mem_similar) in place of signs, groups came out no better: 200 searches
 * of a million vectors took as long, and building the segment three to seven seconds more.
 */
#include "vectors/vectors_int.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

enum { ROUNDS = 8, EACH = 16 /* of the sample for each group */ };

/* No group is wider: what lies about a centre as far as that is hardly ever ruled out. */
#define WIDEST .7F

struct group_sample {
	uint32_t dims;
	size_t n, max, words;  /* words of signs each */
	size_t most;           /* centres at most */
	uint32_t far;          /* bits from which on one is far from its centre: as unlike as half a right angle and more */
	float *v;
	uint64_t *signs;
	uint32_t *of, *bits;   /* closest centre, and how far it is */
};

/* ---- the sample ------------------------------------------------------- */

static void
take_sample_row(struct group_sample *s, const struct mem_code_mean *mean, const uint8_t *row, uint8_t *code)
{
	float *v = s->v + s->n * s->dims;
	memcpy(v, row, s->dims * sizeof *v);
	mem_code_make(mean, v, code);
	memcpy(s->signs + s->n * s->words, code, s->dims / 8);
	s->n++;
}

/* Each step-th row of the store. */
static enum mem_status
draw_sample(struct group_sample *s, struct mem_txn *t, const struct mem_code_mean *mean, uint64_t step, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct vectors_row_block r;
	uint64_t next = 0, at = 0;
	uint8_t *code = mem_xmalloc(mem_code_bytes(s->dims));
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK && s->n < s->max) {
		st = vectors_rows_parse(&r, mem_cursor_key(c), mem_cursor_value(c), s->dims, err);
		for (; st == MEM_OK && next < at + r.n && s->n < s->max; next += step)
			if (vectors_rows_intact(&r, (size_t)(next - at)) && !vectors_is_zero_row(vectors_rows_at(&r, (size_t)(next - at)), r.bytes))
				take_sample_row(s, mean, vectors_rows_at(&r, (size_t)(next - at)), code);
		at += r.n;
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	free(code);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- rounds ----------------------------------------------------------- */

static void
assign_centres(struct group_sample *s, const struct vectors_groups *g)
{
	for (size_t i = 0; i < s->n; i++)
		s->of[i] = (uint32_t)mem_signs_closest(s->signs + i * s->words, g->signs, g->k, s->dims, &s->bits[i]);
}

/* Each bit as most of the members have it. */
static void
vote_signs(const struct group_sample *s, struct vectors_groups *g, uint32_t *members)
{
	int32_t *votes = mem_xcalloc(g->k * s->dims, sizeof *votes);
	memset(members, 0, g->k * sizeof *members);
	for (size_t i = 0; i < s->n; i++) {
		const uint64_t *signs = s->signs + i * s->words;
		int32_t *v = votes + s->of[i] * s->dims;
		members[s->of[i]]++;
		for (uint32_t d = 0; d < s->dims; d++)
			v[d] += (signs[d / 64] >> d % 64 & 1) != 0 ? 1 : -1;
	}
	for (size_t c = 0; c < g->k; c++) {
		uint64_t *signs = g->signs + c * s->words;
		if (members[c] == 0)
			continue;
		memset(signs, 0, s->words * sizeof *signs);
		for (uint32_t d = 0; d < s->dims; d++)
			signs[d / 64] |= (uint64_t)(votes[c * s->dims + d] > 0) << d % 64;
	}
	free(votes);
}

struct far_vector {
	uint32_t bits, i;
};

static int
compare_far_by_bits(const void *a, const void *b)
{
	const struct far_vector *x = a, *y = b;
	if (x->bits != y->bits)
		return x->bits > y->bits ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

static bool
add_new_centre(const struct group_sample *s, struct vectors_groups *g, size_t at, size_t fresh, uint32_t i)
{
	const uint64_t *signs = s->signs + i * s->words;
	uint32_t bits;
	/* Not two in one heap. */
	mem_signs_closest(signs, g->signs + fresh * s->words, at - fresh, s->dims, &bits);
	if (at > fresh && bits < s->far)
		return false;
	memcpy(g->signs + at * s->words, signs, s->words * sizeof *signs);
	return true;
}

/* Those far from their centres are given new ones: idle ones, then more. */
static void
add_centres(const struct group_sample *s, struct vectors_groups *g, const uint32_t *members)
{
	struct far_vector *f = mem_xcalloc(s->n, sizeof *f);
	size_t k = 0, next = 0;
	for (size_t c = 0; c < g->k; c++) /* idle ones go to the end */
		if (members[c] > EACH / 8)
			memmove(g->signs + k++ * s->words, g->signs + c * s->words, s->words * sizeof *g->signs);
	for (size_t i = 0; i < s->n; i++)
		f[i] = (struct far_vector){ s->bits[i], (uint32_t)i };
	mem_sort(f, s->n, sizeof *f, compare_far_by_bits);
	size_t fresh = k;
	for (; next < s->n && f[next].bits > s->far && k < s->most; next++)
		k += add_new_centre(s, g, k, fresh, f[next].i);
	g->k = k;
	free(f);
}

/* Each centre is followed by the one that is most like it, so that neighbours lie in few blocks. */
static void
line_up_centres(struct vectors_groups *g, size_t words)
{
	for (size_t at = 0; at + 2 < g->k; at++) {
		uint32_t bits;
		uint64_t *from = g->signs + at * words, other;
		size_t next = mem_signs_closest(from, from + words, g->k - at - 1, g->dims, &bits);
		for (size_t w = 0; w < words; w++) {
			other = from[words + w];
			from[words + w] = from[words + next * words + w];
			from[words + next * words + w] = other;
		}
	}
}

/* The centres as means of floats; how many of the sample are near theirs. */
static size_t
average_centres(const struct group_sample *s, struct vectors_groups *g)
{
	double *sums = mem_xcalloc(g->k * s->dims, sizeof *sums);
	uint32_t *members = mem_xcalloc(g->k, sizeof *members);
	size_t near = 0;
	for (size_t i = 0; i < s->n; i++) {
		members[s->of[i]]++;
		for (uint32_t d = 0; d < s->dims; d++)
			sums[s->of[i] * s->dims + d] += (double)s->v[i * s->dims + d];
	}
	for (size_t c = 0; c < g->k; c++)
		for (uint32_t d = 0; d < s->dims && members[c] > 0; d++)
			g->centres[c * s->dims + d] = (float)(sums[c * s->dims + d] / members[c]);
	for (size_t i = 0; i < s->n; i++) {
		const float *v = s->v + i * s->dims, *c = g->centres + s->of[i] * s->dims;
		near += mem_dot(v, v, s->dims) + mem_dot(c, c, s->dims) - 2 * mem_dot(v, c, s->dims) < WIDEST * WIDEST;
	}
	free(sums);
	free(members);
	return near;
}

static void
make_groups(struct group_sample *s, struct vectors_groups *g)
{
	uint32_t *members = mem_xcalloc(s->most, sizeof *members);
	for (size_t c = 0; c < g->k; c++) /* sample and store go on in time: all of it from the start */
		memcpy(g->signs + c * s->words, s->signs + c * s->n / g->k * s->words, s->words * sizeof *g->signs);
	for (int round = 0; round < ROUNDS; round++) {
		assign_centres(s, g);
		vote_signs(s, g, members);
		if (round + 2 < ROUNDS)
			add_centres(s, g, members);
		if (g->k == 0)
			break;
	}
	if (g->k > 0) {
		line_up_centres(g, s->words);
		assign_centres(s, g);
	}
	if (g->k == 0 || average_centres(s, g) < s->n / 2)
		g->k = 0;
	free(members);
}

/* ---- for a merge ------------------------------------------------------ */

enum mem_status
vectors_groups_make(struct vectors_groups *g, struct mem_txn *t, uint64_t docs, struct mem_err *err)
{
	struct mem_vectors_model m;
	*g = (struct vectors_groups){ 0 };
	if (docs < VECTORS_GROUP_LEAST)
		return MEM_OK;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	struct group_sample s = { .dims = m.dims, .words = mem_signs_stride(m.dims) / 8 };
	g->dims = m.dims;
	g->k = docs / VECTORS_GROUP_DOCS < UINT16_MAX / 4 ? (size_t)(docs / VECTORS_GROUP_DOCS) : UINT16_MAX / 4;
	s.max = g->k * EACH;
	s.most = 2 * g->k;
	s.far = m.dims / 4;
	mem_code_mean_init(&g->mean, m.mean, m.dims);
	s.v = mem_xcalloc(s.max * m.dims, sizeof *s.v);
	s.signs = mem_xcalloc(s.max * s.words, sizeof *s.signs);
	st = draw_sample(&s, t, &g->mean, docs / s.max + (docs % s.max != 0), err);
	if (st == MEM_OK && s.n >= 2 * g->k) {
		s.of = mem_xcalloc(s.n, sizeof *s.of);
		s.bits = mem_xcalloc(s.n, sizeof *s.bits);
		g->centres = mem_xcalloc(s.most * m.dims, sizeof *g->centres);
		g->radii = mem_xcalloc(s.most, sizeof *g->radii);
		g->signs = mem_xcalloc(s.most * s.words, sizeof *g->signs);
		make_groups(&s, g);
	} else {
		g->k = 0;
	}
	free(s.v);
	free(s.signs);
	free(s.of);
	free(s.bits);
	return st;
}

void
vectors_groups_release(struct vectors_groups *g)
{
	mem_code_mean_release(&g->mean);
	free(g->centres);
	free(g->radii);
	free(g->signs);
	*g = (struct vectors_groups){ 0 };
}

uint16_t
vectors_groups_find(struct vectors_groups *g, const uint8_t *code, const float *v)
{
	uint64_t signs[4096 / 64] = { 0 };
	uint32_t bits;
	memcpy(signs, code, g->dims / 8);
	size_t c = mem_signs_closest(signs, g->signs, g->k, g->dims, &bits);
	double square = 0;
	for (uint32_t i = 0; i < g->dims; i++) {
		double d = (double)v[i] - (double)g->centres[c * g->dims + i];
		square += d * d;
	}
	float radius = (float)sqrt(square) * (1 + 1e-6F);
	if (!(radius < WIDEST))
		return (uint16_t)g->k;
	if (radius > g->radii[c])
		g->radii[c] = radius;
	return (uint16_t)c;
}
