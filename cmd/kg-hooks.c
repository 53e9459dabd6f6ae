/* SPDX-License-Identifier: Apache-2.0 */
/* kg-hooks: let git keep the pages of a vault up to date. */
#include "hook_output.h"
#include "link/vault_files.h"
#include "link/vault_git.h"
#include "store/page_keys.h"

#include <string.h>

enum {
	LOCK_WAIT_MS = 500,            /* for another writer; then the next hook catches up */
	GIT_WAIT_MS = 1000,            /* that git is held up; then it goes on in the background */
	WORK_MS = 600000,              /* there */
	ROUNDS_MAX = 10,               /* commits that came while it worked */
};

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_vault_hook_options o;
static struct mem_buf root, home, refused;

/* ---- installing -------------------------------------------------------------------- */

/* The store and the vault's name as the hooks will have them; exits where they cannot be told. */
static void
find_store_and_vault(struct mem_store **s, struct mem_buf *vault)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct mem_err err;
	ask.dir = c.store, ask.agent = c.agent;
	if (mem_store_open(s, &ask, &err) != MEM_OK || mem_vault_place(&root, &home, ".", &err) != MEM_OK)
		mem_die_err(&err);
	struct mem_str name, folder = mem_vault_folder_name(mem_buf_span(&root), mem_buf_span(&home));
	if (mem_vault_name_choose(&name, mem_store_conf(*s), mem_str(o.vault), folder, &err) != MEM_OK)
		mem_die_err(&err);
	mem_buf_str(vault, name);
	o.store = mem_store_path(*s);
	o.vault = vault->data;
}

static enum mem_status
change_vault_hook(const char *hook, bool install)
{
	struct mem_hook_change change;
	struct mem_err err;
	enum mem_status st = mem_vault_hook_plan(&change, hook, install, &o, &err);
	if (st == MEM_OK && c.dry_run)
		print_diff(&change);
	else if (st == MEM_OK) {
		st = mem_hook_apply(&change, &err);
		if (st == MEM_OK && !c.quiet)
			print_hook_receipt(&change, hook, o.store, c.format);
	}
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	mem_hook_change_release(&change);
	return st;
}

static enum mem_status
change_vault_hooks(bool install)
{
	struct mem_buf vault = { 0 };
	struct mem_store *s = NULL;
	enum mem_status st = MEM_OK;
	if (install)
		find_store_and_vault(&s, &vault);
	for (size_t i = 0; mem_vault_hook_names[i] != NULL; i++)
		st = mem_status_worse(st, change_vault_hook(mem_vault_hook_names[i], install));
	mem_store_close(s);
	mem_buf_release(&vault);
	return st;
}

/* ---- how it stands ------------------------------------------------------------------- */

static enum mem_status
show_vault_status(void)
{
	static const struct mem_column columns[] = { { .name = "HOOK" }, { .name = "EVENT" }, { .name = "STATE" }, { 0 } };
	struct status_output out = { .text = mem_text_wanted(c.format) };
	struct mem_buf lines = { 0 };
	struct mem_err err;
	if (mem_vault_hook_put_status(&lines, c.agent, &err) != MEM_OK)
		mem_die(MEM_FAIL, "%s", err.msg);
	if (out.text)
		mem_grid_begin(&out.grid, columns);
	enum mem_status st = print_status_lines(&out, &lines, true);
	mem_grid_end(&out.grid);
	if (out.last_errors.len > 0)
		mem_out_str(mem_buf_span(&out.last_errors));
	mem_buf_release(&lines);
	mem_buf_release(&out.last_errors);
	return st;
}

/* ---- being called ---------------------------------------------------------------------- */

/* Git goes on when a round is done, or a failure is logged; rounds follow, as another commit's hook may have found the store taken. */
static void
work_for_hook(void *hook)
{
	static const struct mem_git repository = { .timeout_ms = WORK_MS };
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = LOCK_WAIT_MS, .now = mem_now_given() };
	const struct mem_vault_options vault = { .via = "kg-hooks", .vault = mem_str(o.vault) };
	struct mem_git_id read = { .hex = "" };
	struct mem_err err = { 0 };
	enum mem_status st = MEM_OK;
	mem_watchdog_start(WORK_MS);
	for (int i = 0; i < ROUNDS_MAX && st == MEM_OK; i++) {
		st = mem_vault_catch_up(&ask, &vault, &repository, &read, &refused, &err);
		if (st == MEM_OK)
			mem_background_release();
	}
	if (st != MEM_OK && st != MEM_END && st != MEM_BUSY)
		mem_vault_hook_log(hook, err.msg);
	if (refused.len > 0)
		mem_vault_hook_log(hook, refused.data);
}

static void
run_vault_hook(char *hook)
{
	struct mem_err err;
	if (mem_background_run(work_for_hook, hook, GIT_WAIT_MS, &err) != MEM_OK)
		mem_vault_hook_log(hook, err.msg);
}

int
main(int argc, char **argv)
{
	static const struct mem_verb verbs[] = {
		{ "install", "store agent vault dry-run quiet format", 0, 0 },
		{ "remove", "dry-run quiet format", 0, 0 },
		{ "status", "agent format", 0, 0 },
		{ "run", "store agent vault", 1, 1 },
		{ 0 }
	};
	static const char *const operands[] = { "install", "remove", "status", "run", NULL };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "vault", "NAME", "the name of the vault", .str = &o.vault },
		MEM_OPT_DRYRUN(c), MEM_OPT_FORMAT(c), MEM_OPT_QUIET(c), MEM_OPT_OPERANDS("VERB", operands), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-hooks [-q] [--dry-run] [-S DIR] [--agent ID] [--vault NAME] install\n"
	    "kg-hooks [-q] [--dry-run] remove\n"
	    "kg-hooks [--agent ID] [--format FORMAT] status\n"
	    "kg-hooks [-S DIR] [--agent ID] --vault NAME run HOOK", "let git keep the pages of a vault up to date");
	const char *verb = mem_verb_take(&argc, &argv, verbs)->name;
	o.agent = c.agent;
	o.store = c.store;
	if (strcmp(verb, "status") == 0)
		return mem_finish(show_vault_status());
	if (strcmp(verb, "run") != 0)
		return mem_finish(change_vault_hooks(strcmp(verb, "install") == 0));
	if (o.vault == NULL)
		mem_die(MEM_USAGE, "run: --vault is needed");
	run_vault_hook(argv[0]);
	return 0;
}
