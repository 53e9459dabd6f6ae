/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-learn lists: records, or for people a table. */
#ifndef MEM_LEARN_OUTPUT_H
#define MEM_LEARN_OUTPUT_H

#include "belief/learn.h"
#include "cli/cli.h"
#include "listed_nodes.h"
#include "query/query.h"

/* Which learnings are listed: places in the lists of categories and states, -1: all; and those that were archived. */
struct learn_wanted {
	int category, state;
	bool archived;
};

static const struct mem_column learn_columns[] = {
	{ .name = "ID" }, { .name = "CATEGORY", .leave_out = 3 }, { .name = "STATE", .leave_out = 2 }, { .name = "NS", .min = 8, .leave_out = 1 },
	{ .name = "VALUE", .right = true }, { .name = "TEXT", .min = 12, .want = 40 }, { 0 }
};

static inline void
add_learning_row(struct mem_grid *g, struct mem_txn *t, const struct mem_rec *rec, double value)
{
	static const char *const names[] = { "category", "state", "ns" };
	put_id_cell(g, t, mem_json_text(&g->arena, mem_rec_value(rec, "id")));
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		mem_grid_cell(g, mem_json_text(&g->arena, mem_rec_value(rec, names[i])));
	mem_grid_cell(g, mem_str(mem_arena_printf(&g->arena, "%.2f", value)));
	mem_grid_cell(g, mem_json_text(&g->arena, mem_rec_value(rec, "content")));
}

/* The record with what it is worth now behind it. */
static inline void
print_learning(const struct mem_rec *rec, double value)
{
	struct mem_buf line = { 0 }, number = { 0 };
	mem_json_put_number(&number, value);
	const struct mem_edit edit = { "effective_importance", mem_buf_span(&number) };
	mem_rec_edit(&line, rec, &edit, 1);
	mem_out_line(mem_buf_span(&line));
	mem_buf_release(&line);
	mem_buf_release(&number);
}

static inline bool
is_state_listed(const struct learn_wanted *w, const struct mem_rec *rec)
{
	return (w->category < 0 || mem_json_is(mem_rec_value(rec, "category"), mem_learn_categories[w->category])) &&
	    (w->state < 0 || mem_json_is(mem_rec_value(rec, "state"), mem_learn_states[w->state]));
}

/* Prints those of some lines that are wanted; returns how many. */
static inline uint64_t
print_learnings(const struct learn_wanted *w, struct mem_store *s, struct mem_str lines, struct mem_grid *g, uint64_t left)
{
	struct mem_txn *t = g->columns != NULL ? begin_id_cells(s) : NULL;
	struct mem_rec rec = { 0 };
	struct mem_learn_value v;
	uint64_t n = 0;
	while (lines.n > 0 && n < left) {
		if (mem_rec_scan(&rec, cut_first_line(&lines), NULL) != MEM_OK || !is_state_listed(w, &rec))
			continue;
		mem_learn_value_read(&v, &rec, mem_store_now(s));
		if (g->columns != NULL)
			add_learning_row(g, t, &rec, v.effective);
		else
			print_learning(&rec, v.effective);
		n++;
	}
	end_id_cells(s, t);
	mem_grid_flush(g);
	mem_rec_release(&rec);
	return n;
}

static inline enum mem_status
list_learnings(const struct mem_common *c, const struct learn_wanted *w, const struct mem_store_options *ask)
{
	struct mem_store *s = NULL;
	struct mem_filter f;
	struct mem_listing *l = NULL;
	struct mem_buf lines = { 0 };
	struct mem_grid grid = { 0 };
	struct mem_err err;
	uint64_t left = c->limit > 0 ? (uint64_t)c->limit : UINT64_MAX;
	const struct mem_filter_options wanted = { .ns = c->ns, .since = c->since, .until = c->until, .live = !w->archived };
	if (mem_store_open(&s, ask, &err) != MEM_OK || mem_filter_read(&f, &wanted, &err) != MEM_OK)
		mem_die_err(&err);
	f.kinds = mem_kind_set_of(MEM_KIND_LEARNING);
	if (mem_text_wanted(c->format))
		mem_grid_begin(&grid, learn_columns);
	enum mem_status st = mem_listing_open(&l, s, &f, NULL, &err);
	while (st == MEM_OK && left > 0 && mem_out_ok()) {
		size_t n;
		mem_buf_reset(&lines);
		st = mem_listing_next(l, SIZE_MAX, &lines, &n, &err);
		mem_store_pause(s); /* a slow reader must not hold up a compaction */
		left -= print_learnings(w, s, mem_buf_span(&lines), &grid, left);
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_grid_end(&grid);
	mem_listing_free(l);
	mem_buf_release(&lines);
	mem_filter_release(&f);
	mem_store_close(s);
	return MEM_OK;
}

#endif
