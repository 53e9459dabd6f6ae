/* SPDX-License-Identifier: Apache-2.0 */
/* What kg-check prints of a finding. */
#ifndef CHECK_OUTPUT_H
#define CHECK_OUTPUT_H

#include "cli/cli.h"
#include "link/check.h"
#include "record/record.h"

#include <string.h>

struct check_output {
	bool wanted[MEM_CHECK_KINDS];
	struct mem_words only;     /* paths from the root: what is told of; none: all */
	struct mem_buf shown;      /* what stands before a path: how the root is reached from here */
	struct mem_buf here;       /* the working folder below the root, with '/' behind it: then that is the way from there */
	bool found;
};

static inline bool
is_asked_for(const struct check_output *o, struct mem_str path)
{
	bool asked = o->only.n == 0;
	for (size_t i = 0; i < o->only.n && !asked; i++) {
		size_t n = strlen(o->only.v[i]);
		asked = n == 0 || (path.n >= n && memcmp(path.p, o->only.v[i], n) == 0 && (path.n == n || path.p[n] == '/'));
	}
	return asked;
}

/* The way from the working folder, of which a path may share the beginning. */
static inline void
put_way_from_here(struct mem_buf *out, const struct check_output *o, struct mem_str path)
{
	struct mem_str here = mem_buf_span(&o->here);
	size_t same = 0;
	for (size_t i = 0; i < here.n && i < path.n && here.p[i] == path.p[i]; i++)
		if (here.p[i] == '/')
			same = i + 1;
	for (size_t i = same; i < here.n; i++)
		if (here.p[i] == '/')
			mem_buf_puts(out, "../");
	mem_show(out, (struct mem_str){ path.p + same, path.n - same }, false);
}

/* "a.md:3:5: broken: [[x]]: no page is meant", as compilers write it. */
static inline void
print_finding_text(const struct check_output *o, const struct mem_check_finding *f)
{
	struct mem_buf b = { 0 };
	mem_show(&b, mem_buf_span(&o->shown), false);
	put_way_from_here(&b, o, f->path);
	mem_buf_printf(&b, ":%zu:%zu: %s: ", f->place.line, f->place.column, mem_check_kind_names[f->kind]);
	mem_show(&b, f->link, false);
	mem_buf_puts(&b, f->link.n > 0 ? ": " : "");
	mem_show(&b, f->message, false);
	mem_buf_putc(&b, '\n');
	mem_out_str(mem_buf_span(&b));
	mem_buf_release(&b);
}

static inline void
print_finding_record(const struct mem_check_finding *f)
{
	struct mem_buf b = { 0 };
	mem_buf_putc(&b, '{');
	mem_json_put_field(&b, "check", mem_str(mem_check_kind_names[f->kind]));
	mem_json_put_field(&b, "path", f->path);
	mem_json_put_int(&b, "line", (int64_t)f->place.line);
	mem_json_put_int(&b, "column", (int64_t)f->place.column);
	if (f->link.n > 0)
		mem_json_put_field(&b, "link", f->link);
	else
		mem_json_put_raw(&b, "link", MEM_STR("null"));
	mem_json_put_field(&b, "message", f->message);
	mem_buf_putc(&b, '}');
	mem_out_line(mem_buf_span(&b));
	mem_buf_release(&b);
}

#endif
