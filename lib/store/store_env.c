/* SPDX-License-Identifier: Apache-2.0 */
/* The LMDB environment: opened, let go of, made larger. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "store/store_int.h"
#include "store/store_lock_int.h"

#define MAP_WANTED ((size_t)256 << 30)
#define MAP_LEAST  ((size_t)4 << 20)
#define READERS    1022 /* with LMDB's header they fill 64 KiB of lock.mdb */

bool
store_is_disk_full(int fd, int rc)
{
	struct statvfs fs;
	if (rc == ENOSPC || rc == EDQUOT)
		return true;
	return rc == EIO && fd >= 0 && fstatvfs(fd, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize < (uint64_t)1 << 20;
}

/*
 * LMDB calls every write that was cut short EIO, so one that the limit of the process (setrlimit(2)) cut short, too.  It writes at
 * most at the end of what its map will have grown to, so a limit that is close to the file's size is why.
 */
static bool
is_size_limited(const struct mem_store *s, int rc)
{
	enum { CLOSE = 64 << 20 };
	struct rlimit limit;
	struct stat data;
	if (rc == EFBIG)
		return true;
	return rc == EIO && s != NULL && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    fstatat(s->dirfd, STORE_DATA_FILE, &data, AT_SYMLINK_NOFOLLOW) == 0 && (uint64_t)data.st_size + CLOSE > (uint64_t)limit.rlim_cur;
}

enum mem_status
store_mdb_err(struct mem_store *s, int rc, const char *what, struct mem_err *err)
{
	const char *path = s != NULL ? s->path : "";
	if (rc == MDB_NOTFOUND)
		return MEM_NOTFOUND;
	if (store_is_disk_full(s != NULL ? s->dirfd : -1, rc))
		return mem_err_set(err, MEM_FAIL, "cannot %s in '%s': disk full", what, path);
	if (is_size_limited(s, rc))
		return mem_err_set(err, MEM_FAIL, "cannot %s in '%s': its file may not grow further: raise the limit of file sizes (ulimit -f)",
		    what, path);
	switch (rc) {
	case MDB_READERS_FULL:
		return mem_err_set(err, MEM_BUSY, "busy: %d processes read '%s' at once", READERS, path);
	case MDB_MAP_FULL:
		return mem_err_set(err, MEM_FAIL, "cannot %s in '%s': the map is full", what, path);
	case MDB_CORRUPTED:
	case MDB_PAGE_NOTFOUND:
	case MDB_PANIC:
		return mem_err_set(err, MEM_FAIL, "cannot %s in '%s': the store is damaged (%s): run mem-check",
		    what, path, mdb_strerror(rc));
	default:
		return mem_err_set(err, MEM_FAIL, "cannot %s in '%s': %s", what, path, mdb_strerror(rc));
	}
}

int
store_map_env(MDB_env **out, const char *path, unsigned flags, int64_t file_size)
{
	size_t least = (size_t)file_size * 2 > MAP_LEAST ? (size_t)file_size * 2 : MAP_LEAST;
	int rc = 0;
	for (int try = 0; try < 2; try++) {
		rc = mdb_env_create(out);
		if (rc != 0)
			return rc;
		if ((rc = mdb_env_set_mapsize(*out, try == 0 ? MAP_WANTED : least)) == 0 &&
		    (rc = mdb_env_set_maxdbs(*out, MEM_T_COUNT + 4)) == 0 &&
		    (rc = mdb_env_set_maxreaders(*out, READERS)) == 0)
			rc = mdb_env_open(*out, path, MDB_NOTLS | flags, 0600);
		if (rc == 0)
			return 0;
		mdb_env_close(*out);
		*out = NULL;
		/* A limit on address space, or (EINVAL) valgrind and its like, which have less of it. */
		if (rc != ENOMEM && rc != EINVAL)
			break;
	}
	return rc;
}

/* store.lock, shared, past the gate: who holds the gate waits for store.lock alone, and
 * openers that queue here do not starve it. */
static enum mem_status
pass_gate(struct mem_store *s, struct mem_err *err)
{
	int gate = -1, fd = -1;
	int64_t end = mem_clock_ms() + s->wait_ms;
	enum mem_status st = store_open_lock_file(s, STORE_GATE_FILE, &gate, err);
	if (st == MEM_OK)
		st = store_open_lock_file(s, STORE_LOCK_FILE, &fd, err);
	if (err != NULL)
		err->msg[0] = st == MEM_OK ? '\0' : err->msg[0];
	if (st == MEM_OK)
		st = store_wait_flock(gate, LOCK_SH, s->wait_ms, err);
	if (st == MEM_OK) {
		int64_t left = end - mem_clock_ms();
		st = store_wait_flock(fd, LOCK_SH, left > 0 ? left : 0, err);
	}
	if (st == MEM_BUSY && (err == NULL || err->msg[0] == '\0'))
		mem_err_set(err, MEM_BUSY, "busy: '%s' is being compacted or restored", s->path);
	if (gate >= 0)
		close(gate); /* and with it the lock */
	if (st == MEM_OK)
		s->lock_fd = fd;
	else if (fd >= 0)
		close(fd);
	return st;
}

/*
 * LMDB writes to lock.mdb through a map, also for readers; without room on the disk for its
 * pages that is a SIGBUS.  So the room is taken beforehand.  LMDB does not have the file open yet, so closing
 * it here drops none of its locks.
 */
enum mem_status
store_take_lock_room(struct mem_store *s, const char *name, struct mem_err *err)
{
	struct stat st;
	const off_t size = 65536;
	if (fstatat(s->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size == size && st.st_blocks * 512 >= size)
		return MEM_OK;
	int fd = openat(s->dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc = fd >= 0 ? posix_fallocate(fd, 0, size) : errno;
	if (fd >= 0)
		close(fd);
	return rc == 0 ? MEM_OK : store_mdb_err(s, rc, "make room for locks", err);
}

/* What LMDB would not open: our words for it. */
static enum mem_status
refuse_lmdb_file(struct mem_store *s, int rc, struct mem_err *err)
{
	uint32_t magic = 0;
	if (rc != MDB_INVALID && rc != MDB_VERSION_MISMATCH && rc != ENOENT)
		return store_mdb_err(s, rc, "open the data", err);
	int fd = openat(s->dirfd, STORE_DATA_FILE, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		/* mdb.c: the magic number stands behind the page header. */
		if (pread(fd, &magic, sizeof magic, 16) != sizeof magic)
			magic = 0;
		close(fd);
	}
	if (magic == __builtin_bswap32(0xBEEFC0DE))
		return mem_err_set(err, MEM_FAIL, "'%s/" STORE_DATA_FILE "' was made on a machine of another byte order: "
		    "use mem-export there and mem-import here", s->path);
	return mem_err_set(err, MEM_FAIL, "'%s/" STORE_DATA_FILE "' is not a memkit store: restore a backup", s->path);
}

/* The first snapshot: is it whole, of our making, and which tables has it? */
static enum mem_status
open_tables(struct mem_store *s, struct mem_err *err)
{
	MDB_txn *txn = NULL;
	int rc = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn);
	if (rc == MDB_READERS_FULL) {
		int dead;
		mdb_reader_check(s->env, &dead);
		rc = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn);
	}
	if (rc != 0)
		return store_mdb_err(s, rc, "read", err);
	MDB_stat pages;
	enum mem_status st = store_check_truncation(s->env, s->path, err);
	s->page_size = mdb_env_stat(s->env, &pages) == 0 ? pages.ms_psize : 0;
	if (st == MEM_OK && s->pages_fn != NULL) {
		st = store_check_pages(s, txn, s->mend ? store_pass_over_breach : s->pages_fn, s->pages_ctx, NULL, err);
		s->pages_fn = st == MEM_OK ? NULL : s->pages_fn;
	}
	if (st == MEM_OK)
		st = store_check_format(s, txn, err);
	if (st == MEM_OK)
		st = store_open_tables(s, txn, err);
	/* Committed, since an abort would drop the handles of the tables. */
	if (st == MEM_OK && (rc = mdb_txn_commit(txn)) != 0)
		st = store_mdb_err(s, rc, "read", err);
	else if (st != MEM_OK)
		mdb_txn_abort(txn);
	return st;
}

/* LMDB opened a path; the file that was checked must still be the one behind it. */
static enum mem_status
check_same_data(struct mem_store *s, const struct stat *want, struct mem_err *err)
{
	struct stat got;
	int fd;
	if (mdb_env_get_fd(s->env, &fd) != 0 || fstat(fd, &got) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot look at '%s/" STORE_DATA_FILE "'", s->path);
	if (got.st_dev != want->st_dev || got.st_ino != want->st_ino)
		return mem_err_set(err, MEM_DENIED, "'%s' was exchanged while it was opened", s->path);
	return MEM_OK;
}

static enum mem_status
open_lmdb(struct mem_store *s, int64_t file_size, struct mem_err *err)
{
	/* A look-up touches pages here and there: what the kernel reads ahead at each, up to
	 * megabytes on a cold start, is never looked at. */
	unsigned flags = (s->write ? 0 : (unsigned)MDB_RDONLY) | (s->readonly_fs ? (unsigned)MDB_NOLOCK : 0) |
	    (s->write || s->scan ? 0 : (unsigned)MDB_NORDAHEAD);
	struct mem_buf path = { 0 };
	enum mem_status st = store_take_opening(s, err);
	if (st != MEM_OK)
		return st;
	store_put_folder_path(&path, s->dirfd, s->path);
	store_watch_faults(s);
	store_enter_lmdb();
	int rc = store_map_env(&s->env, path.data, flags, file_size);
	store_leave_lmdb();
	store_leave_opening(s);
	mem_buf_release(&path);
	if (rc != 0)
		return refuse_lmdb_file(s, rc, err);
	store_watch_assertions(s);
	return MEM_OK;
}

enum mem_status
store_open_env_in_place(struct mem_store *s, struct mem_err *err)
{
	struct stat data;
	enum mem_status st = MEM_OK;
	if (!s->readonly_fs)
		st = pass_gate(s, err);
	/* Looked at behind the lock: a compaction has a new file in place by now. */
	if (st == MEM_OK)
		st = store_check_data_file(s->dirfd, s->path, &data, err);
	if (st == MEM_OK && data.st_size == 0)
		st = mem_err_set(err, MEM_FAIL, "'%s/" STORE_DATA_FILE "' is empty: restore a backup", s->path);
	if (st == MEM_OK && !s->readonly_fs)
		st = store_take_lock_room(s, STORE_LMDB_LOCK_FILE, err);
	if (st == MEM_OK)
		st = open_lmdb(s, data.st_size, err);
	if (st == MEM_OK)
		st = check_same_data(s, &data, err);
	if (st == MEM_OK && !s->readonly_fs) {
		int dead;
		mdb_reader_check(s->env, &dead);
	}
	return st;
}

enum mem_status
store_open_env(struct mem_store *s, struct mem_err *err)
{
	if (s->env != NULL)
		return MEM_OK;
	enum mem_status st = s->aside ? store_open_env_aside(s, err) : store_open_env_in_place(s, err);
	if (st == MEM_OK) {
		store_enter_lmdb();
		st = open_tables(s, err);
		store_leave_lmdb();
	}
	if (st != MEM_OK)
		mem_store_pause(s);
	return st;
}

void
mem_store_pause(struct mem_store *s)
{
	if (s->snapshots > 0 || s->writing)
		return;
	if (s->env != NULL) {
		/* Who cannot have it in its time closes all the same: nothing may keep a process from ending. */
		enum mem_status st = store_take_opening(s, NULL);
		(void)st;
		mdb_env_close(s->env);
	}
	mem_mapped_drop(&s->map);
	s->map.at = s->map_start = NULL;
	s->env = NULL;
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	s->lock_fd = -1;
	s->grow = false;
}

enum mem_status
store_grow_map(struct mem_store *s, struct mem_err *err)
{
	MDB_envinfo info;
	struct stat st;
	int fd, rc;
	if (s->snapshots > 0) {
		s->grow = true;
		return mem_err_set(err, MEM_BUSY, "the map of '%s' is full and a snapshot keeps it from growing", s->path);
	}
	mdb_env_info(s->env, &info);
	if (mdb_env_get_fd(s->env, &fd) != 0 || fstat(fd, &st) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot look at '%s/" STORE_DATA_FILE "'", s->path);
	size_t size = info.me_mapsize;
	if (size < (size_t)st.st_size)
		size = (size_t)st.st_size;
	s->grow = false;
	s->map.at = s->map_start = NULL; /* LMDB maps it elsewhere */
	rc = size > SIZE_MAX / 2 ? ENOMEM : mdb_env_set_mapsize(s->env, 2 * size);
	if (rc != 0) {
		/* LMDB is left without a map. */
		mem_store_pause(s);
		return store_mdb_err(s, rc, "enlarge the map", err);
	}
	return MEM_OK;
}
