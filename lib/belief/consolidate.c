/* SPDX-License-Identifier: Apache-2.0 */
/* A run of consolidation, from the lock to the notes. */
#include "belief/consolidate_int.h"

#include <poll.h>
#include <stdlib.h>

#include "belief/note.h"
#include "conf/conf.h"

enum { MARK_LAG = 1024 };   /* nodes behind the mark that are no episodes: so many are looked at again rather than written down */

/* ---- beginning ------------------------------------------------------------- */

static enum mem_status
load_run_rules(struct consolidate_run *r, struct mem_err *err)
{
	const struct mem_belief_options o = { .conf = mem_store_conf(r->store), .dirfd = mem_store_folder(r->store),
		.files = r->o.rules, .nfiles = r->o.nrules, .warn = r->o.tell, .ctx = r->o.tell_ctx };
	return mem_belief_rules_load(&r->rules, &o, err);
}

/* What only a run that has something to do needs. */
static enum mem_status
prepare_batches(struct consolidate_run *r, struct mem_err *err)
{
	const struct mem_entities_options entities = { .similar = r->o.similar };
	if (r->ledger != NULL)
		return MEM_OK;
	r->v = mem_xcalloc(MEM_CONSOLIDATE_BATCH, sizeof *r->v);
	enum mem_status st = r->rules == NULL ? load_run_rules(r, err) : MEM_OK;
	if (st == MEM_OK)
		st = mem_writer_sanitise(r->writer, NULL, NULL, err);
	if (st == MEM_OK && r->with != NULL)
		st = mem_write_cleaner(&r->clean, r->store, NULL, NULL, err);
	if (st == MEM_OK)
		st = mem_entities_new(&r->entities, r->writer, &entities, err);
	return st == MEM_OK ? mem_ledger_new(&r->ledger, r->writer, r->entities, r->rules, err) : st;
}

static void
begin_run(struct consolidate_run *r, struct mem_index *m)
{
	const struct mem_write_options writing = { .via = "mem-consolidate", .dry_run = r->o.dry_run };
	r->writer = mem_writer_new(m, &writing);
	r->store = mem_writer_store(r->writer);
	const struct mem_conf *conf = mem_store_conf(r->store);
	const struct mem_str set = mem_conf_str(conf, "consolidate.with");
	r->with = r->o.with != NULL ? r->o.with : set.n > 0 ? set.p : NULL;
	r->with_ms = 1000 * mem_conf_int(conf, "consolidate.with_seconds");
	r->keeps_mark = r->o.session != NULL || r->o.since != MEM_TIME_MIN;
}

static void
end_consolidation(struct consolidate_run *r)
{
	mem_ledger_free(r->ledger);
	mem_entities_free(r->entities);
	mem_belief_rules_free(r->rules);
	mem_writer_free(r->writer);
	mem_clean_free(r->clean);
	for (size_t i = 0; r->v != NULL && i < MEM_CONSOLIDATE_BATCH; i++)
		mem_claims_release(&r->v[i].claims);
	free(r->v);
	free(r->ords);
	consolidate_scan_release(&r->scan);
	consolidate_mark_release(&r->mark);
	consolidate_mark_release(&r->planned);
	mem_rec_release(&r->rec);
	mem_arena_release(&r->arena);
}

/* ---- batches ---------------------------------------------------------------- */

static bool
is_stopped(const struct consolidate_run *r)
{
	struct pollfd p = { .fd = r->o.stop_fd, .events = POLLIN };
	return r->o.stop_fd >= 0 && poll(&p, 1, 0) > 0;
}

static size_t
batch_size(const struct consolidate_run *r)
{
	const uint64_t left = r->o.limit > 0 ? (uint64_t)r->o.limit - r->line : MEM_CONSOLIDATE_BATCH;
	return left < MEM_CONSOLIDATE_BATCH ? (size_t)left : MEM_CONSOLIDATE_BATCH;
}

static enum mem_status
consolidate_batches(struct consolidate_run *r, struct mem_err *err)
{
	uint32_t ords[MEM_CONSOLIDATE_BATCH];
	size_t n = 0;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && batch_size(r) > 0 && !is_stopped(r)) {
		st = consolidate_pick(r, batch_size(r), ords, &n, err);
		if (st != MEM_OK || n == 0)
			break;
		st = prepare_batches(r, err);
		if (st == MEM_OK)
			st = consolidate_read(r, ords, n, err);
		if (st == MEM_OK)
			st = consolidate_write(r, err);
		if (r->o.progress != NULL)
			r->o.progress(r->o.progress_ctx, r->line, 0);
	}
	return st;
}

static enum mem_status
choose_episodes(struct consolidate_run *r, struct mem_err *err)
{
	enum mem_status st = consolidate_pick_ns(r, err);
	if (st == MEM_OK && r->o.session != NULL)
		st = consolidate_pick_session(r, err);
	else if (st == MEM_OK && !r->keeps_mark)
		st = consolidate_pick_failures(r, err);
	return st;
}

/* ---- ending ------------------------------------------------------------------ */

static enum mem_status
make_notes(struct consolidate_run *r, struct mem_err *err)
{
	const struct mem_note_scope scope = { .ns = r->scan.ns, .nns = r->scan.nns, .stop_fd = r->o.stop_fd, .total = &r->total };
	struct mem_note_done notes;
	enum mem_status st = mem_notes_make(r->writer, &scope, &notes, err);
	r->done->notes += notes.notes, r->done->links += notes.links;
	return st;
}

static enum mem_status
put_moved_mark(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	(void)w;
	receipt->verdict = MEM_CHANGED;
	return consolidate_mark_write(ctx, t, err);
}

/* What this run has written is no episode: where that is much, the next run need not look at it. */
static enum mem_status
keep_lag(struct consolidate_run *r, struct mem_err *err)
{
	const struct mem_write_input in = { .quiet = true };
	bool lags = false;
	for (size_t i = 0; i < r->scan.nns; i++)
		lags = lags || r->scan.at > consolidate_mark_next(&r->mark, r->scan.ns[i]) + MARK_LAG;
	if (r->keeps_mark || r->o.dry_run || !r->ended || !lags)
		return MEM_OK;
	for (size_t i = 0; i < r->scan.nns; i++)
		consolidate_mark_pass(&r->mark, r->scan.ns[i], r->scan.at);
	mem_write_act(r->writer, &in, put_moved_mark, &r->mark);
	return mem_write_commit(r->writer, r->emit, r->ctx, &r->total, err);
}

static enum mem_status
run_all(struct consolidate_run *r, struct mem_err *err)
{
	enum mem_status st = r->o.nrules > 0 ? load_run_rules(r, err) : MEM_OK; /* what is named is read, be there something to do or not */
	if (st == MEM_OK)
		st = choose_episodes(r, err);
	if (st == MEM_OK)
		st = consolidate_batches(r, err);
	if (st == MEM_OK && !r->o.dry_run)
		st = make_notes(r, err);
	return st == MEM_OK ? keep_lag(r, err) : st;
}

static enum mem_status
run_notes(struct consolidate_run *r, struct mem_err *err)
{
	enum mem_status st = consolidate_pick_ns(r, err);
	return st == MEM_OK ? make_notes(r, err) : st;
}

enum mem_status
mem_consolidate_notes(struct mem_index *m, const struct mem_consolidate_options *o, struct mem_consolidate_done *done, struct mem_err *err)
{
	struct consolidate_run r = { .o = *o, .done = done };
	begin_run(&r, m);
	enum mem_status st = mem_store_lock(r.store, MEM_LOCK_BELIEF, o->wait_ms, err);
	if (st == MEM_OK) {
		st = run_notes(&r, err);
		mem_store_unlock(r.store, MEM_LOCK_BELIEF);
	}
	end_consolidation(&r);
	return st;
}

enum mem_status
mem_consolidate_run(struct mem_index *m, const struct mem_consolidate_options *o, mem_emit_fn *emit, void *ctx,
    struct mem_consolidate_done *done, struct mem_err *err)
{
	struct consolidate_run r = { .o = *o, .emit = emit, .ctx = ctx, .done = done };
	*done = (struct mem_consolidate_done){ 0 };
	begin_run(&r, m);
	enum mem_status st = mem_store_lock(r.store, MEM_LOCK_BELIEF, o->wait_ms, err);
	if (st == MEM_OK) {
		st = run_all(&r, err);
		mem_store_unlock(r.store, MEM_LOCK_BELIEF);
	}
	end_consolidation(&r);
	done->waiting = r.total.waiting, done->first = r.total.first, done->last = r.total.last;
	return st == MEM_OK ? mem_write_outcome(&r.total, err) : st;
}
