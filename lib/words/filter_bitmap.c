/* SPDX-License-Identifier: Apache-2.0 */
/* The clauses of a query that only filter, as a bitmap of nodes. */
#include "words/words_int.h"

#include <stdlib.h>

struct bitmap_build {
	struct mem_txn *t;
	struct mem_err *err;
	uint64_t *bits;
	size_t n;
	uint64_t hash;
	bool keep;          /* set the bits of what holds the term, else clear them */
};

static void
set_node_bit(struct bitmap_build *s, uint32_t ord)
{
	if (ord >= s->n)
		return;
	uint64_t bit = (uint64_t)1 << (ord % 64);
	if (s->keep)
		s->bits[ord / 64] |= bit;
	else
		s->bits[ord / 64] &= ~bit;
}

static bool
take_posting_list(struct bitmap_build *s, struct mem_seg *seg, struct mem_postings *l)
{
	struct mem_cols c = { .zone = UINT32_MAX };
	for (uint32_t b = 0; b < l->nblocks; b++) {
		if (!mem_postings_load(l, b))
			return false;
		for (uint32_t i = 0; i < l->n; i++) {
			if (mem_seg_is_dead(seg, l->docs[i]))
				continue;
			if (!mem_cols_reach_doc(&c, seg, l->docs[i], 1U << MEM_COL_ORD))
				return false;
			set_node_bit(s, mem_cols_ord(&c, l->docs[i] - c.first));
		}
	}
	return true;
}

static enum mem_status
take_segment_postings(struct bitmap_build *s)
{
	struct mem_cursor *c = NULL;
	struct mem_postings *l = mem_xcalloc(1, sizeof *l);
	enum mem_status st = mem_cursor_open(&c, s->t, MEM_T_SEGS, s->err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, s->err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(c);
		struct mem_seg seg;
		uint64_t ref;
		uint32_t number = key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : 0;
		st = mem_seg_open_table(&seg, s->t, number, mem_cursor_value(c), s->err);
		if (st != MEM_OK)
			break;
		bool whole = seg.m.dims > 0 || !mem_seg_find(&seg, s->hash, &ref)
		    || (mem_seg_tombs_load(&seg, s->t) && mem_postings_open(l, &seg, ref, false)
		        && take_posting_list(s, &seg, l));
		st = seg.status;
		mem_seg_close(&seg);
		if (whole && st == MEM_OK)
			st = mem_cursor_next(c, s->err);
	}
	mem_cursor_close(c);
	mem_postings_release(l);
	free(l);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
take_tail_terms(struct bitmap_build *s)
{
	struct mem_cursor *c = NULL;
	struct words_tail_batch b;
	struct words_tail_row row;
	bool sound = true;
	enum mem_status st = mem_cursor_open(&c, s->t, MEM_T_TAIL, s->err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, s->err);
	while (st == MEM_OK) {
		st = words_tail_parse(&b, mem_cursor_key(c), mem_cursor_value(c), s->err);
		if (st != MEM_OK)
			break;
		words_tail_first(&b, &row);
		do
			if (words_tail_find(&row, s->hash, &sound) > 0)
				set_node_bit(s, row.doc.ord);
		while (words_tail_next(&b, &row));
		st = sound ? mem_cursor_next(c, s->err) : words_tail_damaged(mem_cursor_key(c), s->err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
apply_clause(struct bitmap_build *s, const struct mem_search_clause *clause)
{
	size_t words = (s->n + 63) / 64;
	uint64_t *all = s->bits;
	s->hash = clause->hash;
	s->keep = clause->occur == MEM_MUST;
	if (s->keep)
		s->bits = mem_xcalloc(words, sizeof *s->bits);
	enum mem_status st = take_segment_postings(s);
	if (st == MEM_OK)
		st = take_tail_terms(s);
	if (s->keep) {
		for (size_t i = 0; i < words; i++)
			all[i] &= s->bits[i];
		free(s->bits);
		s->bits = all;
	}
	return st;
}

static enum mem_status
count_ords(struct mem_txn *t, size_t *n, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	*n = 0;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_last(c, err);
	if (st == MEM_OK && mem_cursor_key(c).n == 4)
		*n = (size_t)mem_be32_get((const uint8_t *)mem_cursor_key(c).p) + 1;
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* One clause more; before the first all bits are set. */
static enum mem_status
narrow_bitmap(struct bitmap_build *s, const struct mem_search_clause *clause)
{
	enum mem_status st = MEM_OK;
	if (s->bits == NULL) {
		st = count_ords(s->t, &s->n, s->err);
		if (st != MEM_OK)
			return st;
		s->bits = mem_xmalloc((s->n + 63) / 64 * sizeof *s->bits + 8);
		memset(s->bits, 255, (s->n + 63) / 64 * sizeof *s->bits);
	}
	return apply_clause(s, clause);
}

enum mem_status
mem_words_filter_bitmap(struct mem_txn *t, const struct mem_search_query *q, uint64_t **bits, size_t *nbits,
    struct mem_err *err)
{
	struct bitmap_build s = { .t = t, .err = err };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < q->nclauses && st == MEM_OK; i++)
		if (q->clauses[i].occur != MEM_SHOULD)
			st = narrow_bitmap(&s, &q->clauses[i]);
	for (size_t i = 0; q->filter != NULL && i < q->filter->nterms && st == MEM_OK; i++) {
		struct mem_search_clause term = mem_filter_clause(&q->filter->terms[i]);
		st = narrow_bitmap(&s, &term);
	}
	if (st != MEM_OK) {
		free(s.bits);
		s = (struct bitmap_build){ 0 };
	}
	*bits = s.bits;
	*nbits = s.n;
	return st;
}
