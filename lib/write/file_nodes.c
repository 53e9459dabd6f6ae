/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of files: their tags, their end, and what is wrong with them. */
#include "write/file_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "store/edge.h"
#include "store/kind.h"

void
mem_tag_queue(struct mem_writer *w, const struct mem_write_input *in, struct mem_str id_of, struct mem_clean_text name)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_field *fields = mem_arena_alloc(a, 2 * sizeof *fields);
	fields[0] = (struct mem_clean_field){ "name", name };
	fields[1] = (struct mem_clean_field){ "type", mem_clean_word(a, MEM_STR("tag")) };
	const struct mem_write_input quiet = { .line = in->line, .ns = in->ns, .quiet = true };
	const struct mem_write_node node = { .kind = MEM_KIND_TAG, .id_of = id_of, .fields = fields, .nfields = 2, .audit.word = "node_added" };
	mem_write_add(w, &quiet, &node);
}

enum mem_status
mem_gone_file_retire(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	const struct mem_id *id = ctx;
	const struct mem_clean_field status = { "status", mem_clean_word(mem_writer_arena(w), MEM_STR("retired")) };
	const struct mem_write_edit edit = { .set = &status, .n = 1, .op = "changed", .audit = { .word = "node_changed", .reason = "gone" } };
	struct mem_node node;
	enum mem_status st = mem_write_node_find(t, id, &node, err);
	receipt->verdict = MEM_REMOVED;
	receipt->id = *id;
	receipt->has_id = true;
	return st == MEM_OK ? mem_write_change_at(t, w, node.ord, &edit, NULL, err) : st == MEM_NOTFOUND ? MEM_OK : st;
}

/* ---- edges of pages that another hand writes ---------------------------------------- */

const char *const mem_page_edge_kinds[MEM_PAGE_EDGES] = {
	[MEM_PAGE_REFERENCES] = "references", [MEM_PAGE_EMBEDS] = "embeds", [MEM_PAGE_TAGGED] = "tagged", [MEM_PAGE_ABOUT] = "about",
};

/* Its file counts as changed.  What the page says is what it was, so that its version stays. */
static enum mem_status
forget_page_hash(struct mem_txn *t, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	const struct mem_clean_field hash = { "sha256", mem_clean_null() };
	const struct mem_write_edit edit = { .set = &hash, .n = 1, .mark = true, .op = "changed" };
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_OK && a->kind == MEM_KIND_PAGE)
		st = mem_write_change_at(t, w, ord, &edit, NULL, err);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
mem_page_edge_note(struct mem_txn *t, struct mem_writer *w, uint32_t from, const char *kind, struct mem_err *err)
{
	for (size_t i = 0; i < MEM_PAGE_EDGES; i++)
		if (strcmp(kind, mem_page_edge_kinds[i]) == 0)
			return forget_page_hash(t, w, from, err);
	return MEM_OK;
}

enum mem_status
mem_page_tag_note(struct mem_txn *t, struct mem_writer *w, uint32_t tag, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	const struct mem_attr *a;
	uint32_t *pages = NULL;
	size_t n = 0, cap = 0;
	uint16_t tagged;
	enum mem_status st = mem_attr_at(t, tag, &a, err);
	if (st != MEM_OK || a->kind != MEM_KIND_TAG)
		return st;
	st = mem_edge_cursor_open_at(&c, t, tag, mem_page_edge_kinds[MEM_PAGE_TAGGED], false, &tagged, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == tagged) {
		pages = mem_grow(pages, &cap, n + 1, sizeof *pages);
		pages[n++] = row.other;
	}
	mem_edge_cursor_close(c); /* before anything is written */
	st = st == MEM_END ? MEM_OK : st;
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = forget_page_hash(t, w, pages[i], err);
	free(pages);
	return st;
}

/* ---- faults --------------------------------------------------------------------------- */

void
mem_file_fault_put(struct mem_buf *out, int64_t line, const char *msg)
{
	mem_buf_puts(out, out->len > 0 ? "," : "");
	mem_buf_putc(out, '{');
	mem_json_put_int(out, "line", line);
	mem_json_put_field(out, "message", mem_str(msg));
	mem_buf_putc(out, '}');
}
