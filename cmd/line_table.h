/* SPDX-License-Identifier: Apache-2.0 */
/* Records as a table for people, a column for each of some members. */
#ifndef MEM_CMD_LINE_TABLE_H
#define MEM_CMD_LINE_TABLE_H

#include "cli/cli.h"
#include "record/record.h"

/* Lines of JSON objects; `members`: as many as there are columns.  What is null or not there is "-". */
static inline void
print_line_table(struct mem_str lines, const struct mem_column *columns, const char *const *members)
{
	struct mem_grid grid = { 0 };
	struct mem_arena a = { 0 };
	mem_grid_begin(&grid, columns);
	for (const char *p = lines.p, *end = lines.p + lines.n, *nl; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		struct mem_json line = mem_json_object((struct mem_str){ p, (size_t)(nl - p) });
		for (size_t i = 0; columns[i].name != NULL; i++) {
			struct mem_json v = mem_json_member(line, members[i]);
			mem_grid_cell(&grid, !mem_json_there(v) ? MEM_STR("-") : v.type == MEM_JSON_STRING ? mem_json_text(&a, v) : v.raw);
		}
	}
	mem_grid_end(&grid);
	mem_arena_release(&a);
}

#endif
