/* SPDX-License-Identifier: Apache-2.0 */
/* The batch: one transaction, which may run again, and then the receipts. */
#include "write/write_int.h"

#include <string.h>

#include "write/tidy.h"

enum { BATCH_BYTES = 8 << 20 };  /* of input: memory stays bounded whatever the lines */

/* Refusals by policy are audited; a line that is merely broken is not. */
static const char *
find_audit_word(const char *reason)
{
	static const struct {
		const char *reason, *word;
	} words[] = {
		{ "system_role", "namespace_denied" }, { "namespace_denied", "namespace_denied" },
		{ "residue", "residue_rejected" }, { "budget", "budget_rejected" },
		{ "rights_denied", "rights_denied" },
		{ "bad_signature", "invalid_signature" }, { "clock_skew", "clock_skew_rejected" },
		{ "supersedes_not_found", "supersedes_rejected" },
		{ "supersedes_denied", "supersedes_rejected" },
	};
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (strcmp(reason, words[i].reason) == 0)
			return words[i].word;
	return NULL;
}

enum mem_status
write_item_reject(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, const char *reason,
    struct mem_err *err)
{
	const char *word = w->o.audit_refusals ? find_audit_word(reason) : NULL;
	item->receipt.verdict = MEM_REJECTED;
	item->receipt.reason = reason;
	item->receipt.has_id = false;
	if (word == NULL)
		return MEM_OK;
	const struct mem_write_audit audit = { word, reason,
		mem_clean_there(item->refusal) ? item->refusal : mem_clean_counts(&w->arena, &item->receipt.found) };
	/* A refusal is the caller's own business, wherever it wanted to write. */
	return mem_write_audit_put(t, w->ns, 0, NULL, &audit, err);
}

static enum mem_status
audit_batch(struct mem_txn *t, struct mem_writer *w, struct mem_err *err)
{
	int64_t nodes = 0, edges = 0, refused = 0;
	bool did = w->nitems == 0;
	struct mem_clean_object o = { 0 };
	for (size_t i = 0; i < w->nitems; i++) {
		const struct mem_write_item *item = w->items[i];
		bool made = item->receipt.verdict == MEM_NEW || item->receipt.verdict == MEM_NEAR_DUPLICATE;
		nodes += made && item->is_node;
		edges += made && !item->is_node;
		refused += item->receipt.verdict == MEM_REJECTED;
		did = did || item->receipt.verdict != MEM_UNCHANGED;
	}
	if (!did)
		return MEM_OK;
	mem_clean_object_put(&o, "nodes", mem_clean_int(&w->arena, nodes));
	mem_clean_object_put(&o, "edges", mem_clean_int(&w->arena, edges));
	mem_clean_object_put(&o, "refused", mem_clean_int(&w->arena, refused));
	const struct mem_write_audit audit = { .word = w->o.audit_batch, .detail = mem_clean_object_end(&o, &w->arena) };
	return mem_write_audit_put(t, w->ns, 0, NULL, &audit, err);
}

/* What stands in an item's way is damaged: that is told, and the item refused; the others go on. */
static enum mem_status
run_item(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	enum mem_status st = item->run(t, w, item, err);
	if (st == MEM_DAMAGED && !item->entry.put) {
		mem_store_damage_note(w->index->store, err);
		st = write_item_reject(t, w, item, item->supersedes ? "supersedes_not_found" : "bad_value", err);
	}
	if (st == MEM_OK && item->quiet && item->receipt.verdict == MEM_REJECTED)
		return mem_err_record(err, item->receipt.reason, 0, "a part of what was to be written is refused: %s", item->receipt.reason);
	return st;
}

static enum mem_status
run_checks(struct mem_txn *t, const struct mem_writer *w, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < w->nchecks && st == MEM_OK; i++)
		st = w->checks[i].fn(t, w->checks[i].ctx, err);
	return st;
}

static void
reset_item(struct mem_write_item *item)
{
	struct mem_receipt *r = &item->receipt;
	r->verdict = MEM_NEW;
	r->reason = NULL;
	r->has_id = r->has_near = false;
	r->more = item->more;
	item->entry.put = false;
}

/* `more` nodes, whose ords are from first to last. */
static void
add_waiting_nodes(struct mem_write_total *total, uint64_t more, uint32_t first, uint32_t last)
{
	if (more == 0)
		return;
	total->first = total->waiting == 0 || first < total->first ? first : total->first;
	total->last = last > total->last ? last : total->last;
	total->waiting += more;
}

static void
count_waiting_node(struct mem_write_total *total, const struct mem_entry *e)
{
	add_waiting_nodes(total, e->put && e->embeds && e->embedding.vector == NULL, e->ord, e->ord);
}

void
write_node_waits(struct mem_writer *w, uint32_t ord)
{
	add_waiting_nodes(&w->changed, 1, ord, ord);
}

struct mem_write_nested
mem_write_nested_begin(const struct mem_writer *w)
{
	return (struct mem_write_nested){ w->nitems, w->nchecks };
}

enum mem_status
mem_write_nested_run(struct mem_txn *t, struct mem_writer *w, const struct mem_write_nested *begin, bool keep, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = begin->items; i < w->nitems && keep && st == MEM_OK; i++) {
		reset_item(w->items[i]);
		st = run_item(t, w, w->items[i], err);
		if (st == MEM_OK && w->items[i]->is_node)
			count_waiting_node(&w->nested, &w->items[i]->entry);
	}
	w->nitems = begin->items;
	w->nchecks = begin->checks;
	return st;
}

enum mem_status
write_batch_run(struct mem_txn *t, void *writer, struct mem_err *err)
{
	struct mem_writer *w = writer;
	w->nested = w->changed = (struct mem_write_total){ 0 }; /* it may be run again */
	enum mem_status st = run_checks(t, w, err);
	for (size_t i = 0; i < w->nitems; i++)
		reset_item(w->items[i]);
	for (size_t i = 0; i < w->nitems && st == MEM_OK; i++)
		st = run_item(t, w, w->items[i], err);
	if (st == MEM_OK && w->o.audit_batch != NULL)
		st = audit_batch(t, w, err);
	if (st == MEM_OK && w->o.then != NULL)
		st = w->o.then(t, w->o.ctx, err);
	return st == MEM_OK && w->o.dry_run ? MEM_END : st; /* what does not end well is not kept */
}

size_t
mem_write_queued(const struct mem_writer *w)
{
	return w->nitems;
}

bool
mem_write_full(const struct mem_writer *w)
{
	return (int64_t)w->nitems >= w->o.batch_max || w->bytes >= BATCH_BYTES;
}

void
mem_write_check(struct mem_writer *w, mem_write_check_fn *check, void *ctx)
{
	w->checks = mem_grow(w->checks, &w->checks_cap, w->nchecks + 1, sizeof *w->checks);
	w->checks[w->nchecks++] = (struct write_check){ check, ctx };
}

static void
empty_batch(struct mem_writer *w)
{
	w->nitems = w->bytes = w->nchecks = 0;
	mem_arena_reset(&w->arena);
}

/* Counts what was done, and appends the receipts. */
static void
sum_batch(struct mem_writer *w, struct mem_write_total *total, struct mem_buf *receipts)
{
	for (size_t i = 0; i < w->nitems; i++) {
		const struct mem_write_item *item = w->items[i];
		struct mem_receipt *r = &w->items[i]->receipt;
		if (item->is_node && !w->o.dry_run)
			count_waiting_node(total, &item->entry);
		if (item->quiet)
			continue;
		r->has_id = r->has_id && !(w->o.dry_run && (r->verdict == MEM_NEW || r->verdict == MEM_NEAR_DUPLICATE));
		mem_receipt_count(total, r);
		mem_receipt_put(receipts, r);
	}
	if (!w->o.dry_run) { /* those of items inside items, whose places in the batch are used again, and those that were there */
		add_waiting_nodes(total, w->nested.waiting, w->nested.first, w->nested.last);
		add_waiting_nodes(total, w->changed.waiting, w->changed.first, w->changed.last);
	}
}

enum mem_status
mem_write_commit(struct mem_writer *w, mem_emit_fn *emit, void *ctx, struct mem_write_total *total, struct mem_err *err)
{
	struct mem_buf receipts = { 0 };
	if (w->nitems == 0) {
		w->nchecks = 0;
		return MEM_OK;
	}
	if (w->vectors != NULL)
		w->vectors->make(w, total);
	enum mem_status st = mem_store_write(w->index->store, write_batch_run, w, err);
	if (st == MEM_STALE || st == MEM_REFUSED)
		empty_batch(w);
	if (st != MEM_OK && !(st == MEM_END && w->o.dry_run))
		return st;
	sum_batch(w, total, &receipts);
	empty_batch(w);
	bool taken = receipts.len == 0 || emit(ctx, mem_buf_span(&receipts));
	mem_buf_release(&receipts);
	if (taken && w->o.dry_run)
		return MEM_OK;
	return taken ? mem_write_tidy(w->index, err) : mem_err_set(err, MEM_FAIL, "cannot write receipts");
}
