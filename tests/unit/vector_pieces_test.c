/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of word pieces: every kernel against counting bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "vector/vector_int.h"

static uint64_t seed = 88172645463325252U;

static uint8_t
draw_byte(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint8_t)(seed >> 40);
}

/* Ends where it ends, and begins at an odd address. */
static uint8_t *
draw_codes(uint8_t **block, size_t n, uint32_t dims)
{
	size_t bytes = n * mem_piece_bytes(dims);
	*block = malloc(bytes + 1);
	for (size_t i = 0; i <= bytes; i++)
		(*block)[i] = draw_byte();
	return *block + 1;
}

static uint16_t
count_differing(const uint8_t *a, const uint8_t *b, uint32_t dims)
{
	uint16_t n = 0;
	for (uint32_t d = 0; d < dims; d++)
		n = (uint16_t)(n + (((unsigned)a[d / 8] ^ b[d / 8]) >> d % 8 & 1));
	return n;
}

enum { QUESTION = 5 };

static void
match_of_size(uint32_t dims, size_t ntext)
{
	static const enum mem_kernel kernels[] = { MEM_KERNEL_PLAIN, MEM_KERNEL_AVX2, MEM_KERNEL_AVX512, MEM_KERNEL_OPENBLAS };
	size_t bytes = mem_piece_bytes(dims);
	uint8_t *qblock, *tblock, *question = draw_codes(&qblock, QUESTION, dims), *text = draw_codes(&tblock, ntext, dims);
	uint16_t least[QUESTION + 1], got[QUESTION + 1];
	/* The extremes: all signs alike, all different. */
	if (ntext > 2) {
		memcpy(text + bytes * (ntext - 1), question, bytes);
		memset(question + bytes, 0xff, bytes);
		for (size_t j = 0; j < ntext; j++)
			if (ntext == 3)
				memset(text + bytes * j, 0, bytes);
	}
	for (size_t i = 0; i <= QUESTION; i++) {
		least[i] = i == 2 ? 3 : UINT16_MAX; /* the third has a nearer one already */
		for (size_t j = 0; j < ntext && i < QUESTION; j++) {
			uint16_t n = count_differing(question + i * bytes, text + j * bytes, dims);
			least[i] = n < least[i] ? n : least[i];
		}
	}
	for (size_t k = 0; k < MEM_COUNT(kernels); k++) {
		if (!vector_force_kernel(kernels[k]))
			continue;
		for (size_t i = 0; i <= QUESTION; i++)
			got[i] = i == 2 ? 3 : UINT16_MAX;
		mem_piece_choose_match()(question, QUESTION, text, ntext, dims, got);
		assert_memory_equal(got, least, sizeof got);
	}
	free(qblock);
	free(tblock);
}

static void
every_kernel_counts_the_same(void **state)
{
	(void)state;
	static const uint32_t dims[] = { 64, 128, 384, 768, 1024, 1984, 2048, MEM_PIECE_DIMS_MAX };
	for (size_t d = 0; d < MEM_COUNT(dims); d++)
		for (size_t n = 0; n <= 35; n++)
			match_of_size(dims[d], n);
}

static void
each_kernel_has_its_own(void **state)
{
	(void)state;
	if (!vector_force_kernel(MEM_KERNEL_AVX2))
		skip();
	mem_piece_match_fn *avx2 = mem_piece_choose_match();
	assert_true(vector_force_kernel(MEM_KERNEL_PLAIN));
	assert_true(mem_piece_choose_match() != avx2);
	if (vector_force_kernel(MEM_KERNEL_AVX512) && __builtin_cpu_supports("avx512vpopcntdq"))
		assert_true(mem_piece_choose_match() != avx2);
}

static void
a_code_has_the_signs(void **state)
{
	(void)state;
	float v[64] = { 0 }, mean[64];
	uint8_t code[8], want[8] = { 0 };
	for (size_t i = 0; i < 64; i++) {
		mean[i] = i < 32 ? 0 : 1;
		v[i] = mean[i] + (i % 3 == 0 ? .5F : i % 3 == 1 ? -2.F : 0.F);
	}
	for (size_t i = 0; i < 64; i += 3)
		want[i / 8] |= (uint8_t)(1U << i % 8);
	mem_piece_code(v, mean, 64, code);
	assert_memory_equal(code, want, sizeof want);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kernel_counts_the_same),
		cmocka_unit_test(each_kernel_has_its_own),
		cmocka_unit_test(a_code_has_the_signs),
	};
	return cmocka_run_group_tests_name("vector_pieces", tests, NULL, NULL);
}
