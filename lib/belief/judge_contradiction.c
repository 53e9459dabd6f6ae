/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that contradict each other no more, since they are about different things by now: after entities were taken apart. */
#include "belief/fact_check.h"
#include "belief/join_int.h"
#include "belief/ledger_calls_int.h"

#include <stdlib.h>

/* The edges contradicts of a fact. */
struct contradictions {
	struct join *j;
	uint16_t kind;
	struct contradiction {
		uint32_t from, to;
		struct mem_str edge;     /* ARENA */
	} *v;                        /* OWNS */
	size_t n, cap;
};

/* A mem_edge_fn. */
static bool
add_contradiction(void *ctx, const struct mem_edge *e)
{
	struct contradictions *c = ctx;
	if (e->kind != c->kind)
		return true;
	c->v = mem_grow(c->v, &c->cap, c->n + 1, sizeof *c->v);
	c->v[c->n++] = (struct contradiction){ e->from, e->to, mem_arena_str(&c->j->arena, e->json) };
	return true;
}

enum mem_status
join_remove_conflict(struct join *j, const struct mem_rec *rec, const struct mem_id *loser, const struct mem_id *winner)
{
	struct mem_str ns = mem_json_text(&j->arena, mem_rec_value(rec, "ns"));
	const struct mem_write_removal removal = { .op = "removed" };
	const struct mem_id id = mem_id_v8(ns, ledger_conflict_id_of(&j->arena, winner, loser));
	uint32_t ord;
	bool there;
	enum mem_status st = join_end_find(j, &id, &ord, &there);
	return st == MEM_OK && there ? mem_write_remove_at(j->t, j->w, ord, &removal, j->err) : st;
}

/* An edge whose two facts are apart goes, with the record of the conflict. */
static enum mem_status
part_contradiction(struct join *j, const struct contradiction *c)
{
	struct mem_node loser = { 0 }, winner = { 0 };
	struct mem_rec rec = { 0 };
	enum mem_status st = mem_node_at(j->t, c->from, &loser, j->err);
	if (st == MEM_OK)
		st = mem_node_at(j->t, c->to, &winner, j->err);
	if (st != MEM_OK || !mem_contradiction_is_apart(mem_json_object(loser.json), mem_json_object(winner.json),
	    mem_json_member(mem_json_object(c->edge), "reason")))
		return st == MEM_NOTFOUND ? MEM_OK : st;
	const struct mem_id ids[] = { loser.attr->id, winner.attr->id };
	st = mem_rec_scan(&rec, mem_arena_str(&j->arena, loser.json), j->err);
	if (st == MEM_OK)
		st = mem_write_unlink_at(j->t, c->from, c->to, "contradicts", j->err);
	if (st == MEM_OK)
		st = join_remove_conflict(j, &rec, &ids[0], &ids[1]);
	mem_rec_release(&rec);
	return st;
}

enum mem_status
join_part_contradictions(struct join *j, const struct mem_id *fact)
{
	struct contradictions c = { .j = j };
	uint32_t ord;
	bool there;
	enum mem_status st = join_end_find(j, fact, &ord, &there);
	if (st != MEM_OK || !there)
		return st;
	st = mem_edge_kind_find(j->t, "contradicts", &c.kind, j->err);
	if (st == MEM_OK)
		st = mem_edge_each(j->t, ord, true, add_contradiction, &c, j->err);
	if (st == MEM_OK)
		st = mem_edge_each(j->t, ord, false, add_contradiction, &c, j->err);
	for (size_t i = 0; i < c.n && st == MEM_OK; i++)
		st = part_contradiction(j, &c.v[i]);
	free(c.v);
	return st == MEM_NOTFOUND ? MEM_OK : st; /* nothing was ever contradicted */
}
