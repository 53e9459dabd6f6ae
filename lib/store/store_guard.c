/* SPDX-License-Identifier: Apache-2.0 */
/* Is the folder, and are its files, ours alone and on a local file system? */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "store/store_int.h"

/*
 * Where LMDB's map or flock does not reach other machines, or where another program answers
 * for the bytes: statfs(2) f_type.
 */
bool
store_is_refused_fs(uint64_t type, const char **name)
{
	static const struct { uint32_t type; const char *name; } refused[] = {
		{ NFS_SUPER_MAGIC, "nfs" }, { SMB_SUPER_MAGIC, "smb" }, { CIFS_SUPER_MAGIC, "cifs" },
		{ SMB2_SUPER_MAGIC, "smb" }, { V9FS_MAGIC, "9p" }, { FUSE_SUPER_MAGIC, "fuse" },
		{ CEPH_SUPER_MAGIC, "ceph" }, { AFS_SUPER_MAGIC, "afs" }, { AFS_FS_MAGIC, "afs" },
		{ CODA_SUPER_MAGIC, "coda" }, { OCFS2_SUPER_MAGIC, "ocfs2" },
	};
	for (size_t i = 0; i < MEM_COUNT(refused); i++)
		if (refused[i].type == (uint32_t)type) {
			*name = refused[i].name;
			return true;
		}
	return false;
}

static bool
exists_in_folder(int dirfd, const char *name)
{
	struct stat st;
	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/*
 * A person who names the folder in which a project's store lies is told where it is.  Where locks lie a store was in use: an
 * empty one in its place would only hide the loss, and mem-init makes none there.
 */
static enum mem_status
refuse_no_store(int dirfd, const char *path, struct mem_err *err)
{
	if (exists_in_folder(dirfd, ".mem/" STORE_DATA_FILE))
		return mem_err_set(err, MEM_FAIL, "no store in %s; there is one in %s/.mem", path, path);
	if (exists_in_folder(dirfd, STORE_LMDB_LOCK_FILE))
		return mem_err_set(err, MEM_FAIL, "'%s/" STORE_DATA_FILE "' is not there any more: restore a backup", path);
	return mem_err_set(err, MEM_FAIL, "'%s': no store here: run mem-init", path);
}

static enum mem_status
check_store_folder(int fd, const char *path, struct stat *st, bool *readonly_fs, struct mem_err *err)
{
	struct statfs fs;
	const char *name;
	if (fstat(fd, st) != 0 || fstatfs(fd, &fs) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot look at '%s'", path);
	if (st->st_uid != mem_user_id())
		return mem_err_set(err, MEM_DENIED, "'%s' belongs to user %u, not to you", path, (unsigned)st->st_uid);
	/* To open up a project's folder would help nobody. */
	bool store = exists_in_folder(fd, STORE_DATA_FILE);
	if (!store && ((st->st_mode & 077) != 0 || exists_in_folder(fd, ".mem/" STORE_DATA_FILE)))
		return refuse_no_store(fd, path, err);
	if ((st->st_mode & 077) != 0)
		return mem_err_set(err, MEM_DENIED, "'%s' is open to other users (mode %04o): chmod 700 it if you trust what is inside",
		    path, (unsigned)(st->st_mode & 07777));
	if (store_is_refused_fs((uint64_t)fs.f_type, &name))
		return mem_err_set(err, MEM_DENIED, "'%s' is on a %s file system: a store needs a local one", path, name);
	*readonly_fs = (fs.f_flags & ST_RDONLY) != 0;
	return MEM_OK;
}

void
store_put_folder_path(struct mem_buf *out, int dirfd, const char *path)
{
	char link[40];
	snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
	mem_buf_puts(out, access(link, F_OK) == 0 ? link : path);
}

/* Where the folder is that is open, rather than what is by now at the path that led to it; NULL: it cannot be said. */
static char *
find_folder_path(int dirfd, const struct stat *folder, const char *path)
{
	char link[40], full[PATH_MAX];
	struct stat there;
	snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
	ssize_t n = readlink(link, full, sizeof full - 1);
	full[n > 0 ? n : 0] = '\0';
	char *found = n > 0 ? mem_xstrdup(full) : realpath(path, NULL);
	if (found != NULL && stat(found, &there) == 0 && there.st_dev == folder->st_dev && there.st_ino == folder->st_ino)
		return found;
	free(found);
	errno = ENOENT;
	return NULL;
}

/* The last part of a path, without what means the same folder: behind a slash or a dot a symbolic link would be followed. */
static void
cut_path_end(struct mem_buf *path)
{
	for (;;) {
		char *p = path->data;
		bool slash = path->len > 1 && p[path->len - 1] == '/';
		bool dot = path->len > 2 && p[path->len - 1] == '.' && p[path->len - 2] == '/';
		if (!slash && !dot)
			return;
		p[--path->len] = '\0';
	}
}

/* Says why open gave `code`. */
static enum mem_status
refuse_unopened(const char *path, int code, struct mem_err *err)
{
	struct stat st;
	if (lstat(path, &st) != 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return mem_err_set(err, MEM_FAIL, "'%s': no store here: run mem-init", path);
		return mem_err_sys(err, MEM_FAIL, "cannot open '%s'", path);
	}
	if (S_ISLNK(st.st_mode))
		return mem_err_set(err, MEM_DENIED, "'%s' is a symbolic link: a store is not followed through one", path);
	errno = code;
	return mem_err_sys(err, code == EACCES ? MEM_DENIED : MEM_FAIL, "cannot open the store '%s'", path);
}

enum mem_status
store_open_folder(struct mem_buf *path, int *dirfd, bool *readonly_fs, struct mem_err *err)
{
	struct stat folder;
	cut_path_end(path);
	int fd = open(path->data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return refuse_unopened(path->data, errno, err);
	enum mem_status status = check_store_folder(fd, path->data, &folder, readonly_fs, err);
	char *full = status == MEM_OK ? find_folder_path(fd, &folder, path->data) : NULL;
	if (status == MEM_OK && full == NULL)
		status = mem_err_sys(err, MEM_FAIL, "cannot find '%s'", path->data);
	if (status != MEM_OK) {
		close(fd);
		return status;
	}
	mem_buf_reset(path);
	mem_buf_puts(path, full);
	free(full);
	*dirfd = fd;
	return MEM_OK;
}

/* One of the store's files, not there (MEM_NOTFOUND) or safe to open; `wrong`: mode bits it must not have. */
static enum mem_status
check_store_file(int dirfd, const char *path, const char *name, mode_t wrong, struct stat *st, struct mem_err *err)
{
	if (fstatat(dirfd, name, st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? MEM_NOTFOUND : mem_err_sys(err, MEM_FAIL, "cannot look at '%s/%s'", path, name);
	if (!S_ISREG(st->st_mode))
		return mem_err_set(err, MEM_DENIED, "'%s/%s' is not a plain file", path, name);
	if (st->st_uid != mem_user_id())
		return mem_err_set(err, MEM_DENIED, "'%s/%s' belongs to user %u, not to you", path, name, (unsigned)st->st_uid);
	/* What is written here, or locked, would be so in the other place, too, which may be another store. */
	if (st->st_nlink > 1)
		return mem_err_set(err, MEM_DENIED, "'%s/%s' is the same file as another one (a hard link): put a copy in its place if you trust "
		    "what is inside", path, name);
	if ((st->st_mode & wrong) != 0)
		return mem_err_set(err, MEM_DENIED, "'%s/%s' is open to other users (mode %04o): chmod 600 it if you trust what is inside",
		    path, name, (unsigned)(st->st_mode & 07777));
	return MEM_OK;
}

enum mem_status
store_check_data_file(int dirfd, const char *path, struct stat *data, struct mem_err *err)
{
	enum mem_status st = check_store_file(dirfd, path, STORE_DATA_FILE, 077, data, err);
	return st == MEM_NOTFOUND ? refuse_no_store(dirfd, path, err) : st;
}

enum mem_status
store_check_files(int dirfd, const char *path, struct mem_err *err)
{
	/* LMDB and the settings open by name and follow links, so none may be one. */
	static const char *const names[] = { STORE_LMDB_LOCK_FILE, "config.yaml", STORE_GATE_FILE, STORE_LOCK_FILE,
		STORE_WRITE_LOCK_FILE, STORE_WAKE_FILE };
	struct stat file;
	enum mem_status st = store_check_data_file(dirfd, path, &file, err);
	/* The folder keeps others out; an editor's umask is no reason to stop. */
	for (size_t i = 0; i < MEM_COUNT(names) && st == MEM_OK; i++) {
		st = check_store_file(dirfd, path, names[i], 022, &file, err);
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	return st;
}
