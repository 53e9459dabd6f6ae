/* SPDX-License-Identifier: Apache-2.0 */
/* mem-pin: keeps memories from decaying and from being forgotten. */
#include "care_ids.h"

static bool off, undo;

static enum mem_status
pin_id(struct mem_care_run *run, struct mem_str id, struct mem_err *err)
{
	return undo ? mem_care_undo(run, id, MEM_CARE_PIN, err) : mem_care_pin(run, id, !off, err);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_care_options o = { .via = "mem-pin" };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "off", NULL, "unpin", .flag = &off },
		{ 0, "undo", NULL, "take back the last change of each that mem-pin made", .flag = &undo },
		CARE_OPT_IF_VERSION(o),
		MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-pin [OPTION...] [-0qz] [--dry-run] [--if-version N] [--off | --undo] ID...",
	    "keep memories from decaying and from being forgotten");
	if (off && undo)
		mem_die(MEM_USAGE, "--off and --undo: one of the two");
	o.dry_run = c.dry_run;
	return mem_finish(run_care_ids(&c, &o, pin_id, argc, argv));
}
