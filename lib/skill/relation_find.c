/* SPDX-License-Identifier: Apache-2.0 */
/* What a skill's relation means now: another skill, a page, or nothing yet. */
#include "skill/skill_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_map.h"
#include "store/page_keys.h"
#include "text/text.h"

/* ---- pages -------------------------------------------------------------- */

/* A mem_ord_fn: pages of a name, of which there may be one. */
struct named_pages {
	struct mem_txn *t;
	uint32_t ord;
	size_t n;
};
static void
take_named_page(void *ctx, uint32_t ord)
{
	struct named_pages *p = ctx;
	if (mem_attr_shown_at(p->t, ord, MEM_KIND_PAGE) == NULL || (p->n > 0 && p->ord == ord))
		return;
	p->ord = ord;
	p->n++;
}

enum mem_status
skill_link_page_find(struct mem_txn *t, struct mem_str name, struct mem_arena *a, uint32_t *to, struct mem_err *err)
{
	struct mem_str folded = mem_text_folded(a, name);
	struct named_pages found = { .t = t };
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = folded.n > 0 ? mem_ns_visible(t, &ns, &n, err) : MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (ns[i].root == ns[i].number)
			st = mem_nodes_named(t, ns[i].number, folded, take_named_page, &found, err);
	free(ns);
	*to = found.ord;
	return st == MEM_OK && found.n != 1 ? MEM_NOTFOUND : st;
}

/* ---- skills --------------------------------------------------------------- */

/* The skill whose file lies there; a live one first. */
static enum mem_status
find_skill_of_path(struct mem_txn *t, struct mem_str ns, struct mem_str path, struct mem_arena *a, uint32_t *to, struct mem_err *err)
{
	struct mem_str folded = mem_text_folded(a, path);
	uint32_t ord = UINT32_MAX;
	bool found = false, live = false;
	enum mem_status st = folded.n > 0 ? MEM_OK : MEM_END;
	while (st == MEM_OK && !live && (st = mem_node_by_name(t, ns, MEM_STR("=path"), folded, &ord, err)) == MEM_OK) {
		struct mem_skill skill;
		st = mem_skill_at(&skill, t, ord, a, err);
		if (st == MEM_OK && !skill.is_release && mem_str_eq(skill.path, path) && (!found || skill.live)) {
			*to = ord;
			found = true;
			live = skill.live;
		}
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	if (st != MEM_OK && st != MEM_END && st != MEM_NOTFOUND)
		return st;
	return found ? MEM_OK : MEM_NOTFOUND;
}

/* Of the skill, or what it was merged into; one that was forgotten is not there. */
static enum mem_status
find_skill_left(struct mem_txn *t, uint32_t *ord, struct mem_err *err)
{
	const struct mem_attr *attr;
	enum mem_status st = mem_node_survivor(t, ord, false, err);
	if (st == MEM_OK || st == MEM_NOTFOUND || st == MEM_DAMAGED)
		st = mem_attr_at(t, *ord, &attr, err);
	if (st == MEM_OK && attr->expired_at != MEM_TIME_NONE && attr->expired_at <= mem_txn_now(t))
		return MEM_NOTFOUND;
	return st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
skill_relation_find(struct mem_txn *t, struct mem_str ns, struct mem_json relation, struct mem_arena *a, uint32_t *to, struct mem_err *err)
{
	struct mem_str name = mem_json_text(a, mem_json_member(relation, "name")), path = mem_json_text(a, mem_json_member(relation, "path"));
	struct mem_skill skill;
	enum mem_status st = MEM_NOTFOUND;
	if (name.n > 0) {
		st = mem_skill_by_name(&skill, t, ns, name, a, err);
		*to = st == MEM_OK ? skill.ord : *to;
	} else if (path.n > 0)
		st = find_skill_of_path(t, ns, path, a, to, err);
	if (st == MEM_OK)
		st = find_skill_left(t, to, err);
	bool page = name.n > 0 && mem_json_is(mem_json_member(relation, "edge"), SKILL_LINK);
	return st == MEM_NOTFOUND && page ? skill_link_page_find(t, name, a, to, err) : st;
}

/* ---- what is missing -------------------------------------------------------- */

struct mem_json
skill_relation_end(struct mem_json relation, struct mem_arena *a)
{
	static const struct mem_str file = MEM_STR_INIT("/SKILL.md");
	struct mem_json name = mem_json_member(relation, "name"), path = mem_json_member(relation, "path");
	if (mem_json_there(name))
		return name;
	struct mem_str text = mem_json_text(a, path);
	bool skill = text.n > file.n && memcmp(text.p + text.n - file.n, file.p, file.n) == 0;
	return skill ? path : (struct mem_json){ 0 };
}

/* Ends that were told, by kind of edge, and without a kind all that relations have. */
struct missing_walk {
	struct mem_text_map told, ends;
	struct mem_arena arena;     /* of one relation */
	mem_skill_end_fn *fn;
	void *ctx;
};

static void
tell_missing_end(struct missing_walk *w, struct mem_str edge, struct mem_str end)
{
	bool made;
	const struct mem_str name = mem_text_folded(&w->arena, end); /* a skill is meant in whatever case */
	mem_text_map_put(&w->told, mem_str(mem_arena_printf(&w->arena, "%.*s %.*s", (int)edge.n, edge.p, (int)name.n, name.p)), 0, &made);
	if (made)
		w->fn(w->ctx, edge, end);
}

static enum mem_status
look_for_relation(struct missing_walk *w, struct mem_txn *t, struct mem_str ns, struct mem_json relation, struct mem_err *err)
{
	struct mem_json end = skill_relation_end(relation, &w->arena);
	uint32_t to = 0;
	bool made;
	if (!mem_json_there(end))
		return MEM_OK;
	mem_text_map_put(&w->ends, end.raw, 0, &made);
	enum mem_status st = skill_relation_find(t, ns, relation, &w->arena, &to, err);
	if (st == MEM_NOTFOUND)
		tell_missing_end(w, mem_json_text(&w->arena, mem_json_member(relation, "edge")), mem_json_text(&w->arena, end));
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* A name that no relation has: what a proposal names is kept as missing alone. */
static enum mem_status
look_for_name(struct missing_walk *w, struct mem_txn *t, struct mem_str ns, struct mem_json name, struct mem_err *err)
{
	struct mem_skill skill;
	if (mem_text_map_find(&w->ends, name.raw) != NULL)
		return MEM_OK;
	struct mem_str text = mem_json_text(&w->arena, name);
	enum mem_status st = mem_skill_by_name(&skill, t, ns, text, &w->arena, err);
	if (st == MEM_NOTFOUND || (st == MEM_OK && skill.forgotten))
		tell_missing_end(w, MEM_STR(""), text);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
mem_skill_missing_each(struct mem_txn *t, const struct mem_skill *skill, mem_skill_end_fn *fn, void *ctx, struct mem_err *err)
{
	struct missing_walk w = { .fn = fn, .ctx = ctx };
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(skill->relations); mem_json_next(&it) && st == MEM_OK; mem_arena_reset(&w.arena))
		st = look_for_relation(&w, t, skill->ns, it.value, err);
	for (struct mem_json_iter it = mem_json_each(skill->missing); mem_json_next(&it) && st == MEM_OK; mem_arena_reset(&w.arena))
		st = look_for_name(&w, t, skill->ns, it.value, err);
	mem_text_map_release(&w.told);
	mem_text_map_release(&w.ends);
	mem_arena_release(&w.arena);
	return st;
}
