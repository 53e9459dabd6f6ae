/* SPDX-License-Identifier: Apache-2.0 */
/* git: a post-commit hook in the repository of the working folder, and the event that it makes of a commit. */
#include "hook/hook_int.h"
#include "record/record.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { GIT_MS = 1500, GIT_OUT_MAX = 8 << 20, PATHS_MAX = 200, ARGUMENTS_MAX = 24 };

/* ---- calling git ------------------------------------------------------------------ */

/* A hook is started with GIT_* of the command that runs it; of those only where the repository is holds for another command. */
static bool
may_git_variable_stay(const char *setting)
{
	static const char *const stays[] = { "GIT_DIR=", "GIT_WORK_TREE=", "GIT_COMMON_DIR=" };
	for (size_t i = 0; i < MEM_COUNT(stays); i++)
		if (strncmp(setting, stays[i], strlen(stays[i])) == 0)
			return true;
	return strncmp(setting, "GIT_", 4) != 0;
}

/* What mem_child takes for env: the names that are removed, and what is set.  The arena owns it. */
static const char **
make_git_env(struct mem_arena *a)
{
	size_t n = 0;
	for (char **e = environ; *e != NULL; e++)
		n++;
	const char **env = mem_arena_alloc(a, (n + 4) * sizeof(*env));
	n = 0;
	for (char **e = environ; *e != NULL; e++)
		if (!may_git_variable_stay(*e))
			env[n++] = mem_arena_dup(a, *e, strcspn(*e, "="));
	env[n++] = "GIT_OPTIONAL_LOCKS=0";
	env[n++] = "GIT_TERMINAL_PROMPT=0";
	env[n++] = "LC_ALL=C";
	return env;
}

enum mem_status
hook_run_git(struct mem_buf *out, const char *const *arguments, struct mem_err *err)
{
	const char *argv[ARGUMENTS_MAX] = { "git", "-c", "core.fsmonitor=false" };
	struct mem_arena a = { 0 };
	struct mem_child_end end;
	for (size_t i = 0; arguments[i] != NULL; i++)
		argv[3 + i] = arguments[i];
	const struct mem_child c = { .argv = argv, .env = make_git_env(&a), .out_max = GIT_OUT_MAX, .timeout_ms = GIT_MS, .stop_fd = -1,
		.no_grace = true };
	enum mem_status st = mem_child_run(&end, &c, err);
	if (st == MEM_OK && end.code != 0) {
		size_t n = end.errors.len > 0 ? strcspn(end.errors.data, "\n") : 0;
		st = mem_err_set(err, MEM_FAIL, "git %s ended with %d: %.*s", arguments[0], end.code, (int)n, n > 0 ? end.errors.data : "");
	}
	if (st == MEM_OK)
		mem_buf_str(out, mem_buf_span(&end.out));
	mem_child_release(&end);
	mem_arena_release(&a);
	return st;
}

/* ---- the event of a commit ---------------------------------------------------------- */

/* The next piece of what -z gives; false: there is none. */
static bool
take_nul_piece(const char **p, const char *end, struct mem_str *out)
{
	if (*p >= end)
		return false;
	const char *nul = memchr(*p, '\0', (size_t)(end - *p));
	*out = (struct mem_str){ *p, (size_t)((nul != NULL ? nul : end) - *p) };
	*p = nul != NULL ? nul + 1 : end;
	return true;
}

static void
put_commit_paths(struct mem_buf *content, const struct mem_buf *paths)
{
	const char *p = paths->data, *end = p + paths->len;
	struct mem_str path;
	size_t n = 0;
	while (paths->len > 0 && take_nul_piece(&p, end, &path)) {
		if (path.n == 0)
			continue;
		if (n == 0)
			mem_buf_puts(content, "\n\nFiles:");
		if (n++ < PATHS_MAX)
			mem_buf_printf(content, "\n- %.*s", (int)path.n, path.p);
	}
	if (n > PATHS_MAX)
		mem_buf_printf(content, "\n(%zu more)", n - PATHS_MAX);
}

static struct mem_str
trim_text_end(struct mem_str s)
{
	while (s.n > 0 && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == ' '))
		s.n--;
	return s;
}

static void
put_commit_record(struct mem_buf *out, const struct mem_str field[4], const struct mem_buf *paths, const struct mem_buf *folder)
{
	struct mem_buf content = { 0 }, ref = { 0 };
	mem_buf_str(&content, trim_text_end(field[3]));
	put_commit_paths(&content, paths);
	mem_buf_printf(&ref, "git:%.*s", (int)field[0].n, field[0].p);
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "role", MEM_STR("event"));
	mem_json_put_field(out, "speaker", field[1]);
	mem_json_put_field(out, "captured_at", field[2]);
	mem_json_put_field(out, "ref", mem_buf_span(&ref));
	mem_json_put_raw(out, "tags", MEM_STR("[\"git\"]"));
	mem_json_put_field(out, "repository", trim_text_end(mem_buf_span(folder)));
	mem_json_put_field(out, "content", mem_buf_span(&content));
	mem_buf_puts(out, "}\n");
	mem_buf_release(&content);
	mem_buf_release(&ref);
}

enum mem_status
hook_put_commit(struct mem_buf *out, struct mem_err *err)
{
	static const char *const head[] = { "log", "-1", "-z", "--no-show-signature", "--no-color", "--encoding=UTF-8",
		"--format=%H%x00%an%x00%cI%x00%B", "--end-of-options", "HEAD", NULL };
	static const char *const tree[] = { "diff-tree", "-z", "--root", "-r", "-c", "--no-commit-id", "--name-only", "--no-renames",
		"--end-of-options", "HEAD", NULL };
	static const char *const top[] = { "rev-parse", "--show-toplevel", NULL };
	struct mem_buf commit = { 0 }, paths = { 0 }, folder = { 0 };
	struct mem_str field[4] = { { 0 } };
	enum mem_status st = hook_run_git(&commit, head, err);
	if (st == MEM_OK)
		st = hook_run_git(&paths, tree, err);
	if (st == MEM_OK)
		st = hook_run_git(&folder, top, err);
	const char *p = commit.data, *end = p + commit.len;
	for (size_t i = 0; i < MEM_COUNT(field) && st == MEM_OK; i++)
		if (!take_nul_piece(&p, end, &field[i]) && i < 3)
			st = mem_err_set(err, MEM_FAIL, "git log gave no commit");
	if (st == MEM_OK)
		put_commit_record(out, field, &paths, &folder);
	mem_buf_release(&commit);
	mem_buf_release(&paths);
	mem_buf_release(&folder);
	return st;
}

/* ---- the hook of a repository -------------------------------------------------------- */

static enum mem_status
find_hook_path(struct mem_buf *out, struct mem_err *err)
{
	static const char *const hooks[] = { "rev-parse", "--path-format=absolute", "--git-path", "hooks", NULL };
	struct mem_str path;
	enum mem_status st = hook_run_git(out, hooks, err);
	if (st != MEM_OK)
		return st;
	path = mem_buf_span(out);
	while (path.n > 0 && path.p[path.n - 1] == '\n')
		path.n--;
	out->len = path.n;
	out->data[out->len] = '\0';
	mem_buf_puts(out, "/post-commit");
	return MEM_OK;
}

/* How many bytes the first line has, if it says that a shell runs the file; else 0. */
static size_t
measure_shell_line(struct mem_str text)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ash", "ksh", "zsh" };
	size_t n = 0, word;
	if (text.n < 3 || text.p[0] != '#' || text.p[1] != '!')
		return 0;
	while (n < text.n && text.p[n] != '\n')
		n++;
	/* The last word before options: "/bin/sh -e", "/usr/bin/env bash". */
	for (size_t i = 0; i < MEM_COUNT(shells); i++)
		for (size_t at = 2; at + strlen(shells[i]) <= n; at++) {
			word = strlen(shells[i]);
			bool begins = text.p[at - 1] == '/' || text.p[at - 1] == ' ' || text.p[at - 1] == '\t';
			bool ends = at + word == n || text.p[at + word] == ' ' || text.p[at + word] == '\t' || text.p[at + word] == '\r';
			if (begins && ends && memcmp(text.p + at, shells[i], word) == 0)
				return n + (n < text.n);
		}
	return 0;
}

/* Behind the first line, since a script may end anywhere. */
static enum mem_status
put_git_block(struct mem_hook_change *c, const struct mem_hook_options *o, struct mem_err *err)
{
	static const struct mem_str made = MEM_STR_INIT("#!/bin/sh\n");
	struct mem_buf line = { 0 };
	if (c->was_there && (c->mode & 0100) == 0)
		return mem_err_set(err, MEM_FAIL, "'%s' is left as it is: git does not run it, since it may not be executed", c->path.data);
	if (!c->was_there) {
		mem_buf_str(&c->after, made);
		c->mode = 0755;
	}
	size_t at = measure_shell_line(mem_buf_span(&c->after));
	if (at == 0)
		return mem_err_set(err, MEM_FAIL, "'%s' is left as it is: it is no script of a shell", c->path.data);
	enum mem_status st = hook_put_command(&line, "git", "post-commit", o, err);
	if (st == MEM_OK) {
		/* Before the "|| :" of the command. */
		line.len -= strlen(" || :");
		mem_buf_puts(&line, " </dev/null >/dev/null 2>&1 || :\n");
		st = hook_put_block(&c->after, at, !c->was_there, mem_buf_span(&line), &c->verdict, err);
	}
	mem_buf_release(&line);
	return st;
}

static enum mem_status
plan_git(struct mem_hook_change *c, bool install, const struct mem_hook_options *o, struct mem_err *err)
{
	bool made = false;
	enum mem_status st = find_hook_path(&c->path, err);
	if (st == MEM_OK)
		st = hook_read_file(c, err);
	c->verdict = MEM_HOOK_UNCHANGED;
	if (st == MEM_OK && install) {
		st = put_git_block(c, o, err);
		c->stays = true;
	} else if (st == MEM_OK && c->was_there) {
		st = hook_take_block(&c->after, &made, &c->verdict, err);
		c->stays = !(made && mem_str_eq(mem_buf_span(&c->after), MEM_STR("#!/bin/sh\n")));
	}
	return st;
}

static void
find_git_command(const struct mem_hook_change *c, const struct hook_event *event, struct mem_buf *command, struct mem_buf *problem)
{
	struct mem_str block = hook_find_block(mem_buf_span(&c->before));
	(void)event;
	mem_buf_str(command, block);
	if (block.n > 0 && (c->mode & 0100) == 0)
		mem_buf_puts(problem, "git does not run it, since the file may not be executed");
}

const struct mem_hook_program hook_git = {
	.name = "git", .events = { { "post-commit", "post-commit", 0 } }, .nevents = 1,
	.plan = plan_git, .find_command = find_git_command, .read_command = hook_read_command, .may_be_project = true,
};
