/* SPDX-License-Identifier: Apache-2.0 */
/* mem-import: an export's lines taken in, with their ids and times. */
#include "cli/cli.h"
#include "upkeep/upkeep.h"

static void
read_renames(struct mem_renames *r, const struct mem_words *words)
{
	struct mem_err err;
	if (words->n > MEM_RENAMES_MAX)
		mem_die(MEM_USAGE, "--rename: at most %d", MEM_RENAMES_MAX);
	for (; r->n < words->n; r->n++) {
		if (!mem_rename_parse(&r->v[r->n], words->v[r->n], &err))
			mem_die(MEM_USAGE, "--rename: %s", err.msg);
		for (size_t i = 0; i < r->n; i++)
			if (mem_str_eq(r->v[i].from, r->v[r->n].from))
				mem_die(MEM_USAGE, "--rename: %.*s has two new names", (int)r->v[i].from.n, r->v[i].from.p);
	}
}

/* A name that was mistyped renames nothing. */
static void
notice_unused_renames(const struct mem_renames *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].lines == 0)
			mem_notice("--rename: nothing was of %.*s", (int)r->v[i].from.n, r->v[i].from.p);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_words words = { 0 };
	struct mem_renames renames = { .n = 0 };
	const struct mem_opt opts[] = {
		{ 0, "rename", "OLD=NEW", "take what is of OLD in as NEW's, as agent:ada=agent:bob; may be given again", .words = &words },
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_WAIT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW,
		MEM_OPT_FORMAT(c), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-import [-q] [--rename OLD=NEW] [--every-namespace] [-S DIR] [--agent ID] [--wait TIME] [--now TIME] [--format FORMAT] < LINES",
	    "take an export in");
	if (argc > 0)
		mem_die(MEM_USAGE, "lines are read from standard input: unexpected operand '%s'", argv[0]);
	read_renames(&renames, &words);
	mem_interrupt_catch();

	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true,
		.every_namespace = c.every_namespace, .wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_index m = { 0 };
	struct mem_write_total total = { 0 };
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format, .captures = true };
	struct mem_err err;
	enum mem_status st = mem_index_open(&m, &ask, &err);
	if (st == MEM_OK)
		st = mem_upkeep_import_renamed(&m, 0, mem_interrupt_fd(), renames.n > 0 ? &renames : NULL, mem_receipts_print, &receipts,
		    &total, &err);
	if (st == MEM_OK || st == MEM_REFUSED || receipts.lines > 0) /* of a store that did not open there is no sum */
		mem_receipts_sum_up(&receipts);
	if (st == MEM_OK || st == MEM_REFUSED)
		notice_unused_renames(&renames);
	if (st != MEM_OK && st != MEM_REFUSED && mem_out_ok())
		mem_warn("%s", err.msg);
	else if (total.waiting > 0)
		mem_notice("%llu of %llu wait for vectors: mem-maintain makes them", (unsigned long long)total.waiting,
		    (unsigned long long)total.stored);
	mem_index_close(&m);
	return mem_finish(st);
}
