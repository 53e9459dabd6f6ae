/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the audit about one node, newest first: those that stand alone, then those in blocks, which are older. */
#include <string.h>

#include "store/log.h"
#include "store/row_pack.h"
#include "store/store_int.h"

struct audit_back {
	const struct mem_id *subject;
	uint64_t after;
	mem_audit_fn *fn;
	void *ctx;
	uint64_t lowest;      /* of the rows seen: while rows are packed, some stand in both tables */
	bool stopped;
};

/* Gives the row to fn if it is about the node and was not given yet. */
static void
take_back_row(struct audit_back *b, const struct store_row *r)
{
	if (r->seq >= b->lowest)
		return;
	b->lowest = r->seq;
	b->stopped = r->seq <= b->after;
	if (b->stopped || mem_id_cmp(&r->id, b->subject) != 0)
		return;
	const struct mem_audit_row row = { .seq = r->seq, .at = r->at, .subject = r->id, .ns_number = r->ns, .kind = r->words[0],
		.actor = r->words[1], .reason = r->words[2], .detail = r->words[3] };
	b->stopped = !b->fn(b->ctx, &row);
}

static void
take_back_block(struct audit_back *b, struct store_block *block, struct mem_str key, struct mem_str value)
{
	uint64_t last = key.n == 8 ? mem_be64_get((const uint8_t *)key.p) : 0;
	if (last <= b->after) {
		b->stopped = true;
		return;
	}
	if (!store_block_may_have(value, b->subject) || !store_block_read(block, value, last))
		return;
	for (size_t i = block->n; i-- > 0 && !b->stopped;)
		take_back_row(b, &block->rows[i]);
}

static enum mem_status
read_table_back(struct audit_back *b, struct mem_txn *t, enum mem_table tab, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct store_block block = { 0 };
	struct store_row row;
	enum mem_status st = mem_cursor_open(&c, t, tab, err);
	if (st == MEM_OK)
		st = mem_cursor_last(c, err);
	for (; st == MEM_OK && !b->stopped; st = mem_cursor_prev(c, err)) {
		struct mem_str value, key = mem_cursor_key(c);
		if (mem_cursor_read(c, &value, NULL) != MEM_OK)
			continue;
		if (tab == MEM_T_AUDITPACK)
			take_back_block(b, &block, key, value);
		else if (store_row_parse(tab, key, value, &row))
			take_back_row(b, &row);
	}
	store_block_release(&block);
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_audit_each_back(struct mem_txn *t, const struct mem_id *subject, uint64_t after, mem_audit_fn *fn, void *ctx, struct mem_err *err)
{
	struct audit_back b = { .subject = subject, .after = after, .fn = fn, .ctx = ctx, .lowest = UINT64_MAX };
	enum mem_status st = read_table_back(&b, t, MEM_T_AUDIT, err);
	return st == MEM_OK && !b.stopped ? read_table_back(&b, t, MEM_T_AUDITPACK, err) : st;
}
