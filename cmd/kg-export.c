/* SPDX-License-Identifier: Apache-2.0 */
/* kg-export: the graph for other programs. */
#include "cli/cli.h"
#include "graph_nodes.h"
#include "link/graph_files.h"
#include "query/query.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_graph_copy_options o = MEM_GRAPH_COPY_OPTIONS_INIT;
static const char *const format_words[] = { "taxonomy", "json", "graphml", "csv", "dot", "html", "svg", NULL }; /* in the order of enum mem_graph_format */

static bool
print_graph_lines(void *ctx, struct mem_str lines)
{
	(void)ctx;
	if (!mem_out_tty()) {
		mem_out_str(lines);
		return mem_out_ok();
	}
	struct mem_buf shown = { 0 };
	mem_show(&shown, lines, true);
	mem_out_str(mem_buf_span(&shown));
	mem_buf_release(&shown);
	return mem_out_ok();
}

static enum mem_status
export_graph(struct mem_store *s, enum mem_graph_format format, struct mem_err *err)
{
	settle_copied_nodes(&o, &c);
	bool picture = format == MEM_GRAPH_HTML || format == MEM_GRAPH_SVG;
	return (picture ? mem_graph_export_picture : mem_graph_export)(s, format, &o, print_graph_lines, NULL, err);
}

static enum mem_status
export_taxonomy(struct mem_store *s, struct mem_err *err)
{
	const char *kinds[] = { "tag" }, *types[MEM_COUNT(mem_graph_taxonomy_types)];
	memcpy(types, mem_graph_taxonomy_types, sizeof types);
	const struct mem_filter_options wanted = { .kinds = { kinds, 1 }, .types = { types, MEM_COUNT(types) }, .ns = c.ns, .live = true,
		.since = c.since, .until = c.until };
	struct mem_filter f;
	enum mem_status st = mem_filter_read(&f, &wanted, err);
	if (st != MEM_OK)
		return st;
	st = mem_graph_export_taxonomy(s, &f, print_graph_lines, NULL, err);
	mem_filter_release(&f);
	return st;
}

int
main(int argc, char **argv)
{
	int format = -1;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "format", "FORMAT", "what is written: taxonomy, json, graphml, csv, dot, html or svg", .choice = &format, .choices = format_words },
		MEM_OPT_KIND(c),
		{ 0, "edge", "KIND", "only edges of these kinds", .words = &o.edges_of, .commas = true },
		{ 0, "orphans", NULL, "nodes without an edge, too", .flag = &o.orphans },
		MEM_OPT_NS(c), MEM_OPT_WAIT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-export [--kind KIND] [--edge KIND] [--orphans] [--ns NS] [--every-namespace] [-S DIR] [--agent ID] [--wait TIME] [--now TIME] --format FORMAT",
	    "write the graph for other programs");
	if (argc > 0)
		mem_die(MEM_USAGE, "unexpected operand '%s'", argv[0]);
	if (format < 0)
		mem_die(MEM_USAGE, "--format: what is to be written: taxonomy, json, graphml, csv, dot, html or svg");
	check_edge_kinds("--edge", &o.edges_of);
	if (format == MEM_GRAPH_TAXONOMY && (c.kinds.n > 0 || o.edges_of.n > 0 || o.orphans))
		mem_die(MEM_USAGE, "a taxonomy is all tags and what is between them: --kind, --edge and --orphans are for other formats");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = c.wait,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_store *s = NULL;
	struct mem_err err;
	enum mem_status st = mem_store_open(&s, &ask, &err);
	if (st == MEM_OK)
		st = format == MEM_GRAPH_TAXONOMY ? export_taxonomy(s, &err) : export_graph(s, (enum mem_graph_format)format, &err);
	if (st != MEM_OK && mem_out_ok())
		mem_warn("%s", err.msg);
	mem_store_close(s);
	return mem_finish(st);
}
