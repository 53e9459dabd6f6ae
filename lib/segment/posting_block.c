/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and runs of postings, packed and unpacked. */
#include "segment/postings.h"

/* Four lanes: what every 64-bit machine of today has, by the compilers' own vector types. */
typedef uint32_t v4u __attribute__((vector_size(16)));

static inline v4u
v4u_load(const void *p)
{
	v4u v;
	memcpy(&v, p, sizeof v);
	return v;
}

static unsigned
bit_width_of(uint32_t v)
{
	return v == 0 ? 0 : 32 - (unsigned)__builtin_clz(v);
}

static inline uint32_t
bit_mask_of(unsigned bits)
{
	return bits == 32 ? UINT32_MAX : (1U << bits) - 1;
}

static void
pack_values(uint8_t *out, const uint32_t *values, unsigned bits)
{
	v4u words[32] = { 0 };
	for (unsigned row = 0; bits > 0 && row < MEM_BLOCK / 4; row++) {
		v4u v = v4u_load(values + 4 * row);
		unsigned at = row * bits, w = at / 32, shift = at % 32;
		words[w] |= v << shift;
		if (shift + bits > 32)
			words[w + 1] |= v >> (32 - shift);
	}
	memcpy(out, words, 16 * (size_t)bits);
}

/*
 * One row of four values.  Inlined where `bits` is a constant for the usual widths, which
 * leaves two loads and three shifts of a row.  The second word is read even where the
 * row does not reach into it, clamped to the last and shifted in two steps: a branch would cost more.
 */
static inline __attribute__((always_inline)) v4u
unpack_row(const uint8_t *p, unsigned bits, unsigned row)
{
	unsigned at = row * bits, w = at / 32, shift = at % 32;
	unsigned next = w + 1 < bits ? w + 1 : bits - 1;
	v4u low = v4u_load(p + 16 * (size_t)w) >> shift;
	v4u high = (v4u_load(p + 16 * (size_t)next) << 1) << (31 - shift);
	return (low | high) & bit_mask_of(bits);
}

static inline __attribute__((always_inline)) void
unpack_tf_row(const uint8_t *p, unsigned bits, unsigned row, uint32_t *tfs)
{
	v4u v = unpack_row(p, bits, row) + 1;
	memcpy(tfs + 4 * row, &v, sizeof v);
}

/* Documents from gaps: sums inside the row, and all that came `before`. */
static inline __attribute__((always_inline)) v4u
unpack_doc_row(const uint8_t *p, unsigned bits, unsigned row, v4u before, uint32_t *docs)
{
	const v4u zero = { 0 };
	v4u v = unpack_row(p, bits, row) + 1;
	v += __builtin_shufflevector(v, zero, 4, 0, 1, 2);
	v += __builtin_shufflevector(v, zero, 4, 4, 0, 1);
	v += before;
	memcpy(docs + 4 * row, &v, sizeof v);
	return __builtin_shufflevector(v, v, 3, 3, 3, 3);
}

static inline __attribute__((always_inline)) void
unpack_docs(const uint8_t *p, unsigned bits, uint32_t base, uint32_t *docs)
{
	v4u before = { base - 1, base - 1, base - 1, base - 1 };
#pragma GCC unroll 32
	for (unsigned row = 0; row < MEM_BLOCK / 4; row++)
		before = unpack_doc_row(p, bits, row, before, docs);
}

static inline __attribute__((always_inline)) void
unpack_tfs(const uint8_t *p, unsigned bits, uint32_t *tfs)
{
#pragma GCC unroll 32
	for (unsigned row = 0; row < MEM_BLOCK / 4; row++)
		unpack_tf_row(p, bits, row, tfs);
}

size_t
mem_block_pack(uint8_t *out, const uint32_t *docs, const uint32_t *tfs, uint32_t base)
{
	uint32_t gaps[MEM_BLOCK], more[MEM_BLOCK], any_gap = 0, any_more = 0;
	for (size_t i = 0; i < MEM_BLOCK; i++) {
		gaps[i] = docs[i] - base;
		base = docs[i] + 1;
		more[i] = tfs[i] - 1;
		any_gap |= gaps[i];
		any_more |= more[i];
	}
	unsigned gap_bits = bit_width_of(any_gap), tf_bits = bit_width_of(any_more);
	out[0] = (uint8_t)gap_bits;
	out[1] = (uint8_t)tf_bits;
	pack_values(out + 2, gaps, gap_bits);
	pack_values(out + 2 + 16 * (size_t)gap_bits, more, tf_bits);
	return 2 + 16 * (size_t)(gap_bits + tf_bits);
}

size_t
mem_block_size(const uint8_t *p, size_t room)
{
	if (room < 2 || p[0] > 32 || p[1] > 32)
		return 0;
	size_t n = 2 + 16 * ((size_t)p[0] + p[1]);
	return n <= room ? n : 0;
}

bool
mem_block_docs(const uint8_t *p, size_t room, uint32_t base, uint32_t *docs)
{
	if (mem_block_size(p, room) == 0)
		return false;
	const unsigned bits = p[0];
	v4u before = { base - 1, base - 1, base - 1, base - 1 };
	p += 2;
	switch (bits) { /* lists of one document in 8 to 256 are the ones that take time */
	case 0:
		for (uint32_t i = 0; i < MEM_BLOCK; i++)
			docs[i] = base + i;
		break;
	case 5: unpack_docs(p, 5, base, docs); break;
	case 6: unpack_docs(p, 6, base, docs); break;
	case 7: unpack_docs(p, 7, base, docs); break;
	case 8: unpack_docs(p, 8, base, docs); break;
	case 9: unpack_docs(p, 9, base, docs); break;
	default:
		for (unsigned row = 0; row < MEM_BLOCK / 4; row++)
			before = unpack_doc_row(p, bits, row, before, docs);
	}
	return true;
}

bool
mem_block_tfs(const uint8_t *p, size_t room, uint32_t *tfs)
{
	if (mem_block_size(p, room) == 0)
		return false;
	unsigned bits = p[1];
	p += 2 + 16 * (size_t)p[0];
	switch (bits) {
	case 0:
		for (uint32_t i = 0; i < MEM_BLOCK; i++)
			tfs[i] = 1;
		break;
	case 1: unpack_tfs(p, 1, tfs); break;
	case 2: unpack_tfs(p, 2, tfs); break;
	default:
		for (unsigned row = 0; row < MEM_BLOCK / 4; row++)
			unpack_tf_row(p, bits, row, tfs);
	}
	return true;
}

static uint8_t *
put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		*p++ = (uint8_t)(v | 128);
	*p++ = (uint8_t)v;
	return p;
}

/* NULL at the end of the room, or when the number does not fit 35 bits. */
static const uint8_t *
get_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t sum = 0;
	for (unsigned shift = 0; shift < 35 && p < end; shift += 7) {
		uint8_t byte = *p++;
		sum |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*v = sum;
			return p;
		}
	}
	return NULL;
}

size_t
mem_run_pack(uint8_t *out, const uint32_t *docs, const uint32_t *tfs, size_t n, uint32_t base)
{
	uint8_t *p = out;
	for (size_t i = 0; i < n; i++) {
		p = put_varint(p, (uint64_t)(docs[i] - base) << 1 | (tfs[i] > 1));
		if (tfs[i] > 1)
			p = put_varint(p, tfs[i] - 2);
		base = docs[i] + 1;
	}
	return (size_t)(p - out);
}

size_t
mem_run_unpack(const uint8_t *p, size_t room, size_t n, uint32_t base,
    uint32_t *docs, uint32_t *tfs)
{
	const uint8_t *start = p, *end = p + room;
	uint64_t next = base;
	for (size_t i = 0; i < n; i++) {
		uint64_t v, more = 0;
		if ((p = get_varint(p, end, &v)) == NULL)
			return 0;
		if ((v & 1) != 0) {
			if ((p = get_varint(p, end, &more)) == NULL || more > UINT32_MAX - 2)
				return 0;
			more++;
		}
		next += v >> 1;
		if (next >= UINT32_MAX)
			return 0;
		docs[i] = (uint32_t)next++;
		tfs[i] = (uint32_t)more + 1;
	}
	return (size_t)(p - start);
}
