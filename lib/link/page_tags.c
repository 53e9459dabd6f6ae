/* SPDX-License-Identifier: Apache-2.0 */
/* Tags that pages made: one that nothing has any more is retired, and comes back with the next page that has it. */
#include "link/page_tags.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/kind.h"

void
page_tags_note(struct page_tags *l, uint32_t ord)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = ord;
}

void
page_tags_release(struct page_tags *l)
{
	free(l->v);
	*l = (struct page_tags){ 0 };
}

/* Was the node made for a page?  Others' tags stay as they made them. */
static bool
is_made_for_pages(struct mem_str json)
{
	static const char *const made[] = { "kg-link", "kg-hooks" };
	const struct mem_json via = mem_json_member(mem_json_member(mem_json_object(json), "origin"), "via");
	for (size_t i = 0; i < MEM_COUNT(made); i++)
		if (mem_json_is(via, made[i]))
			return true;
	return false;
}

static enum mem_status
look_for_edge(struct mem_txn *t, uint32_t ord, bool leaving, bool *has, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	enum mem_status st = mem_edge_cursor_open(&c, t, leaving, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, ord, 0, 0, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_next(c, &row, err);
	*has |= st == MEM_OK;
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
set_tag_status(struct mem_txn *t, struct mem_writer *w, uint32_t ord, const char *status, const char *reason, struct mem_err *err)
{
	const struct mem_clean_field field = { "status", mem_clean_word(mem_writer_arena(w), mem_str(status)) };
	const struct mem_write_edit edit = { .set = &field, .n = 1, .op = "changed", .audit = { .word = "node_changed", .reason = reason } };
	enum mem_status st = mem_write_change_at(t, w, ord, &edit, NULL, err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
retire_tag(struct mem_txn *t, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	struct mem_node node;
	bool has = false;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	if (node.attr->kind != MEM_KIND_TAG || node.attr->status != MEM_STATUS_ACTIVE || !is_made_for_pages(node.json))
		return MEM_OK;
	st = look_for_edge(t, ord, false, &has, err);
	if (st == MEM_OK)
		st = look_for_edge(t, ord, true, &has, err);
	return st == MEM_OK && !has ? set_tag_status(t, w, ord, "retired", "gone", err) : st;
}

enum mem_status
page_tags_retire(struct mem_txn *t, struct mem_writer *w, struct page_tags *l, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	l->n = mem_numbers_sort_unique(l->v, l->n);
	for (size_t i = 0; i < l->n && st == MEM_OK; i++)
		st = retire_tag(t, w, l->v[i], err);
	return st;
}

enum mem_status
page_tag_revive(struct mem_txn *t, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	const struct mem_attr *a;
	struct mem_node node;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_OK && a->status != MEM_STATUS_RETIRED)
		return MEM_OK;
	if (st == MEM_OK)
		st = mem_node_at(t, ord, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	if (!is_made_for_pages(node.json))
		return MEM_OK;
	return set_tag_status(t, w, ord, "active", NULL, err);
}
