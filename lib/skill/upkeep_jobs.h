/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mem-maintain(1) does about skills.
 *
 *   conflicts   skill-conflicts(1)'s scan of all namespaces that the operator may write to: job_skills.c
 *   stale       effectiveness falls while a skill rests (uses.h): job_skills.c, skill_rest.c
 */
#ifndef MEM_SKILL_UPKEEP_JOBS_H
#define MEM_SKILL_UPKEEP_JOBS_H

#include "base/base.h"
#include "store/job.h"
#include "write/run.h"

extern const struct mem_job mem_job_conflicts, mem_job_stale;

/*
 * Writes what the effectiveness of each active skill has fallen to, where it is not so already; audited as skill_rested.  Worked out
 * from the last use and the present alone, so that it does not matter how often it runs.  *n: skills that were changed.  The run commits.
 */
enum mem_status mem_skills_rest(struct mem_write_run *r, uint64_t *n, struct mem_err *err) MEM_CHECKED;

#endif
