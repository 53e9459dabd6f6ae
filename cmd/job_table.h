/* SPDX-License-Identifier: Apache-2.0 */
/* The table of jobs that mem-stat and mem-maintain --list print for people. */
#ifndef MEM_JOB_TABLE_H
#define MEM_JOB_TABLE_H

#include "base/base.h"
#include "cli/cli.h"
#include "record/record.h"

#define JOB_RUNS  { .name = "JOB" }, { .name = "LAST RUN", .leave_out = 3 }, { .name = "OUTCOME", .min = 4, .leave_out = 1 }
#define JOB_TO_DO { .name = "TO DO", .right = true, .leave_out = 2 }
#define JOB_NEXT  { .name = "NEXT", .min = 16 }, { .name = NULL }

/* "" where there is none, of a null too. */
static inline struct mem_str
job_field(const struct mem_rec *job, struct mem_arena *a, const char *name)
{
	struct mem_json v = mem_rec_value(job, name);
	if (v.type == MEM_JSON_STRING)
		return mem_json_text(a, v);
	return v.type == MEM_JSON_NULL ? MEM_STR("") : v.raw;
}

/* When a job runs next, in words; `at` are its times. */
static inline struct mem_str
next_run_text(const struct mem_rec *job, struct mem_arena *a, const struct mem_schedule *at)
{
	struct mem_str when = job_field(job, a, "when");
	if (at->form == MEM_SCHEDULE_OFF)
		return MEM_STR("off");
	if (mem_rec_value(job, "due").type == MEM_JSON_TRUE)
		return MEM_STR("due now");
	if (when.n > 0)
		return when;
	return mem_rec_value(job, "due").type == MEM_JSON_FALSE ? MEM_STR("when there is work") : MEM_STR("-");
}

/* The row of a job's line, whose times are `at`.  `to_do`: with that column.  `knows`: may the caller know when it ran? */
static inline void
add_job_row(struct mem_grid *g, struct mem_str line, const struct mem_schedule *at, bool to_do, bool knows)
{
	struct mem_rec job = { 0 };
	struct mem_arena a = { 0 };
	if (mem_rec_scan(&job, line, NULL) == MEM_OK) {
		struct mem_str last = job_field(&job, &a, "last"), outcome = job_field(&job, &a, "outcome"), amount = job_field(&job, &a, "amount");
		mem_grid_cell(g, job_field(&job, &a, "task"));
		mem_grid_due(g, last.n > 0 ? last : knows ? MEM_STR("never") : MEM_STR("-"));
		mem_grid_cell(g, outcome.n > 0 ? outcome : MEM_STR("-"));
		if (to_do)
			mem_grid_cell(g, amount.n > 0 ? amount : MEM_STR("-"));
		mem_grid_due(g, next_run_text(&job, &a, at));
	}
	mem_arena_release(&a);
	mem_rec_release(&job);
}

#endif
