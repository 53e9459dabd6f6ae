/* SPDX-License-Identifier: Apache-2.0 */
/* kg-tier: what several owners have in common becomes known to all. */
#include "cli/cli.h"
#include "link/tier.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static bool ask_reviews, undo;
static struct mem_err err;

static void
run_tiers(struct mem_write_run *r)
{
	enum mem_status st = mem_tier_mine(r, &err);
	if (st == MEM_OK && ask_reviews)
		st = mem_tier_ask(r, &err);
	if (st == MEM_OK)
		st = mem_tier_share(r, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
}

static void
undo_patterns(struct mem_write_run *r, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (mem_tier_undo(r, mem_str(argv[i]), &err) != MEM_OK)
			mem_die_err(&err);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "ask", NULL, "ask for a review of each pattern that waits", .flag = &ask_reviews },
		{ 0, "undo", NULL, "take these patterns back", .flag = &undo },
		MEM_OPT_FORMAT(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-tier [OPTION...] [-q] [--dry-run] [--ask]\n"
	    "kg-tier [OPTION...] [-q] [--dry-run] --undo PATTERN...",
	    "share what several owners have in common");
	if (undo != (argc > 0) || (undo && ask_reviews))
		mem_die(MEM_USAGE, undo ? "--undo needs a PATTERN, and stands alone" : "a PATTERN is for --undo");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	const struct mem_write_options writing = { .via = "kg-tier", .audit_refusals = true, .dry_run = c.dry_run, .keeps = true };
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format };
	struct mem_write_run *r = NULL;
	mem_interrupt_catch();
	if (mem_write_run_open(&r, &ask, &writing, mem_receipts_print, &receipts, &err) != MEM_OK)
		mem_die_err(&err);
	if (undo)
		undo_patterns(r, argc, argv);
	else
		run_tiers(r);
	return mem_finish(finish_write_run(r, &receipts, NULL));
}
