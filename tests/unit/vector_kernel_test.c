/* SPDX-License-Identifier: Apache-2.0 */
/* Each kernel that this machine has against sums in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vector/vector_int.h"

static uint32_t seed;

/* In (-1, 1). */
static float
noise(void)
{
	seed = seed * 1664525 + 1013904223;
	return (float)(int32_t)seed / 0x1p31f;
}

static float *
noises(size_t n)
{
	float *v = mem_xmalloc((n + 1) * sizeof *v);
	for (size_t i = 0; i < n; i++)
		v[i] = noise();
	return v;
}

/* Runs `f` under each kernel; the last resets the choice to the best. */
static void
each_kernel(void (*f)(enum mem_kernel k))
{
	for (int k = MEM_KERNEL_OPENBLAS; k >= MEM_KERNEL_PLAIN; k--) {
		if (vector_force_kernel((enum mem_kernel)k))
			f((enum mem_kernel)k);
		else
			print_message("# no %s here\n", mem_kernel_name((enum mem_kernel)k));
	}
}

/* ---- dot products ------------------------------------------------------- */

static float dots[400];

static void
dot_of_each_size(enum mem_kernel k)
{
	seed = 7;
	for (size_t n = 0; n < MEM_COUNT(dots); n++) {
		float *a = noises(n + 3), *b = noises(n + 1);
		double sum = 0;
		for (size_t i = 0; i < n; i++)
			sum += (double)a[i + 3] * (double)b[i + 1];
		float got = mem_dot(a + 3, b + 1, n);
		assert_true(fabs((double)got - sum) < 1e-4);
		if (k == MEM_KERNEL_PLAIN)
			assert_memory_equal(&got, &dots[n], sizeof got);
		else if (k == MEM_KERNEL_OPENBLAS || !vector_has_kernel(MEM_KERNEL_OPENBLAS))
			dots[n] = got;
		else
			assert_memory_equal(&got, &dots[n], sizeof got);
		free(a);
		free(b);
	}
}

static void
dot_is_the_same_everywhere(void **state)
{
	(void)state;
	each_kernel(dot_of_each_size);
}

static void
dot_sums_in_sixteen_lanes(void **state)
{
	(void)state;
	/* 1 is lost beside 2^24 in one lane and kept in another. */
	float a[33] = { 0 }, ones[33];
	for (size_t i = 0; i < 33; i++)
		ones[i] = 1;
	a[0] = 16777216;
	a[16] = 1;
	a[32] = 1;
	assert_true(mem_dot(a, ones, 33) == 16777216);
	a[32] = 0;
	a[16] = 0;
	a[1] = 1;
	a[17] = 1;
	assert_true(mem_dot(a, ones, 33) == 16777218);
}

static void
normalising(void **state)
{
	(void)state;
	float v[5] = { 3, 0, 4, 0, 0 }, zero[4] = { 0 }, bad[2] = { 1, NAN }, huge[2] = { 1e38f, 1e38f };
	assert_true(mem_normalise(v, 5));
	assert_true(v[0] == 0.6f && v[2] == 0.8f);
	assert_false(mem_normalise(zero, 4));
	assert_false(mem_normalise(bad, 2));
	assert_true(bad[0] == 1);
	assert_false(mem_normalise(huge, 2));
	assert_true(huge[0] == 1e38f);
}

/* ---- matrices ----------------------------------------------------------- */

static const double tolerance[] = { [MEM_F32] = 2e-6, [MEM_F16] = 5e-4, [MEM_I8] = 1e-2 };

/* The error of each output against double, as a share of what its terms could add up to at random. */
static void
mul_one(enum mem_kernel kernel, enum mem_precision p, uint32_t in, uint32_t out, size_t rows)
{
	struct mem_mat m = { .in = in, .out = out, .precision = p };
	void *packed = aligned_alloc(64, (mem_mat_bytes(p, in, out) + 63) / 64 * 64);
	float *w = noises((size_t)in * out), *bias = noises(out), *x = noises(rows * in);
	float *y = noises(rows * out + 1), *alone = noises(out);
	float guard = y[rows * out] = 12345;
	assert_int_equal(mem_mat_pack(packed, p, w, in, out, NULL), MEM_OK);
	m.packed = packed;
	for (int with = 0; with < 2; with++) {
		mem_mat_mul(&m, with ? bias : NULL, x, rows, y);
		for (size_t r = 0; r < rows; r++) {
			for (size_t o = 0; o < out; o++) {
				double sum = with ? (double)bias[o] : 0;
				for (size_t i = 0; i < in; i++)
					sum += (double)x[r * in + i] * (double)w[i * out + o];
				double off = fabs(sum - (double)y[r * out + o]) / sqrt((double)in);
				if (!(off < tolerance[p]))
					fail_msg("%s %u x %u, row %zu of %zu, output %zu: off by %g",
					    mem_precision_name(p), in, out, r, rows, o, off);
			}
		}
	}
	/* A row by itself: the same bits, save where OpenBLAS chooses another way for it. */
	float apart = kernel == MEM_KERNEL_OPENBLAS ? 1e-6f * sqrtf((float)in) : 0;
	mem_mat_mul(&m, bias, x + (rows - 1) * in, 1, alone);
	for (size_t o = 0; o < out; o++)
		if (!(fabsf(alone[o] - y[(rows - 1) * out + o]) <= apart))
			fail_msg("%s %u x %u, the last of %zu rows, output %zu: %g alone, %g among them",
			    mem_precision_name(p), in, out, rows, o, (double)alone[o],
			    (double)y[(rows - 1) * out + o]);
	assert_true(y[rows * out] == guard);
	free(packed);
	free(w);
	free(bias);
	free(x);
	free(y);
	free(alone);
}

static void
mul_of_each_size(enum mem_kernel k)
{
	seed = 11;
	for (int p = MEM_F32; p <= MEM_I8; p++) {
		for (size_t rows = 1; rows <= 70; rows++)
			mul_one(k, (enum mem_precision)p, 32, 64, rows);
		mul_one(k, (enum mem_precision)p, 384, 96, 23);
		mul_one(k, (enum mem_precision)p, 1536, 32, 113);
		mul_one(k, (enum mem_precision)p, 96, 32, 300);
	}
}

static void
matrices(void **state)
{
	(void)state;
	each_kernel(mul_of_each_size);
}

/* The greatest inputs and weights, all of one sign: whole sums must not overflow. */
static void
mul_of_the_greatest(enum mem_kernel k)
{
	(void)k;
	enum { IN = 4096, OUT = 32 };
	float *w = mem_xmalloc(IN * OUT * sizeof *w), *x = mem_xmalloc(IN * sizeof *x), y[OUT];
	void *packed = aligned_alloc(64, mem_mat_bytes(MEM_I8, IN, OUT));
	struct mem_mat m = { .in = IN, .out = OUT, .precision = MEM_I8, .packed = packed };
	for (size_t i = 0; i < IN * OUT; i++)
		w[i] = -3;
	for (size_t i = 0; i < IN; i++)
		x[i] = 5;
	assert_int_equal(mem_mat_pack(packed, MEM_I8, w, IN, OUT, NULL), MEM_OK);
	mem_mat_mul(&m, NULL, x, 1, y);
	for (size_t o = 0; o < OUT; o++)
		assert_true(fabsf(y[o] / (-15.0f * IN) - 1) < 1e-4f);
	free(w);
	free(x);
	free(packed);
}

static void
whole_sums_do_not_overflow(void **state)
{
	(void)state;
	each_kernel(mul_of_the_greatest);
}

/* One input has weights a thousand times those of the others: these are not rounded away. */
static void
one_input_is_heavy(enum mem_kernel k)
{
	(void)k;
	enum { IN = 64, OUT = 32 };
	seed = 13;
	float *w = noises(IN * OUT), *x = noises(IN), y[OUT];
	void *packed = aligned_alloc(64, (mem_mat_bytes(MEM_I8, IN, OUT) + 63) / 64 * 64);
	struct mem_mat m = { .in = IN, .out = OUT, .precision = MEM_I8, .packed = packed };
	for (size_t o = 0; o < OUT; o++)
		w[7 * OUT + o] *= 1000;
	x[7] = 0;
	assert_int_equal(mem_mat_pack(packed, MEM_I8, w, IN, OUT, NULL), MEM_OK);
	mem_mat_mul(&m, NULL, x, 1, y);
	for (size_t o = 0; o < OUT; o++) {
		double sum = 0;
		for (size_t i = 0; i < IN; i++)
			sum += (double)x[i] * (double)w[i * OUT + o];
		assert_true(fabs(sum - (double)y[o]) < 0.3);
	}
	free(w);
	free(x);
	free(packed);
}

static void
heavy_inputs(void **state)
{
	(void)state;
	each_kernel(one_input_is_heavy);
}

static void
zeros(enum mem_kernel k)
{
	(void)k;
	float w[32 * 32] = { 0 }, x[32] = { 0 }, bias[32], y[32];
	for (size_t i = 0; i < 32; i++)
		bias[i] = (float)i;
	for (int p = MEM_F32; p <= MEM_I8; p++) {
		void *packed = aligned_alloc(64, mem_mat_bytes((enum mem_precision)p, 32, 64));
		struct mem_mat m = { .in = 32, .out = 32, .precision = (enum mem_precision)p, .packed = packed };
		assert_int_equal(mem_mat_pack(packed, m.precision, w, 32, 32, NULL), MEM_OK);
		mem_mat_mul(&m, bias, x, 1, y);
		assert_memory_equal(y, bias, sizeof y);
		free(packed);
	}
}

static void
nothing_times_nothing(void **state)
{
	(void)state;
	each_kernel(zeros);
}

static void
weights_that_are_no_numbers(void **state)
{
	(void)state;
	float w[32 * 32] = { 0 };
	void *packed = aligned_alloc(64, mem_mat_bytes(MEM_F32, 32, 32));
	struct mem_err err;
	for (int p = MEM_F32; p <= MEM_I8; p++) {
		w[1023] = NAN;
		assert_int_equal(mem_mat_pack(packed, (enum mem_precision)p, w, 32, 32, &err), MEM_FAIL);
		w[1023] = -HUGE_VALF;
		assert_int_equal(mem_mat_pack(packed, (enum mem_precision)p, w, 32, 32, &err), MEM_FAIL);
		w[1023] = 70000;
		assert_int_equal(mem_mat_pack(packed, (enum mem_precision)p, w, 32, 32, &err),
		    p == MEM_F16 ? MEM_FAIL : MEM_OK);
		w[1023] = 0;
	}
	free(packed);
}

static void
panel_of_each_size(enum mem_kernel k)
{
	(void)k;
	seed = 5;
	for (size_t in = 1; in < 40; in += 3) {
		size_t rows = in * 2 % 31 + 1;
		float *w = noises(in * 32), *x = noises(rows * (in + 5)), *y = noises(rows * 40);
		mem_panel_mul(w, in, x, in + 5, rows, y, 40);
		for (size_t r = 0; r < rows; r++) {
			for (size_t o = 0; o < 32; o++) {
				double sum = 0;
				for (size_t i = 0; i < in; i++)
					sum += (double)x[r * (in + 5) + i] * (double)w[i * 32 + o];
				assert_true(fabs(sum - (double)y[r * 40 + o]) < 1e-5);
			}
		}
		free(w);
		free(x);
		free(y);
	}
}

static void
panels(void **state)
{
	(void)state;
	each_kernel(panel_of_each_size);
}

/* ---- rows --------------------------------------------------------------- */

static void
rows_of_an_encoder(enum mem_kernel k)
{
	(void)k;
	enum { N = 32 };
	float x[77], y[77], weight[N], bias[N], add[N];
	for (size_t i = 0; i < 77; i++)
		x[i] = y[i] = ((float)i - 38) / 3;
	mem_gelu(y, 77);
	for (size_t i = 0; i < 77; i++) {
		double v = (double)x[i], right = v / 2 * (1 + erf(v / sqrt(2)));
		assert_true(fabs((double)y[i] - right) < 2e-6);
	}
	double sum = 0;
	for (size_t i = 0; i < 77; i++)
		sum += exp((double)x[i] - 10);
	mem_softmax(x, 77);
	for (size_t i = 0; i < 77; i++)
		assert_true(fabs((double)x[i] - exp(((double)i - 38) / 3 - 10) / sum) < 1e-6);
	float apart[3] = { -1e30f, 5, -200 };
	mem_softmax(apart, 3);
	assert_true(apart[0] == 0 && apart[1] == 1 && apart[2] == 0);

	seed = 3;
	double mean = 0, var = 0, z[N];
	for (size_t i = 0; i < N; i++) {
		x[i] = noise();
		add[i] = noise();
		weight[i] = noise();
		bias[i] = noise();
		z[i] = (double)x[i] + (double)add[i];
		mean += z[i] / N;
	}
	for (size_t i = 0; i < N; i++)
		var += (z[i] - mean) * (z[i] - mean) / N;
	mem_layer_norm(x, N, &(struct mem_norm_terms){ add, weight, bias, 1e-12f });
	for (size_t i = 0; i < N; i++)
		assert_true(fabs((double)x[i] - ((z[i] - mean) / sqrt(var + 1e-12) * (double)weight[i] +
		    (double)bias[i])) < 1e-5);
}

static void
rows(void **state)
{
	(void)state;
	each_kernel(rows_of_an_encoder);
}

/* ---- the choice --------------------------------------------------------- */

static void
names(void **state)
{
	(void)state;
	assert_string_equal(mem_precision_name(MEM_F32), "float32");
	assert_string_equal(mem_precision_name(MEM_I8), "int8");
	assert_true(vector_has_kernel(MEM_KERNEL_PLAIN));
	assert_string_equal(mem_kernel_name(MEM_KERNEL_AVX2), "avx2");
}

static void
a_kernel_that_is_not_there(void **state)
{
	(void)state;
	enum mem_kernel k;
	struct mem_err err;
	assert_int_equal(mem_kernel_choose(&k, &err), MEM_USAGE);
	assert_non_null(strstr(err.msg, "'mmx'"));
	assert_true(vector_has_kernel(k));
}

int
main(void)
{
	/* Chosen at first use, so said before it. */
	setenv("MEM_KERNEL", "mmx", 1);
	mem_link_blas();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_that_is_not_there),
		cmocka_unit_test(dot_is_the_same_everywhere),
		cmocka_unit_test(dot_sums_in_sixteen_lanes),
		cmocka_unit_test(normalising),
		cmocka_unit_test(matrices),
		cmocka_unit_test(whole_sums_do_not_overflow),
		cmocka_unit_test(heavy_inputs),
		cmocka_unit_test(nothing_times_nothing),
		cmocka_unit_test(weights_that_are_no_numbers),
		cmocka_unit_test(panels),
		cmocka_unit_test(rows),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
