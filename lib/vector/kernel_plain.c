/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel for any processor: four numbers at a time, which every compiler can lower. */
#include "vector/vector_int.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 4  /* of a tile: 4 x 8 sums stay in sixteen registers */

typedef float four __attribute__((vector_size(16)));
typedef uint32_t whole __attribute__((vector_size(16)));
typedef int8_t bytes __attribute__((vector_size(8)));
typedef uint16_t halves __attribute__((vector_size(8)));

/* Sums have names of their own: in an array, gcc would write them to memory after each step. */
#define EACH(M) M(0) M(1) M(2) M(3)
#define BEGIN(r) four a##r = { 0 }, b##r = { 0 };
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
tile(const struct mem_panel *p, const float *weights, size_t row, size_t at, const size_t rows)
{
	const size_t stride = p->xstride;
	const float *x = (const float *)p->x + row * stride;
	float *y = p->y + row * p->ystride + at;
	four w[2], bias[2] = { { 0 } };
	EACH(BEGIN)
	weights += at;
	for (size_t i = 0; i < p->in; i++, x++, weights += MEM_PANEL) {
		memcpy(w, weights, sizeof w);
		EACH(STEP)
	}
	if (p->bias != NULL)
		memcpy(bias, p->bias + at, sizeof bias);
	EACH(END)
}

static void
tiles(const struct mem_panel *p, const float *w, size_t rows)
{
	for (size_t at = 0; at < MEM_PANEL; at += 8) {
		size_t r = 0;
		for (; r + ROWS <= rows; r += ROWS)
			tile(p, w, r, at, ROWS);
		if (rows - r == 3)
			tile(p, w, r, at, 3);
		else if (rows - r == 2)
			tile(p, w, r, at, 2);
		else if (rows - r == 1)
			tile(p, w, r, at, 1);
	}
}

/* A pair holds what the even and the odd input weigh for one output. */
static void
floats_i8(float *to, const struct mem_panel *p)
{
	const int8_t *q = p->w;
	for (size_t i = 0; i < p->in; i += 2, to += MEM_PANEL) {
		for (size_t o = 0; o < MEM_PANEL; o += 4, q += 8, to += 4) {
			four scale;
			bytes v;
			memcpy(&scale, p->scale + o, sizeof scale);
			memcpy(&v, q, sizeof v);
			four even = __builtin_convertvector(__builtin_shufflevector(v, v, 0, 2, 4, 6), four);
			four odd = __builtin_convertvector(__builtin_shufflevector(v, v, 1, 3, 5, 7), four);
			even *= scale * p->inscale[i];
			odd *= scale * p->inscale[i + 1];
			memcpy(to, &even, sizeof even);
			memcpy(to + MEM_PANEL, &odd, sizeof odd);
		}
	}
}

/* mem_half_get, of finite numbers, four at a time. */
static void
floats_f16(float *to, const uint16_t *h, size_t n)
{
	for (size_t i = 0; i < n; i += 4) {
		halves v;
		memcpy(&v, h + i, sizeof v);
		whole bits = __builtin_convertvector(v, whole);
		four f = (four)((bits & 0x7fff) << 13) * 0x1p112f;
		f = (four)((whole)f | (bits & 0x8000) << 16);
		memcpy(to + i, &f, sizeof f);
	}
}

float *
mem_panel_floats(const struct mem_panel *p, enum mem_precision form)
{
	float *to = mem_xmalloc(p->in * MEM_PANEL * sizeof *to);
	if (form == MEM_I8)
		floats_i8(to, p);
	else if (form == MEM_F16)
		floats_f16(to, p->w, p->in * MEM_PANEL);
	else
		memcpy(to, p->w, p->in * MEM_PANEL * sizeof *to);
	return to;
}

static void
panel_f32(const struct mem_panel *p, size_t rows)
{
	tiles(p, p->w, rows);
}

/* Smaller weights are first made float32, once for all rows. */
static void
panel_smaller(const struct mem_panel *p, size_t rows, enum mem_precision form)
{
	float *w = mem_panel_floats(p, form);
	tiles(p, w, rows);
	free(w);
}

static void panel_f16(const struct mem_panel *p, size_t rows) { panel_smaller(p, rows, MEM_F16); }
static void panel_i8(const struct mem_panel *p, size_t rows) { panel_smaller(p, rows, MEM_I8); }

const struct mem_kernel_ops mem_kernel_plain = {
	.panel = { panel_f32, panel_f16, panel_i8 },
	.dot = mem_plain_dot,
	.gelu = mem_plain_gelu,
	.softmax = mem_plain_softmax,
	.norm = mem_plain_norm,
};
