/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-log prints: records, or for people a table. */
#ifndef MEM_LOG_OUTPUT_H
#define MEM_LOG_OUTPUT_H

#include <stdio.h>

#include "cli/cli.h"
#include "nodes.h"
#include "store/log.h"
#include "store/node.h"

static inline void
begin_log_table(struct mem_grid *g)
{
	static const struct mem_column columns[] = {
		{ .name = "SEQ", .right = true, .leave_out = 4 }, { .name = "WHEN", .leave_out = 3 }, { .name = "OP", .min = 4 }, { .name = "ID" },
		{ .name = "KIND", .min = 4, .leave_out = 2 }, { .name = "NS", .min = 8, .leave_out = 1 }, { 0 }
	};
	mem_grid_begin(g, columns);
}

static inline void
add_log_row(struct mem_grid *g, struct mem_txn *t, const struct mem_log_row *r, const char *ns)
{
	char seq[24], id[MEM_ID_LEN + 1];
	snprintf(seq, sizeof seq, "%llu", (unsigned long long)r->seq);
	mem_id_format(&r->id, id);
	mem_grid_cell(g, mem_str(seq));
	mem_grid_time(g, r->at);
	mem_grid_cell(g, mem_str(r->op));
	put_id_cell(g, t, mem_str(id));
	mem_grid_cell(g, mem_str(mem_kind_name(r->kind)));
	mem_grid_cell(g, mem_str(ns));
}

/* A row of a table that has begun, or a line more. */
static inline void
put_log_row(struct mem_grid *g, struct mem_buf *lines, struct mem_txn *t, const struct mem_log_row *r, const char *ns)
{
	if (g->columns != NULL) {
		add_log_row(g, t, r, ns);
		return;
	}
	mem_log_row_json(lines, r, ns);
	mem_buf_putc(lines, '\n');
}

#endif
