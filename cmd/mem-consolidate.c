/* SPDX-License-Identifier: Apache-2.0 */
/* mem-consolidate: episodes become facts, entities and notes. */
#include "belief/consolidate.h"
#include "cli/cli.h"
#include "dedupe_output.h"
#include "embed_waiting.h"
#include "finish_vectors.h"
#include "model/model.h"
#include "words/words.h"

/* At a terminal: "312 episodes: 40 new facts, 7 known again, 1 note, 2 links; 250 said nothing, 0 failed". */
static void
sum_up_run(const struct mem_consolidate_done *d)
{
	uint64_t episodes = d->episodes + d->failed;
	mem_notice("%llu episode%s: %llu new fact%s, %llu known again, %llu note%s, %llu link%s; %llu said nothing, %llu failed",
	    (unsigned long long)episodes, episodes == 1 ? "" : "s", (unsigned long long)d->facts, d->facts == 1 ? "" : "s",
	    (unsigned long long)d->restated, (unsigned long long)d->notes, d->notes == 1 ? "" : "s",
	    (unsigned long long)d->links, d->links == 1 ? "" : "s", (unsigned long long)d->silent, (unsigned long long)d->failed);
}

/* Another process that does all of it does this run's work, too. */
static enum mem_status
judge_busy(const struct mem_consolidate_options *o, const struct mem_err *err)
{
	bool other_does_it = o->session == NULL && o->since == MEM_TIME_MIN && !o->retry_failed && !o->dry_run && o->with == NULL && o->nrules == 0;
	if (!other_does_it) {
		mem_warn("%s", err->msg);
		return MEM_BUSY;
	}
	mem_notice("another process is at it: %s", err->msg);
	return MEM_OK;
}

/* Of facts, entities and notes.  Under a given present the same input gives the same bytes: then few are made at once, or none. */
static void
embed_derived(const struct mem_store_options *store, const struct mem_consolidate_done *d)
{
	const struct mem_write_total total = { .stored = d->waiting, .waiting = d->waiting, .first = d->first, .last = d->last };
	if (store->now == MEM_TIME_NONE)
		finish_vectors(store, &total, !mem_interrupted());
	else
		embed_waiting_nodes(store, d->waiting, d->first, d->last);
}

/* New notes are linked once they have vectors; what is not done now the next run does. */
static enum mem_status
link_notes(const struct mem_store_options *store, const struct mem_consolidate_options *o, struct mem_consolidate_done *d, struct mem_err *err)
{
	struct mem_index m = { 0 };
	enum mem_status st = mem_index_open(&m, store, err);
	if (st == MEM_OK)
		st = mem_consolidate_notes(&m, o, d, err);
	mem_index_close(&m);
	return st == MEM_BUSY ? MEM_OK : st;
}

static enum mem_status
consolidate_store(const struct mem_store_options *store, const struct mem_consolidate_options *o, struct mem_receipts *receipts)
{
	struct mem_index m = { 0 };
	struct mem_consolidate_done done = { 0 };
	struct mem_err err;
	enum mem_status st = mem_index_open(&m, store, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	st = mem_consolidate_run(&m, o, mem_receipts_print, receipts, &done, &err);
	mem_progress_end();
	mem_index_close(&m);
	if (st == MEM_BUSY)
		return judge_busy(o, &err);
	const bool embeds = o->similar && !o->dry_run && (st == MEM_OK || st == MEM_REFUSED);
	if (embeds)
		embed_derived(store, &done);
	enum mem_status linked = embeds && done.notes > 0 ? link_notes(store, o, &done, &err) : MEM_OK;
	if (linked != MEM_OK)
		st = linked;
	if (st != MEM_OK && st != MEM_REFUSED)
		mem_warn("%s", err.msg);
	if (!receipts->quiet)
		sum_up_run(&done);
	return st;
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_consolidate_options o = { 0 };
	struct mem_receipts receipts = { 0 };
	struct mem_words rules = { 0 };
	bool no_embed = false, dedupe = false, undo = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c), MEM_OPT_NS(c), MEM_OPT_SINCE(c),
		{ 0, "session", "ID", "only the episodes of this session", .str = &o.session },
		{ 'n', "limit", "N", "take at most N episodes", .num = &c.limit, .min = 1 },
		{ 0, "rules", "FILE", "also use the rules in FILE", .words = &rules },
		{ 0, "with", "CMD", "also take the claims that CMD finds", .str = &o.with },
		{ 0, "retry-failed", NULL, "try again what has failed for good", .flag = &o.retry_failed },
		{ 0, "no-embed", NULL, "take names as they are written, and leave vectors to mem-maintain", .flag = &no_embed },
		{ 0, "dedupe", NULL, "merge repeats among what is there, and do nothing else", .flag = &dedupe },
		{ 0, "undo", NULL, "of --dedupe: take back what merged these nodes", .flag = &undo },
		MEM_OPT_WAIT(c), MEM_OPT_FORMAT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-consolidate [OPTION...] [-q] [--dry-run] [-n N]\n"
	    "mem-consolidate [OPTION...] [-q] [--dry-run] [--ns NS] [-n N] --dedupe [--undo ID...]",
	    "turn what was captured into facts, entities and notes");
	if (undo && (!dedupe || argc == 0))
		mem_die(MEM_USAGE, "--undo: with --dedupe and the ids of nodes that were merged");
	if (dedupe && (o.session != NULL || o.with != NULL || o.retry_failed || rules.n > 0 || c.since != MEM_TIME_MIN))
		mem_die(MEM_USAGE, "--session, --since, --rules, --with, --retry-failed: not with --dedupe, which looks at no episodes");
	if (argc > 0 && !undo)
		mem_die(MEM_USAGE, "no operand expected: '%s'", argv[0]);
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	o.ns = c.ns.v, o.nns = c.ns.n, o.rules = rules.v, o.nrules = rules.n;
	o.since = c.since, o.limit = c.limit, o.dry_run = c.dry_run, o.similar = !no_embed, o.wait_ms = c.wait;
	o.stop_fd = mem_interrupt_fd(), o.progress = mem_progress, o.progress_ctx = (void *)(uintptr_t)"consolidating", o.tell = mem_warn_message;
	receipts.quiet = c.quiet, receipts.format = c.format;
	const struct mem_store_options store = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	const struct mem_dedupe_options repeats = { .via = "mem-consolidate", .ns = c.ns.v, .nns = c.ns.n, .max = c.limit, .again = true,
		.dry_run = c.dry_run, .stop_fd = o.stop_fd, .progress = mem_progress, .pctx = (void *)(uintptr_t)"looking for repeats" };
	return mem_finish(dedupe ? dedupe_store(&store, &repeats, c.wait, &receipts, argc, argv) : consolidate_store(&store, &o, &receipts));
}
