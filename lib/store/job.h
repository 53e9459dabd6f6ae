/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: what a store needs from time to time, run by mem-maintain(1).
 *
 * The room whose work it is defines the row `const struct mem_job mem_job_NAME` in a file job_NAME.c of its own (a
 * room other than upkeep declares it in its header); a line of the table in lib/upkeep/jobs.c puts it in its place
 * among the others.
 */
#ifndef MEM_JOB_H
#define MEM_JOB_H

#include "base/base.h"
#include "store/store.h"

struct mem_index;      /* words/words.h: the store with its analyser, whose index may be of another one */

struct mem_job_state {
	bool due;
	int64_t when;          /* when it falls due next; MEM_TIME_NONE: not known */
	uint64_t amount;       /* how much there is to do, in the job's own unit */
};

/* Finds out how it stands with a job.  *out comes as not due, not known when, nothing to do. */
typedef enum mem_status mem_job_look_fn(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out,
    struct mem_err *err);
/*
 * Does it, due or not, and adds to *done (0 before) how much.  Runs beside readers and writers, and a second
 * time finds nothing to do.
 */
typedef enum mem_status mem_job_run_fn(struct mem_index *m, uint64_t *done, struct mem_err *err);

struct mem_job {
	const char *name;
	mem_job_look_fn *look;
	mem_job_run_fn *run;
	bool due_is_public;    /* whether it is due tells nothing of what agents wrote: not only operators may know */
	bool only_when_due;    /* else it is left out, unless it is asked for by name */
	bool may_fail;         /* the jobs behind it need nothing of it, and run all the same */
};

#endif
