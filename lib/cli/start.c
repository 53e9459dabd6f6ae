/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of a command: its name, its clock, its messages, its status. */
#include "cli/called.h"
#include "cli/cli_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char program[64] = "memkit";
static bool now_fixed;
static int64_t now_ms;
static bool ends_well;

/* A store opened as descriptor 1 would have messages written into it.  The wrong
 * direction makes use of a closed stream the error it would have been. */
static void
open_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

void
cli_start_command(const char *usage)
{
	int n = (int)strcspn(usage, " \n");
	snprintf(program, sizeof(program), "%.*s", n, usage);
	mem_umask_close();
	open_standard_descriptors();
	cli_catch_faults();
	const char *now = getenv("MEM_NOW");
	if (now != NULL && *now != '\0') {
		if (!mem_time_parse_user(mem_str(now), mem_time_now(), &now_ms))
			mem_die(MEM_USAGE, "MEM_NOW: '%s' is not a time like 2026-11-28T09:00:00Z", now);
		now_fixed = true;
	}
}

const char *
cli_command_name(void)
{
	return program;
}

void
cli_set_now(int64_t ms)
{
	now_ms = ms;
	now_fixed = true;
}

int64_t
mem_now_given(void)
{
	return now_fixed ? now_ms : MEM_TIME_NONE;
}

int64_t
mem_now(void)
{
	return now_fixed ? now_ms : mem_time_now();
}

void
mem_end_well(void)
{
	ends_well = true;
}

int
mem_exit_code(enum mem_status status)
{
	if (ends_well)
		return 0;
	switch (status) {
	case MEM_OK:
		return 0;
	case MEM_END:
	case MEM_NOTFOUND:
	case MEM_EXISTS:
	case MEM_REFUSED:
	case MEM_STOPPED:
	case MEM_STALE:
	case MEM_ABSENT:
		return 1;
	case MEM_USAGE:
		return 2;
	case MEM_FAIL:
	case MEM_DAMAGED:
		return 3;
	case MEM_DENIED:
		return 4;
	case MEM_BUSY:
		return 75;
	}
	return 3;
}

/* One write, so that messages of the members of a pipeline do not mix. */
static void
print_message(const char *text)
{
	struct mem_buf line = { 0 };
	cli_wipe_progress();
	mem_buf_printf(&line, "%s: ", program);
	mem_show(&line, mem_str(text), false);
	mem_buf_putc(&line, '\n');
	(void)!write(STDERR_FILENO, line.data, line.len);
	mem_buf_release(&line);
}

MEM_PRINTF(1, 0) static void
print_formatted_message(const char *fmt, va_list ap)
{
	struct mem_buf text = { 0 };
	mem_buf_vprintf(&text, fmt, ap);
	print_message(text.data);
	mem_buf_release(&text);
}

void
mem_warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	print_formatted_message(fmt, ap);
	va_end(ap);
}

static bool met_damage;

void
mem_warn_message(void *ctx, const char *message)
{
	(void)ctx;
	mem_warn("%s", message);
}

bool
mem_warn_unembedded(enum mem_status status, const char *why)
{
	if (status == MEM_OK || status == MEM_ABSENT || status == MEM_BUSY)
		return false;
	mem_warn("vectors are left for later: %s", why);
	return true;
}

void
mem_warn_damage(void *ctx, const char *message)
{
	(void)ctx;
	met_damage = true;
	mem_warn("%s", message);
}

bool
cli_met_damage(void)
{
	return met_damage;
}

bool
mem_err_tty(void)
{
	static int known = -1;
	if (known < 0)
		known = isatty(STDERR_FILENO) == 1;
	return known == 1;
}

void
mem_notice(const char *fmt, ...)
{
	va_list ap;
	if (!mem_err_tty())
		return;
	va_start(ap, fmt);
	print_formatted_message(fmt, ap);
	va_end(ap);
}

void
mem_die(enum mem_status status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	mem_out_flush();
	print_formatted_message(fmt, ap);
	va_end(ap);
	exit(mem_finish(status));
}

void
mem_die_err(const struct mem_err *err)
{
	mem_die(err->status, "%s", err->msg);
}
