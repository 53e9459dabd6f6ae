/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of kinds, roles and statuses. */
#include "store/store_int.h"
#include "store/node.h"

#define KIND_ROW(number, constant, ...) [number] = { __VA_ARGS__ },
static const struct mem_kind_info kinds[MEM_KIND_COUNT] = { MEM_KINDS(KIND_ROW) };
#define KIND_PLACE(number, constant, ...) PLACE_##constant,
enum { PLACE_NONE, MEM_KINDS(KIND_PLACE) };
#define KIND_CHECK(number, constant, ...) \
	_Static_assert((number) == PLACE_##constant, "kinds are numbered one after the other: " #constant);
MEM_KINDS(KIND_CHECK)

static const char *const roles[] = {
	[MEM_ROLE_USER] = "user", [MEM_ROLE_ASSISTANT] = "assistant",
	[MEM_ROLE_TOOL] = "tool", [MEM_ROLE_EVENT] = "event",
};

const char *
mem_kind_name(enum mem_kind k)
{
	return (size_t)k < MEM_COUNT(kinds) ? kinds[k].name : NULL;
}

enum mem_kind
mem_kind_parse(struct mem_str s)
{
	for (size_t i = MEM_KIND_NONE + 1; i < MEM_COUNT(kinds); i++)
		if (mem_str_is(s, kinds[i].name))
			return (enum mem_kind)i;
	return MEM_KIND_NONE;
}

uint64_t
mem_kinds_searched(void)
{
	uint64_t set = 0;
	for (size_t i = 0; i < MEM_COUNT(kinds); i++)
		set |= (uint64_t)kinds[i].searched << i;
	return set;
}

uint64_t
mem_kinds_embedded(void)
{
	uint64_t set = 0;
	for (size_t i = 0; i < MEM_COUNT(kinds); i++)
		set |= (uint64_t)kinds[i].embedded << i;
	return set;
}

uint64_t
mem_kinds_memory(void)
{
	uint64_t set = 0;
	for (size_t i = 0; i < MEM_COUNT(kinds); i++)
		set |= (uint64_t)kinds[i].memory << i;
	return set;
}

const char *
mem_role_name(enum mem_role r)
{
	return (size_t)r < MEM_COUNT(roles) ? roles[r] : NULL;
}

enum mem_role
mem_role_parse(struct mem_str s)
{
	for (size_t i = MEM_ROLE_NONE + 1; i < MEM_COUNT(roles); i++)
		if (mem_str_is(s, roles[i]))
			return (enum mem_role)i;
	return MEM_ROLE_NONE;
}

#define STATUS_ROW(number, constant, ...) [number] = { __VA_ARGS__ },
static const struct mem_status_info statuses[MEM_STATUS_COUNT] = { MEM_NODE_STATUSES(STATUS_ROW) };

enum mem_node_status
mem_node_status_parse(struct mem_str word)
{
	if (word.n == 0)
		return MEM_STATUS_ACTIVE;
	for (size_t i = 0; i < MEM_COUNT(statuses); i++)
		if (statuses[i].word != NULL && mem_str_is(word, statuses[i].word))
			return (enum mem_node_status)i;
	return MEM_STATUS_OTHER;
}

bool
mem_node_status_live(unsigned status)
{
	return status < MEM_COUNT(statuses) && statuses[status].live;
}
