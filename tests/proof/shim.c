/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload library that watches how a process writes.  SHIM_DATA names the file to watch, SHIM_RECEIPTS
 * where receipts go, SHIM_LOG where the records of cut.c are appended:
 *
 *	W  bytes written        S  the same through a descriptor opened O_DSYNC
 *	B  fsync or fdatasync came back
 *	T  ftruncate            R  receipts
 *
 * With SHIM_STOP=N the process stops itself (SIGSTOP) before its N-th write to the file, with SHIM_KILL=N
 * it kills itself there.  With SHIM_MAP it stops itself where it maps 64 GiB or more, and gets no room for them.
 * Built by the tests: cc -shared -fPIC -o shim.so shim.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct head {
	uint64_t type, offset, length;
};

static int
is(int fd, const char *var)
{
	struct stat a, b;
	const char *path = getenv(var);
	return path != NULL && fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void
record(char type, off_t offset, const struct iovec *iov, int n, size_t length)
{
	static int log = -1;
	const char *path = getenv("SHIM_LOG");
	struct head h = { (uint64_t)type, (uint64_t)offset, 0 };
	struct iovec out[1100];
	int k = 1;
	if (path == NULL || n > 1024)
		return;
	if (log < 0)
		log = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	for (int i = 0; i < n && length > 0; i++, k++) {
		out[k] = iov[i];
		out[k].iov_len = iov[i].iov_len < length ? iov[i].iov_len : length;
		length -= out[k].iov_len;
		h.length += out[k].iov_len;
	}
	if (type == 'T')
		h.length = (uint64_t)offset;
	out[0] = (struct iovec){ &h, sizeof h };
	/* Past the wrapper below, which is what records. */
	for (int at = 0; at < k; at += 64)
		syscall(SYS_writev, log, out + at, k - at < 64 ? k - at : 64);
}

static void
before_write(int fd)
{
	static long count;
	const char *stop = getenv("SHIM_STOP"), *kill_at = getenv("SHIM_KILL");
	if ((stop == NULL && kill_at == NULL) || !is(fd, "SHIM_DATA"))
		return;
	count++;
	if (stop != NULL && count == atol(stop))
		raise(SIGSTOP);
	if (kill_at != NULL && count == atol(kill_at))
		raise(SIGKILL);
}

static void
after_write(int fd, off_t offset, const struct iovec *iov, int n, ssize_t done)
{
	if (done <= 0)
		return;
	if (is(fd, "SHIM_DATA"))
		record((fcntl(fd, F_GETFL) & O_DSYNC) != 0 ? 'S' : 'W', offset, iov, n, (size_t)done);
	else if (is(fd, "SHIM_RECEIPTS"))
		record('R', 0, iov, n, (size_t)done);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	union { const void *c; void *v; } u = { p };
	struct iovec iov = { u.v, n };
	before_write(fd);
	off_t at = lseek(fd, 0, SEEK_CUR);
	ssize_t done = syscall(SYS_write, fd, p, n);
	after_write(fd, at, &iov, 1, done);
	return done;
}

ssize_t
writev(int fd, const struct iovec *iov, int n)
{
	before_write(fd);
	off_t at = lseek(fd, 0, SEEK_CUR);
	ssize_t done = syscall(SYS_writev, fd, iov, n);
	after_write(fd, at, iov, n, done);
	return done;
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	union { const void *c; void *v; } u = { p };
	struct iovec iov = { u.v, n };
	before_write(fd);
	ssize_t done = syscall(SYS_pwrite64, fd, p, n, at);
	after_write(fd, at, &iov, 1, done);
	return done;
}

ssize_t
pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	return pwrite(fd, p, n, at);
}

ssize_t
pwritev(int fd, const struct iovec *iov, int n, off_t at)
{
	before_write(fd);
	ssize_t done = syscall(SYS_pwritev, fd, iov, n, at, 0);
	after_write(fd, at, iov, n, done);
	return done;
}

ssize_t
pwritev64(int fd, const struct iovec *iov, int n, off64_t at)
{
	return pwritev(fd, iov, n, at);
}

void *
mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	if (getenv("SHIM_MAP") != NULL && n >= (size_t)64 << 30) {
		raise(SIGSTOP);
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

void *
mmap64(void *at, size_t n, int protection, int flags, int fd, off64_t offset)
{
	return mmap(at, n, protection, flags, fd, offset);
}

int
fsync(int fd)
{
	before_write(fd);
	int rc = (int)syscall(SYS_fsync, fd);
	if (rc == 0 && is(fd, "SHIM_DATA"))
		record('B', 0, NULL, 0, 0);
	return rc;
}

int
fdatasync(int fd)
{
	before_write(fd);
	int rc = (int)syscall(SYS_fdatasync, fd);
	if (rc == 0 && is(fd, "SHIM_DATA"))
		record('B', 0, NULL, 0, 0);
	return rc;
}

int
ftruncate(int fd, off_t length)
{
	int rc = (int)syscall(SYS_ftruncate, fd, length);
	if (rc == 0 && is(fd, "SHIM_DATA"))
		record('T', length, NULL, 0, 0);
	return rc;
}

int
ftruncate64(int fd, off64_t length)
{
	return ftruncate(fd, length);
}
