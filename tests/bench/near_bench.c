/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How near is a near duplicate?  Reads vectors as mem-embed --format f32 prints them.
 *
 *	near_bench PAIRS TURNS GROUPS
 *
 * PAIRS: as many texts, surface edits of them, the same said in other words, and the same with one fact changed,
 * one kind after the other.  TURNS: what was said, in order; GROUPS has a line for each with its conversation.
 * Prints for each threshold how many of each kind of pair and how many turns (the nearest earlier one of the
 * conversation counts) reach it, then the least that fewer than one turn in 200 reaches: what lib/model/model_specs.c has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { DIMS = 384, KINDS = 4, GROUP_MAX = 100 };

struct rows {
	const float *v;
	size_t n;
};

static struct rows
load_rows(const char *path)
{
	struct mem_buf b = { 0 };
	struct mem_err err;
	if (mem_file_read(-100, path, (size_t)1 << 30, &b, &err) != MEM_OK || b.len == 0 || b.len % (DIMS * sizeof(float)) != 0) {
		fprintf(stderr, "near_bench: '%s' has no rows of %d\n", path, DIMS);
		exit(3);
	}
	return (struct rows){ (const float *)(const void *)b.data, b.len / (DIMS * sizeof(float)) };
}

static double
measure_row_cosine(const struct rows *r, size_t i, size_t j)
{
	double sum = 0;
	for (size_t k = 0; k < DIMS; k++)
		sum += (double)r->v[i * DIMS + k] * (double)r->v[j * DIMS + k];
	return sum;
}

/* The nearest earlier turn of its conversation; -1: it is the first. */
static double
find_nearest_turn(const struct rows *turns, char (*group)[GROUP_MAX], size_t i)
{
	double best = -1;
	for (size_t j = 0; j < i; j++) {
		double c = strcmp(group[i], group[j]) == 0 ? measure_row_cosine(turns, i, j) : -1;
		best = c > best ? c : best;
	}
	return best;
}

static double
share_at_least(const double *c, size_t n, double least)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++)
		k += c[i] >= least;
	return (double)k / (double)n;
}

int
main(int argc, char **argv)
{
	static const char *const names[KINDS] = { NULL, "edits", "reworded", "changed" };
	if (argc != 4)
		return 2;
	struct rows pairs = load_rows(argv[1]), turns = load_rows(argv[2]);
	char (*group)[GROUP_MAX] = mem_xcalloc(turns.n, sizeof *group);
	double *near = mem_xcalloc(turns.n, sizeof *near), *of[KINDS] = { NULL }, least = 0;
	FILE *f = fopen(argv[3], "r");
	size_t n = pairs.n / KINDS;
	for (size_t i = 0; i < turns.n; i++)
		if (f == NULL || fgets(group[i], sizeof *group, f) == NULL)
			return 3;
	fclose(f);
	for (size_t i = 0; i < turns.n; i++)
		near[i] = find_nearest_turn(&turns, group, i);
	printf("threshold  ");
	for (int k = 1; k < KINDS; k++) {
		of[k] = mem_xcalloc(n, sizeof *of[k]);
		for (size_t i = 0; i < n; i++)
			of[k][i] = measure_row_cosine(&pairs, i, (size_t)k * n + i);
		printf("%10s", names[k]);
	}
	printf("%10s\n", "turns");
	for (int t = 180; t < 200; t++) {
		double at = t / 200.0;
		printf("%9.3f  ", at);
		for (int k = 1; k < KINDS; k++)
			printf("%9.1f%%", 100 * share_at_least(of[k], n, at));
		printf("%9.2f%%\n", 100 * share_at_least(near, turns.n, at));
		if (least < 0.5 && share_at_least(near, turns.n, at) < 0.005)
			least = at;
	}
	printf("threshold  %.3f\n", least);
	return 0;
}
