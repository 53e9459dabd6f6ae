/* SPDX-License-Identifier: Apache-2.0 */
/* Work on a copy of the data that stands aside, and exchanging the two. */
#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_int.h"
#include "store/store_lock_int.h"

void
store_remove_fresh_data(struct mem_store *s)
{
	unlinkat(s->dirfd, STORE_FRESH_FILE, 0);
	unlinkat(s->dirfd, STORE_FRESH_LOCK_FILE, 0);
}

void
store_remove_left_data(struct mem_store *s)
{
	struct mem_err why;
	if (s->held || !s->write || faccessat(s->dirfd, STORE_FRESH_FILE, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	if (store_take_write_lock(s, 0, &why) != MEM_OK)
		return; /* it is being made */
	store_remove_fresh_data(s);
	store_drop_write_lock(s);
}

/* Page by page as they are, so that a damaged tree cannot stop it. */
static enum mem_status
copy_data_pages(struct mem_store *s, struct mem_err *err)
{
	store_remove_fresh_data(s);
	int fd = openat(s->dirfd, STORE_FRESH_FILE, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return mem_err_sys(err, MEM_FAIL, "cannot copy in '%s'", s->path);
	int rc = mdb_env_copyfd2(s->env, fd, 0);
	enum mem_status st = rc != 0 ? store_mdb_err(s, rc, "copy the data", err) : MEM_OK;
	if (close(fd) != 0 && st == MEM_OK)
		st = mem_err_sys(err, MEM_FAIL, "cannot copy in '%s'", s->path);
	return st;
}

enum mem_status
mem_store_aside_begin(struct mem_store *s, struct mem_err *err)
{
	assert(s->held && !s->aside && s->snapshots == 0);
	enum mem_status st = store_open_env(s, err);
	if (st == MEM_OK)
		st = copy_data_pages(s, err);
	if (st == MEM_OK) {
		mem_store_pause(s);
		s->aside = true;
		st = store_open_env(s, err);
	}
	if (st != MEM_OK) {
		s->aside = false;
		store_remove_fresh_data(s);
	}
	return st;
}

enum mem_status
store_open_env_aside(struct mem_store *s, struct mem_err *err)
{
	struct mem_buf path = { 0 };
	struct stat data;
	if (fstatat(s->dirfd, STORE_FRESH_FILE, &data, AT_SYMLINK_NOFOLLOW) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot look at '%s/" STORE_FRESH_FILE "'", s->path);
	enum mem_status st = store_take_lock_room(s, STORE_FRESH_LOCK_FILE, err);
	if (st != MEM_OK)
		return st;
	store_put_folder_path(&path, s->dirfd, s->path);
	mem_buf_puts(&path, "/" STORE_FRESH_FILE);
	store_watch_faults(s);
	store_enter_lmdb();
	/* Nothing of it counts before it is synced as a whole. */
	int rc = store_map_env(&s->env, path.data, MDB_NOSUBDIR | MDB_NOSYNC, data.st_size);
	store_leave_lmdb();
	mem_buf_release(&path);
	if (rc != 0)
		return store_mdb_err(s, rc, "open the copy", err);
	store_watch_assertions(s);
	return MEM_OK;
}

bool
mem_store_is_aside(const struct mem_store *s)
{
	return s->aside;
}

enum mem_status
mem_store_aside_end(struct mem_store *s, bool keep, struct mem_err *err)
{
	assert(s->aside && s->snapshots == 0);
	enum mem_status st = keep ? store_open_env(s, err) : MEM_OK;
	int rc = keep && st == MEM_OK ? mdb_env_sync(s->env, 1) : 0;
	if (rc != 0)
		st = store_mdb_err(s, rc, "sync the copy", err);
	mem_store_pause(s);
	s->aside = false;
	if (st == MEM_OK && keep)
		st = store_swap_data(s, err);
	store_remove_fresh_data(s); /* what is left: the locks, or all of it */
	return st;
}
