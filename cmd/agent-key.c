/* SPDX-License-Identifier: Apache-2.0 */
/* agent-key: the public keys of agents. */
#include "cli/cli.h"
#include "listed_nodes.h"
#include "trust/trust.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;

static void
add_key(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	(void)argc;
	if (mem_agent_key_add(r, mem_str(argv[0]), mem_str(argv[1]), &err) != MEM_OK)
		mem_die_err(&err);
}

static void
rotate_key(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	(void)argc;
	if (mem_agent_key_rotate(r, mem_str(argv[0]), mem_str(argv[1]), &err) != MEM_OK)
		mem_die_err(&err);
}

static void
retire_agents(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	for (int i = 0; i < argc; i++)
		if (mem_agent_key_retire(r, mem_str(argv[i]), &err) != MEM_OK)
			mem_die_err(&err);
}

static const struct mem_column columns[] = { { .name = "ID" }, { .name = "AGENT", .min = 8 }, { .name = "STATE" }, { 0 } };
static const char *const *const fields[] = {
	(const char *const[]){ "id", NULL }, (const char *const[]){ "name", NULL }, (const char *const[]){ "state", NULL },
};
static const struct node_table table = { columns, fields, 0 };

static enum mem_status
list_agents(const struct mem_store_options *ask)
{
	static const char *global[] = { "global" };
	struct mem_filter f;
	struct mem_err err;
	const struct mem_filter_options wanted = { .ns = { .v = global, .n = 1 }, .since = c.since, .until = c.until };
	if (mem_filter_read(&f, &wanted, &err) != MEM_OK)
		mem_die_err(&err);
	f.kinds = mem_kind_set_of(MEM_KIND_AGENT);
	list_store_nodes(ask, &f, NULL, &c, &table);
	mem_filter_release(&f);
	return MEM_OK;
}

enum { ADD, ROTATE, RETIRE, LIST };
static const char *const verb_words[] = { "add", "rotate", "retire", "list", NULL };
static const struct mem_verb verbs[] = {
	{ "add", "quiet dry-run wait", 2, 2 }, { "rotate", "quiet dry-run wait", 2, 2 }, { "retire", "quiet dry-run wait", 1, -1 },
	{ "list", "limit all", 0, 0 }, { NULL, NULL, 0, 0 },
};

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c),
		MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_OPERANDS("VERB", verb_words), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "agent-key [OPTION...] [-q] [--dry-run] add AGENT KEY\n"
	    "agent-key [OPTION...] [-q] [--dry-run] rotate AGENT KEY\n"
	    "agent-key [OPTION...] [-q] [--dry-run] retire AGENT...\n"
	    "agent-key [OPTION...] [-n N] list",
	    "keep the public keys of agents, by which signatures are checked");
	static write_run_fn *const writing[] = { [ADD] = add_key, [ROTATE] = rotate_key, [RETIRE] = retire_agents };
	int verb = (int)(mem_verb_take(&argc, &argv, verbs) - verbs);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = verb != LIST, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	return mem_finish(verb == LIST ? list_agents(&ask) : write_by_hand("agent-key", &ask, &c, false, writing[verb], argc, argv));
}
