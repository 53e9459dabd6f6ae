/* SPDX-License-Identifier: Apache-2.0 */
/* skill-status: moves skills from draft to active, deprecated, archived. */
#include "cli/cli.h"
#include "ns_option.h"
#include "skill/manage.h"
#include "skill/skill.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_skill_status_change change;
static const char *reason, *ns;

static void
set_statuses(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	for (int i = 0; i < argc - 1; i++) {
		change.skill = mem_str(argv[i]);
		if (mem_skill_set_status(r, &change, &err) != MEM_OK)
			mem_die_err(&err);
	}
}

int
main(int argc, char **argv)
{
	static const char *const words[] = { "draft", "active", "deprecated", "archived", NULL };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "reason", "TEXT", "why; it is kept", .str = &reason },
		{ 0, "ns", "NS", "skills of this namespace", .str = &ns },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-status [OPTION...] [-q] [--dry-run] [--ns NS] [--reason TEXT] SKILL... STATUS",
	    "move skills from draft to active, deprecated, archived");
	if (argc < 2)
		mem_die(MEM_USAGE, "a SKILL and a STATUS are wanted: skill-show prints what it is now");
	if (find_word(argv[argc - 1], words) < 0 || !mem_node_status_parse(mem_str(argv[argc - 1]), &change.to))
		mem_die(MEM_USAGE, "'%s' is not one of draft, active, deprecated, archived", argv[argc - 1]);
	check_ns_option(ns);
	change.ns = mem_str(ns != NULL ? ns : "");
	change.reason = mem_str(reason != NULL ? reason : "");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	return mem_finish(write_by_hand("skill-status", &ask, &c, false, set_statuses, argc, argv));
}
