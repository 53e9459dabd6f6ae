/* SPDX-License-Identifier: Apache-2.0 */
/* Documents into the tail and out of it, and what the tail comes to. */
#include "words/words_int.h"

#include <stdlib.h>

_Static_assert(sizeof(struct words_tail_sums) == 32, "stored as it lies in memory");

/* ---- its sums --------------------------------------------------------- */

static const struct mem_str sums_key = MEM_STR_INIT("tail");

static enum mem_status
report_damaged_sums(struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "index: the sums of the tail are damaged: run mem-check --repair");
}

enum mem_status
words_tail_sums_get(struct mem_txn *t, struct words_tail_sums *s, struct mem_err *err)
{
	struct mem_str v;
	*s = (struct words_tail_sums){ 0 };
	if (mem_tab_count(t, MEM_T_TAIL) == 0)
		return MEM_OK;
	enum mem_status st = mem_tab_get(t, MEM_T_META, sums_key, &v, err);
	if (st == MEM_NOTFOUND || (st == MEM_OK && v.n != sizeof *s))
		return report_damaged_sums(err);
	if (st == MEM_OK)
		memcpy(s, v.p, sizeof *s);
	return st;
}

enum mem_status
words_tail_sums_put(struct mem_txn *t, const struct words_tail_sums *s, struct mem_err *err)
{
	return mem_tab_put(t, MEM_T_META, sums_key, (struct mem_str){ (const char *)s, sizeof *s }, err);
}

enum mem_status
mem_words_tail_size(struct mem_txn *t, uint64_t *docs, uint64_t *bytes, struct mem_err *err)
{
	struct words_tail_sums s;
	enum mem_status st = words_tail_sums_get(t, &s, err);
	*docs = st == MEM_OK ? s.docs : 0;
	*bytes = st == MEM_OK ? s.bytes : 0;
	return st;
}

static bool
is_loose_value(const struct words_tail_sums *s, struct mem_str key)
{
	return s->loose > 0 && mem_be32_get((const uint8_t *)key.p) >= s->loose_from;
}

enum mem_status
words_tail_drop(struct mem_txn *t, struct words_tail_sums *s, struct mem_str key, const struct words_tail_batch *b,
    struct mem_err *err)
{
	if (s->docs < b->head.docs || s->bytes < b->bytes)
		return report_damaged_sums(err);
	s->docs -= b->head.docs;
	s->bytes -= b->bytes;
	s->loose -= is_loose_value(s, key);
	return mem_tab_del(t, MEM_T_TAIL, key, err);
}

/* ---- packing ---------------------------------------------------------- */

/* One value of some documents; returns its bytes. */
static size_t
pack_tail_rows(const struct words_tail_row *rows, size_t n, struct mem_buf *out)
{
	struct words_tail_head head = { .docs = (uint32_t)n };
	size_t at = out->len, terms = 0;
	mem_buf_put(out, &head, sizeof head);
	for (size_t i = 0; i < n; i++)
		mem_buf_put(out, &rows[i].doc, sizeof rows[i].doc);
	for (size_t i = 0; i < n; i++) {
		mem_buf_put(out, rows[i].high, 4 * (size_t)rows[i].doc.terms);
		terms += rows[i].doc.terms;
	}
	head.sum = words_tail_sum((const uint8_t *)out->data + at + sizeof head, n, terms);
	memcpy(out->data + at, &head, sizeof head);
	for (size_t i = 0; i < n; i++)
		mem_buf_put(out, rows[i].low, 4 * (size_t)rows[i].doc.terms);
	for (size_t i = 0; i < n; i++)
		mem_buf_put(out, rows[i].tf, rows[i].doc.terms);
	for (size_t i = 0; i < n; i++)
		mem_buf_put(out, rows[i].wides, 8 * (size_t)rows[i].doc.wide);
	return out->len;
}

struct loose_values {
	struct words_tail_row rows[WORDS_TAIL_BATCH];
	struct words_tail_batch batches[WORDS_TAIL_BATCH];
	uint8_t keys[WORDS_TAIL_BATCH][4];
	size_t n, bytes;
};

static enum mem_status
take_loose_values(struct mem_txn *t, const struct words_tail_sums *s, struct loose_values *l, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	uint8_t key[4];
	mem_be32(key, s->loose_from);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_TAIL, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, mem_key(key, sizeof key), err);
	for (; st == MEM_OK && l->n < WORDS_TAIL_BATCH; st = mem_cursor_next(c, err)) {
		struct words_tail_batch *b = &l->batches[l->n];
		st = words_tail_parse_all(b, mem_cursor_key(c), mem_cursor_value(c), err);
		if (st != MEM_OK)
			break;
		if (b->head.docs != 1) {
			st = report_damaged_sums(err);
			break;
		}
		words_tail_first(b, &l->rows[l->n]);
		memcpy(l->keys[l->n++], mem_cursor_key(c).p, 4);
		l->bytes += b->bytes;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* What is too large for one value stays as it is. */
static enum mem_status
pack_loose_values(struct mem_txn *t, struct words_tail_sums *s, struct mem_err *err)
{
	struct loose_values *l = mem_xcalloc(1, sizeof *l);
	struct mem_buf out = { 0 };
	enum mem_status st = take_loose_values(t, s, l, err);
	if (st == MEM_OK && l->n != s->loose)
		st = report_damaged_sums(err);
	if (st == MEM_OK && l->bytes <= MEM_PART_ROOM) {
		pack_tail_rows(l->rows, l->n, &out); /* before the first change: what they borrow from goes with that */
		for (size_t i = 0; i < l->n && st == MEM_OK; i++)
			st = words_tail_drop(t, s, mem_key(l->keys[i], 4), &l->batches[i], err);
		if (st == MEM_OK)
			st = mem_tab_put(t, MEM_T_TAIL, mem_key(l->keys[0], 4), mem_buf_span(&out), err);
		s->docs += l->n;
		s->bytes += out.len;
	}
	s->loose = 0;
	mem_buf_release(&out);
	free(l);
	return st;
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
		p[8 * n + i] = (uint8_t)(tf < WORDS_TAIL_WIDE ? tf : WORDS_TAIL_WIDE);
		if (tf >= WORDS_TAIL_WIDE) {
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
		wide += doc->terms[i].tf >= WORDS_TAIL_WIDE;
	}
	return wide;
}

static uint32_t
sum_of_terms(const uint8_t *p, const struct words_tail_doc *d)
{
	size_t n = d->terms;
	struct words_tail_row row = { .doc = *d, .high = p, .low = p + 4 * n, .tf = p + 8 * n, .wides = p + 9 * n };
	return words_tail_rest_sum(&row);
}

static enum mem_status
append_tail_value(struct mem_txn *t, struct words_tail_sums *s, struct words_tail_doc *d,
    const struct mem_words_doc *doc, struct mem_err *err)
{
	struct words_tail_head head = { .docs = 1 };
	size_t bytes = sizeof head + sizeof *d + 9 * doc->nterms + 8 * (size_t)d->wide;
	uint8_t key[4], *value = mem_xmalloc(bytes);
	mem_be32(key, s->next);
	write_tail_terms(value + sizeof head + sizeof *d, doc);
	d->rest = sum_of_terms(value + sizeof head + sizeof *d, d);
	memcpy(value + sizeof head, d, sizeof *d);
	head.sum = words_tail_sum(value + sizeof head, 1, d->terms);
	memcpy(value, &head, sizeof head);
	enum mem_status st = mem_tab_append(t, MEM_T_TAIL, mem_key(key, sizeof key),
	    (struct mem_str){ (const char *)value, bytes }, true, err);
	free(value);
	if (s->loose == 0)
		s->loose_from = s->next;
	s->next++;
	s->docs++;
	s->bytes += bytes;
	s->loose++;
	return st == MEM_EXISTS || s->next == 0 ? report_damaged_sums(err) : st;
}

enum mem_status
mem_words_add(struct mem_txn *t, const struct mem_words_doc *doc, struct mem_err *err)
{
	struct words_tail_sums s;
	struct words_tail_doc d = {
		.id = doc->attr->id, .captured_at = doc->attr->captured_at, .ord = doc->ord,
		.ns = doc->ns, .length = doc->length, .session = doc->attr->session,
		.terms = (uint32_t)doc->nterms, .wide = count_wide_tfs(doc),
		.kind = doc->attr->kind, .role = doc->attr->role,
	};
	if (d.wide == UINT32_MAX || doc->nterms > UINT32_MAX / 16 || d.kind >= MEM_KIND_LIMIT || d.role >= 8
	    || doc->ord == UINT32_MAX)
		return mem_err_set(err, MEM_USAGE, "index: terms of document %u are not in order", doc->ord);
	enum mem_status st = words_tail_sums_get(t, &s, err);
	if (st == MEM_OK)
		st = append_tail_value(t, &s, &d, doc, err);
	if (st == MEM_OK)
		st = mem_ns_count(t, doc->ns, 1, doc->length, err);
	if (st == MEM_OK && s.loose == WORDS_TAIL_BATCH)
		st = pack_loose_values(t, &s, err);
	return st == MEM_OK ? words_tail_sums_put(t, &s, err) : st;
}

/* ---- removing --------------------------------------------------------- */

/* The value is written again without its document i, or goes. */
static enum mem_status
take_out_row(struct mem_txn *t, struct mem_str key, const struct words_tail_batch *b, uint32_t i, struct mem_err *err)
{
	struct words_tail_sums s;
	struct words_tail_row row;
	struct mem_buf out = { 0 };
	size_t n = 0;
	struct words_tail_row *rest = mem_xcalloc(b->head.docs, sizeof *rest);
	words_tail_first(b, &row);
	do
		if (row.i != i)
			rest[n++] = row;
	while (words_tail_next(b, &row));
	enum mem_status st = words_tail_sums_get(t, &s, err);
	if (st == MEM_OK && n > 0) {
		bool loose = is_loose_value(&s, key);
		pack_tail_rows(rest, n, &out);
		st = words_tail_drop(t, &s, key, b, err);
		if (st == MEM_OK)
			st = mem_tab_put(t, MEM_T_TAIL, key, mem_buf_span(&out), err);
		s.docs += n;
		s.bytes += out.len;
		s.loose += loose;
	} else if (st == MEM_OK) {
		st = words_tail_drop(t, &s, key, b, err);
	}
	mem_buf_release(&out);
	free(rest);
	return st == MEM_OK ? words_tail_sums_put(t, &s, err) : st;
}

/* The node's document in the tail, with its place; MEM_NOTFOUND: there is none. */
static enum mem_status
find_tail_row(struct mem_txn *t, uint32_t ord, uint8_t key[4], struct words_tail_batch *b, struct words_tail_row *row,
    struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	bool found = false;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_TAIL, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK) {
		st = words_tail_parse_all(b, mem_cursor_key(c), mem_cursor_value(c), err); /* what stays of it is written anew */
		if (st != MEM_OK)
			break;
		words_tail_first(b, row);
		do
			found = row->doc.ord == ord;
		while (!found && words_tail_next(b, row));
		if (found) {
			memcpy(key, mem_cursor_key(c).p, 4);
			break;
		}
		st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_NOTFOUND : st;
}

static enum mem_status
remove_tail_doc(struct mem_txn *t, uint32_t ord, uint32_t *ns, uint32_t *length, struct mem_err *err)
{
	struct words_tail_batch b;
	struct words_tail_row row;
	uint8_t key[4];
	enum mem_status st = find_tail_row(t, ord, key, &b, &row, err);
	if (st != MEM_OK)
		return st;
	*ns = row.doc.ns;
	*length = row.doc.length;
	return take_out_row(t, mem_key(key, sizeof key), &b, row.i, err);
}

/* MEM_NOTFOUND: the segment has no document of the node that counts. */
static enum mem_status
bury_segment_doc(struct mem_txn *t, const struct mem_segment_info *info, uint32_t ns, uint32_t ord, uint32_t *length,
    struct mem_err *err)
{
	struct mem_cols c = { .zone = UINT32_MAX };
	struct mem_seg seg;
	uint32_t doc;
	if (ord < info->m.ord_min || ord > info->m.ord_max)
		return MEM_NOTFOUND;
	enum mem_status st = mem_seg_open_table(&seg, t, info->number,
	    (struct mem_str){ (const char *)&info->m, sizeof info->m }, err);
	if (st != MEM_OK)
		return st;
	bool found = mem_seg_doc(&seg, &c, ns, ord, &doc);
	if (found)
		*length = mem_cols_length(&c, doc - c.first);
	st = seg.status != MEM_OK ? seg.status : !found ? MEM_NOTFOUND : mem_tomb_put(t, seg.number, doc, err);
	mem_seg_close(&seg);
	return st == MEM_EXISTS ? MEM_NOTFOUND : st;
}

static enum mem_status
bury_doc(struct mem_txn *t, uint32_t ns, uint32_t ord, uint32_t *length, struct mem_err *err)
{
	struct mem_segment_info *segs = NULL;
	size_t n = 0;
	enum mem_status st = mem_segment_list(t, false, &segs, &n, err);
	if (st != MEM_OK)
		return st;
	st = MEM_NOTFOUND;
	for (size_t i = 0; i < n && st == MEM_NOTFOUND; i++)
		st = bury_segment_doc(t, &segs[i], ns, ord, length, err);
	free(segs);
	return st;
}

enum mem_status
mem_words_remove(struct mem_txn *t, uint32_t ns, uint32_t ord, struct mem_err *err)
{
	uint32_t length;
	enum mem_status st = bury_doc(t, ns, ord, &length, err);
	if (st == MEM_NOTFOUND)
		st = remove_tail_doc(t, ord, &ns, &length, err);
	return st == MEM_OK ? mem_ns_count(t, ns, -1, -(int64_t)length, err) : st;
}
