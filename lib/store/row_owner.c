/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of tables sess, ref, dup and name say all in their keys.  A bit that turned over there leads to another node, or hides
 * one: a search for what the key was ends before it or behind it, since all other keys are in their order.  So what a reader
 * goes by is compared with the node that it leads to, whose own rows have a checksum; in name, whose rows are read by the
 * thousand, with a checksum of the key.  So are, in sess and name, the rows on both sides of the place where it begins.
 */
#include <string.h>

#include "record/record.h"
#include "store/node.h"
#include "store/row_owner_int.h"
#include "store/store_int.h"

enum { TURN_KEY = 24 }; /* root namespace, hash of the session, captured_at, ord */

static void
note_foreign_row(struct mem_txn *t, enum mem_table tab)
{
	struct mem_err err;
	(void)mem_err_set(&err, MEM_DAMAGED, "'%s': a row of table %s leads to another node: run mem-check", t->s->path, store_table_names[tab]);
	mem_store_damage_note(t->s, &err);
}

/* What is damaged itself is told by its reader. */
static bool
is_turn_of_key(struct mem_txn *t, const uint8_t *key)
{
	const struct mem_attr *a;
	struct store_ns_entry *ns;
	const uint32_t session = (uint32_t)mem_be64_get(key + 4);
	enum mem_status st = mem_attr_at(t, mem_be32_get(key + 20), &a, NULL);
	if (st != MEM_OK)
		return st != MEM_NOTFOUND;
	if (a->session != (session != 0 ? session : 1) || a->captured_at != store_get_key_time(key + 12))
		return false;
	return store_ns_by_number(t, a->ns, &ns, NULL) != MEM_OK || ns->ns.root == mem_be32_get(key);
}

bool
mem_turn_row_fits(struct mem_txn *t, struct mem_str key)
{
	bool fits = key.n == TURN_KEY && is_turn_of_key(t, (const uint8_t *)key.p);
	if (!fits)
		note_foreign_row(t, MEM_T_SESS);
	return fits;
}

/* The keys of a node; false: it is damaged itself. */
static bool
read_keys_of_node(struct mem_txn *t, struct mem_str json, struct mem_node_keys *d)
{
	struct mem_rec rec = { 0 };
	bool made = mem_rec_scan(&rec, json, NULL) == MEM_OK && mem_node_keys_make(d, t->s, &rec, MEM_FILL_NOTHING, NULL, NULL, NULL) == MEM_OK;
	mem_rec_release(&rec);
	return made;
}

bool
store_ref_row_fits(struct mem_txn *t, struct mem_str ns, struct mem_str ref_key, uint32_t ord)
{
	struct mem_node_keys d;
	struct mem_str json;
	enum mem_status st = mem_node_text_at(t, ord, &json, NULL);
	if (st != MEM_OK && st != MEM_NOTFOUND)
		return true;
	bool fits = st == MEM_OK && (!read_keys_of_node(t, json, &d) ||
	    (mem_str_eq(d.ns, ns) && mem_str_eq((struct mem_str){ (const char *)d.ref_key, d.ref_len }, ref_key)));
	if (!fits)
		note_foreign_row(t, MEM_T_REF);
	return fits;
}

bool
store_dup_row_fits(struct mem_txn *t, const struct mem_node_keys *want, struct mem_str json)
{
	struct mem_node_keys d;
	bool fits = !read_keys_of_node(t, json, &d) || (d.has_dup && memcmp(&d.dup, &want->dup, sizeof d.dup) == 0);
	if (!fits)
		note_foreign_row(t, MEM_T_DUP);
	return fits;
}

/* ---- rows whose keys say all ------------------------------------------------ */

struct mem_str
store_row_value(const struct mem_node_keys_row *row, uint32_t *room)
{
	if (row->table != MEM_T_NAME)
		return row->value;
	*room = mem_crc32c_lanes(row->key, row->len);
	return (struct mem_str){ (const char *)room, sizeof *room };
}

bool
store_name_row_sound(struct mem_str key, struct mem_str value)
{
	uint32_t sum;
	if (value.n != sizeof sum)
		return value.n == 0;
	memcpy(&sum, value.p, sizeof sum);
	return sum == mem_crc32c_lanes(key.p, key.n);
}

/* One that is not is noted. */
static bool
is_key_row_sound(struct mem_txn *t, enum mem_table tab, const struct mem_cursor *c)
{
	struct mem_err err;
	if (tab == MEM_T_SESS)
		return mem_turn_row_fits(t, mem_cursor_key(c));
	if (tab != MEM_T_NAME || store_name_row_sound(mem_cursor_key(c), mem_cursor_value(c)))
		return true;
	(void)mem_err_set(&err, MEM_DAMAGED, "'%s': a key of table %s is damaged: run mem-check", t->s->path, store_table_names[tab]);
	mem_store_damage_note(t->s, &err);
	return false;
}

static enum mem_status
pass_unsound_rows(struct mem_txn *t, enum mem_table tab, struct mem_cursor *c, bool back, enum mem_status st, struct mem_err *err)
{
	while (st == MEM_OK && !is_key_row_sound(t, tab, c))
		st = back ? mem_cursor_prev(c, err) : mem_cursor_next(c, err);
	return st;
}

/* On the row before the place that was sought, and back to the one behind. */
static enum mem_status
check_row_before(struct mem_txn *t, enum mem_table tab, struct mem_cursor *c, enum mem_status sought, struct mem_err *err)
{
	enum mem_status st = sought == MEM_END ? mem_cursor_last(c, err) : mem_cursor_prev(c, err);
	if (st == MEM_OK)
		(void)is_key_row_sound(t, tab, c);
	return st == MEM_OK ? mem_cursor_next(c, err) : st == MEM_END ? mem_cursor_seek(c, MEM_STR(""), err) : st;
}

enum mem_status
store_rows_seek(struct mem_txn *t, enum mem_table tab, struct mem_cursor *c, struct mem_str key, bool back, struct mem_err *err)
{
	enum mem_status st = mem_cursor_seek(c, key, err);
	if (st != MEM_OK && st != MEM_END)
		return st;
	bool there = st == MEM_OK && mem_str_eq(mem_cursor_key(c), key);
	if (!back)
		return there ? st : pass_unsound_rows(t, tab, c, false, check_row_before(t, tab, c, st, err), err);
	if (st == MEM_OK && !there)
		(void)is_key_row_sound(t, tab, c);
	return pass_unsound_rows(t, tab, c, true, st == MEM_OK ? mem_cursor_prev(c, err) : mem_cursor_last(c, err), err);
}

enum mem_status
store_rows_step(struct mem_txn *t, enum mem_table tab, struct mem_cursor *c, bool back, struct mem_err *err)
{
	return pass_unsound_rows(t, tab, c, back, back ? mem_cursor_prev(c, err) : mem_cursor_next(c, err), err);
}

/* ---- an id that is not found --------------------------------------------- */

/* A node that is damaged itself is told by who reads it. */
static bool
is_id_row_sound(struct mem_txn *t, struct mem_str key, struct mem_str value)
{
	const struct mem_attr *a;
	if (key.n != sizeof a->id.b || value.n != 4)
		return false;
	enum mem_status st = mem_attr_at(t, mem_be32_get((const uint8_t *)value.p), &a, NULL);
	return st == MEM_OK ? memcmp(a->id.b, key.p, key.n) == 0 : st != MEM_NOTFOUND;
}

static enum mem_status
check_id_row(struct mem_txn *t, const struct mem_cursor *c, struct mem_err *err)
{
	if (is_id_row_sound(t, mem_cursor_key(c), mem_cursor_value(c)))
		return MEM_OK;
	return mem_err_set(err, MEM_DAMAGED, "'%s': a key of table id is damaged: run mem-check", t->s->path);
}

enum mem_status
store_check_place_of_id(struct mem_txn *t, const struct mem_id *id, struct mem_err *err)
{
	return store_check_place_of_key(t, MEM_T_ID, (struct mem_str){ (const char *)id->b, sizeof id->b }, check_id_row, err);
}
