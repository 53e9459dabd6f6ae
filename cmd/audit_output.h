/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-audit prints: records, or for people a table. */
#ifndef MEM_AUDIT_OUTPUT_H
#define MEM_AUDIT_OUTPUT_H

#include "cli/cli.h"
#include "nodes.h"
#include "store/log.h"

static inline bool
has_word(const struct mem_words *w, struct mem_str s)
{
	for (size_t i = 0; i < w->n; i++)
		if (mem_str_is(s, w->v[i]))
			return true;
	return w->n == 0;
}

static inline void
begin_audit_table(struct mem_grid *g)
{
	static const struct mem_column columns[] = {
		{ .name = "WHEN", .leave_out = 3 }, { .name = "KIND", .min = 6 }, { .name = "SUBJECT" }, { .name = "NS", .min = 8, .leave_out = 1 },
		{ .name = "ACTOR", .min = 4, .leave_out = 2 }, { .name = "REASON", .min = 10 }, { 0 }
	};
	mem_grid_begin(g, columns);
}

static inline void
print_audit_json(const struct mem_audit_row *r)
{
	struct mem_buf b = { 0 };
	mem_audit_row_json(&b, r);
	mem_out_line(mem_buf_span(&b));
	mem_buf_release(&b);
}

static inline void
add_audit_cells(struct mem_grid *g, struct mem_txn *t, const struct mem_audit_row *r)
{
	char id[MEM_ID_LEN + 1] = "-";
	if (mem_audit_has_subject(r))
		mem_id_format(&r->subject, id);
	mem_grid_time(g, r->at);
	mem_grid_cell(g, r->kind);
	put_id_cell(g, t, mem_str(id));
	mem_grid_cell(g, r->ns);
	mem_grid_cell(g, r->actor);
	mem_grid_cell(g, r->reason.n > 0 ? r->reason : r->detail);
}

/* A row of a table that has begun, or a record. */
static inline void
print_audit_row(struct mem_grid *g, struct mem_txn *t, const struct mem_audit_row *r)
{
	if (g->columns != NULL)
		add_audit_cells(g, t, r);
	else
		print_audit_json(r);
}

#endif
