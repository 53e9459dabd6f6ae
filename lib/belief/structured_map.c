/* SPDX-License-Identifier: Apache-2.0 */
/* Records to claims: which key is the subject, and what the others say of it. */
#include "belief/structured_int.h"

#include <string.h>

bool
structured_has_room(const struct structured *s)
{
	return s->out->n - s->first < STRUCTURED_CLAIMS_MAX && s->nrecords < STRUCTURED_RECORDS_MAX;
}

void
structured_record_begin(struct structured *s, enum structured_form form)
{
	s->record.form = form;
	s->record.n = 0;
}

/* ---- values ---------------------------------------------------------------- */

struct mem_str
structured_trim(struct mem_str s, const char *marks)
{
	while (s.n > 0 && strchr(marks, s.p[0]) != NULL)
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && strchr(marks, s.p[s.n - 1]) != NULL)
		s.n--;
	return s;
}

static struct mem_str
trim_value(struct mem_str v)
{
	return structured_trim(v, " \t*`\"'");
}

/* Does it say anything?  "-" and "n/a" fill a place. */
static bool
says_something(struct mem_str v)
{
	static const char *const nothing[] = { "-", "--", "?", "n/a", "N/A", "none", "None", "<none>", "null", "NULL", "unknown", "Unknown", "TBD",
		"tbd", "TODO", "{}", "[]", "[ ]", "\xe2\x80\x93", "\xe2\x80\x94" };
	for (size_t i = 0; i < MEM_COUNT(nothing); i++)
		if (mem_str_is(v, nothing[i]))
			return false;
	return v.n > 0 && v.n <= STRUCTURED_VALUE_MAX && memchr(v.p, '\n', v.n) == NULL;
}

void
structured_pair_add(struct structured *s, struct mem_str key, struct mem_str value, size_t start, size_t end)
{
	value = trim_value(value);
	if (s->record.n < STRUCTURED_PAIRS_MAX && key.n > 0 && says_something(value))
		s->record.pairs[s->record.n++] = (struct structured_pair){ .key = key, .value = value, .start = start, .end = end };
}

/* ---- looking up ------------------------------------------------------------ */

static const struct structured_pair *
find_pair(const struct structured_record *r, struct mem_str key)
{
	for (size_t i = 0; i < r->n; i++)
		if (mem_str_eq(r->pairs[i].key, key))
			return &r->pairs[i];
	return NULL;
}

/* The first step of a path: "metadata" of "metadata.name", "items" of "items[].id". */
static struct mem_str
first_step(struct mem_str path)
{
	size_t n = 0;
	while (n < path.n && path.p[n] != '.' && path.p[n] != '[' && path.p[n] != '{')
		n++;
	return (struct mem_str){ path.p, n };
}

/* One value that a path leads to. */
struct found_value {
	struct mem_str text, detail;
	size_t start, end;
};
typedef void found_value_fn(struct structured *s, void *ctx, const struct found_value *v);

static struct mem_str
scalar_text(struct structured *s, struct mem_json v)
{
	if (v.type == MEM_JSON_STRING && v.raw.n <= 4 * STRUCTURED_VALUE_MAX)
		return mem_json_text(s->arena, v);
	return v.type == MEM_JSON_NUMBER ? v.raw : (struct mem_str){ "", 0 };
}

static void
give_value(struct structured *s, struct mem_str text, struct mem_str detail, size_t start, size_t end, found_value_fn *fn, void *ctx)
{
	struct found_value f = { .text = trim_value(text), .detail = trim_value(detail), .start = start, .end = end };
	if (!says_something(f.detail))
		f.detail = (struct mem_str){ "", 0 };
	if (says_something(f.text) && structured_has_room(s))
		fn(s, ctx, &f);
}

static size_t
content_offset(const struct structured *s, struct mem_str inside)
{
	return (size_t)(inside.p - s->source->content.p);
}

static void walk_path(struct structured *s, struct mem_json v, struct mem_str path, found_value_fn *fn, void *ctx);

/* "{}": the keys of an object, each with its value as a detail. */
static void
walk_keys(struct structured *s, struct mem_json v, found_value_fn *fn, void *ctx)
{
	struct mem_json_iter it = mem_json_each(v);
	while (v.type == MEM_JSON_OBJECT && structured_has_room(s) && mem_json_next(&it))
		if (!it.key_escaped)
			give_value(s, it.key, scalar_text(s, it.value), content_offset(s, it.key) - 1, content_offset(s, it.value.raw) + it.value.raw.n, fn, ctx);
}

static void
walk_elements(struct structured *s, struct mem_json v, struct mem_str rest, found_value_fn *fn, void *ctx)
{
	struct mem_json_iter it = mem_json_each(v);
	while (v.type == MEM_JSON_ARRAY && structured_has_room(s) && mem_json_next(&it))
		walk_path(s, it.value, rest, fn, ctx);
}

/* ".name" goes on, "[]" each element, "{}" each key. */
static void
walk_path(struct structured *s, struct mem_json v, struct mem_str path, found_value_fn *fn, void *ctx)
{
	while (path.n > 0 && path.p[0] == '.') {
		struct mem_str step = first_step((struct mem_str){ path.p + 1, path.n - 1 });
		v = mem_json_member(v, mem_arena_dup(s->arena, step.p, step.n));
		path = (struct mem_str){ path.p + 1 + step.n, path.n - 1 - step.n };
	}
	if (path.n >= 2 && path.p[0] == '[')
		walk_elements(s, v, (struct mem_str){ path.p + 2, path.n - 2 }, fn, ctx);
	else if (path.n >= 2)
		walk_keys(s, v, fn, ctx);
	else if (mem_json_there(v))
		give_value(s, scalar_text(s, v), (struct mem_str){ "", 0 }, content_offset(s, v.raw), content_offset(s, v.raw) + v.raw.n, fn, ctx);
}

/* All values of a key or path of the record. */
static void
each_value(struct structured *s, struct mem_str path, bool list, found_value_fn *fn, void *ctx)
{
	struct mem_str step = s->record.form == STRUCTURED_JSON ? first_step(path) : path;
	const struct structured_pair *p = find_pair(&s->record, step);
	if (p == NULL && s->record.n > 0 && mem_str_is(path, "heading"))
		give_value(s, s->record.heading, (struct mem_str){ "", 0 }, s->record.pairs[0].start, s->record.pairs[0].end, fn, ctx);
	if (p == NULL)
		return;
	if (s->record.form == STRUCTURED_JSON) {
		walk_path(s, p->json, (struct mem_str){ path.p + step.n, path.n - step.n }, fn, ctx);
		return;
	}
	struct mem_str left = p->value;
	while (list && left.n > 0) {
		const char *comma = memchr(left.p, ',', left.n);
		size_t n = comma != NULL ? (size_t)(comma - left.p) : left.n;
		give_value(s, (struct mem_str){ left.p, n }, (struct mem_str){ "", 0 }, p->start, p->end, fn, ctx);
		left = (struct mem_str){ left.p + n + (comma != NULL), left.n - n - (comma != NULL) };
	}
	if (!list)
		give_value(s, left, (struct mem_str){ "", 0 }, p->start, p->end, fn, ctx);
}

/* ---- claims ---------------------------------------------------------------- */

struct mapped {
	const struct belief_mapping *mapping;
	const struct mem_predicate *predicate;  /* NULL: not known */
	struct mem_str subject;
};

/* Of a predicate without a form its name: "Atlas guarded by libpng" of guarded_by. */
static struct mem_str
make_mapped_statement(struct structured *s, const struct mapped *m, const struct found_value *v)
{
	struct mem_str form = belief_statement_form(s->rules, m->mapping->predicate), name = m->mapping->predicate;
	if (form.n == 0) {
		char *words = mem_arena_printf(s->arena, "{s} %.*s {o}", (int)name.n, name.p);
		for (char *p = words; *p != '\0'; p++)
			*p = *p == '_' ? ' ' : *p;
		form = mem_str(words);
	}
	return belief_statement(s->arena, form, m->subject, v->text, v->detail);
}

static struct mem_str
first_given(struct mem_str a, struct mem_str b)
{
	return a.n > 0 ? a : b;
}

static void
add_mapped_claim(struct structured *s, void *ctx, const struct found_value *v)
{
	const struct mapped *m = ctx;
	const struct belief_mapping *map = m->mapping;
	const struct mem_predicate *p = m->predicate;
	bool value = p != NULL && p->object_is_value;
	if (mem_str_eq(m->subject, v->text))
		return;
	struct mem_claim *c = mem_claim_add(s->out);
	c->statement = make_mapped_statement(s, m, v);
	c->subject = (struct mem_claim_term){ MEM_TERM_ENTITY, m->subject,
		first_given(map->subject_type, p != NULL && p->nsubject_types > 0 ? p->subject_types[0] : MEM_STR("thing")) };
	c->predicate = map->predicate;
	c->object = (struct mem_claim_term){ value ? MEM_TERM_VALUE : MEM_TERM_ENTITY, mem_arena_str(s->arena, v->text),
		first_given(map->object_type, p != NULL && p->nobject_types > 0 ? p->object_types[0] : value ? MEM_STR("text") : MEM_STR("thing")) };
	c->detail = v->detail.n > 0 ? mem_arena_str(s->arena, v->detail) : (struct mem_str){ "", 0 };
	c->type = first_given(map->type, p != NULL ? p->memory_type : MEM_STR("fact"));
	c->confidence = p != NULL ? p->confidence : .7;
	c->veracity = s->source->role == MEM_ROLE_TOOL ? MEM_VERACITY_TOOL : MEM_VERACITY_STATED;
	c->start = v->start;
	c->end = v->end;
	c->rule = map->label;
}

static void
keep_first_value(struct structured *s, void *ctx, const struct found_value *v)
{
	struct mem_str *out = ctx;
	if (out->n == 0)
		*out = mem_arena_str(s->arena, v->text);
}

static struct mem_str
find_subject(struct structured *s, const struct belief_mapping *m)
{
	struct mem_str found = { "", 0 };
	for (size_t i = 0; i < m->nsubject && found.n == 0; i++)
		each_value(s, m->subject[i], false, keep_first_value, &found);
	while (found.n > 0 && found.p[0] == '/') /* docker's names */
		found = (struct mem_str){ found.p + 1, found.n - 1 };
	return found;
}

static bool
mapping_applies(const struct structured *s, const struct belief_mapping *m)
{
	if ((m->forms & 1U << s->record.form) == 0)
		return false;
	for (size_t i = 0; i < m->nhas; i++)
		if (find_pair(&s->record, m->has[i]) == NULL)
			return false;
	return true;
}

void
structured_record_end(struct structured *s)
{
	for (size_t i = 0; i < s->mappings->n && structured_has_room(s) && s->record.n > 0; i++) {
		const struct belief_mapping *map = &s->mappings->v[i];
		struct mapped m = { .mapping = map };
		if (!mapping_applies(s, map) || (m.subject = find_subject(s, map)).n == 0)
			continue;
		m.predicate = mem_predicate_find(s->rules, map->predicate);
		size_t claims = s->out->n;
		for (size_t k = 0; k < map->nobject && s->out->n == claims; k++)
			each_value(s, map->object[k], map->list, add_mapped_claim, &m);
	}
	s->nrecords++;
	s->record.n = 0;
}
