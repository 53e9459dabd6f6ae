/* SPDX-License-Identifier: Apache-2.0 */
/* Which folder is the store: named, found by walking up, or the user's default. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_int.h"

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is `path` where a file system is mounted?  A bind mount within one device shows only in the attribute. */
static bool
is_mount_root(const char *path, const struct stat *st)
{
	struct statx sx;
	if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &sx) == 0 &&
	    (sx.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0)
		return (sx.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
	struct mem_buf up = { 0 };
	struct stat parent;
	mem_buf_printf(&up, "%s/..", path);
	bool root = stat(up.data, &parent) != 0 || parent.st_dev != st->st_dev || is_same_file(&parent, st);
	mem_buf_release(&up);
	return root;
}

/* Cuts the last name of an absolute path; false at the root. */
static bool
cut_last_name(struct mem_buf *path)
{
	if (path->len <= 1)
		return false;
	while (path->len > 0 && path->data[path->len - 1] != '/')
		path->len--;
	if (path->len > 1)
		path->len--;
	path->data[path->len] = '\0';
	return true;
}

/*
 * The nearest .mem from the working folder upward.  The last folder looked at is $HOME or a
 * mount point; a folder of another owner is not looked at at all, since what lies there was
 * put there by somebody else.  MEM_NOTFOUND: there is none.
 */
static enum mem_status
find_store_upward(struct mem_buf *out, struct mem_err *err)
{
	enum mem_status st = MEM_NOTFOUND;
	struct mem_buf at = { 0 };
	struct stat dir, dot, home;
	const char *h = getenv("HOME");
	bool have_home = h != NULL && h[0] == '/' && stat(h, &home) == 0;
	char *cwd = getcwd(NULL, 0);
	if (cwd == NULL)
		return MEM_NOTFOUND;
	mem_buf_puts(&at, cwd);
	for (bool more = true; more && st == MEM_NOTFOUND; more = more && cut_last_name(&at)) {
		if (stat(at.data, &dir) != 0 || dir.st_uid != mem_user_id())
			break;
		mem_buf_reset(out);
		mem_buf_printf(out, "%s/.mem", at.len > 1 ? at.data : "");
		if (lstat(out->data, &dot) == 0) {
			if (S_ISDIR(dot.st_mode))
				st = MEM_OK;
			else if (S_ISLNK(dot.st_mode))
				st = mem_err_set(err, MEM_DENIED, "'%s' is a symbolic link: a store is not followed through one", out->data);
		}
		more = !(have_home && is_same_file(&dir, &home)) && !is_mount_root(at.data, &dir);
	}
	mem_buf_release(&at);
	free(cwd);
	return st;
}

enum mem_status
store_find_place(struct store_place *out, const char *dir, struct mem_err *err)
{
	const char *env = getenv("MEM_STORE");
	out->walked = out->fallback = false;
	if (dir == NULL && env != NULL && env[0] != '\0')
		dir = env;
	if (dir != NULL) {
		mem_buf_puts(&out->path, dir);
		return MEM_OK;
	}
	enum mem_status st = find_store_upward(&out->path, err);
	if (st == MEM_OK)
		out->walked = true;
	if (st != MEM_NOTFOUND)
		return st;
	out->fallback = true;
	mem_buf_reset(&out->path);
	if (!mem_xdg_path(&out->path, "XDG_DATA_HOME", ".local/share", "memkit/default"))
		return MEM_ABSENT;
	return MEM_OK;
}
