/* SPDX-License-Identifier: Apache-2.0 */
/* A segment is stored part by part and published at the end. */
#include "segment/segment_write.h"

enum mem_status
mem_segment_epoch(struct mem_txn *t, uint64_t *epoch, struct mem_err *err)
{
	struct mem_str v;
	*epoch = 0;
	enum mem_status st = mem_tab_get(t, MEM_T_META, MEM_STR("index"), &v, err);
	if (st == MEM_OK && v.n == sizeof *epoch)
		memcpy(epoch, v.p, sizeof *epoch);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* One above the highest number that a part or a manifest has. */
static enum mem_status
find_free_number(struct mem_txn *t, uint32_t *number, struct mem_err *err)
{
	static const enum mem_table tabs[] = { MEM_T_SEG, MEM_T_SEGS };
	*number = 1;
	for (size_t i = 0; i < MEM_COUNT(tabs); i++) {
		struct mem_cursor *c = NULL;
		enum mem_status st = mem_cursor_open(&c, t, tabs[i], err);
		if (st == MEM_OK)
			st = mem_cursor_last(c, err);
		if (st == MEM_OK && mem_cursor_key(c).n >= 4) {
			uint32_t last = mem_be32_get((const uint8_t *)mem_cursor_key(c).p);
			*number = last >= *number ? last + 1 : *number;
		}
		mem_cursor_close(c);
		if (st != MEM_OK && st != MEM_END)
			return st;
	}
	return MEM_OK;
}

static enum mem_status
put_parts(struct mem_segment_build *b, struct mem_txn *t, size_t max, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	size_t bytes = 0;
	for (b->stored = 0; st == MEM_OK && b->stored < b->w.ndone; b->stored++) {
		const struct mem_segment_part *p = &b->w.done[b->stored];
		if (b->stored > 0 && bytes + p->n > max)
			break;
		uint8_t key[8];
		mem_be32(key, b->number);
		mem_be32(key + 4, (uint32_t)p->sec << 24 | p->part);
		st = mem_tab_put(t, MEM_T_SEG, mem_key(key, sizeof key),
		    (struct mem_str){ (const char *)p->data, p->n }, err);
		bytes += p->n;
	}
	return st;
}

/* A transaction may run again from its start, so what it decides is kept apart until it holds. */
struct build_attempt {
	struct mem_segment_build *b;
	uint32_t number;
	bool publish;
};

static enum mem_status
run_build_attempt(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct build_attempt *a = ctx;
	struct mem_segment_build *b = a->b;
	uint64_t epoch;
	uint8_t key[4];
	enum mem_status st = mem_segment_epoch(t, &epoch, err);
	if (st == MEM_OK && epoch != b->epoch)
		return MEM_STALE;
	if (st == MEM_OK && a->number == 0)
		st = find_free_number(t, &b->number, err);
	if (st == MEM_OK)
		st = put_parts(b, t, a->publish ? SIZE_MAX : MEM_TXN_BYTES, err);
	if (st != MEM_OK || !a->publish)
		return st;
	mem_be32(key, b->number);
	if (b->w.m.docs > 0) /* else all that it would hold has gone */
		st = mem_tab_put(t, MEM_T_SEGS, mem_key(key, sizeof key),
		    (struct mem_str){ (const char *)&b->w.m, sizeof b->w.m }, err);
	return st == MEM_OK ? b->replace(b, t, err) : st;
}

enum mem_status
mem_segment_build_store(struct mem_segment_build *b, size_t keep, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && b->w.done_bytes > keep) {
		struct build_attempt a = { b, b->number, false };
		st = mem_store_write(b->s, run_build_attempt, &a, err);
		if (st == MEM_OK)
			mem_segw_drop_done(&b->w, b->stored);
	}
	return st;
}

enum mem_status
mem_segment_build_publish(struct mem_segment_build *b, struct mem_err *err)
{
	struct build_attempt a = { b, b->number, true };
	enum mem_status st = mem_segw_finish(&b->w, err);
	if (st == MEM_OK)
		st = mem_segment_build_store(b, MEM_TXN_BYTES, err);
	a.number = b->number;
	return st == MEM_OK ? mem_store_write(b->s, run_build_attempt, &a, err) : st;
}

/* ---- what a merge replaces -------------------------------------------- */

enum mem_status
mem_segment_build_inputs_there(const struct mem_segment_build *b, struct mem_txn *t, const struct mem_segment_info *inputs,
    size_t n, struct mem_err *err)
{
	uint64_t epoch;
	enum mem_status st = mem_segment_epoch(t, &epoch, err);
	if (st == MEM_OK && epoch != b->epoch)
		st = MEM_STALE;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct mem_str v;
		uint8_t key[4];
		mem_be32(key, inputs[i].number);
		st = mem_tab_get(t, MEM_T_SEGS, mem_key(key, sizeof key), &v, err);
		if (st == MEM_NOTFOUND
		    || (st == MEM_OK && (v.n != sizeof inputs[i].m || memcmp(v.p, &inputs[i].m, v.n) != 0)))
			st = MEM_STALE;
	}
	return st;
}

enum mem_status
mem_segment_build_inputs_remove(const struct mem_segment_build *b, struct mem_txn *t, const struct mem_segment_info *inputs,
    size_t n, struct mem_err *err)
{
	enum mem_status st = mem_segment_build_inputs_there(b, t, inputs, n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		uint8_t key[4];
		mem_be32(key, inputs[i].number);
		st = mem_tab_del(t, MEM_T_SEGS, mem_key(key, sizeof key), err);
	}
	return st;
}

uint16_t
mem_segment_level(uint64_t docs)
{
	uint16_t level = 0;
	for (uint64_t most = MEM_LEVEL_DOCS; most < docs; most *= MEM_MERGE)
		level++;
	return level;
}
