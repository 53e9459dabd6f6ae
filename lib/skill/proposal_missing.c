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

/* The skill that was made of it, in `ns`. */
static enum mem_status
find_created_skill(struct mem_skill *out, struct mem_txn *t, struct mem_str ns, const struct mem_node *proposal, struct mem_arena *a, struct mem_err *err)
{
	struct mem_str name = mem_json_text(a, mem_json_member(mem_json_object(proposal->json), "name"));
	struct mem_id of, is = proposal->attr->id;
	enum mem_status st = mem_skill_by_name(out, t, ns, name, a, err);
	if (st != MEM_OK)
		return st;
	bool made = mem_json_id(mem_json_member(out->node, "proposal"), &of) && mem_id_cmp(&of, &is) == 0;
	return made ? MEM_OK : MEM_NOTFOUND;
}

enum mem_status
mem_proposal_missing(struct mem_store *s, struct mem_str operand, mem_proposal_missing_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_node node;
	struct mem_skill skill;
	struct mem_id id;
	const char *ns = mem_skill_ns(mem_store_conf(s), NULL);
	struct mem_str list = MEM_STR("[]"), name = MEM_STR("");
	enum mem_status st = ns != NULL ? mem_id_find(s, operand, &id, err) : MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = find_decided_proposal(&node, t, &id, err);
	if (st == MEM_OK)
		st = find_created_skill(&skill, t, mem_str(ns), &node, &a, err);
	if (st == MEM_OK && mem_json_there(skill.missing)) {
		list = mem_arena_str(&a, skill.missing.raw);
		name = mem_arena_str(&a, skill.name);
	}
	mem_txn_end(t);
	for (struct mem_json_iter it = mem_json_each((struct mem_json){ list, MEM_JSON_ARRAY, false }); mem_json_next(&it);)
		fn(ctx, name, mem_json_text(&a, it.value));
	mem_arena_release(&a);
	return st == MEM_NOTFOUND || st == MEM_REFUSED || st == MEM_DAMAGED ? MEM_OK : st;
}
