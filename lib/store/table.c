/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tables, and cursors over them. */
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/checksum_int.h"
#include "store/page_tree.h"
#include "store/row_owner_int.h"
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

/* ---- where values lie ---------------------------------------------------- */

/*
 * LMDB takes a value's length from its page as it stands there.  One of which a bit has turned over may lead behind the
 * end of the file, where a read is a SIGBUS.  So it is compared with what there is room for (mdb.c: struct MDB_page): a
 * value lies within one page, or behind the header of the first of several: the page's number in eight bytes, two that
 * count nothing, flags in two, how many pages there are in four.  Pages that a transaction has written lie anywhere in
 * memory: there only what is longer than a page can be told; of a damaged one its length and its key's length stand where
 * the number would be, which no file is large enough for.
 */
bool
store_value_has_room(const struct mem_txn *t, const MDB_val *v)
{
	const size_t header = 16, page = t->s->page_size;
	const uint16_t several = 0x04;
	size_t at = t->write ? 0 : (uintptr_t)v->mv_data & (page - 1);
	const char *data = v->mv_data;
	uint64_t number;
	uint16_t flags;
	uint32_t pages;
	if (page == 0 || data == NULL || v->mv_size <= page - at)
		return data != NULL || v->mv_size == 0;
	if (!t->write && at != header)
		return false;
	memcpy(&number, data - header, sizeof number);
	memcpy(&flags, data - 6, sizeof flags);
	memcpy(&pages, data - 4, sizeof pages);
	return number <= UINT32_MAX && (flags & several) != 0 && v->mv_size + header <= (uint64_t)pages * page;
}

/* A value of no bytes still needs an address; what cannot lie where it does has none, and is damaged. */
static struct mem_str
take_value(const struct mem_txn *t, MDB_val v)
{
	if ((v.mv_data == NULL && t->pages != NULL) || !store_value_has_room(t, &v))
		return (struct mem_str){ NULL, 0 };
	return val_span(v);
}

/* ---- checksums ----------------------------------------------------------- */

/*
 * Tables whose values end in a checksum, and what it begins from, so that a value is good in its own table only.  These
 * numbers are stored, as it were: they never change.
 */
static const uint8_t sum_seeds[MEM_T_COUNT] = { [MEM_T_NODE] = 1, [MEM_T_ATTR] = 2, [MEM_T_LOG] = 3, [MEM_T_AUDIT] = 4,
	[MEM_T_NS] = 5, [MEM_T_LOGPACK] = 6, [MEM_T_AUDITPACK] = 7, [MEM_T_PIECE] = 8, [MEM_T_META] = 9, [MEM_T_OUT] = 10, [MEM_T_IN] = 11,
	[MEM_T_CODE] = 12 };

/*
 * Tables whose rows say all in their keys.  The value is a checksum of the key, which nobody but these functions sees: such a row
 * is put and read with a value of no bytes.  One of no bytes has none, as rows of older versions; of it nothing is known.
 */
static const bool key_sums[MEM_T_COUNT] = { [MEM_T_REF] = true, [MEM_T_DUP] = true, [MEM_T_NAME] = true, [MEM_T_PEND] = true,
	[MEM_T_TOMB] = true };

bool
store_has_checksums(enum mem_table tab)
{
	return sum_seeds[tab] != 0;
}

static bool
cut_key_sum(struct mem_str key, struct mem_str *value)
{
	uint32_t sum = 0;
	const struct mem_str stored = *value;
	*value = MEM_STR("");
	if (stored.p == NULL || (stored.n != 0 && stored.n != sizeof sum))
		return false;
	memcpy(&sum, stored.p, stored.n);
	return stored.n == 0 || sum == mem_crc32c_lanes(key.p, key.n);
}

/* Different for each key and table.  Most keys are numbers, which need no hash. */
static uint64_t
mix_row_key(enum mem_table tab, struct mem_str key)
{
	const uint64_t odd = 0x9E3779B97F4A7C15; /* 2^64 / the golden ratio: a product with it loses nothing */
	uint64_t number;
	uint32_t half;
	if (key.n == sizeof half) {
		memcpy(&half, key.p, sizeof half);
		number = be32toh(half);
	} else if (key.n == sizeof number) {
		memcpy(&number, key.p, sizeof number);
		number = be64toh(number);
	} else
		number = mem_hash_fast(key.p, key.n);
	return (number + ((uint64_t)sum_seeds[tab] << 56)) * odd;
}

uint64_t
store_value_sum(enum mem_table tab, struct mem_str key, struct mem_str value)
{
	return mem_hash_fast(value.p, value.n) ^ mix_row_key(tab, key);
}

bool
store_cut_value_sum(enum mem_table tab, struct mem_str key, struct mem_str *value)
{
	uint64_t sum;
	if (value->p == NULL || value->n < sizeof sum)
		return false;
	value->n -= sizeof sum;
	memcpy(&sum, value->p + value->n, sizeof sum);
	return sum == store_value_sum(tab, key, *value);
}

static enum mem_status
take_checked_value(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_str stored, struct mem_str *value,
    struct mem_err *err)
{
	*value = stored;
	bool has_sum = sum_seeds[tab] != 0 && !(tab == MEM_T_META && store_is_format_key(key));
	if (key_sums[tab] ? cut_key_sum(key, value) : has_sum ? store_cut_value_sum(tab, key, value) : stored.p != NULL)
		return MEM_OK;
	*value = (struct mem_str){ "", 0 };
	/* Readers of many pass over MEM_DAMAGED, which nobody can where the store itself is told of. */
	return mem_err_set(err, tab == MEM_T_META ? MEM_FAIL : MEM_DAMAGED, "'%s': a %s of table %s is damaged: run mem-check", t->s->path,
	    key_sums[tab] ? "key" : "value", store_table_names[tab]);
}

static int
get_lmdb_value(struct mem_txn *t, enum mem_table tab, MDB_val *key, MDB_val *value)
{
	store_enter_lmdb();
	int rc = mdb_get(t->txn, t->dbi[tab], key, value);
	store_leave_lmdb();
	return rc;
}

static int
put_lmdb_value(struct mem_txn *t, enum mem_table tab, MDB_val *key, MDB_val *value, unsigned flags)
{
	store_enter_lmdb();
	int rc = mdb_put(t->txn, t->dbi[tab], key, value, flags);
	store_leave_lmdb();
	return rc;
}

/* mdb_put, with a checksum where the table has them. */
static int
put_value(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_str value, unsigned flags)
{
	MDB_val k = store_mdb_val(key), v = store_mdb_val(value);
	uint32_t key_sum;
	if (key_sums[tab]) {
		assert(value.n == 0);
		key_sum = mem_crc32c_lanes(key.p, key.n);
		v = (MDB_val){ sizeof key_sum, &key_sum };
	}
	if (sum_seeds[tab] == 0)
		return put_lmdb_value(t, tab, &k, &v, flags);
	uint64_t sum = store_value_sum(tab, key, value);
	v.mv_size += sizeof sum;
	int rc = put_lmdb_value(t, tab, &k, &v, flags | MDB_RESERVE);
	if (rc == 0) {
		memcpy(v.mv_data, value.p, value.n);
		memcpy((char *)v.mv_data + value.n, &sum, sizeof sum);
	}
	return rc;
}

struct mem_cursor {
	struct mem_txn *t;
	enum mem_table tab;
	MDB_cursor *c;           /* inside a write, and where a snapshot's pages cannot be read without LMDB */
	struct store_walk walk;  /* levels NULL: that, or a table that is not there */
	MDB_val key, value;
};

/* ---- rows ---------------------------------------------------------------- */

/* The table is there, and so is a sound page for the row. */
static enum mem_status
need_place(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_err *err)
{
	return t->dbi[tab] != 0 ? store_tree_check_place(t, tab, key, err) : store_make_table(t, tab, err);
}

static enum mem_status
check_row_sum(struct mem_txn *t, const struct mem_cursor *c, struct mem_err *err)
{
	struct mem_str value;
	(void)t;
	return mem_cursor_read(c, &value, err);
}

enum mem_status
store_check_place_of_key(struct mem_txn *t, enum mem_table tab, struct mem_str key, store_check_row_fn *check, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, tab, err);
	if (st != MEM_OK)
		return st;
	enum mem_status there = mem_cursor_seek(c, key, err);
	st = there == MEM_OK ? check(t, c, err) : there;
	if (st == MEM_OK || st == MEM_END)
		st = there == MEM_END ? mem_cursor_last(c, err) : mem_cursor_prev(c, err);
	if (st == MEM_OK)
		st = check(t, c, err);
	mem_cursor_close(c);
	return st == MEM_OK || st == MEM_END ? MEM_NOTFOUND : st;
}

/* Where what is not there is taken for nothing that was ever written. */
static bool
is_absence_believed(enum mem_table tab)
{
	return tab != MEM_T_NS && tab != MEM_T_META && tab != MEM_T_TOMB;
}

enum mem_status
mem_tab_get(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_str *value, struct mem_err *err)
{
	MDB_val k = store_mdb_val(key), v;
	enum mem_status st;
	if (t->dbi[tab] == 0)
		return MEM_NOTFOUND;
	if (t->pages != NULL)
		st = store_tree_get(t, tab, key, &v, err);
	else {
		int rc = get_lmdb_value(t, tab, &k, &v);
		st = rc == 0 ? MEM_OK : store_txn_err(t, rc, "read", err);
	}
	if (st == MEM_NOTFOUND && !is_absence_believed(tab))
		return store_check_place_of_key(t, tab, key, check_row_sum, err);
	return st == MEM_OK ? take_checked_value(t, tab, key, take_value(t, v), value, err) : st;
}

bool
mem_tab_has(struct mem_txn *t, enum mem_table tab, struct mem_str key)
{
	MDB_val k = store_mdb_val(key), v;
	if (t->pages != NULL)
		return t->dbi[tab] != 0 && store_tree_get(t, tab, key, &v, NULL) == MEM_OK;
	return t->dbi[tab] != 0 && get_lmdb_value(t, tab, &k, &v) == 0;
}

enum mem_status
mem_tab_put(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_str value, struct mem_err *err)
{
	enum mem_status st = need_place(t, tab, key, err);
	if (st != MEM_OK)
		return st;
	int rc = put_value(t, tab, key, value, 0);
	return rc == 0 ? MEM_OK : store_txn_err(t, rc, "write", err);
}

/* MDB_APPEND skips the search and fills pages to the brim, where a put halves them. */
enum mem_status
mem_tab_append(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_str value, bool fresh,
    struct mem_err *err)
{
	enum mem_status st = need_place(t, tab, key, err);
	if (st != MEM_OK)
		return st;
	int rc = put_value(t, tab, key, value, MDB_APPEND);
	if (rc == MDB_KEYEXIST) /* not the highest */
		rc = put_value(t, tab, key, value, fresh ? MDB_NOOVERWRITE : 0);
	if (rc == MDB_KEYEXIST)
		return MEM_EXISTS;
	return rc == 0 ? MEM_OK : store_txn_err(t, rc, "write", err);
}

enum mem_status
mem_tab_reserve(struct mem_txn *t, enum mem_table tab, struct mem_str key, size_t n, void **room, struct mem_err *err)
{
	MDB_val k = store_mdb_val(key), v = { n, NULL };
	assert(sum_seeds[tab] == 0 && !key_sums[tab]);
	enum mem_status st = need_place(t, tab, key, err);
	if (st != MEM_OK)
		return st;
	int rc = put_lmdb_value(t, tab, &k, &v, MDB_RESERVE);
	if (rc != 0)
		return store_txn_err(t, rc, "write", err);
	*room = v.mv_data;
	return MEM_OK;
}

enum mem_status
mem_tab_del(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_err *err)
{
	MDB_val k = store_mdb_val(key);
	if (t->dbi[tab] == 0)
		return MEM_NOTFOUND;
	enum mem_status st = store_tree_check_place(t, tab, key, err);
	if (st != MEM_OK)
		return st;
	store_enter_lmdb();
	int rc = mdb_del(t->txn, t->dbi[tab], &k, NULL);
	store_leave_lmdb();
	return rc == 0 ? MEM_OK : store_txn_err(t, rc, "write", err);
}

uint64_t
mem_tab_count(struct mem_txn *t, enum mem_table tab)
{
	MDB_stat st;
	return t->dbi[tab] != 0 && mdb_stat(t->txn, t->dbi[tab], &st) == 0 ? st.ms_entries : 0;
}

/* ---- reads of the file ------------------------------------------------- */

enum mem_status
mem_txn_pread(struct mem_txn *t, const void *at, void *out, size_t n, struct mem_err *err)
{
	int fd;
	if (t->pages == NULL || mdb_env_get_fd(t->s->env, &fd) != 0) {
		memcpy(out, at, n);
		return MEM_OK;
	}
	off_t offset = (const char *)at - t->pages;
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
 * One page tells, the last: what is read in one piece is mostly there as a whole or not at all, but the first page was
 * touched when the value was looked up.  Reading it and forgetting what
 * was read is better than madvise, for which the kernel takes single pages: each of these costs every process
 * later on, when it maps them.
 */
void
mem_txn_prefetch(struct mem_txn *t, struct mem_str value)
{
	MDB_stat stat;
	unsigned char there = 0;
	int fd;
	if (t == NULL || value.n == 0) /* a segment outside a store */
		return;
	if (t->pages == NULL || mdb_env_stat(t->s->env, &stat) != 0 || mdb_env_get_fd(t->s->env, &fd) != 0)
		return;
	const char *last = value.p + value.n - 1;
	union { const char *c; void *v; } page = { .c = last - ((uintptr_t)last & (stat.ms_psize - 1)) };
	if (mincore(page.v, 1, &there) != 0 || (there & 1) != 0)
		return;
	char *nowhere = mem_xmalloc(value.n);
	ssize_t got = pread(fd, nowhere, value.n, value.p - t->pages);
	(void)got; /* what cannot be read is told when it is used */
	free(nowhere);
}

/* ---- cursors ----------------------------------------------------------- */

enum mem_status
mem_cursor_open(struct mem_cursor **out, struct mem_txn *t, enum mem_table tab, struct mem_err *err)
{
	struct mem_cursor *c = mem_xcalloc(1, sizeof *c);
	enum mem_status st = MEM_OK;
	c->t = t;
	c->tab = tab;
	if (t->dbi[tab] != 0 && t->pages != NULL)
		st = store_walk_begin(&c->walk, t, tab, err);
	else if (t->dbi[tab] != 0) {
		int rc = mdb_cursor_open(t->txn, t->dbi[tab], &c->c);
		st = rc == 0 ? MEM_OK : store_txn_err(t, rc, "read", err);
	}
	if (st == MEM_OK)
		*out = c;
	else
		mem_cursor_close(c);
	return st;
}

void
mem_cursor_close(struct mem_cursor *c)
{
	if (c == NULL)
		return;
	if (c->c != NULL)
		mdb_cursor_close(c->c);
	store_walk_release(&c->walk);
	free(c);
}

static enum mem_status
move_lmdb_cursor(struct mem_cursor *c, MDB_cursor_op op, struct mem_err *err)
{
	if (c->c == NULL)
		return MEM_END;
	store_enter_lmdb();
	int rc = mdb_cursor_get(c->c, &c->key, &c->value, op);
	store_leave_lmdb();
	if (rc == MDB_NOTFOUND)
		return MEM_END;
	return rc == 0 ? MEM_OK : store_txn_err(c->t, rc, "read", err);
}

/* Where one row left out makes all others count for something else. */
static bool
is_wanted_whole(enum mem_table tab)
{
	return tab == MEM_T_TAIL || tab == MEM_T_CODE || tab == MEM_T_SEG || tab == MEM_T_SEGS || tab == MEM_T_TOMB;
}

static enum mem_status
take_walk_key(struct mem_cursor *c, enum mem_status st, struct mem_err *err)
{
	if (c->walk.bad_page != 0 && is_wanted_whole(c->tab))
		return mem_err_set(err, MEM_FAIL, "'%s': page %llu of table %s is damaged: run mem-check --repair", c->t->s->path,
		    (unsigned long long)c->walk.bad_page, store_table_names[c->tab]);
	if (st == MEM_OK)
		c->key = store_mdb_val(c->walk.key);
	return st;
}

enum mem_status
mem_cursor_seek(struct mem_cursor *c, struct mem_str key, struct mem_err *err)
{
	if (c->walk.levels != NULL)
		return take_walk_key(c, store_walk_seek(&c->walk, key, &c->value), err);
	c->key = store_mdb_val(key);
	return move_lmdb_cursor(c, key.n > 0 ? MDB_SET_RANGE : MDB_FIRST, err);
}

enum mem_status
mem_cursor_next(struct mem_cursor *c, struct mem_err *err)
{
	if (c->walk.levels != NULL)
		return take_walk_key(c, store_walk_step(&c->walk, false, &c->value), err);
	return move_lmdb_cursor(c, MDB_NEXT, err);
}

enum mem_status
mem_cursor_prev(struct mem_cursor *c, struct mem_err *err)
{
	if (c->walk.levels != NULL)
		return take_walk_key(c, store_walk_step(&c->walk, true, &c->value), err);
	return move_lmdb_cursor(c, MDB_PREV, err);
}

enum mem_status
mem_cursor_last(struct mem_cursor *c, struct mem_err *err)
{
	if (c->walk.levels != NULL)
		return take_walk_key(c, store_walk_last(&c->walk, &c->value), err);
	return move_lmdb_cursor(c, MDB_LAST, err);
}

struct mem_str
mem_cursor_key(const struct mem_cursor *c)
{
	return val_span(c->key);
}

/*
 * Values of row are some megabyte long, and a search reads a few rows of each by pread, whose checksums tell a wrong
 * place.  So that the value's header is not a page fault more for each, it is enough that it ends in the file.
 */
static bool
ends_in_file(struct mem_txn *t, const MDB_val *v)
{
	MDB_envinfo info;
	if (t->pages == NULL || mdb_env_info(t->s->env, &info) != 0)
		return store_value_has_room(t, v);
	size_t end = (info.me_last_pgno + 1) * t->s->page_size, at = (size_t)((const char *)v->mv_data - t->pages);
	return at <= end && v->mv_size <= end - at;
}

struct mem_str
mem_cursor_value(const struct mem_cursor *c)
{
	assert(sum_seeds[c->tab] == 0 && !key_sums[c->tab]);
	if (c->tab == MEM_T_ROW)
		return ends_in_file(c->t, &c->value) ? val_span(c->value) : MEM_STR("");
	struct mem_str v = take_value(c->t, c->value);
	return v.p != NULL ? v : MEM_STR(""); /* too short to be read as anything */
}

enum mem_status
mem_cursor_read(const struct mem_cursor *c, struct mem_str *value, struct mem_err *err)
{
	return take_checked_value(c->t, c->tab, val_span(c->key), take_value(c->t, c->value), value, err);
}

bool
mem_cursor_sound(const struct mem_cursor *c)
{
	struct mem_str value;
	return mem_cursor_read(c, &value, NULL) == MEM_OK;
}
