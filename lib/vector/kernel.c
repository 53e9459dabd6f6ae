/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels this processor has, and which one serves. */
#include "vector/vector_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

static const char *const names[] = {
	[MEM_KERNEL_PLAIN] = "plain",
	[MEM_KERNEL_AVX2] = "avx2",
	[MEM_KERNEL_AVX512] = "avx512",
	[MEM_KERNEL_OPENBLAS] = "openblas",
};
/* From so many rows OpenBLAS is worth opening where only the plain kernel serves. */
enum { BLAS_ROWS = 64 };
/*
 * And so many multiplications of rows by rows: to open it costs some 3 ms, and it saves little of what our own kernels take.
 * Where it does not know the processor its kernels are of older instructions than ours and slower (0.3.21 takes a
 * Zen 5 for a Haswell: half as fast as avx512), and then it is not taken.
 */
#define BLAS_WORK_PLAIN 0x1p26
#define BLAS_WORK       0x1p31

static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum mem_kernel chosen, own;     /* own: what serves beside OpenBLAS */
static bool named;              /* by MEM_KERNEL */
static const char *missing;     /* what MEM_KERNEL names and is not here */
static const struct vector_blas *blas;

const char *
mem_kernel_name(enum mem_kernel k)
{
	return names[k];
}

/* Instructions that the processor has and the system saves for us. */
bool
vector_has_kernel(enum mem_kernel k)
{
	switch (k) {
	case MEM_KERNEL_PLAIN:
		return true;
	case MEM_KERNEL_OPENBLAS:
		return blas != NULL && blas->is_usable();
#ifdef __x86_64__
	case MEM_KERNEL_AVX2: {
		unsigned a, b, c, d;
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		    __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
	}
	case MEM_KERNEL_AVX512:
		return vector_has_kernel(MEM_KERNEL_AVX2) && __builtin_cpu_supports("avx512f") &&
		    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
		    __builtin_cpu_supports("avx512vnni");
#endif
	default:
		return false;
	}
}

static void
choose_kernel(void)
{
	const char *name = getenv("MEM_KERNEL");
	/* Once: to ask the processor of a virtual machine takes long. */
	own = MEM_KERNEL_AVX512;
	while (!vector_has_kernel(own))
		own--;
	if (name != NULL && *name != '\0') {
		for (size_t k = 0; k < MEM_COUNT(names); k++) {
			if (strcmp(name, names[k]) == 0 && vector_has_kernel((enum mem_kernel)k)) {
				chosen = (enum mem_kernel)k;
				named = true;
				return;
			}
		}
		missing = name;
	}
	chosen = own;
}

enum mem_status
mem_kernel_choose(enum mem_kernel *out, struct mem_err *err)
{
	pthread_once(&once, choose_kernel);
	*out = chosen;
	if (missing != NULL)
		return mem_err_set(err, MEM_USAGE, "MEM_KERNEL: '%s' cannot serve here (plain always does)", missing);
	return MEM_OK;
}

bool
vector_force_kernel(enum mem_kernel k)
{
	pthread_once(&once, choose_kernel);
	if (!vector_has_kernel(k))
		return false;
	chosen = k;
	named = true;
	return true;
}

void
vector_take_blas(const struct vector_blas *b)
{
	blas = b;
}

const struct vector_kernel_ops *
vector_kernel_ops(void)
{
	pthread_once(&once, choose_kernel);
	switch (chosen == MEM_KERNEL_OPENBLAS ? own : chosen) {
#ifdef __x86_64__
	case MEM_KERNEL_AVX2:
		return &vector_kernel_avx2;
	case MEM_KERNEL_AVX512:
		return &vector_kernel_avx512;
#endif
	default:
		return &vector_kernel_plain;
	}
}

vector_panel_fn *
vector_choose_panel(enum mem_precision form, size_t rows, bool *quantised)
{
	const struct vector_kernel_ops *ops = vector_kernel_ops();
	bool by_blas = chosen == MEM_KERNEL_OPENBLAS ||
	    (chosen == MEM_KERNEL_PLAIN && !named && rows >= BLAS_ROWS && vector_has_kernel(MEM_KERNEL_OPENBLAS));
	*quantised = !by_blas && form == MEM_I8 && ops->quantise != NULL;
	return by_blas ? blas->panel[form] : ops->panel[form];
}

vector_rows_fn *
vector_choose_rows(size_t n, size_t m, size_t dims)
{
	double work = (double)n * (double)m * (double)dims;
	pthread_once(&once, choose_kernel);
	if (chosen == MEM_KERNEL_OPENBLAS)
		return blas->rows;
	if (named || work < (own == MEM_KERNEL_PLAIN ? BLAS_WORK_PLAIN : BLAS_WORK) || !vector_has_kernel(MEM_KERNEL_OPENBLAS))
		return vector_multiply_packed;
	return blas->kernel() >= own ? blas->rows : vector_multiply_packed;
}
