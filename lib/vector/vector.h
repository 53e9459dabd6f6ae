/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector: dense arithmetic.
 *
 *   kernels          which instructions serve on this processor
 *   dot products     in one order of summing everywhere
 *   matrices         packed once, multiplied by few rows or by many
 *   sign codes       one bit a dimension, estimated against a float query
 *
 * Vectors are float32, row-major, without padding unless it is said.
 */
#ifndef MEM_VECTOR_H
#define MEM_VECTOR_H

#include "base/base.h"

/* ---- kernels ---------------------------------------------------------- */

/*
 * Chosen once, at first use: the best that the processor has, or what MEM_KERNEL names
 * ("plain", "avx2", "avx512", "openblas"); what is named but not there is MEM_USAGE.
 * "openblas" multiplies matrices by OpenBLAS whatever their rows; all else is then as without a name.
 */
enum mem_kernel { MEM_KERNEL_PLAIN, MEM_KERNEL_AVX2, MEM_KERNEL_AVX512, MEM_KERNEL_OPENBLAS };
enum mem_status mem_kernel_choose(enum mem_kernel *out, struct mem_err *err) MEM_CHECKED;
const char *mem_kernel_name(enum mem_kernel k);

/* ---- dot products ----------------------------------------------------- */

/*
 * Σ a[i] b[i] in float32: sixteen sums, i mod 16, without fused steps, added up as a
 * tree.  Every kernel gives the same bits, so that final scores repeat on all machines.
 */
float mem_dot(const float *a, const float *b, size_t n);
/* Divides by the length; false (and v stays) when it is 0 or not finite. */
bool mem_normalise(float *v, size_t n);

/* ---- matrices --------------------------------------------------------- */

/* How a packed matrix keeps its weights: int8 has one scale for each output. */
enum mem_precision { MEM_F32, MEM_F16, MEM_I8 };
const char *mem_precision_name(enum mem_precision p);      /* "float32", "float16", "int8" */
bool mem_precision_parse(struct mem_str s, enum mem_precision *out);

/* A matrix as mem_mat_pack laid it out; the form is the same for every kernel. */
struct mem_mat {
	uint32_t in, out;           /* multiples of 32 */
	enum mem_precision precision;
	const void *packed;         /* mem_mat_bytes, at a 64-byte boundary; BORROWS */
};
size_t mem_mat_bytes(enum mem_precision p, uint32_t in, uint32_t out);
/* w is [in][out].  MEM_FAIL: a weight is not finite. */
enum mem_status mem_mat_pack(void *packed, enum mem_precision p, const float *w, uint32_t in,
    uint32_t out, struct mem_err *err) MEM_CHECKED;
/* y[rows][out] = x[rows][in] · W + bias[out].  A row of y does not depend on the other rows (by
 * OpenBLAS: but for rounding). */
void mem_mat_mul(const struct mem_mat *w, const float *bias, const float *x, size_t rows, float *y);
/*
 * The same by a float32 panel of 32 outputs, [in][32], made on the fly; rows of x and y
 * lie xstride and ystride apart.  Any `in`, also odd; nothing is added.
 */
void mem_panel_mul(const float *panel, size_t in, const float *x, size_t xstride, size_t rows, float *y,
    size_t ystride);

/* ---- rows of an encoder ----------------------------------------------- */

/* x/2 (1 + erf(x/√2)), the exact GELU; erf by Abramowitz and Stegun 7.1.26, within 1.5e-7. */
void mem_gelu(float *x, size_t n);
/* e^x / Σ e^x. */
void mem_softmax(float *x, size_t n);
/* x = LayerNorm(x + add) · weight + bias; the variance is the mean of squares about the mean; n is a multiple of 16. */
struct mem_norm_terms {
	const float *add;               /* [n]; NULL: nothing */
	const float *weight, *bias;     /* [n] each */
	float eps;
};
void mem_layer_norm(float *x, size_t n, const struct mem_norm_terms *t);

#endif
