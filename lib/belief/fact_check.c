/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that others ended, and what these are about. */
#include "belief/fact_check.h"

#include "belief/fact.h"
#include "store/node.h"

/* Have both this end, with an id, and is it another's? */
static bool
have_other_ends(struct mem_json a, struct mem_json b, const char *end)
{
	struct mem_id x, y;
	return mem_json_id(mem_json_member(mem_json_member(a, end), "id"), &x) && mem_json_id(mem_json_member(mem_json_member(b, end), "id"), &y) &&
	    mem_id_cmp(&x, &y) != 0;
}

/* Is one the denial or the opposite of the other, and not another value of the same? */
static bool
deny_each_other(struct mem_json a, struct mem_json b)
{
	struct mem_json x = mem_json_member(a, "predicate"), y = mem_json_member(b, "predicate");
	return !mem_str_eq(x.raw, y.raw) || (mem_json_member(a, "negated").type == MEM_JSON_TRUE) != (mem_json_member(b, "negated").type == MEM_JSON_TRUE);
}

bool
mem_contradiction_is_apart(struct mem_json loser, struct mem_json winner, struct mem_json reason)
{
	static const char *const by_subject[] = { MEM_FACT_NEWER, MEM_FACT_EXCLUSIVE, MEM_FACT_CORRECTED, MEM_FACT_HINT, MEM_FACT_LESS_TRUSTED, NULL };
	static const char *const by_both[] = { MEM_FACT_NEGATED, MEM_FACT_OPPOSITE, MEM_FACT_RESTATED, NULL };
	static const char *const by_value[] = { MEM_FACT_TIE, "contradicts", NULL };
	bool either = mem_json_among(reason, by_value, NULL), both = mem_json_among(reason, by_both, NULL) || (either && deny_each_other(loser, winner));
	return (both || either || mem_json_among(reason, by_subject, NULL)) &&
	    (have_other_ends(loser, winner, "subject") || (both && have_other_ends(loser, winner, "object")));
}

bool
mem_facts_are_apart(struct mem_json loser, struct mem_json winner)
{
	return mem_contradiction_is_apart(loser, winner, mem_json_member(loser, "superseded_reason"));
}

static enum mem_status
check_ended_fact(struct mem_txn *t, struct mem_str key, uint32_t ord, mem_breach_fn *fn, void *ctx)
{
	static const char message[] = "a fact about one thing was ended by one about another";
	struct mem_node fact, winner;
	struct mem_id by;
	if (mem_node_at(t, ord, &fact, NULL) != MEM_OK)
		return MEM_OK;
	struct mem_json text = mem_json_object(fact.json);
	if (!mem_json_id(mem_json_member(text, "superseded_by"), &by) || mem_node_by_id(t, &by, &winner, NULL) != MEM_OK ||
	    !mem_facts_are_apart(text, mem_json_object(winner.json)))
		return MEM_OK;
	const struct mem_breach b = { "fact_ender", "node", key, message };
	fn(ctx, &b);
	return MEM_OK;
}

enum mem_status
mem_facts_check(struct mem_txn *t, mem_breach_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_str value;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(c);
		const struct mem_attr *a;
		uint32_t ord = key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : UINT32_MAX;
		if (mem_cursor_read(c, &value, NULL) == MEM_OK && ord != UINT32_MAX && mem_attr_at(t, ord, &a, NULL) == MEM_OK &&
		    a->kind == MEM_KIND_FACT && a->status != MEM_STATUS_ACTIVE)
			st = check_ended_fact(t, key, ord, fn, ctx);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}
