/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates for every vector that passes the filters, in the tail and in segments by the same instructions. */
#include "vectors/vectors_int.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

struct code_scan {
	struct vectors_search *n;
	struct vectors_pool *pool;
	struct vectors_segment *segs;
	uint64_t from, to;                  /* of the visible documents of all segments */
	mem_code_scan_fn *estimate;
	unsigned columns;
	struct mem_cols cols;
	uint64_t bits[MEM_ZONE_DOCS / 64];  /* of the zone */
	bool first_round;                   /* of groups that are near; then comes what they leave */
	uint32_t *near, *open;              /* by group: how many below it are scanned in the first round, in either */
	enum mem_status status;
	struct mem_err err;
};

static bool
is_in_bitmap(const struct vectors_search *n, uint32_t ord)
{
	return ord < n->s.q->nnodes && (n->s.q->nodes[ord / 64] >> (ord % 64) & 1) != 0;
}

static bool
is_node_admitted(struct vectors_search *n, uint32_t ord)
{
	return n->s.q->admit == NULL || n->s.q->admit(n->s.q->ctx, ord);
}

/* ---- the tail --------------------------------------------------------- */

struct tail_block {
	uint8_t *block;
	unsigned n;                         /* codes in it */
	uint32_t ords[MEM_CODE_BLOCK], first;
	uint16_t passages[MEM_CODE_BLOCK];
};

static void
estimate_tail_block(struct code_scan *s, struct tail_block *b)
{
	struct vectors_search *n = s->n;
	float estimate[MEM_CODE_BLOCK];
	uint32_t hits = s->estimate(&n->code, b->block, s->pool->cut, estimate);
	for (unsigned i = 0; i < b->n; i++)
		if ((hits >> i & 1) != 0)
			vectors_pool_push(s->pool, estimate[i], b->ords[i], (struct vectors_candidate){ .at = b->first + i,
			    .passage = b->passages[i], .factor = mem_code_block_factor(b->block, n->dims, i),
			    .mean_component = mem_code_block_mean_component(b->block, n->dims, i) });
	memset(b->block, 0, mem_code_block_bytes(n->dims));
	b->first += b->n;
	b->n = 0;
}

static void
queue_tail_code(struct code_scan *s, struct tail_block *b, const struct vectors_tail_head *h, const uint8_t *code)
{
	struct vectors_search *n = s->n;
	if (!mem_scope_sees(&n->s.scope, h->ns) || (n->s.q->nodes != NULL && !is_in_bitmap(n, h->ord))
	    || (n->s.filter != NULL && !mem_filter_row(n->s.filter, h->kind, h->role, h->session, h->captured_at))
	    || (n->admit_first && !is_node_admitted(n, h->ord)))
		return;
	s->pool->seen++;
	mem_code_block_set(b->block, n->dims, b->n, code);
	mem_buf_put(&n->tail, mem_code_fine_part(code, n->dims), mem_code_fine_bytes(n->dims));
	b->passages[b->n] = h->passage;
	b->ords[b->n++] = h->ord;
	if (b->n == MEM_CODE_BLOCK)
		estimate_tail_block(s, b);
}

static enum mem_status
scan_tail_codes(struct code_scan *s)
{
	struct vectors_search *n = s->n;
	struct mem_cursor *c = NULL;
	struct vectors_tail_head h;
	const uint8_t *code;
	struct tail_block b = { .first = (uint32_t)n->docs, .block = mem_xcalloc(1, mem_code_block_bytes(n->dims)) };
	mem_buf_reset(&n->tail);
	enum mem_status st = mem_cursor_open(&c, n->s.t, MEM_T_CODE, n->s.err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, n->s.err);
	while (st == MEM_OK) {
		st = vectors_tail_read(&h, &code, c, n->dims, n->s.err);
		if (st != MEM_OK)
			break;
		queue_tail_code(s, &b, &h, code);
		st = mem_cursor_next(c, n->s.err);
	}
	mem_cursor_close(c);
	if (b.n > 0)
		estimate_tail_block(s, &b);
	free(b.block);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- segments --------------------------------------------------------- */

static void
clear_dead_bits(struct code_scan *s, const struct vectors_segment *g)
{
	const struct mem_seg *seg = &g->g.seg;
	size_t i = mem_seg_tombs_below(seg, s->cols.first);
	for (; i < seg->ntombs && seg->tombs[i] - s->cols.first < s->cols.n; i++) {
		uint32_t row = seg->tombs[i] - s->cols.first;
		s->bits[row / 64] &= ~((uint64_t)1 << (row % 64));
	}
}

/* What is left of documents [lo, hi) of the zone that is loaded; false: nothing, or damage. */
static bool
find_zone_bits(struct code_scan *s, struct vectors_segment *g, uint32_t lo, uint32_t hi)
{
	const struct vectors_search *n = s->n;
	enum mem_pass pass = n->s.filter != NULL ? mem_filter_zone(n->s.filter, &s->cols) : MEM_PASS_ALL;
	uint64_t any = 0;
	if (pass == MEM_PASS_NONE)
		return false;
	unsigned read = pass == MEM_PASS_SOME ? mem_filter_columns(n->s.filter) : 0;
	if (n->s.q->nodes != NULL || n->admit_first)
		read |= 1U << MEM_COL_ORD;
	if (!mem_cols_verify(&s->cols, &g->g.seg, read, 0, s->cols.n))
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
		if (n->s.q->nodes != NULL || n->admit_first)
			for (uint64_t left = word; left != 0; left &= left - 1) {
				uint32_t ord = mem_cols_ord(&s->cols, from + (uint32_t)__builtin_ctzll(left));
				if ((n->s.q->nodes != NULL && !is_in_bitmap(n, ord)) || (n->admit_first && !is_node_admitted(s->n, ord)))
					word &= ~(left & -left);
			}
		s->bits[k] = word;
		any |= word;
	}
	if (g->g.seg.ntombs > 0)
		clear_dead_bits(s, g);
	return any != 0;
}

static void
push_hits(struct code_scan *s, const uint8_t *block, struct vectors_segment *g, uint32_t doc, uint32_t hits,
    const float *estimate)
{
	struct vectors_search *n = s->n;
	for (; hits != 0; hits &= hits - 1) {
		unsigned i = (unsigned)__builtin_ctz(hits);
		uint32_t row = doc + i - s->cols.first;
		if (!mem_cols_verify(&s->cols, &g->g.seg, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN, row, 1))
			return;
		vectors_pool_push(s->pool, estimate[i], mem_cols_ord(&s->cols, row), (struct vectors_candidate){ .at = g->base + doc + i,
		    .passage = (uint16_t)mem_cols_length(&s->cols, row), .factor = mem_code_block_factor(block, n->dims, i),
		    .mean_component = mem_code_block_mean_component(block, n->dims, i) });
	}
}

/* ---- groups ----------------------------------------------------------- */

/* Counts groups whose bound is at least `bar`; none (number k) always is. */
static void
count_groups(uint32_t *counts, const struct vectors_segment *g, float bar, bool none)
{
	size_t k = g->g.seg.m.sec[MEM_SEC_GROUP].count;
	counts[0] = 0;
	for (size_t i = 0; i < k; i++)
		counts[i + 1] = counts[i] + (g->bounds[i] >= bar);
	counts[k + 1] = counts[k] + none;
}

/* Is the block for this round? */
static bool
is_block_wanted(struct code_scan *s, struct vectors_segment *g, uint32_t block)
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
compare_bounds_by_height(const void *a, const void *b)
{
	const float *x = a, *y = b;
	return *x > *y ? -1 : *x < *y;
}

/* The first round takes the nearest four. */
static float
nearest_group_bound(const struct vectors_segment *g)
{
	enum { FIRST = 4 };
	size_t k = g->g.seg.m.sec[MEM_SEC_GROUP].count;
	float *sorted = mem_xmalloc(k * sizeof *sorted);
	memcpy(sorted, g->bounds, k * sizeof *sorted);
	mem_sort(sorted, k, sizeof *sorted, compare_bounds_by_height);
	float bar = sorted[k > FIRST ? FIRST - 1 : k - 1];
	free(sorted);
	return bar;
}

static void
choose_groups(struct code_scan *s, const struct vectors_segment *g)
{
	size_t k = g->g.seg.m.sec[MEM_SEC_GROUP].count;
	if (g->bounds == NULL)
		return;
	free(s->near);
	s->near = mem_xcalloc(2 * (k + 2), sizeof *s->near);
	s->open = s->near + k + 2;
	count_groups(s->near, g, nearest_group_bound(g), false);
	/* Without lower bounds no group is left out. */
	count_groups(s->open, g, s->pool->limit > 0 ? s->pool->cut : -INFINITY, true);
}

/* What no product with a vector of the group can be above. */
static bool
find_group_bounds(struct vectors_search *n, struct vectors_segment *g)
{
	if (!mem_seg_prefetch(&g->g.seg, n->s.t, MEM_SEC_GROUP))
		return false;
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
has_wanted_block(struct code_scan *s, struct vectors_segment *g, uint32_t lo, uint32_t hi)
{
	for (uint32_t block = lo / MEM_CODE_BLOCK; block * MEM_CODE_BLOCK < hi; block++)
		if (is_block_wanted(s, g, block))
			return true;
	return false;
}

/*
 * Of a segment with groups few blocks are read, but those of a group lie together: in one piece where they are not in
 * memory.  Other segments are read from end to end, and fetched by part.
 */
static void
fetch_wanted_blocks(struct code_scan *s, struct vectors_segment *g, uint32_t lo, uint32_t hi)
{
	size_t size = mem_code_block_bytes(s->n->dims), per = MEM_PART_ROOM / size;
	uint32_t first = UINT32_MAX, last = 0;
	if (g->bounds == NULL)
		return;
	for (uint32_t block = lo / MEM_CODE_BLOCK; block * MEM_CODE_BLOCK < hi; block++)
		if (is_block_wanted(s, g, block)) {
			first = block < first ? block : first;
			last = block;
		}
	if (first == UINT32_MAX)
		return;
	if (first / per != last / per)
		last = (uint32_t)(first / per * per + per - 1);
	size_t room;
	const uint8_t *p = mem_seg_look(&g->g.seg, MEM_SEC_CODE, (uint64_t)(first / per) << 20 | first % per * size, &room);
	if (p != NULL)
		mem_txn_prefetch(s->n->s.t, mem_key(p, (last - first + 1) * size < room ? (last - first + 1) * size : room));
}

/* A part's blocks lie one behind the other, so that where they lie is mostly known. */
static bool
scan_blocks(struct code_scan *s, struct vectors_segment *g, uint32_t lo, uint32_t hi)
{
	struct vectors_search *n = s->n;
	size_t size = mem_code_block_bytes(n->dims), per = MEM_PART_ROOM / size;
	uint64_t part = (uint64_t)(lo / MEM_CODE_BLOCK / per) << 20;
	size_t at = lo / MEM_CODE_BLOCK % per * size;
	for (uint32_t doc = lo - lo % MEM_CODE_BLOCK; doc < hi; doc += MEM_CODE_BLOCK, at += size) {
		float estimate[MEM_CODE_BLOCK];
		uint32_t i = doc - s->cols.first;
		uint32_t mask = (uint32_t)(s->bits[i / 64] >> (i % 64));
		if (at == per * size) {
			part += 1 << 20;
			at = 0;
		}
		if (!s->first_round)
			s->pool->seen += (unsigned)__builtin_popcount(mask);
		if (mask == 0 || !is_block_wanted(s, g, doc / MEM_CODE_BLOCK))
			continue;
		const uint8_t *block = mem_seg_at(&g->g.seg, MEM_SEC_CODE, part | at, size);
		if (block == NULL)
			return false;
		uint32_t hits = s->estimate(&n->code, block, s->pool->cut, estimate) & mask;
		if (hits != 0)
			push_hits(s, block, g, doc, hits, estimate);
	}
	return g->g.seg.status == MEM_OK;
}

static bool
scan_zone(struct code_scan *s, struct vectors_segment *g, uint32_t lo, uint32_t hi)
{
	if (s->first_round && !has_wanted_block(s, g, lo, hi))
		return g->g.seg.status == MEM_OK;
	if (!mem_cols_reach(&s->cols, &g->g.seg, lo / MEM_ZONE_DOCS, s->columns))
		return false;
	if (!find_zone_bits(s, g, lo - s->cols.first, hi - s->cols.first))
		return g->g.seg.status == MEM_OK;
	fetch_wanted_blocks(s, g, lo, hi);
	return scan_blocks(s, g, lo, hi);
}

/* Visible documents [lo, hi) of one segment. */
static enum mem_status
scan_doc_span(struct code_scan *s, struct vectors_segment *g, uint32_t lo, uint32_t hi)
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
scan_round(struct code_scan *s)
{
	uint64_t at = 0;
	for (size_t i = 0; i < s->n->nsegs; i++) {
		struct vectors_segment *g = &s->segs[i];
		choose_groups(s, g);
		for (size_t k = 0; k < g->g.nspans && s->status == MEM_OK; k++) {
			struct mem_doc_span span = g->g.spans[k];
			uint64_t n = span.hi - span.lo, lo = s->from > at ? s->from - at : 0;
			uint64_t hi = s->to < at + n ? s->to > at ? s->to - at : 0 : n;
			if (lo < hi && (g->bounds != NULL || !s->first_round))
				s->status = scan_doc_span(s, g, span.lo + (uint32_t)lo, span.lo + (uint32_t)hi);
			at += n;
		}
	}
}

/* First what is surely near, so that little of the rest can be near enough. */
static void
scan_visible_share(void *ctx)
{
	struct code_scan *s = ctx;
	s->first_round = true;
	scan_round(s);
	s->first_round = false;
	if (s->status == MEM_OK)
		scan_round(s);
	free(s->near);
	s->near = NULL;
}

static enum mem_status
open_vector_segment(struct vectors_search *n, uint32_t number, struct mem_str manifest)
{
	n->segs = mem_grow(n->segs, &n->segs_cap, n->nsegs + 1, sizeof *n->segs);
	struct vectors_segment *g = &n->segs[n->nsegs];
	memset(g, 0, sizeof *g);
	enum mem_status st = mem_seg_open_table(&g->g.seg, n->s.t, number, manifest, n->s.err);
	if (st != MEM_OK)
		return st;
	if (g->g.seg.m.dims == 0) {
		mem_seg_close(&g->g.seg);
		return MEM_OK;
	}
	n->nsegs++;
	g->base = (uint32_t)n->docs;
	n->docs += g->g.seg.m.docs;
	if (g->g.seg.m.dims != n->dims || n->docs > UINT32_MAX - 3 * n->pool.keep) {
		mem_seg_damaged(&g->g.seg, "vectors of another model, or too many");
		return g->g.seg.status;
	}
	if (!mem_scope_spans(&n->s.scope, &g->g))
		return g->g.seg.status;
	if (g->g.nspans > 0 && g->g.seg.m.sec[MEM_SEC_GROUP].count > 0 && !find_group_bounds(n, g))
		return g->g.seg.status;
	mem_seg_tombs_load(&g->g.seg, n->s.t);
	return g->g.seg.status;
}

static enum mem_status
open_vector_segments(struct vectors_search *n)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, n->s.t, MEM_T_SEGS, n->s.err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, n->s.err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(c);
		st = open_vector_segment(n, key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : 0, mem_cursor_value(c));
		if (st == MEM_OK)
			st = mem_cursor_next(c, n->s.err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- in two ----------------------------------------------------------- */

#define SPLIT 32768  /* documents from which one that is there takes its half */
#define LARGE 262144 /* documents from which a second thread pays: with fewer it takes longer to begin than it saves */

/* Is a section read from end to end?  Where there are groups, only the lists of these are. */
static bool
is_section_read_whole(const struct mem_seg *seg, int sec)
{
	return seg->m.sec[MEM_SEC_GROUP].count == 0 || sec == MEM_SEC_ZONE || sec == MEM_SEC_OF;
}

/* Tables are one thread's affair: what a scan reads is fetched before. */
static bool
fetch_scan_parts(struct mem_seg *seg, struct mem_txn *t, unsigned columns)
{
	const uint8_t *p;
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++) {
		bool column = sec >= MEM_SEC_ORD && sec <= MEM_SEC_KIND;
		size_t n;
		if (column ? (columns >> (sec - MEM_SEC_ORD) & 1) == 0
		    : sec != MEM_SEC_ZONE && sec != MEM_SEC_CODE && sec != MEM_SEC_OF && sec != MEM_SEC_SUM)
			continue;
		for (uint32_t part = 0; part < seg->m.sec[sec].parts; part++) {
			if ((p = mem_seg_part(seg, (enum mem_sec)sec, part, &n)) == NULL)
				return false;
			if (is_section_read_whole(seg, sec))
				mem_txn_prefetch(t, mem_key(p, n));
		}
	}
	return true;
}

/* The second half, by a helper with a pool of its own and segments that may fail on their own. */
static enum mem_status
scan_by_two_threads(struct code_scan *s, uint64_t docs)
{
	struct vectors_search *n = s->n;
	struct vectors_pool pool;
	struct code_scan *half = mem_xmalloc(sizeof *half);
	*half = *s;
	half->near = half->open = NULL;
	vectors_pool_init(&pool, n->pool.keep, n->pool.limit, n->pool.error_bound);
	half->pool = &pool;
	half->segs = mem_xcalloc(n->nsegs, sizeof *half->segs);
	memcpy(half->segs, n->segs, n->nsegs * sizeof *half->segs);
	for (size_t i = 0; i < n->nsegs; i++)
		half->segs[i].g.seg.err = &half->err;
	/* At a zone's border where one segment has all. */
	s->to = half->from = docs / 2 / MEM_ZONE_DOCS * MEM_ZONE_DOCS;
	half->to = docs;
	mem_worker_give(n->reader.helper, scan_visible_share, half);
	scan_visible_share(s);
	mem_worker_wait(n->reader.helper);
	enum mem_status st = s->status;
	if (st == MEM_OK && half->status != MEM_OK) {
		st = half->status;
		if (n->s.err != NULL)
			*n->s.err = half->err;
	}
	if (st == MEM_OK)
		vectors_pool_join(&n->pool, &pool);
	vectors_pool_release(&pool);
	free(half->segs);
	free(half);
	return st;
}

static enum mem_status
scan_segments(struct code_scan *s)
{
	struct vectors_search *n = s->n;
	uint64_t docs = 0;
	for (size_t i = 0; i < n->nsegs; i++)
		for (size_t k = 0; k < n->segs[i].g.nspans; k++)
			docs += n->segs[i].g.spans[k].hi - n->segs[i].g.spans[k].lo;
	s->to = docs;
	for (size_t i = 0; i < n->nsegs; i++)
		if (n->segs[i].g.nspans > 0 && !fetch_scan_parts(&n->segs[i].g.seg, n->s.t, s->columns))
			return n->segs[i].g.seg.status;
	if (docs >= LARGE)
		vectors_reader_start_helper(&n->reader);
	if (docs >= SPLIT && n->reader.helper != NULL && !n->admit_first) /* who asks may ask one thread only */
		return scan_by_two_threads(s, docs);
	scan_visible_share(s);
	return s->status;
}

enum mem_status
vectors_scan_codes(struct vectors_search *n)
{
	struct code_scan *s = mem_xcalloc(1, sizeof *s);
	s->n = n;
	s->pool = &n->pool;
	s->estimate = mem_code_choose_scan();
	s->columns = mem_filter_columns(n->s.filter) | 1U << MEM_COL_ORD | 1U << MEM_COL_LEN;
	enum mem_status st = n->segs == NULL ? open_vector_segments(n) : MEM_OK;
	s->segs = n->segs;
	if (st == MEM_OK)
		st = scan_tail_codes(s);
	if (st == MEM_OK)
		st = scan_segments(s);
	vectors_pool_close(&n->pool);
	free(s);
	return st;
}
