/* SPDX-License-Identifier: Apache-2.0 */
/* What says again what a fact said that was merged away as a repeat supports the one that was kept. */
#include "belief/ledger_calls_int.h"

enum { MERGES_MAX = 64 };    /* of a fact into one that was merged itself, and so on */

/* *out NULL: it was not merged, or into nothing that may be supported. */
static enum mem_status
find_survivor(struct mem_ledger *l, struct ledger_fact *f, struct ledger_fact **out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*out = f->status == MEM_STATUS_MERGED ? f : NULL;
	for (int i = 0; i < MERGES_MAX && st == MEM_OK && *out != NULL && (*out)->status == MEM_STATUS_MERGED; i++) {
		if ((*out)->has_ender)
			st = ledger_fact_by_id(l, &(*out)->ender, out, err);
		else
			*out = NULL;
	}
	if (*out != NULL && (*out)->frozen)
		*out = NULL;
	return st;
}

/* The claim says what the fact says, in its words: of the merged one the subject, an object with an id and the predicate were the same. */
static void
say_as_fact(struct mem_ledger *l, struct ledger_claim *c, const struct ledger_fact *f)
{
	struct mem_clean_rec whole = { 0 };
	mem_clean_restored(&whole, &f->rec);
	c->value = f->value;
	c->object.key = f->value.object;
	c->object.value = mem_clean_value(&whole, "object");
	c->statement = mem_clean_value(&whole, "statement");
	c->detail = mem_clean_value(&whole, "detail");
	c->domain = mem_clean_value(&whole, "domain");
	c->topic = mem_clean_value(&whole, "topic");
	c->domain_text = ledger_fact_text(l, f, "domain");
	c->topic_text = ledger_fact_text(l, f, "topic");
	c->statement_text = ledger_fact_text(l, f, "statement");
}

static enum mem_status
follow_merged(struct mem_ledger *l, const struct ledger_lane *lane, struct ledger_claim *c, struct mem_err *err)
{
	struct ledger_fact *kept = NULL;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < lane->nfacts && st == MEM_OK && kept == NULL; i++)
		if (mem_str_eq(lane->facts[i]->value.key, c->value.key))
			st = find_survivor(l, lane->facts[i], &kept, err);
	if (st != MEM_OK || kept == NULL || mem_str_eq(kept->value.key, c->value.key))
		return st;
	say_as_fact(l, c, kept);
	l->moved = true;
	return st;
}

enum mem_status
ledger_follow_merged(struct mem_ledger *l, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	l->moved = false;
	for (size_t i = 0; i < l->nlanes; i++)
		for (size_t k = 0; k < l->lanes[i]->nclaims && st == MEM_OK; k++)
			if (l->lanes[i]->claims[k]->judges == NULL)
				st = follow_merged(l, l->lanes[i], l->lanes[i]->claims[k], err);
	return st;
}
