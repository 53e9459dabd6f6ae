/* SPDX-License-Identifier: Apache-2.0 */
#include "index/index_int.h"

#include <math.h>
#include <stdlib.h>

/* Room for so many; each time it is full the best stay, and the cut rises to the last of them. */
#define ROOM (3 * MEM_NEAR_KEEP)

void
mem_near_pool_init(struct mem_near_pool *p)
{
	*p = (struct mem_near_pool){ .cut = -INFINITY };
	p->v = mem_xmalloc(ROOM * sizeof *p->v);
}

void
mem_near_pool_release(struct mem_near_pool *p)
{
	free(p->v);
	p->v = NULL;
}

/* Floats as numbers in the same order: those below zero turned over. */
uint64_t
mem_near_key(float guess, uint32_t ord)
{
	uint32_t bits;
	memcpy(&bits, &guess, sizeof bits);
	bits = (bits >> 31) != 0 ? ~bits : bits | 1U << 31;
	return (uint64_t)bits << 32 | ~ord;
}

float
mem_near_guess(uint64_t key)
{
	uint32_t bits = (uint32_t)(key >> 32);
	float guess;
	bits = (bits >> 31) != 0 ? bits & ~(1U << 31) : ~bits;
	memcpy(&guess, &bits, sizeof guess);
	return guess;
}

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

static void
shrink(struct mem_near_pool *p)
{
	uint64_t least = UINT64_MAX;
	mem_near_select(p->v, p->n, MEM_NEAR_KEEP);
	p->n = MEM_NEAR_KEEP;
	for (size_t i = 0; i < p->n; i++)
		least = p->v[i].key < least ? p->v[i].key : least;
	p->cut = mem_near_guess(least);
}

void
mem_near_push(struct mem_near_pool *p, struct mem_near_one *one, float guess, uint32_t ord)
{
	one->key = mem_near_key(guess, ord);
	p->v[p->n++] = *one;
	if (p->n == ROOM)
		shrink(p);
}

void
mem_near_close(struct mem_near_pool *p)
{
	if (p->n > MEM_NEAR_KEEP)
		shrink(p);
}
