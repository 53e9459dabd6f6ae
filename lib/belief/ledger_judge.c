/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that are worked out anew without a claim, and what they were before. */
#include <stdio.h>

#include "belief/ledger_calls_int.h"
#include "belief/known.h"

/* A claim that says nothing, in the fact's place. */
static void
add_judging_claim(struct mem_ledger *l, struct ledger_fact *f)
{
	static const struct mem_claim nothing = { .valid_from = MEM_TIME_NONE, .valid_to = MEM_TIME_NONE, .due = MEM_TIME_NONE };
	struct mem_fact_source *s = mem_arena_alloc(&l->arena, sizeof *s);
	*s = (struct mem_fact_source){ .ns = ledger_fact_text(l, f, "ns"), .captured_at = f->at, .created_at = f->created_at, .trust = f->trust };
	struct ledger_claim *c = ledger_claim_new(l, &nothing, s);
	c->at = f->at;
	c->value = f->value;
	c->predicate = l->rules != NULL ? mem_predicate_find(l->rules, f->value.predicate) : NULL;
	c->domain_text = ledger_fact_text(l, f, "domain");
	c->topic_text = ledger_fact_text(l, f, "topic");
	c->statement_text = ledger_fact_text(l, f, "statement");
	c->judges = f;
}

enum mem_status
mem_ledger_judge(struct mem_ledger *l, const struct mem_id *fact, bool changed, struct mem_err *err)
{
	struct ledger_fact *f;
	enum mem_status st = ledger_fact_by_id(l, fact, &f, err);
	if (st != MEM_OK || f == NULL || f->frozen || f->value.subject.n == 0)
		return st;
	f->resourced = f->resourced || changed;
	add_judging_claim(l, f);
	return MEM_OK;
}

enum mem_status
mem_ledger_judge_without(struct mem_ledger *l, const struct mem_id *fact, struct mem_err *err)
{
	struct ledger_fact *f;
	enum mem_status st = ledger_fact_by_id(l, fact, &f, err);
	if (st == MEM_OK && f != NULL)
		add_judging_claim(l, f);
	return st;
}

/* ---- what was known ---------------------------------------------------------------- */

/*
 * Which run the fact is.  What was said at several times and written at once is one fact, which began later by what was known then: the
 * last such run of its sources that is no fact itself.
 */
static const struct ledger_run *
find_known_run(const struct mem_ledger *l, const struct ledger_fact *f)
{
	const struct ledger_run *r = f->run;
	for (size_t i = 0; i < l->nlanes && f->run == NULL; i++)
		for (size_t k = 0; k < l->lanes[i]->nruns; k++)
			if (l->lanes[i]->runs[k]->fact == NULL && l->lanes[i]->runs[k]->v[0]->fact == f)
				r = l->lanes[i]->runs[k];
	return r;
}

/* The fact as a sweep of what was known then has it. */
static void
read_known_run(const struct mem_ledger *l, const struct ledger_fact *f, struct mem_then *out)
{
	const struct ledger_run *r = find_known_run(l, f);
	*out = (struct mem_then){ .held = r != NULL, .changed = true, .superseded_at = MEM_TIME_NONE };
	if (r == NULL)
		return; /* it is part of another one, or was made since */
	out->status = (uint8_t)ledger_run_status(r);
	out->valid_from = r->at;
	out->valid_to = r->end;
	if (r->reason == NULL)
		return;
	out->superseded_at = ledger_run_ended_at(r);
	out->has_ender = true;
	out->ender = ledger_run_ender(l, r);
	snprintf(out->reason, sizeof out->reason, "%s", r->reason);
}

enum mem_status
mem_ledger_known(struct mem_ledger *l, struct mem_txn *t, const struct mem_attr *a, int64_t known_at, struct mem_then *out,
    struct mem_err *err)
{
	struct ledger_fact *f = NULL;
	const struct mem_id id = a->id;
	enum mem_status st = mem_ledger_begin(l, t, err);
	l->known_at = known_at;
	if (st == MEM_OK)
		st = ledger_fact_by_id(l, &id, &f, err);
	if (st != MEM_OK || f == NULL || f->frozen)
		return st;
	add_judging_claim(l, f);
	ledger_probe_claim(l, l->claims[0]);
	st = ledger_lanes_make(l, err);
	if (st == MEM_OK && l->later)
		read_known_run(l, f, out);
	return st;
}

void
mem_ledger_merge(struct mem_ledger *l, const struct mem_id *merged)
{
	l->merges = true;
	l->merged = *merged;
}

const struct mem_id *
mem_ledger_judged(const struct mem_ledger *l, size_t *n)
{
	*n = l->njudged;
	return l->judged;
}

static void
note_judged_id(struct mem_ledger *l, const struct mem_id *id)
{
	for (size_t i = 0; i < l->njudged; i++)
		if (mem_id_cmp(&l->judged[i], id) == 0)
			return;
	l->judged = mem_grow(l->judged, &l->judged_cap, l->njudged + 1, sizeof *l->judged);
	l->judged[l->njudged++] = *id;
}

/* The fields of the list as they are: those that are there, and the names of the others. */
static void
put_fields_before(struct mem_ledger *l, const struct ledger_fact *f, const struct mem_clean_field *set, size_t n, struct mem_clean_object *o)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_rec whole = { 0 };
	struct mem_clean_object was = { 0 }, added = { 0 };
	mem_clean_restored(&whole, &f->rec);
	for (size_t i = 0; i <= n; i++) {
		const char *name = i < n ? set[i].name : "judged";
		struct mem_clean_text v = mem_clean_value(&whole, name);
		if (mem_clean_there(v))
			mem_clean_object_put(&was, name, v);
		else
			mem_clean_list_put(&added, mem_clean_word(a, mem_str(name)));
	}
	mem_clean_object_put(o, "was", mem_clean_object_end(&was, a));
	mem_clean_object_put(o, "added", mem_clean_list_end(&added, a));
}

size_t
ledger_put_judged(struct mem_ledger *l, const struct mem_id *id, const struct ledger_fact *f, struct mem_clean_field *set, size_t n)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_object o = { 0 };
	int64_t version = 1;
	if (!l->merges)
		return n;
	note_judged_id(l, id);
	mem_clean_object_put(&o, "by", mem_clean_id(a, &l->merged));
	if (f != NULL) {
		if (!mem_json_int(mem_rec_value(&f->rec, "version"), &version))
			version = 1;
		mem_clean_object_put(&o, "version", mem_clean_int(a, version));
		put_fields_before(l, f, set, n, &o);
	}
	set[n] = (struct mem_clean_field){ "judged", mem_clean_object_end(&o, a) };
	return n + 1;
}
