/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of this process alone, removed with all that is in it. */
#include "install/install_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".fetch-"
#define TRIES  16

/* Empties the folder `fd` (which it closes); symbolic links are removed, not followed. */
static void
empty(int fd, int depth)
{
	DIR *d = fdopendir(fd);
	if (d == NULL) {
		close(fd);
		return;
	}
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || unlinkat(dirfd(d), e->d_name, 0) == 0)
			continue;
		int sub = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			continue;
		if (depth > 0)
			empty(sub, depth - 1);
		else
			close(sub);
		unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	}
	closedir(d);
}

static void
remove_tree(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		empty(fd, 32);
	rmdir(path);
}

/* Locked and still there under its name: who sweeps may have been quicker. */
static bool
hold(struct mem_work *w)
{
	struct stat mine, named;
	w->fd = open(w->path.data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->fd >= 0 && flock(w->fd, LOCK_EX | LOCK_NB) == 0 && fstat(w->fd, &mine) == 0 &&
	    stat(w->path.data, &named) == 0 && mine.st_ino == named.st_ino && mine.st_dev == named.st_dev)
		return true;
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	return false;
}

static void
sweep(const char *parent)
{
	DIR *d = opendir(parent);
	if (d == NULL)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		struct mem_work left = { .fd = -1 };
		if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) != 0)
			continue;
		mem_buf_printf(&left.path, "%s/%s", parent, e->d_name);
		if (hold(&left))
			mem_work_remove(&left);
		else
			mem_buf_release(&left.path);
	}
	closedir(d);
}

enum mem_status
mem_work_make(struct mem_work *w, const char *parent, struct mem_err *err)
{
	*w = (struct mem_work){ .fd = -1 };
	sweep(parent);
	for (int i = 0; i < TRIES; i++) {
		mem_buf_reset(&w->path);
		mem_buf_printf(&w->path, "%s/" PREFIX "XXXXXX", parent);
		if (mkdtemp(w->path.data) == NULL) {
			mem_buf_release(&w->path);
			return mem_err_sys(err, MEM_FAIL, "cannot make a folder in '%s'", parent);
		}
		if (hold(w))
			return MEM_OK;
	}
	mem_buf_release(&w->path);
	return mem_err_set(err, MEM_FAIL, "cannot keep a folder in '%s': somebody removes it", parent);
}

void
mem_work_remove(struct mem_work *w)
{
	if (w->path.len > 0) {
		remove_tree(w->path.data);
		if (w->fd >= 0)
			close(w->fd);
	}
	mem_buf_release(&w->path);
	w->fd = -1;
}
