/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify of Codex's config.toml: a program that Codex starts after each turn, with a JSON object as its last argument.  For a
 * Codex that has no SessionEnd: the transcript so far is captured.
 */
#include "hook/hook_int.h"
#include "record/record.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { SESSIONS_DEPTH = 4 };    /* sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl */

bool
hook_put_codex_home(struct mem_buf *out)
{
	const char *own = getenv("CODEX_HOME"), *home = getenv("HOME");
	if (own != NULL && own[0] == '/')
		mem_buf_puts(out, own);
	else if (home != NULL && home[0] == '/')
		mem_buf_printf(out, "%s/.codex", home);
	else
		return false;
	return true;
}

/* ---- the settings -------------------------------------------------------------- */

/* The line is the same in TOML and, behind the equals sign, in JSON. */
static enum mem_status
put_notify_line(struct mem_buf *out, const struct mem_hook_options *o, struct mem_err *err)
{
	struct mem_buf tool = { 0 };
	if (!mem_program_folder(&tool)) {
		mem_buf_release(&tool);
		return mem_err_sys(err, MEM_FAIL, "cannot tell where the commands of memkit are");
	}
	mem_buf_puts(&tool, "/mem-hook");
	const char *words[] = { tool.data, "run", "codex-notify", "turn", "-S", o->store, o->agent != NULL ? "--agent" : NULL, o->agent };
	mem_buf_puts(out, "notify = [");
	for (size_t i = 0; i < MEM_COUNT(words) && words[i] != NULL; i++) {
		mem_buf_puts(out, i > 0 ? ", " : "");
		mem_json_put_string(out, mem_str(words[i]));
	}
	mem_buf_puts(out, "]\n");
	mem_buf_release(&tool);
	return MEM_OK;
}

/* A file of lines in which our block is the first: what stands before all tables belongs to none. */
static enum mem_status
plan_notify(struct mem_hook_change *c, bool install, const struct mem_hook_options *o, struct mem_err *err)
{
	struct mem_buf line = { 0 }, others = { 0 };
	enum mem_hook_verdict ignored;
	bool made = false;
	enum mem_status st = MEM_OK;
	if (!hook_put_codex_home(&c->path))
		return mem_err_set(err, MEM_FAIL, "there is no home for settings: set HOME");
	mem_buf_puts(&c->path, "/config.toml");
	st = hook_read_file(c, err);
	c->verdict = MEM_HOOK_UNCHANGED;
	mem_buf_reserve(&others, 1);
	mem_buf_str(&others, mem_buf_span(&c->before));
	if (st == MEM_OK)
		st = hook_take_block(&others, &hook_mark_own, &made, &ignored, err);
	size_t bad_line = 0;
	enum mem_status found = st == MEM_OK ? hook_toml_find(mem_buf_span(&others), "notify", &bad_line) : MEM_OK;
	if (found == MEM_EXISTS && install)
		st = mem_err_set(err, MEM_FAIL, "'%s' is left as it is: its notify is another program's, and Codex calls one alone", c->path.data);
	else if (found == MEM_FAIL && bad_line > 0)
		st = mem_err_set(err, MEM_FAIL, "'%s' is left as it is: it is no TOML (line %zu of what is not memkit's)", c->path.data, bad_line);
	else if (found == MEM_FAIL)
		st = mem_err_set(err, MEM_FAIL, "'%s' is left as it is: it is no TOML: a key or a table is in it twice", c->path.data);
	if (st == MEM_OK && install) {
		st = put_notify_line(&line, o, err);
		c->stays = true;
		mem_buf_reserve(&c->after, 1);
		enum hook_made ours = c->was_there ? HOOK_MADE_BLOCK : hook_folder_there(c->path.data) ? HOOK_MADE_FILE : HOOK_MADE_FOLDER;
		if (st == MEM_OK)
			st = hook_put_block(&c->after, &(struct hook_block){ &hook_mark_own, 0, ours, mem_buf_span(&line) }, &c->verdict, err);
	} else if (st == MEM_OK && c->was_there) {
		st = hook_take_block(&c->after, &hook_mark_own, &made, &c->verdict, err);
		c->stays = !(made && c->after.len == 0);
		c->folder_stays = !hook_folder_made(mem_buf_span(&c->before));
	}
	mem_buf_release(&line);
	mem_buf_release(&others);
	return st;
}

/* As a line for sh, so that it is read as others are. */
static void
find_notify_command(const struct mem_hook_change *c, const struct hook_event *event, struct mem_buf *command, struct mem_buf *problem)
{
	struct mem_str block = hook_find_block(mem_buf_span(&c->before), &hook_mark_own);
	struct mem_json words;
	(void)event;
	(void)problem;
	const char *list = block.n > 0 ? memchr(block.p, '[', block.n) : NULL;
	if (list == NULL || mem_json_scan(&words, (struct mem_str){ list, (size_t)(block.p + block.n - list) }, NULL) != MEM_OK)
		return;
	for (struct mem_json_iter it = mem_json_each(words); mem_json_next(&it);) {
		struct mem_buf word = { 0 };
		mem_buf_puts(command, command->len > 0 ? " " : "");
		if (mem_json_decode(&word, it.value) && word.len > 0)
			mem_buf_shell_word(command, word.data);
		mem_buf_release(&word);
	}
}

/* ---- the transcript of a thread ---------------------------------------------------- */

/* rollout-2026-11-27T08-00-00-THREAD.jsonl */
static bool
is_rollout_of(const char *name, const char *thread)
{
	static const char begin[] = "rollout-", time[] = "2026-11-27T08-00-00-", end[] = ".jsonl";
	size_t at = strlen(begin) + strlen(time), n = strlen(thread);
	return strlen(name) == at + n + strlen(end) && memcmp(name, begin, strlen(begin)) == 0 && memcmp(name + at, thread, n) == 0 &&
	    strcmp(name + at + n, end) == 0;
}

/* Looks through a folder and those in it; *out comes with the folder's path, and true leaves that of the file there. */
static bool
find_rollout(struct mem_buf *out, const char *thread, int depth)
{
	size_t n = out->len;
	bool found = false;
	DIR *d = opendir(out->data);
	for (const struct dirent *e; d != NULL && !found && (e = readdir(d)) != NULL;) {
		struct stat st;
		if (e->d_name[0] == '.')
			continue;
		out->len = n;
		mem_buf_printf(out, "/%s", e->d_name);
		found = is_rollout_of(e->d_name, thread) ||
		    (depth > 1 && lstat(out->data, &st) == 0 && S_ISDIR(st.st_mode) && find_rollout(out, thread, depth - 1));
	}
	if (d != NULL)
		closedir(d);
	return found;
}

enum mem_status
hook_find_thread(struct mem_buf *out, const struct mem_rec *r, struct mem_err *err)
{
	struct mem_buf thread = { 0 };
	enum mem_status st = MEM_OK;
	if (!mem_json_is(mem_rec_value(r, "type"), "agent-turn-complete"))
		st = MEM_END; /* another notice: not of a turn */
	else if (!mem_json_decode(&thread, mem_rec_value(r, "thread-id")) || thread.len == 0 || strchr(thread.data, '/') != NULL)
		st = mem_err_set(err, MEM_FAIL, "the record has no thread-id");
	else if (!hook_put_codex_home(out))
		st = mem_err_set(err, MEM_FAIL, "there is no home for transcripts: set HOME");
	else {
		mem_buf_puts(out, "/sessions");
		if (!find_rollout(out, thread.data, SESSIONS_DEPTH))
			st = mem_err_set(err, MEM_FAIL, "there is no transcript of the thread %s", thread.data);
	}
	mem_buf_release(&thread);
	return st;
}

const struct mem_hook_program hook_codex_notify = {
	.name = "codex-notify", .events = { { "notify", "turn", 0 } }, .nevents = 1,
	.adapter = "codex", .plan = plan_notify, .find_command = find_notify_command, .read_command = hook_read_command,
};
