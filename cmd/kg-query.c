/* SPDX-License-Identifier: Apache-2.0 */
/* kg-query: the nodes and edges that a pattern fits. */
#include "cli/cli.h"
#include "graph/matches.h"
#include "graph_nodes.h"
#include "match_output.h"

#include <stdlib.h>

enum { BATCH = 50, STEPS = 100000000 };

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_match_options o = MEM_MATCH_OPTIONS_INIT;
static struct mem_graph_pattern pattern;
static struct mem_buf from_stdin;
static struct mem_store *store;

/* The operand, or standard input at "-". */
static void
read_pattern(struct mem_arena *a, const char *operand)
{
	struct mem_str text = mem_str(operand);
	struct mem_err err;
	if (mem_str_is(text, "-")) {
		mem_stdin_claim("the pattern");
		mem_stdin_read(&from_stdin, MEM_LINE_MAX);
		text = mem_buf_span(&from_stdin);
	}
	if (mem_graph_pattern_read(&pattern, a, text, &err) != MEM_OK)
		mem_die_err(&err);
}

/* What nodes of the pattern are called must mean nodes. */
static enum mem_status
find_called_nodes(struct mem_id *ids)
{
	enum mem_status worst = MEM_OK;
	struct mem_err err;
	for (size_t i = 0; i < pattern.nnodes; i++) {
		const struct mem_graph_pattern_node *n = &pattern.nodes[i];
		enum mem_status st = n->called.p != NULL ? mem_link_survivor_find(store, n->called, &ids[i], &err) : MEM_OK;
		if (st == MEM_NOTFOUND || st == MEM_REFUSED)
			mem_warn("pattern, column %zu: %s", n->called_column, err.msg);
		else if (st != MEM_OK)
			mem_die_err(&err);
		worst = mem_status_worse(worst, st);
	}
	return worst;
}

/* MEM_NOTFOUND: steps were used up. */
static enum mem_status
find_matches(void)
{
	struct match_printer printer = { .store = store, .pattern = &pattern };
	struct mem_graph_match *found = mem_xcalloc(BATCH, sizeof *found);
	struct mem_matches *m = NULL;
	struct mem_err err;
	uint64_t left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	enum mem_status st = mem_matches_open(&m, store, &o, &err);
	if (mem_text_wanted(c.format))
		begin_match_grid(&printer);
	while (st == MEM_OK && left > 0 && mem_out_ok()) {
		size_t n = 0;
		while (n < BATCH && left > 0 && (st = mem_matches_next(m, &found[n], &err)) == MEM_OK) {
			n++;
			left--;
		}
		if (n > 0)
			print_matches(&printer, found, n);
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	bool cut = mem_matches_cut(m);
	end_match_output(&printer);
	mem_matches_free(m);
	free(found);
	if (cut)
		mem_warn("stopped after %llu steps, there may be more: say more of the nodes, or raise --steps", (unsigned long long)o.steps);
	return cut ? MEM_NOTFOUND : MEM_OK;
}

int
main(int argc, char **argv)
{
	int64_t steps = STEPS;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_NS(c),
		{ 0, "min-weight", "X", "only along edges whose weight is at least X", .real = &o.least_weight, .high = 1 },
		{ 0, "as-of", "TIME", "nodes and edges that were valid at TIME", .time = &o.as_of },
		{ 0, "steps", "N", "stop after N steps (100000000)", .num = &steps, .min = 1 },
		MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "kg-query [OPTION...] [--min-weight X] [--ns NS] [--steps N] [-n N] PATTERN",
	    "print the nodes and edges that a pattern fits");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	static struct mem_id called[MEM_GRAPH_PATTERN_NODES];
	struct mem_arena arena = { 0 };
	struct mem_err err;
	if (argc != 1)
		mem_die(MEM_USAGE, "one PATTERN expected, such as '(a:page)-[references]->(b)'");
	read_pattern(&arena, argv[0]);
	if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	o.pattern = &pattern;
	o.called = called;
	o.namespaces = c.ns;
	o.steps = (uint64_t)steps;
	enum mem_status st = find_called_nodes(called);
	if (st == MEM_OK)
		st = find_matches();
	mem_store_close(store);
	mem_buf_release(&from_stdin);
	mem_arena_release(&arena);
	return mem_finish(st);
}
