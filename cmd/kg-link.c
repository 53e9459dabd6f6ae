/* SPDX-License-Identifier: Apache-2.0 */
/* kg-link: markdown files to pages, their links to edges. */
#include "cli/cli.h"
#include "link/vault_git.h"
#include "model/model.h"
#include "store/page_keys.h"
#include "embed_waiting.h"
#include "link_files.h"
#include "link_output.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_vault_options o = { .via = "kg-link" };
static struct file_receipts receipts;
static const struct mem_git repository; /* the one that git means */
static const char *vault, *text_path, *rev;
static bool no_embed;

/* ---- runs ------------------------------------------------------------------- */

static struct mem_vault_run *
open_vault(const struct mem_store_options *ask, struct mem_str root, struct mem_str home)
{
	struct mem_vault_run *run = NULL;
	struct mem_err err;
	o.vault = mem_str(vault);
	o.folder = mem_vault_folder_name(root, home);
	o.home = home;
	check_read(mem_vault_open(&run, ask, &o, print_file_receipts, &receipts, &err), &err);
	return run;
}

/* Writes the rest of a vault.  Returns what went wrong. */
static enum mem_status
end_vault(const struct mem_store_options *ask, struct mem_vault_run *run)
{
	struct mem_err err;
	check_read(mem_vault_commit(run, &err), &err);
	if (receipts.summary)
		print_vault_summary(run);
	enum mem_status st = mem_vault_outcome(run, &err);
	struct mem_vault_waiting waiting = mem_vault_waiting(run);
	mem_vault_free(run);
	if (!no_embed && !c.dry_run)
		embed_waiting_nodes(ask, waiting.n, waiting.first, waiting.last);
	return st;
}

static enum mem_status
link_text(const struct mem_store_options *ask)
{
	struct mem_buf root = { 0 }, home = { 0 }, text = { 0 };
	struct mem_err err;
	mem_stdin_read(&text, MEM_VAULT_FILE_MAX);
	check_read(mem_vault_place(&root, &home, ".", &err), &err);
	if (vault != NULL) /* a text that is piped to a named vault comes from anywhere */
		mem_buf_reset(&home);
	struct mem_vault_run *run = open_vault(ask, mem_buf_span(&root), mem_buf_span(&home));
	forget_commit(run);
	read_vault_text(run, vault == NULL ? root.data : NULL, mem_str(text_path), mem_buf_span(&text));
	mem_buf_release(&root);
	mem_buf_release(&home);
	mem_buf_release(&text);
	return end_vault(ask, run);
}

static enum mem_status
link_files(const struct mem_store_options *ask, int argc, char **argv)
{
	struct named_paths l = { .st = MEM_OK };
	size_t passed_over = 0;
	read_named_paths(&l, argc, argv, c.nul);
	o.vault = mem_str(vault);
	join_named_vaults(&l, ask, &o);
	for (size_t i = 0; i < l.n && !mem_interrupted(); i++) {
		if (l.v[i].taken)
			continue;
		struct vault_reading v = { .run = open_vault(ask, l.v[i].root, l.v[i].home), .root = l.v[i].root.p };
		forget_commit(v.run);
		read_named_files(&v, &l);
		l.st = mem_status_worse(l.st, end_vault(ask, v.run));
		passed_over += v.passed_over;
	}
	if (passed_over > 0 && !c.quiet)
		mem_warn("%zu repositor%s inside passed over: kg-link each of them by itself", passed_over, passed_over == 1 ? "y" : "ies");
	free(l.v);
	mem_arena_release(&l.arena);
	return l.st;
}

static enum mem_status
link_commit(const struct mem_store_options *ask)
{
	struct mem_buf root = { 0 }, home = { 0 };
	struct mem_git_id commit;
	struct mem_err err;
	if (mem_git_commit(&commit, &repository, rev, &err) != MEM_OK)
		mem_die(MEM_FAIL, "%s", err.msg); /* an unknown commit is no answer */
	check_read(mem_vault_root(&root, ".", &err), &err);
	check_read(mem_git_home(&home, &repository, &err), &err);
	struct mem_vault_run *run = open_vault(ask, mem_buf_span(&root), mem_buf_span(&home));
	enum mem_status st = mem_vault_put_commit(run, &repository, &commit, &err);
	check_read(st == MEM_END ? MEM_OK : st, &err);
	mem_buf_release(&root);
	mem_buf_release(&home);
	return end_vault(ask, run);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c), MEM_OPT_NUL(c),
		{ 0, "path", "PATH", "standard input is the text of this file", .str = &text_path },
		{ 0, "rev", "REV", "read the files of this commit", .str = &rev },
		{ 0, "vault", "NAME", "the name of the vault", .str = &vault },
		{ 0, "moved", NULL, "the files of the vault are here now", .flag = &o.moved },
		{ 0, "ns", "NS", "write to NS (default: the setting vault.ns)", .str = &o.ns },
		{ 0, "no-embed", NULL, "leave vectors to mem-maintain", .flag = &no_embed },
		{ 0, "summary", NULL, "print counts of the vault in place of receipts", .flag = &receipts.summary },
		MEM_OPT_FORMAT(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-link [OPTION...] [-0qz] [--dry-run | --summary] [--vault NAME] [--moved] [--ns NS] [PATH...]\n"
	    "kg-link [OPTION...] [-q] [--dry-run | --summary] [--vault NAME] [--moved] [--ns NS] --path PATH -\n"
	    "kg-link [OPTION...] [-q] [--dry-run | --summary] [--vault NAME] [--moved] [--ns NS] --rev REV",
	    "turn markdown files into pages and their links into edges");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	receipts.quiet = c.quiet;
	receipts.format = c.format;
	o.dry_run = c.dry_run;
	if (receipts.summary && c.dry_run)
		mem_die(MEM_USAGE, "--summary counts what is kept: not with --dry-run");
	if (text_path != NULL && (argc != 1 || strcmp(argv[0], "-") != 0))
		mem_die(MEM_USAGE, "--path: the text comes from standard input, by the operand -");
	if (rev != NULL && (argc > 0 || text_path != NULL || c.nul))
		mem_die(MEM_USAGE, "--rev: the files are those of the commit, and none is named");
	mem_link_curl_and_blas();
	mem_interrupt_catch_for(1); /* a long file is one piece */
	enum mem_status st = rev != NULL ? link_commit(&ask) : text_path != NULL ? link_text(&ask) : link_files(&ask, argc, argv);
	sum_up_files(&receipts);
	return mem_finish(st);
}
