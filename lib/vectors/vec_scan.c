/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses for every vector that passes the filters, in the tail and in segments by the same instructions. */
#include "vectors/vectors_int.h"

#include <math.h>
#include <stdlib.h>

struct scan {
	struct mem_nearest *n;
	struct mem_near_pool *pool;
	struct mem_near_seg *segs;
	uint64_t from, to;                  /* of the visible documents of all segments */
	mem_code_scan_fn *guess;
	unsigned columns;
	struct mem_cols cols;
	uint64_t bits[MEM_ZONE_DOCS / 64];  /* of the zone */
	bool first_round;                   /* of groups that are near; then comes what they leave */
	uint32_t *near, *open;              /* by group: how many below it are scanned in the first round, in either */
	enum mem_status status;
	struct mem_err err;
};

static bool
left_by_clauses(const struct mem_nearest *n, uint32_t ord)
{
	return ord < n->s.q->nnodes && (n->s.q->nodes[ord / 64] >> (ord % 64) & 1) != 0;
}

static bool
admitted(struct mem_nearest *n, uint32_t ord)
{
	return n->s.q->admit == NULL || n->s.q->admit(n->s.q->ctx, ord);
}

/* ---- the tail --------------------------------------------------------- */

struct tail {
	uint8_t *block;
	unsigned n;                         /* codes in it */
	uint32_t ords[MEM_CODE_BLOCK], first;
};

static void
guess_tail(struct scan *s, struct tail *b)
{
	struct mem_nearest *n = s->n;
	float guess[MEM_CODE_BLOCK];
	uint32_t hits = s->guess(&n->code, b->block, s->pool->cut, guess);
	for (unsigned i = 0; i < b->n; i++)
		if ((hits >> i & 1) != 0)
			mem_near_push(s->pool, guess[i], b->ords[i], b->first + i,
			    mem_code_block_f(b->block, n->dims, i), mem_code_block_along(b->block, n->dims, i));
	memset(b->block, 0, mem_code_block_bytes(n->dims));
	b->first += b->n;
	b->n = 0;
}

static void
take_tail(struct scan *s, struct tail *b, const struct mem_vec_head *h, const uint8_t *code)
{
	struct mem_nearest *n = s->n;
	if (!mem_scope_sees(&n->s.scope, h->ns) || (n->s.q->nodes != NULL && !left_by_clauses(n, h->ord))
	    || (n->s.filter != NULL && !mem_filter_row(n->s.filter, h->kind, h->role, h->session, h->captured_at))
	    || (n->ask && !admitted(n, h->ord)))
		return;
	s->pool->seen++;
	mem_code_block_set(b->block, n->dims, b->n, code);
	mem_buf_put(&n->tail, mem_code_fine_part(code, n->dims), mem_code_fine_bytes(n->dims));
	b->ords[b->n++] = h->ord;
	if (b->n == MEM_CODE_BLOCK)
		guess_tail(s, b);
}

static enum mem_status
scan_tail(struct scan *s)
{
	struct mem_nearest *n = s->n;
	struct mem_cursor *c = NULL;
	struct mem_vec_head h;
	const uint8_t *code;
	struct tail b = { .first = (uint32_t)n->places, .block = mem_xcalloc(1, mem_code_block_bytes(n->dims)) };
	mem_buf_reset(&n->tail);
	enum mem_status st = mem_cursor_open(&c, n->s.t, MEM_T_CODE, n->s.err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, n->s.err);
	while (st == MEM_OK) {
		st = mem_vec_parse(&h, &code, mem_cursor_key(c), mem_cursor_value(c), n->dims, n->s.err);
		if (st != MEM_OK)
			break;
		take_tail(s, &b, &h, code);
		st = mem_cursor_next(c, n->s.err);
	}
	mem_cursor_close(c);
	if (b.n > 0)
		guess_tail(s, &b);
	free(b.block);
	return st == MEM_NONE ? MEM_OK : st;
}

/* ---- segments --------------------------------------------------------- */

static void
clear_dead(struct scan *s, const struct mem_near_seg *g)
{
	size_t lo = 0, n = g->ntombs;
	while (n > 0) {
		size_t half = n / 2;
		if (g->tombs[lo + half] < s->cols.first) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	for (; lo < g->ntombs && g->tombs[lo] - s->cols.first < s->cols.n; lo++) {
		uint32_t i = g->tombs[lo] - s->cols.first;
		s->bits[i / 64] &= ~((uint64_t)1 << (i % 64));
	}
}

/* What is left of documents [lo, hi) of the zone that is loaded; false: nothing. */
static bool
find_bits(struct scan *s, const struct mem_near_seg *g, uint32_t lo, uint32_t hi)
{
	const struct mem_nearest *n = s->n;
	enum mem_pass pass = n->s.filter != NULL ? mem_filter_zone(n->s.filter, &s->cols) : MEM_PASS_ALL;
	uint64_t any = 0;
	if (pass == MEM_PASS_NONE)
		return false;
	if (pass == MEM_PASS_SOME)
		mem_filter_bits(n->s.filter, &s->cols, s->bits);
	else
		memset(s->bits, 255, sizeof s->bits);
	for (uint32_t k = 0; k < MEM_ZONE_DOCS / 64; k++) {
		uint64_t word = s->bits[k];
		uint32_t from = 64 * k, to = from + 64;
		if (to <= lo || from >= hi) {
			s->bits[k] = 0;
			continue;
		}
		if (from < lo)
			word &= UINT64_MAX << (lo - from);
		if (to > hi)
			word &= UINT64_MAX >> (to - hi);
		if (n->s.q->nodes != NULL || n->ask)
			for (uint64_t left = word; left != 0; left &= left - 1) {
				uint32_t ord = mem_cols_ord(&s->cols, from + (uint32_t)__builtin_ctzll(left));
				if ((n->s.q->nodes != NULL && !left_by_clauses(n, ord)) || (n->ask && !admitted(s->n, ord)))
					word &= ~(left & -left);
			}
		s->bits[k] = word;
		any |= word;
	}
	if (g->ntombs > 0)
		clear_dead(s, g);
	return any != 0;
}

static void
push_hits(struct scan *s, const uint8_t *block, const struct mem_near_seg *g, uint32_t doc, uint32_t hits,
    const float *guess)
{
	struct mem_nearest *n = s->n;
	for (; hits != 0; hits &= hits - 1) {
		unsigned i = (unsigned)__builtin_ctz(hits);
		mem_near_push(s->pool, guess[i], mem_cols_ord(&s->cols, doc + i - s->cols.first), g->base + doc + i,
		    mem_code_block_f(block, n->dims, i), mem_code_block_along(block, n->dims, i));
	}
}

/* ---- groups ----------------------------------------------------------- */

/* Counts groups whose bound is at least `bar`; none (number k) always is. */
static void
count_groups(uint32_t *counts, const struct mem_near_seg *g, float bar, bool none)
{
	size_t k = g->g.seg.m.sec[MEM_SEC_GROUP].count;
	counts[0] = 0;
	for (size_t i = 0; i < k; i++)
		counts[i + 1] = counts[i] + (g->bounds[i] >= bar);
	counts[k + 1] = counts[k] + none;
}

/* Is the block for this round? */
static bool
wanted(struct scan *s, struct mem_near_seg *g, uint32_t block)
{
	if (g->bounds == NULL)
		return !s->first_round;
	const uint8_t *p = mem_seg_elem(&g->g.seg, MEM_SEC_OF, block);
	size_t k = g->g.seg.m.sec[MEM_SEC_GROUP].count;
	if (p == NULL)
		return false;
	size_t lo = mem_ld16(p), hi = (size_t)mem_ld16(p + 2) + 1;
	if (lo >= hi || hi > k + 1)
		return mem_seg_damaged(&g->g.seg, "groups of a block") != NULL;
	bool near = s->near[hi] > s->near[lo];
	return s->first_round ? near : !near && s->open[hi] > s->open[lo];
}

static int
highest_first(const void *a, const void *b)
{
	const float *x = a, *y = b;
	return *x > *y ? -1 : *x < *y;
}

/* The first round takes the nearest four. */
static float
near_bar(const struct mem_near_seg *g)
{
	enum { FIRST = 4 };
	size_t k = g->g.seg.m.sec[MEM_SEC_GROUP].count;
	float *sorted = mem_xmalloc(k * sizeof *sorted);
	memcpy(sorted, g->bounds, k * sizeof *sorted);
	qsort(sorted, k, sizeof *sorted, highest_first);
	float bar = sorted[k > FIRST ? FIRST - 1 : k - 1];
	free(sorted);
	return bar;
}

static void
ready_groups(struct scan *s, const struct mem_near_seg *g)
{
	size_t k = g->g.seg.m.sec[MEM_SEC_GROUP].count;
	if (g->bounds == NULL)
		return;
	free(s->near);
	s->near = mem_xcalloc(2 * (k + 2), sizeof *s->near);
	s->open = s->near + k + 2;
	count_groups(s->near, g, near_bar(g), false);
	/* Where promises count for nothing, so do bounds. */
	count_groups(s->open, g, s->pool->limit > 0 ? s->pool->cut : -INFINITY, true);
}

/* What no product with a vector of the group can be above. */
static bool
find_bounds(struct mem_nearest *n, struct mem_near_seg *g)
{
	size_t k = g->g.seg.m.sec[MEM_SEC_GROUP].count;
	float length = sqrtf(mem_dot(n->v, n->v, n->dims));
	float *centre = mem_xmalloc(n->dims * sizeof *centre), radius;
	g->bounds = mem_xcalloc(k, sizeof *g->bounds);
	for (size_t i = 0; i < k; i++) {
		const uint8_t *p = mem_seg_elem(&g->g.seg, MEM_SEC_GROUP, i);
		if (p == NULL)
			break;
		memcpy(centre, p, n->dims * sizeof *centre);
		memcpy(&radius, p + n->dims * sizeof *centre, sizeof radius);
		g->bounds[i] = mem_dot(n->v, centre, n->dims) + length * radius + 1e-5F;
	}
	free(centre);
	return g->g.seg.status == MEM_OK;
}

/* ---- zones ------------------------------------------------------------ */

/* Is there anything for this round in the blocks of [lo, hi)? */
static bool
any_wanted(struct scan *s, struct mem_near_seg *g, uint32_t lo, uint32_t hi)
{
	for (uint32_t block = lo / MEM_CODE_BLOCK; block * MEM_CODE_BLOCK < hi; block++)
		if (wanted(s, g, block))
			return true;
	return false;
}

/* A part's blocks lie one behind the other, so that most need not be looked for. */
static bool
scan_blocks(struct scan *s, struct mem_near_seg *g, uint32_t lo, uint32_t hi)
{
	struct mem_nearest *n = s->n;
	size_t size = mem_code_block_bytes(n->dims), per = MEM_PART_ROOM / size;
	const uint8_t *block = NULL;
	for (uint32_t doc = lo - lo % MEM_CODE_BLOCK; doc < hi; doc += MEM_CODE_BLOCK) {
		float guess[MEM_CODE_BLOCK];
		uint32_t i = doc - s->cols.first;
		uint32_t mask = (uint32_t)(s->bits[i / 64] >> (i % 64));
		if (doc / MEM_CODE_BLOCK % per == 0)
			block = NULL;
		else if (block != NULL)
			block += size;
		if (!s->first_round)
			s->pool->seen += (unsigned)__builtin_popcount(mask);
		if (mask == 0 || !wanted(s, g, doc / MEM_CODE_BLOCK))
			continue;
		if (block == NULL)
			block = mem_seg_elem(&g->g.seg, MEM_SEC_CODE, doc / MEM_CODE_BLOCK);
		if (block == NULL)
			return false;
		uint32_t hits = s->guess(&n->code, block, s->pool->cut, guess) & mask;
		if (hits != 0)
			push_hits(s, block, g, doc, hits, guess);
	}
	return g->g.seg.status == MEM_OK;
}

static bool
scan_zone(struct scan *s, struct mem_near_seg *g, uint32_t lo, uint32_t hi)
{
	if (s->first_round && !any_wanted(s, g, lo, hi))
		return g->g.seg.status == MEM_OK;
	if (!mem_cols_load(&s->cols, &g->g.seg, lo / MEM_ZONE_DOCS, s->columns))
		return false;
	return !find_bits(s, g, lo - s->cols.first, hi - s->cols.first) || scan_blocks(s, g, lo, hi);
}

/* Visible documents [lo, hi) of one segment. */
static enum mem_status
scan_span(struct scan *s, struct mem_near_seg *g, uint32_t lo, uint32_t hi)
{
	for (uint32_t end; lo < hi; lo = end) {
		end = (lo / MEM_ZONE_DOCS + 1) * MEM_ZONE_DOCS;
		if (end > hi)
			end = hi;
		if (!scan_zone(s, g, lo, end))
			return g->g.seg.status;
	}
	return MEM_OK;
}

static void
scan_round(struct scan *s)
{
	uint64_t at = 0;
	for (size_t i = 0; i < s->n->nsegs; i++) {
		struct mem_near_seg *g = &s->segs[i];
		ready_groups(s, g);
		for (size_t k = 0; k < g->g.nspans && s->status == MEM_OK; k++) {
			struct mem_span span = g->g.spans[k];
			uint64_t n = span.hi - span.lo, lo = s->from > at ? s->from - at : 0;
			uint64_t hi = s->to < at + n ? s->to > at ? s->to - at : 0 : n;
			if (lo < hi && (g->bounds != NULL || !s->first_round))
				s->status = scan_span(s, g, span.lo + (uint32_t)lo, span.lo + (uint32_t)hi);
			at += n;
		}
	}
}

/* First what is surely near, so that little of the rest can be near enough. */
static void
scan_share(void *ctx)
{
	struct scan *s = ctx;
	s->first_round = true;
	scan_round(s);
	s->first_round = false;
	if (s->status == MEM_OK)
		scan_round(s);
	free(s->near);
	s->near = NULL;
}

static enum mem_status
open_segment(struct mem_nearest *n, uint32_t number, struct mem_str manifest)
{
	n->segs = mem_grow(n->segs, &n->segs_cap, n->nsegs + 1, sizeof *n->segs);
	struct mem_near_seg *g = &n->segs[n->nsegs];
	memset(g, 0, sizeof *g);
	enum mem_status st = mem_seg_open_table(&g->g.seg, n->s.t, number, manifest, n->s.err);
	if (st != MEM_OK)
		return st;
	if (g->g.seg.m.dims == 0) {
		mem_seg_close(&g->g.seg);
		return MEM_OK;
	}
	n->nsegs++;
	g->base = (uint32_t)n->places;
	n->places += g->g.seg.m.docs;
	if (g->g.seg.m.dims != n->dims || n->places > UINT32_MAX - 3 * n->pool.keep) {
		mem_seg_damaged(&g->g.seg, "vectors of another model, or too many");
		return g->g.seg.status;
	}
	if (!mem_scope_spans(&n->s.scope, &g->g))
		return g->g.seg.status;
	if (g->g.nspans > 0 && g->g.seg.m.sec[MEM_SEC_GROUP].count > 0 && !find_bounds(n, g))
		return g->g.seg.status;
	return mem_vec_tombs(n->s.t, number, &g->tombs, &g->ntombs, n->s.err);
}

static enum mem_status
open_segments(struct mem_nearest *n)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, n->s.t, MEM_T_SEGS, n->s.err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, n->s.err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(c);
		st = open_segment(n, key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : 0, mem_cursor_value(c));
		if (st == MEM_OK)
			st = mem_cursor_next(c, n->s.err);
	}
	mem_cursor_close(c);
	return st == MEM_NONE ? MEM_OK : st;
}

/* ---- in two ----------------------------------------------------------- */

#define LARGE 32768 /* documents from which a second thread pays */

/* Tables are one thread's affair: what a scan reads is fetched before. */
static bool
fetch_parts(struct mem_seg *seg, unsigned columns)
{
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++) {
		bool column = sec >= MEM_SEC_ORD && sec <= MEM_SEC_KIND;
		size_t n;
		if (column ? (columns >> (sec - MEM_SEC_ORD) & 1) == 0
		    : sec != MEM_SEC_ZONE && sec != MEM_SEC_CODE && sec != MEM_SEC_OF)
			continue;
		for (uint32_t part = 0; part < seg->m.sec[sec].parts; part++)
			if (mem_seg_part(seg, (enum mem_sec)sec, part, &n) == NULL)
				return false;
	}
	return true;
}

/* The second half, by a helper with a pool of its own and segments that may fail on their own. */
static enum mem_status
scan_in_two(struct scan *s, uint64_t docs)
{
	struct mem_nearest *n = s->n;
	struct mem_near_pool pool;
	for (size_t i = 0; i < n->nsegs; i++)
		if (n->segs[i].g.nspans > 0 && !fetch_parts(&n->segs[i].g.seg, s->columns))
			return n->segs[i].g.seg.status;
	struct scan *half = mem_xmalloc(sizeof *half);
	*half = *s;
	half->near = half->open = NULL;
	mem_near_pool_init(&pool, n->pool.keep, n->pool.limit, n->pool.reach);
	half->pool = &pool;
	half->segs = mem_xcalloc(n->nsegs, sizeof *half->segs);
	memcpy(half->segs, n->segs, n->nsegs * sizeof *half->segs);
	for (size_t i = 0; i < n->nsegs; i++)
		half->segs[i].g.seg.err = &half->err;
	/* At a zone's border where one segment has all. */
	s->to = half->from = docs / 2 / MEM_ZONE_DOCS * MEM_ZONE_DOCS;
	half->to = docs;
	mem_helper_give(n->reader.helper, scan_share, half);
	scan_share(s);
	mem_helper_wait(n->reader.helper);
	enum mem_status st = s->status;
	if (st == MEM_OK && half->status != MEM_OK) {
		st = half->status;
		if (n->s.err != NULL)
			*n->s.err = half->err;
	}
	if (st == MEM_OK)
		mem_near_pool_join(&n->pool, &pool);
	mem_near_pool_release(&pool);
	free(half->segs);
	free(half);
	return st;
}

static enum mem_status
scan_segments(struct scan *s)
{
	struct mem_nearest *n = s->n;
	uint64_t docs = 0;
	for (size_t i = 0; i < n->nsegs; i++)
		for (size_t k = 0; k < n->segs[i].g.nspans; k++)
			docs += n->segs[i].g.spans[k].hi - n->segs[i].g.spans[k].lo;
	s->to = docs;
	if (docs >= LARGE && n->reader.helper == NULL && !n->s.q->alone)
		n->reader.helper = mem_helper_start();
	if (docs >= LARGE && n->reader.helper != NULL && !n->ask) /* who asks may ask one thread only */
		return scan_in_two(s, docs);
	scan_share(s);
	return s->status;
}

enum mem_status
mem_near_scan(struct mem_nearest *n)
{
	struct scan *s = mem_xcalloc(1, sizeof *s);
	s->n = n;
	s->pool = &n->pool;
	s->guess = mem_code_scan();
	s->columns = mem_filter_columns(n->s.filter) | 1U << MEM_COL_ORD;
	enum mem_status st = n->segs == NULL ? open_segments(n) : MEM_OK;
	s->segs = n->segs;
	if (st == MEM_OK)
		st = scan_tail(s);
	if (st == MEM_OK)
		st = scan_segments(s);
	mem_near_close(&n->pool);
	free(s);
	return st;
}
