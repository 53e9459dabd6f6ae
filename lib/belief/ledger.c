/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger: rounds of claims, each checked, cleaned and with its terms looked up. */
#include <stdlib.h>
#include <string.h>

#include "belief/erased_claim.h"
#include "belief/ledger_calls_int.h"
#include "belief/ledger_hint_int.h"
#include "text/text.h"

enum { STATEMENT_MAX = 16 << 10, CHAIN_MAX = 256 };

/* ---- rounds ------------------------------------------------------------------- */

enum mem_status
mem_ledger_new(struct mem_ledger **out, struct mem_writer *w, struct mem_entities *entities, const struct mem_belief_rules *rules,
    struct mem_err *err)
{
	struct mem_ledger *l = mem_xcalloc(1, sizeof *l);
	(void)err;
	l->w = w;
	l->entities = entities;
	l->rules = rules;
	*out = l;
	return MEM_OK;
}

static void
forget_lanes(struct mem_ledger *l)
{
	for (size_t i = 0; i < l->nlanes; i++)
		free(l->lanes[i]->ends);
	l->lanes = NULL;
	l->hints = NULL;
	l->supported = NULL;
	l->nlanes = l->lanes_cap = l->nprobes = l->nhints = l->hints_cap = l->nsupported = l->supported_cap = 0;
}

static void
forget_round(struct mem_ledger *l)
{
	for (size_t i = 0; i < l->nfacts; i++)
		mem_rec_release(&l->facts[i]->rec);
	forget_lanes(l);
	l->facts = NULL;
	l->nfacts = l->facts_cap = 0;
	l->claims = NULL;
	l->nclaims = l->claims_cap = 0;
	l->nreadings = 0;
	l->of_episode = 0;
	l->merges = l->later = false;
	l->known_at = MEM_TIME_NONE;
	l->njudged = 0;
	mem_arena_reset(&l->arena);
}

void
mem_ledger_free(struct mem_ledger *l)
{
	if (l == NULL)
		return;
	forget_round(l);
	mem_arena_release(&l->arena);
	free(l->readings);
	free(l->probes);
	free(l->outcomes);
	free(l->judged);
	free(l);
}

enum mem_status
mem_ledger_begin(struct mem_ledger *l, struct mem_txn *t, struct mem_err *err)
{
	(void)err;
	forget_round(l);
	l->t = t;
	l->seq = mem_txn_seq(t);
	return MEM_OK;
}

const struct mem_fact_outcome *
mem_ledger_outcome(const struct mem_ledger *l, size_t claim)
{
	return claim < l->nclaims ? &l->outcomes[claim] : NULL;
}

/* ---- terms ------------------------------------------------------------------------ */

/* The reason of a refusal, or NULL. */
static const char *
clean_part(struct mem_ledger *l, const char *name, struct mem_str text, struct mem_clean_text *out, struct mem_finding_list *found)
{
	struct mem_err why = { 0 };
	struct mem_finding_list own = { 0 };
	if (text.n == 0)
		return NULL;
	if (text.n > STATEMENT_MAX)
		return "too_long";
	enum mem_status st = mem_write_clean_text(l->w, out, name, text, found != NULL ? found : &own, &why);
	return st == MEM_OK ? NULL : why.reason != NULL ? why.reason : "bad_value";
}

static struct mem_str
decode_text_value(struct mem_ledger *l, struct mem_clean_text t)
{
	struct mem_str s = mem_clean_there(t) ? mem_json_text(&l->arena, t.value) : MEM_STR("");
	return s.p != NULL ? s : MEM_STR("");
}

/* An entity as a fact has it; *reason is why the term names none. */
static enum mem_status
resolve_entity(struct mem_ledger *l, const struct mem_claim_term *t, const struct mem_id *by_id, struct ledger_term *out,
    const char **reason, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_object o = { 0 };
	struct mem_clean_text name = mem_clean_absent(), type = mem_clean_absent();
	struct mem_err why = { 0 };
	enum mem_status st = by_id != NULL ? mem_entity_resolve_id(l->entities, by_id, &out->ref, &why) :
	    mem_entity_resolve(l->entities, t, &out->ref, &why);
	if (st == MEM_REFUSED) {
		*reason = why.reason != NULL ? why.reason : "bad_value";
		return MEM_OK;
	}
	if (st != MEM_OK) {
		if (err != NULL)
			*err = why;
		return st;
	}
	char id[MEM_ID_LEN + 1];
	mem_id_format(&out->ref.id, id);
	out->is_entity = true;
	out->key = mem_arena_str(&l->arena, mem_str(id));
	*reason = clean_part(l, "name", out->ref.name, &name, NULL);
	if (*reason == NULL)
		*reason = clean_part(l, "type", out->ref.type, &type, NULL);
	mem_clean_object_put(&o, "id", mem_clean_id(a, &out->ref.id));
	mem_clean_object_put(&o, "name", name);
	mem_clean_object_put(&o, "type", mem_clean_or_null(type));
	out->value = mem_clean_object_end(&o, a);
	return MEM_OK;
}

static enum mem_status
resolve_term(struct mem_ledger *l, const struct mem_claim_term *t, const struct mem_id *id, struct ledger_term *out, const char **reason,
    struct mem_err *err)
{
	struct mem_clean_object o = { 0 };
	struct mem_clean_text value = mem_clean_absent(), type = mem_clean_absent();
	struct mem_buf key = { 0 };
	if (t->kind == MEM_TERM_ENTITY)
		return resolve_entity(l, t, id, out, reason, err);
	struct mem_str word = t->type.n > 0 ? t->type : MEM_STR("text");
	*reason = clean_part(l, "value", t->text, &value, NULL);
	if (*reason == NULL && !mem_clean_there(value))
		*reason = "empty";
	if (*reason == NULL)
		*reason = clean_part(l, "type", word, &type, NULL);
	if (*reason != NULL)
		return MEM_OK;
	mem_clean_object_put(&o, "type", type);
	mem_clean_object_put(&o, "value", value);
	out->value = mem_clean_object_end(&o, mem_writer_arena(l->w));
	mem_fact_put_object(&key, mem_text_fold, decode_text_value(l, type), decode_text_value(l, value));
	out->key = mem_arena_str(&l->arena, mem_buf_span(&key));
	mem_buf_release(&key);
	return MEM_OK;
}

/* What a correction corrects, as the fact says it. */
static enum mem_status
resolve_correction(struct mem_ledger *l, struct ledger_claim *c, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_object o = { 0 };
	struct ledger_term *was = &c->former;
	struct mem_claim_term term = c->c.object;
	const char *reason = NULL;
	enum mem_status st = MEM_OK;
	term.text = c->c.was;
	was->value = mem_clean_null();
	if (term.text.n > 0)
		st = resolve_term(l, &term, c->s->was, was, &reason, err);
	if (st != MEM_OK || reason != NULL)
		return st; /* nothing that has a name: then it corrects nothing */
	c->was = was->key;
	mem_clean_object_put(&o, "at", mem_clean_time(a, c->at));
	mem_clean_object_put(&o, "object", was->value);
	if (c->s->has_episode)
		mem_clean_object_put(&o, "episode", mem_clean_id(a, &c->s->episode));
	c->corrects = mem_clean_object_end(&o, a);
	return MEM_OK;
}

/* What its source was to replace, as the fact says it. */
static void
put_replaced(struct mem_ledger *l, struct ledger_claim *c)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "at", mem_clean_time(a, c->at));
	mem_clean_object_put(&o, "object", mem_clean_null());
	mem_clean_object_put(&o, "episode", mem_clean_id(a, &c->s->episode));
	mem_clean_object_put(&o, "replaces", mem_clean_id(a, c->s->supersedes));
	c->replaces = mem_clean_object_end(&o, a);
}

static enum mem_status
resolve_triple(struct mem_ledger *l, struct ledger_claim *c, const char **reason, struct mem_err *err)
{
	struct ledger_value *v = &c->value;
	if (!mem_claim_predicate_valid(c->c.predicate) || c->c.object.kind == MEM_TERM_NONE || c->c.subject.kind != MEM_TERM_ENTITY) {
		*reason = "bad_value";
		return MEM_OK;
	}
	c->predicate = l->rules != NULL ? mem_predicate_find(l->rules, c->c.predicate) : NULL;
	enum mem_status st = resolve_term(l, &c->c.subject, c->s->subject, &c->subject, reason, err);
	if (st == MEM_OK && *reason == NULL)
		st = resolve_term(l, &c->c.object, c->s->object, &c->object, reason, err);
	if (st != MEM_OK || *reason != NULL)
		return st;
	v->subject = c->subject.key;
	v->predicate = mem_arena_str(&l->arena, c->c.predicate);
	v->object = c->object.key;
	v->version = mem_arena_str(&l->arena, ledger_version(c->predicate, c->c.detail));
	v->negated = c->c.negated;
	v->key = ledger_value_key(l, v);
	if (ledger_hint_made(c))
		put_replaced(l, c);
	return c->c.corrects && !ledger_is_functional(c->predicate) && !c->c.negated ? resolve_correction(l, c, err) : MEM_OK;
}

/* ---- texts -------------------------------------------------------------------------- */

static const char *
clean_domain(struct mem_ledger *l, struct ledger_claim *c)
{
	struct mem_buf slug = { 0 };
	struct mem_clean_text clean = mem_clean_absent();
	const char *reason = clean_part(l, "domain", c->c.domain, &clean, NULL);
	mem_fact_slug(&slug, decode_text_value(l, clean));
	c->domain_text = mem_arena_str(&l->arena, mem_buf_span(&slug));
	if (reason == NULL && c->c.domain.n > 0 && slug.len == 0)
		reason = "bad_value";
	if (slug.len > 0)
		c->domain = mem_clean_word(mem_writer_arena(l->w), c->domain_text);
	mem_buf_release(&slug);
	return reason;
}

static const char *
clean_texts(struct mem_ledger *l, struct ledger_claim *c)
{
	const char *reason = c->c.statement.n == 0 ? "empty" : clean_part(l, "statement", c->c.statement, &c->statement, &c->found);
	if (reason == NULL)
		reason = clean_part(l, "detail", c->c.detail, &c->detail, NULL);
	if (reason == NULL)
		reason = clean_part(l, "topic", c->c.topic, &c->topic, NULL);
	if (reason == NULL)
		reason = clean_part(l, "type", c->c.type.n > 0 ? c->c.type : MEM_STR("fact"), &c->type, NULL);
	if (reason == NULL)
		reason = clean_domain(l, c);
	c->topic_text = decode_text_value(l, c->topic);
	c->statement_text = decode_text_value(l, c->statement);
	if (c->s->found != NULL && c->found.nredactions == 0 && c->found.nflags == 0)
		c->found = *c->s->found;
	return reason;
}

/* ---- by hand --------------------------------------------------------------------------- */

/* Why the fact cannot be ended by the claim's; NULL: it can.  The claim's own fact is known once all is worked out. */
static enum mem_status
find_ended(struct mem_ledger *l, struct ledger_claim *c, const char **reason, struct mem_err *err)
{
	enum mem_status st = ledger_fact_by_id(l, c->s->ends, &c->ends, err);
	if (st != MEM_OK)
		return st;
	if (c->ends == NULL)
		*reason = "not_found";
	else if (mem_str_eq(c->ends->value.key, c->value.key))
		*reason = "cycle";
	return MEM_OK;
}

/* Does the successor, over any number of steps, lead back to the fact that it is to end? */
static enum mem_status
check_cycle(struct mem_ledger *l, const struct ledger_claim *c, bool *cycle, struct mem_err *err)
{
	struct mem_id id = l->outcomes[c->number].id;
	enum mem_status st = MEM_OK;
	*cycle = mem_id_cmp(&id, &c->ends->id) == 0;
	for (int i = 0; i < CHAIN_MAX && st == MEM_OK && !*cycle; i++) {
		struct ledger_fact *f;
		st = ledger_fact_by_id(l, &id, &f, err);
		if (st != MEM_OK || f == NULL || !f->has_ender)
			break;
		id = f->ender;
		*cycle = mem_id_cmp(&id, &c->ends->id) == 0;
	}
	return st;
}

/* ---- claims ------------------------------------------------------------------------------ */

struct ledger_claim *
ledger_claim_new(struct mem_ledger *l, const struct mem_claim *c, const struct mem_fact_source *s)
{
	struct ledger_claim *claim = mem_arena_alloc(&l->arena, sizeof *claim);
	*claim = (struct ledger_claim){ .number = l->nclaims, .c = *c, .s = s,
		.at = c->valid_from != MEM_TIME_NONE ? c->valid_from : s->captured_at };
	LEDGER_PUSH(&l->arena, l->claims, l->nclaims, l->claims_cap, claim);
	l->outcomes = mem_grow(l->outcomes, &l->outcomes_cap, l->nclaims, sizeof *l->outcomes);
	l->outcomes[claim->number] = (struct mem_fact_outcome){ .verdict = MEM_REJECTED, .reason = "bad_value" };
	return claim;
}

/* Its episode mentions the entities of a claim that is taken. */
static enum mem_status
mention_entities(struct mem_ledger *l, const struct ledger_claim *c, struct mem_err *err)
{
	const struct ledger_term *const terms[] = { &c->subject, &c->object, &c->former };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(terms) && st == MEM_OK; i++)
		if (terms[i]->is_entity)
			st = mem_entity_mention(l->entities, &terms[i]->ref, err);
	return st;
}

/* Is it one of more than an episode may claim? */
static bool
is_past_limit(struct mem_ledger *l, const struct mem_fact_source *s)
{
	if (!s->has_episode || l->of_episode == 0 || mem_id_cmp(&l->last_episode, &s->episode) != 0)
		l->of_episode = 0;
	l->last_episode = s->episode;
	return ++l->of_episode > MEM_FACT_CLAIMS_MAX;
}

/* Did a person erase the fact that the episode made of it? */
static bool
is_claim_erased(struct mem_ledger *l, const struct ledger_claim *c)
{
	const struct mem_claim_place place = { c->s->ord, (int64_t)c->c.start, (int64_t)c->c.end };
	const struct mem_fact_terms terms = { .subject = c->value.subject, .predicate = c->value.predicate, .object = c->value.object,
		.negated = c->value.negated, .domain = c->domain_text, .topic = c->topic_text, .statement = c->statement_text };
	return c->s->has_episode && mem_claim_is_erased(l->t, &place, &terms);
}

enum mem_status
mem_ledger_state(struct mem_ledger *l, const struct mem_claim *c, const struct mem_fact_source *s, struct mem_err *err)
{
	struct ledger_claim *claim = ledger_claim_new(l, c, s);
	const char *reason = c->valid_to != MEM_TIME_NONE && c->valid_to <= claim->at ? "bad_value" : clean_texts(l, claim);
	enum mem_status st = MEM_OK;
	if (!(c->confidence > 0 && c->confidence <= 1))
		reason = "bad_value";
	if (is_past_limit(l, s))
		reason = "too_many";
	if (reason == NULL && c->subject.kind != MEM_TERM_NONE)
		st = resolve_triple(l, claim, &reason, err);
	else if (reason == NULL)
		claim->value.key = ledger_statement_key(l, claim->domain_text, claim->topic_text, claim->statement_text);
	if (st == MEM_OK && reason == NULL && s->ends != NULL)
		st = find_ended(l, claim, &reason, err);
	const bool erased = st == MEM_OK && reason == NULL && is_claim_erased(l, claim);
	if (st == MEM_OK && reason == NULL && !erased)
		return mention_entities(l, claim, err);
	if (erased)
		l->outcomes[claim->number] = (struct mem_fact_outcome){ .verdict = MEM_UNCHANGED };
	if (erased || reason != NULL)
		l->claims[claim->number] = NULL;
	if (reason != NULL)
		l->outcomes[claim->number].reason = reason;
	return st;
}

/* ---- the queue ------------------------------------------------------------------------------ */

static enum mem_status
probe_claims(struct mem_ledger *l, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < l->nclaims; i++)
		if (l->claims[i] != NULL)
			ledger_probe_claim(l, l->claims[i]);
	for (size_t i = 0; i < l->nclaims && st == MEM_OK; i++)
		if (l->claims[i] != NULL)
			st = ledger_probe_reach(l, l->claims[i], err);
	return st;
}

/* What has taken the place of the fact that the claim is to end, or takes it in this round, if that is another than the claim's own. */
static bool
find_other_ender(const struct mem_ledger *l, const struct ledger_claim *c, struct mem_id *other)
{
	const struct mem_id *own = &l->outcomes[c->number].id;
	bool any = c->ends->has_ender;
	*other = c->ends->ender;
	for (size_t i = 0; i < c->number && !any; i++) {
		any = l->claims[i] != NULL && l->claims[i]->ends == c->ends;
		*other = l->outcomes[i].id;
	}
	return any && mem_id_cmp(other, own) != 0;
}

/* Refuses claims that would end what their own fact leads back to, or what has a successor; *any: there was one, and all is to be
 * worked out without it. */
static enum mem_status
refuse_ends(struct mem_ledger *l, bool *any, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*any = false;
	for (size_t i = 0; i < l->nclaims && st == MEM_OK; i++) {
		struct ledger_claim *c = l->claims[i];
		struct mem_id ender = { { 0 } };
		bool cycle = false;
		if (c == NULL || c->ends == NULL)
			continue;
		st = check_cycle(l, c, &cycle, err);
		bool ended = !cycle && find_other_ender(l, c, &ender);
		if (st != MEM_OK || (!cycle && !ended))
			continue;
		l->claims[i] = NULL;
		l->outcomes[i] = (struct mem_fact_outcome){ .verdict = MEM_REJECTED, .reason = cycle ? "cycle" : "state_conflict", .id = ender };
		*any = true;
	}
	return st;
}

/* As before any lane was made. */
static void
reset_lanes(struct mem_ledger *l)
{
	forget_lanes(l);
	for (size_t i = 0; i < l->nfacts; i++) {
		l->facts[i]->run = l->facts[i]->covered_by = NULL;
		l->facts[i]->ended_by = NULL;
	}
	for (size_t i = 0; i < l->nclaims; i++) {
		struct ledger_claim *c = l->claims[i];
		if (c == NULL)
			continue;
		c->run = NULL;
		c->twin = NULL;
		if (c->ends != NULL)
			c->ends->ended_by = c;
	}
}

/* Nothing is queued before all claims are known to stand.  Each time there is one less. */
static enum mem_status
work_out_claims(struct mem_ledger *l, struct mem_err *err)
{
	bool again = true;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && again) {
		reset_lanes(l);
		st = probe_claims(l, err);
		if (st == MEM_OK)
			st = ledger_lanes_make(l, err);
		again = l->moved;
		if (st == MEM_OK && !again)
			st = refuse_ends(l, &again, err);
	}
	return st;
}

static enum mem_status
write_by_hand(struct mem_ledger *l, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < l->nclaims && st == MEM_OK; i++)
		if (l->claims[i] != NULL && l->claims[i]->ends != NULL)
			st = ledger_write_by_hand(l, l->claims[i], err);
	return st;
}

enum mem_status
mem_ledger_queue(struct mem_ledger *l, struct mem_err *err)
{
	enum mem_status st = work_out_claims(l, err);
	for (size_t i = 0; i < l->nlanes && st == MEM_OK; i++)
		ledger_lane_add_nodes(l, l->lanes[i]);
	for (size_t i = 0; i < l->nlanes && st == MEM_OK; i++)
		st = ledger_lane_change_nodes(l, l->lanes[i], err);
	if (st == MEM_OK)
		st = write_by_hand(l, err);
	mem_write_check(l->w, ledger_check, l);
	return st;
}
