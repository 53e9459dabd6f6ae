/* SPDX-License-Identifier: Apache-2.0 */
/* mem-capture: events in, episodes kept, a receipt for each; then their vectors. */
#include "capture/capture.h"
#include "cli/cli.h"
#include "model/model.h"
#include "upkeep/upkeep.h"

enum { LOCK_STEP_MS = 100, COMMIT_NODES = 64 };

/* Another run may be at it: half of the time is given to wait for it. */
static enum mem_status
lock_maintenance(struct mem_store *s, int64_t until, struct mem_err *err)
{
	enum mem_status st;
	do
		st = mem_store_lock(s, MEM_LOCK_MAINTENANCE, LOCK_STEP_MS, err);
	while (st == MEM_BUSY && mem_clock_ms() < until && !mem_interrupted());
	return st;
}

/* For at most embed.seconds; what was done stays done.  *left: how many still wait. */
static enum mem_status
embed_kept(const struct mem_store_options *store, const struct mem_write_total *total, uint64_t *left, struct mem_err *err)
{
	struct mem_index m = { 0 };
	struct mem_pending_done done = { .left = total->waiting };
	enum mem_status st = mem_index_open(&m, store, err);
	int64_t ms = st == MEM_OK ? 1000 * mem_conf_int(mem_store_conf(m.store), "embed.seconds") : 0, began = mem_clock_ms();
	const struct mem_pending_options options = { .stop_fd = mem_interrupt_fd(), .progress = mem_progress,
		.ctx = (void *)(uintptr_t)"embedding", .first = total->first, .last = total->last, .until = began + ms,
		.commit_nodes = COMMIT_NODES };
	if (st == MEM_OK && ms > 0)
		st = lock_maintenance(m.store, began + ms / 2, err);
	if (st == MEM_OK && ms > 0)
		st = mem_pending_run(&m, &options, &done, err);
	mem_progress_end();
	mem_index_close(&m);
	*left = done.left < total->waiting ? done.left : total->waiting;
	return st;
}

/*
 * Episodes that got no vector before they were stored.  Whoever reads the receipts does not wait for this.  Not `now`
 * under a given present: then the same input gives the same bytes, however fast the machine is.
 */
static void
finish_vectors(const struct mem_store_options *store, const struct mem_write_total *total, bool now)
{
	struct mem_err err = total->unembedded;
	enum mem_status st = err.status;
	uint64_t left = total->waiting;
	if (now && st == MEM_OK && left > 0) {
		mem_out_close();
		st = embed_kept(store, total, &left, &err);
	}
	if (!mem_warn_unembedded(st, err.msg) && left > 0)
		mem_notice("%llu of %llu wait for vectors: %s", (unsigned long long)left, (unsigned long long)total->stored,
		    st == MEM_ABSENT ? err.msg : "mem-maintain makes them");
}

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
	struct mem_receipts receipts = { 0 };
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
