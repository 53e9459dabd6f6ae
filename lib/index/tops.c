/* SPDX-License-Identifier: Apache-2.0 */
#include "index/index_int.h"

#include <stdlib.h>

/* Sums in another order than the query's differ in the last bits; ranking never relies on them. */
#define SLACK 1e-10

static bool
full(const struct mem_tops *t)
{
	return t->n == t->limit;
}

double
mem_tops_cut(const struct mem_tops *t, const struct mem_id *after)
{
	double floor = t->min_score, half = 5e-7;
	if (full(t)) {
		floor = t->hits[0].score;
		if (after != NULL && mem_id_cmp(after, &t->hits[0].id) > 0)
			return floor + half - SLACK * (1 + floor);
	} else if (!(floor > 0)) {
		return -1; /* whatever matches */
	}
	return floor - half - SLACK * (1 + floor);
}

bool
mem_tops_wants(const struct mem_tops *t, double rounded, bool *tie)
{
	*tie = false;
	if (rounded < t->min_score)
		return false;
	if (!full(t))
		return true;
	*tie = rounded == t->hits[0].score;
	return rounded >= t->hits[0].score;
}

static bool
worse(const struct mem_index_hit *a, const struct mem_index_hit *b)
{
	if (a->score < b->score || a->score > b->score)
		return a->score < b->score;
	return mem_id_cmp(&a->id, &b->id) > 0;
}

static void
sink(struct mem_index_hit *h, size_t n, size_t i)
{
	struct mem_index_hit moving = h[i];
	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		if (kid + 1 < n && worse(&h[kid + 1], &h[kid]))
			kid++;
		if (!worse(&h[kid], &moving))
			break;
		h[i] = h[kid];
	}
	h[i] = moving;
}

void
mem_tops_put(struct mem_tops *t, const struct mem_index_hit *hit)
{
	t->changes++;
	if (full(t)) {
		t->hits[0] = *hit;
		sink(t->hits, t->n, 0);
		return;
	}
	t->hits = mem_grow(t->hits, &t->cap, t->n + 1, sizeof *t->hits);
	t->hits[t->n++] = *hit;
	if (full(t)) /* from now on a heap */
		for (size_t i = t->n / 2; i-- > 0;)
			sink(t->hits, t->n, i);
}

static int
best_first(const void *a, const void *b)
{
	return worse(a, b) ? 1 : worse(b, a) ? -1 : 0;
}

void
mem_tops_sort(struct mem_tops *t)
{
	if (t->n > 0)
		qsort(t->hits, t->n, sizeof *t->hits, best_first);
}
