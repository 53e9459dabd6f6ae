/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of cleaning out of a file: which fields they have, and what those mean. */
#include "clean/clean_int.h"
#include "conf/conf.h"

#define BEFORE_MAX  4096
#define LITERAL_MAX 64

/* In the order of enum clean_check. */
static const char *const checks[CLEAN_CHECK_COUNT + 1] = {
	[CLEAN_CHECK_NONE] = "none", [CLEAN_CHECK_CARD] = "card", [CLEAN_CHECK_IBAN] = "iban",
	[CLEAN_CHECK_IPV4] = "ipv4", [CLEAN_CHECK_IPV6] = "ipv6", [CLEAN_CHECK_EMAIL] = "email",
	[CLEAN_CHECK_PHONE] = "phone", [CLEAN_CHECK_PHONE_NATIONAL] = "phone_national",
	[CLEAN_CHECK_PHONE_E164] = "phone_e164", [CLEAN_CHECK_VALUE] = "value", [CLEAN_CHECK_SECRET] = "secret",
	[CLEAN_CHECK_PASSWORD] = "password", [CLEAN_CHECK_TOKEN] = "token",
	[CLEAN_CHECK_PASSWORD_SAID] = "password_said", [CLEAN_CHECK_ORDER] = "order",
};
static const char *const group_names[] = { "secrets", "personal", "network", NULL };
static const char *const actions[] = { "flag", "cut", NULL };
static const unsigned groups[] = { MEM_REDACT_SECRETS, MEM_REDACT_PERSONAL, MEM_REDACT_NETWORK };

/* What both kinds of rules have comes first. */
enum { PATTERN, LITERALS, BEFORE, IGNORE_CASE, CHECK, SENTENCE, ACTION, KIND = SENTENCE, GROUP, CAPTURE };
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
