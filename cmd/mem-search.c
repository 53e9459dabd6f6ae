/* SPDX-License-Identifier: Apache-2.0 */
/* mem-search: records by what they say and mean. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "query/query.h"
#include "search_output.h"

static struct mem_searcher searcher;
static struct mem_common c = MEM_COMMON_INIT;
static struct mem_search_options options = MEM_SEARCH_OPTIONS_INIT;
static struct mem_filter filter;
static struct mem_filter_options named;
static struct mem_words roles, tags;
static const char *queries, *session;
static int mode = -1, fusion = -1;
static const char *const modes[] = { "keyword", "vector", "hybrid", NULL };
static const struct mem_opt opts[] = {
	MEM_OPT_STORE(c),
	{ 'm', "mode", "MODE", "by words (keyword), by meaning (vector) or by both (hybrid; default where there is a model)", .choice = &mode, .choices = modes },
	{ 0, "fusion", "METHOD", "how both become one score: zscore, minmax, rrf, weighted or simple (default zscore)", .choice = &fusion, .choices = mem_fusion_names },
	MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_KIND(c), MEM_OPT_NS(c),
	{ 0, "session", "ID", "only this session", .str = &session },
	{ 0, "role", "ROLE", "only these roles", .words = &roles, .commas = true },
	{ 0, "tag", "TAG", "only what has this tag; given twice, both", .words = &tags },
	{ 0, "flagged", NULL, "only what is flagged as an instruction to its reader", .flag = &named.flagged },
	MEM_OPT_SINCE(c), MEM_OPT_UNTIL(c),
	{ 0, "min-score", "X", "only hits of at least this score", .real = &options.min_score },
	{ 0, "explain", NULL, "show each signal's rank", .flag = &options.explain },
	{ 0, "plain", NULL, "no operators: the query is text", .flag = &options.plain },
	{ 0, "queries", "FILE", "answer the queries in FILE, one record a line", .str = &queries },
	MEM_OPT_FORMAT(c), MEM_OPT_AGENT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
};

static void
read_options(void)
{
	struct mem_err err;
	named.kinds = c.kinds, named.roles = roles, named.ns = c.ns, named.tags = tags, named.session = session;
	named.since = c.since, named.until = c.until;
	if (mem_filter_read(&filter, &named, &err) != MEM_OK)
		mem_die_err(&err);
	options.filter = &filter, options.limit = c.limit, options.mode = (enum mem_search_mode)(mode + 1);
	options.fusion = fusion >= 0 ? (enum mem_fusion)fusion : MEM_FUSE_ZSCORE;
	if (fusion >= 0 && mode >= 0 && options.mode != MEM_MODE_HYBRID)
		mem_die(MEM_USAGE, "--fusion is for -m hybrid");
}

/* shared: other processes answer, too. */
static void
open_store(void *ctx, bool shared)
{
	struct mem_err err;
	const struct mem_store_options where = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	options.alone = shared;
	if (mem_searcher_open(ctx, &where, &err) != MEM_OK)
		mem_die_err(&err);
}

static void
leave_store(void *ctx, bool for_good)
{
	if (for_good)
		mem_searcher_close(ctx);
	else
		mem_store_pause(((struct mem_searcher *)ctx)->index.store);
}

static enum mem_status
answer_query_line(void *ctx, const struct mem_line *line)
{
	char label[32];
	struct mem_hits *hits;
	struct mem_buf end = { 0 };
	struct mem_err err;
	snprintf(label, sizeof label, "line %llu: ", (unsigned long long)line->number);
	enum mem_status st = mem_search_query_line(&hits, &end, ctx, &options, line, &err);
	if (st == MEM_OK)
		print_hits(hits, ((struct mem_searcher *)ctx)->index.store, mem_text_wanted(c.format), label);
	else if (st == MEM_REFUSED)
		mem_refusal_notice(&(struct mem_refusal){ queries, line->number, err.offset, mem_str(err.reason), err.msg });
	else
		mem_die_err(&err);
	mem_out_line(mem_buf_span(&end));
	mem_buf_release(&end);
	return st;
}

static const struct mem_worker_ops worker = { open_store, answer_query_line, leave_store };

/* Words that nobody quoted come as several operands. */
static void
join_operands(struct mem_buf *out, int n, char **words)
{
	if (n == 2)
		mem_notice("two operands: they are taken as one query");
	else if (n > 2)
		mem_notice("%d operands: they are taken as one query", n);
	for (int i = 0; i < n; i++) {
		if (n > 1 && strcmp(words[i], "-") == 0)
			mem_die(MEM_USAGE, "a query as - comes from standard input and stands alone");
		mem_buf_printf(out, "%s%s", i > 0 ? " " : "", words[i]);
	}
}

/* The operands, or standard input at "-". */
static enum mem_status
answer_query(int noperands, char **operands)
{
	struct mem_buf text = { 0 };
	struct mem_hits *hits;
	struct mem_err err;
	join_operands(&text, noperands, operands);
	if (mem_str_is(mem_buf_span(&text), "-")) {
		mem_buf_reset(&text);
		mem_stdin_claim("the query");
		mem_stdin_read(&text, MEM_LINE_MAX);
	}
	options.query = mem_buf_span(&text);
	options.count_unembedded = mem_err_tty();
	open_store(&searcher, false);
	if (mem_search_query(&hits, &searcher, &options, &err) != MEM_OK)
		mem_die_err(&err);
	size_t n = mem_hits_count(hits);
	tell_search_notes(hits);
	print_hits(hits, searcher.index.store, mem_text_wanted(c.format), "");
	mem_buf_release(&text);
	return n > 0 ? MEM_OK : MEM_NOTFOUND;
}

int
main(int argc, char **argv)
{
	c.limit = 10;
	mem_opts(&argc, &argv, opts, "mem-search [OPTION...] QUERY...\n"
	    "mem-search [OPTION...] --queries FILE", "find records by what they say and mean");
	if ((argc == 0) != (queries != NULL))
		mem_die(MEM_USAGE, queries == NULL ? "a QUERY is wanted" : "--queries stands in for QUERY");
	read_options();
	enum mem_status st = queries != NULL ? mem_worker_pool_run(queries, &worker, &searcher) : answer_query(argc, argv);
	mem_searcher_close(&searcher);
	mem_filter_release(&filter);
	return mem_finish(st);
}
