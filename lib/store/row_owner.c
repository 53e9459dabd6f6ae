/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of ref, dup and id, compared with the node that they lead to; row_keys.c says why. */
#include <string.h>

#include "record/record.h"
#include "store/node.h"
#include "store/row_owner_int.h"
#include "store/store_int.h"

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
		store_foreign_row_note(t, MEM_T_REF);
	return fits;
}

bool
store_dup_row_fits(struct mem_txn *t, const struct mem_node_keys *want, struct mem_str json)
{
	struct mem_node_keys d;
	bool fits = !read_keys_of_node(t, json, &d) || (d.has_dup && memcmp(&d.dup, &want->dup, sizeof d.dup) == 0);
	if (!fits)
		store_foreign_row_note(t, MEM_T_DUP);
	return fits;
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
