/* SPDX-License-Identifier: Apache-2.0 */
/* What kg-merge prints of entities that may be one: records, or for people a table. */
#ifndef MEM_MERGE_OUTPUT_H
#define MEM_MERGE_OUTPUT_H

#include "belief/suggest.h"
#include "cli/cli.h"
#include "nodes.h"

static inline void
add_evidence_cell(struct mem_grid *g, double v)
{
	struct mem_buf b = { 0 };
	if (v >= 0)
		mem_buf_printf(&b, "%.2f", v);
	else /* not known */
		mem_buf_putc(&b, '-');
	mem_grid_cell(g, mem_buf_span(&b));
	mem_buf_release(&b);
}

static inline void
add_suggestion_row(struct mem_grid *g, struct mem_txn *t, const struct mem_suggestion *s)
{
	const struct mem_suggested_end *ends[] = { &s->keep, &s->other };
	const double evidence[] = { s->score, s->name, s->alias, s->vector, s->neighbour };
	for (size_t i = 0; i < 2; i++) {
		char id[MEM_ID_LEN + 1];
		mem_id_format(&ends[i]->id, id);
		put_id_cell(g, t, mem_str(id));
		mem_grid_cell(g, ends[i]->name);
	}
	mem_grid_cell(g, s->keep.type.n > 0 ? s->keep.type : MEM_STR("-"));
	for (size_t i = 0; i < MEM_COUNT(evidence); i++)
		add_evidence_cell(g, evidence[i]);
}

static inline void
print_suggestion_table(struct mem_store *s, const struct mem_suggestions *l)
{
	static const struct mem_column columns[] = {
		{ .name = "KEEP" }, { .name = "NAME", .min = 8 }, { .name = "OTHER" }, { .name = "NAME", .min = 8 }, { .name = "TYPE", .leave_out = 2 },
		{ .name = "SCORE", .min = 5 }, { .name = "WORDS", .min = 5, .leave_out = 1 }, { .name = "ALIAS", .min = 5, .leave_out = 1 },
		{ .name = "VECTOR", .min = 6, .leave_out = 1 }, { .name = "NEIGHBOUR", .min = 9, .leave_out = 1 }, { 0 }
	};
	struct mem_grid grid = { 0 };
	mem_grid_begin(&grid, columns);
	struct mem_txn *t = begin_id_cells(s);
	for (size_t i = 0; i < l->n; i++)
		add_suggestion_row(&grid, t, &l->v[i]);
	end_id_cells(s, t);
	mem_grid_flush(&grid);
	mem_grid_end(&grid);
}

static inline void
print_suggestion_lines(const struct mem_suggestions *l)
{
	struct mem_buf line = { 0 };
	for (size_t i = 0; i < l->n && mem_out_ok(); i++) {
		mem_buf_reset(&line);
		mem_suggestion_put(&line, &l->v[i]);
		mem_out_line(mem_buf_span(&line));
	}
	mem_buf_release(&line);
}

#endif
