/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best documents of one segment.
 *
 * MaxScore (Turtle and Flood, 1995) over windows of documents (as in Dimopoulos, Nepomnyachiy and Suel, "A
 * candidate filtering mechanism for fast top-k query processing on modern CPUs", 2013): lists are ordered by
 * the most that they can add; those that together cannot reach the cut are only looked
 * into for candidates that the others bring.  Inside a window the bounds are those of
 * its blocks.  Bounds and sums in passing only decide what is looked at; a score is summed anew in
 * query order before it counts.
 */
#include "words/words_int.h"

#include <stdlib.h>

#define SHALLOW_MAX 8       /* blocks whose pairs are worth looking at for one window */
#define WINDOW_MIN  512     /* documents: below it the bounds cost more than they spare */
#define SPARSE      256     /* a list with fewer than one document in so many */
#define AHEAD_BLOCKS 1024   /* a list of fewer blocks is fetched in one piece: some 200 KB */
#define AHEAD_ZONES 64      /* whose lengths are fetched in one piece where they are not in memory: a byte a document */

struct lane {
	struct mem_postings list;
	const struct words_clause *clause;
	double most;         /* bound of the whole list */
	double here;         /* bound in the window */
	uint32_t block;      /* holds the first document at or after the window's start, or the end */
	uint32_t bounded;    /* block that `bound` is of */
	double bound;
	uint32_t probed;     /* document that was looked for last, and its tf */
	uint32_t tf;
};

struct words_eval {
	struct words_search *s;
	struct mem_seg *seg;
	struct lane *lanes;  /* in query order */
	size_t n;
	struct lane **order; /* what brings candidates, by rising `most` */
	size_t norder;
	struct lane **local; /* the same by rising `here` */
	struct lane **nots;
	size_t nnots;
	struct lane **filters; /* MUST that bring nothing, by rising length */
	size_t nfilters;
	struct lane *lead;   /* the shortest other MUST */
	bool bare;           /* a filter led to the candidate: what the query asks for may not be there */

	unsigned columns;    /* that are read */
	struct mem_cols cols;
	enum mem_pass pass;
	bool bits_ready, lengths_ready;
	uint64_t bits[MEM_ZONE_DOCS / 64];    /* what passes, unless all does */
	bool none;                            /* of them is set */
	uint32_t ahead;                       /* zone up to which lengths were fetched */
	const uint8_t *lengths;          /* of the zone, at most 255: in its column, or in `clipped` */

	struct mem_id *after;            /* by zone: no document of it or a later one is below */
	size_t after_cap;
	bool after_known;
	uint64_t cut_changes;
	uint32_t cut_zone;
	double cut;

	uint64_t touched[MEM_ZONE_DOCS / 64]; /* candidates of the window; none between windows */

	/* Ten pages, of which few are used: no zeros at first. */
	double sums[MEM_ZONE_DOCS];           /* set for those touched */
	uint8_t clipped[MEM_ZONE_DOCS];
};

static bool
has_eval_failed(const struct words_eval *e)
{
	return e->seg->status != MEM_OK || e->s->topk.status != MEM_OK;
}

/* ---- zones ------------------------------------------------------------ */

static bool
enter_zone(struct words_eval *e, uint32_t zone)
{
	if (e->cols.zone == zone)
		return true;
	e->bits_ready = e->lengths_ready = false;
	if (!mem_cols_reach(&e->cols, e->seg, zone, e->columns))
		return false;
	e->pass = e->s->filter != NULL ? mem_filter_zone(e->s->filter, &e->cols) : MEM_PASS_ALL;
	return true;
}

/*
 * A window reads all lengths of its zone, and mostly those of the next ones too.  On a cold page cache each zone is a
 * page fault of its own, and so a read from disk.
 */
static void
fetch_lengths_ahead(struct words_eval *e)
{
	const struct mem_zone *z = &e->cols.z;
	size_t room;
	if (e->cols.zone < e->ahead)
		return;
	e->ahead = e->cols.zone + AHEAD_ZONES;
	const uint8_t *p = mem_seg_look(e->seg, MEM_SEC_LEN, z->at[MEM_COL_LEN], &room);
	if (p != NULL)
		mem_txn_prefetch(e->s->t, mem_key(p, room < AHEAD_ZONES * MEM_ZONE_DOCS ? room : AHEAD_ZONES * MEM_ZONE_DOCS));
}

/* Each window verifies its own. */
static void
load_zone_lengths(struct words_eval *e)
{
	const struct mem_cols *c = &e->cols;
	if (e->lengths_ready)
		return;
	e->lengths_ready = true;
	e->lengths = e->clipped;
	if (c->z.width[MEM_COL_LEN] > 0)
		fetch_lengths_ahead(e);
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
find_lowest_ids(struct words_eval *e)
{
	uint64_t zones = e->seg->m.sec[MEM_SEC_ZONE].count;
	e->after = mem_grow(e->after, &e->after_cap, zones, sizeof *e->after);
	e->after_known = true;
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
score_cut_at(struct words_eval *e, uint32_t doc)
{
	const struct mem_topk *topk = &e->s->topk;
	uint32_t zone = doc / MEM_ZONE_DOCS;
	if (topk->changes == e->cut_changes && zone == e->cut_zone)
		return e->cut;
	bool is_full = topk->n == topk->limit;
	if (is_full && !e->after_known)
		find_lowest_ids(e);
	e->cut = mem_topk_cut(topk, is_full && !has_eval_failed(e) ? &e->after[zone] : NULL);
	e->cut_changes = topk->changes;
	e->cut_zone = zone;
	return e->cut;
}

/* ---- lanes ------------------------------------------------------------ */

static double
lane_block_bound(struct words_eval *e, struct lane *l, uint32_t block)
{
	if (!mem_postings_skips(&l->list))
		return l->most;
	if (l->bounded != block) {
		l->bounded = block;
		l->bound = l->clause->top * words_bm25_bound(&e->s->bm25,
		    l->list.skip + MEM_SKIP_SIZE * (size_t)block + 8);
	}
	return l->bound;
}

static uint32_t
lane_block_last(const struct lane *l, uint32_t block)
{
	return mem_postings_skips(&l->list) ? mem_postings_last(&l->list, block)
	    : l->list.docs[l->list.n - 1];
}

static uint32_t
seek_lane_block(const struct lane *l, uint32_t from, uint32_t doc)
{
	if (mem_postings_skips(&l->list))
		return mem_postings_seek(&l->list, from, doc);
	return l->list.docs[l->list.n - 1] < doc;
}

static uint32_t
place_in_block(const struct mem_postings *l, uint32_t doc)
{
	return (uint32_t)mem_count_below(l->docs, l->n, doc);
}

/* tf in the document, 0: not there.  Documents are asked for in rising order. */
static uint32_t
probe_lane(struct lane *l, uint32_t doc)
{
	if (l->probed == doc)
		return l->tf;
	l->probed = doc;
	l->tf = 0;
	l->block = seek_lane_block(l, l->block, doc);
	if (l->block < l->list.nblocks && mem_postings_load(&l->list, l->block)) {
		uint32_t i = place_in_block(&l->list, doc);
		if (i < l->list.n && l->list.docs[i] == doc && mem_postings_tfs(&l->list))
			l->tf = l->list.tfs[i];
	}
	return l->tf;
}

/* The most the lane can add to a document in [lo, hi); moves it to lo. */
static double
lane_range_bound(struct words_eval *e, struct lane *l, uint32_t lo, uint32_t hi)
{
	l->block = seek_lane_block(l, l->block, lo);
	if (l->block == l->list.nblocks)
		return 0;
	if (l->list.block == l->block && lane_block_last(l, l->block) >= hi) {
		uint32_t i = place_in_block(&l->list, lo);
		if (i < l->list.n && l->list.docs[i] >= hi)
			return 0;
	}
	double best = 0;
	for (uint32_t b = l->block; b < l->list.nblocks; b++) {
		if (b - l->block == SHALLOW_MAX)
			return l->most;
		double bound = lane_block_bound(e, l, b);
		best = bound > best ? bound : best;
		if (lane_block_last(l, b) >= hi - 1)
			break;
	}
	return best;
}

/* ---- what passes ------------------------------------------------------ */

/* Takes the bits of documents of the zone that the lane does not hold. */
static void
keep_lane_docs(struct words_eval *e, struct lane *l)
{
	uint64_t has[MEM_ZONE_DOCS / 64] = { 0 };
	const uint32_t first = e->cols.first, n = e->cols.n;
	l->block = seek_lane_block(l, l->block, first);
	for (uint32_t b = l->block; b < l->list.nblocks; b++) {
		if (!mem_postings_load(&l->list, b))
			return;
		for (uint32_t k = b == l->block ? place_in_block(&l->list, first) : 0; k < l->list.n; k++) {
			uint32_t i = l->list.docs[k] - first;
			if (i >= n)
				break;
			has[i / 64] |= (uint64_t)1 << (i % 64);
		}
		if (lane_block_last(l, b) >= first + n - 1)
			break;
	}
	for (size_t i = 0; i < MEM_COUNT(has); i++)
		e->bits[i] &= has[i];
}

/* The bits, NULL where all passes. */
static const uint64_t *
load_zone_bits(struct words_eval *e)
{
	if (e->pass == MEM_PASS_ALL && e->nfilters == 0)
		return NULL;
	if (e->bits_ready)
		return e->bits;
	e->bits_ready = true;
	if (e->pass == MEM_PASS_SOME && mem_cols_verify(&e->cols, e->seg, e->columns & ~(1U << MEM_COL_LEN), 0, e->cols.n))
		mem_filter_bits(e->s->filter, &e->cols, e->bits);
	else
		memset(e->bits, 255, sizeof e->bits);
	for (size_t k = 0; k < e->nfilters; k++)
		keep_lane_docs(e, e->filters[k]);
	uint64_t any = 0;
	for (size_t i = 0; i < MEM_COUNT(e->bits); i++)
		any |= e->bits[i];
	e->none = any == 0;
	return e->bits;
}

/* The same of one document that `lead` brought. */
static bool
is_doc_wanted(struct words_eval *e, const struct lane *lead, uint32_t doc)
{
	uint32_t i = doc - e->cols.first;
	if (e->pass == MEM_PASS_NONE || (e->pass == MEM_PASS_SOME
	    && !(mem_cols_verify(&e->cols, e->seg, e->columns, i, 1) && mem_filter_doc(e->s->filter, &e->cols, i))))
		return false;
	for (size_t k = 0; k < e->nfilters; k++)
		if (e->filters[k] != lead && probe_lane(e->filters[k], doc) == 0)
			return false;
	return true;
}

/* ---- candidates ------------------------------------------------------- */

static void
offer_scored_doc(struct words_eval *e, uint32_t doc, uint32_t i)
{
	uint32_t length = mem_cols_length(&e->cols, i);
	double score = 0;
	bool asked = !e->bare;
	for (size_t k = 0; k < e->n; k++) {
		struct lane *l = &e->lanes[k];
		if (l->clause->top > 0 || (!asked && l->clause->brings)) {
			uint32_t tf = probe_lane(l, doc);
			asked |= tf > 0;
			if (tf > 0)
				score += l->clause->top * words_bm25_gain(&e->s->bm25, tf, length);
		}
	}
	if (!asked)
		return;
	struct mem_topk_candidate top = { .score = mem_score_round(score), .seg = e->seg, .doc = doc,
		.rising = e->cols.z.rising != 0, .id_min = e->cols.z.id_min, .id_max = e->cols.z.id_max };
	if (!has_eval_failed(e))
		mem_topk_offer(&e->s->topk, &top);
}

/* `sum` is what the lanes from rest[nrest] on add to the document; those in rest, by rising
 * bound, are asked one by one while it can still reach the cut. */
static void
consider_doc(struct words_eval *e, uint32_t doc, double sum, struct lane **rest, size_t nrest, double most)
{
	if (mem_seg_is_dead(e->seg, doc))
		return;
	double cut = score_cut_at(e, doc);
	uint32_t i = doc - e->cols.first;
	uint32_t length = mem_cols_length(&e->cols, i);
	for (size_t k = nrest; k-- > 0;) {
		struct lane *l = rest[k];
		most -= l->here;
		l->block = seek_lane_block(l, l->block, doc);
		double bound = l->block < l->list.nblocks ? lane_block_bound(e, l, l->block) : 0;
		if (sum + most + bound < cut)
			return;
		uint32_t tf = probe_lane(l, doc);
		if (tf == 0 && l->clause->c->occur == MEM_MUST)
			return;
		if (tf > 0)
			sum += l->clause->top * words_bm25_gain(&e->s->bm25, tf, length);
		if (sum + most < cut)
			return;
	}
	for (size_t k = 0; k < e->nnots; k++)
		if (probe_lane(e->nots[k], doc) > 0)
			return;
	offer_scored_doc(e, doc, i);
}

/* ---- one sparse lane leads -------------------------------------------- */

/* The lead's documents in [lo, hi), all in its decoded block. */
static uint32_t
consider_lead_block(struct words_eval *e, struct lane *lead, uint32_t lo, uint32_t hi, size_t nrest, double most)
{
	struct mem_postings *l = &lead->list;
	if (!mem_postings_load(l, lead->block) || !mem_postings_tfs(l))
		return hi;
	for (uint32_t k = place_in_block(l, lo); k < l->n && l->docs[k] < hi && !has_eval_failed(e); k++) {
		uint32_t doc = l->docs[k];
		if (doc < lo || !enter_zone(e, doc / MEM_ZONE_DOCS)
		    || !mem_cols_verify(&e->cols, e->seg, 1U << MEM_COL_LEN, doc - e->cols.first, 1))
			continue;
		double sum = lead->clause->top * words_bm25_gain(&e->s->bm25, l->tfs[k],
		    mem_cols_length(&e->cols, doc - e->cols.first));
		if (sum + most >= score_cut_at(e, doc) && is_doc_wanted(e, lead, doc))
			consider_doc(e, doc, sum, e->local, nrest, most);
	}
	return hi;
}

static uint32_t
step_lead(struct words_eval *e, struct lane *lead, uint32_t lo, uint32_t hi)
{
	lead->block = seek_lane_block(lead, lead->block, lo);
	if (lead->block == lead->list.nblocks)
		return hi;
	uint32_t last = lane_block_last(lead, lead->block);
	if (last < hi - 1)
		hi = last + 1;
	double most = 0;
	size_t nrest = 0;
	for (size_t k = 0; k < e->norder; k++) {
		struct lane *l = e->order[k];
		if (l == lead)
			continue;
		l->here = l->most;
		most += l->here;
		e->local[nrest++] = l;
	}
	if (lane_block_bound(e, lead, lead->block) + most < score_cut_at(e, lo))
		return hi;
	e->bare = !lead->clause->brings;
	return consider_lead_block(e, lead, lo, hi, nrest, most);
}

/* ---- windows ---------------------------------------------------------- */

struct score_window {
	uint32_t lo, hi;   /* documents, inside the current zone */
	uint32_t first, last; /* words of bits that they touch */
	size_t nrest;      /* of e->local: lanes that have not been added */
	double most;       /* that those can add */
};

/* Adds one lane's postings in the window to the sums: those with their bit in `only` (NULL: all),
 * whose bits also go to `met`. */
static void
add_lane_gains(struct words_eval *e, struct lane *l, const struct score_window *w, const uint64_t *only,
    uint64_t *met)
{
	const struct words_bm25 *m = &e->s->bm25;
	const double top = l->clause->top;
	const uint32_t first = e->cols.first, lo = w->lo, width = w->hi - w->lo;
	for (uint32_t b = l->block; b < l->list.nblocks; b++) {
		if (!mem_postings_load(&l->list, b))
			return;
		for (uint32_t k = b == l->block ? place_in_block(&l->list, lo) : 0; k < l->list.n; k++) {
			uint32_t doc = l->list.docs[k], i = doc - first;
			if (doc - lo >= width)
				break;
			uint64_t bit = (uint64_t)1 << (i % 64);
			if ((only != NULL && (only[i / 64] & bit) == 0) || !mem_postings_tfs(&l->list))
				continue;
			uint32_t tf = l->list.tfs[k], len = e->lengths[i];
			double gain = tf < WORDS_GAIN_TF && len < 255 ? m->gain[tf][len]
			    : words_bm25_gain(m, tf, mem_cols_length(&e->cols, i));
			bool again = (e->touched[i / 64] & bit) != 0;
			e->sums[i] = (again ? e->sums[i] : 0) + top * gain;
			met[i / 64] |= bit;
		}
		if (lane_block_last(l, b) >= w->hi - 1)
			break;
	}
}

/* Keeps the candidates that can still reach the cut; returns how many. */
static uint32_t
sift_candidates(struct words_eval *e, const struct score_window *w, double cut)
{
	uint32_t n = 0;
	for (uint32_t k = w->first; k <= w->last; k++) {
		uint64_t left = 0;
		for (uint64_t word = e->touched[k]; word != 0; word &= word - 1) {
			uint64_t bit = word & -word;
			bool stays = e->sums[k * 64 + (uint32_t)__builtin_ctzll(word)] + w->most >= cut;
			left |= bit & -(uint64_t)stays; /* no branch: nobody can predict it */
			n += stays;
		}
		e->touched[k] = left;
	}
	return n;
}

/* Adds the lanes that are left while that costs less than to look into them for each candidate;
 * those are for consider_doc. */
static void
add_rest_lanes(struct words_eval *e, struct score_window *w, double cut)
{
	enum { PROBE_COST = 16 }; /* of a posting walked over */
	uint32_t n = sift_candidates(e, w, cut);
	while (n > 0 && w->nrest > 0) {
		struct lane *l = e->local[w->nrest - 1];
		uint64_t there = (uint64_t)l->list.df * (w->hi - w->lo) / e->seg->m.docs;
		if (there > (uint64_t)n * PROBE_COST)
			return;
		uint64_t hits[MEM_ZONE_DOCS / 64] = { 0 };
		add_lane_gains(e, l, w, e->touched, hits);
		w->nrest--;
		w->most -= l->here;
		if (l->clause->c->occur == MEM_MUST)
			for (uint32_t k = w->first; k <= w->last; k++)
				e->touched[k] &= hits[k];
		n = sift_candidates(e, w, cut);
	}
}

static void
consider_window(struct words_eval *e, const struct score_window *w)
{
	const uint32_t first = e->cols.first;
	double cut = score_cut_at(e, w->lo);
	uint64_t changes = e->s->topk.changes;
	for (uint32_t k = w->first; k <= w->last && !has_eval_failed(e); k++)
		for (uint64_t word = e->touched[k]; word != 0; word &= word - 1) {
			uint32_t i = k * 64 + (uint32_t)__builtin_ctzll(word);
			if (e->sums[i] + w->most < cut)
				continue;
			consider_doc(e, first + i, e->sums[i], e->local, w->nrest, w->most);
			if (e->s->topk.changes != changes) {
				changes = e->s->topk.changes;
				cut = score_cut_at(e, w->lo);
			}
		}
}

/* Orders the lanes by their bounds in the window, so that the first `nrest` cannot reach the cut
 * together.  Where a lane leads, all others are the rest, MUST last, since that comes first. */
static void
order_window_lanes(struct words_eval *e, struct score_window *w, double cut)
{
	size_t n = 0;
	for (size_t k = 0; k < e->norder; k++) {
		struct lane *l = e->order[k];
		bool must = l->clause->c->occur == MEM_MUST;
		if (l == e->lead)
			continue;
		size_t at = n++;
		for (; at > 0; at--) {
			const struct lane *other = e->local[at - 1];
			bool others = other->clause->c->occur == MEM_MUST;
			if (must != others ? must : other->here <= l->here)
				break;
			e->local[at] = e->local[at - 1];
		}
		e->local[at] = l;
	}
	w->nrest = 0;
	w->most = 0;
	if (e->lead != NULL)
		e->local[n] = e->lead;
	while (w->nrest < n
	    && (e->lead != NULL || w->most + e->local[w->nrest]->here < cut))
		w->most += e->local[w->nrest++]->here;
}

/* Where the window ends: with the zone, or with the first block of a lane that brings candidates. */
static uint32_t
find_window_end(struct words_eval *e, uint32_t lo, uint32_t hi, size_t nidle)
{
	uint32_t end = e->cols.first + e->cols.n, near = UINT32_MAX;
	if (end < hi)
		hi = end;
	for (size_t k = nidle; k < e->norder; k++) {
		struct lane *l = e->order[k];
		if (e->lead != NULL && l != e->lead)
			continue;
		l->block = seek_lane_block(l, l->block, lo);
		if (l->block < l->list.nblocks && lane_block_last(l, l->block) < near)
			near = lane_block_last(l, l->block);
	}
	if (near < lo + WINDOW_MIN)
		near = lo + WINDOW_MIN;
	return near < hi - 1 ? near + 1 : hi;
}

static uint32_t
step_window(struct words_eval *e, uint32_t lo, uint32_t hi, size_t nidle)
{
	if (!enter_zone(e, lo / MEM_ZONE_DOCS))
		return hi;
	const uint64_t *bits = e->pass != MEM_PASS_NONE ? load_zone_bits(e) : NULL;
	if (e->pass == MEM_PASS_NONE || (bits != NULL && e->none))
		return e->cols.first + e->cols.n < hi ? e->cols.first + e->cols.n : hi;
	hi = find_window_end(e, lo, hi, nidle);
	struct score_window w = { .lo = lo, .hi = hi, .first = (lo - e->cols.first) / 64,
		.last = (hi - 1 - e->cols.first) / 64 };
	double cut = score_cut_at(e, lo), most = 0;
	for (size_t k = 0; k < e->norder; k++) {
		e->order[k]->here = lane_range_bound(e, e->order[k], lo, hi);
		most += e->order[k]->here;
	}
	if (most < cut)
		return hi;
	order_window_lanes(e, &w, cut);
	e->bare = false;
	load_zone_lengths(e);
	if (!mem_cols_verify(&e->cols, e->seg, 1U << MEM_COL_LEN, lo - e->cols.first, hi - lo))
		return hi;
	for (size_t k = w.nrest; k < e->norder; k++)
		add_lane_gains(e, e->local[k], &w, bits, e->touched);
	add_rest_lanes(e, &w, cut);
	consider_window(e, &w);
	memset(e->touched + w.first, 0, (w.last + 1 - w.first) * sizeof *e->touched);
	return hi;
}

/* A list so thin that a window would hold few of it. */
static bool
is_lane_sparse(const struct words_eval *e, const struct lane *l)
{
	return l->list.df < e->seg->m.docs / SPARSE;
}

static void
eval_span(struct words_eval *e, uint32_t lo, uint32_t hi)
{
	while (lo < hi && !has_eval_failed(e)) {
		double cut = score_cut_at(e, lo), idle = 0;
		size_t nidle = 0;
		while (nidle < e->norder && idle + e->order[nidle]->most < cut)
			idle += e->order[nidle++]->most;
		if (nidle == e->norder)
			return;
		struct lane *lead = e->lead;
		if (e->nfilters > 0 && is_lane_sparse(e, e->filters[0])
		    && (lead == NULL || e->filters[0]->list.df < lead->list.df))
			lead = e->filters[0];
		if (lead == NULL && nidle + 1 == e->norder)
			lead = e->order[nidle];
		if (lead != NULL && is_lane_sparse(e, lead))
			lo = step_lead(e, lead, lo, hi);
		else
			lo = step_window(e, lo, hi, nidle);
	}
}

/* ---- setting out ------------------------------------------------------ */

static bool
open_lane(struct words_eval *e, struct lane *l, const struct words_clause *c, uint64_t ref)
{
	l->clause = c;
	l->block = 0;
	l->bounded = l->probed = UINT32_MAX;
	l->here = 0;
	if (!mem_postings_open(&l->list, e->seg, ref, false))
		return false;
	if (mem_postings_skips(&l->list)) {
		uint8_t pairs[2 * MEM_PAIRS];
		struct mem_str blocks;
		if (l->list.nblocks < AHEAD_BLOCKS && mem_postings_span(&l->list, &blocks))
			mem_txn_prefetch(e->s->t, blocks);
		memcpy(pairs, &l->list.pairs, sizeof pairs);
		l->most = c->top * words_bm25_bound(&e->s->bm25, pairs);
		return true;
	}
	if (!mem_postings_load(&l->list, 0) || !mem_postings_tfs(&l->list))
		return false;
	uint32_t tf = 1;
	for (uint32_t i = 0; i < l->list.n; i++)
		tf = l->list.tfs[i] > tf ? l->list.tfs[i] : tf;
	l->most = c->top * words_bm25_gain(&e->s->bm25, tf, 0);
	return true;
}

static void
sort_lane(struct words_eval *e, struct lane *l)
{
	if (l->clause->c->occur == MEM_MUST_NOT) {
		e->nots[e->nnots++] = l;
		return;
	}
	if (!l->clause->brings) {
		size_t at = e->nfilters++;
		for (; at > 0 && e->filters[at - 1]->list.df > l->list.df; at--)
			e->filters[at] = e->filters[at - 1];
		e->filters[at] = l;
		return;
	}
	if (l->clause->c->occur == MEM_MUST
	    && (e->lead == NULL || l->list.df < e->lead->list.df))
		e->lead = l;
	size_t at = e->norder++;
	for (; at > 0 && e->order[at - 1]->most > l->most; at--)
		e->order[at] = e->order[at - 1];
	e->order[at] = l;
}

/* False when no document of the segment can match, or on damage. */
static bool
open_segment_lanes(struct words_eval *e, struct mem_search_seg *g)
{
	const struct words_search *s = e->s;
	e->seg = &g->seg;
	e->cols.zone = e->cut_zone = UINT32_MAX;
	e->ahead = 0;
	e->n = e->norder = e->nnots = e->nfilters = 0;
	e->lead = NULL;
	e->after_known = false;
	for (size_t i = 0; i < s->n; i++) {
		if (g->refs[i] == UINT64_MAX) {
			if (s->clauses[i].c->occur == MEM_MUST)
				return false;
			continue;
		}
		struct lane *l = &e->lanes[e->n++];
		if (!open_lane(e, l, &s->clauses[i], g->refs[i]))
			return false;
		sort_lane(e, l);
	}
	return e->norder > 0;
}

struct words_eval *
words_eval_new(struct words_search *s)
{
	struct words_eval *e = mem_xmalloc(sizeof *e);
	memset(e, 0, offsetof(struct words_eval, sums));
	e->s = s;
	e->columns = 1U << MEM_COL_LEN | mem_filter_columns(s->filter);
	e->lanes = mem_xcalloc(s->n, sizeof *e->lanes);
	e->order = mem_xcalloc(4 * s->n, sizeof *e->order);
	e->local = e->order + s->n;
	e->nots = e->local + s->n;
	e->filters = e->nots + s->n;
	return e;
}

void
words_eval_free(struct words_eval *e)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->s->n; i++)
		mem_postings_release(&e->lanes[i].list);
	free(e->lanes);
	free(e->order);
	free(e->after);
	free(e);
}

enum mem_status
words_eval_segment(struct words_eval *e, struct mem_search_seg *g)
{
	if (open_segment_lanes(e, g))
		for (size_t i = 0; i < g->nspans && !has_eval_failed(e); i++)
			eval_span(e, g->spans[i].lo, g->spans[i].hi);
	return g->seg.status != MEM_OK ? g->seg.status : e->s->topk.status;
}
