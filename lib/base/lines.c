/* SPDX-License-Identifier: Apache-2.0 */
/* The one reader of lines: what belongs to a line, and lines from a descriptor. */
#include "base/foreign.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { READ_CHUNK = 64 * 1024 };

/* ---- marks and line ends ---------------------------------------------- */

size_t
mem_line_mark(struct mem_str line)
{
	return line.n >= 3 && memcmp(line.p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

struct mem_str
mem_line_bare(struct mem_str line)
{
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

const char *
mem_text_wide(struct mem_str start)
{
	/* Unicode 16, §23.8: the marks.  Without one, two letters of ASCII in a row give themselves away (RFC 4627 §3). */
	unsigned char b[4] = { 1, 1, 1, 1 };
	memcpy(b, start.p, start.n < sizeof b ? start.n : sizeof b);
	if ((b[0] == 0xff && b[1] == 0xfe && b[2] == 0 && b[3] == 0) || (b[0] == 0 && b[1] == 0 && b[2] == 0xfe && b[3] == 0xff))
		return "UTF-32";
	if ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff))
		return "UTF-16";
	if (b[0] != 0 && b[1] == 0 && b[2] != 0 && b[3] == 0)
		return "UTF-16LE";
	return b[0] == 0 && b[1] != 0 && b[2] == 0 && b[3] != 0 ? "UTF-16BE" : NULL;
}

enum mem_status
mem_text_check(struct mem_str start, struct mem_err *err)
{
	/* RFC 1952, RFC 8878, the formats of xz and of zip. */
	static const struct {
		const char *begin, *name, *unpack;
	} packed[] = {
		{ "\x1f\x8b", "gzip", "zcat" }, { "\x28\xb5\x2f\xfd", "zstd", "zstdcat" },
		{ "\xfd" "7zX", "xz", "xzcat" }, { "PK\x03\x04", "zip", "unzip -p" },
	};
	const char *wide = mem_text_wide(start);
	if (wide != NULL)
		return mem_err_set(err, MEM_FAIL, MEM_TEXT_WIDE_HELP, wide, wide);
	for (size_t i = 0; i < MEM_COUNT(packed); i++) {
		size_t n = strlen(packed[i].begin);
		if (start.n >= n && memcmp(start.p, packed[i].begin, n) == 0)
			return mem_err_set(err, MEM_FAIL, "the input is packed by %s: unpack it first (%s)", packed[i].name, packed[i].unpack);
	}
	return MEM_OK;
}

void
mem_text_unify(struct mem_buf *text)
{
	char *to = text->data;
	for (size_t i = 0; i < text->len;) {
		const char *p = text->data + i, *nl = memchr(p, '\n', text->len - i);
		struct mem_str line = { p, nl != NULL ? (size_t)(nl - p) : text->len - i };
		i += line.n + (nl != NULL);
		size_t mark = mem_line_mark(line);
		line = (struct mem_str){ line.p + mark, line.n - mark };
		line = mem_line_bare(line);
		memmove(to, line.p, line.n);
		to += line.n;
		if (nl != NULL)
			*to++ = '\n';
	}
	if (text->data != NULL) {
		text->len = (size_t)(to - text->data);
		*to = '\0';
	}
}

/* ---- reading ---------------------------------------------------------- */

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

/* Takes mark and CR from a line as it was found. */
static void
strip_line_ends(const struct mem_lines *l, struct mem_line *line)
{
	size_t mark = mem_line_mark(line->text);
	line->text.p += mark;
	line->text.n -= mark;
	line->offset += mark;
	if (l->sep == '\n' && !line->too_long)
		line->text = mem_line_bare(line->text);
}

enum mem_status
mem_lines_next(struct mem_lines *l, struct mem_line *out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
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
	if (nl == NULL && n == mem_line_mark((struct mem_str){ l->buf.data + l->pos, n }))
		return MEM_END;
	if (l->number == 0 && l->sep != '\0')
		st = mem_text_check((struct mem_str){ l->buf.data + l->pos, l->buf.len - l->pos }, err);
	if (st != MEM_OK)
		return st;
	bool too_long = n > l->max;
	*out = (struct mem_line){
		.text = { l->buf.data + l->pos, too_long ? l->max : n },
		.number = ++l->number,
		.offset = l->offset,
		.too_long = too_long,
		.unended = nl == NULL && !too_long,
	};
	strip_line_ends(l, out);
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
