/* SPDX-License-Identifier: Apache-2.0 */
/* A command of the user's own, as a filter. */
#include "base/base.h"

#include <string.h>

enum { COMMAND_SHOWN = 80, ERROR_SHOWN = 160 }; /* bytes in messages */

/* The command itself is named, not the shell. */
static enum mem_status
name_failure(const char *command, const struct mem_child_end *end, enum mem_status st, struct mem_err *err)
{
	struct mem_str name = mem_str(command), said = mem_child_last_line(&end->errors);
	struct mem_err why = { .msg = "" };
	int shown = (int)mem_utf8_cut(name, COMMAND_SHOWN);
	if (st != MEM_OK && err != NULL)
		why = *err;
	if (st != MEM_OK)
		return mem_err_set(err, MEM_FAIL, "'%.*s': %s", shown, name.p, why.msg);
	return mem_err_set(err, MEM_FAIL, "'%.*s' ended with status %d%s%.*s", shown, name.p, end->code, said.n > 0 ? ": " : "",
	    (int)mem_utf8_cut(said, ERROR_SHOWN), said.n > 0 ? said.p : "");
}

enum mem_status
mem_command_run_within(struct mem_buf *out, const char *command, struct mem_str input, int64_t timeout_ms, struct mem_err *err)
{
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	const struct mem_child child = { .argv = argv, .input = input, .out_max = MEM_COMMAND_MAX,
		.timeout_ms = timeout_ms > 0 ? timeout_ms : MEM_COMMAND_MS, .stop_fd = -1, .no_grace = true };
	struct mem_child_end end;
	enum mem_status st = mem_child_run(&end, &child, err);
	if (st != MEM_OK || end.code != 0)
		st = name_failure(command, &end, st, err);
	else
		mem_buf_str(out, mem_buf_span(&end.out));
	mem_child_release(&end);
	return st;
}

enum mem_status
mem_command_run(struct mem_buf *out, const char *command, struct mem_str input, struct mem_err *err)
{
	return mem_command_run_within(out, command, input, 0, err);
}

void
mem_command_blame(struct mem_err *err, const char *command, size_t line)
{
	const int shown = (int)mem_utf8_cut(mem_str(command), COMMAND_SHOWN);
	struct mem_err named;
	if (line > 0)
		(void)mem_err_set(&named, err->status, "'%.*s': line %zu: %s", shown, command, line, err->msg);
	else
		(void)mem_err_set(&named, err->status, "'%.*s': %s", shown, command, err->msg);
	memcpy(err->msg, named.msg, sizeof err->msg);
}

bool
mem_command_word_valid(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\0' || strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", s.p[i]) == NULL)
			return false;
	return s.n > 0 && s.n <= MEM_COMMAND_WORD_MAX;
}

struct mem_str
mem_command_name(const char *command)
{
	size_t n = strcspn(command, " \t\n"), from = n;
	while (from > 0 && command[from - 1] != '/')
		from--;
	struct mem_str s = { command + from, n - from };
	return mem_command_word_valid(s) ? s : MEM_STR("command");
}
