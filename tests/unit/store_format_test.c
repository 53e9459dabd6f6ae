/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no store of this program, damaged or not: made through LMDB directly. */
#include "own_store.h"
#include "base/base.h"
#include "store/store.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/wait.h>
#include <sys/stat.h>

static char data[100];

static int
setup(void **state)
{
	(void)state;
	int made = own_store_make("/tmp", "alice");
	snprintf(data, sizeof data, "%s/data.mdb", at);
	return made;
}

static int
teardown(void **state)
{
	(void)state;
	return own_store_remove();
}

static enum mem_status
try_open(bool write)
{
	struct mem_store *s = NULL;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.write = write;
	enum mem_status st = mem_store_open(&s, &ask, &err);
	mem_store_close(s);
	return st;
}

static void
refused(const char *words)
{
	for (int write = 0; write < 2; write++) {
		assert_int_equal(try_open(write == 1), MEM_FAIL);
		if (strstr(err.msg, words) == NULL)
			fail_msg("\"%s\" does not say \"%s\"", err.msg, words);
	}
}

/* ---- the mark in table meta ---------------------------------------------- */

/* One transaction on the file: put, or with value NULL delete, a key of a table; with key NULL drop the table. */
static void
tamper(const char *table, const char *key, const void *value, size_t n)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 32), 0);
	assert_int_equal(mdb_env_open(env, at, 0, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, table, 0, &dbi), 0);
	if (key == NULL)
		assert_int_equal(mdb_drop(txn, dbi, 1), 0);
	else {
		char k[32], v[64];
		MDB_val mk = { strlen(key), memcpy(k, key, strlen(key)) }, mv = { n, v };
		if (value != NULL)
			memcpy(v, value, n);
		assert_int_equal(value != NULL ? mdb_put(txn, dbi, &mk, &mv, 0) : mdb_del(txn, dbi, &mk, NULL), 0);
	}
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

static void
test_marks(void **state)
{
	(void)state;
	struct { char magic[8]; uint32_t mark, schema; } f = { "memkit\0", 0x01020304, MEM_SCHEMA };
	assert_int_equal(try_open(true), MEM_OK);
	f.schema = MEM_SCHEMA + 1;
	tamper("meta", "format", &f, sizeof f);
	refused("newer memkit");
	f.schema = 1;
	tamper("meta", "format", &f, sizeof f);
	refused(" has schema 1: export it with the memkit that made it, then mem-import into a new store");
	f.schema = 0;
	tamper("meta", "format", &f, sizeof f);
	refused("which no memkit wrote");
	f.schema = MEM_SCHEMA;
	f.mark = 0x04030201;
	tamper("meta", "format", &f, sizeof f);
	refused("another byte order");
	f.mark = 0x01020304;
	f.magic[0] = 'M';
	tamper("meta", "format", &f, sizeof f);
	refused("did not make");
	f.magic[0] = 'm';
	tamper("meta", "format", &f, sizeof f);
	assert_int_equal(try_open(true), MEM_OK);
	tamper("meta", "format", NULL, 0);
	refused("did not make");
}

static void
test_missing_parts(void **state)
{
	(void)state;
	tamper("audit", NULL, NULL, 0);
	refused("lacks table 'audit'");
	teardown(state);
	setup(state);
	tamper("meta", "secret", NULL, 0);
	refused("lacks its secret");
	teardown(state);
	setup(state);
	tamper("meta", NULL, NULL, 0);
	refused("did not make");
	teardown(state);
	setup(state);
	tamper("meta", "counters", NULL, 0);
	struct mem_store *s = NULL;
	struct mem_txn *t;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "lacks its counters"));
	mem_store_close(s);
}

/* ---- a table that comes later ---------------------------------------------- */

static const struct mem_str key = MEM_STR_INIT("key"), value = MEM_STR_INIT("");

static enum mem_status
put_row(struct mem_txn *t, void *fails, struct mem_err *e)
{
	struct mem_str v;
	assert_int_equal(mem_tab_put(t, MEM_T_TOMB, key, value, e), MEM_OK);
	assert_int_equal(mem_tab_get(t, MEM_T_TOMB, key, &v, e), MEM_OK);
	return fails != NULL ? MEM_STALE : MEM_OK;
}

static struct mem_store *
open_store(void)
{
	struct mem_store *s = NULL;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.write = true;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	return s;
}

/* Rows of the table in a new snapshot, by each way to read. */
static uint64_t
count_rows(struct mem_txn *t)
{
	struct mem_cursor *c = NULL;
	struct mem_str v;
	uint64_t n = mem_tab_count(t, MEM_T_TOMB);
	enum mem_status want = n == 0 ? MEM_END : MEM_OK;
	assert_int_equal(mem_tab_get(t, MEM_T_TOMB, key, &v, &err), n == 0 ? MEM_NOTFOUND : MEM_OK);
	assert_int_equal(mem_tab_has(t, MEM_T_TOMB, key), n > 0);
	assert_int_equal(mem_cursor_open(&c, t, MEM_T_TOMB, &err), MEM_OK);
	assert_int_equal(mem_cursor_seek(c, MEM_STR(""), &err), want);
	assert_int_equal(mem_cursor_last(c, &err), want);
	mem_cursor_close(c);
	return n;
}

static uint64_t
count_rows_now(struct mem_store *s)
{
	struct mem_txn *t = NULL;
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	uint64_t n = count_rows(t);
	mem_txn_end(t);
	return n;
}

static void
test_later_table(void **state)
{
	struct mem_store *s = open_store();
	struct mem_txn *before = NULL;
	(void)state;
	assert_int_equal(count_rows_now(s), 0);
	/* What is given up leaves no table, and no handle of one. */
	assert_int_equal(mem_store_write(s, put_row, s, &err), MEM_STALE);
	assert_int_equal(count_rows_now(s), 0);
	assert_int_equal(mem_txn_read(&before, s, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, put_row, NULL, &err), MEM_OK);
	assert_int_equal(count_rows(before), 0);
	mem_txn_end(before);
	assert_int_equal(count_rows_now(s), 1);
	mem_store_close(s);
	s = open_store();
	assert_int_equal(count_rows_now(s), 1);
	mem_store_close(s);
	/* It is listed now, so that its loss is told. */
	tamper("tomb", NULL, NULL, 0);
	refused("lacks table 'tomb'");
}

/* A reader that has the store open sees what another process makes. */
static void
test_table_of_another(void **state)
{
	struct mem_store *s = open_store();
	struct mem_txn *before = NULL, *beside;
	int status = 0;
	(void)state;
	assert_int_equal(mem_txn_read(&before, s, &err), MEM_OK);
	pid_t child = fork();
	if (child == 0) {
		struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
		struct mem_store *other = NULL;
		ask.dir = at;
		ask.write = true;
		_exit(mem_store_open(&other, &ask, &err) != MEM_OK || mem_store_write(other, put_row, NULL, &err) != MEM_OK);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(count_rows(before), 0);
	assert_int_equal(count_rows_now(s), 1);
	assert_int_equal(mem_txn_read(&beside, s, &err), MEM_OK);
	struct mem_txn *second = mem_txn_open_second(beside);
	assert_non_null(second);
	assert_int_equal(count_rows(second), 1);
	mem_txn_end(second);
	mem_txn_end(beside);
	mem_txn_end(before);
	assert_int_equal(mem_store_write(s, put_row, NULL, &err), MEM_OK);
	assert_int_equal(count_rows_now(s), 1);
	mem_store_close(s);
}

static void
test_foreign_lmdb(void **state)
{
	(void)state;
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	char v[] = "x";
	MDB_val kv = { 1, v };
	assert_int_equal(unlink(data), 0);
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_open(env, at, 0, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, NULL, 0, &dbi), 0);
	assert_int_equal(mdb_put(txn, dbi, &kv, &kv, 0), 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
	refused("did not make");
}

/* LMDB's own magic number, as the other byte order would have written it. */
static void
test_swapped(void **state)
{
	(void)state;
	int fd = open(data, O_RDWR);
	for (off_t page = 0; page < 2; page++) {
		uint32_t magic;
		assert_int_equal(pread(fd, &magic, 4, page * 4096 + 16), 4);
		assert_int_equal(magic, 0xBEEFC0DE);
		magic = __builtin_bswap32(magic);
		assert_int_equal(pwrite(fd, &magic, 4, page * 4096 + 16), 4);
	}
	close(fd);
	refused("another byte order");
}

/* ---- short files ----------------------------------------------------------- */

static enum mem_status
big_value(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	void *room;
	enum mem_status st = mem_tab_reserve(t, MEM_T_SEG, MEM_STR("k"), *(size_t *)ctx, &room, e);
	if (st == MEM_OK)
		memset(room, 'x', *(size_t *)ctx);
	return st;
}

/* Takes pages at the end and gives them back within the transaction: LMDB counts but never writes them. */
static enum mem_status
take_and_give_back(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	enum mem_status st = mem_tab_put(t, MEM_T_PEND, MEM_STR("k"), MEM_STR(""), e);
	if (st == MEM_OK)
		st = big_value(t, ctx, e);
	return st == MEM_OK ? mem_tab_del(t, MEM_T_SEG, MEM_STR("k"), e) : st;
}

static void
write_once(mem_write_fn *fn, void *ctx)
{
	struct mem_store *s = NULL;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.write = true;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, fn, ctx, &err), MEM_OK);
	mem_store_close(s);
}

static off_t
size_of(void)
{
	struct stat st;
	assert_int_equal(stat(data, &st), 0);
	return st.st_size;
}

static void
test_cut_short(void **state)
{
	(void)state;
	size_t n = 300000;
	write_once(big_value, &n);
	off_t whole = size_of();
	assert_int_equal(try_open(true), MEM_OK);
	const off_t cuts[] = { 4096, 4095, 1, whole / 2, whole - 3 * 4096 };
	for (size_t i = 0; i < MEM_COUNT(cuts); i++) {
		char cmd[300];
		snprintf(cmd, sizeof cmd, "cp %s %s/whole", data, dir);
		assert_int_equal(system(cmd), 0);
		assert_int_equal(truncate(data, whole - cuts[i]), 0);
		refused("cut short");
		assert_int_equal(size_of(), whole - cuts[i]); /* and left as it was */
		snprintf(cmd, sizeof cmd, "mv %s/whole %s", dir, data);
		assert_int_equal(system(cmd), 0);
	}
	assert_int_equal(truncate(data, 5000), 0);
	for (int write = 0; write < 2; write++)
		assert_int_equal(try_open(write == 1), MEM_FAIL);
	assert_int_equal(truncate(data, 0), 0);
	refused("empty");
}

static void
short_for_good_reason(size_t n)
{
	MDB_env *env;
	MDB_envinfo info;
	/* Twice before, so that there are free pages to give others back to. */
	for (int i = 0; i < 3; i++)
		write_once(take_and_give_back, &n);
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_open(env, at, MDB_RDONLY, 0600), 0);
	assert_int_equal(mdb_env_info(env, &info), 0);
	mdb_env_close(env);
	if (size_of() >= (off_t)(info.me_last_pgno + 1) * 4096)
		skip(); /* this LMDB writes them */
	assert_int_equal(try_open(false), MEM_OK);
	assert_int_equal(try_open(true), MEM_OK);
	/* Cut where pages are in use it is refused all the same. */
	assert_int_equal(truncate(data, 2 * 4096), 0);
	refused("cut short");
}

static void
test_short_for_good_reason(void **state)
{
	(void)state;
	short_for_good_reason(300000);
}

/* So many free pages that their list has pages of its own. */
static void
test_short_with_a_long_list(void **state)
{
	(void)state;
	short_for_good_reason(4000000);
}

/* The pages are taken again, and the file is whole. */
static void
test_short_and_whole_again(void **state)
{
	(void)state;
	size_t n = 300000;
	for (int i = 0; i < 3; i++)
		write_once(take_and_give_back, &n);
	n = 2000000;
	write_once(big_value, &n);
	assert_int_equal(try_open(false), MEM_OK);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_marks), T(test_missing_parts), T(test_later_table), T(test_table_of_another), T(test_foreign_lmdb), T(test_swapped), T(test_cut_short),
		T(test_short_for_good_reason), T(test_short_with_a_long_list), T(test_short_and_whole_again),
	};
	return cmocka_run_group_tests_name("store_format", tests, NULL, NULL);
}
