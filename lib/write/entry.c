/* SPDX-License-Identifier: Apache-2.0 */
#include "write/write.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

static bool
has_text(const struct mem_entry *e, const struct mem_rec *node)
{
	struct mem_buf text = { 0 };
	bool has = (mem_kinds_embedded() >> e->draft.attr.kind & 1) != 0 && mem_node_text(&text, node);
	mem_buf_release(&text);
	return has;
}

enum mem_status
mem_entry_make(struct mem_entry *e, struct mem_index *m, struct mem_arena *arena,
    struct mem_str node, bool fresh, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	*e = (struct mem_entry){ 0 };
	enum mem_status st = MEM_OK;
	if (node.n > MEM_LINE_MAX)
		st = mem_err_record(err, "too_long", MEM_LINE_MAX, "a record of %zu bytes", node.n);
	if (st == MEM_OK)
		st = mem_rec_scan(&r, node, err);
	if (st == MEM_OK)
		st = mem_draft_make(&e->draft, m->store, &r, fresh ? MEM_FILL_ID_AND_TIME : MEM_FILL_NOTHING, err);
	if (st == MEM_OK) {
		mem_node_terms(&e->doc, m, arena, &r);
		m->made++;
		e->embeds = has_text(e, &r);
	}
	mem_rec_release(&r);
	return st;
}

/* The model may have become another one since the vector was made: then it waits for one of that. */
static enum mem_status
put_vector(struct mem_txn *t, const struct mem_entry *e, struct mem_err *err)
{
	enum mem_status st = mem_model_record_put(t, e->by, err);
	/* Damage where it would stand costs the vector, not the node. */
	float *there = mem_xmalloc(e->by->dims * sizeof *there);
	bool damaged = st == MEM_OK && mem_index_vector_get(t, e->ord, there, NULL) == MEM_FAIL;
	free(there);
	if (st == MEM_OK && !damaged)
		return mem_index_vector_put(t, e->ord, e->said.vector, err);
	return st == MEM_NONE || damaged ? mem_index_pend(t, e->ord, err) : st;
}

enum mem_status
mem_entry_put(struct mem_txn *t, struct mem_entry *e, const char *op, struct mem_err *err)
{
	enum mem_status st = mem_node_add(t, &e->draft, op, &e->ord, err);
	if (st != MEM_OK)
		return st;
	e->doc.ord = e->ord;
	e->doc.ns = e->draft.attr.ns;
	e->doc.attr = &e->draft.attr;
	e->put = true;
	st = mem_index_add(t, &e->doc, err);
	if (st == MEM_OK && e->said.vector != NULL)
		return put_vector(t, e, err);
	return st == MEM_OK && e->embeds ? mem_index_pend(t, e->ord, err) : st;
}
