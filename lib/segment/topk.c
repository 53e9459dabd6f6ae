/* SPDX-License-Identifier: Apache-2.0 */
/* The best hits so far: a heap whose ties are broken by id. */
#include "segment/filter.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "store/node.h"

/* Sums in another order than the query's differ in the last bits; ranking never relies on them. */
#define SLACK 1e-10

static bool
is_topk_full(const struct mem_topk *t)
{
	return t->n == t->limit;
}

double
mem_topk_cut(const struct mem_topk *t, const struct mem_id *after)
{
	double floor = t->min_score, half = 5e-7;
	if (is_topk_full(t)) {
		floor = t->v[0].score;
		if (after != NULL && mem_id_cmp(after, &t->v[0].id_max) > 0)
			return floor + half - SLACK * (1 + floor);
	} else if (!(floor > 0)) {
		return -1; /* whatever matches */
	}
	return floor - half - SLACK * (1 + floor);
}

/* Fills top->ord of a document; false: its segment is damaged (t->status). */
static bool
find_candidate_ord(struct mem_topk *t, struct mem_topk_candidate *top)
{
	if (top->seg == NULL || top->exact)
		return t->status == MEM_OK;
	if (t->cols_of != top->seg)
		t->cols.zone = UINT32_MAX;
	t->cols_of = top->seg;
	if (mem_cols_reach_doc(&t->cols, top->seg, top->doc, 1U << MEM_COL_ORD))
		top->ord = mem_cols_ord(&t->cols, top->doc - t->cols.first);
	else
		t->status = top->seg->status;
	return t->status == MEM_OK;
}

/* Looks up ord and id.  One whose attributes are damaged is no hit and stays unresolved. */
static void
resolve_candidate_id(struct mem_topk *t, struct mem_topk_candidate *top)
{
	const struct mem_attr *attr;
	if (top->exact || t->status != MEM_OK || !find_candidate_ord(t, top))
		return;
	t->status = mem_attr_at(t->t, top->ord, &attr, t->err);
	if (t->status == MEM_DAMAGED) {
		mem_node_damage_note(t->t, top->ord);
		t->status = MEM_OK;
		return;
	}
	if (t->status == MEM_NOTFOUND)
		t->status = mem_err_set(t->err, MEM_FAIL, "the index holds node %u, which is not there: run mem-check --repair",
		    top->ord);
	if (t->status == MEM_OK) {
		memcpy(&top->id_min, &attr->id, sizeof top->id_min);
		top->id_max = top->id_min;
		top->exact = true;
	}
}

/* Of two with the same score, has a the lower id?  Mostly known without a look at either:
 * ids rise with commits, and so with documents. */
static bool
has_lower_id(struct mem_topk *t, struct mem_topk_candidate *a, struct mem_topk_candidate *b)
{
	if (mem_id_cmp(&a->id_max, &b->id_min) < 0)
		return true;
	if (mem_id_cmp(&b->id_max, &a->id_min) < 0)
		return false;
	if (a->seg != NULL && a->seg == b->seg && a->rising
	    && a->doc / MEM_ZONE_DOCS == b->doc / MEM_ZONE_DOCS)
		return a->doc < b->doc;
	resolve_candidate_id(t, a);
	resolve_candidate_id(t, b);
	return mem_id_cmp(&a->id_min, &b->id_min) < 0;
}

static bool
is_worse_candidate(struct mem_topk *t, struct mem_topk_candidate *a, struct mem_topk_candidate *b)
{
	if (a->score < b->score || a->score > b->score)
		return a->score < b->score;
	return has_lower_id(t, b, a);
}

/* Puts `moving` where v[i] was, below which the heap of n, the worst on top, is in order. */
static void
sink_candidate(struct mem_topk *t, size_t n, size_t i, struct mem_topk_candidate moving)
{
	struct mem_topk_candidate *v = t->v;
	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		if (kid + 1 < n && is_worse_candidate(t, &v[kid + 1], &v[kid]))
			kid++;
		if (!is_worse_candidate(t, &v[kid], &moving))
			break;
		v[i] = v[kid];
	}
	v[i] = moving;
}

static void
make_candidate_heap(struct mem_topk *t)
{
	for (size_t i = t->n / 2; i-- > 0;)
		sink_candidate(t, t->n, i, t->v[i]);
}

static bool
is_candidate_admitted(struct mem_topk *t, struct mem_topk_candidate *top)
{
	resolve_candidate_id(t, top);
	return t->status == MEM_OK && top->exact && (t->admit == NULL || t->admit(t->ctx, top->ord));
}

void
mem_topk_offer(struct mem_topk *t, struct mem_topk_candidate *top)
{
	if (top->score < t->min_score || (is_topk_full(t) && !is_worse_candidate(t, &t->v[0], top)))
		return;
	if (t->eager && !is_candidate_admitted(t, top))
		return;
	t->changes++;
	if (is_topk_full(t)) {
		sink_candidate(t, t->n, 0, *top);
		return;
	}
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof *t->v);
	t->v[t->n++] = *top;
	if (is_topk_full(t))
		make_candidate_heap(t);
}

bool
mem_topk_raise(struct mem_topk *t, uint32_t ord, double score, uint16_t passage)
{
	for (size_t i = 0; i < t->n; i++) {
		struct mem_topk_candidate top = t->v[i];
		if (top.ord != ord)
			continue;
		if (score < top.score || (!(score > top.score) && passage > top.passage))
			return true;
		top.score = score;
		top.passage = passage;
		t->v[i] = top;
		if (is_topk_full(t))
			sink_candidate(t, t->n, i, top);
		return true;
	}
	return false;
}

/* Of the best `limit`, of which most are admitted. */
static void
read_attrs_ahead(struct mem_topk *t, size_t limit)
{
	size_t n = 0;
	uint32_t *ords = mem_xcalloc(t->n + 1, sizeof *ords);
	for (size_t i = 0; i < t->n && i < limit && find_candidate_ord(t, &t->v[i]); i++)
		ords[n++] = t->v[i].ord;
	n = mem_numbers_sort_unique(ords, n);
	mem_attrs_read_ahead(t->t, ords, n);
	free(ords);
}

bool
mem_topk_finish(struct mem_topk *t, size_t limit, struct mem_search_hit **hits, size_t *n)
{
	bool all = !is_topk_full(t) || t->eager;
	make_candidate_heap(t);
	for (size_t left = t->n; left > 1;) { /* the worst goes last */
		struct mem_topk_candidate worst = t->v[0];
		left--;
		sink_candidate(t, left, 0, t->v[left]);
		t->v[left] = worst;
	}
	if (t->ahead && !t->eager)
		read_attrs_ahead(t, limit);
	*hits = mem_xcalloc(t->n, sizeof **hits);
	*n = 0;
	for (size_t i = 0; i < t->n && *n < limit && t->status == MEM_OK; i++) {
		struct mem_topk_candidate *top = &t->v[i];
		if (t->eager)
			resolve_candidate_id(t, top);
		else if (!is_candidate_admitted(t, top))
			continue;
		(*hits)[(*n)++] = (struct mem_search_hit){ top->ord, top->score, top->id_min, top->passage };
	}
	return all || *n == limit;
}

double
mem_score_round(double score)
{
	/* Adding 1.5 * 2^52 leaves no bit behind the point: rounds to nearest, halves to even. */
	static const double whole = 6755399441055744.0;
	return (score * 1e6 + whole - whole) / 1e6;
}
