/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a store: to a descriptor, as a backup, and in its own place. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/backup_int.h"
#include "store/store_int.h"
#include "store/store_lock_int.h"

#define ALONE_MS_MAX 5000

/* LMDB follows damaged pages anywhere when it copies; and a copy of them would stand where a sound one was. */
static enum mem_status
refuse_damaged_pages(struct mem_store *s, struct mem_err *err)
{
	MDB_txn *txn = NULL;
	int rc = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn);
	if (rc != 0)
		return store_mdb_err(s, rc, "read", err);
	enum mem_status st = store_check_pages(s, txn, store_pass_over_breach, NULL, NULL, err);
	mdb_txn_abort(txn);
	return st == MEM_REFUSED ? mem_err_set(err, MEM_FAIL, "'%s' has damaged pages and is not copied: run mem-check --repair", s->path) : st;
}

static enum mem_status
copy_sound_pages(struct mem_store *s, int fd, uint64_t *bytes, struct mem_err *err)
{
	struct stat st;
	store_enter_lmdb();
	int rc = mdb_env_copyfd2(s->env, fd, MDB_CP_COMPACT);
	store_leave_lmdb();
	if (rc != 0 && store_is_disk_full(fd, rc))
		return mem_err_set(err, MEM_FAIL, "cannot copy the data of '%s': the disk that the copy is on is full", s->path);
	if (rc != 0)
		return store_mdb_err(s, rc, "copy the data", err);
	if (fsync(fd) != 0 || fstat(fd, &st) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot copy '%s'", s->path);
	*bytes = (uint64_t)st.st_size;
	return MEM_OK;
}

enum mem_status
mem_store_copy(struct mem_store *s, int fd, uint64_t *bytes, struct mem_err *err)
{
	enum mem_status st = store_open_env(s, err);
	if (st == MEM_OK)
		st = refuse_damaged_pages(s, err);
	return st == MEM_OK ? copy_sound_pages(s, fd, bytes, err) : st;
}

/* ---- having it alone --------------------------------------------------- */

/* One lock file, taken exclusively; `left` is what remains of the wait. */
static enum mem_status
take_lock_file(struct mem_store *s, const char *name, int64_t end, int *fd, struct mem_err *err)
{
	enum mem_status st = store_open_lock_file(s, name, fd, err);
	if (st != MEM_OK)
		return st;
	int64_t left = end - mem_clock_ms();
	if (err != NULL)
		err->msg[0] = '\0';
	st = store_wait_flock(*fd, LOCK_EX, left > 0 ? left : 0, err);
	if (st == MEM_BUSY && (err == NULL || err->msg[0] == '\0'))
		mem_err_set(err, MEM_BUSY, "busy: other processes hold '%s' open", s->path);
	return st;
}

static enum mem_status
swap_data_file(struct mem_store *s, struct mem_err *err)
{
	if (renameat(s->dirfd, STORE_FRESH_FILE, s->dirfd, STORE_DATA_FILE) != 0 || fsync(s->dirfd) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot put the new data into '%s'", s->path);
	return MEM_OK;
}

/* With write.lock held: the gate, then store.lock, so that nobody has the store open. */
enum mem_status
store_swap_data(struct mem_store *s, struct mem_err *err)
{
	int gate = -1, store = -1;
	int64_t wait = s->wait_ms < ALONE_MS_MAX ? s->wait_ms : ALONE_MS_MAX;
	int64_t end = mem_clock_ms() + wait;
	mem_store_pause(s);
	enum mem_status st = take_lock_file(s, STORE_GATE_FILE, end, &gate, err);
	if (st == MEM_OK)
		st = take_lock_file(s, STORE_LOCK_FILE, end, &store, err);
	if (st == MEM_OK)
		st = swap_data_file(s, err);
	if (store >= 0)
		close(store);
	if (gate >= 0)
		close(gate);
	return st;
}

/* ---- compaction -------------------------------------------------------- */

static enum mem_status
wipe_copy(struct mem_store *s, int fd, uint64_t bytes, struct mem_err *err)
{
	MDB_stat st;
	int rc = mdb_env_stat(s->env, &st);
	return rc != 0 ? store_mdb_err(s, rc, "copy the data", err) : store_wipe_page_rests(fd, st.ms_psize, bytes, err);
}

static enum mem_status
copy_data_beside(struct mem_store *s, uint64_t *before, uint64_t *after, struct mem_err *err)
{
	struct stat st;
	enum mem_status status = MEM_OK;
	store_remove_fresh_data(s);
	int fd = openat(s->dirfd, STORE_FRESH_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || fstatat(s->dirfd, STORE_DATA_FILE, &st, AT_SYMLINK_NOFOLLOW) != 0)
		status = mem_err_sys(err, MEM_FAIL, "cannot copy in '%s'", s->path);
	else {
		*before = (uint64_t)st.st_size;
		status = mem_store_copy(s, fd, after, err);
		if (status == MEM_OK)
			status = wipe_copy(s, fd, *after, err);
	}
	if (fd >= 0 && close(fd) != 0 && status == MEM_OK)
		status = mem_err_sys(err, MEM_FAIL, "cannot copy in '%s'", s->path);
	return status;
}

enum mem_status
mem_store_compact(struct mem_store *s, uint64_t *before, uint64_t *after, struct mem_err *err)
{
	assert(s->snapshots == 0 && !s->writing);
	enum mem_status st = store_lock_for_write(s, s->wait_ms, err);
	if (st != MEM_OK)
		return st;
	st = copy_data_beside(s, before, after, err);
	if (st == MEM_OK)
		st = store_swap_data(s, err);
	if (st != MEM_OK)
		store_remove_fresh_data(s);
	store_drop_write_lock(s);
	return st;
}

/* ---- backup ------------------------------------------------------------ */

static enum mem_status
fill_backup(struct mem_store *s, int dirfd, const char *path, uint64_t *bytes, struct mem_err *err)
{
	struct mem_buf config = { 0 };
	enum mem_status st = MEM_OK;
	if (faccessat(s->dirfd, "config.yaml", F_OK, 0) == 0)
		st = mem_file_read(s->dirfd, "config.yaml", (size_t)1 << 20, &config, err);
	if (st == MEM_OK)
		st = store_fill_folder(dirfd, path, (struct mem_str){ config.len > 0 ? config.data : "", config.len }, err);
	mem_buf_release(&config);
	if (st != MEM_OK)
		return st;
	int fd = openat(dirfd, STORE_DATA_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return mem_err_sys(err, MEM_FAIL, "cannot create '%s/" STORE_DATA_FILE "'", path);
	st = copy_sound_pages(s, fd, bytes, err);
	if (close(fd) != 0 && st == MEM_OK)
		st = mem_err_sys(err, MEM_FAIL, "cannot write '%s/" STORE_DATA_FILE "'", path);
	if (st == MEM_OK && fsync(dirfd) != 0)
		st = mem_err_sys(err, MEM_FAIL, "cannot sync '%s'", path);
	return st;
}

static enum mem_status
sync_parent_folder(const char *path, struct mem_err *err)
{
	struct mem_buf up = { 0 };
	mem_buf_printf(&up, "%s/..", path);
	int fd = open(up.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	mem_buf_release(&up);
	if (fd >= 0 && fsync(fd) == 0) {
		close(fd);
		return MEM_OK;
	}
	enum mem_status st = mem_err_sys(err, MEM_FAIL, "cannot sync the folder of '%s'", path);
	if (fd >= 0)
		close(fd);
	return st;
}

static enum mem_status
put_backup(const char *fresh, const char *path, bool old, struct mem_err *err)
{
	if (old)
		return store_exchange_backup(fresh, path, err);
	/* The place of an empty folder is taken, that of nothing else: rename(2). */
	if (rename(fresh, path) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot put the backup at '%s'", path);
	return MEM_OK;
}

/* Damaged values are copied as they are: what is sound around them is worth it, but not an older copy that has them whole. */
static enum mem_status
check_values_to_copy(struct mem_store *s, const char *old, struct mem_err *err)
{
	uint64_t damaged = 0;
	struct mem_err note;
	enum mem_status st = store_open_env(s, err);
	if (st == MEM_OK)
		st = refuse_damaged_pages(s, err);
	if (st == MEM_OK)
		st = store_count_damaged_values(s, &damaged, err);
	if (st != MEM_OK || damaged == 0)
		return st;
	if (old != NULL)
		return mem_err_set(err, MEM_FAIL, "'%s' holds %llu damaged values, and the copy in '%s' stays: run mem-check, or copy to another folder",
		    s->path, (unsigned long long)damaged, old);
	mem_err_set(&note, MEM_DAMAGED, "'%s' holds %llu damaged values, and so does the copy: run mem-check", s->path, (unsigned long long)damaged);
	mem_store_damage_note(s, &note);
	return MEM_OK;
}

/* A folder that somebody made for the copy. */
static bool
is_empty_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	bool empty = d != NULL;
	if (d == NULL && fd >= 0)
		close(fd);
	for (const struct dirent *e; empty && (e = readdir(d)) != NULL;)
		empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
	if (d != NULL)
		closedir(d);
	return empty;
}

/* May the copy go there?  *old: one is there, which it will replace. */
static enum mem_status
check_backup_place(struct mem_store *s, struct mem_buf *path, bool replace, bool *old, struct mem_err *err)
{
	struct stat there;
	enum mem_status st = MEM_OK;
	while (path->len > 1 && path->data[path->len - 1] == '/')
		path->data[--path->len] = '\0';
	*old = lstat(path->data, &there) == 0 && !is_empty_folder(path->data);
	if (*old && !replace)
		return mem_err_set(err, MEM_FAIL, "'%s' is there already: name a new folder, or say --replace", path->data);
	if (*old)
		st = store_check_old_backup(s, path->data, err);
	return st == MEM_OK ? check_values_to_copy(s, *old ? path->data : NULL, err) : st;
}

enum mem_status
mem_store_backup(struct mem_store *s, const char *dir, bool replace, struct mem_buf *path, uint64_t *bytes, struct mem_err *err)
{
	struct mem_buf tmp = { 0 };
	uint32_t r;
	int dirfd = -1;
	bool old;
	mem_buf_puts(path, dir);
	enum mem_status st = check_backup_place(s, path, replace, &old, err);
	if (st != MEM_OK)
		return st;
	mem_random(&r, sizeof r);
	mem_buf_printf(&tmp, "%s.%08x.tmp", path->data, r);
	if (mkdir(tmp.data, 0700) != 0 || (dirfd = open(tmp.data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0 ||
	    flock(dirfd, LOCK_EX | LOCK_NB) != 0)
		st = mem_err_sys(err, MEM_FAIL, "cannot make the folder '%s'", tmp.data);
	if (st == MEM_OK)
		st = fill_backup(s, dirfd, tmp.data, bytes, err);
	if (st == MEM_OK)
		st = put_backup(tmp.data, path->data, old, err);
	if (st == MEM_OK)
		st = sync_parent_folder(path->data, err);
	else if (dirfd >= 0)
		(void)!store_remove_backup(tmp.data, NULL);
	if (dirfd >= 0)
		close(dirfd);
	if (st == MEM_OK && old)
		st = store_remove_backup(tmp.data, err);
	/* Not before: of one that was killed while it exchanged the two, what is left may be all that there is. */
	if (st == MEM_OK)
		store_remove_left_backups(path->data);
	mem_buf_release(&tmp);
	char *full = st == MEM_OK ? realpath(path->data, NULL) : NULL;
	if (full != NULL) {
		mem_buf_reset(path);
		mem_buf_puts(path, full);
		free(full);
	}
	return st;
}
