/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of tables sess, ref, dup and name say all in their keys.  A bit that turned over there leads to another node, or hides
 * one: a search for what the key was ends before it or behind it, since all other keys are in their order.  So what a reader
 * goes by is compared, in sess with the node that it leads to, whose own rows have a checksum, in the others with the checksum of
 * the key.  So are the rows on both sides of the place where it begins.
 */
#include <string.h>

#include "store/node.h"
#include "store/row_owner_int.h"
#include "store/store_int.h"

enum { TURN_KEY = 24 }; /* root namespace, hash of the session, captured_at, ord */

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
	struct mem_err err;
	bool fits = key.n == TURN_KEY && is_turn_of_key(t, (const uint8_t *)key.p);
	if (fits)
		return true;
	(void)mem_err_set(&err, MEM_DAMAGED, "'%s': a row of table sess leads to another node: run mem-check", t->s->path);
	mem_store_damage_note(t->s, &err);
	return false;
}

/* One that is not is noted. */
static bool
is_key_row_sound(struct mem_txn *t, enum mem_table tab, const struct mem_cursor *c)
{
	struct mem_err err;
	struct mem_str nothing;
	if (tab == MEM_T_SESS)
		return mem_turn_row_fits(t, mem_cursor_key(c));
	bool sound = mem_cursor_read(c, &nothing, &err) == MEM_OK;
	if (!sound)
		mem_store_damage_note(t->s, &err);
	return sound;
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
