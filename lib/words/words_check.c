/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what of the index no node's text tells: tombs, and the sums of the tail. */
#include "words/words_int.h"

#include <stdlib.h>

#include "base/order.h"

/* ---- tombs ------------------------------------------------------------- */

static int
compare_segments_by_number(const void *a, const void *b)
{
	const struct mem_segment_info *x = a, *y = b;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Segments of words or of vectors, behind those that are there. */
static enum mem_status
add_segments(struct mem_txn *t, bool vectors, struct mem_segment_info **all, size_t *n, struct mem_err *err)
{
	struct mem_segment_info *some = NULL;
	size_t more = 0, cap = *n;
	enum mem_status st = mem_segment_list(t, vectors, &some, &more, err);
	if (st == MEM_OK && more > 0) {
		*all = mem_grow(*all, &cap, *n + more, sizeof **all);
		memcpy(*all + *n, some, more * sizeof *some);
		*n += more;
	}
	free(some);
	return st;
}

/* Is there such a document? */
static bool
has_tomb_a_document(struct mem_str key, const struct mem_segment_info *segs, size_t n)
{
	if (key.n != 8)
		return false;
	const struct mem_segment_info want = { .number = mem_be32_get((const uint8_t *)key.p) };
	const struct mem_segment_info *seg = mem_sorted_find(&want, segs, n, sizeof *segs, compare_segments_by_number);
	return seg != NULL && mem_be32_get((const uint8_t *)key.p + 4) < seg->m.docs;
}

enum mem_status
mem_words_check_tombs(struct mem_txn *t, mem_breach_fn *fn, void *ctx, bool *sound, struct mem_err *err)
{
	struct mem_segment_info *segs = NULL;
	size_t n = 0;
	struct mem_cursor *c = NULL;
	*sound = true;
	enum mem_status st = add_segments(t, false, &segs, &n, err);
	if (st == MEM_OK)
		st = add_segments(t, true, &segs, &n, err);
	if (st == MEM_OK)
		mem_sort(segs, n, sizeof *segs, compare_segments_by_number);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_TOMB, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_breach b = { "tomb_stray", "tomb", mem_cursor_key(c), "a removed document that no segment of the index has" };
		if (!mem_cursor_sound(c))
			b = (struct mem_breach){ "checksum", "tomb", b.key, "a key is not what was written" };
		else if (has_tomb_a_document(b.key, segs, n))
			continue;
		fn(ctx, &b);
		*sound = false;
	}
	mem_cursor_close(c);
	free(segs);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- the tail ---------------------------------------------------------- */

/* What it comes to, counted value by value. */
static enum mem_status
count_tail(struct mem_txn *t, const struct words_tail_sums *said, struct words_tail_sums *out, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct words_tail_batch b;
	*out = *said;
	out->docs = out->bytes = out->loose = 0;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_TAIL, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(c);
		st = words_tail_parse(&b, key, mem_cursor_value(c), err);
		if (st != MEM_OK)
			break;
		uint32_t at = mem_be32_get((const uint8_t *)key.p);
		out->docs += b.head.docs;
		out->bytes += b.bytes;
		out->loose += said->loose > 0 && at >= said->loose_from && b.head.docs == 1;
		out->next = at >= out->next ? at + 1 : out->next;
		st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_words_check_sums(struct mem_txn *t, mem_breach_fn *fn, void *ctx, struct mem_err *err)
{
	struct words_tail_sums said, sums = { 0 };
	struct mem_err why;
	bool read = words_tail_sums_get(t, &said, &why) == MEM_OK;
	enum mem_status st = read ? count_tail(t, &said, &sums, err) : MEM_OK;
	struct mem_breach b = { "tail_sums", "meta", MEM_STR("tail"), "the tail of the index holds other than is counted" };
	if (st == MEM_OK && (!read || memcmp(&said, &sums, sizeof sums) != 0))
		fn(ctx, &b);
	return st;
}
