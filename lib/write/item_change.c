/* SPDX-License-Identifier: Apache-2.0 */
/* Changes and removals of nodes on their way through a batch. */
#include "write/write_int.h"

/* ---- which node --------------------------------------------------------- */

enum mem_status
write_item_target(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, uint32_t *ord, bool *ready,
    struct mem_err *err)
{
	struct mem_receipt *r = &item->receipt;
	struct mem_node node;
	struct mem_ns ns;
	bool allowed = false;
	*ready = false;
	enum mem_status st = mem_write_node_find(t, &item->id, &node, err);
	if (st == MEM_NOTFOUND)
		return write_item_reject(t, w, item, "not_found", err);
	if (st == MEM_OK)
		st = write_node_allowed(t, w, node.attr, &ns, &allowed, err);
	if (st != MEM_OK)
		return st;
	r->ns = mem_arena_str(&w->arena, mem_str(ns.name));
	if (!allowed)
		return write_item_reject(t, w, item, "namespace_denied", err);
	if (item->if_version != 0 && item->if_version != mem_write_version(mem_json_object(node.json)))
		return write_item_reject(t, w, item, "conflict", err);
	*ord = node.ord;
	*ready = r->has_id = true;
	r->id = item->id;
	return MEM_OK;
}

/* ---- changes ------------------------------------------------------------ */

static enum mem_status
change_item_target(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, uint32_t ord, const struct mem_write_edit *edit,
    struct mem_err *err)
{
	struct mem_err why = { 0 };
	bool changed;
	enum mem_status st = mem_write_change_at(t, w, ord, edit, &changed, &why);
	if (st == MEM_REFUSED)
		return write_item_reject(t, w, item, why.reason != NULL ? why.reason : "bad_value", err);
	if (st == MEM_DENIED) /* it would move to where the caller may not write */
		return write_item_reject(t, w, item, "namespace_denied", err);
	if (st != MEM_OK && err != NULL)
		*err = why;
	item->receipt.verdict = changed ? MEM_CHANGED : MEM_UNCHANGED;
	return st;
}

static enum mem_status
run_change(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	uint32_t ord;
	bool ready;
	enum mem_status st = write_item_target(t, w, item, &ord, &ready, err);
	return st == MEM_OK && ready ? change_item_target(t, w, item, ord, &item->edit, err) : st;
}

/* What the caller makes of the node as it stands. */
struct revision {
	mem_write_revise_fn *revise;
	const void *ctx;
};

static enum mem_status
run_revision(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	const struct revision *own = item->own;
	struct mem_rec rec = { 0 };
	struct mem_write_edit edit = { 0 };
	struct mem_node node;
	const char *refused = NULL;
	uint32_t ord;
	bool ready;
	enum mem_status st = write_item_target(t, w, item, &ord, &ready, err);
	if (st != MEM_OK || !ready)
		return st;
	st = mem_node_at(t, ord, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, err);
	if (st == MEM_OK)
		st = own->revise(t, w, own->ctx, &node, &rec, &edit, &refused, err);
	mem_rec_release(&rec);
	if (st == MEM_OK && refused != NULL)
		return write_item_reject(t, w, item, refused, err);
	item->receipt.verdict = MEM_UNCHANGED;
	return st == MEM_OK && edit.n > 0 ? change_item_target(t, w, item, ord, &edit, err) : st;
}

void
mem_write_revise(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, int64_t if_version,
    mem_write_revise_fn *revise, const void *ctx)
{
	struct mem_write_item *item = write_item_new(w, in, run_revision);
	struct revision *own = mem_arena_alloc(&w->arena, sizeof *own);
	*own = (struct revision){ revise, ctx };
	item->id = *id;
	item->if_version = if_version;
	item->own = own;
}

enum mem_status
write_item_change_there(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, const struct mem_node *there,
    struct mem_err *err)
{
	struct mem_receipt *r = &item->receipt;
	struct mem_err why = { 0 };
	bool changed = false;
	r->has_id = true;
	r->verdict = MEM_DUPLICATE;
	if (!item->has_edit)
		return MEM_OK;
	bool live = mem_attr_live(there->attr, mem_txn_now(t));
	enum mem_status st = live ? mem_write_change_at(t, w, there->ord, &item->edit, &changed, &why) : MEM_REFUSED;
	bool refused = st == MEM_REFUSED || st == MEM_DENIED;
	r->verdict = refused ? MEM_REJECTED : changed ? MEM_CHANGED : MEM_UNCHANGED;
	if (refused)
		r->reason = st == MEM_DENIED ? "namespace_denied" : !live ? "state_conflict" : why.reason != NULL ? why.reason : "bad_value";
	if (st != MEM_OK && !refused && err != NULL)
		*err = why;
	return refused ? MEM_OK : st;
}

/* ---- removals ----------------------------------------------------------- */

static enum mem_status
run_removal(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	uint32_t ord;
	bool ready;
	enum mem_status st = write_item_target(t, w, item, &ord, &ready, err);
	item->receipt.verdict = ready ? MEM_REMOVED : item->receipt.verdict;
	return st == MEM_OK && ready ? mem_write_remove_at(t, w, ord, &item->removal, err) : st;
}

struct mem_write_item *
mem_write_remove(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, int64_t if_version,
    const struct mem_write_removal *removal)
{
	struct mem_write_item *item = write_item_new(w, in, run_removal);
	item->id = *id;
	item->if_version = if_version;
	item->removal = *removal;
	return item;
}

enum mem_status
mem_write_change(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, int64_t if_version,
    const struct mem_write_edit *edit, struct mem_err *err)
{
	enum mem_status st = write_edit_check(edit, err);
	if (st != MEM_OK)
		return st;
	struct mem_write_item *item = write_item_new(w, in, run_change);
	item->id = *id;
	item->if_version = if_version;
	item->edit = *edit;
	return MEM_OK;
}
