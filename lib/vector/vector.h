/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector: dense arithmetic.
 *
 *   kernels          which instructions serve on this processor
 *   dot products     in one order of summing everywhere
 *   similarity       every row of one set with every row of another
 *   matrices         packed once, multiplied by few rows or by many
 *   sign codes       one bit a dimension, estimated against a float query
 *   word pieces      signs against signs, many with many
 *
 * Vectors are float32, row-major, without padding unless it is said.
 */
#ifndef MEM_VECTOR_H
#define MEM_VECTOR_H

#include "base/base.h"

/* ---- kernels ---------------------------------------------------------- */

/*
 * Chosen once, at first use: the best that the processor has, or what MEM_KERNEL names
 * ("plain", "avx2", "avx512", "openblas"); what is named but cannot serve is MEM_USAGE.
 *
 * avx2 takes FMA and F16C as well, avx512 also VNNI.  openblas multiplies packed matrices, and rows by rows, by OpenBLAS
 * however few they are, and all else is then as without a name.  Unnamed it multiplies matrices only in batches where
 * neither of the others can serve, since it is never faster.  Measured on an EPYC (Zen 4, one thread, OpenBLAS 0.3.21 with its Cooper Lake
 * kernels), GFLOP/s of y[rows][1536] = x[rows][384] W:
 *
 *   rows                          1       14      112     2048
 *   OpenBLAS                      28      60      101     105
 *   avx512 float32/16/int8     45 51 118  112 106 213  112 106 210  107 100 190
 *   avx2   float32/16/int8     29 30 104  105 108 156  112 114 157  105 110 155
 */
enum mem_kernel { MEM_KERNEL_PLAIN, MEM_KERNEL_AVX2, MEM_KERNEL_AVX512, MEM_KERNEL_OPENBLAS };
enum mem_status mem_kernel_choose(enum mem_kernel *out, struct mem_err *err) MEM_CHECKED;
const char *mem_kernel_name(enum mem_kernel k);
/*
 * For a command that may multiply many rows, before anything else: links the code that opens OpenBLAS
 * (libopenblas.so.0) at first need, and uses it only if it multiplies known matrices right (0.3.21 does not on some
 * newer processors).  Without this call nothing needs dlopen, which a static program lacks.
 */
void mem_link_blas(void);

/* ---- dot products ----------------------------------------------------- */

/*
 * Σ a[i] b[i] in float32: sixteen sums, i mod 16, without fused steps, added up as a
 * tree.  Every kernel gives the same bits, so that final scores repeat on all machines.
 */
float mem_dot(const float *a, const float *b, size_t n);
/* Divides by the length; false (and v stays) when it is 0 or not finite. */
bool mem_normalise(float *v, size_t n);

/* ---- similarity ------------------------------------------------------- */

/*
 * Products of every row of a, [n][dims], with every row of b, [m][dims], into out, [n][m]: float32, row-major, as a store
 * keeps rows.  dims > 0; m and dims < 2^31.
 *
 * By OpenBLAS where mem_link_blas was called, there are enough products to open it for, and its kernels are not of
 * older instructions than ours; else, so in static programs, by float32 panels of the chosen kernel.  MEM_KERNEL
 * decides as for matrices.  On all processors that the process may use, as far as each has a millisecond to do; each
 * takes 1 to 3 MiB.  Seconds for 10,000 x 10,016 x 384 (Zen 5, one thread, OpenBLAS 0.3.21):
 *
 *              OpenBLAS   panels   mem_dot
 *   AVX-512    .34        .34      2.7
 *   AVX2       .64        .66      3.2
 *   plain                 2.0      3.8
 *
 * Kernels round differently: what is shown or compared comes from mem_similar_each.
 */
void mem_similar(const float *a, size_t n, const float *b, size_t m, size_t dims, float *out);

/* `product` is mem_dot's, of row i of a and row j of b.  False: no more. */
typedef bool mem_similar_fn(void *ctx, size_t i, size_t j, float product);
/*
 * Calls fn for each pair whose product by mem_dot is at least `least`, by i, then by j, in the calling thread.  It is as if
 * mem_dot were called for all of them, whichever kernel looks first: what that finds is multiplied again, and with it
 * all that rounding may have put below (by 5.0e-5 for 384 floats, times both lengths).  A product that is not a number
 * is not at least anything.  Who rounds products before comparing asks for a little less.  Takes besides one bit for each pair of
 * 1,024 rows of a: 128 bytes a row of b, and at least up to 4 MiB.  False: fn ended it.
 */
bool mem_similar_each(const float *a, size_t n, const float *b, size_t m, size_t dims, float least, mem_similar_fn *fn,
    void *ctx);
/* The same of each row of a with those before it: j < i. */
bool mem_similar_pairs(const float *a, size_t n, size_t dims, float least, mem_similar_fn *fn, void *ctx);

/* ---- matrices --------------------------------------------------------- */

/* How a packed matrix keeps its weights: int8 has a scale for each output and one for each input. */
enum mem_precision { MEM_F32, MEM_F16, MEM_I8 };
const char *mem_precision_name(enum mem_precision p);      /* "float32", "float16", "int8" */

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
/*
 * y[rows][out] = x[rows][in] · W + bias[out].  A row of y does not depend on the other rows (by OpenBLAS: but for
 * rounding).  With int8 weights avx2 and avx512 round each row of x to 16 bits by a scale of its
 * own: sums are whole numbers then, and twice as fast.
 */
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

/* ---- sign codes ------------------------------------------------------- */

/*
 * A vector of length 1 in a little over one bit a dimension, to estimate its product with a float query.
 *
 * v = c m + y, where m is the direction of a mean and c the mean component (without a mean y = v): vectors of an
 * encoder share a large direction, and the part of the query in it would only add to the error of the estimate.
 * A code has the signs s of y and, for each 24 dimensions, which of them is the largest: the outliers.
 *
 *   coarse   y ~ factor s            factor = <y, y> / <y, s>
 *   fine     y ~ factor ratio w s    w = 3 for outliers (for normal components they are 3.1 times the others' mean),
 *                                    else 1; ratio = <y, s> / <y, w s>
 *
 * With such factors <q, factor s> has no bias, and its standard error is that of a residual in a random direction:
 * |q| sqrt((|factor s|² - |y|²) / (dims - 1)) (Gao and Long, "RaBitQ", SIGMOD 2024, §3, without the rotation: measured on
 * e5, it gains nothing).  For normal components that is .755 and .60 of |q| |y| / sqrt(dims - 1).
 *
 * A code: dims / 8 bytes of signs (bit i % 8 of byte i / 8), the factor (half float), the mean component less the
 * mean's length in 256ths (int8), the ratio in 255ths, then for each 24 dimensions six bits, place | sign << 5, four in
 * three bytes.  The fine part begins with the ratio.  Dims are a multiple of 8, at most 4096.
 */
size_t mem_code_bytes(uint32_t dims);
size_t mem_code_fine_bytes(uint32_t dims);
static inline const uint8_t *
mem_code_fine_part(const uint8_t *code, uint32_t dims)
{
	return code + dims / 8 + 3;
}
/* The direction and length of a mean. */
struct mem_code_mean {
	uint32_t dims;
	float length;
	float *direction;               /* [dims]; OWNS */
};
void mem_code_mean_init(struct mem_code_mean *m, const float *mean, uint32_t dims); /* mean NULL: zero */
void mem_code_mean_release(struct mem_code_mean *m);
void mem_code_make(const struct mem_code_mean *m, const float *v, uint8_t *code);

/*
 * 32 codes without their fine parts, laid out so that one instruction looks up many: for each four
 * dimensions 16 bytes, whose byte i has those of code i in its low half and those of code i + 16 in its high
 * half, up to a multiple of 16 dimensions; then 32 factors; then 32 mean components (Andre, Kermarrec and Le Scouarnec, "Quicker ADC", 2021).
 */
#define MEM_CODE_BLOCK 32
size_t mem_code_block_bytes(uint32_t dims);
void mem_code_block_set(uint8_t *block, uint32_t dims, unsigned i, const uint8_t *code);
/* All of the code but its fine part. */
void mem_code_block_get(const uint8_t *block, uint32_t dims, unsigned i, uint8_t *code);
uint16_t mem_code_block_factor(const uint8_t *block, uint32_t dims, unsigned i);
int8_t mem_code_block_mean_component(const uint8_t *block, uint32_t dims, unsigned i);

struct mem_code_query {
	uint32_t dims;
	float mean_length;
	float mean_base, mean_step;     /* product of the mean parts: base + step times a code's mean component */
	float scale, bias;              /* <q', s> = scale times the sum looked up + bias */
	float error_bound;              /* times a code's factor: what coarse estimates have added */
	float length;                   /* of q', the query less its part along the mean */
	uint8_t *table;                 /* 16 for each four dimensions; OWNS */
	float *outliers;                /* 64 for each 24: what an outlier adds to a fine estimate; OWNS */
};
/* `errors`: how many standard errors mem_code_choose_scan adds to its estimates. */
void mem_code_query_init(struct mem_code_query *q, const struct mem_code_mean *m, const float *v, float errors);
void mem_code_query_release(struct mem_code_query *q);
/*
 * Coarse estimates for a block.  Bit i of the result: the estimate of code i is at least `cut`.  The table holds
 * integers, and the rest is computed in one order, so every kernel gives the same bits.
 */
typedef uint32_t mem_code_scan_fn(const struct mem_code_query *q, const uint8_t *block, float cut,
    float estimate[MEM_CODE_BLOCK]);
mem_code_scan_fn *mem_code_choose_scan(void); /* the chosen kernel's */
/* The fine estimate from a coarse one, without any errors added; *error: its standard error. */
float mem_code_estimate_fine(const struct mem_code_query *q, float estimate, uint16_t factor, int8_t component,
    const uint8_t *fine, float *error);

/*
 * Of n rows of signs, each dims / 8 bytes filled up with zeros to a multiple of 8 at an 8-byte boundary, the one that differs least
 * from `signs` (the first of those); *bits: by how many.
 */
static inline size_t
mem_signs_stride(uint32_t dims)
{
	return ((size_t)dims + 63) / 64 * 8;
}
size_t mem_signs_closest(const uint64_t *signs, const uint64_t *rows, size_t n, uint32_t dims, uint32_t *bits);

/* ---- word pieces ------------------------------------------------------ */

/*
 * A word piece's code is the signs of its vector less a mean (bit i % 8 of byte i / 8; a zero is as if negative), dims / 8
 * bytes; dims are a multiple of 64, at most MEM_PIECE_DIMS_MAX.  Where h signs differ, the cosine of the two centred
 * vectors is about 1 - 2 h / dims.
 */
#define MEM_PIECE_DIMS_MAX 4096
static inline size_t
mem_piece_bytes(uint32_t dims)
{
	return dims / 8;
}
void mem_piece_code(const float *v, const float *mean, uint32_t dims, uint8_t *code);
/*
 * For each of a question's codes in how many signs the nearest of a text's codes differs from it: bits[i] becomes that,
 * unless it is less already, so that a window of several texts is matched by one call for each.  Codes lie
 * one after the other, at any address.  The numbers are whole, so every kernel gives the same.
 *
 * 14 codes with 16,000 that lie in 1,000 places (Zen 5, one thread), in ms: plain 2.0, avx2 .45, avx512 .21.
 */
typedef void mem_piece_match_fn(const uint8_t *question, size_t nquestion, const uint8_t *text, size_t ntext,
    uint32_t dims, uint16_t *bits);
mem_piece_match_fn *mem_piece_choose_match(void); /* the chosen kernel's; avx512 needs VPOPCNTDQ, too, else it is avx2's */

#endif
