/* SPDX-License-Identifier: Apache-2.0 */
/* Entities that came, went or took other names since the links of a vault were resolved last: the pages that they concern. */
#include "link/vault_int.h"

#include <stdlib.h>

#include "base/order.h"
#include "store/edge.h"
#include "store/log.h"
#include "text/text.h"
#include "write/file_nodes.h"

enum {
	LOG_ROWS = 256,            /* read at once */
	LOG_READ_AGAIN_MAX = 4096, /* rows without an entity that the next run may read again, before it is worth a write */
};

/* ---- which entities ------------------------------------------------------------- */

static void
note_changed_entity(struct mem_vault_run *r, const struct mem_id *id)
{
	r->entities = mem_grow(r->entities, &r->entities_cap, r->nentities + 1, sizeof *r->entities);
	r->entities[r->nentities++] = *id;
}

static int
compare_entity_ids(const void *a, const void *b)
{
	return mem_id_cmp(a, b);
}

static void
drop_repeated_entities(struct mem_vault_run *r)
{
	size_t kept = 0;
	mem_sort(r->entities, r->nentities, sizeof *r->entities, compare_entity_ids);
	for (size_t i = 0; i < r->nentities; i++)
		if (kept == 0 || mem_id_cmp(&r->entities[kept - 1], &r->entities[i]) != 0)
			r->entities[kept++] = r->entities[i];
	r->nentities = kept;
}

enum mem_status
vault_read_entities(struct mem_vault_run *r, struct mem_err *err)
{
	struct mem_log_row rows[LOG_ROWS];
	struct mem_txn *t = NULL;
	uint64_t after = r->log_seen, from;
	size_t n;
	enum mem_status st = mem_txn_read(&t, mem_vault_store(r), err);
	do {
		from = after;
		n = 0;
		if (st == MEM_OK)
			st = mem_log_read(t, &after, rows, LOG_ROWS, &n, err);
		for (size_t i = 0; i < n; i++)
			if (rows[i].kind == MEM_KIND_ENTITY)
				note_changed_entity(r, &rows[i].id);
	} while (st == MEM_OK && after > from);
	mem_txn_end(t);
	r->has_log_seen = after - r->log_seen > LOG_READ_AGAIN_MAX;
	r->log_seen = after;
	drop_repeated_entities(r);
	return st;
}

/* ---- whose pages ---------------------------------------------------------------- */

/* Those that have the name for a title, in each namespace that is seen. */
static enum mem_status
add_titled_sources(struct mem_vault_run *r, struct mem_txn *t, struct mem_str name, const struct mem_ns *ns, size_t n, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && name.n > 0 && st == MEM_OK; i++) {
		uint32_t ord = UINT32_MAX;
		if (ns[i].root != ns[i].number)
			continue;
		while ((st = mem_node_by_name(t, mem_str(ns[i].name), MEM_STR("=title"), name, &ord, err)) == MEM_OK)
			vault_add_source(r, ord);
		st = st == MEM_END ? MEM_OK : st;
	}
	return st;
}

static enum mem_status
add_sources_of_names(struct mem_vault_run *r, struct mem_txn *t, struct mem_str json, const struct mem_ns *ns, size_t n, struct mem_err *err)
{
	struct mem_json entity = mem_json_object(json);
	struct mem_arena a = { 0 };
	struct mem_str name = mem_json_text(&a, mem_json_member(entity, "name"));
	enum mem_status st = add_titled_sources(r, t, mem_text_folded(&a, name), ns, n, err);
	for (struct mem_json_iter it = mem_json_each(mem_json_member(entity, "aliases")); mem_json_next(&it) && st == MEM_OK;)
		st = add_titled_sources(r, t, mem_text_folded(&a, mem_json_text(&a, it.value)), ns, n, err);
	mem_arena_release(&a);
	return st;
}

/* Pages that an edge leads from, by a name that the entity may not have any more. */
static enum mem_status
add_linked_sources(struct mem_vault_run *r, struct mem_txn *t, uint32_t entity, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, entity, mem_page_edge_kinds[MEM_PAGE_ABOUT], false, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		vault_add_source(r, row.other);
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
vault_add_entity_sources(struct mem_vault_run *r, struct mem_txn *t, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = r->nentities > 0 ? mem_ns_visible(t, &ns, &n, err) : MEM_OK;
	for (size_t i = 0; i < r->nentities && st == MEM_OK; i++) {
		struct mem_node node;
		st = mem_node_by_id(t, &r->entities[i], &node, err);
		if (st == MEM_OK)
			st = add_linked_sources(r, t, node.ord, err);
		if (st == MEM_OK)
			st = add_sources_of_names(r, t, node.json, ns, n, err);
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	free(ns);
	return st;
}
