/* SPDX-License-Identifier: Apache-2.0 */
/* A postings list, read block by block. */
#include "segment/postings.h"

#include <stdlib.h>

/* The list's skip records as one array: in place, or copied where they lie in several parts. */
static bool
resolve_skip_records(struct mem_postings *l, uint64_t first, bool lasting)
{
	const uint64_t per = MEM_PART_ROOM / MEM_SKIP_SIZE;
	if (!lasting && first / per == (first + l->nblocks - 1) / per) {
		l->skip = mem_seg_elems(l->seg, MEM_SEC_SKIP, first, l->nblocks);
		return l->skip != NULL;
	}
	l->copy = mem_grow(l->copy, &l->copy_cap, l->nblocks * (size_t)MEM_SKIP_SIZE, 1);
	for (uint32_t i = 0; i < l->nblocks;) {
		uint64_t at = first + i, fit = per - at % per;
		if (fit > l->nblocks - i)
			fit = l->nblocks - i;
		const uint8_t *p = mem_seg_elems(l->seg, MEM_SEC_SKIP, at, fit);
		if (p == NULL)
			return false;
		memcpy(l->copy + i * (size_t)MEM_SKIP_SIZE, p, fit * MEM_SKIP_SIZE);
		i += (uint32_t)fit;
	}
	l->skip = l->copy;
	return true;
}

bool
mem_postings_open(struct mem_postings *l, struct mem_seg *s, uint64_t ref, bool lasting)
{
	l->seg = s;
	l->ref = ref;
	l->skip = NULL;
	l->block = UINT32_MAX;
	l->n = 0;
	l->nblocks = 1;
	switch (ref >> 62) {
	case MEM_REF_ONE:
		l->df = 1;
		break;
	case MEM_REF_RUN:
		l->df = (uint32_t)(ref >> 40 & ((1 << 22) - 1));
		if (l->df == 0 || l->df > MEM_BLOCK)
			return mem_seg_damaged(s, "length of a run") != NULL;
		break;
	case MEM_REF_LIST: {
		uint64_t at = ref & MEM_ADDRESS_MASK;
		const uint8_t *p = mem_seg_elem(s, MEM_SEC_SKIP, at);
		if (p == NULL)
			return false;
		l->df = mem_ld32(p);
		memcpy(&l->pairs, p + 8, sizeof l->pairs);
		l->nblocks = l->df / MEM_BLOCK + (l->df % MEM_BLOCK > 0);
		if (l->df > s->m.docs || l->nblocks == 0 || l->nblocks > at)
			return mem_seg_damaged(s, "length of a list") != NULL;
		return resolve_skip_records(l, at - l->nblocks, lasting);
	}
	default:
		return mem_seg_damaged(s, "form of a list") != NULL;
	}
	return true;
}

bool
mem_postings_span(const struct mem_postings *l, struct mem_str *blocks)
{
	size_t room;
	if (l->ref >> 62 != MEM_REF_LIST)
		return false;
	uint64_t first = (uint64_t)mem_ld32(l->skip + 4) << 2;
	uint64_t last = (uint64_t)mem_ld32(l->skip + MEM_SKIP_SIZE * (size_t)(l->nblocks - 1) + 4) << 2;
	const uint8_t *p = mem_seg_look(l->seg, MEM_SEC_POST, first, &room);
	if (p == NULL || last < first)
		return false;
	*blocks = mem_key(p, last - first < room ? last - first + 1 : room);
	return true;
}

void
mem_postings_release(struct mem_postings *l)
{
	free(l->copy);
	l->copy = NULL;
	l->copy_cap = 0;
}

/* Decodes `n` postings at an address; the tfs of a packed block wait until they are asked for.  How many bytes they are is known
 * by them alone, so they are verified behind. */
static bool
decode_block(struct mem_postings *l, uint64_t address, uint32_t n, uint32_t base)
{
	const uint8_t *p = mem_seg_look(l->seg, MEM_SEC_POST, address, &l->room);
	if (p == NULL)
		return false;
	l->at = p;
	l->n = n;
	l->tfs_ready = n < MEM_BLOCK;
	size_t bytes = n < MEM_BLOCK ? mem_run_unpack(p, l->room, n, base, l->docs, l->tfs)
	    : mem_block_docs(p, l->room, base, l->docs) ? mem_block_size(p, l->room) : 0;
	if (bytes == 0 || !mem_seg_verify(l->seg, MEM_SEC_POST, address, bytes))
		return bytes == 0 && mem_seg_damaged(l->seg, "postings") != NULL;
	if (l->docs[0] < base || l->docs[n - 1] >= l->seg->m.docs)
		return mem_seg_damaged(l->seg, "postings") != NULL;
	return true;
}

bool
mem_postings_load(struct mem_postings *l, uint32_t block)
{
	if (l->block == block)
		return true;
	l->block = UINT32_MAX;
	bool done = true;
	if (l->ref >> 62 == MEM_REF_ONE) {
		l->docs[0] = (uint32_t)l->ref;
		l->tfs[0] = (uint32_t)(l->ref >> 32) & ((1U << 30) - 1);
		l->n = 1;
		l->tfs_ready = true;
		if (l->docs[0] >= l->seg->m.docs || l->tfs[0] == 0)
			return mem_seg_damaged(l->seg, "postings") != NULL;
	} else if (l->ref >> 62 == MEM_REF_RUN) {
		done = decode_block(l, l->ref & MEM_ADDRESS_MASK, l->df, 0);
	} else {
		const uint8_t *skip = l->skip + MEM_SKIP_SIZE * (size_t)block;
		uint32_t base = block > 0 ? mem_postings_last(l, block - 1) + 1 : 0;
		uint32_t left = l->df - block * MEM_BLOCK;
		done = decode_block(l, (uint64_t)mem_ld32(skip + 4) << 2,
		    left < MEM_BLOCK ? left : MEM_BLOCK, base);
		if (done && l->docs[l->n - 1] != mem_ld32(skip))
			return mem_seg_damaged(l->seg, "last document of a block") != NULL;
	}
	if (done)
		l->block = block;
	return done;
}

bool
mem_postings_tfs_decode(struct mem_postings *l)
{
	if (!mem_block_tfs(l->at, l->room, l->tfs))
		return mem_seg_damaged(l->seg, "postings") != NULL;
	l->tfs_ready = true;
	return true;
}

/* By steps that double and then halve: seeks mostly go a short way. */
uint32_t
mem_postings_seek(const struct mem_postings *l, uint32_t from, uint32_t doc)
{
	uint32_t lo = from, step = 1;
	while (lo < l->nblocks && mem_postings_last(l, lo) < doc) {
		from = lo + 1; /* all before it are below doc */
		lo += step;
		step *= 2;
	}
	uint32_t hi = lo < l->nblocks ? lo : l->nblocks;
	while (from < hi) {
		uint32_t mid = from + (hi - from) / 2;
		if (mem_postings_last(l, mid) < doc)
			from = mid + 1;
		else
			hi = mid;
	}
	return from;
}

uint32_t
mem_postings_rank(struct mem_postings *l, uint32_t doc)
{
	uint32_t block = mem_postings_skips(l) ? mem_postings_seek(l, 0, doc) : 0;
	if (block == l->nblocks)
		return l->df;
	if (!mem_postings_load(l, block))
		return 0;
	uint32_t i = 0;
	while (i < l->n && l->docs[i] < doc)
		i++;
	return block * MEM_BLOCK + i;
}

static uint32_t
count_dead_in_block(const struct mem_postings *l, uint32_t lo, uint32_t hi)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		n += l->docs[i] - lo < hi - lo && mem_seg_is_dead(l->seg, l->docs[i]);
	return n;
}

uint32_t
mem_postings_count_dead(struct mem_postings *l, uint32_t lo, uint32_t hi)
{
	const struct mem_seg *s = l->seg;
	uint32_t n = 0, block = 0;
	if (lo >= hi)
		return 0;
	/* From tomb to tomb, so that only blocks are decoded that can hold one. */
	for (size_t i = mem_seg_tombs_below(s, lo); i < s->ntombs && s->tombs[i] < hi;) {
		block = mem_postings_skips(l) ? mem_postings_seek(l, block, s->tombs[i]) : 0;
		if (block == l->nblocks || !mem_postings_load(l, block))
			break;
		n += count_dead_in_block(l, lo, hi);
		if (block + 1 == l->nblocks)
			break;
		i = mem_seg_tombs_below(s, l->docs[l->n - 1] + 1);
	}
	return n;
}
