/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes may be, as tables: kinds and sets of them, roles, statuses, types. */
#ifndef MEM_KIND_H
#define MEM_KIND_H

#include "base/base.h"

/* Fields that hold text: number, constant, name. */
#define MEM_TEXT_FIELDS(FIELD) \
	FIELD(0, CONTENT, "content") \
	FIELD(1, STATEMENT, "statement") \
	FIELD(2, TITLE, "title") \
	FIELD(3, NAME, "name") \
	FIELD(4, ALIASES, "aliases") \
	FIELD(5, DESCRIPTION, "description") \
	FIELD(6, SPEAKER, "speaker") \
	FIELD(7, TAGS, "tags") \
	FIELD(8, REF, "ref") \
	/* here */

#define MEM_TEXT_CONSTANT(number, constant, word) MEM_TEXT_##constant = (number),
enum mem_text_field { MEM_TEXT_FIELDS(MEM_TEXT_CONSTANT) MEM_TEXT_COUNT };
const char *mem_text_field_name(enum mem_text_field f);

/* Sets of them.  Those whose words an index keeps, and those that a vector is made of (embed.h says how). */
#define MEM_TEXT_BIT(constant) (UINT32_C(1) << MEM_TEXT_##constant)
#define MEM_ALL_WORDS ((UINT32_C(1) << MEM_TEXT_COUNT) - 1)
#define MEM_ALL_TEXT (MEM_TEXT_BIT(CONTENT) | MEM_TEXT_BIT(STATEMENT) | MEM_TEXT_BIT(DESCRIPTION) | MEM_TEXT_BIT(TITLE) | \
	MEM_TEXT_BIT(NAME) | MEM_TEXT_BIT(SPEAKER))

/* By what the importance of a node falls with time: the curve of its type, a rate a day, or steps. */
enum mem_decay { MEM_DECAY_NOTHING, MEM_DECAY_TYPE, MEM_DECAY_RATE, MEM_DECAY_STEPS };

/*
 * Compartments of a namespace, one form a line: number, constant, and the field that has the compartment's name.  A
 * node is in one at most.
 */
#define MEM_COMPARTMENTS(FORM) \
	FORM(0, DOMAIN, "domain") \
	FORM(1, CONTEXT, "context") \
	FORM(2, POOL, "pool") \
	FORM(3, TO, "to") \
	/* here */

#define MEM_COMPARTMENT_CONSTANT(number, constant, word) MEM_COMPARTMENT_##constant = (number),
enum mem_compartment { MEM_COMPARTMENTS(MEM_COMPARTMENT_CONSTANT) MEM_COMPARTMENT_COUNT };
const char *mem_compartment_word(enum mem_compartment form);
#define MEM_IN(constant) (UINT8_C(1) << MEM_COMPARTMENT_##constant)

/*
 * Kinds of nodes, one a line: the number under which stores keep it, the constant, the word, and what holds of
 * it.  A new kind comes at the end, with the next number, and has a row in mem-records(5).
 *   searched      a search looks at it unless asked for other kinds
 *   words         fields whose words the index keeps; 0: it is in no index
 *   embedded      fields that its vector is made of; 0: it has none
 *   pieces        the codes of its word pieces are kept beside its vector, where the settings want them
 *   memory        it carries importance, trust, confidence and what goes with them
 *   decay         by what its importance falls
 *   forgettable   it may be forgotten
 *   rights        it gives rights or counts as proof, so that not everybody may bring it in
 *   expires       its expires_at comes due, and then it is forgotten
 *   removed       or removed: a log, whose rows nobody brings back
 *   compartments  forms of compartments that it may be in, as bits 1 << form
 */
#define MEM_KIND_USUAL(word) .name = (word), .words = MEM_ALL_WORDS, .expires = true
#define MEM_KIND_MEMORY .embedded = MEM_ALL_TEXT, .memory = true
/* What it is for, not how it is done.  Of tasks in a person's words with 281 skills to choose from, the right one is first for .90
 * (of 50; in the first five for all) by this vector and words, for .86 (.96) where bodies of thousands of words have passages, too. */
#define MEM_KIND_SUMMED_UP .embedded = MEM_TEXT_BIT(NAME) | MEM_TEXT_BIT(DESCRIPTION), .memory = true
#define MEM_KIND_AGES(by) .forgettable = true, .decay = MEM_DECAY_##by
#define MEM_KINDS(KIND) \
	KIND( 1, EPISODE, MEM_KIND_USUAL("episode"), .searched = true, .pieces = true, MEM_KIND_MEMORY, MEM_KIND_AGES(TYPE)) \
	KIND( 2, FACT, MEM_KIND_USUAL("fact"), .searched = true, MEM_KIND_MEMORY, MEM_KIND_AGES(TYPE), .compartments = MEM_IN(DOMAIN)) \
	KIND( 3, CORE, MEM_KIND_USUAL("core"), .searched = true, MEM_KIND_MEMORY, .rights = true) \
	KIND( 4, ENTITY, MEM_KIND_USUAL("entity"), MEM_KIND_MEMORY, MEM_KIND_AGES(TYPE)) \
	KIND( 5, NOTE, MEM_KIND_USUAL("note"), MEM_KIND_MEMORY, MEM_KIND_AGES(TYPE)) \
	KIND( 6, LEARNING, MEM_KIND_USUAL("learning"), .searched = true, MEM_KIND_MEMORY, MEM_KIND_AGES(TYPE)) \
	KIND( 7, SKILL, MEM_KIND_USUAL("skill"), MEM_KIND_SUMMED_UP, MEM_KIND_AGES(STEPS)) \
	KIND( 8, BAD_PATTERN, MEM_KIND_USUAL("bad_pattern"), MEM_KIND_MEMORY, MEM_KIND_AGES(TYPE)) \
	KIND( 9, PAGE, MEM_KIND_USUAL("page"), .embedded = MEM_ALL_TEXT) \
	KIND(10, TAG, MEM_KIND_USUAL("tag"), .decay = MEM_DECAY_RATE) \
	KIND(11, CONTEXT, MEM_KIND_USUAL("context"), .compartments = MEM_IN(CONTEXT)) \
	KIND(12, ENTRY, MEM_KIND_USUAL("entry"), .searched = true, .embedded = MEM_ALL_TEXT, MEM_KIND_AGES(RATE), .compartments = MEM_IN(CONTEXT) | MEM_IN(TO)) \
	KIND(13, POOL, MEM_KIND_USUAL("pool"), .compartments = MEM_IN(POOL)) \
	KIND(14, KB, MEM_KIND_USUAL("kb"), .compartments = MEM_IN(DOMAIN)) \
	KIND(15, DOCUMENT, MEM_KIND_USUAL("document"), .compartments = MEM_IN(DOMAIN)) \
	KIND(16, CHUNK, MEM_KIND_USUAL("chunk"), .embedded = MEM_ALL_TEXT, .compartments = MEM_IN(DOMAIN)) \
	KIND(17, REVIEW, .name = "review", .words = MEM_ALL_WORDS, .rights = true) \
	KIND(18, CONFLICT, MEM_KIND_USUAL("conflict")) \
	KIND(19, POLICY, MEM_KIND_USUAL("policy"), .rights = true, .compartments = MEM_IN(DOMAIN)) \
	KIND(20, DOMAIN, MEM_KIND_USUAL("domain"), .rights = true, .compartments = MEM_IN(DOMAIN)) \
	KIND(21, GRANT, MEM_KIND_USUAL("grant"), .rights = true) \
	KIND(22, PROPOSAL, .name = "proposal", .words = MEM_ALL_WORDS, .rights = true) \
	KIND(23, WORK, MEM_KIND_USUAL("work")) \
	KIND(24, GOAL, MEM_KIND_USUAL("goal")) \
	KIND(25, OBSERVATION, MEM_KIND_USUAL("observation")) \
	KIND(26, ESCALATION, MEM_KIND_USUAL("escalation")) \
	KIND(27, AGENT, MEM_KIND_USUAL("agent"), .rights = true) \
	KIND(28, TEAM, MEM_KIND_USUAL("team"), .rights = true) \
	KIND(29, SESSION, MEM_KIND_USUAL("session")) \
	KIND(30, PROMOTION, MEM_KIND_USUAL("promotion"), .rights = true) \
	KIND(31, TASK, MEM_KIND_USUAL("task")) \
	KIND(32, QUERY, .name = "query", .expires = true, .removed = true) \
	KIND(33, SLOT, .name = "slot", .expires = true, .compartments = MEM_IN(TO)) \
	KIND(34, SNAPSHOT, MEM_KIND_USUAL("snapshot"), .compartments = MEM_IN(CONTEXT) | MEM_IN(POOL)) \
	KIND(35, SCRATCHPAD, MEM_KIND_USUAL("scratchpad")) \
	KIND(36, INTERVENTION, MEM_KIND_USUAL("intervention")) \
	/* here */

struct mem_kind_info {
	const char *name;
	uint32_t words, embedded;
	bool searched, pieces, memory, forgettable, rights, expires, removed;
	enum mem_decay decay;
	uint8_t compartments;
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
 * such a node is live.  A node without a status is active; a text with a word that is not here is refused.
 */
#define MEM_NODE_STATUSES(STATUS) \
	STATUS(0, ACTIVE, .word = "active", .live = true) \
	STATUS(1, DRAFT, .word = "draft") \
	STATUS(2, SUPERSEDED, .word = "superseded") \
	STATUS(3, QUARANTINED, .word = "quarantined") \
	STATUS(4, DEPRECATED, .word = "deprecated") \
	STATUS(5, ARCHIVED, .word = "archived") \
	STATUS(6, RETIRED, .word = "retired") \
	STATUS(7, MERGED, .word = "merged") \
	/* here */

struct mem_status_info {
	const char *word;
	bool live;
};
#define MEM_STATUS_CONSTANT(number, constant, ...) MEM_STATUS_##constant = (number),
enum mem_node_status { MEM_NODE_STATUSES(MEM_STATUS_CONSTANT) MEM_STATUS_COUNT };
bool mem_node_status_parse(struct mem_str word, enum mem_node_status *out);
const char *mem_node_status_word(unsigned status);       /* of a number that is none: NULL */
bool mem_node_status_live(unsigned status);              /* of a number that is none: false */

/*
 * Types of memories, what one is about, one a line: the number under which attributes keep it, the constant, the
 * word, and what holds of it.  A node may have any other word for a type: OTHER.
 *   priority      which of two types a text is that could be either: the higher one
 *   shape, scale  k and eta, in hours, of the Weibull curve by which its importance falls (decay.h)
 */
#define MEM_MEMORY_TYPES(TYPE) \
	TYPE( 1, FACT, .word = "fact", .priority = 4, .shape = .8, .scale = 720) \
	TYPE( 2, PREFERENCE, .word = "preference", .priority = 5, .shape = .4, .scale = 4380) \
	TYPE( 3, DECISION, .word = "decision", .priority = 6, .shape = 1, .scale = 336) \
	TYPE( 4, COMMITMENT, .word = "commitment", .priority = 9, .shape = 1, .scale = 240) \
	TYPE( 5, GOAL, .word = "goal", .priority = 7, .shape = .9, .scale = 720) \
	TYPE( 6, EVENT, .word = "event", .priority = 2, .shape = 1.2, .scale = 168) \
	TYPE( 7, INSTRUCTION, .word = "instruction", .priority = 10, .shape = .9, .scale = 480) \
	TYPE( 8, RELATIONSHIP, .word = "relationship", .priority = 4, .shape = .35, .scale = 8760) \
	TYPE( 9, CONTEXT, .word = "context", .priority = 2, .shape = .85, .scale = 360) \
	TYPE(10, LEARNING, .word = "learning", .priority = 3, .shape = .7, .scale = 1440) \
	TYPE(11, OBSERVATION, .word = "observation", .priority = 3, .shape = .9, .scale = 480) \
	TYPE(12, ERROR, .word = "error", .priority = 8, .shape = 1.1, .scale = 336) \
	TYPE(13, ARTIFACT, .word = "artifact", .priority = 1, .shape = .75, .scale = 2160) \
	TYPE(14, REQUEST, .word = "request", .priority = 0, .shape = 1.5, .scale = 72) \
	TYPE(15, UNKNOWN, .word = "unknown", .priority = 0, .shape = 1, .scale = 168) \
	/* here */

struct mem_memory_type_info {
	const char *word;
	int priority;
	double shape, scale;
};
#define MEM_TYPE_CONSTANT(number, constant, ...) MEM_TYPE_##constant = (number),
enum mem_memory_type { MEM_TYPE_NONE, MEM_MEMORY_TYPES(MEM_TYPE_CONSTANT) MEM_TYPE_COUNT, MEM_TYPE_OTHER = 255 };
enum mem_memory_type mem_memory_type_parse(struct mem_str word); /* of an empty word: MEM_TYPE_NONE */
const struct mem_memory_type_info *mem_memory_type_info(unsigned type); /* of NONE and OTHER: all is 0, no word */

#endif
