/* SPDX-License-Identifier: Apache-2.0 */
/* mem-maintain: what is due now, for cron. */
#include "cli/cli.h"
#include "model/model.h"
#include "upkeep/upkeep.h"
#include "vector/vector.h"

#include <string.h>

static void
print_job_state(struct mem_index *m, const struct mem_job *job, struct mem_buf *line, struct mem_err *err)
{
	struct mem_job_state state;
	if (mem_job_look(m, job, &state, err) != MEM_OK)
		mem_die_err(err);
	mem_buf_reset(line);
	mem_buf_putc(line, '{');
	mem_json_put_field(line, "task", mem_str(job->name));
	/* These tell what all agents wrote. */
	bool may_tell = mem_store_principal(m->store)->is_operator;
	if (may_tell || job->due_is_public)
		mem_json_put_bool(line, "due", state.due);
	else
		mem_json_put_raw(line, "due", MEM_STR("null"));
	if (may_tell && state.when != MEM_TIME_NONE)
		mem_json_put_time(line, "when", state.when);
	else
		mem_json_put_raw(line, "when", MEM_STR("null"));
	if (may_tell)
		mem_json_put_int(line, "amount", (int64_t)state.amount);
	else
		mem_json_put_raw(line, "amount", MEM_STR("null"));
	mem_buf_putc(line, '}');
	mem_out_line(mem_buf_span(line));
}

/* Is it named, or is none? */
static bool
is_wanted_job(const struct mem_job *job, int argc, char **argv)
{
	bool wanted = argc == 0;
	for (int i = 0; i < argc && !wanted; i++)
		wanted = strcmp(argv[i], job->name) == 0;
	return wanted;
}

/* Exits on a name that is no job's. */
static void
check_job_name(char *name)
{
	struct mem_buf names = { 0 };
	for (size_t i = 0; mem_jobs[i] != NULL; i++) {
		if (is_wanted_job(mem_jobs[i], 1, &name)) {
			mem_buf_release(&names);
			return;
		}
		mem_buf_printf(&names, "%s%s", i > 0 ? ", " : "", mem_jobs[i]->name);
	}
	mem_die(MEM_USAGE, "no such task: '%s' (%s)", name, names.data);
}

static void
print_job_done(const struct mem_index *m, const struct mem_job *job, uint64_t done)
{
	if (mem_store_principal(m->store)->is_operator)
		mem_out_printf("{\"task\":\"%s\",\"done\":%llu}\n", job->name, (unsigned long long)done);
	else
		mem_out_printf("{\"task\":\"%s\",\"done\":null}\n", job->name);
}

/* Is it to run though nobody asks for it?  What cannot be looked at says why when it runs. */
static bool
is_job_due(struct mem_index *m, const struct mem_job *job)
{
	struct mem_job_state state;
	struct mem_err err;
	return !job->only_when_due || mem_job_look(m, job, &state, &err) != MEM_OK || state.due;
}

static enum mem_status
run_jobs(struct mem_index *m, int argc, char **argv, bool verbose)
{
	enum mem_status worst = MEM_OK;
	bool goes_on = true;
	for (size_t i = 0; mem_jobs[i] != NULL && goes_on; i++) {
		const struct mem_job *job = mem_jobs[i];
		struct mem_err err;
		uint64_t done = 0;
		if (!is_wanted_job(job, argc, argv) || (argc == 0 && !is_job_due(m, job)))
			continue;
		enum mem_status st = job->run(m, &done, &err);
		if (st == MEM_OK && verbose)
			print_job_done(m, job, done);
		if (st != MEM_OK)
			mem_warn("%s", err.msg);
		worst = mem_status_worse(worst, st == MEM_ABSENT ? MEM_FAIL : st);
		goes_on = st == MEM_OK || job->may_fail;
	}
	return worst;
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	bool list = false, verbose = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_WAIT(c), MEM_OPT_NOW,
		{ 0, "list", NULL, "say what is due and when, do nothing", .flag = &list },
		{ 'v', "verbose", NULL, "say what was done", .flag = &verbose },
		MEM_OPT_END
	};
	mem_link_blas();
	mem_opts(&argc, &argv, opts, "mem-maintain [-v] [--list] [-S DIR] [--agent ID] [--wait TIME] [--now TIME] [TASK...]",
	    "do what a store needs from time to time");
	mem_link_curl_and_blas();
	for (int i = 0; i < argc; i++)
		check_job_name(argv[i]);
	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = !list, .wait_ms = c.wait, .now = mem_now_given() };
	struct mem_index m = { 0 };
	struct mem_buf line = { 0 };
	struct mem_err err;
	enum mem_status st = mem_index_open_any(&m, &ask, &err);
	for (size_t i = 0; st == MEM_OK && list && mem_jobs[i] != NULL; i++)
		if (is_wanted_job(mem_jobs[i], argc, argv))
			print_job_state(&m, mem_jobs[i], &line, &err);
	if (st == MEM_OK && !list)
		st = mem_store_lock(m.store, MEM_LOCK_MAINTENANCE, argc > 0 ? c.wait : 0, &err);
	if (st == MEM_OK && !list)
		st = run_jobs(&m, argc, argv, verbose);
	else if (st == MEM_BUSY && m.store != NULL && argc == 0)
		st = MEM_OK; /* from cron: somebody else is at it, and that is as good */
	else if (st != MEM_OK)
		mem_warn("%s", err.msg);
	mem_buf_release(&line);
	mem_index_close(&m);
	return mem_finish(st);
}
