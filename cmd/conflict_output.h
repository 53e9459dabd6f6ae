/* SPDX-License-Identifier: Apache-2.0 */
/* Conflicts of skills as a table for people. */
#ifndef MEM_CONFLICT_OUTPUT_H
#define MEM_CONFLICT_OUTPUT_H

#include <math.h>

#include "cli/cli.h"
#include "nodes.h"
#include "skill/conflict.h"

static inline void
add_conflict_number(struct mem_grid *g, double v)
{
	struct mem_buf b = { 0 };
	if (isnan(v))
		mem_buf_putc(&b, '-');
	else
		mem_buf_printf(&b, "%.2f", v);
	mem_grid_cell(g, mem_buf_span(&b));
	mem_buf_release(&b);
}

/* The skills: the loser, then the winner; of a skill that is not there its name and that it is missing. */
static inline void
add_conflict_names(struct mem_grid *g, struct mem_str line)
{
	struct mem_arena a = { 0 };
	struct mem_buf names = { 0 };
	struct mem_json conflict = mem_json_object(line);
	struct mem_str missing = mem_json_text(&a, mem_json_member(conflict, "missing"));
	for (struct mem_json_iter it = mem_json_each(mem_json_member(conflict, "names")); mem_json_next(&it);) {
		struct mem_str name = mem_json_text(&a, it.value);
		mem_buf_puts(&names, names.len > 0 ? ", " : "");
		mem_buf_str(&names, name.p != NULL ? name : MEM_STR("-"));
	}
	if (missing.n > 0)
		mem_buf_printf(&names, "%s%.*s (missing)", names.len > 0 ? ", " : "", (int)missing.n, missing.p);
	mem_grid_cell(g, mem_buf_span(&names));
	mem_buf_release(&names);
	mem_arena_release(&a);
}

static inline void
print_conflict_table(struct mem_store *s, const struct mem_conflict_list *l, size_t n)
{
	static const struct mem_column columns[] = {
		{ .name = "ID" }, { .name = "TYPE", .min = 8 }, { .name = "SEVERITY", .leave_out = 1 }, { .name = "STATE", .leave_out = 2 },
		{ .name = "PRIORITY" }, { .name = "SIMILARITY", .leave_out = 3 }, { .name = "SKILLS", .min = 16 }, { 0 }
	};
	struct mem_grid grid = { 0 };
	mem_grid_begin(&grid, columns);
	struct mem_txn *t = begin_id_cells(s);
	for (size_t i = 0; i < n; i++) {
		const struct mem_conflict *c = &l->v[i].conflict;
		char id[MEM_ID_LEN + 1];
		mem_id_format(&c->id, id);
		put_id_cell(&grid, t, mem_str(id));
		mem_grid_cell(&grid, mem_str(mem_conflict_types[c->type]));
		mem_grid_cell(&grid, mem_str(mem_severities[mem_conflict_severity(c->type)]));
		mem_grid_cell(&grid, mem_str(mem_conflict_states[c->state]));
		add_conflict_number(&grid, l->v[i].priority);
		add_conflict_number(&grid, c->similarity);
		add_conflict_names(&grid, l->v[i].line);
	}
	end_id_cells(s, t);
	mem_grid_flush(&grid);
	mem_grid_end(&grid);
}

#endif
