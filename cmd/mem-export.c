/* SPDX-License-Identifier: Apache-2.0 */
/* mem-export: nodes and edges as lines, in commit order. */
#include "cli/cli.h"
#include "upkeep/upkeep.h"

static bool
print_export_lines(void *ctx, struct mem_str lines)
{
	(void)ctx;
	mem_out_str(lines);
	return mem_out_ok();
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	bool header = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_WAIT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW,
		{ 0, "header", NULL, "begin with a line that says what this is and when it was made", .flag = &header },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-export [--header] [--every-namespace] [-S DIR] [--agent ID] [--wait TIME] [--now TIME]",
	    "write all nodes and edges as lines");
	if (argc > 0)
		mem_die(MEM_USAGE, "unexpected operand '%s'", argv[0]);

	struct mem_store_options ask = { .dir = c.store, .scan = true, .agent = c.agent, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_index m = { 0 };
	struct mem_err err;
	enum mem_status st = mem_index_open(&m, &ask, &err);
	if (st == MEM_OK)
		st = mem_upkeep_export(&m, header, print_export_lines, NULL, &err);
	if (st != MEM_OK && mem_out_ok())
		mem_warn("%s", err.msg);
	mem_index_close(&m);
	return mem_finish(st);
}
