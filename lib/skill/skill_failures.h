/* SPDX-License-Identifier: Apache-2.0 */
/* Bad patterns of a skill that are like a task. */
#ifndef MEM_SKILL_FAILURES_H
#define MEM_SKILL_FAILURES_H

#include "base/base.h"
#include "store/store.h"

/* A task, as it is asked. */
struct skill_task_asked {
	struct mem_str text;
	const float *vector;        /* centred; NULL: the search is by words alone */
	uint32_t dims;
};
/*
 * *n: of the live bad patterns that an edge has_failure leads to from the skill, and that the principal may read, those whose similarity
 * (vectors.h) to the task is at least MEM_SKILL_BAD_SIMILARITY; where one of the two has no vector, whose likeness (text.h) is.
 */
enum mem_status skill_failures_count(uint64_t *n, struct mem_txn *t, uint32_t skill, const struct skill_task_asked *task,
    struct mem_err *err) MEM_CHECKED;

/* Was a vector read into this row, which began with zeros? */
bool skill_row_has_numbers(const float *row, uint32_t dims);

#endif
