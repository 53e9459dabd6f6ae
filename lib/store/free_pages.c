/* SPDX-License-Identifier: Apache-2.0 */
/* Free pages of the data file. */
#include <string.h>

#include "store/store_int.h"

/* LMDB keeps the pages that it will use again in its table 0: transaction -> count, page numbers. */
static const MDB_dbi free_list;

enum mem_status
mem_store_space(struct mem_txn *t, struct mem_space *out, struct mem_err *err)
{
	MDB_envinfo info = { 0 };
	MDB_stat st = { 0 };
	MDB_cursor *c = NULL;
	MDB_val k, v;
	uint64_t pages = 0;
	int rc = mdb_env_info(t->s->env, &info);
	if (rc == 0)
		rc = mdb_env_stat(t->s->env, &st);
	if (rc == 0)
		rc = mdb_cursor_open(t->txn, free_list, &c);
	MDB_stat list;
	size_t left = mdb_stat(t->txn, free_list, &list) == 0 ? list.ms_entries : 0;
	/* Damaged pages may lead round in circles. */
	while (rc == 0 && left-- > 0 && (rc = mdb_cursor_get(c, &k, &v, MDB_NEXT)) == 0) {
		size_t n = 0;
		if (v.mv_size >= sizeof n)
			memcpy(&n, v.mv_data, sizeof n);
		pages += n;
	}
	if (c != NULL)
		mdb_cursor_close(c);
	if (rc != 0 && rc != MDB_NOTFOUND)
		return store_txn_err(t, rc, "read", err);
	out->file = (uint64_t)(info.me_last_pgno + 1) * st.ms_psize;
	out->free = pages * st.ms_psize;
	return MEM_OK;
}
