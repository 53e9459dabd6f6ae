/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about two entities that are one now are judged anew, as if all had been said of that one. */
#include "belief/join_int.h"

#include "belief/fact.h"
#include "belief/rules.h"

#include "store/edge.h"

#include <stdlib.h>

enum { FACTS_MAX = 256 };    /* of one round of a ledger */

/* The facts about the merged node from *next on, some of them; what they change is queued. */
static enum mem_status
judge_some(struct join *j, struct mem_ledger *l, size_t *next, bool merges)
{
	size_t n = 0;
	enum mem_status st = mem_ledger_begin(l, j->t, j->err);
	if (st == MEM_OK && merges)
		mem_ledger_merge(l, &j->other.id);
	for (; *next < j->nedges && n < FACTS_MAX && st == MEM_OK; (*next)++)
		if (j->edges[*next].is_fact) {
			st = mem_ledger_judge(l, &j->edges[*next].end_id, j->edges[*next].changed, j->err);
			n++;
		}
	return st == MEM_OK ? mem_ledger_queue(l, j->err) : st;
}

/* Which facts the judging has changed: for the undoing, which finds in each of them what it was. */
static enum mem_status
note_judged(struct join *j, const struct mem_ledger *l)
{
	size_t n;
	const struct mem_id *ids = mem_ledger_judged(l, &n);
	struct mem_clean_object o = { 0 }, list = { 0 };
	if (n == 0)
		return MEM_OK;
	for (size_t i = 0; i < n; i++)
		mem_clean_list_put(&list, mem_clean_id(&j->arena, &ids[i]));
	mem_clean_object_put(&o, "keep", mem_clean_id(&j->arena, &j->keep.id));
	mem_clean_object_put(&o, "judged", mem_clean_list_end(&list, &j->arena));
	const struct mem_write_audit row = { .word = join_audit_word(j->by), .detail = mem_clean_object_end(&o, &j->arena) };
	return mem_write_audit_at(j->t, j->w, j->other.ord, &row, j->err);
}

static enum mem_status
judge_all(struct join *j, const struct mem_belief_rules *rules, bool merges)
{
	struct mem_ledger *l = NULL;
	enum mem_status st = mem_ledger_new(&l, j->w, NULL, rules, j->err);
	for (size_t next = 0; next < j->nedges && st == MEM_OK;) {
		const struct mem_write_nested mark = mem_write_nested_begin(j->w);
		st = judge_some(j, l, &next, merges);
		enum mem_status run = mem_write_nested_run(j->t, j->w, &mark, st == MEM_OK, j->err);
		st = st == MEM_OK ? run : st;
		if (st == MEM_OK && merges)
			st = note_judged(j, l);
	}
	mem_ledger_free(l);
	return st;
}

static void
release_rules(void *rules)
{
	mem_belief_rules_free(rules);
}

enum mem_status
mem_merge_prepare(struct mem_writer *w, struct mem_err *err)
{
	struct mem_store *s = mem_writer_store(w);
	const struct mem_belief_options o = { .conf = mem_store_conf(s), .dirfd = mem_store_folder(s) };
	struct mem_belief_rules *rules = NULL;
	if (mem_writer_kept(w, release_rules) != NULL)
		return MEM_OK;
	enum mem_status st = mem_belief_rules_load(&rules, &o, err);
	if (st == MEM_OK)
		mem_writer_keep(w, rules, release_rules);
	return st;
}

enum mem_status
join_judge(struct join *j, bool merges)
{
	bool any = false;
	for (size_t i = 0; i < j->nedges && !any; i++)
		any = j->edges[i].is_fact;
	if (!any)
		return MEM_OK;
	enum mem_status st = mem_merge_prepare(j->w, j->err);
	return st == MEM_OK ? judge_all(j, mem_writer_kept(j->w, release_rules), merges) : st;
}

/* ---- one that came or went ----------------------------------------------------- */

enum mem_status
mem_fact_judge_at(struct mem_txn *t, struct mem_writer *w, const struct mem_id *fact, struct mem_err *err)
{
	struct mem_ledger *l = NULL;
	struct mem_node node;
	bool allowed = false;
	enum mem_status st = mem_write_node_find(t, fact, &node, err);
	if (st == MEM_OK && node.attr->kind == MEM_KIND_FACT)
		st = mem_write_allowed_at(t, w, node.ord, &allowed, err);
	if (st != MEM_OK || !allowed)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = mem_merge_prepare(w, err);
	if (st == MEM_OK)
		st = mem_ledger_new(&l, w, NULL, mem_writer_kept(w, release_rules), err);
	if (st != MEM_OK)
		return st;
	const struct mem_write_nested mark = mem_write_nested_begin(w);
	st = mem_ledger_begin(l, t, err);
	if (st == MEM_OK)
		st = mem_ledger_judge_without(l, fact, err);
	if (st == MEM_OK)
		st = mem_ledger_queue(l, err);
	enum mem_status run = mem_write_nested_run(t, w, &mark, st == MEM_OK, err);
	mem_ledger_free(l);
	return st == MEM_OK ? run : st;
}

/* A mem_write_act_fn. */
static enum mem_status
judge_queued_fact(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	r->verdict = MEM_UNCHANGED;
	return mem_fact_judge_at(t, w, ctx, err);
}

enum mem_status
mem_fact_judge_queue(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *fact, struct mem_err *err)
{
	const struct mem_write_input quiet = { .line = in->line, .ns = in->ns, .quiet = true };
	enum mem_status st = mem_merge_prepare(w, err);
	if (st == MEM_OK)
		mem_write_act(w, &quiet, judge_queued_fact, mem_arena_dup(mem_writer_arena(w), fact, sizeof *fact));
	return st;
}

/* ---- what went over ---------------------------------------------------------- */

void
join_add_fact(struct join *j, const struct mem_id *fact)
{
	j->edges = mem_grow(j->edges, &j->cap, j->nedges + 1, sizeof *j->edges);
	j->edges[j->nedges++] = (struct join_edge){ .is_fact = true, .end_id = *fact };
}

void
join_add_changed(struct join *j, const struct mem_id *fact)
{
	join_add_fact(j, fact);
	j->edges[j->nedges - 1].changed = true;
}

void
join_ids_add(struct join_ids *ids, const struct mem_id *id)
{
	ids->v = mem_grow(ids->v, &ids->cap, ids->n + 1, sizeof *ids->v);
	ids->v[ids->n++] = *id;
}

bool
join_ids_have(const struct join_ids *ids, const struct mem_id *id)
{
	for (size_t i = 0; i < ids->n; i++)
		if (mem_id_cmp(&ids->v[i], id) == 0)
			return true;
	return false;
}

struct superseded_search {
	struct join *j;
	uint16_t kind;
	struct join_ids *out;
};

/* A mem_edge_fn. */
static bool
add_superseded_id(void *ctx, const struct mem_edge *e)
{
	struct superseded_search *s = ctx;
	const struct mem_attr *a;
	if (e->kind != s->kind || mem_attr_at(s->j->t, e->from, &a, NULL) != MEM_OK)
		return true;
	join_ids_add(s->out, &a->id);
	return true;
}

enum mem_status
join_list_superseded(struct join *j, uint32_t ord, struct join_ids *out)
{
	struct superseded_search s = { .j = j, .out = out };
	enum mem_status st = mem_edge_kind_find(j->t, "superseded_by", &s.kind, j->err);
	if (st == MEM_OK)
		st = mem_edge_each(j->t, ord, false, add_superseded_id, &s, j->err);
	return st == MEM_NOTFOUND ? MEM_OK : st; /* nothing was ever superseded */
}

/* The facts that one which went over has ended, and those that are apart from it now. */
static enum mem_status
free_ended(struct join *j, const struct mem_id *fact, bool *any)
{
	struct join_ids ended = { 0 };
	uint32_t ord;
	bool there, freed;
	enum mem_status st = join_end_find(j, fact, &ord, &there);
	if (st == MEM_OK && there)
		st = join_list_superseded(j, ord, &ended);
	for (size_t i = 0; i < ended.n && st == MEM_OK; i++) {
		st = join_free_fact(j, &ended.v[i], &freed);
		if (st == MEM_OK && freed) {
			join_add_fact(j, &ended.v[i]);
			*any = true;
		}
	}
	free(ended.v);
	return st;
}

enum mem_status
join_free_facts(struct join *j, bool *any)
{
	size_t gone_over = j->nedges;
	enum mem_status st = MEM_OK;
	*any = false;
	for (size_t i = 0; i < gone_over && st == MEM_OK; i++) {
		const struct mem_id id = j->edges[i].end_id;
		bool freed = false;
		if (!j->edges[i].is_fact)
			continue;
		st = join_free_fact(j, &id, &freed);
		*any = *any || freed;
		if (st == MEM_OK)
			st = free_ended(j, &id, any);
		if (st == MEM_OK)
			st = join_part_contradictions(j, &id);
	}
	return st;
}
