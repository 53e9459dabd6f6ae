/* SPDX-License-Identifier: Apache-2.0 */
/* mem-render: hits to a block for a prompt. */
#include "cli/cli.h"
#include "run_stage.h"
#include "stage/render.h"
#include "tokenizer.h"

static const char *const formats[] = { "fence", "markdown", "plain", "json", NULL };
static const char *const orders[] = { "auto", "id", "rank", NULL };

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	int64_t tokens = 0;
	int format = MEM_RENDER_FENCE, order = MEM_RENDER_ORDER_AUTO;
	bool whole = false, summary = false;
	const struct mem_opt opts[] = {
		MEM_OPT_LIMIT(c),
		{ 0, "tokens", "N", "print at most N tokens, as the encoder counts them", .num = &tokens, .min = 1 },
		{ 0, "format", "FORMAT", "fence, markdown, plain or json", .choice = &format, .choices = formats },
		{ 0, "order", "ORDER", "print by id or by rank; auto: by id, json as the input", .choice = &order, .choices = orders },
		{ 0, "whole", NULL, "print long texts whole, not the passage that answers", .flag = &whole },
		{ 0, "summary", NULL, "say first how many hits are shown, of how many, and how they were found", .flag = &summary },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-render [-n N] [--tokens N] [--format FORMAT] [--order ORDER] [--whole] [--summary] [FILE...]",
	    "turn hits into a fenced block for a prompt");

	struct mem_conf *conf = tokens > 0 ? load_person_settings() : NULL;
	struct mem_tokenizer *tokenizer = tokens > 0 ? load_tokenizer(conf) : NULL;
	mem_conf_free(conf);
	const struct mem_render_options o = { .format = (enum mem_render_format)format, .limit = (size_t)c.limit, .tokens = (size_t)tokens,
		.tokenizer = tokenizer, .whole = whole, .order = (enum mem_render_order)order, .summary = summary };
	if (summary && format == MEM_RENDER_JSON)
		mem_die(MEM_USAGE, "--summary is for a block, not for --format json");
	enum mem_status status = run_stage(&mem_stage_render, &o, argc, argv);
	mem_tokenizer_close(tokenizer);
	return mem_finish(status);
}
