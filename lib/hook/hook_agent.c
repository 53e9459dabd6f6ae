/* SPDX-License-Identifier: Apache-2.0 */
/* Claude Code and Codex: agents whose settings are JSON, with the same form of hooks. */
#include "hook/hook_int.h"
#include "record/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static const struct hook_agent claude_code = { "CLAUDE_CONFIG_DIR", ".claude", "settings.json", ".claude/settings.json" };
static const struct hook_agent codex = { "CODEX_HOME", ".codex", "hooks.json", ".codex/hooks.json" };

static enum mem_status
find_settings_path(struct mem_buf *out, const struct hook_agent *a, bool project, struct mem_err *err)
{
	const char *own = getenv(a->home_variable), *home = getenv("HOME");
	if (project) {
		char *here = realpath(".", NULL);
		if (here == NULL)
			return mem_err_sys(err, MEM_FAIL, "cannot tell which folder this is");
		mem_buf_printf(out, "%s/%s", here, a->project);
		free(here);
	} else if (own != NULL && own[0] == '/')
		mem_buf_printf(out, "%s/%s", own, a->file);
	else if (home != NULL && home[0] == '/')
		mem_buf_printf(out, "%s/%s/%s", home, a->home, a->file);
	else
		return mem_err_set(err, MEM_FAIL, "there is no home for settings: set HOME");
	return MEM_OK;
}

/* The verdict on a file of verdicts on its hooks. */
static enum mem_hook_verdict
join_verdicts(const enum mem_hook_verdict *v, size_t n)
{
	size_t unchanged = 0, same = 0;
	for (size_t i = 0; i < n; i++) {
		unchanged += v[i] == MEM_HOOK_UNCHANGED;
		same += v[i] == v[0];
	}
	return unchanged == n ? MEM_HOOK_UNCHANGED : same == n ? v[0] : MEM_HOOK_CHANGED;
}

static enum mem_status
plan_agent_event(struct mem_hook_change *c, const struct hook_event *e, bool install, const struct mem_hook_options *o,
    enum mem_hook_verdict *verdict, struct mem_err *err)
{
	struct mem_buf command = { 0 };
	enum mem_status st = MEM_OK;
	if (!install)
		st = hook_json_take(&c->after, c->program->name, e, verdict, err);
	else {
		st = hook_put_command(&command, c->program->name, e->ours, o, err);
		if (st == MEM_OK)
			st = hook_json_put(&c->after, c->program->name, e, mem_buf_span(&command), verdict, err);
	}
	mem_buf_release(&command);
	return st;
}

static enum mem_status
plan_agent(struct mem_hook_change *c, bool install, const struct mem_hook_options *o, struct mem_err *err)
{
	const struct mem_hook_program *p = c->program;
	enum mem_hook_verdict verdicts[HOOK_EVENTS_MAX];
	struct mem_err why;
	enum mem_status st = find_settings_path(&c->path, p->agent, o->project, err);
	if (st == MEM_OK)
		st = hook_read_file(c, err);
	c->verdict = MEM_HOOK_UNCHANGED;
	if (st != MEM_OK || (!install && !c->was_there))
		return st;
	if (c->was_there && c->before.len == 0)
		return mem_err_set(err, MEM_FAIL, "'%s' is empty, which is no JSON: remove it, or write {} into it", c->path.data);
	/* Taken out last first, so that each stands again where it was put in. */
	for (size_t i = 0; i < p->nevents && st == MEM_OK; i++) {
		size_t at = install ? i : p->nevents - 1 - i;
		st = plan_agent_event(c, &p->events[at], install, o, &verdicts[at], &why);
	}
	if (st != MEM_OK)
		return mem_err_set(err, st, "'%s' is left as it is: %s", c->path.data, why.msg);
	c->stays = c->after.len > 0;
	c->verdict = join_verdicts(verdicts, p->nevents);
	return MEM_OK;
}

/* Does [features] of Codex's config.toml switch hooks off?  A line of it is enough to tell. */
static bool
are_codex_hooks_off(const char *settings)
{
	struct mem_buf path = { 0 }, text = { 0 };
	const char *slash = strrchr(settings, '/');
	bool in_features = false, off = false;
	mem_buf_put(&path, settings, (size_t)(slash - settings));
	mem_buf_puts(&path, "/config.toml");
	if (mem_file_read(AT_FDCWD, path.data, HOOK_FILE_MAX, &text, NULL) == MEM_OK) {
		char *save = NULL;
		for (char *line = strtok_r(text.data, "\n", &save); line != NULL && !off; line = strtok_r(NULL, "\n", &save)) {
			char key[32], value[16];
			line += strspn(line, " \t");
			if (*line == '[')
				in_features = strncmp(line, "[features]", 10) == 0;
			else if (in_features && sscanf(line, "%31[a-z_] = %15[a-z]", key, value) == 2)
				off = (strcmp(key, "hooks") == 0 || strcmp(key, "codex_hooks") == 0) && strcmp(value, "false") == 0;
		}
	}
	mem_buf_release(&path);
	mem_buf_release(&text);
	return off;
}

static void
find_agent_command(const struct mem_hook_change *c, const struct hook_event *event, struct mem_buf *command, struct mem_buf *problem)
{
	struct mem_rec r = { 0 };
	if (!hook_json_find(mem_buf_span(&c->before), c->program->name, event, command))
		return;
	if (mem_rec_scan(&r, mem_buf_span(&c->before), NULL) == MEM_OK &&
	    mem_rec_value(&r, "disableAllHooks").type == MEM_JSON_TRUE)
		mem_buf_puts(problem, "the settings switch all hooks off: disableAllHooks");
	else if (c->program->agent == &codex && are_codex_hooks_off(c->path.data))
		mem_buf_puts(problem, "config.toml beside it switches hooks off: [features] hooks = false");
	mem_rec_release(&r);
}

/*
 * Claude Code ends a SessionEnd hook after the longest timeout of those, at least 1.5 s; Codex after at most 3 s.  Ours end
 * by themselves within 2.
 */
const struct mem_hook_program hook_claude_code = {
	.name = "claude-code", .events = { { "UserPromptSubmit", "prompt", 5 }, { "SessionEnd", "session-end", 5 } }, .nevents = 2,
	.agent = &claude_code, .adapter = "claude-code", .plan = plan_agent, .find_command = find_agent_command, .read_command = hook_read_command,
	.may_be_project = true,
};
const struct mem_hook_program hook_codex = {
	.name = "codex", .events = { { "UserPromptSubmit", "prompt", 5 }, { "SessionEnd", "session-end", 3 } }, .nevents = 2,
	.agent = &codex, .adapter = "codex", .plan = plan_agent, .find_command = find_agent_command, .read_command = hook_read_command,
	.may_be_project = true,
};
