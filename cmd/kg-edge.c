/* SPDX-License-Identifier: Apache-2.0 */
/* kg-edge: edges between nodes, as their users write them. */
#include "cli/cli.h"
#include "edge_kinds.h"
#include "edge_output.h"
#include "link/link.h"
#include "link_input.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_link_options o = { .via = "kg-edge" };
static struct mem_link_edge_filter wanted = MEM_LINK_EDGE_FILTER_INIT;
static const char *from, *to, *end;

static enum mem_status
write_edges(const struct mem_store_options *ask, mem_link_line_fn *write, int argc, char **argv)
{
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format };
	struct mem_link_run *run = NULL;
	struct mem_err err;
	o.dry_run = c.dry_run;
	mem_interrupt_catch();
	if (mem_link_run_open(&run, ask, &o, mem_receipts_print, &receipts, &err) != MEM_OK)
		mem_die_err(&err);
	return end_link_run(run, &receipts, write_link_lines(run, write, argc, argv), NULL);
}

/* The node that an option names; NULL where it was not given. */
static const struct mem_id *
find_end(struct mem_store *s, const char *option, const char *text, struct mem_id *room)
{
	struct mem_err err;
	if (text == NULL)
		return NULL;
	if (mem_link_end_find(s, mem_str(text), room, &err) != MEM_OK)
		mem_die(err.status, "%s: %s", option, err.msg);
	return room;
}

static enum mem_status
list_edges(const struct mem_store_options *ask)
{
	struct mem_store *s = NULL;
	struct mem_link_edges *l = NULL;
	struct mem_id ids[3];
	struct mem_buf lines = { 0 };
	struct mem_grid grid = { 0 };
	struct mem_err err;
	uint64_t left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	enum mem_status st = mem_store_open(&s, ask, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	wanted.from = find_end(s, "--from", from, &ids[0]);
	wanted.to = find_end(s, "--to", to, &ids[1]);
	wanted.end = find_end(s, "--end", end, &ids[2]);
	if (mem_text_wanted(c.format))
		begin_edge_table(&grid);
	st = mem_link_edges_open(&l, s, &wanted, &err);
	while (st == MEM_OK && left > 0 && mem_out_ok()) {
		size_t n;
		mem_buf_reset(&lines);
		st = mem_link_edges_next(l, left < SIZE_MAX ? (size_t)left : SIZE_MAX, &lines, &n, &err);
		left -= n;
		mem_store_pause(s); /* a slow reader must not hold up a compaction */
		print_edge_lines(s, mem_buf_span(&lines), &grid);
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_grid_end(&grid);
	mem_link_edges_free(l);
	mem_buf_release(&lines);
	mem_store_close(s);
	return MEM_OK;
}

enum { ADD, SET, REMOVE, LIST };
static const char *const verb_words[] = { "add", "set", "remove", "list", NULL };
static const struct mem_verb verbs[] = {
	{ "add", "quiet dry-run wait", 0, -1 }, { "set", "quiet dry-run wait", 0, -1 }, { "remove", "quiet dry-run wait", 0, -1 },
	{ "list", "from to end kind min-weight max-weight limit all every-namespace", 0, 0 }, { NULL, NULL, 0, 0 },
};

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "from", "NODE", "only edges that leave this node", .str = &from },
		{ 0, "to", "NODE", "only edges that enter this node", .str = &to },
		{ 0, "end", "NODE", "only edges that leave or enter this node", .str = &end },
		{ 0, "kind", "KIND", "only these kinds of edges", .words = &wanted.kinds, .commas = true },
		{ 0, "min-weight", "X", "only edges whose weight is at least X", .real = &wanted.min_weight, .high = 1 },
		{ 0, "max-weight", "X", "only edges whose weight is at most X", .real = &wanted.max_weight, .high = 1 },
		MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW,
		MEM_OPT_OPERANDS("VERB", verb_words), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-edge [OPTION...] [-q] [--dry-run] add [FILE...]\n"
	    "kg-edge [OPTION...] [-q] [--dry-run] set [FILE...]\n"
	    "kg-edge [OPTION...] [-q] [--dry-run] remove [FILE...]\n"
	    "kg-edge [OPTION...] [--from NODE] [--to NODE] [--end NODE] [--kind KIND] [--min-weight X] [--max-weight X] [-n N] list",
	    "add, change, remove and list edges");
	static mem_link_line_fn *const writing[] = { [ADD] = mem_link_add_edge, [SET] = mem_link_set_edge, [REMOVE] = mem_link_remove_edge };
	int verb = (int)(mem_verb_take(&argc, &argv, verbs) - verbs);
	check_edge_kinds("--kind", &wanted.kinds);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = verb != LIST, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	return mem_finish(verb == LIST ? list_edges(&ask) : write_edges(&ask, writing[verb], argc, argv));
}
