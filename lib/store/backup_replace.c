/* SPDX-License-Identifier: Apache-2.0 */
/* A new backup takes the place of an old one, which goes only once the new one is there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/backup_int.h"
#include "store/store_int.h"

/* All files that a store's folder can hold. */
static const char *const store_files[] = { STORE_DATA_FILE, STORE_LMDB_LOCK_FILE, STORE_GATE_FILE, STORE_LOCK_FILE,
	STORE_WRITE_LOCK_FILE, STORE_WAKE_FILE, STORE_MAINTAIN_LOCK_FILE, "config.yaml", ".gitignore", STORE_FRESH_FILE,
	STORE_FRESH_LOCK_FILE, "vectors.new" };

bool
store_is_unplaced_file(const char *name)
{
	static const char *const replaced[] = { ".gitignore", "config.yaml", STORE_WAKE_FILE };
	for (size_t i = 0; i < MEM_COUNT(replaced); i++) {
		size_t n = strlen(replaced[i]);
		if (strncmp(name, replaced[i], n) == 0 && name[n] == '.' && strspn(name + n + 1, "0123456789abcdef") == 16 && name[n + 17] == '\0')
			return true;
	}
	return false;
}

static bool
is_store_file(const char *name)
{
	for (size_t i = 0; i < MEM_COUNT(store_files); i++)
		if (strcmp(name, store_files[i]) == 0)
			return true;
	return store_is_unplaced_file(name);
}

/* What is removed is only what a store is made of, so a folder that holds anything else is refused. */
static enum mem_status
check_only_store_files(int dirfd, const char *path, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		st = mem_err_sys(err, MEM_FAIL, "cannot read '%s'", path);
		if (fd >= 0)
			close(fd);
		return st;
	}
	for (const struct dirent *e; st == MEM_OK && (e = readdir(d)) != NULL;)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !is_store_file(e->d_name))
			st = mem_err_set(err, MEM_FAIL, "'%s' is not replaced: it holds '%s', which is no file of a store", path, e->d_name);
	closedir(d);
	return st;
}

enum mem_status
store_check_old_backup(const struct mem_store *s, const char *path, struct mem_err *err)
{
	struct stat there, ours, data;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return mem_err_sys(err, MEM_FAIL, "cannot replace '%s'", path);
	enum mem_status st = MEM_OK;
	if (fstat(fd, &there) != 0 || fstat(s->dirfd, &ours) != 0)
		st = mem_err_sys(err, MEM_FAIL, "cannot look at '%s'", path);
	else if (there.st_dev == ours.st_dev && there.st_ino == ours.st_ino)
		st = mem_err_set(err, MEM_FAIL, "'%s' is the store itself", path);
	else if (there.st_uid != mem_user_id())
		st = mem_err_set(err, MEM_DENIED, "'%s' belongs to user %u, not to you", path, (unsigned)there.st_uid);
	else if (fstatat(fd, STORE_DATA_FILE, &data, AT_SYMLINK_NOFOLLOW) != 0)
		st = mem_err_set(err, MEM_FAIL, "'%s' is not replaced: it is no store", path);
	else
		st = check_only_store_files(fd, path, err);
	close(fd);
	return st;
}

enum mem_status
store_remove_backup(const char *path, struct mem_err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		enum mem_status st = mem_err_sys(err, MEM_FAIL, "cannot remove '%s'", path);
		if (fd >= 0)
			close(fd);
		return st;
	}
	for (const struct dirent *e; (e = readdir(d)) != NULL;)
		if (is_store_file(e->d_name))
			unlinkat(fd, e->d_name, 0);
	closedir(d);
	return rmdir(path) == 0 ? MEM_OK : mem_err_sys(err, MEM_FAIL, "cannot remove '%s'", path);
}

/* Where the file system cannot exchange two names, both copies are there for a moment, and none is at `path`. */
static enum mem_status
exchange_in_two_steps(const char *fresh, const char *path, struct mem_err *err)
{
	struct mem_buf aside = { 0 };
	mem_buf_printf(&aside, "%s.old", fresh);
	enum mem_status st = MEM_OK;
	if (renameat2(AT_FDCWD, path, AT_FDCWD, aside.data, RENAME_NOREPLACE) != 0)
		st = mem_err_sys(err, MEM_FAIL, "cannot move the old backup to '%s'", aside.data);
	else if (rename(fresh, path) != 0) {
		st = mem_err_sys(err, MEM_FAIL, "cannot put the backup at '%s'", path);
		(void)!rename(aside.data, path);
	} else if (rename(aside.data, fresh) != 0)
		st = mem_err_sys(err, MEM_FAIL, "the old backup is left at '%s'", aside.data);
	mem_buf_release(&aside);
	return st;
}

enum mem_status
store_exchange_backup(const char *fresh, const char *path, struct mem_err *err)
{
	if (renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
		return MEM_OK;
	if (errno == EINVAL || errno == ENOSYS)
		return exchange_in_two_steps(fresh, path, err);
	return mem_err_sys(err, MEM_FAIL, "cannot put the backup at '%s'", path);
}

/* BASE, a dot, eight digits, ".tmp": where a backup is made, or an old one is removed. */
static bool
is_backup_workshop(const char *name, const char *base)
{
	size_t n = strlen(base);
	return strncmp(name, base, n) == 0 && name[n] == '.' && strspn(name + n + 1, "0123456789abcdef") == 8 &&
	    strcmp(name + n + 9, ".tmp") == 0;
}

/* Of a process that is at it the folder is locked. */
static bool
is_left_workshop(int parent, const char *name)
{
	struct stat st;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool left = fstat(fd, &st) == 0 && st.st_uid == mem_user_id() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    check_only_store_files(fd, name, NULL) == MEM_OK;
	close(fd);
	return left;
}

void
store_remove_left_backups(const char *path)
{
	struct mem_buf up = { 0 }, left = { 0 };
	const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
	if (slash != NULL)
		mem_buf_put(&up, path, slash == path ? 1 : (size_t)(slash - path));
	else
		mem_buf_puts(&up, ".");
	int fd = open(up.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL && fd >= 0)
		close(fd);
	for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		if (is_backup_workshop(e->d_name, base) && is_left_workshop(fd, e->d_name)) {
			mem_buf_reset(&left);
			mem_buf_printf(&left, "%s/%s", up.data, e->d_name);
			(void)!store_remove_backup(left.data, NULL);
		}
	if (d != NULL)
		closedir(d);
	mem_buf_release(&left);
	mem_buf_release(&up);
}
