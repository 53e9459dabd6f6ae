/* SPDX-License-Identifier: Apache-2.0 */
/* kg-backlinks: where other pages link to a page. */
#include "cli/cli.h"
#include "graph_nodes.h"
#include "link/backlinks.h"
#include "page_lines.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct named_nodes pages;

/* Prints at most *left of a page's, which becomes less by as many.  MEM_NOTFOUND: it is no live page. */
static enum mem_status
print_backlinks(const struct mem_id *page, const struct mem_node_filter *filter, uint64_t *left)
{
	struct mem_backlinks *l = NULL;
	struct mem_buf lines = { 0 };
	struct mem_err err;
	uint64_t n;
	enum mem_status st = mem_backlinks_open(&l, pages.store, page, filter, &err);
	if (st == MEM_NOTFOUND) {
		mem_warn("%s", err.msg);
		return st;
	}
	while (st == MEM_OK && *left > 0 && mem_out_ok() && !mem_interrupted()) {
		mem_buf_reset(&lines);
		st = mem_backlinks_next(l, &lines, &n, &err);
		mem_store_pause(pages.store); /* a slow reader must not hold up a compaction */
		for (struct mem_str rest = mem_buf_span(&lines); rest.n > 0 && *left > 0 && mem_out_ok(); --*left)
			(mem_text_wanted(c.format) ? print_page_place : mem_out_line)(cut_first_line(&rest));
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_backlinks_free(l);
	mem_buf_release(&lines);
	return MEM_OK;
}

static enum mem_status
print_all_backlinks(void)
{
	const uint64_t limit = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	struct mem_node_filter *filter = make_node_filter(&c, pages.store);
	uint64_t left = limit;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < pages.n && left > 0 && mem_out_ok(); i++)
		st = mem_status_worse(st, print_backlinks(&pages.ids[i], filter, &left));
	mem_node_filter_free(filter);
	return left == limit ? mem_status_worse(st, MEM_NOTFOUND) : st;
}

static void
add_linked_node(struct mem_str text)
{
	add_named_page(&pages, text);
}

static void
pause_for_pages(void)
{
	mem_store_pause(pages.store);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c),
		MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "kg-backlinks [-0z] [OPTION...] [--ns NS] [-n N] PAGE...", "print where other pages link to a page");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_err err;
	if (argc == 0)
		mem_die(MEM_USAGE, "no PAGE");
	if (mem_store_open(&pages.store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	enum mem_status st = take_operand_ids(argc, argv, add_linked_node, c.nul, 0, pause_for_pages);
	st = mem_status_worse(st, print_all_backlinks());
	mem_store_close(pages.store);
	return mem_finish(mem_status_worse(st, pages.worst));
}
