/* SPDX-License-Identifier: Apache-2.0 */
/* In which lane a claim is worked out, and what it ends in others: what it corrects. */
#include "belief/ledger_calls_int.h"
#include "belief/ledger_hint_int.h"
#include "text/text.h"

enum { SEPARATOR = 0x1f };

/* ---- names of lanes -------------------------------------------------------------- */

static enum ledger_rule
find_lane_rule(const struct mem_predicate *p, struct mem_str object)
{
	if (ledger_is_functional(p))
		return LEDGER_FUNCTIONAL;
	return ledger_is_exclusive(p, object) ? LEDGER_EXCLUDING : LEDGER_VALUES;
}

bool
ledger_is_functional(const struct mem_predicate *p)
{
	return p != NULL && p->functional;
}

bool
ledger_has_one_version(const struct mem_predicate *p)
{
	return p != NULL && p->detail && !p->additive;
}

/* A predicate and its opposite share lanes, under the smaller name. */
static struct mem_str
name_predicate(const struct mem_predicate *p, struct mem_str name)
{
	return p != NULL && p->opposite.n > 0 && mem_str_cmp(p->opposite, name) < 0 ? p->opposite : name;
}

struct mem_str
ledger_lane_name(struct mem_ledger *l, struct mem_str ns, const struct mem_predicate *p, const struct ledger_value *v, enum ledger_rule *rule)
{
	struct mem_buf b = { 0 };
	*rule = find_lane_rule(p, v->object);
	mem_buf_str(&b, ns);
	mem_buf_printf(&b, "%c%d%c", SEPARATOR, (int)*rule, SEPARATOR);
	mem_buf_str(&b, v->subject);
	mem_buf_putc(&b, SEPARATOR);
	mem_buf_str(&b, *rule == LEDGER_VALUES ? name_predicate(p, v->predicate) : v->predicate);
	if (*rule == LEDGER_VALUES) {
		mem_buf_putc(&b, SEPARATOR);
		mem_buf_str(&b, v->object);
	}
	struct mem_str s = mem_arena_str(&l->arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

static struct mem_str
name_statement_lane(struct mem_ledger *l, const struct ledger_claim *c)
{
	bool together = c->domain_text.n > 0 || c->topic_text.n > 0;
	struct mem_str key = ledger_statement_key(l, c->domain_text, c->topic_text, together ? MEM_STR("") : c->statement_text);
	return mem_str(mem_arena_printf(&l->arena, "%.*s%c%d%c%.*s", (int)c->s->ns.n, c->s->ns.p, SEPARATOR, LEDGER_STATEMENT, SEPARATOR,
	    (int)key.n, key.p));
}

static struct ledger_probe *
new_probe(struct mem_ledger *l)
{
	l->probes = mem_grow(l->probes, &l->probes_cap, l->nprobes + 1, sizeof *l->probes);
	struct ledger_probe *p = &l->probes[l->nprobes];
	*p = (struct ledger_probe){ .order = l->nprobes++ };
	return p;
}

void
ledger_probe_claim(struct mem_ledger *l, struct ledger_claim *c)
{
	struct ledger_probe *p = new_probe(l);
	p->claim = c;
	p->ns = c->s->ns;
	p->one_version = ledger_has_one_version(c->predicate);
	p->target = c->judges;
	if (c->value.subject.n > 0) {
		p->lane = ledger_lane_name(l, c->s->ns, c->predicate, &c->value, &p->rule);
	} else {
		p->lane = name_statement_lane(l, c);
		p->rule = LEDGER_STATEMENT;
	}
	c->lane = p->lane;
}

bool
ledger_claims_together(const struct ledger_claim *a, const struct ledger_claim *b)
{
	return a->s->has_episode == b->s->has_episode && (!a->s->has_episode || mem_id_cmp(&a->s->episode, &b->s->episode) == 0);
}

bool
ledger_claims_same(const struct ledger_claim *a, const struct ledger_claim *b)
{
	return a->at == b->at && mem_str_eq(a->value.key, b->value.key) && mem_str_eq(a->s->ns, b->s->ns);
}

/* Of a claim and of those before it that say just the same the first one: what a correction counts is told by its source. */
static const struct ledger_claim *
find_first_same(const struct mem_ledger *l, const struct ledger_claim *c)
{
	const struct ledger_claim *first = c;
	for (size_t i = c->number; i > 0; i--) {
		const struct ledger_claim *o = l->claims[i - 1];
		if (o != NULL && !ledger_claims_together(o, c))
			break;
		first = o != NULL && ledger_claims_same(o, c) ? o : first;
	}
	return first;
}

static struct ledger_standing
find_claim_standing(const struct mem_ledger *l, const struct ledger_claim *c)
{
	const struct ledger_claim *first = find_first_same(l, c);
	return ledger_stand(first->s->via, first->c.veracity, ledger_round(first->s->trust * MEM_FACT_TRUST_FACTOR));
}

/* An end at the time of the claim, in the lane of this value, of whatever the claim corrects. */
static void
probe_end(struct mem_ledger *l, const struct ledger_claim *c, const struct ledger_value *v, struct ledger_fact *target)
{
	struct ledger_probe *p = new_probe(l);
	p->ns = c->s->ns;
	p->one_version = ledger_has_one_version(c->predicate);
	p->lane = ledger_lane_name(l, c->s->ns, c->predicate, v, &p->rule);
	p->has_end = true;
	p->target = target;
	p->end = (struct ledger_end){ .at = c->at, .corrected_by = &c->value, .of = c->was, .by_claim = c, .reason = MEM_FACT_CORRECTED,
		.standing = find_claim_standing(l, c) };
}

/* ---- corrections ------------------------------------------------------------------- */

static bool
is_open_at(const struct ledger_fact *f, int64_t at)
{
	return !f->frozen && !f->value.negated && f->at < at && (f->valid_to == MEM_TIME_NONE || f->valid_to > at);
}

/* Ends the stored facts of a list that are true when the claim begins to be; at most the `max` before it. */
static enum mem_status
end_listed(struct mem_ledger *l, const struct ledger_claim *c, enum mem_fact_lane which, struct mem_str object, int max, struct mem_err *err)
{
	const struct mem_fact_terms terms = { .subject = c->value.subject, .predicate = c->value.predicate, .object = object };
	struct mem_buf name = { 0 };
	int64_t at = c->at;
	uint32_t ord = 0;
	enum mem_status st = MEM_OK;
	mem_fact_put_lane(&name, mem_txn_store(l->t), mem_text_fold, which, &terms);
	struct mem_str path = mem_arena_str(&l->arena, mem_buf_span(&name));
	mem_buf_release(&name);
	for (int i = 0; i < max && st == MEM_OK; i++) {
		struct ledger_fact *f = NULL;
		st = ledger_step(l, c->s->ns, which, path, true, &at, &ord, err);
		if (st == MEM_OK)
			st = ledger_fact_at(l, ord, &f, err);
		bool ends = f != NULL && (is_open_at(f, c->at) || (f->valid_to == c->at && f->at < c->at && !f->frozen && !f->value.negated));
		if (ends && !mem_str_eq(f->value.object, c->value.object))
			probe_end(l, c, &f->value, f);
	}
	return st == MEM_END ? MEM_OK : st;
}

/* The same of what other claims of the batch say; `object` empty: whatever it is. */
static void
end_claimed(struct mem_ledger *l, const struct ledger_claim *c, struct mem_str object)
{
	for (size_t i = 0; i < l->nclaims; i++) {
		const struct ledger_claim *o = l->claims[i];
		if (o == NULL || o == c || o->value.negated || !mem_str_eq(o->s->ns, c->s->ns) ||
		    !mem_str_eq(o->value.subject, c->value.subject) || !mem_str_eq(o->value.predicate, c->value.predicate) ||
		    mem_str_eq(o->value.object, c->value.object) || (object.n > 0 && !mem_str_eq(o->value.object, object)))
			continue;
		probe_end(l, c, &o->value, NULL);
	}
}

enum mem_status
ledger_probe_reach(struct mem_ledger *l, struct ledger_claim *c, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (c->value.subject.n == 0 || c->value.negated || ledger_is_functional(c->predicate))
		return MEM_OK;
	if (ledger_hint_made(c))
		ledger_hint_claim(l, c);
	if (mem_clean_there(c->corrects)) {
		bool any = c->was.n == 0;
		st = end_listed(l, c, any ? MEM_FACT_SAYS : MEM_FACT_CLAIM, c->was, any ? LEDGER_WALK_MAX : 4, err);
		end_claimed(l, c, c->was);
	}
	return st;
}
