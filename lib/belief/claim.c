/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of claims, and the words of veracity. */
#include "belief/claim.h"

#include <stdlib.h>

const char *const mem_veracity_names[] = {
	[MEM_VERACITY_STATED] = "stated", [MEM_VERACITY_INFERRED] = "inferred", [MEM_VERACITY_TOOL] = "tool",
	[MEM_VERACITY_IMPORTED] = "imported", [MEM_VERACITY_UNKNOWN] = "unknown", [MEM_VERACITY_COUNT] = NULL,
};
static const double veracity_weights[] = {
	[MEM_VERACITY_STATED] = 1, [MEM_VERACITY_INFERRED] = .7, [MEM_VERACITY_TOOL] = .5, [MEM_VERACITY_IMPORTED] = .6,
	[MEM_VERACITY_UNKNOWN] = .8,
};

bool
mem_claim_predicate_valid(struct mem_str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!(name.p[i] >= 'a' && name.p[i] <= 'z') && !(name.p[i] >= '0' && name.p[i] <= '9') && name.p[i] != '_')
			return false;
	return name.n > 0 && name.n <= 64;
}

bool
mem_claim_is_value_type(struct mem_str type)
{
	static const char *const types[] = { "text", "number", "version", "date", "day", "bool" };
	for (size_t i = 0; i < MEM_COUNT(types); i++)
		if (mem_str_is(type, types[i]))
			return true;
	return false;
}

const char *
mem_veracity_name(enum mem_veracity v)
{
	return mem_veracity_names[v];
}

bool
mem_veracity_parse(struct mem_str s, enum mem_veracity *out)
{
	for (size_t i = 0; i < MEM_VERACITY_COUNT; i++)
		if (mem_str_is(s, mem_veracity_names[i])) {
			*out = (enum mem_veracity)i;
			return true;
		}
	return false;
}

double
mem_veracity_weight(enum mem_veracity v)
{
	return veracity_weights[v];
}

struct mem_claim *
mem_claim_add(struct mem_claim_list *l)
{
	if (l->n == l->cap)
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	struct mem_claim *c = &l->v[l->n++];
	*c = (struct mem_claim){ .valid_from = MEM_TIME_NONE, .valid_to = MEM_TIME_NONE, .due = MEM_TIME_NONE };
	return c;
}

void
mem_claims_reset(struct mem_claim_list *l)
{
	l->n = 0;
	l->over_budget = 0;
}

void
mem_claims_release(struct mem_claim_list *l)
{
	free(l->v);
	l->v = NULL;
	l->n = l->cap = 0;
}
