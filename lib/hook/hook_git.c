/* SPDX-License-Identifier: Apache-2.0 */
/* git: a post-commit hook in the repository of the working folder, and the event that it makes of a commit. */
#include "hook/hook_int.h"
#include "link/git.h"
#include "record/record.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The repository of the working folder, and how long a call may take: a hook has two seconds. */
static const struct mem_git repository = { .timeout_ms = 1500 };

enum { PATHS_MAX = 200 };

/* ---- the event of a commit ---------------------------------------------------------- */

static void
put_commit_paths(struct mem_buf *content, const struct mem_buf *paths)
{
	const char *p = paths->data, *end = p + paths->len;
	struct mem_str path;
	size_t n = 0;
	while (mem_git_piece(&p, end, &path)) {
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
	mem_json_put_field(out, "repository", mem_buf_span(folder));
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
	struct mem_buf commit = { 0 }, paths = { 0 }, folder = { 0 };
	struct mem_str field[4] = { { 0 } };
	enum mem_status st = mem_git_run(&commit, &repository, head, err);
	if (st == MEM_OK)
		st = mem_git_run(&paths, &repository, tree, err);
	if (st == MEM_OK)
		st = mem_git_top(&folder, &repository, err);
	const char *p = commit.data, *end = p + commit.len;
	for (size_t i = 0; i < MEM_COUNT(field) && st == MEM_OK; i++)
		if (!mem_git_piece(&p, end, &field[i]) && i < 3)
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
	enum mem_status st = mem_git_hooks(out, &repository, err);
	if (st == MEM_OK)
		mem_buf_puts(out, "/post-commit");
	return st;
}

size_t
hook_measure_shell_line(struct mem_str text)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ash", "ksh", "zsh" };
	size_t n = 0, word;
	if (text.n < 3 || text.p[0] != '#' || text.p[1] != '!')
		return 0;
	while (n < text.n && text.p[n] != '\n')
		n++;
	if (text.p[n - 1] == '\r') /* it is part of the shell's name, or of its option */
		return 0;
	/* The last word before options: "/bin/sh -e", "/usr/bin/env bash". */
	for (size_t i = 0; i < MEM_COUNT(shells); i++)
		for (size_t at = 2; at + strlen(shells[i]) <= n; at++) {
			word = strlen(shells[i]);
			bool begins = text.p[at - 1] == '/' || text.p[at - 1] == ' ' || text.p[at - 1] == '\t';
			bool ends = at + word == n || text.p[at + word] == ' ' || text.p[at + word] == '\t';
			if (begins && ends && memcmp(text.p + at, shells[i], word) == 0)
				return n + (n < text.n);
		}
	return 0;
}

void
hook_check_script(const struct mem_hook_change *c, struct mem_buf *problem)
{
	if ((c->mode & 0100) == 0)
		mem_buf_puts(problem, "git does not run it, since the file may not be executed");
	else if (hook_measure_shell_line(mem_buf_span(&c->before)) == 0)
		mem_buf_puts(problem, "git cannot run it, since its first line names no shell");
}

/* Behind the first line, since a script may end anywhere. */
static enum mem_status
put_git_block(struct mem_hook_change *c, const struct mem_hook_options *o, struct mem_err *err)
{
	static const struct mem_str made = MEM_STR_INIT("#!/bin/sh\n");
	struct mem_buf line = { 0 };
	bool made_by_us = !c->was_there || hook_file_made(mem_buf_span(&c->before));
	if (c->was_there && (c->mode & 0100) == 0)
		return mem_err_set(err, MEM_FAIL, "'%s' is left as it is: git does not run it, since it may not be executed", c->path.data);
	if (!c->was_there) {
		mem_buf_str(&c->after, made);
		c->mode = mem_user_mode(0777);
	}
	size_t at = hook_measure_shell_line(mem_buf_span(&c->after));
	if (at == 0)
		return mem_err_set(err, MEM_FAIL, "'%s' is left as it is: it is no script of a shell", c->path.data);
	enum hook_made ours = !made_by_us ? HOOK_MADE_BLOCK : hook_folder_is_ours(c->path.data) ? HOOK_MADE_FOLDER : HOOK_MADE_FILE;
	enum mem_status st = hook_put_command(&line, "git", "post-commit", o, err);
	if (st == MEM_OK) {
		/* Before the "|| :" of the command. */
		line.len -= strlen(" || :");
		mem_buf_puts(&line, " </dev/null >/dev/null 2>&1 || :\n");
		st = hook_put_block(&c->after, &(struct hook_block){ &hook_mark_own, at, ours, mem_buf_span(&line) }, &c->verdict, err);
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
		st = hook_take_block(&c->after, &hook_mark_own, &made, &c->verdict, err);
		c->stays = !(made && mem_str_eq(mem_buf_span(&c->after), MEM_STR("#!/bin/sh\n")));
		c->folder_stays = !hook_folder_made(mem_buf_span(&c->before));
	}
	return st;
}

static void
find_git_command(const struct mem_hook_change *c, const struct hook_event *event, struct mem_buf *command, struct mem_buf *problem)
{
	struct mem_str block = hook_find_block(mem_buf_span(&c->before), &hook_mark_own);
	(void)event;
	mem_buf_str(command, block);
	if (block.n > 0)
		hook_check_script(c, problem);
}

const struct mem_hook_program hook_git = {
	.name = "git", .events = { { "post-commit", "post-commit", 0 } }, .nevents = 1,
	.plan = plan_git, .find_command = find_git_command, .read_command = hook_read_command, .may_be_project = true,
};
