/* SPDX-License-Identifier: Apache-2.0 */
/* Tags that were made of an episode's: they go with the last that has them. */
#include "care/erase_int.h"
#include "record/record.h"
#include "words/words.h"
#include "write/write.h"

#include <stdlib.h>

/* Does nothing else of the namespace have the tag? */
static enum mem_status
is_last_with_tag(struct erase_plan *p, const struct mem_ns *ns, struct mem_str name, bool *last, struct mem_err *err)
{
	const uint64_t hash = mem_term_field(mem_store_secret(p->store), MEM_TERM_TAG, name);
	uint64_t df = 0;
	enum mem_status st = mem_words_df(p->t, ns, 1, &hash, 1, &df, err);
	*last = st == MEM_OK && df <= 1;
	return st;
}

static enum mem_status
judge_tag_name(struct erase_plan *p, const struct mem_ns *ns, struct mem_str name, uint32_t depth, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_node tag;
	bool goes = false;
	struct mem_id id = mem_id_v8(mem_str(ns->name), mem_write_identity(&a, MEM_KIND_TAG, MEM_STR("tag"), name));
	enum mem_status st = mem_node_by_id(p->t, &id, &tag, err);
	if (st == MEM_OK)
		st = is_last_with_tag(p, ns, name, &goes, err);
	if (st == MEM_OK && goes)
		st = erase_ends_go(p, tag.ord, "tagged", false, &goes, err);
	if (st == MEM_OK && goes)
		st = erase_is_made_along(p, tag.ord, &goes, err);
	if (st == MEM_OK && goes)
		st = erase_plan_take(p, tag.ord, ERASE_DERIVED, depth, err);
	mem_arena_release(&a);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
erase_take_tags(struct erase_plan *p, const struct erase_node *from, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	struct mem_arena a = { 0 };
	if (from->kind != MEM_KIND_EPISODE)
		return MEM_OK;
	enum mem_status st = mem_node_at(p->t, from->ord, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(p->t, node.attr->ns, &ns, err);
	if (st != MEM_OK)
		return st;
	struct mem_json tags = mem_json_member(mem_json_object(node.json), "tags");
	for (struct mem_json_iter it = mem_json_each(tags); st == MEM_OK && mem_json_next(&it);)
		st = judge_tag_name(p, &ns, mem_json_text(&a, it.value), from->depth + 1, err);
	mem_arena_release(&a);
	return st;
}
