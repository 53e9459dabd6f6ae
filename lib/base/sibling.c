/* SPDX-License-Identifier: Apache-2.0 */
/* A program that goes on by itself when this one ends. */
#include "base/base_int.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

/* A file in memory that holds the text, to be read from its start; -1: it could not be made. */
static int
make_input_file(struct mem_str input, struct mem_err *err)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	if (fd < 0 || mem_fd_write(fd, input.p, input.n, err) != MEM_OK || lseek(fd, 0, SEEK_SET) != 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

enum mem_status
mem_sibling_start(const char *path, struct mem_str input, struct mem_err *err)
{
	const char *const argv[] = { path, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	pid_t pid;
	int fd = make_input_file(input, err);
	if (fd < 0)
		return mem_err_sys(err, MEM_FAIL, "cannot make a file in memory");
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&files, fd, 0);
	/* Whoever waits for the end of our output must not wait for it. */
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	errno = posix_spawn(&pid, path, &files, &attr, (char *const *)(uintptr_t)argv, environ);
	enum mem_status st = errno == 0 ? MEM_OK : mem_err_sys(err, MEM_FAIL, "cannot start '%s'", path);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	close(fd);
	return st;
}
