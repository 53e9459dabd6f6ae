/* SPDX-License-Identifier: Apache-2.0 */
/* Reading, writing and replacing whole files; folders of the user's own. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nothing here changes users. */
unsigned
mem_user_id(void)
{
	errno = 0;
	unsigned long id = getauxval(AT_EUID);
	return id == 0 && errno == ENOENT ? geteuid() : (unsigned)id;
}

static enum mem_status
check_owner(const struct stat *st, const char *path, struct mem_err *err)
{
	if (st->st_uid != mem_user_id() && st->st_uid != 0)
		return mem_err_set(err, MEM_DENIED, "'%s' belongs to user %u, not to you", path, (unsigned)st->st_uid);
	if ((st->st_mode & 022) != 0 && !S_ISCHR(st->st_mode))
		return mem_err_set(err, MEM_DENIED, "'%s' can be written by others (mode %04o): chmod go-w it if you trust what is inside", path,
		    (unsigned)(st->st_mode & 07777));
	return MEM_OK;
}

enum mem_status
mem_fd_check_owner(int fd, const char *path, struct mem_err *err)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot look at '%s'", path);
	return check_owner(&st, path, err);
}

/* Open to be read.  Of a pipe comes what a writer that is there has to say, without waiting for one to open it. */
static enum mem_status
open_file(int *fd, struct stat *what, int dirfd, const char *path, bool own, struct mem_err *err)
{
	*fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0 || fstat(*fd, what) != 0 || (!S_ISREG(what->st_mode) && fcntl(*fd, F_SETFL, 0) != 0))
		return mem_err_sys(err, MEM_FAIL, "cannot open '%s'", path);
	return own ? check_owner(what, path, err) : MEM_OK;
}

/* A plain file ends where its size says, if that says anything (files of /proc have none); all else when a read finds the end. */
static enum mem_status
read_open_file(int fd, const struct stat *what, const char *path, size_t max, struct mem_buf *out, struct mem_err *err)
{
	const size_t start = out->len, size = S_ISREG(what->st_mode) && what->st_size > 0 ? (size_t)what->st_size : 0;
	for (size_t room = size > 0 && size <= max ? size + 1 : 4096; size == 0 || out->len - start < size; room = 4096) {
		mem_buf_reserve(out, room);
		ssize_t n = read(fd, out->data + out->len, out->cap - out->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return mem_err_sys(err, MEM_FAIL, "cannot read '%s'", path);
		if (n == 0)
			break;
		out->len += (size_t)n;
		if (out->len - start > max)
			return mem_err_set(err, MEM_FAIL, "'%s' is longer than %zu bytes", path, max);
	}
	return MEM_OK;
}

static enum mem_status
read_file(int dirfd, const char *path, bool own, size_t max, struct mem_buf *out, struct mem_err *err)
{
	struct stat what;
	int fd;
	enum mem_status st = open_file(&fd, &what, dirfd, path, own, err);
	if (st == MEM_OK)
		st = read_open_file(fd, &what, path, max, out, err);
	if (out->data != NULL)
		out->data[out->len] = '\0';
	if (fd >= 0)
		close(fd);
	return st;
}

enum mem_status
mem_file_read(int dirfd, const char *path, size_t max, struct mem_buf *out, struct mem_err *err)
{
	return read_file(dirfd, path, false, max, out, err);
}

enum mem_status
mem_file_read_own(int dirfd, const char *path, size_t max, struct mem_buf *out, struct mem_err *err)
{
	return read_file(dirfd, path, true, max, out, err);
}

enum mem_status
mem_fd_write(int fd, const void *p, size_t n, struct mem_err *err)
{
	const char *b = p;
	while (n > 0) {
		ssize_t w = write(fd, b, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return mem_err_sys(err, MEM_FAIL, "cannot write");
		b += w;
		n -= (size_t)w;
	}
	return MEM_OK;
}

/* fsync of the folder that holds `path`, so that the new name is durable too. */
static int
sync_parent_of(int dirfd, const char *path)
{
	struct mem_buf dir = { 0 };
	const char *slash = strrchr(path, '/');
	if (slash == NULL)
		mem_buf_puts(&dir, ".");
	else
		mem_buf_put(&dir, path, slash == path ? 1 : (size_t)(slash - path));
	int fd = openat(dirfd, dir.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	mem_buf_release(&dir);
	if (fd < 0)
		return -1;
	int rc = fsync(fd);
	int code = errno;
	close(fd);
	errno = code;
	return rc;
}

enum mem_status
mem_file_move(int dirfd, const char *from, const char *to, struct mem_err *err)
{
	if (renameat(dirfd, from, dirfd, to) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot replace '%s'", to);
	if (sync_parent_of(dirfd, to) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot sync the folder of '%s'", to);
	return MEM_OK;
}

enum mem_status
mem_file_replace(int dirfd, const char *path, const void *p, size_t n, unsigned mode, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct mem_buf tmp = { 0 };
	uint64_t r;
	mem_random(&r, sizeof r);
	mem_buf_printf(&tmp, "%s.%016llx", path, (unsigned long long)r);
	int fd = openat(dirfd, tmp.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0700);
	if (fd < 0) {
		st = mem_err_sys(err, MEM_FAIL, "cannot create '%s'", tmp.data);
		goto out;
	}
	st = mem_fd_write(fd, p, n, err);
	if (st == MEM_OK && (fchmod(fd, mode) != 0 || fsync(fd) != 0))
		st = mem_err_sys(err, MEM_FAIL, "cannot write '%s'", tmp.data);
	if (close(fd) != 0 && st == MEM_OK)
		st = mem_err_sys(err, MEM_FAIL, "cannot write '%s'", tmp.data);
	if (st == MEM_OK)
		st = mem_file_move(dirfd, tmp.data, path, err);
	if (st != MEM_OK)
		unlinkat(dirfd, tmp.data, 0);
out:
	mem_buf_release(&tmp);
	return st;
}

static mode_t started_umask;
static bool umask_closed;

void
mem_umask_close(void)
{
	mode_t found = umask(077);
	if (!umask_closed)
		started_umask = found;
	umask_closed = true;
}

unsigned
mem_user_mode(unsigned mode)
{
	mode_t mask = started_umask;
	if (!umask_closed) {
		mask = umask(077);
		umask(mask);
	}
	return mode & ~(unsigned)mask;
}

int
mem_folder_make(int dirfd, const char *name, unsigned mode)
{
	struct stat made;
	if (mkdirat(dirfd, name, mode) != 0 || fstatat(dirfd, name, &made, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	return (made.st_mode & 0777) == mode ? 0 : fchmodat(dirfd, name, mode | (made.st_mode & 07000), 0);
}

enum mem_status
mem_dir_make(const char *path, unsigned mode, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	char *s = mem_xstrdup(path);
	for (char *p = s + 1; st == MEM_OK; p++) {
		if (*p != '/' && *p != '\0')
			continue;
		char c = *p;
		*p = '\0';
		bool made = mem_folder_make(AT_FDCWD, s, mode) == 0;
		if (!made && errno != EEXIST)
			st = mem_err_sys(err, MEM_FAIL, "cannot make the folder '%s'", s);
		else if (made && sync_parent_of(AT_FDCWD, s) != 0 && errno != EINVAL && errno != EACCES) /* a file system that cannot; one may write and not read */
			st = mem_err_sys(err, MEM_FAIL, "cannot sync the folder of '%s'", s);
		*p = c;
		if (c == '\0')
			break;
	}
	free(s);
	return st;
}

/* The home that /etc/passwd names.  getpwuid would load libraries for users of other sources. */
static bool
read_passwd_home(struct mem_buf *out)
{
	const struct passwd *pw = NULL;
	FILE *f = fopen("/etc/passwd", "re");
	if (f == NULL)
		return false;
	while ((pw = fgetpwent(f)) != NULL && pw->pw_uid != getuid())
		continue;
	bool found = pw != NULL && pw->pw_dir[0] == '/';
	if (found)
		mem_buf_puts(out, pw->pw_dir);
	fclose(f);
	return found;
}

bool
mem_xdg_path(struct mem_buf *out, const char *var, const char *fallback, const char *tail)
{
	/* The specification: a relative path in such a variable is to be ignored. */
	const char *dir = getenv(var);
	if (dir != NULL && dir[0] == '/') {
		mem_buf_printf(out, "%s/%s", dir, tail);
		return true;
	}
	const char *home = getenv("HOME");
	if (home != NULL && home[0] == '/')
		mem_buf_puts(out, home);
	else if (!read_passwd_home(out))
		return false;
	mem_buf_printf(out, "/%s/%s", fallback, tail);
	return true;
}
