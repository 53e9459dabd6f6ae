/* SPDX-License-Identifier: Apache-2.0 */
/* Which skills a list has. */
#include "skill/manage.h"

#include "skill/skill.h"
#include "store/node.h"

struct skill_chooser {
	struct mem_skill_ords *out;
	struct mem_str *categories; /* as words; ARENA */
	size_t ncategories;
	bool by_holder;
	struct mem_skill_ords assigned;
};

static bool
is_category_chosen(const struct skill_chooser *x, struct mem_str category)
{
	struct mem_arena a = { 0 };
	struct mem_str word = mem_skill_category(&a, category);
	bool chosen = x->ncategories == 0;
	for (size_t i = 0; i < x->ncategories && !chosen; i++)
		chosen = mem_str_eq(word, x->categories[i]);
	mem_arena_release(&a);
	return chosen;
}

/* Is it the release that its skill holds?  Its own node waits until another one is active. */
static enum mem_status
is_held_release(bool *out, struct mem_txn *t, const struct mem_skill *release, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_node node;
	struct mem_skill skill = { 0 };
	enum mem_status st = mem_node_by_id(t, &release->release_of, &node, err);
	if (st == MEM_OK)
		st = mem_skill_read(&skill, t, &node, &a);
	*out = st == MEM_OK && mem_str_eq(skill.release, release->release);
	mem_arena_release(&a);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* A mem_skill_fn. */
static enum mem_status
choose_skill(void *ctx, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	struct skill_chooser *x = ctx;
	bool held = false;
	if ((x->by_holder && !mem_skill_ords_have(&x->assigned, skill->ord)) || !is_category_chosen(x, skill->category))
		return MEM_OK;
	enum mem_status st = skill->is_release ? is_held_release(&held, t, skill, err) : MEM_OK;
	if (st == MEM_OK && !held)
		mem_skill_ords_take(x->out, skill->ord);
	return st;
}

static enum mem_status
gather_assigned(struct skill_chooser *x, struct mem_store *s, const struct mem_skill_choice *c, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	x->by_holder = c->agents.n + c->teams.n > 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	for (size_t i = 0; i < c->agents.n && st == MEM_OK; i++)
		st = mem_skills_assigned(&x->assigned, t, false, mem_str(c->agents.v[i]), err);
	for (size_t i = 0; i < c->teams.n && st == MEM_OK; i++)
		st = mem_skills_assigned(&x->assigned, t, true, mem_str(c->teams.v[i]), err);
	mem_txn_end(t);
	return st;
}

enum mem_status
mem_skills_choose(struct mem_skill_ords *out, struct mem_store *s, const struct mem_skill_choice *c, struct mem_err *err)
{
	const struct mem_skill_filter all = { .statuses = UINT32_MAX, .releases = c->releases };
	struct skill_chooser x = { .out = out };
	struct mem_arena a = { 0 };
	x.categories = mem_arena_alloc(&a, (c->categories.n + 1) * sizeof *x.categories);
	for (; x.ncategories < c->categories.n; x.ncategories++)
		x.categories[x.ncategories] = mem_skill_category(&a, mem_str(c->categories.v[x.ncategories]));
	enum mem_status st = gather_assigned(&x, s, c, err);
	if (st == MEM_OK)
		st = mem_skills_each(s, &all, choose_skill, &x, err);
	mem_skill_ords_release(&x.assigned);
	mem_arena_release(&a);
	return st;
}
