/* SPDX-License-Identifier: Apache-2.0 */
/* The one reader of lines. */
#include "base/base.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { READ_CHUNK = 64 * 1024 };

void
mem_lines_init(struct mem_lines *l, int fd, size_t max)
{
	*l = (struct mem_lines){ .fd = fd, .stop_fd = -1, .sep = '\n', .max = max };
}

void
mem_lines_release(struct mem_lines *l)
{
	mem_buf_release(&l->buf);
}

/* Moves what is left to the front, so that the buffer stays about one line long. */
static void
compact_line_buffer(struct mem_lines *l)
{
	if (l->pos == 0)
		return;
	l->buf.len -= l->pos;
	memmove(l->buf.data, l->buf.data + l->pos, l->buf.len);
	l->pos = 0;
}

/* Waits for input or the stop, whichever comes first; true: stop.  Asked before each
 * read, so that a signal between a look at a flag and the read is not lost. */
static bool
is_input_stopped(const struct mem_lines *l)
{
	if (l->stop_fd < 0)
		return false;
	struct pollfd p[] = { { .fd = l->fd, .events = POLLIN }, { .fd = l->stop_fd, .events = POLLIN } };
	while (poll(p, 2, -1) < 0 && errno == EINTR)
		continue;
	return p[1].revents != 0;
}

/* MEM_END: it was stopped. */
static enum mem_status
fill_line_buffer(struct mem_lines *l, struct mem_err *err)
{
	if (is_input_stopped(l))
		return MEM_END;
	if (l->buf.cap - l->buf.len <= READ_CHUNK) /* the buffer keeps one byte for its NUL */
		compact_line_buffer(l);
	mem_buf_reserve(&l->buf, READ_CHUNK);
	ssize_t n;
	do
		n = read(l->fd, l->buf.data + l->buf.len, READ_CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return mem_err_sys(err, MEM_FAIL, "cannot read input");
	if (n == 0)
		l->eof = true;
	l->buf.len += (size_t)n;
	return MEM_OK;
}

/* The next separator behind what was scanned before, or NULL. */
static char *
find_separator(struct mem_lines *l)
{
	size_t from = l->pos + l->scanned;
	if (from >= l->buf.len)
		return NULL;
	char *nl = memchr(l->buf.data + from, l->sep, l->buf.len - from);
	l->scanned = nl == NULL ? l->buf.len - l->pos : 0;
	return nl;
}

/* Drops what is here of a line that was too long; true when its end was seen. */
static bool
drop_long_line(struct mem_lines *l)
{
	if (!l->dropping)
		return true;
	char *nl = find_separator(l);
	size_t end = nl != NULL ? (size_t)(nl - l->buf.data) + 1 : l->buf.len;
	l->offset += end - l->pos;
	l->pos = end;
	l->scanned = 0;
	l->dropping = nl == NULL && !l->eof;
	return !l->dropping;
}

enum mem_status
mem_lines_next(struct mem_lines *l, struct mem_line *out, struct mem_err *err)
{
	enum mem_status st;
	while (!drop_long_line(l)) {
		st = fill_line_buffer(l, err);
		if (st != MEM_OK)
			return st;
	}
	char *nl;
	while ((nl = find_separator(l)) == NULL && !l->eof && l->buf.len - l->pos <= l->max) {
		st = fill_line_buffer(l, err);
		if (st != MEM_OK)
			return st;
	}
	size_t n = nl != NULL ? (size_t)(nl - l->buf.data) - l->pos : l->buf.len - l->pos;
	if (nl == NULL && n == 0)
		return MEM_END;
	bool too_long = n > l->max;
	*out = (struct mem_line){
		.text = { l->buf.data + l->pos, too_long ? l->max : n },
		.number = ++l->number,
		.offset = l->offset,
		.too_long = too_long,
		.unended = nl == NULL && !too_long,
	};
	size_t taken = nl != NULL ? n + 1 : n;
	l->dropping = nl == NULL && too_long;
	l->offset += taken;
	l->pos += taken;
	l->scanned = 0;
	return MEM_OK;
}

bool
mem_lines_ready(struct mem_lines *l, int timeout_ms)
{
	int64_t until = timeout_ms >= 0 ? mem_clock_ms() + timeout_ms : 0;
	for (;;) {
		struct mem_err err;
		if (drop_long_line(l) &&
		    (l->eof || find_separator(l) != NULL || l->buf.len - l->pos > l->max))
			return true;
		int64_t left = timeout_ms >= 0 ? until - mem_clock_ms() : -1;
		if (timeout_ms >= 0 && left < 0)
			left = 0;
		struct pollfd p[] = { { .fd = l->fd, .events = POLLIN },
			{ .fd = l->stop_fd, .events = POLLIN } };
		int n = poll(p, 2, (int)left);
		if (n == 0)
			return false;
		if (n < 0 && errno == EINTR)
			continue;
		/* A fault shows again, with its message, when next is called. */
		if (n < 0 || fill_line_buffer(l, &err) != MEM_OK)
			return true;
	}
}
