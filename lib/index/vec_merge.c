/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments of vectors become one.  Vectors may come in any order, so inputs overlap in ord, and documents are
 * taken one by one, the lowest (ns, ord) first.  Codes are copied: nothing is computed.  As in merge.c no
 * snapshot is held longer than it takes to fill one transaction.
 */
#include "index/vec_int.h"

#include <stdlib.h>

struct input {
	struct mem_seg seg;
	struct mem_cols cols;
	uint32_t doc;              /* next one */
	uint32_t ns, ord;          /* of it */
	uint32_t ns_end;           /* first document of the next namespace */
	uint32_t *tombs;
	size_t ntombs, tomb;       /* tombs passed */
};

struct merge {
	struct mem_job job;
	struct mem_txn *t;
	const struct mem_tidy_seg *inputs;
	struct input *in;
	size_t n;
	uint8_t *code;
	struct mem_err *err;
	enum mem_status status;
};

static bool
broken(struct merge *m)
{
	for (size_t i = 0; i < m->n && m->status == MEM_OK; i++)
		m->status = m->in[i].seg.status;
	return m->status != MEM_OK;
}

static enum mem_status
snapshot(struct merge *m)
{
	m->t = NULL;
	enum mem_status st = mem_txn_read(&m->t, m->job.s, m->err);
	if (st == MEM_OK)
		st = mem_job_inputs_there(&m->job, m->t, m->inputs, m->n, m->err);
	for (size_t i = 0; i < m->n; i++) {
		m->in[i].seg.ctx = m->t;
		m->in[i].cols.zone = UINT32_MAX;
		mem_seg_forget(&m->in[i].seg);
	}
	return st;
}

/* Once there is enough for a transaction, lets go of the snapshot and stores it. */
static bool
drain(struct merge *m)
{
	if (broken(m))
		return false;
	if (m->job.w.done_bytes <= MEM_TXN_BYTES - ((size_t)1 << 20))
		return true;
	mem_txn_end(m->t);
	m->t = NULL;
	m->status = mem_job_store(&m->job, 0, m->err);
	if (m->status == MEM_OK)
		m->status = snapshot(m);
	return m->status == MEM_OK;
}

static bool
load_zone(struct input *in)
{
	uint32_t zone = in->doc / MEM_ZONE_DOCS;
	return in->cols.zone == zone || mem_cols_load(&in->cols, &in->seg, zone, MEM_COLS_ALL);
}

/* Fills ns and ord of the next document that is not dead; false at the end, or on damage. */
static bool
look(struct input *in)
{
	while (in->tomb < in->ntombs && in->tombs[in->tomb] == in->doc) {
		in->tomb++;
		in->doc++;
	}
	if (in->doc >= in->seg.m.docs)
		return false;
	if (in->doc >= in->ns_end) {
		uint32_t lo;
		in->ns = mem_seg_ns(&in->seg, in->doc);
		if (!mem_seg_range(&in->seg, in->ns, &lo, &in->ns_end))
			return false;
		if (in->ns_end <= in->doc)
			return mem_seg_damaged(&in->seg, "range of a namespace") != NULL;
	}
	if (!load_zone(in))
		return false;
	in->ord = mem_cols_ord(&in->cols, in->doc - in->cols.first);
	return true;
}

static bool
put_doc(struct merge *m, struct input *in)
{
	uint32_t dims = m->job.w.m.dims, i = in->doc - in->cols.first;
	const uint8_t *block = mem_seg_elem(&in->seg, MEM_SEC_CODE, in->doc / MEM_CODE_BLOCK);
	const uint8_t *fine = mem_seg_elem(&in->seg, MEM_SEC_FINE, in->doc);
	if (block == NULL || fine == NULL)
		return false;
	uint8_t kind = mem_cols_kind(&in->cols, i);
	struct mem_row row = {
		.captured_at = mem_cols_time(&in->cols, i), .ord = in->ord, .ns = in->ns,
		.session = mem_cols_session(&in->cols, i), .kind = kind & 31, .role = kind >> 5,
	};
	mem_code_block_get(block, dims, in->doc % MEM_CODE_BLOCK, m->code);
	memcpy(m->code + mem_code_bytes(dims) - mem_code_fine_bytes(dims), fine, mem_code_fine_bytes(dims));
	mem_segw_doc(&m->job.w, &row);
	mem_segw_code(&m->job.w, m->code);
	in->doc++;
	return true;
}

static bool
before(const struct input *a, const struct input *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->ord < b->ord;
}

static void
put_all(struct merge *m)
{
	while (drain(m)) {
		struct input *least = NULL;
		for (size_t i = 0; i < m->n; i++)
			if (look(&m->in[i]) && (least == NULL || before(&m->in[i], least)))
				least = &m->in[i];
		if (broken(m) || least == NULL || !put_doc(m, least))
			break;
	}
	if (!broken(m))
		mem_segw_docs_end(&m->job.w);
}

/* MEM_NONE when a document died meanwhile: it was copied. */
static enum mem_status
remove_inputs(struct mem_job *j, struct mem_txn *t, struct mem_err *err)
{
	const struct merge *m = (const struct merge *)j;
	enum mem_status st = mem_job_inputs_remove(j, t, m->inputs, m->n, err);
	for (size_t i = 0; i < m->n && st == MEM_OK; i++) {
		uint32_t *docs;
		size_t n;
		st = mem_vec_tombs(t, m->inputs[i].number, &docs, &n, err);
		if (st == MEM_OK && n != m->in[i].ntombs)
			st = MEM_NONE;
		for (size_t k = 0; k < n && st == MEM_OK; k++) {
			uint8_t key[8];
			mem_be32(key, m->inputs[i].number);
			mem_be32(key + 4, docs[k]);
			st = mem_tab_del(t, MEM_T_TOMB, mem_key(key, sizeof key), err);
		}
		free(docs);
	}
	return st;
}

static enum mem_status
open_inputs(struct merge *m)
{
	uint64_t docs = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct input *in = &m->in[i];
		struct mem_str manifest = { (const char *)&m->inputs[i].m, sizeof m->inputs[i].m };
		enum mem_status st = mem_seg_open_table(&in->seg, NULL, m->inputs[i].number, manifest, m->err);
		if (st != MEM_OK)
			return st;
		in->seg.verify = true;
		docs += in->seg.m.docs;
	}
	mem_segw_init(&m->job.w, mem_job_level(docs));
	m->job.w.m.dims = m->inputs[0].m.dims;
	m->code = mem_xcalloc(1, mem_code_bytes(m->job.w.m.dims));
	enum mem_status st = snapshot(m);
	for (size_t i = 0; i < m->n && st == MEM_OK; i++)
		st = mem_vec_tombs(m->t, m->inputs[i].number, &m->in[i].tombs, &m->in[i].ntombs, m->err);
	return st;
}

enum mem_status
mem_vec_merge(struct mem_store *s, const struct mem_tidy_seg *inputs, size_t n, uint64_t epoch,
    struct mem_err *err)
{
	struct merge *m = mem_xcalloc(1, sizeof *m);
	m->job.s = s;
	m->job.epoch = epoch;
	m->job.replace = remove_inputs;
	m->in = mem_xcalloc(n, sizeof *m->in);
	m->inputs = inputs;
	m->n = n;
	m->err = err;
	m->status = open_inputs(m);
	if (m->status == MEM_OK)
		put_all(m);
	mem_txn_end(m->t);
	enum mem_status st = m->status == MEM_OK ? mem_job_publish(&m->job, err) : m->status;
	mem_segw_release(&m->job.w);
	for (size_t i = 0; i < n; i++) {
		mem_seg_close(&m->in[i].seg);
		free(m->in[i].tombs);
	}
	free(m->in);
	free(m->code);
	free(m);
	return st;
}
