/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health: how well a collection of skills is kept, from 0 to 100.
 *
 *   100 · ((.25 coverage + .20 connectivity + .20 freshness + .25 effectiveness) / .9 − .10 conflicts)
 *
 *   coverage        the share of skills that are assigned to an agent or team
 *   connectivity    edges a skill, divided by 3, at most 1
 *   freshness       the share of skills that are new or were used within MEM_HEALTH_FRESH_DAYS
 *   effectiveness   the mean of that of the skills
 *   conflicts       the weights of open conflicts (mem_severity_weight) divided by the number of skills, at most 1
 *
 * Skills that are active count, and edges of any kind between two of them.
 */
#ifndef MEM_SKILL_HEALTH_H
#define MEM_SKILL_HEALTH_H

#include <stdint.h>

#include "base/base.h"
#include "store/store.h"

#define MEM_HEALTH_FRESH_DAYS 30

struct mem_health_counts {
	uint64_t skills, assigned, edges, fresh;
	double effectiveness;       /* the sum of all skills */
	double conflicts;           /* the sum of weights */
};
/* The score has one decimal.  A from 90, B from 80, C from 70, D from 60, else F.  Without skills all is 0, and F. */
struct mem_health {
	double score, coverage, connectivity, freshness, effectiveness, conflicts;
	char grade;
};
struct mem_health mem_health_score(const struct mem_health_counts *c);
/* Adds up what the principal may read, in these namespaces, or without any in all; conflicts are those that skill-conflicts keeps.  In
 * as many snapshots as it takes. */
enum mem_status mem_health_count(struct mem_health_counts *out, struct mem_store *s, const struct mem_words *ns, struct mem_err *err) MEM_CHECKED;

#endif
