/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codes looked up 32 and 64 at a time.  Sums of bytes gather in words: `even` takes whole words, whose upper
 * bytes spill over, and `odd` the upper bytes alone, by which `even` is set right at the end.
 */
#ifdef __x86_64__
#include "vector/vector_int.h"

#include <immintrin.h>

/* Groups whose summed bytes a word holds: 257 and an even number of registers. */
#define WORD_GROUPS 256

#define AVX2 __attribute__((target("avx2,f16c")))
#define AVX512 __attribute__((target("avx2,f16c,avx512f,avx512bw,avx512vl")))

/* Sums of 16 codes from their two halves, as 32-bit numbers. */
AVX2 static inline void
store_sums(uint32_t *sum, __m128i even, __m128i odd)
{
	__m256i lo = _mm256_cvtepu16_epi32(_mm_unpacklo_epi16(even, odd));
	__m256i hi = _mm256_cvtepu16_epi32(_mm_unpackhi_epi16(even, odd));
	lo = _mm256_add_epi32(lo, _mm256_loadu_si256((const void *)sum));
	hi = _mm256_add_epi32(hi, _mm256_loadu_si256((const void *)(sum + 8)));
	_mm256_storeu_si256((void *)sum, lo);
	_mm256_storeu_si256((void *)(sum + 8), hi);
}

AVX2 static inline __m128i
add_halves(__m256i v)
{
	return _mm_add_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}

AVX2 static inline void
add_groups_avx2(const uint8_t *table, const uint8_t *p, size_t groups, uint32_t *sum)
{
	const __m256i low = _mm256_set1_epi8(15);
	__m256i even = _mm256_setzero_si256(), odd = even, even2 = even, odd2 = even;
	for (size_t g = 0; g < groups; g += 2) {
		__m256i code = _mm256_loadu_si256((const void *)(p + 16 * g));
		__m256i t = _mm256_loadu_si256((const void *)(table + 16 * g));
		__m256i a = _mm256_shuffle_epi8(t, _mm256_and_si256(code, low));
		__m256i b = _mm256_shuffle_epi8(t, _mm256_and_si256(_mm256_srli_epi16(code, 4), low));
		even = _mm256_add_epi16(even, a);
		odd = _mm256_add_epi16(odd, _mm256_srli_epi16(a, 8));
		even2 = _mm256_add_epi16(even2, b);
		odd2 = _mm256_add_epi16(odd2, _mm256_srli_epi16(b, 8));
	}
	even = _mm256_sub_epi16(even, _mm256_slli_epi16(odd, 8));
	even2 = _mm256_sub_epi16(even2, _mm256_slli_epi16(odd2, 8));
	store_sums(sum, add_halves(even), add_halves(odd));
	store_sums(sum + 16, add_halves(even2), add_halves(odd2));
}

AVX2 uint32_t
vector_scan_avx2(const struct mem_code_query *q, const uint8_t *block, float cut, float *estimate)
{
	size_t groups = VECTOR_CODE_GROUPS(q->dims);
	const uint8_t *rest = block + 16 * groups;
	uint32_t hits = 0, sum[MEM_CODE_BLOCK] = { 0 };
	for (size_t g = 0; g < groups; g += WORD_GROUPS)
		add_groups_avx2(q->table + 16 * g, block + 16 * g, groups - g < WORD_GROUPS ? groups - g : WORD_GROUPS, sum);
	for (size_t i = 0; i < MEM_CODE_BLOCK; i += 8) {
		__m256 s = _mm256_cvtepi32_ps(_mm256_loadu_si256((const void *)(sum + i)));
		__m256 factor = _mm256_cvtph_ps(_mm_loadu_si128((const void *)(rest + 2 * i)));
		__m256 component = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(
		    _mm_loadl_epi64((const void *)(rest + 2 * MEM_CODE_BLOCK + i))));
		s = _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(q->scale), s), _mm256_set1_ps(q->bias + q->error_bound));
		component = _mm256_add_ps(_mm256_set1_ps(q->mean_base), _mm256_mul_ps(_mm256_set1_ps(q->mean_step), component));
		s = _mm256_add_ps(component, _mm256_mul_ps(factor, s));
		_mm256_storeu_ps(estimate + i, s);
		hits |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(s, _mm256_set1_ps(cut), _CMP_GE_OQ)) << i;
	}
	return hits;
}

AVX512 static inline void
add_groups_avx512(const uint8_t *table, const uint8_t *p, size_t groups, uint32_t *sum)
{
	const __m512i low = _mm512_set1_epi8(15);
	__m512i even = _mm512_setzero_si512(), odd = even, even2 = even, odd2 = even;
	for (size_t g = 0; g < groups; g += 4) {
		__m512i code = _mm512_loadu_si512(p + 16 * g);
		__m512i t = _mm512_loadu_si512(table + 16 * g);
		__m512i a = _mm512_shuffle_epi8(t, _mm512_and_si512(code, low));
		__m512i b = _mm512_shuffle_epi8(t, _mm512_and_si512(_mm512_srli_epi16(code, 4), low));
		even = _mm512_add_epi16(even, a);
		odd = _mm512_add_epi16(odd, _mm512_srli_epi16(a, 8));
		even2 = _mm512_add_epi16(even2, b);
		odd2 = _mm512_add_epi16(odd2, _mm512_srli_epi16(b, 8));
	}
	even = _mm512_sub_epi16(even, _mm512_slli_epi16(odd, 8));
	even2 = _mm512_sub_epi16(even2, _mm512_slli_epi16(odd2, 8));
#define HALVES(v) add_halves(_mm256_add_epi16(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1)))
	store_sums(sum, HALVES(even), HALVES(odd));
	store_sums(sum + 16, HALVES(even2), HALVES(odd2));
#undef HALVES
}

AVX512 uint32_t
vector_scan_avx512(const struct mem_code_query *q, const uint8_t *block, float cut, float *estimate)
{
	size_t groups = VECTOR_CODE_GROUPS(q->dims);
	const uint8_t *rest = block + 16 * groups;
	uint32_t hits = 0, sum[MEM_CODE_BLOCK] = { 0 };
	for (size_t g = 0; g < groups; g += WORD_GROUPS)
		add_groups_avx512(q->table + 16 * g, block + 16 * g, groups - g < WORD_GROUPS ? groups - g : WORD_GROUPS, sum);
	for (size_t i = 0; i < MEM_CODE_BLOCK; i += 16) {
		__m512 s = _mm512_cvtepi32_ps(_mm512_loadu_si512(sum + i));
		__m512 factor = _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(rest + 2 * i)));
		__m512 component = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(
		    _mm_loadu_si128((const void *)(rest + 2 * MEM_CODE_BLOCK + i))));
		s = _mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(q->scale), s), _mm512_set1_ps(q->bias + q->error_bound));
		component = _mm512_add_ps(_mm512_set1_ps(q->mean_base), _mm512_mul_ps(_mm512_set1_ps(q->mean_step), component));
		s = _mm512_add_ps(component, _mm512_mul_ps(factor, s));
		_mm512_storeu_ps(estimate + i, s);
		hits |= (uint32_t)_mm512_cmp_ps_mask(s, _mm512_set1_ps(cut), _CMP_GE_OQ) << i;
	}
	return hits;
}
#else
typedef int code_scan_x86_is_empty;
#endif
