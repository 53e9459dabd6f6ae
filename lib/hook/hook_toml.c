/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML 1.0, as far as one has to read it to know that a file is TOML and which keys it sets: statements, keys, strings with
 * their escapes, the nesting of arrays and inline tables, and that no key or table is there twice.  Of numbers and times only
 * the characters are looked at.
 */
#include "hook/hook_int.h"

#include <stdlib.h>

#include "base/order.h"

enum { NESTING_MAX = 64 };
#define PART "\x1f"             /* between the parts of a path: no key holds it as it is written */
#define NUMBERED "\x01"         /* before the number of a table in an array of tables */
#define SPACE " \t"
#define GAPS " \t\r\n#"         /* between the items of an array, comments among them */

struct toml_path {
	struct mem_buf name;
	bool value;             /* it has a value, so nothing is below it; else it is a table's head */
};
struct toml_file {
	const char *p, *end;
	struct toml_path *paths;
	size_t npaths, paths_cap;
	struct toml_array {
		struct mem_buf name;
		size_t n;
	} *arrays;              /* of tables */
	size_t narrays, arrays_cap;
	struct mem_buf table;   /* the path of the one at hand, PART at its end; empty: none yet */
	int depth;
};

/* ---- words --------------------------------------------------------------------- */

static void
skip_toml_gaps(struct toml_file *t, const char *gaps)
{
	while (t->p < t->end && *t->p != '\0' && strchr(gaps, *t->p) != NULL) {
		if (*t->p == '#')
			while (t->p < t->end && *t->p != '\n')
				t->p++;
		else
			t->p++;
	}
}

static bool
take_toml_char(struct toml_file *t, char c)
{
	bool there = t->p < t->end && *t->p == c;
	t->p += there;
	return there;
}

/* What stands behind the backslash at t->p - 1, of a string of one line or `many`. */
static bool
skip_toml_escape(struct toml_file *t, bool many)
{
	if (t->p == t->end)
		return false;
	char c = *t->p++;
	size_t digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
	for (; digits > 0; digits--, t->p++)
		if (t->p == t->end || mem_hex_digit(*t->p) < 0)
			return false;
	if (many && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) {
		skip_toml_gaps(t, " \t\r");
		return c == '\n' || take_toml_char(t, '\n');
	}
	return c != '\0' && strchr("btnfr\"\\uU", c) != NULL;
}

/* A string of any of the four kinds; false: it does not end, or holds what a string cannot. */
static bool
skip_toml_string(struct toml_file *t)
{
	char quote = *t->p;
	bool many = t->end - t->p >= 3 && t->p[1] == quote && t->p[2] == quote;
	for (t->p += many ? 3 : 1; t->p < t->end;) {
		unsigned char c = (unsigned char)*t->p++;
		if (c == '\\' && quote == '"') {
			if (!skip_toml_escape(t, many))
				return false;
			continue;
		}
		if ((c < ' ' && c != '\t' && !(many && (c == '\n' || c == '\r'))) || c == 0x7f)
			return false;
		if (c != (unsigned char)quote || (many && !(t->end - t->p >= 2 && t->p[0] == quote && t->p[1] == quote)))
			continue;
		/* Up to two more of them belong to the string. */
		t->p += many ? 2 : 0;
		for (int i = 0; many && i < 2 && t->p < t->end && *t->p == quote; i++)
			t->p++;
		return true;
	}
	return false;
}

static bool
is_bare_key_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

/* One part of a key, without its quotes, as it is written. */
static bool
take_toml_key_part(struct toml_file *t, struct mem_buf *out)
{
	const char *begin = t->p;
	if (t->p < t->end && (*t->p == '"' || *t->p == '\'')) {
		bool many = t->end - t->p >= 3 && t->p[1] == t->p[0] && t->p[2] == t->p[0];
		if (many || !skip_toml_string(t))
			return false;
		mem_buf_put(out, begin + 1, (size_t)(t->p - begin) - 2);
		return true;
	}
	while (t->p < t->end && is_bare_key_char(*t->p))
		t->p++;
	mem_buf_put(out, begin, (size_t)(t->p - begin));
	return t->p > begin;
}

/* ---- paths ---------------------------------------------------------------------- */

static struct toml_array *
find_toml_array(const struct toml_file *t, const struct mem_buf *name)
{
	for (size_t i = 0; i < t->narrays; i++)
		if (mem_str_eq(mem_buf_span(&t->arrays[i].name), mem_buf_span(name)))
			return &t->arrays[i];
	return NULL;
}

/* `a . "b"` appended as the path of its parts; below an array of tables it is the last of these. */
static bool
take_toml_key(struct toml_file *t, struct mem_buf *path, bool head)
{
	for (bool more = true; more;) {
		if (!take_toml_key_part(t, path))
			return false;
		skip_toml_gaps(t, SPACE);
		more = take_toml_char(t, '.');
		skip_toml_gaps(t, SPACE);
		const struct toml_array *array = head && more ? find_toml_array(t, path) : NULL;
		if (array != NULL)
			mem_buf_printf(path, PART NUMBERED "%zu", array->n);
		if (more)
			mem_buf_puts(path, PART);
	}
	return true;
}

static void
keep_toml_path(struct toml_file *t, const struct mem_buf *name, bool value)
{
	t->paths = mem_grow(t->paths, &t->paths_cap, t->npaths + 1, sizeof *t->paths);
	t->paths[t->npaths] = (struct toml_path){ .value = value };
	mem_buf_puts(&t->paths[t->npaths].name, PART); /* so that an empty key has a path, too */
	mem_buf_str(&t->paths[t->npaths++].name, mem_buf_span(name));
}

static int
compare_toml_paths(const void *a, const void *b)
{
	const struct toml_path *x = a, *y = b;
	return strcmp(x->name.data, y->name.data);
}

/* Sorted, what is below a path stands right behind it: PART is lower than what keys are made of. */
static bool
are_toml_paths_single(struct toml_file *t)
{
	mem_sort(t->paths, t->npaths, sizeof *t->paths, compare_toml_paths);
	for (size_t i = 0; i + 1 < t->npaths; i++) {
		const struct toml_path *a = &t->paths[i], *b = &t->paths[i + 1];
		size_t n = a->name.len;
		bool same = strcmp(a->name.data, b->name.data) == 0;
		bool below = strncmp(a->name.data, b->name.data, n) == 0 && b->name.data[n] == PART[0];
		if (same || (a->value && below))
			return false;
	}
	return true;
}

/* ---- statements -------------------------------------------------------------------- */

static bool skip_toml_value(struct toml_file *t);

static bool
skip_toml_array(struct toml_file *t)
{
	for (skip_toml_gaps(t, GAPS); !take_toml_char(t, ']'); skip_toml_gaps(t, GAPS)) {
		if (!skip_toml_value(t))
			return false;
		skip_toml_gaps(t, GAPS);
		if (!take_toml_char(t, ',') && (t->p == t->end || *t->p != ']'))
			return false;
	}
	return true;
}

static bool
skip_toml_inline_table(struct toml_file *t)
{
	struct mem_buf key = { 0 };
	bool ok = true;
	for (skip_toml_gaps(t, GAPS); ok && !take_toml_char(t, '}'); skip_toml_gaps(t, GAPS)) {
		ok = take_toml_key(t, &key, false) && take_toml_char(t, '=');
		skip_toml_gaps(t, SPACE);
		ok = ok && skip_toml_value(t);
		skip_toml_gaps(t, GAPS);
		ok = ok && (take_toml_char(t, ',') || (t->p < t->end && *t->p == '}'));
	}
	mem_buf_release(&key);
	return ok;
}

/* true, false, a number, or a time, in which a space may part the day from the hour. */
static bool
skip_toml_plain(struct toml_file *t)
{
	static const char *const words[] = { "true", "false", "inf", "nan", "+inf", "-inf", "+nan", "-nan" };
	const char *begin = t->p;
	while (t->p < t->end && (is_bare_key_char(*t->p) || *t->p == '+' || *t->p == '.' || *t->p == ':'))
		t->p++;
	struct mem_str word = { begin, (size_t)(t->p - begin) };
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (mem_str_is(word, words[i]))
			return true;
	size_t sign = word.n > 0 && (word.p[0] == '+' || word.p[0] == '-');
	if (word.n <= sign || word.p[sign] < '0' || word.p[sign] > '9')
		return false;
	for (size_t i = sign; i < word.n; i++)
		if (strchr("0123456789abcdefABCDEFxob_+-.:TtZz", word.p[i]) == NULL)
			return false;
	bool day = word.n == strlen("2026-11-30") && word.p[4] == '-' && word.p[7] == '-';
	if (day && t->end - t->p > 2 && t->p[0] == ' ' && t->p[1] >= '0' && t->p[1] <= '9') {
		t->p++;
		return skip_toml_plain(t);
	}
	return true;
}

static bool
skip_toml_value(struct toml_file *t)
{
	if (t->p == t->end || t->depth == NESTING_MAX)
		return false;
	if (*t->p == '"' || *t->p == '\'')
		return skip_toml_string(t);
	if (*t->p != '[' && *t->p != '{')
		return skip_toml_plain(t);
	t->depth++;
	bool ok = *t->p++ == '[' ? skip_toml_array(t) : skip_toml_inline_table(t);
	t->depth--;
	return ok;
}

/* [a.b], [[a.b]] */
static bool
read_toml_head(struct toml_file *t)
{
	bool array = take_toml_char(t, '[');
	struct mem_buf name = { 0 };
	skip_toml_gaps(t, SPACE);
	bool ok = take_toml_key(t, &name, true) && take_toml_char(t, ']') && (!array || take_toml_char(t, ']'));
	if (ok && array) {
		struct toml_array *a = find_toml_array(t, &name);
		if (a == NULL) {
			t->arrays = mem_grow(t->arrays, &t->arrays_cap, t->narrays + 1, sizeof *t->arrays);
			a = &t->arrays[t->narrays++];
			*a = (struct toml_array){ 0 };
			mem_buf_str(&a->name, mem_buf_span(&name));
		}
		mem_buf_printf(&name, PART NUMBERED "%zu", ++a->n);
	}
	if (ok) {
		keep_toml_path(t, &name, false);
		mem_buf_reset(&t->table);
		mem_buf_str(&t->table, mem_buf_span(&name));
		mem_buf_puts(&t->table, PART);
	}
	mem_buf_release(&name);
	return ok;
}

static bool
read_toml_pair(struct toml_file *t)
{
	struct mem_buf name = { 0 };
	mem_buf_str(&name, mem_buf_span(&t->table));
	bool ok = take_toml_key(t, &name, false) && take_toml_char(t, '=');
	skip_toml_gaps(t, SPACE);
	ok = ok && skip_toml_value(t);
	if (ok)
		keep_toml_path(t, &name, true);
	mem_buf_release(&name);
	return ok;
}

static bool
read_toml_statements(struct toml_file *t)
{
	bool ok = true;
	for (skip_toml_gaps(t, GAPS); ok && t->p < t->end; skip_toml_gaps(t, GAPS)) {
		ok = take_toml_char(t, '[') ? read_toml_head(t) : read_toml_pair(t);
		/* One a line. */
		skip_toml_gaps(t, " \t\r#");
		ok = ok && (t->p == t->end || *t->p == '\n');
	}
	return ok;
}

/* Is the key set, or one below it, outside of all tables? */
static bool
has_toml_key(const struct toml_file *t, const char *key)
{
	size_t n = strlen(key);
	for (size_t i = 0; i < t->npaths; i++) {
		const char *name = t->paths[i].name.data + 1;
		if (strncmp(name, key, n) == 0 && (name[n] == '\0' || name[n] == PART[0]))
			return true;
	}
	return false;
}

enum mem_status
hook_toml_find(struct mem_str text, const char *key, size_t *line)
{
	struct toml_file t = { .p = text.p, .end = text.p + text.n };
	enum mem_status st = MEM_FAIL;
	*line = 0;
	if (text.n == 0)
		return MEM_OK;
	bool read = mem_utf8_valid(text.p, text.n) == text.n && read_toml_statements(&t);
	if (read && are_toml_paths_single(&t))
		st = has_toml_key(&t, key) ? MEM_EXISTS : MEM_OK;
	if (!read) {
		*line = 1;
		for (const char *p = text.p; p < t.p; p++)
			*line += *p == '\n';
	}
	for (size_t i = 0; i < t.npaths; i++)
		mem_buf_release(&t.paths[i].name);
	for (size_t i = 0; i < t.narrays; i++)
		mem_buf_release(&t.arrays[i].name);
	free(t.paths);
	free(t.arrays);
	mem_buf_release(&t.table);
	return st;
}
