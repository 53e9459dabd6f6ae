/* SPDX-License-Identifier: Apache-2.0 */
/* mem-boost: makes memories more or less important. */
#include "care_ids.h"

static double by = .1;
static bool down, undo;

static enum mem_status
boost_id(struct mem_care_run *run, struct mem_str id, struct mem_err *err)
{
	return undo ? mem_care_undo(run, id, MEM_CARE_BOOST, err) : mem_care_boost(run, id, down ? -by : by, err);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_care_options o = { .via = "mem-boost" };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "down", NULL, "less important, not more", .flag = &down },
		{ 0, "by", "X", "by so much, from 0.01 to 0.5 (default: 0.1)", .real = &by, .low = .01, .high = .5 },
		{ 0, "undo", NULL, "take back the last change of each that mem-boost made", .flag = &undo },
		CARE_OPT_IF_VERSION(o),
		MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-boost [OPTION...] [-0qz] [--dry-run] [--if-version N] [--down] [--by X] ID...\n"
	    "mem-boost [OPTION...] [-0qz] [--dry-run] --undo ID...",
	    "make memories more or less important");
	if (down && undo)
		mem_die(MEM_USAGE, "--down and --undo: one of the two");
	o.dry_run = c.dry_run;
	return mem_finish(run_care_ids(&c, &o, boost_id, argc, argv));
}
