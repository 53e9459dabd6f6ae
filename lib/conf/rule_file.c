/* SPDX-License-Identifier: Apache-2.0 */
/* Rule files: lists of named rules, read by the tables of the room that they are for. */
#include "conf/conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MAX      4096
#define NAME_MAX_BYTES 64
#define WORDS_DEPTH    8     /* words that are put in for words */
#define WORDS_PUT      10000 /* for one text: empty words would make it no longer, but take for ever */

struct rule_file_reader {
	struct mem_arena *arena;
	const struct mem_rule_shape *shape;
	const struct mem_yaml *words;
	const char *file;
	struct mem_str rule;     /* name of the one being read, for messages */
	struct mem_err *err;
};

enum mem_status
mem_rule_refuse(struct mem_err *err, const char *file, unsigned line, struct mem_str rule, const char *fmt, ...)
{
	char what[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	return mem_err_set(err, MEM_FAIL, "%s:%u: %s%.*s%s%s", file, line, rule.n > 0 ? "rule " : "",
	    (int)rule.n, rule.p != NULL ? rule.p : "", rule.n > 0 ? ": " : "", what);
}

static enum mem_status
refuse_rule_at(const struct rule_file_reader *r, const struct mem_yaml *at, const char *fmt, ...) MEM_PRINTF(3, 4);

static enum mem_status
refuse_rule_at(const struct rule_file_reader *r, const struct mem_yaml *at, const char *fmt, ...)
{
	char what[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	return mem_rule_refuse(r->err, r->file, at->line, r->rule, "%s", what);
}

/* ---- words ------------------------------------------------------------- */

static bool
is_rule_name(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789_", s.p[i]) == NULL)
			return false;
	return s.n > 0 && s.n <= NAME_MAX_BYTES;
}

static const struct mem_yaml *
find_rule_word(const struct rule_file_reader *r, struct mem_str name)
{
	const struct mem_yaml *w = r->words != NULL ? r->words->child : NULL;
	while (w != NULL && !mem_str_eq(w->key, name))
		w = w->next;
	return w;
}

/* Appends `s` with <<name>> replaced by the word of that name, which may hold others. */
static enum mem_status
expand_rule_words(const struct rule_file_reader *r, const struct mem_yaml *at, size_t max, struct mem_str s, unsigned depth,
    unsigned *left, struct mem_buf *out)
{
	while (s.p != NULL && s.n > 0) {
		const char *open = memmem(s.p, s.n, "<<", 2);
		const char *close = open != NULL ? memmem(open, (size_t)(s.p + s.n - open), ">>", 2) : NULL;
		struct mem_str name = { NULL, 0 };
		if (close != NULL)
			name = (struct mem_str){ open + 2, (size_t)(close - open - 2) };
		if (!is_rule_name(name)) {
			/* "<<" of a text's own, as in (?<<…): keep it */
			size_t n = close != NULL ? (size_t)(open + 2 - s.p) : s.n;
			mem_buf_put(out, s.p, n);
			s = (struct mem_str){ s.p + n, s.n - n };
			continue;
		}
		const struct mem_yaml *w = find_rule_word(r, name);
		if (w == NULL || depth == 0)
			return refuse_rule_at(r, at, "%s: <<%.*s>>", w == NULL ? "no such word" : "words nested too deep",
			    (int)name.n, name.p);
		if ((*left)-- == 0)
			return refuse_rule_at(r, at, "more than %d words in the %s", WORDS_PUT, at->key.p);
		mem_buf_put(out, s.p, (size_t)(open - s.p));
		enum mem_status st = expand_rule_words(r, at, max, w->scalar, depth - 1, left, out);
		if (st != MEM_OK)
			return st;
		if (out->len > max)
			return refuse_rule_at(r, at, "the %s is too long", at->key.p);
		s = (struct mem_str){ close + 2, (size_t)(s.p + s.n - close - 2) };
	}
	return MEM_OK;
}

/* ---- values ------------------------------------------------------------ */

static enum mem_status
read_name_value(const struct rule_file_reader *r, const struct mem_yaml *y, struct mem_rule_value *v)
{
	if (y->type != MEM_YAML_SCALAR || !is_rule_name(y->scalar))
		return refuse_rule_at(r, y, "%s must be of a-z, 0-9 and _", y->key.p);
	v->text = y->scalar;
	return MEM_OK;
}

static enum mem_status
read_text_value(const struct rule_file_reader *r, const struct mem_yaml *y, size_t max, struct mem_rule_value *v)
{
	struct mem_buf b = { 0 };
	unsigned left = WORDS_PUT;
	if (y->type != MEM_YAML_SCALAR || y->scalar.n == 0)
		return refuse_rule_at(r, y, "%s must be text", y->key.p);
	enum mem_status st = expand_rule_words(r, y, max, y->scalar, WORDS_DEPTH, &left, &b);
	if (st == MEM_OK && b.len > max)
		st = refuse_rule_at(r, y, "the %s is too long", y->key.p);
	if (st == MEM_OK)
		v->text = mem_arena_str(r->arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return st;
}

static enum mem_status
read_word_value(const struct rule_file_reader *r, const struct mem_yaml *y, const struct mem_rule_field *f, struct mem_rule_value *v)
{
	for (size_t i = 0; f->words[i] != NULL && y->type == MEM_YAML_SCALAR; i++)
		if (mem_str_is(y->scalar, f->words[i])) {
			v->text = y->scalar;
			v->number = (int64_t)i;
			return MEM_OK;
		}
	if (f->expected != NULL)
		return refuse_rule_at(r, y, "%s must be %s", f->name, f->expected);
	return refuse_rule_at(r, y, "no such %s: %s", f->name, y->type == MEM_YAML_SCALAR ? y->scalar.p : "(a list)");
}

static enum mem_status
read_bool_value(const struct rule_file_reader *r, const struct mem_yaml *y, struct mem_rule_value *v)
{
	v->number = y->type == MEM_YAML_SCALAR && mem_str_is(y->scalar, "true");
	if (v->number == 0 && !(y->type == MEM_YAML_SCALAR && mem_str_is(y->scalar, "false")))
		return refuse_rule_at(r, y, "%s must be true or false", y->key.p);
	return MEM_OK;
}

static enum mem_status
read_number_value(const struct rule_file_reader *r, const struct mem_yaml *y, size_t max, struct mem_rule_value *v)
{
	if (y->type != MEM_YAML_SCALAR || !mem_number_parse(y->scalar, 0, (int64_t)max, &v->number))
		return refuse_rule_at(r, y, "%s must be a number from 0 to %zu", y->key.p, max);
	return MEM_OK;
}

static enum mem_status
read_fraction_value(const struct rule_file_reader *r, const struct mem_yaml *y, struct mem_rule_value *v)
{
	char *end = NULL;
	if (y->type == MEM_YAML_SCALAR && y->scalar.n > 0)
		v->fraction = strtod(y->scalar.p, &end); /* scalars are NUL-terminated */
	if (end == NULL || end != y->scalar.p + y->scalar.n || !(v->fraction > 0 && v->fraction <= 1))
		return refuse_rule_at(r, y, "%s must be a number over 0, up to 1", y->key.p);
	return MEM_OK;
}

static enum mem_status
read_list_value(const struct rule_file_reader *r, const struct mem_yaml *y, const struct mem_rule_field *f, struct mem_rule_value *v)
{
	size_t n = 0;
	if (y->type != MEM_YAML_SEQ)
		return refuse_rule_at(r, y, "%s must be a list", f->name);
	for (const struct mem_yaml *m = y->child; m != NULL; m = m->next, n++)
		if (m->type != MEM_YAML_SCALAR || m->scalar.n == 0 || m->scalar.n > f->max)
			return refuse_rule_at(r, m, "%s has 1 to %zu bytes", f->expected, f->max);
	v->list = mem_arena_alloc(r->arena, (n + 1) * sizeof *v->list);
	for (const struct mem_yaml *m = y->child; m != NULL; m = m->next)
		v->list[v->n++] = m->scalar;
	return MEM_OK;
}

static enum mem_status
read_field_of_type(const struct rule_file_reader *r, const struct mem_yaml *y, const struct mem_rule_field *f, struct mem_rule_value *v)
{
	v->given = true;
	v->line = y->line;
	switch (f->type) {
	case MEM_RULE_NAME: return read_name_value(r, y, v);
	case MEM_RULE_TEXT: return read_text_value(r, y, f->max, v);
	case MEM_RULE_WORD: return read_word_value(r, y, f, v);
	case MEM_RULE_BOOL: return read_bool_value(r, y, v);
	case MEM_RULE_NUMBER: return read_number_value(r, y, f->max, v);
	case MEM_RULE_FRACTION: return read_fraction_value(r, y, v);
	case MEM_RULE_LIST: return read_list_value(r, y, f, v);
	}
	return MEM_FAIL; /* not reached */
}

/* ---- rules ------------------------------------------------------------- */

/* Every rule has a name, so that the tables need not say so. */
static enum mem_status
read_rule_member(const struct rule_file_reader *r, const struct mem_yaml *y, const struct mem_rule_list *list, struct mem_rule *rule,
    struct mem_rule_value *values)
{
	if (mem_str_is(y->key, "name")) {
		struct mem_rule_value v = { 0 };
		enum mem_status st = read_name_value(r, y, &v);
		rule->name = v.text;
		return st;
	}
	for (size_t i = 0; i < list->nfields; i++)
		if (mem_str_is(y->key, list->fields[i].name))
			return read_field_of_type(r, y, &list->fields[i], &values[i]);
	return refuse_rule_at(r, y, "no such field: %s", y->key.p);
}

static enum mem_status
read_rule_map(struct rule_file_reader *r, const struct mem_yaml *y, size_t which, struct mem_rule *rule)
{
	const struct mem_rule_list *list = &r->shape->lists[which];
	struct mem_rule_value *values = mem_arena_alloc(r->arena, (list->nfields + 1) * sizeof *values);
	r->rule = (struct mem_str){ NULL, 0 };
	*rule = (struct mem_rule){ .line = y->line, .list = which, .values = values };
	if (y->type != MEM_YAML_MAP)
		return refuse_rule_at(r, y, "a rule is a map");
	const struct mem_yaml *name = mem_yaml_get(y, "name");
	if (name == NULL)
		return refuse_rule_at(r, y, "a rule without a name");
	if (name->type == MEM_YAML_SCALAR)
		r->rule = name->scalar;
	for (const struct mem_yaml *m = y->child; m != NULL; m = m->next) {
		enum mem_status st = read_rule_member(r, m, list, rule, values);
		if (st != MEM_OK)
			return st;
	}
	for (size_t i = 0; i < list->nfields; i++)
		if (list->fields[i].required && !values[i].given)
			return refuse_rule_at(r, y, "no %s", list->fields[i].name);
	return MEM_OK;
}

/* RULES_MAX keeps the square of their number small. */
static enum mem_status
refuse_repeated_name(const struct rule_file_reader *r, const struct mem_rules *rules, const struct mem_rule *one)
{
	for (size_t k = 0; k < rules->n; k++) {
		const struct mem_rule *other = &rules->rules[k];
		if (one->list == other->list && mem_str_eq(one->name, other->name))
			return mem_rule_refuse(r->err, r->file, one->line, one->name, "line %u has a rule of this name", other->line);
	}
	return MEM_OK;
}

/* ---- the file ---------------------------------------------------------- */

static bool
is_rule_list(const struct rule_file_reader *r, struct mem_str key)
{
	for (size_t i = 0; i < r->shape->nlists; i++)
		if (mem_str_is(key, r->shape->lists[i].name))
			return true;
	return false;
}

static enum mem_status
refuse_top_level(const struct rule_file_reader *r, const struct mem_yaml *root)
{
	struct mem_buf names = { 0 };
	for (size_t i = 0; i < r->shape->nlists; i++)
		mem_buf_printf(&names, "%s%s", i > 0 ? ", " : "", r->shape->lists[i].name);
	enum mem_status st = refuse_rule_at(r, root, "rules are a map of %s and words", names.data);
	mem_buf_release(&names);
	return st;
}

/* A field of the file's own. */
static enum mem_status
read_file_field(const struct rule_file_reader *r, const struct mem_yaml *m, struct mem_rule_value *values)
{
	for (size_t i = 0; i < r->shape->nfields; i++)
		if (mem_str_is(m->key, r->shape->fields[i].name))
			return read_field_of_type(r, m, &r->shape->fields[i], &values[i]);
	return refuse_rule_at(r, m, "no such part: %s", m->key.p);
}

static enum mem_status
read_top_level(const struct rule_file_reader *r, const struct mem_yaml *root, struct mem_rules *out)
{
	struct mem_rule_value *values = mem_arena_alloc(r->arena, (r->shape->nfields + 1) * sizeof *values);
	out->values = values;
	if (root->type != MEM_YAML_MAP)
		return refuse_top_level(r, root);
	for (const struct mem_yaml *m = root->child; m != NULL; m = m->next) {
		bool list = is_rule_list(r, m->key);
		if (!list && !mem_str_is(m->key, "words")) {
			enum mem_status st = read_file_field(r, m, values);
			if (st != MEM_OK)
				return st;
			continue;
		}
		if (m->type != (list ? MEM_YAML_SEQ : MEM_YAML_MAP))
			return refuse_rule_at(r, m, "%s must be a %s", m->key.p, list ? "list" : "map");
		for (const struct mem_yaml *w = m->child; !list && w != NULL; w = w->next)
			if (w->type != MEM_YAML_SCALAR)
				return refuse_rule_at(r, w, "word %s must be text", w->key.p);
	}
	for (size_t i = 0; i < r->shape->nfields; i++)
		if (r->shape->fields[i].required && !values[i].given)
			return refuse_rule_at(r, root, "no %s", r->shape->fields[i].name);
	return MEM_OK;
}

static size_t
count_list_members(const struct mem_yaml *list)
{
	size_t n = 0;
	for (const struct mem_yaml *m = list != NULL ? list->child : NULL; m != NULL; m = m->next)
		n++;
	return n;
}

static enum mem_status
read_rule_lists(struct rule_file_reader *r, const struct mem_yaml *root, struct mem_rules *out)
{
	size_t total = 0;
	for (size_t i = 0; i < r->shape->nlists; i++)
		total += count_list_members(mem_yaml_get(root, r->shape->lists[i].name));
	if (total > RULES_MAX)
		return mem_err_set(r->err, MEM_FAIL, "%s: more than %d rules", r->file, RULES_MAX);
	struct mem_rule *rules = mem_arena_alloc(r->arena, (total + 1) * sizeof *rules);
	out->rules = rules;
	for (size_t i = 0; i < r->shape->nlists; i++) {
		const struct mem_yaml *list = mem_yaml_get(root, r->shape->lists[i].name);
		for (const struct mem_yaml *m = list != NULL ? list->child : NULL; m != NULL; m = m->next) {
			struct mem_rule *one = &rules[out->n];
			enum mem_status st = read_rule_map(r, m, i, one);
			if (st == MEM_OK)
				st = refuse_repeated_name(r, out, one);
			if (st == MEM_OK)
				out->n++;
			else if (r->shape->warn == NULL)
				return st;
			else
				r->shape->warn(r->shape->ctx, r->err);
		}
	}
	return MEM_OK;
}

enum mem_status
mem_rules_read_shape(struct mem_rules *out, struct mem_arena *arena, const struct mem_rule_shape *shape, struct mem_str yaml,
    const char *file, struct mem_err *err)
{
	struct mem_err room;
	struct rule_file_reader r = { .arena = arena, .shape = shape, .file = file, .err = err != NULL ? err : &room };
	struct mem_yaml *root;
	*out = (struct mem_rules){ 0 };
	enum mem_status st = mem_yaml_parse(&root, arena, yaml, file, err);
	if (st != MEM_OK)
		return st;
	r.words = root->type == MEM_YAML_MAP ? mem_yaml_get(root, "words") : NULL;
	st = read_top_level(&r, root, out);
	return st == MEM_OK ? read_rule_lists(&r, root, out) : st;
}

enum mem_status
mem_rules_read(struct mem_rules *out, struct mem_arena *arena, const struct mem_rule_list *lists, size_t nlists,
    struct mem_str yaml, const char *name, struct mem_err *err)
{
	const struct mem_rule_shape shape = { .lists = lists, .nlists = nlists };
	return mem_rules_read_shape(out, arena, &shape, yaml, name, err);
}
