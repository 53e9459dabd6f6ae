/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS, opened at first need, and used only if it multiplies known matrices right. */
#include "vector/vector_int.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* As in cblas.h, which need not be there to build. */
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };
typedef void threads_fn(int n);
typedef int parallel_fn(void);
typedef const char *name_fn(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static vector_sgemm_fn *sgemm;
static enum mem_kernel level = MEM_KERNEL_PLAIN;

/* Of the three builds of OpenBLAS only the one with its own threads (1) may be called by several threads at once. */
static bool one_caller;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- does it multiply right? -------------------------------------------- */

/* In [-1, 1), the same every time. */
static float
draw_number(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return (float)(*seed >> 8) / 0x1p23f - 1;
}

/*
 * c = a b + 1, or a times b transposed, [m][n] by sums of k, against sums in double.  Both sides are multiplied by
 * one column of noise, so that m k + n k steps do, and yet no wrong number and no wrong place is lost (R. Freivalds,
 * "Probabilistic machines can use less running time", 1977).
 */
static bool
is_product_right(vector_sgemm_fn *f, int m, int n, int k, bool transposed)
{
	size_t rows = (size_t)m, cols = (size_t)n, in = (size_t)k;
	float *a = mem_xmalloc((rows * in + in * cols + rows * cols + cols) * sizeof *a);
	float *b = a + rows * in, *c = b + in * cols, *noise = c + rows * cols;
	double *sums = mem_xcalloc(in, sizeof *sums);
	uint32_t seed = 1;
	bool right = true;
	for (size_t i = 0; i < rows * in + in * cols; i++)
		a[i] = draw_number(&seed);
	for (size_t i = 0; i < rows * cols; i++)
		c[i] = 1;
	f(ROW_MAJOR, AS_IT_IS, transposed ? TRANSPOSED : AS_IT_IS, m, n, k, 1, a, k, b, transposed ? k : n, transposed ? 0 : 1,
	    c, n);
	double ones = 0;
	for (size_t o = 0; o < cols; o++) {
		noise[o] = draw_number(&seed);
		ones += transposed ? 0 : (double)noise[o];
		for (size_t i = 0; i < in; i++)
			sums[i] += (double)noise[o] * (double)(transposed ? b[o * in + i] : b[i * cols + o]);
	}
	for (size_t r = 0; r < rows; r++) {
		double is = 0, should = ones;
		for (size_t o = 0; o < cols; o++)
			is += (double)noise[o] * (double)c[r * cols + o];
		for (size_t i = 0; i < in; i++)
			should += (double)a[r * in + i] * sums[i];
		right = right && fabs(is - should) < 5e-3;
	}
	free(sums);
	free(a);
	return right;
}

/* Small products go another way through it than large ones; odd sizes leave rests. */
bool
vector_is_sgemm_right(vector_sgemm_fn *f)
{
	return is_product_right(f, 37, 96, 160, false) && is_product_right(f, 56, 32, 1536, false) && is_product_right(f, 37, 97, 160, true) &&
	    is_product_right(f, 201, 128, 387, true);
}

/* Our kernel with the same instructions as OpenBLAS's kernels of that name. */
static enum mem_kernel
read_core(const char *core)
{
	static const char *const avx512[] = { "SkylakeX", "Cooperlake", "Sapphirerapids" }, *const avx2[] = { "Haswell", "Zen" };
	for (size_t i = 0; i < MEM_COUNT(avx512); i++)
		if (strcasecmp(core, avx512[i]) == 0)
			return MEM_KERNEL_AVX512;
	for (size_t i = 0; i < MEM_COUNT(avx2); i++)
		if (strcasecmp(core, avx2[i]) == 0)
			return MEM_KERNEL_AVX2;
	return MEM_KERNEL_PLAIN;
}

/* ---- opening ------------------------------------------------------------ */

static void
open_openblas(void)
{
	static const char *const names[] = { "libopenblas.so.0", NULL };
	/* POSIX lets a pointer to an object be one to a function; ISO C has no cast for it. */
	union { void *p; vector_sgemm_fn *f; } multiply;
	union { void *p; threads_fn *f; } threads;
	union { void *p; parallel_fn *f; } parallel;
	union { void *p; name_fn *f; } core;
	const struct mem_symbol symbols[] = {
		{ "cblas_sgemm", &multiply.p, false }, { "openblas_set_num_threads", &threads.p, true },
		{ "openblas_get_parallel", &parallel.p, true }, { "openblas_get_corename", &core.p, true },
	};
	void *lib;
	if (mem_library_open(&lib, names, symbols, MEM_COUNT(symbols), NULL) != MEM_OK)
		return;
	if (threads.p != NULL)
		threads.f(1);
	one_caller = parallel.p == NULL || parallel.f() != 1;
	if (core.p != NULL)
		level = read_core(core.f());
	if (vector_is_sgemm_right(multiply.f))
		sgemm = multiply.f;
	else
		mem_library_close(lib);
}

static bool
has_openblas(void)
{
	pthread_once(&once, open_openblas);
	return sgemm != NULL;
}

static enum mem_kernel
get_openblas_kernel(void)
{
	return has_openblas() ? level : MEM_KERNEL_PLAIN;
}

/* ---- multiplying -------------------------------------------------------- */

/* y = x w + y, or x times w transposed. */
static void
multiply_by_openblas(const float *x, size_t rows, size_t xstride, const float *w, size_t cols, size_t in, bool transposed, float *y,
    size_t ystride)
{
	if (one_caller)
		pthread_mutex_lock(&lock);
	sgemm(ROW_MAJOR, AS_IT_IS, transposed ? TRANSPOSED : AS_IT_IS, (int)rows, (int)cols, (int)in, 1, x, (int)xstride, w,
	    (int)(transposed ? in : cols), transposed ? 0 : 1, y, (int)ystride);
	if (one_caller)
		pthread_mutex_unlock(&lock);
}

static void
multiply_rows_openblas(const float *a, size_t n, const float *b, size_t m, size_t dims, float *y, size_t ystride)
{
	multiply_by_openblas(a, n, dims, b, m, dims, true, y, ystride);
}

/* Panel by panel: it takes a few outputs at a time nearly as fast as all of them (85 to 100 %). */
static void
multiply_panel_openblas(const struct vector_panel *p, size_t rows, enum mem_precision form)
{
	static const float none[VECTOR_PANEL];
	for (size_t r = 0; r < rows; r++)
		memcpy(p->y + r * p->ystride, p->bias != NULL ? p->bias : none, sizeof none);
	float *w = form == MEM_F32 ? NULL : vector_expand_panel(p, form);
	multiply_by_openblas(p->x, rows, p->xstride, w != NULL ? w : p->w, VECTOR_PANEL, p->in, false, p->y, p->ystride);
	free(w);
}

static void multiply_f32_openblas(const struct vector_panel *p, size_t rows) { multiply_panel_openblas(p, rows, MEM_F32); }
static void multiply_f16_openblas(const struct vector_panel *p, size_t rows) { multiply_panel_openblas(p, rows, MEM_F16); }
static void multiply_i8_openblas(const struct vector_panel *p, size_t rows) { multiply_panel_openblas(p, rows, MEM_I8); }

void
mem_link_blas(void)
{
	static const struct vector_blas b = { has_openblas, get_openblas_kernel, multiply_rows_openblas,
		{ multiply_f32_openblas, multiply_f16_openblas, multiply_i8_openblas } };
	vector_take_blas(&b);
}
