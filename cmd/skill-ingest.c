/* SPDX-License-Identifier: Apache-2.0 */
/* skill-ingest: files of skills to skills. */
#include "cli/cli.h"
#include "model/model.h"
#include "skill/ingest.h"
#include "embed_waiting.h"
#include "skill_paths.h"

enum { MISSING_TOLD = 10 };

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_skill_ingest_options o = { .via = "skill-ingest" };
static int change = MEM_RELEASE_PATCH;
static struct mem_receipts receipts;
static bool no_embed;
static uint64_t missing;

static void
check_ingest(enum mem_status st, const struct mem_err *err)
{
	if (st != MEM_OK)
		mem_die_err(err);
}

/* A mem_skill_missing_fn. */
static void
tell_missing_skill(void *ctx, struct mem_str skill, struct mem_str name)
{
	(void)ctx;
	if (missing++ < MISSING_TOLD && !c.quiet)
		mem_warn("%.*s names a skill that is not there: %.*s", (int)skill.n, skill.p, (int)name.n, name.p);
}

static void
put_files(struct mem_skill_ingest *run, const struct mem_skill_files *files)
{
	struct mem_err err;
	mem_skill_ingest_files(run, files);
	for (size_t i = 0; i < files->n && !mem_interrupted(); i++) {
		mem_progress((void *)(uintptr_t)"reading", i, files->n);
		check_ingest(mem_skill_ingest_put(run, &files->v[i], &err), &err);
	}
	mem_progress_end();
	if (!mem_interrupted()) /* what was not looked at is not gone */
		check_ingest(mem_skill_ingest_retire(run, &err), &err);
	check_ingest(mem_skill_ingest_commit(run, &err), &err);
}

static enum mem_status
ingest_files(const struct mem_store_options *ask, int argc, char **argv)
{
	struct mem_skill_files files = { 0 };
	struct mem_skill_ingest *run = NULL;
	struct mem_err err;
	check_ingest(mem_skill_ingest_open(&run, ask, &o, mem_receipts_print, &receipts, &err), &err);
	enum mem_status st = list_skill_files(&files, mem_store_conf(mem_skill_ingest_store(run)), argc, argv, c.nul);
	put_files(run, &files);
	st = mem_status_worse(st, mem_skill_ingest_outcome(run, &err));
	if (!c.dry_run)
		check_ingest(mem_skill_ingest_missing(run, tell_missing_skill, NULL, &err), &err);
	if (missing > MISSING_TOLD && !c.quiet)
		mem_warn("and %ju more names", (uintmax_t)(missing - MISSING_TOLD));
	const struct mem_write_total waiting = *mem_skill_ingest_total(run);
	mem_skill_ingest_free(run);
	mem_skill_files_release(&files);
	if (!no_embed && !c.dry_run)
		embed_waiting_nodes(ask, waiting.waiting, waiting.first, waiting.last);
	return st;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c), MEM_OPT_NUL(c),
		{ 0, "ns", "NS", "write to NS (default: the setting skills.ns)", .str = &o.ns },
		{ 0, "change", "WORD", "how the number of a changed skill rises (patch)", .choice = &change, .choices = mem_release_changes },
		{ 0, "no-embed", NULL, "leave vectors to mem-maintain", .flag = &no_embed },
		MEM_OPT_FORMAT(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-ingest [OPTION...] [-0qz] [--dry-run] [--ns NS] [--change WORD] [PATH...]", "read skills from files");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	receipts.quiet = c.quiet;
	receipts.format = c.format;
	o.dry_run = c.dry_run;
	o.change = (enum mem_release_change)change;
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	enum mem_status st = ingest_files(&ask, argc, argv);
	mem_receipts_sum_up(&receipts);
	return mem_finish(st);
}
