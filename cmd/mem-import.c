/* SPDX-License-Identifier: Apache-2.0 */
/* mem-import: an export's lines taken in, with their ids and times. */
#include "cli/cli.h"
#include "upkeep/upkeep.h"

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_WAIT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW,
		MEM_OPT_FORMAT(c), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-import [-q] [--every-namespace] [-S DIR] [--agent ID] [--wait TIME] [--now TIME] [--format FORMAT] < LINES",
	    "take an export in");
	if (argc > 0)
		mem_die(MEM_USAGE, "lines are read from standard input: unexpected operand '%s'", argv[0]);
	mem_interrupt_catch();

	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true,
		.every_namespace = c.every_namespace, .wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_index m = { 0 };
	struct mem_write_total total = { 0 };
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format };
	struct mem_err err;
	enum mem_status st = mem_index_open(&m, &ask, &err);
	if (st == MEM_OK)
		st = mem_upkeep_import(&m, 0, mem_interrupt_fd(), mem_receipts_print, &receipts, &total, &err);
	mem_receipts_sum_up(&receipts);
	if (st != MEM_OK && st != MEM_REFUSED && mem_out_ok())
		mem_warn("%s", err.msg);
	else if (total.waiting > 0)
		mem_notice("%llu of %llu wait for vectors: mem-maintain makes them", (unsigned long long)total.waiting,
		    (unsigned long long)total.stored);
	mem_index_close(&m);
	return mem_finish(st);
}
