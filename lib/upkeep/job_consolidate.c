/* SPDX-License-Identifier: Apache-2.0 */
/* The job consolidate: raw episodes become facts, entities and notes.  Amount: episodes. */
#include "upkeep/upkeep_int.h"
#include "belief/consolidate.h"
#include "store/job.h"

static enum mem_status
look_consolidate(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct mem_consolidate_stat stat;
	(void)m;
	enum mem_status st = mem_consolidate_stat_get(t, &stat, err);
	out->amount = st == MEM_OK ? stat.pending : 0;
	out->due = out->amount > 0;
	return st;
}

/* Episodes that fail are told by the audit and by mem-stat; the job has done what it could. */
static enum mem_status
run_consolidate(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	const struct mem_consolidate_options o = { .since = MEM_TIME_MIN, .similar = true, .stop_fd = -1, .progress = m->progress,
		.progress_ctx = m->progress_ctx };
	struct mem_consolidate_done d;
	enum mem_status st = mem_consolidate_run(m, &o, mem_receipts_drop, NULL, &d, err);
	*done += st == MEM_OK || st == MEM_REFUSED ? d.episodes : 0;
	return st == MEM_REFUSED || st == MEM_BUSY ? MEM_OK : st;
}

const struct mem_job mem_job_consolidate = {
	.name = "consolidate", .unit = "episodes", .reach = MEM_JOB_OF_WRITABLE, .look = look_consolidate, .run = run_consolidate,
	.after = { "upgrade", "expire" },
	.at = "04:00",
};
