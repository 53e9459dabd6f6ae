/* SPDX-License-Identifier: Apache-2.0 */
/* Text that was cleaned, as a type: records that passed, and what memkit makes itself. */
#include "clean/clean_int.h"
#include "clean/clean_text.h"
#include "clean/named_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A value whose text is static, or was just written into an arena. */
static struct mem_clean_text
own_value(struct mem_str raw, enum mem_json_type type)
{
	return (struct mem_clean_text){ MEM_CLEAN_OWN, { raw, type, false } };
}

/* ---- records ---------------------------------------------------------- */

static enum mem_status
join_fields(struct mem_buf *out, struct mem_findings *f, const struct mem_rec *in, struct mem_err *err)
{
	struct mem_buf joined = { 0 };
	enum mem_status st = clean_split_fields(&joined, f, in->text, mem_buf_span(out), err);
	if (joined.len > 0) {
		mem_buf_reset(out);
		mem_buf_str(out, mem_buf_span(&joined));
	}
	mem_buf_release(&joined);
	return st;
}

static void
keep_named(void *ctx, const struct clean_named *n)
{
	struct mem_findings *f = ctx;
	if (!clean_has_literal(&f->clean->sets[0], n->before) && (f->clean->sets[1].n == 0 || !clean_has_literal(&f->clean->sets[1], n->before)))
		return;
	f->named = mem_grow(f->named, &f->named_cap, f->nnamed + 1, sizeof *f->named);
	f->named[f->nnamed] = *n;
	f->named[f->nnamed++].before = mem_arena_str(&f->arena, n->before);
}

/* Notes which strings something beside them names.  Where no field is a list or an object only `value` can be. */
static void
find_named(struct mem_findings *f, const struct mem_rec *in)
{
	bool may_be = mem_json_there(mem_rec_value(in, "value"));
	for (size_t i = 0; !may_be && i < in->nfields; i++)
		may_be = in->fields[i].value.type == MEM_JSON_OBJECT || in->fields[i].value.type == MEM_JSON_ARRAY;
	if (may_be)
		clean_each_named(mem_rec_json(in), keep_named, f);
}

/* All of the record through the sanitiser, string by string, and then what two of them hold of one token. */
static enum mem_status
map_record(struct mem_buf *out, struct mem_findings *f, struct mem_clean *c, const struct mem_rec *in, struct mem_err *err)
{
	mem_findings_begin(f, c, in->text.n);
	find_named(f, in);
	if (mem_json_map(out, mem_rec_json(in), mem_clean_string, f, err) == MEM_OK)
		return c->open_end ? join_fields(out, f, in, err) : MEM_OK;
	/* The place would be one in a string. */
	if (err != NULL && err->reason != NULL && strcmp(err->reason, "residue") == 0)
		return mem_err_record(err, "residue", 0, "there is more to cut out each time it was cut");
	return mem_err_record(err, "budget", 0, "the record takes too many steps to search");
}

enum mem_status
mem_clean_record(struct mem_clean_rec *out, struct mem_findings *f, struct mem_clean *c, const struct mem_rec *in,
    struct mem_arena *a, struct mem_err *err)
{
	struct mem_buf text = { 0 };
	out->rec = in;
	out->how = MEM_CLEAN_PASSED;
	enum mem_status st = mem_rec_refuse_nul(in, err);
	if (st == MEM_OK)
		st = map_record(&text, f, c, in, err);
	/* Mostly nothing was changed, and the list of fields is there already. */
	if (st == MEM_OK && !mem_str_eq(mem_buf_span(&text), in->text)) {
		st = mem_rec_scan(&out->own, mem_arena_str(a, mem_buf_span(&text)), err);
		out->rec = &out->own;
	}
	mem_buf_release(&text);
	return st;
}

/* Does the record say of itself that it is flagged? */
static bool
has_flags(const struct mem_rec *in)
{
	struct mem_json_iter it = mem_json_each(mem_rec_value(in, "injection_flags"));
	return mem_json_next(&it);
}

enum mem_status
mem_clean_verify(struct mem_clean_rec *out, struct mem_findings *f, struct mem_clean *c, const struct mem_rec *in,
    struct mem_err *err)
{
	struct mem_buf text = { 0 };
	out->rec = in;
	out->how = MEM_CLEAN_PASSED;
	enum mem_status st = map_record(&text, f, c, in, err);
	bool flagged = f->nflags > 0 && !has_flags(in);
	if (st == MEM_OK && (f->nredactions > 0 || flagged || mem_flags_cut(f->flags, f->nflags)))
		st = mem_err_record(err, "residue", 0, "the sanitiser would change it");
	mem_buf_release(&text);
	return st;
}

void
mem_clean_restored(struct mem_clean_rec *out, const struct mem_rec *in)
{
	out->rec = in;
	out->how = MEM_CLEAN_RESTORED;
}

void
mem_clean_rec_release(struct mem_clean_rec *r)
{
	mem_rec_release(&r->own);
	r->rec = NULL;
}

struct mem_clean_text
mem_clean_part(const struct mem_clean_rec *r, struct mem_json v)
{
	struct mem_str whole = r->rec->text;
	assert(v.raw.n == 0 || (v.raw.p >= whole.p && v.raw.p + v.raw.n <= whole.p + whole.n));
	return mem_json_there(v) ? (struct mem_clean_text){ r->how, v } : mem_clean_absent();
}

struct mem_clean_text
mem_clean_value(const struct mem_clean_rec *r, const char *name)
{
	return mem_clean_part(r, mem_rec_value(r->rec, name));
}

struct mem_clean_text
mem_clean_digits(const struct mem_clean_rec *r, struct mem_json number, struct mem_arena *a)
{
	struct mem_str digits = mem_clean_part(r, number).value.raw;
	assert(number.type == MEM_JSON_NUMBER);
	char *text = mem_arena_printf(a, "\"%.*s\"", (int)digits.n, digits.p);
	return own_value((struct mem_str){ text, digits.n + 2 }, MEM_JSON_STRING);
}

/* ---- own values ------------------------------------------------------- */

struct mem_clean_text
mem_clean_null(void)
{
	return own_value(MEM_STR("null"), MEM_JSON_NULL);
}

struct mem_clean_text
mem_clean_or_null(struct mem_clean_text t)
{
	return mem_clean_there(t) ? t : mem_clean_null();
}

struct mem_clean_text
mem_clean_bool(bool v)
{
	return v ? own_value(MEM_STR("true"), MEM_JSON_TRUE) : own_value(MEM_STR("false"), MEM_JSON_FALSE);
}

struct mem_clean_text
mem_clean_empty_list(void)
{
	return own_value(MEM_STR("[]"), MEM_JSON_ARRAY);
}

struct mem_clean_text
mem_clean_empty_object(void)
{
	return own_value(MEM_STR("{}"), MEM_JSON_OBJECT);
}

struct mem_clean_text
mem_clean_int(struct mem_arena *a, int64_t v)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%lld", (long long)v);
	return own_value(mem_arena_str(a, (struct mem_str){ text, (size_t)n }), MEM_JSON_NUMBER);
}

static struct mem_clean_text
own_decimals(struct mem_arena *a, double v, void put(struct mem_buf *out, double v))
{
	struct mem_buf text = { 0 };
	put(&text, v);
	struct mem_str raw = mem_arena_str(a, mem_buf_span(&text));
	mem_buf_release(&text);
	return own_value(raw, raw.p[0] == 'n' ? MEM_JSON_NULL : MEM_JSON_NUMBER);
}

struct mem_clean_text
mem_clean_num(struct mem_arena *a, double v)
{
	return own_decimals(a, v, mem_json_put_number);
}

struct mem_clean_text
mem_clean_share(struct mem_arena *a, double v)
{
	return own_decimals(a, v, mem_json_put_share);
}

struct mem_clean_text
mem_clean_trimmed(const struct mem_clean_rec *r, struct mem_json v, struct mem_arena *a)
{
	struct mem_str text = mem_json_text(a, v), trimmed = mem_str_trim(text);
	struct mem_buf json = { 0 };
	if (trimmed.n == text.n)
		return mem_clean_part(r, v);
	mem_json_put_string(&json, trimmed);
	struct mem_str raw = mem_arena_str(a, mem_buf_span(&json));
	mem_buf_release(&json);
	return own_value(raw, MEM_JSON_STRING);
}

/* In quotes, with nothing to escape. */
static struct mem_clean_text
own_string(struct mem_arena *a, const char *p, size_t n)
{
	char *to = mem_arena_alloc(a, n + 2);
	to[0] = to[n + 1] = '"';
	memcpy(to + 1, p, n);
	return own_value((struct mem_str){ to, n + 2 }, MEM_JSON_STRING);
}

struct mem_clean_text
mem_clean_time(struct mem_arena *a, int64_t ms)
{
	char text[MEM_TIME_LEN + 1];
	mem_time_format(ms, text);
	return own_string(a, text, MEM_TIME_LEN);
}

struct mem_clean_text
mem_clean_id(struct mem_arena *a, const struct mem_id *id)
{
	char text[MEM_ID_LEN + 1];
	mem_id_format(id, text);
	return own_string(a, text, MEM_ID_LEN);
}

static bool
is_own_word(struct mem_str s)
{
	static const char others[] = "._:@/-";
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    memchr(others, c, sizeof others - 1) == NULL)
			return false;
	}
	return s.n > 0;
}

struct mem_clean_text
mem_clean_word(struct mem_arena *a, struct mem_str word)
{
	bool own = is_own_word(word);
	assert(own);
	return own ? own_string(a, word.p, word.n) : mem_clean_null();
}

/* ---- objects ---------------------------------------------------------- */

static void
begin_member(struct mem_clean_object *o)
{
	mem_buf_putc(&o->text, o->n++ == 0 ? '{' : ',');
}

void
mem_clean_object_put(struct mem_clean_object *o, const char *name, struct mem_clean_text v)
{
	if (!mem_clean_there(v))
		return;
	begin_member(o);
	mem_json_put_string(&o->text, mem_str(name));
	mem_buf_putc(&o->text, ':');
	mem_buf_str(&o->text, v.value.raw);
}

void
mem_clean_object_keep(struct mem_clean_object *o, const struct mem_clean_rec *r, const struct mem_field *f)
{
	struct mem_str value = mem_clean_part(r, f->value).value.raw;
	begin_member(o);
	mem_buf_put(&o->text, f->key.p - 1, f->key.n + 2);
	mem_buf_putc(&o->text, ':');
	mem_buf_str(&o->text, value);
}

struct mem_clean_text
mem_clean_object_end(struct mem_clean_object *o, struct mem_arena *a)
{
	mem_buf_puts(&o->text, o->n == 0 ? "{}" : "}");
	struct mem_clean_text t = own_value(mem_arena_str(a, mem_buf_span(&o->text)), MEM_JSON_OBJECT);
	mem_clean_object_release(o);
	return t;
}

void
mem_clean_list_put(struct mem_clean_object *o, struct mem_clean_text v)
{
	if (!mem_clean_there(v))
		return;
	mem_buf_putc(&o->text, o->n++ == 0 ? '[' : ',');
	mem_buf_str(&o->text, v.value.raw);
}

struct mem_clean_text
mem_clean_list_end(struct mem_clean_object *o, struct mem_arena *a)
{
	mem_buf_puts(&o->text, o->n == 0 ? "[]" : "]");
	struct mem_clean_text t = own_value(mem_arena_str(a, mem_buf_span(&o->text)), MEM_JSON_ARRAY);
	mem_clean_object_release(o);
	return t;
}

void
mem_clean_object_release(struct mem_clean_object *o)
{
	mem_buf_release(&o->text);
	o->n = 0;
}
