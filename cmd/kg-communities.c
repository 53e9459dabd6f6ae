/* SPDX-License-Identifier: Apache-2.0 */
/* kg-communities: groups of nodes that belong together. */
#include <stdlib.h>

#include "cli/cli.h"
#include "community_output.h"
#include "graph/communities.h"
#include "graph/spread.h"
#include "graph_nodes.h"
#include "link/community_save.h"

enum { SNAPSHOT_COMMUNITIES = 20 };

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_graph_copy_options copied = MEM_GRAPH_COPY_OPTIONS_INIT;
static int64_t least_size = 1;
static bool members, save;

/* ---- output ------------------------------------------------------------------ */

static void
print_communities(struct mem_store *s, const struct found_communities *x, uint64_t *left)
{
	struct mem_buf lines = { 0 };
	struct mem_err err;
	for (uint32_t i = 0; i < x->all.n && *left > 0 && mem_out_ok() && x->all.size[i] >= (uint64_t)least_size;) {
		struct mem_txn *t = NULL;
		if (mem_txn_read(&t, s, &err) != MEM_OK)
			mem_die_err(&err);
		mem_buf_reset(&lines);
		for (unsigned n = 0; n < SNAPSHOT_COMMUNITIES && i < x->all.n && *left > 0 && x->all.size[i] >= (uint64_t)least_size; n++, --*left)
			put_community(&lines, t, x, i++, members);
		mem_txn_end(t);
		mem_store_pause(s);
		for (struct mem_str rest = mem_buf_span(&lines); rest.n > 0;)
			print_whole_node(cut_first_line(&rest), mem_text_wanted(c.format));
	}
	mem_buf_release(&lines);
}

/* ---- finding ---------------------------------------------------------------- */

/* Among the nodes of one namespace, or of all that are wanted (NULL). */
static void
find_communities(struct mem_store *s, const char *ns, uint64_t *left)
{
	struct mem_graph_copy_options o = copied;
	struct mem_graph_links links;
	struct found_communities x = { .ns = ns };
	struct mem_err err;
	if (ns != NULL)
		o.namespaces = (struct mem_words){ &ns, 1 };
	if (mem_graph_copy_make(&x.g, s, &o, &err) != MEM_OK)
		mem_die_err(&err);
	mem_graph_links_make(&links, x.g);
	mem_communities_find(&x.all, &links);
	mem_community_members_make(&x.list, &x.all, x.g->nnodes);
	if (ns != NULL && mem_communities_save(s, ns, &x.all, x.g, &x.numbers, &err) != MEM_OK && err.status != MEM_NOTFOUND)
		mem_die_err(&err);
	print_communities(s, &x, left);
	free(x.numbers);
	mem_community_members_release(&x.list);
	mem_communities_release(&x.all);
	mem_graph_links_release(&links);
	mem_graph_copy_free(x.g);
}

/* Those that were named, else all that the caller may write to. */
static void
save_each_namespace(struct mem_store *s, uint64_t *left)
{
	struct mem_txn *t = NULL;
	struct mem_ns *ns = NULL;
	struct mem_err err;
	size_t n = 0;
	if (mem_txn_read(&t, s, &err) != MEM_OK || mem_ns_visible(t, &ns, &n, &err) != MEM_OK)
		mem_die_err(&err);
	mem_txn_end(t);
	for (size_t i = 0; i < n; i++) {
		const struct mem_access_request request = { .access = MEM_WRITE, .ns = mem_str(ns[i].name) };
		if (ns[i].root == ns[i].number && c.ns.n == 0 && mem_store_allows(s, &request))
			find_communities(s, ns[i].name, left);
	}
	for (size_t i = 0; i < c.ns.n; i++)
		find_communities(s, c.ns.v[i], left);
	free(ns);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_KIND(c), MEM_OPT_NS(c),
		{ 0, "edge", "KIND", "only along these kinds of edges", .words = &copied.edges_of, .commas = true },
		{ 0, "min-weight", "X", "only along edges whose weight is at least X", .real = &copied.least_weight, .high = 1 },
		{ 0, "as-of", "TIME", "nodes and edges that were valid at TIME", .time = &copied.as_of },
		{ 0, "members", NULL, "print the ids of a community's nodes, too", .flag = &members },
		{ 0, "min-size", "N", "only communities of at least N nodes", .num = &least_size, .min = 1 },
		{ 0, "save", NULL, "of each namespace by itself, and keep them", .flag = &save },
		MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_WAIT(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-communities [OPTION...] [--kind KIND] [--ns NS] [--edge KIND] [--members] [--min-size N] [--save] [-n N]",
	    "find groups of nodes that belong together");
	static const char *left_out[MEM_COUNT(mem_spread_edges_left_out)];
	struct mem_store *s = NULL;
	struct mem_err err;
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected");
	check_edge_kinds("--edge", &copied.edges_of);
	settle_copied_nodes(&copied, &c);
	memcpy(left_out, mem_spread_edges_left_out, sizeof left_out);
	if (copied.edges_of.n == 0)
		copied.edges_but = (struct mem_words){ left_out, MEM_COUNT(left_out) };
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = save, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	uint64_t left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	if (mem_store_open(&s, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	(save ? save_each_namespace(s, &left) : find_communities(s, NULL, &left));
	mem_store_close(s);
	return mem_finish(MEM_OK);
}
