/* SPDX-License-Identifier: Apache-2.0 */
/* mem-get: nodes by id or ref. */
#include <stdlib.h>

#include "cli/cli.h"
#include "graph/mentions.h"
#include "nodes.h"
#include "ns_option.h"
#include "refused_id.h"
#include "store/store.h"
#include "store/node.h"
#include "touched_nodes.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_store *store;
static enum mem_status worst;
static int64_t printed;
static struct touched_nodes touched;

static void
print_node(struct mem_str json)
{
	struct mem_buf line = { 0 };
	struct mem_err err;
	if (c.limit > 0 && printed >= c.limit)
		return;
	if (mem_mentions_put(&line, store, json, &err) != MEM_OK)
		mem_die_err(&err);
	print_whole_node(mem_buf_span(&line), mem_text_wanted(c.format));
	mem_buf_release(&line);
	add_touched_node(&touched, json);
	printed++;
}

/* A copy of each node is made in a snapshot that ends before anything is printed. */
static void
get_nodes(struct mem_str name, bool by_ref)
{
	struct mem_found_nodes found = { 0 };
	struct mem_err err = { 0 };
	enum mem_status st = by_ref ? mem_nodes_by_ref(store, name, c.ns.v, c.ns.n, &found, &err) :
	    mem_nodes_by_id(store, name, &found, &err);
	if (st == MEM_NOTFOUND)
		warn_of_missing_id("node", name, &err);
	else if (st == MEM_REFUSED)
		mem_warn("%s", err.msg);
	else if (st == MEM_DAMAGED)
		mem_warn_damage(NULL, err.msg); /* the others can be read */
	else if (st != MEM_OK)
		mem_die_err(&err);
	if (st == MEM_NOTFOUND || st == MEM_REFUSED)
		worst = mem_status_worse(worst, st);
	for (size_t i = 0; i < found.n; i++)
		print_node(found.json[i]);
	mem_found_nodes_release(&found);
}

static void
get_node(struct mem_str id)
{
	get_nodes(id, false);
}

/* Waiting must not hold up a compaction. */
static void
pause_before_wait(void)
{
	mem_store_pause(store);
}

int
main(int argc, char **argv)
{
	struct mem_words refs = { 0 };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 'r', "ref", "REF", "the nodes with this ref, live ones first, newest first", .words = &refs },
		MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_NUL(c), MEM_OPT_TOUCH(touched), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-get [-0z] [-S DIR] [--agent ID] [-r REF] [--ns NS] [-n N] [--touch] [--format FORMAT] [--every-namespace] [--now TIME] [ID...]",
	    "print nodes by id or ref");
	if (argc == 0 && refs.n == 0)
		mem_die(MEM_USAGE, "an id, a dash for ids from standard input, or -r REF");

	struct mem_err err;
	for (size_t i = 0; i < c.ns.n; i++)
		check_ns_option(c.ns.v[i]);
	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < refs.n; i++)
		get_nodes(mem_str(refs.v[i]), true);
	worst = mem_status_worse(worst, take_operand_ids(argc, argv, get_node, c.nul, 0, pause_before_wait));
	count_touched_nodes(&touched, store);
	mem_store_close(store);
	return mem_finish(worst);
}
