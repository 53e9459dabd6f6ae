/* SPDX-License-Identifier: Apache-2.0 */
/* Edges that go from one node to another, or back, as they stand. */
#include "write/write_int.h"

#include "store/edge.h"

/* Appends the text of an edge with other ends. */
static enum mem_status
put_moved_text(struct mem_buf *out, struct mem_str text, const struct mem_attr *from, const struct mem_attr *to, struct mem_err *err)
{
	char ids[2][MEM_ID_LEN + 3];
	const struct mem_attr *ends[] = { from, to };
	struct mem_rec rec = { 0 };
	for (size_t i = 0; i < 2; i++) {
		ids[i][0] = ids[i][MEM_ID_LEN + 1] = '"';
		mem_id_format(&ends[i]->id, ids[i] + 1);
		ids[i][MEM_ID_LEN + 1] = '"';
	}
	const struct mem_edit edits[] = { { "from", { ids[0], MEM_ID_LEN + 2 } }, { "to", { ids[1], MEM_ID_LEN + 2 } } };
	enum mem_status st = mem_rec_scan(&rec, text, err);
	if (st == MEM_OK)
		mem_rec_edit(out, &rec, edits, MEM_COUNT(edits));
	mem_rec_release(&rec);
	return st == MEM_REFUSED ? mem_err_set(err, MEM_FAIL, "an edge's text cannot be read: run mem-check") : st;
}

enum mem_status
mem_write_move_edge_at(struct mem_txn *t, uint32_t from, uint32_t to, const char *kind, uint32_t new_from, uint32_t new_to,
    struct mem_err *err)
{
	struct mem_buf text = { 0 };
	struct mem_edge there;
	const struct mem_attr *a = NULL, *b = NULL;
	enum mem_status st = mem_edge_find(t, kind, from, to, &there, err);
	if (st == MEM_OK)
		st = mem_attr_at(t, new_from, &a, err);
	if (st == MEM_OK)
		st = mem_attr_at(t, new_to, &b, err);
	if (st == MEM_OK)
		st = put_moved_text(&text, there.json, a, b, err);
	if (st == MEM_OK)
		st = mem_edge_remove(t, kind, from, to, err);
	if (st == MEM_OK)
		st = mem_edge_put(t, kind, new_from, new_to, mem_buf_span(&text), err);
	mem_buf_release(&text);
	return st;
}

enum mem_status
mem_write_restore_edge_at(struct mem_txn *t, uint32_t from, uint32_t to, const char *kind, struct mem_clean_text edge, struct mem_err *err)
{
	return mem_edge_put(t, kind, from, to, edge.value.raw, err);
}

enum mem_status
mem_write_allowed_at(struct mem_txn *t, struct mem_writer *w, uint32_t ord, bool *allowed, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	*allowed = st == MEM_OK && mem_node_readable(t, a);
	return st == MEM_OK && *allowed ? write_ord_allowed(t, w, ord, allowed, err) : st;
}
