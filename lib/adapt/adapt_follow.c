/* SPDX-License-Identifier: Apache-2.0 */
/* Files that grow while they are read. */
#include "adapt/adapt_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024 };

struct followed_file {
	const char *path;
	int fd;                 /* -1: gone, waited for */
	dev_t dev;
	ino_t ino;
	off_t at;
	int watch;
	struct mem_adapt_input *in;
};

struct follower {
	struct mem_adapt *a;
	const struct mem_adapt_wait *wait;
	struct followed_file *files;
	size_t n;
	int notify;
	char *chunk;
};

static void
close_followed_file(struct followed_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	mem_adapt_input_free(file->in);
	file->in = NULL;
}

static bool
open_followed_file(struct follower *w, struct followed_file *file)
{
	struct stat st;
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		errno = EINVAL;
		return false;
	}
	file->fd = fd;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	file->at = 0;
	file->in = mem_adapt_input_new(w->a, file->path);
	/* A file that was replaced has a new inode to watch; adding twice is harmless. */
	if (w->notify >= 0)
		file->watch = inotify_add_watch(w->notify, file->path,
		    IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
	return true;
}

/* From the start again, with a fresh state: refs given before are not repeated. */
static void
restart_followed_file(struct follower *w, struct followed_file *file)
{
	mem_adapt_input_free(file->in);
	file->in = mem_adapt_input_new(w->a, file->path);
	file->at = 0;
}

static enum mem_status
read_new_bytes(struct follower *w, struct followed_file *file, struct mem_err *err)
{
	struct stat st;
	if (fstat(file->fd, &st) == 0 && st.st_size < file->at)
		restart_followed_file(w, file);
	while (!mem_adapt_stopped(w->a)) {
		ssize_t n = pread(file->fd, w->chunk, CHUNK, file->at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return mem_err_sys(err, MEM_FAIL, "cannot read '%s'", file->path);
		if (n == 0)
			break;
		file->at += n;
		mem_adapt_feed(file->in, w->chunk, (size_t)n);
		if (file->in->shape == ADAPT_JSON)
			return mem_err_set(err, MEM_USAGE,
			    "cannot follow '%s': it is one JSON value, not lines", file->path);
	}
	mem_adapt_settle(file->in);
	return MEM_OK;
}

static bool
is_file_replaced(const struct followed_file *file)
{
	struct stat st;
	if (stat(file->path, &st) != 0)
		return true;
	return st.st_dev != file->dev || st.st_ino != file->ino;
}

/* What is new in one file; a file that was replaced is read to its end first. */
static enum mem_status
read_followed_file(struct follower *w, struct followed_file *file, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (file->fd >= 0) {
		bool gone = is_file_replaced(file);
		st = read_new_bytes(w, file, err);
		if (st != MEM_OK || !gone)
			return st;
		mem_adapt_end(file->in);
		close_followed_file(file);
	}
	return open_followed_file(w, file) ? read_new_bytes(w, file, err) : MEM_OK;
}

/* True when it is time to end. */
static bool
wait_for_growth(struct follower *w)
{
	struct pollfd p[] = {
		{ .fd = w->wait->stop_fd, .events = POLLIN },
		{ .fd = w->wait->out_fd, .events = 0 },
		{ .fd = w->notify, .events = POLLIN },
	};
	if (w->a->sink.idle != NULL)
		w->a->sink.idle(w->a->sink.ctx);
	int n = poll(p, MEM_COUNT(p), w->wait->poll_ms > 0 ? w->wait->poll_ms : 1000);
	if (n < 0)
		return errno != EINTR;
	if (p[0].revents != 0 || (p[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
		return true;
	/* Which file it was does not matter: each is looked at. */
	while ((p[2].revents & POLLIN) != 0 && read(w->notify, w->chunk, CHUNK) > 0)
		;
	return false;
}

static enum mem_status
open_followed_files(struct follower *w, const char *const *paths, struct mem_err *err)
{
	for (size_t i = 0; i < w->n; i++)
		w->files[i] = (struct followed_file){ .path = paths[i], .fd = -1, .watch = -1 };
	for (size_t i = 0; i < w->n; i++)
		if (!open_followed_file(w, &w->files[i]))
			return mem_err_sys(err, MEM_FAIL, "cannot follow '%s'", paths[i]);
	return MEM_OK;
}

enum mem_status
mem_adapt_follow(struct mem_adapt *a, const char *const *paths, size_t n,
    const struct mem_adapt_wait *wait, struct mem_err *err)
{
	struct follower w = { .a = a, .wait = wait, .n = n };
	if (a->f->no_follow)
		return mem_err_set(err, MEM_USAGE, "format %s cannot be followed", a->f->name);
	w.notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	w.files = mem_xcalloc(n, sizeof *w.files);
	w.chunk = mem_xmalloc(CHUNK);
	enum mem_status st = open_followed_files(&w, paths, err);
	while (st == MEM_OK && !mem_adapt_stopped(a)) {
		for (size_t i = 0; i < n && st == MEM_OK; i++)
			st = read_followed_file(&w, &w.files[i], err);
		if (st == MEM_OK && wait_for_growth(&w))
			break;
	}
	for (size_t i = 0; i < n; i++) {
		/* What follows the last whole record is read the next time. */
		if (st == MEM_OK && w.files[i].in != NULL)
			mem_adapt_end(w.files[i].in);
		close_followed_file(&w.files[i]);
	}
	if (w.notify >= 0)
		close(w.notify);
	free(w.files);
	free(w.chunk);
	return st;
}
