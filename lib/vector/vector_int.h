/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector, inside: what each kernel brings.
 *
 * A packed matrix is cut into panels of 32 outputs, each whole for all inputs, so that what a tile of rows
 * needs next always lies next in memory:
 *
 *   float32, float16   [out / 32][in][32]
 *   int8               float scale[out], float inscale[in], int8_t [out / 32][in / 2][32][2]: the
 *                      pairs are what the instructions for 16-bit integers take
 */
#ifndef MEM_VECTOR_INT_H
#define MEM_VECTOR_INT_H

#include "vector/vector.h"

#define MEM_PANEL 32

/* One panel and rows of inputs: y[r][0..31] = bias[0..31] + Σ x[r][i] w[i][0..31]. */
struct mem_panel {
	const void *w;
	const float *scale, *inscale;   /* int8: [32], [in] */
	const float *bias;              /* [32]; NULL: zero */
	size_t in;
	const void *x;                  /* float, or int16_t where a kernel quantises */
	const float *xscale;            /* int16_t: [rows] */
	size_t xstride, ystride;        /* elements from row to row */
	float *y;
};
typedef void mem_panel_fn(const struct mem_panel *p, size_t rows);

struct mem_kernel_ops {
	mem_panel_fn *panel[MEM_I8 + 1];        /* by precision */
	/* q[i] = x[i] by[i] / *scale, at most `limit` in size.  NULL: int8 panels take x as it is. */
	void (*quantise)(const float *x, const float *by, size_t n, float limit, int16_t *q, float *scale);
	float (*dot)(const float *a, const float *b, size_t n);
	void (*gelu)(float *x, size_t n);
	void (*softmax)(float *x, size_t n);
	void (*norm)(float *x, size_t n, const struct mem_norm_terms *t);
};
extern const struct mem_kernel_ops mem_kernel_plain;
#ifdef __x86_64__
extern const struct mem_kernel_ops mem_kernel_avx2, mem_kernel_avx512;
#endif
/* The chosen one's, or the best beside OpenBLAS; so also where the choice cannot be had. */
const struct mem_kernel_ops *mem_kernel_ops(void);
bool mem_kernel_has(enum mem_kernel k);
/* For tests: from here on, in all threads. */
bool mem_kernel_force(enum mem_kernel k);

/* Panels of that precision by `rows` rows; *quantised: they take x by `quantise` of the ops. */
mem_panel_fn *mem_kernel_panel(enum mem_precision form, size_t rows, bool *quantised);
/* y[i][j] = <a[i], b[j]>: n rows and m of `dims` floats each; rows of y lie ystride apart. */
typedef void mem_rows_fn(const float *a, size_t n, const float *b, size_t m, size_t dims, float *y, size_t ystride);
mem_rows_fn mem_rows_packed;    /* by the chosen kernel's float32 panels */
/* The one for so many; it depends on nothing else, so that digits repeat. */
mem_rows_fn *mem_kernel_rows(size_t n, size_t m, size_t dims);
/* OpenBLAS, once mem_blas_bring was called. */
struct mem_blas {
	bool (*there)(void);            /* and does it compute rightly? */
	enum mem_kernel (*level)(void); /* the kernel of ours whose instructions its own use */
	mem_rows_fn *rows;
	mem_panel_fn *panel[MEM_I8 + 1];
};
void mem_kernel_take_blas(const struct mem_blas *b);
/* As in cblas.h. */
typedef void mem_sgemm_fn(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
    const float *b, int ldb, float beta, float *c, int ldc);
/* Does it multiply known pairs right, in the two forms that are asked of it? */
bool mem_sgemm_right(mem_sgemm_fn *f);
/* One panel's weights as [in][32] float32: OWNS (free). */
float *mem_panel_floats(const struct mem_panel *p, enum mem_precision form);

/* Of lanes.c, compiled plainly. */
float mem_plain_dot(const float *a, const float *b, size_t n);
void mem_plain_gelu(float *x, size_t n);
void mem_plain_softmax(float *x, size_t n);
void mem_plain_norm(float *x, size_t n, const struct mem_norm_terms *t);
void mem_plain_quantise(const float *x, const float *by, size_t n, float limit, int16_t *q, float *scale);

/* ---- sign codes -------------------------------------------------------- */

/* Of four dimensions, as a block has them. */
#define MEM_CODE_GROUPS(dims) (((size_t)(dims) + 15) / 16 * 4)
/* Dimensions of which one is known to be the largest. */
#define MEM_CODE_PIECE        24
#define MEM_CODE_PIECES(dims) (((size_t)(dims) + MEM_CODE_PIECE - 1) / MEM_CODE_PIECE)

#ifdef __x86_64__
mem_code_scan_fn mem_code_scan_avx2, mem_code_scan_avx512;
#endif

#endif
