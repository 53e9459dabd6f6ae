/* SPDX-License-Identifier: Apache-2.0 */
/* The job shine: once there are nodes, its mark says that they shine.  Amount: nodes. */
#include "store/job.h"
#include "words/words.h"

static enum mem_status
look_shine(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct mem_str shine;
	(void)m;
	enum mem_status st = mem_job_mark_get(t, "shine", &shine, err);
	out->amount = st == MEM_OK && shine.n == 0 ? mem_tab_count(t, MEM_T_NODE) : 0;
	out->due = out->amount > 0;
	return st;
}

static enum mem_status
put_shine(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	uint64_t *done = ctx;
	*done = mem_tab_count(t, MEM_T_NODE);
	return mem_job_mark_put(t, "shine", MEM_STR("yes"), err);
}

static enum mem_status
run_shine(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	return mem_store_write(m->store, put_shine, done, err);
}

const struct mem_job mem_job_shine = {
	.name = "shine", .reach = MEM_JOB_OF_STORE, .look = look_shine, .run = run_shine, .after = { "expire" },
};
