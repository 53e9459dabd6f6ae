/* SPDX-License-Identifier: Apache-2.0 */
/* kg-rank: nodes by how much the edges favour them. */
#include <stdlib.h>

#include "cli/cli.h"
#include "graph/ranks.h"
#include "graph_nodes.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_graph_copy_options copied = MEM_GRAPH_COPY_OPTIONS_INIT;
static struct mem_ranks_options o = MEM_RANKS_OPTIONS_INIT;
static struct mem_words seeds;
static struct named_nodes starts;

/* ---- lines --------------------------------------------------------------- */

static const struct mem_column columns[] = {
	{ .name = "ID" }, { .name = "SCORE", .right = true }, { .name = "KIND", .leave_out = 2 }, { .name = "NS", .min = 8, .leave_out = 1 },
	{ .name = "NAME", .min = 12, .want = 30 }, { 0 }
};
static const char *const *const fields[] = {
	(const char *const[]){ "id", NULL }, (const char *const[]){ "score", NULL }, (const char *const[]){ "kind", NULL },
	(const char *const[]){ "ns", NULL }, (const char *const[]){ "name", "title", "content", "statement", "description", "ref", NULL },
};
static const struct node_table table = { columns, fields, 0 };
static const char *const notes[] = { "score", "rank", NULL };

/* Nodes in order of rank. */
struct ranked {
	const double *scores;
	const uint32_t *order;
};

/* Without the zeros at its end: many nodes share a score that adds up to 1. */
static struct mem_str
format_score(struct mem_arena *a, double score)
{
	char *text = mem_arena_printf(a, "%.*f", MEM_RANKS_DECIMALS, score);
	size_t n = strlen(text);
	while (text[n - 1] == '0')
		n--;
	n -= text[n - 1] == '.';
	return (struct mem_str){ text, n };
}

/* A mem_note_fn. */
static void
note_rank(void *ctx, size_t i, uint64_t rank, struct mem_edit *out, struct mem_arena *a)
{
	const struct ranked *r = ctx;
	out[0].raw = format_score(a, r->scores[r->order[i]]);
	out[1].raw = mem_str(mem_arena_printf(a, "%llu", (unsigned long long)rank));
}

static void
print_ranks(struct mem_store *s, const struct mem_graph_copy *g)
{
	struct ranked r = { .scores = mem_ranks_make(g, &o) };
	uint32_t *order = mem_ranks_order(r.scores, g->nnodes), *ords = mem_xmalloc((g->nnodes + 1) * sizeof *ords);
	uint64_t left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	struct mem_node_filter *filter = make_node_filter(&c, s);
	struct mem_noted_nodes list = { .store = s, .filter = filter, .ords = ords, .notes = notes, .note = note_rank, .ctx = &r };
	struct mem_grid grid = { 0 };
	r.order = order;
	/* From seeds most nodes may not be reached at all. */
	while (list.n < g->nnodes && (o.nseeds == 0 || r.scores[order[list.n]] >= .5e-12)) {
		ords[list.n] = g->ords[order[list.n]];
		list.n++;
	}
	if (mem_text_wanted(c.format))
		mem_grid_begin(&grid, columns);
	print_noted_nodes(&list, &left, &grid, &table);
	mem_grid_end(&grid);
	mem_node_filter_free(filter);
	free((void *)(uintptr_t)r.scores);
	free(order);
	free(ords);
}

/* The seeds as numbers of nodes, each once. */
static uint32_t *
find_seed_numbers(const struct mem_graph_copy *g, const struct named_nodes *named)
{
	uint32_t *out = mem_xcalloc(named->n + 1, sizeof *out);
	for (size_t i = 0; i < named->n; i++) {
		uint32_t node;
		bool known = mem_graph_copy_find(g, &named->ids[i], &node) != MEM_OK;
		for (size_t k = 0; k < o.nseeds && !known; k++)
			known = out[k] == node;
		if (!known)
			out[o.nseeds++] = node;
	}
	o.seeds = out;
	return out;
}

static void
rank_nodes(struct named_nodes *named)
{
	struct mem_graph_copy *g = NULL;
	struct mem_err err;
	if (mem_graph_copy_make(&g, named->store, &copied, &err) != MEM_OK)
		mem_die_err(&err);
	uint32_t *numbers = find_seed_numbers(g, named);
	if (seeds.n == 0 || o.nseeds > 0)
		print_ranks(named->store, g);
	free(numbers);
	mem_graph_copy_free(g);
}

int
main(int argc, char **argv)
{
	static const char *const ways[] = { "out", "in", "both", NULL };
	int direction = MEM_WALK_OUT;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "seed", "NODE", "what is near these nodes, rather than what all lead to", .words = &seeds },
		{ 0, "damping", "X", "the chance to follow an edge on", .real = &o.damping, .low = 0, .high = .9999 },
		{ 0, "direction", "WAY", "along edges (out, the default), against them (in) or both", .choice = &direction, .choices = ways },
		{ 0, "edge", "KIND", "only along these kinds of edges", .words = &copied.edges_of, .commas = true },
		{ 0, "min-weight", "X", "only along edges whose weight is at least X", .real = &copied.least_weight, .high = 1 },
		{ 0, "as-of", "TIME", "nodes and edges that were valid at TIME", .time = &copied.as_of },
		MEM_OPT_KIND(c), MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-rank [OPTION...] [--seed NODE] [--damping X] [--direction WAY] [--edge KIND] [--kind KIND] [-n N]",
	    "print nodes by how much the edges favour them");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_err err;
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected: nodes to begin at go to --seed");
	check_edge_kinds("--edge", &copied.edges_of);
	o.direction = (enum mem_walk_direction)direction;
	copied.orphans = seeds.n > 0; /* a seed without edges keeps what it has */
	if (mem_store_open(&starts.store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < seeds.n; i++)
		add_named_node(&starts, mem_str(seeds.v[i]));
	rank_nodes(&starts);
	mem_store_close(starts.store);
	return mem_finish(starts.worst);
}
