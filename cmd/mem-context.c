/* SPDX-License-Identifier: Apache-2.0 */
/* mem-context: the block for a prompt. */
#include <stdlib.h>

#include "cli/cli.h"
#include "prompt/context.h"
#include "run_stage.h"
#include "search_filters.h"
#include "search_output.h"
#include "tokenizer.h"
#include "transcript_turns.h"
#include "write/touch.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_search_options options = MEM_SEARCH_OPTIONS_INIT;
static struct mem_filter filter;
static struct mem_filter_options named;
static struct mem_pipeline pipeline;
static struct mem_searcher searcher;
static bool unread;
static const char *stages, *transcript;
static int64_t tokens, turns = 2;
static int format = MEM_RENDER_FENCE, from, mode = -1;
static const char *const formats[] = { "fence", "markdown", "plain", "json", NULL };
static const char *const modes[] = { "keyword", "vector", "hybrid", NULL };
static const struct mem_opt opts[] = {
	MEM_OPT_STORE(c),
	{ 0, "tokens", "N", "at most N tokens, as the encoder counts them; core blocks are never left out", .num = &tokens, .min = 1 },
	{ 'n', "limit", "N", "at most N memories beside the core blocks", .num = &c.limit, .min = 1 },
	{ 0, "transcript", "FILE", "ask for what the last turns of a transcript are about", .str = &transcript },
	{ 0, "from", "FORMAT", "of which agent it is", .choice = &from, .choices = mem_adapt_formats },
	{ 0, "turns", "N", "how many of its turns", .num = &turns, .min = 1, .max = 100 },
	{ 'm', "mode", "MODE", "search by words (keyword), by meaning (vector) or by both (hybrid)", .choice = &mode, .choices = modes },
	MEM_OPT_FILTERS(c, named),
	{ 0, "stages", "LIST", "these stages, in this order, between commas", .str = &stages },
	{ 0, "format", "FORMAT", "fence, markdown, plain or json", .choice = &format, .choices = formats },
	{ 0, "no-touch", NULL, "do not count that the memories were read", .flag = &unread },
	MEM_OPT_AGENT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
};

static void
read_question(struct mem_buf *text, int argc, char **argv)
{
	if (transcript != NULL)
		read_transcript_turns(text, transcript, mem_adapt_formats[from], (size_t)turns);
	else if (argc > 0)
		read_query_text(text, argc, argv);
	options.query = mem_buf_span(text);
}

static void
open_searcher(void)
{
	struct mem_err err;
	const struct mem_store_options where = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	read_search_filters(&filter, &named, &c);
	if (mem_kind_set_empty(&filter.kinds)) /* core blocks are there anyway */
		filter.kinds = mem_kind_set_without(mem_kinds_searched(), mem_kind_set_of(MEM_KIND_CORE));
	options.filter = &filter, options.limit = c.limit, options.mode = (enum mem_search_mode)(mode + 1), options.plain = true;
	read_stage_option(&pipeline, stages);
	if (mem_searcher_open(&searcher, &where, &err) != MEM_OK)
		mem_die_err(&err);
	choose_stages(&pipeline, &options, mem_store_conf(searcher.index.store), stages != NULL, false);
	if (pipeline.unranked)
		mem_die(MEM_USAGE, "--stages: what is not ranked cannot be chosen from");
}

/* Once it is printed, and by another process: whoever reads it does not wait. */
static void
count_reads(const struct mem_context *context)
{
	struct mem_err err;
	if (context->nshown == 0 || unread)
		return;
	mem_out_close();
	if (mem_touch_start(searcher.index.store, context->shown, context->nshown, &err) != MEM_OK)
		mem_warn("the reads are not counted: %s", err.msg);
}

static void
print_context(void)
{
	struct mem_context context;
	struct mem_err err;
	struct mem_tokenizer *tokenizer = tokens > 0 ? load_tokenizer(mem_store_conf(searcher.index.store)) : NULL;
	const struct mem_context_options o = { .search = &options, .pipeline = &pipeline, .tell = warn_of_stage,
		.render = { .format = (enum mem_render_format)format, .tokens = (size_t)tokens, .tokenizer = tokenizer } };
	if (mem_context_make(&context, &searcher, &o, &err) != MEM_OK)
		mem_die_err(&err);
	if (format == MEM_RENDER_JSON)
		print_stage_output(&context.block, false);
	else
		mem_out_str(mem_buf_span(&context.block));
	count_reads(&context);
	mem_context_release(&context);
	mem_tokenizer_close(tokenizer);
}

int
main(int argc, char **argv)
{
	struct mem_buf question = { 0 };
	c.limit = 10;
	mem_opts(&argc, &argv, opts, "mem-context [OPTION...] [QUERY...]\n"
	    "mem-context [OPTION...] --transcript FILE [--from FORMAT] [--turns N]",
	    "make the block for a prompt: core blocks, and what a question asks for");
	if (transcript != NULL && argc > 0)
		mem_die(MEM_USAGE, "--transcript stands in for QUERY");
	read_question(&question, argc, argv);
	open_searcher();
	print_context();
	mem_searcher_close(&searcher);
	mem_filter_release(&filter);
	mem_buf_release(&question);
	return mem_finish(MEM_OK);
}
