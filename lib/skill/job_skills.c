/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs conflicts and stale: skills are compared, and those that nobody uses fall. */
#include "skill/conflict.h"
#include "skill/skill.h"
#include "skill/upkeep_jobs.h"

/* Whether there is something to do is known by doing it alone. */
static enum mem_status
look_skill_job(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	uint64_t skills = 0;
	(void)m;
	enum mem_status st = mem_skills_count(t, &skills, err);
	out->due = skills > 0;
	out->amount = skills;
	return st;
}

static enum mem_status
scan_for_conflicts(struct mem_write_run *r, uint64_t *done, struct mem_err *err)
{
	const struct mem_words all = { 0 };
	struct mem_conflict_scan sum;
	enum mem_status st = mem_conflicts_scan(&sum, r, &all, err);
	*done += st == MEM_OK ? sum.detected + sum.ended : 0;
	return st;
}

static enum mem_status
run_skill_job(struct mem_index *m, enum mem_status (*work)(struct mem_write_run *r, uint64_t *done, struct mem_err *err), uint64_t *done,
    struct mem_err *err)
{
	struct mem_write_run r = { .writer = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-maintain", .keeps = true }),
		.emit = mem_receipts_drop };
	enum mem_status st = mem_writer_sanitise(r.writer, NULL, NULL, err);
	if (st == MEM_OK)
		st = work(&r, done, err);
	mem_writer_free(r.writer);
	return st;
}

static enum mem_status
run_conflicts(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	return run_skill_job(m, scan_for_conflicts, done, err);
}

static enum mem_status
run_stale(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	return run_skill_job(m, mem_skills_rest, done, err);
}

const struct mem_job mem_job_conflicts = {
	.name = "conflicts", .unit = "conflicts", .reach = MEM_JOB_OF_OPERATORS, .look = look_skill_job, .run = run_conflicts,
	.after = { "upgrade", "embed" }, .at = "04:15",
};
const struct mem_job mem_job_stale = {
	.name = "stale", .unit = "skills", .reach = MEM_JOB_OF_OPERATORS, .look = look_skill_job, .run = run_stale,
	.after = { "upgrade" }, .at = "mon 05:00",
};
