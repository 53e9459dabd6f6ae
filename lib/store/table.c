/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tables, and cursors over them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/store_int.h"

/* A value of no bytes still needs an address. */
static struct mem_str
val_span(MDB_val v)
{
	return (struct mem_str){ v.mv_data != NULL ? v.mv_data : "", v.mv_size };
}

enum mem_status
store_txn_err(struct mem_txn *t, int rc, const char *what, struct mem_err *err)
{
	if (rc == MDB_MAP_FULL)
		t->full = true;
	return store_mdb_err(t->s, rc, what, err);
}

enum mem_status
mem_tab_get(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_str *value, struct mem_err *err)
{
	MDB_val k = store_mdb_val(key), v;
	int rc = mdb_get(t->txn, t->s->dbi[tab], &k, &v);
	if (rc != 0)
		return store_txn_err(t, rc, "read", err);
	*value = val_span(v);
	return MEM_OK;
}

enum mem_status
mem_tab_put(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_str value, struct mem_err *err)
{
	MDB_val k = store_mdb_val(key), v = store_mdb_val(value);
	int rc = mdb_put(t->txn, t->s->dbi[tab], &k, &v, 0);
	return rc == 0 ? MEM_OK : store_txn_err(t, rc, "write", err);
}

/* MDB_APPEND skips the search and fills pages to the brim, where a put halves them. */
enum mem_status
mem_tab_append(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_str value, bool fresh,
    struct mem_err *err)
{
	MDB_val k = store_mdb_val(key), v = store_mdb_val(value);
	int rc = mdb_put(t->txn, t->s->dbi[tab], &k, &v, MDB_APPEND);
	if (rc == MDB_KEYEXIST) { /* not the highest */
		v = store_mdb_val(value);
		rc = mdb_put(t->txn, t->s->dbi[tab], &k, &v, fresh ? MDB_NOOVERWRITE : 0);
	}
	if (rc == MDB_KEYEXIST)
		return MEM_EXISTS;
	return rc == 0 ? MEM_OK : store_txn_err(t, rc, "write", err);
}

enum mem_status
mem_tab_reserve(struct mem_txn *t, enum mem_table tab, struct mem_str key, size_t n, void **room, struct mem_err *err)
{
	MDB_val k = store_mdb_val(key), v = { n, NULL };
	int rc = mdb_put(t->txn, t->s->dbi[tab], &k, &v, MDB_RESERVE);
	if (rc != 0)
		return store_txn_err(t, rc, "write", err);
	*room = v.mv_data;
	return MEM_OK;
}

enum mem_status
mem_tab_del(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_err *err)
{
	MDB_val k = store_mdb_val(key);
	int rc = mdb_del(t->txn, t->s->dbi[tab], &k, NULL);
	return rc == 0 ? MEM_OK : store_txn_err(t, rc, "write", err);
}

uint64_t
mem_tab_count(struct mem_txn *t, enum mem_table tab)
{
	MDB_stat st;
	return mdb_stat(t->txn, t->s->dbi[tab], &st) == 0 ? st.ms_entries : 0;
}

/* ---- reads of the file ------------------------------------------------- */

/*
 * LMDB does not tell where its map begins.  Every page in it begins with its own number (mdb.c: struct MDB_page), and a
 * small value lies in a page, so from one of these it follows; one read makes sure.
 */
static void
seek_map_start(struct mem_txn *t)
{
	MDB_val key = store_mdb_val(MEM_STR("counters")), v;
	MDB_stat stat;
	uint64_t there[2], read[2];
	int fd;
	t->map_sought = true;
	if (t->write || mdb_env_stat(t->s->env, &stat) != 0 || mdb_env_get_fd(t->s->env, &fd) != 0
	    || mdb_get(t->txn, t->s->dbi[MEM_T_META], &key, &v) != 0)
		return;
	uintptr_t at = (uintptr_t)v.mv_data;
	const char *page = (const char *)v.mv_data - (at & (stat.ms_psize - 1));
	memcpy(there, page, sizeof there);
	uint64_t offset = there[0] * stat.ms_psize;
	if (there[0] > (uint64_t)INT64_MAX / stat.ms_psize || offset > at
	    || pread(fd, read, sizeof read, (off_t)offset) != sizeof read || memcmp(there, read, sizeof read) != 0)
		return;
	t->map = page - offset;
}

enum mem_status
mem_txn_pread(struct mem_txn *t, const void *at, void *out, size_t n, struct mem_err *err)
{
	int fd;
	if (!t->map_sought)
		seek_map_start(t);
	if (t->map == NULL || mdb_env_get_fd(t->s->env, &fd) != 0) {
		memcpy(out, at, n);
		return MEM_OK;
	}
	off_t offset = (const char *)at - t->map;
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(fd, (char *)out + done, n - done, offset + (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return mem_err_sys(err, MEM_FAIL, "cannot read '%s'", t->s->path);
		done += (size_t)got;
	}
	return MEM_OK;
}

/*
 * One page tells: what is read in one piece is mostly there as a whole or not at all.  Reading it and forgetting what
 * was read is better than madvise, for which the kernel takes single pages: each of these costs every process
 * later on, when it maps them.
 */
void
mem_txn_prefetch(struct mem_txn *t, struct mem_str value)
{
	MDB_stat stat;
	unsigned char there = 0;
	int fd;
	if (!t->map_sought)
		seek_map_start(t);
	if (t->map == NULL || mdb_env_stat(t->s->env, &stat) != 0 || mdb_env_get_fd(t->s->env, &fd) != 0)
		return;
	union { const char *c; void *v; } page = { .c = value.p - ((uintptr_t)value.p & (stat.ms_psize - 1)) };
	if (mincore(page.v, 1, &there) != 0 || (there & 1) != 0)
		return;
	char *nowhere = mem_xmalloc(value.n);
	ssize_t got = pread(fd, nowhere, value.n, value.p - t->map);
	(void)got; /* what cannot be read is told when it is used */
	free(nowhere);
}

/* ---- cursors ----------------------------------------------------------- */

struct mem_cursor {
	struct mem_txn *t;
	MDB_cursor *c;
	MDB_val key, value;
};

enum mem_status
mem_cursor_open(struct mem_cursor **out, struct mem_txn *t, enum mem_table tab, struct mem_err *err)
{
	MDB_cursor *mc;
	int rc = mdb_cursor_open(t->txn, t->s->dbi[tab], &mc);
	if (rc != 0)
		return store_txn_err(t, rc, "read", err);
	struct mem_cursor *c = mem_xcalloc(1, sizeof *c);
	c->t = t;
	c->c = mc;
	*out = c;
	return MEM_OK;
}

void
mem_cursor_close(struct mem_cursor *c)
{
	if (c == NULL)
		return;
	mdb_cursor_close(c->c);
	free(c);
}

static enum mem_status
move_cursor(struct mem_cursor *c, MDB_cursor_op op, struct mem_err *err)
{
	int rc = mdb_cursor_get(c->c, &c->key, &c->value, op);
	if (rc == MDB_NOTFOUND)
		return MEM_END;
	return rc == 0 ? MEM_OK : store_txn_err(c->t, rc, "read", err);
}

enum mem_status
mem_cursor_seek(struct mem_cursor *c, struct mem_str key, struct mem_err *err)
{
	c->key = store_mdb_val(key);
	return move_cursor(c, key.n > 0 ? MDB_SET_RANGE : MDB_FIRST, err);
}

enum mem_status
mem_cursor_next(struct mem_cursor *c, struct mem_err *err)
{
	return move_cursor(c, MDB_NEXT, err);
}

enum mem_status
mem_cursor_prev(struct mem_cursor *c, struct mem_err *err)
{
	return move_cursor(c, MDB_PREV, err);
}

enum mem_status
mem_cursor_last(struct mem_cursor *c, struct mem_err *err)
{
	return move_cursor(c, MDB_LAST, err);
}

struct mem_str
mem_cursor_key(const struct mem_cursor *c)
{
	return val_span(c->key);
}

struct mem_str
mem_cursor_value(const struct mem_cursor *c)
{
	return val_span(c->value);
}
