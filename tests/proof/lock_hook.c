/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload library for what may happen as a process comes to lock a store for writing, each time in the same way: LOCK_HOOK, a command
 * of the shell, is run first, as another process might write just then (before the LOCK_AT-th lock alone, or before each); with
 * LOCK_ERRNO the lock fails with this error.  Built by the tests: cc -shared -fPIC -o lock_hook.so lock_hook.c
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
is_write_lock(int fd)
{
	static const char name[] = "/write.lock";
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof path);
	return n >= (ssize_t)sizeof name && memcmp(path + n - (sizeof name - 1), name, sizeof name - 1) == 0;
}

static void
run_hook(const char *hook)
{
	static int locks;
	const char *at = getenv("LOCK_AT");
	if (hook == NULL || (++locks != atoi(at != NULL ? at : "0") && at != NULL))
		return;
	unsetenv("LD_PRELOAD");
	if (system(hook) != 0)
		abort();
}

int
flock(int fd, int op)
{
	if ((op & LOCK_EX) != 0 && is_write_lock(fd)) {
		const char *code = getenv("LOCK_ERRNO");
		if (code != NULL) {
			errno = atoi(code);
			return -1;
		}
		run_hook(getenv("LOCK_HOOK"));
	}
	return (int)syscall(SYS_flock, fd, op);
}
