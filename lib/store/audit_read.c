/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the audit that the principal may see. */
#include <string.h>

#include "record/record.h"
#include "store/log.h"
#include "store/node.h"
#include "store/row_pack.h"
#include "store/store_int.h"

static struct mem_audit_row
audit_row_make(const struct store_row *r, const char *ns, struct mem_arena *a)
{
	return (struct mem_audit_row){ .seq = r->seq, .at = r->at, .subject = r->id, .ns_number = r->ns, .ns = mem_arena_str(a, mem_str(ns)),
		.kind = mem_arena_str(a, r->words[0]), .actor = mem_arena_str(a, r->words[1]), .reason = mem_arena_str(a, r->words[2]),
		.detail = mem_arena_str(a, r->words[3]) };
}

/* Whose a node was that is gone or damaged nobody can tell: its id is for who wrote the row and who reads all namespaces. */
static bool
is_audit_end_readable(struct mem_txn *t, const struct store_row *row, const struct mem_id *end)
{
	struct mem_node node;
	if (t->s->every_namespace || mem_str_is(row->words[1], t->s->who.agent))
		return true;
	return mem_node_by_id(t, end, &node, NULL) == MEM_OK && mem_node_readable(t, node.attr);
}

/* A row about an edge is for who sees both ends, as the edge is: the other end is `to` of its detail. */
static bool
is_audit_detail_readable(struct mem_txn *t, const struct store_row *row)
{
	static const char of_edge[] = "edge_";
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	struct mem_id end;
	if (row->words[0].n < sizeof of_edge - 1 || memcmp(row->words[0].p, of_edge, sizeof of_edge - 1) != 0)
		return true;
	bool readable = mem_rec_scan(&rec, row->words[3], NULL) == MEM_OK && mem_id_parse(mem_json_text(&arena, mem_rec_value(&rec, "to")), &end) &&
	    is_audit_end_readable(t, row, &end);
	mem_arena_release(&arena);
	mem_rec_release(&rec);
	return readable;
}

enum mem_status
mem_audit_read(struct mem_txn *t, uint64_t *after, struct mem_arena *arena, struct mem_audit_row *rows, size_t max,
    size_t *n, struct mem_err *err)
{
	struct store_row_reader r;
	*n = 0;
	if (*after == UINT64_MAX || max == 0)
		return MEM_OK;
	enum mem_status st = store_rows_begin(&r, t, MEM_T_AUDIT, *after, err);
	for (size_t seen = 0; st == MEM_OK && *n < max && seen < STORE_SCAN_MAX; seen++) {
		struct store_ns_entry *ns;
		struct store_row row;
		st = store_rows_next_readable(&r, &row, &ns, after, err);
		if (st == MEM_OK && ns != NULL && is_audit_detail_readable(t, &row))
			rows[(*n)++] = audit_row_make(&row, ns->ns.name, arena);
	}
	store_rows_end(&r);
	return st == MEM_END ? MEM_OK : st;
}
