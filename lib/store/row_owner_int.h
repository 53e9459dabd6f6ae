/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by which nodes are found, verified: row_keys.c, row_owner.c. */
#ifndef MEM_STORE_ROW_OWNER_INT_H
#define MEM_STORE_ROW_OWNER_INT_H

#include "store/node.h"
#include "store/store.h"

/* Notes that a row of the table leads to another node than its key says. */
void store_foreign_row_note(struct mem_txn *t, enum mem_table tab);
/* Does the row found under this key lead to the node that it is of?  If it does not, that is noted. */
bool store_ref_row_fits(struct mem_txn *t, struct mem_str ns, struct mem_str ref_key, uint32_t ord);
/* The value that a node's row is put with; of name it is in `room`. */
struct mem_str store_row_value(const struct mem_node_keys_row *row, uint32_t *room);
/* Is it the key that was put?  Of a row without a checksum, as stores of before have them, nothing is known. */
bool store_name_row_sound(struct mem_str key, struct mem_str value);
/*
 * Moves of a cursor on a table whose keys say all: sess, ref, dup or name.  Rows of sess and name that are not sound are passed over and noted.
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
/* The node found for `want` by its words has this text. */
bool store_dup_row_fits(struct mem_txn *t, const struct mem_node_keys *want, struct mem_str json);

#endif
