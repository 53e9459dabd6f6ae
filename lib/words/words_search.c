/* SPDX-License-Identifier: Apache-2.0 */
/* A search: segments, tail and statistics of its clauses are planned, then scored. */
#include "words/words_int.h"

#include <stdlib.h>

#include "base/order.h"

/* ---- segments --------------------------------------------------------- */

/* Documents with the term in the visible spans: blocks inside are counted by their records, and those that count no
 * more are looked for. */
static uint64_t
count_visible_docs(struct mem_search_seg *g, struct mem_postings *l)
{
	uint64_t df = 0;
	if (g->nspans == 1 && g->spans[0].lo == 0 && g->spans[0].hi == g->seg.m.docs)
		return l->df - mem_postings_count_dead(l, 0, g->seg.m.docs);
	for (size_t i = 0; i < g->nspans; i++) {
		uint32_t below = mem_postings_rank(l, g->spans[i].lo);
		df += mem_postings_rank(l, g->spans[i].hi) - below;
		df -= mem_postings_count_dead(l, g->spans[i].lo, g->spans[i].hi);
	}
	return df;
}

static bool
find_segment_terms(struct words_search *s, struct mem_search_seg *g, struct mem_postings *l)
{
	g->refs = mem_xcalloc(s->n, sizeof *g->refs);
	for (size_t i = 0; i < s->n; i++) {
		g->refs[i] = UINT64_MAX;
		if (!mem_seg_find(&g->seg, s->clauses[i].c->hash, &g->refs[i])) {
			if (g->seg.status != MEM_OK)
				return false;
			continue;
		}
		if (!mem_postings_open(l, &g->seg, g->refs[i], false))
			return false;
		s->clauses[i].df += count_visible_docs(g, l);
	}
	return g->seg.status == MEM_OK;
}

static enum mem_status
plan_segment(struct words_plan *p, uint32_t number, struct mem_str manifest, struct mem_postings *l)
{
	p->segs = mem_grow(p->segs, &p->segs_cap, p->nsegs + 1, sizeof *p->segs);
	struct mem_search_seg *g = &p->segs[p->nsegs];
	memset(g, 0, sizeof *g);
	enum mem_status st = mem_seg_open_table(&g->seg, p->s.t, number, manifest, p->s.err);
	if (st != MEM_OK)
		return st;
	if (g->seg.m.dims > 0) {
		mem_seg_close(&g->seg);
		return MEM_OK;
	}
	p->nsegs++;
	if (mem_seg_tombs_load(&g->seg, p->s.t) && mem_scope_spans(&p->s.scope, g) && g->nspans > 0
	    && find_segment_terms(&p->s, g, l))
		return MEM_OK;
	return g->seg.status;
}

static enum mem_status
plan_segments(struct words_plan *p)
{
	struct mem_err *err = p->s.err;
	struct mem_cursor *c = NULL;
	struct mem_postings *l = mem_xcalloc(1, sizeof *l);
	enum mem_status st = mem_cursor_open(&c, p->s.t, MEM_T_SEGS, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(c);
		st = key.n != 4 ? mem_err_set(err, MEM_FAIL,
		    "index manifest is damaged: run mem-check --repair")
		    : plan_segment(p, mem_be32_get((const uint8_t *)key.p), mem_cursor_value(c), l);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	mem_postings_release(l);
	free(l);
	return st == MEM_END ? MEM_OK : st;
}

static int
compare_segments_by_size(const void *a, const void *b)
{
	const struct mem_search_seg *x = a, *y = b;
	if (x->seg.m.docs != y->seg.m.docs)
		return x->seg.m.docs < y->seg.m.docs ? 1 : -1;
	return x->seg.number < y->seg.number ? -1 : x->seg.number > y->seg.number;
}

/* ---- the tail --------------------------------------------------------- */

static void
sketch_clauses(struct words_plan *p)
{
	for (size_t i = 0; i < p->s.n; i++) {
		uint32_t bit = (uint32_t)(p->s.clauses[i].c->hash >> 32) % WORDS_SKETCH_BITS;
		p->sketch[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

/* Goes through the document's terms, of which few are a clause's.  False: damage. */
static bool
find_row_clauses(const struct words_plan *p, const struct words_tail_row *row, uint32_t *tfs)
{
	const struct words_search *s = &p->s;
	bool verified = false;
	memset(tfs, 0, s->n * sizeof *tfs);
	for (uint32_t i = 0; i < row->doc.terms; i++) {
		uint32_t bit = mem_ld32(row->high + 4 * (size_t)i) % WORDS_SKETCH_BITS;
		if ((p->sketch[bit / 64] >> bit % 64 & 1) == 0)
			continue;
		if (!verified && !words_tail_verify_rest(row))
			return false;
		verified = true;
		uint64_t term = words_tail_term(row, i);
		for (size_t k = 0; k < s->n; k++)
			if (s->clauses[k].c->hash == term)
				tfs[k] = words_tail_tf(row, i);
	}
	return true;
}

/* Of long texts each clause is looked for.  False: damage. */
static bool
find_clauses_in_row(const struct words_plan *p, const struct words_tail_row *row, uint32_t *tfs)
{
	enum { TERMS_A_CLAUSE = 8 }; /* that are gone through in the time of one look-up */
	const struct words_search *s = &p->s;
	bool sound = true;
	if (row->doc.terms <= TERMS_A_CLAUSE * s->n)
		return find_row_clauses(p, row, tfs);
	for (size_t i = 0; i < s->n; i++)
		tfs[i] = words_tail_find(row, s->clauses[i].c->hash, &sound);
	return sound;
}

static bool
plan_tail_row(struct words_plan *p, const struct words_tail_row *row)
{
	struct words_search *s = &p->s;
	bool wanted = false;
	p->tail_tfs = mem_grow(p->tail_tfs, &p->tfs_cap, (p->ntail + 1) * s->n, sizeof *p->tail_tfs);
	uint32_t *tfs = p->tail_tfs + p->ntail * s->n;
	if (!find_clauses_in_row(p, row, tfs))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		s->clauses[i].df += tfs[i] > 0;
		wanted |= tfs[i] > 0 && s->clauses[i].brings;
	}
	if (!wanted || (s->filter != NULL && !mem_filter_row(s->filter, row->doc.kind, row->doc.role,
	    row->doc.session, row->doc.captured_at)))
		return true;
	p->tail = mem_grow(p->tail, &p->tail_cap, p->ntail + 1, sizeof *p->tail);
	p->tail[p->ntail++] = (struct words_tail_match){ row->doc.ord, row->doc.length, row->doc.id };
	return true;
}

/* False: damage. */
static bool
plan_tail_batch(struct words_plan *p, const struct words_tail_batch *b)
{
	struct words_tail_row row;
	words_tail_first(b, &row);
	uint32_t ns = row.doc.ns;
	bool seen = mem_scope_sees(&p->s.scope, ns);
	do {
		if (row.doc.ns != ns) {
			ns = row.doc.ns;
			seen = mem_scope_sees(&p->s.scope, ns);
		}
		if (seen && !plan_tail_row(p, &row))
			return false;
	} while (words_tail_next(b, &row));
	return true;
}

static enum mem_status
plan_tail(struct words_plan *p)
{
	struct mem_err *err = p->s.err;
	struct mem_cursor *c = NULL;
	struct words_tail_batch b;
	enum mem_status st = mem_cursor_open(&c, p->s.t, MEM_T_TAIL, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK) {
		st = words_tail_parse(&b, mem_cursor_key(c), mem_cursor_value(c), err);
		if (st == MEM_OK)
			st = plan_tail_batch(p, &b) ? mem_cursor_next(c, err) : words_tail_damaged(mem_cursor_key(c), err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* The same sum in the same order as a segment's documents have. */
static void
offer_tail_match(struct words_search *s, const struct words_tail_match *m, const uint32_t *tfs)
{
	double score = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct words_clause *c = &s->clauses[i];
		if ((c->c->occur == MEM_MUST && tfs[i] == 0)
		    || (c->c->occur == MEM_MUST_NOT && tfs[i] > 0))
			return;
		if (tfs[i] > 0 && c->top > 0)
			score += c->top * words_bm25_gain(&s->bm25, tfs[i], m->length);
	}
	struct mem_topk_candidate top = { .score = mem_score_round(score), .ord = m->ord, .exact = true,
		.id_min = m->id, .id_max = m->id };
	mem_topk_offer(&s->topk, &top);
}

/* ---- all of it -------------------------------------------------------- */

static bool
is_candidate_clause(const struct mem_search_clause *c)
{
	return c->occur == MEM_SHOULD || (c->occur == MEM_MUST && c->scored);
}

static size_t
count_clauses(const struct mem_search_query *q)
{
	return q->nclauses + (q->filter != NULL ? q->filter->nterms : 0);
}

/* Those of the query, then the filter's terms.  Where all are filters, they bring what they leave. */
static void
take_clauses(struct words_search *s)
{
	const struct mem_search_query *q = s->q;
	bool any = false;
	s->n = count_clauses(q);
	s->clauses = mem_xcalloc(s->n, sizeof *s->clauses);
	s->terms = mem_xcalloc(s->n - q->nclauses, sizeof *s->terms);
	for (size_t i = 0; i < q->nclauses; i++)
		s->clauses[i].c = &q->clauses[i];
	for (size_t i = q->nclauses; i < s->n; i++) {
		struct mem_search_clause *term = &s->terms[i - q->nclauses];
		*term = mem_filter_clause(&q->filter->terms[i - q->nclauses]);
		s->clauses[i].c = term;
	}
	for (size_t i = 0; i < s->n; i++)
		any |= is_candidate_clause(s->clauses[i].c);
	for (size_t i = 0; i < s->n; i++)
		s->clauses[i].brings = any ? is_candidate_clause(s->clauses[i].c) : s->clauses[i].c->occur == MEM_MUST;
}

enum mem_status
words_plan_query(struct words_plan *p)
{
	struct words_search *s = &p->s;
	mem_scope_init(&s->scope, s->q->ns, s->q->nns);
	s->filter = mem_filter_columns(s->q->filter) != 0 ? s->q->filter : NULL;
	take_clauses(s);
	sketch_clauses(p);
	enum mem_status st = plan_segments(p);
	return st == MEM_OK ? plan_tail(p) : st;
}

bool
words_weigh_clauses(struct words_search *s)
{
	bool any = false;
	words_bm25_init(&s->bm25, s->scope.docs, s->scope.length);
	for (size_t i = 0; i < s->n; i++) {
		struct words_clause *c = &s->clauses[i];
		any |= c->df > 0 && c->brings;
		if (c->c->occur == MEM_MUST && c->df == 0)
			return false;
		if (c->c->scored && c->c->occur != MEM_MUST_NOT)
			c->top = words_bm25_top_score(&s->bm25, s->scope.docs, c->df, c->c->weight);
	}
	return any;
}

/* Every match is offered once. */
static enum mem_status
offer_matches(struct words_plan *p)
{
	enum mem_status st = MEM_OK;
	struct words_eval *e = p->nsegs > 0 ? words_eval_new(&p->s) : NULL;
	for (size_t i = 0; i < p->nsegs && st == MEM_OK; i++)
		if (p->segs[i].nspans > 0)
			st = words_eval_segment(e, &p->segs[i]);
	words_eval_free(e);
	for (size_t i = 0; i < p->ntail && st == MEM_OK; i++) {
		offer_tail_match(&p->s, &p->tail[i], p->tail_tfs + i * p->s.n);
		st = p->s.topk.status;
	}
	return st;
}

/* Refusals are few where they mean that a node was forgotten or superseded; words that all must be there are
 * mostly a phrase, and those are many. */
static void
ready_topk(struct words_search *s, bool eager)
{
	size_t limit = s->q->limit;
	free(s->topk.v);
	s->topk = (struct mem_topk){ .limit = limit, .min_score = s->q->min_score,
		.eager = eager, .ahead = !s->q->alone, .admit = s->q->admit, .ctx = s->q->ctx, .t = s->t, .err = s->err };
	if (!eager && s->q->admit != NULL && limit < SIZE_MAX / 2)
		s->topk.limit += limit / 4 + 4;
}

static enum mem_status
run_search(struct words_plan *p, struct mem_search_hit **hits, size_t *n)
{
	struct words_search *s = &p->s;
	bool phrase = false;
	enum mem_status st = words_plan_query(p);
	if (st != MEM_OK || !words_weigh_clauses(s))
		return st;
	mem_sort(p->segs, p->nsegs, sizeof *p->segs, compare_segments_by_size);
	for (size_t i = 0; i < s->n; i++)
		phrase |= s->clauses[i].c->occur == MEM_MUST && s->clauses[i].c->scored;
	ready_topk(s, phrase && s->q->admit != NULL);
	st = offer_matches(p);
	if (st == MEM_OK && !mem_topk_finish(&s->topk, s->q->limit, hits, n)) {
		free(*hits);
		*hits = NULL;
		ready_topk(s, true);
		st = offer_matches(p);
		if (st == MEM_OK && !mem_topk_finish(&s->topk, s->q->limit, hits, n))
			st = s->topk.status;
	}
	return st == MEM_OK ? s->topk.status : st;
}

void
words_plan_free(struct words_plan *p)
{
	for (size_t i = 0; i < p->nsegs; i++) {
		mem_seg_close(&p->segs[i].seg);
		free(p->segs[i].spans);
		free(p->segs[i].refs);
	}
	free(p->segs);
	free(p->tail);
	free(p->tail_tfs);
	free(p->s.topk.v);
	free(p->s.clauses);
	free(p->s.terms);
	mem_scope_release(&p->s.scope);
	free(p);
}

enum mem_status
mem_words_search(struct mem_txn *t, const struct mem_search_query *q,
    struct mem_search_hit **hits, size_t *n, struct mem_err *err)
{
	struct words_plan *p = mem_xcalloc(1, sizeof *p);
	p->s.t = t;
	p->s.q = q;
	p->s.err = err;
	*hits = NULL;
	*n = 0;
	enum mem_status st = q->limit > 0 && q->nns > 0 && count_clauses(q) > 0 ? run_search(p, hits, n) : MEM_OK;
	if (st != MEM_OK) {
		free(*hits);
		*hits = NULL;
		*n = 0;
	}
	words_plan_free(p);
	return st;
}

enum mem_status
mem_words_df(struct mem_txn *t, const struct mem_ns *ns, size_t nns,
    const uint64_t *hashes, size_t n, uint64_t *df, struct mem_err *err)
{
	struct mem_search_clause *clauses = mem_xcalloc(n, sizeof *clauses);
	for (size_t i = 0; i < n; i++)
		clauses[i].hash = hashes[i];
	struct mem_search_query q = { .clauses = clauses, .nclauses = n, .ns = ns, .nns = nns };
	struct words_plan *p = mem_xcalloc(1, sizeof *p);
	p->s.t = t;
	p->s.q = &q;
	p->s.err = err;
	enum mem_status st = nns > 0 && n > 0 ? words_plan_query(p) : MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		df[i] = nns > 0 ? p->s.clauses[i].df : 0;
	words_plan_free(p);
	free(clauses);
	return st;
}
