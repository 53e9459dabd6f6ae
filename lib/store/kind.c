/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of kinds, roles, statuses and types. */
#include "store/kind.h"

#define KIND_ROW(number, constant, ...) [number] = { __VA_ARGS__ },
static const struct mem_kind_info kinds[MEM_KIND_COUNT] = { MEM_KINDS(KIND_ROW) };
#define KIND_PLACE(number, constant, ...) PLACE_##constant,
enum { PLACE_NONE, MEM_KINDS(KIND_PLACE) };
#define KIND_CHECK(number, constant, ...) \
	_Static_assert((number) == PLACE_##constant, "kinds are numbered one after the other: " #constant);
MEM_KINDS(KIND_CHECK)

#define TEXT_ROW(number, constant, word) [number] = (word),
static const char *const text_fields[MEM_TEXT_COUNT] = { MEM_TEXT_FIELDS(TEXT_ROW) };
_Static_assert(MEM_TEXT_COUNT < 32, "sets of them are 32 bits");

#define COMPARTMENT_ROW(number, constant, word) [number] = (word),
static const char *const compartments[MEM_COMPARTMENT_COUNT] = { MEM_COMPARTMENTS(COMPARTMENT_ROW) };

static const char *const roles[] = {
	[MEM_ROLE_USER] = "user", [MEM_ROLE_ASSISTANT] = "assistant",
	[MEM_ROLE_TOOL] = "tool", [MEM_ROLE_EVENT] = "event",
};

const struct mem_kind_info *
mem_kind_info(unsigned kind)
{
	return &kinds[kind < MEM_COUNT(kinds) ? kind : MEM_KIND_NONE];
}

const char *
mem_kind_name(enum mem_kind k)
{
	return mem_kind_info(k)->name;
}

const char *
mem_text_field_name(enum mem_text_field f)
{
	return text_fields[f];
}

const char *
mem_compartment_word(enum mem_compartment form)
{
	return compartments[form];
}

enum mem_kind
mem_kind_parse(struct mem_str s)
{
	for (size_t i = MEM_KIND_NONE + 1; i < MEM_COUNT(kinds); i++)
		if (mem_str_is(s, kinds[i].name))
			return (enum mem_kind)i;
	return MEM_KIND_NONE;
}

/* ---- sets --------------------------------------------------------------- */

_Static_assert(sizeof(struct mem_kind_set) == 2 * sizeof(uint64_t), "the functions of sets go over two words");

struct mem_kind_set
mem_kind_set_of(enum mem_kind k)
{
	struct mem_kind_set s = { 0 };
	mem_kind_set_add(&s, k);
	return s;
}

struct mem_kind_set
mem_kind_set_all(void)
{
	return (struct mem_kind_set){ { UINT64_MAX, UINT64_MAX } };
}

struct mem_kind_set
mem_kind_set_union(struct mem_kind_set a, struct mem_kind_set b)
{
	return (struct mem_kind_set){ { a.w[0] | b.w[0], a.w[1] | b.w[1] } };
}

struct mem_kind_set
mem_kind_set_common(struct mem_kind_set a, struct mem_kind_set b)
{
	return (struct mem_kind_set){ { a.w[0] & b.w[0], a.w[1] & b.w[1] } };
}

struct mem_kind_set
mem_kind_set_without(struct mem_kind_set a, struct mem_kind_set b)
{
	return (struct mem_kind_set){ { a.w[0] & ~b.w[0], a.w[1] & ~b.w[1] } };
}

struct mem_kind_set
mem_kinds_searched(void)
{
	struct mem_kind_set set = { 0 };
	for (unsigned i = 0; i < MEM_COUNT(kinds); i++)
		if (kinds[i].searched)
			mem_kind_set_add(&set, i);
	return set;
}

/* ---- roles, statuses, types --------------------------------------------- */

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

bool
mem_node_status_parse(struct mem_str word, enum mem_node_status *out)
{
	for (size_t i = 0; i < MEM_COUNT(statuses); i++)
		if (mem_str_is(word, statuses[i].word)) {
			*out = (enum mem_node_status)i;
			return true;
		}
	return false;
}

const char *
mem_node_status_word(unsigned status)
{
	return status < MEM_COUNT(statuses) ? statuses[status].word : NULL;
}

bool
mem_node_status_live(unsigned status)
{
	return status < MEM_COUNT(statuses) && statuses[status].live;
}

#define TYPE_ROW(number, constant, ...) [number] = { __VA_ARGS__ },
static const struct mem_memory_type_info types[MEM_TYPE_COUNT] = { MEM_MEMORY_TYPES(TYPE_ROW) };

const struct mem_memory_type_info *
mem_memory_type_info(unsigned type)
{
	return &types[type < MEM_COUNT(types) ? type : MEM_TYPE_NONE];
}

enum mem_memory_type
mem_memory_type_parse(struct mem_str word)
{
	if (word.n == 0)
		return MEM_TYPE_NONE;
	for (size_t i = MEM_TYPE_NONE + 1; i < MEM_COUNT(types); i++)
		if (mem_str_is(word, types[i].word))
			return (enum mem_memory_type)i;
	return MEM_TYPE_OTHER;
}
