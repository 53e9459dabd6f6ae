/* SPDX-License-Identifier: Apache-2.0 */
/* mem-embed: texts and records to vectors. */
#include "cli/cli.h"
#include "memory/embed.h"
#include "store/store.h"

#include <string.h>

static const char *const forms[] = { "json", "base64", "f32", NULL };

static enum mem_status
put(struct mem_embedder *e, bool lines, struct mem_err *err)
{
	struct mem_buf out = { 0 };
	enum mem_status st = mem_embedder_write(e, &out, err);
	struct mem_str rest = mem_buf_span(&out);
	while (lines && rest.n > 0) {
		size_t n = (size_t)((const char *)memchr(rest.p, '\n', rest.n) - rest.p);
		mem_out_line((struct mem_str){ rest.p, n });
		rest.p += n + 1;
		rest.n -= n + 1;
	}
	mem_out_str(rest);
	mem_buf_release(&out);
	return st;
}

static enum mem_status
embed_lines(struct mem_embedder *e, int argc, char **argv, int64_t limit, bool lines)
{
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	enum mem_status st = MEM_OK, worst = MEM_OK;
	mem_input_init(&in, argc, argv);
	for (int64_t n = 0; (limit == 0 || n < limit) && st <= MEM_NONE && mem_input_next(&in, &line);) {
		st = mem_embedder_add(e, &line, &err);
		if (st == MEM_NONE)
			mem_input_refused(&in, &line, &err);
		worst = mem_status_worse(worst, st);
		n += st == MEM_OK;
		/* What waits for more input must not wait for more texts. */
		if (st <= MEM_NONE && (mem_embedder_full(e) || !mem_input_ready(&in, 0)))
			st = put(e, lines, &err);
	}
	if (st <= MEM_NONE)
		st = put(e, lines, &err);
	if (st > MEM_NONE)
		mem_warn("%s", err.msg);
	return mem_status_worse(mem_status_worse(worst, st), mem_input_status(&in));
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_embed_ask ask = { 0 };
	bool query = false;
	int form = MEM_EMBED_JSON;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_LIMIT(c),
		{ 0, "model", "NAME", "use this model, or the model in this file", .str = &ask.model },
		{ 0, "query", NULL, "the texts are questions", .flag = &query },
		{ 0, "format", "FORMAT", "json, base64 or f32 (default: json)", .choice = &form, .choices = forms },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-embed [-S DIR] [-n N] [--model NAME] [--query] [--format FORMAT] [FILE...]",
	    "turn texts into vectors");
	ask.as = query ? MEM_AS_QUERY : MEM_AS_TEXT;
	ask.form = (enum mem_embed_form)form;

	mem_model_libraries();
	struct mem_conf *conf = NULL;
	struct mem_err err;
	enum mem_status st = ask.model == NULL ? mem_store_settings(&conf, c.store, &err) : mem_conf_load(&conf, -1, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	mem_interrupt_catch();
	struct mem_embedder *e = mem_embedder_new(conf, &ask);
	st = embed_lines(e, argc, argv, c.limit, ask.form != MEM_EMBED_F32);
	mem_embedder_free(e);
	mem_conf_free(conf);
	return mem_finish(st);
}
