/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the index room share: the form of a segment on disk.
 *
 * A segment is a manifest (table segs) and parts (table seg, key: segment u32, section u8 << 24 |
 * part).  A part is at most 1 MiB - 16, which with LMDB's page header fills 256 pages
 * exactly: its payload, then XXH3-64 of the payload.  Searches trust the checks of shape
 * that every read makes; merges and mem-check also compare the checksums.  Numbers are in
 * host order (meta records it) and at any alignment, so they are read through mem_ld*.
 *
 *   section  payload
 *   NSR      {ns u32, first document u32}, by ns: documents are sorted by (ns, ord)
 *   ZONE     struct mem_zone, one for 4,096 documents
 *   COL      the zones' columns, each zone's column in one piece
 *   DICT     {term u64, ref u64}, by term
 *   SKIP     for each list of over 128 documents: {df u32, 0 u32, pairs} and then for each block
 *            {last document u32, address >> 2 u32, pairs}
 *   POST     blocks and runs, see below; none straddles two parts
 *   CODE     reserved for vectors; absent while its version is 0
 *
 * An address in COL or POST is part << 20 | offset.  A ref has its form in the top two bits:
 *   ONE   document in bits 0-31, tf in bits 32-61
 *   RUN   address in bits 0-39, df (2 to 128) in bits 40-61
 *   LIST  index of the list's first SKIP record in bits 0-39
 *
 * Pairs are up to four (tf, length code) such that every posting of the block has a pair
 * whose tf is at least and whose length is at most its own: with the visible set's statistics they
 * give the block's highest score exactly enough to skip it (Ding and Suel, "Faster top-k document
 * retrieval using block-max indexes", 2011, keep a score; a pair outlives a change of statistics).
 */
#ifndef MEM_INDEX_INT_H
#define MEM_INDEX_INT_H

#include "index/index.h"

#include <string.h>

static inline uint16_t
mem_ld16(const void *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint32_t
mem_ld32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t
mem_ld64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

/* ---- postings: post.c ------------------------------------------------- */

#define MEM_BLOCK     128  /* postings in a packed block */
#define MEM_BLOCK_MAX 1280 /* bytes that a block or a run of up to 128 can take */

/*
 * A packed block: gap width u8, tf width u8, then 128 gaps - 1 and 128 (tf - 1) in that many
 * bits, value 4i + l in lane l of four 32-bit lanes, so that four are unpacked at once.
 * `base` is the lowest document that may come (the last one before the block, plus 1).  Returns bytes.
 */
size_t mem_block_pack(uint8_t *out, const uint32_t *docs, const uint32_t *tfs, uint32_t base);
/* Bytes of the block at p, 0 when `room` bytes do not hold one. */
size_t mem_block_size(const uint8_t *p, size_t room);
/* False: not a block.  A damaged block may give documents out of order or range. */
bool mem_block_docs(const uint8_t *p, size_t room, uint32_t base, uint32_t *docs) MEM_CHECKED;
bool mem_block_tfs(const uint8_t *p, size_t room, uint32_t *tfs) MEM_CHECKED;

/* A run: for each posting (gap - 1) << 1 | (tf > 1), then tf - 2 where that bit is set, as
 * little-endian base 128 numbers. */
size_t mem_run_pack(uint8_t *out, const uint32_t *docs, const uint32_t *tfs, size_t n,
    uint32_t base);
/* Bytes read, 0 when it is not a run of n; its documents rise strictly. */
size_t mem_run_unpack(const uint8_t *p, size_t room, size_t n, uint32_t base,
    uint32_t *docs, uint32_t *tfs);

/* ---- bounds: bound.c -------------------------------------------------- */

/* Lengths in a byte: exact below 64, then three bits after the leading one; rounded down,
 * since a shorter document scores higher. */
uint8_t mem_len_code(uint32_t length);
uint32_t mem_len_floor(uint8_t code);

#define MEM_PAIRS  4
#define MEM_TF_ANY 255 /* in a pair: this tf or any higher */

struct mem_pairs {
	uint8_t tf[MEM_PAIRS]; /* 0: no pair */
	uint8_t len[MEM_PAIRS];
};
/* Collects the shortest length for each tf. */
struct mem_front {
	uint8_t least[256]; /* by min(tf, 255) */
	uint32_t top;       /* highest tf so far, at most 255 */
};
void mem_front_clear(struct mem_front *f);
static inline void
mem_front_add(struct mem_front *f, uint32_t tf, uint8_t code)
{
	uint32_t t = tf < MEM_TF_ANY ? tf : MEM_TF_ANY;
	if (t > f->top)
		f->top = t;
	if (code < f->least[t])
		f->least[t] = code;
}
void mem_front_join(struct mem_front *into, const struct mem_front *f);
void mem_front_pairs(const struct mem_front *f, struct mem_pairs *out);

#endif
