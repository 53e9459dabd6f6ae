/* SPDX-License-Identifier: Apache-2.0 */
/* Edges by themselves on their way through a batch. */
#include "write/file_nodes.h"
#include "write/write_int.h"

/* A row about the node that the edge leaves; what the edge is, never what else it says. */
static enum mem_status
audit_edge(struct mem_txn *t, struct mem_writer *w, const char *word, const struct mem_write_edge *edge, uint32_t from, uint32_t to,
    struct mem_err *err)
{
	struct mem_clean_object o = { 0 };
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, to, &a, err);
	if (st != MEM_OK || !edge->audit)
		return st;
	mem_clean_object_put(&o, "edge", mem_clean_word(&w->arena, mem_str(edge->kind)));
	mem_clean_object_put(&o, "to", mem_clean_id(&w->arena, &a->id));
	const struct mem_write_audit audit = { .word = word, .detail = mem_clean_object_end(&o, &w->arena) };
	return mem_write_audit_at(t, w, from, &audit, err);
}

/* The receipt names the node that the edge leaves. */
static enum mem_status
name_edge_source(struct mem_txn *t, struct mem_write_item *item, uint32_t from, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, from, &a, err);
	item->receipt.has_id = st == MEM_OK;
	if (st == MEM_OK)
		item->receipt.id = a->id;
	return st;
}

/* Why the edge of an item cannot be written between these nodes; NULL: it can. */
static enum mem_status
check_link(struct mem_txn *t, struct mem_writer *w, const struct mem_write_item *item, uint32_t *from, uint32_t *to, const char **reason,
    struct mem_err *err)
{
	bool allowed = true;
	enum mem_status st = write_edge_ends(t, w, item->edges, NULL, from, to, reason, err);
	if (st == MEM_OK && *reason == NULL && item->writes_to)
		st = write_ord_allowed(t, w, *to, &allowed, err);
	if (st == MEM_OK && !allowed)
		*reason = "supersedes_denied";
	return st;
}

static enum mem_status
run_link(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	const struct mem_write_edge *e = item->edges;
	const char *reason;
	uint32_t from, to;
	enum mem_verdict *verdict = &item->receipt.verdict;
	enum mem_status st = check_link(t, w, item, &from, &to, &reason, err);
	if (st == MEM_OK && reason == NULL && e->merge)
		st = write_edge_merge_check(t, w, from, to, e, &reason, err);
	if (st == MEM_OK && reason != NULL)
		return write_item_reject(t, w, item, reason, err);
	if (st == MEM_OK)
		st = mem_write_link_at(t, w, from, to, e, verdict, err);
	if (st == MEM_OK && *verdict != MEM_UNCHANGED)
		st = audit_edge(t, w, *verdict == MEM_NEW ? "edge_added" : "edge_changed", e, from, to, err);
	if (st == MEM_OK && *verdict != MEM_UNCHANGED)
		st = mem_page_edge_note(t, w, from, e->kind, err);
	return st == MEM_OK ? name_edge_source(t, item, from, err) : st;
}

static enum mem_status
run_unlink(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	const struct mem_write_edge *e = item->edges;
	const char *reason;
	uint32_t from, to;
	enum mem_status st = write_edge_ends(t, w, e, NULL, &from, &to, &reason, err);
	if (st == MEM_OK && reason == NULL) {
		st = mem_write_unlink_at(t, from, to, e->kind, err);
		reason = st == MEM_NOTFOUND ? "not_found" : NULL;
	}
	if (reason != NULL)
		return write_item_reject(t, w, item, reason, err);
	item->receipt.verdict = MEM_REMOVED;
	if (st == MEM_OK)
		st = audit_edge(t, w, "edge_removed", e, from, to, err);
	if (st == MEM_OK)
		st = mem_page_edge_note(t, w, from, e->kind, err);
	return st == MEM_OK ? name_edge_source(t, item, from, err) : st;
}

/* An item with a copy of the edge. */
static struct mem_write_item *
new_edge_item(struct mem_writer *w, const struct mem_write_input *in, const struct mem_write_edge *edge, write_item_fn *run)
{
	struct mem_write_item *item = write_item_new(w, in, run);
	struct mem_write_edge *e = mem_arena_alloc(&w->arena, sizeof *e);
	*e = *edge;
	item->edges = e;
	item->nedges = 1;
	return item;
}

struct mem_write_item *
mem_write_link(struct mem_writer *w, const struct mem_write_input *in, const struct mem_write_edge *edge)
{
	struct mem_write_item *item = new_edge_item(w, in, edge, run_link);
	struct mem_edge_values values;
	struct mem_err err = { 0 };
	if (!write_edge_fits(w, edge, &values, &err))
		write_item_refuse(item, err.reason, 0);
	else
		item->writes_to = write_edge_writes_to(mem_str(edge->kind), &values);
	return item;
}

struct mem_write_item *
mem_write_unlink(struct mem_writer *w, const struct mem_write_input *in, const struct mem_write_edge *edge)
{
	return new_edge_item(w, in, edge, run_unlink);
}
