/* SPDX-License-Identifier: Apache-2.0 */
/* A lane from its claims to its runs. */
#include "belief/ledger_calls_int.h"
#include "belief/ledger_hint_int.h"

#include "base/order.h"

void
ledger_push(struct mem_arena *a, void ***v, size_t *n, size_t *cap, void *p)
{
	if (*n == *cap) {
		size_t more = *cap > 0 ? *cap * 2 : 8;
		void **copy = mem_arena_alloc(a, more * sizeof *copy);
		if (*n > 0)
			memcpy(copy, *v, *n * sizeof *copy);
		*v = copy;
		*cap = more;
	}
	(*v)[(*n)++] = p;
}

void
ledger_lane_end(struct ledger_lane *lane, const struct ledger_end *end)
{
	lane->ends = mem_grow(lane->ends, &lane->ends_cap, lane->nends + 1, sizeof *lane->ends);
	lane->ends[lane->nends++] = *end;
}

/* ---- what is new ------------------------------------------------------------- */

static void
tell_known(struct mem_ledger *l, const struct ledger_claim *c, const struct ledger_fact *f)
{
	l->outcomes[c->number] = (struct mem_fact_outcome){ .verdict = MEM_UNCHANGED, .id = f->id,
		.current = !f->frozen && f->status == MEM_STATUS_ACTIVE };
}

/* Is the claim among the sources of a fact already, or would it be one that was put aside? */
static enum mem_status
check_known(struct mem_ledger *l, const struct ledger_lane *lane, struct ledger_claim *c, bool *known, struct mem_err *err)
{
	struct mem_id own = ledger_fact_id(l, c->s->ns, c->value.key, c->at, NULL);
	enum mem_status st = MEM_OK;
	*known = false;
	for (size_t i = 0; i < lane->nfacts && st == MEM_OK && !*known; i++) {
		struct ledger_fact *f = lane->facts[i];
		bool same = mem_str_eq(f->value.key, c->value.key);
		if (same)
			st = ledger_fact_has(l, f, c, known, err);
		if (st == MEM_OK && !*known && same && f->frozen && mem_id_cmp(&f->id, &own) == 0)
			*known = true;
		if (*known)
			tell_known(l, c, f);
	}
	return st;
}

/* Has another claim of the lane, of the same source, said just that? */
static struct ledger_claim *
find_twin(const struct ledger_lane *lane, size_t i)
{
	struct ledger_claim *twin = NULL;
	for (size_t k = i; k > 0 && ledger_claims_together(lane->claims[k - 1], lane->claims[i]); k--)
		if (ledger_claims_same(lane->claims[k - 1], lane->claims[i]))
			twin = lane->claims[k - 1];
	return twin;
}

/* What the same person said before and does not say otherwise: it is known since then. */
static void
keep_restated(struct ledger_assertion *a, const struct ledger_assertion *was)
{
	const struct mem_claim *c = &a->claim->c;
	a->captured_at = was->captured_at;
	a->created_at = was->created_at;
	a->to = c->valid_to != MEM_TIME_NONE ? c->valid_to : was->to;
	a->confidence = c->own_confidence ? a->confidence : was->confidence;
	a->veracity = c->own_veracity ? a->veracity : was->veracity;
}

/* Of two claims of one person in one batch that say just the same the later one says more of it. */
static void
restate_twin(struct ledger_lane *lane, const struct ledger_claim *first, const struct ledger_claim *c)
{
	for (size_t i = 0; i < lane->n; i++) {
		struct ledger_assertion *a = lane->v[i];
		if (a->claim != first || c->s->has_episode)
			continue;
		a->to = c->c.valid_to != MEM_TIME_NONE ? c->c.valid_to : a->to;
		a->confidence = c->c.own_confidence ? ledger_round(c->c.confidence) : a->confidence;
		a->veracity = c->c.own_veracity ? c->c.veracity : a->veracity;
	}
}

static void
add_claim_assertion(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_claim *c)
{
	struct ledger_assertion *a = mem_arena_alloc(&l->arena, sizeof *a);
	*a = (struct ledger_assertion){ .claim = c, .value = &c->value, .at = c->at, .to = c->c.valid_to, .captured_at = c->s->captured_at,
		.created_at = c->s->created_at, .trust = ledger_round(c->s->trust * MEM_FACT_TRUST_FACTOR), .confidence = ledger_round(c->c.confidence),
		.veracity = c->c.veracity };
	if (c->s->has_episode)
		a->episode = c->s->episode;
	if (c->restates != NULL)
		keep_restated(a, c->restates);
	a->of_extractor = ledger_is_of_extractor(c->s->via);
	a->standing = ledger_stand(c->s->via, a->veracity, a->trust);
	LEDGER_PUSH(&l->arena, lane->v, lane->n, lane->cap, a);
}

static bool
says_the_same(const struct ledger_assertion *a, const struct ledger_assertion *b)
{
	static const struct mem_id none;
	return a->at == b->at && mem_id_cmp(&a->episode, &b->episode) == 0 && mem_id_cmp(&a->episode, &none) != 0 &&
	    mem_str_eq(a->value->key, b->value->key);
}

/* What an episode says counts once, though two facts that come together have it: after entities were taken apart. */
static void
drop_repeated_assertions(struct ledger_lane *lane)
{
	size_t kept = 0;
	for (size_t i = 0; i < lane->n; i++) {
		bool again = false;
		for (size_t k = 0; k < kept && !again; k++)
			again = says_the_same(lane->v[k], lane->v[i]) && lane->v[k]->fact != lane->v[i]->fact;
		if (!again)
			lane->v[kept++] = lane->v[i];
	}
	lane->n = kept;
}

static enum mem_status
gather_assertions(struct mem_ledger *l, struct ledger_lane *lane, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	bool judges = false;
	for (size_t i = 0; i < lane->nclaims && st == MEM_OK; i++) {
		struct ledger_claim *c = lane->claims[i], *first = c->judges == NULL ? find_twin(lane, i) : NULL;
		bool known = c->judges != NULL;
		judges = judges || known;
		if (first != NULL) {
			c->twin = first->twin;
			first->twin = c;
			restate_twin(lane, first, c);
			continue;
		}
		if (!known)
			st = check_known(l, lane, c, &known, err);
		if (st == MEM_OK && !known)
			add_claim_assertion(l, lane, c);
	}
	for (size_t i = 0; i < lane->nfacts && st == MEM_OK; i++)
		if (!lane->facts[i]->frozen && lane->facts[i]->ended_by == NULL)
			ledger_fact_assertions(l, lane, lane->facts[i]);
	if (judges)
		drop_repeated_assertions(lane);
	return st;
}

/* ---- borders -------------------------------------------------------------------- */

static bool
is_swept(const struct ledger_lane *lane, const struct mem_id *id)
{
	for (size_t i = 0; i < lane->nfacts; i++)
		if (mem_id_cmp(&lane->facts[i]->id, id) == 0 && !lane->facts[i]->frozen && lane->facts[i]->ended_by == NULL)
			return true;
	return false;
}

/* Is there a correction of it at the time at which it ends?  Then that one says whether it does. */
static bool
has_correction(const struct ledger_lane *lane, const struct ledger_fact *f)
{
	for (size_t i = 0; i < lane->nends; i++)
		if (lane->ends[i].at == f->valid_to && lane->ends[i].corrected_by != NULL)
			return true;
	return false;
}

/* A fact that was ended by one that was not read ends there as before. */
static void
keep_border(struct ledger_lane *lane, const struct ledger_fact *f)
{
	static const char *const kept[] = { MEM_FACT_NEWER, MEM_FACT_EXCLUSIVE, MEM_FACT_OPPOSITE, MEM_FACT_NEGATED, MEM_FACT_CORRECTED, MEM_FACT_HINT };
	if (f->frozen || f->ended_by != NULL || !f->has_ender || f->valid_to == MEM_TIME_NONE || f->valid_to <= f->at || is_swept(lane, &f->ender))
		return;
	if (mem_str_is(f->reason, MEM_FACT_CORRECTED) && has_correction(lane, f))
		return;
	for (size_t i = 0; i < MEM_COUNT(kept); i++)
		if (mem_str_is(f->reason, kept[i])) {
			struct ledger_end end = { .at = f->valid_to, .key = f->value.key, .has_by = true, .by = f->ender, .reason = kept[i],
				.known_at = f->superseded_at };
			ledger_lane_end(lane, &end);
		}
}

/* They say only of what ends there today that it did not yet. */
static void
drop_later_ends(struct ledger_lane *lane)
{
	size_t kept = 0;
	for (size_t i = 0; i < lane->nends; i++)
		if (!lane->ends[i].later)
			lane->ends[kept++] = lane->ends[i];
	lane->nends = kept;
}

/* ---- runs and facts --------------------------------------------------------------- */

static struct ledger_fact *
find_swept_fact(const struct ledger_lane *lane, const struct mem_id *id)
{
	for (size_t i = 0; i < lane->nfacts; i++)
		if (mem_id_cmp(&lane->facts[i]->id, id) == 0)
			return lane->facts[i];
	return NULL;
}

/* The stored fact that says so since then, which need not have the id of that: entities are merged, and facts follow. */
static struct ledger_fact *
find_fact_of_run(const struct ledger_lane *lane, const struct ledger_run *r)
{
	for (size_t i = 0; i < lane->nfacts; i++) {
		struct ledger_fact *f = lane->facts[i];
		if (!f->frozen && f->ended_by == NULL && f->at == r->at && mem_str_eq(f->value.key, r->value->key))
			return f;
	}
	return find_swept_fact(lane, &r->id);
}

/* Each run is a stored fact, or will be one. */
static enum mem_status
match_runs(struct mem_ledger *l, struct ledger_lane *lane, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < lane->nruns && st == MEM_OK; i++) {
		struct ledger_run *r = lane->runs[i];
		r->id = ledger_fact_id(l, lane->ns, r->value->key, r->at, NULL);
		r->fact = find_fact_of_run(lane, r);
		if (r->fact == NULL)
			st = ledger_fact_by_id(l, &r->id, &r->fact, err);
		if (st != MEM_OK || r->fact == NULL)
			continue;
		ledger_window_add(l, lane, r->fact);
		r->id = r->fact->id;
		r->fact->run = r;
	}
	return st;
}

static void
tell_outcomes(struct mem_ledger *l, struct ledger_lane *lane)
{
	for (size_t i = 0; i < lane->nclaims; i++) {
		struct ledger_claim *c = lane->claims[i];
		const struct ledger_claim *twin = find_twin(lane, i);
		if (twin != NULL) {
			l->outcomes[c->number] = l->outcomes[twin->number];
			l->outcomes[c->number].verdict = MEM_UNCHANGED;
			c->run = twin->run;
			continue;
		}
		const struct ledger_run *r = c->run;
		if (r == NULL)
			continue; /* known */
		bool first = r->fact == NULL;
		for (size_t k = 0; k < i && first; k++)
			first = lane->claims[k]->run != r;
		bool frozen = r->fact != NULL && r->fact->frozen;
		l->outcomes[c->number] = (struct mem_fact_outcome){ .verdict = frozen ? MEM_UNCHANGED : first ? MEM_NEW : MEM_CHANGED, .id = r->id,
			.current = !frozen && r->reason == NULL };
	}
}

static enum mem_status
work_out_lane(struct mem_ledger *l, struct ledger_lane *lane, struct mem_err *err)
{
	enum mem_status st = gather_assertions(l, lane, err);
	if (st != MEM_OK)
		return st;
	if (l->nhints > 0)
		ledger_hints_place(lane);
	for (size_t i = 0; i < lane->nfacts; i++)
		keep_border(lane, lane->facts[i]);
	drop_later_ends(lane);
	if (lane->rule == LEDGER_STATEMENT)
		ledger_sweep_statements(l, lane);
	else
		ledger_sweep(l, lane);
	st = match_runs(l, lane, err);
	if (st == MEM_OK)
		tell_outcomes(l, lane);
	return st;
}

/* ---- lanes -------------------------------------------------------------------------- */

static int
compare_probes(const void *x, const void *y)
{
	const struct ledger_probe *a = x, *b = y;
	int c = mem_str_cmp(a->lane, b->lane);
	return c != 0 ? c : (a->order > b->order) - (a->order < b->order);
}

static int
compare_lanes(const void *x, const void *y)
{
	const struct ledger_lane *a = *(struct ledger_lane *const *)x, *b = *(struct ledger_lane *const *)y;
	return (a->order > b->order) - (a->order < b->order);
}

static void
add_probe(struct mem_ledger *l, struct ledger_lane *lane, const struct ledger_probe *p)
{
	if (p->claim != NULL) {
		lane->ns = p->claim->s->ns;
		lane->domain = p->claim->domain_text;
		lane->topic = p->claim->topic_text;
		LEDGER_PUSH(&l->arena, lane->claims, lane->nclaims, lane->claims_cap, p->claim);
	} else {
		lane->ns = p->ns;
	}
	if (p->has_end)
		ledger_lane_end(lane, &p->end);
	if (p->target != NULL)
		ledger_window_add(l, lane, p->target);
}

enum mem_status
ledger_lanes_make(struct mem_ledger *l, struct mem_err *err)
{
	struct ledger_lane *lane = NULL;
	enum mem_status st = MEM_OK;
	mem_sort(l->probes, l->nprobes, sizeof *l->probes, compare_probes);
	for (size_t i = 0; i < l->nprobes; i++) {
		if (i == 0 || !mem_str_eq(l->probes[i].lane, l->probes[i - 1].lane)) {
			lane = mem_arena_alloc(&l->arena, sizeof *lane);
			lane->rule = l->probes[i].rule;
			lane->one_version = l->probes[i].one_version;
			lane->order = l->probes[i].order;
			lane->name = l->probes[i].lane;
			LEDGER_PUSH(&l->arena, l->lanes, l->nlanes, l->lanes_cap, lane);
		}
		add_probe(l, lane, &l->probes[i]);
	}
	mem_sort(l->lanes, l->nlanes, sizeof(struct ledger_lane *), compare_lanes);
	for (size_t i = 0, n = l->nlanes; i < n && st == MEM_OK; i++)
		st = ledger_window_read(l, l->lanes[i], err);
	if (st == MEM_OK)
		st = ledger_follow_merged(l, err);
	if (st != MEM_OK || l->moved)
		return st;
	st = ledger_hints_join(l, err);
	for (size_t i = 0; i < l->nlanes && st == MEM_OK; i++)
		if (l->lanes[i]->joined_to == NULL)
			st = work_out_lane(l, l->lanes[i], err);
	return st;
}
