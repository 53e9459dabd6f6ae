/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of a search, and the lower bound that the best of them give. */
#include "vectors/vectors_int.h"

#include <math.h>
#include <stdlib.h>

#define KEEP_LEAST 4096 /* of many vectors, a sixteenth of them, but at least so many */
#define FULL_FIRST 512  /* candidates before those below the cut are dropped for the first time: two or three pages */

void
vectors_pool_init(struct vectors_pool *p, size_t keep, size_t limit, float error_bound)
{
	*p = (struct vectors_pool){ .cut = -INFINITY, .keep = keep, .limit = limit, .error_bound = error_bound,
		.full = FULL_FIRST < 3 * keep ? FULL_FIRST : 3 * keep };
	p->v = mem_xmalloc(3 * keep * sizeof *p->v);
	p->lower_bounds = mem_xmalloc((limit + 1) * sizeof *p->lower_bounds);
	p->lower_bounds[0] = INFINITY; /* so that none is higher where limit is 0 */
}

void
vectors_pool_release(struct vectors_pool *p)
{
	free(p->v);
	free(p->lower_bounds);
	p->v = NULL;
	p->lower_bounds = NULL;
}

/* ---- lower bounds --------------------------------------------------------- */

/* A heap: `moving` goes where v[i] was. */
static void
sink_bound(float *v, size_t n, size_t i, float moving)
{
	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		if (kid + 1 < n && v[kid + 1] < v[kid])
			kid++;
		if (!(v[kid] < moving))
			break;
		v[i] = v[kid];
	}
	v[i] = moving;
}

void
vectors_pool_add_lower_bound(struct vectors_pool *p, float bound)
{
	if (p->nlower < p->limit) {
		p->lower_bounds[p->nlower++] = bound;
		for (size_t i = p->nlower / 2; p->nlower == p->limit && i-- > 0;)
			sink_bound(p->lower_bounds, p->nlower, i, p->lower_bounds[i]);
	} else {
		sink_bound(p->lower_bounds, p->nlower, 0, bound);
	}
	if (p->nlower == p->limit && p->lower_bounds[0] > p->cut)
		p->cut = p->lower_bounds[0];
}

/* ---- the best --------------------------------------------------------- */

static void
swap_candidates(struct vectors_candidate *a, struct vectors_candidate *b)
{
	struct vectors_candidate t = *a;
	*a = *b;
	*b = t;
}

/* The middle one of three goes to the front, so that a partition always leaves both sides something. */
static void
place_pivot_key(struct vectors_candidate *v, size_t n)
{
	struct vectors_candidate *a = &v[0], *b = &v[n / 2], *c = &v[n - 1];
	if (vectors_candidate_before(a, b))
		swap_candidates(a, b);
	if (vectors_candidate_before(b, c))
		swap_candidates(b, c);
	if (vectors_candidate_before(b, a))
		swap_candidates(a, b);
}

/* Hoare, "Algorithm 65: find", 1961. */
void
vectors_select_best(struct vectors_candidate *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n; /* where the border lies */
	while (hi - lo > 1 && k > lo && k < hi) {
		place_pivot_key(v + lo, hi - lo);
		const struct vectors_candidate pivot = v[lo];
		size_t i = lo, j = hi - 1;
		for (;; i++, j--) {
			while (vectors_candidate_before(&v[i], &pivot))
				i++;
			while (vectors_candidate_before(&pivot, &v[j]))
				j--;
			if (i >= j)
				break;
			swap_candidates(&v[i], &v[j]);
		}
		if (k <= j)
			hi = j + 1;
		else
			lo = j + 1;
	}
}

/* Drops what is below a key. */
static void
drop_below_key(struct vectors_pool *p, uint64_t key)
{
	size_t to = 0;
	for (size_t i = 0; i < p->n; i++) {
		p->v[to] = p->v[i];
		to += p->v[i].key >= key;
	}
	p->n = to;
	if (vectors_key_estimate(key) > p->cut)
		p->cut = vectors_key_estimate(key);
}

static void
keep_best_candidates(struct vectors_pool *p, size_t keep)
{
	uint64_t last = UINT64_MAX;
	if (p->n <= keep)
		return;
	vectors_select_best(p->v, p->n, keep);
	p->n = keep;
	for (size_t i = 0; i < keep; i++)
		last = p->v[i].key < last ? p->v[i].key : last;
	if (vectors_key_estimate(last) > p->cut)
		p->cut = vectors_key_estimate(last);
}

static uint64_t
key_of_cut(const struct vectors_pool *p)
{
	return vectors_key_make(p->cut, UINT32_MAX);
}

/* By counting: estimates are told apart to some thousandths of their spread, which is enough while more come. */
static void
raise_cut(struct vectors_pool *p)
{
	enum { BINS = 2048 };
	uint32_t count[BINS] = { 0 }, low = UINT32_MAX, high = 0;
	for (size_t i = 0; i < p->n; i++) {
		uint32_t k = (uint32_t)(p->v[i].key >> 32);
		low = k < low ? k : low;
		high = k > high ? k : high;
	}
	uint64_t width = (uint64_t)(high - low) / BINS + 1;
	for (size_t i = 0; i < p->n; i++)
		count[((uint32_t)(p->v[i].key >> 32) - low) / width]++;
	size_t bin = BINS, sum = 0;
	while (sum < p->keep)
		sum += count[--bin];
	drop_below_key(p, (uint64_t)(low + bin * width) << 32);
	if (p->n > 2 * p->keep) /* many alike */
		keep_best_candidates(p, p->keep);
}

void
vectors_pool_shrink(struct vectors_pool *p)
{
	drop_below_key(p, key_of_cut(p));
	if (p->full < 3 * p->keep) {
		size_t twice = 2 * p->full < 3 * p->keep ? 2 * p->full : 3 * p->keep;
		p->full = 2 * p->n > p->full ? twice : p->full;
	} else if (p->n > 2 * p->keep) {
		raise_cut(p);
	}
}

void
vectors_pool_join(struct vectors_pool *p, const struct vectors_pool *from)
{
	p->seen += from->seen;
	p->several |= from->several;
	for (size_t i = 0; i < from->nlower; i++)
		if (p->nlower < p->limit || from->lower_bounds[i] > p->lower_bounds[0])
			vectors_pool_add_lower_bound(p, from->lower_bounds[i]);
	for (size_t i = 0; i < from->n; i++) {
		if (from->v[i].key < key_of_cut(p))
			continue;
		p->v[p->n++] = from->v[i];
		if (p->n == p->full)
			vectors_pool_shrink(p);
	}
}

void
vectors_pool_close(struct vectors_pool *p)
{
	uint64_t keep = p->seen / 16;
	if (p->wide)
		keep = p->keep;
	if (p->nlower == p->limit)
		drop_below_key(p, key_of_cut(p));
	if (p->seen > p->keep)
		keep_best_candidates(p, keep > p->keep ? p->keep : keep < KEEP_LEAST ? KEEP_LEAST : keep);
	p->left_out = p->n < p->seen;
}
