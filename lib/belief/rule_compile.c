/* SPDX-License-Identifier: Apache-2.0 */
/* A rule's pattern, made ready when the rule is first tried. */
#include "belief/belief_int.h"

static const char *const group_names[BELIEF_GROUPS] = {
	[BELIEF_SUBJECT] = "subject", [BELIEF_OBJECT] = "object", [BELIEF_DETAIL] = "detail", [BELIEF_WAS] = "was", [BELIEF_NOT] = "not",
	[BELIEF_SAME] = "same",
};

bool
belief_rule_compile(const struct mem_belief_rules *r, struct belief_rule *rule)
{
	struct mem_err err;
	if (rule->pattern != NULL || rule->broken)
		return !rule->broken;
	if (mem_pattern_new(&rule->pattern, rule->source, rule->caseless ? MEM_PATTERN_CASELESS : 0, &err) != MEM_OK) {
		rule->broken = true;
		belief_warn_of_rule(r, rule, err.msg);
		return false;
	}
	for (size_t i = 0; i < BELIEF_GROUPS; i++)
		rule->groups[i] = (int)mem_pattern_group(rule->pattern, group_names[i]);
	const char *why = NULL;
	if (rule->predicate != NULL && rule->groups[BELIEF_SUBJECT] == 0 && rule->groups[BELIEF_SAME] == 0)
		why = "the pattern has no group (?<subject>…) or (?<same>…)";
	else if (rule->predicate != NULL && rule->groups[BELIEF_OBJECT] == 0 && rule->object.n == 0)
		why = "the pattern has no group (?<object>…), and the rule no object";
	else if (rule->reads.n > 0 && rule->groups[BELIEF_OBJECT] == 0)
		why = "the pattern has no group (?<object>…)";
	for (size_t i = 0; i < BELIEF_GROUPS; i++)
		if (rule->groups[i] >= MEM_PATTERN_GROUPS)
			why = "too many groups before a named one: write (?:…)";
	if (why != NULL) {
		rule->broken = true;
		belief_warn_of_rule(r, rule, why);
	}
	return why == NULL;
}
