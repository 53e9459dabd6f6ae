/* SPDX-License-Identifier: Apache-2.0 */
/* mem-promote: facts that enough agents vouch for go to all. */
#include "cli/cli.h"
#include "model/model.h"
#include "refused_id.h"
#include "trust/attest.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static bool demote;

/* The posterior of k perfect agents is (1 + k) / (2 + k). */
static void
warn_if_out_of_reach(const struct mem_conf *conf)
{
	double threshold = mem_conf_num(conf, "attest.threshold");
	if (threshold >= 1)
		mem_warn("attest.threshold is %g, and no posterior reaches 1: nothing is promoted, and what was is taken back", threshold);
}

static void
promote_facts(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	if (!mem_str_is(mem_conf_str(mem_store_conf(mem_writer_store(r->writer)), "promote.gate"), "on"))
		mem_die(MEM_DENIED, "promotion is off: an operator switches it on with promote.gate (mem-config(5))");
	warn_if_out_of_reach(mem_store_conf(mem_writer_store(r->writer)));
	if (argc == 0 && mem_promote_all(r, &err) != MEM_OK)
		mem_die_err(&err);
	for (int i = 0; i < argc; i++) {
		explain_refused_id(mem_writer_store(r->writer), mem_str(argv[i]));
		if (mem_promote_fact(r, mem_str(argv[i]), demote, &err) != MEM_OK)
			mem_die_err(&err);
	}
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "demote", NULL, "take these back", .flag = &demote },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-promote [OPTION...] [-q] [--dry-run] [ID...]\n"
	    "mem-promote [OPTION...] [-q] [--dry-run] --demote ID...",
	    "share with all what enough agents vouch for");
	if (demote && argc == 0)
		mem_die(MEM_USAGE, "--demote: an ID is wanted");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	mem_link_curl_and_blas();
	return mem_finish(write_by_hand("mem-promote", &ask, &c, true, promote_facts, argc, argv));
}
