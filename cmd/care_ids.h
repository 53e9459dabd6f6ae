/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that care for nodes given by their ids. */
#ifndef MEM_CARE_IDS_H
#define MEM_CARE_IDS_H

#include "care/care.h"
#include "cli/cli.h"
#include "nodes.h"
#include "refused_id.h"

/* A live pipe is not held up longer. */
#define CARE_WAIT_MS 200

/* What is done with one id. */
typedef enum mem_status care_id_fn(struct mem_care_run *run, struct mem_str id, struct mem_err *err);

static struct {
	struct mem_care_run *run;
	care_id_fn *take;
	struct mem_write_total total; /* of the run, when it ended */
} care;

static inline void
take_care_id(struct mem_str id)
{
	struct mem_err err;
	explain_refused_id(mem_care_run_store(care.run), id);
	if (care.take(care.run, id, &err) != MEM_OK)
		mem_die_err(&err);
}

/* Waiting must neither hold up a compaction nor what was asked for. */
static inline void
commit_care_run(void)
{
	struct mem_err err;
	if (mem_care_run_commit(care.run, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_pause(mem_care_run_store(care.run));
}

static inline void
open_care_run(const struct mem_common *c, const struct mem_care_options *o, mem_emit_fn *emit, void *ctx)
{
	const struct mem_store_options ask = { .dir = c->store, .agent = c->agent, .write = true, .every_namespace = c->every_namespace,
		.wait_ms = c->wait, .now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_err err;
	mem_interrupt_catch();
	if (mem_care_run_open(&care.run, &ask, o, emit, ctx, &err) != MEM_OK)
		mem_die_err(&err);
}

/* Writes the rest.  Returns the worst of all, for mem_finish. */
static inline enum mem_status
end_care_run(struct mem_receipts *receipts, enum mem_status worst)
{
	struct mem_err err;
	commit_care_run();
	mem_receipts_sum_up(receipts);
	worst = mem_status_worse(mem_care_run_outcome(care.run, &err), worst);
	care.total = *mem_care_run_total(care.run);
	mem_care_run_free(care.run);
	return worst;
}

/* All operands, each taken by `take`. */
static inline enum mem_status
run_care_ids(const struct mem_common *c, const struct mem_care_options *o, care_id_fn *take, int argc, char **argv)
{
	struct mem_receipts receipts = { .quiet = c->quiet, .format = c->format };
	if (argc == 0)
		mem_die(MEM_USAGE, "an ID is wanted, or - for those of standard input");
	open_care_run(c, o, mem_receipts_print, &receipts);
	care.take = take;
	return end_care_run(&receipts, take_operand_ids(argc, argv, take_care_id, c->nul, CARE_WAIT_MS, commit_care_run));
}

/* Lines of a list as they are, unless *(bool *)quiet. */
static inline bool
print_care_lines(void *quiet, struct mem_str lines)
{
	if (!*(const bool *)quiet)
		mem_out_str(lines);
	return mem_out_ok();
}

/* A sweep; with --dry-run the list of what it would do.  `setting` switches it on. */
static inline enum mem_status
run_care_sweep(const struct mem_common *c, const struct mem_care_options *o, enum mem_care_sweep which, const char *setting, int argc)
{
	struct mem_receipts receipts = { .quiet = c->quiet, .format = c->format };
	const struct mem_care_sweep_options sweep = { .ns = c->ns, .list = o->dry_run };
	struct mem_err err;
	if (argc > 0)
		mem_die(MEM_USAGE, "a sweep takes no ID");
	if (o->dry_run)
		open_care_run(c, o, print_care_lines, &receipts.quiet);
	else
		open_care_run(c, o, mem_receipts_print, &receipts);
	enum mem_status st = mem_care_sweep(care.run, which, &sweep, &err);
	if (st == MEM_ABSENT)
		mem_warn("nothing is done: %s is off; --dry-run lists what it would do", setting);
	else if (st != MEM_OK)
		mem_die_err(&err);
	return end_care_run(&receipts, st == MEM_ABSENT ? MEM_END : MEM_OK);
}

#define CARE_OPT_IF_VERSION(o) { 0, "if-version", "N", "only if the node's version is N", .num = &(o).if_version, .min = 1 }

#endif
