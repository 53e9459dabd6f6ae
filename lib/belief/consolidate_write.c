/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch, written: what its episodes claim is worked out over a snapshot and committed with receipts and the mark.  What changed
 * meanwhile has it worked out anew; what cannot be written has it halved, until the one episode that it is due to is alone.
 */
#include "belief/consolidate_int.h"

#include <stdio.h>
#include <string.h>

#include "clean/clean_text.h"

enum { ROUNDS = 16 };       /* others write between the plan and the commit; so often in a row they do not */

/* Some of the batch, in its order. */
struct part {
	struct consolidate_episode *v;
	size_t n;
};

/* ---- planning ------------------------------------------------------------- */

static const struct mem_fact_source *
claim_source(const struct consolidate_episode *e, size_t claim)
{
	return claim < e->nrules ? &e->facts : &e->with[claim - e->nrules];
}

static enum mem_status
plan_episode(struct consolidate_run *r, struct consolidate_episode *e, size_t *nclaims, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	e->first = *nclaims;
	if (e->claims.n == 0 || e->passed)
		return MEM_OK;
	mem_entities_episode(r->entities, &e->entities, &e->claims);
	for (size_t c = 0; c < e->claims.n && st == MEM_OK; c++)
		st = mem_ledger_state(r->ledger, &e->claims.v[c], claim_source(e, c), err);
	*nclaims += e->claims.n;
	return st;
}

static enum mem_status
plan_episodes(struct consolidate_run *r, struct part *p, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	size_t nclaims = 0;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	if (st == MEM_OK) {
		mem_entities_snapshot(r->entities, t);
		st = mem_ledger_begin(r->ledger, t, err);
	}
	for (size_t i = 0; i < p->n && st == MEM_OK; i++)
		st = plan_episode(r, &p->v[i], &nclaims, err);
	if (st == MEM_OK)
		st = mem_entities_queue(r->entities, err);
	if (st == MEM_OK)
		st = mem_ledger_queue(r->ledger, err);
	mem_txn_end(t);
	return st;
}

/* ---- under the lock ------------------------------------------------------- */

/* Is each still as it was read?  One that has gone says nothing in the next round. */
static enum mem_status
check_episodes(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	const struct part *p = ctx;
	bool changed = false;
	for (size_t i = 0; i < p->n; i++) {
		struct consolidate_episode *e = &p->v[i];
		const struct mem_attr *a;
		enum mem_status st = mem_attr_at(t, e->ord, &a, err);
		if (st != MEM_OK && st != MEM_NOTFOUND)
			return st;
		if (e->passed || (st == MEM_OK && consolidate_is_heard(a, mem_txn_now(t))))
			continue;
		e->passed = changed = true;
	}
	return changed ? mem_err_set(err, MEM_STALE, "an episode was changed meanwhile") : MEM_OK;
}

static enum mem_status
put_consolidate_mark(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	(void)w;
	r->verdict = MEM_CHANGED;
	return consolidate_mark_write(ctx, t, err);
}

static void
queue_mark(struct consolidate_run *r)
{
	const struct mem_write_input in = { .quiet = true };
	if (!r->keeps_mark)
		mem_write_act(r->writer, &in, put_consolidate_mark, &r->planned);
}

static enum mem_status
give_receipt(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct consolidate_episode *e = ctx;
	(void)t, (void)err;
	if (e->refused > 0)
		r->more = mem_str(mem_arena_printf(mem_writer_arena(w), ",\"claims_refused\":%zu", e->refused));
	r->verdict = e->verdict;
	r->has_id = true;
	r->id = e->id;
	return MEM_OK;
}

static struct mem_write_input
receipt_input(const struct consolidate_episode *e)
{
	return (struct mem_write_input){ .line = e->line, .ns = e->facts.ns };
}

/* What the mark will be starts as what it is.  Episodes that were chosen otherwise than by it do not move it. */
static void
plan_mark(struct consolidate_run *r, const struct consolidate_episode *last)
{
	consolidate_mark_copy(&r->planned, &r->mark);
	for (size_t i = 0; !r->chosen && i < r->scan.nns; i++)
		consolidate_mark_pass(&r->planned, r->scan.ns[i], last->ord + 1);
}

static enum mem_status
commit_part(struct consolidate_run *r, struct mem_err *err)
{
	enum mem_status st = mem_write_commit(r->writer, r->emit, r->ctx, &r->total, err);
	if (st == MEM_OK) {
		const struct consolidate_mark was = r->mark;
		r->mark = r->planned;
		r->planned = was;
	}
	return st;
}

/* ---- success --------------------------------------------------------------- */

/* What the ledger made of its claims: one that is new outweighs those that are known. */
static enum mem_verdict
judge_episode(struct consolidate_run *r, struct consolidate_episode *e, struct mem_consolidate_done *done)
{
	enum mem_verdict verdict = MEM_UNCHANGED;
	e->refused = 0;
	for (size_t c = 0; !e->passed && c < e->claims.n; c++) {
		const struct mem_fact_outcome *o = mem_ledger_outcome(r->ledger, e->first + c);
		done->facts += o->verdict == MEM_NEW;
		done->restated += o->verdict == MEM_CHANGED;
		e->refused += o->verdict == MEM_REJECTED;
		if (o->verdict == MEM_NEW || (o->verdict == MEM_CHANGED && verdict != MEM_NEW))
			verdict = o->verdict;
	}
	return verdict;
}

static void
queue_episode_receipts(struct consolidate_run *r, struct part *p, struct mem_consolidate_done *done)
{
	*done = (struct mem_consolidate_done){ .episodes = p->n };
	plan_mark(r, &p->v[p->n - 1]);
	for (size_t i = 0; i < p->n; i++) {
		struct consolidate_episode *e = &p->v[i];
		const struct mem_write_input in = receipt_input(e);
		e->verdict = judge_episode(r, e, done);
		done->silent += e->passed || e->claims.n == 0;
		consolidate_mark_forgive(&r->planned, &e->id);
		mem_write_act(r->writer, &in, give_receipt, e);
	}
	mem_write_check(r->writer, check_episodes, p);
	queue_mark(r);
}

/* MEM_REFUSED: one of them cannot be written. */
static enum mem_status
write_part(struct consolidate_run *r, struct part *p, struct mem_err *err)
{
	struct mem_consolidate_done d;
	enum mem_status st = MEM_STALE;
	for (int round = 0; st == MEM_STALE && round < ROUNDS; round++) {
		st = plan_episodes(r, p, err);
		if (st != MEM_OK)
			break;
		queue_episode_receipts(r, p, &d);
		st = commit_part(r, err);
	}
	if (st == MEM_STALE)
		return mem_err_set(err, MEM_BUSY, "busy: other processes change facts faster than they can be consolidated");
	if (st == MEM_OK) {
		r->done->episodes += d.episodes, r->done->silent += d.silent;
		r->done->facts += d.facts, r->done->restated += d.restated;
	}
	return st;
}

/* ---- failure --------------------------------------------------------------- */

struct failure {
	uint32_t ord;
	struct mem_write_audit audit;
};

static enum mem_status
audit_failure(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct failure *f = ctx;
	r->verdict = MEM_CHANGED;
	return mem_write_audit_at(t, w, f->ord, &f->audit, err);
}

static void
queue_failure_audit(struct consolidate_run *r, const struct consolidate_episode *e, const struct consolidate_failure *failed)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	const struct mem_write_input in = { .quiet = true };
	struct mem_clean_object detail = { 0 };
	struct failure *f = mem_arena_alloc(a, sizeof *f);
	mem_clean_object_put(&detail, "tries", mem_clean_int(a, failed->tries));
	f->ord = e->ord;
	f->audit = (struct mem_write_audit){ "consolidation_failed", mem_arena_str(a, mem_str(failed->reason)).p, mem_clean_object_end(&detail, a) };
	mem_write_act(r->writer, &in, audit_failure, f);
}

/* Where the mark is kept, a failure is noted in it, and told by the audit when there have been enough. */
static void
note_failure(struct consolidate_run *r, const struct consolidate_episode *e, const char *reason)
{
	if (r->keeps_mark)
		return;
	struct consolidate_failure *f = consolidate_mark_fail(&r->planned, &e->id);
	f->ns = e->ns, f->created_at = e->created_at;
	snprintf(f->reason, sizeof f->reason, "%s", reason);
	if (consolidate_has_failed(f))
		queue_failure_audit(r, e, f);
}

static enum mem_status
write_failure(struct consolidate_run *r, const struct consolidate_episode *e, const char *reason, struct mem_err *err)
{
	const struct mem_write_input in = receipt_input(e);
	plan_mark(r, e);
	note_failure(r, e, reason);
	mem_write_refuse(r->writer, &in, reason, 0);
	queue_mark(r);
	r->done->failed++;
	return commit_part(r, err);
}

/* ---- batches ---------------------------------------------------------------- */

/* Those before a half are written before it, so that the mark can move on. */
static enum mem_status
write_or_halve(struct consolidate_run *r, struct part p, struct mem_err *err)
{
	enum mem_status st = write_part(r, &p, err);
	if (st != MEM_REFUSED)
		return st;
	if (p.n == 1)
		return write_failure(r, p.v, err->reason != NULL ? err->reason : "bad_value", err);
	const size_t half = p.n / 2;
	st = write_or_halve(r, (struct part){ p.v, half }, err);
	return st == MEM_OK ? write_or_halve(r, (struct part){ p.v + half, p.n - half }, err) : st;
}

enum mem_status
consolidate_write(struct consolidate_run *r, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < r->n && st == MEM_OK;) {
		size_t n = 0;
		while (i + n < r->n && r->v[i + n].unread == NULL)
			n++;
		st = n > 0 ? write_or_halve(r, (struct part){ r->v + i, n }, err) : write_failure(r, &r->v[i], r->v[i].unread, err);
		i += n > 0 ? n : 1;
	}
	return st;
}
