/* SPDX-License-Identifier: Apache-2.0 */
/* The releases of a skill in their order. */
#include "skill/version.h"

#include <string.h>

#include "base/order.h"
#include "skill/release.h"
#include "skill/skill_ords.h"

/* Fields of the skill or of its node, which stay when another release becomes active. */
static const char *const lasting[] = { "id", "kind", "ns", "created_at", "version", "status", "expired_at", "origin", "ref", "name", "path",
	"file_sha256", "release_of", "ab", "last_used", "type", "importance", "trust", "confidence", "last_access", "access_count", "pinned",
	"proposal", "status_changes", MEM_SKILL_ACTIVE_UNTIL };

bool
mem_skill_is_release_field(struct mem_str name)
{
	for (size_t i = 0; i < MEM_COUNT(lasting); i++)
		if (mem_str_is(name, lasting[i]))
			return false;
	return true;
}

static int
compare_releases(const void *x, const void *y)
{
	const struct mem_skill *a = x, *b = y;
	int c = mem_release_compare(a->release, b->release);
	return c != 0 ? c : (a->ord > b->ord) - (a->ord < b->ord);
}

/* Those of the ords that are releases of v[0]; one that has its number waits while that is active. */
static enum mem_status
add_releases(struct mem_skill_releases *out, struct mem_txn *t, const struct mem_skill_ords *ords, struct mem_arena *a, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < ords->n && st == MEM_OK; i++) {
		struct mem_skill *s = &out->v[out->n];
		st = mem_skill_at(s, t, ords->v[i], a, err);
		bool own = st == MEM_OK && s->is_release && memcmp(&s->release_of, &out->v[0].id, sizeof s->release_of) == 0;
		if (own && !s->forgotten && !mem_str_eq(s->release, out->v[0].release))
			out->n++;
		else if (st == MEM_DAMAGED)
			mem_node_damage_note(t, ords->v[i]);
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	return st;
}

/* The skill of a release, in place of it. */
static enum mem_status
find_skill_of_release(struct mem_skill *s, struct mem_txn *t, struct mem_arena *a, struct mem_err *err)
{
	struct mem_node node;
	struct mem_id of = s->release_of;
	enum mem_status st = mem_node_by_id(t, &of, &node, err);
	return st == MEM_OK ? mem_skill_read(s, t, &node, a) : st;
}

/* The skill, then its releases in any order. */
static enum mem_status
gather_releases(struct mem_skill_releases *out, struct mem_txn *t, const struct mem_skill *skill, struct mem_arena *a, struct mem_err *err)
{
	struct mem_skill_ords ords = { 0 };
	const struct mem_attr *attr;
	enum mem_status st = mem_attr_at(t, skill->ord, &attr, err);
	if (st == MEM_OK)
		st = mem_nodes_ref_begins(t, attr->ns, mem_skill_release_ref(a, skill->name, MEM_STR("")), mem_skill_ords_take, &ords, err);
	if (st == MEM_OK) {
		out->v = mem_arena_alloc(a, (ords.n + 1) * sizeof *out->v);
		out->v[0] = *skill, out->n = 1, out->active = 0;
		st = add_releases(out, t, &ords, a, err);
	}
	mem_skill_ords_release(&ords);
	return st;
}

enum mem_status
mem_skill_uses_of_all(int64_t *out, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	struct mem_skill_releases l = { 0 };
	struct mem_arena a = { 0 };
	enum mem_status st = gather_releases(&l, t, skill, &a, err);
	*out = 0;
	for (size_t i = 0; i < l.n && st == MEM_OK; i++) {
		struct mem_skill_uses u;
		mem_skill_uses_read(&u, l.v[i].node);
		*out += mem_skill_uses_sum(&u);
	}
	mem_arena_release(&a);
	return st;
}

enum mem_status
mem_skill_releases_read(struct mem_skill_releases *out, struct mem_txn *t, struct mem_str operand, struct mem_arena *a, struct mem_err *err)
{
	struct mem_skill skill;
	enum mem_status st = mem_skill_find(&skill, t, MEM_STR(""), operand, a, err);
	if (st == MEM_OK && skill.is_release)
		st = find_skill_of_release(&skill, t, a, err);
	if (st == MEM_OK)
		st = gather_releases(out, t, &skill, a, err);
	if (st != MEM_OK)
		return st;
	mem_sort(out->v, out->n, sizeof *out->v, compare_releases);
	while (out->v[out->active].is_release)
		out->active++;
	return MEM_OK;
}

enum mem_status
mem_skill_release_find(struct mem_skill *out, struct mem_txn *t, const struct mem_skill *skill, struct mem_str release, struct mem_arena *a,
    struct mem_err *err)
{
	struct mem_str ref = mem_skill_release_ref(a, skill->name, release);
	uint32_t ord = UINT32_MAX;
	enum mem_status st;
	while ((st = mem_node_by_ref(t, skill->ns, ref, &ord, err)) == MEM_OK) {
		st = mem_skill_at(out, t, ord, a, err);
		if (st == MEM_OK && out->is_release && memcmp(&out->release_of, &skill->id, sizeof skill->id) == 0 && mem_str_eq(out->release, release))
			return MEM_OK;
		if (st == MEM_DAMAGED)
			mem_node_damage_note(t, ord);
		else if (st != MEM_OK && st != MEM_NOTFOUND)
			return st;
	}
	return st == MEM_END ? MEM_NOTFOUND : st;
}

const struct mem_skill *
mem_skill_releases_find(const struct mem_skill_releases *l, struct mem_str release)
{
	for (size_t i = 0; i < l->n; i++)
		if (mem_str_eq(l->v[i].release, release))
			return &l->v[i];
	return NULL;
}

const struct mem_skill *
mem_skill_releases_before(const struct mem_skill_releases *l)
{
	const struct mem_skill *last = NULL;
	int64_t until, latest = 0;
	for (size_t i = 0; i < l->n; i++)
		if (i != l->active && mem_json_int(mem_json_member(l->v[i].node, MEM_SKILL_ACTIVE_UNTIL), &until) && until > latest) {
			latest = until;
			last = &l->v[i];
		}
	if (last != NULL)
		return last;
	for (size_t i = l->active; i > 0; i--)
		if (l->v[i - 1].status != MEM_STATUS_DRAFT)
			return &l->v[i - 1];
	return NULL;
}
