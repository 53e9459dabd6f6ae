/* SPDX-License-Identifier: Apache-2.0 */
/* In which lane a claim is worked out, and what it ends in others: what it corrects, and what its source was to replace. */
#include <stdlib.h>
#include <string.h>

#include "belief/ledger_calls_int.h"
#include "store/edge.h"
#include "text/text.h"

enum { SEPARATOR = 0x1f };

/* ---- names of lanes -------------------------------------------------------------- */

static enum ledger_rule
find_lane_rule(const struct mem_predicate *p, struct mem_str object)
{
	if (p != NULL && p->functional)
		return LEDGER_FUNCTIONAL;
	return ledger_is_exclusive(p, object) ? LEDGER_EXCLUDING : LEDGER_VALUES;
}

static bool
has_one_version(const struct mem_predicate *p)
{
	return p != NULL && p->detail && !p->additive;
}

/* A predicate and its opposite share lanes, under the smaller name. */
static struct mem_str
name_predicate(const struct mem_predicate *p, struct mem_str name)
{
	return p != NULL && p->opposite.n > 0 && mem_str_cmp(p->opposite, name) < 0 ? p->opposite : name;
}

static struct mem_str
name_lane(struct mem_ledger *l, struct mem_str ns, const struct mem_predicate *p, const struct ledger_value *v, enum ledger_rule *rule)
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
	p->one_version = has_one_version(c->predicate);
	p->target = c->judges;
	if (c->value.subject.n > 0) {
		p->lane = name_lane(l, c->s->ns, c->predicate, &c->value, &p->rule);
	} else {
		p->lane = name_statement_lane(l, c);
		p->rule = LEDGER_STATEMENT;
	}
	c->lane = p->lane;
}

/* An end at the time of the claim, in the lane of this value: of the value by a hint, else of whatever the claim corrects. */
static void
probe_end(struct mem_ledger *l, const struct ledger_claim *c, const struct ledger_value *v, struct ledger_fact *target, const char *reason)
{
	bool corrects = strcmp(reason, MEM_FACT_CORRECTED) == 0;
	struct ledger_probe *p = new_probe(l);
	p->ns = c->s->ns;
	p->one_version = has_one_version(c->predicate);
	p->lane = name_lane(l, c->s->ns, c->predicate, v, &p->rule);
	p->has_end = true;
	p->target = target;
	p->end = (struct ledger_end){ .at = c->at, .key = corrects ? MEM_STR("") : v->key, .corrected_by = corrects ? &c->value : NULL, .of = c->was,
		.by_claim = c, .reason = reason, .standing = ledger_stand(c->s->via, c->c.veracity, ledger_round(c->s->trust * MEM_FACT_TRUST_FACTOR)) };
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
			probe_end(l, c, &f->value, f, MEM_FACT_CORRECTED);
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
		probe_end(l, c, &o->value, NULL, MEM_FACT_CORRECTED);
	}
}

/* ---- hints ---------------------------------------------------------------------------- */

struct supported {
	uint32_t ords[LEDGER_WALK_MAX];
	size_t n;
	uint16_t kind;
};

static bool
take_supported(void *ctx, const struct mem_edge *e)
{
	struct supported *s = ctx;
	if (e->kind == s->kind)
		s->ords[s->n++] = e->to;
	return s->n < LEDGER_WALK_MAX;
}

/* Does nothing but that episode support it? */
static bool
is_only_of(const struct ledger_fact *f, const struct mem_id *episode)
{
	char id[MEM_ID_LEN + 1];
	bool only = f->mentions <= (int64_t)f->nsources;
	mem_id_format(episode, id);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "sources")); only && mem_json_next(&it);)
		only = mem_json_is(mem_json_member(it.value, "episode"), id);
	return only;
}

static void
replace_supported(struct mem_ledger *l, struct ledger_claim *c, struct ledger_fact *f)
{
	if (!is_open_at(f, c->at) || f->status != MEM_STATUS_ACTIVE || !mem_str_eq(f->value.subject, c->value.subject) ||
	    !mem_str_eq(f->value.predicate, c->value.predicate) || mem_str_eq(f->value.object, c->value.object) ||
	    !is_only_of(f, c->s->supersedes))
		return;
	if (ledger_round(c->s->trust * MEM_FACT_TRUST_FACTOR) >= f->trust)
		probe_end(l, c, &f->value, f, MEM_FACT_HINT);
	else
		c->clash = f;
}

static enum mem_status
follow_hint(struct mem_ledger *l, struct ledger_claim *c, struct mem_err *err)
{
	struct supported s = { .n = 0 };
	struct mem_node old;
	enum mem_status st = mem_edge_kind_find(l->t, "supports", &s.kind, err);
	if (st == MEM_OK)
		st = mem_write_node_find(l->t, c->s->supersedes, &old, err);
	if (st == MEM_OK)
		st = mem_edge_each(l->t, old.ord, true, take_supported, &s, err);
	for (size_t i = 0; i < s.n && st == MEM_OK; i++) {
		struct ledger_fact *f = NULL;
		st = ledger_fact_at(l, s.ords[i], &f, err);
		if (f != NULL)
			replace_supported(l, c, f);
	}
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
ledger_probe_reach(struct mem_ledger *l, struct ledger_claim *c, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (c->value.subject.n == 0 || c->value.negated || find_lane_rule(c->predicate, c->value.object) == LEDGER_FUNCTIONAL)
		return MEM_OK;
	if (mem_clean_there(c->corrects)) {
		bool any = c->was.n == 0;
		st = end_listed(l, c, any ? MEM_FACT_SAYS : MEM_FACT_CLAIM, c->was, any ? LEDGER_WALK_MAX : 4, err);
		end_claimed(l, c, c->was);
	}
	if (st == MEM_OK && c->s->supersedes != NULL)
		st = follow_hint(l, c, err);
	return st;
}
