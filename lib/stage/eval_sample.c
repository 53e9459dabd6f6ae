/* SPDX-License-Identifier: Apache-2.0 */
/* Judging: bootstrap intervals and the paired randomisation test. */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "stage/eval_int.h"

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Below n, which fits 32 bits: the high half of a product (Lemire, 2019) without the last correction, a bias below n / 2^32. */
static size_t
random_below(uint64_t *state, size_t n)
{
	return (size_t)(((next_random(state) >> 32) * n) >> 32);
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* The columns' means over n rows drawn with repetition, `samples` times; the 2.5th and 97.5th percentile of each. */
static void
bootstrap_rows(struct mem_eval_figure *out, const double *rows, size_t n, size_t c, const struct mem_eval_options *o)
{
	uint64_t state = o->seed;
	size_t cut = o->samples / 40;
	double *means = mem_xcalloc((size_t)o->samples * c, sizeof *means); /* [column][sample] */
	double *sums = mem_xcalloc(c, sizeof *sums);
	for (size_t s = 0; s < o->samples; s++) {
		memset(sums, 0, c * sizeof *sums);
		for (size_t i = 0; i < n; i++) {
			const double *row = rows + random_below(&state, n) * c;
			for (size_t j = 0; j < c; j++)
				sums[j] += row[j];
		}
		for (size_t j = 0; j < c; j++)
			means[j * o->samples + s] = sums[j] / (double)n;
	}
	for (size_t j = 0; j < c; j++) {
		double *column = means + j * o->samples;
		mem_sort(column, o->samples, sizeof *column, compare_doubles);
		out[j].low = column[cut];
		out[j].high = column[o->samples - 1 - cut];
	}
	free(means);
	free(sums);
}

/* p: how often the differences, each with a sign by lot, have a sum as far from 0 as theirs; the observed one counts once. */
static void
randomise_signs(struct mem_eval_figure *out, const double *rows, size_t n, size_t c, const struct mem_eval_options *o)
{
	uint64_t state = o->seed;
	double *sums = mem_xcalloc(2 * c, sizeof *sums), *size = sums + c;
	uint32_t *far = mem_xcalloc(c, sizeof *far);
	for (size_t i = 0; i < n * c; i++)
		size[i % c] += fabs(rows[i]);
	for (size_t s = 0; s < o->samples; s++) {
		uint64_t bits = 0;
		memset(sums, 0, c * sizeof *sums);
		for (size_t i = 0; i < n; i++) {
			bits = i % 64 == 0 ? next_random(&state) : bits >> 1;
			double sign = (bits & 1) != 0 ? 1 : -1;
			for (size_t j = 0; j < c; j++)
				sums[j] += sign * rows[i * c + j];
		}
		/* Sums that are equal but for their rounding are as far. */
		for (size_t j = 0; j < c; j++)
			far[j] += fabs(sums[j]) >= fabs(out[j].mean) * (double)n - 1e-9 * size[j];
	}
	for (size_t j = 0; j < c; j++)
		out[j].p = (1 + (double)far[j]) / (1 + (double)o->samples);
	free(sums);
	free(far);
}

void
eval_sample_rows(struct mem_eval_figure *out, const double *rows, size_t n, size_t c, bool paired, const struct mem_eval_options *o)
{
	for (size_t j = 0; j < c; j++) {
		double sum = 0;
		for (size_t i = 0; i < n; i++)
			sum += rows[i * c + j];
		double mean = n > 0 ? sum / (double)n : (double)NAN;
		out[j] = (struct mem_eval_figure){ mean, mean, mean, (double)NAN };
	}
	if (n == 0)
		return;
	bootstrap_rows(out, rows, n, c, o);
	if (paired)
		randomise_signs(out, rows, n, c, o);
}
