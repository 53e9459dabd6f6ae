/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "store/store_int.h"

int64_t
mem_clock_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Between tries: .25 ms at first, doubling up to 8 ms, each cut at random so that many
 * waiters do not march in step. */
static enum mem_status
nap(unsigned try, struct mem_err *err)
{
	uint32_t r;
	long ns = 250000L << (try < 5 ? try : 5);
	mem_random(&r, sizeof r);
	struct timespec ts = { 0, ns / 2 + (long)(r % (uint32_t)(ns / 2)) };
	if (nanosleep(&ts, NULL) != 0 && errno == EINTR)
		return mem_err_set(err, MEM_BUSY, "interrupted while waiting for another process");
	return MEM_OK;
}

enum mem_status
mem_flock_wait(int fd, int op, int64_t wait_ms, struct mem_err *err)
{
	int64_t end = mem_clock_ms() + wait_ms;
	for (unsigned try = 0;; try++) {
		if (flock(fd, op | LOCK_NB) == 0)
			return MEM_OK;
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return mem_err_sys(err, MEM_FAIL, "cannot lock the store");
		if (mem_clock_ms() >= end)
			return MEM_BUSY;
		enum mem_status st = nap(try, err);
		if (st != MEM_OK)
			return st;
	}
}

enum mem_status
mem_lock_open(struct mem_store *s, const char *name, int *fd, struct mem_err *err)
{
	*fd = openat(s->dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd < 0)
		return mem_err_sys(err, MEM_FAIL, "cannot open '%s/%s'", s->path, name);
	return MEM_OK;
}

static long
holder(int fd)
{
	char text[16] = "";
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	return n > 0 ? strtol(text, NULL, 10) : 0;
}

enum mem_status
mem_write_lock(struct mem_store *s, int64_t wait_ms, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (s->held)
		return MEM_OK;
	if (s->write_fd < 0)
		st = mem_lock_open(s, MEM_WRITE_FILE, &s->write_fd, err);
	if (st != MEM_OK)
		return st;
	if (err != NULL)
		err->msg[0] = '\0';
	st = mem_flock_wait(s->write_fd, LOCK_EX, wait_ms, err);
	if (st == MEM_BUSY && (err == NULL || err->msg[0] == '\0'))
		mem_err_set(err, MEM_BUSY, "busy: process %ld is writing", holder(s->write_fd));
	if (st != MEM_OK)
		return st;
	/* Fixed width, so that a shorter number leaves nothing of a longer one. */
	char text[16];
	int n = snprintf(text, sizeof text, "%-10ld\n", (long)getpid());
	/* Whether it worked matters only to who waits: a full disk must not stop a writer here. */
	ssize_t put = pwrite(s->write_fd, text, (size_t)n, 0);
	(void)put;
	return MEM_OK;
}

void
mem_write_unlock(struct mem_store *s)
{
	if (!s->held)
		flock(s->write_fd, LOCK_UN);
}

enum mem_status
mem_store_hold(struct mem_store *s, struct mem_err *err)
{
	enum mem_status st = mem_write_lock(s, s->wait_ms, err);
	s->held = st == MEM_OK;
	return st;
}

void
mem_store_unhold(struct mem_store *s)
{
	if (!s->held)
		return;
	s->held = false;
	mem_write_unlock(s);
}
