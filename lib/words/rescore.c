/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of nodes that another signal has found, and which of the query's clauses stand in them. */
#include "words/words_int.h"
#include "base/order.h"
#include "store/node.h"

#include <stdlib.h>

struct rescored_node {
	uint32_t ord, doc;
	size_t at;              /* in the caller's list */
};

struct rescore {
	struct words_plan *p;
	const uint64_t *bits;       /* of each clause, in a mask */
	struct rescored_node *all;      /* by segment, then document */
	size_t n;
	struct mem_postings *lists; /* one for each clause */
	const struct mem_words_coverage *out;
};

/* What a clause adds to the coverage of one node. */
struct node_sum {
	double score;
	uint64_t mask;
};

static void
add_clause(struct node_sum *sum, const struct words_search *s, const uint64_t *bits, size_t i, uint32_t tf, uint32_t length)
{
	if (tf == 0)
		return;
	sum->mask |= bits[i];
	if (s->clauses[i].top > 0)
		sum->score += s->clauses[i].top * words_bm25_gain(&s->bm25, tf, length);
}

static void
put_node_sum(const struct mem_words_coverage *out, size_t at, const struct node_sum *sum)
{
	if (out->scores != NULL)
		out->scores[at] = mem_score_round(sum->score);
	if (out->masks != NULL)
		out->masks[at] = sum->mask;
}

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
rescore_tail(const struct words_plan *p, const uint64_t *bits, const uint32_t *ords, size_t n, const struct mem_words_coverage *out)
{
	struct rescored_node *matches = mem_xcalloc(p->ntail, sizeof *matches);
	for (size_t i = 0; i < p->ntail; i++)
		matches[i] = (struct rescored_node){ .ord = p->tail[i].ord, .at = i };
	mem_sort(matches, p->ntail, sizeof *matches, compare_matches_by_ord);
	for (size_t k = 0; k < n; k++) {
		const struct rescored_node want = { .ord = ords[k] };
		const struct rescored_node *m = mem_sorted_find(&want, matches, p->ntail, sizeof *matches, compare_matches_by_ord);
		if (m == NULL)
			continue;
		struct node_sum sum = { 0 };
		for (size_t i = 0; i < p->s.n; i++)
			add_clause(&sum, &p->s, bits, i, p->tail_tfs[m->at * p->s.n + i], p->tail[m->at].length);
		put_node_sum(out, k, &sum);
	}
	free(matches);
}

/* ---- segments --------------------------------------------------------- */

/* Documents are mostly asked for in rising order, so that the next lies in the decoded block or behind it. */
static uint32_t
find_doc_tf(struct mem_postings *l, uint32_t doc)
{
	uint32_t from = l->block < l->nblocks && l->n > 0 && l->docs[0] <= doc ? l->block : 0;
	uint32_t block = mem_postings_skips(l) ? mem_postings_seek(l, from, doc) : 0;
	if (block >= l->nblocks || !mem_postings_load(l, block))
		return 0;
	size_t i = mem_count_below(l->docs, l->n, doc);
	return i < l->n && l->docs[i] == doc && mem_postings_tfs(l) ? l->tfs[i] : 0;
}

/* Is the clause, if it does not score, of one that a mask shows? */
static bool
is_clause_wanted(const struct rescore *s, size_t i)
{
	return s->p->s.clauses[i].top > 0 || (s->out->masks != NULL && s->bits[i] != 0);
}

/* The same sum in the same order as a search makes. */
static void
rescore_doc(struct rescore *s, struct mem_search_seg *g, struct mem_cols *c, const struct rescored_node *k)
{
	const struct words_search *search = &s->p->s;
	if (!mem_cols_reach_doc(c, &g->seg, k->doc, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
		return;
	uint32_t length = mem_cols_length(c, k->doc - c->first);
	struct node_sum sum = { 0 };
	for (size_t i = 0; i < search->n; i++)
		if (g->refs[i] != UINT64_MAX && is_clause_wanted(s, i))
			add_clause(&sum, search, s->bits, i, find_doc_tf(&s->lists[i], k->doc), length);
	put_node_sum(s->out, k->at, &sum);
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
	mem_sort(s->all, s->n, sizeof *s->all, compare_nodes_by_doc);
	for (size_t i = 0; i < search->n; i++)
		if (g->refs[i] != UINT64_MAX && !mem_postings_open(&s->lists[i], &g->seg, g->refs[i], false))
			return g->seg.status;
	for (size_t i = 0; i < s->n && g->seg.status == MEM_OK; i++)
		rescore_doc(s, g, &c, &s->all[i]);
	return g->seg.status;
}

/* ---- the whole -------------------------------------------------------- */

static enum mem_status
rescore_nodes(struct words_plan *p, const uint64_t *bits, const uint32_t *ords, size_t n, const struct mem_words_coverage *out)
{
	struct rescore s = { .p = p, .bits = bits, .out = out };
	s.all = mem_xcalloc(n, sizeof *s.all);
	s.lists = mem_xcalloc(p->s.n, sizeof *s.lists);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->nsegs && st == MEM_OK; i++)
		if (p->segs[i].nspans > 0)
			st = rescore_segment(&s, &p->segs[i], ords, n);
	if (st == MEM_OK)
		rescore_tail(p, bits, ords, n, out);
	for (size_t i = 0; i < p->s.n; i++)
		mem_postings_release(&s.lists[i]);
	free(s.lists);
	free(s.all);
	return st;
}

static void
clear_coverage(const struct mem_words_coverage *out, size_t n, size_t nclauses)
{
	for (size_t i = 0; i < n; i++)
		put_node_sum(out, i, &(struct node_sum){ 0 });
	for (size_t i = 0; i < nclauses; i++) {
		if (out->df != NULL)
			out->df[i] = 0;
		if (out->idf != NULL)
			out->idf[i] = words_bm25_idf(0, 0);
	}
}

/* The clause that stands for clause i in masks and sums: the one that it says again, where that is among them. */
static size_t
find_first_saying(const struct words_search *s, size_t i)
{
	const uint64_t of = s->clauses[i].c->of;
	size_t k = 0;
	while (of != 0 && k < s->n && s->clauses[k].c->hash != of)
		k++;
	return of != 0 && k < s->n ? k : i;
}

static void
put_clause_weights(const struct mem_words_coverage *out, const struct words_search *s)
{
	uint64_t *df = mem_xcalloc(s->n, sizeof *df);
	for (size_t i = 0; i < s->n; i++) {
		size_t k = find_first_saying(s, i);
		df[k] = s->clauses[i].df > df[k] ? s->clauses[i].df : df[k];
	}
	for (size_t i = 0; i < s->n; i++) {
		size_t k = find_first_saying(s, i);
		if (out->df != NULL)
			out->df[i] = df[k];
		if (out->idf != NULL)
			out->idf[i] = k == i ? words_bm25_idf(s->scope.docs, df[k]) : 0;
	}
	free(df);
}

/* OWNS: the bit of each clause. */
static uint64_t *
make_mask_bits(const struct words_search *s)
{
	uint64_t *bits = mem_xcalloc(s->n, sizeof *bits);
	for (size_t i = 0; i < s->n; i++) {
		size_t k = find_first_saying(s, i);
		bits[i] = k < MEM_WORDS_MASK ? UINT64_C(1) << k : 0;
	}
	return bits;
}

/* The query as a plan must see it, so that each node that holds a clause is found: filters take away documents and
 * change no score, and so do demands. */
static struct mem_search_clause *
copy_clauses_without_demands(const struct mem_search_query *q)
{
	struct mem_search_clause *clauses = mem_xcalloc(q->nclauses, sizeof *clauses);
	for (size_t i = 0; i < q->nclauses; i++) {
		clauses[i] = q->clauses[i];
		clauses[i].scored = q->clauses[i].scored && q->clauses[i].occur != MEM_MUST_NOT;
		clauses[i].occur = MEM_SHOULD;
	}
	return clauses;
}

struct mem_words_plan {
	struct words_plan *plan;    /* NULL: there is nothing to look for */
	struct mem_search_query bare;
	struct mem_search_clause *clauses;
	uint64_t *bits;             /* NULL: none of the clauses stands anywhere */
	size_t nclauses;
};

enum mem_status
mem_words_plan_open(struct mem_words_plan **out, struct mem_txn *t, const struct mem_search_query *q, struct mem_err *err)
{
	struct mem_words_plan *p = *out = mem_xcalloc(1, sizeof *p);
	p->nclauses = q->nclauses;
	if (q->nns == 0 || q->nclauses == 0)
		return MEM_OK;
	p->bare = *q;
	p->bare.filter = NULL;
	p->bare.clauses = p->clauses = copy_clauses_without_demands(q);
	p->plan = mem_xcalloc(1, sizeof *p->plan);
	p->plan->s.t = t;
	p->plan->s.q = &p->bare;
	p->plan->s.err = err;
	enum mem_status st = words_plan_query(p->plan);
	if (st == MEM_OK && words_weigh_clauses(&p->plan->s))
		p->bits = make_mask_bits(&p->plan->s);
	return st;
}

enum mem_status
mem_words_plan_cover(struct mem_words_plan *p, const uint32_t *ords, size_t n, const struct mem_words_coverage *out, struct mem_err *err)
{
	clear_coverage(out, n, p->nclauses);
	if (p->plan == NULL)
		return MEM_OK;
	p->plan->s.err = err;
	put_clause_weights(out, &p->plan->s);
	return p->bits != NULL && n > 0 ? rescore_nodes(p->plan, p->bits, ords, n, out) : MEM_OK;
}

void
mem_words_plan_close(struct mem_words_plan *p)
{
	if (p == NULL)
		return;
	if (p->plan != NULL)
		words_plan_free(p->plan);
	free(p->clauses);
	free(p->bits);
	free(p);
}

enum mem_status
mem_words_cover(struct mem_txn *t, const struct mem_search_query *q, const uint32_t *ords, size_t n,
    const struct mem_words_coverage *out, struct mem_err *err)
{
	struct mem_words_plan *p;
	clear_coverage(out, n, q->nclauses);
	enum mem_status st = mem_words_plan_open(&p, t, q, err);
	if (st == MEM_OK)
		st = mem_words_plan_cover(p, ords, n, out, err);
	mem_words_plan_close(p);
	return st;
}

enum mem_status
mem_words_scores(struct mem_txn *t, const struct mem_search_query *q, const uint32_t *ords, size_t n,
    double *scores, struct mem_err *err)
{
	const struct mem_words_coverage out = { .scores = scores };
	if (n == 0)
		return MEM_OK;
	return mem_words_cover(t, q, ords, n, &out, err);
}
