/* SPDX-License-Identifier: Apache-2.0 */
/* Segments as the tables of a store keep them. */
#include "segment/segment.h"

#include <stdlib.h>

#include "base/order.h"

static enum mem_status
get_part_from_table(void *ctx, uint32_t segment, enum mem_sec sec, uint32_t part,
    struct mem_str *value, struct mem_err *err)
{
	uint8_t key[8];
	mem_be32(key, segment);
	mem_be32(key + 4, (uint32_t)sec << 24 | part);
	enum mem_status st = mem_tab_get(ctx, MEM_T_SEG, (struct mem_str){ (const char *)key, sizeof key }, value, err);
	if (st == MEM_OK && sec == MEM_SEC_ZONE) /* small, and searches step through them */
		mem_txn_prefetch(ctx, *value);
	return st;
}

enum mem_status
mem_seg_open_table(struct mem_seg *s, struct mem_txn *t, uint32_t number,
    struct mem_str manifest, struct mem_err *err)
{
	return mem_seg_open(s, number, manifest, get_part_from_table, t, err);
}

bool
mem_seg_prefetch(struct mem_seg *s, struct mem_txn *t, enum mem_sec sec)
{
	for (uint32_t part = 0; part < s->m.sec[sec].parts; part++) {
		size_t n;
		const uint8_t *p = mem_seg_part(s, sec, part, &n);
		if (p == NULL)
			return false;
		mem_txn_prefetch(t, mem_key(p, n));
	}
	return true;
}

static int
compare_segments_by_level(const void *a, const void *b)
{
	const struct mem_segment_info *x = a, *y = b;
	if (x->m.level != y->m.level) /* the largest first */
		return x->m.level > y->m.level ? -1 : 1;
	if (x->m.ord_min == y->m.ord_min)
		return x->number < y->number ? -1 : 1;
	return x->m.ord_min < y->m.ord_min ? -1 : x->m.ord_min > y->m.ord_min;
}

enum mem_status
mem_segment_list(struct mem_txn *t, bool vectors, struct mem_segment_info **out, size_t *n, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_segment_info *list = NULL;
	size_t cap = 0;
	*n = 0;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_SEGS, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(c);
		struct mem_seg seg;
		uint32_t number = key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : 0;
		st = mem_seg_open_table(&seg, t, number, mem_cursor_value(c), err);
		if (st != MEM_OK)
			break;
		if ((seg.m.dims > 0) == vectors) {
			list = mem_grow(list, &cap, *n + 1, sizeof *list);
			list[(*n)++] = (struct mem_segment_info){ number, seg.m };
		}
		mem_seg_close(&seg);
		st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	if (st != MEM_END) {
		free(list);
		return st;
	}
	mem_sort(list, *n, sizeof *list, compare_segments_by_level);
	*out = list;
	return MEM_OK;
}

enum mem_status
mem_segment_empty_table(struct mem_txn *t, enum mem_table tab, struct mem_err *err)
{
	for (;;) {
		struct mem_cursor *c = NULL;
		uint8_t key[16];
		size_t n = 0;
		enum mem_status st = mem_cursor_open(&c, t, tab, err);
		if (st == MEM_OK)
			st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
		if (st == MEM_OK && mem_cursor_key(c).n <= sizeof key) {
			n = mem_cursor_key(c).n;
			memcpy(key, mem_cursor_key(c).p, n);
		}
		mem_cursor_close(c);
		if (st == MEM_END)
			return MEM_OK;
		if (st == MEM_OK)
			st = mem_tab_del(t, tab, mem_key(key, n), err);
		if (st != MEM_OK)
			return st == MEM_NOTFOUND ? mem_err_set(err, MEM_FAIL, "index: a key is damaged") : st;
	}
}
