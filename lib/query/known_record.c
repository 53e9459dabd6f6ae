/* SPDX-License-Identifier: Apache-2.0 */
/* A record as the store had it at a moment of the past. */
#include "query/known_record.h"

#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

/* What a successor writes into a node is taken back; its end is the successor's beginning. */
static void
put_unsuperseded(struct mem_buf *out, const struct mem_rec *r)
{
	static const char *const names[] = { "superseded_by", "superseded_at", "superseded_reason" };
	struct mem_edit edits[2 + MEM_COUNT(names)] = { { "status", MEM_STR("\"active\"") } };
	size_t n = 1;
	if (mem_json_there(mem_rec_value(r, "valid_to")))
		edits[n++] = (struct mem_edit){ "valid_to", MEM_STR("null") };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_json_there(mem_rec_value(r, names[i])))
			edits[n++] = (struct mem_edit){ names[i], { NULL, 0 } };
	mem_rec_edit(out, r, edits, n);
}

enum mem_status
query_known_record(struct mem_str *json, struct mem_buf *room, struct mem_txn *t, uint32_t ord, int64_t known_at, struct mem_err *err)
{
	const struct mem_attr *a;
	struct mem_rec r = { 0 };
	if (known_at == MEM_TIME_NONE)
		return MEM_OK;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st != MEM_OK)
		return st;
	int64_t superseded_at = mem_node_superseded_at(t, a);
	if (superseded_at == MEM_TIME_NONE || superseded_at <= known_at)
		return MEM_OK;
	st = mem_rec_scan(&r, *json, err);
	if (st == MEM_OK && mem_json_is(mem_rec_value(&r, "status"), "superseded")) {
		mem_buf_reset(room);
		put_unsuperseded(room, &r);
		*json = mem_buf_span(room);
	}
	mem_rec_release(&r);
	return st;
}
