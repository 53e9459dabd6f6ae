/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job index: a tail of 256 documents is flushed, segments of a size are merged, and those of which many documents were
 * removed are written anew, whatever their size.  Amount:
 * documents in the tail; done: merges and flushes.
 */
#include "store/job.h"
#include "words/words.h"
#include "write/tidy.h"

static enum mem_status
look_index(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct mem_index_stat stat;
	(void)m;
	enum mem_status st = mem_index_stat(t, &stat, err);
	out->due = st == MEM_OK && mem_index_tidy_due(t, UINT32_MAX);
	out->amount = st == MEM_OK ? stat.tail : 0;
	return st;
}

static enum mem_status
run_index(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	bool did = true;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && did) {
		st = mem_index_tidy(m->store, UINT32_MAX, &did, err);
		*done += st == MEM_OK && did;
	}
	return st;
}

const struct mem_job mem_job_index = {
	.name = "index", .unit = "segments written", .reach = MEM_JOB_OF_STORE, .look = look_index, .run = run_index, .after = { "upgrade" }
};
