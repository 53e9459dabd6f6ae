/* SPDX-License-Identifier: Apache-2.0 */
/* mem-spread: what hits activate along the edges of the store. */
#include "cli/cli.h"
#include "edge_kinds.h"
#include "query/query.h"
#include "run_stage.h"
#include "search_filters.h"
#include "stage/spread_hits.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_spread_stage_options o = MEM_SPREAD_STAGE_OPTIONS_INIT;
static struct mem_filter filter;
static struct mem_filter_past past = MEM_FILTER_PAST_INIT;
static struct mem_filter_options named = { .past = &past };
static struct mem_words edge_kinds;
static double leak = -1, threshold = -1, min_signal = -1;
static int64_t hops;

/* The settings, and what the options say instead. */
static void
read_spread_options(const struct mem_conf *conf)
{
	mem_spread_options_read(&o.spread, conf);
	if (leak >= 0)
		o.spread.leak = leak;
	if (threshold >= 0)
		o.spread.threshold = threshold;
	if (min_signal >= 0)
		o.spread.least_signal = min_signal;
	if (hops > 0)
		o.spread.hops = (uint32_t)hops;
	o.spread.edges_of = edge_kinds;
	o.limit = (size_t)c.limit;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "seeds", NULL, "print the seeds, too, before what they activate", .flag = &o.seeds },
		{ 0, "edge-kind", "KIND", "only along these kinds of edges", .words = &edge_kinds, .commas = true },
		{ 0, "hops", "N", "at most N edges from a seed (default 3)", .num = &hops, .min = 1, .max = MEM_SPREAD_HOPS_MAX },
		{ 0, "leak", "X", "what is left of a signal at each edge (default .85)", .real = &leak, .low = 0, .high = 1 },
		{ 0, "threshold", "X", "the potential at which a node fires (default .5)", .real = &threshold, .low = 0, .high = 1 },
		{ 0, "min-signal", "X", "less than this is not sent on (default .02)", .real = &min_signal, .low = 0, .high = 1 },
		MEM_OPT_FILTERS(c, named), MEM_OPT_PAST(past),
		{ 0, "explain", NULL, "show the paths by which signals arrived", .flag = &o.spread.paths },
		{ 0, "again", NULL, "spread also from hits that were spread before", .flag = &o.again },
		MEM_OPT_LIMIT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-spread [OPTION...] [FILE...]",
	    "find what hits activate along the edges");
	check_edge_kinds("--edge-kind", &edge_kinds);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_err err;
	past.then = mem_known_facts_open();
	read_search_filters(&filter, &named, &c);
	if (mem_store_open(&o.store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	struct mem_node_filter *nodes = mem_node_filter_new(&filter, o.store);
	o.filter = nodes;
	read_spread_options(mem_store_conf(o.store));
	mem_store_pause(o.store); /* the hits may be long in coming */
	enum mem_status st = run_stage(&mem_stage_spread, &o, argc, argv);
	mem_store_close(o.store);
	mem_node_filter_free(nodes);
	mem_filter_release(&filter);
	return mem_finish(st);
}
