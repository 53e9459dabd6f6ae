/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots, and write transactions that may run again. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/page_tree.h"
#include "store/store_int.h"
#include "store/store_lock_int.h"

#define RESIZES 16 /* of the map by others, within one begin, before we give up */

static enum mem_status
load_counters(struct mem_txn *t, struct mem_err *err)
{
	struct mem_str v;
	store_enter_lmdb();
	enum mem_status st = mem_tab_get(t, MEM_T_META, MEM_STR("counters"), &v, err);
	store_leave_lmdb();
	if (st == MEM_OK)
		store_note_map(t->s, v.p);
	if (st == MEM_FAIL && (t->s->held || t->s->mend)) { /* a repair counts anew: store_repair.c */
		t->c = (struct store_counters){ .next_ns = 1, .next_edge = 1, .repairing = 1 };
		return MEM_OK;
	}
	if (st == MEM_NOTFOUND || (st == MEM_OK && v.n != sizeof t->c))
		return mem_err_set(err, MEM_FAIL, "'%s' lacks its counters: it is damaged; run mem-check", t->s->path);
	if (st == MEM_OK)
		memcpy(&t->c, v.p, sizeof t->c);
	return st;
}

/* Where a repair was broken off ids are not found, so that a writer would give one twice.  `held`: we are the repair. */
static enum mem_status
refuse_open_repair(struct mem_txn *t, struct mem_err *err)
{
	if (t->c.repairing == 0 || t->s->held)
		return MEM_OK;
	if (t->write)
		return mem_err_set(err, MEM_FAIL, "'%s': a repair was broken off: run mem-check --repair", t->s->path);
	if (!t->s->write) /* who is going to write is refused, or waits for the repair */
		store_note_open_repair(t->s);
	return MEM_OK;
}

enum mem_status
mem_store_check_repair(struct mem_store *s, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK && t->c.repairing != 0)
		st = mem_err_set(err, MEM_FAIL, "'%s': a repair was broken off: run mem-check --repair", s->path);
	mem_txn_end(t);
	return st;
}

static void
free_txn(struct mem_txn *t)
{
	store_ns_release(t);
	store_attrs_release(t->attrs.ahead);
	free(t->was);
	free(t);
}

/* Tables that another process made since: their handles hold once a transaction that has them is committed. */
static bool
open_new_tables(struct mem_txn *t)
{
	bool opened = false;
	for (int i = 0; i < MEM_T_COUNT; i++)
		if (t->dbi[i] == 0 && mdb_dbi_open(t->txn, store_table_names[i], 0, &t->dbi[i]) == 0)
			opened = true;
	return opened;
}

/* mdb_txn_begin through what may pass: dead readers' slots, a map that another process enlarged. */
static enum mem_status
begin_lmdb_txn(struct mem_store *s, unsigned flags, MDB_txn **txn, struct mem_err *err)
{
	int rc = 0;
	if (s->grow && s->snapshots == 0) {
		enum mem_status st = store_grow_map(s, err);
		if (st != MEM_OK)
			return st;
	}
	for (int try = 0; try < RESIZES; try++) {
		rc = mdb_txn_begin(s->env, NULL, flags, txn);
		if (rc == MDB_MAP_RESIZED) {
			enum mem_status st = store_grow_map(s, err);
			if (st != MEM_OK)
				return st;
		} else if (rc == MDB_READERS_FULL && try == 0) {
			int dead;
			mdb_reader_check(s->env, &dead);
		} else
			break;
	}
	return rc == 0 ? MEM_OK : store_mdb_err(s, rc, "begin", err);
}

/* A transaction with handles of all tables that it sees.  Those that a snapshot opens must hold for others that begin
 * beside it, so it is committed with them, and begun again. */
static enum mem_status
begin_with_tables(struct mem_txn *t, struct mem_err *err)
{
	for (;;) {
		enum mem_status st = begin_lmdb_txn(t->s, t->write ? 0 : (unsigned)MDB_RDONLY, &t->txn, err);
		if (st != MEM_OK)
			return st;
		memcpy(t->dbi, t->s->dbi, sizeof t->dbi);
		if (!open_new_tables(t) || t->write)
			return MEM_OK;
		int rc = mdb_txn_commit(t->txn);
		if (rc != 0)
			return store_mdb_err(t->s, rc, "read", err);
		memcpy(t->s->dbi, t->dbi, sizeof t->dbi);
	}
}

enum mem_status
mem_txn_read(struct mem_txn **out, struct mem_store *s, struct mem_err *err)
{
	enum mem_status st = store_open_env(s, err);
	if (st != MEM_OK)
		return st;
	struct mem_txn *t = mem_xcalloc(1, sizeof *t);
	t->s = s;
	store_enter_lmdb();
	st = begin_with_tables(t, err);
	store_leave_lmdb();
	if (st != MEM_OK) {
		free_txn(t);
		return st;
	}
	s->snapshots++;
	t->now = mem_store_now(s);
	st = load_counters(t, err);
	if (st == MEM_OK)
		store_tree_begin(t);
	if (st == MEM_OK)
		st = refuse_open_repair(t, err);
	if (st != MEM_OK) {
		mem_txn_end(t);
		return st;
	}
	*out = t;
	return MEM_OK;
}

struct mem_txn *
mem_txn_open_second(const struct mem_txn *t)
{
	struct mem_txn *second = mem_xcalloc(1, sizeof *second);
	*second = (struct mem_txn){ .s = t->s, .now = t->now, .c = t->c };
	memcpy(second->dbi, t->dbi, sizeof second->dbi);
	if (mdb_txn_begin(t->s->env, NULL, MDB_RDONLY, &second->txn) != 0) {
		free_txn(second);
		return NULL;
	}
	t->s->snapshots++;
	store_tree_begin(second);
	return second;
}

void
mem_txn_end(struct mem_txn *t)
{
	if (t == NULL)
		return;
	assert(!t->write);
	mdb_txn_abort(t->txn);
	struct mem_store *s = t->s;
	s->snapshots--;
	free_txn(t);
	store_tell_damage(s);
}

const struct mem_store *
mem_txn_store(const struct mem_txn *t)
{
	return t->s;
}

uint64_t
mem_txn_seq(struct mem_txn *t)
{
	return t->c.seq;
}

int64_t
mem_txn_now(const struct mem_txn *t)
{
	return t->now;
}

/* ---- writing ----------------------------------------------------------- */

enum mem_status
store_flush_txn(struct mem_txn *t, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct mem_buf key = { 0 };
	for (size_t i = 0; i < t->nns && st == MEM_OK; i++) {
		const struct mem_ns *ns = &t->ns[i]->ns;
		if (!t->ns[i]->dirty)
			continue;
		struct store_ns_row row = { ns->number, ns->root != ns->number ? ns->root : 0, ns->nodes, ns->length };
		mem_buf_reset(&key);
		store_ns_key_put(&key, mem_str(ns->name), mem_str(ns->compartment));
		st = mem_tab_put(t, MEM_T_NS, mem_buf_span(&key), (struct mem_str){ (const char *)&row, sizeof row }, err);
	}
	mem_buf_release(&key);
	if (st == MEM_OK && t->counters_dirty)
		st = mem_tab_put(t, MEM_T_META, MEM_STR("counters"), (struct mem_str){ (const char *)&t->c, sizeof t->c }, err);
	return st;
}

/* One run of fn.  *full: to be run again with a larger map. */
static enum mem_status
run_write_fn(struct mem_store *s, mem_write_fn *fn, void *ctx, bool *full, uint64_t *seq, struct mem_err *err)
{
	struct mem_txn *t = mem_xcalloc(1, sizeof *t);
	t->s = s;
	t->write = true;
	store_enter_lmdb();
	enum mem_status st = begin_with_tables(t, err);
	store_leave_lmdb();
	if (st != MEM_OK) {
		free_txn(t);
		return st;
	}
	t->now = mem_store_now(s);
	s->writing = true;
	st = load_counters(t, err);
	if (st == MEM_OK)
		st = store_tree_begin_write(t, err);
	if (st == MEM_OK)
		st = refuse_open_repair(t, err);
	if (st == MEM_OK)
		st = fn(t, ctx, err);
	if (st == MEM_OK)
		st = store_flush_txn(t, err);
	if (st == MEM_OK && !t->full) {
		store_enter_lmdb();
		int rc = mdb_txn_commit(t->txn);
		store_leave_lmdb();
		if (rc != 0)
			st = store_txn_err(t, rc, "commit", err);
		else
			memcpy(s->dbi, t->dbi, sizeof s->dbi); /* an abort forgets the handles of what it made */
		*seq = t->c.seq;
	} else
		mdb_txn_abort(t->txn);
	*full = t->full;
	s->writing = false;
	free_txn(t);
	return st;
}

/* Tells those who follow: they watch this file, since events on data.mdb come before the
 * commit can be seen.  A failure costs them up to a second and nothing else. */
static void
wake_followers(struct mem_store *s, uint64_t seq)
{
	char text[32];
	struct mem_err err;
	if (s->wake_fd < 0 && store_open_lock_file(s, STORE_WAKE_FILE, &s->wake_fd, &err) != MEM_OK)
		return;
	int n = snprintf(text, sizeof text, "%llu\n", (unsigned long long)seq);
	ssize_t put = pwrite(s->wake_fd, text, (size_t)n, 0);
	(void)put;
}

/*
 * write.lock, then store.lock: a compaction takes them in that order too.  A writer already holds
 * store.lock when it comes here, so it only tries for a moment; then it lets
 * go of store.lock and queues like everybody else.
 */
enum mem_status
store_lock_for_write(struct mem_store *s, int64_t wait_ms, struct mem_err *err)
{
	const int64_t moment_ms = 20;
	if (!s->write)
		return mem_err_set(err, MEM_FAIL, "'%s' was opened for reading only", s->path);
	bool may_pause = s->snapshots == 0 && wait_ms > moment_ms;
	enum mem_status st = store_take_write_lock(s, may_pause ? moment_ms : wait_ms, err);
	if (st == MEM_BUSY && may_pause) {
		mem_store_pause(s);
		st = store_take_write_lock(s, wait_ms - moment_ms, err);
	}
	if (st != MEM_OK)
		return st;
	st = store_open_env(s, err);
	if (st != MEM_OK)
		store_drop_write_lock(s);
	return st;
}

static enum mem_status
run_write_within(struct mem_store *s, int64_t wait_ms, mem_write_fn *fn, void *ctx, struct mem_err *err)
{
	uint64_t seq = 0;
	assert(!s->writing);
	enum mem_status st = store_lock_for_write(s, wait_ms, err);
	if (st != MEM_OK)
		return st;
	for (;;) {
		bool full = false;
		st = run_write_fn(s, fn, ctx, &full, &seq, err);
		if (!full)
			break;
		st = store_grow_map(s, err);
		if (st == MEM_OK)
			st = store_open_env(s, err);
		if (st != MEM_OK)
			break;
	}
	if (st == MEM_OK)
		wake_followers(s, seq);
	store_drop_write_lock(s);
	store_tell_damage(s);
	/* LMDB refuses everything after a failed write of its meta page until it is opened anew. */
	if (st == MEM_FAIL)
		mem_store_pause(s);
	return st;
}

enum mem_status
mem_store_write(struct mem_store *s, mem_write_fn *fn, void *ctx, struct mem_err *err)
{
	return run_write_within(s, s->wait_ms, fn, ctx, err);
}

enum mem_status
mem_store_try_write(struct mem_store *s, mem_write_fn *fn, void *ctx, struct mem_err *err)
{
	return run_write_within(s, 0, fn, ctx, err);
}
