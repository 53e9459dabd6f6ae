/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of crontab(5) that keep a store in order. */
#include "upkeep/upkeep_int.h"

#include <stdlib.h>

/* A row a line.  `options` stand before the store, `operands` behind it. */
static const struct cron_line {
	const char *times, *command, *options, *operands;
	bool backup;           /* only where a folder for a backup is named, which is its operand */
} cron_lines[] = {
	{ "*/10 * * * *", "mem-maintain", "", "", false },
	{ "40 3 * * 0", "mem-maintain", " --wait 5m", " compact", false },
	{ "0 4 * * *", "mem-check", "", "", false },
	{ "30 3 * * *", "mem-backup", " -q --replace", "", true },
};

/* cron starts with almost no environment: where memkit finds its files is handed on, where it is set. */
static const char *const handed_on[] = { "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME" };

/* What is the same in each line; paths are absolute. */
struct cron_places {
	struct mem_buf folder, log, backup;
	const char *store, *agent;
};

/* cron takes a % for the end of the command, and a backslash before it away. */
static void
put_cron_text(struct mem_buf *out, const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '%')
			mem_buf_putc(out, '\\');
		mem_buf_putc(out, *s);
	}
}

static void
put_shell_setting(struct mem_buf *out, const char *name, const char *value)
{
	mem_buf_printf(out, "%s=", name);
	mem_buf_shell_word(out, value);
	mem_buf_putc(out, ' ');
}

static void
put_command(struct mem_buf *out, const struct cron_line *line, const struct cron_places *at)
{
	struct mem_buf path = { 0 };
	mem_buf_printf(&path, "%s:/usr/local/bin:/usr/bin:/bin", at->folder.data);
	put_shell_setting(out, "PATH", path.data);
	for (size_t i = 0; i < MEM_COUNT(handed_on); i++)
		if (getenv(handed_on[i]) != NULL)
			put_shell_setting(out, handed_on[i], getenv(handed_on[i]));
	if (at->agent != NULL)
		put_shell_setting(out, "MEM_AGENT", at->agent);
	mem_buf_reset(&path);
	mem_buf_printf(&path, "%s/%s", at->folder.data, line->command);
	mem_buf_shell_word(out, path.data);
	mem_buf_printf(out, "%s -S ", line->options);
	mem_buf_shell_word(out, at->store);
	mem_buf_puts(out, line->operands);
	if (line->backup) {
		mem_buf_putc(out, ' ');
		mem_buf_shell_word(out, at->backup.data);
	}
	mem_buf_puts(out, " >>");
	mem_buf_shell_word(out, at->log.data);
	mem_buf_puts(out, " 2>&1");
	mem_buf_release(&path);
}

static enum mem_status
put_cron_line(struct mem_buf *out, const struct cron_line *line, const struct cron_places *at, struct mem_err *err)
{
	struct mem_buf command = { 0 };
	enum mem_status st = MEM_OK;
	put_command(&command, line, at);
	if (strpbrk(command.data, "\n\r") != NULL)
		st = mem_err_set(err, MEM_FAIL, "a path holds a line break, which no line of a crontab can");
	else {
		mem_buf_printf(out, "%s ", line->times);
		put_cron_text(out, command.data);
		mem_buf_putc(out, '\n');
	}
	mem_buf_release(&command);
	return st;
}

bool
mem_crontab_log(struct mem_buf *out)
{
	return mem_xdg_path(out, "XDG_STATE_HOME", ".local/state", "memkit/cron.log");
}

enum mem_status
mem_crontab_make_folder(struct mem_err *err)
{
	struct mem_buf log = { 0 };
	enum mem_status st = MEM_OK;
	if (!mem_crontab_log(&log))
		st = mem_err_set(err, MEM_FAIL, "there is no home for the log: set HOME or XDG_STATE_HOME");
	else {
		*strrchr(log.data, '/') = '\0';
		st = mem_dir_make(log.data, 0700, err);
	}
	mem_buf_release(&log);
	return st;
}

static enum mem_status
find_places(struct cron_places *at, const struct mem_crontab_options *o, struct mem_err *err)
{
	at->agent = o->agent != NULL ? o->agent : getenv("MEM_AGENT");
	if (!mem_program_folder(&at->folder))
		return mem_err_sys(err, MEM_FAIL, "cannot tell where the commands of memkit are");
	if (o->backup != NULL && o->backup[0] != '/') {
		char *here = realpath(".", NULL);
		if (here == NULL)
			return mem_err_sys(err, MEM_FAIL, "cannot tell which folder this is");
		mem_buf_printf(&at->backup, "%s/", here);
		free(here);
	}
	if (o->backup != NULL)
		mem_buf_puts(&at->backup, o->backup);
	if (!mem_crontab_log(&at->log))
		return mem_err_set(err, MEM_FAIL, "there is no home for the log: set HOME or XDG_STATE_HOME");
	return MEM_OK;
}

enum mem_status
mem_crontab_put(struct mem_buf *out, const char *store, const struct mem_crontab_options *o, struct mem_err *err)
{
	struct cron_places at = { .store = store };
	enum mem_status st = find_places(&at, o, err);
	for (size_t i = 0; i < MEM_COUNT(cron_lines) && st == MEM_OK; i++)
		if (!cron_lines[i].backup || o->backup != NULL)
			st = put_cron_line(out, &cron_lines[i], &at, err);
	mem_buf_release(&at.folder);
	mem_buf_release(&at.log);
	mem_buf_release(&at.backup);
	return st;
}
