/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What episodes that replace another end.
 *
 * The hint stands in field `corrects` of the fact of the one that replaces, since what it ends may be consolidated later.  Facts
 * of several lanes are so about each other: one ends, or the other cannot stand, by which of the two is trusted more then.  Their
 * lanes are swept as one, in order of time.
 */
#include <stdlib.h>

#include "base/order.h"
#include "belief/ledger_calls_int.h"
#include "belief/ledger_hint_int.h"

/* ---- hints ------------------------------------------------------------------------ */

bool
ledger_hint_made(const struct ledger_claim *c)
{
	return c->s->supersedes != NULL && c->s->has_episode && c->value.subject.n > 0 && !c->value.negated && !ledger_is_functional(c->predicate);
}

void
ledger_hint_add(struct mem_ledger *l, const struct ledger_hint *h)
{
	for (size_t i = 0; i < l->nhints; i++)
		if (l->hints[i]->fact == h->fact && l->hints[i]->claim == h->claim && l->hints[i]->entry.raw.p == h->entry.raw.p)
			return;
	struct ledger_hint *copy = mem_arena_alloc(&l->arena, sizeof *copy);
	*copy = *h;
	LEDGER_PUSH(&l->arena, l->hints, l->nhints, l->hints_cap, copy);
}

void
ledger_hint_claim(struct mem_ledger *l, struct ledger_claim *c)
{
	const double trust = ledger_round(c->s->trust * MEM_FACT_TRUST_FACTOR);
	const struct ledger_hint h = { .of = *c->s->supersedes, .by = c->s->episode, .at = c->at, .value = &c->value, .predicate = c->predicate,
		.ns = c->s->ns, .claim = c, .trust = trust, .standing = ledger_stand(c->s->via, c->c.veracity, trust) };
	ledger_hint_add(l, &h);
}

/* Does the hint say something else of the same? */
static bool
is_about(const struct ledger_hint *h, const struct ledger_value *v)
{
	return !v->negated && mem_str_eq(v->subject, h->value->subject) && mem_str_eq(v->predicate, h->value->predicate) &&
	    !mem_str_eq(v->object, h->value->object);
}

/* ---- places ------------------------------------------------------------------------- */

static void
add_place(struct mem_ledger *l, struct ledger_hint *h, const struct ledger_value *v, struct ledger_fact *fact)
{
	struct ledger_place *p = &h->places[h->nplaces++];
	p->lane = ledger_lane_name(l, h->ns, h->predicate, v, &p->rule);
	p->fact = fact;
}

/* The facts of an episode that the ledger may change, each episode's read once. */
static enum mem_status
read_supported_facts(struct mem_ledger *l, const struct mem_id *episode, const struct ledger_supported **out, struct mem_err *err)
{
	uint32_t ords[MEM_FACT_CLAIMS_MAX];
	size_t n = 0;
	for (size_t i = 0; i < l->nsupported; i++)
		if (mem_id_cmp(&l->supported[i]->episode, episode) == 0) {
			*out = l->supported[i];
			return MEM_OK;
		}
	struct ledger_supported *s = mem_arena_alloc(&l->arena, sizeof *s);
	*out = s;
	s->episode = *episode;
	LEDGER_PUSH(&l->arena, l->supported, l->nsupported, l->supported_cap, s);
	enum mem_status st = ledger_supported(l, episode, ords, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct ledger_fact *f = NULL;
		st = ledger_fact_at(l, ords[i], &f, err);
		if (f != NULL && !f->frozen)
			LEDGER_PUSH(&l->arena, s->facts, s->nfacts, s->facts_cap, f);
	}
	return st;
}

static bool
is_claim_replaced(const struct ledger_hint *h, const struct ledger_claim *c)
{
	return c != NULL && c->s->has_episode && mem_id_cmp(&c->s->episode, &h->of) == 0 && mem_str_eq(c->s->ns, h->ns) && is_about(h, &c->value);
}

/* Its own lane, and those of what the episode says that it replaces. */
static enum mem_status
find_hint_places(struct mem_ledger *l, struct ledger_hint *h, struct mem_err *err)
{
	const struct ledger_supported *s = NULL;
	enum mem_status st = read_supported_facts(l, &h->of, &s, err);
	h->places = mem_arena_alloc(&l->arena, (s->nfacts + l->nclaims + 1) * sizeof *h->places);
	add_place(l, h, h->value, h->fact);
	for (size_t i = 0; i < s->nfacts; i++)
		if (is_about(h, &s->facts[i]->value))
			add_place(l, h, &s->facts[i]->value, s->facts[i]);
	for (size_t i = 0; i < l->nclaims; i++)
		if (is_claim_replaced(h, l->claims[i]))
			add_place(l, h, &l->claims[i]->value, NULL);
	return st;
}

/* ---- lanes -------------------------------------------------------------------------- */

static struct ledger_lane *
find_lane(const struct mem_ledger *l, struct mem_str name)
{
	for (size_t i = 0; i < l->nlanes; i++)
		if (mem_str_eq(l->lanes[i]->name, name)) {
			struct ledger_lane *lane = l->lanes[i];
			while (lane->joined_to != NULL)
				lane = lane->joined_to;
			return lane;
		}
	return NULL;
}

static enum mem_status
open_hint_lane(struct mem_ledger *l, const struct ledger_hint *h, const struct ledger_place *p, struct ledger_lane **out, struct mem_err *err)
{
	struct ledger_lane *lane = *out = find_lane(l, p->lane);
	if (lane == NULL) {
		lane = *out = mem_arena_alloc(&l->arena, sizeof *lane);
		*lane = (struct ledger_lane){ .name = p->lane, .rule = p->rule, .ns = h->ns, .one_version = ledger_has_one_version(h->predicate),
			.order = SIZE_MAX };
		LEDGER_PUSH(&l->arena, l->lanes, l->nlanes, l->lanes_cap, lane);
		ledger_window_add(l, lane, p->fact);
		return ledger_window_read(l, lane, err);
	}
	if (p->fact != NULL)
		ledger_window_add(l, lane, p->fact);
	return MEM_OK;
}

/* All of the second one to the first. */
static struct ledger_lane *
unite_lanes(struct mem_ledger *l, struct ledger_lane *a, struct ledger_lane *b, const struct mem_predicate *predicate)
{
	if (a == b)
		return a;
	if (b->order < a->order)
		return unite_lanes(l, b, a, predicate);
	if (a->rule != b->rule) {
		a->rule = LEDGER_EXCLUDING;
		a->mixed = predicate;
	}
	a->mixed = a->mixed != NULL ? a->mixed : b->mixed;
	for (size_t i = 0; i < b->nclaims; i++)
		LEDGER_PUSH(&l->arena, a->claims, a->nclaims, a->claims_cap, b->claims[i]);
	for (size_t i = 0; i < b->nfacts; i++)
		ledger_window_add(l, a, b->facts[i]);
	for (size_t i = 0; i < b->nends; i++)
		ledger_lane_end(a, &b->ends[i]);
	b->nclaims = b->nfacts = b->nends = 0;
	b->joined_to = a;
	return a;
}

static int
compare_claims(const void *x, const void *y)
{
	const struct ledger_claim *a = *(struct ledger_claim *const *)x, *b = *(struct ledger_claim *const *)y;
	return (a->number > b->number) - (a->number < b->number);
}

/* ---- what is joined ------------------------------------------------------------------ */

/* Is one of its lanes looked at? */
static bool
is_hint_needed(const struct mem_ledger *l, const struct ledger_hint *h)
{
	for (size_t i = 0; i < h->nplaces; i++)
		if (find_lane(l, h->places[i].lane) != NULL)
			return h->nplaces > 1;
	return false;
}

static enum mem_status
join_hint(struct mem_ledger *l, struct ledger_hint *h, struct mem_err *err)
{
	struct ledger_lane *whole = NULL;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < h->nplaces && st == MEM_OK; i++) {
		struct ledger_lane *lane;
		st = open_hint_lane(l, h, &h->places[i], &lane, err);
		whole = whole != NULL ? unite_lanes(l, whole, lane, h->predicate) : lane;
	}
	h->joined = true;
	struct ledger_end end = { .at = h->at, .hint = h, .reason = MEM_FACT_HINT, .standing = h->standing, .known_at = h->known_at };
	if (h->fact != NULL) {
		end.has_by = true;
		end.by = h->fact->id;
		end.later = !ledger_is_known(l, h->known_at);
	}
	ledger_lane_end(whole, &end);
	return st;
}

/* What is joined brings hints of its own. */
enum mem_status
ledger_hints_join(struct mem_ledger *l, struct mem_err *err)
{
	bool more = l->nhints > 0;
	enum mem_status st = MEM_OK;
	while (more && st == MEM_OK) {
		more = false;
		for (size_t i = 0; i < l->nhints && st == MEM_OK; i++) {
			struct ledger_hint *h = l->hints[i];
			if (h->joined)
				continue;
			if (h->places == NULL)
				st = find_hint_places(l, h, err);
			if (st != MEM_OK || !is_hint_needed(l, h))
				continue;
			st = join_hint(l, h, err);
			more = true;
		}
	}
	for (size_t i = 0; i < l->nlanes && l->nhints > 0; i++)
		mem_sort(l->lanes[i]->claims, l->lanes[i]->nclaims, sizeof(struct ledger_claim *), compare_claims);
	return st;
}

/* ---- assertions ---------------------------------------------------------------------- */

static bool
is_assertion_of(const struct ledger_hint *h, const struct ledger_assertion *a)
{
	if (h->claim != NULL)
		return a->claim == h->claim;
	return a->claim == NULL && a->fact == h->fact && a->at == h->at && mem_id_cmp(&a->episode, &h->by) == 0;
}

void
ledger_hints_place(struct ledger_lane *lane)
{
	size_t kept = 0;
	for (size_t i = 0; i < lane->nends; i++) {
		struct ledger_hint *h = lane->ends[i].hint;
		for (size_t k = 0; k < lane->n && h != NULL; k++)
			if (is_assertion_of(h, lane->v[k])) {
				h->assertion = lane->v[k];
				lane->v[k]->hint = h;
			}
		if (h == NULL || h->claim == NULL || h->assertion != NULL)
			lane->ends[kept++] = lane->ends[i];
	}
	lane->nends = kept;
}
