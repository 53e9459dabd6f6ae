/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the fields of a fact. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "belief/ledger_calls_int.h"

double
ledger_round(double v)
{
	return (double)(int64_t)(v * 1e6 + .5) / 1e6;
}

/* ---- what a run comes to -------------------------------------------------------- */

static int
compare_by_capture(const void *x, const void *y)
{
	const struct ledger_assertion *a = *(struct ledger_assertion *const *)x, *b = *(struct ledger_assertion *const *)y;
	int c = (a->captured_at > b->captured_at) - (a->captured_at < b->captured_at);
	if (c == 0)
		c = mem_id_cmp(&a->episode, &b->episode);
	if (c == 0)
		c = (a->at > b->at) - (a->at < b->at);
	return c != 0 ? c : (a->claim != NULL) - (b->claim != NULL); /* by hand at one instant: what is stored was first */
}

/* Its assertions in order of their sources.  OWNS: free(). */
static struct ledger_assertion **
sort_by_capture(const struct ledger_run *r)
{
	struct ledger_assertion **v = mem_xcalloc(r->n, sizeof *v);
	memcpy(v, r->v, r->n * sizeof *v);
	mem_sort(v, r->n, sizeof *v, compare_by_capture);
	return v;
}

double
ledger_run_confidence(const struct ledger_run *r, const struct ledger_assertion **base)
{
	struct ledger_assertion **v = sort_by_capture(r);
	double c = v[0]->confidence;
	for (size_t i = 1; i < r->n; i++)
		c = mem_fact_confirm(c, v[i]->veracity);
	*base = v[0];
	free(v);
	return ledger_round(c);
}

bool
ledger_run_has_claim(const struct ledger_run *r)
{
	bool has = false;
	for (size_t i = 0; i < r->n && !has; i++)
		has = r->v[i]->claim != NULL;
	return has;
}

/* What was archived because it was stale is so no more once it is said again. */
enum mem_node_status
ledger_run_status(const struct ledger_run *r)
{
	if (r->reason == NULL)
		return r->fact != NULL && r->fact->status == MEM_STATUS_ARCHIVED && !ledger_run_has_claim(r) ? MEM_STATUS_ARCHIVED : MEM_STATUS_ACTIVE;
	bool trusted = r->trust >= MEM_FACT_QUARANTINE_TRUST || r->clash_trust >= MEM_FACT_QUARANTINE_TRUST;
	return r->lost && r->clash != NULL && trusted ? MEM_STATUS_QUARANTINED : MEM_STATUS_SUPERSEDED;
}

struct mem_id
ledger_run_ender(const struct mem_ledger *l, const struct ledger_run *r)
{
	if (r->ender != NULL)
		return r->ender->id;
	if (r->replaced_by != NULL)
		return r->replaced_by->run->id;
	return r->ender_claim != NULL ? l->outcomes[r->ender_claim->number].id : r->ender_id;
}

/* When the first of its sources was. */
static int64_t
find_first_created_at(const struct ledger_run *r)
{
	int64_t at = r->v[0]->created_at;
	for (size_t i = 1; i < r->n; i++)
		at = r->v[i]->created_at < at ? r->v[i]->created_at : at;
	return at;
}

int64_t
ledger_run_created_at(const struct ledger_run *r)
{
	return r->fact != NULL ? r->fact->created_at : find_first_created_at(r);
}

/*
 * When it was known that it does not stand: not before both were.  What ended it may be said to begin earlier since, which moves the
 * end alone; what became a part of something that begins earlier stood until that was said.
 */
int64_t
ledger_run_ended_at(const struct ledger_run *r)
{
	int64_t own = ledger_run_created_at(r), other = own;
	if (r->ender != NULL)
		other = r->reason == NULL || strcmp(r->reason, MEM_FACT_RESTATED) != 0 ? find_first_created_at(r->ender) : r->ender->v[0]->created_at;
	else if (r->replaced_by != NULL)
		other = r->replaced_by->created_at;
	else if (r->ender_claim != NULL)
		other = r->ender_claim->s->created_at;
	else if (r->has_ender_id && !r->lost)
		other = r->ended_known_at;
	return other > own ? other : own;
}

/* ---- sources ---------------------------------------------------------------------- */

struct mem_str
ledger_agent(const struct mem_ledger *l, const struct ledger_claim *c)
{
	return c->s->actor.n > 0 ? c->s->actor : mem_str(mem_store_principal(mem_writer_store(l->w))->agent);
}

static struct mem_clean_text
make_place(struct mem_arena *a, const struct ledger_claim *c, size_t at)
{
	return c->s->has_episode ? mem_clean_int(a, (int64_t)at) : mem_clean_null();
}

/* Who has written the fact that the run is, as its origin says. */
static struct mem_str
find_writer(struct mem_ledger *l, const struct ledger_run *r)
{
	const struct ledger_fact *f = r->fact != NULL ? r->fact : r->v[0]->fact;
	return f != NULL ? mem_json_text(&l->arena, mem_json_member(mem_rec_value(&f->rec, "origin"), "agent")) : ledger_agent(l, r->v[0]->claim);
}

/* An element of field sources. */
static struct mem_clean_text
make_source(struct mem_ledger *l, const struct ledger_run *r, const struct ledger_assertion *s)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_object o = { 0 };
	if (s->claim == NULL)
		return s->source;
	const struct ledger_claim *c = s->claim;
	mem_clean_object_put(&o, "episode", c->s->has_episode ? mem_clean_id(a, &c->s->episode) : mem_clean_null());
	mem_clean_object_put(&o, "start", make_place(a, c, c->c.start));
	mem_clean_object_put(&o, "end", make_place(a, c, c->c.end));
	mem_clean_object_put(&o, "at", mem_clean_time(a, s->at));
	mem_clean_object_put(&o, "to", s->to != MEM_TIME_NONE ? mem_clean_time(a, s->to) : mem_clean_absent());
	mem_clean_object_put(&o, "captured_at", mem_clean_time(a, s->captured_at));
	mem_clean_object_put(&o, "created_at", mem_clean_time(a, s->created_at));
	mem_clean_object_put(&o, "veracity", mem_clean_word(a, mem_str(mem_veracity_name(s->veracity))));
	mem_clean_object_put(&o, "confidence", mem_clean_num(a, s->confidence));
	mem_clean_object_put(&o, "trust", mem_clean_num(a, s->trust));
	if (s->of_extractor)
		mem_clean_object_put(&o, "via", mem_clean_word(a, c->s->via));
	if (!c->s->has_episode && !mem_str_eq(ledger_agent(l, c), find_writer(l, r)))
		mem_clean_object_put(&o, "agent", mem_clean_word(a, ledger_agent(l, c)));
	return mem_clean_object_end(&o, a);
}

/* Of more than there is room for: the one that begins it, the latest, and the first of the others. */
static struct mem_clean_text
make_sources(struct mem_ledger *l, const struct ledger_run *r)
{
	struct ledger_assertion **v = sort_by_capture(r);
	const struct ledger_assertion *latest = r->v[r->n - 1];
	struct mem_clean_object list = { 0 };
	size_t others = 0;
	for (size_t i = 0; i < r->n; i++) {
		bool must = v[i] == r->v[0] || v[i] == latest;
		if (!must && others >= MEM_FACT_SOURCES_MAX - 2)
			continue;
		others += !must;
		mem_clean_list_put(&list, make_source(l, r, v[i]));
	}
	free(v);
	return mem_clean_list_end(&list, mem_writer_arena(l->w));
}

static int64_t
count_mentions(const struct ledger_run *r)
{
	int64_t n = (int64_t)r->n;
	for (size_t i = 0; i < r->n; i++)
		n += r->v[i]->hidden;
	return n;
}

/* Is this correction of a stored fact one of the run's?  It goes where its source goes, or stays with its fact. */
static bool
is_correction_of(struct mem_ledger *l, const struct ledger_run *r, const struct ledger_fact *f, struct mem_json correction)
{
	struct mem_json source = ledger_correction_source(l, f, correction);
	for (size_t i = 0; i < r->n && mem_json_there(source); i++)
		if (ledger_is_source(r->v[i], source))
			return true;
	return !mem_json_there(source) && (f == r->fact || (f->run == NULL && f->covered_by == r));
}

static void
keep_corrections(struct mem_ledger *l, struct mem_clean_object *list, const struct ledger_run *r, const struct ledger_fact *f)
{
	struct mem_clean_rec whole = { 0 };
	mem_clean_restored(&whole, &f->rec);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "corrects")); mem_json_next(&it);)
		if (is_correction_of(l, r, f, it.value))
			mem_clean_list_put(list, mem_clean_part(&whole, it.value));
}

/* Has one of those that say the same as it, from `first` on, the same correction? */
static bool
is_corrected_before(const struct ledger_claim *first, const struct ledger_claim *c)
{
	for (; first != c; first = first->twin)
		if (mem_clean_there(first->corrects) && mem_str_eq(first->corrects.value.raw, c->corrects.value.raw))
			return true;
	return false;
}

/* A hint is of the source, and so the same for all that say the same. */
static void
put_claimed_corrections(struct mem_clean_object *list, const struct ledger_claim *first)
{
	for (const struct ledger_claim *c = first; c != NULL; c = c->twin)
		if (mem_clean_there(c->corrects) && !is_corrected_before(first, c))
			mem_clean_list_put(list, c->corrects);
	if (mem_clean_there(first->replaces))
		mem_clean_list_put(list, first->replaces);
}

/* Corrections that it makes: of the fact that it is, of those that are part of it by now or from which it was split, of new claims. */
static struct mem_clean_text
make_corrections(struct mem_ledger *l, const struct ledger_run *r)
{
	struct mem_clean_object list = { 0 };
	if (r->fact != NULL)
		keep_corrections(l, &list, r, r->fact);
	for (size_t i = 0; i < r->n; i++) {
		bool again = r->v[i]->fact == NULL || r->v[i]->fact == r->fact;
		for (size_t k = 0; k < i && !again; k++)
			again = r->v[k]->fact == r->v[i]->fact;
		if (!again)
			keep_corrections(l, &list, r, r->v[i]->fact);
	}
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i]->claim != NULL)
			put_claimed_corrections(&list, r->v[i]->claim);
	struct mem_clean_text t = mem_clean_list_end(&list, mem_writer_arena(l->w));
	return t.value.raw.n > 2 ? t : mem_clean_absent();
}

/* ---- fields ------------------------------------------------------------------------ */

static void
put_field(struct mem_clean_field *out, size_t *n, const char *name, struct mem_clean_text value)
{
	out[(*n)++] = (struct mem_clean_field){ name, value };
}

size_t
ledger_put_state_fields(struct mem_ledger *l, const struct ledger_run *r, struct mem_clean_field *out)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	const struct ledger_assertion *base;
	size_t n = 0;
	(void)ledger_run_confidence(r, &base);
	put_field(out, &n, "veracity", mem_clean_word(a, mem_str(mem_veracity_name(base->veracity))));
	put_field(out, &n, "mentions", mem_clean_int(a, count_mentions(r)));
	put_field(out, &n, "sources", make_sources(l, r));
	put_field(out, &n, "valid_to", r->end != MEM_TIME_NONE ? mem_clean_time(a, r->end) : mem_clean_null());
	put_field(out, &n, "corrects", make_corrections(l, r));
	return n;
}

/* A field of the fact from which a run was split. */
static struct mem_clean_text
keep_field(const struct ledger_fact *f, const char *name)
{
	struct mem_clean_rec whole = { 0 };
	mem_clean_restored(&whole, &f->rec);
	return mem_clean_value(&whole, name);
}

/* What it says, and its last fields, of the fact from which the run was split. */
static size_t
put_kept_head(const struct ledger_fact *f, struct mem_clean_field *out)
{
	static const char *const names[] = { "statement", "subject", "predicate", "object", "negated", "detail", "domain", "topic" };
	size_t n = 0;
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		put_field(out, &n, names[i], keep_field(f, names[i]));
	return n;
}

static size_t
put_claimed_head(struct mem_ledger *l, const struct ledger_claim *c, struct mem_clean_field *out)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	size_t n = 0;
	put_field(out, &n, "statement", c->statement);
	put_field(out, &n, "subject", mem_clean_or_null(c->subject.value));
	put_field(out, &n, "predicate", c->value.predicate.n > 0 ? mem_clean_word(a, c->value.predicate) : mem_clean_null());
	put_field(out, &n, "object", mem_clean_or_null(c->object.value));
	put_field(out, &n, "negated", mem_clean_bool(c->c.negated));
	put_field(out, &n, "detail", c->detail);
	put_field(out, &n, "domain", c->domain);
	put_field(out, &n, "topic", c->topic);
	return n;
}

/* Is all hedged that a stored fact was told by, and so its statement? */
static bool
is_hedged_fact(const struct ledger_fact *f)
{
	bool hedged = mem_json_is(mem_rec_value(&f->rec, "veracity"), "inferred");
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "sources")); mem_json_next(&it);)
		hedged = hedged && mem_json_is(mem_json_member(it.value, "veracity"), "inferred");
	return hedged;
}

/* "Maybe Carol lives in Paris" is not what a fact says that is stated plainly, too: then the first such claim says it. */
static struct mem_clean_text
choose_statement(const struct ledger_run *r, struct mem_clean_text statement)
{
	const struct ledger_assertion *head = r->v[0];
	const struct ledger_fact *f = r->fact != NULL ? r->fact : head->fact;
	if (f != NULL ? !is_hedged_fact(f) : head->veracity != MEM_VERACITY_INFERRED)
		return statement;
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i]->claim != NULL && r->v[i]->veracity != MEM_VERACITY_INFERRED)
			return r->v[i]->claim->statement;
	return statement;
}

size_t
ledger_put_plain_statement(const struct ledger_run *r, struct mem_clean_field *out)
{
	struct mem_clean_text statement = choose_statement(r, mem_clean_absent());
	*out = (struct mem_clean_field){ "statement", statement };
	return mem_clean_there(statement);
}

size_t
ledger_put_all_fields(struct mem_ledger *l, const struct ledger_run *r, struct mem_clean_field *out)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_field state[LEDGER_FIELDS_MAX];
	const struct ledger_claim *c = r->v[0]->claim;
	const struct ledger_fact *f = r->v[0]->fact;
	size_t n = c != NULL ? put_claimed_head(l, c, out) : put_kept_head(f, out);
	out[0].value = choose_statement(r, out[0].value);
	size_t nstate = ledger_put_state_fields(l, r, state), i = 0;
	for (; i < nstate && strcmp(state[i].name, "valid_to") != 0; i++)
		out[n++] = state[i];
	if (c != NULL)
		put_field(out, &n, "rule", c->c.rule.n > 0 ? mem_clean_word(a, c->c.rule) : mem_clean_null());
	else
		put_field(out, &n, "rule", mem_clean_or_null(keep_field(f, "rule")));
	put_field(out, &n, "valid_from", mem_clean_time(a, r->at));
	for (; i < nstate; i++)
		out[n++] = state[i];
	if (c == NULL)
		put_field(out, &n, "due", keep_field(f, "due"));
	else if (c->c.due != MEM_TIME_NONE)
		put_field(out, &n, "due", mem_clean_time(a, c->c.due));
	return n;
}
