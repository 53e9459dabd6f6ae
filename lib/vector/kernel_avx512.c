/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel for AVX-512 with VNNI. */
#ifdef __x86_64__
#include "vector/vector_int.h"

#define LANES_TARGET __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")))
#define LANES(name) avx512_##name
#define LANES_HIDDEN static
#include "vector/lanes.c"

#include <immintrin.h>

#define INLINE LANES_TARGET static inline __attribute__((always_inline))
#define ROWS   14        /* of a tile: 14 x 32 sums in 28 of 32 registers */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Thirty-two weights of one input. */
INLINE void
weights(__m512 w[2], const void *p, size_t at, enum mem_precision form)
{
	UNROLL
	for (size_t o = 0; o < 2; o++) {
		size_t from = at + 16 * o;
		if (form == MEM_F32)
			w[o] = _mm512_loadu_ps((const float *)p + from);
		else
			w[o] = _mm512_cvtph_ps(_mm256_loadu_si256((const void *)((const uint16_t *)p + from)));
	}
}

INLINE void
tile_float(const struct mem_panel *p, size_t row, size_t at, enum mem_precision form, const size_t rows)
{
	__m512 s[ROWS][2], w[2];
	UNROLL
	for (size_t r = 0; r < rows; r++)
		s[r][0] = s[r][1] = _mm512_setzero_ps();
	const float *x = (const float *)p->x + row * p->xstride;
	for (size_t i = 0; i < p->in; i++) {
		weights(w, p->w, i * MEM_PANEL + at, form);
		UNROLL
		for (size_t r = 0; r < rows; r++) {
			__m512 v = _mm512_set1_ps(x[r * p->xstride + i]);
			s[r][0] = _mm512_fmadd_ps(v, w[0], s[r][0]);
			s[r][1] = _mm512_fmadd_ps(v, w[1], s[r][1]);
		}
	}
	UNROLL
	for (size_t o = 0; o < 2; o++) {
		float *y = p->y + row * p->ystride + at + 16 * o;
		__m512 b = p->bias == NULL ? _mm512_setzero_ps() : _mm512_loadu_ps(p->bias + at + 16 * o);
		UNROLL
		for (size_t r = 0; r < rows; r++)
			_mm512_storeu_ps(y + r * p->ystride, _mm512_add_ps(s[r][o], b));
	}
}

/* Whole numbers: two inputs a step, exact sums. */
INLINE void
tile_i8(const struct mem_panel *p, size_t row, size_t at, const size_t rows)
{
	__m512i s[ROWS][2], w[2];
	UNROLL
	for (size_t r = 0; r < rows; r++)
		s[r][0] = s[r][1] = _mm512_setzero_si512();
	const int16_t *x = (const int16_t *)p->x + row * p->xstride;
	const int8_t *q = (const int8_t *)p->w + at * 2;
	for (size_t i = 0; i < p->in; i += 2, q += 2 * MEM_PANEL) {
		UNROLL
		for (size_t o = 0; o < 2; o++)
			w[o] = _mm512_cvtepi8_epi16(_mm256_loadu_si256((const void *)(q + 32 * o)));
		UNROLL
		for (size_t r = 0; r < rows; r++) {
			int32_t pair;
			memcpy(&pair, x + r * p->xstride + i, sizeof pair);
			__m512i v = _mm512_set1_epi32(pair);
			s[r][0] = _mm512_dpwssd_epi32(s[r][0], v, w[0]);
			s[r][1] = _mm512_dpwssd_epi32(s[r][1], v, w[1]);
		}
	}
	UNROLL
	for (size_t o = 0; o < 2; o++) {
		size_t from = at + 16 * o;
		__m512 scale = _mm512_loadu_ps(p->scale + from);
		__m512 b = p->bias == NULL ? _mm512_setzero_ps() : _mm512_loadu_ps(p->bias + from);
		float *y = p->y + row * p->ystride + from;
		UNROLL
		for (size_t r = 0; r < rows; r++) {
			__m512 v = _mm512_mul_ps(_mm512_cvtepi32_ps(s[r][o]),
			    _mm512_mul_ps(scale, _mm512_set1_ps(p->xscale[row + r])));
			_mm512_storeu_ps(y + r * p->ystride, _mm512_add_ps(v, b));
		}
	}
}

/* A function for each number of rows, so that its sums stay in registers. */
typedef void tile_fn(const struct mem_panel *p, size_t row, size_t at);
#define TILE(n) \
	LANES_TARGET static void f32_##n(const struct mem_panel *p, size_t row, size_t at) \
	{ tile_float(p, row, at, MEM_F32, n); } \
	LANES_TARGET static void f16_##n(const struct mem_panel *p, size_t row, size_t at) \
	{ tile_float(p, row, at, MEM_F16, n); } \
	LANES_TARGET static void i8_##n(const struct mem_panel *p, size_t row, size_t at) \
	{ tile_i8(p, row, at, n); }
TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6) TILE(7)
TILE(8) TILE(9) TILE(10) TILE(11) TILE(12) TILE(13) TILE(14)
#define FORM(form) { NULL, form##_1, form##_2, form##_3, form##_4, form##_5, form##_6, form##_7, form##_8, form##_9, form##_10, form##_11, form##_12, form##_13, form##_14 }
static tile_fn *const tile[MEM_I8 + 1][ROWS + 1] = { FORM(f32), FORM(f16), FORM(i8) };

/* Tiles as even as can be: a full one and a small rest would load the weights twice for little. */
static void
panel(const struct mem_panel *p, size_t rows, enum mem_precision form)
{
	size_t left = (rows + ROWS - 1) / ROWS;
	for (size_t row = 0; left > 0; left--) {
		size_t n = (rows - row + left - 1) / left;
		for (size_t at = 0; at < MEM_PANEL; at += 32)
			tile[form][n](p, row, at);
		row += n;
	}
}
static void panel_f32(const struct mem_panel *p, size_t rows) { panel(p, rows, MEM_F32); }
static void panel_f16(const struct mem_panel *p, size_t rows) { panel(p, rows, MEM_F16); }
static void panel_i8(const struct mem_panel *p, size_t rows) { panel(p, rows, MEM_I8); }

const struct mem_kernel_ops mem_kernel_avx512 = {
	.panel = { panel_f32, panel_f16, panel_i8 },
	.quantise = avx512_quantise,
	.dot = avx512_dot,
	.gelu = avx512_gelu,
	.softmax = avx512_softmax,
	.norm = avx512_norm,
};
#endif
