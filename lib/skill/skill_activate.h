/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activation: which skills an agent should have at hand for a task, and why.
 *
 * Chosen are the seeds that the search finds (skill_search.h), skills whose names stand in the task, and what these activate along
 * edges requires, enhances, composes and succeeds (graph/spread.h).  A skill whose name is marked as one (skill_names.h) has the score
 * 1; one that was reached has that of the skill where its strongest path begins, times what arrived by it, at most 1.  Skills that are
 * assigned to the caller or to a team of theirs come first, then goes the score, then the id.
 */
#ifndef MEM_SKILL_ACTIVATE_H
#define MEM_SKILL_ACTIVATE_H

#include "skill/skill_search.h"

#define MEM_SKILL_TOKENS 2000           /* of a block of skills, unless somebody wants others */

/* Kinds of edges between skills that are followed. */
extern const char *const mem_skill_edges[4];

struct mem_active_skill {
	struct mem_id id;
	double score;
	bool assigned;
	const char *why;                /* "assigned to ada; named in the task; similarity 0.62"; ARENA */
};
struct mem_active_skills {
	struct mem_active_skill *v;     /* OWNS */
	size_t n, cap;
	struct mem_arena arena;
	struct mem_skill_hits hits;     /* what the search found */
};
/* Release also after a failure. */
enum mem_status mem_skill_activate(struct mem_active_skills *out, struct mem_searcher *m, const struct mem_search_options *search,
    struct mem_err *err) MEM_CHECKED;
void mem_active_skills_release(struct mem_active_skills *a);

#endif
