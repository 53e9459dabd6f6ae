/* SPDX-License-Identifier: Apache-2.0 */
/* Skills as their nodes have them, and the list of them. */
#include "skill/skill.h"

#include <stdlib.h>

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

/* One walk over the members: the body, which may be long, is passed over but once. */
static void
read_skill_fields(struct mem_skill *out, struct mem_arena *a)
{
	struct { const char *name; struct mem_str *text; } texts[] = { { "ns", &out->ns }, { "ref", &out->ref }, { "name", &out->name },
		{ "description", &out->description }, { "category", &out->category }, { "release", &out->release }, { "sha256", &out->sha256 },
		{ "path", &out->path }, { "file_sha256", &out->file_sha256 } };
	struct { const char *name; struct mem_json *value; } values[] = { { "tags", &out->tags }, { "front", &out->front },
		{ "content", &out->content }, { "relations", &out->relations }, { "missing", &out->missing } };
	for (size_t i = 0; i < MEM_COUNT(texts); i++)
		*texts[i].text = MEM_STR("");
	for (struct mem_json_iter it = mem_json_each(out->node); mem_json_next(&it);) {
		for (size_t i = 0; i < MEM_COUNT(texts); i++)
			if (mem_str_is(it.key, texts[i].name))
				read_skill_text(texts[i].text, a, it.value);
		for (size_t i = 0; i < MEM_COUNT(values); i++)
			if (mem_str_is(it.key, values[i].name))
				*values[i].value = it.value;
		if (mem_str_is(it.key, "release_of"))
			out->is_release = mem_json_id(it.value, &out->release_of);
	}
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
