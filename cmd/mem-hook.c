/* SPDX-License-Identifier: Apache-2.0 */
/* mem-hook: let agents, git and cron call memkit by themselves. */
#include "cli/called.h"
#include "hook_output.h"
#include "store/store.h"

#include <string.h>

struct hook_command {
	struct mem_common c;
	struct mem_hook_options o;
	struct mem_store *store;
};

/* Exits when there is no store that can be used. */
static void
find_store(struct hook_command *h)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct mem_err err;
	ask.dir = h->c.store;
	ask.agent = h->c.agent;
	if (mem_store_open(&h->store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	h->o.store = mem_store_path(h->store);
}

static enum mem_status
change_hooks(const struct hook_command *h, const char *name, bool install)
{
	struct mem_hook_change c;
	struct mem_err err;
	enum mem_status st = mem_hook_plan(&c, name, install, &h->o, &err);
	if (st == MEM_OK && h->c.dry_run)
		print_diff(&c);
	else if (st == MEM_OK) {
		st = mem_hook_apply(&c, &err);
		if (st == MEM_OK && !h->c.quiet)
			print_hook_receipt(&c, name, h->o.store, h->c.format);
		if (st == MEM_OK && install && c.verdict != MEM_HOOK_UNCHANGED && strcmp(name, "codex") == 0)
			mem_notice("Codex runs them once you have said so: type /hooks there");
	}
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	mem_hook_change_release(&c);
	return st;
}

/* ---- status ------------------------------------------------------------- */

/* Where none is named: of all that there can be here. */
static enum mem_status
show_status(const struct hook_command *h, char **names, int n)
{
	static const struct mem_column columns[] = { { .name = "HOOK" }, { .name = "EVENT" }, { .name = "STATE" }, { 0 } };
	struct status_output out = { .text = mem_text_wanted(h->c.format) };
	struct mem_buf lines = { 0 };
	enum mem_status worst = MEM_OK;
	struct mem_err err;
	if (out.text)
		mem_grid_begin(&out.grid, columns);
	for (size_t i = 0; n > 0 ? i < (size_t)n : mem_hook_names[i] != NULL; i++) {
		const char *name = n > 0 ? names[i] : mem_hook_names[i];
		mem_buf_reset(&lines);
		enum mem_status st = mem_hook_put_status(&lines, name, &h->o, &err);
		if (n == 0 && (st == MEM_USAGE || (st == MEM_FAIL && strcmp(name, "git") == 0)))
			continue; /* no such settings of a project; no repository */
		if (st != MEM_OK)
			mem_warn("%s%s%s", st == MEM_USAGE ? "" : name, st == MEM_USAGE ? "" : ": ", err.msg);
		worst = mem_status_worse(worst, st == MEM_OK ? print_status_lines(&out, &lines, n > 0) : st);
	}
	mem_grid_end(&out.grid);
	if (out.last_errors.len > 0)
		mem_out_str(mem_buf_span(&out.last_errors));
	mem_buf_release(&lines);
	mem_buf_release(&out.last_errors);
	return worst;
}

/* ---- being called --------------------------------------------------------- */

static enum mem_status
run_hook(const struct hook_command *h, char **operands, int n)
{
	struct mem_buf out = { 0 };
	if (n < 2 || n > 3) {
		mem_warn("run: HOOK, EVENT and at most a RECORD are expected; see mem-hook --help");
		return MEM_OK;
	}
	mem_hook_run(&out, operands[0], operands[1], n > 2 ? operands[2] : NULL, 0, &h->o);
	if (out.len > 0)
		mem_out_str(mem_buf_span(&out));
	mem_buf_release(&out);
	return MEM_OK;
}

static void
check_names(const struct hook_command *h, char **names, int n)
{
	struct mem_err err;
	for (int i = 0; i < n; i++)
		if (mem_hook_check(names[i], &h->o, &err) != MEM_OK)
			mem_die_err(&err);
}

int
main(int argc, char **argv)
{
	struct hook_command h = { .c = MEM_COMMON_INIT };
	static const struct mem_verb verbs[] = {
		{ "install", "store agent project dry-run quiet format", 1, -1 },
		{ "remove", "project dry-run quiet format", 1, -1 },
		{ "status", "agent project format", 0, -1 },
		{ "run", "store agent", 0, -1 },
		{ 0 }
	};
	static const char *const operands[] = { "install", "remove", "status", "run", "claude-code", "codex", "codex-notify", "git", "cron", NULL };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(h.c), MEM_OPT_AGENT(h.c),
		{ 0, "project", NULL, "the settings of the project in this folder, not yours", .flag = &h.o.project },
		MEM_OPT_DRYRUN(h.c), MEM_OPT_FORMAT(h.c), MEM_OPT_QUIET(h.c),
		MEM_OPT_OPERANDS("HOOK", operands),
		MEM_OPT_END
	};
	/* Some agents take 2 for a refusal: not even a command line that makes no sense gives them another status. */
	if (mem_verb_comes(argc, argv, "run"))
		mem_end_well();
	mem_opts(&argc, &argv, opts,
	    "mem-hook [-q] [--project] [--dry-run] [-S DIR] [--agent ID] install HOOK...\n"
	    "mem-hook [-q] [--project] [--dry-run] remove HOOK...\n"
	    "mem-hook [--project] [--agent ID] [--format FORMAT] status [HOOK...]\n"
	    "mem-hook [-S DIR] [--agent ID] run HOOK EVENT [RECORD]", "let agents, git and cron call memkit by themselves");
	const struct mem_verb *verb = mem_verb_take(&argc, &argv, verbs);
	enum mem_status st = MEM_OK;
	h.o.agent = h.c.agent;
	h.o.store = h.c.store;
	if (strcmp(verb->name, "run") == 0)
		return mem_finish(run_hook(&h, argv, argc));
	if (strcmp(verb->name, "status") == 0)
		return mem_finish(show_status(&h, argv, argc));
	bool install = strcmp(verb->name, "install") == 0;
	check_names(&h, argv, argc); /* all of them, before any file is touched */
	if (install)
		find_store(&h);
	for (int i = 0; i < argc; i++)
		st = mem_status_worse(st, change_hooks(&h, argv[i], install));
	mem_store_close(h.store);
	return mem_finish(st);
}
