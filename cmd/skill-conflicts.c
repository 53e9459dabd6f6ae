/* SPDX-License-Identifier: Apache-2.0 */
/* skill-conflicts: what is wrong among skills. */
#include "choice_bits.h"
#include "cli/cli.h"
#include "conflict_output.h"
#include "model/model.h"
#include "ns_option.h"
#include "skill/conflict.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words types, severities, states;
static const char *decide[MEM_CONFLICT_STATES], *reason; /* decide: the id, by the state that it goes to */
static bool known_only;
static struct mem_err err;

enum { REASON_MAX = 4096 };

/* The bits of words of a list; 0: none is asked for. */
static unsigned
read_choices(const struct mem_words *w, const char *const *list, const char *option)
{
	return read_choice_bits(w, list, option, "skill-conflicts(1)");
}

/* ---- scanning and listing ------------------------------------------------- */

static void
scan_skills(const struct mem_store_options *ask)
{
	const struct mem_write_options o = { .via = "skill-conflicts" };
	struct mem_receipts receipts = { .quiet = true, .format = c.format };
	struct mem_write_run *run;
	struct mem_conflict_scan sum;
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	if (mem_write_run_open(&run, ask, &o, mem_receipts_print, &receipts, &err) != MEM_OK ||
	    mem_conflicts_scan(&sum, run, &c.ns, &err) != MEM_OK)
		mem_die_err(&err);
	if (sum.without_vectors)
		mem_warn("no vectors: duplicates and overlaps were not looked for (mem-model install, mem-embed --pending)");
	if (sum.without_encoder)
		mem_warn("%s: contradictions were not looked for (mem-model install%s)", sum.without_vectors ? "no vectors" : "no model",
		    sum.without_vectors ? ", mem-embed --pending" : "");
	if (sum.ranges_unknown > 1)
		mem_warn("%llu ranges of releases are not understood, the first: %s", (unsigned long long)sum.ranges_unknown, sum.unknown_range);
	else if (sum.ranges_unknown > 0)
		mem_warn("a range of releases is not understood: %s", sum.unknown_range);
	if (sum.left_out > 0)
		mem_warn("%llu pairs more lie near each other; of each skill the nearest were looked at", (unsigned long long)sum.left_out);
	if (sum.orders_left_out > 0)
		mem_warn("%llu pairs of opposite orders more were not compared", (unsigned long long)sum.orders_left_out);
	mem_write_run_free(run);
}

static void
list_conflicts(const struct mem_store_options *ask)
{
	struct mem_store_options reading = *ask;
	struct mem_conflict_list l;
	struct mem_store *s;
	struct mem_conflict_filter f = { .ns = c.ns, .types = read_choices(&types, mem_conflict_types, "type"),
		.severities = read_choices(&severities, mem_severities, "severity"), .states = read_choices(&states, mem_conflict_states, "state") };
	if (f.states == 0)
		f.states = 1U << MEM_CONFLICT_DETECTED | 1U << MEM_CONFLICT_ACKNOWLEDGED;
	if (!known_only)
		scan_skills(ask);
	reading.write = false;
	if (mem_store_open(&s, &reading, &err) != MEM_OK || mem_conflicts_list(&l, s, &f, &err) != MEM_OK)
		mem_die_err(&err);
	size_t n = c.limit > 0 && (uint64_t)c.limit < l.n ? (size_t)c.limit : l.n;
	if (mem_text_wanted(c.format))
		print_conflict_table(s, &l, n);
	for (size_t i = 0; i < n && !mem_text_wanted(c.format) && mem_out_ok(); i++)
		mem_out_line(l.v[i].line);
	mem_conflict_list_release(&l);
	mem_store_close(s);
}

/* ---- deciding ------------------------------------------------------------- */

static void
queue_decision(struct mem_write_run *run, enum mem_conflict_state state)
{
	struct mem_write_input in = mem_write_run_next(run, 0);
	struct mem_clean_text why = mem_clean_absent();
	struct mem_id id;
	enum mem_status st = mem_write_run_id(run, &in, mem_str(decide[state]), &id, &err);
	if (st == MEM_OK && reason != NULL)
		st = mem_write_run_text(run, &in, "reason", mem_str(reason), REASON_MAX, &why, &err);
	if (st == MEM_OK)
		mem_conflict_decide(run->writer, &in, &id, state, why);
	else if (st != MEM_REFUSED)
		mem_die_err(&err);
}

/* A write_run_fn: the options say it, and there are no operands. */
static void
queue_decisions(struct mem_write_run *run, int argc, char **argv)
{
	(void)argc, (void)argv;
	for (int s = MEM_CONFLICT_ACKNOWLEDGED; s < MEM_CONFLICT_STATES; s++)
		if (decide[s] != NULL)
			queue_decision(run, (enum mem_conflict_state)s);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c),
		{ 0, "known", NULL, "list what is known, without a scan", .flag = &known_only },
		{ 0, "type", "TYPE", "only these types", .words = &types, .commas = true },
		{ 0, "severity", "WORD", "only these: low, medium, high, critical", .words = &severities, .commas = true },
		{ 0, "state", "STATE", "only these states (default detected,acknowledged)", .words = &states, .commas = true },
		{ 0, "acknowledge", "ID", "somebody looks after this conflict", .str = &decide[MEM_CONFLICT_ACKNOWLEDGED] },
		{ 0, "resolve", "ID", "this conflict is put right", .str = &decide[MEM_CONFLICT_RESOLVED] },
		{ 0, "dismiss", "ID", "this conflict is none", .str = &decide[MEM_CONFLICT_DISMISSED] },
		{ 0, "reason", "TEXT", "say why", .str = &reason },
		MEM_OPT_DRYRUN(c), MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c),
		MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "skill-conflicts [OPTION...] [--known] [--type TYPE] [--severity WORD] [--state STATE] [--ns NS] [-n N] [--format FORMAT]\n"
	    "skill-conflicts [OPTION...] [-q] [--dry-run] [--acknowledge ID] [--resolve ID] [--dismiss ID] [--reason TEXT]",
	    "find what is wrong among skills, and decide about it");
	bool deciding = decide[MEM_CONFLICT_ACKNOWLEDGED] != NULL || decide[MEM_CONFLICT_RESOLVED] != NULL || decide[MEM_CONFLICT_DISMISSED] != NULL;
	if (argc > 0)
		mem_die(MEM_USAGE, "no operands are expected: '%s'", argv[0]);
	if (!deciding && (reason != NULL || c.dry_run))
		mem_die(MEM_USAGE, "--reason and --dry-run go with --acknowledge, --resolve or --dismiss");
	if (deciding && (known_only || types.n + severities.n + states.n + c.ns.n > 0))
		mem_die(MEM_USAGE, "a decision goes without the options of the list");
	for (size_t i = 0; i < c.ns.n; i++)
		check_ns_option(c.ns.v[i]);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = deciding || !known_only,
		.every_namespace = c.every_namespace, .wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	if (deciding)
		return mem_finish(write_by_hand("skill-conflicts", &ask, &c, false, queue_decisions, argc, argv));
	list_conflicts(&ask);
	return mem_finish(MEM_OK);
}
