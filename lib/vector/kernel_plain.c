/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel for any processor: four numbers at a time, which every compiler can lower. */
#include "vector/vector_int.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 4  /* of a tile: 4 x 8 sums stay in sixteen registers */

typedef float four __attribute__((vector_size(16)));

/* Eight outputs from `at`; w is [in][32] float32. */
static inline __attribute__((always_inline)) void
tile(const struct mem_panel *p, const float *w, size_t row, size_t at, const size_t rows)
{
	four s[ROWS][2] = { { { 0 } } }, a, b;
	const float *x = (const float *)p->x + row * p->xstride;
	for (size_t i = 0; i < p->in; i++) {
		memcpy(&a, w + i * MEM_PANEL + at, sizeof a);
		memcpy(&b, w + i * MEM_PANEL + at + 4, sizeof b);
		for (size_t r = 0; r < rows; r++) {
			float v = x[r * p->xstride + i];
			s[r][0] += a * v;
			s[r][1] += b * v;
		}
	}
	if (p->bias != NULL) {
		memcpy(&a, p->bias + at, sizeof a);
		memcpy(&b, p->bias + at + 4, sizeof b);
	} else {
		a = b = (four){ 0 };
	}
	for (size_t r = 0; r < rows; r++) {
		float *y = p->y + (row + r) * p->ystride + at;
		s[r][0] += a;
		s[r][1] += b;
		memcpy(y, &s[r][0], sizeof a);
		memcpy(y + 4, &s[r][1], sizeof b);
	}
}

static void
tiles(const struct mem_panel *p, const float *w, size_t rows)
{
	for (size_t at = 0; at < MEM_PANEL; at += 8) {
		size_t r = 0;
		for (; r + ROWS <= rows; r += ROWS)
			tile(p, w, r, at, ROWS);
		for (; r < rows; r++)
			tile(p, w, r, at, 1);
	}
}

static void
panel_f32(const struct mem_panel *p, size_t rows)
{
	tiles(p, p->w, rows);
}

/* Smaller weights are first made float32, once for all rows. */
static void
panel_f16(const struct mem_panel *p, size_t rows)
{
	const uint16_t *h = p->w;
	float *w = mem_xmalloc(p->in * MEM_PANEL * sizeof *w);
	for (size_t i = 0; i < p->in * MEM_PANEL; i++)
		w[i] = mem_half_get(h[i]);
	tiles(p, w, rows);
	free(w);
}

static void
panel_i8(const struct mem_panel *p, size_t rows)
{
	const int8_t *q = p->w;
	float *w = mem_xmalloc(p->in * MEM_PANEL * sizeof *w);
	for (size_t i = 0; i < p->in; i++)
		for (size_t o = 0; o < MEM_PANEL; o++)
			w[i * MEM_PANEL + o] = p->scale[o] *
			    (float)q[(i / 2 * MEM_PANEL + o) * 2 + i % 2];
	tiles(p, w, rows);
	free(w);
}

const struct mem_kernel_ops mem_kernel_plain = {
	.panel = { panel_f32, panel_f16, panel_i8 },
	.dot = mem_plain_dot,
	.gelu = mem_plain_gelu,
	.softmax = mem_plain_softmax,
	.norm = mem_plain_norm,
};
