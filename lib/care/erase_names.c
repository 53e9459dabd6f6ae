/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of entities that stay, by who says them (erase_said.c):
 *
 *   name     that only what goes says: the first alias that is said takes its place, here and in the facts about the entity
 *   aliases  those that came with a merged node that goes, and that nobody says, go
 *
 * Names that were made by hand are somebody's own.
 */
#include "care/erase_int.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- another name ------------------------------------------------------------------ */

/* The first alias that is said; empty: none is. */
static enum mem_status
find_said_alias(struct erase_plan *p, uint32_t entity, struct mem_json aliases, struct mem_str *name, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*name = MEM_STR("");
	for (struct mem_json_iter it = mem_json_each(aliases); st == MEM_OK && mem_json_next(&it);) {
		struct mem_str alias = mem_json_text(&p->arena, it.value);
		bool said = false;
		if (alias.n == 0)
			continue;
		st = erase_is_name_said(p, entity, mem_text_folded(&p->arena, alias), &said, err);
		if (st == MEM_OK && said) {
			*name = alias;
			return MEM_OK;
		}
	}
	return st;
}

static const struct erase_rename *
find_rename(const struct erase_plan *p, const struct mem_id *entity)
{
	for (size_t i = 0; i < p->nrenamed; i++)
		if (mem_id_cmp(&p->renamed[i].id, entity) == 0)
			return &p->renamed[i];
	return NULL;
}

/* An erase_judge_fn: a fact about a renamed entity that stays has its name in it. */
static enum mem_status
change_fact_about(struct erase_plan *p, uint32_t ord, uint32_t depth, struct mem_err *err)
{
	(void)depth;
	(void)err;
	if (!erase_set_has(&p->goes, ord))
		erase_set_add(&p->stays, ord);
	return MEM_OK;
}

static enum mem_status
judge_name(struct erase_plan *p, uint32_t ord, struct mem_err *err)
{
	struct mem_node node;
	struct mem_str name;
	bool goes = false, said = false;
	enum mem_status st = mem_node_at(p->t, ord, &node, err);
	if (st != MEM_OK || node.attr->kind != MEM_KIND_ENTITY || find_rename(p, &node.attr->id) != NULL)
		return st;
	const struct mem_id id = node.attr->id;
	struct mem_str json = mem_arena_str(&p->arena, node.json);
	name = mem_json_text(&p->arena, mem_json_member(mem_json_object(json), "name"));
	struct mem_str folded = mem_text_folded(&p->arena, name.p != NULL ? name : MEM_STR(""));
	st = erase_is_made_along(p, ord, &goes, err);
	if (st == MEM_OK && goes)
		st = erase_is_name_in_going(p, ord, folded, &goes, err);
	if (st == MEM_OK && goes)
		st = erase_is_name_said(p, ord, folded, &said, err);
	if (st != MEM_OK || !goes || said)
		return st;
	st = find_said_alias(p, ord, mem_json_member(mem_json_object(json), "aliases"), &name, err);
	if (st != MEM_OK || name.n == 0)
		return st;
	p->renamed = mem_grow(p->renamed, &p->renamed_cap, p->nrenamed + 1, sizeof *p->renamed);
	p->renamed[p->nrenamed++] = (struct erase_rename){ id, name };
	return erase_follow_edges(p, ord, 0, "about", false, change_fact_about, err);
}

enum mem_status
erase_take_renamed(struct erase_plan *p, struct mem_err *err)
{
	size_t n;
	uint32_t *stays = erase_list_stays(p, &n);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = judge_name(p, stays[i], err);
	free(stays);
	return st;
}

/* ---- fields ---------------------------------------------------------------------- */

/* Words that were in the store, and so were cleaned, in the place of the member `name` of an object. */
static struct mem_clean_text
put_new_name(struct mem_arena *a, struct mem_str object, struct mem_str name)
{
	struct mem_rec *rec = mem_arena_alloc(a, sizeof *rec);
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_object o = { 0 };
	*rec = (struct mem_rec){ 0 };
	if (mem_rec_scan(rec, object, NULL) != MEM_OK) {
		mem_rec_release(rec);
		return mem_clean_absent();
	}
	mem_clean_restored(&clean, rec);
	for (size_t i = 0; i < rec->nfields; i++)
		if (mem_str_is(rec->fields[i].key, "name"))
			mem_clean_object_put(&o, "name", erase_restore_words(a, name));
		else
			mem_clean_object_keep(&o, &clean, &rec->fields[i]);
	mem_rec_release(rec);
	return mem_clean_object_end(&o, a);
}

static size_t
mend_ends(const struct erase_plan *p, struct mem_arena *a, const struct mem_rec *fact, struct mem_clean_field *set)
{
	static const char *const ends[] = { "subject", "object" };
	size_t n = 0;
	for (size_t i = 0; i < MEM_COUNT(ends) && p->nrenamed > 0; i++) {
		struct mem_json end = mem_rec_value(fact, ends[i]);
		struct mem_id id;
		const struct erase_rename *to = mem_json_id(mem_json_member(end, "id"), &id) ? find_rename(p, &id) : NULL;
		struct mem_clean_text v = to != NULL ? put_new_name(a, end.raw, to->name) : mem_clean_absent();
		if (mem_clean_there(v))
			set[n++] = (struct mem_clean_field){ ends[i], v };
	}
	return n;
}

/* Was the node merged into this one, or into one that was? */
static bool
is_merged_into(const struct erase_plan *p, struct mem_json rec, struct mem_str kept)
{
	for (int i = 0; i < ERASE_DEPTH_MAX; i++) {
		struct mem_node node;
		struct mem_id id;
		struct mem_json by = mem_json_member(rec, "superseded_by");
		if (mem_json_is(by, kept.p))
			return true;
		if (!mem_json_id(by, &id) || mem_node_by_id(p->t, &id, &node, NULL) != MEM_OK)
			return false;
		rec = mem_json_object(node.json);
	}
	return false;
}

/* Has one that goes brought the name, when it was merged? */
static bool
came_with_merged(const struct erase_plan *p, struct mem_str kept, struct mem_str raw)
{
	for (size_t i = 0; i < p->n; i++) {
		struct mem_node node;
		if (p->v[i].kind != MEM_KIND_ENTITY || p->v[i].why != ERASE_VERSION || mem_node_at(p->t, p->v[i].ord, &node, NULL) != MEM_OK)
			continue;
		struct mem_json rec = mem_json_object(node.json);
		if (mem_json_list_has(mem_json_path(rec, "merged.aliases"), raw) && is_merged_into(p, rec, kept))
			return true;
	}
	return false;
}

/* Names without those that go; *changed false: all stay. */
static struct mem_clean_text
filter_names(const struct erase_plan *p, struct mem_arena *a, const struct mem_id *id, const struct mem_clean_rec *whole, const char *field,
    bool *changed)
{
	const struct erase_rename *to = find_rename(p, id);
	struct mem_clean_object list = { 0 };
	char text[MEM_ID_LEN + 1];
	*changed = false;
	mem_id_format(id, text);
	for (struct mem_json_iter it = mem_json_each(mem_clean_value(whole, field).value); mem_json_next(&it);) {
		bool is_name = to != NULL && mem_str_eq(mem_json_text(a, it.value), to->name);
		if (is_name || came_with_merged(p, mem_str(text), it.value.raw))
			*changed = true;
		else
			mem_clean_list_put(&list, mem_clean_part(whole, it.value));
	}
	return mem_clean_list_end(&list, a);
}

/* Of a node that was merged itself: the names that it has brought, in `merged`. */
static size_t
mend_brought(const struct erase_plan *p, struct mem_arena *a, const struct mem_id *id, struct mem_str merged, struct mem_clean_field *set)
{
	struct mem_rec *rec = mem_arena_alloc(a, sizeof *rec);
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_object o = { 0 };
	bool changed = false;
	*rec = (struct mem_rec){ 0 };
	if (mem_rec_scan(rec, merged, NULL) == MEM_OK) {
		mem_clean_restored(&clean, rec);
		struct mem_clean_text names = filter_names(p, a, id, &clean, "aliases", &changed);
		for (size_t i = 0; i < rec->nfields && changed; i++)
			if (mem_str_is(rec->fields[i].key, "aliases"))
				mem_clean_object_put(&o, "aliases", names);
			else
				mem_clean_object_keep(&o, &clean, &rec->fields[i]);
	}
	mem_rec_release(rec);
	if (changed)
		*set = (struct mem_clean_field){ "merged", mem_clean_object_end(&o, a) };
	return changed;
}

static size_t
mend_entity_names(const struct erase_plan *p, struct mem_arena *a, const struct mem_id *id, const struct mem_rec *rec, struct mem_clean_field *set)
{
	const struct erase_rename *to = find_rename(p, id);
	struct mem_clean_rec clean = { 0 };
	struct mem_json merged = mem_rec_value(rec, "merged");
	bool changed;
	size_t n = 0;
	mem_clean_restored(&clean, rec);
	struct mem_clean_text names = filter_names(p, a, id, &clean, "aliases", &changed);
	if (to != NULL)
		set[n++] = (struct mem_clean_field){ "name", erase_restore_words(a, to->name) };
	if (changed)
		set[n++] = (struct mem_clean_field){ "aliases", names };
	return merged.type == MEM_JSON_OBJECT ? n + mend_brought(p, a, id, merged.raw, set + n) : n;
}

size_t
erase_names_mend(const struct erase_plan *p, struct mem_arena *a, const struct mem_node *node, const struct mem_rec *rec, struct mem_clean_field *set)
{
	if (node->attr->kind == MEM_KIND_ENTITY)
		return mend_entity_names(p, a, &node->attr->id, rec, set);
	return node->attr->kind == MEM_KIND_FACT ? mend_ends(p, a, rec, set) : 0;
}
