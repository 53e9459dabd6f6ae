/* SPDX-License-Identifier: Apache-2.0 */
/* Skills as their nodes have them, and the list of them. */
#include "skill/skill.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "skill/skill_ords.h"

enum { SKILLS_A_SNAPSHOT = 500 };

/* ---- reading ---------------------------------------------------------- */

static void
read_skill_text(struct mem_str *out, struct mem_arena *a, struct mem_json value)
{
	struct mem_str s = value.type == MEM_JSON_STRING ? mem_json_text(a, value) : (struct mem_str){ 0 };
	if (s.p != NULL)
		*out = s;
}

/* Fields of a skill: texts, and values as they stand. */
#define SKILL_TEXT(name) { MEM_STR_INIT(#name), offsetof(struct mem_skill, name), true }
#define SKILL_VALUE(name) { MEM_STR_INIT(#name), offsetof(struct mem_skill, name), false }
static const struct skill_field {
	struct mem_str name;
	size_t at;
	bool text;
} skill_fields[] = {
	SKILL_TEXT(ns), SKILL_TEXT(ref), SKILL_TEXT(name), SKILL_TEXT(description), SKILL_TEXT(category), SKILL_TEXT(release), SKILL_TEXT(sha256),
	SKILL_TEXT(path), SKILL_TEXT(file_sha256), SKILL_VALUE(tags), SKILL_VALUE(front), SKILL_VALUE(content), SKILL_VALUE(relations),
	SKILL_VALUE(missing),
};

static const struct mem_str RELEASE_OF = MEM_STR_INIT("release_of");

/* Lengths differ most often: they are compared in place, since a list of skills comes here for each member of each of them. */
static void
read_skill_member(struct mem_skill *out, struct mem_arena *a, const struct mem_json_iter *it)
{
	for (size_t i = 0; i < MEM_COUNT(skill_fields); i++) {
		const struct skill_field *f = &skill_fields[i];
		if (f->name.n != it->key.n || memcmp(f->name.p, it->key.p, it->key.n) != 0)
			continue;
		char *at = (char *)out + f->at;
		if (f->text)
			read_skill_text((struct mem_str *)(void *)at, a, it->value);
		else
			memcpy(at, &it->value, sizeof it->value);
		return;
	}
	if (it->key.n == RELEASE_OF.n && memcmp(it->key.p, RELEASE_OF.p, RELEASE_OF.n) == 0)
		out->is_release = mem_json_id(it->value, &out->release_of);
}

/* One walk over the members: the body, which may be long, is passed over but once. */
static void
read_skill_fields(struct mem_skill *out, struct mem_arena *a)
{
	for (size_t i = 0; i < MEM_COUNT(skill_fields); i++)
		if (skill_fields[i].text)
			*(struct mem_str *)(void *)((char *)out + skill_fields[i].at) = MEM_STR("");
	for (struct mem_json_iter it = mem_json_each(out->node); mem_json_next(&it);)
		read_skill_member(out, a, &it);
}

enum mem_status
mem_skill_read(struct mem_skill *out, struct mem_txn *t, const struct mem_node *node, struct mem_arena *a)
{
	if (node->attr->kind != MEM_KIND_SKILL || !mem_node_readable(t, node->attr))
		return MEM_NOTFOUND;
	*out = (struct mem_skill){ .ord = node->ord, .id = node->attr->id, .status = node->attr->status,
		.live = mem_attr_live(node->attr, mem_txn_now(t)),
		.forgotten = node->attr->expired_at != MEM_TIME_NONE && node->attr->expired_at <= mem_txn_now(t), .created_at = node->attr->created_at, .node = mem_json_object(node->json) };
	read_skill_fields(out, a);
	return MEM_OK;
}

enum mem_status
mem_skill_at(struct mem_skill *out, struct mem_txn *t, uint32_t ord, struct mem_arena *a, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	return st == MEM_OK ? mem_skill_read(out, t, &node, a) : st;
}

/* ---- listing ---------------------------------------------------------- */

static enum mem_status
gather_skill_ords(struct mem_txn *t, const struct mem_skill_filter *f, struct mem_skill_ords *out, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(t, &ns, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		if (ns[i].root != ns[i].number || (f->ns.n > 0 && !mem_str_is(f->ns, ns[i].name)))
			continue;
		st = mem_nodes_ref_begins(t, ns[i].number, MEM_STR(MEM_SKILL_REF), mem_skill_ords_take, out, err);
		if (st == MEM_OK && f->releases)
			st = mem_nodes_ref_begins(t, ns[i].number, MEM_STR(MEM_SKILL_RELEASE_REF), mem_skill_ords_take, out, err);
	}
	free(ns);
	mem_skill_ords_sort(out);
	return st;
}

/* Is it of the kind and status that are asked for?  The text, which may be long, is read of those alone. */
static bool
is_skill_asked_for(struct mem_txn *t, const struct mem_skill_filter *f, const struct mem_attr *a)
{
	if (a->kind != MEM_KIND_SKILL)
		return false;
	return f->statuses == 0 ? mem_attr_live(a, mem_txn_now(t)) : a->status < 32 && (f->statuses >> a->status & 1) != 0;
}

static enum mem_status
visit_skill(struct mem_txn *t, const struct mem_skill_filter *f, uint32_t ord, mem_skill_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_skill skill;
	const struct mem_attr *attr;
	enum mem_status st = mem_attr_at(t, ord, &attr, err);
	if (st == MEM_OK && is_skill_asked_for(t, f, attr)) {
		st = mem_skill_at(&skill, t, ord, &a, err);
		if (st == MEM_OK && (f->releases || !skill.is_release))
			st = fn(ctx, t, &skill, err);
		else if (st == MEM_NOTFOUND)
			st = MEM_OK;
	}
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	mem_arena_release(&a);
	return st == MEM_DAMAGED || st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
mem_skills_count(struct mem_txn *t, uint64_t *n, struct mem_err *err)
{
	const struct mem_skill_filter all = { 0 };
	struct mem_skill_ords l = { 0 };
	enum mem_status st = gather_skill_ords(t, &all, &l, err);
	*n = 0;
	for (size_t i = 0; i < l.n && st == MEM_OK; i++) {
		const struct mem_attr *a;
		*n += mem_attr_at(t, l.v[i], &a, NULL) == MEM_OK && a->kind == MEM_KIND_SKILL;
	}
	mem_skill_ords_release(&l);
	return st;
}

enum mem_status
mem_skills_each(struct mem_store *s, const struct mem_skill_filter *f, mem_skill_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_skill_ords l = { 0 };
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = gather_skill_ords(t, f, &l, err);
	for (size_t i = 0; i < l.n && st == MEM_OK; i++) {
		if (i > 0 && i % SKILLS_A_SNAPSHOT == 0) {
			mem_txn_end(t);
			t = NULL;
			st = mem_txn_read(&t, s, err);
		}
		if (st == MEM_OK)
			st = visit_skill(t, f, l.v[i], fn, ctx, err);
	}
	mem_txn_end(t);
	mem_skill_ords_release(&l);
	return st;
}
