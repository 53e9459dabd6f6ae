/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of nodes that another signal has found. */
#include "words/words_int.h"
#include "store/node.h"

#include <stdlib.h>

struct rescored_node {
	uint32_t ord, doc;
	size_t at;              /* in the caller's list */
};

struct rescore {
	struct words_plan *p;
	struct rescored_node *all;      /* by segment, then document */
	size_t n;
	struct mem_postings *lists; /* one for each clause */
	double *out;
};

static int
compare_nodes_by_doc(const void *a, const void *b)
{
	const struct rescored_node *x = a, *y = b;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

/* ---- the tail --------------------------------------------------------- */

/* Documents lie in the tail as they came, not by ord. */
static int
compare_matches_by_ord(const void *a, const void *b)
{
	const struct rescored_node *x = a, *y = b;
	return x->ord < y->ord ? -1 : x->ord > y->ord;
}

static void
rescore_tail(const struct words_plan *p, const uint32_t *ords, size_t n, double *out)
{
	struct rescored_node *matches = mem_xcalloc(p->ntail, sizeof *matches);
	for (size_t i = 0; i < p->ntail; i++)
		matches[i] = (struct rescored_node){ .ord = p->tail[i].ord, .at = i };
	if (p->ntail > 0)
		qsort(matches, p->ntail, sizeof *matches, compare_matches_by_ord);
	for (size_t k = 0; k < n; k++) {
		const struct rescored_node want = { .ord = ords[k] };
		const struct rescored_node *m = bsearch(&want, matches, p->ntail, sizeof *matches, compare_matches_by_ord);
		if (m == NULL)
			continue;
		double score = 0;
		for (size_t i = 0; i < p->s.n; i++) {
			uint32_t tf = p->tail_tfs[m->at * p->s.n + i];
			if (tf > 0 && p->s.clauses[i].top > 0)
				score += p->s.clauses[i].top * words_bm25_gain(&p->s.bm25, tf, p->tail[m->at].length);
		}
		out[k] = mem_score_round(score);
	}
	free(matches);
}

/* ---- segments --------------------------------------------------------- */

static uint32_t
find_doc_tf(struct mem_postings *l, uint32_t doc)
{
	uint32_t block = mem_postings_skips(l) ? mem_postings_seek(l, 0, doc) : 0;
	if (block >= l->nblocks || !mem_postings_load(l, block))
		return 0;
	size_t i = mem_count_below(l->docs, l->n, doc);
	return i < l->n && l->docs[i] == doc && mem_postings_tfs(l) ? l->tfs[i] : 0;
}

/* The same sum in the same order as a search makes. */
static void
rescore_doc(struct rescore *s, struct mem_search_seg *g, struct mem_cols *c, const struct rescored_node *k)
{
	const struct words_search *search = &s->p->s;
	if (c->zone != k->doc / MEM_ZONE_DOCS
	    && !mem_cols_load(c, &g->seg, k->doc / MEM_ZONE_DOCS, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
		return;
	uint32_t length = mem_cols_length(c, k->doc - c->first);
	double score = 0;
	for (size_t i = 0; i < search->n; i++) {
		if (g->refs[i] == UINT64_MAX || !(search->clauses[i].top > 0))
			continue;
		uint32_t tf = find_doc_tf(&s->lists[i], k->doc);
		if (tf > 0)
			score += search->clauses[i].top * words_bm25_gain(&search->bm25, tf, length);
	}
	s->out[k->at] = mem_score_round(score);
}

/* Which namespace the node is in need not be looked up where there are few to look in. */
static enum mem_status
find_node_doc(const struct words_search *s, struct mem_search_seg *g, struct mem_cols *c, uint32_t ord, uint32_t *doc, bool *found)
{
	enum { FEW = 4 };
	const struct mem_attr *a;
	for (size_t i = 0; s->scope.nns <= FEW && i < s->scope.nns && !*found; i++)
		*found = mem_seg_doc(&g->seg, c, s->scope.ns[i], ord, doc);
	if (s->scope.nns <= FEW)
		return g->seg.status;
	enum mem_status st = mem_attr_at(s->t, ord, &a, s->err);
	if (st == MEM_OK && mem_scope_sees(&s->scope, a->ns))
		*found = mem_seg_doc(&g->seg, c, a->ns, ord, doc);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(s->t, ord);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
rescore_segment(struct rescore *s, struct mem_search_seg *g, const uint32_t *ords, size_t n)
{
	struct words_search *search = &s->p->s;
	struct mem_cols c = { .zone = UINT32_MAX };
	enum mem_status st = MEM_OK;
	s->n = 0;
	for (size_t k = 0; k < n && st == MEM_OK; k++) {
		uint32_t doc;
		bool found = false;
		if (ords[k] >= g->seg.m.ord_min && ords[k] <= g->seg.m.ord_max)
			st = find_node_doc(search, g, &c, ords[k], &doc, &found);
		if (found && !mem_seg_is_dead(&g->seg, doc))
			s->all[s->n++] = (struct rescored_node){ ords[k], doc, k };
	}
	if (st != MEM_OK || s->n == 0)
		return st != MEM_OK ? st : g->seg.status;
	qsort(s->all, s->n, sizeof *s->all, compare_nodes_by_doc);
	for (size_t i = 0; i < search->n; i++)
		if (g->refs[i] != UINT64_MAX && !mem_postings_open(&s->lists[i], &g->seg, g->refs[i], false))
			return g->seg.status;
	for (size_t i = 0; i < s->n && g->seg.status == MEM_OK; i++)
		rescore_doc(s, g, &c, &s->all[i]);
	return g->seg.status;
}

/* ---- the whole -------------------------------------------------------- */

static enum mem_status
rescore_nodes(struct words_plan *p, const uint32_t *ords, size_t n, double *out)
{
	struct rescore s = { .p = p, .out = out };
	s.all = mem_xcalloc(n, sizeof *s.all);
	s.lists = mem_xcalloc(p->s.n, sizeof *s.lists);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->nsegs && st == MEM_OK; i++)
		if (p->segs[i].nspans > 0)
			st = rescore_segment(&s, &p->segs[i], ords, n);
	if (st == MEM_OK)
		rescore_tail(p, ords, n, out);
	for (size_t i = 0; i < p->s.n; i++)
		mem_postings_release(&s.lists[i]);
	free(s.lists);
	free(s.all);
	return st;
}

enum mem_status
mem_words_scores(struct mem_txn *t, const struct mem_search_query *q, const uint32_t *ords, size_t n,
    double *scores, struct mem_err *err)
{
	/* Filters take away documents and change no score; these are taken already. */
	struct mem_search_query bare = *q;
	bare.filter = NULL;
	for (size_t i = 0; i < n; i++)
		scores[i] = 0;
	if (n == 0 || q->nns == 0 || q->nclauses == 0)
		return MEM_OK;
	struct words_plan *p = mem_xcalloc(1, sizeof *p);
	p->s.t = t;
	p->s.q = &bare;
	p->s.err = err;
	enum mem_status st = words_plan_query(p);
	if (st == MEM_OK && words_weigh_clauses(&p->s))
		st = rescore_nodes(p, ords, n, scores);
	words_plan_free(p);
	return st;
}
