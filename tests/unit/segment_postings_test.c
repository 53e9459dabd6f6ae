/* SPDX-License-Identifier: Apache-2.0 */
/* The postings codec against a naive twin, and the pairs against every posting they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "segment/segment_write.h"
#include "vectors/vectors.h"
#include "words/words_int.h"
#include "write/tidy.h"

static uint64_t seed = 88172645463325252U;

static uint32_t
draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 16);
}

/* Value i of 128, read bit by bit: lane i % 4, row i / 4. */
static uint32_t
naive_value(const uint8_t *p, unsigned bits, unsigned i)
{
	uint32_t v = 0;
	for (unsigned b = 0; b < bits; b++) {
		unsigned at = (i / 4) * bits + b;
		const uint8_t *word = p + 16 * (at / 32) + 4 * (i % 4);
		if ((mem_ld32(word) >> (at % 32) & 1) != 0)
			v |= 1U << b;
	}
	return v;
}

/* Up to n documents from `base` on, gaps and tfs below 2^bits. */
static size_t
draw_postings(uint32_t *docs, uint32_t *tfs, size_t n, uint32_t base, unsigned gap_bits,
    unsigned tf_bits)
{
	uint64_t next = base;
	size_t i;
	for (i = 0; i < n; i++) {
		next += gap_bits == 0 ? 0 : draw() >> (32 - gap_bits);
		if (next >= UINT32_MAX)
			break;
		docs[i] = (uint32_t)next++;
		tfs[i] = 1 + (tf_bits == 0 ? 0 : (draw() >> (32 - tf_bits)) % (UINT32_MAX - 1));
	}
	return i;
}

static void
packed_blocks_come_back(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		uint32_t docs[MEM_BLOCK], tfs[MEM_BLOCK], docs2[MEM_BLOCK], tfs2[MEM_BLOCK];
		uint32_t base = draw() % 1000;
		if (draw_postings(docs, tfs, MEM_BLOCK, base, round % 26, draw() % 33) < MEM_BLOCK)
			continue;
		uint8_t out[MEM_BLOCK_MAX];
		size_t n = mem_block_pack(out, docs, tfs, base);
		assert_true(n <= MEM_BLOCK_MAX);
		uint8_t *exact = malloc(n); /* so that AddressSanitizer sees an overrun */
		memcpy(exact, out, n);
		assert_int_equal(mem_block_size(exact, n), n);
		assert_int_equal(mem_block_size(exact, n - 1), 0);
		assert_false(mem_block_docs(exact, n - 1, base, docs2));
		assert_true(mem_block_docs(exact, n, base, docs2));
		assert_true(mem_block_tfs(exact, n, tfs2));
		assert_memory_equal(docs, docs2, sizeof docs);
		assert_memory_equal(tfs, tfs2, sizeof tfs);
		uint32_t next = base;
		for (unsigned i = 0; i < MEM_BLOCK; i++) {
			assert_int_equal(docs[i], next + naive_value(out + 2, out[0], i));
			assert_int_equal(tfs[i],
			    1 + naive_value(out + 2 + 16 * (size_t)out[0], out[1], i));
			next = docs[i] + 1;
		}
		free(exact);
	}
}

static void
wide_gaps_and_tfs_fit(void **state)
{
	(void)state;
	uint32_t docs[MEM_BLOCK], tfs[MEM_BLOCK], docs2[MEM_BLOCK], tfs2[MEM_BLOCK];
	for (uint32_t i = 0; i < MEM_BLOCK; i++) {
		docs[i] = i == 0 ? 0 : UINT32_MAX - MEM_BLOCK + i - 1;
		tfs[i] = i == 5 ? UINT32_MAX : 1;
	}
	uint8_t out[MEM_BLOCK_MAX];
	size_t n = mem_block_pack(out, docs, tfs, 0);
	assert_true(mem_block_docs(out, n, 0, docs2) && mem_block_tfs(out, n, tfs2));
	assert_memory_equal(docs, docs2, sizeof docs);
	assert_memory_equal(tfs, tfs2, sizeof tfs);
	n = mem_run_pack(out, docs, tfs, MEM_BLOCK, 0);
	assert_int_equal(mem_run_unpack(out, n, MEM_BLOCK, 0, docs2, tfs2), n);
	assert_memory_equal(docs, docs2, sizeof docs);
	assert_memory_equal(tfs, tfs2, sizeof tfs);
}

static void
runs_come_back_and_short_ones_are_refused(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		uint32_t docs[MEM_BLOCK], tfs[MEM_BLOCK], docs2[MEM_BLOCK], tfs2[MEM_BLOCK];
		uint32_t base = draw() % 100000;
		size_t n = draw_postings(docs, tfs, 1 + draw() % MEM_BLOCK, base, round % 33,
		    draw() % 33);
		uint8_t out[MEM_BLOCK_MAX];
		size_t bytes = mem_run_pack(out, docs, tfs, n, base);
		assert_true(bytes <= MEM_BLOCK_MAX);
		uint8_t *exact = malloc(bytes + (bytes == 0));
		memcpy(exact, out, bytes);
		assert_int_equal(mem_run_unpack(exact, bytes, n, base, docs2, tfs2), bytes);
		assert_memory_equal(docs, docs2, n * sizeof *docs);
		assert_memory_equal(tfs, tfs2, n * sizeof *tfs);
		if (n > 0)
			assert_int_equal(mem_run_unpack(exact, bytes - 1, n, base, docs2, tfs2), 0);
		free(exact);
	}
}

static void
a_run_past_the_last_document_is_refused(void **state)
{
	(void)state;
	uint32_t docs[2] = { 10, 20 }, tfs[2] = { 1, 7 };
	uint8_t out[MEM_BLOCK_MAX];
	size_t n = mem_run_pack(out, docs, tfs, 2, 0);
	assert_int_equal(mem_run_unpack(out, n, 2, UINT32_MAX - 15, docs, tfs), 0);
	const uint8_t endless[] = { 255, 255, 255, 255, 255, 255, 1 };
	assert_int_equal(mem_run_unpack(endless, sizeof endless, 1, 0, docs, tfs), 0);
}

static void
length_codes_round_down_and_rise(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 256; code++) {
		uint32_t floor = mem_len_floor((uint8_t)code);
		assert_int_equal(mem_len_code(floor), code);
		if (code > 0) {
			assert_int_equal(mem_len_code(floor - 1), code - 1);
			assert_true(mem_len_floor((uint8_t)(code - 1)) < floor);
		}
	}
	assert_int_equal(mem_len_code(UINT32_MAX), 255);
}

static void
pairs_stand_above_every_posting(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct mem_front f, whole;
		uint32_t tfs[MEM_BLOCK];
		uint8_t codes[MEM_BLOCK];
		size_t n = 1 + draw() % MEM_BLOCK;
		mem_front_clear(&f);
		mem_front_clear(&whole);
		for (size_t i = 0; i < n; i++) {
			tfs[i] = 1 + (draw() >> (32 - (round % 10 + 1)));
			codes[i] = mem_len_code(draw() % (1U << (round % 31)));
			mem_front_add(&f, tfs[i], codes[i]);
		}
		mem_front_join(&whole, &f);
		struct mem_pairs p, q;
		mem_front_pairs(&f, &p);
		mem_front_pairs(&whole, &q);
		assert_memory_equal(&p, &q, sizeof p);
		for (size_t i = 0; i < n; i++) {
			bool above = false;
			for (size_t k = 0; k < MEM_PAIRS && p.tf[k] > 0; k++)
				above |= (p.tf[k] == MEM_TF_ANY || p.tf[k] >= tfs[i])
				    && p.len[k] <= codes[i];
			assert_true(above);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_blocks_come_back),
		cmocka_unit_test(wide_gaps_and_tfs_fit),
		cmocka_unit_test(runs_come_back_and_short_ones_are_refused),
		cmocka_unit_test(a_run_past_the_last_document_is_refused),
		cmocka_unit_test(length_codes_round_down_and_rise),
		cmocka_unit_test(pairs_stand_above_every_posting),
	};
	return cmocka_run_group_tests_name("segment_postings", tests, NULL, NULL);
}
