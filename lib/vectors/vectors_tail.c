/* SPDX-License-Identifier: Apache-2.0 */
/* Codes that are in no segment yet. */
#include "vectors/vectors_int.h"
#include "store/node.h"

#include <stdlib.h>

_Static_assert(sizeof(struct vectors_tail_head) == 40, "stored as it lies in memory");

enum mem_status
vectors_tail_parse(struct vectors_tail_head *head, const uint8_t **code, struct mem_str key, struct mem_str value,
    uint32_t dims, struct mem_err *err)
{
	const uint8_t *k = (const uint8_t *)key.p;
	uint32_t ord = key.n == VECTORS_TAIL_KEY ? mem_be32_get(k) : UINT32_MAX;
	if (key.n == VECTORS_TAIL_KEY && value.n == VECTORS_TAIL_BYTES(dims)) {
		memcpy(head, value.p, sizeof *head);
		*code = (const uint8_t *)value.p + sizeof *head;
		if (head->ord == ord && head->passage == ((unsigned)k[4] << 8 | k[5]) && head->kind < MEM_KIND_LIMIT
		    && head->role < 8 && head->span.field < 256)
			return MEM_OK;
	}
	return mem_err_set(err, MEM_FAIL, "index: the code of node %u is damaged: run mem-check --repair", ord);
}

enum mem_status
vectors_tail_read(struct vectors_tail_head *head, const uint8_t **code, const struct mem_cursor *c, uint32_t dims, struct mem_err *err)
{
	struct mem_str value;
	(void)!mem_cursor_read(c, &value, NULL); /* of one that is not what was put nothing is left, which is damage here, too */
	return vectors_tail_parse(head, code, mem_cursor_key(c), value, dims, err);
}

enum mem_status
mem_vectors_tail_size(struct mem_txn *t, uint64_t *n, uint64_t *bytes, struct mem_err *err)
{
	struct mem_vectors_model m;
	*n = mem_tab_count(t, MEM_T_CODE);
	if (*n == 0)
		return MEM_OK;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		*bytes += *n * VECTORS_TAIL_BYTES(m.dims);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

bool
vectors_segment_span(struct mem_seg *s, uint32_t doc, struct mem_vectors_span *out)
{
	uint64_t lo = 0, n = s->m.sec[MEM_SEC_SPAN].count;
	*out = (struct mem_vectors_span){ 0 };
	while (n > 0) { /* first one whose document is not below */
		uint64_t half = n / 2;
		const uint8_t *p = mem_seg_elem(s, MEM_SEC_SPAN, lo + half);
		if (p == NULL)
			return false;
		if (mem_ld32(p) == doc) {
			*out = (struct mem_vectors_span){ mem_ld32(p + 4), mem_ld32(p + 8), mem_ld32(p + 12) };
			return true;
		}
		if (mem_ld32(p) < doc) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return true;
}

/* A code of the node's that counts, in a segment: is it that of the passage? */
static enum mem_status
find_segment_span(struct mem_txn *t, struct mem_seg *seg, uint32_t ns, uint64_t place, struct mem_vectors_span *out,
    struct mem_err *err)
{
	struct mem_cols c = { .zone = UINT32_MAX };
	uint32_t *docs = NULL;
	size_t n = 0;
	enum mem_status st = mem_seg_docs(seg, &c, ns, vectors_place_ord(place), &docs, &n) ? MEM_NOTFOUND : seg->status;
	for (size_t i = 0; i < n && st == MEM_NOTFOUND; i++) {
		if (!mem_cols_reach_doc(&c, seg, docs[i], 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
			st = seg->status;
		else if (mem_cols_length(&c, docs[i] - c.first) != vectors_place_passage(place))
			continue;
		if (st == MEM_NOTFOUND)
			st = mem_tomb_find(t, seg->number, docs[i], err);
		if (st == MEM_NOTFOUND)
			st = vectors_segment_span(seg, docs[i], out) ? MEM_OK : seg->status;
		else if (st == MEM_OK) /* another one's by now */
			st = MEM_NOTFOUND;
	}
	free(docs);
	return st;
}

/* MEM_NOTFOUND: no row of it is there; *several: the node has others.  Most have one, and then nothing else is looked at. */
static enum mem_status
find_passage_row(struct mem_txn *t, uint32_t ord, uint32_t passage, bool *several, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct mem_cursor *c = NULL;
	struct vectors_row_block r = { 0 };
	size_t at;
	*several = passage > 0;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = vectors_rows_find(c, m.dims, vectors_place(ord, passage), &r, &at, err);
	if (st == MEM_OK && passage == 0) {
		enum mem_status more = vectors_rows_find(c, m.dims, vectors_place(ord, 1), &r, &at, err);
		*several = more == MEM_OK;
		st = more == MEM_NOTFOUND ? MEM_OK : more;
	}
	mem_cursor_close(c);
	return st;
}

static enum mem_status
find_tail_span(struct mem_txn *t, uint32_t ord, uint32_t passage, struct mem_vectors_span *out, struct mem_err *err)
{
	struct vectors_tail_head head;
	struct mem_vectors_model m;
	struct mem_str v = { "", 0 }; /* of a damaged row there is none */
	const uint8_t *code;
	uint8_t key[VECTORS_TAIL_KEY];
	vectors_tail_key(key, ord, passage);
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	enum mem_status found = st == MEM_OK ? mem_tab_get(t, MEM_T_CODE, mem_key(key, sizeof key), &v, err) : st;
	if (found == MEM_OK || found == MEM_DAMAGED)
		found = vectors_tail_parse(&head, &code, mem_key(key, sizeof key), v, m.dims, err);
	if (found == MEM_OK)
		*out = head.span;
	return found;
}

enum mem_status
mem_vectors_span_get(struct mem_txn *t, uint32_t ord, uint32_t passage, struct mem_vectors_span *out, struct mem_err *err)
{
	struct mem_segment_info *segs = NULL;
	const struct mem_attr *a;
	size_t n = 0;
	bool several;
	*out = (struct mem_vectors_span){ 0 };
	enum mem_status st = find_passage_row(t, ord, passage, &several, err);
	if (st != MEM_OK || !several)
		return st;
	st = find_tail_span(t, ord, passage, out, err);
	if (st != MEM_NOTFOUND)
		return st;
	st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_OK)
		st = mem_segment_list(t, true, &segs, &n, err);
	bool found = false;
	for (size_t i = 0; i < n && st == MEM_OK && !found; i++) {
		struct mem_seg seg;
		if (ord < segs[i].m.ord_min || ord > segs[i].m.ord_max)
			continue;
		st = mem_seg_open_table(&seg, t, segs[i].number, (struct mem_str){ (const char *)&segs[i].m, sizeof segs[i].m }, err);
		if (st == MEM_OK)
			st = find_segment_span(t, &seg, a->ns, vectors_place(ord, passage), out, err);
		mem_seg_close(&seg);
		found = st == MEM_OK;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	free(segs);
	return st == MEM_OK && !found ? MEM_NOTFOUND : st;
}
