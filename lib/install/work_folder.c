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
empty_folder(int fd, int depth)
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
			empty_folder(sub, depth - 1);
		else
			close(sub);
		unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	}
	closedir(d);
}

static void
remove_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		empty_folder(fd, 32);
	rmdir(path);
}

/* Locks the folder; false also when another process removed it meanwhile. */
static bool
lock_folder(struct install_folder *w)
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
sweep_folders(const char *parent)
{
	DIR *d = opendir(parent);
	if (d == NULL)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		struct install_folder left = { .fd = -1 };
		if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) != 0)
			continue;
		mem_buf_printf(&left.path, "%s/%s", parent, e->d_name);
		if (lock_folder(&left))
			install_folder_remove(&left);
		else
			mem_buf_release(&left.path);
	}
	closedir(d);
}

enum mem_status
install_folder_make(struct install_folder *w, const char *parent, struct mem_err *err)
{
	*w = (struct install_folder){ .fd = -1 };
	sweep_folders(parent);
	for (int i = 0; i < TRIES; i++) {
		mem_buf_reset(&w->path);
		mem_buf_printf(&w->path, "%s/" PREFIX "XXXXXX", parent);
		if (mkdtemp(w->path.data) == NULL) {
			mem_buf_release(&w->path);
			return mem_err_sys(err, MEM_FAIL, "cannot make a folder in '%s'", parent);
		}
		if (lock_folder(w))
			return MEM_OK;
	}
	mem_buf_release(&w->path);
	return mem_err_set(err, MEM_FAIL, "cannot keep a folder in '%s': somebody removes it", parent);
}

void
install_folder_remove(struct install_folder *w)
{
	if (w->path.len > 0) {
		remove_folder(w->path.data);
		if (w->fd >= 0)
			close(w->fd);
	}
	mem_buf_release(&w->path);
	w->fd = -1;
}
