/* SPDX-License-Identifier: Apache-2.0 */
/* The job sync: nodes of agents, teams, tasks and sessions, from the turns that came. */
#include "store/job.h"
#include "upkeep/sync_int.h"

static enum mem_status
look_sync(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)m;
	return sync_scan_waits(t, &out->due, err);
}

static enum mem_status
run_sync(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct mem_sync_done d = { 0 };
	enum mem_status st = mem_sync_run(m, "mem-maintain", false, &d, err);
	*done += d.nodes;
	return st;
}

const struct mem_job mem_job_sync = {
	.name = "sync", .unit = "nodes", .reach = MEM_JOB_OF_WRITABLE, .look = look_sync, .run = run_sync, .after = { "upgrade" }, .at = "03:40",
};
