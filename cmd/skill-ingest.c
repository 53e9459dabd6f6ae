/* SPDX-License-Identifier: Apache-2.0 */
/* skill-ingest: files of skills to skills. */
#include "cli/cli.h"
#include "model/model.h"
#include "skill/ingest.h"
#include "skill_files_run.h"
#include "skill_paths.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_skill_ingest_options o = { .via = "skill-ingest" };
static int change = MEM_RELEASE_PATCH;
static struct skill_files_run run = { .c = &c, .o = &o };

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c), MEM_OPT_NUL(c),
		{ 0, "ns", "NS", "write to NS (default: the setting skills.ns)", .str = &o.ns },
		{ 0, "change", "WORD", "how the number of a changed skill rises (patch)", .choice = &change, .choices = mem_release_changes },
		{ 0, "no-embed", NULL, "leave vectors to mem-maintain", .flag = &run.no_embed },
		MEM_OPT_FORMAT(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-ingest [OPTION...] [-0qz] [--dry-run] [--ns NS] [--change WORD] [PATH...]", "read skills from files");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	o.dry_run = c.dry_run;
	o.change = (enum mem_release_change)change;
	mem_link_curl_and_blas();
	return mem_finish(run_skill_files(&run, &ask, list_skill_files, argc, argv));
}
