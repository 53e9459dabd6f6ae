/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-hook and kg-hooks print: a receipt; a diff; how it stands with hooks, as records, or for people a table and under it what went wrong last. */
#ifndef MEM_HOOK_OUTPUT_H
#define MEM_HOOK_OUTPUT_H

#include <string.h>

#include "cli/cli.h"
#include "hook/hook.h"
#include "record/record.h"

static inline void
print_diff(const struct mem_hook_change *c)
{
	struct mem_buf diff = { 0 }, shown = { 0 };
	mem_hook_put_diff(&diff, c);
	if (mem_out_tty())
		mem_show(&shown, mem_buf_span(&diff), true);
	else
		mem_buf_str(&shown, mem_buf_span(&diff));
	mem_out_str(mem_buf_span(&shown));
	mem_buf_release(&diff);
	mem_buf_release(&shown);
}

/* `store` may be NULL. */
static inline void
print_hook_receipt(const struct mem_hook_change *c, const char *name, const char *store, int format)
{
	static const char *const text[] = { "installed", "changed", "unchanged", "removed" };
	struct mem_buf b = { 0 };
	if (mem_text_wanted(format)) {
		mem_buf_printf(&b, "%s: %s in ", name, text[c->verdict]);
		mem_show(&b, mem_buf_span(&c->path), false);
		mem_buf_putc(&b, '\n');
		mem_out_str(mem_buf_span(&b));
	} else {
		mem_buf_putc(&b, '{');
		mem_json_put_field(&b, "hook", mem_str(name));
		mem_json_put_field(&b, "verdict", mem_str(mem_hook_verdicts[c->verdict]));
		mem_json_put_field(&b, "file", mem_buf_span(&c->path));
		if (store != NULL)
			mem_json_put_field(&b, "store", mem_str(store));
		mem_buf_putc(&b, '}');
		mem_out_line(mem_buf_span(&b));
	}
	mem_buf_release(&b);
}

static inline struct mem_str
status_text(const struct mem_rec *r, struct mem_arena *a)
{
	struct mem_json problem = mem_rec_value(r, "problem");
	if (mem_rec_value(r, "installed").type != MEM_JSON_TRUE)
		return MEM_STR("not installed");
	return problem.type == MEM_JSON_STRING ? mem_json_text(a, problem) : MEM_STR("works");
}

static inline void
add_status_row(struct mem_grid *g, struct mem_buf *last_errors, const struct mem_rec *r)
{
	struct mem_buf text = { 0 };
	mem_grid_cell(g, mem_json_text(&g->arena, mem_rec_value(r, "hook")));
	mem_grid_cell(g, mem_json_text(&g->arena, mem_rec_value(r, "event")));
	mem_grid_cell(g, status_text(r, &g->arena));
	if (mem_json_decode(&text, mem_rec_value(r, "last_error"))) {
		mem_buf_puts(last_errors, "last error: ");
		mem_show(last_errors, mem_buf_span(&text), false);
		mem_buf_putc(last_errors, '\n');
	}
	mem_buf_release(&text);
}

struct status_output {
	bool text;
	struct mem_grid grid;
	struct mem_buf last_errors;
};

/* Prints the lines, and returns whether a hook does not work; one that is not installed counts only where it was asked for. */
static inline enum mem_status
print_status_lines(struct status_output *out, const struct mem_buf *lines, bool named)
{
	struct mem_rec r = { 0 };
	enum mem_status st = MEM_OK;
	size_t n;
	for (const char *p = lines->data; p != NULL && *p != '\0'; p += n + 1) {
		n = strcspn(p, "\n");
		if (mem_rec_scan(&r, (struct mem_str){ p, n }, NULL) != MEM_OK)
			continue;
		if (out->text)
			add_status_row(&out->grid, &out->last_errors, &r);
		else
			mem_out_line((struct mem_str){ p, n });
		bool installed = mem_rec_value(&r, "installed").type == MEM_JSON_TRUE;
		if (mem_rec_value(&r, "works").type != MEM_JSON_TRUE && (installed || named))
			st = MEM_NOTFOUND;
	}
	mem_rec_release(&r);
	return st;
}

#endif
