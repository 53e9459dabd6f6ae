/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a hook: written for sh, and known again when it is read. */
#include "hook/hook_int.h"

enum mem_status
hook_put_command(struct mem_buf *out, const char *program, const char *event, const struct mem_hook_options *o, struct mem_err *err)
{
	struct mem_buf tool = { 0 };
	if (!mem_program_folder(&tool)) {
		mem_buf_release(&tool);
		return mem_err_sys(err, MEM_FAIL, "cannot tell where the commands of memkit are");
	}
	mem_buf_puts(&tool, "/mem-hook");
	mem_buf_shell_word(out, tool.data);
	mem_buf_printf(out, " run %s %s -S ", program, event);
	mem_buf_shell_word(out, o->store);
	if (o->agent != NULL) {
		mem_buf_puts(out, " --agent ");
		mem_buf_shell_word(out, o->agent);
	}
	/* Neither a program that is gone nor a fault of its own may stop who calls it. */
	mem_buf_puts(out, " || :");
	mem_buf_release(&tool);
	if (strchr(out->data, '\n') != NULL)
		return mem_err_set(err, MEM_FAIL, "a path holds a line break, which no hook can");
	return MEM_OK;
}

bool
hook_take_word(const char **p, const char *end, struct mem_buf *word)
{
	bool quoted = false, any = false;
	mem_buf_reset(word);
	while (*p < end && (**p == ' ' || **p == '\t'))
		++*p;
	for (; *p < end && (quoted || (**p != ' ' && **p != '\t')); ++*p) {
		any = true;
		if (**p == '\'')
			quoted = !quoted;
		else if (!quoted && **p == '\\' && *p + 1 < end)
			mem_buf_putc(word, *++*p);
		else
			mem_buf_putc(word, **p);
	}
	return any;
}

static bool
is_mem_hook(const char *tool)
{
	const char *slash = strrchr(tool, '/');
	return strcmp(slash != NULL ? slash + 1 : tool, "mem-hook") == 0;
}

bool
hook_read_command(struct mem_str command, const char *program, const char *event, struct mem_buf *tool, struct mem_buf *store)
{
	const char *const wanted[] = { "run", program, event };
	const char *p = command.p, *end = p + command.n;
	struct mem_buf word = { 0 };
	bool ours = hook_take_word(&p, end, tool) && is_mem_hook(tool->data);
	for (size_t i = 0; i < MEM_COUNT(wanted) && ours; i++)
		ours = hook_take_word(&p, end, &word) && strcmp(word.data, wanted[i]) == 0;
	while (ours && hook_take_word(&p, end, &word))
		if (strcmp(word.data, "-S") == 0 && hook_take_word(&p, end, store))
			break;
	mem_buf_release(&word);
	return ours;
}
