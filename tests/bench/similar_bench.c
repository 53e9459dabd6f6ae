/* SPDX-License-Identifier: Apache-2.0 */
/*
 * similar_bench: products of 10,000 rows with 10,016, of 384 floats each and of length 1
 * (make build/release/bench/similar_bench).
 *
 *   similar_bench all ROUNDS     mem_similar, a thousand rows at a time
 *   similar_bench pairs ROUNDS   mem_similar_each, pairs whose product is at least .7
 *   similar_bench dot ROUNDS     mem_dot, row by row
 *
 * Prints seconds on the clock and of processors, each the best of all rounds, then what multiplied and how many pairs are
 * at least .7.  MEM_KERNEL says by what to multiply, and taskset on how many processors.  Rows gather around 1,000 centres, as texts about the same things do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vector/vector_int.h"

enum { N = 10000, M = 10016, DIMS = 384, CENTRES = 1000, AT_A_TIME = 1000 };
#define LEAST .7F

static uint32_t seed = 1;

/* Nearly normal: a sum of four in (-1, 1). */
static float
draw_number(void)
{
	float sum = 0;
	for (int i = 0; i < 4; i++) {
		seed = seed * 1664525 + 1013904223;
		sum += (float)(int32_t)seed / 0x1p31F;
	}
	return sum;
}

static float *
draw_rows(size_t n, const float *centres)
{
	float *v = mem_xmalloc(n * DIMS * sizeof *v);
	for (size_t i = 0; i < n; i++) {
		float *row = v + i * DIMS;
		for (size_t k = 0; k < DIMS; k++)
			row[k] = (centres != NULL ? centres[i % CENTRES * DIMS + k] : 0) + .5F * draw_number();
		if (!mem_normalise(row, DIMS))
			exit(3);
	}
	return v;
}

static double
read_clock(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static size_t
count_all(const float *a, const float *b)
{
	static float out[(size_t)AT_A_TIME * M];
	size_t found = 0;
	for (size_t i = 0; i < N; i += AT_A_TIME) {
		mem_similar(a + i * DIMS, AT_A_TIME, b, M, DIMS, out);
		found += out[i] >= LEAST; /* something must be looked at */
	}
	return found;
}

static bool
count_pair(void *ctx, size_t i, size_t j, float product)
{
	size_t *found = ctx;
	(void)i, (void)j, (void)product;
	++*found;
	return true;
}

static size_t
count_dots(const float *a, const float *b)
{
	size_t found = 0;
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < M; j++)
			found += mem_dot(a + i * DIMS, b + j * DIMS, DIMS) >= LEAST;
	return found;
}

int
main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	enum mem_kernel kernel;
	struct mem_err err;
	double wall = 1e9, cpu = 1e9;
	size_t found = 0;
	if (strcmp(what, "all") != 0 && strcmp(what, "pairs") != 0 && strcmp(what, "dot") != 0)
		return 2;
	mem_link_blas();
	if (mem_kernel_choose(&kernel, &err) != MEM_OK) {
		fprintf(stderr, "similar_bench: %s\n", err.msg);
		return 3;
	}
	if (*what != 'd' && vector_choose_rows(*what == 'a' ? AT_A_TIME : N, M, DIMS) != vector_multiply_packed)
		kernel = MEM_KERNEL_OPENBLAS;
	float *centres = draw_rows(CENTRES, NULL);
	for (size_t i = 0; i < (size_t)CENTRES * DIMS; i++)
		centres[i] *= 20; /* as long as what is drawn around them */
	float *a = draw_rows(N, centres), *b = draw_rows(M, centres);
	for (int round = atoi(argv[2]); round > 0; round--) {
		found = 0;
		double w = read_clock(CLOCK_MONOTONIC), c = read_clock(CLOCK_PROCESS_CPUTIME_ID);
		if (*what == 'a')
			found = count_all(a, b);
		else if (*what == 'd')
			found = count_dots(a, b);
		else
			mem_similar_each(a, N, b, M, DIMS, LEAST, count_pair, &found);
		w = read_clock(CLOCK_MONOTONIC) - w;
		c = read_clock(CLOCK_PROCESS_CPUTIME_ID) - c;
		wall = w < wall ? w : wall;
		cpu = c < cpu ? c : cpu;
	}
	printf("%.4f\t%.4f\t%s\t%zu\n", wall, cpu, mem_kernel_name(kernel), found);
	free(centres);
	free(a);
	free(b);
	return 0;
}
