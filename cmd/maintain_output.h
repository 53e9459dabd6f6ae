/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-maintain prints: its table of jobs, and what each did. */
#ifndef MEM_MAINTAIN_OUTPUT_H
#define MEM_MAINTAIN_OUTPUT_H

#include "cli/cli.h"
#include "job_table.h"
#include "upkeep/upkeep.h"

static enum mem_status
print_jobs(struct mem_index *m, const struct mem_job_plan *p, bool text, struct mem_err *err)
{
	struct mem_buf line = { 0 };
	static const struct mem_column columns[] = { JOB_RUNS, JOB_TO_DO, JOB_NEXT };
	struct mem_grid g = { 0 };
	bool knows = mem_store_principal(m->store)->is_operator;
	if (text)
		mem_grid_begin(&g, columns);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->n && st == MEM_OK; i++) {
		if (p->nnamed > 0 && !p->named[i])
			continue;
		mem_buf_reset(&line);
		st = mem_job_plan_describe(m, p, i, &line, err);
		if (st == MEM_OK && text)
			add_job_row(&g, mem_buf_span(&line), &p->at[i], true, knows);
		else if (st == MEM_OK)
			mem_out_line(mem_buf_span(&line));
	}
	mem_grid_end(&g);
	mem_buf_release(&line);
	return st;
}

struct report {
	bool verbose, may_tell;
	bool one;               /* job that was named: whose message it is is known */
	size_t jobs;            /* that ran */
};

/* At a terminal, where nobody asked for records: "embed: 312 nodes". */
static void
tell_job(const struct report *r, const struct mem_job *job, uint64_t done)
{
	if (r->may_tell)
		mem_notice("%s: %llu%s%s", job->name, (unsigned long long)done, job->unit != NULL ? " " : "", job->unit != NULL ? job->unit : "");
	else
		mem_notice("%s: done", job->name);
}

/* A mem_job_done_fn. */
static void
report_job(void *ctx, const struct mem_job *job, enum mem_status st, uint64_t done, const struct mem_err *err)
{
	struct report *r = ctx;
	r->jobs++;
	if (st != MEM_OK && err != NULL)
		mem_warn("%s%s%s", r->one ? "" : job->name, r->one ? "" : ": ", err->msg);
	else if (st != MEM_OK && r->verbose)
		mem_warn("%s does not run: a task that it comes after failed", job->name);
	else if (st == MEM_OK && r->verbose && r->may_tell)
		mem_out_printf("{\"task\":\"%s\",\"done\":%llu}\n", job->name, (unsigned long long)done);
	else if (st == MEM_OK && r->verbose)
		mem_out_printf("{\"task\":\"%s\",\"done\":null}\n", job->name);
	else if (st == MEM_OK)
		tell_job(r, job, done);
}

#endif
