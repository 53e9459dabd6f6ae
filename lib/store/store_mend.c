/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store whose pages are damaged, made anew from the tables that can be read.  LMDB reads the pages of a table also to empty
 * it, and takes pages by its list of free ones; so nothing in the old file is changed.  What is sound is copied into a new
 * file, on which a repair goes on aside (store_aside.c).  A derived table of which a page cannot be read begins empty there.
 */
#include <string.h>

#include "store/store_int.h"
#include "store/store_lock_int.h"

#define COPY_BYTES ((size_t)32 << 20) /* a transaction */

/* What nothing else tells. */
static const bool true_tables[MEM_T_COUNT] = { [MEM_T_META] = true, [MEM_T_NODE] = true, [MEM_T_OUT] = true, [MEM_T_LOG] = true,
	[MEM_T_AUDIT] = true, [MEM_T_LOGPACK] = true, [MEM_T_AUDITPACK] = true };

bool
store_is_true_table(int tab)
{
	return tab < MEM_T_COUNT && true_tables[tab];
}

struct mend {
	struct mem_store *s;
	MDB_txn *from;
	MDB_env *env;              /* the new file */
	MDB_txn *to;
	MDB_dbi dbi;               /* in `to`: of the table at hand */
	size_t bytes;              /* put since it began */
	struct mem_err *err;
};

static enum mem_status
refuse_mend(struct mend *m, int rc)
{
	return store_mdb_err(m->s, rc, "make the data anew", m->err);
}

/* Is there anything that cannot be made anew?  Names of namespaces are told by table ns, or by nodes and their attributes. */
static enum mem_status
check_true_tables(struct mend *m, const struct store_page_report *r)
{
	for (int i = 0; i < MEM_T_COUNT; i++)
		if (r->lost[i] && (true_tables[i] || (i == MEM_T_NS && r->lost[MEM_T_ATTR])))
			return mem_err_set(m->err, MEM_FAIL, "'%s': pages of table %s are damaged, which nothing else tells: restore a backup; mem-export gives "
			    "what can still be read", m->s->path, store_table_names[i]);
	return r->tables_lost ? mem_err_set(m->err, MEM_FAIL, "'%s': the list of its tables is damaged: restore a backup", m->s->path) : MEM_OK;
}

/* A transaction in the new file, as small as that it fits in memory. */
static int
renew_target(struct mend *m, enum mem_table tab)
{
	int rc = m->to != NULL ? mdb_txn_commit(m->to) : 0;
	m->to = NULL;
	m->bytes = 0;
	if (rc == 0)
		rc = mdb_txn_begin(m->env, NULL, 0, &m->to);
	return rc == 0 ? mdb_dbi_open(m->to, store_table_names[tab], MDB_CREATE, &m->dbi) : rc;
}

static int
put_mended_row(struct mend *m, enum mem_table tab, MDB_val *key, MDB_val *value)
{
	if (m->bytes > COPY_BYTES) {
		int rc = renew_target(m, tab);
		if (rc != 0)
			return rc;
	}
	m->bytes += key->mv_size + value->mv_size;
	return mdb_put(m->to, m->dbi, key, value, MDB_APPEND);
}

static enum mem_status
copy_table_rows(struct mend *m, enum mem_table tab)
{
	MDB_dbi dbi;
	MDB_cursor *c = NULL;
	MDB_val key, value;
	int rc = mdb_dbi_open(m->from, store_table_names[tab], 0, &dbi);
	if (rc == 0)
		rc = mdb_cursor_open(m->from, dbi, &c);
	while (rc == 0 && (rc = mdb_cursor_get(c, &key, &value, MDB_NEXT)) == 0)
		rc = put_mended_row(m, tab, &key, &value);
	if (c != NULL)
		mdb_cursor_close(c);
	return rc == MDB_NOTFOUND ? MEM_OK : refuse_mend(m, rc);
}

static enum mem_status
copy_sound_tables(struct mend *m, const struct store_page_report *r)
{
	enum mem_status st = MEM_OK;
	for (int i = 0; i < MEM_T_COUNT && st == MEM_OK; i++) {
		if (!r->there[i] && store_comes_later((enum mem_table)i))
			continue;
		int rc = renew_target(m, (enum mem_table)i);
		if (rc != 0)
			return refuse_mend(m, rc);
		if (r->there[i] && !r->lost[i])
			st = copy_table_rows(m, (enum mem_table)i);
	}
	int rc = st == MEM_OK ? mdb_txn_commit(m->to) : 0;
	if (st == MEM_OK)
		m->to = NULL;
	if (rc == 0 && st == MEM_OK)
		rc = mdb_env_sync(m->env, 1);
	return rc == 0 ? st : refuse_mend(m, rc);
}

static enum mem_status
write_mended_file(struct mend *m, const struct store_page_report *r)
{
	struct mem_buf path = { 0 };
	mem_buf_printf(&path, "%s/" STORE_FRESH_FILE, m->s->path);
	store_remove_fresh_data(m->s);
	int rc = store_map_env(&m->env, path.data, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0);
	mem_buf_release(&path);
	if (rc != 0)
		return refuse_mend(m, rc);
	enum mem_status st = copy_sound_tables(m, r);
	if (m->to != NULL)
		mdb_txn_abort(m->to);
	mdb_env_close(m->env);
	return st;
}

void
store_pass_over_breach(void *ctx, const struct mem_breach *b)
{
	(void)ctx;
	(void)b;
}

/* What is damaged, and whether the rest can be had. */
static enum mem_status
judge_pages(struct mend *m, struct store_page_report *r)
{
	enum mem_status st = store_check_pages(m->s, m->from, store_pass_over_breach, NULL, r, m->err);
	if (st == MEM_REFUSED)
		st = check_true_tables(m, r);
	if (st == MEM_FAIL) {
		struct mem_err again;
		enum mem_status told = store_check_pages(m->s, m->from, m->s->pages_fn, m->s->pages_ctx, NULL, &again);
		(void)told; /* what it found is told; m->err says what that means */
	}
	return st;
}

enum mem_status
store_mend_pages(struct mem_store *s, struct mem_err *err)
{
	struct store_page_report r;
	struct mend m = { .s = s, .err = err };
	enum mem_status st = store_take_write_lock(s, s->wait_ms, err);
	if (st != MEM_OK)
		return st;
	st = store_open_env_in_place(s, err);
	int rc = st == MEM_OK ? mdb_txn_begin(s->env, NULL, MDB_RDONLY, &m.from) : 0;
	if (rc != 0)
		st = refuse_mend(&m, rc);
	if (st == MEM_OK) {
		st = judge_pages(&m, &r);
		if (st == MEM_OK)
			st = write_mended_file(&m, &r);
		mdb_txn_abort(m.from);
	}
	mem_store_pause(s);
	s->aside = s->held = st == MEM_OK;
	if (st == MEM_OK)
		return MEM_OK;
	store_remove_fresh_data(s);
	store_drop_write_lock(s);
	return st;
}
