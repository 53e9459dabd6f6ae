/* SPDX-License-Identifier: Apache-2.0 */
/* mem-search: records by what they say and mean. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "query/class.h"
#include "query/query.h"
#include "run_stage.h"
#include "search_filters.h"
#include "search_output.h"
#include "stage/pipeline.h"

static struct mem_searcher searcher;
static struct mem_common c = MEM_COMMON_INIT;
static struct mem_search_options options = MEM_SEARCH_OPTIONS_INIT;
static struct mem_filter filter;
static struct mem_filter_past past = MEM_FILTER_PAST_INIT;
static struct mem_filter_options named = { .past = &past };
static struct mem_pipeline pipeline;
static const char *queries, *stages, *hyde;
static struct touched_nodes touched;
static struct mem_buf hypothetical;
static bool no_neighbours, timed;
static int64_t candidates = MEM_SEARCH_CANDIDATES;
static struct mem_query_answer answer; /* for the query log */
static int mode = -1, fusion = -1;
static const char *const modes[] = { "keyword", "vector", "hybrid", "graph", NULL };
static const struct mem_opt opts[] = {
	MEM_OPT_STORE(c),
	{ 'm', "mode", "MODE", "by words (keyword), by meaning (vector), by both (hybrid; default where there is a model) or along edges (graph)", .choice = &mode, .choices = modes },
	{ 0, "fusion", "METHOD", "how both become one score: zscore, minmax, rrf, weighted or simple (default zscore)", .choice = &fusion, .choices = mem_fusion_names },
	MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FILTERS(c, named), MEM_OPT_PAST(past),
	{ 0, "min-score", "X", "only hits of at least this score", .real = &options.min_score },
	{ 0, "min-match", "X", "only hits whose chance to answer is at least X, from 0 to 1", .real = &options.min_match, .low = 0, .high = 1 },
	{ 0, "candidates", "N", "rank the best N of each signal", .num = &candidates, .min = 1 },
	{ 0, "stages", "LIST", "these stages, in this order, between commas; none: unranked candidates", .str = &stages },
	{ 0, "no-neighbours", NULL, "the turns around lend nothing", .flag = &no_neighbours },
	{ 0, "class", "CLASS", "the question's class: quote, temporal, entity, multi_hop or factual", .choice = &options.class, .choices = mem_class_names },
	{ 0, "explain", NULL, "show all signals and their ranks", .flag = &options.explain },
	{ 0, "vectors", NULL, "put its vector on each hit", .flag = &options.vectors },
	{ 0, "time", NULL, "say on the end records of --queries how many milliseconds each took", .flag = &timed },
	{ 0, "hyde", "-", "vectors search with the answer on standard input, one that might be given", .str = &hyde },
	{ 0, "hyde-with", "CMD", "this command makes the answer: the question in, the answer out", .str = &options.hyde_with },
	MEM_OPT_SYNTAX(options), MEM_OPT_TOUCH(touched),
	{ 0, "queries", "FILE", "answer the queries in FILE, one record a line", .str = &queries },
	MEM_OPT_FORMAT(c), MEM_OPT_AGENT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
};

static void
read_options(void)
{
	past.then = mem_known_facts_open(), read_search_filters(&filter, &named, &c);
	options.limit = c.limit >= 0 ? c.limit : options.limit;
	options.filter = &filter, options.mode = (enum mem_search_mode)(mode + 1);
	options.fusion = fusion >= 0 ? (enum mem_fusion)fusion : MEM_FUSE_ZSCORE;
	if (options.plain && options.strict)
		mem_die(MEM_USAGE, "--plain or --strict, not both");
	if (fusion >= 0 && mode >= 0 && options.mode != MEM_MODE_HYBRID)
		mem_die(MEM_USAGE, "--fusion is for -m hybrid");
	options.candidates = (size_t)candidates, options.candidates_alone = c.limit < 0;
	read_stage_option(&pipeline, stages);
	read_hypothetical(&options, &hypothetical, hyde, queries != NULL);
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
	choose_stages(&pipeline, &options, mem_store_conf(((struct mem_searcher *)ctx)->index.store), stages != NULL, no_neighbours);
}

static void
leave_store(void *ctx, bool for_good)
{
	for_good ? mem_searcher_close(ctx) : mem_store_pause(((struct mem_searcher *)ctx)->index.store);
}

static enum mem_status
print_answer(struct mem_searcher *m, struct mem_hits *hits, const char *label, struct mem_buf *end, size_t *n, struct mem_err *err)
{
	struct hit_printer p = { .store = m->index.store, .text = mem_text_wanted(c.format), .label = label,
		.touched = &touched, .log = queries == NULL && mem_query_log_wanted(m->index.store) ? &answer : NULL };
	const struct mem_stage_search with = { mem_store_conf(m->index.store), m, mem_hits_options(hits), warn_of_stage, &answer.rejected };
	return print_hits(&p, hits, &pipeline, &with, end, n, err);
}

static enum mem_status
answer_query_line(void *ctx, const struct mem_line *line)
{
	char label[32];
	struct mem_hits *hits;
	struct mem_buf end = { 0 };
	struct mem_err err;
	size_t n;
	const double begun = read_clock();
	snprintf(label, sizeof label, "line %llu: ", (unsigned long long)line->number);
	enum mem_status st = mem_search_query_line(&hits, &end, ctx, &options, line, &err);
	if (timed && end.len > 0) /* a failure has none */
		put_query_time(&end, read_clock() - begun);
	if (st == MEM_OK)
		st = print_answer(ctx, hits, label, &end, &n, &err);
	if (st != MEM_OK && st != MEM_REFUSED)
		mem_die_err(&err);
	if (st == MEM_REFUSED) {
		mem_refusal_notice(&(struct mem_refusal){ .input = queries, .line = line->number, .offset = err.offset, .reason = mem_str(err.reason), .detail = err.msg });
		mem_out_line(mem_buf_span(&end));
	}
	mem_buf_release(&end);
	return st;
}

static const struct mem_worker_ops worker = { open_store, answer_query_line, leave_store };

/* The operands, or standard input at "-". */
static enum mem_status
answer_query(int noperands, char **operands)
{
	const double begun = read_clock();
	struct mem_buf text = { 0 };
	struct mem_hits *hits;
	struct mem_err err;
	size_t n = 0;
	read_query_text(&text, noperands, operands);
	options.query = mem_buf_span(&text);
	options.count_unembedded = mem_err_tty();
	open_store(&searcher, false);
	enum mem_status st = mem_search_query(&hits, &searcher, &options, &err);
	if (st == MEM_OK) {
		tell_search_notes(hits);
		st = print_answer(&searcher, hits, "", &(struct mem_buf){ 0 }, &n, &err);
		count_touched_nodes(&touched, searcher.index.store); /* before the log, whose writer would be in the way */
	}
	end_search(st, &err, &answer, searcher.index.store, &options, begun);
	mem_buf_release(&text);
	return n > 0 ? MEM_OK : MEM_NOTFOUND;
}

int
main(int argc, char **argv)
{
	c.limit = -1; /* -n was not given */
	mem_opts(&argc, &argv, opts, "mem-search [OPTION...] QUERY...\n"
	    "mem-search [OPTION...] --queries FILE", "find records by what they say and mean");
	if ((argc == 0) != (queries != NULL))
		mem_die(MEM_USAGE, queries == NULL ? "a QUERY is wanted" : "--queries stands in for QUERY");
	if (queries != NULL ? touched.wanted : timed)
		mem_die(MEM_USAGE, timed ? "--time is for --queries" : "--touch counts the reads of one query, not of --queries");
	read_options();
	enum mem_status st = queries != NULL ? mem_worker_pool_run(queries, &worker, &searcher) : answer_query(argc, argv);
	mem_searcher_close(&searcher);
	mem_filter_release(&filter);
	return mem_finish(st);
}
