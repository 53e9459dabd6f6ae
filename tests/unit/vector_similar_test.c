/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows with rows by each kernel that this machine has, against sums in double and against mem_dot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vector/vector_int.h"

static uint32_t seed;

/* In (-1, 1). */
static float
draw_number(void)
{
	seed = seed * 1664525 + 1013904223;
	return (float)(int32_t)seed / 0x1p31f;
}

/* At a 4-byte boundary, as rows lie in a store: the first float is not the caller's. */
static float *
draw_rows(size_t n, size_t dims)
{
	float *v = mem_xmalloc((n * dims + 1) * sizeof *v);
	for (size_t i = 0; i <= n * dims; i++)
		v[i] = draw_number();
	return v + 1;
}

static void
free_rows(float *v)
{
	free(v - 1);
}

static void
each_kernel(void (*f)(void))
{
	for (int k = MEM_KERNEL_OPENBLAS; k >= MEM_KERNEL_PLAIN; k--) {
		if (vector_force_kernel((enum mem_kernel)k))
			f();
		else
			print_message("# no %s here\n", mem_kernel_name((enum mem_kernel)k));
	}
}

/* ---- all products ------------------------------------------------------- */

static double
sum_products(const float *a, const float *b, size_t dims)
{
	double sum = 0;
	for (size_t k = 0; k < dims; k++)
		sum += (double)a[k] * (double)b[k];
	return sum;
}

static void
multiply_rows(size_t n, size_t m, size_t dims)
{
	float *a = draw_rows(n, dims), *b = draw_rows(m, dims), *out = mem_xmalloc((n * m + 1) * sizeof *out);
	/* What lies there before counts for nothing. */
	for (size_t i = 0; i <= n * m; i++)
		out[i] = NAN;
	out[n * m] = 12345;
	mem_similar(a, n, b, m, dims, out);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < m; j++) {
			double off = fabs((double)out[i * m + j] - sum_products(a + i * dims, b + j * dims, dims));
			if (!(off < 2e-6 * sqrt((double)dims)))
				fail_msg("%zu x %zu x %zu: product of %zu and %zu is off by %g", n, m, dims, i, j, off);
		}
	}
	assert_true(out[n * m] == 12345);
	free_rows(a);
	free_rows(b);
	free(out);
}

static void
multiply_sizes(void)
{
	static const size_t sizes[] = { 1, 2, 31, 32, 33, 60, 61, 127, 128, 129, 300 };
	seed = 17;
	for (size_t i = 0; i < MEM_COUNT(sizes); i++)
		for (size_t k = 0; k < MEM_COUNT(sizes); k++)
			multiply_rows(sizes[i], sizes[k], i % 2 == 0 ? 8 : 17);
	multiply_rows(1, 1, 1);
	multiply_rows(3, 5, 4096);
	multiply_rows(129, 130, 384);
	multiply_rows(1023, 33, 40);
	multiply_rows(1025, 257, 24);
	mem_similar(NULL, 0, NULL, 5, 8, NULL);
	mem_similar(NULL, 5, NULL, 0, 8, NULL);
}

static void
products_of_each_size(void **state)
{
	(void)state;
	each_kernel(multiply_sizes);
}

/* ---- pairs above a threshold -------------------------------------------- */

struct pair {
	size_t i, j;
	float product;
};

struct pairs {
	struct pair *v;
	size_t n, cap, most;    /* most 0: all */
};

static bool
add_pair(void *ctx, size_t i, size_t j, float product)
{
	struct pairs *p = ctx;
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
	memset(&p->v[p->n], 0, sizeof *p->v);
	p->v[p->n++] = (struct pair){ i, j, product };
	return p->n != p->most;
}

/* b NULL: pairs of a. */
static void
find_by_dots(struct pairs *p, const float *a, size_t n, const float *b, size_t m, size_t dims, float least)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < (b != NULL ? m : i); j++) {
			float product = mem_dot(a + i * dims, (b != NULL ? b : a) + j * dims, dims);
			if (product >= least)
				add_pair(p, i, j, product);
		}
	}
}

/* `right` is found out, unless it is known: dots are the same everywhere. */
static void
compare_with(struct pairs *right, const float *a, size_t n, const float *b, size_t m, size_t dims, float least)
{
	struct pairs got = { 0 };
	if (right->n == 0)
		find_by_dots(right, a, n, b, m, dims, least);
	if (b != NULL)
		assert_true(mem_similar_each(a, n, b, m, dims, least, add_pair, &got));
	else
		assert_true(mem_similar_pairs(a, n, dims, least, add_pair, &got));
	if (got.n != right->n)
		fail_msg("%zu x %zu x %zu from %.9g on: %zu pairs, not %zu", n, m, dims, (double)least, got.n, right->n);
	for (size_t k = 0; k < right->n; k++)
		if (got.v[k].i != right->v[k].i || got.v[k].j != right->v[k].j ||
		    memcmp(&got.v[k].product, &right->v[k].product, sizeof(float)) != 0)
			fail_msg("%zu x %zu x %zu from %.9g on: pair %zu is %zu, %zu of %.9g, not %zu, %zu of %.9g", n, m, dims,
			    (double)least, k, got.v[k].i, got.v[k].j, (double)got.v[k].product, right->v[k].i, right->v[k].j,
			    (double)right->v[k].product);
	free(got.v);
}

static void
compare_pairs(const float *a, size_t n, const float *b, size_t m, size_t dims, float least)
{
	struct pairs right = { 0 };
	compare_with(&right, a, n, b, m, dims, least);
	free(right.v);
}

static void
find_pairs(void)
{
	static const size_t sizes[][3] = { { 1, 1, 8 }, { 1, 300, 8 }, { 300, 1, 8 }, { 63, 64, 9 }, { 65, 129, 40 },
		{ 1030, 70, 8 }, { 200, 260, 384 } };
	static const float least[] = { -INFINITY, -1, 0, .5f, 2, 30, INFINITY };
	seed = 23;
	for (size_t s = 0; s < MEM_COUNT(sizes); s++) {
		size_t n = sizes[s][0], m = sizes[s][1], dims = sizes[s][2];
		float *a = draw_rows(n, dims), *b = draw_rows(m, dims);
		for (size_t k = 0; k < MEM_COUNT(least); k++) {
			compare_pairs(a, n, b, m, dims, least[k]);
			compare_pairs(a, n, NULL, n, dims, least[k]);
		}
		compare_pairs(a, n, b, m, dims, NAN);
		free_rows(a);
		free_rows(b);
	}
	struct pairs none = { 0 };
	assert_true(mem_similar_each(NULL, 0, NULL, 7, 8, 0, add_pair, &none));
	assert_true(mem_similar_each(NULL, 7, NULL, 0, 8, 0, add_pair, &none));
	assert_true(mem_similar_pairs(NULL, 0, 8, 0, add_pair, &none));
	assert_int_equal(none.n, 0);
}

static void
pairs_as_by_dots(void **state)
{
	(void)state;
	each_kernel(find_pairs);
}

/*
 * Each product is the threshold once: the pair is there at it and not at the next float, though what a kernel comes to in
 * its own order lies below for half of them.
 */
static void
find_pairs_at_the_edge(void)
{
	enum { N = 40, DIMS = 384 };
	seed = 29;
	float *a = draw_rows(N, DIMS), *all = mem_xmalloc(N * N * sizeof *all);
	size_t below = 0;
	for (size_t i = 0; i < N; i++)
		assert_true(mem_normalise(a + i * DIMS, DIMS));
	mem_similar(a, N, a, N, DIMS, all);
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < N; j++) {
			struct pairs at = { 0 }, above = { 0 };
			const float *x = a + i * DIMS, *y = a + j * DIMS;
			float product = mem_dot(x, y, DIMS);
			below += all[i * N + j] < product;
			mem_similar_each(x, 1, y, 1, DIMS, product, add_pair, &at);
			mem_similar_each(x, 1, y, 1, DIMS, nextafterf(product, 2), add_pair, &above);
			assert_int_equal(at.n, 1);
			assert_int_equal(above.n, 0);
			free(at.v);
		}
	}
	assert_true(below > N);
	free(all);
	free_rows(a);
}

static void
pairs_at_the_edge(void **state)
{
	(void)state;
	each_kernel(find_pairs_at_the_edge);
}

/*
 * Rounding that goes one way in each step: the same number dims times.  Rows before it are short, the one itself is
 * not; it is found all the same, in the first tile and behind it.
 */
static void
find_constant_rows(void)
{
	static const size_t sizes[] = { 8, 384, 1024, 4096 }, places[] = { 0, 1030 };
	for (size_t s = 0; s < 2 * MEM_COUNT(sizes); s++) {
		size_t dims = sizes[s / 2], at = places[s % 2];
		float *a = draw_rows(at + 1, dims), *row = a + at * dims;
		for (size_t k = 0; k < at * dims; k++)
			a[k] *= 1e-6f;
		for (int scale = 0; scale < 5; scale++) {
			for (size_t k = 0; k < dims; k++)
				row[k] = powf(7, (float)scale) / sqrtf((float)dims * 1.07f);
			compare_pairs(a, at + 1, row, 1, dims, mem_dot(row, row, dims));
		}
		free_rows(a);
	}
}

static void
pairs_of_constant_rows(void **state)
{
	(void)state;
	each_kernel(find_constant_rows);
}

/* Sums that run over in one order and not in another, and such as are lost below the least float. */
static void
find_sums_that_overflow(void)
{
	enum { M = 128, DIMS = 2048, HALF = 1024 };
	float *a = mem_xcalloc(DIMS, sizeof *a), *b = mem_xcalloc(M * DIMS, sizeof *b), one = 0x1p-149f;
	for (int sign = -1; sign <= 1; sign += 2) {
		for (size_t at = 16; at < DIMS; at += at < HALF ? HALF - 16 : DIMS) {
			for (size_t j = 0; j < M; j++) {
				memset(b + j * DIMS, 0, DIMS * sizeof *b);
				b[j * DIMS] = b[j * DIMS + 1] = (float)sign * 1.5e19f;
				b[j * DIMS + at] = b[j * DIMS + at + 1] = (float)sign * -1.5e19f;
			}
			a[0] = a[1] = a[at] = a[at + 1] = 1.5e19f;
			assert_true(mem_dot(a, b, DIMS) == 0);
			compare_pairs(a, 1, b, M, DIMS, -1);
			memset(a, 0, DIMS * sizeof *a);
		}
	}
	memset(b, 0, DIMS * sizeof *b);
	a[0] = a[1] = 0x1p-75f;
	b[0] = -0x1p-74f;
	b[1] = -0x1p-75f;
	compare_pairs(a, 1, b, 1, 2, -one);
	free(a);
	free(b);
}

static void
pairs_whose_sums_overflow(void **state)
{
	(void)state;
	each_kernel(find_sums_that_overflow);
}

/* Rows that no store holds. */
static void
find_strange_rows(void)
{
	enum { N = 70, DIMS = 40 };
	static const float strange[] = { 0, -0.0f, 1e-45f, 1e-30f, 1e-20f, 1e18f, 3e19f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN };
	static const float least[] = { -INFINITY, -FLT_MAX, -1e-40f, 0, 1e-45f, 1e-38f, 1, 1e30f, FLT_MAX, INFINITY };
	seed = 31;
	float *a = draw_rows(N, DIMS);
	for (size_t i = 0; i < N; i++) {
		float by = strange[i % MEM_COUNT(strange)];
		if (i % 5 == 0)
			a[i * DIMS + i % DIMS] = by; /* one number of a row */
		else if (isfinite(by))
			for (size_t k = 0; k < DIMS; k++)
				a[i * DIMS + k] *= by;
	}
	for (size_t k = 0; k < MEM_COUNT(least); k++) {
		compare_pairs(a, N, a, N, DIMS, least[k]);
		compare_pairs(a, N, NULL, N, DIMS, least[k]);
	}
	free_rows(a);
}

static void
pairs_of_strange_rows(void **state)
{
	(void)state;
	each_kernel(find_strange_rows);
}

static void
stop_early(void)
{
	enum { N = 100, DIMS = 8 };
	seed = 37;
	float *a = draw_rows(N, DIMS);
	for (size_t most = 1; most < 300; most += 37) {
		struct pairs some = { .most = most }, before = { .most = most };
		assert_false(mem_similar_each(a, N, a, N, DIMS, -INFINITY, add_pair, &some));
		assert_int_equal(some.n, most);
		assert_int_equal(some.v[most - 1].i, (most - 1) / N);
		assert_int_equal(some.v[most - 1].j, (most - 1) % N);
		assert_false(mem_similar_pairs(a, N, DIMS, -INFINITY, add_pair, &before));
		assert_int_equal(before.n, most);
		free(some.v);
		free(before.v);
	}
	free_rows(a);
}

static void
pairs_until_told_to_stop(void **state)
{
	(void)state;
	each_kernel(stop_early);
}

/* ---- many --------------------------------------------------------------- */

/* Enough for several threads, and for several stripes of rows where a row of bits is long. */
static void
find_many(void)
{
	enum { N = 2100, M = 1700, DIMS = 48, FEW = 16, LONG = 33000 };
	static struct pairs right[3];
	seed = 41;
	float *a = draw_rows(N, DIMS), *b = draw_rows(LONG, FEW), *out = mem_xmalloc((size_t)N * M * sizeof *out);
	compare_with(&right[0], a, N, a + (N - M) * DIMS, M, DIMS, 8);
	compare_with(&right[1], a, N, NULL, N, DIMS, 8);
	compare_with(&right[2], a, 1030, b, LONG, FEW, 5);
	assert_true(right[0].n > 500 && right[1].n > 500 && right[2].n > 500);
	mem_similar(a, N, a, M, DIMS, out);
	for (size_t i = 0; i < N; i++)
		for (size_t j = i % 7; j < M; j += 7)
			assert_true(fabs((double)out[i * M + j] - (double)mem_dot(a + i * DIMS, a + j * DIMS, DIMS)) < 1e-5);
	free(out);
	free_rows(a);
	free_rows(b);
}

static void
many_pairs(void **state)
{
	(void)state;
	each_kernel(find_many);
}

/* ---- the choice --------------------------------------------------------- */

static void
which_kernel_for_how_many(void **state)
{
	(void)state;
	enum mem_kernel k;
	assert_int_equal(mem_kernel_choose(&k, NULL), MEM_OK);
	/* Before anything forces one.  A few are never worth opening a library. */
	assert_ptr_equal(vector_choose_rows(680, 680, 384), k == MEM_KERNEL_OPENBLAS ? vector_choose_rows(1, 1, 1) : vector_multiply_packed);
	vector_rows_fn *many = vector_choose_rows(100000, 100000, 384);
	if (getenv("MEM_KERNEL") == NULL && !vector_has_kernel(MEM_KERNEL_OPENBLAS))
		assert_ptr_equal(many, vector_multiply_packed);
	for (int f = MEM_KERNEL_PLAIN; f <= MEM_KERNEL_OPENBLAS; f++) {
		if (!vector_force_kernel((enum mem_kernel)f))
			continue;
		/* What is named serves all. */
		assert_ptr_equal(vector_choose_rows(1, 1, 1), vector_choose_rows(100000, 100000, 384));
		if (f == MEM_KERNEL_OPENBLAS)
			assert_ptr_not_equal(vector_choose_rows(1, 1, 1), vector_multiply_packed);
		else
			assert_ptr_equal(vector_choose_rows(1, 1, 1), vector_multiply_packed);
	}
}

/* ---- is OpenBLAS to be believed? ---------------------------------------- */

static enum fault {
	RIGHT, ONE_WRONG, COLUMNS_SWAPPED, ROWS_SWAPPED, IMPRECISE, TRANSPOSED_WRONG, PLAIN_WRONG, LARGE_WRONG, NOTHING_DONE,
	NOT_A_NUMBER, FAULTS
} fault;

static void
multiply_wrong(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb,
    float beta, float *c, int ldc)
{
	bool transposed = tb == 112, large = (double)m * n * k > 1e6;
	assert_int_equal(order, 101);
	assert_int_equal(ta, 111);
	assert_true(alpha == 1);
	for (int i = 0; i < m && fault != NOTHING_DONE; i++) {
		for (int j = 0; j < n; j++) {
			double sum = beta == 0 ? 0 : (double)(beta * c[i * ldc + j]);
			for (int p = 0; p < k; p++)
				sum += (double)a[i * lda + p] * (double)(transposed ? b[j * ldb + p] : b[p * ldb + j]);
			if ((fault == TRANSPOSED_WRONG && transposed) || (fault == PLAIN_WRONG && !transposed) ||
			    (fault == LARGE_WRONG && large && i == m - 1))
				sum *= 1.01;
			if (fault == IMPRECISE) /* as 16 bits would be */
				sum = (double)mem_half_get(mem_half_put((float)sum));
			c[i * ldc + j] = (float)sum;
		}
	}
	float last = c[(m - 1) * ldc + n - 1];
	if (fault == ONE_WRONG)
		c[(m - 1) * ldc + n - 1] += .1f;
	if (fault == NOT_A_NUMBER)
		c[0] = NAN;
	if (fault == COLUMNS_SWAPPED || fault == ROWS_SWAPPED) {
		float *other = fault == ROWS_SWAPPED ? &c[(m - 2) * ldc + n - 1] : &c[(m - 1) * ldc + n - 2];
		c[(m - 1) * ldc + n - 1] = *other;
		*other = last;
	}
}

static void
wrong_products(void **state)
{
	(void)state;
	for (int f = RIGHT; f < FAULTS; f++) {
		fault = (enum fault)f;
		if (vector_is_sgemm_right(multiply_wrong) != (f == RIGHT))
			fail_msg("fault %d is %s", f, f == RIGHT ? "seen where there is none" : "not seen");
	}
}

int
main(void)
{
	mem_link_blas();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_kernel_for_how_many),
		cmocka_unit_test(products_of_each_size),
		cmocka_unit_test(pairs_as_by_dots),
		cmocka_unit_test(pairs_at_the_edge),
		cmocka_unit_test(pairs_of_constant_rows),
		cmocka_unit_test(pairs_whose_sums_overflow),
		cmocka_unit_test(pairs_of_strange_rows),
		cmocka_unit_test(pairs_until_told_to_stop),
		cmocka_unit_test(many_pairs),
		cmocka_unit_test(wrong_products),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
