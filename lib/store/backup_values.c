/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of values, verified before a copy of them is made: it would stand where a sound one was. */
#include "store/backup_int.h"
#include "store/checksum_int.h"
#include "store/store_int.h"

static enum mem_status
count_table_damage(struct mem_txn *t, enum mem_table tab, uint64_t *damaged, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_str value;
	enum mem_status st = mem_cursor_open(&c, t, tab, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err))
		*damaged += mem_cursor_read(c, &value, NULL) != MEM_OK;
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
store_count_damaged_values(struct mem_store *s, uint64_t *damaged, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	*damaged = 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	for (enum mem_table tab = 0; st == MEM_OK && tab < MEM_T_COUNT; tab++)
		if (store_has_checksums(tab))
			st = count_table_damage(t, tab, damaged, err);
	mem_txn_end(t);
	return st;
}
