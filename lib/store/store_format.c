/* SPDX-License-Identifier: Apache-2.0 */
/* The marks of a store's format: written once, compared at each open. */
#include <string.h>

#include "store/checksum_int.h"
#include "store/store_int.h"

const char *const store_table_names[MEM_T_COUNT] = {
	[MEM_T_META] = "meta", [MEM_T_NS] = "ns", [MEM_T_ID] = "id", [MEM_T_NODE] = "node",
	[MEM_T_ATTR] = "attr", [MEM_T_REF] = "ref", [MEM_T_DUP] = "dup", [MEM_T_NAME] = "name",
	[MEM_T_SESS] = "sess", [MEM_T_OUT] = "out", [MEM_T_IN] = "in", [MEM_T_DUE] = "due",
	[MEM_T_LOG] = "log", [MEM_T_AUDIT] = "audit", [MEM_T_TAIL] = "tail", [MEM_T_PEND] = "pend",
	[MEM_T_ROW] = "row", [MEM_T_CODE] = "code",
	[MEM_T_SEG] = "seg", [MEM_T_SEGS] = "segs", [MEM_T_TOMB] = "tomb",
	[MEM_T_LOGPACK] = "logpack", [MEM_T_AUDITPACK] = "auditpack",
	[MEM_T_PIECE] = "piece",
};

#define MAGIC "memkit\0"
#define MARK  0x01020304u

static MDB_val
bytes_val(const void *p, size_t n)
{
	union { const void *c; void *v; } u = { .c = p }; /* LMDB does not write through keys */
	return (MDB_val){ n, u.v };
}

MDB_val
store_mdb_val(struct mem_str s)
{
	return bytes_val(s.p, s.n);
}

bool
store_is_format_key(struct mem_str key)
{
	return mem_str_is(key, "format");
}

/* Before there are transactions of ours.  A value that is not what was written is none. */
static int
get_meta_row(MDB_txn *txn, MDB_dbi meta, const char *name, struct mem_str *value)
{
	MDB_val key = bytes_val(name, strlen(name)), v;
	int rc = mdb_get(txn, meta, &key, &v);
	if (rc != 0)
		return rc;
	*value = (struct mem_str){ v.mv_data, v.mv_size };
	return store_cut_value_sum(MEM_T_META, mem_str(name), value) ? 0 : MDB_NOTFOUND;
}

enum mem_status
store_check_format(struct mem_store *s, MDB_txn *txn, struct mem_err *err)
{
	MDB_dbi meta;
	MDB_val key = bytes_val("format", 6), value;
	struct store_format_mark f;
	int rc = mdb_dbi_open(txn, store_table_names[MEM_T_META], 0, &meta);
	if (rc == 0)
		rc = mdb_get(txn, meta, &key, &value);
	if (rc == MDB_NOTFOUND || rc == MDB_INCOMPATIBLE || (rc == 0 && value.mv_size != sizeof f))
		return mem_err_set(err, MEM_FAIL, "'%s/" STORE_DATA_FILE "' is an LMDB file that memkit did not make", s->path);
	if (rc != 0)
		return store_mdb_err(s, rc, "read", err);
	memcpy(&f, value.mv_data, sizeof f);
	if (memcmp(f.magic, MAGIC, sizeof f.magic) != 0)
		return mem_err_set(err, MEM_FAIL, "'%s/" STORE_DATA_FILE "' is an LMDB file that memkit did not make", s->path);
	if (f.mark != MARK)
		return mem_err_set(err, MEM_FAIL, "'%s' was made on a machine of another byte order: "
		    "use mem-export there and mem-import here", s->path);
	if (f.schema > MEM_SCHEMA)
		return mem_err_set(err, MEM_FAIL, "'%s' was written by a newer memkit (schema %u, this one knows up to %d): update memkit",
		    s->path, f.schema, MEM_SCHEMA);
	if (f.schema == 0)
		return mem_err_set(err, MEM_FAIL, "'%s' has schema 0, which no memkit wrote: it is damaged; restore a backup", s->path);
	if (f.schema < MEM_SCHEMA)
		return mem_err_set(err, MEM_FAIL, "%s has schema %u: export it with the memkit that made it, then mem-import into a new store",
		    s->path, f.schema);
	struct mem_str secret;
	if (get_meta_row(txn, meta, "secret", &secret) != 0 || secret.n != sizeof s->secret)
		return mem_err_set(err, MEM_FAIL, "'%s' lacks its secret: it is damaged; restore a backup", s->path);
	memcpy(s->secret, secret.p, sizeof s->secret);
	return MEM_OK;
}

/* ---- tables ---------------------------------------------------------------- */

/* Tables that a store gets with their first row.  Those that later versions add are made so in every store. */
static const bool later_tables[MEM_T_COUNT] = { [MEM_T_TOMB] = true, [MEM_T_LOGPACK] = true, [MEM_T_AUDITPACK] = true,
	[MEM_T_PIECE] = true };

bool
store_comes_later(enum mem_table tab)
{
	return later_tables[tab];
}

/* meta "tables": names, each with a zero byte behind it. */
static bool
is_listed_table(struct mem_str list, const char *name)
{
	for (size_t at = 0; at < list.n; at += strnlen(list.p + at, list.n - at) + 1)
		if (mem_str_is((struct mem_str){ list.p + at, strnlen(list.p + at, list.n - at) }, name))
			return true;
	return false;
}

enum mem_status
store_open_tables(struct mem_store *s, MDB_txn *txn, struct mem_err *err)
{
	MDB_dbi meta;
	struct mem_str list = { "", 0 };
	int rc = mdb_dbi_open(txn, store_table_names[MEM_T_META], 0, &meta);
	if (rc == 0)
		rc = get_meta_row(txn, meta, "tables", &list);
	for (int i = 0; rc == 0 && i < MEM_T_COUNT; i++) {
		bool listed = is_listed_table(list, store_table_names[i]);
		s->dbi[i] = 0;
		if (listed || !store_comes_later((enum mem_table)i))
			rc = mdb_dbi_open(txn, store_table_names[i], 0, &s->dbi[i]);
		if (rc == MDB_NOTFOUND)
			return mem_err_set(err, MEM_FAIL, "'%s' lacks table '%s': it is damaged; restore a backup", s->path, store_table_names[i]);
	}
	if (rc == MDB_NOTFOUND)
		return mem_err_set(err, MEM_FAIL, "'%s' lacks the list of its tables: it is damaged; restore a backup", s->path);
	return rc == 0 ? MEM_OK : store_mdb_err(s, rc, "open a table", err);
}

enum mem_status
store_make_table(struct mem_txn *t, enum mem_table tab, struct mem_err *err)
{
	struct mem_buf list = { 0 };
	struct mem_str there;
	enum mem_status st = MEM_OK;
	store_enter_lmdb();
	int rc = mdb_dbi_open(t->txn, store_table_names[tab], MDB_CREATE, &t->dbi[tab]);
	store_leave_lmdb();
	if (rc != 0) {
		t->dbi[tab] = 0;
		return store_txn_err(t, rc, "make a table", err);
	}
	st = mem_tab_get(t, MEM_T_META, MEM_STR("tables"), &there, err);
	if (st == MEM_OK) {
		mem_buf_str(&list, there);
		mem_buf_put(&list, store_table_names[tab], strlen(store_table_names[tab]) + 1);
		st = mem_tab_put(t, MEM_T_META, MEM_STR("tables"), mem_buf_span(&list), err);
	}
	mem_buf_release(&list);
	return st;
}

/* ---- making a store -------------------------------------------------------- */

static int
put_meta_row(MDB_txn *txn, MDB_dbi meta, const char *name, const void *p, size_t n)
{
	MDB_val key = bytes_val(name, strlen(name)), value = { n, NULL };
	uint64_t sum = store_value_sum(MEM_T_META, mem_str(name), (struct mem_str){ p, n });
	value.mv_size += sizeof sum;
	int rc = mdb_put(txn, meta, &key, &value, MDB_RESERVE);
	if (rc == 0) {
		memcpy(value.mv_data, p, n);
		memcpy((char *)value.mv_data + n, &sum, sizeof sum);
	}
	return rc;
}

enum mem_status
store_make_data(int dirfd, const char *at, const char *path, struct mem_err *err)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi dbi, meta = 0;
	struct store_format_mark f = { MAGIC, MARK, MEM_SCHEMA };
	struct store_counters c = { .next_ns = 1, .next_edge = 1 };
	struct mem_buf tables = { 0 };
	uint8_t secret[MEM_SECRET_LEN];
	mem_random(secret, sizeof secret);
	int rc = store_map_env(&env, at, 0, 0);
	if (rc == 0)
		rc = mdb_txn_begin(env, NULL, 0, &txn);
	for (int i = 0; rc == 0 && i < MEM_T_COUNT; i++) {
		if (store_comes_later((enum mem_table)i))
			continue;
		mem_buf_put(&tables, store_table_names[i], strlen(store_table_names[i]) + 1);
		rc = mdb_dbi_open(txn, store_table_names[i], MDB_CREATE, &dbi);
		if (i == MEM_T_META)
			meta = dbi;
	}
	if (rc == 0) {
		/* As it always was, so that each memkit reads which schema it is. */
		MDB_val key = bytes_val("format", 6), value = bytes_val(&f, sizeof f);
		rc = mdb_put(txn, meta, &key, &value, 0);
	}
	if (rc == 0)
		rc = put_meta_row(txn, meta, "secret", secret, sizeof secret);
	if (rc == 0)
		rc = put_meta_row(txn, meta, "counters", &c, sizeof c);
	if (rc == 0)
		rc = put_meta_row(txn, meta, "tables", tables.data, tables.len);
	mem_buf_release(&tables);
	if (rc == 0) {
		rc = mdb_txn_commit(txn);
		txn = NULL;
	}
	if (txn != NULL)
		mdb_txn_abort(txn);
	if (env != NULL)
		mdb_env_close(env);
	if (rc == 0)
		return MEM_OK;
	return mem_err_set(err, MEM_FAIL, "cannot make a store in '%s': %s", path, store_is_disk_full(dirfd, rc) ? "disk full" : mdb_strerror(rc));
}
