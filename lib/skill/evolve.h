/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evolution: what would make skills better, each suggestion with the numbers that it rests on.  Nothing is changed.
 *
 *   description   of fewer than MEM_EVOLVE_SHORT or more than MEM_EVOLVE_LONG characters: a search goes by it
 *   tags          there are none
 *   tool          one of `allowed-tools` that no session called in which the skill was used
 *   dependency    a skill that was used in each of its sessions, and to which no edge of mem_skill_edges leads, unless that would close a
 *                 circle: of two that were always used together the first is told
 *   success_rate  lower by MEM_EVOLVE_RATE than that of the other skills of its category
 *   body          of more tokens than the budget
 *   trend         the success rates of the last two releases that have outcomes enough: improving, declining or stable
 *
 * Sessions are those that have an edge `used` to the skill (outcome.h), the last MEM_EVOLVE_SESSIONS_MAX; of tools, those in whose turns any
 * tool was called.  A tool or a dependency needs MEM_EVOLVE_SESSIONS of them, a rate MEM_SKILL_USES_LEAST outcomes (uses.h).
 */
#ifndef MEM_EVOLVE_H
#define MEM_EVOLVE_H

#include "base/base.h"
#include "store/store.h"

#define MEM_EVOLVE_SHORT        40
#define MEM_EVOLVE_LONG         500
#define MEM_EVOLVE_RATE         .2
#define MEM_EVOLVE_SESSIONS     3
#define MEM_EVOLVE_SESSIONS_MAX 100
#define MEM_EVOLVE_TURNS_MAX    2000    /* of a session, the first */

enum mem_evolve_kind { MEM_EVOLVE_DESCRIPTION, MEM_EVOLVE_TAGS, MEM_EVOLVE_TOOL, MEM_EVOLVE_DEPENDENCY, MEM_EVOLVE_SUCCESS_RATE,
	MEM_EVOLVE_BODY, MEM_EVOLVE_TREND, MEM_EVOLVE_KINDS };
extern const char *const mem_evolve_words[];    /* in that order, NULL at the end */

struct mem_evolve_suggestion {
	enum mem_evolve_kind kind;
	size_t skill;               /* place of the skill in the order of commits */
	struct mem_str name;        /* of the skill */
	struct mem_str why;         /* a sentence */
	struct mem_str line;        /* the record of mem-records(5) */
};
/* All is in the arena. */
struct mem_evolve_list {
	struct mem_evolve_suggestion *v;   /* by skill, then by kind, then by line */
	size_t n, cap;
	struct mem_arena arena;
};
struct mem_tokenizer;
struct mem_evolve_options {
	const struct mem_id *skills; /* only these; n 0: all live ones that the principal may read */
	size_t nskills;
	unsigned kinds;             /* bits 1 << kind; 0: all */
	size_t tokens;              /* the budget of a body */
	const struct mem_tokenizer *tokenizer; /* NULL: tokens are estimated */
};
/* Zero *out before; release it also after a failure.  In short snapshots. */
enum mem_status mem_evolve_find(struct mem_evolve_list *out, struct mem_store *s, const struct mem_evolve_options *o, struct mem_err *err) MEM_CHECKED;
void mem_evolve_release(struct mem_evolve_list *l);

#endif
