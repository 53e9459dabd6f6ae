/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One segment's share of a search.
 *
 * MaxScore (Turtle and Flood, 1995) over windows of documents (as in Dimopoulos, Nepomnyachiy and Suel, "A
 * candidate filtering mechanism for fast top-k query processing on modern CPUs", 2013): lists are ordered by
 * the most that they can add; those that together cannot reach the cut are only looked
 * into for candidates that the others bring.  Inside a window the bounds are those of
 * its blocks.  Bounds and sums in passing only decide what is looked at; a score is summed anew in
 * query order before it counts.
 */
#include "index/index_int.h"

#include <stdlib.h>

#define SHALLOW_MAX 8       /* blocks whose pairs are worth looking at for one window */
#define WINDOW_MIN  512     /* documents: below it the bounds cost more than they spare */
#define DENSE_SPAN  8192    /* a block over fewer documents pays for a zone's filter bits */

struct lane {
	struct mem_list list;
	const struct mem_clause *clause;
	double most;         /* bound of the whole list */
	double here;         /* bound in the window */
	uint32_t block;      /* holds the first document at or after the window's start, or the end */
	uint32_t bounded;    /* block that `bound` is of */
	double bound;
	uint32_t probed;     /* document that was looked for last, and its tf */
	uint32_t tf;
};

struct eval {
	struct mem_search *s;
	struct mem_seg *seg;
	struct lane *lanes;  /* in query order */
	size_t n;
	struct lane **order; /* SHOULD and MUST, by rising `most` */
	size_t norder;
	struct lane **local; /* the same by rising `here` */
	struct lane **nots;
	size_t nnots;
	struct lane *lead;   /* the shortest MUST */
	double sum;          /* of all `most` */

	struct mem_cols cols;
	enum mem_pass pass;
	bool bits_ready, lengths_ready;
	uint64_t bits[MEM_ZONE_DOCS / 64];
	const uint8_t *lengths;          /* of the zone, at most 255 */
	uint8_t clipped[MEM_ZONE_DOCS];

	struct mem_id *after;            /* by zone: no document of it or a later one is below */
	uint64_t cut_changes;
	uint32_t cut_zone;
	double cut;
	struct mem_id seen;              /* highest id looked up in the current zone */

	uint64_t touched[MEM_ZONE_DOCS / 64];
	double sums[MEM_ZONE_DOCS];
};

static bool
broken(const struct eval *e)
{
	return e->seg->status != MEM_OK || e->s->status != MEM_OK;
}

/* ---- zones ------------------------------------------------------------ */

static bool
zone_enter(struct eval *e, uint32_t zone)
{
	if (e->cols.zone == zone)
		return true;
	memset(&e->seen, 0, sizeof e->seen);
	e->bits_ready = e->lengths_ready = false;
	if (!mem_cols_load(&e->cols, e->seg, zone))
		return false;
	e->pass = e->s->filter.on ? mem_filter_zone(&e->s->filter, &e->cols) : MEM_PASS_ALL;
	return true;
}

static void
zone_bits(struct eval *e)
{
	if (!e->bits_ready && e->pass == MEM_PASS_SOME)
		mem_filter_bits(&e->s->filter, &e->cols, e->bits);
	e->bits_ready = true;
}

static void
zone_lengths(struct eval *e)
{
	const struct mem_cols *c = &e->cols;
	if (e->lengths_ready)
		return;
	e->lengths_ready = true;
	e->lengths = e->clipped;
	if (c->z.width[MEM_COL_LEN] == 1) {
		e->lengths = c->col[MEM_COL_LEN];
		return;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t len = mem_cols_length(c, i);
		e->clipped[i] = (uint8_t)(len < 255 ? len : 255);
	}
}

/* Ids mostly rise with documents.  Where the worst hit so far is below all that can still come,
 * equal scores need not be looked at: thousands of texts may be the same "ok". */
static void
find_after(struct eval *e)
{
	uint64_t zones = e->seg->m.sec[MEM_SEC_ZONE].count;
	e->after = mem_xmalloc(zones * sizeof *e->after);
	for (uint64_t i = zones; i-- > 0;) {
		const uint8_t *p = mem_seg_elem(e->seg, MEM_SEC_ZONE, i);
		if (p == NULL)
			return;
		memcpy(&e->after[i], p + offsetof(struct mem_zone, id_min), sizeof e->after[i]);
		if (i + 1 < zones && mem_id_cmp(&e->after[i + 1], &e->after[i]) < 0)
			e->after[i] = e->after[i + 1];
	}
}

static double
cut_at(struct eval *e, uint32_t doc)
{
	const struct mem_tops *tops = &e->s->tops;
	uint32_t zone = doc / MEM_ZONE_DOCS;
	if (tops->changes == e->cut_changes && zone == e->cut_zone)
		return e->cut;
	bool is_full = tops->n == tops->limit;
	if (is_full && e->after == NULL)
		find_after(e);
	e->cut = mem_tops_cut(tops, is_full && !broken(e) ? &e->after[zone] : NULL);
	e->cut_changes = tops->changes;
	e->cut_zone = zone;
	return e->cut;
}

/* ---- lanes ------------------------------------------------------------ */

static double
block_bound(struct eval *e, struct lane *l, uint32_t block)
{
	if (!mem_list_skips(&l->list))
		return l->most;
	if (l->bounded != block) {
		l->bounded = block;
		l->bound = l->clause->top * mem_bm25_bound(&e->s->bm25,
		    l->list.skip + MEM_SKIP_SIZE * (size_t)block + 8);
	}
	return l->bound;
}

static uint32_t
block_last(const struct lane *l, uint32_t block)
{
	return mem_list_skips(&l->list) ? mem_list_last(&l->list, block)
	    : l->list.docs[l->list.n - 1];
}

static uint32_t
block_seek(const struct lane *l, uint32_t from, uint32_t doc)
{
	if (mem_list_skips(&l->list))
		return mem_list_seek(&l->list, from, doc);
	return l->list.docs[l->list.n - 1] < doc;
}

static uint32_t
place_of(const struct mem_list *l, uint32_t doc)
{
	uint32_t lo = 0, n = l->n;
	while (n > 0) {
		uint32_t half = n / 2;
		if (l->docs[lo + half] < doc) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/* tf in the document, 0: not there.  Documents are asked for in rising order. */
static uint32_t
probe(struct lane *l, uint32_t doc)
{
	if (l->probed == doc)
		return l->tf;
	l->probed = doc;
	l->tf = 0;
	l->block = block_seek(l, l->block, doc);
	if (l->block < l->list.nblocks && mem_list_load(&l->list, l->block)) {
		uint32_t i = place_of(&l->list, doc);
		if (i < l->list.n && l->list.docs[i] == doc && mem_list_tfs(&l->list))
			l->tf = l->list.tfs[i];
	}
	return l->tf;
}

/* The most the lane can add to a document in [lo, hi); moves it to lo. */
static double
range_bound(struct eval *e, struct lane *l, uint32_t lo, uint32_t hi)
{
	l->block = block_seek(l, l->block, lo);
	if (l->block == l->list.nblocks)
		return 0;
	if (l->list.block == l->block && block_last(l, l->block) >= hi) {
		uint32_t i = place_of(&l->list, lo);
		if (i < l->list.n && l->list.docs[i] >= hi)
			return 0;
	}
	double best = 0;
	for (uint32_t b = l->block; b < l->list.nblocks; b++) {
		if (b - l->block == SHALLOW_MAX)
			return l->most;
		double bound = block_bound(e, l, b);
		best = bound > best ? bound : best;
		if (block_last(l, b) >= hi - 1)
			break;
	}
	return best;
}

/* ---- candidates ------------------------------------------------------- */

static void
score_doc(struct eval *e, uint32_t doc, uint32_t i)
{
	uint32_t length = mem_cols_length(&e->cols, i);
	double score = 0;
	for (size_t k = 0; k < e->n; k++) {
		struct lane *l = &e->lanes[k];
		if (l->clause->top > 0) {
			uint32_t tf = probe(l, doc);
			if (tf > 0)
				score += l->clause->top * mem_bm25_gain(&e->s->bm25, tf, length);
		}
	}
	bool tie;
	if (broken(e) || !mem_tops_wants(&e->s->tops, mem_score_round(score), &tie))
		return;
	/* In a zone whose ids rise, what follows a document is above it. */
	if (tie && e->cols.z.rising && mem_id_cmp(&e->seen, &e->s->tops.hits[0].id) >= 0)
		return;
	const struct mem_attr *attr;
	uint32_t ord = mem_cols_ord(&e->cols, i);
	enum mem_status st = mem_attr_at(e->s->t, ord, &attr, e->s->err);
	if (st == MEM_NONE)
		mem_seg_damaged(e->seg, "a document that there is not");
	else if (st != MEM_OK)
		e->s->status = st;
	if (st != MEM_OK)
		return;
	if (mem_id_cmp(&attr->id, &e->seen) > 0)
		e->seen = attr->id;
	mem_search_offer(e->s, ord, score, &attr->id);
}

/* `sum` is what the lanes from rest[nrest] on add to the document; those in rest, by rising
 * bound, are asked one by one while it can still reach the cut. */
static void
consider(struct eval *e, uint32_t doc, double sum, struct lane **rest, size_t nrest, double most)
{
	double cut = cut_at(e, doc);
	uint32_t i = doc - e->cols.first;
	uint32_t length = mem_cols_length(&e->cols, i);
	for (size_t k = nrest; k-- > 0;) {
		struct lane *l = rest[k];
		most -= l->here;
		l->block = block_seek(l, l->block, doc);
		double bound = l->block < l->list.nblocks ? block_bound(e, l, l->block) : 0;
		if (sum + most + bound < cut)
			return;
		uint32_t tf = probe(l, doc);
		if (tf == 0 && l->clause->c->occur == MEM_MUST)
			return;
		if (tf > 0)
			sum += l->clause->top * mem_bm25_gain(&e->s->bm25, tf, length);
		if (sum + most < cut)
			return;
	}
	for (size_t k = 0; k < e->nnots; k++)
		if (probe(e->nots[k], doc) > 0)
			return;
	score_doc(e, doc, i);
}

/* ---- one lane leads --------------------------------------------------- */

/* The lead's documents in [lo, hi), all in its decoded block. */
static uint32_t
lead_block(struct eval *e, struct lane *lead, uint32_t lo, uint32_t hi, size_t nrest, double most)
{
	bool dense = hi - lo <= DENSE_SPAN;
	struct mem_list *l = &lead->list;
	if (!mem_list_load(l, lead->block) || !mem_list_tfs(l))
		return hi;
	for (uint32_t k = place_of(l, lo); k < l->n && l->docs[k] < hi && !broken(e); k++) {
		uint32_t doc = l->docs[k];
		if (doc < lo || !zone_enter(e, doc / MEM_ZONE_DOCS))
			continue;
		uint32_t i = doc - e->cols.first;
		double sum = 0;
		if (e->pass == MEM_PASS_NONE)
			continue;
		if (lead->clause->top > 0) {
			sum = lead->clause->top * mem_bm25_gain(&e->s->bm25, l->tfs[k],
			    mem_cols_length(&e->cols, i));
			if (sum + most < cut_at(e, doc))
				continue;
		}
		if (e->pass == MEM_PASS_SOME && dense) {
			zone_bits(e);
			if ((e->bits[i / 64] >> (i % 64) & 1) == 0)
				continue;
		} else if (e->pass == MEM_PASS_SOME && !mem_filter_doc(&e->s->filter, &e->cols, i)) {
			continue;
		}
		consider(e, doc, sum, e->local, nrest, most);
	}
	return hi;
}

static uint32_t
step_lead(struct eval *e, struct lane *lead, uint32_t lo, uint32_t hi)
{
	lead->block = block_seek(lead, lead->block, lo);
	if (lead->block == lead->list.nblocks)
		return hi;
	if (e->s->filter.on) {
		if (!zone_enter(e, lo / MEM_ZONE_DOCS))
			return hi;
		uint32_t end = e->cols.first + e->cols.n;
		if (e->pass == MEM_PASS_NONE)
			return end < hi ? end : hi;
	}
	uint32_t last = block_last(lead, lead->block);
	if (last < hi - 1)
		hi = last + 1;
	double cut = cut_at(e, lo), own = block_bound(e, lead, lead->block);
	double most = e->sum - lead->most;
	if (own + most < cut)
		return hi;
	size_t nrest = 0;
	bool shallow = hi - lo <= DENSE_SPAN;
	most = 0;
	for (size_t k = 0; k < e->norder; k++) {
		struct lane *l = e->order[k];
		if (l == lead)
			continue;
		l->here = shallow ? range_bound(e, l, lo, hi) : l->most;
		most += l->here;
		e->local[nrest++] = l;
	}
	if (own + most < cut)
		return hi;
	return lead_block(e, lead, lo, hi, nrest, most);
}

/* ---- several lanes bring candidates ----------------------------------- */

/* Adds one lane's postings in [lo, hi) of the zone to the sums. */
static void
add_lane(struct eval *e, struct lane *l, uint32_t lo, uint32_t hi)
{
	const struct mem_bm25 *m = &e->s->bm25;
	const double top = l->clause->top;
	const uint32_t first = e->cols.first, width = hi - lo;
	for (uint32_t b = l->block; b < l->list.nblocks; b++) {
		if (!mem_list_load(&l->list, b) || !mem_list_tfs(&l->list))
			return;
		for (uint32_t k = place_of(&l->list, lo); k < l->list.n; k++) {
			uint32_t doc = l->list.docs[k], i = doc - first;
			if (doc - lo >= width)
				break;
			uint32_t tf = l->list.tfs[k], len = e->lengths[i];
			double gain = tf < MEM_GAIN_TF && len < 255 ? m->gain[tf][len]
			    : mem_bm25_gain(m, tf, mem_cols_length(&e->cols, i));
			e->sums[i] += top * gain;
			e->touched[i / 64] |= (uint64_t)1 << (i % 64);
		}
		if (block_last(l, b) >= hi - 1)
			break;
	}
}

/* Orders the lanes by their bounds in the window; returns how many cannot reach the cut together
 * and gives the sum of those. */
static size_t
order_here(struct eval *e, double cut, double *rest)
{
	for (size_t k = 0; k < e->norder; k++) {
		struct lane *l = e->order[k];
		size_t at = k;
		for (; at > 0 && e->local[at - 1]->here > l->here; at--)
			e->local[at] = e->local[at - 1];
		e->local[at] = l;
	}
	size_t n = 0;
	*rest = 0;
	while (n < e->norder && *rest + e->local[n]->here < cut)
		*rest += e->local[n++]->here;
	return n;
}

static void
walk_sums(struct eval *e, uint32_t lo, uint32_t hi, size_t nrest, double rest)
{
	const uint32_t first = e->cols.first;
	double cut = cut_at(e, lo);
	uint64_t changes = e->s->tops.changes;
	for (uint32_t w = (lo - first) / 64; w <= (hi - 1 - first) / 64 && !broken(e); w++) {
		uint64_t word = e->touched[w];
		e->touched[w] = 0;
		if (e->pass == MEM_PASS_SOME)
			word &= e->bits[w];
		for (; word != 0; word &= word - 1) {
			uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(word);
			if (e->sums[i] + rest < cut)
				continue;
			consider(e, first + i, e->sums[i], e->local, nrest, rest);
			if (e->s->tops.changes != changes) {
				changes = e->s->tops.changes;
				cut = cut_at(e, lo);
			}
		}
	}
}

static uint32_t
step_window(struct eval *e, uint32_t lo, uint32_t hi, size_t nidle)
{
	if (!zone_enter(e, lo / MEM_ZONE_DOCS))
		return hi;
	uint32_t end = e->cols.first + e->cols.n, near = UINT32_MAX;
	if (end < hi)
		hi = end;
	if (e->pass == MEM_PASS_NONE)
		return hi;
	for (size_t k = nidle; k < e->norder; k++) {
		struct lane *l = e->order[k];
		l->block = block_seek(l, l->block, lo);
		if (l->block < l->list.nblocks && block_last(l, l->block) < near)
			near = block_last(l, l->block);
	}
	if (near < lo + WINDOW_MIN)
		near = lo + WINDOW_MIN;
	if (near < hi - 1)
		hi = near + 1;
	double cut = cut_at(e, lo), most = 0, rest;
	for (size_t k = 0; k < e->norder; k++) {
		e->order[k]->here = range_bound(e, e->order[k], lo, hi);
		most += e->order[k]->here;
	}
	if (most < cut)
		return hi;
	size_t nrest = order_here(e, cut, &rest);
	zone_lengths(e);
	zone_bits(e);
	for (size_t k = nrest; k < e->norder; k++)
		add_lane(e, e->local[k], lo, hi);
	walk_sums(e, lo, hi, nrest, rest);
	memset(e->sums + (lo - e->cols.first), 0, (hi - lo) * sizeof *e->sums);
	return hi;
}

static void
eval_span(struct eval *e, uint32_t lo, uint32_t hi)
{
	while (lo < hi && !broken(e)) {
		double cut = cut_at(e, lo), idle = 0;
		size_t nidle = 0;
		while (nidle < e->norder && idle + e->order[nidle]->most < cut)
			idle += e->order[nidle++]->most;
		if (nidle == e->norder)
			return;
		if (e->lead != NULL)
			lo = step_lead(e, e->lead, lo, hi);
		else if (nidle + 1 == e->norder)
			lo = step_lead(e, e->order[nidle], lo, hi);
		else
			lo = step_window(e, lo, hi, nidle);
	}
}

/* ---- setting out ------------------------------------------------------ */

static bool
lane_open(struct eval *e, struct lane *l, const struct mem_clause *c, uint64_t ref)
{
	l->clause = c;
	l->block = 0;
	l->bounded = l->probed = UINT32_MAX;
	l->here = 0;
	if (!mem_list_open(&l->list, e->seg, ref, false))
		return false;
	if (mem_list_skips(&l->list)) {
		uint8_t pairs[2 * MEM_PAIRS];
		memcpy(pairs, &l->list.pairs, sizeof pairs);
		l->most = c->top * mem_bm25_bound(&e->s->bm25, pairs);
		return true;
	}
	if (!mem_list_load(&l->list, 0) || !mem_list_tfs(&l->list))
		return false;
	uint32_t tf = 1;
	for (uint32_t i = 0; i < l->list.n; i++)
		tf = l->list.tfs[i] > tf ? l->list.tfs[i] : tf;
	l->most = c->top * mem_bm25_gain(&e->s->bm25, tf, 0);
	return true;
}

static void
lane_sort(struct eval *e, struct lane *l)
{
	if (l->clause->c->occur == MEM_MUST_NOT) {
		e->nots[e->nnots++] = l;
		return;
	}
	if (l->clause->c->occur == MEM_MUST
	    && (e->lead == NULL || l->list.df < e->lead->list.df))
		e->lead = l;
	size_t at = e->norder++;
	for (; at > 0 && e->order[at - 1]->most > l->most; at--)
		e->order[at] = e->order[at - 1];
	e->order[at] = l;
	e->sum += l->most;
}

/* False when no document of the segment can match, or on damage. */
static bool
eval_init(struct eval *e, struct mem_search *s, struct mem_search_seg *g)
{
	e->s = s;
	e->seg = &g->seg;
	e->cols.zone = e->cut_zone = UINT32_MAX;
	e->lanes = mem_xcalloc(s->n, sizeof *e->lanes);
	e->order = mem_xcalloc(3 * s->n, sizeof *e->order);
	e->local = e->order + s->n;
	e->nots = e->local + s->n;
	for (size_t i = 0; i < s->n; i++) {
		if (g->refs[i] == UINT64_MAX) {
			if (s->clauses[i].c->occur == MEM_MUST)
				return false;
			continue;
		}
		struct lane *l = &e->lanes[e->n++];
		if (!lane_open(e, l, &s->clauses[i], g->refs[i]))
			return false;
		lane_sort(e, l);
	}
	return e->norder > 0;
}

enum mem_status
mem_eval_seg(struct mem_search *s, struct mem_search_seg *g)
{
	struct eval *e = mem_xcalloc(1, sizeof *e);
	if (eval_init(e, s, g))
		for (size_t i = 0; i < g->nspans && !broken(e); i++)
			eval_span(e, g->spans[i].lo, g->spans[i].hi);
	for (size_t i = 0; i < e->n; i++)
		mem_list_release(&e->lanes[i].list);
	free(e->lanes);
	free(e->order);
	free(e->after);
	free(e);
	return g->seg.status != MEM_OK ? g->seg.status : s->status;
}
