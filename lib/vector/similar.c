/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of many rows with many: cut into tiles, which threads share out among themselves.
 *
 * Pairs above a threshold are found in stripes of rows.  A stripe's tiles leave one bit for each pair that may pass; then
 * the calling thread goes through the bits in order and multiplies again by mem_dot.
 */
#include "vector/vector_int.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum {
	TILE_ROWS = 1024,       /* panels are packed once for so many rows: 6 % of the time */
	TILE_COLS = 128,        /* a tile of floats, 512 KiB, stays in the second-level cache; two words of bits */
	TURN_ROWS = 60,         /* rows that meet all panels of a tile before the next ones do */
	STRIPE_BYTES = 4 << 20, /* of bits, if there are so many rows */
	THREADS_MAX = 256,
};
/* Multiplications that are worth a thread: a millisecond of the fastest kernel. */
#define THREAD_WORK 0x1p26

struct similar_sweep {
	vector_rows_fn *multiply;
	const float *a, *b;
	size_t n, m, dims;
	float *out;             /* [n][m]; NULL: bits are wanted */
	bool before;            /* only j < i: a and b are the same */
	size_t from, rows;      /* of a, of this stripe */
	float *cuts;            /* [rows]: products below cannot pass */
	uint64_t *bits;         /* [rows][words] */
	size_t words;
	size_t ncols, ntiles;   /* tiles side by side, and of the stripe */
	size_t next;            /* the first tile that nobody has taken */
};

/* ---- the packed kernel -------------------------------------------------- */

/* Rows of b as a panel, [dims][32]; what is missing of 32 is zero. */
static void
pack_panel(float *panel, const float *b, size_t m, size_t dims)
{
	for (size_t k = 0; k < dims; k++)
		for (size_t j = 0; j < VECTOR_PANEL; j++)
			*panel++ = j < m ? b[j * dims + k] : 0;
}

/* The last panel may have fewer rows than places. */
static void
multiply_rest(const float *panel, const float *a, size_t n, size_t m, size_t dims, float *y, size_t ystride)
{
	float all[TURN_ROWS * VECTOR_PANEL];
	mem_panel_mul(panel, dims, a, dims, n, all, VECTOR_PANEL);
	for (size_t i = 0; i < n; i++)
		memcpy(y + i * ystride, all + i * VECTOR_PANEL, m * sizeof *y);
}

void
vector_multiply_packed(const float *a, size_t n, const float *b, size_t m, size_t dims, float *y, size_t ystride)
{
	size_t panels = (m + VECTOR_PANEL - 1) / VECTOR_PANEL;
	float *packed = mem_xmalloc(panels * VECTOR_PANEL * dims * sizeof *packed);
	for (size_t j = 0; j < m; j += VECTOR_PANEL)
		pack_panel(packed + j * dims, b + j * dims, m - j < VECTOR_PANEL ? m - j : VECTOR_PANEL, dims);
	for (size_t i = 0; i < n; i += TURN_ROWS) {
		size_t rows = n - i < TURN_ROWS ? n - i : TURN_ROWS;
		for (size_t j = 0; j < m; j += VECTOR_PANEL) {
			const float *panel = packed + j * dims, *x = a + i * dims;
			float *to = y + i * ystride + j;
			if (m - j < VECTOR_PANEL)
				multiply_rest(panel, x, rows, m - j, dims, to, ystride);
			else
				mem_panel_mul(panel, dims, x, dims, rows, to, ystride);
		}
	}
	free(packed);
}

/* ---- tiles -------------------------------------------------------------- */

/* Bit k: v[k] is not below the cut (nor is what is not a number). */
static uint64_t
find_passing_bits(const float v[64], float cut)
{
	typedef float float4 __attribute__((vector_size(16)));
	typedef int32_t int4 __attribute__((vector_size(16)));
	int4 any = { 0 };
	uint64_t bits = 0;
	for (size_t k = 0; k < 64; k += 4) {
		float4 x;
		memcpy(&x, v + k, sizeof x);
		any |= ~(x < cut);
	}
	if ((any[0] | any[1] | any[2] | any[3]) == 0)
		return 0;
	for (size_t k = 0; k < 64; k++)
		bits |= (uint64_t)!(v[k] < cut) << k;
	return bits;
}

/* `tile` has room for TILE_COLS products of each row; where bits are wanted, all of it is numbers. */
static void
sweep_tile(const struct similar_sweep *s, size_t number, float *tile)
{
	size_t row = number / s->ncols * TILE_ROWS, col = number % s->ncols * TILE_COLS;
	size_t rows = s->rows - row < TILE_ROWS ? s->rows - row : TILE_ROWS;
	size_t cols = s->m - col < TILE_COLS ? s->m - col : TILE_COLS;
	const float *a = s->a + (s->from + row) * s->dims, *b = s->b + col * s->dims;
	if (s->before && col >= s->from + row + rows)
		return; /* nobody will look at its bits */
	if (s->out != NULL) {
		s->multiply(a, rows, b, cols, s->dims, s->out + (s->from + row) * s->m + col, s->m);
		return;
	}
	s->multiply(a, rows, b, cols, s->dims, tile, TILE_COLS);
	for (size_t i = 0; i < rows; i++)
		for (size_t k = 0; k < TILE_COLS; k += 64)
			s->bits[(row + i) * s->words + (col + k) / 64] = find_passing_bits(tile + i * TILE_COLS + k,
			    s->cuts[row + i]);
}

static void *
sweep_tiles(void *arg)
{
	struct similar_sweep *s = arg;
	size_t rows = s->rows < TILE_ROWS ? s->rows : TILE_ROWS;
	float *tile = s->out == NULL ? mem_xcalloc(rows * TILE_COLS, sizeof *tile) : NULL;
	for (size_t i; (i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->ntiles;)
		sweep_tile(s, i, tile);
	free(tile);
	return NULL;
}

static size_t
count_threads(const struct similar_sweep *s)
{
	cpu_set_t may;
	int cpus = sched_getaffinity(0, sizeof may, &may) == 0 ? CPU_COUNT(&may) : 1;
	size_t n = cpus < 1 ? 1 : cpus < THREADS_MAX ? (size_t)cpus : THREADS_MAX;
	double work = (double)s->rows * (double)s->m * (double)s->dims / THREAD_WORK;
	n = n < s->ntiles ? n : s->ntiles;
	return work < (double)n ? (size_t)work : n;
}

/* The calling thread works too; where no more can be had it works alone. */
static void
sweep_stripe(struct similar_sweep *s, size_t from, size_t rows)
{
	pthread_t threads[THREADS_MAX];
	size_t started = 0;
	s->from = from;
	s->rows = rows;
	s->ntiles = (rows + TILE_ROWS - 1) / TILE_ROWS * s->ncols;
	s->next = 0;
	for (size_t n = count_threads(s); started + 1 < n; started++)
		if (pthread_create(&threads[started], NULL, sweep_tiles, s) != 0)
			break;
	sweep_tiles(s);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}

static struct similar_sweep
make_sweep(const float *a, size_t n, const float *b, size_t m, size_t dims)
{
	assert(dims > 0 && dims <= INT32_MAX && n <= SIZE_MAX / dims && m <= SIZE_MAX / dims);
	return (struct similar_sweep){ .multiply = vector_choose_rows(n, m, dims), .a = a, .b = b, .n = n, .m = m, .dims = dims,
		.ncols = (m + TILE_COLS - 1) / TILE_COLS };
}

void
mem_similar(const float *a, size_t n, const float *b, size_t m, size_t dims, float *out)
{
	if (n == 0 || m == 0)
		return;
	assert(m <= INT32_MAX); /* as far as sgemm counts */
	struct similar_sweep s = make_sweep(a, n, b, m, dims);
	s.out = out;
	sweep_stripe(&s, 0, n);
}

/* ---- pairs above a threshold -------------------------------------------- */

/* In double the square of no float is too large or too small. */
static double
measure_length(const float *v, size_t n)
{
	double sums[4] = { 0 };
	size_t k = 0;
	for (; k + 4 <= n; k += 4)
		for (size_t i = 0; i < 4; i++)
			sums[i] += (double)v[k + i] * (double)v[k + i];
	for (; k < n; k++)
		sums[0] += (double)v[k] * (double)v[k];
	return sqrt(sums[0] + sums[1] + sums[2] + sums[3]);
}

static double
measure_longest(const float *v, size_t n, size_t dims)
{
	double most = 0;
	for (size_t i = 0; i < n; i++) {
		double length = measure_length(v + i * dims, dims);
		most = length > most ? length : most;
	}
	return most;
}

/*
 * The least product, by any kernel, of a pair for which mem_dot may give `least`.  In whatever order n products are summed, fused or
 * not, the sum is off by at most n u Σ|a b| / (1 - n u), u = 2^-24 (Higham, "Accuracy and Stability of Numerical
 * Algorithms", 2002, §3.1), and Σ|a b| is at most |a| |b|; two ways differ by at most twice that.
 * The 32 more make up for the divisor and for what is rounded here.  Where a sum might overflow, all pass.
 */
static float
find_cut(float least, double length, double longest, size_t dims)
{
	double apart = (double)(dims + 32) * 0x1p-23 * length * longest + (double)dims * (double)FLT_MIN;
	if (!(length * longest < (double)FLT_MAX / 2))
		return -INFINITY;
	return (float)((double)least - apart);
}

/* Rows of a at a time. */
static size_t
count_stripe_rows(size_t words)
{
	size_t rows = STRIPE_BYTES / (words * sizeof(uint64_t)) / TILE_ROWS * TILE_ROWS;
	return rows > 0 ? rows : TILE_ROWS;
}

/* False: fn ended it. */
static bool
report_row(const struct similar_sweep *s, size_t row, float least, mem_similar_fn *fn, void *ctx)
{
	size_t i = s->from + row, end = s->before ? i : s->m;
	for (size_t at = 0; at < end; at += 64) {
		uint64_t left = s->bits[row * s->words + at / 64];
		if (end - at < 64)
			left &= ((uint64_t)1 << (end - at)) - 1;
		for (; left != 0; left &= left - 1) {
			size_t j = at + (size_t)__builtin_ctzll(left);
			float product = mem_dot(s->a + i * s->dims, s->b + j * s->dims, s->dims);
			if (product >= least && !fn(ctx, i, j, product))
				return false;
		}
	}
	return true;
}

static bool
sweep_pairs(struct similar_sweep *s, float least, mem_similar_fn *fn, void *ctx)
{
	double longest = measure_longest(s->b, s->m, s->dims);
	bool on = true;
	s->words = s->ncols * (TILE_COLS / 64);
	size_t most = count_stripe_rows(s->words) < s->n ? count_stripe_rows(s->words) : s->n;
	s->cuts = mem_xcalloc(most, sizeof *s->cuts);
	s->bits = mem_xcalloc(most * s->words, sizeof *s->bits);
	for (size_t from = 0; from < s->n && on; from += most) {
		size_t rows = s->n - from < most ? s->n - from : most;
		for (size_t i = 0; i < rows; i++)
			s->cuts[i] = find_cut(least, measure_length(s->a + (from + i) * s->dims, s->dims), longest, s->dims);
		sweep_stripe(s, from, rows);
		for (size_t i = 0; i < rows && on; i++)
			on = report_row(s, i, least, fn, ctx);
	}
	free(s->cuts);
	free(s->bits);
	return on;
}

bool
mem_similar_each(const float *a, size_t n, const float *b, size_t m, size_t dims, float least, mem_similar_fn *fn,
    void *ctx)
{
	if (n == 0 || m == 0)
		return true;
	struct similar_sweep s = make_sweep(a, n, b, m, dims);
	return sweep_pairs(&s, least, fn, ctx);
}

bool
mem_similar_pairs(const float *a, size_t n, size_t dims, float least, mem_similar_fn *fn, void *ctx)
{
	if (n == 0)
		return true;
	struct similar_sweep s = make_sweep(a, n, a, n, dims);
	s.before = true;
	return sweep_pairs(&s, least, fn, ctx);
}
