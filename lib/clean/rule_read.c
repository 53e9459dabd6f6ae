/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of cleaning out of a file: which fields they have, and what those mean. */
#include "clean/cue_int.h"
#include "conf/conf.h"

#include <string.h>

#define BEFORE_MAX  4096
#define LITERAL_MAX 64

/* In the order of enum clean_check. */
static const char *const checks[CLEAN_CHECK_COUNT + 1] = {
	[CLEAN_CHECK_NONE] = "none", [CLEAN_CHECK_CARD] = "card", [CLEAN_CHECK_IBAN] = "iban",
	[CLEAN_CHECK_IPV4] = "ipv4", [CLEAN_CHECK_IPV6] = "ipv6", [CLEAN_CHECK_EMAIL] = "email",
	[CLEAN_CHECK_PHONE] = "phone", [CLEAN_CHECK_PHONE_NATIONAL] = "phone_national",
	[CLEAN_CHECK_PHONE_E164] = "phone_e164", [CLEAN_CHECK_VALUE] = "value", [CLEAN_CHECK_SECRET] = "secret",
	[CLEAN_CHECK_PASSWORD] = "password", [CLEAN_CHECK_TOKEN] = "token",
	[CLEAN_CHECK_PASSWORD_SAID] = "password_said", [CLEAN_CHECK_SHAPED] = "shaped", [CLEAN_CHECK_NAMED] = "named",
	[CLEAN_CHECK_CHOSEN] = "chosen",
	[CLEAN_CHECK_KEY] = "key", [CLEAN_CHECK_OWN] = "own",
	[CLEAN_CHECK_STEUER_ID] = "steuer_id", [CLEAN_CHECK_DNI] = "dni", [CLEAN_CHECK_NIR] = "nir", [CLEAN_CHECK_ORDER] = "order",
	[CLEAN_CHECK_BARE] = "bare",
};
static const char *const group_names[] = { "secrets", "personal", "network", NULL };
static const char *const actions[] = { "flag", "cut", NULL };
static const unsigned groups[] = { MEM_REDACT_SECRETS, MEM_REDACT_PERSONAL, MEM_REDACT_NETWORK };

/* What both kinds of rules have comes first. */
enum { PATTERN, LITERALS, BEFORE, IGNORE_CASE, CHECK, SENTENCE, ACTION, KIND = SENTENCE, GROUP, CAPTURE, WRAPPED };
#define COMMON_FIELDS \
	[PATTERN] = { .name = "pattern", .type = MEM_RULE_TEXT, .required = true, .max = MEM_PATTERN_MAX }, \
	[LITERALS] = { .name = "literals", .type = MEM_RULE_LIST, .max = LITERAL_MAX, .expected = "a literal" }, \
	[BEFORE] = { .name = "before", .type = MEM_RULE_NUMBER, .max = BEFORE_MAX }, \
	[IGNORE_CASE] = { .name = "ignore_case", .type = MEM_RULE_BOOL }, \
	[CHECK] = { .name = "check", .type = MEM_RULE_WORD, .words = checks }

static const struct mem_rule_field redact_fields[] = {
	COMMON_FIELDS,
	[KIND] = { .name = "kind", .type = MEM_RULE_NAME },
	[GROUP] = { .name = "group", .type = MEM_RULE_WORD, .words = group_names, .expected = "secrets, personal or network" },
	[CAPTURE] = { .name = "capture", .type = MEM_RULE_NUMBER, .max = MEM_PATTERN_GROUPS - 1 },
	[WRAPPED] = { .name = "wrapped", .type = MEM_RULE_BOOL },
};
static const struct mem_rule_field marker_fields[] = {
	COMMON_FIELDS,
	[SENTENCE] = { .name = "sentence", .type = MEM_RULE_BOOL },
	[ACTION] = { .name = "action", .type = MEM_RULE_WORD, .words = actions, .expected = "cut or flag" },
};
enum { REDACT, MARKERS };
static const struct mem_rule_list lists[] = {
	[REDACT] = { "redact", redact_fields, MEM_COUNT(redact_fields) },
	[MARKERS] = { "markers", marker_fields, MEM_COUNT(marker_fields) },
};

static bool
rule_bool(const struct mem_rule_value *v, bool otherwise)
{
	return v->given ? v->number != 0 : otherwise;
}

static struct clean_rule
rule_from_fields(const struct mem_rule *r)
{
	const struct mem_rule_value *v = r->values;
	bool marker = r->list == MARKERS;
	struct clean_rule rule = {
		.name = r->name, .line = r->line, .pattern = v[PATTERN].text,
		.literals = v[LITERALS].list, .nliterals = v[LITERALS].n, .everywhere = v[LITERALS].n == 0,
		.before = (unsigned)v[BEFORE].number, .check = (enum clean_check)v[CHECK].number,
		.caseless = rule_bool(&v[IGNORE_CASE], marker),
	};
	if (marker) {
		rule.sentence = rule_bool(&v[SENTENCE], true);
		rule.cut = v[ACTION].number != 0;
		return rule;
	}
	rule.kind = v[KIND].given ? v[KIND].text : r->name;
	/* On unless an operator says otherwise. */
	rule.group = v[GROUP].given ? groups[v[GROUP].number] : MEM_REDACT_SECRETS;
	rule.capture = (uint8_t)v[CAPTURE].number;
	rule.wrapped = rule_bool(&v[WRAPPED], false);
	return rule;
}

enum mem_status
clean_rules_read(struct clean_rule **rules, size_t *n, struct mem_arena *arena,
    struct mem_str yaml, const char *name, struct mem_err *err)
{
	struct mem_rules read;
	*n = 0;
	*rules = NULL;
	enum mem_status st = mem_rules_read(&read, arena, lists, MEM_COUNT(lists), yaml, name, err);
	if (st != MEM_OK)
		return st;
	*rules = mem_arena_alloc(arena, (read.n + 1) * sizeof **rules);
	for (; *n < read.n; (*n)++)
		(*rules)[*n] = rule_from_fields(&read.rules[*n]);
	return MEM_OK;
}

/* ---- cues --------------------------------------------------------------- */

enum { CUE_WORDS, CUE_WITH, CUE_PAIRED_ONLY };
static const struct mem_rule_field cue_fields[] = {
	[CUE_WORDS] = { .name = "words", .type = MEM_RULE_LIST, .required = true, .max = LITERAL_MAX, .expected = "a word" },
	[CUE_WITH] = { .name = "with", .type = MEM_RULE_LIST, .max = LITERAL_MAX, .expected = "the name of a class" },
	[CUE_PAIRED_ONLY] = { .name = "paired_only", .type = MEM_RULE_BOOL },
};
enum { TOGETHER_CLASSES, TOGETHER_INNER };
static const struct mem_rule_field together_fields[] = {
	[TOGETHER_CLASSES] = { .name = "classes", .type = MEM_RULE_LIST, .required = true, .max = LITERAL_MAX, .expected = "the name of a class" },
	[TOGETHER_INNER] = { .name = "inner", .type = MEM_RULE_LIST, .max = LITERAL_MAX, .expected = "the name of a class" },
};
enum { CUES, TOGETHER };
static const struct mem_rule_list cue_lists[] = {
	[CUES] = { "cues", cue_fields, MEM_COUNT(cue_fields) },
	[TOGETHER] = { "together", together_fields, MEM_COUNT(together_fields) },
};

/* Bits of the classes that are named. */
static enum mem_status
find_cue_classes(uint64_t *bits, const struct clean_cues *cues, const struct mem_rule_value *names, const char *file, struct mem_err *err)
{
	*bits = 0;
	for (size_t k = 0; k < names->n; k++) {
		size_t i = 0;
		while (i < cues->n && !mem_str_eq(cues->classes[i].name, names->list[k]))
			i++;
		if (i == cues->n)
			return mem_err_set(err, MEM_FAIL, "%s: no class of cues is named %.*s", file, (int)names->list[k].n, names->list[k].p);
		*bits |= UINT64_C(1) << i;
	}
	return MEM_OK;
}

/* The classes that stand `with` others, both ways, and those that stand together. */
static enum mem_status
join_cues(struct clean_cues *cues, const struct mem_rules *read, const char *file, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	uint64_t bits = 0;
	for (size_t i = 0; i < read->n && st == MEM_OK; i++) {
		const struct mem_rule *r = &read->rules[i];
		st = find_cue_classes(&bits, cues, &r->values[r->list == CUES ? CUE_WITH : TOGETHER_CLASSES], file, err);
		if (r->list == TOGETHER) {
			struct clean_together *t = &cues->together[cues->ntogether++];
			*t = (struct clean_together){ .rule = { .name = r->name }, .classes = bits };
			if (st == MEM_OK)
				st = find_cue_classes(&t->inner, cues, &r->values[TOGETHER_INNER], file, err);
			continue;
		}
		cues->classes[i].with |= bits;
		for (size_t k = 0; k < cues->n; k++)
			cues->classes[k].with |= (bits >> k & 1) << i;
	}
	return st;
}

enum mem_status
clean_cues_read(struct clean_cues *out, struct mem_arena *arena, struct mem_str yaml, const char *name, struct mem_err *err)
{
	struct mem_rules read;
	*out = (struct clean_cues){ 0 };
	enum mem_status st = mem_rules_read(&read, arena, cue_lists, MEM_COUNT(cue_lists), yaml, name, err);
	if (st != MEM_OK)
		return st;
	out->classes = mem_arena_alloc(arena, (read.n + 1) * sizeof *out->classes);
	out->together = mem_arena_alloc(arena, (read.n + 1) * sizeof *out->together);
	for (size_t i = 0; i < read.n && read.rules[i].list == CUES; i++) {
		const struct mem_rule_value *v = read.rules[i].values;
		out->classes[out->n++] = (struct clean_cue){ .name = read.rules[i].name, .words = v[CUE_WORDS].list, .nwords = v[CUE_WORDS].n,
			.paired_only = v[CUE_PAIRED_ONLY].number != 0 };
	}
	if (out->n > CLEAN_CUES_MAX)
		return mem_err_set(err, MEM_FAIL, "%s: more than %d classes of cues", name, CLEAN_CUES_MAX);
	return join_cues(out, &read, name, err);
}

/* A Cyrillic small letter at the beginning made a capital, since the automaton folds ASCII alone; n 0: there is none. */
static struct mem_str
capitalise_word(struct mem_arena *arena, struct mem_str w)
{
	uint32_t c = 0;
	size_t n = mem_utf8_decode(w.p, w.n, &c);
	if (c < 0x430 || c > 0x45f)
		return (struct mem_str){ NULL, 0 };
	struct mem_buf b = { 0 };
	mem_buf_utf8(&b, c < 0x450 ? c - 0x20 : c - 0x50);
	mem_buf_put(&b, w.p + n, w.n - n);
	struct mem_str s = mem_arena_str(arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

static void
add_cue_literal(struct clean_rule *r, struct mem_arena *arena, struct mem_str w)
{
	struct mem_str capital = capitalise_word(arena, w);
	r->literals[r->nliterals++] = w;
	if (capital.n > 0)
		r->literals[r->nliterals++] = capital;
}

struct clean_rule *
clean_cues_append(struct mem_arena *arena, const struct clean_rule *rules, size_t n, const struct clean_cue *cues, size_t ncues)
{
	struct clean_rule *all = mem_arena_alloc(arena, (n + 2 * ncues + 1) * sizeof *all);
	if (n > 0)
		memcpy(all, rules, n * sizeof *all);
	for (size_t i = 0; i < ncues; i++) {
		struct clean_rule *pair = &all[n + 2 * i];
		for (size_t k = 0; k < 2; k++)
			pair[k] = (struct clean_rule){ .name = cues[i].name, .literals = mem_arena_alloc(arena, (2 * cues[i].nwords + 1) * sizeof(struct mem_str)) };
		for (size_t k = 0; k < cues[i].nwords; k++) {
			struct mem_str w = cues[i].words[k];
			bool open = w.n > 1 && w.p[w.n - 1] == '*';
			add_cue_literal(&pair[open], arena, (struct mem_str){ w.p, w.n - open });
		}
	}
	return all;
}
