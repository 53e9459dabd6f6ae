/* SPDX-License-Identifier: Apache-2.0 */
/* What a user's own extractor prints about two episodes. */
#include <stdlib.h>
#include <string.h>

#include "belief/extract_with.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mem_belief_rules *rules;
static struct mem_clean *cleaner;
static struct mem_with_episode episodes[2];

static void
begin_once(void)
{
	const struct mem_belief_options options = { .dirfd = -1 };
	struct mem_err err;
	if (rules != NULL)
		return;
	cleaner = mem_clean_new(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	for (size_t i = 0; i < 2; i++) {
		episodes[i].source.content = MEM_STR("I work at Acm\xc3\xa9.");
		if (!mem_id_parse(mem_str(i == 0 ? "018f0000-0000-7000-8000-000000000001" : "018f0000-0000-7000-8000-000000000002"), &episodes[i].id))
			__builtin_trap();
	}
	if (mem_belief_rules_load(&rules, &options, &err) != MEM_OK)
		__builtin_trap();
}

static void
check_claim(const struct mem_claim *c, struct mem_str content)
{
	if (c->statement.n == 0 || c->statement.n > MEM_WITH_TEXT_MAX || memchr(c->statement.p, '\0', c->statement.n) != NULL ||
	    mem_utf8_valid(c->statement.p, c->statement.n) < c->statement.n)
		__builtin_trap();
	if (c->end > content.n || c->start > c->end || !(c->confidence > 0 && c->confidence <= 1))
		__builtin_trap();
	if ((c->subject.kind == MEM_TERM_NONE) != (c->predicate.n == 0) || (c->subject.kind == MEM_TERM_NONE) != (c->object.kind == MEM_TERM_NONE))
		__builtin_trap();
	if (c->valid_from != MEM_TIME_NONE && c->valid_to != MEM_TIME_NONE && c->valid_to <= c->valid_from)
		__builtin_trap();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_arena arena = { 0 };
	struct mem_with_answer answer;
	begin_once();
	const struct mem_with_options options = { .command = "/usr/bin/gist -v", .rules = rules, .clean = cleaner };
	mem_extract_with_read(&answer, &arena, &options, episodes, 2, (struct mem_str){ (const char *)data, size });
	if (answer.n > 2 * MEM_WITH_CLAIMS_MAX)
		__builtin_trap();
	for (size_t i = 0; i < answer.n; i++) {
		if (answer.v[i].episode > 1 || (i > 0 && answer.v[i].episode < answer.v[i - 1].episode))
			__builtin_trap();
		check_claim(&answer.v[i].claim, episodes[answer.v[i].episode].source.content);
	}
	mem_arena_release(&arena);
	return 0;
}
