/* SPDX-License-Identifier: Apache-2.0 */
/* mem-forget: forgets memories, by hand or by the rules of the settings. */
#include "care_ids.h"

static bool force, undo, sweep, erase;

static enum mem_status
forget_id(struct mem_care_run *run, struct mem_str id, struct mem_err *err)
{
	if (erase)
		return mem_care_erase(run, id, force, err);
	return undo ? mem_care_undo(run, id, MEM_CARE_FORGET, err) : mem_care_forget(run, id, force, err);
}

/* The ids of the list that begins here, the first behind its quotation mark. */
static void
warn_of_copies(const char *p, const char *end)
{
	while (p + MEM_ID_LEN < end) {
		mem_warn("the copy that was promoted stays: %.*s", MEM_ID_LEN, p);
		p += MEM_ID_LEN + 1;
		if (p + 2 >= end || p[0] != ',')
			return;
		p += 2;
	}
}

/* A mem_emit_fn: receipts, and on standard error what they leave; of a dry run also the list. */
static bool
print_erasures(void *receipts, struct mem_str lines)
{
	static const char copies[] = "\"copies\":[\"", listed[] = "{\"id\":";
	if (lines.n > sizeof listed && memcmp(lines.p, listed, sizeof listed - 1) == 0)
		return print_care_lines(&((struct mem_receipts *)receipts)->quiet, lines);
	for (const char *p = lines.p, *end = lines.p + lines.n; (p = memmem(p, (size_t)(end - p), copies, sizeof copies - 1)) != NULL;) {
		p += sizeof copies - 1;
		warn_of_copies(p, end);
	}
	return mem_receipts_print(receipts, lines);
}

static enum mem_status
run_erasures(const struct mem_common *c, const struct mem_care_options *o, int argc, char **argv)
{
	struct mem_receipts receipts = { .quiet = c->quiet, .format = c->format };
	if (argc == 0)
		mem_die(MEM_USAGE, "an ID is wanted, or - for those of standard input");
	open_care_run(c, o, print_erasures, &receipts);
	care.take = forget_id;
	return end_care_run(&receipts, take_operand_ids(argc, argv, take_care_id, c->nul, CARE_WAIT_MS, commit_care_run));
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_care_options o = { .via = "mem-forget" };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "erase", NULL, "remove for good, with what came of it alone", .flag = &erase },
		{ 0, "force", NULL, "also what is pinned", .flag = &force },
		{ 0, "sweep", NULL, "forget what the settings forget.* leave", .flag = &sweep },
		{ 0, "undo", NULL, "take back that they were forgotten", .flag = &undo },
		CARE_OPT_IF_VERSION(o), MEM_OPT_NS(c),
		MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-forget [OPTION...] [-0qz] [--dry-run] [--if-version N] [--force] ID...\n"
	    "mem-forget [OPTION...] [-0qz] [--dry-run] --undo ID...\n"
	    "mem-forget [OPTION...] [-q] [--dry-run] [--ns NS] --sweep\n"
	    "mem-forget [OPTION...] [-0qz] [--dry-run] [--if-version N] [--force] --erase ID...",
	    "forget memories, and bring them back");
	if (undo + sweep + (force || erase) > 1)
		mem_die(MEM_USAGE, "--undo, --sweep, --erase: one of them, and --force only with the last");
	if (!sweep && c.ns.n > 0)
		mem_die(MEM_USAGE, "--ns goes with --sweep");
	o.dry_run = c.dry_run;
	if (sweep)
		return mem_finish(run_care_sweep(&c, &o, MEM_SWEEP_FORGET, "forget.sweep", argc));
	return mem_finish(erase ? run_erasures(&c, &o, argc, argv) : run_care_ids(&c, &o, forget_id, argc, argv));
}
