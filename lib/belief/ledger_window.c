/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stored facts may matter to what is claimed of a lane.
 *
 * What a claim changes at its time may change what comes behind, and who is right at one instant is known only from all that was
 * said of it.  So the lane is read around each claim: NEAR facts in both directions, and on to one that stands whatever
 * else does.  In nearly all lanes that is all there is.  What lies farther away stays as it is: how a fact at the border ends is
 * known from its own text.
 */
#include <stdlib.h>

#include "belief/ledger_calls_int.h"
#include "belief/ledger_hint_int.h"

#include "base/order.h"
#include "text/text.h"

enum { NEAR = 64 };

static bool
is_lost(const struct ledger_fact *f)
{
	return mem_str_is(f->reason, MEM_FACT_LESS_TRUSTED) || mem_str_is(f->reason, MEM_FACT_TIE);
}

/* Does it stand whatever the claims of the lane say? */
static bool
is_border(const struct ledger_fact *f)
{
	return !f->frozen && !f->standing.weak && !is_lost(f) && !f->value.negated;
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

/* ---- what is looked for -------------------------------------------------------- */

/* Around what: a claim, or a stored fact that something ends. */
struct centre {
	const struct ledger_value *value;
	const struct mem_predicate *predicate;
	int64_t at;
};
struct centres {
	struct centre *v;           /* OWNS; in order of time */
	size_t n;
};

static int
compare_centres(const void *x, const void *y)
{
	const struct centre *a = x, *b = y;
	return (a->at > b->at) - (a->at < b->at);
}

static struct centres
list_centres(const struct mem_ledger *l, const struct ledger_lane *lane)
{
	struct centres c = { .v = mem_xcalloc(lane->nclaims + lane->nfacts + 1, sizeof *c.v) };
	for (size_t i = 0; i < lane->nclaims; i++)
		c.v[c.n++] = (struct centre){ &lane->claims[i]->value, lane->claims[i]->predicate, lane->claims[i]->at };
	for (size_t i = 0; i < lane->nfacts; i++) {
		const struct ledger_value *v = &lane->facts[i]->value;
		c.v[c.n++] = (struct centre){ v, l->rules != NULL ? mem_predicate_find(l->rules, v->predicate) : NULL, lane->facts[i]->at };
	}
	mem_sort(c.v, c.n, sizeof *c.v, compare_centres);
	return c;
}

/* A walk through one list of facts. */
struct walk {
	struct mem_str name;
	enum mem_fact_lane list;
	const struct mem_predicate *excludes; /* only objects that exclude each other for it; NULL: all */
	struct mem_str object;      /* of a list by object: facts with another one are corrections of it; empty: all belong */
	size_t passed;              /* since the centre */
	bool border;                /* one of them is, at this time: */
	int64_t border_at;
	bool whole;                 /* both ends of the list were reached */
};

static void
begin_walk(struct walk *w)
{
	w->passed = 0;
	w->border = false;
}

/* Is the next one, at this time, beyond all that matters?  Those of one instant are read together. */
static bool
is_beyond(const struct walk *w, int64_t at)
{
	return w->passed >= LEDGER_WALK_MAX || (w->passed >= NEAR && w->border && at != w->border_at);
}

/* What is not weak is less trusted only than what its source was to replace; and what a hint ended is ended by that one's. */
static enum mem_status
note_hints_of(struct mem_ledger *l, struct ledger_fact *f, struct mem_err *err)
{
	struct ledger_fact *by = NULL;
	enum mem_status st = MEM_OK;
	if (!f->standing.weak && mem_str_is(f->reason, MEM_FACT_LESS_TRUSTED))
		by = f;
	else if (f->has_ender && mem_str_is(f->reason, MEM_FACT_HINT))
		st = ledger_fact_by_id(l, &f->ender, &by, err);
	if (by != NULL && !by->frozen)
		ledger_fact_hints(l, by);
	return st;
}

static enum mem_status
visit_fact(struct mem_ledger *l, struct ledger_lane *lane, struct walk *w, int64_t at, uint32_t ord, struct mem_err *err)
{
	struct ledger_fact *f;
	enum mem_status st = ledger_fact_at(l, ord, &f, err);
	w->passed += f != NULL;
	if (st != MEM_OK || f == NULL)
		return st;
	if (w->object.n > 0 && !mem_str_eq(f->value.object, w->object)) {
		if (!f->frozen)
			ledger_fact_corrections(l, lane, f, mem_str_is(w->object, MEM_FACT_ANY_OBJECT) ? MEM_STR("") : w->object, at);
		return MEM_OK;
	}
	if (w->excludes != NULL && !ledger_is_exclusive(w->excludes, f->value.object))
		return MEM_OK;
	ledger_window_add(l, lane, f);
	if (!w->border && is_border(f)) {
		w->border = true;
		w->border_at = at;
	}
	return note_hints_of(l, f, err);
}

/* What was read up to `floor` is not read again. */
static enum mem_status
walk_back(struct mem_ledger *l, struct ledger_lane *lane, struct walk *w, int64_t at, int64_t floor, struct mem_err *err)
{
	uint32_t ord = UINT32_MAX;
	begin_walk(w);
	for (;;) {
		enum mem_status st = ledger_step(l, lane->ns, w->list, w->name, true, &at, &ord, err);
		if (st == MEM_OK && (is_beyond(w, at) || at < floor)) {
			w->whole = w->whole && at < floor;
			return MEM_OK;
		}
		if (st == MEM_OK)
			st = visit_fact(l, lane, w, at, ord, err);
		if (st != MEM_OK)
			return st == MEM_END ? MEM_OK : st;
	}
}

/* From the centre *i on; *i becomes the first that was not passed, *upto what was read. */
static enum mem_status
walk_on(struct mem_ledger *l, struct ledger_lane *lane, struct walk *w, const struct centres *c, size_t *i, int64_t *upto, struct mem_err *err)
{
	int64_t at = c->v[*i].at;
	uint32_t ord = UINT32_MAX;
	begin_walk(w);
	for (++*i;;) {
		enum mem_status st = ledger_step(l, lane->ns, w->list, w->name, false, &at, &ord, err);
		if (st == MEM_END)
			*i = c->n;
		for (; st == MEM_OK && *i < c->n && c->v[*i].at <= at; ++*i)
			begin_walk(w);
		if (st == MEM_OK && is_beyond(w, at)) {
			w->whole = false;
			return MEM_OK;
		}
		if (st == MEM_OK)
			st = visit_fact(l, lane, w, at, ord, err);
		if (st != MEM_OK)
			return st == MEM_END ? MEM_OK : st;
		*upto = at;
	}
}

/* Those of the list around each of the centres. */
static enum mem_status
walk_list(struct mem_ledger *l, struct ledger_lane *lane, struct walk *w, const struct mem_fact_terms *terms, const struct centres *c,
    struct mem_err *err)
{
	struct mem_buf name = { 0 };
	int64_t upto = MEM_TIME_MIN;
	enum mem_status st = MEM_OK;
	mem_fact_put_lane(&name, mem_txn_store(l->t), mem_text_fold, w->list, terms);
	w->name = mem_arena_str(&l->arena, mem_buf_span(&name));
	mem_buf_release(&name);
	w->whole = true;
	for (size_t i = 0; i < c->n && st == MEM_OK;) {
		st = walk_back(l, lane, w, c->v[i].at, upto, err);
		if (st == MEM_OK)
			st = walk_on(l, lane, w, c, &i, &upto, err);
	}
	return st;
}

/* ---- lists of a lane ---------------------------------------------------------------- */

/* Of one object, affirmed with what corrects it, and denied. */
static enum mem_status
walk_object(struct mem_ledger *l, struct ledger_lane *lane, const struct mem_fact_terms *of, const struct centres *c, struct mem_err *err)
{
	struct walk w = { .list = MEM_FACT_CLAIM, .object = of->object };
	struct mem_fact_terms terms = *of;
	enum mem_status st = walk_list(l, lane, &w, &terms, c, err);
	terms.negated = true;
	return st == MEM_OK ? walk_list(l, lane, &w, &terms, c, err) : st;
}

/* What corrects whatever there is. */
static enum mem_status
walk_corrections(struct mem_ledger *l, struct ledger_lane *lane, const struct mem_fact_terms *of, const struct centres *c, struct mem_err *err)
{
	struct walk w = { .list = MEM_FACT_CLAIM, .object = MEM_STR(MEM_FACT_ANY_OBJECT) };
	struct mem_fact_terms terms = *of;
	terms.object = w.object;
	return walk_list(l, lane, &w, &terms, c, err);
}

/* All of one object, and with the opposite predicate. */
static enum mem_status
walk_values(struct mem_ledger *l, struct ledger_lane *lane, const struct centres *c, struct mem_err *err)
{
	const struct mem_predicate *p = c->v[0].predicate;
	struct mem_fact_terms terms = { .subject = c->v[0].value->subject, .predicate = c->v[0].value->predicate, .object = c->v[0].value->object };
	enum mem_status st = MEM_OK;
	for (int i = 0; i < 2 && st == MEM_OK && terms.predicate.n > 0; i++) {
		st = walk_object(l, lane, &terms, c, err);
		if (st == MEM_OK)
			st = walk_corrections(l, lane, &terms, c, err);
		terms.predicate = p != NULL ? p->opposite : MEM_STR("");
	}
	return st;
}

/* The centres of one object.  OWNS. */
static struct centres
pick_centres(const struct centres *c, struct mem_str object)
{
	struct centres of = { .v = mem_xcalloc(c->n, sizeof *of.v) };
	for (size_t i = 0; i < c->n; i++)
		if (mem_str_eq(c->v[i].value->object, object))
			of.v[of.n++] = c->v[i];
	return of;
}

/* What is far away of the objects of these centres, and what corrects them. */
static enum mem_status
walk_objects(struct mem_ledger *l, struct ledger_lane *lane, const struct mem_fact_terms *of, const struct centres *c, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < c->n && st == MEM_OK; i++) {
		struct mem_fact_terms terms = *of;
		bool again = false;
		for (size_t k = 0; k < i && !again; k++)
			again = mem_str_eq(c->v[k].value->object, c->v[i].value->object);
		if (again)
			continue;
		terms.object = c->v[i].value->object;
		struct centres those = pick_centres(c, terms.object);
		st = walk_object(l, lane, &terms, &those, err);
		free(those.v);
	}
	return st;
}

/* All of one predicate, or those of its objects that exclude each other. */
static enum mem_status
walk_predicate(struct mem_ledger *l, struct ledger_lane *lane, const struct centres *c, struct mem_err *err)
{
	const struct mem_fact_terms terms = { .subject = c->v[0].value->subject, .predicate = c->v[0].value->predicate };
	struct walk w = { .list = MEM_FACT_SAYS, .excludes = lane->rule == LEDGER_EXCLUDING ? c->v[0].predicate : NULL };
	enum mem_status st = walk_list(l, lane, &w, &terms, c, err);
	if (st != MEM_OK || lane->rule == LEDGER_FUNCTIONAL)
		return st != MEM_OK || w.whole ? st : walk_objects(l, lane, &terms, c, err);
	struct centres all = list_centres(l, lane); /* any of its objects may be corrected */
	st = walk_objects(l, lane, &terms, &all, err);
	if (st == MEM_OK)
		st = walk_corrections(l, lane, &terms, &all, err);
	free(all.v);
	return st;
}

static enum mem_status
read_triples(struct mem_ledger *l, struct ledger_lane *lane, struct mem_err *err)
{
	struct centres c = list_centres(l, lane);
	enum mem_status st = MEM_OK;
	if (c.n > 0)
		st = lane->rule == LEDGER_VALUES ? walk_values(l, lane, &c, err) : walk_predicate(l, lane, &c, err);
	free(c.v);
	return st;
}

/* The fact that the claim itself would be: even if it is in no list. */
static enum mem_status
read_own_fact(struct mem_ledger *l, struct ledger_lane *lane, const struct ledger_claim *c, struct mem_err *err)
{
	struct ledger_fact *f;
	struct mem_id id = ledger_fact_id(l, c->s->ns, c->value.key, c->at, NULL);
	enum mem_status st = ledger_fact_by_id(l, &id, &f, err);
	if (st == MEM_OK && f != NULL)
		ledger_window_add(l, lane, f);
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
	mem_fact_put_lane(&name, mem_txn_store(l->t), mem_text_fold, which, &terms);
	struct mem_str path = mem_arena_str(&l->arena, mem_buf_span(&name));
	mem_buf_release(&name);
	enum mem_status st = MEM_OK;
	for (int i = 0; i < MEM_FACT_TOPIC_MAX && st == MEM_OK;) {
		st = ledger_step(l, c->s->ns, which, path, true, &at, &ord, err);
		if (st == MEM_OK)
			st = ledger_fact_at(l, ord, &f, err);
		if (st != MEM_OK || f == NULL)
			continue;
		ledger_window_add(l, lane, f);
		i++;
	}
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
ledger_window_read(struct mem_ledger *l, struct ledger_lane *lane, struct mem_err *err)
{
	enum mem_status st = lane->rule != LEDGER_STATEMENT ? read_triples(l, lane, err) : MEM_OK;
	for (size_t i = 0; i < lane->nclaims && st == MEM_OK; i++) {
		if (lane->rule == LEDGER_STATEMENT && (i == 0 || (lane->domain.n == 0 && lane->topic.n == 0)))
			st = read_statements(l, lane, lane->claims[i], err);
		if (st == MEM_OK)
			st = read_own_fact(l, lane, lane->claims[i], err);
	}
	return st;
}
