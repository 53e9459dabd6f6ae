/* SPDX-License-Identifier: Apache-2.0 */
/* kg-neighbors: the nodes that some nodes are joined to. */
#include "cli/cli.h"
#include "graph/neighbors.h"
#include "graph_nodes.h"

enum { HOPS_MAX = 100, BATCH = 500 };

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
static struct named_nodes starts;
static struct mem_neighbors *neighbors;
static struct mem_buf note; /* that is being written */

/* ---- lines --------------------------------------------------------------- */

static const struct mem_column columns[] = {
	{ .name = "ID" }, { .name = "HOPS", .right = true }, { .name = "WEIGHT", .right = true }, { .name = "KIND", .leave_out = 2 },
	{ .name = "NS", .min = 8, .leave_out = 1 }, { .name = "NAME", .min = 12, .want = 30 }, { 0 }
};
static const char *const *const fields[] = {
	(const char *const[]){ "id", NULL }, (const char *const[]){ "hops", NULL }, (const char *const[]){ "weight", NULL },
	(const char *const[]){ "kind", NULL }, (const char *const[]){ "ns", NULL },
	(const char *const[]){ "name", "title", "content", "statement", "description", "ref", NULL },
};
static const struct node_table table = { columns, fields, 0 };
static const char *const notes[] = { "hops", "weight", "via", NULL };

static struct mem_str
note_number(double v, struct mem_arena *a)
{
	mem_buf_reset(&note);
	mem_json_put_number(&note, v);
	return mem_arena_str(a, mem_buf_span(&note));
}

/* A mem_note_fn of a batch of neighbours. */
static void
note_way(void *ctx, size_t i, uint64_t rank, struct mem_edit *out, struct mem_arena *a)
{
	const struct mem_neighbor *n = &((const struct mem_neighbor *)ctx)[i];
	const struct mem_way_edge *way = mem_neighbors_way(neighbors, n);
	(void)rank;
	out[0].raw = note_number(n->hops, a);
	out[1].raw = note_number(n->weight, a);
	mem_buf_reset(&note);
	for (uint32_t k = 0; k < n->hops; k++) {
		mem_buf_puts(&note, k == 0 ? "[" : ",");
		open_edge_record(&note, way[k].kind, &way[k].from, &way[k].to);
		mem_json_put_num(&note, "weight", way[k].weight);
		mem_buf_putc(&note, '}');
	}
	mem_buf_putc(&note, ']');
	out[2].raw = mem_arena_str(a, mem_buf_span(&note));
}

/* ---- the walk ------------------------------------------------------------ */

static void
print_neighbors(struct mem_store *s)
{
	struct mem_neighbor batch[BATCH];
	uint32_t ords[BATCH];
	uint64_t left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	struct mem_noted_nodes list = { .store = s, .ords = ords, .notes = notes, .note = note_way, .ctx = batch };
	struct mem_node_filter *filter = make_node_filter(&c, s);
	struct mem_grid grid = { 0 };
	struct mem_err err;
	enum mem_status st = mem_neighbors_open(&neighbors, s, &o, starts.ids, starts.n, &err);
	list.filter = filter;
	if (mem_text_wanted(c.format))
		mem_grid_begin(&grid, columns);
	while (st == MEM_OK && left > 0 && mem_out_ok()) {
		list.n = list.at = 0;
		while (list.n < BATCH && (st = mem_neighbors_next(neighbors, &batch[list.n], &err)) == MEM_OK)
			list.n++;
		for (size_t i = 0; i < list.n; i++)
			ords[i] = batch[i].ord;
		if (st == MEM_OK || st == MEM_END)
			print_noted_nodes(&list, &left, &grid, &table);
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_grid_end(&grid);
	mem_neighbors_free(neighbors);
	mem_buf_release(&note);
	mem_node_filter_free(filter);
}

static void
add_neighbor_start(struct mem_str text)
{
	add_named_node(&starts, text);
}

static void
pause_for_input(void)
{
	mem_store_pause(starts.store);
}

int
main(int argc, char **argv)
{
	static const char *const ways[] = { "out", "in", "both", NULL };
	int64_t hops = 1;
	int direction = MEM_WALK_BOTH;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "hops", "N", "at most N edges away", .num = &hops, .min = 1, .max = HOPS_MAX },
		{ 0, "direction", "WAY", "along edges (out), against them (in) or both (default)", .choice = &direction, .choices = ways },
		{ 0, "edge", "KIND", "only along these kinds of edges", .words = &o.edges_of, .commas = true },
		{ 0, "min-weight", "X", "only along edges whose weight is at least X", .real = &o.least_weight, .high = 1 },
		{ 0, "as-of", "TIME", "nodes and edges that were valid at TIME", .time = &o.as_of },
		MEM_OPT_KIND(c), MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c),
		MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-neighbors [-0z] [OPTION...] [--hops N] [--direction WAY] [--edge KIND] [--min-weight X] [--kind KIND] [-n N] NODE...",
	    "print the nodes that some nodes are joined to");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_err err;
	if (argc == 0)
		mem_die(MEM_USAGE, "no NODE");
	check_edge_kinds("--edge", &o.edges_of);
	o.hops = (uint32_t)hops;
	o.direction = (enum mem_walk_direction)direction;
	if (mem_store_open(&starts.store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	enum mem_status st = take_operand_ids(argc, argv, add_neighbor_start, c.nul, 0, pause_for_input);
	print_neighbors(starts.store);
	mem_store_close(starts.store);
	return mem_finish(mem_status_worse(st, starts.worst));
}
