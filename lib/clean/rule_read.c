/* SPDX-License-Identifier: Apache-2.0 */
/* A rule's values from its YAML. */
#include "clean/clean_int.h"
#include "conf/conf.h"

#include <stdio.h>
#include <string.h>

#define RULES_MAX   4096
#define BEFORE_MAX  4096
#define LITERAL_MAX 64

struct reader {
	struct mem_arena *arena;
	const struct mem_yaml *words;
	const char *file;
	struct mem_str rule;     /* name of the one being read, for messages */
	struct mem_err *err;
};

static enum mem_status
refuse(const struct reader *r, const struct mem_yaml *at, const char *fmt, ...) MEM_PRINTF(3, 4);

static enum mem_status
refuse(const struct reader *r, const struct mem_yaml *at, const char *fmt, ...)
{
	char what[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	return mem_err_set(r->err, MEM_FAIL, "%s:%u: %s%.*s%s%s", r->file, at->line,
	    r->rule.n > 0 ? "rule " : "", (int)r->rule.n, r->rule.p != NULL ? r->rule.p : "",
	    r->rule.n > 0 ? ": " : "", what);
}

/* ---- values ------------------------------------------------------------ */

static bool
is_name(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789_", s.p[i]) == NULL)
			return false;
	return s.n > 0 && s.n <= 64;
}

static enum mem_status
read_name(const struct reader *r, const struct mem_yaml *y, struct mem_str *out)
{
	if (y->type != MEM_YAML_SCALAR || !is_name(y->scalar))
		return refuse(r, y, "%s must be of a-z, 0-9 and _", y->key.p);
	*out = y->scalar;
	return MEM_OK;
}

static enum mem_status
read_bool(const struct reader *r, const struct mem_yaml *y, bool *out)
{
	*out = y->type == MEM_YAML_SCALAR && mem_str_is(y->scalar, "true");
	if (!*out && !(y->type == MEM_YAML_SCALAR && mem_str_is(y->scalar, "false")))
		return refuse(r, y, "%s must be true or false", y->key.p);
	return MEM_OK;
}

static enum mem_status
read_number(const struct reader *r, const struct mem_yaml *y, int64_t max, int64_t *out)
{
	if (y->type != MEM_YAML_SCALAR || !mem_number_parse(y->scalar, 0, max, out))
		return refuse(r, y, "%s must be a number from 0 to %lld", y->key.p, (long long)max);
	return MEM_OK;
}

static enum mem_status
read_check(const struct reader *r, const struct mem_yaml *y, enum clean_check *out)
{
	static const char *const names[CHECK_COUNT] = {
		[CHECK_NONE] = "none", [CHECK_CARD] = "card", [CHECK_IBAN] = "iban",
		[CHECK_IPV4] = "ipv4", [CHECK_IPV6] = "ipv6", [CHECK_EMAIL] = "email",
		[CHECK_PHONE] = "phone", [CHECK_PHONE_NATIONAL] = "phone_national",
		[CHECK_PHONE_E164] = "phone_e164", [CHECK_VALUE] = "value", [CHECK_SECRET] = "secret", [CHECK_PASSWORD] = "password", [CHECK_TOKEN] = "token",
		[CHECK_PASSWORD_SAID] = "password_said", [CHECK_ORDER] = "order",
	};
	for (unsigned i = 0; i < CHECK_COUNT && y->type == MEM_YAML_SCALAR; i++)
		if (mem_str_is(y->scalar, names[i])) {
			*out = i;
			return MEM_OK;
		}
	return refuse(r, y, "no such check: %s", y->type == MEM_YAML_SCALAR ? y->scalar.p : "(a list)");
}

static enum mem_status
read_group(const struct reader *r, const struct mem_yaml *y, unsigned *out)
{
	struct mem_err ignored;
	if (y->type != MEM_YAML_SCALAR || mem_redact_parse(y->scalar, out, &ignored) != MEM_OK ||
	    *out == 0 || (*out & (*out - 1)) != 0)
		return refuse(r, y, "group must be secrets, personal or network");
	return MEM_OK;
}

static enum mem_status
read_literals(const struct reader *r, const struct mem_yaml *y, struct clean_rule *rule)
{
	size_t n = 0;
	if (y->type != MEM_YAML_SEQ)
		return refuse(r, y, "literals must be a list");
	for (const struct mem_yaml *m = y->child; m != NULL; m = m->next, n++)
		if (m->type != MEM_YAML_SCALAR || m->scalar.n == 0 || m->scalar.n > LITERAL_MAX)
			return refuse(r, m, "a literal has 1 to %d bytes", LITERAL_MAX);
	rule->literals = mem_arena_alloc(r->arena, (n + 1) * sizeof *rule->literals);
	for (const struct mem_yaml *m = y->child; m != NULL; m = m->next)
		rule->literals[rule->nliterals++] = m->scalar;
	return MEM_OK;
}

/* ---- patterns ---------------------------------------------------------- */

/* `s` with <<name>> replaced by the word of that name, which may hold others. */
static enum mem_status
expand(const struct reader *r, const struct mem_yaml *at, struct mem_str s, unsigned depth,
    struct mem_buf *out)
{
	while (s.p != NULL && s.n > 0) {
		const char *open = memmem(s.p, s.n, "<<", 2);
		const char *close = open != NULL ? memmem(open, (size_t)(s.p + s.n - open), ">>", 2) : NULL;
		struct mem_str name = { NULL, 0 };
		if (close != NULL)
			name = (struct mem_str){ open + 2, (size_t)(close - open - 2) };
		if (!is_name(name)) {
			/* "<<" of a pattern's own, as in (?<<…): keep it */
			size_t n = close != NULL ? (size_t)(open + 2 - s.p) : s.n;
			mem_buf_put(out, s.p, n);
			s = (struct mem_str){ s.p + n, s.n - n };
			continue;
		}
		const struct mem_yaml *w = r->words != NULL ? r->words->child : NULL;
		while (w != NULL && !mem_str_eq(w->key, name))
			w = w->next;
		if (w == NULL || depth == 0)
			return refuse(r, at, "%s: <<%.*s>>", w == NULL ? "no such word" : "words nested too deep",
			    (int)name.n, name.p);
		mem_buf_put(out, s.p, (size_t)(open - s.p));
		enum mem_status st = expand(r, at, w->scalar, depth - 1, out);
		if (st != MEM_OK)
			return st;
		if (out->len > MEM_PATTERN_MAX)
			return refuse(r, at, "the pattern is too long");
		s = (struct mem_str){ close + 2, (size_t)(s.p + s.n - close - 2) };
	}
	return MEM_OK;
}

static enum mem_status
read_pattern(const struct reader *r, const struct mem_yaml *y, struct clean_rule *rule)
{
	struct mem_buf b = { 0 };
	if (y->type != MEM_YAML_SCALAR || y->scalar.n == 0)
		return refuse(r, y, "pattern must be text");
	enum mem_status st = expand(r, y, y->scalar, 8, &b);
	if (st == MEM_OK)
		rule->pattern = mem_arena_str(r->arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return st;
}

/* ---- rules ------------------------------------------------------------- */

static enum mem_status
read_member(const struct reader *r, const struct mem_yaml *m, bool marker, struct clean_rule *rule)
{
	enum mem_status st = MEM_OK;
	int64_t number = 0;
	if (mem_str_is(m->key, "name")) {
		st = read_name(r, m, &rule->name);
	} else if (mem_str_is(m->key, "pattern")) {
		st = read_pattern(r, m, rule);
	} else if (mem_str_is(m->key, "literals")) {
		st = read_literals(r, m, rule);
	} else if (mem_str_is(m->key, "before")) {
		st = read_number(r, m, BEFORE_MAX, &number);
		rule->before = (unsigned)number;
	} else if (mem_str_is(m->key, "ignore_case")) {
		st = read_bool(r, m, &rule->caseless);
	} else if (marker && mem_str_is(m->key, "sentence")) {
		st = read_bool(r, m, &rule->sentence);
	} else if (!marker && mem_str_is(m->key, "kind")) {
		st = read_name(r, m, &rule->kind);
	} else if (!marker && mem_str_is(m->key, "group")) {
		st = read_group(r, m, &rule->group);
	} else if (!marker && mem_str_is(m->key, "capture")) {
		st = read_number(r, m, MEM_PATTERN_GROUPS - 1, &number);
		rule->capture = (uint8_t)number;
	} else if (mem_str_is(m->key, "check")) {
		st = read_check(r, m, &rule->check);
	} else {
		st = refuse(r, m, "no such field: %s", m->key.p);
	}
	return st;
}

static enum mem_status
read_rule(struct reader *r, const struct mem_yaml *y, bool marker, struct clean_rule *rule)
{
	r->rule = (struct mem_str){ NULL, 0 };
	*rule = (struct clean_rule){ .line = y->line, .caseless = marker, .sentence = marker };
	if (y->type != MEM_YAML_MAP)
		return refuse(r, y, "a rule is a map");
	const struct mem_yaml *name = mem_yaml_get(y, "name");
	if (name == NULL)
		return refuse(r, y, "a rule without a name");
	if (name->type == MEM_YAML_SCALAR)
		r->rule = name->scalar;
	for (const struct mem_yaml *m = y->child; m != NULL; m = m->next) {
		enum mem_status st = read_member(r, m, marker, rule);
		if (st != MEM_OK)
			return st;
	}
	if (rule->pattern.n == 0)
		return refuse(r, y, "no pattern");
	if (!marker && rule->kind.n == 0)
		rule->kind = rule->name;
	if (!marker && rule->group == 0)
		rule->group = MEM_REDACT_SECRETS; /* on unless an operator says otherwise */
	rule->everywhere = rule->nliterals == 0;
	return MEM_OK;
}

static size_t
count(const struct mem_yaml *list)
{
	size_t n = 0;
	for (const struct mem_yaml *m = list != NULL ? list->child : NULL; m != NULL; m = m->next)
		n++;
	return n;
}

static enum mem_status
check_top(struct reader *r, const struct mem_yaml *root)
{
	if (root->type != MEM_YAML_MAP)
		return refuse(r, root, "rules are a map of redact, markers and words");
	for (const struct mem_yaml *m = root->child; m != NULL; m = m->next) {
		bool list = mem_str_is(m->key, "redact") || mem_str_is(m->key, "markers");
		if (!list && !mem_str_is(m->key, "words"))
			return refuse(r, m, "no such part: %s", m->key.p);
		if (m->type != (list ? MEM_YAML_SEQ : MEM_YAML_MAP))
			return refuse(r, m, "%s must be a %s", m->key.p, list ? "list" : "map");
		for (const struct mem_yaml *w = m->child; !list && w != NULL; w = w->next)
			if (w->type != MEM_YAML_SCALAR)
				return refuse(r, w, "word %s must be text", w->key.p);
	}
	return MEM_OK;
}

enum mem_status
clean_rules_read(struct clean_rule **rules, size_t *n, struct mem_arena *arena,
    struct mem_str yaml, const char *name, struct mem_err *err)
{
	struct reader r = { .arena = arena, .file = name, .err = err };
	struct mem_yaml *root;
	*n = 0;
	*rules = NULL;
	enum mem_status st = mem_yaml_parse(&root, arena, yaml, name, err);
	if (st == MEM_OK)
		st = check_top(&r, root);
	if (st != MEM_OK)
		return st;
	r.words = mem_yaml_get(root, "words");
	const struct mem_yaml *lists[] = { mem_yaml_get(root, "redact"), mem_yaml_get(root, "markers") };
	size_t total = count(lists[0]) + count(lists[1]);
	if (total > RULES_MAX)
		return mem_err_set(err, MEM_FAIL, "%s: more than %d rules", name, RULES_MAX);
	*rules = mem_arena_alloc(arena, (total + 1) * sizeof **rules);
	for (size_t i = 0; i < MEM_COUNT(lists); i++)
		for (const struct mem_yaml *m = lists[i] != NULL ? lists[i]->child : NULL; m != NULL; m = m->next)
			if ((st = read_rule(&r, m, i == 1, &(*rules)[(*n)++])) != MEM_OK)
				return st;
	return MEM_OK;
}
