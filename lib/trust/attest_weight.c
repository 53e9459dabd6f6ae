/* SPDX-License-Identifier: Apache-2.0 */
/* How much attestations weigh. */
#include "trust/attest.h"

#include <math.h>

#include "store/edge.h"
#include "store/node.h"
#include "trust/trust.h"
#include "trust/trust_int.h"

static struct mem_str
read_text_of(struct mem_arena *a, struct mem_str json, const char *name)
{
	return mem_json_text(a, mem_json_member(mem_json_object(json), name));
}

/* What operators say of the agent of this name; false: it is retired, and does not count. */
static bool
read_reliability(struct mem_txn *t, struct mem_arena *arena, struct mem_str agent, double *reliability)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_id id = mem_agent_node_id(arena, MEM_STR("global"), agent);
	bool counts = true;
	*reliability = .5;
	if (mem_node_by_id(t, &id, &node, NULL) == MEM_OK && mem_rec_scan(&rec, node.json, NULL) == MEM_OK) {
		if (!mem_json_num(mem_rec_value(&rec, "reliability"), reliability) || !(*reliability >= 0 && *reliability <= 1))
			*reliability = .5;
		counts = !mem_json_is(mem_rec_value(&rec, "state"), "retired");
	}
	mem_rec_release(&rec);
	return counts;
}

/* The one at the other end of the edge that the cursor gave last.  One that cannot be read does not count. */
static enum mem_status
add_attester(struct mem_txn *t, struct mem_arena *arena, struct mem_edge_cursor *c, struct mem_attest_weight *out, double *sum,
    struct mem_err *err)
{
	struct mem_edge edge;
	struct mem_node node;
	double reliability;
	int64_t at;
	enum mem_status st = mem_edge_cursor_edge(c, &edge, err);
	if (st == MEM_OK)
		st = mem_node_at(t, edge.to, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	if (!read_reliability(t, arena, read_text_of(arena, node.json, "name"), &reliability))
		return MEM_OK;
	out->k++;
	*sum += reliability;
	if (mem_time_parse(read_text_of(arena, edge.json, "created_at"), &at) && at > out->newest)
		out->newest = at;
	return MEM_OK;
}

enum mem_status
mem_attest_weigh(struct mem_txn *t, uint32_t fact, struct mem_attest_weight *out, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_arena arena = { 0 };
	struct mem_edge_row row;
	uint16_t kind;
	double sum = 0;
	*out = (struct mem_attest_weight){ .newest = MEM_TIME_NONE };
	enum mem_status st = mem_edge_cursor_open_at(&c, t, fact, "attested_by", true, &kind, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == kind)
		st = add_attester(t, &arena, c, out, &sum, err);
	mem_edge_cursor_close(c);
	out->posterior = round((1 + sum) / (2 + (double)out->k) * 1e6) / 1e6;
	mem_arena_release(&arena);
	return st == MEM_END ? MEM_OK : st;
}
