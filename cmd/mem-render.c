/* SPDX-License-Identifier: Apache-2.0 */
/* mem-render: hits to a block for a prompt. */
#include <string.h>

#include "cli/cli.h"
#include "model/model.h"
#include "stage/render.h"
#include "token/token.h"

static const char *const formats[] = { "fence", "markdown", "plain", "json", NULL };

static enum mem_status
add(struct mem_render *r, const struct mem_line *line, struct mem_err *err)
{
	if (line->too_long)
		return mem_err_record(err, "too_long", line->text.n, "a line of over 16 MiB");
	return mem_render_add(r, line->text, err);
}

/* That of the encoder, which the person's settings name; NULL: there is none, and the estimate serves. */
static struct mem_tokenizer *
load_tokenizer(void)
{
	struct mem_conf *conf = NULL;
	struct mem_tokenizer *t;
	struct mem_err err;
	if (mem_conf_load(&conf, -1, &err) != MEM_OK)
		mem_die_err(&err);
	if (mem_tokenizer_load(&t, conf, &err) > MEM_NONE)
		mem_warn("%s; tokens are estimated", err.msg);
	mem_conf_free(conf);
	return t;
}

/* Lines of JSON are shown as other filters show them; a block is clean already. */
static void
print(struct mem_str block, bool json)
{
	while (json && block.n > 0) {
		size_t n = (size_t)((const char *)memchr(block.p, '\n', block.n) - block.p);
		mem_out_line((struct mem_str){ block.p, n });
		block.p += n + 1;
		block.n -= n + 1;
	}
	mem_out_str(block);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	int64_t tokens = 0;
	int format = MEM_RENDER_FENCE;
	const struct mem_opt opts[] = {
		MEM_OPT_LIMIT(c),
		{ 0, "tokens", "N", "print at most N tokens, as the encoder counts them", .num = &tokens, .min = 1 },
		{ 0, "format", "FORMAT", "fence, markdown, plain or json (default: fence)", .choice = &format, .choices = formats },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-render [-n N] [--tokens N] [--format FORMAT] [FILE...]",
	    "turn hits into a fenced block for a prompt");

	struct mem_tokenizer *tokenizer = tokens > 0 ? load_tokenizer() : NULL;
	struct mem_render_opts o = { (enum mem_render_format)format, (size_t)c.limit, (size_t)tokens, tokenizer };
	struct mem_render *r = mem_render_new(&o);
	enum mem_status status = MEM_OK;
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	mem_input_init(&in, argc, argv);
	while (mem_input_next(&in, &line)) {
		if (add(r, &line, &err) != MEM_OK) {
			mem_input_refused(&in, &line, &err);
			status = MEM_NONE;
		} else if (mem_render_streams(r)) {
			mem_out_line(line.text);
		}
	}
	struct mem_buf block = { 0 };
	mem_render_write(r, &block);
	print(mem_buf_span(&block), format == MEM_RENDER_JSON);
	mem_buf_release(&block);
	mem_render_free(r);
	mem_tokenizer_close(tokenizer);
	return mem_finish(mem_status_worse(status, mem_input_status(&in)));
}
