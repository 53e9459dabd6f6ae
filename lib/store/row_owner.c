/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of id, compared with the node that they lead to, where one is not found; row_keys.c says why. */
#include <string.h>

#include "store/node.h"
#include "store/row_owner_int.h"
#include "store/store_int.h"

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
