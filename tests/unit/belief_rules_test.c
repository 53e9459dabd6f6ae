/* SPDX-License-Identifier: Apache-2.0 */
/* Each English rule has a sentence that it reads, and one near it that it does not: tests/data/extract/rules.tsv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "belief/extract_int.h"

#define TABLE "tests/data/extract/rules.tsv"

static struct mem_belief_rules *rules;

static struct belief_rule *
find_rule(const char *name)
{
	for (size_t i = 0; i < rules->nrules; i++)
		if (mem_str_is(rules->rules[i].name, name))
			return &rules->rules[i];
	return NULL;
}

/* How many claims the sentence makes: by the rule, or by any rule if `rule` is NULL; *stated (unless NULL): how many of them the speaker vouches for. */
static size_t
count_claims_and_stated(const char *sentence, const struct belief_rule *rule, size_t *stated)
{
	struct mem_arena a = { 0 };
	struct mem_claim_list l = { .arena = &a };
	struct mem_err err;
	struct mem_extract_source s = { .content = mem_str(sentence), .speaker = MEM_STR("Nadia"), .listener = MEM_STR("Tom"),
		.role = MEM_ROLE_USER, .captured_at = 1741946400000 };
	size_t n = 0;
	assert_int_equal(mem_extract(&l, rules, &s, &err), MEM_OK);
	for (size_t i = 0; i < l.n; i++)
		n += rule == NULL || mem_str_eq(l.v[i].rule, rule->label);
	for (size_t i = 0; stated != NULL && i < l.n; i++)
		*stated += l.v[i].veracity == MEM_VERACITY_STATED;
	mem_claims_release(&l);
	mem_arena_release(&a);
	return n;
}

static size_t
count_claims(const char *sentence, const struct belief_rule *rule)
{
	return count_claims_and_stated(sentence, rule, NULL);
}

/* Do words of the sentence call for the rule, so that its pattern is tried? */
static bool
calls_for_rule(const char *sentence, const struct belief_rule *rule)
{
	struct belief_sentence s = { .rules = rules, .text = mem_str(sentence), .language = MEM_STR("english") };
	const struct belief_work *w = rules->work;
	belief_tokens_read(&s, rules->work);
	belief_marks_read(&s, rules->work);
	for (size_t i = 0; i < w->ncandidates; i++)
		if (&rules->rules[w->candidates[i]] == rule)
			return true;
	return false;
}

/* A rule that reads a clause as a sentence, or ends one: without it the sentence says less. */
static void
check_reading_rule(struct belief_rule *rule, const char *yes, const char *no)
{
	size_t with = count_claims(yes, NULL);
	rule->broken = true;
	size_t without = count_claims(yes, NULL);
	rule->broken = false;
	if (with <= without)
		fail_msg("%s does not read: %s", rule->name.p, yes);
	if (count_claims(no, NULL) > 0)
		fail_msg("%s reads: %s", rule->name.p, no);
	if (!calls_for_rule(no, rule))
		fail_msg("%s is not even tried on: %s", rule->name.p, no);
}

/* A rule that marks what is hedged or told by somebody else: the claims stay, but the speaker does not vouch for them. */
static void
check_telling_rule(const struct belief_rule *rule, const char *yes, const char *no)
{
	size_t stated = 0;
	if (count_claims_and_stated(yes, NULL, &stated) == 0 || stated > 0)
		fail_msg("%s does not read: %s", rule->name.p, yes);
	count_claims_and_stated(no, NULL, &stated);
	if (stated == 0)
		fail_msg("%s reads: %s", rule->name.p, no);
}

/* A rule that has an effect takes away what the near sentence claims. */
static void
check_row(char *line)
{
	char *save = NULL, *name = strtok_r(line, "\t\n", &save), *yes = strtok_r(NULL, "\t\n", &save), *no = strtok_r(NULL, "\t\n", &save);
	struct belief_rule *rule = find_rule(name);
	assert_non_null(no);
	if (rule == NULL)
		fail_msg("there is no rule %s", name);
	if (rule->reads.n > 0 || rule->effect == BELIEF_BREAKS) {
		check_reading_rule(rule, yes, no);
		return;
	}
	if (rule->effect == BELIEF_TELLS || rule->effect == BELIEF_HEDGES) {
		check_telling_rule(rule, yes, no);
		return;
	}
	bool marks = rule->effect != BELIEF_EFFECTS;
	if ((count_claims(yes, marks ? NULL : rule) == 0) != marks)
		fail_msg("%s does not read: %s", name, yes);
	if ((count_claims(no, marks ? NULL : rule) == 0) == marks)
		fail_msg("%s reads: %s", name, no);
	if (!marks && !calls_for_rule(no, rule))
		fail_msg("%s is not even tried on: %s", name, no);
}

static void
test_each_row(void **state)
{
	FILE *f = fopen(TABLE, "r");
	char *line = NULL;
	size_t cap = 0;
	(void)state;
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0)
		check_row(line);
	free(line);
	fclose(f);
}

static void
test_each_rule_has_a_row(void **state)
{
	struct mem_buf table = { 0 };
	struct mem_err err;
	(void)state;
	assert_int_equal(mem_file_read(AT_FDCWD, TABLE, (size_t)1 << 20, &table, &err), MEM_OK);
	for (size_t i = 0; i < rules->nrules; i++) {
		const struct belief_rule *r = &rules->rules[i];
		char row[80];
		snprintf(row, sizeof row, "%s%.*s\t", i > 0 ? "\n" : "", (int)r->name.n, r->name.p);
		if (mem_str_is(r->file->language, "english") && memmem(table.data, table.len, row, strlen(row)) == NULL)
			fail_msg("no sentence for %.*s", (int)r->name.n, r->name.p);
	}
	mem_buf_release(&table);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_row), cmocka_unit_test(test_each_rule_has_a_row) };
	struct mem_belief_options o = { 0 };
	struct mem_err err;
	if (mem_belief_rules_load(&rules, &o, &err) != MEM_OK)
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	mem_belief_rules_free(rules);
	return failed;
}
