/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job upgrade: the index is built anew when other rules made it, another search.language or an older memkit.
 * (Schema 1 is the first, so there is none to upgrade from.)  Amount: nodes.
 */
#include "upkeep/upkeep_int.h"
#include "store/job.h"

static enum mem_status
look_upgrade(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	bool known;
	enum mem_status st = mem_index_rules_differ(t, m->analyser, &known, &out->due, err);
	out->amount = out->due ? mem_tab_count(t, MEM_T_NODE) : 0;
	return st;
}

static enum mem_status
run_upgrade(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct mem_job_state state;
	enum mem_status st = upkeep_job_look(m, look_upgrade, &state, err);
	if (st == MEM_OK && state.due)
		st = mem_upkeep_repair(m, m->progress, m->progress_ctx, err);
	*done += st == MEM_OK ? state.amount : 0;
	return st;
}

const struct mem_job mem_job_upgrade = {
	.name = "upgrade", .unit = "nodes", .reach = MEM_JOB_OF_STORE, .look = look_upgrade, .run = run_upgrade, .due_is_public = true,
};
