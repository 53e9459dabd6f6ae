/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A merge: several segments become one, without the documents that count no more.  Documents are taken by
 * (ns, ord), the lowest first; where one goes is kept for each input (merge_map.c), so that a term's postings are read
 * and written once, in order.  Mostly each input of a namespace follows the one before; those that hold
 * changed nodes lie between.  Inputs never change, so no snapshot is held longer than it takes
 * to fill one transaction.
 */
#include "words/merge_int.h"

#include <stdlib.h>

bool
words_merge_failed(struct words_merge *m)
{
	for (size_t i = 0; i < m->n && m->status == MEM_OK; i++)
		m->status = m->in[i].seg.status;
	return m->status != MEM_OK;
}

/* ---- snapshots -------------------------------------------------------- */

static enum mem_status
open_merge_snapshot(struct words_merge *m)
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

bool
words_merge_drain(struct words_merge *m)
{
	if (words_merge_failed(m))
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

/* ---- terms ------------------------------------------------------------ */

static bool
load_next_term(struct words_merge_input *in)
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
move_doc(struct words_merge_input *in, uint32_t doc, uint32_t *to, bool *live)
{
	return words_merge_map_find(&in->map, doc, to, live) || mem_seg_damaged(&in->seg, "postings") != NULL;
}

/* The next posting that counts: decodes its block and says where it goes.  False: no more, or damage. */
static bool
load_next_posting(struct words_merge_input *in)
{
	for (; in->block < in->list.nblocks; in->block++, in->at = 0) {
		if (!mem_postings_load(&in->list, in->block) || !mem_postings_tfs(&in->list))
			return false;
		for (; in->at < in->list.n; in->at++) {
			bool live = false;
			if (!move_doc(in, in->list.docs[in->at], &in->next, &live))
				return false;
			if (live)
				return true;
		}
	}
	return false;
}

/* *df: of what counts. */
static bool
open_input_list(struct words_merge_input *in, uint32_t *df)
{
	in->block = in->at = 0;
	words_merge_map_rewind(&in->map);
	if (!mem_postings_open(&in->list, &in->seg, in->ref, true))
		return false;
	*df = in->list.df - mem_postings_count_dead(&in->list, 0, in->seg.m.docs);
	in->list.block = UINT32_MAX; /* nothing is decoded yet: the tfs of a block go with its snapshot */
	return in->seg.status == MEM_OK;
}

static void
place_input(struct words_merge *m, struct words_merge_input *in, size_t from)
{
	size_t at = from;
	for (; at + 1 < m->nwith && m->with[at + 1]->next < in->next; at++)
		m->with[at] = m->with[at + 1];
	m->with[at] = in;
}

/* Writes postings of the first input up to the next one's first, or the end of its block. */
static bool
put_posting_run(struct words_merge *m, uint32_t limit)
{
	struct words_merge_input *in = m->with[0];
	uint32_t docs[MEM_BLOCK], tfs[MEM_BLOCK], n = 0;
	for (; in->at < in->list.n; in->at++) {
		uint32_t to = 0;
		bool live = false;
		if (!move_doc(in, in->list.docs[in->at], &to, &live))
			return false;
		if (!live)
			continue;
		if (to >= limit || (n > 0 && to <= docs[n - 1]))
			break;
		docs[n] = to;
		tfs[n++] = in->list.tfs[in->at];
	}
	if (n == 0)
		return mem_seg_damaged(&in->seg, "postings") != NULL;
	mem_segw_post(&m->build.w, docs, tfs, n);
	return true;
}

static void
put_merged_postings(struct words_merge *m)
{
	while (m->nwith > 0 && words_merge_drain(m)) {
		struct words_merge_input *in = m->with[0];
		uint32_t limit = m->nwith > 1 ? m->with[1]->next : m->build.w.m.docs;
		if (!put_posting_run(m, limit))
			return;
		if (load_next_posting(in))
			place_input(m, in, 0);
		else if (--m->nwith > 0)
			memmove(m->with, m->with + 1, m->nwith * sizeof *m->with);
	}
}

/* Opens the lists of all inputs that stand at the term.  False: damage. */
static bool
open_merged_term(struct words_merge *m, uint64_t term)
{
	uint64_t sum = 0;
	m->nwith = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct words_merge_input *in = &m->in[i];
		uint32_t df;
		if (in->entry == in->nentries || in->term != term)
			continue;
		if (!open_input_list(in, &df))
			return false;
		if (df > 0 && load_next_posting(in)) {
			size_t at = m->nwith++;
			for (; at > 0 && m->with[at - 1]->next > in->next; at--)
				m->with[at] = m->with[at - 1];
			m->with[at] = in;
		}
		sum += df;
		in->entry++;
		load_next_term(in);
	}
	if (sum > m->build.w.m.docs)
		return mem_seg_damaged(&m->in[0].seg, "length of a list") != NULL;
	if (sum > 0)
		mem_segw_term(&m->build.w, term, (uint32_t)sum);
	return true;
}

static void
put_merged_terms(struct words_merge *m)
{
	for (size_t i = 0; i < m->n; i++)
		load_next_term(&m->in[i]);
	for (;;) {
		uint64_t term = 0;
		bool any = false;
		for (size_t i = 0; i < m->n; i++) {
			struct words_merge_input *in = &m->in[i];
			if (in->entry < in->nentries && (!any || in->term < term)) {
				any = true;
				term = in->term;
			}
		}
		if (!any || words_merge_failed(m) || !open_merged_term(m, term))
			break;
		put_merged_postings(m);
	}
	words_merge_failed(m);
}

/* ---- the whole -------------------------------------------------------- */

/* Documents that were removed meanwhile: their tombs go to where they are now. */
static enum mem_status
move_new_tombs(const struct words_merge *m, struct words_merge_input *in, struct mem_txn *t, struct mem_err *err)
{
	uint32_t *docs = NULL;
	size_t n = 0, known = 0;
	enum mem_status st = mem_tombs_read(t, in->seg.number, &docs, &n, err);
	words_merge_map_rewind(&in->map);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		uint32_t to;
		bool live = false;
		while (known < in->seg.ntombs && in->seg.tombs[known] < docs[i])
			known++;
		if (known < in->seg.ntombs && in->seg.tombs[known] == docs[i])
			continue;
		if (!words_merge_map_find(&in->map, docs[i], &to, &live) || !live)
			st = mem_err_set(err, MEM_FAIL, "index: a tomb of no document: run mem-check --repair");
		if (st == MEM_OK)
			st = mem_tomb_put(t, m->build.number, to, err);
	}
	free(docs);
	return st == MEM_OK ? mem_tombs_drop(t, in->seg.number, err) : st;
}

static enum mem_status
replace_merged_segments(struct mem_segment_build *b, struct mem_txn *t, struct mem_err *err)
{
	const struct words_merge *m = (const struct words_merge *)b;
	enum mem_status st = mem_segment_build_inputs_remove(b, t, m->inputs, m->n, err);
	for (size_t i = 0; i < m->n && st == MEM_OK; i++)
		st = move_new_tombs(m, &m->in[i], t, err);
	return st;
}

static bool
do_inputs_overlap(const struct mem_segment_info *inputs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (inputs[i].m.ord_min <= inputs[k].m.ord_max && inputs[k].m.ord_min <= inputs[i].m.ord_max)
				return true;
	return false;
}

static enum mem_status
open_merge_inputs(struct words_merge *m, const struct mem_segment_info *inputs)
{
	uint64_t docs = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct words_merge_input *in = &m->in[i];
		struct mem_str manifest = { (const char *)&inputs[i].m, sizeof inputs[i].m };
		enum mem_status st = mem_seg_open_table(&in->seg, NULL, inputs[i].number, manifest,
		    m->err);
		if (st != MEM_OK)
			return st;
		in->nranges = in->seg.m.sec[MEM_SEC_NSR].count;
		in->nentries = in->seg.m.sec[MEM_SEC_DICT].count;
	}
	enum mem_status st = open_merge_snapshot(m);
	for (size_t i = 0; i < m->n && st == MEM_OK; i++) {
		mem_seg_tombs_load(&m->in[i].seg, m->t);
		st = m->in[i].seg.status;
		docs += m->in[i].seg.m.docs - m->in[i].seg.ntombs;
	}
	m->overlap = do_inputs_overlap(inputs, m->n);
	mem_segw_init(&m->build.w, mem_segment_level(docs));
	return st;
}

enum mem_status
mem_words_merge(struct mem_store *s, const struct mem_segment_info *inputs, size_t n,
    uint64_t epoch, struct mem_err *err)
{
	struct words_merge *m = mem_xcalloc(1, sizeof *m);
	m->build.s = s;
	m->build.epoch = epoch;
	m->build.replace = replace_merged_segments;
	m->in = mem_xcalloc(n, sizeof *m->in);
	m->with = mem_xcalloc(n, sizeof *m->with);
	m->inputs = inputs;
	m->n = n;
	m->err = err;
	m->status = open_merge_inputs(m, inputs);
	if (m->status == MEM_OK)
		words_merge_put_docs(m);
	if (m->status == MEM_OK)
		put_merged_terms(m);
	mem_txn_end(m->t);
	enum mem_status st = m->status == MEM_OK ? mem_segment_build_publish(&m->build, err) : m->status;
	mem_segw_release(&m->build.w);
	for (size_t i = 0; i < n; i++) {
		mem_postings_release(&m->in[i].list);
		mem_seg_close(&m->in[i].seg);
		words_merge_map_release(&m->in[i].map);
	}
	free(m->in);
	free(m->with);
	free(m);
	return st;
}
