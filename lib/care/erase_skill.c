/* SPDX-License-Identifier: Apache-2.0 */
/* A skill that goes takes its releases with it, whose text is mostly its own. */
#include "care/erase_int.h"

#include "skill/skill.h"
#include "skill/skill_ords.h"

static enum mem_status
judge_release(struct erase_plan *p, uint32_t ord, const struct erase_node *skill, struct mem_err *err)
{
	struct mem_str json;
	struct mem_id of;
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st != MEM_OK || a->kind != MEM_KIND_SKILL)
		return st;
	st = mem_node_text_at(p->t, ord, &json, err);
	if (st != MEM_OK || !mem_json_id(mem_json_member(mem_json_object(json), "release_of"), &of) || mem_id_cmp(&of, &skill->id) != 0)
		return st;
	return erase_plan_take(p, ord, ERASE_VERSION, skill->depth + 1, err);
}

/* Releases are found by their ref, which begins with the skill's name. */
static enum mem_status
list_release_numbers(struct mem_skill_ords *l, struct erase_plan *p, const struct erase_node *skill, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_node_at(p->t, skill->ord, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(p->t, node.attr->ns, &ns, err);
	struct mem_str name = st == MEM_OK ? mem_json_text(&a, mem_json_member(mem_json_object(node.json), "name")) : MEM_STR("");
	if (st == MEM_OK && name.n > 0)
		st = mem_nodes_ref_begins(p->t, ns.number, mem_skill_release_ref(&a, name, MEM_STR("")), mem_skill_ords_take, l, err);
	mem_arena_release(&a);
	return st;
}

enum mem_status
erase_take_releases(struct erase_plan *p, const struct erase_node *skill, struct mem_err *err)
{
	struct mem_skill_ords l = { 0 };
	enum mem_status st = skill->kind == MEM_KIND_SKILL ? list_release_numbers(&l, p, skill, err) : MEM_OK;
	for (size_t i = 0; i < l.n && st == MEM_OK && p->refused == NULL; i++)
		st = judge_release(p, l.v[i], skill, err);
	mem_skill_ords_release(&l);
	return st;
}
