/* SPDX-License-Identifier: Apache-2.0 */
/* kg-export: the graph for other programs. */
#include "cli/cli.h"
#include "link/graph_files.h"
#include "query/query.h"

static const char *const format_words[] = { "taxonomy", NULL };

static bool
print_graph_lines(void *ctx, struct mem_str lines)
{
	(void)ctx;
	mem_out_str(lines);
	return mem_out_ok();
}

static enum mem_status
export_taxonomy(struct mem_store *s, const struct mem_common *c, struct mem_err *err)
{
	const char *kinds[] = { "tag" }, *types[MEM_COUNT(mem_graph_taxonomy_types)];
	memcpy(types, mem_graph_taxonomy_types, sizeof types);
	const struct mem_filter_options wanted = { .kinds = { kinds, 1 }, .types = { types, MEM_COUNT(types) }, .ns = c->ns, .live = true,
		.since = c->since, .until = c->until };
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
	struct mem_common c = MEM_COMMON_INIT;
	int format = -1;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "format", "FORMAT", "what is written: taxonomy", .choice = &format, .choices = format_words },
		MEM_OPT_NS(c), MEM_OPT_WAIT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-export [--ns NS] [--every-namespace] [-S DIR] [--agent ID] [--wait TIME] [--now TIME] --format FORMAT",
	    "write the graph for other programs");
	if (argc > 0)
		mem_die(MEM_USAGE, "unexpected operand '%s'", argv[0]);
	if (format < 0)
		mem_die(MEM_USAGE, "--format: what is to be written: taxonomy");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = c.wait,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_store *s = NULL;
	struct mem_err err;
	enum mem_status st = mem_store_open(&s, &ask, &err);
	if (st == MEM_OK)
		st = export_taxonomy(s, &c, &err);
	if (st != MEM_OK && mem_out_ok())
		mem_warn("%s", err.msg);
	mem_store_close(s);
	return mem_finish(st);
}
