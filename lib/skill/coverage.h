/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage: who has which skills.
 *
 * Live skills count, that the principal may read.  An agent has those that are assigned to it, and those of its teams; a team has those
 * that are assigned to it or to one of its members (trust/team.h).
 */
#ifndef MEM_SKILL_COVERAGE_H
#define MEM_SKILL_COVERAGE_H

#include "base/base.h"
#include "skill/skill_search.h"
#include "store/store.h"

#define MEM_COVERAGE_MEMBERS 5

struct mem_coverage;
/* OWNS *out, also after a failure: mem_coverage_free.  In as many snapshots as it takes. */
enum mem_status mem_coverage_read(struct mem_coverage **out, struct mem_store *s, struct mem_err *err) MEM_CHECKED;
void mem_coverage_free(struct mem_coverage *c); /* NULL is fine */

/* Appends a line for each category of all skills, team null, then for each team: {"team", "category", "skills": how many there are,
 * "assigned": how many of them somebody, or the team, has, "share"}.  Teams and categories rise by their bytes; without one comes last. */
void mem_coverage_put(struct mem_buf *lines, const struct mem_coverage *c);
/*
 * Appends one line: at most MEM_COVERAGE_MEMBERS agents who together have the skills found, {"members": [{"agent", "skills": [names that
 * those before have not]}], "wanted", "covered", "missing": [names]}.  Greedy (Chvatal, "A greedy heuristic for the set-covering
 * problem", 1979): the next is who has most of what is missing, of several the first by name.  *all: nothing is missing.
 */
void mem_coverage_put_team(struct mem_buf *line, const struct mem_coverage *c, const struct mem_skill_hits *found, bool *all);

#endif
