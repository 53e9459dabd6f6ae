/* SPDX-License-Identifier: Apache-2.0 */
/* Bad patterns of a skill that are like a task. */
#ifndef MEM_SKILL_FAILURES_H
#define MEM_SKILL_FAILURES_H

#include "base/base.h"
#include "store/store.h"

/*
 * *n: of the live bad patterns that an edge has_failure leads to from the skill, and that the principal may read, those whose similarity
 * (vectors.h) to the task is at least MEM_SKILL_BAD_SIMILARITY.  `task` is centred.
 */
enum mem_status skill_failures_count(uint64_t *n, struct mem_txn *t, uint32_t skill, const float *task, uint32_t dims,
    struct mem_err *err) MEM_CHECKED;

#endif
