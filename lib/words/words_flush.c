/* SPDX-License-Identifier: Apache-2.0 */
/* A flush: documents of the tail become a segment. */
#include "words/words_int.h"

#include <stdlib.h>

#include "base/order.h"

struct posting {
	uint64_t term;
	uint32_t doc, tf;
};

struct tail_flush {
	struct mem_segment_build build;
	struct words_tail_row *rows; /* BORROW from the snapshot */
	size_t n;
	struct taken_value {
		uint8_t key[4];
		uint64_t hash;     /* of the whole value: a document in it may be removed meanwhile */
	} *values;
	size_t nvalues;
	struct posting *postings, *spare;
	size_t npostings;
};

/* Is the value to be the last?  Values of one document may become part of a batch while the
 * segment is built, so they are left alone where there are batches enough. */
static bool
is_flush_full(const struct tail_flush *f, const struct words_tail_batch *b, uint64_t bytes, uint64_t tail)
{
	return f->n > 0 && (f->n + b->head.docs > MEM_WORDS_TAIL_DOCS || bytes > MEM_WORDS_TAIL_BYTES
	    || (b->head.docs == 1 && f->nvalues < f->n && tail >= MEM_WORDS_TAIL_DOCS));
}

static void
take_tail_value(struct tail_flush *f, const struct words_tail_batch *b, struct mem_str key, struct mem_str value)
{
	struct words_tail_row row;
	words_tail_first(b, &row);
	do {
		f->rows[f->n++] = row;
		f->npostings += row.doc.terms;
	} while (f->n < MEM_WORDS_TAIL_DOCS && words_tail_next(b, &row));
	struct taken_value *v = &f->values[f->nvalues++];
	memcpy(v->key, key.p, sizeof v->key);
	v->hash = mem_hash_fast(value.p, value.n);
}

/* MEM_END: the tail is empty. */
static enum mem_status
take_tail_rows(struct tail_flush *f, struct mem_txn *t, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct words_tail_batch b;
	uint64_t bytes = 0, docs, all;
	f->rows = mem_xcalloc(MEM_WORDS_TAIL_DOCS, sizeof *f->rows);
	f->values = mem_xcalloc(MEM_WORDS_TAIL_DOCS, sizeof *f->values);
	enum mem_status st = mem_words_tail_size(t, &docs, &all, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_TAIL, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK) {
		st = words_tail_parse_all(&b, mem_cursor_key(c), mem_cursor_value(c), err);
		bytes += st == MEM_OK ? b.bytes : 0;
		if (st != MEM_OK || is_flush_full(f, &b, bytes, docs))
			break;
		if (b.head.docs > MEM_WORDS_TAIL_DOCS)
			st = mem_err_set(err, MEM_FAIL, "index tail is damaged: run mem-check --repair");
		else
			take_tail_value(f, &b, mem_cursor_key(c), mem_cursor_value(c));
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END && f->n > 0 ? MEM_OK : st;
}

static int
compare_rows_by_ns_and_ord(const void *a, const void *b)
{
	const struct words_tail_row *x = a, *y = b;
	if (x->doc.ns != y->doc.ns)
		return x->doc.ns < y->doc.ns ? -1 : 1;
	return x->doc.ord < y->doc.ord ? -1 : x->doc.ord > y->doc.ord;
}

static void
put_flushed_docs(struct tail_flush *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct words_tail_doc *d = &f->rows[i].doc;
		struct mem_segment_doc row = {
			.captured_at = d->captured_at, .ord = d->ord, .ns = d->ns,
			.length = d->length, .session = d->session, .kind = d->kind,
			.role = d->role, .id_min = d->id, .id_max = d->id,
			.rises = i > 0 && mem_id_cmp(&d->id, &f->rows[i - 1].doc.id) > 0,
		};
		mem_segw_doc(&f->build.w, &row);
	}
	mem_segw_docs_end(&f->build.w);
}

static void
gather_postings(struct tail_flush *f)
{
	struct posting *p = f->postings;
	for (uint32_t doc = 0; doc < f->n; doc++) {
		const struct words_tail_row *row = &f->rows[doc];
		for (uint32_t i = 0; i < row->doc.terms; i++)
			*p++ = (struct posting){ words_tail_term(row, i), doc, words_tail_tf(row, i) };
	}
}

/* By term, those of a term as they came: eleven bits at a time, from the lowest. */
static void
sort_postings(struct tail_flush *f)
{
	enum { BITS = 11, VALUES = 1 << BITS };
	size_t *at = mem_xmalloc(VALUES * sizeof *at);
	for (unsigned shift = 0; shift < 64; shift += BITS) {
		memset(at, 0, VALUES * sizeof *at);
		for (size_t i = 0; i < f->npostings; i++)
			at[f->postings[i].term >> shift & (VALUES - 1)]++;
		size_t sum = 0;
		for (size_t v = 0; v < VALUES; v++) {
			size_t count = at[v];
			at[v] = sum;
			sum += count;
		}
		for (size_t i = 0; i < f->npostings; i++)
			f->spare[at[f->postings[i].term >> shift & (VALUES - 1)]++] = f->postings[i];
		struct posting *swap = f->postings;
		f->postings = f->spare;
		f->spare = swap;
	}
	free(at);
}

static void
put_flushed_terms(struct tail_flush *f)
{
	for (size_t i = 0, end; i < f->npostings; i = end) {
		uint64_t term = f->postings[i].term;
		for (end = i + 1; end < f->npostings && f->postings[end].term == term;)
			end++;
		mem_segw_term(&f->build.w, term, (uint32_t)(end - i));
		for (; i < end; i++)
			mem_segw_post(&f->build.w, &f->postings[i].doc, &f->postings[i].tf, 1);
	}
}

static enum mem_status
build_from_tail(struct tail_flush *f, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, f->build.s, err);
	if (st == MEM_OK)
		st = mem_segment_epoch(t, &f->build.epoch, err);
	if (st == MEM_OK)
		st = take_tail_rows(f, t, err);
	if (st == MEM_OK) {
		f->postings = mem_xcalloc(f->npostings, sizeof *f->postings);
		f->spare = mem_xcalloc(f->npostings, sizeof *f->spare);
		mem_sort(f->rows, f->n, sizeof *f->rows, compare_rows_by_ns_and_ord);
		put_flushed_docs(f);
		gather_postings(f);
		sort_postings(f);
		put_flushed_terms(f);
	}
	mem_txn_end(t);
	return st;
}

/* MEM_STALE: one of them is gone or is another: flushed or packed by another process, or a document of it was removed. */
static enum mem_status
remove_tail_rows(struct mem_segment_build *build, struct mem_txn *t, struct mem_err *err)
{
	const struct tail_flush *f = (const struct tail_flush *)build;
	struct words_tail_sums sums;
	enum mem_status st = words_tail_sums_get(t, &sums, err);
	for (size_t i = 0; i < f->nvalues && st == MEM_OK; i++) {
		struct mem_str v, key = mem_key(f->values[i].key, 4);
		struct words_tail_batch b;
		st = mem_tab_get(t, MEM_T_TAIL, key, &v, err);
		if (st == MEM_NOTFOUND || (st == MEM_OK && mem_hash_fast(v.p, v.n) != f->values[i].hash))
			return MEM_STALE;
		if (st == MEM_OK)
			st = words_tail_parse(&b, key, v, err);
		if (st == MEM_OK)
			st = words_tail_drop(t, &sums, key, &b, err);
	}
	return st == MEM_OK ? words_tail_sums_put(t, &sums, err) : st;
}

enum mem_status
mem_words_flush(struct mem_store *s, struct mem_err *err)
{
	struct tail_flush *f = mem_xcalloc(1, sizeof *f);
	f->build.s = s;
	f->build.replace = remove_tail_rows;
	mem_segw_init(&f->build.w, 0);
	enum mem_status st = build_from_tail(f, err);
	if (st == MEM_OK)
		st = mem_segment_build_publish(&f->build, err);
	mem_segw_release(&f->build.w);
	free(f->rows);
	free(f->values);
	free(f->postings);
	free(f->spare);
	free(f);
	return st;
}
