/* SPDX-License-Identifier: Apache-2.0 */
/* mem-maintain: what is due now, for cron. */
#include "cli/cli.h"
#include "maintain_output.h"
#include "model/model.h"
#include "upkeep/upkeep.h"
#include "vector/vector.h"

#include <string.h>

/* Exits on a name that is no job's. */
static void
name_jobs(struct mem_job_plan *p, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (mem_job_plan_name(p, argv[i]))
			continue;
		struct mem_buf names = { 0 };
		for (size_t k = 0; k < p->n; k++)
			mem_buf_printf(&names, "%s%s", k > 0 ? ", " : "", p->job[k]->name);
		mem_die(MEM_USAGE, "no such task: '%s' (%s)", argv[i], names.data);
	}
}

static enum mem_status
maintain_store(struct mem_index *m, const struct mem_job_plan *p, int64_t wait_ms, bool verbose, struct mem_err *err)
{
	struct report r = { verbose, mem_store_principal(m->store)->is_operator, p->nnamed == 1, 0 };
	static char label[] = "mem-maintain";
	m->progress = mem_progress;
	m->progress_ctx = label;
	enum mem_status st = mem_store_lock(m->store, MEM_LOCK_MAINTENANCE, p->nnamed > 0 ? wait_ms : 0, err);
	if (st == MEM_OK && (st = mem_store_check_repair(m->store, err)) == MEM_OK) {
		st = mem_job_plan_run(m, p, report_job, &r);
		if (st == MEM_OK && r.jobs == 0)
			mem_notice("nothing was due");
		return st;
	}
	if (st == MEM_BUSY && p->nnamed == 0) {
		mem_notice("another process is at it: %s", err->msg);
		return MEM_OK; /* from cron: that is as good */
	}
	mem_warn("%s", err->msg);
	return st;
}

static enum mem_status
print_crontab(const struct mem_store *s, const struct mem_crontab_options *o, struct mem_err *err)
{
	struct mem_buf lines = { 0 };
	enum mem_status st = mem_crontab_put(&lines, mem_store_path(s), o, err);
	if (st == MEM_OK)
		st = mem_crontab_make_folder(err);
	if (st == MEM_OK)
		mem_out_str(mem_buf_span(&lines));
	mem_buf_release(&lines);
	return st;
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	bool list = false, verbose = false, crontab = false;
	struct mem_crontab_options cron = { 0 };
	struct mem_job_plan plan;
	const char *names[MEM_JOBS_MAX + 1] = { NULL };
	struct mem_err err;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_WAIT(c), MEM_OPT_NOW,
		{ 0, "list", NULL, "say what is due and when, do nothing", .flag = &list },
		{ 0, "crontab", NULL, "print lines for crontab(5), do nothing", .flag = &crontab },
		{ 0, "backup", "DIR", "with --crontab: back up to DIR each night", .str = &cron.backup },
		{ 'v', "verbose", NULL, "say what was done", .flag = &verbose },
		MEM_OPT_FORMAT(c), MEM_OPT_OPERANDS("TASK", names), MEM_OPT_END
	};
	enum mem_status st = mem_job_plan_make(&plan, mem_jobs, &err);
	for (size_t i = 0; st == MEM_OK && i < plan.n; i++)
		names[i] = plan.job[i]->name;
	mem_link_blas();
	mem_opts(&argc, &argv, opts,
	    "mem-maintain [-v] [--list] [--format FORMAT] [-S DIR] [--agent ID] [--wait TIME] [--now TIME] [TASK...]\n"
	    "mem-maintain --crontab [--backup DIR] [-S DIR] [--agent ID]",
	    "do what a store needs from time to time");
	mem_link_curl_and_blas();
	name_jobs(&plan, argc, argv);
	cron.agent = c.agent;
	if (crontab ? list || verbose || argc > 0 : cron.backup != NULL)
		mem_die(MEM_USAGE, "--crontab goes with --backup alone, and --backup only with it");
	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = !list && !crontab, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	struct mem_index m = { 0 };
	if (st == MEM_OK)
		st = mem_index_open_any(&m, &ask, &err);
	if (st == MEM_OK)
		mem_job_plan_apply_settings(&plan, mem_store_conf(m.store));
	if (st == MEM_OK && list)
		st = print_jobs(&m, &plan, mem_text_wanted(c.format), &err);
	else if (st == MEM_OK && crontab)
		st = print_crontab(m.store, &cron, &err);
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	else if (!list && !crontab)
		st = maintain_store(&m, &plan, c.wait, verbose, &err);
	mem_index_close(&m);
	return mem_finish(st);
}
