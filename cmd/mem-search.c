/* SPDX-License-Identifier: Apache-2.0 */
/* mem-search: records by what they say and mean. */
#include "cli/cli.h"
#include "nodes.h"
#include "query/query.h"

#include <stdio.h>

#include <string.h>

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

/* Once: that no model is there is worth a word to a person; that one is broken is worth one to all. */
static void
warn_of_fallback(const struct mem_hits *hits)
{
	static bool warned;
	const char *why;
	enum mem_status st = mem_hits_fallback(hits, &why);
	if (st != MEM_OK && !warned)
		(st == MEM_ABSENT ? mem_notice : mem_warn)("searched by words alone: %s", why);
	warned |= st != MEM_OK;
}

/* Of the one query of the command line, whose writer reads this. */
static void
tell_search_notes(const struct mem_hits *hits)
{
	const struct mem_search_notes *notes = mem_hits_notes(hits);
	struct mem_str name = notes->unknown_field;
	struct mem_buf names = { 0 };
	for (int f = 0; f < MEM_FILTER_QUERY_FIELDS; f++)
		mem_buf_printf(&names, "%s%s", f > 0 ? ", " : "", mem_filter_field_name((enum mem_filter_field)f));
	if (name.n > 0)
		mem_warn("'%.*s' is no field and is searched as a word; fields are %s", (int)name.n, name.p, names.data);
	if (notes->filters_alone)
		mem_notice("only filters: mem-list prints what they leave");
	if (notes->unembedded > 0)
		mem_notice("%llu of the records searched wait%s for vectors: mem-maintain makes them",
		    (unsigned long long)notes->unembedded, notes->unembedded == 1 ? "s" : "");
	mem_buf_release(&names);
}

static void
add_hit_row(struct mem_grid *g, struct mem_hits *hits, struct mem_arena *arena, struct mem_str hit)
{
	struct mem_hit_row row;
	mem_hit_row_read(&row, hits, arena, hit);
	mem_grid_cell(g, mem_str(mem_arena_printf(arena, "%lld", (long long)row.rank)));
	mem_grid_cell(g, isnan(row.score) ? MEM_STR("-") : mem_str(mem_arena_printf(arena, "%.2f", row.score)));
	mem_grid_time_text(g, row.when);
	mem_grid_cell(g, row.who);
	struct mem_txn *t = begin_id_cells(searcher.index.store);
	put_id_cell(g, t, row.id);
	mem_txn_end(t);
	mem_grid_cell_at(g, row.text, row.focus);
}

/* In messages about one of many queries: "line 3: ". */
static char query_label[32];

static void
print_hits(struct mem_hits *hits)
{
	static const struct mem_column columns[] = {
		{ .name = "RANK", .leave_out = 2 }, { .name = "SCORE", .right = true, .leave_out = 3 },
		{ .name = "WHEN", .leave_out = 5 }, { .name = "WHO", .min = 5, .leave_out = 4 }, { .name = "ID", .leave_out = 1 }, { .name = "WHAT", .min = 20, .want = 40 }, { 0 }
	};
	struct mem_grid grid = { 0 };
	struct mem_arena arena = { 0 };
	struct mem_str hit;
	struct mem_err err;
	enum mem_status st;
	bool text = mem_text_wanted(c.format);
	warn_of_fallback(hits);
	if (mem_hits_words_cut(hits) > 0)
		mem_warn("%stoo many words: kept the %d rarest, left out %zu", query_label, MEM_QUERY_WORDS_MAX, mem_hits_words_cut(hits));
	if (mem_hits_notes(hits)->query_cut)
		mem_warn("%sthe query is longer than the model reads: its end was left out of the search by meaning", query_label);
	if (text)
		mem_grid_begin(&grid, columns);
	while ((st = mem_hits_next(hits, &hit, &err)) == MEM_OK && mem_out_ok()) {
		if (text)
			add_hit_row(&grid, hits, &arena, hit);
		else
			mem_out_line(hit);
		mem_arena_reset(&arena);
	}
	mem_arena_release(&arena);
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_grid_end(&grid);
	mem_hits_free(hits);
}

static enum mem_status
answer_query_line(void *ctx, const struct mem_line *line)
{
	struct mem_hits *hits;
	struct mem_buf end = { 0 };
	struct mem_err err;
	snprintf(query_label, sizeof query_label, "line %llu: ", (unsigned long long)line->number);
	enum mem_status st = mem_search_query_line(&hits, &end, ctx, &options, line, &err);
	if (st == MEM_OK)
		print_hits(hits);
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
	print_hits(hits);
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
