/* SPDX-License-Identifier: Apache-2.0 */
/* mem-capture: events in, episodes kept, a receipt for each; then their vectors. */
#include "capture/capture.h"
#include "cli/cli.h"
#include "finish_vectors.h"
#include "model/model.h"

static void
choose_one(const char *names, bool a, bool b)
{
	if (a && b)
		mem_die(MEM_USAGE, "%s exclude each other", names);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_capture_options options = { .stop_fd = -1 };
	struct mem_words tags = { 0 };
	struct mem_receipts receipts = { .captures = true };
	bool lines = false, whole = false, embed = false, no_embed = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_WAIT(c), MEM_OPT_NOW,
		{ 0, "lines", NULL, "every line is a text", .flag = &lines },
		{ 0, "whole", NULL, "the whole input is one text", .flag = &whole },
		{ 0, "ns", "NS", "write to NS where an event names none", .str = &options.ns },
		{ 0, "session", "ID", "the session of events that name none", .str = &options.session },
		{ 0, "speaker", "NAME", "the speaker of events that name none", .str = &options.speaker },
		{ 0, "role", "ROLE", "the role of events that name none: user, assistant, tool or event", .str = &options.role },
		{ 0, "tag", "TAG", "tag events that have no tags", .words = &tags, .commas = true },
		{ 0, "redact", "GROUPS", "what to redact: secrets, personal, network, or all", .str = &options.redact },
		{ 0, "markers", "MODE", "injected instructions: excise, flag or strict", .str = &options.markers },
		{ 0, "commit-every", "N", "commit after N lines", .num = &options.commit_every, .min = 1, .max = 65536 },
		{ 0, "embed", NULL, "make all vectors, before anything is stored", .flag = &embed },
		{ 0, "no-embed", NULL, "leave vectors to mem-maintain", .flag = &no_embed },
		{ 0, "max-bytes", "N", "refuse content longer than N bytes", .num = &options.max_bytes, .min = 1, .max = MEM_LINE_MAX },
		MEM_OPT_FORMAT(c), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-capture [-q] [-S DIR] [--lines | --whole] [OPTION...] < EVENTS", "keep events as memories");
	if (argc > 0)
		mem_die(MEM_USAGE, "events are read from standard input: unexpected operand '%s'", argv[0]);
	choose_one("--lines and --whole", lines, whole);
	choose_one("--embed and --no-embed", embed, no_embed);
	options.embed = embed ? MEM_WRITE_EMBED_ALL : no_embed ? MEM_WRITE_EMBED_NONE : MEM_WRITE_EMBED_FEW;
	options.form = lines ? MEM_CAPTURE_LINES : whole ? MEM_CAPTURE_WHOLE : MEM_CAPTURE_EVENTS;
	options.tags = tags.v, options.ntags = tags.n;
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	options.stop_fd = mem_interrupt_fd();
	struct mem_store_options store = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_write_total total;
	struct mem_err err;
	receipts.quiet = c.quiet, receipts.format = c.format;
	enum mem_status st = mem_capture_run(&store, &options, 0, mem_receipts_print, &receipts, &total, &err);
	if (st == MEM_OK || st == MEM_REFUSED || receipts.lines > 0) /* of a store that did not open there is no sum */
		mem_receipts_sum_up(&receipts);
	bool done = st == MEM_OK || st == MEM_REFUSED;
	if (!done && mem_out_ok())
		mem_warn("%s", err.msg);
	finish_vectors(&store, &total, done && options.embed == MEM_WRITE_EMBED_FEW && store.now == MEM_TIME_NONE && !mem_interrupted());
	return mem_finish(st);
}
