/* SPDX-License-Identifier: Apache-2.0 */
/* The job forget: what neither matters nor is needed is forgotten, where forget.sweep has it so. */
#include "care/care_int.h"
#include "conf/conf.h"
#include "store/job.h"
#include "words/words.h"

/* When it is on, whether there is something to do is known by doing it alone. */
static enum mem_status
look_forget(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)t;
	(void)err;
	out->due = mem_str_is(mem_conf_str(mem_store_conf(m->store), "forget.sweep"), "on");
	return MEM_OK;
}

static enum mem_status
run_forget(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	return care_sweep_job(m, &care_forget_sweep, done, err);
}

const struct mem_job mem_job_forget = {
	.name = "forget", .unit = "nodes", .reach = MEM_JOB_OF_WRITABLE, .look = look_forget, .run = run_forget,
	.after = { "upgrade", "decay" }, .at = "04:00",
};
