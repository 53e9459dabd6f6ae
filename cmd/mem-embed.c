/* SPDX-License-Identifier: Apache-2.0 */
/* mem-embed: texts and records to vectors. */
#include "cli/cli.h"
#include "model/model.h"
#include "embed/embed_lines.h"
#include "upkeep/upkeep.h"

#include <string.h>

static const char *const forms[] = { "json", "base64", "f32", NULL };

static enum mem_status
print_vectors(struct mem_embedder *e, bool lines, struct mem_err *err)
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
embed_input_lines(struct mem_embedder *e, int argc, char **argv, int64_t limit, bool lines)
{
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	enum mem_status st = MEM_OK, worst = MEM_OK;
	mem_input_init(&in, argc, argv);
	for (int64_t n = 0; (limit == 0 || n < limit) && (st == MEM_OK || st == MEM_REFUSED) && mem_input_next(&in, &line);) {
		st = mem_embedder_add(e, &line, &err);
		if (st == MEM_REFUSED)
			mem_input_refused(&in, &line, &err);
		worst = mem_status_worse(worst, st);
		n += st == MEM_OK;
		/* What waits for more input must not wait for more texts. */
		if ((st == MEM_OK || st == MEM_REFUSED) && (mem_embedder_full(e) || !mem_input_ready(&in, 0)))
			st = print_vectors(e, lines, &err);
	}
	if (st == MEM_OK || st == MEM_REFUSED)
		st = print_vectors(e, lines, &err);
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	return mem_status_worse(mem_status_worse(worst, st), mem_input_status(&in));
}

static enum mem_status
embed_pending_nodes(const struct mem_common *c, const char *model, bool rebuild, bool verbose)
{
	struct mem_pending_options options = { .model = model, .max = c->limit, .stop_fd = mem_interrupt_fd(),
		.progress = mem_progress, .ctx = (void *)(uintptr_t)"embedding" };
	struct mem_store_options store = { .dir = c->store, .agent = c->agent, .write = true, .wait_ms = c->wait, .now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_pending_done done = { 0 };
	struct mem_index m = { 0 };
	struct mem_err err;
	enum mem_status st = mem_index_open_any(&m, &store, &err);
	if (st == MEM_OK)
		st = mem_store_lock(m.store, MEM_LOCK_MAINTENANCE, c->wait >= 0 ? c->wait : 0, &err);
	bool begun = st == MEM_OK;
	if (begun)
		st = (rebuild ? mem_rebuild_run : mem_pending_run)(&m, &options, &done, &err);
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	/* How much there was tells of what all agents wrote. */
	bool may_tell = begun && mem_store_principal(m.store)->is_operator;
	if (!verbose && may_tell && st != MEM_ABSENT) /* without an encoder nothing was begun */
		mem_notice("%llu got their vectors (near duplicates: %llu), %llu wait for theirs", (unsigned long long)done.embedded,
		    (unsigned long long)done.near, (unsigned long long)done.left);
	else if (!verbose && st == MEM_OK)
		mem_notice("done");
	if (verbose && may_tell)
		mem_out_printf("{\"embedded\":%llu,\"near_duplicates\":%llu,\"pending\":%llu}\n", (unsigned long long)done.embedded,
		    (unsigned long long)done.near, (unsigned long long)done.left);
	mem_index_close(&m);
	return st == MEM_ABSENT ? MEM_FAIL : st;
}

static enum mem_status
embed_files(int argc, char **argv, const struct mem_common *c, const struct mem_embed_options *options)
{
	struct mem_conf *conf = NULL;
	struct mem_err err;
	enum mem_status st = options->model == NULL ? mem_store_settings(&conf, c->store, &err) : mem_conf_load(&conf, -1, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	struct mem_embedder *e = mem_embedder_new(conf, options);
	st = embed_input_lines(e, argc, argv, c->limit, options->form != MEM_EMBED_F32);
	mem_embedder_free(e);
	mem_conf_free(conf);
	return st;
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_embed_options options = { 0 };
	bool pending = false, rebuild = false, verbose = false, query = false;
	int form = -1;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_LIMIT(c),
		{ 0, "model", "NAME", "use this model, or the model in this file", .str = &options.model },
		{ 0, "query", NULL, "the texts are questions", .flag = &query },
		{ 0, "format", "FORMAT", "json, base64 or f32", .choice = &form, .choices = forms },
		{ 0, "ids", NULL, "add the ids of the tokens", .flag = &options.ids },
		{ 0, "pending", NULL, "give the store's nodes the vectors they wait for", .flag = &pending },
		{ 0, "rebuild", NULL, "change the store over to another model", .flag = &rebuild },
		{ 'v', "verbose", NULL, "with --pending or --rebuild: say what was done", .flag = &verbose },
		MEM_OPT_AGENT(c), MEM_OPT_WAIT(c), MEM_OPT_NOW,
		MEM_OPT_END
	};
	mem_link_blas();
	mem_opts(&argc, &argv, opts,
	    "mem-embed [-S DIR] [-n N] [--model NAME] [--query] [--format FORMAT] [--ids] [FILE...]\n"
	    "mem-embed --pending | --rebuild [-v] [-S DIR] [-n N] [--model NAME] [--agent ID] [--wait TIME] [--now TIME]",
	    "turn texts into vectors");
	pending |= rebuild;
	if (pending && (query || form >= 0 || options.ids || argc > 0))
		mem_die(MEM_USAGE, "--pending and --rebuild embed what the store holds: no FILE, --query, --format or --ids");
	if (!pending && (verbose || c.agent != NULL || c.wait >= 0))
		mem_die(MEM_USAGE, "-v, --agent and --wait go with --pending or --rebuild");
	if (form == MEM_EMBED_F32 && options.ids)
		mem_die(MEM_USAGE, "--ids: rows of numbers have no place for them");
	options.as = query ? MEM_AS_QUERY : MEM_AS_TEXT;
	options.form = form >= 0 ? (enum mem_embed_form)form : MEM_EMBED_JSON;
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	return mem_finish(pending ? embed_pending_nodes(&c, options.model, rebuild, verbose) : embed_files(argc, argv, &c, &options));
}
