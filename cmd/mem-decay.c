/* SPDX-License-Identifier: Apache-2.0 */
/* mem-decay: archives memories that have become stale. */
#include "care_ids.h"

static enum mem_status
unarchive_id(struct mem_care_run *run, struct mem_str id, struct mem_err *err)
{
	return mem_care_undo(run, id, MEM_CARE_ARCHIVE, err);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_care_options o = { .via = "mem-decay" };
	bool undo = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "undo", NULL, "take back that they were archived", .flag = &undo },
		MEM_OPT_NS(c), MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-decay [OPTION...] [-q] [--dry-run] [--ns NS]\n"
	    "mem-decay [OPTION...] [-0qz] [--dry-run] --undo ID...",
	    "archive memories that have become stale");
	if (undo && c.ns.n > 0)
		mem_die(MEM_USAGE, "--ns goes without --undo");
	o.dry_run = c.dry_run;
	return mem_finish(undo ? run_care_ids(&c, &o, unarchive_id, argc, argv)
	    : run_care_sweep(&c, &o, MEM_SWEEP_DECAY, "decay.sweep", argc));
}
