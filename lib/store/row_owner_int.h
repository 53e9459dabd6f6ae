/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by which nodes are found, verified: row_keys.c, row_owner.c. */
#ifndef MEM_STORE_ROW_OWNER_INT_H
#define MEM_STORE_ROW_OWNER_INT_H

#include "store/node.h"
#include "store/store.h"

/*
 * Moves of a cursor on a table whose keys say all: sess, ref, dup or name.  Rows that are not sound are passed over and noted.
 * To the first one at or behind a key, or with `back` to the last before it; what lies on both sides of the key is verified.
 */
enum mem_status store_rows_seek(struct mem_txn *t, enum mem_table tab, struct mem_cursor *c, struct mem_str key, bool back,
    struct mem_err *err) MEM_CHECKED;
enum mem_status store_rows_step(struct mem_txn *t, enum mem_table tab, struct mem_cursor *c, bool back, struct mem_err *err) MEM_CHECKED;
/*
 * A key of which a bit has turned over is not found any more.  A search for what it was ends before it or behind it, since
 * all other keys are in their order; so the two rows there are checked: table.c.  MEM_NOTFOUND, unless one is not sound: what
 * the check says.
 */
typedef enum mem_status store_check_row_fn(struct mem_txn *t, const struct mem_cursor *c, struct mem_err *err);
enum mem_status store_check_place_of_key(struct mem_txn *t, enum mem_table tab, struct mem_str key, store_check_row_fn *check,
    struct mem_err *err) MEM_CHECKED;
/* MEM_NOTFOUND, unless the rows around the place of an id that is not there are not what their nodes call for: MEM_DAMAGED. */
enum mem_status store_check_place_of_id(struct mem_txn *t, const struct mem_id *id, struct mem_err *err) MEM_CHECKED;

#endif
