/* SPDX-License-Identifier: Apache-2.0 */
/*
 * $XDG_STATE_HOME/memkit/trusted: a line for each store, its fields parted by tabs: device, inode, hash of
 * the active settings ("-" when there are none), path.  The path comes last since it may hold tabs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_int.h"

#define LIST_MAX ((size_t)4 << 20)

static bool
trust_list_folder(struct mem_buf *out)
{
	return mem_xdg_path(out, "XDG_STATE_HOME", ".local/state", "memkit");
}

/* Reads the list, unless somebody else could have written it. */
static enum mem_status
read_trust_list(int dirfd, struct mem_buf *out, struct mem_err *err)
{
	struct stat st;
	if (fstatat(dirfd, "trusted", &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? MEM_OK : mem_err_sys(err, MEM_FAIL, "cannot look at the list of trusted stores");
	if (!S_ISREG(st.st_mode) || st.st_uid != mem_user_id() || (st.st_mode & 022) != 0)
		return mem_err_set(err, MEM_DENIED, "the list of trusted stores is not yours alone: chmod 600 it");
	return mem_file_read(dirfd, "trusted", LIST_MAX, out, err);
}

/* The start of a line for this folder: device, inode. */
static enum mem_status
put_trust_line_start(int fd, struct mem_buf *out, struct mem_err *err)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot look at the store's folder");
	mem_buf_printf(out, "%llu\t%llu\t", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	return MEM_OK;
}

/* Splits the next line off *rest. */
static bool
next_trust_line(struct mem_str *rest, struct mem_str *line)
{
	if (rest->n == 0)
		return false;
	const char *nl = memchr(rest->p, '\n', rest->n);
	size_t n = nl != NULL ? (size_t)(nl - rest->p) : rest->n;
	*line = (struct mem_str){ rest->p, n };
	n += nl != NULL;
	rest->p += n;
	rest->n -= n;
	return true;
}

/* Cuts the hash and the path out of a line; false when it has another form. */
static bool
split_trust_line(struct mem_str line, size_t start, struct mem_str *hash, struct mem_str *path)
{
	if (line.n < start)
		return false;
	const char *tab = memchr(line.p + start, '\t', line.n - start);
	if (tab == NULL)
		return false;
	*hash = (struct mem_str){ line.p + start, (size_t)(tab - line.p) - start };
	*path = (struct mem_str){ tab + 1, line.n - (size_t)(tab + 1 - line.p) };
	return true;
}

static void
settings_hash_text(const struct mem_hash *settings, char out[33])
{
	if (settings != NULL)
		mem_hash_hex(settings->b, sizeof settings->b, out);
	else
		memcpy(out, "-", 2);
}

static bool
is_listed_store(struct mem_str list, struct mem_str start, const char *path, const struct mem_hash *settings)
{
	struct mem_str line, hash, at;
	char want[33];
	settings_hash_text(settings, want);
	while (next_trust_line(&list, &line))
		if (line.n > start.n && memcmp(line.p, start.p, start.n) == 0 &&
		    split_trust_line(line, start.n, &hash, &at) && mem_str_is(at, path) &&
		    (settings == NULL || mem_str_is(hash, want)))
			return true;
	return false;
}

enum mem_status
store_check_trust(int dirfd, const char *path, const struct mem_hash *settings, struct mem_err *err)
{
	enum mem_status st;
	struct mem_buf folder = { 0 }, list = { 0 }, start = { 0 };
	int fd = -1;
	if (trust_list_folder(&folder))
		fd = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	st = put_trust_line_start(dirfd, &start, err);
	if (st == MEM_OK && fd >= 0)
		st = read_trust_list(fd, &list, err);
	if (st == MEM_OK && !is_listed_store(mem_buf_span(&list), mem_buf_span(&start), path, settings))
		st = settings == NULL ?
		    mem_err_set(err, MEM_DENIED, "'%s' was found by looking upward and is not trusted: if you know it, run mem-init --trust %s", path, path) :
		    mem_err_set(err, MEM_DENIED, "'%s/config.yaml' sets commands, addresses, keys or rule paths that are not trusted: read it, then run mem-init --trust %s", path, path);
	if (fd >= 0)
		close(fd);
	mem_buf_release(&start);
	mem_buf_release(&list);
	mem_buf_release(&folder);
	return st;
}

/* All lines but those of the same folder or the same path, then the new one. */
static void
edit_trust_list(struct mem_buf *out, struct mem_str list, struct mem_str start, const char *path, const char *hash)
{
	struct mem_str line, h, at;
	while (next_trust_line(&list, &line)) {
		bool same = line.n > start.n && memcmp(line.p, start.p, start.n) == 0;
		const char *tab = memchr(line.p, '\t', line.n);
		tab = tab != NULL ? memchr(tab + 1, '\t', line.n - (size_t)(tab + 1 - line.p)) : NULL;
		if (tab != NULL && split_trust_line(line, (size_t)(tab + 1 - line.p), &h, &at))
			same = same || mem_str_is(at, path);
		if (!same && tab != NULL) {
			mem_buf_str(out, line);
			mem_buf_putc(out, '\n');
		}
	}
	mem_buf_str(out, start);
	mem_buf_printf(out, "%s\t%s\n", hash, path);
}

enum mem_status
store_add_trust(int dirfd, const char *path, const struct mem_hash *settings, struct mem_err *err)
{
	enum mem_status st;
	struct mem_buf folder = { 0 }, list = { 0 }, start = { 0 }, edited = { 0 };
	char hash[33];
	int fd = -1;
	if (strchr(path, '\n') != NULL) {
		st = mem_err_set(err, MEM_USAGE, "a store whose path holds a newline cannot be listed as trusted");
		goto out;
	}
	if (!trust_list_folder(&folder)) {
		st = mem_err_set(err, MEM_FAIL, "no home folder to keep the list of trusted stores in: set XDG_STATE_HOME");
		goto out;
	}
	st = mem_dir_make(folder.data, 0700, err);
	if (st != MEM_OK)
		goto out;
	fd = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* The folder is the lock: the list itself is replaced by rename. */
	if (fd < 0 || flock(fd, LOCK_EX) != 0) {
		st = mem_err_sys(err, MEM_FAIL, "cannot lock '%s'", folder.data);
		goto out;
	}
	st = read_trust_list(fd, &list, err);
	if (st == MEM_OK)
		st = put_trust_line_start(dirfd, &start, err);
	if (st != MEM_OK)
		goto out;
	settings_hash_text(settings, hash);
	edit_trust_list(&edited, mem_buf_span(&list), mem_buf_span(&start), path, hash);
	if (!mem_str_eq(mem_buf_span(&edited), mem_buf_span(&list)))
		st = mem_file_replace(fd, "trusted", edited.data, edited.len, 0600, err);
out:
	if (fd >= 0)
		close(fd);
	mem_buf_release(&edited);
	mem_buf_release(&start);
	mem_buf_release(&list);
	mem_buf_release(&folder);
	return st;
}
