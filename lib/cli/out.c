/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output: a buffer, a remembered failure, a barrier. */
#include "cli/cli_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { OUT_CHUNK = 64 * 1024 };

static struct {
	struct mem_buf buf;
	int failed; /* errno of the first write that failed */
} out;

/* A parent may have set SIGPIPE to be ignored; the end is the same. */
_Noreturn static void
end_by_sigpipe(void)
{
	sigset_t set;
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
	_exit(128 + SIGPIPE);
}

void
mem_out_flush(void)
{
	struct mem_err err;
	if (out.buf.len == 0)
		return;
	errno = 0;
	if (out.failed == 0 && mem_fd_write(STDOUT_FILENO, out.buf.data, out.buf.len, &err) != MEM_OK) {
		if (errno == EPIPE)
			end_by_sigpipe();
		out.failed = errno != 0 ? errno : EIO;
	}
	mem_buf_reset(&out.buf);
}

void
cli_rescue_output(void)
{
	const char *end = out.buf.len > 0 ? memrchr(out.buf.data, '\n', out.buf.len) : NULL;
	size_t n = end != NULL ? (size_t)(end - out.buf.data) + 1 : 0, at = 0;
	out.buf.len = 0;
	while (out.failed == 0 && at < n) {
		ssize_t put = write(STDOUT_FILENO, out.buf.data + at, n - at);
		if (put < 0 && errno != EINTR)
			return;
		at += put > 0 ? (size_t)put : 0;
	}
}

static void
flush_full_buffer(void)
{
	if (out.buf.len >= OUT_CHUNK)
		mem_out_flush();
}

void
mem_out(const void *p, size_t n)
{
	mem_buf_put(&out.buf, p, n);
	flush_full_buffer();
}

void
mem_out_str(struct mem_str s)
{
	mem_out(s.p, s.n);
}

void
mem_out_printf(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	mem_buf_vprintf(&out.buf, fmt, ap);
	va_end(ap);
	flush_full_buffer();
}

void
mem_out_line(struct mem_str record)
{
	if (mem_out_tty())
		mem_show(&out.buf, record, false);
	else
		mem_buf_str(&out.buf, record);
	mem_buf_putc(&out.buf, '\n');
	flush_full_buffer();
}

void
mem_out_close(void)
{
	mem_out_flush();
	mem_out_tty(); /* is remembered */
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return; /* then the reader waits */
	dup2(fd, STDOUT_FILENO);
	close(fd);
}

bool
mem_out_ok(void)
{
	return out.failed == 0;
}

int
mem_finish(enum mem_status status)
{
	mem_progress_end();
	mem_out_flush();
	mem_buf_release(&out.buf);
	if (out.failed != 0) {
		mem_warn("cannot write standard output: %s",
		    out.failed == ENOSPC ? "disk full" : strerror(out.failed));
		status = MEM_FAIL;
	}
	if (cli_met_damage())
		status = mem_status_worse(MEM_DAMAGED, status);
	cli_raise_interrupt();
	return mem_exit_code(status);
}

bool
mem_out_receipts(void *quiet, struct mem_str lines)
{
	static const char refusal[] = "\"verdict\":\"rejected\"";
	bool refusals_only = *(const bool *)quiet;
	for (size_t from = 0; from < lines.n;) {
		const char *p = lines.p + from;
		const char *nl = memchr(p, '\n', lines.n - from);
		struct mem_str line = { p, nl != NULL ? (size_t)(nl - p) : lines.n - from };
		if (!refusals_only || memmem(line.p, line.n, refusal, sizeof refusal - 1) != NULL)
			mem_out_line(line);
		from += line.n + 1;
	}
	mem_out_flush();
	return mem_out_ok();
}
