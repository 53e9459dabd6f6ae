/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-review prints: records, or for people a table, and what became of the reviews. */
#ifndef MEM_REVIEW_OUTPUT_H
#define MEM_REVIEW_OUTPUT_H

#include "cli/cli.h"
#include "nodes.h"
#include "store/store.h"
#include "upkeep/upkeep.h"

static inline void
begin_review_table(struct mem_grid *g)
{
	static const struct mem_column columns[] = {
		{ .name = "ID" }, { .name = "STATE", .min = 4 }, { .name = "ASKS", .min = 4 }, { .name = "NS", .min = 8, .leave_out = 1 },
		{ .name = "ASKED BY", .min = 4, .leave_out = 2 }, { .name = "WHEN", .leave_out = 3 }, { .name = "REASON", .min = 16 }, { 0 }
	};
	mem_grid_begin(g, columns);
}

static inline void
add_review_row(struct mem_grid *g, struct mem_txn *t, struct mem_str line)
{
	static const char *const fields[] = { "id", "state", "asks", "ns", "asked_by", "created_at", "reason" };
	enum { WHEN = 5 };
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	bool reads = mem_rec_scan(&rec, line, NULL) == MEM_OK;
	for (size_t i = 0; reads && i < MEM_COUNT(fields); i++) {
		struct mem_str s = mem_json_text(&arena, mem_rec_value(&rec, fields[i]));
		s = s.p != NULL ? s : MEM_STR("-");
		if (i == 0)
			put_id_cell(g, t, s);
		else
			(i == WHEN ? mem_grid_time_text : mem_grid_cell)(g, s);
	}
	mem_arena_release(&arena);
	mem_rec_release(&rec);
}

/* As records, or for people what fits on a line. */
static inline void
print_review_lines(struct mem_store *s, struct mem_str lines, struct mem_grid *g)
{
	struct mem_txn *t = g->columns != NULL ? begin_id_cells(s) : NULL;
	while (lines.n > 0)
		if (g->columns != NULL)
			add_review_row(g, t, cut_first_line(&lines));
		else
			mem_out_line(cut_first_line(&lines));
	end_id_cells(s, t);
	mem_grid_flush(g);
}

/* A receipt has a word; a person at a terminal is told more. */
static inline bool
emit_receipts(void *receipts, struct mem_str lines)
{
	bool taken = mem_receipts_print(receipts, lines);
	struct mem_buf words = { 0 };
	for (; lines.n > 0; mem_buf_reset(&words))
		if (mem_review_explain(&words, cut_first_line(&lines)))
			mem_notice("%s", words.data);
	mem_buf_release(&words);
	return taken;
}

#endif
