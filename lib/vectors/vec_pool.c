/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of a search, and the lower bound that the best of them give. */
#include "vectors/vectors_int.h"

#include <math.h>
#include <stdlib.h>

#define KEEP_LEAST 4096 /* of many vectors, a sixteenth of them, but at least so many */

void
mem_near_pool_init(struct mem_near_pool *p, size_t keep, size_t limit, float reach)
{
	*p = (struct mem_near_pool){ .cut = -INFINITY, .keep = keep, .limit = limit, .reach = reach };
	p->v = mem_xmalloc(3 * keep * sizeof *p->v);
	p->least = mem_xmalloc((limit + 1) * sizeof *p->least);
	p->least[0] = INFINITY; /* so that none is higher where limit is 0 */
}

void
mem_near_pool_release(struct mem_near_pool *p)
{
	free(p->v);
	free(p->least);
	p->v = NULL;
	p->least = NULL;
}

/* ---- promises --------------------------------------------------------- */

/* A heap: `moving` goes where least[i] was. */
static void
sink(float *v, size_t n, size_t i, float moving)
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
mem_near_promise(struct mem_near_pool *p, float least)
{
	if (p->nleast < p->limit) {
		p->least[p->nleast++] = least;
		for (size_t i = p->nleast / 2; p->nleast == p->limit && i-- > 0;)
			sink(p->least, p->nleast, i, p->least[i]);
	} else {
		sink(p->least, p->nleast, 0, least);
	}
	if (p->nleast == p->limit && p->least[0] > p->cut)
		p->cut = p->least[0];
}

/* ---- the best --------------------------------------------------------- */

static void
swap(struct mem_near_one *a, struct mem_near_one *b)
{
	struct mem_near_one t = *a;
	*a = *b;
	*b = t;
}

/* The middle one of three goes to the front, so that a partition always leaves both sides something. */
static void
place_pivot(struct mem_near_one *v, size_t n)
{
	struct mem_near_one *a = &v[0], *b = &v[n / 2], *c = &v[n - 1];
	if (b->key < a->key)
		swap(a, b);
	if (c->key < b->key)
		swap(b, c);
	if (b->key > a->key)
		swap(a, b);
}

/* Hoare, "Algorithm 65: find", 1961. */
void
mem_near_select(struct mem_near_one *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n; /* where the border lies */
	while (hi - lo > 1 && k > lo && k < hi) {
		place_pivot(v + lo, hi - lo);
		uint64_t pivot = v[lo].key;
		size_t i = lo, j = hi - 1;
		for (;; i++, j--) {
			while (v[i].key > pivot)
				i++;
			while (v[j].key < pivot)
				j--;
			if (i >= j)
				break;
			swap(&v[i], &v[j]);
		}
		if (k <= j)
			hi = j + 1;
		else
			lo = j + 1;
	}
}

/* Drops what is below a guess. */
static void
drop_below(struct mem_near_pool *p, uint64_t key)
{
	size_t to = 0;
	for (size_t i = 0; i < p->n; i++) {
		p->v[to] = p->v[i];
		to += p->v[i].key >= key;
	}
	p->n = to;
	if (mem_near_guess(key) > p->cut)
		p->cut = mem_near_guess(key);
}

static void
keep_best(struct mem_near_pool *p, size_t keep)
{
	uint64_t last = UINT64_MAX;
	if (p->n <= keep)
		return;
	mem_near_select(p->v, p->n, keep);
	p->n = keep;
	for (size_t i = 0; i < keep; i++)
		last = p->v[i].key < last ? p->v[i].key : last;
	if (mem_near_guess(last) > p->cut)
		p->cut = mem_near_guess(last);
}

static uint64_t
cut_key(const struct mem_near_pool *p)
{
	return mem_near_key(p->cut, UINT32_MAX);
}

/* By counting: guesses are told apart to some thousandths of their spread, which is all that is needed while
 * more come. */
void
mem_near_shrink(struct mem_near_pool *p)
{
	enum { BINS = 2048 };
	uint32_t count[BINS] = { 0 }, low = UINT32_MAX, high = 0;
	drop_below(p, cut_key(p));
	if (p->n <= 2 * p->keep)
		return;
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
	drop_below(p, (uint64_t)(low + bin * width) << 32);
	if (p->n > 2 * p->keep) /* many alike */
		keep_best(p, p->keep);
}

void
mem_near_pool_join(struct mem_near_pool *p, const struct mem_near_pool *from)
{
	p->seen += from->seen;
	for (size_t i = 0; i < from->nleast; i++)
		if (p->nleast < p->limit || from->least[i] > p->least[0])
			mem_near_promise(p, from->least[i]);
	for (size_t i = 0; i < from->n; i++) {
		if (from->v[i].key < cut_key(p))
			continue;
		p->v[p->n++] = from->v[i];
		if (p->n == 3 * p->keep)
			mem_near_shrink(p);
	}
}

void
mem_near_close(struct mem_near_pool *p)
{
	uint64_t keep = p->seen / 16;
	if (p->nleast == p->limit)
		drop_below(p, cut_key(p));
	if (p->seen > p->keep)
		keep_best(p, keep > p->keep ? p->keep : keep < KEEP_LEAST ? KEEP_LEAST : keep);
	p->left_out = p->n < p->seen;
}
