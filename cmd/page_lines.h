/* SPDX-License-Identifier: Apache-2.0 */
/* How people are shown a place in a page. */
#ifndef MEM_PAGE_LINES_H
#define MEM_PAGE_LINES_H

#include "cli/cli.h"
#include "record/record.h"

/* "path:line:column: excerpt", as compilers write it; of a record without a place "path: excerpt". */
static inline void
print_page_place(struct mem_str line)
{
	struct mem_json r = mem_json_object(line);
	struct mem_str row = mem_json_member(r, "line").raw, column = mem_json_member(r, "column").raw;
	struct mem_arena a = { 0 };
	struct mem_buf b = { 0 };
	mem_show(&b, mem_json_text(&a, mem_json_member(r, "path")), false);
	if (row.n > 0)
		mem_buf_printf(&b, ":%.*s:%.*s", (int)row.n, row.p, (int)column.n, column.p);
	mem_buf_puts(&b, ": ");
	mem_show(&b, mem_json_text(&a, mem_json_member(r, "excerpt")), false);
	mem_buf_putc(&b, '\n');
	mem_out_str(mem_buf_span(&b));
	mem_buf_release(&b);
	mem_arena_release(&a);
}

#endif
