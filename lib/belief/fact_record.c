/* SPDX-License-Identifier: Apache-2.0 */
/* A record of a fact by hand to a claim. */
#include <string.h>

#include "belief/claim_residue.h"
#include "belief/fact_run_int.h"

enum { TEXT_MAX = 16 << 10, VALUE_MAX = 8 * TEXT_MAX };

static bool
refuse_record(struct hand_fact *f, const char *reason, size_t offset)
{
	f->refused = reason;
	f->offset = offset;
	return false;
}

/* Where the value of a field stands in the line as it came; 0: nowhere. */
static size_t
offset_of(const struct mem_fact_run *r, const char *name)
{
	struct mem_json v = mem_rec_value(&r->came, name);
	return mem_json_there(v) ? (size_t)(v.raw.p - r->came.text.p) : 0;
}

static bool
refuse_field(const struct mem_fact_run *r, struct hand_fact *f, const char *name, const char *reason)
{
	return refuse_record(f, reason, offset_of(r, name));
}

static struct mem_json
value_of(const struct mem_fact_run *r, const char *name)
{
	struct mem_json v = mem_rec_value(r->cleaned.rec, name);
	if (v.type == MEM_JSON_NULL)
		v = (struct mem_json){ 0 };
	return v;
}

/* ---- single fields ------------------------------------------------------------ */

/* Has it more bytes of text than may be?  Escapes count as what they stand for; of an object each member counts. */
static bool
is_value_too_long(struct mem_fact_run *r, struct mem_json v)
{
	bool too_long = false;
	if (v.raw.n <= TEXT_MAX)
		return false;
	if (v.type == MEM_JSON_STRING)
		return mem_json_text(&r->round, v).n > TEXT_MAX;
	for (struct mem_json_iter it = mem_json_each(v); v.type == MEM_JSON_OBJECT && !too_long && mem_json_next(&it);)
		too_long = it.key.n > TEXT_MAX || (it.value.raw.n > TEXT_MAX && (it.value.type != MEM_JSON_STRING || mem_json_text(&r->round, it.value).n > TEXT_MAX));
	return too_long || v.type != MEM_JSON_OBJECT || v.raw.n > VALUE_MAX;
}

/* A string, empty where there is none. */
static bool
read_string(struct mem_fact_run *r, struct hand_fact *f, const char *name, struct mem_str *out)
{
	struct mem_json v = value_of(r, name);
	*out = MEM_STR("");
	if (!mem_json_there(v))
		return true;
	if (v.type != MEM_JSON_STRING)
		return refuse_field(r, f, name, "bad_value");
	if (is_value_too_long(r, v))
		return refuse_field(r, f, name, "too_long");
	*out = mem_json_text(&r->round, v);
	return true;
}

static bool
read_when(struct mem_fact_run *r, struct hand_fact *f, const char *name, int64_t *out)
{
	struct mem_str s;
	*out = MEM_TIME_NONE;
	if (!read_string(r, f, name, &s))
		return refuse_field(r, f, name, "bad_time");
	return s.n == 0 || mem_time_parse(s, out) || refuse_field(r, f, name, "bad_time");
}

static bool
read_flag(struct mem_fact_run *r, struct hand_fact *f, const char *name, bool *out)
{
	struct mem_json v = value_of(r, name);
	*out = mem_json_there(v) && v.type == MEM_JSON_TRUE;
	return !mem_json_there(v) || v.type == MEM_JSON_TRUE || v.type == MEM_JSON_FALSE || refuse_field(r, f, name, "bad_value");
}

static bool
read_confidence(struct mem_fact_run *r, struct hand_fact *f)
{
	struct mem_json v = value_of(r, "confidence");
	f->claim.confidence = 1;
	if (!mem_json_there(v))
		return true;
	double d;
	if (!mem_json_num(v, &d) || !(d > 0 && d <= 1))
		return refuse_field(r, f, "confidence", "bad_value");
	f->claim.confidence = d;
	f->claim.own_confidence = true;
	return true;
}

static bool
read_veracity(struct mem_fact_run *r, struct hand_fact *f)
{
	struct mem_str s;
	f->claim.veracity = MEM_VERACITY_STATED;
	if (!read_string(r, f, "veracity", &s))
		return false;
	f->claim.own_veracity = s.n > 0;
	return s.n == 0 || mem_veracity_parse(s, &f->claim.veracity) || refuse_field(r, f, "veracity", "bad_value");
}

/* ---- terms ---------------------------------------------------------------------- */

/* The predicate in small letters, its words joined by _. */
static bool
read_predicate(struct mem_fact_run *r, struct hand_fact *f)
{
	struct mem_str s;
	if (!read_string(r, f, "predicate", &s))
		return false;
	char *p = mem_arena_dup(&r->round, s.p, s.n);
	for (size_t i = 0; i < s.n; i++)
		p[i] = p[i] == ' ' || p[i] == '-' ? '_' : p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] - 'A' + 'a') : p[i];
	f->claim.predicate = (struct mem_str){ p, s.n };
	return s.n == 0 || mem_claim_predicate_valid(f->claim.predicate) || refuse_field(r, f, "predicate", "bad_value");
}

/* A member of the object that a term is, as text. */
static bool
read_member(struct mem_fact_run *r, struct hand_fact *f, const char *name, const char *member, struct mem_str *out)
{
	struct mem_json v = mem_json_member(value_of(r, name), member);
	*out = MEM_STR("");
	if (!mem_json_there(v) || v.type == MEM_JSON_NULL)
		return true;
	if (is_value_too_long(r, v))
		return refuse_field(r, f, name, "too_long");
	*out = v.type == MEM_JSON_STRING ? mem_json_text(&r->round, v) : v.raw;
	return v.type == MEM_JSON_STRING || v.type == MEM_JSON_NUMBER || v.type == MEM_JSON_TRUE || v.type == MEM_JSON_FALSE ||
	    refuse_field(r, f, name, "bad_value");
}

/* A string, a number or true or false; or an object with name, or value, and type. */
static bool
read_term(struct mem_fact_run *r, struct hand_fact *f, const char *name, struct mem_claim_term *out)
{
	struct mem_json v = value_of(r, name);
	struct mem_str value;
	*out = (struct mem_claim_term){ .kind = MEM_TERM_NONE, .text = MEM_STR(""), .type = MEM_STR("") };
	if (!mem_json_there(v))
		return true;
	out->kind = MEM_TERM_ENTITY;
	if (v.type == MEM_JSON_STRING)
		return read_string(r, f, name, &out->text) && (out->text.n > 0 || refuse_field(r, f, name, "empty"));
	if (v.type == MEM_JSON_NUMBER || v.type == MEM_JSON_TRUE || v.type == MEM_JSON_FALSE) {
		*out = (struct mem_claim_term){ MEM_TERM_VALUE, v.raw, v.type == MEM_JSON_NUMBER ? MEM_STR("number") : MEM_STR("bool") };
		return true;
	}
	if (v.type != MEM_JSON_OBJECT)
		return refuse_field(r, f, name, "bad_value");
	if (!read_member(r, f, name, "name", &out->text) || !read_member(r, f, name, "value", &value) || !read_member(r, f, name, "type", &out->type))
		return false;
	if ((out->text.n > 0) == (value.n > 0))
		return refuse_field(r, f, name, "bad_value");
	if (value.n > 0) {
		out->kind = MEM_TERM_VALUE;
		out->text = value;
	}
	return true;
}

/* What a term says of its type, else what the rules say of those of the predicate. */
static void
settle_types(struct mem_fact_run *r, struct mem_claim *c)
{
	const struct mem_predicate *p = r->rules != NULL ? mem_predicate_find(r->rules, c->predicate) : NULL;
	if (c->subject.type.n == 0)
		c->subject.type = p != NULL && p->nsubject_types > 0 ? p->subject_types[0] : MEM_STR("thing");
	if (c->object.kind == MEM_TERM_ENTITY && (mem_claim_is_value_type(c->object.type) || (c->object.type.n == 0 && p != NULL && p->object_is_value)))
		c->object.kind = MEM_TERM_VALUE;
	if (c->object.type.n == 0 && p != NULL && p->nobject_types > 0)
		c->object.type = p->object_types[0];
	if (c->object.type.n == 0)
		c->object.type = c->object.kind == MEM_TERM_VALUE ? MEM_STR("text") : MEM_STR("thing");
	if (c->type.n == 0 && p != NULL)
		c->type = p->memory_type;
}

/* A term that is an id names the entity that has it, whose name and type it takes; *id then points to `named`. */
static enum mem_status
find_named_entity(struct mem_fact_run *r, struct hand_fact *f, const char *field, struct mem_claim_term *term, struct mem_str type,
    struct mem_id *named, const struct mem_id **id, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_entity_node found;
	if (term->kind != MEM_TERM_ENTITY || !mem_id_parse(term->text, named))
		return MEM_OK;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_entity_by_id(t, f->source.ns, named, &r->round, &found, err);
	mem_txn_end(t);
	if (st == MEM_NOTFOUND || (st == MEM_OK && type.n > 0 && !mem_str_eq(type, found.type))) {
		(void)refuse_field(r, f, field, "not_found");
		return MEM_OK;
	}
	if (st != MEM_OK)
		return st;
	*term = (struct mem_claim_term){ MEM_TERM_ENTITY, found.name, found.type };
	*id = named;
	return MEM_OK;
}

/* "Alice works at Acme" */
static struct mem_str
make_record_statement(struct mem_fact_run *r, const struct mem_claim *c)
{
	struct mem_buf b = { 0 };
	mem_buf_str(&b, c->subject.text);
	mem_buf_puts(&b, c->negated ? " not " : " ");
	for (size_t i = 0; i < c->predicate.n; i++)
		mem_buf_putc(&b, c->predicate.p[i] == '_' ? ' ' : c->predicate.p[i]);
	mem_buf_putc(&b, ' ');
	mem_buf_str(&b, c->object.text);
	if (c->detail.n > 0) {
		mem_buf_putc(&b, ' ');
		mem_buf_str(&b, c->detail);
	}
	struct mem_str s = mem_arena_str(&r->round, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

/* Types as the record gives them, before they are settled. */
static enum mem_status
find_named_entities(struct mem_fact_run *r, struct hand_fact *f, struct mem_err *err)
{
	struct mem_claim *c = &f->claim;
	struct mem_claim_term former = { c->object.kind, c->was, MEM_STR("") };
	enum mem_status st = find_named_entity(r, f, "subject", &c->subject, f->subject_type, &f->subject, &f->source.subject, err);
	if (st == MEM_OK && f->refused == NULL)
		st = find_named_entity(r, f, "was", &former, MEM_STR(""), &f->was, &f->source.was, err);
	if (st == MEM_OK && f->refused == NULL)
		st = find_named_entity(r, f, "object", &c->object, f->object_type, &f->object, &f->source.object, err);
	return st;
}

static bool
read_triple(struct mem_fact_run *r, struct hand_fact *f)
{
	struct mem_claim *c = &f->claim;
	if (!read_predicate(r, f) || !read_term(r, f, "subject", &c->subject) || !read_term(r, f, "object", &c->object))
		return false;
	int there = (c->predicate.n > 0) + (c->subject.kind != MEM_TERM_NONE) + (c->object.kind != MEM_TERM_NONE);
	if (there == 0)
		return true;
	if (there < 3)
		return refuse_record(f, "bad_value", 0);
	if (c->subject.kind != MEM_TERM_ENTITY)
		return refuse_field(r, f, "subject", "bad_value");
	f->subject_type = c->subject.type;
	f->object_type = c->object.type;
	settle_types(r, c);
	return true;
}

/* ---- all of it --------------------------------------------------------------------- */

static bool
check_findings(struct mem_fact_run *r, struct hand_fact *f)
{
	const char *field = claim_residue_field(&r->round, &r->came, r->cleaned.rec, &f->in.found);
	return field == NULL || refuse_field(r, f, field, "residue");
}

static bool
scan_line(struct mem_fact_run *r, struct hand_fact *f)
{
	struct mem_err why = { 0 };
	if (f->too_long)
		return refuse_record(f, "too_long", f->line.n);
	enum mem_status st = mem_rec_scan(&r->came, f->line, &why);
	if (st == MEM_OK)
		st = mem_rec_refuse_nul(&r->came, &why);
	if (st != MEM_OK)
		return refuse_record(f, why.reason, why.offset);
	for (size_t i = 0; i < r->came.nfields; i++)
		if (is_value_too_long(r, r->came.fields[i].value))
			return refuse_record(f, "too_long", (size_t)(r->came.fields[i].value.raw.p - f->line.p));
	st = mem_write_clean(r->writer, &r->cleaned, &r->came, &f->in.found, &why);
	if (st != MEM_OK)
		return refuse_record(f, why.reason != NULL ? why.reason : "budget", 0);
	return check_findings(r, f);
}

static bool
read_texts(struct mem_fact_run *r, struct hand_fact *f)
{
	struct mem_claim *c = &f->claim;
	return read_string(r, f, "statement", &c->statement) && read_string(r, f, "detail", &c->detail) &&
	    read_string(r, f, "domain", &c->domain) && read_string(r, f, "topic", &c->topic) && read_string(r, f, "type", &c->type) &&
	    read_string(r, f, "was", &c->was) && read_flag(r, f, "negated", &c->negated) && read_flag(r, f, "corrects", &c->corrects) &&
	    read_confidence(r, f) && read_veracity(r, f) && read_when(r, f, "valid_from", &c->valid_from) &&
	    read_when(r, f, "valid_to", &c->valid_to) && read_when(r, f, "due", &c->due);
}

/* Names that only memkit sets. */
static bool
check_reserved(struct mem_fact_run *r, struct hand_fact *f)
{
	static const char *const names[] = { "id", "kind", "version", "status", "origin", "created_at", "expired_at", "importance", "trust",
		"pinned", "access_count", "last_access", "sources", "mentions", "rule", "superseded_by", "superseded_at", "superseded_reason" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_json_there(mem_rec_value(&r->came, names[i])))
			return refuse_field(r, f, names[i], "reserved_field");
	return true;
}

static bool
read_record_place(struct mem_fact_run *r, struct hand_fact *f)
{
	struct mem_str ns;
	if (!read_string(r, f, "ns", &ns))
		return false;
	f->source.ns = ns.n > 0 ? ns : r->ns;
	f->in.ns = f->source.ns;
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = f->source.ns };
	return (mem_ns_valid(f->source.ns) && mem_store_allows(mem_writer_store(r->writer), &to)) || refuse_field(r, f, "ns", "namespace_denied");
}

/* One that is not the caller's to write would be refused under the lock, and the whole batch with it.  What is no fact is the ledger's. */
static enum mem_status
check_record_ended(struct mem_fact_run *r, struct hand_fact *f, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	bool allowed = true;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, &f->ends, &node, err);
	if (st == MEM_OK)
		st = mem_write_allowed_at(t, r->writer, node.ord, &allowed, err);
	mem_txn_end(t);
	if (!allowed)
		(void)refuse_field(r, f, "supersede", "namespace_denied");
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* The fact that it is to end, by its id or the beginning of one. */
static enum mem_status
find_record_ended(struct mem_fact_run *r, struct hand_fact *f, struct mem_err *err)
{
	struct mem_str text;
	struct mem_err why = { 0 };
	if (!read_string(r, f, "supersede", &text) || text.n == 0)
		return MEM_OK;
	enum mem_status st = mem_id_find(mem_writer_store(r->writer), text, &f->ends, &why);
	f->source.ends = &f->ends;
	if (st == MEM_OK)
		return check_record_ended(r, f, err);
	if (st == MEM_USAGE || st == MEM_NOTFOUND || st == MEM_REFUSED) {
		(void)refuse_field(r, f, "supersede", st == MEM_REFUSED ? "ambiguous" : "not_found");
		return MEM_OK;
	}
	if (err != NULL)
		*err = why;
	return st;
}

enum mem_status
hand_fact_read(struct mem_fact_run *r, struct hand_fact *f, struct mem_err *err)
{
	f->refused = NULL;
	f->offset = 0;
	f->claim = (struct mem_claim){ .rule = MEM_STR("") };
	f->source = (struct mem_fact_source){ .ns = r->ns, .created_at = r->now, .captured_at = r->now, .trust = r->trust, .importance = .5,
		.via = mem_str(r->o.via), .found = &f->in.found };
	if (!scan_line(r, f) || !check_reserved(r, f) || !read_record_place(r, f) || !read_texts(r, f) || !read_triple(r, f))
		return MEM_OK;
	enum mem_status st = find_named_entities(r, f, err);
	if (st != MEM_OK || f->refused != NULL)
		return st;
	if (f->claim.statement.n == 0 && f->claim.subject.kind != MEM_TERM_NONE)
		f->claim.statement = make_record_statement(r, &f->claim);
	if (f->claim.statement.n == 0) {
		(void)refuse_record(f, "empty", 0);
		return MEM_OK;
	}
	return find_record_ended(r, f, err);
}
