/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs into the batch, worked out without the lock; and what each does under it. */
#include "write/write_int.h"

#include <string.h>

#include "store/edge.h"

/* ---- items ------------------------------------------------------------- */

struct mem_write_item *
write_item_new(struct mem_writer *w, const struct mem_write_input *in, write_item_fn *run)
{
	w->items = mem_grow(w->items, &w->items_cap, w->nitems + 1, sizeof(struct mem_write_item *));
	if (w->nitems == w->items_made)
		w->items[w->items_made++] = mem_xmalloc(sizeof **w->items);
	struct mem_write_item *item = w->items[w->nitems++];
	*item = (struct mem_write_item){ .run = run, .quiet = in->quiet, .more = in->more, .refusal = in->refusal,
		.receipt = { .line = in->line, .ns = in->ns, .found = in->found } };
	w->bytes += in->bytes;
	return item;
}

static enum mem_status
run_refusal(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	return write_item_reject(t, w, item, item->refused, err);
}

void
write_item_refuse(struct mem_write_item *item, const char *reason, size_t offset)
{
	item->run = run_refusal;
	item->refused = reason;
	item->receipt.offset = offset;
	item->is_node = false;
}

struct mem_write_item *
mem_write_refuse(struct mem_writer *w, const struct mem_write_input *in, const char *reason, size_t offset)
{
	struct mem_write_item *item = write_item_new(w, in, run_refusal);
	write_item_refuse(item, reason, offset);
	return item;
}

static enum mem_status
run_act(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	struct mem_receipt *r = &item->receipt;
	enum mem_status st = item->act(t, w, item->ctx, r, err);
	return st == MEM_OK && r->verdict == MEM_REJECTED ? write_item_reject(t, w, item, r->reason, err) : st;
}

struct mem_write_item *
mem_write_act(struct mem_writer *w, const struct mem_write_input *in, mem_write_act_fn *fn, void *ctx)
{
	struct mem_write_item *item = write_item_new(w, in, run_act);
	item->act = fn;
	item->ctx = ctx;
	return item;
}

/* ---- nodes ------------------------------------------------------------- */

/* Is the node that is there what this very item made when it came before?  Then what it replaces is gone by now. */
static enum mem_status
check_came_before(struct mem_txn *t, const struct mem_write_item *item, bool *before, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	struct mem_node there;
	char id[MEM_ID_LEN + 1];
	enum mem_status st = mem_node_by_id(t, &item->receipt.id, &there, err);
	mem_id_format(&item->id, id);
	*before = st == MEM_OK && mem_rec_scan(&r, there.json, NULL) == MEM_OK &&
	    mem_json_is(mem_rec_value(&r, "supersedes"), id);
	mem_rec_release(&r);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* The node that it wants to replace: live, seen, of its kind, and in a namespace that the caller may write. */
static enum mem_status
find_superseded(struct mem_txn *t, struct mem_writer *w, const struct mem_write_item *item, uint32_t *ord,
    const char **reason, struct mem_err *err)
{
	struct mem_node old;
	struct mem_ns ns;
	bool allowed;
	enum mem_status st = mem_write_node_find(t, &item->id, &old, err);
	if (st != MEM_OK && st != MEM_NOTFOUND)
		return st;
	*reason = "supersedes_not_found";
	if (st == MEM_NOTFOUND || old.attr->kind != item->entry.draft.attr.kind || !mem_attr_live(old.attr, mem_txn_now(t)))
		return MEM_OK;
	*ord = old.ord;
	st = write_node_allowed(t, w, old.attr, &ns, &allowed, err);
	*reason = allowed ? NULL : "supersedes_denied";
	return st;
}

/* Marks the old node and links it to the new one. */
static enum mem_status
supersede_node(struct mem_txn *t, struct mem_writer *w, const struct mem_write_item *item, uint32_t old, struct mem_err *err)
{
	struct mem_arena *a = &w->arena;
	enum mem_verdict verdict;
	const struct mem_clean_field set[] = {
		{ "status", mem_clean_word(a, MEM_STR("superseded")) },
		{ "superseded_by", mem_clean_id(a, &item->receipt.id) },
		{ "superseded_at", mem_clean_time(a, mem_txn_now(t)) },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "superseded" };
	const struct mem_clean_field reason = { "reason", mem_clean_word(a, mem_str(item->supersedes_reason)) };
	const struct mem_write_edge edge = { .kind = "superseded_by", .fields = &reason, .nfields = 1 };
	enum mem_status st = mem_write_change_at(t, w, old, &edit, NULL, err);
	return st == MEM_OK ? mem_write_link_at(t, w, old, item->entry.ord, &edge, &verdict, err) : st;
}

/* Asks the caller, and looks whether an id by content is there. */
static enum mem_status
decide_item(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	struct mem_node there;
	struct mem_receipt *r = &item->receipt;
	enum mem_status st = MEM_OK;
	if (w->o.decide != NULL)
		st = w->o.decide(t, w, w->o.ctx, &item->entry.draft, r, err);
	if (st != MEM_OK || !item->by_content || r->verdict != MEM_NEW)
		return st;
	r->id = item->entry.draft.attr.id;
	st = mem_node_by_id(t, &r->id, &there, err);
	if (st == MEM_OK)
		return write_item_change_there(t, w, item, &there, err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* What is stored may say nearly what another one says; not what it says in its place. */
static enum mem_status
find_near_node(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	struct mem_near near;
	if (item->entry.embedding.vector == NULL)
		return MEM_OK;
	enum mem_status st = w->vectors->near(t, &item->entry, item->supersedes ? &item->id : NULL, &near, err);
	if (st == MEM_OK) {
		item->receipt.verdict = MEM_NEAR_DUPLICATE;
		item->receipt.near = near.id;
		item->receipt.score = near.score;
	}
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* Can each of its edges be made? */
static enum mem_status
check_item_edges(struct mem_txn *t, struct mem_writer *w, const struct mem_write_item *item, const char **reason,
    struct mem_err *err)
{
	uint32_t from, to;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < item->nedges && st == MEM_OK && *reason == NULL; i++)
		st = write_edge_ends(t, w, &item->edges[i], item, &from, &to, reason, err);
	return st;
}

static enum mem_status
put_item_edges(struct mem_txn *t, struct mem_writer *w, const struct mem_write_item *item, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < item->nedges && st == MEM_OK; i++) {
		uint32_t from, to;
		const char *reason;
		enum mem_verdict verdict;
		st = write_edge_ends(t, w, &item->edges[i], item, &from, &to, &reason, err);
		if (st == MEM_OK && reason != NULL)
			st = mem_err_set(err, MEM_FAIL, "an end of an edge is gone");
		if (st == MEM_OK)
			st = mem_write_link_at(t, w, from, to, &item->edges[i], &verdict, err);
	}
	return st;
}

/* The node itself, and what goes with it. */
static enum mem_status
put_item_node(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, uint32_t old, struct mem_err *err)
{
	struct mem_receipt *r = &item->receipt;
	enum mem_status st = mem_entry_put(t, &item->entry, "new", err);
	if (st != MEM_OK)
		return st == MEM_EXISTS ? mem_err_set(err, MEM_FAIL, "a fresh id is taken: run mem-check") : st;
	r->has_id = true;
	r->id = item->entry.draft.attr.id;
	if (item->audit.word != NULL)
		st = mem_write_audit_put(t, r->ns, item->entry.draft.attr.ns, &r->id, &item->audit, err);
	if (st == MEM_OK && item->supersedes)
		st = supersede_node(t, w, item, old, err);
	if (st == MEM_OK)
		st = put_item_edges(t, w, item, err);
	return st == MEM_OK ? find_near_node(t, w, item, err) : st;
}

static enum mem_status
run_node(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	struct mem_receipt *r = &item->receipt;
	const char *reason = NULL;
	uint32_t old = 0;
	bool before = false;
	enum mem_status st = decide_item(t, w, item, err);
	if (st == MEM_OK && r->verdict == MEM_REJECTED)
		return write_item_reject(t, w, item, r->reason, err);
	if (st == MEM_OK && item->supersedes && r->verdict != MEM_NEW)
		st = check_came_before(t, item, &before, err);
	if (st == MEM_OK && item->supersedes && !before)
		st = find_superseded(t, w, item, &old, &reason, err);
	if (st == MEM_OK && reason == NULL && r->verdict == MEM_NEW)
		st = check_item_edges(t, w, item, &reason, err);
	if (st != MEM_OK)
		return st;
	if (reason != NULL)
		return write_item_reject(t, w, item, reason, err);
	return r->verdict == MEM_NEW ? put_item_node(t, w, item, old, err) : MEM_OK;
}

static bool
may_add_node(const struct mem_writer *w, const struct mem_write_input *in, struct mem_str compartment)
{
	return in->granted ? mem_ns_valid(in->ns) : write_ns_allowed(w, in->ns, compartment);
}

struct mem_write_item *
mem_write_add(struct mem_writer *w, const struct mem_write_input *in, const struct mem_write_node *n)
{
	struct mem_err err = { 0 };
	struct mem_write_item *item = write_item_new(w, in, run_node);
	item->is_node = true;
	item->by_content = n->id_of.n > 0;
	item->has_edit = n->again != NULL;
	if (item->has_edit)
		item->edit = *n->again;
	item->supersedes = n->supersedes != NULL;
	if (item->supersedes)
		item->id = *n->supersedes;
	item->supersedes_reason = n->supersedes_reason;
	item->edges = n->edges;
	item->nedges = n->nedges;
	item->audit = n->audit;
	if (item->audit.word != NULL && !mem_clean_there(item->audit.detail))
		item->audit.detail = mem_clean_counts(&w->arena, &in->found);
	if (!may_add_node(w, in, MEM_STR("")))
		write_item_refuse(item, "namespace_denied", 0);
	else if (write_node_build(w, item, in->ns, n, &err) != MEM_OK)
		write_item_refuse(item, err.reason != NULL ? err.reason : "bad_value", 0);
	else if (!may_add_node(w, in, mem_str(item->entry.draft.compartment)))
		write_item_refuse(item, "namespace_denied", 0);
	struct mem_edge_values values;
	for (size_t i = 0; i < n->nedges && item->refused == NULL; i++)
		if (!write_edge_fits(w, &n->edges[i], &values, &err))
			write_item_refuse(item, err.reason, 0);
	return item;
}

/* ---- what is restored --------------------------------------------------- */

/* May the caller write to what a node that is restored supersedes?  Nobody learns here what is there that he cannot see. */
static enum mem_status
check_restored_supersedes(struct mem_txn *t, struct mem_writer *w, const struct mem_write_item *item, bool *allowed,
    struct mem_err *err)
{
	struct mem_node old;
	struct mem_ns ns;
	*allowed = true;
	if (!item->supersedes)
		return MEM_OK;
	enum mem_status st = mem_write_node_find(t, &item->id, &old, err);
	if (st == MEM_OK)
		return write_node_allowed(t, w, old.attr, &ns, allowed, err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
run_restored_node(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	struct mem_node there;
	struct mem_receipt *r = &item->receipt;
	r->id = item->entry.draft.attr.id;
	enum mem_status st = mem_node_by_id(t, &r->id, &there, err);
	if (st == MEM_OK && !mem_str_eq(there.json, item->entry.draft.json))
		return write_item_reject(t, w, item, "bad_value", err);
	if (st == MEM_NOTFOUND) {
		bool allowed;
		st = check_restored_supersedes(t, w, item, &allowed, err);
		if (st != MEM_OK)
			return st;
		if (!allowed)
			return write_item_reject(t, w, item, "supersedes_denied", err);
		r->has_id = true;
		return mem_entry_put(t, &item->entry, "import", err);
	}
	r->has_id = true;
	r->verdict = MEM_DUPLICATE;
	return st;
}

static enum mem_status
run_restored_edge(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	const struct mem_write_edge *e = item->edges;
	struct mem_edge there;
	uint32_t from, to;
	const char *reason;
	bool allowed = true;
	enum mem_status st = write_edge_ends(t, w, e, NULL, &from, &to, &reason, err);
	if (st == MEM_OK && reason == NULL && item->writes_to) {
		st = write_ord_allowed(t, w, to, &allowed, err);
		reason = allowed ? NULL : "supersedes_denied";
	}
	if (st != MEM_OK)
		return st;
	if (reason != NULL)
		return write_item_reject(t, w, item, strcmp(reason, "not_found") == 0 ? "bad_value" : reason, err);
	st = mem_edge_find(t, e->kind, from, to, &there, err);
	if (st == MEM_OK && !mem_str_eq(there.json, item->text))
		return write_item_reject(t, w, item, "bad_value", err);
	item->receipt.has_id = true;
	item->receipt.id = e->from.id;
	item->receipt.verdict = st == MEM_OK ? MEM_DUPLICATE : MEM_NEW;
	return st == MEM_NOTFOUND ? mem_edge_put(t, e->kind, from, to, item->text, err) : st;
}

/* The characters of a string that has none to unescape, in which no kind and no id is written. */
static struct mem_str
read_plain_string(struct mem_json v)
{
	return v.type == MEM_JSON_STRING && v.raw.n >= 2 ? (struct mem_str){ v.raw.p + 1, v.raw.n - 2 } : MEM_STR("");
}

static void
restore_edge(struct mem_writer *w, struct mem_write_item *item, const struct mem_rec *rec)
{
	struct mem_write_edge *e = mem_arena_alloc(&w->arena, sizeof *e);
	struct mem_str kind = read_plain_string(mem_rec_value(rec, "edge"));
	struct mem_edge_values values;
	struct mem_err err = { 0 };
	item->text = rec->text;
	item->edges = e;
	item->nedges = 1;
	e->kind = mem_arena_dup(&w->arena, kind.p, kind.n);
	if (!mem_edge_kind_valid(kind) || !mem_id_parse(read_plain_string(mem_rec_value(rec, "from")), &e->from.id) ||
	    !mem_id_parse(read_plain_string(mem_rec_value(rec, "to")), &e->to.id))
		write_item_refuse(item, "bad_value", 0);
	else if (mem_edge_values_read(&values, rec, &err) != MEM_OK)
		write_item_refuse(item, err.reason, err.offset);
	else
		item->writes_to = write_edge_writes_to(kind, &values);
}

static void
restore_node(struct mem_writer *w, struct mem_write_item *item, const struct mem_rec *rec)
{
	struct mem_err err = { 0 };
	item->is_node = true;
	if (write_entry_of_new(&item->entry, w->index, &w->arena, rec, MEM_FILL_NOTHING, &err) != MEM_OK) {
		write_item_refuse(item, err.reason != NULL ? err.reason : "bad_value", err.offset);
		return;
	}
	item->receipt.ns = item->entry.draft.ns;
	item->supersedes = mem_id_parse(mem_json_text(&w->arena, mem_rec_value(rec, "supersedes")), &item->id);
	const struct mem_access_request to = { .access = MEM_RESTORE, .ns = item->receipt.ns, .compartment = mem_str(item->entry.draft.compartment) };
	if (!mem_store_allows(w->index->store, &to))
		write_item_refuse(item, "namespace_denied", 0);
}

struct mem_write_item *
mem_write_restore(struct mem_writer *w, const struct mem_write_input *in, const struct mem_clean_rec *rec)
{
	bool is_edge = mem_rec_find(rec->rec, "edge") != NULL;
	struct mem_write_item *item = write_item_new(w, in, is_edge ? run_restored_edge : run_restored_node);
	if (is_edge)
		restore_edge(w, item, rec->rec);
	else
		restore_node(w, item, rec->rec);
	return item;
}
