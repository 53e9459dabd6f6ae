/* SPDX-License-Identifier: Apache-2.0 */
/* Texts with front matter, lists, tables and JSON, and claims of them: the first byte says whose text it is. */
#include <stdlib.h>

#include "belief/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mem_belief_rules *
built_in_rules(void)
{
	static struct mem_belief_rules *rules;
	const struct mem_belief_options options = { .dirfd = -1 };
	struct mem_err err;
	if (rules == NULL && mem_belief_rules_load(&rules, &options, &err) != MEM_OK)
		__builtin_trap();
	return rules;
}

static void
check_term(const struct mem_claim_term *t)
{
	if (t->kind != MEM_TERM_NONE && (t->text.n == 0 || t->type.n == 0 || mem_utf8_valid(t->text.p, t->text.n) < t->text.n))
		__builtin_trap();
}

static void
check_claim(const struct mem_claim *c, const struct mem_extract_source *s)
{
	check_term(&c->subject);
	check_term(&c->object);
	if (c->start >= c->end || c->end > s->content.n || c->statement.n == 0 || !(c->confidence > 0 && c->confidence <= 1) || c->rule.n == 0)
		__builtin_trap();
	if ((c->subject.kind == MEM_TERM_NONE) != (c->predicate.n == 0) || (c->subject.kind == MEM_TERM_NONE) != (c->object.kind == MEM_TERM_NONE))
		__builtin_trap();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_arena arena = { 0 };
	struct mem_claim_list list = { .arena = &arena };
	struct mem_err err;
	if (size == 0)
		return 0;
	struct mem_extract_source s = { .content = { (const char *)data + 1, size - 1 }, .captured_at = 1700000000000,
		.role = data[0] % 2 == 0 ? MEM_ROLE_TOOL : MEM_ROLE_USER };
	if (data[0] % 4 == 1)
		s.speaker = MEM_STR("Nadia");
	s.content.n = mem_utf8_valid(s.content.p, s.content.n);
	if (mem_extract(&list, built_in_rules(), &s, &err) != MEM_OK)
		__builtin_trap();
	for (size_t i = 0; i < list.n; i++)
		check_claim(&list.v[i], &s);
	mem_claims_release(&list);
	mem_arena_release(&arena);
	return 0;
}
