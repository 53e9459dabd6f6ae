/* SPDX-License-Identifier: Apache-2.0 */
/* mem-list: nodes in the order of their commits. */
#include "cli/cli.h"
#include "listed_nodes.h"
#include "query/query.h"
#include "search_filters.h"
#include "store/store.h"

static const struct mem_column columns[] = {
	{ .name = "ID" }, { .name = "KIND", .leave_out = 2 }, { .name = "NS", .min = 8, .leave_out = 1 },
	{ .name = "WHEN", .leave_out = 4 }, { .name = "WHO", .min = 5, .leave_out = 3 }, { .name = "WHAT", .min = 20, .want = 30 }, { 0 }
};
static const char *const *const fields[] = {
	(const char *const[]){ "id", NULL }, (const char *const[]){ "kind", NULL }, (const char *const[]){ "ns", NULL },
	(const char *const[]){ "captured_at", "created_at", NULL }, (const char *const[]){ "speaker", "role", NULL },
	(const char *const[]){ "content", "statement", "title", "name", "description", "over", NULL },
};
static const struct node_table table = { columns, fields, 3 };

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_words roles = { 0 }, tags = { 0 }, statuses = { 0 }, types = { 0 }, names = { 0 };
	const char *session = NULL, *after = NULL;
	static struct mem_filter_past past = MEM_FILTER_PAST_INIT;
	bool live = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_KIND(c), MEM_OPT_NS(c),
		{ 0, "session", "ID", "only this session", .str = &session },
		{ 0, "role", "ROLE", "only these roles", .words = &roles, .commas = true },
		{ 0, "tag", "TAG", "only with this tag; given twice, with both", .words = &tags },
		{ 0, "status", "WORD", "only of these statuses", .words = &statuses, .commas = true },
		{ 0, "type", "WORD", "only of these types", .words = &types, .commas = true },
		{ 0, "name", "NAME", "only what has this name, alias, title, slug or path; given twice, either", .words = &names },
		MEM_OPT_SINCE(c), MEM_OPT_UNTIL(c),
		{ 0, "live", NULL, "only what is not forgotten, expired, superseded or archived", .flag = &live },
		MEM_OPT_PAST(past),
		{ 0, "after", "ID", "begin behind this node", .str = &after },
		MEM_OPT_LAST(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-list [-S DIR] [--agent ID] [--kind KIND] [--ns NS] [--session ID] [--role ROLE] [--tag TAG] [--status WORD] "
	    "[--type WORD] [--name NAME] [--since TIME] [--until TIME] [--live] [--as-of TIME] [--known-at TIME] [--include-superseded] [--after ID] [--last N] [-n N] [--all] [--format FORMAT] "
	    "[--every-namespace] [--now TIME]",
	    "list nodes in the order of their commits");
	struct mem_err err;
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected: ids go to mem-get");
	if (past.superseded && !live && past.as_of == MEM_TIME_NONE && past.known_at == MEM_TIME_NONE)
		mem_die(MEM_USAGE, "--include-superseded is for --live, --as-of and --known-at: else all are listed");
	struct mem_filter f;
	past.then = mem_known_facts_open();
	const struct mem_filter_options o = { .kinds = c.kinds, .roles = roles, .ns = c.ns, .tags = tags, .statuses = statuses,
		.types = types, .names = names, .session = session, .since = c.since, .until = c.until, .live = live, .past = &past };
	if (mem_filter_read(&f, &o, &err) != MEM_OK)
		mem_die_err(&err);

	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	list_store_nodes(&ask, &f, after, &c, &table);
	mem_filter_release(&f);
	return mem_finish(MEM_OK);
}
