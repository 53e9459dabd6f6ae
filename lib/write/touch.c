/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes count that they were read. */
#include "write/touch.h"

#include <stdlib.h>

#include "write/write_int.h"

enum { NODES_AT_ONCE = 1000 }; /* in a transaction */

struct touch {
	struct mem_writer *writer;
	const struct mem_id *ids;
	size_t n, touched;
};

static enum mem_status
touch_node(struct mem_txn *t, struct touch *c, const struct mem_node *node, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(c->writer);
	const struct mem_clean_field set[] = {
		{ "last_access", mem_clean_time(a, mem_txn_now(t)) },
		{ "access_count", mem_clean_int(a, (int64_t)node->attr->access_count + (node->attr->access_count < UINT32_MAX)) },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .mark = true, .op = "touched" };
	bool changed;
	enum mem_status st = mem_write_change_at(t, c->writer, node->ord, &edit, &changed, err);
	c->touched += st == MEM_OK && changed;
	return st;
}

/* What cannot be read, or is not the caller's to change, is passed over. */
static enum mem_status
touch_readable_node(struct mem_txn *t, struct touch *c, const struct mem_id *id, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	bool allowed = false;
	enum mem_status st = mem_write_node_find(t, id, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	if (!mem_kind_info(node.attr->kind)->memory)
		return MEM_OK;
	st = write_node_allowed(t, c->writer, node.attr, &ns, &allowed, err);
	return st == MEM_OK && allowed ? touch_node(t, c, &node, err) : st;
}

/* A mem_write_fn over struct touch. */
static enum mem_status
touch_nodes(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct touch *c = ctx;
	enum mem_status st = MEM_OK;
	mem_arena_reset(mem_writer_arena(c->writer));
	c->touched = 0;
	for (size_t i = 0; i < c->n && st == MEM_OK; i++)
		st = touch_readable_node(t, c, &c->ids[i], err);
	return st == MEM_OK && c->touched == 0 ? MEM_END : st; /* what changes nothing is not committed */
}

enum mem_status
mem_write_touch(struct mem_index *m, const struct mem_id *ids, size_t n, size_t *touched, struct mem_err *err)
{
	const struct mem_write_options o = { .via = "touch" };
	struct mem_writer *w = mem_writer_new(m, &o);
	enum mem_status st = MEM_OK;
	size_t count = 0;
	for (size_t i = 0; i < n && st == MEM_OK; i += NODES_AT_ONCE) {
		struct touch c = { w, ids + i, n - i < NODES_AT_ONCE ? n - i : NODES_AT_ONCE, 0 };
		st = mem_store_try_write(m->store, touch_nodes, &c, err);
		if (st == MEM_OK)
			count += c.touched;
		if (st == MEM_END)
			st = MEM_OK;
	}
	mem_writer_free(w);
	if (touched != NULL)
		*touched = count;
	return st;
}

/* ---- asked by another program -------------------------------------------- */

static struct mem_id *
read_touch_ids(struct mem_json list, size_t *n, struct mem_arena *room)
{
	struct mem_id *ids = NULL;
	size_t cap = 0;
	*n = 0;
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);) {
		ids = mem_grow(ids, &cap, *n + 1, sizeof *ids);
		*n += mem_id_parse(mem_json_text(room, it.value), &ids[*n]);
	}
	return ids;
}

static enum mem_status
touch_in_store(const struct mem_store_options *where, struct mem_json list, struct mem_arena *room, struct mem_err *err)
{
	struct mem_index m;
	size_t n;
	struct mem_id *ids = read_touch_ids(list, &n, room);
	enum mem_status st = mem_index_open(&m, where, err);
	if (st == MEM_OK) {
		st = mem_write_touch(&m, ids, n, NULL, err);
		mem_index_close(&m);
	}
	free(ids);
	return st;
}

enum mem_status
mem_touch_line(struct mem_str line, struct mem_err *err)
{
	struct mem_rec rec = { 0 };
	struct mem_arena room = { 0 };
	struct mem_store_options where = { .write = true, .wait_ms = 0 };
	enum mem_status st = mem_rec_scan(&rec, line, err);
	if (st == MEM_OK) {
		where.dir = mem_json_text(&room, mem_rec_value(&rec, "store")).p;
		where.agent = mem_json_text(&room, mem_rec_value(&rec, "agent")).p;
		struct mem_json ids = mem_rec_value(&rec, "ids");
		bool fits = where.dir != NULL && where.agent != NULL && mem_json_int(mem_rec_value(&rec, "now"), &where.now);
		st = fits && ids.type == MEM_JSON_ARRAY ? touch_in_store(&where, ids, &room, err)
		    : mem_err_record(err, "bad_value", 0, "store, agent, now and ids are wanted");
	}
	mem_arena_release(&room);
	mem_rec_release(&rec);
	return st;
}
