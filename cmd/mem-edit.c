/* SPDX-License-Identifier: Apache-2.0 */
/* mem-edit: corrects what is kept, as a new version. */
#include "care_ids.h"
#include "embed_waiting.h"
#include "model/model.h"

#include <unistd.h>

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_care_edit edit;
static bool undo;
static struct mem_write_run *run;
static struct mem_err err;

static void
edit_id(struct mem_str id)
{
	explain_refused_id(mem_writer_store(run->writer), id);
	if (mem_care_edit(run, id, &edit, &err) != MEM_OK)
		mem_die_err(&err);
}

static void
pause_edits(void)
{
	mem_store_pause(mem_writer_store(run->writer));
}

static enum mem_status
edit_lines(int argc, char **argv)
{
	struct mem_input in;
	struct mem_line line;
	mem_input_init(&in, argc, argv);
	for (;;) {
		if (!mem_input_ready(&in, CARE_WAIT_MS))
			pause_edits();
		if (!mem_input_next(&in, &line))
			return mem_input_status(&in);
		if (mem_care_edit_line(run, &line, &edit, &err) != MEM_OK)
			mem_die_err(&err);
	}
}

/* Operands are files here: an id stands alone where a change was forgotten. */
static void
check_no_ids(int argc, char **argv)
{
	struct mem_id id;
	for (int i = 0; i < argc; i++)
		if (mem_id_parse(mem_str(argv[i]), &id) && access(argv[i], F_OK) != 0)
			mem_die(MEM_USAGE, "'%s' is an id: --set, --tag or --untag says what is to change", argv[i]);
}

static enum mem_status
run_edits(const struct mem_store_options *ask, struct mem_write_total *total, bool ids, int argc, char **argv)
{
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format };
	const struct mem_write_options writing = { .via = "mem-edit", .audit_refusals = true, .dry_run = c.dry_run };
	mem_interrupt_catch();
	enum mem_status st = mem_write_run_open(&run, ask, &writing, mem_receipts_print, &receipts, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	st = ids ? take_operand_ids(argc, argv, edit_id, c.nul, CARE_WAIT_MS, pause_edits) : edit_lines(argc, argv);
	mem_receipts_sum_up(&receipts);
	st = mem_status_worse(mem_write_run_outcome(run, &err), st);
	*total = run->total;
	mem_write_run_free(run);
	return st;
}

static enum mem_status
undo_id(struct mem_care_run *r, struct mem_str id, struct mem_err *e)
{
	return mem_care_undo(r, id, MEM_CARE_EDIT, e);
}

static enum mem_status
undo_edits(struct mem_write_total *total, int argc, char **argv)
{
	const struct mem_care_options o = { .via = "mem-edit", .dry_run = c.dry_run };
	enum mem_status st = run_care_ids(&c, &o, undo_id, argc, argv);
	*total = care.total;
	return st;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "set", "FIELD=VALUE", "give the field this value", .words = &edit.set },
		{ 0, "why", "TEXT", "say why", .str = &edit.why },
		{ 0, "tag", "TAG", "add this tag", .words = &edit.tag },
		{ 0, "untag", "TAG", "take this tag away", .words = &edit.untag },
		{ 0, "undo", NULL, "take back the last edit of each", .flag = &undo },
		CARE_OPT_IF_VERSION(edit),
		MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-edit [OPTION...] [-0qz] [--dry-run] [--if-version N] [--set FIELD=VALUE] [--tag TAG] [--untag TAG] [--why TEXT] ID...\n"
	    "mem-edit [OPTION...] [-q] [--dry-run] [--why TEXT] [FILE...]\n"
	    "mem-edit [OPTION...] [-0qz] [--dry-run] --undo ID...",
	    "correct what is kept, as a new version");
	bool ids = edit.set.n + edit.tag.n + edit.untag.n > 0;
	if (undo && (ids || edit.why != NULL || edit.if_version != 0))
		mem_die(MEM_USAGE, "--undo goes without other changes");
	if (!ids && !undo)
		check_no_ids(argc, argv);
	if (ids && argc == 0)
		mem_die(MEM_USAGE, "an ID is wanted, or - for those of standard input");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_write_total total;
	mem_link_curl_and_blas();
	enum mem_status st = undo ? undo_edits(&total, argc, argv) : run_edits(&ask, &total, ids, argc, argv);
	embed_waiting_nodes(&ask, total.waiting, total.first, total.last);
	return mem_finish(st);
}
