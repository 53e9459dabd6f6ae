/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of rules of belief: what is wrong with it is told by its name, and what is left of it reads any text. */
#include <stdlib.h>
#include <string.h>

#include "belief/extract.h"
#include "belief/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A mem_belief_warn_fn: every message names the file. */
static void
check_message(void *ctx, const char *message)
{
	(void)ctx;
	if (strncmp(message, "fuzz:", 5) != 0)
		abort();
}

static void
read_claims(struct mem_belief_rules *rules, struct mem_str text, enum mem_role role)
{
	struct mem_arena arena = { 0 };
	struct mem_claim_list list = { .arena = &arena };
	const struct mem_extract_source s = { .content = { text.p, mem_utf8_valid(text.p, text.n) }, .captured_at = 1700000000000,
		.role = role, .speaker = MEM_STR("Nadia") };
	struct mem_err err;
	if (mem_extract(&list, rules, &s, &err) != MEM_OK)
		abort();
	for (size_t i = 0; i < list.n; i++)
		if (list.v[i].start >= list.v[i].end || list.v[i].end > s.content.n || list.v[i].rule.n == 0)
			abort();
	mem_claims_release(&list);
	mem_arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct mem_belief_options options = { .dirfd = -1, .bare = true, .warn = check_message };
	const struct mem_str yaml = { (const char *)data, size };
	struct mem_belief_rules *rules = NULL;
	struct mem_err err = { 0 };
	enum mem_status st = mem_belief_rules_parse(&rules, &options, yaml, "fuzz", &err);
	if (st != MEM_OK) {
		if (strncmp(err.msg, "fuzz", 4) != 0)
			abort();
		return 0;
	}
	read_claims(rules, MEM_STR("Mara rides a red bike to Lund since May 2024. I don't ride trams, and Jo is blocked by the budget."), MEM_ROLE_USER);
	read_claims(rules, MEM_STR("name: hub\nstatus: up\nowner: Mara, Jo\n\n| runner | state |\n|---|---|\n| a1 | idle |\n"), MEM_ROLE_USER);
	read_claims(rules, MEM_STR("{\"runner\":{\"name\":\"a1\"},\"state\":\"idle\",\"tags\":{\"x\":1},\"list\":[{\"k\":\"v\"}]}"), MEM_ROLE_TOOL);
	read_claims(rules, yaml, MEM_ROLE_USER);
	mem_belief_rules_free(rules);
	return 0;
}
