/* SPDX-License-Identifier: Apache-2.0 */
/* kg-path: the shortest ways from one node to another. */
#include "cli/cli.h"
#include "graph/paths.h"
#include "graph_nodes.h"

enum { PATHS_MAX = 1000, HOPS_MAX = 1000 };

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_path_options o = MEM_PATH_OPTIONS_INIT;
static struct named_nodes ends;

/* ---- records --------------------------------------------------------------- */

static void
put_path_record(struct mem_buf *out, const struct mem_path *p, const struct node_name *nodes)
{
	mem_buf_puts(out, "{\"nodes\":[");
	for (size_t i = 0; i <= p->nedges; i++) {
		mem_buf_puts(out, i > 0 ? "," : "");
		open_name_record(out, &p->ids[i], &nodes[i]);
		mem_buf_putc(out, '}');
	}
	mem_buf_puts(out, "],\"edges\":[");
	for (size_t i = 0; i < p->nedges; i++) {
		const struct mem_path_edge *e = &p->edges[i];
		mem_buf_puts(out, i > 0 ? "," : "");
		put_edge_record(out, e->kind, &e->from, &e->to, e->weight, e->confidence);
	}
	mem_buf_putc(out, ']');
	mem_json_put_num(out, "weight", p->weight);
	mem_buf_putc(out, '}');
}

/* "Mina -works_on-> Harbour <-part_of- Sluice (0.4)" */
static void
put_path_sentence(struct mem_buf *out, const struct mem_path *p, const struct node_name *nodes)
{
	char id[MEM_ID_LEN + 1];
	for (size_t i = 0; i <= p->nedges; i++) {
		mem_id_format(&p->ids[i], id);
		mem_show(out, nodes[i].name.n > 0 ? nodes[i].name : mem_str(id), false);
		if (i == p->nedges)
			break;
		bool along = mem_id_cmp(&p->edges[i].from, &p->ids[i]) == 0;
		mem_buf_printf(out, along ? " -%s-> " : " <-%s- ", p->edges[i].kind);
	}
	mem_buf_puts(out, " (");
	mem_json_put_number(out, p->weight);
	mem_buf_putc(out, ')');
}

static void
print_path(struct mem_store *s, const struct mem_path *p)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_buf line = { 0 };
	struct mem_err err;
	struct node_name *nodes = mem_arena_alloc(&a, (p->nedges + 1) * sizeof *nodes);
	if (mem_txn_read(&t, s, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i <= p->nedges; i++)
		nodes[i] = read_node_name(t, &p->ids[i], &a);
	mem_txn_end(t);
	mem_store_pause(s);
	(mem_text_wanted(c.format) ? put_path_sentence : put_path_record)(&line, p, nodes);
	mem_out_line(mem_buf_span(&line));
	mem_buf_release(&line);
	mem_arena_release(&a);
}

int
main(int argc, char **argv)
{
	static const char *const ways[] = { "out", "in", "both", NULL };
	int64_t hops = 0, k = 1;
	int direction = MEM_WALK_OUT;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "weighted", NULL, "by the edges' weights and confidences, not by their number", .flag = &o.weighted },
		{ 'k', NULL, "N", "the N shortest paths", .num = &k, .min = 1, .max = PATHS_MAX },
		{ 0, "max-hops", "N", "paths of at most N edges", .num = &hops, .min = 1, .max = HOPS_MAX },
		{ 0, "direction", "WAY", "along edges (out, the default), against them (in) or both", .choice = &direction, .choices = ways },
		{ 0, "edge", "KIND", "only along these kinds of edges", .words = &o.edges_of, .commas = true },
		{ 0, "min-weight", "X", "only along edges whose weight is at least X", .real = &o.least_weight, .high = 1 },
		{ 0, "as-of", "TIME", "nodes and edges that were valid at TIME", .time = &o.as_of },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-path [OPTION...] [--weighted] [-k N] [--max-hops N] [--direction WAY] [--edge KIND] FROM TO",
	    "print the shortest paths from one node to another");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_paths paths = { 0 };
	struct mem_err err;
	if (argc != 2)
		mem_die(MEM_USAGE, "two nodes expected: FROM TO");
	check_edge_kinds("--edge", &o.edges_of);
	o.hops = (uint32_t)hops;
	o.k = (size_t)k;
	o.direction = (enum mem_walk_direction)direction;
	if (mem_store_open(&ends.store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	add_named_node(&ends, mem_str(argv[0]));
	add_named_node(&ends, mem_str(argv[1]));
	if (ends.n == 2 && mem_paths_find(&paths, ends.store, &o, &ends.ids[0], &ends.ids[1], &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < paths.n && mem_out_ok(); i++)
		print_path(ends.store, &paths.v[i]);
	enum mem_status st = mem_status_worse(ends.worst, paths.n > 0 ? MEM_OK : MEM_NOTFOUND);
	mem_paths_release(&paths);
	mem_store_close(ends.store);
	return mem_finish(st);
}
