/* SPDX-License-Identifier: Apache-2.0 */
/* The job promote: the gate to global, where promote.gate has it so. */
#include "store/job.h"
#include "trust/attest.h"
#include "words/words.h"
#include "write/write.h"

static bool
is_gate_open(const struct mem_store *s)
{
	return mem_str_is(mem_conf_str(mem_store_conf(s), "promote.gate"), "on");
}

/* Whether there is something to do is known by doing it alone. */
static enum mem_status
look_promote(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)t;
	(void)err;
	out->due = is_gate_open(m->store);
	return MEM_OK;
}

static enum mem_status
run_promote(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	if (!is_gate_open(m->store))
		return MEM_OK;
	struct mem_write_run r = { .writer = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-maintain" }), .emit = mem_receipts_drop };
	enum mem_status st = mem_promote_all(&r, err);
	if (st == MEM_OK)
		st = mem_write_run_commit(&r, err);
	*done += r.total.stored;
	mem_writer_free(r.writer);
	return st;
}

const struct mem_job mem_job_promote = {
	.name = "promote", .unit = "nodes", .reach = MEM_JOB_OF_OPERATORS, .look = look_promote, .run = run_promote,
	.after = { "upgrade", "expire", "forget" }, .at = "04:30",
};
