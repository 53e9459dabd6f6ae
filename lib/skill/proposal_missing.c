/* SPDX-License-Identifier: Apache-2.0 */
/* What a skill that was created from a proposal lacks. */
#include "skill/proposal_int.h"
#include "skill/propose.h"
#include "skill/skill.h"
#include "write/write.h"

/* The node that an operand means; of a review its subject. */
static enum mem_status
find_decided_proposal(struct mem_node *out, struct mem_txn *t, const struct mem_id *id, struct mem_err *err)
{
	struct mem_id subject;
	enum mem_status st = mem_write_node_find(t, id, out, err);
	if (st == MEM_OK && out->attr->kind == MEM_KIND_REVIEW && mem_json_id(mem_json_member(mem_json_object(out->json), "subject"), &subject))
		st = mem_write_node_find(t, &subject, out, err);
	return st == MEM_OK && out->attr->kind != MEM_KIND_PROPOSAL ? MEM_NOTFOUND : st;
}

enum mem_status
mem_proposal_missing(struct mem_store *s, struct mem_str operand, mem_proposal_missing_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_node node, skill;
	struct mem_id id;
	const char *ns = mem_skill_ns(mem_store_conf(s), NULL);
	struct mem_str list = MEM_STR("[]"), name = MEM_STR("");
	enum mem_status st = ns != NULL ? mem_id_find(s, operand, &id, err) : MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = find_decided_proposal(&node, t, &id, err);
	if (st == MEM_OK && proposal_find_skill(&skill, t, mem_str(ns), &node, &a) && mem_node_shown(t, skill.attr)) {
		struct mem_json of = mem_json_object(skill.json), missing = mem_json_member(of, "missing");
		name = mem_json_text(&a, mem_json_member(of, "name"));
		list = mem_json_there(missing) ? mem_arena_str(&a, missing.raw) : list;
	}
	mem_txn_end(t);
	for (struct mem_json_iter it = mem_json_each((struct mem_json){ list, MEM_JSON_ARRAY, false }); mem_json_next(&it);)
		fn(ctx, name, mem_json_text(&a, it.value));
	mem_arena_release(&a);
	return st == MEM_NOTFOUND || st == MEM_REFUSED || st == MEM_DAMAGED ? MEM_OK : st;
}
