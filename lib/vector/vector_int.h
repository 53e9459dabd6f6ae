/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector, inside: what each kernel implements.
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

#define VECTOR_PANEL 32

/* One panel and rows of inputs: y[r][0..31] = bias[0..31] + Σ x[r][i] w[i][0..31]. */
struct vector_panel {
	const void *w;
	const float *scale, *inscale;   /* int8: [32], [in] */
	const float *bias;              /* [32]; NULL: zero */
	size_t in;
	const void *x;                  /* float, or int16_t where a kernel quantises */
	const float *xscale;            /* int16_t: [rows] */
	size_t xstride, ystride;        /* elements from row to row */
	float *y;
};
typedef void vector_panel_fn(const struct vector_panel *p, size_t rows);

struct vector_kernel_ops {
	vector_panel_fn *panel[MEM_I8 + 1];     /* by precision */
	/* q[i] = x[i] by[i] / *scale, at most `limit` in size.  NULL: int8 panels take x as it is. */
	void (*quantise)(const float *x, const float *by, size_t n, float limit, int16_t *q, float *scale);
	float (*dot)(const float *a, const float *b, size_t n);
	void (*gelu)(float *x, size_t n);
	void (*softmax)(float *x, size_t n);
	void (*norm)(float *x, size_t n, const struct mem_norm_terms *t);
};
extern const struct vector_kernel_ops vector_kernel_plain;
#ifdef __x86_64__
extern const struct vector_kernel_ops vector_kernel_avx2, vector_kernel_avx512;
#endif
/* The chosen one's, or the best beside OpenBLAS; so also where the choice cannot be had. */
const struct vector_kernel_ops *vector_kernel_ops(void);
bool vector_has_kernel(enum mem_kernel k);
/* For tests: from here on, in all threads. */
bool vector_force_kernel(enum mem_kernel k);

/* Panels of that precision by `rows` rows; *quantised: they take x by `quantise` of the ops. */
vector_panel_fn *vector_choose_panel(enum mem_precision form, size_t rows, bool *quantised);
/* y[i][j] = <a[i], b[j]>: n rows and m of `dims` floats each; rows of y lie ystride apart. */
typedef void vector_rows_fn(const float *a, size_t n, const float *b, size_t m, size_t dims, float *y, size_t ystride);
vector_rows_fn vector_multiply_packed; /* by the chosen kernel's float32 panels */
/* The one for so many; it depends on nothing else, so that digits repeat. */
vector_rows_fn *vector_choose_rows(size_t n, size_t m, size_t dims);
/* OpenBLAS, once mem_link_blas was called. */
struct vector_blas {
	bool (*is_usable)(void);        /* it is installed, and computes rightly */
	enum mem_kernel (*kernel)(void); /* the kernel of ours whose instructions its own use */
	vector_rows_fn *rows;
	vector_panel_fn *panel[MEM_I8 + 1];
};
void vector_take_blas(const struct vector_blas *b);
/* As in cblas.h. */
typedef void vector_sgemm_fn(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
    const float *b, int ldb, float beta, float *c, int ldc);
/* Does it multiply known pairs right, in the two forms that are asked of it? */
bool vector_is_sgemm_right(vector_sgemm_fn *f);
/* One panel's weights as [in][32] float32: OWNS (free). */
float *vector_expand_panel(const struct vector_panel *p, enum mem_precision form);

/* Of lanes.c, compiled plainly. */
float vector_plain_dot(const float *a, const float *b, size_t n);
void vector_plain_gelu(float *x, size_t n);
void vector_plain_softmax(float *x, size_t n);
void vector_plain_norm(float *x, size_t n, const struct mem_norm_terms *t);
void vector_plain_quantise(const float *x, const float *by, size_t n, float limit, int16_t *q, float *scale);

/* ---- sign codes -------------------------------------------------------- */

/* Of four dimensions, as a block has them. */
#define VECTOR_CODE_GROUPS(dims) (((size_t)(dims) + 15) / 16 * 4)
/* Dimensions of which one is known to be the largest. */
#define VECTOR_CODE_PIECE        24
#define VECTOR_CODE_PIECES(dims) (((size_t)(dims) + VECTOR_CODE_PIECE - 1) / VECTOR_CODE_PIECE)

#ifdef __x86_64__
mem_code_scan_fn vector_scan_avx2, vector_scan_avx512;
mem_piece_match_fn vector_match_avx2, vector_match_avx512;
#endif

#endif
