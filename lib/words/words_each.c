/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over all documents of the index, with their terms. */
#include "words/words_int.h"
#include "store/node.h"

#include <assert.h>
#include <stdlib.h>

struct doc_visit {
	mem_words_doc_fn *fn;
	void *ctx;
	bool stop;
	struct mem_words_term *terms;
	size_t cap;
};

static void
visit_doc(struct doc_visit *e, struct mem_words_doc *doc, uint16_t kind, uint8_t role, uint32_t session,
    int64_t captured_at, const struct mem_id *id)
{
	struct mem_attr attr = { .ns = doc->ns, .kind = kind, .role = role, .session = session,
		.captured_at = captured_at };
	if (id != NULL)
		attr.id = *id;
	doc->attr = &attr;
	doc->terms = e->terms;
	e->stop = !e->fn(e->ctx, doc);
}

static void
visit_tail_row(struct doc_visit *e, const struct words_tail_row *row)
{
	const struct words_tail_doc *d = &row->doc;
	e->terms = mem_grow(e->terms, &e->cap, d->terms, sizeof *e->terms);
	for (uint32_t i = 0; i < d->terms; i++)
		e->terms[i] = (struct mem_words_term){ words_tail_term(row, i), words_tail_tf(row, i) };
	struct mem_words_doc doc = { .ord = d->ord, .ns = d->ns, .length = d->length,
		.nterms = d->terms };
	visit_doc(e, &doc, d->kind, d->role, d->session, d->captured_at, &d->id);
}

static enum mem_status
visit_tail(struct doc_visit *e, struct mem_txn *t, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct words_tail_batch b;
	struct words_tail_row row;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_TAIL, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK && !e->stop) {
		st = words_tail_parse_all(&b, mem_cursor_key(c), mem_cursor_value(c), err);
		if (st != MEM_OK)
			break;
		words_tail_first(&b, &row);
		do
			visit_tail_row(e, &row);
		while (!e->stop && words_tail_next(&b, &row));
		st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* A stretch of a segment's documents whose terms are brought together. */
struct doc_stretch {
	uint32_t lo, hi;
	struct { uint64_t term; uint32_t doc, tf; } *all;
	size_t n, cap;
	size_t *start;       /* by document, hi - lo + 1 */
	size_t *order;       /* places in `all` by document, then term */
};

static bool
collect_list_postings(struct doc_stretch *s, struct mem_postings *l, uint64_t term)
{
	uint32_t b = mem_postings_skips(l) ? mem_postings_seek(l, 0, s->lo) : 0;
	for (; b < l->nblocks; b++) {
		if (!mem_postings_load(l, b) || !mem_postings_tfs(l))
			return false;
		for (uint32_t i = 0; i < l->n; i++) {
			if (l->docs[i] - s->lo >= s->hi - s->lo)
				continue;
			s->all = mem_grow(s->all, &s->cap, s->n + 1, sizeof *s->all);
			s->all[s->n].term = term;
			s->all[s->n].doc = l->docs[i];
			s->all[s->n++].tf = l->tfs[i];
		}
		if (l->docs[l->n - 1] >= s->hi)
			break;
	}
	return true;
}

static bool
collect_stretch(struct doc_stretch *s, struct mem_seg *seg, struct mem_postings *l)
{
	uint64_t last = 0;
	s->n = 0;
	for (uint64_t i = 0; i < seg->m.sec[MEM_SEC_DICT].count; i++) {
		const uint8_t *p = mem_seg_elem(seg, MEM_SEC_DICT, i);
		if (p == NULL)
			return false;
		uint64_t term = mem_ld64(p), ref = mem_ld64(p + 8);
		if (i > 0 && term <= last)
			return mem_seg_damaged(seg, "order of terms") != NULL;
		last = term;
		if (!mem_postings_open(l, seg, ref, false) || !collect_list_postings(s, l, term))
			return false;
	}
	return true;
}

/* Terms come in order, so counting by document leaves them in order in each. */
static void
sort_stretch_by_doc(struct doc_stretch *s)
{
	size_t docs = s->hi - s->lo;
	s->start = mem_xcalloc(docs + 1, sizeof *s->start);
	s->order = mem_xcalloc(s->n, sizeof *s->order);
	for (size_t i = 0; i < s->n; i++)
		s->start[s->all[i].doc - s->lo + 1]++;
	for (size_t d = 0; d < docs; d++)
		s->start[d + 1] += s->start[d];
	for (size_t i = 0; i < s->n; i++)
		s->order[s->start[s->all[i].doc - s->lo]++] = i;
	memmove(s->start + 1, s->start, docs * sizeof *s->start);
	s->start[0] = 0;
}

static bool
visit_stretch(struct doc_visit *e, struct doc_stretch *s, struct mem_seg *seg)
{
	struct mem_cols *c = mem_xcalloc(1, sizeof *c);
	bool whole = true;
	c->zone = UINT32_MAX;
	for (uint32_t d = s->lo; d < s->hi && !e->stop && whole; d++) {
		if (c->zone != d / MEM_ZONE_DOCS)
			whole = mem_cols_load(c, seg, d / MEM_ZONE_DOCS, MEM_COLS_ALL);
		if (!whole)
			break;
		if (mem_seg_is_dead(seg, d))
			continue;
		size_t from = s->start[d - s->lo], n = s->start[d - s->lo + 1] - from;
		e->terms = mem_grow(e->terms, &e->cap, n, sizeof *e->terms);
		assert(n == 0 || s->all != NULL);
		for (size_t i = 0; i < n; i++)
			e->terms[i] = (struct mem_words_term){ s->all[s->order[from + i]].term,
				s->all[s->order[from + i]].tf };
		uint32_t i = d - c->first;
		struct mem_words_doc doc = { .ord = mem_cols_ord(c, i), .ns = mem_seg_ns(seg, d),
			.length = mem_cols_length(c, i), .nterms = n };
		if (seg->status == MEM_OK)
			visit_doc(e, &doc, mem_cols_kind(c, i), mem_cols_role(c, i), mem_cols_session(c, i),
			    mem_cols_time(c, i), NULL);
	}
	free(c);
	return whole;
}

/* As many documents at a time as have about so many postings. */
#define STRETCH_POSTINGS 4000000

static enum mem_status
visit_segment(struct doc_visit *e, struct mem_seg *seg)
{
	struct doc_stretch s = { 0 };
	struct mem_postings *l = mem_xcalloc(1, sizeof *l);
	uint64_t parts = seg->m.postings / STRETCH_POSTINGS + 1;
	uint32_t step = (uint32_t)(seg->m.docs / parts + 1);
	(void)mem_seg_verify_all(seg); /* what is damaged ends the walk */
	for (s.lo = 0; s.lo < seg->m.docs && !e->stop && seg->status == MEM_OK; s.lo = s.hi) {
		s.hi = seg->m.docs - s.lo > step ? s.lo + step : seg->m.docs;
		if (collect_stretch(&s, seg, l)) {
			sort_stretch_by_doc(&s);
			visit_stretch(e, &s, seg);
		}
		free(s.start);
		free(s.order);
		s.start = s.order = NULL;
	}
	free(s.all);
	mem_postings_release(l);
	free(l);
	return seg->status;
}

enum mem_status
mem_words_each_doc(struct mem_txn *t, mem_words_doc_fn *fn, void *ctx, struct mem_err *err)
{
	struct doc_visit e = { .fn = fn, .ctx = ctx };
	struct mem_segment_info *segs = NULL;
	size_t n = 0;
	enum mem_status st = mem_segment_list(t, false, &segs, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK && !e.stop; i++) {
		struct mem_seg seg;
		struct mem_str manifest = { (const char *)&segs[i].m, sizeof segs[i].m };
		st = mem_seg_open_table(&seg, t, segs[i].number, manifest, err);
		if (st == MEM_OK)
			st = mem_seg_tombs_load(&seg, t) ? visit_segment(&e, &seg) : seg.status;
		mem_seg_close(&seg);
	}
	if (st == MEM_OK && !e.stop)
		st = visit_tail(&e, t, err);
	free(segs);
	free(e.terms);
	return st;
}
