/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is true when: assertions in order of time to runs.
 *
 * The result is a function of the set of assertions and ends.  Of several at one instant the strongest comes first: the
 * higher rank (what is stated before what is inferred, then trust), then the higher confidence, then the smaller key; the
 * others at that instant that it excludes were never true.
 */
#include <string.h>

#include "base/order.h"
#include "belief/ledger_calls_int.h"
#include "belief/ledger_hint_int.h"

/* ---- order ------------------------------------------------------------------ */

static int
compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

static int
compare_assertions(const void *x, const void *y)
{
	const struct ledger_assertion *a = *(struct ledger_assertion *const *)x, *b = *(struct ledger_assertion *const *)y;
	int c = (a->at > b->at) - (a->at < b->at);
	if (c == 0)
		c = compare_numbers(b->standing.rank, a->standing.rank);
	if (c == 0)
		c = compare_numbers(b->confidence, a->confidence);
	if (c == 0)
		c = mem_str_cmp(a->value->key, b->value->key);
	if (c == 0)
		c = (a->captured_at > b->captured_at) - (a->captured_at < b->captured_at);
	return c != 0 ? c : mem_id_cmp(&a->episode, &b->episode);
}

static int
compare_hints(const struct ledger_hint *a, const struct ledger_hint *b)
{
	int c = compare_numbers(b->trust, a->trust);
	if (c == 0)
		c = mem_str_cmp(a->value->key, b->value->key);
	return c != 0 ? c : mem_id_cmp(&a->by, &b->by);
}

static int
compare_ends(const void *x, const void *y)
{
	const struct ledger_end *a = x, *b = y;
	int c = (a->at > b->at) - (a->at < b->at);
	if (c == 0)
		c = (a->corrected_by == NULL) - (b->corrected_by == NULL);
	if (c == 0)
		c = (a->hint == NULL) - (b->hint == NULL);
	if (c == 0 && a->hint != NULL)
		return compare_hints(a->hint, b->hint);
	if (c == 0)
		c = a->corrected_by != NULL ? mem_str_cmp(a->corrected_by->key, b->corrected_by->key) : mem_str_cmp(a->key, b->key);
	return c;
}

/* ---- runs --------------------------------------------------------------------- */

struct ledger_run *
ledger_run_new(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_assertion *a)
{
	struct ledger_run *r = mem_arena_alloc(&l->arena, sizeof *r);
	*r = (struct ledger_run){ .value = a->value, .at = a->at, .end = MEM_TIME_NONE, .open = true };
	LEDGER_PUSH(&l->arena, lane->runs, lane->nruns, lane->runs_cap, r);
	ledger_run_join(l, r, a);
	return r;
}

void
ledger_run_join(struct mem_ledger *l, struct ledger_run *r, struct ledger_assertion *a)
{
	r->last_trust = r->n > 0 && r->last_at == a->at && r->last_trust > a->trust ? r->last_trust : a->trust;
	LEDGER_PUSH(&l->arena, r->v, r->n, r->cap, a);
	r->last_at = a->at;
	r->to = a->to;
	r->trust = a->trust > r->trust ? a->trust : r->trust;
	r->rank = a->standing.rank > r->rank ? a->standing.rank : r->rank;
	a->run = r;
	if (a->claim != NULL)
		a->claim->run = r;
	if (a->fact != NULL && a->at == a->fact->at)
		a->fact->covered_by = r;
}

static bool
is_other_version(const struct ledger_value *a, const struct ledger_value *b)
{
	return a->version.n > 0 && b->version.n > 0 && !mem_str_eq(a->version, b->version);
}

/* Of one object: who denies it denies all of its versions, who denies a version that one alone. */
static const char *
find_version_conflict(const struct ledger_lane *lane, const struct ledger_value *a, const struct ledger_value *later)
{
	const struct ledger_value *denied = a->negated ? a : later;
	if (a->negated == later->negated)
		return !a->negated && lane->one_version && is_other_version(a, later) ? MEM_FACT_NEWER : NULL;
	return denied->version.n == 0 || mem_str_eq(a->version, later->version) ? MEM_FACT_NEGATED : NULL;
}

/* Why two values cannot both be true; NULL: they can. */
static const char *
find_conflict(const struct ledger_lane *lane, const struct ledger_value *a, const struct ledger_value *later)
{
	bool same = mem_str_eq(a->object, later->object), predicate = mem_str_eq(a->predicate, later->predicate);
	if (same && predicate)
		return find_version_conflict(lane, a, later);
	if (a->negated || later->negated)
		return NULL;
	if (!predicate)
		return same && !is_other_version(a, later) ? MEM_FACT_OPPOSITE : NULL;
	if (lane->rule == LEDGER_FUNCTIONAL)
		return MEM_FACT_NEWER;
	bool excludes = lane->rule == LEDGER_EXCLUDING &&
	    (lane->mixed == NULL || (ledger_is_exclusive(lane->mixed, a->object) && ledger_is_exclusive(lane->mixed, later->object)));
	return excludes ? MEM_FACT_EXCLUSIVE : NULL;
}

/* Two versions named at one instant stand both: "uses Python 2 and Python 3". */
static bool
stand_together(const struct ledger_run *r, const struct ledger_assertion *a)
{
	return r->last_at == a->at && mem_str_eq(r->value->object, a->value->object) && is_other_version(r->value, a->value);
}

static void
close_run(struct ledger_run *r, int64_t at, const char *reason)
{
	r->open = false;
	r->end = at;
	r->reason = reason;
}

/* Has nothing but the episode that is replaced said it so far, and the one that replaces it something else? */
static bool
is_replaced(const struct ledger_hint *h, const struct ledger_run *r)
{
	const struct ledger_value *v = r->value;
	bool only = !v->negated && mem_str_eq(v->predicate, h->value->predicate) && !mem_str_eq(v->object, h->value->object);
	for (size_t i = 0; i < r->n && only; i++)
		only = mem_id_cmp(&r->v[i]->episode, &h->of) == 0 && r->v[i]->hidden == 0;
	return only;
}

/* The strongest of those that a hint may not end. */
static void
refuse_hint(struct ledger_hint *h, struct ledger_run *r)
{
	const struct ledger_run *o = h->refused_by;
	int c = o == NULL ? 1 : compare_numbers(r->trust, o->trust);
	if (c == 0)
		c = mem_str_cmp(o->value->key, r->value->key);
	if (c > 0 || (c == 0 && r->at < o->at))
		h->refused_by = r;
}

static bool
is_end_of(const struct ledger_end *e, const struct ledger_run *r)
{
	const struct ledger_value *v = r->value;
	if (e->hint != NULL)
		return is_replaced(e->hint, r);
	if (e->corrected_by == NULL)
		return mem_str_eq(v->key, e->key);
	return !v->negated && mem_str_eq(v->predicate, e->corrected_by->predicate) && !mem_str_eq(v->object, e->corrected_by->object) &&
	    (e->of.n == 0 || mem_str_eq(v->object, e->of));
}

static void
end_run_by(struct ledger_run *r, const struct ledger_end *e)
{
	close_run(r, e->at, e->reason);
	r->has_ender_id = e->has_by;
	r->ender_id = e->by;
	r->ended_known_at = e->known_at;
	r->ender_claim = e->by_claim;
	r->replaced_by = e->hint != NULL ? e->hint->assertion : NULL;
}

/* Ends that come no later than `at`, and those that runs say themselves.  What is neither open nor of that instant matters no more. */
static void
apply_ends(struct ledger_lane *lane, size_t *next, int64_t at)
{
	for (; *next < lane->nends && lane->ends[*next].at <= at; (*next)++) {
		const struct ledger_end *e = &lane->ends[*next];
		for (size_t i = 0; i < lane->nlive; i++) {
			struct ledger_run *r = lane->live[i];
			if (!r->open || r->at >= e->at || !is_end_of(e, r) || (e->standing.weak && e->standing.rank < r->rank))
				continue;
			if (r->to != MEM_TIME_NONE && r->to <= e->at) {
				close_run(r, r->to, NULL);
				continue;
			}
			if (e->hint != NULL && e->hint->trust < r->trust)
				refuse_hint(e->hint, r);
			else
				end_run_by(r, e);
		}
	}
	size_t kept = 0;
	for (size_t i = 0; i < lane->nlive; i++) {
		struct ledger_run *r = lane->live[i];
		if (r->open && r->to != MEM_TIME_NONE && r->to <= at)
			close_run(r, r->to, NULL);
		if (r->open || (r->lost && r->at == at))
			lane->live[kept++] = r;
	}
	lane->nlive = kept;
}

/* The run that the assertion continues: an open one, or one that was never true from the same instant. */
static struct ledger_run *
find_run_of(const struct ledger_lane *lane, const struct ledger_assertion *a)
{
	for (size_t i = lane->nlive; i > 0; i--) {
		struct ledger_run *r = lane->live[i - 1];
		if (mem_str_eq(r->value->key, a->value->key) && (r->open || (r->lost && r->at == a->at)))
			return r;
	}
	return NULL;
}

/* What an assertion meets among the open runs. */
struct clash {
	struct ledger_run *with;    /* against which it cannot stand; NULL: nothing */
	const char *reason;
	double trust;               /* the highest of them */
	bool either;                /* it could, were neither trusted much: not one value of several that alone can be true */
	bool tie;                   /* one of them was said at the same instant */
};

/*
 * What was said at the same instant and is stronger counts even where it is not true itself: who is right at an instant
 * is so decided by what was said at that instant alone.
 */
static struct clash
find_clash(const struct ledger_lane *lane, const struct ledger_assertion *a)
{
	struct clash found = { .with = NULL };
	for (size_t i = 0; i < lane->nlive; i++) {
		struct ledger_run *r = lane->live[i];
		bool tie = r->last_at == a->at && (r->open || r->lost), trust = r->open && a->standing.weak && a->standing.rank < r->rank;
		const char *conflict = (tie || trust) && !stand_together(r, a) ? find_conflict(lane, r->value, a->value) : NULL;
		if (conflict == NULL)
			continue;
		found.tie = found.tie || tie;
		bool either = strcmp(conflict, MEM_FACT_NEGATED) == 0 || strcmp(conflict, MEM_FACT_OPPOSITE) == 0;
		if (r->last_trust > found.trust)
			found.trust = r->last_trust;
		if (found.with == NULL || (found.either && !either)) {
			found.with = r;
			found.reason = tie ? MEM_FACT_TIE : MEM_FACT_LESS_TRUSTED;
			found.either = either;
		}
	}
	return found;
}

/* All that is open and cannot be true beside the run ends, but for what was said at the same instant. */
static void
end_conflicting(struct ledger_lane *lane, struct ledger_run *r, int64_t at)
{
	for (size_t i = 0; i < lane->nlive; i++) {
		struct ledger_run *o = lane->live[i];
		const char *reason = o != r && o->open && o->last_at < at ? find_conflict(lane, o->value, r->value) : NULL;
		if (reason == NULL)
			continue;
		close_run(o, at, reason);
		o->ender = r;
	}
}

/* Do both stand, since both can be true and neither is trusted much? */
static bool
stand_both(const struct clash *c, double trust)
{
	return c->either && trust < MEM_FACT_QUARANTINE_TRUST && c->trust < MEM_FACT_QUARANTINE_TRUST;
}

/* It cannot stand.  Where both do, the contradiction is told. */
static void
lose_to_run(struct ledger_run *r, const struct clash *c)
{
	r->clash = c->with;
	r->clash_trust = c->trust;
	if (stand_both(c, r->trust))
		return;
	close_run(r, r->at, c->reason);
	r->lost = true;
	r->ender = c->with;
}

/* The same against what its source was to replace. */
static void
lose_to_replaced(struct ledger_run *r, struct ledger_run *o)
{
	r->clash = o;
	r->clash_trust = o->trust;
	if (r->trust < MEM_FACT_QUARANTINE_TRUST && o->trust < MEM_FACT_QUARANTINE_TRUST)
		return;
	close_run(r, r->at, MEM_FACT_LESS_TRUSTED);
	r->lost = true;
	r->ender = o;
}

/* What its source was to replace, and may not end; NULL: none. */
static struct ledger_run *
find_refusal(const struct ledger_assertion *a)
{
	return a->hint != NULL ? a->hint->refused_by : NULL;
}

/* Lost as a weak claim, it is one at the same instant that is not: then it is judged by that. */
static void
reopen_run(struct ledger_run *r, const struct ledger_assertion *a, const struct clash *c)
{
	if (!r->lost || strcmp(r->reason, MEM_FACT_LESS_TRUSTED) != 0 || a->standing.weak || find_refusal(a) != NULL)
		return;
	r->lost = false;
	r->clash = NULL;
	r->open = true;
	r->end = MEM_TIME_NONE;
	r->reason = NULL;
	r->ender = NULL;
	if (c->with != NULL)
		lose_to_run(r, c);
}

static void
take_assertion(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_assertion *a)
{
	struct ledger_run *r = find_run_of(lane, a);
	const struct clash c = find_clash(lane, a);
	/* What loses a tie does so also where its value was true before: the stronger may be nothing but a user's extractor's. */
	if (r != NULL && r->last_at < a->at && c.tie && !stand_both(&c, a->trust))
		r = NULL;
	if (r != NULL) {
		ledger_run_join(l, r, a);
		reopen_run(r, a, &c);
	} else {
		r = ledger_run_new(l, lane, a);
		LEDGER_PUSH(&l->arena, lane->live, lane->nlive, lane->live_cap, r);
		if (find_refusal(a) != NULL)
			lose_to_replaced(r, find_refusal(a));
		else if (c.with != NULL)
			lose_to_run(r, &c);
	}
	if (!r->lost)
		end_conflicting(lane, r, a->at);
}

/* ---- the sweep ---------------------------------------------------------------- */

void
ledger_assertions_sort(struct ledger_lane *lane)
{
	mem_sort(lane->v, lane->n, sizeof(struct ledger_assertion *), compare_assertions);
}

void
ledger_sweep(struct mem_ledger *l, struct ledger_lane *lane)
{
	size_t next = 0;
	ledger_assertions_sort(lane);
	mem_sort(lane->ends, lane->nends, sizeof *lane->ends, compare_ends);
	for (size_t i = 0; i < lane->n; i++) {
		apply_ends(lane, &next, lane->v[i]->at);
		take_assertion(l, lane, lane->v[i]);
	}
	apply_ends(lane, &next, MEM_TIME_MAX);
	for (size_t i = 0; i < lane->nruns; i++) {
		struct ledger_run *r = lane->runs[i];
		if (r->open && r->to != MEM_TIME_NONE)
			close_run(r, r->to, NULL);
	}
}
