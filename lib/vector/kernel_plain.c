/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel for any processor: four numbers at a time, which every compiler can lower. */
#include "vector/vector_int.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 4  /* of a tile: 4 x 8 sums stay in sixteen registers */

typedef float float4 __attribute__((vector_size(16)));
typedef uint32_t uint4 __attribute__((vector_size(16)));
typedef int8_t byte8 __attribute__((vector_size(8)));
typedef uint16_t half4 __attribute__((vector_size(8)));

/* Sums have names of their own: in an array, gcc would write them to memory after each step. */
#define EACH(M) M(0) M(1) M(2) M(3)
#define BEGIN(r) float4 a##r = { 0 }, b##r = { 0 };
#define STEP(r) \
	if (rows > (r)) { \
		a##r += w[0] * x[(r) * stride]; \
		b##r += w[1] * x[(r) * stride]; \
	}
#define END(r) \
	if (rows > (r)) { \
		a##r += bias[0]; \
		b##r += bias[1]; \
		memcpy(y + (r) * p->ystride, &a##r, sizeof a##r); \
		memcpy(y + (r) * p->ystride + 4, &b##r, sizeof b##r); \
	}

/* Eight outputs from `at`; w is [in][32]; `rows` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void
multiply_tile(const struct vector_panel *p, const float *weights, size_t row, size_t at, const size_t rows)
{
	const size_t stride = p->xstride;
	const float *x = (const float *)p->x + row * stride;
	float *y = p->y + row * p->ystride + at;
	float4 w[2], bias[2] = { { 0 } };
	EACH(BEGIN)
	weights += at;
	for (size_t i = 0; i < p->in; i++, x++, weights += VECTOR_PANEL) {
		memcpy(w, weights, sizeof w);
		EACH(STEP)
	}
	if (p->bias != NULL)
		memcpy(bias, p->bias + at, sizeof bias);
	EACH(END)
}

static void
multiply_tiles(const struct vector_panel *p, const float *w, size_t rows)
{
	for (size_t at = 0; at < VECTOR_PANEL; at += 8) {
		size_t r = 0;
		for (; r + ROWS <= rows; r += ROWS)
			multiply_tile(p, w, r, at, ROWS);
		if (rows - r == 3)
			multiply_tile(p, w, r, at, 3);
		else if (rows - r == 2)
			multiply_tile(p, w, r, at, 2);
		else if (rows - r == 1)
			multiply_tile(p, w, r, at, 1);
	}
}

/* A pair holds what the even and the odd input weigh for one output. */
static void
expand_i8(float *to, const struct vector_panel *p)
{
	const int8_t *q = p->w;
	for (size_t i = 0; i < p->in; i += 2, to += VECTOR_PANEL) {
		for (size_t o = 0; o < VECTOR_PANEL; o += 4, q += 8, to += 4) {
			float4 scale;
			byte8 v;
			memcpy(&scale, p->scale + o, sizeof scale);
			memcpy(&v, q, sizeof v);
			float4 even = __builtin_convertvector(__builtin_shufflevector(v, v, 0, 2, 4, 6), float4);
			float4 odd = __builtin_convertvector(__builtin_shufflevector(v, v, 1, 3, 5, 7), float4);
			even *= scale * p->inscale[i];
			odd *= scale * p->inscale[i + 1];
			memcpy(to, &even, sizeof even);
			memcpy(to + VECTOR_PANEL, &odd, sizeof odd);
		}
	}
}

/* mem_half_get, of finite numbers, four at a time. */
static void
expand_f16(float *to, const uint16_t *h, size_t n)
{
	for (size_t i = 0; i < n; i += 4) {
		half4 v;
		memcpy(&v, h + i, sizeof v);
		uint4 bits = __builtin_convertvector(v, uint4);
		float4 f = (float4)((bits & 0x7fff) << 13) * 0x1p112f;
		f = (float4)((uint4)f | (bits & 0x8000) << 16);
		memcpy(to + i, &f, sizeof f);
	}
}

float *
vector_expand_panel(const struct vector_panel *p, enum mem_precision form)
{
	float *to = mem_xmalloc(p->in * VECTOR_PANEL * sizeof *to);
	if (form == MEM_I8)
		expand_i8(to, p);
	else if (form == MEM_F16)
		expand_f16(to, p->w, p->in * VECTOR_PANEL);
	else
		memcpy(to, p->w, p->in * VECTOR_PANEL * sizeof *to);
	return to;
}

static void
multiply_f32_plain(const struct vector_panel *p, size_t rows)
{
	multiply_tiles(p, p->w, rows);
}

/* Smaller weights are first made float32, once for all rows. */
static void
multiply_smaller_plain(const struct vector_panel *p, size_t rows, enum mem_precision form)
{
	float *w = vector_expand_panel(p, form);
	multiply_tiles(p, w, rows);
	free(w);
}

static void multiply_f16_plain(const struct vector_panel *p, size_t rows) { multiply_smaller_plain(p, rows, MEM_F16); }
static void multiply_i8_plain(const struct vector_panel *p, size_t rows) { multiply_smaller_plain(p, rows, MEM_I8); }

const struct vector_kernel_ops vector_kernel_plain = {
	.panel = { multiply_f32_plain, multiply_f16_plain, multiply_i8_plain },
	.dot = vector_plain_dot,
	.gelu = vector_plain_gelu,
	.softmax = vector_plain_softmax,
	.norm = vector_plain_norm,
};
