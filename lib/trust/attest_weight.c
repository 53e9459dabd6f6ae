/* SPDX-License-Identifier: Apache-2.0 */
/* How much attestations weigh. */
#include "trust/attest.h"

#include <math.h>

#include "store/edge.h"
#include "store/node.h"
#include "trust/trust_int.h"

enum { ATTESTERS_MAX = 1024 };

struct attesters {
	uint32_t ords[ATTESTERS_MAX];
	size_t n;
};

static bool
add_attester(void *ctx, const struct mem_edge *e)
{
	struct attesters *a = ctx;
	struct mem_json edge;
	if (a->n < ATTESTERS_MAX && mem_json_scan(&edge, e->json, NULL) == MEM_OK && mem_json_is(mem_json_member(edge, "edge"), "attested_by"))
		a->ords[a->n++] = e->to;
	return a->n < ATTESTERS_MAX;
}

/* What operators say of the agent of this name; false: it is retired, and does not count. */
static bool
read_reliability(struct mem_txn *t, struct mem_arena *arena, struct mem_str agent, double *reliability)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_id id = mem_id_v8(MEM_STR("global"), trust_agent_identity(arena, agent));
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

enum mem_status
mem_attest_weigh(struct mem_txn *t, uint32_t fact, struct mem_attest_weight *out, struct mem_err *err)
{
	struct attesters list = { .n = 0 };
	struct mem_arena arena = { 0 };
	struct mem_rec rec = { 0 };
	double sum = 0, reliability;
	out->k = 0;
	enum mem_status st = mem_edge_each(t, fact, true, add_attester, &list, err);
	for (size_t i = 0; i < list.n && st == MEM_OK; i++) {
		struct mem_node node;
		if (mem_node_at(t, list.ords[i], &node, NULL) != MEM_OK || mem_rec_scan(&rec, node.json, NULL) != MEM_OK ||
		    !read_reliability(t, &arena, mem_json_text(&arena, mem_rec_value(&rec, "name")), &reliability))
			continue;
		out->k++;
		sum += reliability;
	}
	out->posterior = round((1 + sum) / (2 + (double)out->k) * 1e6) / 1e6;
	mem_rec_release(&rec);
	mem_arena_release(&arena);
	return st;
}
