/* SPDX-License-Identifier: Apache-2.0 */
/* mem-forget: forgets memories, by hand or by the rules of the settings. */
#include "care_ids.h"

static bool force, undo, sweep;

static enum mem_status
forget_id(struct mem_care_run *run, struct mem_str id, struct mem_err *err)
{
	return undo ? mem_care_undo(run, id, MEM_CARE_FORGET, err) : mem_care_forget(run, id, force, err);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_care_options o = { .via = "mem-forget" };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "force", NULL, "also what is pinned", .flag = &force },
		{ 0, "sweep", NULL, "forget what the settings forget.* leave", .flag = &sweep },
		{ 0, "undo", NULL, "take back that they were forgotten", .flag = &undo },
		CARE_OPT_IF_VERSION(o), MEM_OPT_NS(c),
		MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-forget [OPTION...] [-0qz] [--dry-run] [--if-version N] [--force] ID...\n"
	    "mem-forget [OPTION...] [-0qz] [--dry-run] --undo ID...\n"
	    "mem-forget [OPTION...] [-q] [--dry-run] [--ns NS] --sweep",
	    "forget memories, and bring them back");
	if (undo + sweep + force > 1)
		mem_die(MEM_USAGE, "--undo, --sweep and --force: one of them");
	if (!sweep && c.ns.n > 0)
		mem_die(MEM_USAGE, "--ns goes with --sweep");
	o.dry_run = c.dry_run;
	if (sweep)
		return mem_finish(run_care_sweep(&c, &o, MEM_SWEEP_FORGET, "forget.sweep", argc));
	return mem_finish(run_care_ids(&c, &o, forget_id, argc, argv));
}
