/* SPDX-License-Identifier: Apache-2.0 */
/* skill-repair: mend conflicts of skills. */
#include "cli/cli.h"
#include "conf/conf.h"
#include "model/model.h"
#include "ns_option.h"
#include "repair_output.h"
#include "skill/conflict.h"
#include "skill/repair.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words types;
static const char *reason;
static bool undo;
static struct mem_err err;

/* The bits of the types that are named; 0: none is. */
static unsigned
read_types(void)
{
	unsigned bits = 0;
	for (size_t i = 0; i < types.n; i++) {
		enum mem_conflict_type type;
		if (!mem_conflict_type_parse(mem_str(types.v[i]), &type))
			mem_die(MEM_USAGE, "--type: '%s' is no type: see skill-conflicts(1)", types.v[i]);
		bits |= 1U << type;
	}
	return bits;
}

static void
queue_repair(struct mem_write_run *run, struct mem_str conflict, unsigned may)
{
	const struct mem_repair_request q = { .conflict = conflict, .reason = mem_str(reason), .may = may };
	enum mem_status st = undo ? mem_conflict_repair_undo(run, conflict, &err) : mem_conflict_repair(run, &q, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
}

/* All open conflicts, or those of some types: the most urgent first. */
static void
queue_open_conflicts(struct mem_write_run *run, unsigned wanted, unsigned may)
{
	const struct mem_conflict_filter open = { .ns = c.ns, .types = wanted,
		.states = 1U << MEM_CONFLICT_DETECTED | 1U << MEM_CONFLICT_ACKNOWLEDGED };
	struct mem_conflict_list l;
	if (mem_conflicts_list(&l, mem_writer_store(run->writer), &open, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < l.n && (c.limit == 0 || i < (uint64_t)c.limit); i++) {
		char id[MEM_ID_LEN + 1];
		mem_id_format(&l.v[i].conflict.id, id);
		queue_repair(run, mem_str(id), may);
	}
	mem_conflict_list_release(&l);
}

static enum mem_status
write_repairs(const struct mem_store_options *ask, int argc, char **argv)
{
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format };
	const struct mem_write_options o = { .via = "skill-repair", .audit_refusals = true, .dry_run = c.dry_run };
	const unsigned wanted = read_types();
	struct mem_write_run *run;
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	if (mem_write_run_open(&run, ask, &o, print_repairs, &receipts, &err) != MEM_OK)
		mem_die_err(&err);
	const struct mem_repair_types allowed = mem_repair_types_read(mem_store_conf(mem_writer_store(run->writer)));
	for (int i = 0; i < argc; i++)
		queue_repair(run, mem_str(argv[i]), allowed.may);
	if (argc == 0)
		queue_open_conflicts(run, wanted, wanted != 0 ? allowed.may : allowed.unasked);
	return finish_write_run(run, &receipts, NULL);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "type", "TYPE", "all open conflicts of these types", .words = &types, .commas = true },
		{ 0, "reason", "TEXT", "say why", .str = &reason },
		{ 0, "undo", NULL, "take back what was done about these conflicts", .flag = &undo },
		MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "skill-repair [OPTION...] [-q] [--dry-run] [--type TYPE] [--reason TEXT] [--ns NS] [-n N]\n"
	    "skill-repair [OPTION...] [-q] [--dry-run] [--reason TEXT] CONFLICT...\n"
	    "skill-repair [OPTION...] [-q] [--dry-run] --undo CONFLICT...",
	    "mend conflicts of skills, and take it back");
	if (undo && argc == 0)
		mem_die(MEM_USAGE, "--undo: the id of a conflict that was mended is wanted");
	if (undo && reason != NULL)
		mem_die(MEM_USAGE, "--reason goes without --undo");
	if (argc > 0 && (types.n + c.ns.n > 0 || c.limit > 0))
		mem_die(MEM_USAGE, "--type, --ns and -n choose among all conflicts: they go without operands");
	for (size_t i = 0; i < c.ns.n; i++)
		check_ns_option(c.ns.v[i]);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	return mem_finish(write_repairs(&ask, argc, argv));
}
