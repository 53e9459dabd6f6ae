/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings of JSON that something beside them names.
 *
 * Rules for assignments see a name and its value together.  In JSON a name may be the value of a sibling, the key of the
 * object around, the first of two, or an option of a command; so each such string is told with what rules are to read before it.
 */
#include "clean/named_int.h"

#include <string.h>

#define DEPTH_MAX  32   /* of objects and lists; what lies deeper is named by nothing */
#define NAME_MAX   128  /* bytes of a name */
#define WORDS_MAX  256  /* bytes of a command before its secret */
#define LIST_MAX   64   /* words of a command */
#define STARTS_MAX 64   /* braces and brackets of a text that begin no JSON */

/* What names the strings of an object or list. */
struct naming {
	struct mem_str name;    /* as written; empty: nothing */
	bool many;              /* each of them, as in {"passwords":[…]} */
};
struct naming_walk {
	clean_named_fn *tell;
	void *ctx;
	size_t at;
	struct mem_buf before;
	bool stopped;
};

static void walk_named(struct naming_walk *w, struct mem_json v, struct naming by, unsigned depth);

/* ---- words -------------------------------------------------------------- */

static bool
is_name_key(struct mem_str key)
{
	static const char *const words[] = {
		"name", "key", "field", "id", "label", "variable", "var", "param", "parameter", "parameterkey", "header", "option", "setting",
		"property", "attribute", "envname", "k",
	};
	return clean_is_one_of(key, words, MEM_COUNT(words));
}

static bool
is_value_key(struct mem_str key)
{
	static const char *const words[] = { "value", "val", "parametervalue", "default", "defaultvalue", "current", "v" };
	return clean_is_one_of(key, words, MEM_COUNT(words));
}

/* What holds the value of the object around it, if it looks like one. */
static bool
is_holder_key(struct mem_str key)
{
	static const char *const words[] = { "text", "string", "data", "content", "plain", "plaintext", "raw" };
	return clean_is_one_of(key, words, MEM_COUNT(words));
}

/* "api_keys" without its last letter; empty: it is no plural. */
static struct mem_str
singular_key(struct mem_str key)
{
	bool many = key.n > 4 && (key.p[key.n - 1] | 32) == 's' && (key.p[key.n - 2] | 32) != 's';
	return (struct mem_str){ key.p, many ? key.n - 1 : 0 };
}

/* Characters between the quotes of a string; empty: it is none. */
static struct mem_str
string_raw(struct mem_json v)
{
	return v.type == MEM_JSON_STRING ? (struct mem_str){ v.raw.p + 1, v.raw.n - 2 } : (struct mem_str){ "", 0 };
}

/* Is one of its words, which blanks part, made as secrets are? */
static bool
has_secret_word(struct mem_str s, bool shaped)
{
	for (size_t at = 0; at < s.n;) {
		const char *blank = memchr(s.p + at, ' ', s.n - at);
		size_t start = at, end = blank != NULL ? (size_t)(blank - s.p) : s.n;
		struct mem_str word = { s.p + start, end - start };
		at = end + 1;
		if (shaped ? clean_has_secret_shape(word) : clean_check_match(CLEAN_CHECK_SECRET, s, &start, &end))
			return true;
	}
	return false;
}

/* ---- what is told ------------------------------------------------------- */

static void
tell_named(struct naming_walk *w, struct mem_str raw, struct mem_str name, bool shaped)
{
	if (name.n == 0 || name.n > NAME_MAX || raw.n == 0 || !has_secret_word(raw, shaped))
		return;
	mem_buf_reset(&w->before);
	mem_buf_str(&w->before, name);
	mem_buf_puts(&w->before, "=\"");
	w->tell(w->ctx, &(const struct clean_named){ w->at, raw, mem_buf_span(&w->before), "\"" });
}

/* Puts the words before element `i` of a command: all, or where they are too many the first and the last. */
static void
put_words_before(struct mem_buf *to, struct mem_json list, size_t i)
{
	struct mem_json_iter it = mem_json_each(list);
	struct mem_str first = { NULL, 0 }, last = { NULL, 0 };
	mem_buf_reset(to);
	for (size_t k = 0; k < i && mem_json_next(&it); k++) {
		last = string_raw(it.value);
		first = k == 0 ? last : first;
		if (to->len <= WORDS_MAX) {
			mem_buf_str(to, last);
			mem_buf_putc(to, ' ');
		}
	}
	if (to->len > WORDS_MAX) {
		mem_buf_reset(to);
		mem_buf_printf(to, "%.*s %.*s ", (int)(first.n < NAME_MAX ? first.n : NAME_MAX), first.p,
		    (int)(last.n < NAME_MAX ? last.n : NAME_MAX), last.p);
	}
}

/* A word of a command behind an option, or an option that may hold its value. */
static void
tell_word(struct naming_walk *w, struct mem_json list, size_t i, struct mem_str raw)
{
	bool option = raw.n > 0 && raw.p[0] == '-';
	put_words_before(&w->before, list, i);
	if (!option)
		mem_buf_putc(&w->before, '"');
	w->tell(w->ctx, &(const struct clean_named){ w->at, raw, mem_buf_span(&w->before), option ? " " : "\"" });
}

/* ---- the walk ----------------------------------------------------------- */

/* The name that stands beside a value in the object. */
static struct mem_str
sibling_name(struct mem_json object)
{
	struct mem_str name = { "", 0 };
	bool has_value = false;
	struct mem_json_iter it = mem_json_each(object);
	while (mem_json_next(&it)) {
		has_value |= is_value_key(it.key);
		if (name.n == 0 && is_name_key(it.key))
			name = string_raw(it.value);
	}
	return has_value ? name : (struct mem_str){ "", 0 };
}

static void
walk_named_object(struct naming_walk *w, struct mem_json v, struct naming by, unsigned depth)
{
	const struct mem_str sibling = sibling_name(v);
	struct mem_json_iter it = mem_json_each(v);
	while (!w->stopped && mem_json_next(&it)) {
		const struct mem_str many = singular_key(it.key);
		const bool value = is_value_key(it.key);
		w->at++;
		if (it.value.type == MEM_JSON_STRING && value)
			tell_named(w, string_raw(it.value), sibling.n > 0 ? sibling : by.name, false);
		else if (it.value.type == MEM_JSON_STRING && (by.many || is_holder_key(it.key)))
			tell_named(w, string_raw(it.value), by.name, true);
		walk_named(w, it.value, many.n > 0 ? (struct naming){ many, true } : (struct naming){ it.key, false }, depth + 1);
	}
}

static void
walk_named_list(struct naming_walk *w, struct mem_json v, struct naming by, unsigned depth)
{
	struct mem_json_iter it = mem_json_each(v);
	struct mem_str before = { "", 0 }, first = { "", 0 };
	size_t n = 0;
	while (mem_json_next(&it))
		n++;
	it = mem_json_each(v);
	for (size_t i = 0; !w->stopped && mem_json_next(&it); i++) {
		const struct mem_str raw = string_raw(it.value);
		first = i == 0 ? raw : first;
		if (i > 0 && i < LIST_MAX && raw.n > 0 && ((before.n > 1 && before.p[0] == '-') || (raw.n > 2 && raw.p[0] == '-')))
			tell_word(w, v, i, raw);
		else if (i == 1 && n == 2)
			tell_named(w, raw, first, true);
		else if (by.many)
			tell_named(w, raw, by.name, true);
		before = raw;
		walk_named(w, it.value, (struct naming){ .name = { "", 0 } }, depth + 1);
	}
}

static void
walk_named(struct naming_walk *w, struct mem_json v, struct naming by, unsigned depth)
{
	w->stopped |= depth > DEPTH_MAX;
	if (w->stopped)
		return;
	if (v.type == MEM_JSON_OBJECT)
		walk_named_object(w, v, by, depth);
	else if (v.type == MEM_JSON_ARRAY)
		walk_named_list(w, v, by, depth);
	else if (v.type == MEM_JSON_STRING || v.type == MEM_JSON_NUMBER)
		w->at++;
}

void
clean_each_named(struct mem_json v, clean_named_fn *tell, void *ctx)
{
	struct naming_walk w = { .tell = tell, .ctx = ctx };
	walk_named(&w, v, (struct naming){ .name = { "", 0 } }, 0);
	mem_buf_release(&w.before);
}

/* ---- JSON in a text ----------------------------------------------------- */

static size_t
skip_white_space(struct mem_str s, size_t at)
{
	while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\t' || s.p[at] == '\n' || s.p[at] == '\r'))
		at++;
	return at;
}

/* May JSON with strings begin at the brace or bracket? */
static bool
may_begin_json(struct mem_str s, size_t at)
{
	for (unsigned depth = 0; depth < 4; depth++) {
		bool object = s.p[at] == '{';
		at = skip_white_space(s, at + 1);
		if (at >= s.n || s.p[at] == '"')
			return at < s.n;
		if (object || (s.p[at] != '{' && s.p[at] != '['))
			return false;
	}
	return false;
}

/* Behind the bracket that closes the one at `at`, or 0. */
static size_t
find_json_end(struct mem_str s, size_t at)
{
	size_t open = 0;
	for (bool quoted = false; at < s.n; at++) {
		char c = s.p[at];
		if (quoted && c == '\\')
			at++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			open++;
		else if (!quoted && (c == '}' || c == ']') && --open == 0)
			return at + 1;
	}
	return 0;
}

struct named_view {
	struct mem_view *view;
	struct mem_str s;
};

static void
put_named(void *ctx, const struct clean_named *n)
{
	const struct named_view *b = ctx;
	size_t at = (size_t)(n->raw.p - b->s.p);
	mem_view_made(b->view, MEM_STR("\n"), at, 0);
	mem_view_made(b->view, n->before, at, 0);
	mem_view_same(b->view, at, n->raw.n);
	mem_view_made(b->view, mem_str(n->after), at + n->raw.n, 0);
}

/* The next `c` from `at` on; s.n: there is none. */
static size_t
find_char(struct mem_str s, size_t at, char c)
{
	const char *p = at < s.n ? memchr(s.p + at, c, s.n - at) : NULL;
	return p != NULL ? (size_t)(p - s.p) : s.n;
}

/* The next brace or bracket from `at` on, where *brace and *bracket are the last that were found. */
static size_t
find_json_start(struct mem_str s, size_t at, size_t *brace, size_t *bracket)
{
	if (*brace < at)
		*brace = find_char(s, at, '{');
	if (*bracket < at)
		*bracket = find_char(s, at, '[');
	return *brace < *bracket ? *brace : *bracket;
}

bool
clean_view_named(struct mem_view *v, const struct mem_view *parent)
{
	struct named_view b = { v, parent->text };
	unsigned failed = 0;
	mem_view_derive(v, parent);
	size_t brace = find_char(b.s, 0, '{'), bracket = find_char(b.s, 0, '[');
	for (size_t at = 0; (at = find_json_start(b.s, at, &brace, &bracket)) < b.s.n && failed < STARTS_MAX;) {
		struct mem_json json;
		size_t end = may_begin_json(b.s, at) ? find_json_end(b.s, at) : at;
		if (end > at && mem_json_scan(&json, (struct mem_str){ b.s.p + at, end - at }, NULL) == MEM_OK)
			clean_each_named(json, put_named, &b);
		else {
			failed += end != at;
			end = at + 1;
		}
		at = end;
	}
	return v->nsegs > 0;
}
