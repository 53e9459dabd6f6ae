/* SPDX-License-Identifier: Apache-2.0 */
/* The closest of many sign codes. */
#include "vector/vector_int.h"

static inline __attribute__((always_inline)) size_t
find_closest(const uint64_t *signs, const uint64_t *rows, size_t n, size_t words, uint32_t *bits)
{
	size_t best = 0;
	*bits = UINT32_MAX;
	for (size_t i = 0; i < n; i++, rows += words) {
		uint32_t sum = 0;
		for (size_t k = 0; k < words; k++)
			sum += (uint32_t)__builtin_popcountll(signs[k] ^ rows[k]);
		if (sum < *bits) {
			*bits = sum;
			best = i;
		}
	}
	return best;
}

#ifdef __x86_64__
__attribute__((target("popcnt"))) static size_t
find_closest_popcnt(const uint64_t *signs, const uint64_t *rows, size_t n, size_t words, uint32_t *bits)
{
	return words == 6 ? find_closest(signs, rows, n, 6, bits) : find_closest(signs, rows, n, words, bits);
}
#endif

size_t
mem_signs_closest(const uint64_t *signs, const uint64_t *rows, size_t n, uint32_t dims, uint32_t *bits)
{
	size_t words = mem_signs_stride(dims) / 8;
#ifdef __x86_64__
	enum mem_kernel k = MEM_KERNEL_PLAIN;
	if (mem_kernel_choose(&k, NULL) != MEM_OK || k != MEM_KERNEL_PLAIN) /* AVX2 brings popcnt along */
		return find_closest_popcnt(signs, rows, n, words, bits);
#endif
	return find_closest(signs, rows, n, words, bits);
}
