/* SPDX-License-Identifier: Apache-2.0 */
/* kg-stat: how large the graph is, and how it hangs together. */
#include <stdlib.h>

#include "cli/cli.h"
#include "graph/stats.h"
#include "graph_nodes.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_graph_copy_options copied = MEM_GRAPH_COPY_OPTIONS_INIT;
static const char *const mentioning[] = { "embeds", "mentions", "references" };

/* ---- the record ----------------------------------------------------------- */

static void
put_kind_counts(struct mem_buf *b, const struct mem_graph_copy *g, const struct mem_graph_stats *s)
{
	mem_json_put_int(b, "nodes", (int64_t)s->nodes);
	mem_json_put_key(b, "nodes_by_kind");
	mem_buf_putc(b, '{');
	for (unsigned k = 1; k < MEM_KIND_COUNT; k++)
		if (s->nodes_of[k] > 0)
			mem_json_put_int(b, mem_kind_name((enum mem_kind)k), (int64_t)s->nodes_of[k]);
	mem_buf_putc(b, '}');
	mem_json_put_int(b, "edges", (int64_t)s->edges);
	mem_json_put_key(b, "edges_by_kind");
	mem_buf_putc(b, '{');
	for (size_t k = 0; k < g->nkinds; k++)
		mem_json_put_int(b, g->kind_names[k], (int64_t)s->edges_of[k]);
	mem_buf_putc(b, '}');
}

static void
put_shape(struct mem_buf *b, const struct mem_graph_stats *s)
{
	mem_json_put_int(b, "bidirectional", (int64_t)s->bidirectional);
	mem_json_put_int(b, "loops", (int64_t)s->loops);
	mem_json_put_num(b, "weight", s->weight);
	mem_json_put_num(b, "confidence", s->confidence);
	mem_json_put_num(b, "density", s->density);
	mem_json_put_key(b, "degree");
	mem_buf_putc(b, '{');
	mem_json_put_num(b, "mean", s->mean_degree);
	mem_json_put_num(b, "median", s->median_degree);
	mem_json_put_int(b, "max", (int64_t)s->max_degree);
	mem_buf_putc(b, '}');
	mem_json_put_int(b, "components", (int64_t)s->components);
	mem_json_put_int(b, "largest_component", (int64_t)s->largest);
	mem_json_put_int(b, "orphans", (int64_t)s->orphans);
}

/* A list of the nodes with the highest values; `in` and `out` NULL: without degrees. */
static void
put_highest(struct mem_buf *b, struct mem_txn *t, const struct mem_graph_copy *g, const char *name, const char *value_name,
    const uint64_t *values, const struct mem_graph_stats *degrees)
{
	size_t n = (size_t)c.limit;
	uint32_t *top = mem_graph_highest(values, g->nnodes, &n);
	struct mem_arena a = { 0 };
	mem_json_put_key(b, name);
	mem_buf_putc(b, '[');
	for (size_t i = 0; i < n; i++) {
		struct node_name named = read_node_name(t, &g->ids[top[i]], &a);
		mem_buf_puts(b, i > 0 ? "," : "");
		open_name_record(b, &g->ids[top[i]], &named);
		mem_json_put_int(b, value_name, (int64_t)values[top[i]]);
		if (degrees != NULL) {
			mem_json_put_int(b, "in", degrees->in[top[i]]);
			mem_json_put_int(b, "out", degrees->out[top[i]]);
		}
		mem_buf_putc(b, '}');
	}
	mem_buf_putc(b, ']');
	mem_arena_release(&a);
	free(top);
}

/* By node, how many edges that mention it enter it.  Their number. */
static uint64_t
count_mentions_of(const struct mem_graph_copy *g, uint64_t *by_node)
{
	uint64_t total = 0;
	for (size_t e = 0; e < g->nedges; e++)
		for (size_t k = 0; k < MEM_COUNT(mentioning); k++)
			if (strcmp(g->kind_names[g->kind[e]], mentioning[k]) == 0) {
				by_node[g->to[e]]++;
				total++;
			}
	return total;
}

static void
put_record(struct mem_buf *b, struct mem_txn *t, const struct mem_graph_copy *g)
{
	struct mem_graph_stats s;
	uint64_t *values = mem_xcalloc(g->nnodes + 1, sizeof *values);
	mem_graph_stats_make(&s, g);
	mem_buf_putc(b, '{');
	put_kind_counts(b, g, &s);
	put_shape(b, &s);
	for (size_t v = 0; v < g->nnodes; v++)
		values[v] = (uint64_t)s.in[v] + s.out[v];
	put_highest(b, t, g, "hubs", "degree", values, &s);
	memset(values, 0, g->nnodes * sizeof *values);
	mem_json_put_int(b, "mentions", (int64_t)count_mentions_of(g, values));
	put_highest(b, t, g, "most_mentioned", "mentions", values, NULL);
	mem_buf_putc(b, '}');
	mem_graph_stats_release(&s);
	free(values);
}

static void
print_stats(struct mem_store *s)
{
	struct mem_graph_copy *g = NULL;
	struct mem_txn *t = NULL;
	struct mem_buf line = { 0 };
	struct mem_err err;
	if (mem_graph_copy_make(&g, s, &copied, &err) != MEM_OK || mem_txn_read(&t, s, &err) != MEM_OK)
		mem_die_err(&err);
	put_record(&line, t, g);
	mem_txn_end(t);
	mem_store_pause(s);
	print_whole_node(mem_buf_span(&line), mem_text_wanted(c.format));
	mem_buf_release(&line);
	mem_graph_copy_free(g);
}

int
main(int argc, char **argv)
{
	c.limit = 5;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_KIND(c), MEM_OPT_NS(c),
		{ 0, "edge", "KIND", "only these kinds of edges", .words = &copied.edges_of, .commas = true },
		{ 0, "min-weight", "X", "only edges whose weight is at least X", .real = &copied.least_weight, .high = 1 },
		{ 0, "as-of", "TIME", "nodes and edges that were valid at TIME", .time = &copied.as_of },
		{ 'n', "limit", "N", "list at most N hubs, and N nodes by mentions", .num = &c.limit, .min = 1, .max = 1000 },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-stat [OPTION...] [--kind KIND] [--ns NS] [--edge KIND] [-n N]",
	    "print how large the graph is and how it hangs together");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_store *s = NULL;
	struct mem_err err;
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected");
	check_edge_kinds("--edge", &copied.edges_of);
	settle_copied_nodes(&copied, &c);
	copied.orphans = true;
	copied.orphans_of = mem_kind_set_empty(&copied.kinds) ? mem_graph_kinds() : copied.kinds;
	if (mem_store_open(&s, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	print_stats(s);
	mem_store_close(s);
	return mem_finish(MEM_OK);
}
