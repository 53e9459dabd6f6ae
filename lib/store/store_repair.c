/* SPDX-License-Identifier: Apache-2.0 */
/* What is derived_tables, built anew from nodes, edges, log and audit. */
#include <stdlib.h>
#include <string.h>

#include "store/row_pack.h"
#include "store/store_int.h"
#include "store/edge_int.h"
#include "store/edge.h"
#include "store/node.h"

static const enum mem_table derived_tables[] = {
	MEM_T_ID, MEM_T_REF, MEM_T_DUP, MEM_T_NAME, MEM_T_SESS, MEM_T_DUE, MEM_T_IN, MEM_T_PEND,
};

static struct mem_str
put_be_key(uint8_t *p, uint32_t v)
{
	mem_be32(p, v);
	return (struct mem_str){ (const char *)p, 4 };
}

/* The number in the last key of a table, `width` bytes of it; 0 in an empty one. */
static enum mem_status
last_key_number(struct mem_txn *t, enum mem_table tab, size_t width, uint64_t *out, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	*out = 0;
	enum mem_status st = mem_cursor_open(&c, t, tab, err);
	if (st == MEM_OK)
		st = mem_cursor_last(c, err);
	if (st == MEM_OK) {
		struct mem_str k = mem_cursor_key(c);
		if (k.n == width)
			*out = width == 8 ? mem_be64_get((const uint8_t *)k.p) : (uint64_t)mem_be32_get((const uint8_t *)k.p) + 1;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* The rows of a key, with counts of nothing, for the index to count again. */
static enum mem_status
put_ns_rows(struct mem_txn *t, struct mem_str row_key, uint32_t number, uint32_t root, struct mem_err *err)
{
	struct store_ns_row row = { .number = number, .root = root };
	uint8_t key[5] = { 0 };
	mem_be32(key + 1, number);
	if (number >= t->c.next_ns)
		t->c.next_ns = number + 1;
	enum mem_status st = mem_tab_put(t, MEM_T_NS, row_key, (struct mem_str){ (const char *)&row, sizeof row }, err);
	return st == MEM_OK ? mem_tab_put(t, MEM_T_NS, (struct mem_str){ (const char *)key, sizeof key }, row_key, err) : st;
}

/* The same where the number is known; a compartment's namespace is found by its name, and made where it is lost. */
static enum mem_status
restore_ns_rows(struct mem_txn *t, struct mem_str row_key, uint32_t number, struct mem_err *err)
{
	struct mem_str name, compartment, v = { 0 };
	struct store_ns_row root = { 0 };
	enum mem_status st = MEM_OK;
	if (!store_ns_key_parse(row_key, &name, &compartment))
		return MEM_OK;
	if (compartment.n > 0)
		st = mem_tab_get(t, MEM_T_NS, name, &v, err);
	if (st == MEM_NOTFOUND) {
		root.number = t->c.next_ns;
		st = put_ns_rows(t, name, root.number, 0, err);
	} else if (st == MEM_OK && compartment.n > 0 && v.n == sizeof root)
		memcpy(&root, v.p, sizeof root);
	return st == MEM_OK ? put_ns_rows(t, row_key, number, root.number, err) : st;
}

/* A key that lost both rows gets back the number that its nodes' attributes still hold, unless that is taken. */
static enum mem_status
restore_ns(struct mem_txn *t, const struct mem_node_keys *d, uint32_t number, struct mem_err *err)
{
	uint8_t key[5] = { 0 };
	struct mem_buf row_key = { 0 };
	enum mem_status st = MEM_OK;
	mem_be32(key + 1, number);
	store_ns_key_put(&row_key, d->ns, mem_str(d->compartment));
	if (number > 0 && !mem_tab_has(t, MEM_T_NS, (struct mem_str){ (const char *)key, sizeof key }))
		st = restore_ns_rows(t, mem_buf_span(&row_key), number, err);
	mem_buf_release(&row_key);
	return st;
}

/* A row's key of a name and its number. */
static bool
read_ns_pair(struct mem_str key, struct mem_str value, struct mem_str *row_key, uint32_t *number)
{
	struct mem_str name, compartment;
	struct store_ns_row row;
	if (key.n == 5 && key.p[0] == '\0') {
		*row_key = value;
		*number = mem_be32_get((const uint8_t *)key.p + 1);
		return store_ns_key_parse(value, &name, &compartment);
	}
	if (value.n != sizeof row || !store_ns_key_parse(key, &name, &compartment))
		return false;
	memcpy(&row, value.p, sizeof row);
	*row_key = key;
	*number = row.number;
	return true;
}

static bool
is_compartment_key(struct mem_str row_key)
{
	struct mem_str name, compartment;
	return store_ns_key_parse(row_key, &name, &compartment) && compartment.n > 0;
}

/* Each row of table ns tells a name and a number, whichever of the two is its key; one that tells neither goes. */
static enum mem_status
reset_ns_table(struct mem_txn *t, struct mem_err *err)
{
	struct mem_arena copies = { 0 };
	struct mem_str *rows = NULL;
	size_t n = 0, cap = 0;
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_NS, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str v;
		rows = mem_grow(rows, &cap, n + 2, sizeof *rows);
		rows[n++] = mem_arena_str(&copies, mem_cursor_key(c));
		rows[n++] = mem_cursor_read(c, &v, NULL) == MEM_OK ? mem_arena_str(&copies, v) : (struct mem_str){ "", 0 };
	}
	mem_cursor_close(c);
	if (st == MEM_END)
		st = MEM_OK;
	/* All go first, since the other row of the two may restore one that tells nothing; namespaces come before compartments. */
	for (size_t i = 0; i < n && st == MEM_OK; i += 2)
		st = mem_tab_del(t, MEM_T_NS, rows[i], err);
	for (size_t i = 0; i < 2 * n && st == MEM_OK; i += 2) {
		struct mem_str row_key;
		uint32_t number;
		if (read_ns_pair(rows[i % n], rows[i % n + 1], &row_key, &number) && is_compartment_key(row_key) == (i >= n))
			st = restore_ns_rows(t, row_key, number, err);
	}
	free(rows);
	mem_arena_release(&copies);
	return st;
}

/* The keys of table out. */
static enum mem_status
gather_out_keys(struct mem_txn *t, struct mem_buf *keys, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_OUT, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str k = mem_cursor_key(c);
		if (k.n == STORE_EDGE_KEY)
			mem_buf_str(keys, k);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* Are the nodes there, damaged or not, that an edge leads from and to? */
static bool
has_edge_nodes(struct mem_txn *t, uint32_t from, uint32_t to)
{
	uint8_t key[4];
	return mem_tab_has(t, MEM_T_NODE, put_be_key(key, from)) && mem_tab_has(t, MEM_T_NODE, put_be_key(key, to));
}

/* A text that cannot be read keeps what stands before it, which mem-check goes on telling.  `copy` and `rec` are reused. */
static enum mem_status
rebuild_edge(struct mem_txn *t, struct mem_str key, struct mem_buf *copy, struct mem_rec *rec, struct mem_err *err)
{
	uint32_t from, to;
	uint16_t kind;
	uint8_t k[STORE_EDGE_KEY];
	struct mem_str v;
	struct mem_edge_values values;
	struct store_out_head head;
	store_edge_key_parse(key.p, &from, &kind, &to);
	enum mem_status st = mem_tab_get(t, MEM_T_OUT, key, &v, err);
	if (st == MEM_DAMAGED || st == MEM_NOTFOUND) /* or its key is, which then names other nodes */
		return MEM_OK; /* mem-check goes on telling it as checksum */
	if (st == MEM_OK && (v.n < sizeof head || !has_edge_nodes(t, from, to)))
		return mem_tab_del(t, MEM_T_OUT, key, err);
	if (st != MEM_OK)
		return st;
	mem_buf_reset(copy);
	mem_buf_str(copy, v);
	memcpy(&head, copy->data, sizeof head);
	if (mem_rec_scan(rec, (struct mem_str){ copy->data + sizeof head, copy->len - sizeof head }, NULL) == MEM_OK &&
	    mem_edge_values_read(&values, rec, NULL) == MEM_OK)
		head = store_out_head_make(head.seq, &values);
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bytes that were written against bytes to be written */
	if (memcmp(copy->data, &head, sizeof head) != 0) {
		memcpy(copy->data, &head, sizeof head);
		st = mem_tab_put(t, MEM_T_OUT, key, mem_buf_span(copy), err);
	}
	struct store_in_row in = store_in_row_make(&head);
	if (st == MEM_OK)
		st = mem_tab_put(t, MEM_T_IN, store_edge_key(k, to, kind, from), (struct mem_str){ (const char *)&in, sizeof in }, err);
	return st;
}

/* What out and in keep of each edge, from its text; an edge whose end has no text any more goes. */
static enum mem_status
rebuild_edges(struct mem_txn *t, struct mem_err *err)
{
	struct mem_buf keys = { 0 }, copy = { 0 };
	struct mem_rec rec = { 0 };
	enum mem_status st = gather_out_keys(t, &keys, err);
	for (size_t i = 0; i < keys.len && st == MEM_OK; i += STORE_EDGE_KEY)
		st = rebuild_edge(t, (struct mem_str){ keys.data + i, STORE_EDGE_KEY }, &copy, &rec, err);
	mem_rec_release(&rec);
	mem_buf_release(&keys);
	mem_buf_release(&copy);
	return st;
}

/* The number of the last row of log or audit, which may be in a block. */
static enum mem_status
last_row_number(struct mem_txn *t, enum mem_table tab, uint64_t *out, struct mem_err *err)
{
	uint64_t packed;
	enum mem_status st = last_key_number(t, tab, 8, out, err);
	if (st == MEM_OK)
		st = last_key_number(t, store_block_table(tab), 8, &packed, err);
	if (st == MEM_OK && packed > *out)
		*out = packed;
	return st;
}

static enum mem_status
reset_counters(struct mem_txn *t, struct mem_err *err)
{
	uint64_t nodes, attrs, seq, audit;
	enum mem_status st = last_key_number(t, MEM_T_NODE, 4, &nodes, err);
	if (st == MEM_OK)
		st = last_key_number(t, MEM_T_ATTR, 4, &attrs, err);
	if (st == MEM_OK)
		st = last_row_number(t, MEM_T_LOG, &seq, err);
	if (st == MEM_OK)
		st = last_row_number(t, MEM_T_AUDIT, &audit, err);
	if (st != MEM_OK)
		return st;
	if (attrs > nodes)
		nodes = attrs;
	if (nodes > t->c.next_ord)
		t->c.next_ord = (uint32_t)nodes;
	t->c.seq = seq;
	t->c.audit_seq = audit;
	t->counters_dirty = true;
	return MEM_OK;
}

/* Attributes whose node has no text are of no use, and nothing else tells of them. */
static enum mem_status
prune_attrs(struct mem_txn *t, struct mem_err *err)
{
	struct mem_buf keys = { 0 };
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str k = mem_cursor_key(c);
		if (k.n == 4 && !mem_tab_has(t, MEM_T_NODE, k))
			mem_buf_str(&keys, k);
	}
	mem_cursor_close(c);
	if (st == MEM_END)
		st = MEM_OK;
	for (size_t i = 0; i < keys.len && st == MEM_OK; i += 4)
		st = mem_tab_del(t, MEM_T_ATTR, (struct mem_str){ keys.data + i, 4 }, err);
	mem_buf_release(&keys);
	return st;
}

/* Nodes whose text is damaged keep their ids, by which they are named; nothing else can be derived of them. */
struct damaged_ids {
	struct mem_id *ids;
	uint32_t *ords;
	size_t n, cap, ords_cap;
};

static enum mem_status
gather_damaged_ids(struct mem_txn *t, struct damaged_ids *d, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_str v;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_NODE, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str k = mem_cursor_key(c);
		uint32_t ord = k.n == 4 ? mem_be32_get((const uint8_t *)k.p) : UINT32_MAX;
		struct mem_id id;
		if (k.n != 4 || mem_cursor_read(c, &v, NULL) != MEM_DAMAGED || !store_damaged_id(t, ord, &id))
			continue;
		d->ids = mem_grow(d->ids, &d->cap, d->n + 1, sizeof *d->ids);
		d->ords = mem_grow(d->ords, &d->ords_cap, d->n + 1, sizeof *d->ords);
		d->ids[d->n] = id;
		d->ords[d->n++] = ord;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
put_damaged_ids(struct mem_txn *t, struct damaged_ids *d, struct mem_err *err)
{
	uint8_t key[4];
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < d->n && st == MEM_OK; i++)
		st = mem_tab_put(t, MEM_T_ID, (struct mem_str){ (const char *)d->ids[i].b, sizeof d->ids[i].b }, put_be_key(key, d->ords[i]), err);
	return st;
}

enum mem_status
mem_store_rebuild_begin(struct mem_txn *t, struct mem_err *err)
{
	struct damaged_ids damaged = { 0 };
	enum mem_status st = reset_counters(t, err);
	t->c.repairing = 1;
	if (st == MEM_OK)
		st = store_mend_meta(t, err);
	if (st == MEM_OK)
		st = gather_damaged_ids(t, &damaged, err);
	for (size_t i = 0; i < MEM_COUNT(derived_tables) && st == MEM_OK; i++) {
		if (t->dbi[derived_tables[i]] == 0)
			continue;
		store_enter_lmdb();
		int rc = mdb_drop(t->txn, t->dbi[derived_tables[i]], 0);
		store_leave_lmdb();
		if (rc != 0)
			st = store_txn_err(t, rc, "empty a table", err);
		store_tree_forget(t, derived_tables[i]);
	}
	if (st == MEM_OK)
		st = put_damaged_ids(t, &damaged, err);
	free(damaged.ids);
	free(damaged.ords);
	if (st == MEM_OK)
		st = reset_ns_table(t, err);
	if (st == MEM_OK)
		st = rebuild_edges(t, err);
	return st == MEM_OK ? prune_attrs(t, err) : st;
}

void
mem_store_rebuild_end(struct mem_txn *t)
{
	t->c.repairing = 0;
	t->counters_dirty = true;
}

enum mem_status
mem_store_rebuild_node(struct mem_txn *t, uint32_t ord, struct mem_node_keys *d, struct mem_err *err)
{
	uint8_t key[4], value[4];
	struct mem_node_keys_row row = { 0 };
	const struct mem_attr *old;
	enum mem_status st = mem_node_keys_number(t, d, false, err);
	if (st == MEM_NOTFOUND) {
		st = mem_attr_at(t, ord, &old, err);
		if (st == MEM_OK)
			st = restore_ns(t, d, old->ns, err);
		if (st == MEM_OK || st == MEM_NOTFOUND || st == MEM_DAMAGED)
			st = mem_node_keys_number(t, d, true, err);
	}
	if (st != MEM_OK)
		return st;
	st = mem_tab_put(t, MEM_T_ATTR, put_be_key(key, ord), (struct mem_str){ (const char *)&d->attr, sizeof d->attr }, err);
	if (st == MEM_OK)
		st = mem_tab_put(t, MEM_T_ID, (struct mem_str){ (const char *)d->attr.id.b, sizeof d->attr.id.b }, put_be_key(value, ord), err);
	while (st == MEM_OK && mem_node_keys_next(d, ord, &row))
		st = mem_tab_put(t, row.table, (struct mem_str){ (const char *)row.key, row.len }, row.value, err);
	return st;
}
