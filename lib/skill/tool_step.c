/* SPDX-License-Identifier: Apache-2.0 */
/* Names of steps, from what tools were called with. */
#include "skill/tool_step.h"

#include <string.h>

#include "record/record.h"

/* ---- the command ------------------------------------------------------------- */

static bool
is_shell_program(struct mem_str word)
{
	static const char *const shells[] = { "bash", "sh", "zsh", "dash", "/bin/bash", "/bin/sh", "/usr/bin/bash", NULL };
	return mem_str_among(word, shells);
}

/* Of a shell's list: the text behind -c, -lc and the like. */
static bool
put_shell_script(struct mem_buf *out, struct mem_json list)
{
	struct mem_json_iter it = mem_json_each(list);
	bool next = false;
	while (mem_json_next(&it)) {
		mem_buf_reset(out);
		if (!mem_json_decode(out, it.value) || next)
			return next;
		next = out->len > 1 && out->data[0] == '-' && out->data[out->len - 1] == 'c';
	}
	return false;
}

/* The strings of a list, with blanks between them. */
static bool
put_command_list(struct mem_buf *out, struct mem_json list)
{
	struct mem_json_iter it = mem_json_each(list);
	for (size_t i = 0; mem_json_next(&it); i++) {
		if (i > 0)
			mem_buf_putc(out, ' ');
		if (!mem_json_decode(out, it.value))
			return false;
		if (i == 0 && is_shell_program(mem_buf_span(out)))
			return put_shell_script(out, list);
	}
	return out->len > 0;
}

static bool
put_command_step(struct mem_buf *out, struct mem_json arguments)
{
	struct mem_json v = arguments;
	if (v.type == MEM_JSON_OBJECT) {
		v = mem_json_member(arguments, "command");
		if (!mem_json_there(v))
			v = mem_json_member(arguments, "cmd");
	}
	if (!mem_json_there(v))
		return false;
	return v.type == MEM_JSON_ARRAY ? put_command_list(out, v) : v.type == MEM_JSON_STRING && mem_json_decode(out, v);
}

/* ---- its words --------------------------------------------------------------- */

static bool
ends_command(char c)
{
	return c == ';' || c == '|' || c == '&' || c == '\n' || c == '(' || c == ')';
}

/* The next word of the same command; empty: it ends here. */
static struct mem_str
take_command_word(struct mem_str *rest)
{
	while (rest->n > 0 && (*rest->p == ' ' || *rest->p == '\t'))
		rest->p++, rest->n--;
	struct mem_str word = { rest->p, 0 };
	while (word.n < rest->n && rest->p[word.n] != ' ' && rest->p[word.n] != '\t' && !ends_command(rest->p[word.n]))
		word.n++;
	rest->p += word.n, rest->n -= word.n;
	return word;
}

static void
skip_command(struct mem_str *rest)
{
	while (take_command_word(rest).n > 0)
		;
	while (rest->n > 0 && (ends_command(*rest->p) || *rest->p == ' '))
		rest->p++, rest->n--;
}

static bool
is_program_word(struct mem_str word, const char *more)
{
	if (word.n == 0 || word.n > MEM_TOOL_STEP_MAX / 2)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i > 0 && c >= '0' && c <= '9') || (i > 0 && strchr(more, c) != NULL)))
			return false;
	}
	return true;
}

/* Words before the program that is meant: options and numbers of those that start another one, and variables. */
static bool
is_before_program(struct mem_str word)
{
	static const char *const starters[] = { "sudo", "env", "time", "timeout", "nohup", "nice", "exec", "command", "xargs", NULL };
	return mem_str_among(word, starters) || word.p[0] == '-' || (word.p[0] >= '0' && word.p[0] <= '9') || memchr(word.p, '=', word.n) != NULL;
}

static struct mem_str
find_program(struct mem_str *rest)
{
	static const char *const stage[] = { "cd", "pushd", "export", "set", "source", ".", NULL };
	while (rest->n > 0) {
		struct mem_str word = take_command_word(rest);
		if (word.n == 0 || mem_str_among(word, stage))
			skip_command(rest);
		else if (!is_before_program(word))
			return word;
	}
	return (struct mem_str){ 0 };
}

static struct mem_str
cut_folders(struct mem_str word)
{
	const char *slash = word.n > 0 ? memrchr(word.p, '/', word.n) : NULL;
	return slash != NULL ? (struct mem_str){ slash + 1, word.n - (size_t)(slash + 1 - word.p) } : word;
}

static bool
has_own_commands(struct mem_str program)
{
	static const char *const programs[] = { "git", "make", "cargo", "go", "npm", "npx", "pnpm", "yarn", "bun", "pip", "uv", "poetry", "docker",
		"podman", "kubectl", "helm", "terraform", "systemctl", "apt", "apt-get", "brew", "gh", "aws", "gcloud", "az", "dotnet", "mvn",
		"gradle", "gradlew", "rails", "bundle", "composer", "rustup", "just", "ninja", "tox", "nox", NULL };
	return mem_str_among(program, programs);
}

/* The first word that looks like a command of the program's own; behind `run` the next as well. */
static void
put_own_command(struct mem_buf *out, struct mem_str *rest)
{
	static const char *const valued[] = { "-C", "-c", "-f", "--file", "--context", "--namespace", NULL }; /* options with a value behind them */
	for (struct mem_str word = take_command_word(rest); word.n > 0; word = take_command_word(rest)) {
		if (mem_str_among(word, valued))
			(void)take_command_word(rest);
		else if (is_program_word(word, "-_:")) {
			mem_buf_putc(out, ' ');
			mem_buf_str(out, word);
			if (!mem_str_is(word, "run"))
				return;
		}
	}
}

/* ---- the step ---------------------------------------------------------------- */

struct mem_str
mem_tool_arguments(struct mem_str tool, struct mem_str call)
{
	if (tool.n == 0 || call.n <= tool.n + 1 || memcmp(call.p, tool.p, tool.n) != 0 || call.p[tool.n] != ' ')
		return (struct mem_str){ 0 };
	return (struct mem_str){ call.p + tool.n + 1, call.n - tool.n - 1 };
}

/* In one line, and so that it may stand in Markdown as code. */
static void
put_tool_name(struct mem_buf *out, struct mem_str tool)
{
	size_t n = mem_utf8_cut(tool, MEM_TOOL_STEP_MAX / 2);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)tool.p[i];
		mem_buf_putc(out, c < ' ' || c == '`' ? '_' : tool.p[i]);
	}
}

void
mem_tool_step_put(struct mem_buf *out, struct mem_str tool, struct mem_str call)
{
	struct mem_buf command = { 0 };
	struct mem_json arguments;
	struct mem_err err;
	const size_t start = out->len;
	put_tool_name(out, tool);
	if (mem_json_scan(&arguments, mem_tool_arguments(tool, call), &err) == MEM_OK && put_command_step(&command, arguments)) {
		struct mem_str rest = mem_buf_span(&command), program = cut_folders(find_program(&rest));
		if (is_program_word(program, "._+-")) {
			mem_buf_putc(out, ' ');
			mem_buf_str(out, program);
			if (has_own_commands(program))
				put_own_command(out, &rest);
		}
	}
	if (out->len - start > MEM_TOOL_STEP_MAX)
		out->len = start + mem_utf8_cut((struct mem_str){ out->data + start, out->len - start }, MEM_TOOL_STEP_MAX);
	mem_buf_release(&command);
}
