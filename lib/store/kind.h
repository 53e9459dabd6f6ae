/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes may be, as tables: kinds and sets of them, roles, statuses, types. */
#ifndef MEM_KIND_H
#define MEM_KIND_H

#include "base/base.h"

/*
 * Kinds of nodes, one a line: the number under which stores keep it, the constant, the word, and what holds of
 * it.  A new kind comes at the end, with the next number, and has a row in mem-records(5).
 *   searched   a search looks at it unless asked for other kinds
 *   embedded   its text gets a vector
 *   memory     it carries importance, trust, confidence and what goes with them
 */
#define MEM_KINDS(KIND) \
	KIND( 1, EPISODE, .name = "episode", .searched = true, .embedded = true, .memory = true) \
	KIND( 2, FACT, .name = "fact", .searched = true, .embedded = true, .memory = true) \
	KIND( 3, CORE, .name = "core", .searched = true, .embedded = true, .memory = true) \
	KIND( 4, ENTITY, .name = "entity", .embedded = true, .memory = true) \
	KIND( 5, NOTE, .name = "note", .embedded = true, .memory = true) \
	KIND( 6, LEARNING, .name = "learning", .searched = true, .embedded = true, .memory = true) \
	KIND( 7, SKILL, .name = "skill", .embedded = true, .memory = true) \
	KIND( 8, BAD_PATTERN, .name = "bad_pattern", .embedded = true, .memory = true) \
	KIND( 9, PAGE, .name = "page", .embedded = true) \
	KIND(10, TAG, .name = "tag") \
	KIND(11, CONTEXT, .name = "context") \
	KIND(12, ENTRY, .name = "entry", .searched = true, .embedded = true) \
	KIND(13, POOL, .name = "pool") \
	KIND(14, KB, .name = "kb") \
	KIND(15, DOCUMENT, .name = "document") \
	KIND(16, CHUNK, .name = "chunk", .embedded = true) \
	KIND(17, REVIEW, .name = "review") \
	KIND(18, CONFLICT, .name = "conflict") \
	KIND(19, POLICY, .name = "policy") \
	KIND(20, DOMAIN, .name = "domain") \
	KIND(21, GRANT, .name = "grant") \
	KIND(22, PROPOSAL, .name = "proposal") \
	KIND(23, WORK, .name = "work") \
	KIND(24, GOAL, .name = "goal") \
	KIND(25, OBSERVATION, .name = "observation") \
	KIND(26, ESCALATION, .name = "escalation") \
	KIND(27, AGENT, .name = "agent") \
	KIND(28, TEAM, .name = "team") \
	KIND(29, SESSION, .name = "session") \
	KIND(30, PROMOTION, .name = "promotion") \
	KIND(31, TASK, .name = "task") \
	KIND(32, QUERY, .name = "query") \
	KIND(33, SLOT, .name = "slot") \
	KIND(34, SNAPSHOT, .name = "snapshot") \
	KIND(35, SCRATCHPAD, .name = "scratchpad") \
	KIND(36, INTERVENTION, .name = "intervention") \
	/* here */

struct mem_kind_info {
	const char *name;
	bool searched, embedded, memory;
};
#define MEM_KIND_CONSTANT(number, constant, ...) MEM_KIND_##constant = (number),
enum mem_kind { MEM_KIND_NONE, MEM_KINDS(MEM_KIND_CONSTANT) MEM_KIND_COUNT };
const struct mem_kind_info *mem_kind_info(unsigned kind); /* of a number that is none: all is false, no name */
const char *mem_kind_name(enum mem_kind k);
enum mem_kind mem_kind_parse(struct mem_str s);          /* MEM_KIND_NONE: no such kind */

/* A set of kinds: bit kind % 64 of word kind / 64.  Zeroed it is empty. */
#define MEM_KIND_LIMIT 128               /* numbers that have a bit; no kind has a higher one */
struct mem_kind_set {
	uint64_t w[MEM_KIND_LIMIT / 64];
};
_Static_assert(MEM_KIND_COUNT <= MEM_KIND_LIMIT, "a set has no bit for the last kind: MEM_KIND_LIMIT is raised, with MEM_INDEX_FORMAT");
/* Of a number without a bit, which comes of damage: false. */
static inline bool
mem_kind_set_has(const struct mem_kind_set *s, unsigned kind)
{
	return kind < MEM_KIND_LIMIT && (s->w[kind / 64] >> kind % 64 & 1) != 0;
}
static inline void
mem_kind_set_add(struct mem_kind_set *s, unsigned kind)
{
	if (kind < MEM_KIND_LIMIT)
		s->w[kind / 64] |= UINT64_C(1) << kind % 64;
}
static inline bool
mem_kind_set_empty(const struct mem_kind_set *s)
{
	return (s->w[0] | s->w[1]) == 0;
}
static inline bool
mem_kind_set_meets(const struct mem_kind_set *a, const struct mem_kind_set *b)
{
	return ((a->w[0] & b->w[0]) | (a->w[1] & b->w[1])) != 0;
}
/* Is all of a in b? */
static inline bool
mem_kind_set_within(const struct mem_kind_set *a, const struct mem_kind_set *b)
{
	return ((a->w[0] & ~b->w[0]) | (a->w[1] & ~b->w[1])) == 0;
}
struct mem_kind_set mem_kind_set_of(enum mem_kind k);
struct mem_kind_set mem_kind_set_all(void);
struct mem_kind_set mem_kind_set_union(struct mem_kind_set a, struct mem_kind_set b);
struct mem_kind_set mem_kind_set_common(struct mem_kind_set a, struct mem_kind_set b);
struct mem_kind_set mem_kind_set_without(struct mem_kind_set a, struct mem_kind_set b);

struct mem_kind_set mem_kinds_searched(void);

enum mem_role { MEM_ROLE_NONE, MEM_ROLE_USER, MEM_ROLE_ASSISTANT, MEM_ROLE_TOOL, MEM_ROLE_EVENT };
const char *mem_role_name(enum mem_role r);              /* MEM_ROLE_NONE: NULL */
enum mem_role mem_role_parse(struct mem_str s);

/*
 * Statuses of nodes, one a line: the number under which attributes keep it, the constant, the word, and whether
 * such a node is live.  A node without a status is active; OTHER is every word that is not here.
 */
#define MEM_NODE_STATUSES(STATUS) \
	STATUS(0, ACTIVE, .word = "active", .live = true) \
	STATUS(1, SUPERSEDED, .word = "superseded") \
	STATUS(2, QUARANTINED, .word = "quarantined") \
	STATUS(3, ARCHIVED, .word = "archived") \
	STATUS(4, OTHER, .word = NULL, .live = true) \
	/* here */

struct mem_status_info {
	const char *word;
	bool live;
};
#define MEM_STATUS_CONSTANT(number, constant, ...) MEM_STATUS_##constant = (number),
enum mem_node_status { MEM_NODE_STATUSES(MEM_STATUS_CONSTANT) MEM_STATUS_COUNT };
enum mem_node_status mem_node_status_parse(struct mem_str word);
bool mem_node_status_live(unsigned status);              /* of a number that is none: false */

/*
 * Types of memories, what one is about, one a line: the number under which attributes keep it, the constant, the
 * word.  They are those whose decay has a curve of its own.  A node may have any other word for a type: OTHER.
 */
#define MEM_MEMORY_TYPES(TYPE) \
	TYPE( 1, FACT, "fact") \
	TYPE( 2, PREFERENCE, "preference") \
	TYPE( 3, DECISION, "decision") \
	TYPE( 4, COMMITMENT, "commitment") \
	TYPE( 5, GOAL, "goal") \
	TYPE( 6, EVENT, "event") \
	TYPE( 7, INSTRUCTION, "instruction") \
	TYPE( 8, RELATIONSHIP, "relationship") \
	TYPE( 9, CONTEXT, "context") \
	TYPE(10, LEARNING, "learning") \
	TYPE(11, OBSERVATION, "observation") \
	TYPE(12, ERROR, "error") \
	TYPE(13, ARTIFACT, "artifact") \
	TYPE(14, REQUEST, "request") \
	TYPE(15, UNKNOWN, "unknown") \
	/* here */

#define MEM_TYPE_CONSTANT(number, constant, word) MEM_TYPE_##constant = (number),
enum mem_memory_type { MEM_TYPE_NONE, MEM_MEMORY_TYPES(MEM_TYPE_CONSTANT) MEM_TYPE_COUNT, MEM_TYPE_OTHER = 255 };
enum mem_memory_type mem_memory_type_parse(struct mem_str word); /* of an empty word: MEM_TYPE_NONE */

#endif
