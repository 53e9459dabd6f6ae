/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: what a store needs from time to time, run by mem-maintain(1).
 *
 * The room whose work it is defines the row `const struct mem_job mem_job_NAME` in a file job_NAME.c of its own (a
 * room other than upkeep declares it in its header); a line of the table in lib/conf/job_names.h makes it known.
 */
#ifndef MEM_JOB_H
#define MEM_JOB_H

#include "base/base.h"
#include "store/store.h"

struct mem_index;      /* words/words.h: the store with its analyser, whose index may be of another one */

struct mem_job_state {
	bool due;
	int64_t when;          /* when it falls due next; MEM_TIME_NONE: not known */
	uint64_t amount;       /* how much there is to do, in the job's unit */
};

/* Finds out how it stands with a job.  *out comes as not due, not known when, nothing to do. */
typedef enum mem_status mem_job_look_fn(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out,
    struct mem_err *err);
/*
 * Does it, due or not, and adds to *done (0 before) how much.  Runs beside readers and writers, and a second
 * time finds nothing to do.
 */
typedef enum mem_status mem_job_run_fn(struct mem_index *m, uint64_t *done, struct mem_err *err);

/* What a run covers, and so whose clock it keeps.  A table with a row that does not say it is refused. */
enum mem_job_reach {
	MEM_JOB_OF_STORE = 1,      /* the store, whoever runs it */
	MEM_JOB_OF_WRITABLE,       /* what the caller may write to; of an operator every namespace (mem_store_see_every) */
	MEM_JOB_OF_CALLER,         /* what is the caller's own, of an operator too */
	MEM_JOB_OF_OPERATORS       /* every namespace, where an operator runs it; others have no such job */
};

enum { MEM_JOB_AFTER_MAX = 8 };
struct mem_job {
	const char *name;
	mem_job_look_fn *look;
	mem_job_run_fn *run;
	const char *after[MEM_JOB_AFTER_MAX]; /* jobs that run before it, and without which it does not: the first NULL ends them */
	const char *at;        /* its times where maintain.NAME says none, for mem_schedule_parse; NULL: whenever look finds it due */
	enum mem_job_reach reach;
	const char *unit;      /* of what was done: "nodes"; NULL: it has no name */
	bool due_is_public;    /* whether it is due tells nothing of what agents wrote: not only operators may know */
};

/*
 * The present by which the time of what others wrote is judged to be over: nobody but an operator can bring it forward, for them no present
 * counts that has not come.
 */
int64_t mem_job_now(const struct mem_store *s);

/* ---- what is kept of a job, in table meta ------------------------------ */

struct mem_job_last {
	int64_t at;            /* when it last began; MEM_TIME_NONE: it never ran */
	char outcome[16];      /* a word of mem-maintain(1) */
};
/* `agent` NULL: of a run that covered all that the job is about; else of this agent's runs. */
enum mem_status mem_job_last_get(struct mem_txn *t, const char *name, const char *agent, struct mem_job_last *out,
    struct mem_err *err) MEM_CHECKED;
enum mem_status mem_job_last_put(struct mem_txn *t, const char *name, const char *agent, const struct mem_job_last *last,
    struct mem_err *err) MEM_CHECKED;
/*
 * How far a job has come, in a form of its own: put in the transaction of what it did, the two cannot differ.
 * *out BORROWS until the transaction's next write; empty: nothing was put yet.
 */
enum mem_status mem_job_mark_get(struct mem_txn *t, const char *name, struct mem_str *out, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_job_mark_put(struct mem_txn *t, const char *name, struct mem_str mark, struct mem_err *err) MEM_CHECKED;

#endif
