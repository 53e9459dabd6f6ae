/* SPDX-License-Identifier: Apache-2.0 */
/* Reading for a ledger: all of it is noted, and read again under the lock. */
#include <string.h>

#include "belief/ledger_calls_int.h"

#include <math.h>
#include "belief/ledger_hint_int.h"

#include "store/edge.h"
#include "text/text.h"

static struct ledger_reading *
new_reading(struct mem_ledger *l, enum ledger_look look)
{
	l->readings = mem_grow(l->readings, &l->readings_cap, l->nreadings + 1, sizeof *l->readings);
	struct ledger_reading *r = &l->readings[l->nreadings++];
	*r = (struct ledger_reading){ .look = look, .found_ord = UINT32_MAX };
	return r;
}

/* ---- looks ---------------------------------------------------------------- */

/* The facts that an episode supports. */
struct supported {
	uint32_t ords[MEM_FACT_CLAIMS_MAX];
	size_t n;
	uint16_t kind;
};

static bool
take_supported(void *ctx, const struct mem_edge *e)
{
	struct supported *s = ctx;
	if (e->kind == s->kind)
		s->ords[s->n++] = e->to;
	return s->n < MEM_FACT_CLAIMS_MAX;
}

static enum mem_status
read_supported(struct mem_txn *t, const struct mem_id *episode, struct supported *out, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_edge_kind_find(t, "supports", &out->kind, err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, episode, &node, err);
	if (st == MEM_OK)
		st = mem_edge_each(t, node.ord, true, take_supported, out, err);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* What a reading finds in a transaction, into a copy of it. */
static enum mem_status
repeat_reading(struct mem_txn *t, const struct ledger_reading *r, struct ledger_reading *now, struct mem_node *node, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*now = *r;
	now->found_ord = UINT32_MAX;
	now->found_at = MEM_TIME_NONE;
	now->hash = 0;
	if (r->look == LEDGER_STEP) {
		now->found_at = r->at;
		now->found_ord = r->ord;
		st = mem_fact_in_lane(t, r->ns, r->lane, r->name, r->backwards, &now->found_at, &now->found_ord, err);
		if (st == MEM_END) {
			now->found_ord = UINT32_MAX;
			now->found_at = MEM_TIME_NONE;
		}
		return st == MEM_END ? MEM_OK : st;
	}
	if (r->look == LEDGER_SUPPORTED) {
		struct supported s = { .n = 0 };
		st = read_supported(t, &r->id, &s, err);
		now->found_ord = (uint32_t)s.n;
		now->hash = mem_hash_fast((const char *)s.ords, s.n * sizeof *s.ords);
		return st;
	}
	st = r->look == LEDGER_NODE ? mem_node_at(t, r->ord, node, err) : mem_node_by_id(t, &r->id, node, err);
	if (st == MEM_OK && !mem_node_readable(t, node->attr))
		st = MEM_NOTFOUND;
	if (st == MEM_OK) {
		now->found_ord = node->ord;
		now->hash = mem_hash_fast(node->json.p, node->json.n);
	}
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, node->ord);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
ledger_step(struct mem_ledger *l, struct mem_str ns, enum mem_fact_lane lane, struct mem_str name, bool backwards, int64_t *at,
    uint32_t *ord, struct mem_err *err)
{
	struct ledger_reading *r = new_reading(l, LEDGER_STEP), now;
	struct mem_node node;
	r->ns = ns;
	r->lane = lane;
	r->name = name;
	r->backwards = backwards;
	r->at = *at;
	r->ord = *ord;
	enum mem_status st = repeat_reading(l->t, r, &now, &node, err);
	*r = now;
	*at = now.found_at;
	*ord = now.found_ord;
	return st == MEM_OK && now.found_ord == UINT32_MAX ? MEM_END : st;
}

enum mem_status
ledger_supported(struct mem_ledger *l, const struct mem_id *episode, uint32_t *ords, size_t *n, struct mem_err *err)
{
	struct ledger_reading *r = new_reading(l, LEDGER_SUPPORTED);
	struct supported s = { .n = 0 };
	enum mem_status st = read_supported(l->t, episode, &s, err);
	r->id = *episode;
	r->found_ord = (uint32_t)s.n;
	r->found_at = MEM_TIME_NONE;
	r->hash = mem_hash_fast((const char *)s.ords, s.n * sizeof *s.ords);
	memcpy(ords, s.ords, s.n * sizeof *ords);
	*n = s.n;
	return st;
}

enum mem_status
ledger_check(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct mem_ledger *l = ctx;
	struct ledger_reading now;
	struct mem_node node;
	bool holds = true;
	enum mem_status st = MEM_OK;
	if (mem_txn_seq(t) == l->seq)
		return MEM_OK;
	if (l->entities != NULL)
		st = mem_entities_hold(l->entities, t, &holds, err);
	for (size_t i = 0; i < l->nreadings && st == MEM_OK && holds; i++) {
		const struct ledger_reading *r = &l->readings[i];
		st = repeat_reading(t, r, &now, &node, err);
		holds = now.found_ord == r->found_ord && now.found_at == r->found_at && now.hash == r->hash;
	}
	return st == MEM_OK && !holds ? mem_err_set(err, MEM_STALE, "the facts have changed meanwhile") : st;
}

/* ---- facts as stored -------------------------------------------------------- */

struct mem_str
ledger_fact_text(struct mem_ledger *l, const struct ledger_fact *f, const char *name)
{
	struct mem_str s = mem_json_text(&l->arena, mem_rec_value(&f->rec, name));
	return s.p != NULL ? s : MEM_STR("");
}

static struct mem_str
read_fact_text(struct mem_ledger *l, struct mem_json v)
{
	struct mem_str s = mem_json_there(v) ? mem_json_text(&l->arena, v) : (struct mem_str){ NULL, 0 };
	return s.p != NULL ? s : MEM_STR("");
}

static double
read_fact_share(struct mem_json v, double otherwise)
{
	double d;
	return mem_json_there(v) && mem_json_num(v, &d) && d >= 0 && d <= 1 ? d : otherwise;
}

static int64_t
read_fact_time(struct mem_ledger *l, struct mem_json v)
{
	int64_t ms;
	return mem_json_there(v) && v.type == MEM_JSON_STRING && mem_time_parse(read_fact_text(l, v), &ms) ? ms : MEM_TIME_NONE;
}

/* As mem_fact_put_object has it. */
static struct mem_str
read_object_key(struct mem_ledger *l, struct mem_json object)
{
	struct mem_str id = read_fact_text(l, mem_json_member(object, "id")), type = read_fact_text(l, mem_json_member(object, "type"));
	struct mem_buf key = { 0 };
	if (id.n > 0)
		mem_fact_put_object(&key, mem_text_fold, MEM_STR(""), id);
	else
		mem_fact_put_object(&key, mem_text_fold, type.n > 0 ? type : MEM_STR("text"), read_fact_text(l, mem_json_member(object, "value")));
	struct mem_str s = mem_arena_str(&l->arena, mem_buf_span(&key));
	mem_buf_release(&key);
	return s;
}

static void
read_value(struct mem_ledger *l, struct ledger_fact *f)
{
	struct ledger_value *v = &f->value;
	struct mem_json negated = mem_rec_value(&f->rec, "negated");
	v->subject = read_fact_text(l, mem_json_member(mem_rec_value(&f->rec, "subject"), "id"));
	v->predicate = ledger_fact_text(l, f, "predicate");
	v->negated = mem_json_there(negated) && negated.type == MEM_JSON_TRUE;
	if (v->subject.n == 0 || v->predicate.n == 0) {
		v->subject = v->predicate = MEM_STR("");
		v->key = ledger_statement_key(l, ledger_fact_text(l, f, "domain"), ledger_fact_text(l, f, "topic"),
		    ledger_fact_text(l, f, "statement"));
		return;
	}
	v->object = read_object_key(l, mem_rec_value(&f->rec, "object"));
	v->version = ledger_version(l->rules != NULL ? mem_predicate_find(l->rules, v->predicate) : NULL, ledger_fact_text(l, f, "detail"));
	v->key = ledger_value_key(l, v);
}

/* Did the ledger put it aside, and may it so take it back? */
static bool
is_ledgers(const struct ledger_fact *f)
{
	if (f->status == MEM_STATUS_ACTIVE || f->status == MEM_STATUS_ARCHIVED)
		return true;
	return (f->status == MEM_STATUS_SUPERSEDED || f->status == MEM_STATUS_QUARANTINED) && f->reason.n > 0 &&
	    !mem_str_is(f->reason, MEM_FACT_BY_HAND);
}

bool
ledger_is_of_extractor(struct mem_str via)
{
	return via.n >= 5 && memcmp(via.p, "with:", 5) == 0;
}

struct ledger_standing
ledger_stand(struct mem_str via, enum mem_veracity v, double trust)
{
	bool extractor = ledger_is_of_extractor(via), inferred = v == MEM_VERACITY_INFERRED && !extractor;
	return (struct ledger_standing){ .weak = extractor || inferred, .rank = inferred ? trust : trust + 1 };
}

static enum mem_veracity
read_fact_veracity(struct mem_ledger *l, struct mem_json v)
{
	enum mem_veracity out;
	return mem_veracity_parse(read_fact_text(l, v), &out) ? out : MEM_VERACITY_UNKNOWN;
}

static struct ledger_standing
read_source_standing(struct mem_ledger *l, const struct ledger_fact *f, struct mem_json source)
{
	return ledger_stand(read_fact_text(l, mem_json_member(source, "via")), read_fact_veracity(l, mem_json_member(source, "veracity")),
	    read_fact_share(mem_json_member(source, "trust"), f->trust));
}

/* Of what begins the fact. */
static struct ledger_standing
read_standing(struct mem_ledger *l, const struct ledger_fact *f)
{
	struct ledger_standing all = { .weak = true };
	bool any = false;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "sources")); mem_json_next(&it);) {
		int64_t at = read_fact_time(l, mem_json_member(it.value, "at"));
		struct ledger_standing s = read_source_standing(l, f, it.value);
		any = true;
		if (at != MEM_TIME_NONE && at != f->at)
			continue;
		all.weak = all.weak && s.weak;
		all.rank = s.rank > all.rank ? s.rank : all.rank;
	}
	return any ? all : ledger_stand(MEM_STR(""), read_fact_veracity(l, mem_rec_value(&f->rec, "veracity")), f->trust);
}

bool
ledger_is_known(struct mem_ledger *l, int64_t since)
{
	bool known = l->known_at == MEM_TIME_NONE || since <= l->known_at;
	l->later = l->later || !known;
	return known;
}

/* What superseded it later did not yet. */
static void
take_back_end(struct mem_ledger *l, struct ledger_fact *f, const struct mem_attr *a)
{
	int64_t superseded_at = l->known_at != MEM_TIME_NONE ? mem_node_superseded_at(l->t, a) : MEM_TIME_NONE;
	if (superseded_at == MEM_TIME_NONE || ledger_is_known(l, superseded_at))
		return;
	f->status = MEM_STATUS_ACTIVE;
	f->reason = MEM_STR("");
	f->has_ender = false;
	f->valid_to = f->superseded_at = MEM_TIME_NONE;
}

static void
read_fact(struct mem_ledger *l, struct ledger_fact *f, const struct mem_attr *a)
{
	f->id = a->id;
	f->at = a->valid_from != MEM_TIME_NONE ? a->valid_from : MEM_TIME_MIN;
	f->valid_to = a->valid_to;
	f->created_at = a->created_at;
	f->status = a->status;
	f->reason = ledger_fact_text(l, f, "superseded_reason");
	f->superseded_at = read_fact_time(l, mem_rec_value(&f->rec, "superseded_at"));
	f->has_ender = mem_id_parse(ledger_fact_text(l, f, "superseded_by"), &f->ender);
	f->trust = read_fact_share(mem_rec_value(&f->rec, "trust"), .5);
	f->confidence = read_fact_share(mem_rec_value(&f->rec, "confidence"), .5);
	if (!mem_json_int(mem_rec_value(&f->rec, "mentions"), &f->mentions) || f->mentions < 0)
		f->mentions = 0;
	f->standing = read_standing(l, f);
	f->absorbed = mem_str_is(f->reason, MEM_FACT_RESTATED);
	take_back_end(l, f, a);
	f->frozen = a->expired_at != MEM_TIME_NONE || !is_ledgers(f);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "sources")); mem_json_next(&it);)
		f->nsources++;
	read_value(l, f);
}

/* The fact that a reading found, each once. */
static enum mem_status
take_fact(struct mem_ledger *l, const struct mem_node *node, struct ledger_fact **out, struct mem_err *err)
{
	*out = NULL;
	for (size_t i = l->nfacts; i > 0; i--)
		if (l->facts[i - 1]->ord == node->ord) {
			*out = l->facts[i - 1];
			return MEM_OK;
		}
	if (node->attr->kind != MEM_KIND_FACT)
		return MEM_OK;
	struct ledger_fact *f = mem_arena_alloc(&l->arena, sizeof *f);
	f->ord = node->ord;
	struct mem_attr a = *node->attr;
	enum mem_status st = mem_rec_scan(&f->rec, mem_arena_str(&l->arena, node->json), err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_err_set(err, MEM_FAIL, "a fact's text cannot be read: run mem-check") : st;
	/* What was made since may have taken over what was said before; but what a person wrote in place of another is new. */
	if (!ledger_is_known(l, a.created_at) && mem_json_there(mem_rec_value(&f->rec, "supersedes"))) {
		mem_rec_release(&f->rec);
		return MEM_OK;
	}
	LEDGER_PUSH(&l->arena, l->facts, l->nfacts, l->facts_cap, f);
	read_fact(l, f, &a);
	*out = f;
	return MEM_OK;
}

static enum mem_status
read_noted_fact(struct mem_ledger *l, struct ledger_reading *r, struct ledger_fact **out, struct mem_err *err)
{
	struct ledger_reading now;
	struct mem_node node = { .attr = NULL };
	enum mem_status st = repeat_reading(l->t, r, &now, &node, err);
	*r = now;
	*out = NULL;
	return st == MEM_OK && node.attr != NULL && now.found_ord != UINT32_MAX ? take_fact(l, &node, out, err) : st;
}

enum mem_status
ledger_fact_at(struct mem_ledger *l, uint32_t ord, struct ledger_fact **out, struct mem_err *err)
{
	struct ledger_reading *r = new_reading(l, LEDGER_NODE);
	r->ord = ord;
	return read_noted_fact(l, r, out, err);
}

enum mem_status
ledger_fact_by_id(struct mem_ledger *l, const struct mem_id *id, struct ledger_fact **out, struct mem_err *err)
{
	struct ledger_reading *r = new_reading(l, LEDGER_ID);
	r->id = *id;
	return read_noted_fact(l, r, out, err);
}

/* ---- sources ------------------------------------------------------------------ */

static struct ledger_assertion *
read_source(struct mem_ledger *l, struct ledger_fact *f, struct mem_json v)
{
	struct ledger_assertion *a = mem_arena_alloc(&l->arena, sizeof *a);
	struct mem_clean_rec whole = { 0 };
	mem_clean_restored(&whole, &f->rec);
	*a = (struct ledger_assertion){ .fact = f, .value = &f->value, .source = mem_clean_part(&whole, v), .to = read_fact_time(l, mem_json_member(v, "to")) };
	a->at = read_fact_time(l, mem_json_member(v, "at"));
	if (a->at == MEM_TIME_NONE)
		a->at = f->at;
	a->captured_at = read_fact_time(l, mem_json_member(v, "captured_at"));
	a->created_at = read_fact_time(l, mem_json_member(v, "created_at"));
	if (a->captured_at == MEM_TIME_NONE)
		a->captured_at = a->at;
	if (a->created_at == MEM_TIME_NONE)
		a->created_at = f->created_at;
	a->trust = read_fact_share(mem_json_member(v, "trust"), f->trust);
	a->confidence = read_fact_share(mem_json_member(v, "confidence"), f->confidence);
	a->veracity = read_fact_veracity(l, mem_json_member(v, "veracity"));
	if (!mem_id_parse(read_fact_text(l, mem_json_member(v, "episode")), &a->episode))
		a->episode = (struct mem_id){ 0 };
	const struct mem_str via = read_fact_text(l, mem_json_member(v, "via"));
	a->of_extractor = ledger_is_of_extractor(via);
	a->standing = ledger_stand(via, a->veracity, a->trust);
	return a;
}

/* A fact without sources, an imported one for example, is an assertion of its own. */
static struct ledger_assertion *
make_own_source(struct mem_ledger *l, struct ledger_fact *f)
{
	struct ledger_assertion *a = mem_arena_alloc(&l->arena, sizeof *a);
	*a = (struct ledger_assertion){ .fact = f, .value = &f->value, .source = mem_clean_absent(), .at = f->at, .to = MEM_TIME_NONE,
		.captured_at = f->at, .created_at = f->created_at, .trust = f->trust, .confidence = f->confidence };
	a->veracity = read_fact_veracity(l, mem_rec_value(&f->rec, "veracity"));
	a->standing = ledger_stand(MEM_STR(""), a->veracity, a->trust);
	return a;
}

struct mem_json
ledger_correction_source(struct mem_ledger *l, const struct ledger_fact *f, struct mem_json correction)
{
	struct mem_str episode = read_fact_text(l, mem_json_member(correction, "episode"));
	int64_t at = read_fact_time(l, mem_json_member(correction, "at"));
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "sources")); episode.n > 0 && mem_json_next(&it);)
		if (mem_str_eq(read_fact_text(l, mem_json_member(it.value, "episode")), episode) &&
		    read_fact_time(l, mem_json_member(it.value, "at")) == at)
			return it.value;
	return (struct mem_json){ 0 };
}

/* What does not say its source stands as its fact. */
static struct ledger_standing
read_correction_standing(struct mem_ledger *l, const struct ledger_fact *f, struct mem_json correction)
{
	struct mem_json source = ledger_correction_source(l, f, correction);
	return mem_json_there(source) ? read_source_standing(l, f, source) : f->standing;
}

/* When it came to be known. */
static int64_t
read_correction_time(struct mem_ledger *l, const struct ledger_fact *f, struct mem_json correction)
{
	int64_t at = read_fact_time(l, mem_json_member(ledger_correction_source(l, f, correction), "created_at"));
	return at != MEM_TIME_NONE ? at : f->created_at;
}

bool
ledger_is_source(const struct ledger_assertion *a, struct mem_json source)
{
	return a->claim == NULL && mem_clean_there(a->source) && a->source.value.raw.p == source.raw.p;
}

/* The hint that an entry of the fact's corrections is; false: it is none. */
static bool
note_hint(struct mem_ledger *l, struct ledger_fact *f, struct mem_json entry)
{
	struct mem_json source = ledger_correction_source(l, f, entry);
	struct ledger_hint h = { .value = &f->value, .fact = f, .entry = entry, .at = read_fact_time(l, mem_json_member(entry, "at")) };
	if (!mem_id_parse(read_fact_text(l, mem_json_member(entry, "replaces")), &h.of))
		return false;
	if (h.at == MEM_TIME_NONE || !mem_id_parse(read_fact_text(l, mem_json_member(entry, "episode")), &h.by))
		return true;
	h.predicate = l->rules != NULL ? mem_predicate_find(l->rules, f->value.predicate) : NULL;
	h.ns = ledger_fact_text(l, f, "ns");
	h.trust = mem_json_there(source) ? read_fact_share(mem_json_member(source, "trust"), f->trust) : f->trust;
	h.standing = read_correction_standing(l, f, entry);
	h.known_at = read_correction_time(l, f, entry);
	ledger_hint_add(l, &h);
	return true;
}

void
ledger_fact_hints(struct mem_ledger *l, struct ledger_fact *f)
{
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "corrects")); mem_json_next(&it);)
		(void)note_hint(l, f, it.value);
}

void
ledger_fact_corrections(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_fact *f, struct mem_str object, int64_t at)
{
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "corrects")); mem_json_next(&it);) {
		struct mem_json of = mem_json_member(it.value, "object");
		bool any = of.type != MEM_JSON_OBJECT;
		if (read_fact_time(l, mem_json_member(it.value, "at")) != at || (any ? object.n > 0 : !mem_str_eq(read_object_key(l, of), object)) ||
		    (any && note_hint(l, f, it.value)))
			continue;
		struct ledger_end end = { .at = at, .of = object, .corrected_by = &f->value, .has_by = true, .by = f->id,
			.reason = MEM_FACT_CORRECTED, .standing = read_correction_standing(l, f, it.value), .known_at = read_correction_time(l, f, it.value) };
		end.later = !ledger_is_known(l, end.known_at);
		ledger_lane_end(lane, &end);
	}
}

/* Does a claim of the lane stand in the source's place? */
static bool
is_restated(const struct ledger_lane *lane, struct mem_json source)
{
	for (size_t i = 0; i < lane->nclaims; i++)
		if (lane->claims[i]->restates != NULL && ledger_is_source(lane->claims[i]->restates, source))
			return true;
	return false;
}

void
ledger_fact_assertions(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_fact *f)
{
	size_t first = lane->n;
	struct ledger_assertion *last = NULL;
	bool ends = false;
	if (f->absorbed)
		return;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "sources")); mem_json_next(&it);) {
		struct ledger_assertion *a = read_source(l, f, it.value);
		if (is_restated(lane, it.value))
			continue;
		ends = ends || a->to != MEM_TIME_NONE; /* then the end that the fact has is a source's, known or not */
		if (ledger_is_known(l, a->created_at))
			LEDGER_PUSH(&l->arena, lane->v, lane->n, lane->cap, a);
	}
	if (f->nsources == 0)
		LEDGER_PUSH(&l->arena, lane->v, lane->n, lane->cap, make_own_source(l, f));
	if (lane->n == first)
		return; /* all of it was said later */
	for (size_t i = first; i < lane->n; i++)
		last = last == NULL || lane->v[i]->at > last->at ? lane->v[i] : last;
	int64_t hidden = f->mentions - (int64_t)f->nsources;
	lane->v[first]->hidden = hidden > 0 && f->nsources > 0 ? hidden : 0;
	if (!ends && last != NULL && !f->has_ender && f->valid_to != MEM_TIME_NONE) /* as an import or a person said it */
		last->to = f->valid_to;
}

/* Who said it by hand: the writer of the fact, where the source does not tell. */
static struct mem_str
read_source_agent(struct mem_ledger *l, const struct ledger_fact *f, struct mem_json source)
{
	struct mem_str agent = read_fact_text(l, mem_json_member(source, "agent"));
	return agent.n > 0 ? agent : read_fact_text(l, mem_json_member(mem_rec_value(&f->rec, "origin"), "agent"));
}

/* Does the claim say of itself what the source did not, or otherwise: an end, how sure it is, how it is known? */
static bool
says_more(const struct ledger_claim *c, const struct ledger_assertion *a)
{
	return (c->c.valid_to != MEM_TIME_NONE && c->c.valid_to != a->to) || (c->c.own_veracity && c->c.veracity != a->veracity) ||
	    (c->c.own_confidence && fabs(c->c.confidence - a->confidence) > 1e-6);
}

static bool
is_source_of_claim(struct mem_ledger *l, const struct ledger_fact *f, const struct ledger_claim *c, struct mem_json source)
{
	char id[MEM_ID_LEN + 1];
	struct mem_json episode = mem_json_member(source, "episode");
	mem_id_format(&c->s->episode, id);
	if (read_fact_time(l, mem_json_member(source, "at")) != c->at)
		return false;
	if (c->s->has_episode)
		return mem_json_is(episode, id);
	return episode.type == MEM_JSON_NULL && mem_str_eq(read_source_agent(l, f, source), ledger_agent(l, c));
}

enum mem_status
ledger_fact_has(struct mem_ledger *l, struct ledger_fact *f, struct ledger_claim *c, bool *has, struct mem_err *err)
{
	struct mem_edge edge;
	*has = false;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&f->rec, "sources")); mem_json_next(&it) && !*has;) {
		const struct ledger_assertion *a;
		*has = is_source_of_claim(l, f, c, it.value);
		if (!*has || c->s->has_episode || f->frozen || !says_more(c, a = read_source(l, f, it.value)))
			continue;
		c->restates = a;
		*has = false;
		return MEM_OK;
	}
	if (*has || f->mentions <= (int64_t)f->nsources || !c->s->has_episode)
		return MEM_OK;
	/* It may be one of those that the text has no room for. */
	enum mem_status st = mem_edge_find(l->t, "supports", c->s->ord, f->ord, &edge, err);
	*has = st == MEM_OK;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}
