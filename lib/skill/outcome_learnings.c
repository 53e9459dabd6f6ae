/* SPDX-License-Identifier: Apache-2.0 */
/* What learnings say of a skill. */
#include "skill/outcome_int.h"

#include "belief/learn.h"
#include "store/edge.h"
#include "write/write.h"

#define EDGES_MAX 4096 /* that are looked at of a node: a transaction is short */

struct skill_learnings {
	struct mem_txn *t;
	double sum;
	size_t n, edges;
	struct mem_err *err;
	enum mem_status st;
};

static enum mem_status
add_learning_value(struct skill_learnings *l, const struct mem_node *node)
{
	struct mem_rec rec = { 0 };
	struct mem_learn_value v;
	enum mem_status st = mem_rec_scan(&rec, node->json, l->err);
	if (st == MEM_OK) {
		mem_learn_value_read(&v, &rec, mem_txn_now(l->t));
		l->sum += v.effectiveness;
		l->n++;
	}
	mem_rec_release(&rec);
	return st;
}

/* A mem_edge_fn over the edges that enter. */
static bool
visit_learning_edge(void *ctx, const struct mem_edge *e)
{
	struct skill_learnings *l = ctx;
	const struct mem_attr *attr;
	struct mem_node node;
	l->st = mem_attr_at(l->t, e->from, &attr, l->err);
	if (l->st == MEM_OK && attr->kind == MEM_KIND_LEARNING && mem_node_shown(l->t, attr)) {
		l->st = mem_node_at(l->t, e->from, &node, l->err);
		if (l->st == MEM_OK)
			l->st = add_learning_value(l, &node);
	}
	if (l->st == MEM_DAMAGED)
		mem_node_damage_note(l->t, e->from);
	if (l->st == MEM_DAMAGED || l->st == MEM_NOTFOUND)
		l->st = MEM_OK;
	return l->st == MEM_OK && ++l->edges < EDGES_MAX;
}

static enum mem_status
visit_learnings_of(struct skill_learnings *l, uint32_t ord)
{
	enum mem_status st = mem_edge_each(l->t, ord, false, visit_learning_edge, l, l->err);
	l->edges = 0;
	return st == MEM_OK ? l->st : st;
}

enum mem_status
outcome_learnings_read(struct mem_txn *t, const struct mem_skill *skill, double *out, struct mem_err *err)
{
	struct skill_learnings l = { .t = t, .err = err };
	struct mem_arena a = { 0 };
	struct mem_node tag;
	const struct mem_id id = mem_id_v8(skill->ns, mem_write_identity(&a, MEM_KIND_TAG, MEM_STR("tag"), skill->name));
	enum mem_status st = visit_learnings_of(&l, skill->ord);
	if (st == MEM_OK) {
		st = mem_node_by_id(t, &id, &tag, err);
		if (st == MEM_OK)
			st = visit_learnings_of(&l, tag.ord);
		else if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
			st = MEM_OK;
	}
	*out = l.n > 0 ? l.sum / (double)l.n : MEM_SKILL_UNKNOWN;
	mem_arena_release(&a);
	return st;
}
