/* SPDX-License-Identifier: Apache-2.0 */
/* Table tail: documents that are in no segment yet. */
#include "words/words_int.h"

#include <stdlib.h>

#define WIDE 255 /* this tf and higher ones stand in the wide list */

_Static_assert(sizeof(struct words_tail_head) == 24, "stored as it lies in memory");
_Static_assert(sizeof(struct words_tail_doc) == 56, "stored as it lies in memory");

/* ---- reading ---------------------------------------------------------- */

static enum mem_status
report_damaged_row(struct mem_str key, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "index tail row %u is damaged: run mem-check --repair",
	    key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : 0);
}

static enum mem_status
read_tail_head(struct words_tail_head *head, struct mem_str key, struct mem_str value, struct mem_err *err)
{
	if (key.n != 4 || value.n < sizeof *head + sizeof(struct words_tail_doc))
		return report_damaged_row(key, err);
	memcpy(head, value.p, sizeof *head);
	if (head->docs == 0 || head->docs > (value.n - sizeof *head) / sizeof(struct words_tail_doc))
		return report_damaged_row(key, err);
	return MEM_OK;
}

enum mem_status
words_tail_parse(struct words_tail_batch *b, struct mem_str key, struct mem_str value,
    struct mem_err *err)
{
	enum mem_status st = read_tail_head(&b->head, key, value, err);
	if (st != MEM_OK)
		return st;
	uint64_t terms = 0, wide = 0;
	b->docs = (const uint8_t *)value.p + sizeof b->head;
	for (uint32_t i = 0; i < b->head.docs; i++) {
		struct words_tail_doc d;
		memcpy(&d, b->docs + i * sizeof d, sizeof d);
		terms += d.terms;
		wide += d.wide;
		if (d.wide > d.terms || d.kind >= MEM_KIND_LIMIT || d.role >= 8)
			return report_damaged_row(key, err);
	}
	if (value.n != sizeof b->head + b->head.docs * sizeof(struct words_tail_doc) + 9 * terms + 8 * wide
	    || terms > UINT32_MAX)
		return report_damaged_row(key, err);
	b->bytes = value.n;
	b->terms = (uint32_t)terms;
	b->wide = (uint32_t)wide;
	b->high = b->docs + b->head.docs * sizeof(struct words_tail_doc);
	b->low = b->high + 4 * terms;
	b->tf = b->low + 4 * terms;
	b->wides = b->tf + terms;
	return MEM_OK;
}

void
words_tail_first(const struct words_tail_batch *b, struct words_tail_row *row)
{
	row->i = 0;
	row->high = b->high;
	row->low = b->low;
	row->tf = b->tf;
	row->wides = b->wides;
	memcpy(&row->doc, b->docs, sizeof row->doc);
}

bool
words_tail_next(const struct words_tail_batch *b, struct words_tail_row *row)
{
	if (++row->i >= b->head.docs)
		return false;
	row->high += 4 * (size_t)row->doc.terms;
	row->low += 4 * (size_t)row->doc.terms;
	row->tf += row->doc.terms;
	row->wides += 8 * (size_t)row->doc.wide;
	memcpy(&row->doc, b->docs + row->i * sizeof row->doc, sizeof row->doc);
	return true;
}

uint64_t
words_tail_term(const struct words_tail_row *row, uint32_t i)
{
	return (uint64_t)mem_ld32(row->high + 4 * (size_t)i) << 32
	    | mem_ld32(row->low + 4 * (size_t)i);
}

uint32_t
words_tail_tf(const struct words_tail_row *row, uint32_t i)
{
	if (row->tf[i] < WIDE)
		return row->tf[i];
	for (uint32_t k = 0; k < row->doc.wide; k++)
		if (mem_ld32(row->wides + 8 * (size_t)k) == i)
			return mem_ld32(row->wides + 8 * (size_t)k + 4);
	return WIDE;
}

typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

/* First place at or after i in [i, n) whose upper half may be `high`: n when there is none. */
static uint32_t
scan_upper_halves(const uint8_t *p, uint32_t i, uint32_t n, uint32_t high)
{
	for (; i + 8 <= n; i += 8) {
		u32x4 a, b;
		memcpy(&a, p + 4 * (size_t)i, sizeof a);
		memcpy(&b, p + 4 * (size_t)i + 16, sizeof b);
		u64x2 any = (u64x2)((a == high) | (b == high));
		if ((any[0] | any[1]) != 0)
			break;
	}
	while (i < n && mem_ld32(p + 4 * (size_t)i) != high)
		i++;
	return i;
}

uint32_t
words_tail_find(const struct words_tail_row *row, uint64_t term)
{
	uint32_t from = 0, n = row->doc.terms, size = n, high = (uint32_t)(term >> 32);
	while (size > 256) { /* long texts: halve first */
		uint32_t half = size / 2;
		if (mem_ld32(row->high + 4 * (size_t)(from + half)) < high)
			from += half;
		size -= half;
	}
	uint32_t end = from + size < n ? from + size + 1 : n;
	for (uint32_t i = scan_upper_halves(row->high, from, end, high); i < n; i++) {
		uint64_t at = words_tail_term(row, i);
		if (at == term)
			return words_tail_tf(row, i);
		if (at > term)
			break;
	}
	return 0;
}

/* MEM_END: the tail is empty. */
static enum mem_status
get_tail_head(struct mem_txn *t, bool last, struct words_tail_head *head, size_t *bytes, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_TAIL, err);
	if (st == MEM_OK)
		st = last ? mem_cursor_last(c, err) : mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	if (st == MEM_OK)
		st = read_tail_head(head, mem_cursor_key(c), mem_cursor_value(c), err);
	if (st == MEM_OK)
		*bytes = mem_cursor_value(c).n;
	mem_cursor_close(c);
	return st;
}

enum mem_status
mem_words_tail_size(struct mem_txn *t, uint64_t *docs, uint64_t *bytes, struct mem_err *err)
{
	struct words_tail_head first, last;
	size_t first_bytes, last_bytes;
	*docs = *bytes = 0;
	enum mem_status st = get_tail_head(t, false, &first, &first_bytes, err);
	if (st == MEM_OK)
		st = get_tail_head(t, true, &last, &last_bytes, err);
	if (st == MEM_OK) {
		*docs = last.count - first.count + first.docs;
		*bytes = last.sum - first.sum + first_bytes;
	}
	return st == MEM_END ? MEM_OK : st;
}

/* ---- packing ---------------------------------------------------------- */

static void
pack_tail_values(const struct words_tail_batch *in, size_t n, struct mem_buf *out)
{
	struct words_tail_head head = in[n - 1].head;
	size_t bytes = sizeof head;
	for (size_t i = 0; i < n; i++)
		bytes += in[i].bytes - sizeof head;
	head.sum = in[0].head.sum - in[0].bytes + bytes;
	head.docs = (uint32_t)n;
	head.loose = 0;
	mem_buf_reserve(out, bytes);
	mem_buf_put(out, &head, sizeof head);
	for (size_t i = 0; i < n; i++)
		mem_buf_put(out, in[i].docs, sizeof(struct words_tail_doc));
	for (size_t i = 0; i < n; i++)
		mem_buf_put(out, in[i].high, 4 * (size_t)in[i].terms);
	for (size_t i = 0; i < n; i++)
		mem_buf_put(out, in[i].low, 4 * (size_t)in[i].terms);
	for (size_t i = 0; i < n; i++)
		mem_buf_put(out, in[i].tf, in[i].terms);
	for (size_t i = 0; i < n; i++)
		mem_buf_put(out, in[i].wides, 8 * (size_t)in[i].wide);
}

/* The last `n` values of one document, as `in` and their keys.  MEM_END: there are fewer, or they are too large for one value. */
static enum mem_status
take_loose_values(struct mem_txn *t, struct words_tail_batch *in, uint8_t (*keys)[4], size_t n,
    struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	size_t bytes = 0;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_TAIL, err);
	if (st == MEM_OK)
		st = mem_cursor_last(c, err);
	for (size_t i = n; st == MEM_OK && i-- > 0;) {
		st = words_tail_parse(&in[i], mem_cursor_key(c), mem_cursor_value(c), err);
		if (st == MEM_OK && in[i].head.docs != 1)
			st = report_damaged_row(mem_cursor_key(c), err);
		if (st != MEM_OK)
			break;
		memcpy(keys[i], mem_cursor_key(c).p, 4);
		bytes += in[i].bytes;
		if (i > 0)
			st = mem_cursor_prev(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_OK && bytes > MEM_PART_ROOM ? MEM_END : st;
}

static enum mem_status
pack_loose_values(struct mem_txn *t, struct mem_err *err)
{
	enum { N = WORDS_TAIL_BATCH };
	struct words_tail_batch *in = mem_xcalloc(N, sizeof *in);
	uint8_t keys[N][4];
	struct mem_buf out = { 0 };
	enum mem_status st = take_loose_values(t, in, keys, N, err);
	if (st == MEM_OK) {
		pack_tail_values(in, N, &out); /* before the first change: what `in` borrows from goes with that */
		for (size_t i = 1; i < N && st == MEM_OK; i++)
			st = mem_tab_del(t, MEM_T_TAIL, mem_key(keys[i], 4), err);
		if (st == MEM_OK)
			st = mem_tab_put(t, MEM_T_TAIL, mem_key(keys[0], 4), mem_buf_span(&out), err);
	}
	mem_buf_release(&out);
	free(in);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- adding ----------------------------------------------------------- */

/* What follows the document's head. */
static void
write_tail_terms(uint8_t *p, const struct mem_words_doc *doc)
{
	size_t n = doc->nterms;
	uint8_t *wide = p + 9 * n;
	for (size_t i = 0; i < n; i++) {
		uint32_t tf = doc->terms[i].tf;
		memcpy(p + 4 * i, &(uint32_t){ (uint32_t)(doc->terms[i].hash >> 32) }, 4);
		memcpy(p + 4 * n + 4 * i, &(uint32_t){ (uint32_t)doc->terms[i].hash }, 4);
		p[8 * n + i] = (uint8_t)(tf < WIDE ? tf : WIDE);
		if (tf >= WIDE) {
			uint32_t pair[2] = { (uint32_t)i, tf };
			memcpy(wide, pair, sizeof pair);
			wide += sizeof pair;
		}
	}
}

/* How many tfs are wide; UINT32_MAX when terms do not rise or a tf is 0. */
static uint32_t
count_wide_tfs(const struct mem_words_doc *doc)
{
	uint32_t wide = 0;
	for (size_t i = 0; i < doc->nterms; i++) {
		if (doc->terms[i].tf == 0
		    || (i > 0 && doc->terms[i].hash <= doc->terms[i - 1].hash))
			return UINT32_MAX;
		wide += doc->terms[i].tf >= WIDE;
	}
	return wide;
}

static enum mem_status
append_tail_value(struct mem_txn *t, const struct words_tail_head *head, const struct words_tail_doc *d,
    const struct mem_words_doc *doc, size_t bytes, struct mem_err *err)
{
	uint8_t key[4], *value = mem_xmalloc(bytes);
	mem_be32(key, d->ord);
	memcpy(value, head, sizeof *head);
	memcpy(value + sizeof *head, d, sizeof *d);
	write_tail_terms(value + sizeof *head + sizeof *d, doc);
	enum mem_status st = mem_tab_append(t, MEM_T_TAIL, mem_key(key, sizeof key),
	    (struct mem_str){ (const char *)value, bytes }, true, err);
	free(value);
	return st == MEM_EXISTS ? mem_err_set(err, MEM_FAIL, "index: document %u comes twice", d->ord) : st;
}

enum mem_status
mem_words_add(struct mem_txn *t, const struct mem_words_doc *doc, struct mem_err *err)
{
	struct words_tail_head head = { .docs = 1 }, last = { 0 };
	struct words_tail_doc d = {
		.id = doc->attr->id, .captured_at = doc->attr->captured_at, .ord = doc->ord,
		.ns = doc->ns, .length = doc->length, .session = doc->attr->session,
		.terms = (uint32_t)doc->nterms, .wide = count_wide_tfs(doc),
		.kind = doc->attr->kind, .role = doc->attr->role,
	};
	size_t last_bytes;
	if (d.wide == UINT32_MAX || doc->nterms > UINT32_MAX / 16 || d.kind >= MEM_KIND_LIMIT || d.role >= 8
	    || doc->ord == UINT32_MAX)
		return mem_err_set(err, MEM_USAGE, "index: terms of document %u are not in order", doc->ord);
	enum mem_status st = get_tail_head(t, true, &last, &last_bytes, err);
	if (st != MEM_OK && st != MEM_END)
		return st;
	size_t bytes = sizeof head + sizeof d + 9 * doc->nterms + 8 * (size_t)d.wide;
	head.sum = last.sum + bytes;
	head.count = last.count + 1;
	head.loose = last.loose + 1;
	st = append_tail_value(t, &head, &d, doc, bytes, err);
	if (st == MEM_OK)
		st = mem_ns_count(t, doc->ns, 1, doc->length, err);
	if (st == MEM_OK && head.loose % WORDS_TAIL_BATCH == 0)
		st = pack_loose_values(t, err);
	return st;
}
