/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel for AVX2 with FMA and F16C. */
#include "vector/vector_int.h"

#ifdef __x86_64__
#define LANES_TARGET __attribute__((target("avx2,fma,f16c")))
#define LANES(name) avx2_##name
#define LANES_HIDDEN static
#define LANES_PART 32
#include "vector/lanes.c"

#include <immintrin.h>

#define INLINE LANES_TARGET static inline __attribute__((always_inline))
#define ROWS   6        /* of a tile: 6 x 16 sums in twelve of sixteen registers */

/*
 * Bytes of weights that are asked for before they are used: a question streams all of them once, and the
 * processor alone does not look far enough ahead (3.9 ms a question became 3.4, float32 by avx2 14.6 11.0).
 */
#define AHEAD  2048

/* Sums have names of their own: in an array, gcc would write them to memory after each step. */
#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5)

INLINE __m256
load_weights_avx2(const void *p, size_t at, enum mem_precision form)
{
	if (form == MEM_F32)
		return _mm256_loadu_ps((const float *)p + at);
	return _mm256_cvtph_ps(_mm_loadu_si128((const void *)((const uint16_t *)p + at)));
}

/* The line or two of a step. */
INLINE void
prefetch_weights_avx2(const void *p, size_t at, enum mem_precision form)
{
	const char *next = (const char *)p + at * (form == MEM_F32 ? sizeof(float) : sizeof(uint16_t)) + AHEAD;
	__builtin_prefetch(next);
	if (form == MEM_F32)
		__builtin_prefetch(next + 64);
}

/*
 * What is multiplied and added last.  The sums are first stored as they are: were they used
 * otherwise behind the loop, gcc would lack registers there and write them to memory in each step.
 */
INLINE void
finish_tile_avx2(const struct vector_panel *p, size_t row, size_t at, const size_t rows, bool is_i8)
{
	for (size_t o = at; o < at + 16; o += 8) {
		__m256 bias = p->bias != NULL ? _mm256_loadu_ps(p->bias + o) : _mm256_setzero_ps(), scale = bias;
		if (is_i8)
			scale = _mm256_loadu_ps(p->scale + o);
		for (size_t r = row; r < row + rows; r++) {
			float *y = p->y + (r) * p->ystride + o;
			__m256 v = _mm256_loadu_ps(y);
			if (is_i8)
				v = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_castps_si256(v)),
				    _mm256_mul_ps(_mm256_set1_ps(p->xscale[r]), scale));
			_mm256_storeu_ps(y, _mm256_add_ps(v, bias));
		}
	}
}

/* `rows` is a constant where this is inlined; 16 outputs. */
INLINE void
multiply_tile_float_avx2(const struct vector_panel *p, size_t row, size_t at, enum mem_precision form, const size_t rows)
{
#define BEGIN(r) __m256 a##r = _mm256_setzero_ps(), b##r = a##r;
#define STEP(r) \
	if (rows > (r)) { \
		__m256 v = _mm256_set1_ps(x[(r) * stride]); \
		a##r = _mm256_fmadd_ps(v, w0, a##r); \
		b##r = _mm256_fmadd_ps(v, w1, b##r); \
	}
#define END(r) \
	if (rows > (r)) { \
		_mm256_storeu_ps(y + (r) * p->ystride, a##r); \
		_mm256_storeu_ps(y + (r) * p->ystride + 8, b##r); \
	}
	const size_t stride = p->xstride;
	const float *x = (const float *)p->x + row * stride;
	float *y = p->y + row * p->ystride + at;
	EACH(BEGIN)
	for (size_t i = 0; i < p->in; i++, x++, at += VECTOR_PANEL) {
		prefetch_weights_avx2(p->w, at, form);
		__m256 w0 = load_weights_avx2(p->w, at, form), w1 = load_weights_avx2(p->w, at + 8, form);
		EACH(STEP)
	}
	EACH(END)
	if (p->bias != NULL)
		finish_tile_avx2(p, row, at % VECTOR_PANEL, rows, false);
#undef BEGIN
#undef STEP
#undef END
}

/* Whole numbers: two inputs a step, exact sums. */
INLINE void
multiply_tile_i8_avx2(const struct vector_panel *p, size_t row, size_t at, const size_t rows)
{
#define BEGIN(r) __m256i a##r = _mm256_setzero_si256(), b##r = a##r;
#define STEP(r) \
	if (rows > (r)) { \
		int32_t pair; \
		memcpy(&pair, x + (r) * stride, sizeof pair); \
		__m256i v = _mm256_set1_epi32(pair); \
		a##r = _mm256_add_epi32(a##r, _mm256_madd_epi16(v, w0)); \
		b##r = _mm256_add_epi32(b##r, _mm256_madd_epi16(v, w1)); \
	}
#define END(r) \
	if (rows > (r)) { \
		_mm256_storeu_si256((void *)(y + (r) * p->ystride), a##r); \
		_mm256_storeu_si256((void *)(y + (r) * p->ystride + 8), b##r); \
	}
	const size_t stride = p->xstride;
	const int16_t *x = (const int16_t *)p->x + row * stride;
	const int8_t *q = (const int8_t *)p->w + at * 2;
	float *y = p->y + row * p->ystride + at;
	EACH(BEGIN)
	for (size_t i = 0; i < p->in; i += 2, x += 2, q += 2 * VECTOR_PANEL) {
		__builtin_prefetch(q + AHEAD);
		__m256i w0 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)q));
		__m256i w1 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(q + 16)));
		EACH(STEP)
	}
	EACH(END)
	finish_tile_avx2(p, row, at, rows, true);
#undef BEGIN
#undef STEP
#undef END
}

/* A function for each number of rows, so that its sums stay in registers. */
typedef void tile_avx2_fn(const struct vector_panel *p, size_t row, size_t at);
#define TILE(n) \
	LANES_TARGET static void f32_avx2_##n(const struct vector_panel *p, size_t row, size_t at) \
	{ multiply_tile_float_avx2(p, row, at, MEM_F32, n); } \
	LANES_TARGET static void f16_avx2_##n(const struct vector_panel *p, size_t row, size_t at) \
	{ multiply_tile_float_avx2(p, row, at, MEM_F16, n); } \
	LANES_TARGET static void i8_avx2_##n(const struct vector_panel *p, size_t row, size_t at) \
	{ multiply_tile_i8_avx2(p, row, at, n); }
TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6)
#define FORM(form) { NULL, form##_1, form##_2, form##_3, form##_4, form##_5, form##_6 }
static tile_avx2_fn *const tile[MEM_I8 + 1][ROWS + 1] = { FORM(f32_avx2), FORM(f16_avx2), FORM(i8_avx2) };

/* Tiles of nearly equal heights: a full tile and a small rest would load the weights twice for few rows. */
static void
multiply_panel_avx2(const struct vector_panel *p, size_t rows, enum mem_precision form)
{
	size_t left = (rows + ROWS - 1) / ROWS;
	for (size_t row = 0; left > 0; left--) {
		size_t n = (rows - row + left - 1) / left;
		for (size_t at = 0; at < VECTOR_PANEL; at += 16)
			tile[form][n](p, row, at);
		row += n;
	}
}
static void multiply_f32_avx2(const struct vector_panel *p, size_t rows) { multiply_panel_avx2(p, rows, MEM_F32); }
static void multiply_f16_avx2(const struct vector_panel *p, size_t rows) { multiply_panel_avx2(p, rows, MEM_F16); }
static void multiply_i8_avx2(const struct vector_panel *p, size_t rows) { multiply_panel_avx2(p, rows, MEM_I8); }

const struct vector_kernel_ops vector_kernel_avx2 = {
	.panel = { multiply_f32_avx2, multiply_f16_avx2, multiply_i8_avx2 },
	.quantise = avx2_quantise,
	.dot = avx2_dot,
	.gelu = avx2_gelu,
	.softmax = avx2_softmax,
	.norm = avx2_norm,
};
#endif
