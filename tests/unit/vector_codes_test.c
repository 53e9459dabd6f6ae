/* SPDX-License-Identifier: Apache-2.0 */
/* Sign codes: every kernel against a naive twin, and the estimates against the products. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vector/vector_int.h"

static uint64_t seed = 88172645463325252U;

static uint64_t
draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Twelve uniform ones: normal enough. */
static float
normal(void)
{
	float sum = -6;
	for (int i = 0; i < 12; i++)
		sum += (float)(draw() >> 40) / (1 << 24);
	return sum;
}

static void
draw_vector(float *v, uint32_t dims, const float *mean)
{
	for (uint32_t i = 0; i < dims; i++)
		v[i] = normal() + (mean != NULL ? 20 * mean[i] : 0);
	assert_true(mem_normalise(v, dims));
}

static const uint32_t all_dims[] = { 8, 16, 24, 40, 96, 384, 392, 768, 1024, 1032, 1536, 4096 };

struct world {
	uint32_t dims;
	float mean[4096], v[MEM_CODE_BLOCK][4096], query[4096];
	struct mem_code_mean m;
	uint8_t codes[MEM_CODE_BLOCK][4096], block[80000];
};
static struct world w;

static void
make_world(uint32_t dims, bool has_mean)
{
	w.dims = dims;
	draw_vector(w.mean, dims, NULL);
	for (uint32_t i = 0; i < dims; i++)
		w.mean[i] *= .8F;
	mem_code_mean_init(&w.m, has_mean ? w.mean : NULL, dims);
	draw_vector(w.query, dims, has_mean ? w.mean : NULL);
	memset(w.block, 0xa5, sizeof w.block); /* whatever was there before */
	memset(w.block, 0, mem_code_block_bytes(dims));
	for (unsigned i = 0; i < MEM_CODE_BLOCK; i++) {
		draw_vector(w.v[i], dims, has_mean ? w.mean : NULL);
		if (i == 7)
			memset(w.v[i], 0, sizeof w.v[i]);
		mem_code_make(&w.m, w.v[i], w.codes[i]);
		mem_code_block_set(w.block, dims, i, w.codes[i]);
	}
}

static void
codes_come_back_from_their_block(void **state)
{
	(void)state;
	for (size_t k = 0; k < MEM_COUNT(all_dims); k++) {
		uint32_t dims = all_dims[k];
		size_t coarse = dims / 8 + 3;
		uint8_t got[1024];
		make_world(dims, k % 2 == 0);
		assert_int_equal(coarse + mem_code_fine_bytes(dims), mem_code_bytes(dims));
		assert_int_equal(w.block[mem_code_block_bytes(dims)], 0xa5);
		for (unsigned i = 0; i < MEM_CODE_BLOCK; i++) {
			uint16_t factor;
			mem_code_block_get(w.block, dims, i, got);
			assert_memory_equal(got, w.codes[i], coarse);
			memcpy(&factor, got + dims / 8, 2);
			assert_int_equal(factor, mem_code_block_factor(w.block, dims, i));
			assert_int_equal((int8_t)got[dims / 8 + 2], mem_code_block_mean_component(w.block, dims, i));
		}
		/* another one in its place leaves the others as they are */
		mem_code_block_set(w.block, dims, 3, w.codes[20]);
		mem_code_block_get(w.block, dims, 3, got);
		assert_memory_equal(got, w.codes[20], coarse);
		mem_code_block_get(w.block, dims, 19, got);
		assert_memory_equal(got, w.codes[19], coarse);
		mem_code_mean_release(&w.m);
	}
}

static void
every_kernel_estimates_the_same_bits(void **state)
{
	(void)state;
	static const enum mem_kernel kernels[] = { MEM_KERNEL_PLAIN, MEM_KERNEL_AVX2, MEM_KERNEL_AVX512 };
	for (size_t k = 0; k < MEM_COUNT(all_dims); k++) {
		uint32_t dims = all_dims[k], naive[MEM_CODE_BLOCK] = { 0 };
		struct mem_code_query q;
		make_world(dims, k % 2 == 0);
		mem_code_query_init(&q, &w.m, w.query, 2);
		for (unsigned i = 0; i < MEM_CODE_BLOCK; i++)
			for (uint32_t d = 0; d < dims; d += 4)
				naive[i] += q.table[4 * d + (w.codes[i][d / 8] >> d % 8 & 15)];
		float first[MEM_CODE_BLOCK], estimate[MEM_CODE_BLOCK];
		for (size_t n = 0; n < MEM_COUNT(kernels); n++) {
			if (!vector_force_kernel(kernels[n]))
				continue;
			uint8_t *exact = malloc(mem_code_block_bytes(dims)); /* ends where it ends */
			memcpy(exact, w.block, mem_code_block_bytes(dims));
			assert_int_equal(mem_code_choose_scan()(&q, exact, -9, estimate), UINT32_MAX);
			for (unsigned i = 0; i < MEM_CODE_BLOCK && n == 0; i++) {
				uint16_t factor = mem_code_block_factor(w.block, dims, i);
				first[i] = (q.mean_base + q.mean_step * (float)mem_code_block_mean_component(w.block, dims, i))
				    + mem_half_get(factor) * (q.scale * (float)naive[i] + (q.bias + q.error_bound));
			}
			assert_memory_equal(estimate, first, sizeof estimate);
			uint32_t hits = mem_code_choose_scan()(&q, exact, first[11], estimate);
			for (unsigned i = 0; i < MEM_CODE_BLOCK; i++)
				assert_int_equal(hits >> i & 1, first[i] >= first[11]);
			free(exact);
		}
		mem_code_query_release(&q);
		mem_code_mean_release(&w.m);
	}
}

/* Of many estimates: without bias, and as far off as they say. */
static void
estimates_err_as_much_as_they_say(void **state)
{
	(void)state;
	for (int has_mean = 0; has_mean < 2; has_mean++) {
		double n = 0, off = 0, coarse = 0, fine = 0, predicted = 0, lengths = 0;
		for (int round = 0; round < 40; round++) {
			struct mem_code_query q;
			float estimate[MEM_CODE_BLOCK], more[MEM_CODE_BLOCK], error;
			struct mem_code_query far;
			make_world(384, has_mean);
			mem_code_query_init(&q, &w.m, w.query, 0);
			mem_code_query_init(&far, &w.m, w.query, 3);
			mem_code_choose_scan()(&q, w.block, -9, estimate);
			mem_code_choose_scan()(&far, w.block, -9, more);
			for (unsigned i = 0; i < MEM_CODE_BLOCK; i++) {
				if (i == 7)
					continue;
				double is = (double)mem_dot(w.query, w.v[i], 384);
				double better = (double)mem_code_estimate_fine(&q, estimate[i], mem_code_block_factor(w.block, 384, i),
				    mem_code_block_mean_component(w.block, 384, i), mem_code_fine_part(w.codes[i], 384), &error);
				double same = (double)mem_code_estimate_fine(&far, more[i], mem_code_block_factor(w.block, 384, i),
				    mem_code_block_mean_component(w.block, 384, i), mem_code_fine_part(w.codes[i], 384), &error);
				assert_true(fabs(same - better) < 1e-5 && more[i] > estimate[i]);
				n++;
				off += better - is;
				coarse += ((double)estimate[i] - is) * ((double)estimate[i] - is);
				fine += (better - is) * (better - is);
				predicted += (double)error * (double)error;
				lengths += (double)q.length;
			}
			mem_code_query_release(&q);
			mem_code_query_release(&far);
			mem_code_mean_release(&w.m);
		}
		double size = has_mean ? lengths / n * lengths / n : 1; /* |q'| |y|, which are about the same */
		assert_true(fabs(off / n) < .1 * size / sqrt(384));
		assert_true(fabs(sqrt(coarse / n) - .755 * size / sqrt(383)) < .05 * size / sqrt(383));
		assert_true(fabs(sqrt(fine / n) - .613 * size / sqrt(383)) < .05 * size / sqrt(383));
		assert_true(fabs(sqrt(predicted / fine) - 1) < .1);
		assert_true(has_mean ? size < .7 : size > .99);
	}
}

static void
the_closest_signs_are_found(void **state)
{
	(void)state;
	enum { N = 300 };
	static const enum mem_kernel kernels[] = { MEM_KERNEL_PLAIN, MEM_KERNEL_AVX2 };
	for (size_t k = 0; k < MEM_COUNT(all_dims); k++) {
		uint32_t dims = all_dims[k], bits;
		size_t words = mem_signs_stride(dims) / 8, best = 0;
		uint64_t *rows = calloc((N + 1) * words, sizeof *rows);
		uint32_t least = UINT32_MAX;
		for (size_t i = 0; i < (N + 1); i++)
			for (uint32_t d = 0; d < dims; d++)
				rows[i * words + d / 64] |= (draw() >> 40 & 1) << d % 64;
		for (size_t i = 1; i <= N; i++) {
			uint32_t differ = 0;
			for (uint32_t d = 0; d < dims; d++)
				differ += ((rows[d / 64] ^ rows[i * words + d / 64]) >> d % 64 & 1) != 0;
			if (differ < least) {
				least = differ;
				best = i - 1;
			}
		}
		for (size_t n = 0; n < MEM_COUNT(kernels); n++) {
			if (!vector_force_kernel(kernels[n]))
				continue;
			assert_int_equal(mem_signs_closest(rows, rows + words, N, dims, &bits), best);
			assert_int_equal(bits, least);
		}
		free(rows);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_come_back_from_their_block),
		cmocka_unit_test(every_kernel_estimates_the_same_bits),
		cmocka_unit_test(estimates_err_as_much_as_they_say),
		cmocka_unit_test(the_closest_signs_are_found),
	};
	return cmocka_run_group_tests_name("vector_codes", tests, NULL, NULL);
}
