/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stored facts may matter to a claim.
 *
 * A claim about a time changes at most the run that it falls into, the one before (when it begins at the same instant as
 * that one) and the one behind.  What lies farther away stays as it is: how a fact at the border ends is known from its own text.
 * What users' extractors say stands or not by what is trusted more at its time, and so is never a border.
 */
#include "belief/ledger_calls_int.h"

#include "text/text.h"

static bool
is_less_trusted(const struct ledger_fact *f)
{
	return mem_str_is(f->reason, LEDGER_TRUST);
}

/* Is it a run that the claims of the lane may end or be ended by, and that stands whatever they say? */
static bool
is_counted(const struct ledger_fact *f, bool positive)
{
	return !f->frozen && f->firm && !is_less_trusted(f) && !(positive && f->value.negated);
}

static bool
is_in_lane(const struct ledger_lane *lane, const struct ledger_fact *f)
{
	for (size_t i = 0; i < lane->nfacts; i++)
		if (lane->facts[i] == f)
			return true;
	return false;
}

void
ledger_window_add(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_fact *f)
{
	if (!is_in_lane(lane, f))
		LEDGER_PUSH(&l->arena, lane->facts, lane->nfacts, lane->facts_cap, f);
}

/* A walk through one list of facts. */
struct walk {
	struct mem_str ns, name;
	enum mem_fact_lane lane;
	bool positive;              /* only these count */
	struct mem_str object;      /* of a list by object: facts with another one are corrections of it; empty: all belong */
	const struct ledger_claim *claim;
};

/* A fact that corrects another object ends what is open at that time. */
static void
add_correction(struct mem_ledger *l, struct ledger_lane *lane, const struct walk *w, const struct ledger_fact *f, int64_t at)
{
	struct ledger_value v = w->claim->value;
	if (f->frozen || mem_str_eq(f->value.object, v.object))
		return;
	v.negated = false;
	struct ledger_end end = { .at = at, .key = ledger_value_key(l, &v), .has_by = true, .by = f->id, .reason = LEDGER_CORRECTED,
		.weak = !f->firm, .trust = f->trust };
	ledger_lane_end(lane, &end);
}

/*
 * A fact that the claim makes one that began earlier is trusted more by that, so that what ended it may not any more: where that is
 * of a user's extractor it is no border.
 */
static enum mem_status
read_ender(struct mem_ledger *l, const struct ledger_fact *f, bool *stop, struct mem_err *err)
{
	struct ledger_fact *ender;
	enum mem_status st = ledger_fact_by_id(l, &f->ender, &ender, err);
	if (st == MEM_OK && ender != NULL)
		*stop = ender->firm;
	return st;
}

/* One fact of the list: *stop says that it is the last that matters in this direction. */
static enum mem_status
visit_fact(struct mem_ledger *l, struct ledger_lane *lane, const struct walk *w, int64_t at, uint32_t ord, bool backwards, bool *stop,
    struct mem_err *err)
{
	struct ledger_fact *f;
	*stop = false;
	enum mem_status st = ledger_fact_at(l, ord, &f, err);
	if (st != MEM_OK || f == NULL)
		return st;
	if (w->object.n > 0 && !mem_str_eq(f->value.object, w->object)) {
		if (!backwards)
			add_correction(l, lane, w, f, at);
		*stop = !f->frozen && (!backwards || at < w->claim->at);
		return MEM_OK;
	}
	if (is_less_trusted(f) && f->firm)
		return MEM_OK; /* against the fact of another lane */
	if (lane->rule == LEDGER_EXCLUDING && !ledger_is_exclusive(w->claim->predicate, f->value.object))
		return MEM_OK;
	ledger_window_add(l, lane, f);
	/* Facts of other versions, and of none, are no borders of each other. */
	if (w->claim->predicate != NULL && w->claim->predicate->detail)
		return MEM_OK;
	/* What begins at the claim's own instant may give way to it, so that the one before counts, too. */
	*stop = is_counted(f, w->positive) && (!backwards || at < w->claim->at);
	bool joins = *stop && !backwards && f->has_ender && mem_str_eq(f->value.key, w->claim->value.key);
	return joins ? read_ender(l, f, stop, err) : MEM_OK;
}

static enum mem_status
walk_facts(struct mem_ledger *l, struct ledger_lane *lane, const struct walk *w, int64_t at, bool backwards, struct mem_err *err)
{
	uint32_t ord = UINT32_MAX;
	bool stop = false;
	enum mem_status st = MEM_OK;
	for (int i = 0; i < LEDGER_WALK_MAX && !stop && st == MEM_OK; i++) {
		st = ledger_step(l, w->ns, w->lane, w->name, backwards, &at, &ord, err);
		if (st == MEM_OK)
			st = visit_fact(l, lane, w, at, ord, backwards, &stop, err);
	}
	return st == MEM_END ? MEM_OK : st;
}

static void
name_walk(struct mem_ledger *l, struct walk *w, const struct mem_fact_terms *terms)
{
	struct mem_buf name = { 0 };
	mem_fact_put_lane(&name, mem_writer_store(l->w), mem_text_fold, w->lane, terms);
	w->name = mem_arena_str(&l->arena, mem_buf_span(&name));
	mem_buf_release(&name);
}

static enum mem_status
walk_both_ways(struct mem_ledger *l, struct ledger_lane *lane, struct walk *w, const struct mem_fact_terms *terms, struct mem_err *err)
{
	name_walk(l, w, terms);
	enum mem_status st = walk_facts(l, lane, w, w->claim->at, true, err);
	return st == MEM_OK ? walk_facts(l, lane, w, w->claim->at, false, err) : st;
}

static enum mem_status
read_fact_of(struct mem_ledger *l, struct ledger_lane *lane, const struct ledger_claim *c, struct mem_str key, struct mem_err *err)
{
	struct ledger_fact *f;
	struct mem_id id = ledger_fact_id(l, c->s->ns, key, c->at, NULL);
	enum mem_status st = ledger_fact_by_id(l, &id, &f, err);
	if (st == MEM_OK && f != NULL)
		ledger_window_add(l, lane, f);
	return st;
}

/* The fact that the claim itself would be and those that say the contrary of that instant: even if they were never true, and so
 * are in no list. */
static enum mem_status
read_own_fact(struct mem_ledger *l, struct ledger_lane *lane, const struct ledger_claim *c, struct mem_err *err)
{
	struct ledger_value v = c->value;
	enum mem_status st = read_fact_of(l, lane, c, v.key, err);
	bool opposite = lane->rule == LEDGER_VALUES && c->predicate != NULL && c->predicate->opposite.n > 0;
	if (lane->rule == LEDGER_STATEMENT || st != MEM_OK)
		return st;
	v.negated = !v.negated;
	st = read_fact_of(l, lane, c, ledger_value_key(l, &v), err);
	if (v.version.n > 0 && st == MEM_OK) {
		struct ledger_value any = v;
		any.version = MEM_STR("");
		st = read_fact_of(l, lane, c, ledger_value_key(l, &any), err);
	}
	for (int i = 0; i < 2 && opposite && st == MEM_OK; i++) {
		v.predicate = c->predicate->opposite;
		v.negated = i == 1;
		st = read_fact_of(l, lane, c, ledger_value_key(l, &v), err);
	}
	return st;
}

/* Of one object, affirmed and denied. */
static enum mem_status
walk_polarities(struct mem_ledger *l, struct ledger_lane *lane, struct walk *w, struct mem_fact_terms *terms, struct mem_err *err)
{
	terms->negated = false;
	enum mem_status st = walk_both_ways(l, lane, w, terms, err);
	terms->negated = true;
	if (st == MEM_OK)
		st = walk_both_ways(l, lane, w, terms, err);
	terms->negated = false;
	return st;
}

/* May it begin or end to be true, other than by the facts beside the claim? */
static bool
may_flip(const struct ledger_fact *f, const struct ledger_claim *c)
{
	if (f->frozen)
		return false;
	if (f->value.negated)
		return f->valid_to == MEM_TIME_NONE || f->valid_to >= c->at;
	return f->at == c->at || (f->at > c->at && !f->firm);
}

/*
 * What is denied of an object ends where that is affirmed, however far behind the others of the lane it is; and what was denied
 * goes on where what affirmed it was not true.
 */
static enum mem_status
walk_contraries(struct mem_ledger *l, struct ledger_lane *lane, const struct ledger_claim *c, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < lane->nfacts && st == MEM_OK; i++) {
		const struct ledger_fact *f = lane->facts[i];
		const struct mem_fact_terms terms = { .subject = c->value.subject, .predicate = c->value.predicate, .object = f->value.object,
			.negated = !f->value.negated };
		struct walk w = { .ns = c->s->ns, .lane = MEM_FACT_CLAIM, .claim = c, .object = f->value.object };
		if (!may_flip(f, c))
			continue;
		name_walk(l, &w, &terms);
		st = walk_facts(l, lane, &w, f->value.negated ? c->at : f->at, !f->value.negated, err);
	}
	return st;
}

static enum mem_status
read_window_triple(struct mem_ledger *l, struct ledger_lane *lane, const struct ledger_claim *c, struct mem_err *err)
{
	struct mem_fact_terms terms = { .subject = c->value.subject, .predicate = c->value.predicate, .object = c->value.object };
	struct walk w = { .ns = c->s->ns, .lane = MEM_FACT_CLAIM, .claim = c, .object = c->value.object };
	enum mem_status st = walk_polarities(l, lane, &w, &terms, err);
	if (st == MEM_OK && lane->rule == LEDGER_VALUES) {
		w.object = MEM_STR(MEM_FACT_ANY_OBJECT);
		terms.object = w.object;
		st = walk_both_ways(l, lane, &w, &terms, err);
	}
	if (st == MEM_OK && lane->rule == LEDGER_VALUES && c->predicate != NULL && c->predicate->opposite.n > 0) {
		w.object = MEM_STR("");
		terms.object = c->value.object;
		terms.predicate = c->predicate->opposite;
		st = walk_polarities(l, lane, &w, &terms, err);
	}
	if (st == MEM_OK && lane->rule != LEDGER_VALUES) {
		w = (struct walk){ .ns = c->s->ns, .lane = MEM_FACT_SAYS, .claim = c, .positive = true };
		terms.predicate = c->value.predicate;
		st = walk_both_ways(l, lane, &w, &terms, err);
		if (st == MEM_OK)
			st = walk_contraries(l, lane, c, err);
	}
	return st;
}

/* ---- statements ------------------------------------------------------------------ */

/* Those of the topic, the latest first, or only the same statement where there is neither topic nor domain. */
static enum mem_status
read_statements(struct mem_ledger *l, struct ledger_lane *lane, const struct ledger_claim *c, struct mem_err *err)
{
	struct mem_fact_terms terms = { .domain = c->domain_text, .topic = c->topic_text, .statement = c->statement_text };
	enum mem_fact_lane which = lane->domain.n > 0 || lane->topic.n > 0 ? MEM_FACT_TOPIC : MEM_FACT_CLAIM;
	struct mem_buf name = { 0 };
	struct ledger_fact *f;
	int64_t at = MEM_TIME_MAX;
	uint32_t ord = UINT32_MAX;
	mem_fact_put_lane(&name, mem_writer_store(l->w), mem_text_fold, which, &terms);
	struct mem_str path = mem_arena_str(&l->arena, mem_buf_span(&name));
	mem_buf_release(&name);
	enum mem_status st = MEM_OK;
	for (int i = 0; i < MEM_FACT_TOPIC_MAX && st == MEM_OK; i++) {
		st = ledger_step(l, c->s->ns, which, path, true, &at, &ord, err);
		if (st == MEM_OK)
			st = ledger_fact_at(l, ord, &f, err);
		if (st == MEM_OK && f != NULL)
			ledger_window_add(l, lane, f);
	}
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
ledger_window_read(struct mem_ledger *l, struct ledger_lane *lane, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < lane->nclaims && st == MEM_OK; i++) {
		if (lane->rule != LEDGER_STATEMENT)
			st = read_window_triple(l, lane, lane->claims[i], err);
		else if (i == 0 || (lane->domain.n == 0 && lane->topic.n == 0))
			st = read_statements(l, lane, lane->claims[i], err);
		if (st == MEM_OK)
			st = read_own_fact(l, lane, lane->claims[i], err);
	}
	return st;
}
