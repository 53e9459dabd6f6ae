/* SPDX-License-Identifier: Apache-2.0 */
/* Facts by hand: batches, each worked out over a snapshot and, where that has changed by then, once more. */
#include "belief/fact_run.h"

#include <stdlib.h>
#include <string.h>

#include "belief/fact_run_int.h"

enum { BATCH_MAX = 64, BATCH_BYTES = 1 << 20, ROUNDS_MAX = 20 };

/* ---- runs ------------------------------------------------------------------------ */

static enum mem_status
prepare_run(struct mem_fact_run *r, struct mem_err *err)
{
	static const struct mem_entities_options exact = { .similar = false };
	struct mem_store *s = mem_writer_store(r->writer);
	r->ns = r->o.ns != NULL ? mem_str(r->o.ns) : mem_writer_ns(r->writer);
	r->trust = mem_store_principal(s)->is_operator ? 1 : mem_conf_num(mem_store_conf(s), "capture.trust_max");
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = r->ns };
	if (!mem_ns_valid(r->ns))
		return mem_err_set(err, MEM_USAGE, "no namespace: '%s'", r->ns.p);
	if (!mem_store_allows(s, &to))
		return mem_err_set(err, MEM_DENIED, "%s may not write to %s", mem_store_principal(s)->agent, r->ns.p);
	enum mem_status st = mem_writer_sanitise(r->writer, NULL, NULL, err);
	return st == MEM_OK ? mem_entities_new(&r->entities, r->writer, &exact, err) : st;
}

enum mem_status
mem_fact_run_open(struct mem_fact_run **out, const struct mem_store_options *store, const struct mem_fact_run_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	const struct mem_write_options writing = { .via = o->via, .audit_refusals = true, .dry_run = o->dry_run };
	struct mem_fact_run *r = mem_xcalloc(1, sizeof *r);
	*r = (struct mem_fact_run){ .o = *o, .emit = emit, .ctx = ctx };
	enum mem_status st = mem_writer_open(&r->writer, store, &writing, err);
	if (st == MEM_OK)
		st = prepare_run(r, err);
	if (st == MEM_OK)
		*out = r;
	else
		mem_fact_run_free(r);
	return st;
}

void
mem_fact_run_free(struct mem_fact_run *r)
{
	if (r == NULL)
		return;
	mem_ledger_free(r->ledger);
	mem_entities_free(r->entities);
	mem_writer_free(r->writer);
	mem_arena_release(&r->arena);
	mem_arena_release(&r->round);
	mem_rec_release(&r->came);
	mem_clean_rec_release(&r->cleaned);
	free(r->v);
	free(r);
}

struct mem_store *
mem_fact_run_store(const struct mem_fact_run *r)
{
	return mem_writer_store(r->writer);
}

enum mem_status
mem_fact_run_rules(struct mem_fact_run *r, const struct mem_belief_rules *rules, struct mem_err *err)
{
	r->rules = rules;
	return mem_ledger_new(&r->ledger, r->writer, r->entities, rules, err);
}

enum mem_status
mem_fact_run_embed(struct mem_fact_run *r, struct mem_err *err)
{
	/* Zero: this store leaves vectors to maintenance. */
	bool later = mem_conf_int(mem_store_conf(mem_writer_store(r->writer)), "embed.seconds") == 0;
	return mem_writer_embed(r->writer, later ? MEM_WRITE_EMBED_NONE : MEM_WRITE_EMBED_FEW, err);
}

const struct mem_write_total *
mem_fact_run_total(const struct mem_fact_run *r)
{
	return &r->total;
}

enum mem_status
mem_fact_run_outcome(const struct mem_fact_run *r, struct mem_err *err)
{
	if (r->total.denied > 0)
		return mem_err_set(err, MEM_DENIED, "%llu of the input denied", (unsigned long long)r->total.denied);
	return mem_write_outcome(&r->total, err);
}

/* ---- rounds ------------------------------------------------------------------------ */

static enum mem_status
run_answer(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	const struct hand_fact *f = ctx;
	(void)t, (void)w, (void)err;
	receipt->verdict = f->verdict;
	receipt->has_id = true;
	receipt->id = f->id;
	return MEM_OK;
}

/* Of a fact that cannot be ended: what has taken its place. */
static struct mem_str
name_successor(struct mem_fact_run *r, const struct mem_fact_outcome *o)
{
	char id[MEM_ID_LEN + 1];
	if (o == NULL || o->reason == NULL || strcmp(o->reason, "state_conflict") != 0)
		return MEM_STR("");
	mem_id_format(&o->id, id);
	return mem_str(mem_arena_printf(&r->round, ",\"superseded_by\":\"%s\"", id));
}

/* What became of each record, as its receipt. */
static void
queue_receipts(struct mem_fact_run *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct hand_fact *f = &r->v[i];
		const struct mem_fact_outcome *o = f->refused == NULL ? mem_ledger_outcome(r->ledger, f->number) : NULL;
		if (o == NULL || o->verdict == MEM_REJECTED) {
			f->in.more = name_successor(r, o);
			mem_write_refuse(r->writer, &f->in, o != NULL ? o->reason : f->refused, f->offset);
			continue;
		}
		f->verdict = o->verdict;
		f->id = o->id;
		mem_write_act(r->writer, &f->in, run_answer, f);
	}
}

static enum mem_status
state_facts(struct mem_fact_run *r, struct mem_txn *t, struct mem_err *err)
{
	size_t stated = 0;
	mem_entities_snapshot(r->entities, t);
	enum mem_status st = mem_ledger_begin(r->ledger, t, err);
	for (size_t i = 0; i < r->n && st == MEM_OK; i++) {
		struct hand_fact *f = &r->v[i];
		if (f->refused != NULL)
			continue;
		f->number = stated++;
		struct mem_entity_source *by = mem_arena_alloc(&r->round, sizeof *by);
		*by = (struct mem_entity_source){ .ns = f->source.ns, .created_at = f->source.created_at, .trust = f->source.trust,
			.importance = f->source.importance };
		mem_entities_episode(r->entities, by, NULL);
		st = mem_ledger_state(r->ledger, &f->claim, &f->source, err);
	}
	if (st == MEM_OK)
		st = mem_entities_queue(r->entities, err);
	return st == MEM_OK ? mem_ledger_queue(r->ledger, err) : st;
}

/* Reads the records, then works them out over a snapshot. */
static enum mem_status
plan_round(struct mem_fact_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	mem_arena_reset(&r->round);
	if (st != MEM_OK)
		return st;
	r->now = mem_txn_now(t);
	mem_txn_end(t);
	for (size_t i = 0; i < r->n && st == MEM_OK; i++)
		st = hand_fact_read(r, &r->v[i], err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st != MEM_OK)
		return st;
	st = state_facts(r, t, err);
	mem_txn_end(t);
	if (st == MEM_OK)
		queue_receipts(r);
	return st;
}

enum mem_status
mem_fact_run_commit(struct mem_fact_run *r, struct mem_err *err)
{
	enum mem_status st = MEM_STALE;
	if (r->n == 0)
		return MEM_OK;
	for (int i = 0; i < ROUNDS_MAX && st == MEM_STALE; i++) {
		st = plan_round(r, err);
		if (st == MEM_OK)
			st = mem_write_commit(r->writer, r->emit, r->ctx, &r->total, err);
	}
	r->n = 0;
	mem_arena_reset(&r->arena);
	return st == MEM_STALE ? mem_err_set(err, MEM_BUSY, "busy: others change the same facts") : st;
}

enum mem_status
mem_fact_run_add(struct mem_fact_run *r, const struct mem_line *line, struct mem_err *err)
{
	size_t bytes = line->text.n;
	r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof *r->v);
	r->v[r->n++] = (struct hand_fact){ .line = mem_arena_str(&r->arena, line->text), .too_long = line->too_long,
		.in = { .line = ++r->number, .bytes = bytes } };
	for (size_t i = 0; i + 1 < r->n; i++)
		bytes += r->v[i].line.n;
	return r->n >= BATCH_MAX || bytes >= BATCH_BYTES ? mem_fact_run_commit(r, err) : MEM_OK;
}
