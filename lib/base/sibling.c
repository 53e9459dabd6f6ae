/* SPDX-License-Identifier: Apache-2.0 */
/* A program beside this one: it goes on by itself when this one ends, or is waited for. */
#include "base/base_int.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

static enum mem_status
spawn_sibling(pid_t *pid, const char *path, struct mem_str input, struct mem_err *err)
{
	const char *const argv[] = { path, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
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
	errno = posix_spawn(pid, path, &files, &attr, (char *const *)(uintptr_t)argv, environ);
	enum mem_status st = errno == 0 ? MEM_OK : mem_err_sys(err, MEM_FAIL, "cannot start '%s'", path);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	close(fd);
	return st;
}

enum mem_status
mem_sibling_start(const char *path, struct mem_str input, struct mem_err *err)
{
	pid_t pid;
	return spawn_sibling(&pid, path, input, err);
}

enum mem_status
mem_sibling_run(const char *path, struct mem_str input, int *exit_status, struct mem_err *err)
{
	pid_t pid;
	int how;
	enum mem_status st = spawn_sibling(&pid, path, input, err);
	if (st != MEM_OK)
		return st;
	while (waitpid(pid, &how, 0) < 0)
		if (errno != EINTR)
			return mem_err_sys(err, MEM_FAIL, "cannot wait for '%s'", path);
	*exit_status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	return MEM_OK;
}
