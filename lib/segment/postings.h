/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of postings: their blocks, their bounds, and reading one. */
#ifndef MEM_POSTINGS_H
#define MEM_POSTINGS_H

#include "segment/segment.h"

/* ---- postings: posting_block.c ---------------------------------------- */

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

/* ---- bounds: posting_bound.c ------------------------------------------ */

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

/* ---- reading a list: posting_list.c ----------------------------------- */

/* A postings list, read block by block; ONE and RUN are one block. */
struct mem_postings {
	struct mem_seg *seg;
	uint64_t ref;
	uint32_t df, nblocks;
	struct mem_pairs pairs;          /* of the whole; only for LIST */
	const uint8_t *skip;             /* LIST: nblocks records */
	uint8_t *copy;                   /* OWNS: they lay in two parts, or have to last */
	size_t copy_cap;
	uint32_t block;                  /* decoded, UINT32_MAX: none */
	uint32_t n;
	bool tfs_ready;
	const uint8_t *at;               /* the block, for its tfs */
	size_t room;
	uint32_t docs[MEM_BLOCK], tfs[MEM_BLOCK];
};
/* `lasting`: the skip records must outlive the snapshot. */
bool mem_postings_open(struct mem_postings *l, struct mem_seg *s, uint64_t ref, bool lasting);
void mem_postings_release(struct mem_postings *l);
/* Where a LIST's blocks lie, up to the first one's end of its part; they follow each other.  False: another form, or damage. */
bool mem_postings_span(const struct mem_postings *l, struct mem_str *blocks);
bool mem_postings_load(struct mem_postings *l, uint32_t block);
bool mem_postings_tfs_decode(struct mem_postings *l);
static inline bool
mem_postings_tfs(struct mem_postings *l)
{
	return l->tfs_ready || mem_postings_tfs_decode(l);
}
static inline bool
mem_postings_skips(const struct mem_postings *l)
{
	return l->skip != NULL;
}
static inline uint32_t
mem_postings_last(const struct mem_postings *l, uint32_t block)
{
	return mem_ld32(l->skip + MEM_SKIP_SIZE * (size_t)block);
}
/* First block at or after `from` whose last document is >= doc; nblocks when there is none.
 * Only for LIST. */
uint32_t mem_postings_seek(const struct mem_postings *l, uint32_t from, uint32_t doc);
/* How many postings are below doc. */
uint32_t mem_postings_rank(struct mem_postings *l, uint32_t doc);
/* How many in [lo, hi) are of documents that count no more (the segment's tombs are loaded). */
uint32_t mem_postings_count_dead(struct mem_postings *l, uint32_t lo, uint32_t hi);

#endif
