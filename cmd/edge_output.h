/* SPDX-License-Identifier: Apache-2.0 */
/* Edges as a command prints them: records, or for people a table with the names of their ends. */
#ifndef MEM_EDGE_OUTPUT_H
#define MEM_EDGE_OUTPUT_H

#include "cli/cli.h"
#include "nodes.h"
#include "store/store.h"

static inline void
begin_edge_table(struct mem_grid *g)
{
	static const struct mem_column columns[] = {
		{ .name = "KIND", .min = 6 }, { .name = "WEIGHT", .right = true }, { .name = "FROM" }, { .name = "NAME", .min = 10, .leave_out = 1 },
		{ .name = "WAY", .leave_out = 2 }, { .name = "TO" }, { .name = "NAME", .min = 10, .want = 20 }, { 0 }
	};
	mem_grid_begin(g, columns);
}

/* What people know a node by. */
static inline struct mem_str
find_end_name(struct mem_txn *t, struct mem_arena *a, struct mem_str id_text)
{
	static const char *const names[] = { "name", "title", "content", "statement", "description", "ref" };
	struct mem_id id;
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_str found = { NULL, 0 };
	bool reads = mem_id_parse(id_text, &id) && mem_node_by_id(t, &id, &node, NULL) == MEM_OK && mem_rec_scan(&rec, node.json, NULL) == MEM_OK;
	for (size_t i = 0; reads && i < MEM_COUNT(names) && found.n == 0; i++)
		found = mem_json_text(a, mem_rec_value(&rec, names[i]));
	mem_rec_release(&rec);
	return found.n > 0 ? found : MEM_STR("-");
}

static inline void
add_edge_row(struct mem_grid *g, struct mem_txn *t, struct mem_str line)
{
	struct mem_rec rec = { 0 };
	struct mem_arena a = { 0 };
	if (mem_rec_scan(&rec, line, NULL) == MEM_OK) {
		struct mem_str from = mem_json_text(&a, mem_rec_value(&rec, "from")), to = mem_json_text(&a, mem_rec_value(&rec, "to"));
		struct mem_json weight = mem_rec_value(&rec, "weight");
		mem_grid_cell(g, mem_json_text(&a, mem_rec_value(&rec, "edge")));
		mem_grid_cell(g, weight.type == MEM_JSON_NUMBER ? weight.raw : MEM_STR("1"));
		put_id_cell(g, t, from);
		mem_grid_cell(g, find_end_name(t, &a, from));
		mem_grid_cell(g, mem_rec_value(&rec, "bidirectional").type == MEM_JSON_TRUE ? MEM_STR("<->") : MEM_STR("->"));
		put_id_cell(g, t, to);
		mem_grid_cell(g, find_end_name(t, &a, to));
	}
	mem_arena_release(&a);
	mem_rec_release(&rec);
}

static inline void
print_edge_lines(struct mem_store *s, struct mem_str lines, struct mem_grid *g)
{
	struct mem_txn *t = g->columns != NULL ? begin_id_cells(s) : NULL;
	while (lines.n > 0)
		if (g->columns != NULL)
			add_edge_row(g, t, cut_first_line(&lines));
		else
			mem_out_line(cut_first_line(&lines));
	end_id_cells(s, t);
	mem_grid_flush(g);
}

#endif
