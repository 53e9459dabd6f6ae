/* SPDX-License-Identifier: Apache-2.0 */
/* cron: the lines of mem-maintain --crontab in the crontab of the person. */
#include "hook/hook_int.h"
#include "upkeep/upkeep.h"

#include <stdlib.h>

enum { CRONTAB_MS = 10000 };

/* crontab(1) speaks English to us.  *end is to be released. */
static enum mem_status
run_crontab(struct mem_child_end *end, const char *const *argv, struct mem_str input, struct mem_err *err)
{
	static const char *const env[] = { "LC_ALL=C", NULL };
	const struct mem_child c = { .argv = argv, .env = env, .input = input, .out_max = HOOK_FILE_MAX, .timeout_ms = CRONTAB_MS, .stop_fd = -1 };
	return mem_child_run(end, &c, err);
}

static enum mem_status
fail_crontab(const struct mem_child_end *end, struct mem_err *err)
{
	size_t n = end->errors.len > 0 ? strcspn(end->errors.data, "\n") : 0;
	return mem_err_set(err, MEM_FAIL, "crontab ended with %d: %.*s", end->code, (int)n, n > 0 ? end->errors.data : "");
}

static enum mem_status
read_crontab(struct mem_hook_change *c, struct mem_err *err)
{
	static const char *const argv[] = { "crontab", "-l", NULL };
	struct mem_child_end end;
	mem_buf_puts(&c->path, "crontab");
	if (!mem_child_there("crontab")) /* without cron nothing is installed yet, and what would be can be shown; apply tells */
		return MEM_OK;
	enum mem_status st = run_crontab(&end, argv, (struct mem_str){ 0 }, err);
	if (st == MEM_OK && end.code == 0) {
		c->was_there = c->stays = true;
		mem_buf_str(&c->before, mem_buf_span(&end.out));
		mem_buf_str(&c->after, mem_buf_span(&end.out));
	} else if (st == MEM_OK && (end.errors.len == 0 || strstr(end.errors.data, "no crontab") == NULL))
		st = fail_crontab(&end, err);
	mem_child_release(&end);
	return st;
}

static enum mem_status
plan_cron(struct mem_hook_change *c, bool install, const struct mem_hook_options *o, struct mem_err *err)
{
	struct mem_buf lines = { 0 };
	const struct mem_crontab_options cron = { .agent = o->agent };
	bool made = false;
	enum mem_status st = read_crontab(c, err);
	if (st == MEM_OK && install)
		st = mem_crontab_put(&lines, o->store, &cron, err);
	if (st == MEM_OK && install)
		st = hook_put_block(&c->after, &(struct hook_block){ &hook_mark_own, c->after.len, c->was_there ? HOOK_MADE_BLOCK : HOOK_MADE_FILE,
		    mem_buf_span(&lines) }, &c->verdict, err);
	else if (st == MEM_OK)
		st = hook_take_block(&c->after, &hook_mark_own, &made, &c->verdict, err);
	if (st == MEM_OK)
		c->stays = install || (c->was_there && !(made && c->after.len == 0));
	mem_buf_release(&lines);
	return st;
}

static enum mem_status
apply_crontab(const struct mem_hook_change *c, struct mem_err *err)
{
	static const char *const put[] = { "crontab", "-", NULL }, *const take[] = { "crontab", "-r", NULL };
	struct mem_child_end end = { 0 };
	enum mem_status st = c->stays ? mem_crontab_make_folder(err) : MEM_OK;
	if (st == MEM_OK)
		st = run_crontab(&end, c->stays ? put : take, c->stays ? mem_buf_span(&c->after) : (struct mem_str){ 0 }, err);
	if (st == MEM_OK && end.code != 0)
		st = fail_crontab(&end, err);
	mem_child_release(&end);
	return st;
}

static void
find_cron_command(const struct mem_hook_change *c, const struct hook_event *event, struct mem_buf *command, struct mem_buf *problem)
{
	(void)event;
	mem_buf_str(command, hook_find_block(mem_buf_span(&c->before), &hook_mark_own));
	if (command->len > 0 && !mem_child_there("/usr/sbin/cron") && !mem_child_there("crond") && !mem_child_there("cron"))
		mem_buf_puts(problem, "no daemon of cron is installed");
}

/* The command of the first line: behind five fields of times, and variables that it sets. */
static bool
read_cron_command(struct mem_str lines, const char *program, const char *event, struct mem_buf *tool, struct mem_buf *store)
{
	struct mem_buf line = { 0 }, word = { 0 };
	const char *nl = lines.n > 0 ? memchr(lines.p, '\n', lines.n) : NULL, *end = nl != NULL ? nl : lines.p + lines.n;
	(void)program;
	(void)event;
	for (const char *p = lines.p; p < end; p++)
		if (p[0] != '\\' || p + 1 == end || p[1] != '%') /* cron takes the backslash away */
			mem_buf_putc(&line, *p);
	const char *p = line.data, *last = p + line.len;
	bool ours = true;
	for (int field = 0; field < 5 && ours; field++)
		ours = hook_take_word(&p, last, &word);
	while (ours && (ours = hook_take_word(&p, last, tool)) && tool->data[0] != '/')
		continue;
	while (ours && hook_take_word(&p, last, &word))
		if (strcmp(word.data, "-S") == 0 && hook_take_word(&p, last, store))
			break;
	mem_buf_release(&line);
	mem_buf_release(&word);
	return ours;
}

const struct mem_hook_program hook_cron = {
	.name = "cron", .events = { { "crontab", "crontab", 0 } }, .nevents = 1,
	.plan = plan_cron, .apply = apply_crontab, .find_command = find_cron_command, .read_command = read_cron_command,
};
