/* SPDX-License-Identifier: Apache-2.0 */
/* A flush: codes of the tail become a segment. */
#include "vectors/vectors_int.h"

#include <stdlib.h>

#include "base/order.h"

struct code_flush {
	struct mem_segment_build build;
	uint8_t *values;           /* copies: others may write the same rows meanwhile */
	struct vectors_tail_head *heads;
	size_t n, bytes;           /* of each value */
};

/* MEM_END: there are none. */
static enum mem_status
take_tail_codes(struct code_flush *f, struct mem_txn *t, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct mem_cursor *c = NULL;
	const uint8_t *code;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_END : st;
	f->build.w.m.dims = m.dims;
	f->bytes = VECTORS_TAIL_BYTES(m.dims);
	f->values = mem_xcalloc(MEM_LEVEL_DOCS, f->bytes);
	f->heads = mem_xcalloc(MEM_LEVEL_DOCS, sizeof *f->heads);
	st = mem_cursor_open(&c, t, MEM_T_CODE, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK && f->n < MEM_LEVEL_DOCS) {
		st = vectors_tail_read(&f->heads[f->n], &code, c, m.dims, err);
		if (st != MEM_OK)
			break;
		memcpy(f->values + f->n++ * f->bytes, code - sizeof *f->heads, f->bytes);
		st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END && f->n > 0 ? MEM_OK : st;
}

static int
compare_codes_by_place(const void *a, const void *b)
{
	struct vectors_tail_head x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	if (x.ns != y.ns)
		return x.ns < y.ns ? -1 : 1;
	if (x.ord != y.ord)
		return x.ord < y.ord ? -1 : 1;
	return x.passage < y.passage ? -1 : x.passage > y.passage;
}

static void
put_flushed_codes(struct code_flush *f)
{
	mem_sort(f->values, f->n, f->bytes, compare_codes_by_place);
	for (size_t i = 0; i < f->n; i++) {
		const uint8_t *value = f->values + i * f->bytes;
		struct vectors_tail_head *h = &f->heads[i];
		memcpy(h, value, sizeof *h);
		struct mem_segment_doc row = { .captured_at = h->captured_at, .ord = h->ord, .ns = h->ns,
			.length = h->passage, .session = h->session, .kind = h->kind, .role = h->role };
		mem_segw_doc(&f->build.w, &row);
		mem_segw_code(&f->build.w, value + sizeof *h, 0);
		if (h->span.end > 0)
			mem_segw_span(&f->build.w, h->span.start, h->span.end, h->span.field);
	}
	mem_segw_docs_end(&f->build.w);
}

/* MEM_STALE: one is gone or is another. */
static enum mem_status
remove_tail_codes(struct mem_segment_build *b, struct mem_txn *t, struct mem_err *err)
{
	const struct code_flush *f = (const struct code_flush *)b;
	for (size_t i = 0; i < f->n; i++) {
		struct mem_str v;
		uint8_t key[VECTORS_TAIL_KEY];
		vectors_tail_key(key, f->heads[i].ord, f->heads[i].passage);
		enum mem_status st = mem_tab_get(t, MEM_T_CODE, mem_key(key, sizeof key), &v, err);
		if (st == MEM_NOTFOUND || (st == MEM_OK && (v.n != f->bytes || memcmp(v.p, f->values + i * f->bytes, v.n) != 0)))
			st = MEM_STALE;
		if (st == MEM_OK)
			st = mem_tab_del(t, MEM_T_CODE, mem_key(key, sizeof key), err);
		if (st != MEM_OK)
			return st;
	}
	return MEM_OK;
}

enum mem_status
mem_vectors_flush(struct mem_store *s, struct mem_err *err)
{
	struct code_flush *f = mem_xcalloc(1, sizeof *f);
	struct mem_txn *t = NULL;
	f->build.s = s;
	f->build.replace = remove_tail_codes;
	mem_segw_init(&f->build.w, 0);
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_segment_epoch(t, &f->build.epoch, err);
	if (st == MEM_OK)
		st = take_tail_codes(f, t, err);
	mem_txn_end(t);
	if (st == MEM_OK) {
		put_flushed_codes(f);
		st = mem_segment_build_publish(&f->build, err);
	}
	mem_segw_release(&f->build.w);
	free(f->values);
	free(f->heads);
	free(f);
	return st;
}
