/* SPDX-License-Identifier: Apache-2.0 */
/* kg-related: the pages that are related to a page. */
#include "cli/cli.h"
#include "graph_nodes.h"
#include "link/related.h"
#include "page_lines.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct named_nodes pages;

static enum mem_status
print_related(const struct mem_id *page, size_t limit)
{
	const struct mem_filter_options wanted = { .ns = c.ns, .since = MEM_TIME_MIN, .until = MEM_TIME_MAX + 1 };
	struct mem_related_list list = { 0 };
	struct mem_buf lines = { 0 };
	struct mem_filter f;
	struct mem_err err;
	uint64_t n = 0;
	if (mem_filter_read(&f, &wanted, &err) != MEM_OK)
		mem_die_err(&err);
	enum mem_status st = mem_related_find(&list, pages.store, page, &f, limit, &err);
	if (st == MEM_NOTFOUND)
		mem_warn("%s", err.msg);
	else if (st != MEM_OK)
		mem_die_err(&err);
	if (list.without_vector)
		mem_warn("the page has no vector: shared links alone tell what is related");
	if (st == MEM_OK && mem_related_put(&lines, pages.store, &list, &n, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_pause(pages.store); /* a slow reader must not hold up a compaction */
	for (struct mem_str rest = mem_buf_span(&lines); rest.n > 0 && mem_out_ok();)
		(mem_text_wanted(c.format) ? print_page_place : mem_out_line)(cut_first_line(&rest));
	mem_related_list_release(&list);
	mem_filter_release(&f);
	mem_buf_release(&lines);
	return n > 0 ? MEM_OK : MEM_NOTFOUND;
}

int
main(int argc, char **argv)
{
	c.limit = 10;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c),
		MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "kg-related [OPTION...] [--ns NS] [-n N | --all] PAGE", "print the pages that are related to a page");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_err err;
	enum mem_status st = MEM_OK;
	if (argc != 1)
		mem_die(MEM_USAGE, argc == 0 ? "no PAGE" : "one PAGE is wanted");
	if (mem_store_open(&pages.store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	add_named_page(&pages, mem_str(argv[0]));
	if (pages.n == 1)
		st = print_related(&pages.ids[0], c.limit > 0 ? (size_t)c.limit : SIZE_MAX / 64);
	mem_store_close(pages.store);
	return mem_finish(mem_status_worse(st, pages.worst));
}
