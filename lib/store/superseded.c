/* SPDX-License-Identifier: Apache-2.0 */
/* When a node was superseded. */
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

struct successor_search {
	uint16_t kind;
	int64_t first;
};

/* A mem_edge_fn. */
static bool
note_successor_time(void *ctx, const struct mem_edge *e)
{
	struct successor_search *s = ctx;
	struct mem_json v;
	struct mem_buf text = { 0 };
	int64_t at;
	if (e->kind == s->kind && mem_json_scan(&v, e->json, NULL) == MEM_OK && mem_json_decode(&text, mem_json_member(v, "created_at")) &&
	    mem_time_parse(mem_buf_span(&text), &at) && (s->first == MEM_TIME_NONE || at < s->first))
		s->first = at;
	mem_buf_release(&text);
	return true;
}

int64_t
mem_node_superseded_at(struct mem_txn *t, const struct mem_attr *a)
{
	struct successor_search s = { .first = MEM_TIME_NONE };
	struct mem_node node;
	if (a->superseded_at != MEM_TIME_NONE || a->status != MEM_STATUS_SUPERSEDED)
		return a->superseded_at;
	enum mem_status st = mem_edge_kind_find(t, "superseded_by", &s.kind, NULL);
	if (st == MEM_OK)
		st = mem_node_by_id(t, &a->id, &node, NULL);
	if (st == MEM_OK)
		st = mem_edge_each(t, node.ord, true, note_successor_time, &s, NULL);
	return st == MEM_OK ? s.first : MEM_TIME_NONE;
}
