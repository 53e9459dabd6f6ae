/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A merge: segments of vectors become one.  Vectors may come in any order, so inputs overlap in ord, and documents are
 * taken one by one, the lowest (ns, ord, passage) first; so many of them may then be put in order of groups.  Codes are copied.
 * As in words_merge.c no snapshot is held longer than it takes to fill one transaction.
 */
#include "vectors/vectors_int.h"

#include <stdlib.h>

#include "base/order.h"

struct merge_place {
	uint64_t key;              /* ns and ord */
	uint32_t doc;
	uint16_t passage;
};

struct vector_input {
	struct mem_seg seg;        /* with the tombs that it had when the merge began */
	struct mem_cols cols;
	struct merge_place *order;       /* of the documents sorted together, as they are taken */
	uint32_t first, norder;    /* which those are */
	uint32_t at;               /* next one, in all */
	uint64_t key;              /* of it */
	uint16_t passage;
};

/* A document of the result that is yet to be sorted. */
struct waiting_doc {
	struct mem_segment_doc row; /* length: its passage */
	uint16_t group;
	uint8_t *code;             /* in m->codes */
	struct mem_vectors_span span;
};

struct vector_merge {
	struct mem_segment_build build;
	struct mem_txn *t;
	const struct mem_segment_info *inputs;
	struct vector_input *in;
	size_t n;
	struct vectors_groups groups;
	struct mem_cursor *rows;   /* of the snapshot, where there are groups */
	struct vectors_row_block row;
	float *v;
	struct waiting_doc *wait;
	size_t nwait;
	uint8_t *codes;
	struct mem_err *err;
	enum mem_status status;
};

static bool
has_vector_merge_failed(struct vector_merge *m)
{
	for (size_t i = 0; i < m->n && m->status == MEM_OK; i++)
		m->status = m->in[i].seg.status;
	return m->status != MEM_OK;
}

static void
close_vector_snapshot(struct vector_merge *m)
{
	mem_cursor_close(m->rows);
	m->rows = NULL;
	m->row = (struct vectors_row_block){ 0 };
	mem_txn_end(m->t);
	m->t = NULL;
}

static enum mem_status
open_vector_snapshot(struct vector_merge *m)
{
	enum mem_status st = mem_txn_read(&m->t, m->build.s, m->err);
	if (st == MEM_OK)
		st = mem_segment_build_inputs_there(&m->build, m->t, m->inputs, m->n, m->err);
	if (st == MEM_OK && m->groups.k > 0)
		st = mem_cursor_open(&m->rows, m->t, MEM_T_ROW, m->err);
	for (size_t i = 0; i < m->n; i++) {
		m->in[i].seg.ctx = m->t;
		m->in[i].cols.zone = UINT32_MAX;
		mem_seg_forget(&m->in[i].seg);
	}
	return st;
}

/* Once there is enough for a transaction, lets go of the snapshot and stores it. */
static bool
drain_vector_output(struct vector_merge *m)
{
	if (has_vector_merge_failed(m))
		return false;
	if (m->build.w.done_bytes <= MEM_TXN_BYTES - ((size_t)1 << 20))
		return true;
	close_vector_snapshot(m);
	m->status = mem_segment_build_store(&m->build, 0, m->err);
	if (m->status == MEM_OK)
		m->status = open_vector_snapshot(m);
	return m->status == MEM_OK;
}

static int
compare_places_by_key(const void *a, const void *b)
{
	const struct merge_place *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->passage < y->passage ? -1 : x->passage > y->passage;
}

static bool
load_input_zone(struct vector_input *in, uint32_t doc)
{
	uint32_t zone = doc / MEM_ZONE_DOCS;
	return in->cols.zone == zone || mem_cols_load(&in->cols, &in->seg, zone, MEM_COLS_ALL);
}

/* The next documents by (ns, ord): in groups they lie in another order. */
static bool
load_input_order(struct vector_input *in)
{
	uint32_t ns = 0, lo, end = 0;
	if (in->at >= in->first && in->at - in->first < in->norder)
		return true;
	in->first = in->at;
	in->norder = in->seg.m.docs - in->at < VECTORS_GROUP_SORTED ? in->seg.m.docs - in->at : VECTORS_GROUP_SORTED;
	for (uint32_t i = 0; i < in->norder; i++) {
		uint32_t doc = in->first + i;
		if (!load_input_zone(in, doc))
			return false;
		if (doc >= end) {
			ns = mem_seg_ns(&in->seg, doc);
			if (!mem_seg_range(&in->seg, ns, &lo, &end))
				return false;
			if (end <= doc)
				return mem_seg_damaged(&in->seg, "range of a namespace") != NULL;
		}
		uint32_t row = doc - in->cols.first;
		in->order[i] = (struct merge_place){ (uint64_t)ns << 32 | mem_cols_ord(&in->cols, row), doc,
			(uint16_t)mem_cols_length(&in->cols, row) };
	}
	if (in->seg.m.sec[MEM_SEC_GROUP].count > 0)
		mem_sort(in->order, in->norder, sizeof *in->order, compare_places_by_key);
	return true;
}

/* The key of the next document that is not dead; false at the end, or on damage. */
static bool
find_next_doc(struct vector_input *in)
{
	for (; in->at < in->seg.m.docs; in->at++) {
		if (!load_input_order(in))
			return false;
		const struct merge_place *p = &in->order[in->at - in->first];
		in->key = p->key;
		in->passage = p->passage;
		if (!mem_seg_is_dead(&in->seg, p->doc))
			return true;
	}
	return false;
}

static int
compare_docs_by_group(const void *a, const void *b)
{
	const struct waiting_doc *x = a, *y = b;
	if (x->row.ns != y->row.ns)
		return x->row.ns < y->row.ns ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->row.ord != y->row.ord)
		return x->row.ord < y->row.ord ? -1 : 1;
	return x->row.length < y->row.length ? -1 : x->row.length > y->row.length;
}

static void
put_waiting_docs(struct vector_merge *m)
{
	if (m->groups.k > 0)
		mem_sort(m->wait, m->nwait, sizeof *m->wait, compare_docs_by_group);
	for (size_t i = 0; i < m->nwait; i++) {
		mem_segw_doc(&m->build.w, &m->wait[i].row);
		mem_segw_code(&m->build.w, m->wait[i].code, m->wait[i].group);
		if (m->wait[i].span.end > 0)
			mem_segw_span(&m->build.w, m->wait[i].span.start, m->wait[i].span.end, m->wait[i].span.field);
	}
	m->nwait = 0;
}

/* One whose row has gone meanwhile, or is damaged, belongs to none. */
static uint16_t
find_doc_group(struct vector_merge *m, uint64_t place, const uint8_t *code)
{
	size_t at = 0;
	if (m->groups.k == 0)
		return 0;
	enum mem_status st = vectors_rows_find(m->rows, m->groups.dims, place, &m->row, &at, m->err);
	if (st == MEM_OK && !vectors_rows_intact(&m->row, at))
		st = MEM_NOTFOUND;
	if (st != MEM_OK) {
		m->status = st == MEM_NOTFOUND ? m->status : st;
		return (uint16_t)m->groups.k;
	}
	memcpy(m->v, vectors_rows_at(&m->row, at), m->row.bytes);
	return vectors_groups_find(&m->groups, code, m->v);
}

static bool
take_input_doc(struct vector_merge *m, struct vector_input *in)
{
	uint32_t dims = m->build.w.m.dims, doc = in->order[in->at - in->first].doc;
	const uint8_t *block = mem_seg_elem(&in->seg, MEM_SEC_CODE, doc / MEM_CODE_BLOCK);
	const uint8_t *fine = mem_seg_elem(&in->seg, MEM_SEC_FINE, doc);
	if (block == NULL || fine == NULL || !load_input_zone(in, doc))
		return false;
	uint32_t i = doc - in->cols.first;
	struct waiting_doc *w = &m->wait[m->nwait];
	w->row = (struct mem_segment_doc){
		.captured_at = mem_cols_time(&in->cols, i), .ord = (uint32_t)in->key, .ns = (uint32_t)(in->key >> 32),
		.length = in->passage, .session = mem_cols_session(&in->cols, i), .kind = mem_cols_kind(&in->cols, i), .role = mem_cols_role(&in->cols, i),
	};
	if (!vectors_segment_span(&in->seg, doc, &w->span))
		return false;
	w->code = m->codes + m->nwait * mem_code_bytes(dims);
	mem_code_block_get(block, dims, doc % MEM_CODE_BLOCK, w->code);
	memcpy(w->code + mem_code_bytes(dims) - mem_code_fine_bytes(dims), fine, mem_code_fine_bytes(dims));
	w->group = find_doc_group(m, vectors_place(w->row.ord, in->passage), w->code);
	in->at++;
	if (++m->nwait == VECTORS_GROUP_SORTED)
		put_waiting_docs(m);
	return m->status == MEM_OK;
}

static void
put_groups(struct vector_merge *m)
{
	size_t bytes = m->groups.dims * sizeof(float);
	float *group = mem_xmalloc(bytes + sizeof(float));
	for (size_t c = 0; c < m->groups.k; c++) {
		memcpy(group, m->groups.centres + c * m->groups.dims, bytes);
		group[m->groups.dims] = m->groups.radii[c];
		mem_segw_elem(&m->build.w, MEM_SEC_GROUP, group, bytes + sizeof(float));
	}
	free(group);
}

static bool
is_input_before(const struct vector_input *a, const struct vector_input *b)
{
	return a->key < b->key || (a->key == b->key && a->passage < b->passage);
}

static void
put_merged_vectors(struct vector_merge *m)
{
	while (drain_vector_output(m)) {
		struct vector_input *least = NULL;
		for (size_t i = 0; i < m->n; i++)
			if (find_next_doc(&m->in[i]) && (least == NULL || is_input_before(&m->in[i], least)))
				least = &m->in[i];
		if (has_vector_merge_failed(m) || least == NULL || !take_input_doc(m, least))
			break;
	}
	if (has_vector_merge_failed(m))
		return;
	put_waiting_docs(m);
	put_groups(m);
	mem_segw_docs_end(&m->build.w);
}

/* MEM_STALE: a document that was copied has died meanwhile; or as the inputs. */
static enum mem_status
remove_merged_vectors(struct mem_segment_build *b, struct mem_txn *t, struct mem_err *err)
{
	const struct vector_merge *m = (const struct vector_merge *)b;
	enum mem_status st = mem_segment_build_inputs_remove(b, t, m->inputs, m->n, err);
	for (size_t i = 0; i < m->n && st == MEM_OK; i++) {
		bool more;
		st = mem_tombs_reach(t, m->inputs[i].number, m->in[i].seg.ntombs + 1, &more, err);
		if (st == MEM_OK && more)
			st = MEM_STALE;
		if (st == MEM_OK)
			st = mem_tombs_drop(t, m->inputs[i].number, err);
	}
	return st;
}

static enum mem_status
open_vector_inputs(struct vector_merge *m, bool group)
{
	uint64_t docs = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct vector_input *in = &m->in[i];
		struct mem_str manifest = { (const char *)&m->inputs[i].m, sizeof m->inputs[i].m };
		enum mem_status st = mem_seg_open_table(&in->seg, NULL, m->inputs[i].number, manifest, m->err);
		if (st != MEM_OK)
			return st;
		in->order = mem_xcalloc(VECTORS_GROUP_SORTED, sizeof *in->order);
		docs += in->seg.m.docs;
	}
	mem_segw_init(&m->build.w, mem_segment_level(docs));
	m->build.w.m.dims = m->inputs[0].m.dims;
	m->wait = mem_xcalloc(VECTORS_GROUP_SORTED, sizeof *m->wait);
	m->codes = mem_xcalloc(VECTORS_GROUP_SORTED, mem_code_bytes(m->build.w.m.dims));
	m->v = mem_xcalloc(m->build.w.m.dims, sizeof *m->v);
	enum mem_status st = open_vector_snapshot(m);
	for (size_t i = 0; i < m->n && st == MEM_OK; i++) {
		mem_seg_tombs_load(&m->in[i].seg, m->t);
		st = m->in[i].seg.status;
	}
	if (st == MEM_OK && group)
		st = vectors_groups_make(&m->groups, m->t, docs, m->err);
	m->build.w.grouped = m->groups.k > 0;
	if (st == MEM_OK && m->groups.k > 0)
		st = mem_cursor_open(&m->rows, m->t, MEM_T_ROW, m->err);
	return st;
}

enum mem_status
mem_vectors_merge(struct mem_store *s, const struct mem_segment_info *inputs, size_t n, uint64_t epoch,
    bool group, struct mem_err *err)
{
	struct vector_merge *m = mem_xcalloc(1, sizeof *m);
	m->build.s = s;
	m->build.epoch = epoch;
	m->build.replace = remove_merged_vectors;
	m->in = mem_xcalloc(n, sizeof *m->in);
	m->inputs = inputs;
	m->n = n;
	m->err = err;
	m->status = open_vector_inputs(m, group);
	if (m->status == MEM_OK)
		put_merged_vectors(m);
	close_vector_snapshot(m);
	enum mem_status st = m->status == MEM_OK ? mem_segment_build_publish(&m->build, err) : m->status;
	mem_segw_release(&m->build.w);
	for (size_t i = 0; i < n; i++) {
		mem_seg_close(&m->in[i].seg);
		free(m->in[i].order);
	}
	vectors_groups_release(&m->groups);
	free(m->in);
	free(m->wait);
	free(m->codes);
	free(m->v);
	free(m);
	return st;
}
