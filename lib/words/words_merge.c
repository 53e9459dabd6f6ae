/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A merge: several segments become one, without the documents that count no more.  Documents are taken by
 * (ns, ord), the lowest first; where one goes is kept for each input (merge_map.c), so that a term's postings are read
 * and written once, in order.  Mostly each input of a namespace follows the one before; those that hold
 * changed nodes lie between.  Inputs never change, so no snapshot is held longer than it takes
 * to fill one transaction.
 */
#include "words/words_int.h"
#include "store/node.h"

#include <stdlib.h>

struct merge_input {
	struct mem_seg seg;        /* with the tombs that it had when the merge began */
	struct mem_cols cols;
	uint64_t range, nranges;   /* namespaces passed, in all */
	uint32_t doc, hi;          /* of the current namespace: next document, end */
	uint32_t ord;              /* of that document */
	struct words_merge_map map;
	uint64_t entry, nentries;  /* terms passed, in all */
	uint64_t term, ref;        /* the current one */
	/* Its list while it has the lowest term. */
	struct mem_postings list;
	uint32_t block, at;        /* next posting */
	uint32_t next;             /* that posting's document in the result */
};

/* The document that was put last, and what is known of its id. */
struct merged_doc {
	const struct merge_input *in;
	uint32_t zone, ord;
	struct mem_id id_max;
};

struct segment_merge {
	struct mem_segment_build build;
	struct mem_txn *t;
	struct merge_input *in;
	const struct mem_segment_info *inputs;
	size_t n;
	bool overlap;                    /* inputs overlap in ord */
	struct merged_doc last;          /* in NULL: none yet */
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

/* A node's id from its attributes, where the zone it comes from tells too little; one that is gone or damaged keeps its bounds. */
static void
look_up_id(struct segment_merge *m, uint32_t ord, struct mem_id *min, struct mem_id *max)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(m->t, ord, &a, m->err);
	if (st == MEM_OK) {
		memcpy(min, &a->id, sizeof *min);
		*max = *min;
	} else if (st == MEM_DAMAGED) {
		mem_node_damage_note(m->t, ord);
	} else if (st != MEM_NOTFOUND) {
		m->status = st;
	}
}

/*
 * Is the id known to be above that of the document before?  Inside a zone of rising ids, and where two zones do not
 * reach into each other, it is.  Zones of changed nodes among others reach far: of those the ids are looked up, or
 * bounds would only ever widen from merge to merge.
 */
static bool
find_id_order(struct segment_merge *m, const struct merge_input *in, struct mem_segment_doc *row)
{
	struct merged_doc *last = &m->last;
	const struct mem_zone *z = &in->cols.z;
	struct mem_id min;
	if (m->overlap && z->rising == 0)
		look_up_id(m, row->ord, &row->id_min, &row->id_max);
	if (last->in == NULL)
		return false;
	if (last->in == in && last->zone == in->cols.zone && z->rising != 0)
		return true;
	if (m->overlap && mem_id_cmp(&last->id_max, &row->id_min) >= 0) {
		look_up_id(m, last->ord, &min, &last->id_max);
		look_up_id(m, row->ord, &row->id_min, &row->id_max);
	}
	return mem_id_cmp(&last->id_max, &row->id_min) < 0;
}

static void
put_merged_doc(struct segment_merge *m, const struct merge_input *in, uint32_t ns)
{
	const struct mem_cols *c = &in->cols;
	uint32_t i = in->doc - c->first;
	struct mem_segment_doc row = {
		.captured_at = mem_cols_time(c, i), .ord = in->ord, .ns = ns,
		.length = mem_cols_length(c, i), .session = mem_cols_session(c, i),
		.kind = mem_cols_kind(c, i), .role = mem_cols_role(c, i),
		.id_min = c->z.id_min, .id_max = c->z.id_max,
	};
	row.rises = find_id_order(m, in, &row);
	m->last = (struct merged_doc){ in, c->zone, row.ord, row.id_max };
	mem_segw_doc(&m->build.w, &row);
}

/* The next document that counts, with its zone and ord; false: the namespace has no more, or damage. */
static bool
find_live_doc(struct merge_input *in)
{
	for (; in->doc < in->hi && mem_seg_is_dead(&in->seg, in->doc); in->doc++)
		words_merge_map_add(&in->map, in->doc + 1, 0, true);
	if (in->doc == in->hi || (in->cols.zone != in->doc / MEM_ZONE_DOCS
	    && !mem_cols_load(&in->cols, &in->seg, in->doc / MEM_ZONE_DOCS, MEM_COLS_ALL)))
		return false;
	in->ord = mem_cols_ord(&in->cols, in->doc - in->cols.first);
	return true;
}

/* Puts documents of one input up to the next one's ord; at least one. */
static void
put_doc_run(struct segment_merge *m, struct merge_input *in, uint32_t ns, uint32_t limit)
{
	do {
		words_merge_map_add(&in->map, in->doc + 1, m->build.w.m.docs - in->doc, false);
		put_merged_doc(m, in, ns);
		in->doc++;
		if (in->doc % MEM_ZONE_DOCS == 0 && !drain_merge_output(m))
			return;
	} while (find_live_doc(in) && in->ord < limit);
}

/* The documents of the namespace that the inputs stand at. */
static void
put_namespace_docs(struct segment_merge *m, uint32_t ns)
{
	while (!has_merge_failed(m)) {
		struct merge_input *least = NULL;
		uint32_t limit = UINT32_MAX;
		for (size_t i = 0; i < m->n; i++) {
			struct merge_input *in = &m->in[i];
			if (!find_live_doc(in))
				continue;
			if (least == NULL || in->ord < least->ord) {
				limit = least != NULL ? least->ord : limit;
				least = in;
			} else if (in->ord < limit) {
				limit = in->ord;
			}
		}
		if (least == NULL || has_merge_failed(m))
			return;
		put_doc_run(m, least, ns, limit);
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
	if (*lo != words_merge_map_end(&in->map) || *hi <= *lo || *hi > in->seg.m.docs)
		return mem_seg_damaged(&in->seg, "range of a namespace") != NULL;
	return true;
}

static void
put_merged_docs(struct segment_merge *m)
{
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
			in->doc = lo;
			in->hi = hi;
			in->range++;
		}
		put_namespace_docs(m, lowest);
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
move_doc(struct merge_input *in, uint32_t doc, uint32_t *to, bool *live)
{
	return words_merge_map_find(&in->map, doc, to, live) || mem_seg_damaged(&in->seg, "postings") != NULL;
}

/* The next posting that counts: decodes its block and says where it goes.  False: no more, or damage. */
static bool
load_next_posting(struct merge_input *in)
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
open_input_list(struct merge_input *in, uint32_t *df)
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

/* Opens the lists of all inputs that stand at the term.  False: damage. */
static bool
open_merged_term(struct segment_merge *m, uint64_t term)
{
	uint64_t sum = 0;
	m->nwith = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct merge_input *in = &m->in[i];
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

/* Documents that were removed meanwhile: their tombs go to where they are now. */
static enum mem_status
move_new_tombs(const struct segment_merge *m, struct merge_input *in, struct mem_txn *t, struct mem_err *err)
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
	const struct segment_merge *m = (const struct segment_merge *)b;
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
	struct segment_merge *m = mem_xcalloc(1, sizeof *m);
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
		put_merged_docs(m);
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
