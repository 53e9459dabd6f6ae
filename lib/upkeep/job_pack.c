/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job pack: old rows of log and audit are put into blocks, which take a third of the space.  The last 4096 of each
 * stay as they are, which is what followers and people mostly ask for.  Due when there are 4096 more.  Amount: rows.
 */
#include "upkeep/upkeep_int.h"
#include "store/job.h"
#include "store/log.h"

enum { PACK_KEEP = 4096, PACK_DUE = 4096 };

static enum mem_status
look_pack(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)m;
	(void)err;
	out->amount = mem_rows_unpacked(t, PACK_KEEP);
	out->due = out->amount >= PACK_DUE;
	return MEM_OK;
}

static enum mem_status
run_pack(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	return mem_rows_pack(m->store, PACK_KEEP, done, err);
}

/* Behind what writes rows. */
const struct mem_job mem_job_pack = {
	.name = "pack", .unit = "rows", .reach = MEM_JOB_OF_STORE, .look = look_pack, .run = run_pack, .after = { "upgrade", "expire" },
};
