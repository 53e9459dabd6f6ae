/* SPDX-License-Identifier: Apache-2.0 */
/* The product of a query and a vector, estimated from the vector's code. */
#include "vector/vector_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRONG 3 /* what the largest of a piece counts */

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
place_put(uint8_t *p, size_t i, unsigned v)
{
	size_t bit = 6 * i;
	p[bit / 8] |= (uint8_t)(v << bit % 8);
	if (bit % 8 > 2)
		p[bit / 8 + 1] |= (uint8_t)(v >> (8 - bit % 8));
}

/* Places of the largest; their summed size. */
static double
put_places(uint8_t *p, const float *y, uint32_t dims)
{
	double sum = 0;
	for (size_t k = 0; k < MEM_CODE_PIECES(dims); k++) {
		uint32_t from = (uint32_t)k * MEM_CODE_PIECE, best = from;
		for (uint32_t i = from; i < dims && i < from + MEM_CODE_PIECE; i++)
			if (fabsf(y[i]) > fabsf(y[best]))
				best = i;
		place_put(p, k, (best - from) | (unsigned)!(y[best] < 0) << 5);
		sum += (double)fabsf(y[best]);
	}
	return sum;
}

static uint8_t
in_byte(double v, double lo, double hi)
{
	v = rint(v);
	return (uint8_t)(int)(v > lo ? (v < hi ? v : hi) : lo); /* lo also for NAN */
}

void
mem_code_make(const struct mem_code_mean *m, const float *v, uint8_t *code)
{
	uint32_t dims = m->dims;
	float *y = mem_xmalloc(dims * sizeof *y);
	float along = mem_dot(v, m->direction, dims);
	double size = 0, squares = 0;
	uint8_t *p = code + dims / 8;
	memset(code, 0, mem_code_bytes(dims));
	for (uint32_t i = 0; i < dims; i++) {
		y[i] = v[i] - along * m->direction[i];
		size += (double)fabsf(y[i]);
		squares += (double)y[i] * (double)y[i];
		code[i / 8] |= (uint8_t)((unsigned)!(y[i] < 0) << i % 8);
	}
	uint16_t f = mem_half_put(size > 0 ? (float)(squares / size) : 0);
	memcpy(p, &f, sizeof f);
	p[2] = in_byte(((double)along - (double)m->length) * 256, -127, 127);
	double strong = size + (STRONG - 1) * put_places(p + 4, y, dims);
	p[3] = in_byte(strong > 0 ? size / strong * 255 : 0, 0, 255);
	free(y);
}

/* ---- queries ---------------------------------------------------------- */

/* Standard error of a coarse guess over f |q'|, for normal components: sqrt(1 - 2/π). */
#define COARSE_ERROR .602810F

void
mem_code_query_init(struct mem_code_query *q, const struct mem_code_mean *m, const float *v, float errors)
{
	uint32_t dims = m->dims;
	float along = mem_dot(v, m->direction, dims), widest = 0;
	double all = 0;
	q->dims = dims;
	q->mean_length = m->length;
	q->base = along * m->length;
	q->along = along / 256;
	q->table = mem_xcalloc(MEM_CODE_GROUPS(dims), 16);
	q->strong = mem_xcalloc(MEM_CODE_PIECES(dims), 64 * sizeof *q->strong);
	float *y = mem_xmalloc(dims * sizeof *y);
	for (uint32_t i = 0; i < dims; i++) {
		y[i] = v[i] - along * m->direction[i];
		float *strong = q->strong + i / MEM_CODE_PIECE * 64 + i % MEM_CODE_PIECE;
		strong[32] = (STRONG - 1) * y[i];
		strong[0] = -strong[32];
	}
	for (uint32_t i = 0; i < dims; i += 4) {
		float sum = fabsf(y[i]) + fabsf(y[i + 1]) + fabsf(y[i + 2]) + fabsf(y[i + 3]);
		widest = sum > widest ? sum : widest;
		all += (double)sum;
	}
	q->scale = widest > 0 ? 2 * widest / 255 : 1;
	q->bias = -(float)all;
	q->length = sqrtf(mem_dot(y, y, dims));
	q->reach = errors * COARSE_ERROR * q->length;
	/* Of four dimensions: what their signs add up to, from the least there can be. */
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
	free(q->strong);
	q->table = NULL;
	q->strong = NULL;
}

/* Four places lie in three bytes. */
static float
add_strong(const struct mem_code_query *q, const uint8_t *p)
{
	float sum[4] = { 0 };
	const float *strong = q->strong;
	size_t n = MEM_CODE_PIECES(q->dims);
	for (; n >= 4; n -= 4, p += 3, strong += 4 * 64) {
		uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
		for (size_t k = 0; k < 4; k++)
			sum[k] += strong[64 * k + (bits >> 6 * k & 63)];
	}
	uint32_t bits = n > 0 ? p[0] : 0;
	bits |= n > 1 ? (uint32_t)p[1] << 8 : 0;
	bits |= n > 2 ? (uint32_t)p[2] << 16 : 0;
	for (size_t k = 0; k < n; k++)
		sum[k] += strong[64 * k + (bits >> 6 * k & 63)];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

float
mem_code_fine(const struct mem_code_query *q, float guess, uint16_t f, int8_t along, const uint8_t *fine,
    float *error)
{
	float coarse = mem_half_get(f), better = (float)fine[0] / 255, factor = coarse * better;
	float lies = q->mean_length + (float)along / 256, rest = 1 - lies * lies;
	size_t pieces = MEM_CODE_PIECES(q->dims);
	float guessed = factor * factor * ((float)q->dims + (STRONG * STRONG - 1) * (float)pieces);
	float square = (guessed - (rest > 0 ? rest : 0)) / (float)(q->dims - 1);
	*error = q->length * sqrtf(square > 0 ? square : 0);
	float mean = q->base + q->along * (float)along;
	return mean + better * ((guess - mean - coarse * q->reach) + coarse * add_strong(q, fine + 1));
}

/* ---- the plain kernel ------------------------------------------------- */

static uint32_t
scan_plain(const struct mem_code_query *q, const uint8_t *block, float cut, float *guess)
{
	size_t groups = MEM_CODE_GROUPS(q->dims);
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
		uint16_t f;
		memcpy(&f, rest + 2 * i, sizeof f);
		float product = q->scale * (float)sum[i] + (q->bias + q->reach);
		guess[i] = (q->base + q->along * (float)(int8_t)rest[2 * MEM_CODE_BLOCK + i])
		    + mem_half_get(f) * product;
		hits |= (uint32_t)(guess[i] >= cut) << i;
	}
	return hits;
}

mem_code_scan_fn *
mem_code_scan(void)
{
	enum mem_kernel k = MEM_KERNEL_PLAIN;
	if (mem_kernel_choose(&k, NULL) != MEM_OK || k == MEM_KERNEL_OPENBLAS)
		for (k = MEM_KERNEL_AVX512; !mem_kernel_has(k);)
			k--;
#ifdef __x86_64__
	if (k == MEM_KERNEL_AVX512)
		return mem_code_scan_avx512;
	if (k == MEM_KERNEL_AVX2)
		return mem_code_scan_avx2;
#endif
	return scan_plain;
}
