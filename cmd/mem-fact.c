/* SPDX-License-Identifier: Apache-2.0 */
/* mem-fact: facts by hand. */
#include <string.h>

#include "belief/fact_run.h"
#include "cli/cli.h"
#include "fact_options.h"
#include "fact_rules.h"
#include "model/model.h"
#include "store/store.h"

/* A live pipe is not held up longer. */
enum { FACT_WAIT_MS = 200 };

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words rules;
static bool no_embed;
static struct mem_fact_run *run;

/* ---- writing ------------------------------------------------------------------ */

static void
add_fact(const struct mem_line *line)
{
	struct mem_err err;
	if (mem_fact_run_add(run, line, &err) != MEM_OK)
		mem_die_err(&err);
}

static void
commit_facts(void)
{
	struct mem_err err;
	if (mem_fact_run_commit(run, &err) != MEM_OK)
		mem_die_err(&err);
}

static enum mem_status
add_records(int argc, char **argv)
{
	struct mem_input in;
	struct mem_line line;
	mem_input_init(&in, argc, argv);
	for (;;) {
		if (!mem_input_ready(&in, FACT_WAIT_MS)) {
			commit_facts();
			mem_store_pause(mem_fact_run_store(run));
		}
		if (!mem_input_next(&in, &line))
			return mem_input_status(&in);
		add_fact(&line);
	}
}

static void
open_run(struct mem_receipts *receipts)
{
	struct mem_err err;
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	const struct mem_fact_run_options o = { .via = "mem-fact", .ns = c.ns.n > 0 ? c.ns.v[0] : NULL, .dry_run = c.dry_run };
	if (c.ns.n > 1)
		mem_die(MEM_USAGE, "--ns: a fact lies in one namespace");
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	if (mem_fact_run_open(&run, &ask, &o, mem_receipts_print, receipts, &err) != MEM_OK ||
	    (!no_embed && mem_fact_run_embed(run, &err) != MEM_OK))
		mem_die_err(&err);
}

/* Returns the worst of all. */
static enum mem_status
end_run(struct mem_receipts *receipts, enum mem_status worst)
{
	struct mem_err err;
	commit_facts();
	mem_receipts_sum_up(receipts);
	const struct mem_write_total *total = mem_fact_run_total(run);
	(void)mem_warn_unembedded(total->unembedded.status, total->unembedded.msg);
	worst = mem_status_worse(mem_fact_run_outcome(run, &err), worst);
	mem_fact_run_free(run);
	return worst;
}

static enum mem_status
write_facts(int argc, char **argv)
{
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format };
	struct mem_buf record = { 0 };
	enum mem_status st = MEM_OK;
	bool records = argc == 1 && strcmp(argv[0], "-") == 0;
	if (records && has_fact_options())
		mem_die(MEM_USAGE, "-: what a fact says is in its record");
	if (argc > 1)
		mem_die(MEM_USAGE, "one STATEMENT: quote it");
	if (!records)
		check_triple(argc == 1 ? argv[0] : NULL);
	open_run(&receipts);
	struct mem_belief_rules *loaded = load_fact_rules(run, rules);
	if (records) {
		st = add_records(argc, argv);
	} else {
		put_record(&record, argc == 1 ? argv[0] : NULL);
		add_fact(&(struct mem_line){ .text = mem_buf_span(&record), .number = 1 });
	}
	st = end_run(&receipts, st);
	mem_belief_rules_free(loaded);
	mem_buf_release(&record);
	return st;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "ns", "NS", "write to this namespace", .words = &c.ns, .commas = true },
		{ 0, "subject", "NAME", "what the fact is about", .str = &subject },
		{ 0, "subject-type", "WORD", "its type: person, place, project, …", .str = &subject_type },
		{ 0, "predicate", "WORD", "what it says of the subject", .str = &predicate },
		{ 0, "object", "TEXT", "an entity's name, or a value", .str = &object },
		{ 0, "object-type", "WORD", "its type; text, number, version, date and bool are values", .str = &object_type },
		{ 0, "detail", "TEXT", "more about the object", .str = &detail },
		{ 0, "negated", NULL, "it denies the triple", .flag = &negated },
		{ 0, "corrects", NULL, "what stood before is not true any more", .flag = &corrects },
		{ 0, "was", "TEXT", "only this object is not true any more", .str = &was },
		{ 0, "domain", "NAME", "the domain that it belongs to", .str = &domain },
		{ 0, "topic", "TEXT", "what it is about inside of the domain", .str = &topic },
		{ 0, "type", "WORD", "fact, preference, decision, …", .str = &type },
		{ 0, "confidence", "C", "how sure it is, above 0 and at most 1 (default 1)", .real = &confidence, .low = 0, .high = 1 },
		{ 0, "veracity", "WORD", "stated, inferred, tool, imported or unknown", .str = &veracity },
		{ 0, "from", "TIME", "since when it is true (default now)", .time = &from },
		{ 0, "to", "TIME", "until when it is true", .time = &to },
		{ 0, "due", "TIME", "when it is due", .time = &due },
		{ 0, "supersede", "ID", "this fact is not true any more", .str = &supersede },
		{ 0, "rules", "FILE", "predicates of this file, too", .words = &rules },
		{ 0, "no-embed", NULL, "leave vectors to mem-maintain", .flag = &no_embed },
		MEM_OPT_FORMAT(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-fact [OPTION...] [-q] [--dry-run] [--ns NS] [--domain NAME] [--topic TEXT] STATEMENT\n"
	    "mem-fact [OPTION...] [-q] [--dry-run] [--ns NS] --subject NAME --predicate WORD --object TEXT [STATEMENT]\n"
	    "mem-fact [OPTION...] [-q] [--dry-run] [--ns NS] -",
	    "write facts by hand");
	return mem_finish(write_facts(argc, argv));
}
