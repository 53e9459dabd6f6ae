/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rawlmdb: the floor under a store on LMDB.
 *
 *   rawlmdb sync FILE COUNT DIR   one synced commit for each of the first COUNT lines of
 *                                 FILE under a growing key, into a new environment in DIR
 *   rawlmdb pages DIR             bytes in pages that are in use, and the size of data.mdb
 */
#include <endian.h>
#include <errno.h>
#include <lmdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void
check(int rc, const char *what)
{
	if (rc == 0)
		return;
	fprintf(stderr, "rawlmdb: %s: %s\n", what, mdb_strerror(rc));
	exit(3);
}

static int
commit_each(const char *file, uint64_t count, const char *dir)
{
	FILE *f = fopen(file, "r");
	check(f == NULL ? errno : 0, file);
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		check(errno, dir);
	MDB_env *env;
	check(mdb_env_create(&env), "create");
	check(mdb_env_set_mapsize(env, (size_t)1 << 36), "map");
	check(mdb_env_open(env, dir, 0, 0600), dir);
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	for (uint64_t i = 0; i < count && (n = getline(&line, &cap, f)) > 0; i++) {
		MDB_txn *txn;
		MDB_dbi dbi;
		uint64_t be = htobe64(i);
		MDB_val key = { sizeof be, &be }, value = { (size_t)n, line };
		check(mdb_txn_begin(env, NULL, 0, &txn), "begin");
		check(mdb_dbi_open(txn, NULL, 0, &dbi), "open");
		check(mdb_put(txn, dbi, &key, &value, MDB_APPEND), "put");
		check(mdb_txn_commit(txn), "commit");
	}
	free(line);
	fclose(f);
	mdb_env_close(env);
	return 0;
}

static uint64_t
pages_of(const MDB_stat *st)
{
	return st->ms_branch_pages + st->ms_leaf_pages + st->ms_overflow_pages;
}

/* The main table's keys are the names of the others. */
static int
count_pages(const char *dir)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi root;
	MDB_cursor *cursor;
	MDB_stat st;
	MDB_val key, value;
	check(mdb_env_create(&env), "create");
	check(mdb_env_set_maxdbs(env, 64), "maxdbs");
	check(mdb_env_open(env, dir, MDB_RDONLY, 0600), dir);
	check(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "begin");
	check(mdb_dbi_open(txn, NULL, 0, &root), "open");
	check(mdb_stat(txn, root, &st), "stat");
	uint64_t pages = 2 + pages_of(&st), size = st.ms_psize;
	check(mdb_cursor_open(txn, root, &cursor), "cursor");
	while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
		char name[64];
		MDB_dbi dbi;
		snprintf(name, sizeof name, "%.*s", (int)key.mv_size, (const char *)key.mv_data);
		if (mdb_dbi_open(txn, name, 0, &dbi) != 0)
			continue;
		check(mdb_stat(txn, dbi, &st), name);
		pages += pages_of(&st);
		fprintf(stderr, "%s\t%llu\n", name, (unsigned long long)(pages_of(&st) * size));
	}
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
	mdb_env_close(env);
	char path[4096];
	struct stat file;
	snprintf(path, sizeof path, "%s/data.mdb", dir);
	check(stat(path, &file) != 0 ? errno : 0, path);
	printf("%llu\t%llu\n", (unsigned long long)(pages * size), (unsigned long long)file.st_size);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "sync") == 0)
		return commit_each(argv[2], strtoull(argv[3], NULL, 10), argv[4]);
	if (argc == 3 && strcmp(argv[1], "pages") == 0)
		return count_pages(argv[2]);
	fputs("usage: rawlmdb sync FILE COUNT DIR | rawlmdb pages DIR\n", stderr);
	return 2;
}
