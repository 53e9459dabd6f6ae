/* SPDX-License-Identifier: Apache-2.0 */
/* The job decay: stale memories are archived, where decay.sweep has it so. */
#include "care/care_int.h"
#include "conf/conf.h"
#include "store/job.h"
#include "words/words.h"

/* When it is on, whether there is something to do is known by doing it alone. */
static enum mem_status
look_decay(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)t;
	(void)err;
	out->due = mem_str_is(mem_conf_str(mem_store_conf(m->store), "decay.sweep"), "on");
	return MEM_OK;
}

static enum mem_status
run_decay(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	return care_sweep_job(m, &care_decay_sweep, done, err);
}

const struct mem_job mem_job_decay = {
	.name = "decay", .unit = "nodes", .reach = MEM_JOB_OF_WRITABLE, .look = look_decay, .run = run_decay,
	.after = { "upgrade", "expire" }, .at = "04:00",
};
