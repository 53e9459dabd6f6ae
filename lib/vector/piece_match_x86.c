/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Word pieces 4 and 8 at a time: each 64-bit lane has one code of the text, so that sums stay in their lanes and the
 * least of all is found once, at the end.
 */
#ifdef __x86_64__
#include "vector/vector_int.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx2,popcnt,avx512f,avx512bw,avx512vl,avx512vpopcntdq")))

enum { WORDS_MAX = 64 }; /* of 4096 dimensions */

/* ---- AVX2 --------------------------------------------------------------- */

/* Bits of each byte: 31 times as much is the most that a byte holds. */
AVX2 static inline __m256i
count_bits(__m256i v)
{
	const __m256i low = _mm256_set1_epi8(15);
	const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
	    _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
}

AVX2 static inline __attribute__((always_inline)) void
match_avx2(const uint8_t *question, size_t nquestion, const uint8_t *text, size_t ntext, size_t words, uint16_t *bits)
{
	enum { BYTE_WORDS = 31 };
	__m256i t[WORDS_MAX];
	for (size_t j = 0; j < ntext; j += 4) {
		/* Behind the last code stands the last again. */
		size_t last = ntext - 1 - j < 3 ? ntext - 1 - j : 3;
		const uint8_t *p = text + 8 * words * j;
		const uint8_t *at[4] = { p, p + 8 * words * (last < 1 ? last : 1), p + 8 * words * (last < 2 ? last : 2), p + 8 * words * last };
		for (size_t k = 0; k < words; k++)
			t[k] = _mm256_setr_epi64x((int64_t)mem_ld64(at[0] + 8 * k), (int64_t)mem_ld64(at[1] + 8 * k),
			    (int64_t)mem_ld64(at[2] + 8 * k), (int64_t)mem_ld64(at[3] + 8 * k));
		for (size_t i = 0; i < nquestion; i++) {
			const uint8_t *q = question + 8 * words * i;
			__m256i sums = _mm256_setzero_si256();
			for (size_t from = 0; from < words; from += BYTE_WORDS) {
				size_t end = words - from < BYTE_WORDS ? words : from + BYTE_WORDS;
				__m256i bytes = _mm256_setzero_si256();
				for (size_t k = from; k < end; k++)
					bytes = _mm256_add_epi8(bytes, count_bits(_mm256_xor_si256(t[k], _mm256_set1_epi64x((int64_t)mem_ld64(q + 8 * k)))));
				sums = _mm256_add_epi64(sums, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
			}
			__m128i two = _mm_min_epu16(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
			uint16_t a = (uint16_t)_mm_extract_epi16(two, 0), b = (uint16_t)_mm_extract_epi16(two, 4);
			a = a < b ? a : b;
			if (a < bits[i])
				bits[i] = a;
		}
	}
}

AVX2 void
vector_match_avx2(const uint8_t *question, size_t nquestion, const uint8_t *text, size_t ntext, uint32_t dims, uint16_t *bits)
{
	if (dims == 384)
		match_avx2(question, nquestion, text, ntext, 6, bits);
	else
		match_avx2(question, nquestion, text, ntext, dims / 64, bits);
}

/* ---- AVX-512 ------------------------------------------------------------ */

AVX512 static inline __attribute__((always_inline)) void
match_avx512(const uint8_t *question, size_t nquestion, const uint8_t *text, size_t ntext, size_t words, uint16_t *bits)
{
	__m512i t[WORDS_MAX];
	const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	for (size_t j = 0; j < ntext; j += 8) {
		/* Behind the last code stands the last again. */
		__m512i code = _mm512_min_epu64(lanes, _mm512_set1_epi64((int64_t)(ntext - 1 - j)));
		__m512i at = _mm512_mullo_epi32(code, _mm512_set1_epi64((int64_t)(8 * words)));
		for (size_t k = 0; k < words; k++)
			t[k] = _mm512_i64gather_epi64(at, text + 8 * (words * j + k), 1);
		for (size_t i = 0; i < nquestion; i++) {
			const uint8_t *q = question + 8 * words * i;
			__m512i sums = _mm512_setzero_si512();
			for (size_t k = 0; k < words; k++)
				sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(_mm512_xor_si512(t[k], _mm512_set1_epi64((int64_t)mem_ld64(q + 8 * k)))));
			uint16_t least = (uint16_t)_mm512_reduce_min_epu64(sums);
			if (least < bits[i])
				bits[i] = least;
		}
	}
}

AVX512 void
vector_match_avx512(const uint8_t *question, size_t nquestion, const uint8_t *text, size_t ntext, uint32_t dims, uint16_t *bits)
{
	if (dims == 384)
		match_avx512(question, nquestion, text, ntext, 6, bits);
	else
		match_avx512(question, nquestion, text, ntext, dims / 64, bits);
}
#else
typedef int piece_match_x86_is_empty;
#endif
