/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A merge: several segments become one.  The inputs do not overlap in ord, so that inside a namespace all of
 * the first comes before all of the second, and so on: where a document goes is its old
 * number plus a constant for each (input, namespace), and a term's postings are read and written once,
 * in order.  Inputs never change, so no snapshot is held longer than it takes
 * to fill one transaction.
 */
#include "words/words_int.h"

#include <stdlib.h>

/* Documents [.., end) of an input from the piece before move up by `by` (modulo 2^32). */
struct merge_piece {
	uint32_t end, by;
};

struct merge_input {
	struct mem_seg seg;
	struct mem_cols cols;
	uint64_t range, nranges;   /* namespaces passed, in all */
	struct merge_piece *pieces;
	size_t npieces, pieces_cap;
	uint64_t entry, nentries;  /* terms passed, in all */
	uint64_t term, ref;        /* the current one */
	/* Its list while it has the lowest term. */
	struct mem_postings list;
	uint32_t block, at;        /* next posting */
	size_t piece;
	uint32_t next;             /* that posting's document in the result */
};

struct segment_merge {
	struct mem_segment_build build;
	struct mem_txn *t;
	struct merge_input *in;
	const struct mem_segment_info *inputs;
	size_t n;
	struct mem_err *err;
	struct merge_input **with;       /* inputs that have the term, in order of `next` */
	size_t nwith;
	enum mem_status status;
};

static bool
has_merge_failed(struct segment_merge *m)
{
	for (size_t i = 0; i < m->n && m->status == MEM_OK; i++)
		m->status = m->in[i].seg.status;
	return m->status != MEM_OK;
}

/* ---- snapshots -------------------------------------------------------- */

static enum mem_status
open_merge_snapshot(struct segment_merge *m)
{
	m->t = NULL;
	enum mem_status st = mem_txn_read(&m->t, m->build.s, m->err);
	if (st == MEM_OK)
		st = mem_segment_build_inputs_there(&m->build, m->t, m->inputs, m->n, m->err);
	for (size_t i = 0; i < m->n; i++) {
		m->in[i].seg.ctx = m->t;
		m->in[i].cols.zone = UINT32_MAX;
		mem_seg_forget(&m->in[i].seg);
	}
	return st;
}

/* Once there is enough for a transaction, lets go of the snapshot and stores it. */
static bool
drain_merge_output(struct segment_merge *m)
{
	if (has_merge_failed(m))
		return false;
	if (m->build.w.done_bytes <= MEM_TXN_BYTES - ((size_t)1 << 20))
		return true;
	mem_txn_end(m->t);
	m->t = NULL;
	m->status = mem_segment_build_store(&m->build, 0, m->err);
	if (m->status == MEM_OK)
		m->status = open_merge_snapshot(m);
	return m->status == MEM_OK;
}

/* ---- documents -------------------------------------------------------- */

static void
put_merged_doc(struct segment_merge *m, const struct mem_cols *c, uint32_t i, uint32_t ns, bool rises)
{
	struct mem_segment_doc row = {
		.captured_at = mem_cols_time(c, i), .ord = mem_cols_ord(c, i), .ns = ns,
		.length = mem_cols_length(c, i), .session = mem_cols_session(c, i),
		.kind = mem_cols_kind(c, i), .role = mem_cols_role(c, i), .rises = rises,
		.id_min = c->z.id_min, .id_max = c->z.id_max,
	};
	mem_segw_doc(&m->build.w, &row);
}

/* Documents [lo, hi) of one input and namespace.  `before`: the zone record whose documents
 * were put last; zeroed when there is none. */
static void
put_doc_range(struct segment_merge *m, struct merge_input *in, uint32_t ns, uint32_t lo, uint32_t hi,
    struct mem_zone *before)
{
	bool follows = false; /* the last one put was doc - 1 of the same zone */
	while (lo < hi && drain_merge_output(m)) {
		struct mem_cols *c = &in->cols;
		if (c->zone != lo / MEM_ZONE_DOCS && !mem_cols_load(c, &in->seg, lo / MEM_ZONE_DOCS, MEM_COLS_ALL))
			return;
		uint32_t end = c->first + c->n < hi ? c->first + c->n : hi;
		for (; lo < end; lo++) {
			bool rises = follows ? c->z.rising != 0
			    : mem_id_cmp(&before->id_max, &c->z.id_min) < 0;
			put_merged_doc(m, c, lo - c->first, ns, rises);
			follows = true;
		}
		*before = c->z;
		follows = false;
	}
}

/* The input's next namespace and its documents.  False: no more, or damage. */
static bool
peek_namespace(struct merge_input *in, uint32_t *ns, uint32_t *lo, uint32_t *hi)
{
	if (in->range == in->nranges)
		return false;
	const uint8_t *p = mem_seg_elem(&in->seg, MEM_SEC_NSR, in->range);
	if (p == NULL)
		return false;
	*ns = mem_ld32(p);
	*lo = mem_ld32(p + 4);
	*hi = in->seg.m.docs;
	if (in->range + 1 < in->nranges) {
		p = mem_seg_elem(&in->seg, MEM_SEC_NSR, in->range + 1);
		*hi = p != NULL ? mem_ld32(p + 4) : 0;
	}
	uint32_t begin = in->npieces > 0 ? in->pieces[in->npieces - 1].end : 0;
	if (*lo != begin || *hi <= *lo || *hi > in->seg.m.docs)
		return mem_seg_damaged(&in->seg, "range of a namespace") != NULL;
	return true;
}

static void
put_merged_docs(struct segment_merge *m)
{
	struct mem_zone before;
	memset(&before, 255, sizeof before);
	for (;;) {
		uint32_t lowest = 0, ns, lo, hi;
		bool any = false;
		for (size_t i = 0; i < m->n; i++)
			if (peek_namespace(&m->in[i], &ns, &lo, &hi) && (!any || ns < lowest)) {
				any = true;
				lowest = ns;
			}
		if (!any || has_merge_failed(m))
			break;
		for (size_t i = 0; i < m->n; i++) {
			struct merge_input *in = &m->in[i];
			if (!peek_namespace(in, &ns, &lo, &hi) || ns != lowest)
				continue;
			in->pieces = mem_grow(in->pieces, &in->pieces_cap, in->npieces + 1,
			    sizeof *in->pieces);
			in->pieces[in->npieces++] = (struct merge_piece){ hi, m->build.w.m.docs - lo };
			put_doc_range(m, in, ns, lo, hi, &before);
			in->range++;
		}
	}
	if (!has_merge_failed(m))
		mem_segw_docs_end(&m->build.w);
}

/* ---- terms ------------------------------------------------------------ */

static bool
load_next_term(struct merge_input *in)
{
	uint64_t last = in->term;
	bool first = in->entry == 0;
	if (in->entry == in->nentries)
		return false;
	const uint8_t *p = mem_seg_elem(&in->seg, MEM_SEC_DICT, in->entry);
	if (p == NULL)
		return false;
	in->term = mem_ld64(p);
	in->ref = mem_ld64(p + 8);
	if (!first && in->term <= last)
		return mem_seg_damaged(&in->seg, "order of terms") != NULL;
	return true;
}

static bool
move_doc(struct merge_input *in, uint32_t doc, uint32_t *to)
{
	while (in->piece < in->npieces && in->pieces[in->piece].end <= doc)
		in->piece++;
	if (in->piece == in->npieces)
		return mem_seg_damaged(&in->seg, "postings") != NULL;
	*to = doc + in->pieces[in->piece].by;
	return true;
}

/* Decodes the block of the next posting and says where that one goes.  False: no more, or damage. */
static bool
load_next_posting(struct merge_input *in)
{
	if (in->at == in->list.n) {
		in->block++;
		in->at = 0;
	}
	if (in->block == in->list.nblocks)
		return false;
	return mem_postings_load(&in->list, in->block) && mem_postings_tfs(&in->list)
	    && move_doc(in, in->list.docs[in->at], &in->next);
}

static bool
open_input_list(struct merge_input *in)
{
	in->block = in->at = 0;
	in->piece = 0;
	if (!mem_postings_open(&in->list, &in->seg, in->ref, true))
		return false;
	in->list.n = UINT32_MAX; /* nothing is decoded yet: at is not its end */
	return load_next_posting(in);
}

static void
place_input(struct segment_merge *m, struct merge_input *in, size_t from)
{
	size_t at = from;
	for (; at + 1 < m->nwith && m->with[at + 1]->next < in->next; at++)
		m->with[at] = m->with[at + 1];
	m->with[at] = in;
}

/* Writes postings of the first input up to the next one's first, or the end of its block. */
static bool
put_posting_run(struct segment_merge *m, uint32_t limit)
{
	struct merge_input *in = m->with[0];
	uint32_t docs[MEM_BLOCK], tfs[MEM_BLOCK], n = 0;
	while (in->at < in->list.n) {
		uint32_t to = 0;
		if (!move_doc(in, in->list.docs[in->at], &to))
			return false;
		if (to >= limit || (n > 0 && to <= docs[n - 1]))
			break;
		docs[n] = to;
		tfs[n++] = in->list.tfs[in->at++];
	}
	if (n == 0)
		return mem_seg_damaged(&in->seg, "postings") != NULL;
	mem_segw_post(&m->build.w, docs, tfs, n);
	return true;
}

static void
put_merged_postings(struct segment_merge *m)
{
	while (m->nwith > 0 && drain_merge_output(m)) {
		struct merge_input *in = m->with[0];
		uint32_t limit = m->nwith > 1 ? m->with[1]->next : m->build.w.m.docs;
		if (!put_posting_run(m, limit))
			return;
		if (load_next_posting(in))
			place_input(m, in, 0);
		else if (--m->nwith > 0)
			memmove(m->with, m->with + 1, m->nwith * sizeof *m->with);
	}
}

/* Opens the lists of all inputs that stand at the term. */
static bool
open_merged_term(struct segment_merge *m, uint64_t term)
{
	uint64_t df = 0;
	m->nwith = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct merge_input *in = &m->in[i];
		if (in->entry == in->nentries || in->term != term)
			continue;
		if (!open_input_list(in))
			return false;
		df += in->list.df;
		size_t at = m->nwith++;
		for (; at > 0 && m->with[at - 1]->next > in->next; at--)
			m->with[at] = m->with[at - 1];
		m->with[at] = in;
		in->entry++;
		load_next_term(in);
	}
	mem_segw_term(&m->build.w, term, (uint32_t)df);
	return df <= m->build.w.m.docs || mem_seg_damaged(&m->in[0].seg, "length of a list") != NULL;
}

static void
put_merged_terms(struct segment_merge *m)
{
	for (size_t i = 0; i < m->n; i++)
		load_next_term(&m->in[i]);
	for (;;) {
		uint64_t term = 0;
		bool any = false;
		for (size_t i = 0; i < m->n; i++) {
			struct merge_input *in = &m->in[i];
			if (in->entry < in->nentries && (!any || in->term < term)) {
				any = true;
				term = in->term;
			}
		}
		if (!any || has_merge_failed(m) || !open_merged_term(m, term))
			break;
		put_merged_postings(m);
	}
	has_merge_failed(m);
}

/* ---- the whole -------------------------------------------------------- */

static enum mem_status
remove_merged_segments(struct mem_segment_build *b, struct mem_txn *t, struct mem_err *err)
{
	const struct segment_merge *m = (const struct segment_merge *)b;
	return mem_segment_build_inputs_remove(b, t, m->inputs, m->n, err);
}

static enum mem_status
open_merge_inputs(struct segment_merge *m, const struct mem_segment_info *inputs)
{
	uint64_t docs = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct merge_input *in = &m->in[i];
		struct mem_str manifest = { (const char *)&inputs[i].m, sizeof inputs[i].m };
		enum mem_status st = mem_seg_open_table(&in->seg, NULL, inputs[i].number, manifest,
		    m->err);
		if (st != MEM_OK)
			return st;
		in->seg.verify = true;
		in->nranges = in->seg.m.sec[MEM_SEC_NSR].count;
		in->nentries = in->seg.m.sec[MEM_SEC_DICT].count;
		docs += in->seg.m.docs;
	}
	mem_segw_init(&m->build.w, mem_segment_level(docs));
	return open_merge_snapshot(m);
}

enum mem_status
mem_words_merge(struct mem_store *s, const struct mem_segment_info *inputs, size_t n,
    uint64_t epoch, struct mem_err *err)
{
	struct segment_merge *m = mem_xcalloc(1, sizeof *m);
	m->build.s = s;
	m->build.epoch = epoch;
	m->build.replace = remove_merged_segments;
	m->in = mem_xcalloc(n, sizeof *m->in);
	m->with = mem_xcalloc(n, sizeof *m->with);
	m->inputs = inputs;
	m->n = n;
	m->err = err;
	m->status = open_merge_inputs(m, inputs);
	if (m->status == MEM_OK)
		put_merged_docs(m);
	if (m->status == MEM_OK)
		put_merged_terms(m);
	mem_txn_end(m->t);
	enum mem_status st = m->status == MEM_OK ? mem_segment_build_publish(&m->build, err) : m->status;
	mem_segw_release(&m->build.w);
	for (size_t i = 0; i < n; i++) {
		mem_postings_release(&m->in[i].list);
		mem_seg_close(&m->in[i].seg);
		free(m->in[i].pieces);
	}
	free(m->in);
	free(m->with);
	free(m);
	return st;
}
