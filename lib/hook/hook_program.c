/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that can call memkit, what is done with their files, and how it stands with their hooks. */
#include "hook/hook_int.h"
#include "record/record.h"
#include "store/store.h"

#include <unistd.h>

static const struct mem_hook_program *const programs[] = { &hook_claude_code, &hook_codex, &hook_codex_notify, &hook_git,
	&hook_cron };
const char *const mem_hook_names[] = { "claude-code", "codex", "codex-notify", "git", "cron", NULL };
const char *const mem_hook_verdicts[] = { "new", "changed", "unchanged", "removed" };

const struct mem_hook_program *
hook_find_program(const char *name)
{
	for (size_t i = 0; i < MEM_COUNT(programs); i++)
		if (strcmp(programs[i]->name, name) == 0)
			return programs[i];
	return NULL;
}

enum mem_status
mem_hook_check(const char *name, const struct mem_hook_options *o, struct mem_err *err)
{
	const struct mem_hook_program *p = hook_find_program(name);
	if (p == NULL)
		return mem_err_set(err, MEM_USAGE, "'%s' is none of claude-code, codex, codex-notify, git, cron", name);
	if (o->project && !p->may_be_project)
		return mem_err_set(err, MEM_USAGE, "--project is not for %s", name);
	return MEM_OK;
}

enum mem_status
mem_hook_plan(struct mem_hook_change *out, const char *name, bool install, const struct mem_hook_options *o, struct mem_err *err)
{
	*out = (struct mem_hook_change){ .program = hook_find_program(name), .mode = 0600 };
	enum mem_status st = mem_hook_check(name, o, err);
	return st == MEM_OK ? out->program->plan(out, install, o, err) : st;
}

enum mem_status
mem_hook_apply(const struct mem_hook_change *c, struct mem_err *err)
{
	if (c->verdict == MEM_HOOK_UNCHANGED)
		return MEM_OK;
	return c->program->apply != NULL ? c->program->apply(c, err) : hook_write_file(c, err);
}

void
mem_hook_change_release(struct mem_hook_change *c)
{
	mem_buf_release(&c->path);
	mem_buf_release(&c->before);
	mem_buf_release(&c->after);
	mem_buf_release(&c->aside);
}

/* ---- how it stands --------------------------------------------------------- */

static const char *const usually[] = { "mem-hook", "mem-search", "mem-render", "mem-adapt", "mem-capture", NULL };

/* The commands that a hook calls lie beside mem-hook. */
static bool
find_missing_command(const char *const *called, const char *tool, struct mem_buf *problem)
{
	const char *slash = strrchr(tool, '/');
	size_t folder = slash != NULL ? (size_t)(slash - tool) + 1 : 0;
	struct mem_buf path = { 0 };
	bool missing = false;
	for (size_t i = 0; called[i] != NULL && !missing; i++) {
		mem_buf_reset(&path);
		mem_buf_put(&path, tool, folder);
		mem_buf_puts(&path, called[i]);
		missing = access(path.data, X_OK) != 0;
	}
	if (missing)
		mem_buf_printf(problem, "'%s' is not there", path.data);
	mem_buf_release(&path);
	return missing;
}

static void
check_hook_store(const char *dir, const char *agent, struct mem_buf *problem)
{
	struct mem_store_options o = MEM_STORE_OPTIONS_INIT;
	struct mem_store *s = NULL;
	struct mem_err err;
	o.dir = dir;
	o.agent = agent;
	o.wait_ms = 0;
	enum mem_status st = mem_store_open(&s, &o, &err);
	if (st != MEM_OK && st != MEM_BUSY)
		mem_buf_puts(problem, err.msg);
	mem_store_close(s);
}

void
hook_put_event_status(struct mem_buf *lines, const struct mem_hook_change *c, const struct hook_event *event,
    const struct mem_hook_options *o)
{
	struct mem_buf command = { 0 }, problem = { 0 }, tool = { 0 }, store = { 0 }, last = { 0 };
	c->program->find_command(c, event, &command, &problem);
	bool installed = command.len > 0;
	bool ours = installed && c->program->read_command(mem_buf_span(&command), c->program->name, event->ours, &tool, &store);
	if (ours && problem.len == 0 && !find_missing_command(c->program->calls != NULL ? c->program->calls : usually, tool.data, &problem))
		check_hook_store(store.data, o->agent, &problem);
	if (!installed || !hook_last_error(&last, c->program->name, c->program->by_file ? c->path.data : event->ours))
		mem_buf_reset(&last);
	mem_buf_putc(lines, '{');
	mem_json_put_field(lines, "hook", mem_str(c->program->name));
	mem_json_put_field(lines, "event", mem_str(event->theirs));
	mem_json_put_bool(lines, "installed", installed);
	mem_json_put_bool(lines, "works", installed && problem.len == 0);
	mem_json_put_text(lines, "problem", mem_buf_span(&problem));
	mem_json_put_text(lines, "file", mem_buf_span(&c->path));
	mem_json_put_text(lines, "store", mem_buf_span(&store));
	mem_json_put_text(lines, "last_error", mem_buf_span(&last));
	mem_buf_puts(lines, "}\n");
	mem_buf_release(&command);
	mem_buf_release(&problem);
	mem_buf_release(&tool);
	mem_buf_release(&store);
	mem_buf_release(&last);
}

enum mem_status
mem_hook_put_status(struct mem_buf *lines, const char *name, const struct mem_hook_options *o, struct mem_err *err)
{
	struct mem_hook_change c;
	enum mem_status st = mem_hook_plan(&c, name, false, o, err);
	for (size_t i = 0; st == MEM_OK && i < c.program->nevents; i++)
		hook_put_event_status(lines, &c, &c.program->events[i], o);
	mem_hook_change_release(&c);
	return st;
}
