/* SPDX-License-Identifier: Apache-2.0 */
/* How it stands with a job, as a record. */
#include "upkeep/upkeep_int.h"
#include "record/record.h"
#include "store/job.h"

static void
put_names_before(struct mem_buf *out, const struct mem_job *job)
{
	mem_json_put_key(out, "after");
	mem_buf_putc(out, '[');
	for (size_t a = 0; a < MEM_JOB_AFTER_MAX && job->after[a] != NULL; a++)
		mem_buf_printf(out, "%s\"%s\"", a > 0 ? "," : "", job->after[a]);
	mem_buf_putc(out, ']');
}

/* What all agents wrote shows in these: for who is no operator they are null. */
static void
put_job_figures(struct mem_buf *out, const struct mem_job *job, const struct mem_job_state *state, bool may_tell)
{
	if (may_tell || job->due_is_public)
		mem_json_put_bool(out, "due", state->due);
	else
		mem_json_put_null(out, "due");
	mem_json_put_time(out, "when", may_tell ? state->when : MEM_TIME_NONE);
	if (may_tell)
		mem_json_put_int(out, "amount", (int64_t)state->amount);
	else
		mem_json_put_null(out, "amount");
}

static void
put_last_run(struct mem_buf *out, const struct mem_job_last *last, bool may_tell)
{
	if (may_tell && last->at != MEM_TIME_NONE) {
		mem_json_put_time(out, "last", last->at);
		mem_json_put_field(out, "outcome", mem_str(last->outcome));
	} else if (!may_tell) {
		mem_json_put_null(out, "last");
		mem_json_put_null(out, "outcome");
	}
}

enum mem_status
mem_job_plan_describe(struct mem_index *m, const struct mem_job_plan *p, size_t i, struct mem_buf *out, struct mem_err *err)
{
	struct mem_job_state state;
	struct mem_job_last last;
	bool may_tell = mem_store_principal(m->store)->is_operator;
	enum mem_status st = mem_job_plan_look(m, p, i, &state, &last, err);
	if (st != MEM_OK)
		return st;
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "task", mem_str(p->job[i]->name));
	put_job_figures(out, p->job[i], &state, may_tell);
	if (p->job[i]->after[0] != NULL)
		put_names_before(out, p->job[i]);
	put_last_run(out, &last, may_tell);
	mem_buf_putc(out, '}');
	return MEM_OK;
}
