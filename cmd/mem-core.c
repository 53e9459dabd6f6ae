/* SPDX-License-Identifier: Apache-2.0 */
/* mem-core: what an agent always goes by. */
#include <string.h>

#include "belief/core.h"
#include "cli/cli.h"
#include "core_drift.h"
#include "listed_nodes.h"
#include "model/model.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static const char *if_hash, *sensitivity;
static bool retired;

/* ---- writing ------------------------------------------------------------- */

static void
add_block(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_str ns;
	struct mem_buf text = { 0 };
	struct mem_err err;
	int kind = find_word(argv[0], mem_core_kinds);
	if (kind < 0)
		mem_die(MEM_USAGE, "add: '%s' is not one of persona, commitment, redline", argv[0]);
	if (mem_write_run_ns(r, c.ns.n > 0 ? c.ns.v[0] : NULL, &ns, &err) != MEM_OK)
		mem_die_err(&err);
	read_operand_text(&text, argc - 1, argv + 1);
	if (mem_core_add(r, ns, mem_core_kinds[kind], mem_buf_span(&text), sensitivity, &err) != MEM_OK)
		mem_die_err(&err);
	mem_buf_release(&text);
}

static void
edit_block(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_buf text = { 0 };
	struct mem_err err;
	read_operand_text(&text, argc - 1, argv + 1);
	if (mem_core_edit(r, mem_str(argv[0]), mem_buf_span(&text), if_hash, &err) != MEM_OK)
		mem_die_err(&err);
	mem_buf_release(&text);
}

static void
retire_blocks(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	for (int i = 0; i < argc; i++)
		if (mem_core_retire(r, mem_str(argv[i]), &err) != MEM_OK)
			mem_die_err(&err);
}

/* ---- listing ------------------------------------------------------------- */

static const struct mem_column columns[] = {
	{ .name = "ID" }, { .name = "KIND", .leave_out = 2 }, { .name = "NS", .min = 8, .leave_out = 1 }, { .name = "TEXT", .min = 12, .want = 40 }, { 0 }
};
static const char *const *const fields[] = {
	(const char *const[]){ "id", NULL }, (const char *const[]){ "block_kind", NULL }, (const char *const[]){ "ns", NULL },
	(const char *const[]){ "content", NULL },
};
static const struct node_table table = { columns, fields, 0 };

static enum mem_status
list_blocks(const struct mem_store_options *ask)
{
	struct mem_filter f;
	struct mem_err err;
	const char *states[] = { "active", "retired" }; /* former texts are for mem-history */
	const struct mem_words all = { .v = states, .n = MEM_COUNT(states) };
	const struct mem_filter_options wanted = { .ns = c.ns, .since = c.since, .until = c.until, .live = !retired,
		.statuses = retired ? all : (struct mem_words){ 0 } };
	if (mem_filter_read(&f, &wanted, &err) != MEM_OK)
		mem_die_err(&err);
	f.kinds = mem_kind_set_of(MEM_KIND_CORE);
	list_store_nodes(ask, &f, NULL, &c, &table);
	mem_filter_release(&f);
	return MEM_OK;
}

enum { ADD, EDIT, RETIRE, DRIFT, LIST };
static const char *const verb_words[] = { "add", "edit", "retire", "drift", "list", NULL };
static const struct mem_verb verbs[] = {
	{ "add", "ns sensitivity quiet dry-run wait", 2, -1 }, { "edit", "if-hash quiet dry-run wait", 2, -1 },
	{ "retire", "quiet dry-run wait", 1, -1 }, { "drift", "quiet dry-run wait", 0, 0 },
	{ "list", "ns retired limit all", 0, 0 }, { NULL, NULL, 0, 0 },
};

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "ns", "NS", "only these namespaces; of add: write to NS", .words = &c.ns, .commas = true },
		{ 0, "sensitivity", "WORD", "how sensitive the block is, in a word of your own", .str = &sensitivity },
		{ 0, "if-hash", "HASH", "only if the text that is there has this SHA-256", .str = &if_hash },
		{ 0, "retired", NULL, "list retired blocks, too", .flag = &retired },
		MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW,
		MEM_OPT_OPERANDS("VERB", verb_words), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-core [OPTION...] [-q] [--dry-run] [--ns NS] [--sensitivity WORD] add KIND TEXT...\n"
	    "mem-core [OPTION...] [-q] [--dry-run] [--if-hash HASH] edit ID TEXT...\n"
	    "mem-core [OPTION...] [-q] [--dry-run] retire ID...\n"
	    "mem-core [OPTION...] [-q] [--dry-run] drift\n"
	    "mem-core [OPTION...] [--ns NS] [--retired] [-n N] list",
	    "keep what an agent always goes by");
	static write_run_fn *const writing[] = { [ADD] = add_block, [EDIT] = edit_block, [RETIRE] = retire_blocks };
	int verb = (int)(mem_verb_take(&argc, &argv, verbs) - verbs);
	if (verb == ADD && c.ns.n > 1)
		mem_die(MEM_USAGE, "--ns: a block lies in one namespace");
	if (sensitivity != NULL && !mem_core_sensitivity_valid(sensitivity))
		mem_die(MEM_USAGE, "--sensitivity: a word of at most 32 letters, digits, dots, underscores and hyphens is wanted");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = verb != LIST, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	if (verb == LIST)
		return mem_finish(list_blocks(&ask));
	if (verb == DRIFT)
		return mem_finish(watch_drift(&c, &ask));
	mem_link_curl_and_blas();
	return mem_finish(write_by_hand("mem-core", &ask, &c, verb != RETIRE, writing[verb], argc, argv));
}
