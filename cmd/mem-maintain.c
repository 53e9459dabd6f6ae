/* SPDX-License-Identifier: Apache-2.0 */
/* mem-maintain: what is due now, for cron. */
#include "cli/cli.h"
#include "upkeep/upkeep.h"

#include <string.h>

static void
list_task(struct mem_index *m, enum mem_task task, struct mem_buf *line, struct mem_err *err)
{
	struct mem_task_state state;
	if (mem_task_look(m, task, &state, err) != MEM_OK)
		mem_die_err(err);
	mem_buf_reset(line);
	mem_buf_putc(line, '{');
	mem_json_put_field(line, "task", mem_str(mem_task_name(task)));
	/* These tell what all agents wrote; whether to upgrade, only what the settings say. */
	bool told = mem_store_principal(m->store)->is_operator;
	if (told || task == MEM_TASK_UPGRADE)
		mem_json_put_bool(line, "due", state.due);
	else
		mem_json_put_raw(line, "due", MEM_STR("null"));
	if (told && state.when != MEM_TIME_NONE)
		mem_json_put_time(line, "when", state.when);
	else
		mem_json_put_raw(line, "when", MEM_STR("null"));
	if (told)
		mem_json_put_int(line, "amount", (int64_t)state.amount);
	else
		mem_json_put_raw(line, "amount", MEM_STR("null"));
	mem_buf_putc(line, '}');
	mem_out_line(mem_buf_span(line));
}

/* The tasks named, as bits; all when none is.  Exits on a name that is no task. */
static unsigned
tasks_named(int argc, char **argv)
{
	unsigned set = 0;
	for (int i = 0; i < argc; i++) {
		int task = 0;
		while (task < MEM_TASK_COUNT && strcmp(argv[i], mem_task_name((enum mem_task)task)) != 0)
			task++;
		if (task == MEM_TASK_COUNT)
			mem_die(MEM_USAGE, "no such task: '%s' (upgrade, expire, embed, index, compact)", argv[i]);
		set |= 1u << task;
	}
	return set;
}

static void
tell_done(const struct mem_index *m, enum mem_task task, uint64_t done)
{
	if (mem_store_principal(m->store)->is_operator)
		mem_out_printf("{\"task\":\"%s\",\"done\":%llu}\n", mem_task_name(task), (unsigned long long)done);
	else
		mem_out_printf("{\"task\":\"%s\",\"done\":null}\n", mem_task_name(task));
}

/* Is it worth it unless somebody asks?  Compaction rewrites the file; vectors want an encoder. */
static bool
worth_it(struct mem_index *m, enum mem_task task, struct mem_err *err)
{
	struct mem_task_state state = { 0 };
	if (task != MEM_TASK_COMPACT && task != MEM_TASK_EMBED)
		return true;
	return mem_task_look(m, task, &state, err) != MEM_OK || state.due;
}

static enum mem_status
run_tasks(struct mem_index *m, unsigned named, bool verbose)
{
	enum mem_status worst = MEM_OK;
	bool go_on = true;
	for (int i = 0; i < MEM_TASK_COUNT && go_on; i++) {
		enum mem_task task = (enum mem_task)i;
		struct mem_err err;
		uint64_t done;
		if (named != 0 ? (named & 1u << i) == 0 : !worth_it(m, task, &err))
			continue;
		enum mem_status st = mem_task_run(m, task, &done, &err);
		if (st == MEM_OK && verbose)
			tell_done(m, task, done);
		if (st != MEM_OK)
			mem_warn("%s", err.msg);
		worst = mem_status_worse(worst, st == MEM_NONE ? MEM_FAIL : st);
		/* The rest needs no encoder. */
		go_on = st == MEM_OK || task == MEM_TASK_EMBED;
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
	mem_blas_bring();
	mem_opts(&argc, &argv, opts, "mem-maintain [-v] [--list] [-S DIR] [--agent ID] [--wait TIME] [--now TIME] [TASK...]",
	    "do what a store needs from time to time");
	mem_model_libraries();
	unsigned named = tasks_named(argc, argv);
	struct mem_store_ask ask = { .dir = c.store, .agent = c.agent, .write = !list, .wait_ms = c.wait, .now = mem_now_given() };
	struct mem_index m = { 0 };
	struct mem_buf line = { 0 };
	struct mem_err err;
	enum mem_status st = mem_index_open_any(&m, &ask, &err);
	for (int i = 0; st == MEM_OK && list && i < MEM_TASK_COUNT; i++)
		if (named == 0 || (named & 1u << i) != 0)
			list_task(&m, (enum mem_task)i, &line, &err);
	if (st == MEM_OK && !list)
		st = mem_task_lock(&m, named != 0 ? c.wait : 0, &err);
	if (st == MEM_OK && !list)
		st = run_tasks(&m, named, verbose);
	else if (st == MEM_BUSY && m.store != NULL && named == 0)
		st = MEM_OK; /* from cron: somebody else is at it, and that is as good */
	else if (st != MEM_OK)
		mem_warn("%s", err.msg);
	mem_buf_release(&line);
	mem_index_close(&m);
	return mem_finish(st);
}
