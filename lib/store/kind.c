/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kinds and roles. */
#include "store/store_int.h"
#include "store/node.h"

static const char *const kinds[MEM_KIND_COUNT] = {
	[MEM_KIND_EPISODE] = "episode", [MEM_KIND_FACT] = "fact", [MEM_KIND_CORE] = "core",
	[MEM_KIND_ENTITY] = "entity", [MEM_KIND_NOTE] = "note", [MEM_KIND_LEARNING] = "learning",
	[MEM_KIND_SKILL] = "skill", [MEM_KIND_BAD_PATTERN] = "bad_pattern", [MEM_KIND_PAGE] = "page",
	[MEM_KIND_TAG] = "tag", [MEM_KIND_CONTEXT] = "context", [MEM_KIND_ENTRY] = "entry",
	[MEM_KIND_POOL] = "pool", [MEM_KIND_KB] = "kb", [MEM_KIND_DOCUMENT] = "document",
	[MEM_KIND_CHUNK] = "chunk", [MEM_KIND_REVIEW] = "review", [MEM_KIND_CONFLICT] = "conflict",
	[MEM_KIND_POLICY] = "policy", [MEM_KIND_DOMAIN] = "domain", [MEM_KIND_GRANT] = "grant",
	[MEM_KIND_PROPOSAL] = "proposal", [MEM_KIND_WORK] = "work", [MEM_KIND_GOAL] = "goal",
	[MEM_KIND_OBSERVATION] = "observation", [MEM_KIND_ESCALATION] = "escalation",
	[MEM_KIND_AGENT] = "agent", [MEM_KIND_TEAM] = "team", [MEM_KIND_SESSION] = "session",
	[MEM_KIND_PROMOTION] = "promotion",
};

static const char *const roles[] = {
	[MEM_ROLE_USER] = "user", [MEM_ROLE_ASSISTANT] = "assistant",
	[MEM_ROLE_TOOL] = "tool", [MEM_ROLE_EVENT] = "event",
};

static size_t
word_index(const char *const *words, size_t n, struct mem_str s)
{
	for (size_t i = 1; i < n; i++)
		if (mem_str_is(s, words[i]))
			return i;
	return 0;
}

const char *
mem_kind_name(enum mem_kind k)
{
	return (size_t)k < MEM_COUNT(kinds) ? kinds[k] : NULL;
}

enum mem_kind
mem_kind_parse(struct mem_str s)
{
	return (enum mem_kind)word_index(kinds, MEM_COUNT(kinds), s);
}

uint32_t
mem_kind_searched(void)
{
	return 1u << MEM_KIND_EPISODE | 1u << MEM_KIND_FACT | 1u << MEM_KIND_CORE | 1u << MEM_KIND_LEARNING |
	    1u << MEM_KIND_ENTRY;
}

const char *
mem_role_name(enum mem_role r)
{
	return (size_t)r < MEM_COUNT(roles) ? roles[r] : NULL;
}

enum mem_role
mem_role_parse(struct mem_str s)
{
	return (enum mem_role)word_index(roles, MEM_COUNT(roles), s);
}
