/* SPDX-License-Identifier: Apache-2.0 */
/* The effectiveness of skills that nobody uses, written down as it falls. */
#include "skill/upkeep_jobs.h"

#include <math.h>
#include <stdlib.h>

#include "skill/skill.h"
#include "skill/uses.h"

/* The two fields as they are to be.  False: they are so. */
static bool
make_rested_fields(struct mem_arena *a, struct mem_json node, int64_t now, struct mem_clean_field set[2])
{
	struct mem_skill_uses uses;
	double base, is;
	mem_skill_uses_read(&uses, node);
	bool known = mem_skill_base_read(node, &base), there = mem_json_num(mem_json_member(node, "effectiveness"), &is);
	double rested = mem_skill_rested(base, uses.last_used, now);
	if (mem_skill_rest_loss(uses.last_used, now) <= 0 || (there && fabs(is - rested) < 1e-9 && mem_json_there(mem_json_member(node, MEM_SKILL_BASE))))
		return false;
	set[0] = (struct mem_clean_field){ "effectiveness", mem_clean_num(a, rested) };
	set[1] = (struct mem_clean_field){ MEM_SKILL_BASE, known ? mem_clean_num(a, base) : mem_clean_null() };
	return true;
}

/* A mem_write_revise_fn: a use may have come meanwhile. */
static enum mem_status
revise_resting_skill(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_field *set = mem_arena_alloc(a, 2 * sizeof *set);
	struct mem_clean_object detail = { 0 };
	(void)ctx, (void)refused, (void)err;
	if (!mem_attr_live(node->attr, mem_txn_now(t)) || !make_rested_fields(a, mem_rec_json(rec), mem_txn_now(t), set))
		return MEM_OK;
	mem_clean_object_put(&detail, "effectiveness", set[0].value);
	*edit = (struct mem_write_edit){ .set = set, .n = 2, .mark = true, .op = "changed",
		.audit = { "skill_rested", NULL, mem_clean_object_end(&detail, a) } };
	return MEM_OK;
}

/* ---- all of them --------------------------------------------------------------- */

struct resting_skill {
	struct mem_id id;
	struct mem_str ns;          /* ARENA */
};
struct resting_skills {
	struct resting_skill *v;
	size_t n, cap;
	struct mem_arena arena;
};

/* A mem_skill_fn. */
static enum mem_status
take_resting_skill(void *ctx, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	struct resting_skills *l = ctx;
	struct mem_arena a = { 0 };
	struct mem_clean_field set[2];
	const struct mem_access_request to = { .access = MEM_KEEP, .ns = skill->ns };
	(void)err;
	if (mem_store_allows(mem_txn_store(t), &to) && make_rested_fields(&a, skill->node, mem_txn_now(t), set)) {
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
		l->v[l->n++] = (struct resting_skill){ skill->id, mem_arena_str(&l->arena, skill->ns) };
	}
	mem_arena_release(&a);
	return MEM_OK;
}

enum mem_status
mem_skills_rest(struct mem_write_run *r, uint64_t *n, struct mem_err *err)
{
	const struct mem_skill_filter active = { 0 };
	struct resting_skills l = { 0 };
	enum mem_status st = mem_skills_each(mem_writer_store(r->writer), &active, take_resting_skill, &l, err);
	for (size_t i = 0; i < l.n && st == MEM_OK; i++) {
		struct mem_write_input in = mem_write_run_next(r, 0);
		in.ns = l.v[i].ns;
		mem_write_revise(r->writer, &in, &l.v[i].id, 0, revise_resting_skill, NULL);
		st = mem_write_run_end(r, err);
	}
	if (st == MEM_OK)
		st = mem_write_run_commit(r, err);
	*n += r->total.stored;
	free(l.v);
	mem_arena_release(&l.arena);
	return st;
}
