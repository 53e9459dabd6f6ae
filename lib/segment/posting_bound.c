/* SPDX-License-Identifier: Apache-2.0 */
/* Upper bounds of a block's scores: length codes and pairs. */
#include "segment/postings.h"

#define EXACT 64 /* lengths below are their own code */

uint8_t
mem_len_code(uint32_t length)
{
	if (length < EXACT)
		return (uint8_t)length;
	unsigned e = 31 - (unsigned)__builtin_clz(length);
	unsigned code = EXACT + (e - 6) * 8 + ((length >> (e - 3)) & 7);
	return code < 255 ? (uint8_t)code : 255;
}

uint32_t
mem_len_floor(uint8_t code)
{
	if (code < EXACT)
		return code;
	unsigned e = (code - EXACT) / 8U + 6;
	return (8 + (code - EXACT) % 8U) << (e - 3);
}

void
mem_front_clear(struct mem_front *f)
{
	memset(f->least, 255, sizeof f->least);
	f->top = 0;
}

void
mem_front_join(struct mem_front *into, const struct mem_front *f)
{
	if (f->top > into->top)
		into->top = f->top;
	for (uint32_t t = 0; t <= f->top; t++)
		if (f->least[t] < into->least[t])
			into->least[t] = f->least[t];
}

/* What a pair is worth where nothing is known yet of the collection: k1 .9, b .4, mean 50. */
static double
typical_gain(uint8_t tf, uint8_t code)
{
	return tf / (tf + .9 * (.6 + .4 * mem_len_floor(code) / 50));
}

static double
larger_gain(double a, double b)
{
	return a > b ? a : b;
}

/* Joins the two neighbours whose common pair promises least more than they do. */
static size_t
join_closest_pairs(uint8_t *tf, uint8_t *len, size_t n)
{
	size_t best = 0;
	double least = 2;
	for (size_t i = 0; i + 1 < n; i++) { /* tf falls, length falls */
		double excess = typical_gain(tf[i], len[i + 1])
		    - larger_gain(typical_gain(tf[i], len[i]), typical_gain(tf[i + 1], len[i + 1]));
		if (excess < least) {
			least = excess;
			best = i;
		}
	}
	len[best] = len[best + 1];
	memmove(tf + best + 1, tf + best + 2, n - best - 2);
	memmove(len + best + 1, len + best + 2, n - best - 2);
	return n - 1;
}

void
mem_front_pairs(const struct mem_front *f, struct mem_pairs *out)
{
	uint8_t tf[256], len[256];
	size_t n = 0;
	unsigned shortest = 256;
	for (uint32_t t = f->top; t > 0; t--) {
		if (f->least[t] < shortest) { /* a tf that never came has 255, as the top has at most */
			tf[n] = (uint8_t)t;
			len[n++] = f->least[t];
			shortest = f->least[t];
		}
	}
	while (n > MEM_PAIRS)
		n = join_closest_pairs(tf, len, n);
	memset(out, 0, sizeof *out);
	memcpy(out->tf, tf, n);
	memcpy(out->len, len, n);
}
