/* SPDX-License-Identifier: Apache-2.0 */
/* kg-merge: entities that are one. */
#include "belief/merge.h"
#include "cli/cli.h"
#include "finish_vectors.h"
#include "link/link.h"
#include "merge_suggestions.h"
#include "model/model.h"
#include "write_run.h"

#include <stdlib.h>

static struct mem_common c = MEM_COMMON_INIT;
static bool undo, split, suggest, ask_people;
static double least;
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
	enum mem_status st = MEM_OK;
	bool found = find_operand(&in, text, &other);
	if (found && undo)
		st = mem_unmerge_queue(run->writer, &in, &other, MEM_MERGE_BY_HAND, &err);
	else if (found)
		st = mem_merge_queue(run->writer, &in, keep, &other, MEM_MERGE_BY_HAND, 0, &err);
	if (st == MEM_OK)
		st = mem_write_run_end(run, &err);
	if (st != MEM_OK)
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

/* An entity, one of its aliases, and nodes whose edges go over. */
static void
queue_split(int argc, char **argv)
{
	const struct mem_write_input in = mem_write_run_next(run, 0);
	struct mem_id entity, *nodes = mem_xcalloc((size_t)argc, sizeof *nodes);
	struct mem_err err;
	bool found = find_operand(&in, mem_str(argv[0]), &entity);
	for (int i = 2; i < argc && found; i++)
		found = find_operand(&in, mem_str(argv[i]), &nodes[i - 2]);
	if (found && mem_split_queue(run->writer, &in, &entity, mem_str(argv[1]), nodes, (size_t)argc - 2, &err) != MEM_OK)
		mem_die_err(&err);
	free(nodes);
}

/* ---- writing ----------------------------------------------------------------- */

static enum mem_status
write_merges(const struct mem_store_options *ask, int argc, char **argv)
{
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format };
	const struct mem_write_options o = { .via = "kg-merge", .audit_refusals = true, .dry_run = c.dry_run };
	struct mem_write_total total;
	struct mem_err err;
	enum mem_status worst = MEM_OK;
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	enum mem_status st = mem_write_run_open(&run, ask, &o, mem_receipts_print, &receipts, &err);
	if (st == MEM_OK && split)
		st = mem_write_run_embed(run, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	if (ask_people)
		worst = suggest_merges(mem_writer_store(run->writer), run, &c, least);
	else if (split)
		queue_split(argc, argv);
	else
		queue_merges(argc, argv);
	worst = mem_status_worse(finish_write_run(run, &receipts, &total), worst);
	finish_vectors(ask, &total, ask->now == MEM_TIME_NONE && !mem_interrupted()); /* of facts that the merges made */
	return worst;
}

/* One form at a time, each with its operands. */
static void
check_form(int argc)
{
	int forms = undo + split + suggest + (ask_people && !suggest);
	if (forms > 1)
		mem_die(MEM_USAGE, "--undo, --split and --suggest: one of them");
	if (suggest || ask_people) {
		if (argc > 0)
			mem_die(MEM_USAGE, "--suggest and --ask take no operands");
		return;
	}
	if (undo && argc < 1)
		mem_die(MEM_USAGE, "--undo: the id of an entity that was merged is wanted");
	if (split && argc < 2)
		mem_die(MEM_USAGE, "--split: an entity and one of its aliases are wanted");
	if (!undo && !split && argc < 2)
		mem_die(MEM_USAGE, "the entity to keep and those to merge into it are wanted");
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "undo", NULL, "take back what merged these entities", .flag = &undo },
		{ 0, "split", NULL, "make an alias an entity of its own, with the edges to these nodes", .flag = &split },
		{ 0, "suggest", NULL, "print entities that may be one, best first, with what speaks for it", .flag = &suggest },
		{ 0, "ask", NULL, "put these in the queue for review", .flag = &ask_people },
		{ 0, "min-score", "X", "only suggestions with at least this score", .real = &least, .low = 0, .high = 1 },
		MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-merge [OPTION...] [-q] [--dry-run] KEEP OTHER...\n"
	    "kg-merge [OPTION...] [-q] [--dry-run] --undo OTHER...\n"
	    "kg-merge [OPTION...] [-q] [--dry-run] --split ENTITY ALIAS [NODE...]\n"
	    "kg-merge [OPTION...] [-q] [--ask] [--min-score X] [--ns NS] [-n N] --suggest",
	    "make one of entities that are one, and take it back");
	check_form(argc);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = ask_people || !suggest,
		.every_namespace = c.every_namespace, .wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	return mem_finish(ask.write ? write_merges(&ask, argc, argv) : print_suggestions(&ask, &c, least));
}
