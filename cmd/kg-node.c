/* SPDX-License-Identifier: Apache-2.0 */
/* kg-node: entities, tags and tasks, as their users write them; and what sessions are known by. */
#include "cli/cli.h"
#include "link/link.h"
#include "link_input.h"
#include "listed_nodes.h"
#include "model/model.h"
#include "refused_id.h"
#include "upkeep/sync.h"
#include "words/words.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words statuses, types, names, tags;
static const char *after;
static bool live;
static struct mem_link_options o = { .via = "kg-node" };
static struct mem_link_run *run;

/* ---- writing ------------------------------------------------------------- */

static void
remove_node(struct mem_str id)
{
	struct mem_err err;
	explain_refused_id(mem_link_run_store(run), id);
	if (mem_link_remove_node(run, id, &err) != MEM_OK)
		mem_die_err(&err);
}

static void
commit_nodes(void)
{
	struct mem_err err;
	if (mem_link_run_commit(run, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_pause(mem_link_run_store(run));
}

/* `write` NULL: the operands are ids of nodes to be removed. */
static enum mem_status
write_nodes(const struct mem_store_options *ask, mem_link_line_fn *write, int argc, char **argv)
{
	struct mem_receipts receipts = { .quiet = c.quiet, .format = c.format };
	struct mem_err err;
	if (c.ns.n > 1)
		mem_die(MEM_USAGE, "--ns: a node lies in one namespace");
	o.ns = c.ns.n > 0 ? c.ns.v[0] : NULL;
	o.dry_run = c.dry_run;
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	enum mem_status st = mem_link_run_open(&run, ask, &o, mem_receipts_print, &receipts, &err);
	if (st == MEM_OK && write != NULL)
		st = mem_link_run_embed(run, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	st = write != NULL ? write_link_lines(run, write, argc, argv)
	    : take_operand_ids(argc, argv, remove_node, c.nul, LINK_WAIT_MS, commit_nodes);
	return end_link_run(run, &receipts, st, ask);
}

/* ---- listing ------------------------------------------------------------- */

static const struct mem_column columns[] = {
	{ .name = "ID" }, { .name = "KIND", .leave_out = 3 }, { .name = "TYPE", .min = 5, .leave_out = 2 },
	{ .name = "NS", .min = 8, .leave_out = 1 }, { .name = "NAME", .min = 12 }, { .name = "DESCRIPTION", .min = 12, .want = 20 }, { 0 }
};
static const char *const *const fields[] = {
	(const char *const[]){ "id", NULL }, (const char *const[]){ "kind", NULL }, (const char *const[]){ "type", NULL },
	(const char *const[]){ "ns", NULL }, (const char *const[]){ "name", NULL }, (const char *const[]){ "description", NULL },
};
static const struct node_table table = { columns, fields, 0 };

/* The kinds that were named, else all that this command writes. */
static void
settle_listed_kinds(struct mem_filter *f)
{
	struct mem_kind_set own = mem_link_node_kinds();
	if (!mem_kind_set_within(&f->kinds, &own))
		mem_die(MEM_USAGE, "--kind: entity, tag and task are listed here; mem-list has all kinds");
	if (mem_kind_set_empty(&f->kinds))
		f->kinds = own;
}

static enum mem_status
list_nodes(const struct mem_store_options *ask)
{
	struct mem_filter f;
	struct mem_err err;
	const struct mem_filter_options wanted = { .kinds = c.kinds, .ns = c.ns, .tags = tags, .statuses = statuses, .types = types,
		.names = names, .since = c.since, .until = c.until, .live = live };
	if (mem_filter_read(&f, &wanted, &err) != MEM_OK)
		mem_die_err(&err);
	settle_listed_kinds(&f);
	list_store_nodes(ask, &f, after, &c, &table);
	mem_filter_release(&f);
	return MEM_OK;
}

/* ---- from turns ----------------------------------------------------------- */

static enum mem_status
sync_nodes(const struct mem_store_options *ask)
{
	struct mem_index m = { 0 };
	struct mem_sync_done d = { 0 };
	struct mem_buf line = { 0 };
	struct mem_err err;
	if (mem_index_open(&m, ask, &err) != MEM_OK || mem_sync_run(&m, "kg-node", c.dry_run, &d, &err) != MEM_OK)
		mem_die_err(&err);
	mem_buf_printf(&line, "{\"turns\":%llu,\"nodes\":%llu,\"edges\":%llu}", (unsigned long long)d.turns, (unsigned long long)d.nodes,
	    (unsigned long long)d.edges);
	if (!c.quiet)
		mem_out_line(mem_buf_span(&line));
	mem_buf_release(&line);
	mem_index_close(&m);
	return MEM_OK;
}

enum { ADD, SET, REMOVE, LIST, SYNC };
static const char *const verb_words[] = { "add", "set", "remove", "list", "sync", NULL };
static const struct mem_verb verbs[] = {
	{ "add", "ns quiet dry-run wait", 0, -1 }, { "set", "if-version quiet dry-run wait", 0, -1 },
	{ "remove", "if-version quiet dry-run wait 0 z", 1, -1 },
	{ "list", "kind ns type name tag status since until live after last limit all every-namespace", 0, 0 },
	{ "sync", "quiet dry-run every-namespace wait", 0, 0 }, { NULL, NULL, 0, 0 },
};

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "ns", "NS", "only these namespaces; of add: write to NS where a record names none", .words = &c.ns, .commas = true },
		{ 0, "if-version", "N", "only if the node's version is N", .num = &o.if_version, .min = 1 },
		MEM_OPT_KIND(c),
		{ 0, "type", "WORD", "only of these types", .words = &types, .commas = true },
		{ 0, "name", "NAME", "only what has this name or alias; given twice, either", .words = &names },
		{ 0, "tag", "TAG", "only with this tag; given twice, with both", .words = &tags },
		{ 0, "status", "WORD", "only of these statuses", .words = &statuses, .commas = true },
		MEM_OPT_SINCE(c), MEM_OPT_UNTIL(c),
		{ 0, "live", NULL, "only what is not forgotten, expired, superseded or archived", .flag = &live },
		{ 0, "after", "ID", "begin behind this node", .str = &after },
		MEM_OPT_LAST(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c),
		MEM_OPT_NOW, MEM_OPT_OPERANDS("VERB", verb_words), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-node [OPTION...] [-q] [--dry-run] [--ns NS] add [FILE...]\n"
	    "kg-node [OPTION...] [-q] [--dry-run] [--if-version N] set [FILE...]\n"
	    "kg-node [OPTION...] [-0qz] [--dry-run] [--if-version N] remove ID...\n"
	    "kg-node [OPTION...] [--kind KIND] [--type WORD] [--name NAME] [--tag TAG] [--status WORD] [--ns NS] [--live] [-n N] list\n"
	    "kg-node [OPTION...] [-q] [--dry-run] sync",
	    "add, change, remove and list entities, tags and tasks");
	static mem_link_line_fn *const writing[] = { [ADD] = mem_link_add_node, [SET] = mem_link_set_node, [REMOVE] = NULL };
	int verb = (int)(mem_verb_take(&argc, &argv, verbs) - verbs);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = verb != LIST, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	return mem_finish(verb == LIST ? list_nodes(&ask) : verb == SYNC ? sync_nodes(&ask) : write_nodes(&ask, writing[verb], argc, argv));
}
