/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of files and standard input. */
#include "cli/cli_int.h"
#include "base/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char *stdin_alone[] = { (char[]){ "-" }, NULL };

void
mem_stdin_claim(const char *what)
{
	static const char *holder;
	if (holder != NULL)
		mem_die(MEM_USAGE, "standard input cannot be both %s and %s", holder, what);
	holder = what;
}

enum mem_status
mem_stdin_try(struct mem_buf *to, size_t max, struct mem_err *err)
{
	for (;;) {
		mem_buf_reserve(to, 64 * 1024);
		ssize_t n = read(STDIN_FILENO, to->data + to->len, 64 * 1024);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return mem_err_set(err, MEM_FAIL, "cannot read standard input: %s", strerror(errno));
		if (n == 0)
			break;
		to->len += (size_t)n;
		if (to->len > max)
			return mem_err_set(err, MEM_USAGE, "standard input is longer than %zu bytes", max);
	}
	to->data[to->len] = '\0';
	enum mem_status st = mem_text_check(mem_buf_span(to), err);
	if (st == MEM_OK)
		mem_text_unify(to);
	return st;
}

void
mem_stdin_read(struct mem_buf *to, size_t max)
{
	struct mem_err err;
	if (mem_stdin_try(to, max, &err) != MEM_OK)
		mem_die_err(&err);
}

void
mem_input_init(struct mem_input *in, int argc, char **argv)
{
	*in = (struct mem_input){
		.names = argc > 0 ? argv : stdin_alone,
		.nnames = argc > 0 ? argc : 1,
		.sep = '\n',
		.max = MEM_LINE_MAX,
	};
	for (int i = 0; i < in->nnames; i++)
		if (strcmp(in->names[i], "-") == 0)
			mem_stdin_claim("input");
}

static void
close_input_file(struct mem_input *in)
{
	if (!in->open)
		return;
	if (in->lines.fd != STDIN_FILENO)
		close(in->lines.fd);
	mem_lines_release(&in->lines);
	in->open = false;
}

/* Opens the next file that can be opened; false when none is left. */
static bool
open_next_file(struct mem_input *in)
{
	while (!in->open && in->at < in->nnames) {
		in->name = in->names[in->at++];
		bool std = strcmp(in->name, "-") == 0;
		int fd = std ? STDIN_FILENO : open(in->name, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			mem_warn("cannot open '%s': %s", in->name, strerror(errno));
			in->status = mem_status_worse(in->status, MEM_FAIL);
			continue;
		}
		mem_lines_init(&in->lines, fd, in->max);
		in->lines.sep = in->sep;
		in->lines.stop_fd = mem_interrupt_fd();
		in->open = true;
	}
	return in->open;
}

bool
mem_input_next(struct mem_input *in, struct mem_line *line)
{
	struct mem_err err;
	while (mem_out_ok() && !mem_interrupted() && open_next_file(in)) {
		if (!mem_lines_ready(&in->lines, 0))
			mem_out_flush();
		enum mem_status st = mem_lines_next(&in->lines, line, &err);
		if (st == MEM_OK)
			return true;
		if (st == MEM_FAIL) {
			mem_warn("'%s': %s", in->name, err.msg);
			in->status = mem_status_worse(in->status, MEM_FAIL);
		}
		close_input_file(in);
	}
	close_input_file(in);
	return false;
}

bool
mem_input_ready(struct mem_input *in, int timeout_ms)
{
	return !in->open || mem_lines_ready(&in->lines, timeout_ms);
}

enum mem_status
mem_input_status(struct mem_input *in)
{
	close_input_file(in);
	return in->status;
}

void
mem_input_refused(const struct mem_input *in, const struct mem_line *line, const struct mem_err *err)
{
	const struct mem_refusal refusal = { .input = in->name, .line = line->number, .offset = err->offset, .reason = mem_str(err->reason),
		.detail = err->msg };
	bool file = strcmp(in->name, "-") != 0;
	if (mem_refusal_notice(&refusal))
		return;
	mem_warn("%s%sline %llu, byte %zu: %s: %s", file ? in->name : "", file ? ": " : "",
	    (unsigned long long)line->number, err->offset, err->reason, err->msg);
}
