/* SPDX-License-Identifier: Apache-2.0 */
/* Stars: the greedy cover of a graph by a node and its neighbours. */
#include "skill/gaps_int.h"

#include <stdlib.h>

#define WORD_BITS 64

static bool
has_bit(const uint64_t *bits, size_t i)
{
	return (bits[i / WORD_BITS] >> i % WORD_BITS & 1) != 0;
}

void
gap_stars_begin(struct gap_stars *s, size_t n)
{
	s->n = n;
	s->words = n / WORD_BITS + 1;
	s->near = mem_xcalloc(n * s->words + 1, sizeof *s->near);
	s->left = mem_xcalloc(s->words, sizeof *s->left);
	s->weights = mem_xcalloc(n + 1, sizeof *s->weights);
	s->stars = mem_xcalloc(n + 1, sizeof *s->stars);
	s->list = mem_xcalloc(n + 1, sizeof *s->list);
}

void
gap_stars_release(struct gap_stars *s)
{
	free(s->near);
	free(s->left);
	free(s->weights);
	free(s->stars);
	free(s->list);
	*s = (struct gap_stars){ 0 };
}

void
gap_stars_join(struct gap_stars *s, size_t i, size_t j)
{
	s->near[i * s->words + j / WORD_BITS] |= UINT64_C(1) << j % WORD_BITS;
	s->near[j * s->words + i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
}

/* Numbers of the items near i that are left. */
static size_t
list_near_items(const struct gap_stars *s, size_t i, size_t *list)
{
	size_t n = 0;
	for (size_t w = 0; w < s->words; w++)
		for (uint64_t bits = s->near[i * s->words + w] & s->left[w]; bits != 0; bits &= bits - 1)
			list[n++] = w * WORD_BITS + (size_t)__builtin_ctzll(bits);
	return n;
}

void
gap_stars_weigh(struct gap_stars *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->left[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
	for (size_t i = 0; i < s->n; i++) {
		size_t n = list_near_items(s, i, s->list);
		s->stars[i] = s->weights[i];
		for (size_t k = 0; k < n; k++)
			s->stars[i] += s->weights[s->list[k]];
	}
}

/* It is in a star now, and counts in no other. */
static void
take_star_item(struct gap_stars *s, size_t i)
{
	s->left[i / WORD_BITS] &= ~(UINT64_C(1) << i % WORD_BITS);
	size_t n = list_near_items(s, i, s->list);
	for (size_t k = 0; k < n; k++)
		s->stars[s->list[k]] -= s->weights[i];
}

size_t
gap_stars_next(struct gap_stars *s, int64_t least, size_t *members)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < s->n; i++)
		if (has_bit(s->left, i) && s->stars[i] >= least && (best == SIZE_MAX || s->stars[i] > s->stars[best]))
			best = i;
	if (best == SIZE_MAX)
		return 0;
	members[0] = best;
	size_t n = 1 + list_near_items(s, best, members + 1);
	for (size_t k = 0; k < n; k++)
		take_star_item(s, members[k]);
	return n;
}
