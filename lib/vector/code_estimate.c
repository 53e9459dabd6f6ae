/* SPDX-License-Identifier: Apache-2.0 */
/* The product of a query and a vector, estimated from the vector's code. */
#include "vector/vector_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTLIER_WEIGHT 3 /* of the largest of a piece; the others have 1 */

void
mem_code_mean_init(struct mem_code_mean *m, const float *mean, uint32_t dims)
{
	m->dims = dims;
	m->direction = mem_xcalloc(dims, sizeof *m->direction);
	float length = mean != NULL ? sqrtf(mem_dot(mean, mean, dims)) : 0;
	bool has = mean != NULL && length > 0 && isfinite(length);
	m->length = has ? length : 0;
	for (uint32_t i = 0; i < dims && has; i++)
		m->direction[i] = mean[i] / length;
}

void
mem_code_mean_release(struct mem_code_mean *m)
{
	free(m->direction);
	m->direction = NULL;
}

/* ---- making ----------------------------------------------------------- */

static void
put_place(uint8_t *p, size_t i, unsigned v)
{
	size_t bit = 6 * i;
	p[bit / 8] |= (uint8_t)(v << bit % 8);
	if (bit % 8 > 2)
		p[bit / 8 + 1] |= (uint8_t)(v >> (8 - bit % 8));
}

/* Puts the place and sign of each piece's outlier; returns the sum of their sizes. */
static double
put_outliers(uint8_t *p, const float *y, uint32_t dims)
{
	double sum = 0;
	for (size_t k = 0; k < VECTOR_CODE_PIECES(dims); k++) {
		uint32_t from = (uint32_t)k * VECTOR_CODE_PIECE, best = from;
		for (uint32_t i = from; i < dims && i < from + VECTOR_CODE_PIECE; i++)
			if (fabsf(y[i]) > fabsf(y[best]))
				best = i;
		put_place(p, k, (best - from) | (unsigned)!(y[best] < 0) << 5);
		sum += (double)fabsf(y[best]);
	}
	return sum;
}

static uint8_t
round_to_byte(double v, double lo, double hi)
{
	v = rint(v);
	return (uint8_t)(int)(v > lo ? (v < hi ? v : hi) : lo); /* lo also for NAN */
}

void
mem_code_make(const struct mem_code_mean *m, const float *v, uint8_t *code)
{
	uint32_t dims = m->dims;
	float *y = mem_xmalloc(dims * sizeof *y);
	float component = mem_dot(v, m->direction, dims);
	double size = 0, squares = 0;
	uint8_t *p = code + dims / 8;
	memset(code, 0, mem_code_bytes(dims));
	for (uint32_t i = 0; i < dims; i++) {
		y[i] = v[i] - component * m->direction[i];
		size += (double)fabsf(y[i]);
		squares += (double)y[i] * (double)y[i];
		code[i / 8] |= (uint8_t)((unsigned)!(y[i] < 0) << i % 8);
	}
	uint16_t factor = mem_half_put(size > 0 ? (float)(squares / size) : 0);
	memcpy(p, &factor, sizeof factor);
	p[2] = round_to_byte(((double)component - (double)m->length) * 256, -127, 127);
	double weighted = size + (OUTLIER_WEIGHT - 1) * put_outliers(p + 4, y, dims);
	p[3] = round_to_byte(weighted > 0 ? size / weighted * 255 : 0, 0, 255);
	free(y);
}

/* ---- queries ---------------------------------------------------------- */

/* Standard error of a coarse estimate over factor |q'|, for normal components: sqrt(1 - 2/π). */
#define COARSE_ERROR .602810F

void
mem_code_query_init(struct mem_code_query *q, const struct mem_code_mean *m, const float *v, float errors)
{
	uint32_t dims = m->dims;
	float component = mem_dot(v, m->direction, dims), widest = 0;
	double all = 0;
	q->dims = dims;
	q->mean_length = m->length;
	q->mean_base = component * m->length;
	q->mean_step = component / 256;
	q->table = mem_xcalloc(VECTOR_CODE_GROUPS(dims), 16);
	q->outliers = mem_xcalloc(VECTOR_CODE_PIECES(dims), 64 * sizeof *q->outliers);
	float *y = mem_xmalloc(dims * sizeof *y);
	for (uint32_t i = 0; i < dims; i++) {
		y[i] = v[i] - component * m->direction[i];
		float *outlier = q->outliers + i / VECTOR_CODE_PIECE * 64 + i % VECTOR_CODE_PIECE;
		outlier[32] = (OUTLIER_WEIGHT - 1) * y[i];
		outlier[0] = -outlier[32];
	}
	for (uint32_t i = 0; i < dims; i += 4) {
		float sum = fabsf(y[i]) + fabsf(y[i + 1]) + fabsf(y[i + 2]) + fabsf(y[i + 3]);
		widest = sum > widest ? sum : widest;
		all += (double)sum;
	}
	q->scale = widest > 0 ? 2 * widest / 255 : 1;
	q->bias = -(float)all;
	q->length = sqrtf(mem_dot(y, y, dims));
	q->error_bound = errors * COARSE_ERROR * q->length;
	/* For each four dimensions and each of their 16 sign patterns: the sum, less the least possible one. */
	for (uint32_t g = 0; g < dims / 4; g++)
		for (unsigned e = 0; e < 16; e++) {
			float sum = 0;
			for (unsigned k = 0; k < 4; k++) {
				float x = y[4 * g + k];
				sum += fabsf(x) + ((e >> k & 1) != 0 ? x : -x);
			}
			q->table[16 * g + e] = (uint8_t)rintf(sum / q->scale);
		}
	free(y);
}

void
mem_code_query_release(struct mem_code_query *q)
{
	free(q->table);
	free(q->outliers);
	q->table = NULL;
	q->outliers = NULL;
}

/* What the outliers add to <q', s>.  Four places lie in three bytes. */
static float
sum_outliers(const struct mem_code_query *q, const uint8_t *p)
{
	float sum[4] = { 0 };
	const float *outliers = q->outliers;
	size_t n = VECTOR_CODE_PIECES(q->dims);
	for (; n >= 4; n -= 4, p += 3, outliers += 4 * 64) {
		uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
		for (size_t k = 0; k < 4; k++)
			sum[k] += outliers[64 * k + (bits >> 6 * k & 63)];
	}
	uint32_t bits = n > 0 ? p[0] : 0;
	bits |= n > 1 ? (uint32_t)p[1] << 8 : 0;
	bits |= n > 2 ? (uint32_t)p[2] << 16 : 0;
	for (size_t k = 0; k < n; k++)
		sum[k] += outliers[64 * k + (bits >> 6 * k & 63)];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

float
mem_code_estimate_fine(const struct mem_code_query *q, float estimate, uint16_t factor, int8_t component, const uint8_t *fine,
    float *error)
{
	float coarse = mem_half_get(factor), ratio = (float)fine[0] / 255, better = coarse * ratio;
	float of_mean = q->mean_length + (float)component / 256, rest = 1 - of_mean * of_mean;
	size_t pieces = VECTOR_CODE_PIECES(q->dims);
	float squares = better * better * ((float)q->dims + (OUTLIER_WEIGHT * OUTLIER_WEIGHT - 1) * (float)pieces);
	float square = (squares - (rest > 0 ? rest : 0)) / (float)(q->dims - 1);
	*error = q->length * sqrtf(square > 0 ? square : 0);
	float mean = q->mean_base + q->mean_step * (float)component;
	return mean + ratio * ((estimate - mean - coarse * q->error_bound) + coarse * sum_outliers(q, fine + 1));
}

/* ---- the plain kernel ------------------------------------------------- */

static uint32_t
scan_block_plain(const struct mem_code_query *q, const uint8_t *block, float cut, float *estimate)
{
	size_t groups = VECTOR_CODE_GROUPS(q->dims);
	const uint8_t *rest = block + 16 * groups;
	uint32_t hits = 0, sum[MEM_CODE_BLOCK] = { 0 };
	for (size_t g = 0; g < groups; g++, block += 16) {
		const uint8_t *table = q->table + 16 * g;
		for (size_t i = 0; i < 16; i++) {
			sum[i] += table[block[i] & 15];
			sum[i + 16] += table[block[i] >> 4];
		}
	}
	for (size_t i = 0; i < MEM_CODE_BLOCK; i++) {
		uint16_t factor;
		memcpy(&factor, rest + 2 * i, sizeof factor);
		float product = q->scale * (float)sum[i] + (q->bias + q->error_bound);
		estimate[i] = (q->mean_base + q->mean_step * (float)(int8_t)rest[2 * MEM_CODE_BLOCK + i])
		    + mem_half_get(factor) * product;
		hits |= (uint32_t)(estimate[i] >= cut) << i;
	}
	return hits;
}

mem_code_scan_fn *
mem_code_choose_scan(void)
{
	enum mem_kernel k = MEM_KERNEL_PLAIN;
	if (mem_kernel_choose(&k, NULL) != MEM_OK || k == MEM_KERNEL_OPENBLAS)
		for (k = MEM_KERNEL_AVX512; !vector_has_kernel(k);)
			k--;
#ifdef __x86_64__
	if (k == MEM_KERNEL_AVX512)
		return vector_scan_avx512;
	if (k == MEM_KERNEL_AVX2)
		return vector_scan_avx2;
#endif
	return scan_block_plain;
}
