/* SPDX-License-Identifier: Apache-2.0 */
/* Sign codes of word pieces: how near the nearest one of a text is to each one of a question. */
#include "vector/vector_int.h"

#include <string.h>

void
mem_piece_code(const float *v, const float *mean, uint32_t dims, uint8_t *code)
{
	memset(code, 0, mem_piece_bytes(dims));
	for (uint32_t i = 0; i < dims; i++)
		code[i / 8] |= (uint8_t)((unsigned)(v[i] > mean[i]) << i % 8);
}

static inline __attribute__((always_inline)) void
match_codes(const uint8_t *question, size_t nquestion, const uint8_t *text, size_t ntext, size_t words, uint16_t *bits)
{
	for (; ntext > 0; ntext--, text += 8 * words) {
		for (size_t i = 0; i < nquestion; i++) {
			uint32_t sum = 0;
			for (size_t k = 0; k < words; k++)
				sum += (uint32_t)__builtin_popcountll(mem_ld64(question + 8 * (i * words + k)) ^ mem_ld64(text + 8 * k));
			if (sum < bits[i])
				bits[i] = (uint16_t)sum;
		}
	}
}

static void
match_pieces_plain(const uint8_t *question, size_t nquestion, const uint8_t *text, size_t ntext, uint32_t dims, uint16_t *bits)
{
	match_codes(question, nquestion, text, ntext, dims / 64, bits);
}

mem_piece_match_fn *
mem_piece_choose_match(void)
{
#ifdef __x86_64__
	enum mem_kernel k = MEM_KERNEL_PLAIN;
	if (mem_kernel_choose(&k, NULL) != MEM_OK || k == MEM_KERNEL_OPENBLAS)
		for (k = MEM_KERNEL_AVX512; !vector_has_kernel(k);)
			k--;
	if (k == MEM_KERNEL_AVX512 && __builtin_cpu_supports("avx512vpopcntdq"))
		return vector_match_avx512;
	if (k >= MEM_KERNEL_AVX2)
		return vector_match_avx2;
#endif
	return match_pieces_plain;
}
