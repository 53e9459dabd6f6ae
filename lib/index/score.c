/* SPDX-License-Identifier: Apache-2.0 */
#include "index/index_int.h"

#include <math.h>

/* Short texts want a flatter curve; the border and both pairs were measured on turns
 * of conversations and on abstracts. */
#define SHORT_MEAN 60

double
mem_bm25_work(const struct mem_bm25 *m, uint32_t tf, uint32_t length)
{
	double norm = m->k1 * ((1 - m->b) + m->b * (double)length / m->mean);
	return 1 / (1 + norm / (double)tf);
}

void
mem_bm25_init(struct mem_bm25 *m, uint64_t docs, uint64_t length)
{
	m->mean = length > 0 ? (double)length / (double)docs : 1;
	m->k1 = m->mean < SHORT_MEAN ? .9 : 1.2;
	m->b = m->mean < SHORT_MEAN ? .4 : .75;
	for (uint32_t len = 0; len < MEM_GAIN_LEN; len++)
		m->gain[0][len] = 0;
	for (uint32_t tf = 1; tf < MEM_GAIN_TF; tf++)
		for (uint32_t len = 0; len < MEM_GAIN_LEN; len++)
			m->gain[tf][len] = mem_bm25_work(m, tf, len);
}

double
mem_bm25_top(const struct mem_bm25 *m, uint64_t docs, uint64_t df, double weight)
{
	double n = (double)docs, d = (double)df;
	double idf = log(1 + (n - d + .5) / (d + .5));
	return weight * idf * (m->k1 + 1);
}

double
mem_bm25_bound(const struct mem_bm25 *m, const uint8_t *pairs)
{
	double best = 0;
	for (size_t i = 0; i < MEM_PAIRS && pairs[i] > 0; i++) {
		if (pairs[i] == MEM_TF_ANY)
			return 1;
		double g = mem_bm25_gain(m, pairs[i], mem_len_floor(pairs[MEM_PAIRS + i]));
		if (g > best)
			best = g;
	}
	return best;
}

double
mem_score_round(double score)
{
	return nearbyint(score * 1e6) / 1e6;
}
