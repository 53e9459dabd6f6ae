/* SPDX-License-Identifier: Apache-2.0 */
/* BM25, in a form whose rounding never breaks a bound. */
#include "words/words_int.h"

#include <string.h>

/* Short texts want a flatter curve; the border and both pairs were measured on turns
 * of conversations and on abstracts. */
#define SHORT_MEAN 60
/* A text counts as at most so many times as long as the mean: else what stands in one of 150 KB among short ones counts nothing.
 * Turns and abstracts are not so long. */
#define LONGEST 4

double
words_bm25_compute_gain(const struct words_bm25 *m, uint32_t tf, uint32_t length)
{
	double times = (double)length / m->mean;
	double norm = m->k1 * ((1 - m->b) + m->b * (times < LONGEST ? times : LONGEST));
	return 1 / (1 + norm / (double)tf);
}

void
words_bm25_init(struct words_bm25 *m, uint64_t docs, uint64_t length)
{
	m->mean = length > 0 ? (double)length / (double)docs : 1;
	m->k1 = m->mean < SHORT_MEAN ? .9 : 1.2;
	m->b = m->mean < SHORT_MEAN ? .4 : .75;
	for (uint32_t len = 0; len < WORDS_GAIN_LEN; len++)
		m->gain[0][len] = 0;
	for (uint32_t tf = 1; tf < WORDS_GAIN_TF; tf++)
		for (uint32_t len = 0; len < WORDS_GAIN_LEN; len++)
			m->gain[tf][len] = words_bm25_compute_gain(m, tf, len);
}

/*
 * x = m 2^e with m between the roots of 1/2 and 2, and ln m = 2 (s + s^3/3 + s^5/5 + …) with
 * s = (m - 1) / (m + 1), under .172: eleven terms leave nothing a double could hold.
 */
double
words_score_ln(double x)
{
	static const double ln2 = 0.693147180559945309417;
	uint64_t bits;
	if (!(x > 0))
		return 0; /* more documents with a word than documents: mem-check tells */
	memcpy(&bits, &x, sizeof bits);
	int e = (int)(bits >> 52) - 1023;
	bits = (bits & ~(UINT64_C(0x7ff) << 52)) | UINT64_C(1023) << 52;
	memcpy(&x, &bits, sizeof x);
	if (x > 1.41421356237309504880) {
		x /= 2;
		e++;
	}
	double s = (x - 1) / (x + 1), sum = 0;
	for (int k = 21; k >= 1; k -= 2)
		sum = sum * s * s + 1.0 / k;
	return 2 * s * sum + e * ln2;
}

double
words_bm25_idf(uint64_t docs, uint64_t df)
{
	double n = (double)docs, d = (double)df;
	return words_score_ln(1 + (n - d + .5) / (d + .5));
}

double
words_bm25_top_score(const struct words_bm25 *m, uint64_t docs, uint64_t df, double weight)
{
	return weight * words_bm25_idf(docs, df) * (m->k1 + 1);
}

bool
mem_words_are_long(const struct mem_ns *ns, size_t nns)
{
	struct mem_scope scope;
	struct words_bm25 m;
	mem_scope_init(&scope, ns, nns);
	words_bm25_init(&m, scope.docs, scope.length);
	mem_scope_release(&scope);
	return m.mean >= SHORT_MEAN;
}

double
mem_words_top_gain(const struct mem_ns *ns, size_t nns)
{
	struct mem_scope scope;
	struct words_bm25 m;
	mem_scope_init(&scope, ns, nns);
	words_bm25_init(&m, scope.docs, scope.length);
	mem_scope_release(&scope);
	return m.k1 + 1;
}

double
words_bm25_bound(const struct words_bm25 *m, const uint8_t *pairs)
{
	double best = 0;
	for (size_t i = 0; i < MEM_PAIRS && pairs[i] > 0; i++) {
		if (pairs[i] == MEM_TF_ANY)
			return 1;
		double g = words_bm25_gain(m, pairs[i], mem_len_floor(pairs[MEM_PAIRS + i]));
		if (g > best)
			best = g;
	}
	return best;
}
