/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a user's extractor: its fields, checked, as a claim. */
#include "belief/extract_with_int.h"

#include <string.h>

/* Fields that are memkit's own: what gives trust, rank or an identity. */
static const char *const reserved[] = {
	"access_count", "actor", "created_at", "expired_at", "expires_at", "id", "importance", "injection_flags", "kind", "last_access",
	"mentions", "ns", "origin", "pinned", "rank", "redactions", "rule", "score", "signals", "sources", "status", "superseded_at",
	"superseded_by", "supersedes", "trust", "version", "via",
};

enum mem_status
with_fields_check(const struct mem_rec *rec, struct mem_err *err)
{
	for (size_t i = 0; i < MEM_COUNT(reserved); i++) {
		const struct mem_field *f = mem_rec_find(rec, reserved[i]);
		if (f != NULL)
			return mem_err_record(err, "reserved_field", 0, "%s is memkit's own to set", reserved[i]);
	}
	return MEM_OK;
}

static enum mem_status
refuse_with_value(struct mem_err *err, const char *name, const char *expected)
{
	return mem_err_record(err, "bad_value", 0, "%s is %s", name, expected);
}

static bool
is_given(struct mem_json v)
{
	return mem_json_there(v) && v.type != MEM_JSON_NULL;
}

/* ---- plain fields -------------------------------------------------------- */

/* A string's characters; what is not there or null is empty. */
static enum mem_status
read_with_text(const struct with_line *l, struct mem_json v, const char *name, size_t max, struct mem_str *out, struct mem_err *err)
{
	*out = (struct mem_str){ "", 0 };
	if (!is_given(v))
		return MEM_OK;
	if (v.type != MEM_JSON_STRING)
		return refuse_with_value(err, name, "a text");
	*out = mem_json_text(l->arena, v);
	if (out->n > max)
		return mem_err_record(err, "too_long", 0, "%s has more than %zu bytes", name, max);
	return MEM_OK;
}

static enum mem_status
read_with_bool(const struct with_line *l, const char *name, bool *out, struct mem_err *err)
{
	struct mem_json v = mem_rec_value(l->rec, name);
	*out = v.type == MEM_JSON_TRUE;
	return !is_given(v) || v.type == MEM_JSON_TRUE || v.type == MEM_JSON_FALSE ? MEM_OK : refuse_with_value(err, name, "true or false");
}

static enum mem_status
read_with_time(const struct with_line *l, const char *name, int64_t *out, struct mem_err *err)
{
	struct mem_json v = mem_rec_value(l->rec, name);
	struct mem_str text;
	*out = MEM_TIME_NONE;
	enum mem_status st = read_with_text(l, v, name, MEM_WITH_NAME_MAX, &text, err);
	if (st != MEM_OK || !is_given(v))
		return st;
	return mem_time_parse(text, out) ? MEM_OK : refuse_with_value(err, name, "a time (RFC 3339)");
}

/* Names of predicates and types. */
static enum mem_status
read_with_word(const struct with_line *l, const char *name, struct mem_str *out, struct mem_err *err)
{
	enum mem_status st = read_with_text(l, mem_rec_value(l->rec, name), name, MEM_WITH_NAME_MAX, out, err);
	return st != MEM_OK || out->n == 0 || mem_claim_predicate_valid(*out) ? st : refuse_with_value(err, name, "a word of a-z, 0-9 and _");
}

/* ---- terms --------------------------------------------------------------- */

static bool
is_entity_type(struct mem_str type)
{
	static const char *const types[] = { "person", "place", "organisation", "project", "tool", "product", "topic", "event", "thing" };
	for (size_t i = 0; i < MEM_COUNT(types); i++)
		if (mem_str_is(type, types[i]))
			return true;
	return false;
}

/* The type that a predicate gives a term that has none. */
static struct mem_str
default_type(const struct with_line *l, enum mem_claim_term_kind kind, bool object)
{
	const struct mem_predicate *p = l->predicate;
	if (p != NULL && object && p->nobject_types > 0 && p->object_is_value == (kind == MEM_TERM_VALUE))
		return p->object_types[0];
	if (p != NULL && !object && p->nsubject_types > 0)
		return p->subject_types[0];
	return kind == MEM_TERM_VALUE ? MEM_STR("text") : MEM_STR("thing");
}

/* {"name":…,"type":…} or {"value":…,"type":…}. */
static enum mem_status
read_with_term_object(const struct with_line *l, struct mem_json v, const char *name, struct mem_claim_term *out, struct mem_err *err)
{
	struct mem_json value = mem_json_member(v, "value"), text = mem_json_member(v, "name");
	if (is_given(value) == is_given(text))
		return refuse_with_value(err, name, "an object with a name or a value");
	out->kind = is_given(value) ? MEM_TERM_VALUE : MEM_TERM_ENTITY;
	if (value.type == MEM_JSON_NUMBER || value.type == MEM_JSON_TRUE || value.type == MEM_JSON_FALSE) {
		out->text = mem_arena_str(l->arena, value.raw);
		out->type = value.type == MEM_JSON_NUMBER ? MEM_STR("number") : MEM_STR("bool");
		return MEM_OK;
	}
	enum mem_status st = read_with_text(l, is_given(value) ? value : text, name, MEM_WITH_NAME_MAX, &out->text, err);
	if (st == MEM_OK)
		st = read_with_text(l, mem_json_member(v, "type"), name, MEM_WITH_NAME_MAX, &out->type, err);
	if (st == MEM_OK && out->type.n > 0 && !(is_given(value) ? mem_claim_is_value_type(out->type) : is_entity_type(out->type)))
		return refuse_with_value(err, name, is_given(value) ? "a value of type text, number, version, date or bool" :
		    "of type person, place, organisation, project, tool, product, topic, event or thing");
	return st;
}

static enum mem_status
read_with_term(const struct with_line *l, const char *name, bool object, struct mem_claim_term *out, struct mem_err *err)
{
	struct mem_json v = mem_rec_value(l->rec, name);
	enum mem_status st = MEM_OK;
	*out = (struct mem_claim_term){ 0 };
	if (!is_given(v))
		return MEM_OK;
	if (v.type == MEM_JSON_OBJECT)
		st = read_with_term_object(l, v, name, out, err);
	else if (object && v.type != MEM_JSON_STRING && v.type != MEM_JSON_ARRAY) {
		*out = (struct mem_claim_term){ MEM_TERM_VALUE, mem_arena_str(l->arena, v.raw),
			v.type == MEM_JSON_NUMBER ? MEM_STR("number") : MEM_STR("bool") };
	} else {
		out->kind = object && l->predicate != NULL && l->predicate->object_is_value ? MEM_TERM_VALUE : MEM_TERM_ENTITY;
		st = read_with_text(l, v, name, MEM_WITH_NAME_MAX, &out->text, err);
	}
	if (st == MEM_OK && out->text.n == 0)
		return refuse_with_value(err, name, "a name");
	if (st == MEM_OK && !object && out->kind == MEM_TERM_VALUE)
		return refuse_with_value(err, name, "a name, not a value");
	if (st == MEM_OK && out->type.n == 0)
		out->type = default_type(l, out->kind, object);
	return st;
}

/* Subject, predicate and object: all of them, or none. */
static enum mem_status
read_with_triple(struct with_line *l, const struct mem_belief_rules *rules, struct mem_err *err)
{
	struct mem_claim *c = &l->out->claim;
	enum mem_status st = read_with_word(l, "predicate", &c->predicate, err);
	l->predicate = st == MEM_OK && c->predicate.n > 0 ? mem_predicate_find(rules, c->predicate) : NULL;
	if (st == MEM_OK)
		st = read_with_term(l, "subject", false, &c->subject, err);
	if (st == MEM_OK)
		st = read_with_term(l, "object", true, &c->object, err);
	if (st != MEM_OK)
		return st;
	bool subject = c->subject.kind != MEM_TERM_NONE, object = c->object.kind != MEM_TERM_NONE;
	if (subject != object || subject != (c->predicate.n > 0))
		return mem_err_record(err, "bad_value", 0, "subject, predicate and object come together or not at all");
	return MEM_OK;
}

/* ---- the rest ------------------------------------------------------------ */

static enum mem_status
read_with_sureness(struct with_line *l, struct mem_err *err)
{
	struct mem_claim *c = &l->out->claim;
	struct mem_json v = mem_rec_value(l->rec, "confidence");
	struct mem_str word;
	c->confidence = MEM_WITH_CONFIDENCE;
	if (is_given(v) && (!mem_json_num(v, &c->confidence) || !(c->confidence > 0 && c->confidence <= 1)))
		return refuse_with_value(err, "confidence", "a number over 0, at most 1");
	c->veracity = MEM_VERACITY_INFERRED;
	enum mem_status st = read_with_text(l, mem_rec_value(l->rec, "veracity"), "veracity", MEM_WITH_NAME_MAX, &word, err);
	if (st == MEM_OK && word.n > 0 && !mem_veracity_parse(word, &c->veracity))
		return refuse_with_value(err, "veracity", "stated, inferred, tool, imported or unknown");
	return st;
}

static enum mem_status
read_with_times(struct with_line *l, struct mem_err *err)
{
	struct mem_claim *c = &l->out->claim;
	enum mem_status st = read_with_time(l, "valid_from", &c->valid_from, err);
	if (st == MEM_OK)
		st = read_with_time(l, "valid_to", &c->valid_to, err);
	if (st == MEM_OK)
		st = read_with_time(l, "due", &c->due, err);
	if (st == MEM_OK && c->valid_from != MEM_TIME_NONE && c->valid_to != MEM_TIME_NONE && c->valid_to <= c->valid_from)
		return mem_err_record(err, "bad_value", 0, "valid_to is not after valid_from");
	return st;
}

static enum mem_status
read_with_details(struct with_line *l, struct mem_err *err)
{
	struct mem_claim *c = &l->out->claim;
	const struct { const char *name; struct mem_str *to; } texts[] = {
		{ "was", &c->was }, { "detail", &c->detail }, { "domain", &c->domain }, { "topic", &c->topic },
	};
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(texts) && st == MEM_OK; i++)
		st = read_with_text(l, mem_rec_value(l->rec, texts[i].name), texts[i].name, MEM_WITH_NAME_MAX, texts[i].to, err);
	if (st == MEM_OK)
		st = read_with_word(l, "type", &c->type, err);
	if (st == MEM_OK && c->type.n == 0)
		c->type = l->predicate != NULL ? l->predicate->memory_type : MEM_STR("fact");
	if (st == MEM_OK)
		st = read_with_bool(l, "negated", &c->negated, err);
	if (st == MEM_OK)
		st = read_with_bool(l, "corrects", &c->corrects, err);
	return st;
}

enum mem_status
with_claim_read(struct with_line *l, const struct mem_belief_rules *rules, struct mem_err *err)
{
	struct mem_claim *c = &l->out->claim;
	*c = (struct mem_claim){ .valid_from = MEM_TIME_NONE, .valid_to = MEM_TIME_NONE, .due = MEM_TIME_NONE };
	enum mem_status st = read_with_text(l, mem_rec_value(l->rec, "statement"), "statement", MEM_WITH_TEXT_MAX, &c->statement, err);
	if (st == MEM_OK && c->statement.n == 0)
		return refuse_with_value(err, "statement", "a text");
	if (st == MEM_OK)
		st = read_with_triple(l, rules, err);
	if (st == MEM_OK)
		st = read_with_sureness(l, err);
	if (st == MEM_OK)
		st = read_with_times(l, err);
	return st == MEM_OK ? read_with_details(l, err) : st;
}
