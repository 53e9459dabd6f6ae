/* SPDX-License-Identifier: Apache-2.0 */
/* kg-merge: entities that are one. */
#include "belief/merge.h"
#include "cli/cli.h"
#include "link/link.h"
#include "write/run.h"

static struct mem_common c = MEM_COMMON_INIT;
static bool undo;
static struct mem_write_run *run;

/* The node that an operand means; false: the input is refused. */
static bool
find_operand(const struct mem_write_input *in, struct mem_str text, struct mem_id *id)
{
	struct mem_err err;
	struct mem_store *s = mem_writer_store(run->writer);
	enum mem_status st = undo ? mem_id_find(s, text, id, &err) : mem_link_end_find(s, text, id, &err);
	if (st == MEM_OK)
		return true;
	if (st != MEM_NOTFOUND && st != MEM_REFUSED && st != MEM_USAGE)
		mem_die_err(&err);
	mem_warn("%s", err.msg);
	mem_write_refuse(run->writer, in, st == MEM_REFUSED ? "ambiguous" : "not_found", 0);
	return false;
}

/* An entity that is merged into `keep`, or is to be on its own again. */
static void
queue_merge(const struct mem_id *keep, struct mem_str text)
{
	const struct mem_write_input in = mem_write_run_next(run, text.n);
	struct mem_id other;
	struct mem_err err;
	bool found = find_operand(&in, text, &other);
	if (found && undo)
		mem_unmerge_queue(run->writer, &in, &other, MEM_MERGE_BY_HAND);
	else if (found)
		mem_merge_queue(run->writer, &in, keep, &other, MEM_MERGE_BY_HAND, 0);
	if (mem_write_run_end(run, &err) != MEM_OK)
		mem_die_err(&err);
}

static void
queue_merges(int argc, char **argv)
{
	struct mem_id keep = { 0 };
	int first = undo ? 0 : 1;
	const struct mem_write_input none = { .line = 1 };
	if (!undo && !find_operand(&none, mem_str(argv[0]), &keep))
		return; /* one refusal for all: there is nothing to merge them into */
	for (int i = first; i < argc; i++)
		queue_merge(&keep, mem_str(argv[i]));
}

static enum mem_status
merge_nodes(const struct mem_store_options *ask, int argc, char **argv)
{
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format };
	const struct mem_write_options o = { .via = "kg-merge", .audit_refusals = true, .dry_run = c.dry_run };
	struct mem_err err;
	mem_interrupt_catch();
	if (mem_write_run_open(&run, ask, &o, mem_receipts_print, &receipts, &err) != MEM_OK)
		mem_die_err(&err);
	queue_merges(argc, argv);
	if (mem_write_run_commit(run, &err) != MEM_OK)
		mem_die_err(&err);
	mem_receipts_sum_up(&receipts);
	enum mem_status worst = mem_write_run_outcome(run, &err);
	mem_write_run_free(run);
	return worst;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "undo", NULL, "take back what merged these nodes", .flag = &undo },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-merge [OPTION...] [-q] [--dry-run] KEEP OTHER...\n"
	    "kg-merge [OPTION...] [-q] [--dry-run] --undo OTHER...",
	    "make one of entities that are one, and take it back");
	if (argc < (undo ? 1 : 2))
		mem_die(MEM_USAGE, undo ? "--undo: the id of a node that was merged is wanted" : "the node to keep and those to merge into it are wanted");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	return mem_finish(merge_nodes(&ask, argc, argv));
}
