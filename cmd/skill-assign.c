/* SPDX-License-Identifier: Apache-2.0 */
/* skill-assign: which agents and teams a skill belongs to. */
#include "cli/cli.h"
#include "ns_option.h"
#include "skill/manage.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words agents, teams;
static struct mem_skill_assignment assignment;

static void
assign_skill_to(struct mem_write_run *r, const struct mem_words *names, bool team)
{
	struct mem_err err;
	assignment.team = team;
	for (size_t i = 0; i < names->n; i++) {
		assignment.name = mem_str(names->v[i]);
		if (mem_skill_assign(r, &assignment, &err) != MEM_OK)
			mem_die_err(&err);
	}
}

static void
assign_skills(struct mem_write_run *r, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		assignment.skill = mem_str(argv[i]);
		assign_skill_to(r, &agents, false);
		assign_skill_to(r, &teams, true);
	}
}

int
main(int argc, char **argv)
{
	const char *ns = NULL;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "agent", "NAME", "to these agents", .words = &agents, .commas = true },
		{ 0, "team", "NAME", "to these teams", .words = &teams, .commas = true },
		{ 0, "undo", NULL, "end the assignment", .flag = &assignment.undo },
		{ 0, "ns", "NS", "skills of this namespace", .str = &ns },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-assign [OPTION...] [-q] [--dry-run] [--undo] [--agent NAME] [--team NAME] [--ns NS] SKILL...",
	    "assign skills to agents and teams");
	if (argc == 0 || agents.n + teams.n == 0)
		mem_die(MEM_USAGE, "a SKILL, and --agent or --team with who gets it (the agent that acts is MEM_AGENT)");
	check_ns_option(ns);
	assignment.ns = mem_str(ns != NULL ? ns : "");
	const struct mem_store_options ask = { .dir = c.store, .write = true, .every_namespace = c.every_namespace, .wait_ms = c.wait,
		.now = mem_now_given(), .damage = mem_warn_damage };
	return mem_finish(write_by_hand("skill-assign", &ask, &c, false, assign_skills, argc, argv));
}
