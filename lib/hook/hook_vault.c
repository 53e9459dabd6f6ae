/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of git that keep a vault's pages up to date. */
#include "hook/hook_int.h"
#include "link/git.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const mem_vault_hook_names[] = { "post-commit", "post-merge", "post-checkout", "post-rewrite", NULL };

static const struct mem_hook_program vault_hooks;
#define ASIDE ".kg-hooks-kept"
static const struct mem_str made_text = MEM_STR_INIT("#!/bin/sh\n");

/* ---- the line ------------------------------------------------------------------- */

static enum mem_status
put_vault_command(struct mem_buf *out, const char *hook, const struct mem_vault_hook_options *o, struct mem_err *err)
{
	const char *const words[][2] = { { " -S ", o->store }, { " --agent ", o->agent }, { " --vault ", o->vault } };
	struct mem_buf tool = { 0 };
	if (!mem_program_folder(&tool)) {
		mem_buf_release(&tool);
		return mem_err_sys(err, MEM_FAIL, "cannot tell where the commands of memkit are");
	}
	mem_buf_puts(&tool, "/kg-hooks");
	mem_buf_shell_word(out, tool.data);
	mem_buf_printf(out, " run %s", hook);
	for (size_t i = 0; i < MEM_COUNT(words); i++) {
		if (words[i][1] == NULL)
			continue;
		mem_buf_puts(out, words[i][0]);
		mem_buf_shell_word(out, words[i][1]);
	}
	mem_buf_release(&tool);
	if (strchr(out->data, '\n') != NULL)
		return mem_err_set(err, MEM_FAIL, "a path holds a line break, which no hook can");
	/* What git hands to a hook is left for the one behind; neither a program that is gone nor its fault stops anybody. */
	mem_buf_puts(out, " </dev/null >/dev/null 2>&1 || :\n");
	return MEM_OK;
}

static bool
read_vault_command(struct mem_str command, const char *program, const char *event, struct mem_buf *tool, struct mem_buf *store)
{
	const char *const wanted[] = { "run", event };
	const char *p = command.p, *end = p + command.n;
	struct mem_buf word = { 0 };
	bool ours = hook_take_word(&p, end, tool) && tool->len >= strlen(program) &&
	    strcmp(tool->data + tool->len - strlen(program), program) == 0;
	for (size_t i = 0; i < MEM_COUNT(wanted) && ours; i++)
		ours = hook_take_word(&p, end, &word) && strcmp(word.data, wanted[i]) == 0;
	while (ours && hook_take_word(&p, end, &word))
		if (strcmp(word.data, "-S") == 0 && hook_take_word(&p, end, store))
			break;
	mem_buf_release(&word);
	return ours;
}

static enum mem_status
find_vault_hook(struct mem_buf *path, const char *hook, struct mem_err *err)
{
	static const struct mem_git repository = { .timeout_ms = 10000 };
	enum mem_status st = mem_git_hooks(path, &repository, err);
	if (st == MEM_OK)
		mem_buf_printf(path, "/%s", hook);
	return st;
}

/* ---- what is there ------------------------------------------------------------------ */

/* Reads it as it lies there: a link is followed by nobody, since what it names may be a file of the vault. */
static enum mem_status
read_hook_file(struct mem_hook_change *c, bool *plain, struct mem_err *err)
{
	struct stat file;
	*plain = true;
	if (lstat(c->path.data, &file) != 0)
		return errno == ENOENT || errno == ENOTDIR ? MEM_OK : mem_err_sys(err, MEM_FAIL, "cannot look at '%s'", c->path.data);
	*plain = S_ISREG(file.st_mode);
	if (*plain)
		return hook_read_file(c, err);
	if (!S_ISLNK(file.st_mode))
		return mem_err_set(err, MEM_FAIL, "'%s' is not a plain file", c->path.data);
	c->was_there = true;
	return MEM_OK;
}

static bool
is_there(const char *path)
{
	struct stat file;
	return lstat(path, &file) == 0;
}

/* ---- putting it in --------------------------------------------------------------------- */

/* A file of ours in the place of what goes aside, which it runs. */
static void
start_own_file(struct mem_hook_change *c)
{
	mem_buf_reset(&c->after);
	mem_buf_str(&c->after, made_text);
	c->mode = mem_user_mode(0777);
}

bool
hook_folder_is_ours(const char *path)
{
	struct mem_buf other = { 0 }, text = { 0 };
	size_t folder = (size_t)(strrchr(path, '/') - path) + 1;
	bool own = !hook_folder_there(path);
	for (size_t i = 0; mem_vault_hook_names[i] != NULL && !own; i++) {
		mem_buf_reset(&other);
		mem_buf_reset(&text);
		mem_buf_printf(&other, "%.*s%s", (int)folder, path, mem_vault_hook_names[i]);
		own = mem_file_read(AT_FDCWD, other.data, HOOK_FILE_MAX, &text, NULL) == MEM_OK && hook_folder_made(mem_buf_span(&text));
	}
	mem_buf_release(&other);
	mem_buf_release(&text);
	return own;
}

static enum mem_status
put_vault_block(struct mem_hook_change *c, const char *hook, bool plain, const struct mem_vault_hook_options *o, struct mem_err *err)
{
	struct mem_buf aside = { 0 }, lines = { 0 };
	bool made = !c->was_there || hook_file_made(mem_buf_span(&c->before));
	size_t at = plain ? hook_measure_shell_line(mem_buf_span(&c->after)) : 0;
	mem_buf_printf(&aside, "%s" ASIDE, c->path.data);
	bool kept = made && is_there(aside.data), foreign = c->was_there && (at == 0 || (c->mode & 0100) == 0);
	enum mem_status st = put_vault_command(&lines, hook, o, err);
	if (st == MEM_OK && foreign && is_there(aside.data))
		st = mem_err_set(err, MEM_FAIL, "'%s' is in the way: '%s' would be kept there", aside.data, c->path.data);
	if (st == MEM_OK && foreign)
		mem_buf_str(&c->aside, mem_buf_span(&aside));
	if (foreign || !c->was_there)
		start_own_file(c);
	if (kept || foreign)
		mem_buf_puts(&lines, "[ ! -x \"$0" ASIDE "\" ] || exec \"$0" ASIDE "\" \"$@\"\n");
	enum hook_made ours = !made && !foreign ? HOOK_MADE_BLOCK : hook_folder_is_ours(c->path.data) ? HOOK_MADE_FOLDER : HOOK_MADE_FILE;
	const struct hook_block block = { &hook_mark_vault, foreign || !c->was_there ? made_text.n : at, ours, mem_buf_span(&lines) };
	if (st == MEM_OK)
		st = hook_put_block(&c->after, &block, &c->verdict, err);
	c->stays = true;
	mem_buf_release(&aside);
	mem_buf_release(&lines);
	return st;
}

static enum mem_status
take_vault_block(struct mem_hook_change *c, struct mem_err *err)
{
	struct mem_buf aside = { 0 };
	bool made = false;
	enum mem_status st = hook_take_block(&c->after, &hook_mark_vault, &made, &c->verdict, err);
	bool bare = made && mem_str_eq(mem_buf_span(&c->after), made_text);
	mem_buf_printf(&aside, "%s" ASIDE, c->path.data);
	c->stays = !bare;
	c->folder_stays = !hook_folder_made(mem_buf_span(&c->before));
	if (st == MEM_OK && made && c->verdict != MEM_HOOK_UNCHANGED && is_there(aside.data)) {
		if (!bare)
			st = mem_err_set(err, MEM_FAIL, "'%s' holds more than memkit's lines: move them, or '%s' back, by hand", c->path.data, aside.data);
		mem_buf_str(&c->aside, mem_buf_span(&aside));
	}
	mem_buf_release(&aside);
	return st;
}

enum mem_status
mem_vault_hook_plan(struct mem_hook_change *out, const char *hook, bool install, const struct mem_vault_hook_options *o, struct mem_err *err)
{
	bool plain = true;
	*out = (struct mem_hook_change){ .program = &vault_hooks, .verdict = MEM_HOOK_UNCHANGED };
	enum mem_status st = find_vault_hook(&out->path, hook, err);
	if (st == MEM_OK)
		st = read_hook_file(out, &plain, err);
	if (st != MEM_OK || (!install && (!out->was_there || !plain)))
		return st;
	return install ? put_vault_block(out, hook, plain, o, err) : take_vault_block(out, err);
}

/* What goes aside keeps its mode, and comes back as it was; it is never gone in between. */
static enum mem_status
apply_vault_hook(const struct mem_hook_change *c, struct mem_err *err)
{
	if (c->aside.len == 0)
		return hook_write_file(c, err);
	if (!c->stays)
		return rename(c->aside.data, c->path.data) == 0 ? MEM_OK : mem_err_sys(err, MEM_FAIL, "cannot move '%s' back", c->aside.data);
	if (linkat(AT_FDCWD, c->path.data, AT_FDCWD, c->aside.data, 0) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot keep '%s' as '%s'", c->path.data, c->aside.data);
	return mem_file_replace(AT_FDCWD, c->path.data, c->after.data, c->after.len, c->mode, err);
}

/* ---- how it stands ------------------------------------------------------------------------ */

static void
find_vault_command(const struct mem_hook_change *c, const struct hook_event *event, struct mem_buf *command, struct mem_buf *problem)
{
	struct mem_str block = hook_find_block(mem_buf_span(&c->before), &hook_mark_vault);
	(void)event;
	mem_buf_str(command, block);
	if (block.n > 0)
		hook_check_script(c, problem);
}

static const char *const called[] = { "kg-hooks", NULL };
static const struct mem_hook_program vault_hooks = {
	.name = "kg-hooks", .nevents = 4, .apply = apply_vault_hook, .find_command = find_vault_command, .read_command = read_vault_command,
	.calls = called, .by_file = true,
	.events = { { "post-commit", "post-commit", 0 }, { "post-merge", "post-merge", 0 }, { "post-checkout", "post-checkout", 0 },
	    { "post-rewrite", "post-rewrite", 0 } },
};

enum mem_status
mem_vault_hook_put_status(struct mem_buf *lines, const char *agent, struct mem_err *err)
{
	static const struct mem_vault_hook_options none = { 0 };
	const struct mem_hook_options o = { .agent = agent };
	struct mem_hook_change c;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < vault_hooks.nevents && st == MEM_OK; i++) {
		st = mem_vault_hook_plan(&c, mem_vault_hook_names[i], false, &none, err);
		if (st == MEM_OK)
			hook_put_event_status(lines, &c, &vault_hooks.events[i], &o);
		mem_hook_change_release(&c);
	}
	return st;
}

void
mem_vault_hook_log(const char *hook, const char *message)
{
	struct mem_buf path = { 0 };
	bool found = find_vault_hook(&path, hook, NULL) == MEM_OK;
	hook_log_failure(vault_hooks.name, found ? path.data : hook, message);
	mem_buf_release(&path);
}
