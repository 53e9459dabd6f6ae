/* SPDX-License-Identifier: Apache-2.0 */
/* A skill that is a clone of another: what both changed since. */
#include "skill/conflict_int.h"

#include <string.h>

#include "skill/version.h"

/* What a person writes in a skill, but for its name. */
static const char *const cloned_fields[] = {
	"description", "content", "category", "tags", "dependencies", "correlations", "license", "allowed-tools", "params", "preconditions",
	"postconditions", "capabilities", "context", "model", "compatibility",
};

/* "NAME@RELEASE", cut at the last '@'.  False: it is no such text. */
static bool
split_clone_origin(struct mem_str text, struct mem_str *name, struct mem_str *release)
{
	size_t at = text.n;
	while (at > 0 && text.p[at - 1] != '@')
		at--;
	if (at < 2 || at == text.n)
		return false;
	*name = (struct mem_str){ text.p, at - 1 };
	*release = (struct mem_str){ text.p + at, text.n - at };
	return true;
}

static bool
is_field_equal(const struct mem_skill *x, const struct mem_skill *y, const char *field)
{
	struct mem_json a = mem_json_member(x->node, field), b = mem_json_member(y->node, field);
	bool none = !mem_json_there(a) || a.type == MEM_JSON_NULL, other_none = !mem_json_there(b) || b.type == MEM_JSON_NULL;
	return none || other_none ? none == other_none : mem_str_eq(a.raw, b.raw);
}

/* The first field that the origin and the clone changed since, each otherwise. */
static const char *
find_field_of_both(const struct mem_skill *base, const struct mem_skill *origin, const struct mem_skill *clone)
{
	for (size_t i = 0; i < MEM_COUNT(cloned_fields); i++) {
		const char *field = cloned_fields[i];
		if (!is_field_equal(base, origin, field) && !is_field_equal(base, clone, field) && !is_field_equal(origin, clone, field))
			return field;
	}
	return NULL;
}

enum mem_status
conflict_check_clone(struct conflict_scan *c, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_skill origin, base;
	struct mem_json value = mem_json_member(skill->node, "cloned_from");
	struct mem_str name, release;
	if (value.type != MEM_JSON_STRING || !split_clone_origin(mem_json_text(&a, value), &name, &release)) {
		mem_arena_release(&a);
		return MEM_OK;
	}
	enum mem_status st = mem_skill_by_name(&origin, t, skill->ns, name, &a, err);
	if (st == MEM_OK && (!origin.live || origin.ord == skill->ord || mem_str_eq(origin.release, release)))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_skill_release_find(&base, t, &origin, release, &a, err);
	const char *field = st == MEM_OK ? find_field_of_both(&base, &origin, skill) : NULL;
	if (field != NULL) {
		struct scan_finding *f = conflict_add_finding(c, MEM_CONFLICT_VERSION_MISMATCH, &skill->id, &origin.id);
		f->over = field;
		f->texts[0] = mem_arena_str(&c->arena, release);
		f->texts[1] = mem_arena_str(&c->arena, origin.release);
	}
	mem_arena_release(&a);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}
