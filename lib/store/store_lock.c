/* SPDX-License-Identifier: Apache-2.0 */
/* Lock files: the queue of writers, and maintenance. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "store/store_int.h"
#include "store/store_lock_int.h"

/* Sleeps about so long, half of it at random, so that many waiters do not march in step. */
static enum mem_status
sleep_random_time(long ns, struct mem_err *err)
{
	uint32_t r;
	mem_random(&r, sizeof r);
	struct timespec ts = { 0, ns / 2 + (long)(r % (uint32_t)ns) };
	if (nanosleep(&ts, NULL) != 0 && errno == EINTR)
		return mem_err_set(err, MEM_BUSY, "interrupted while waiting for another process");
	return MEM_OK;
}

/* Calls `try`, which is flock or like it, until it gives 0 or wait_ms is over. */
static enum mem_status
poll_file_lock(int (*try)(int fd, int op), int fd, int op, int64_t wait_ms, struct mem_err *err)
{
	int64_t end = mem_clock_ms() + wait_ms;
	for (unsigned n = 0;; n++) {
		if (try(fd, op | LOCK_NB) == 0)
			return MEM_OK;
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return mem_err_sys(err, MEM_FAIL, "cannot lock the store");
		if (mem_clock_ms() >= end)
			return MEM_BUSY;
		enum mem_status st = sleep_random_time(250000L << (n < 5 ? n : 5), err);
		if (st != MEM_OK)
			return st;
	}
}

enum mem_status
store_wait_flock(int fd, int op, int64_t wait_ms, struct mem_err *err)
{
	return poll_file_lock(flock, fd, op, wait_ms, err);
}

enum mem_status
store_open_lock_file(struct mem_store *s, const char *name, int *fd, struct mem_err *err)
{
	*fd = openat(s->dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd < 0 && errno == ELOOP)
		return mem_err_set(err, MEM_DENIED, "'%s/%s' is not a plain file", s->path, name);
	if (*fd < 0)
		return mem_err_sys(err, MEM_FAIL, "cannot open '%s/%s'", s->path, name);
	return MEM_OK;
}

static long
lock_holder_pid(int fd)
{
	char text[16] = "";
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	return n > 0 ? strtol(text, NULL, 10) : 0;
}

/*
 * The queue at write.lock.  Who waits holds a shared lock on the file's first byte (one of fcntl's open file
 * description locks, which flock's do not touch), so that others know; sleeps on a futex in the file's first
 * page, which who unlocks wakes, one waiter a time in the order they came; and looks for itself every few
 * milliseconds, since a holder that was killed wakes nobody.  Who comes while somebody waits queues behind, or
 * a process that writes without pause would take the lock again before a waiter is awake.
 *
 * Nothing is written through the map: on a full disk that would be a SIGBUS.  The futex's word is the text of the
 * holder's pid, put there with pwrite.
 */
static void
mark_waiting_writer(int fd, bool waiting)
{
	struct flock l = { .l_type = (short)(waiting ? F_RDLCK : F_UNLCK), .l_whence = SEEK_SET, .l_len = 1 };
	(void)fcntl(fd, F_OFD_SETLK, &l);
}

static bool
has_waiting_writers(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	return fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

/* NULL when it cannot be had: then everybody just looks now and then. */
static uint32_t *
futex_word(struct mem_store *s)
{
	struct stat st;
	if (s->write_word == NULL && fstat(s->write_fd, &st) == 0 && st.st_size >= (off_t)sizeof *s->write_word) {
		void *p = mmap(NULL, sizeof *s->write_word, PROT_READ, MAP_SHARED, s->write_fd, 0);
		s->write_word = p != MAP_FAILED ? p : NULL;
	}
	return s->write_word;
}

static enum mem_status
sleep_on_futex(struct mem_store *s, uint32_t seen, struct mem_err *err)
{
	const struct timespec look = { 0, 4000000 };
	uint32_t *word = futex_word(s);
	if (word == NULL)
		return sleep_random_time(1000000, err);
	if (syscall(SYS_futex, word, FUTEX_WAIT, seen, &look, NULL, 0) != 0 && errno == EINTR)
		return mem_err_set(err, MEM_BUSY, "interrupted while waiting for another process");
	return MEM_OK;
}

static enum mem_status
queue_for_write_lock(struct mem_store *s, int64_t wait_ms, struct mem_err *err)
{
	int fd = s->write_fd;
	bool behind = wait_ms > 0 && has_waiting_writers(fd);
	enum mem_status st = behind ? MEM_BUSY : store_wait_flock(fd, LOCK_EX, 0, err);
	if (st != MEM_BUSY)
		return st;
	int64_t end = mem_clock_ms() + wait_ms;
	mark_waiting_writer(fd, true);
	while (mem_clock_ms() < end) {
		uint32_t *word = futex_word(s), seen = word != NULL ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
		st = behind ? MEM_BUSY : store_wait_flock(fd, LOCK_EX, 0, err);
		behind = false;
		if (st != MEM_BUSY)
			break;
		st = sleep_on_futex(s, seen, err);
		if (st != MEM_OK)
			break;
		st = MEM_BUSY;
	}
	mark_waiting_writer(fd, false);
	return st;
}

enum mem_status
store_take_write_lock(struct mem_store *s, int64_t wait_ms, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (s->held)
		return MEM_OK;
	if (s->write_fd < 0)
		st = store_open_lock_file(s, STORE_WRITE_LOCK_FILE, &s->write_fd, err);
	if (st != MEM_OK)
		return st;
	if (err != NULL)
		err->msg[0] = '\0';
	st = queue_for_write_lock(s, wait_ms, err);
	if (st == MEM_BUSY && (err == NULL || err->msg[0] == '\0'))
		mem_err_set(err, MEM_BUSY, "busy: process %ld is writing", lock_holder_pid(s->write_fd));
	if (st != MEM_OK)
		return st;
	/* Fixed width, so that a shorter number leaves nothing of a longer one.  Whether it worked matters
	 * only to who waits: a full disk must not stop a writer here. */
	char text[16];
	int n = snprintf(text, sizeof text, "%-10ld\n", (long)getpid());
	ssize_t put = pwrite(s->write_fd, text, (size_t)n, 0);
	(void)put;
	return MEM_OK;
}

void
store_drop_write_lock(struct mem_store *s)
{
	if (s->held)
		return;
	bool wanted = has_waiting_writers(s->write_fd);
	flock(s->write_fd, LOCK_UN);
	if (wanted && futex_word(s) != NULL)
		syscall(SYS_futex, s->write_word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* ---- locks that are asked for by name ----------------------------------- */

/*
 * A duty is one byte of write.lock, far behind the pid, locked for the open file description: so it goes with the
 * process and is blind to flock.
 */
static int
try_duty_byte(int fd, off_t at)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };
	int rc = fcntl(fd, F_OFD_SETLK, &l);
	if (rc != 0 && errno == EACCES)
		errno = EWOULDBLOCK;
	return rc;
}

static int
try_opening_byte(int fd, int op)
{
	(void)op;
	return try_duty_byte(fd, 0);
}

/* LMDB would wait for ever; who opens needs a fraction of a millisecond, so even who waits for nothing else waits a little. */
enum mem_status
store_take_opening(struct mem_store *s, struct mem_err *err)
{
	enum { LEAST_WAIT_MS = 1000 };
	if (s->lock_fd < 0)
		return MEM_OK;
	if (err != NULL)
		err->msg[0] = '\0';
	enum mem_status st = poll_file_lock(try_opening_byte, s->lock_fd, LOCK_EX, s->wait_ms > LEAST_WAIT_MS ? s->wait_ms : LEAST_WAIT_MS, err);
	if (st == MEM_BUSY && (err == NULL || err->msg[0] == '\0'))
		mem_err_set(err, MEM_BUSY, "busy: another process is opening '%s'", s->path);
	return st;
}

void
store_leave_opening(struct mem_store *s)
{
	struct flock l = { .l_type = F_UNLCK, .l_whence = SEEK_SET, .l_len = 1 };
	if (s->lock_fd >= 0)
		(void)fcntl(s->lock_fd, F_OFD_SETLK, &l);
}

static int
try_index_lock(int fd, int op)
{
	(void)op;
	return try_duty_byte(fd, 4096);
}

static int
try_belief_lock(int fd, int op)
{
	(void)op;
	return try_duty_byte(fd, 4097);
}

static int
try_links_lock(int fd, int op)
{
	(void)op;
	return try_duty_byte(fd, 4098);
}

/* How each is taken, in which file, and what one who cannot have it is told. */
static const struct named_lock {
	int (*try)(int fd, int op);
	const char *file, *busy;
} named_locks[MEM_LOCK_COUNT] = {
	[MEM_LOCK_INDEX] = { try_index_lock, STORE_WRITE_LOCK_FILE, "busy: another process is at it" },
	[MEM_LOCK_MAINTENANCE] = { flock, STORE_MAINTAIN_LOCK_FILE, "busy: another maintenance is running" },
	[MEM_LOCK_BELIEF] = { try_belief_lock, STORE_WRITE_LOCK_FILE, "busy: another process is consolidating" },
	[MEM_LOCK_LINKS] = { try_links_lock, STORE_WRITE_LOCK_FILE, "busy: another process is linking" },
};

/*
 * Who has the lock may compact, for which nobody else may have the store open: so it is let go of for the wait, unless a
 * snapshot or a transaction holds it.
 */
static enum mem_status
wait_for_named_lock(struct mem_store *s, const struct named_lock *l, int fd, int64_t wait_ms, struct mem_err *err)
{
	enum mem_status st = poll_file_lock(l->try, fd, LOCK_EX, 0, err);
	if (st != MEM_BUSY || wait_ms <= 0)
		return st;
	if (s->snapshots == 0 && !s->writing)
		mem_store_pause(s);
	return poll_file_lock(l->try, fd, LOCK_EX, wait_ms, err);
}

/* A lock that is as good as the descriptor: *fd is -1 again where it is not had. */
static enum mem_status
take_named_lock(struct mem_store *s, enum mem_lock lock, int *fd, int64_t wait_ms, struct mem_err *err)
{
	const struct named_lock *l = &named_locks[lock];
	enum mem_status st = store_open_lock_file(s, l->file, fd, err);
	if (st != MEM_OK)
		return st;
	if (err != NULL)
		err->msg[0] = '\0';
	st = wait_for_named_lock(s, l, *fd, wait_ms, err);
	if (st == MEM_BUSY && (err == NULL || err->msg[0] == '\0'))
		mem_err_set(err, MEM_BUSY, "%s", l->busy);
	if (st != MEM_OK) {
		close(*fd);
		*fd = -1;
	}
	return st;
}

enum mem_status
mem_store_lock(struct mem_store *s, enum mem_lock lock, int64_t wait_ms, struct mem_err *err)
{
	int64_t wait = wait_ms < 0 ? s->wait_ms : wait_ms;
	if (lock == MEM_LOCK_WRITERS ? s->held : s->lock_fds[lock] >= 0)
		return mem_err_set(err, MEM_BUSY, "busy: this process is at it");
	enum mem_status st = lock == MEM_LOCK_WRITERS ? store_lock_for_write(s, wait, err) : take_named_lock(s, lock, &s->lock_fds[lock], wait, err);
	if (st == MEM_OK && lock == MEM_LOCK_WRITERS)
		s->held = true;
	else if (st == MEM_OK && lock == MEM_LOCK_MAINTENANCE)
		store_remove_left_data(s);
	return st;
}

void
mem_store_unlock(struct mem_store *s, enum mem_lock lock)
{
	if (lock == MEM_LOCK_WRITERS && s->held) {
		s->held = false;
		store_drop_write_lock(s);
	} else if (lock != MEM_LOCK_WRITERS && s->lock_fds[lock] >= 0) {
		close(s->lock_fds[lock]);
		s->lock_fds[lock] = -1;
	}
}
