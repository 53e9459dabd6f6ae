/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of files: their tags, their end, and what is wrong with them. */
#include "write/file_nodes.h"

#include "record/record.h"

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

void
mem_file_fault_put(struct mem_buf *out, int64_t line, const char *msg)
{
	mem_buf_puts(out, out->len > 0 ? "," : "");
	mem_buf_putc(out, '{');
	mem_json_put_int(out, "line", line);
	mem_json_put_field(out, "message", mem_str(msg));
	mem_buf_putc(out, '}');
}
