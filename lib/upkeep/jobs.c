/* SPDX-License-Identifier: Apache-2.0 */
/* The table of jobs. */
#include "conf/job_names.h"
#include "store/job.h"
#include "upkeep/upkeep_int.h"

#define JOB_DECLARED(name) extern const struct mem_job mem_job_##name;
MEM_JOB_NAMES(JOB_DECLARED)

#define JOB_ROW(name) &mem_job_##name,
const struct mem_job *const mem_jobs[] = { MEM_JOB_NAMES(JOB_ROW) NULL };
_Static_assert((int)MEM_JOBS <= (int)MEM_JOBS_MAX, "a plan has room for each");

enum mem_status
upkeep_job_look(struct mem_index *m, mem_job_look_fn *look, struct mem_job_state *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	*out = (struct mem_job_state){ .when = MEM_TIME_NONE };
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st == MEM_OK)
		st = look(m, t, out, err);
	mem_txn_end(t);
	return st;
}
