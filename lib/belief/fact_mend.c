/* SPDX-License-Identifier: Apache-2.0 */
/* What mem_facts_check tells, and what lost its successor, mended: a fact that was ended by one about another thing stands again, and its lane is judged anew. */
#include "belief/fact_check.h"

#include "belief/fact.h"
#include "belief/join_int.h"
#include "words/words.h"

#include <stdlib.h>

struct mended_facts {
	uint32_t *ords;             /* OWNS */
	size_t n, cap;
};

/* A mem_breach_fn: its key is the number of a node. */
static void
note_ended_fact(void *ctx, const struct mem_breach *b)
{
	struct mended_facts *l = ctx;
	l->ords = mem_grow(l->ords, &l->cap, l->n + 1, sizeof *l->ords);
	l->ords[l->n++] = mem_be32_get((const uint8_t *)b->key.p);
}

/* It and the one that had ended it are to be judged, each in its own lane. */
static enum mem_status
free_ended_fact(struct join *j, uint32_t ord)
{
	struct mem_node fact;
	struct mem_id ender;
	bool freed = false;
	enum mem_status st = mem_node_at(j->t, ord, &fact, j->err);
	if (st != MEM_OK)
		return st;
	const struct mem_id id = fact.attr->id;
	bool ended = mem_json_id(mem_json_member(mem_json_object(fact.json), "superseded_by"), &ender);
	st = join_free_fact(j, &id, &freed);
	if (st == MEM_OK && freed)
		join_add_fact(j, &id);
	if (st == MEM_OK && freed && ended)
		join_add_fact(j, &ender);
	return st;
}

/* A mem_write_act_fn. */
static enum mem_status
free_and_judge(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct mended_facts *l = ctx;
	struct join j = { .t = t, .w = w, .by = MEM_MERGE_BY_HAND, .err = err };
	enum mem_status st = MEM_OK;
	r->verdict = MEM_UNCHANGED;
	for (size_t i = 0; i < l->n && st == MEM_OK; i++)
		st = free_ended_fact(&j, l->ords[i]);
	if (st == MEM_OK)
		st = join_judge(&j, false);
	join_release(&j);
	return st;
}

bool
mem_fact_is_ended_by_rules(struct mem_json fact)
{
	struct mem_json reason = mem_json_member(fact, "superseded_reason");
	return reason.type == MEM_JSON_STRING && mem_json_member(fact, "subject").type == MEM_JSON_OBJECT &&
	    !mem_json_is(reason, MEM_FACT_BY_HAND) && !mem_json_is(reason, MEM_FACT_RESTATED);
}

enum mem_status
mem_facts_stand_again(struct mem_txn *t, struct mem_writer *w, const struct mem_id *facts, size_t n, struct mem_err *err)
{
	struct join j = { .t = t, .w = w, .by = MEM_MERGE_BY_HAND, .err = err };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = join_stand_again(&j, &facts[i]);
	if (st == MEM_OK)
		st = join_judge(&j, false);
	join_release(&j);
	return st;
}

enum mem_status
mem_facts_mend(struct mem_index *m, struct mem_err *err)
{
	static const struct mem_write_options plain = { .via = "mem-check" };
	const struct mem_write_input in = { .quiet = true };
	struct mended_facts l = { .n = 0 };
	struct mem_write_total total = { 0 };
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st == MEM_OK)
		st = mem_facts_check(t, note_ended_fact, &l, err);
	mem_txn_end(t);
	if (st == MEM_OK && l.n > 0) {
		struct mem_writer *w = mem_writer_new(m, &plain);
		st = mem_merge_prepare(w, err);
		if (st == MEM_OK) {
			mem_write_act(w, &in, free_and_judge, &l);
			st = mem_write_commit(w, mem_receipts_drop, NULL, &total, err);
		}
		mem_writer_free(w);
	}
	free(l.ords);
	return st;
}
