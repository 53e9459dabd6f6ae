/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS, opened at first need; what it computes is looked at once before it is believed. */
#include "vector/vector_int.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* As in cblas.h, which need not be there to build. */
enum { ROW_MAJOR = 101, AS_IT_IS = 111 };
typedef void sgemm_fn(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
    const float *b, int ldb, float beta, float *c, int ldc);
typedef void threads_fn(int n);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sgemm_fn *sgemm;

/* A product of odd sizes, large enough for every path, against sums in double. */
static bool
computes(sgemm_fn *f)
{
	enum { M = 37, N = 96, K = 160 };
	float *a = mem_xmalloc((M * K + K * N + M * N) * sizeof *a), *b = a + M * K, *c = b + K * N;
	uint32_t s = 1;
	for (size_t i = 0; i < M * K + K * N; i++) {
		s = s * 1664525 + 1013904223;
		a[i] = (float)(s >> 8) / 0x1p23f - 1;
	}
	for (size_t i = 0; i < M * N; i++)
		c[i] = 1;
	f(ROW_MAJOR, AS_IT_IS, AS_IT_IS, M, N, K, 1, a, K, b, N, 1, c, N);
	bool right = true;
	for (size_t m = 0; m < M; m++) {
		for (size_t n = 0; n < N; n++) {
			double sum = 1;
			for (size_t k = 0; k < K; k++)
				sum += (double)a[m * K + k] * (double)b[k * N + n];
			right = right && fabs(sum - (double)c[m * N + n]) < 1e-3;
		}
	}
	free(a);
	return right;
}

static void
open_it(void)
{
	void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL)
		return;
	/* POSIX lets a pointer to an object be one to a function; ISO C has no cast for it. */
	union { void *p; sgemm_fn *f; } multiply = { dlsym(lib, "cblas_sgemm") };
	union { void *p; threads_fn *f; } threads = { dlsym(lib, "openblas_set_num_threads") };
	if (threads.p != NULL)
		threads.f(1);
	if (multiply.p != NULL && computes(multiply.f))
		sgemm = multiply.f;
	else
		dlclose(lib);
}

static bool
there(void)
{
	pthread_once(&once, open_it);
	return sgemm != NULL;
}

/* Panel by panel: it takes a few outputs at a time nearly as fast as all of them (85 to 100 %). */
static void
panel(const struct mem_panel *p, size_t rows, enum mem_precision form)
{
	static const float none[MEM_PANEL];
	for (size_t r = 0; r < rows; r++)
		memcpy(p->y + r * p->ystride, p->bias != NULL ? p->bias : none, sizeof none);
	float *w = form == MEM_F32 ? NULL : mem_panel_floats(p, form);
	sgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, (int)rows, MEM_PANEL, (int)p->in, 1, p->x, (int)p->xstride,
	    w != NULL ? w : p->w, MEM_PANEL, 1, p->y, (int)p->ystride);
	free(w);
}

static void panel_f32(const struct mem_panel *p, size_t rows) { panel(p, rows, MEM_F32); }
static void panel_f16(const struct mem_panel *p, size_t rows) { panel(p, rows, MEM_F16); }
static void panel_i8(const struct mem_panel *p, size_t rows) { panel(p, rows, MEM_I8); }

void
mem_blas_bring(void)
{
	static const struct mem_blas b = { there, { panel_f32, panel_f16, panel_i8 } };
	mem_kernel_take_blas(&b);
}
