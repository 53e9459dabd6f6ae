/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-search prints: hits as records, or for people a table; and what is to say about a query. */
#ifndef MEM_SEARCH_OUTPUT_H
#define MEM_SEARCH_OUTPUT_H

#include <math.h>

#include "cli/cli.h"
#include "nodes.h"
#include "query/query.h"

/* Once: that no model is there is worth a word to a person; that one is broken is worth one to all. */
static inline void
warn_of_fallback(const struct mem_hits *hits)
{
	static bool warned;
	const char *why;
	enum mem_status st = mem_hits_fallback(hits, &why);
	if (st != MEM_OK && !warned)
		(st == MEM_ABSENT ? mem_notice : mem_warn)("searched by words alone: %s", why);
	warned |= st != MEM_OK;
}

/* Of the one query of the command line, whose writer reads this. */
static inline void
tell_search_notes(const struct mem_hits *hits)
{
	const struct mem_search_notes *notes = mem_hits_notes(hits);
	struct mem_str name = notes->unknown_field;
	struct mem_buf names = { 0 };
	for (int f = 0; f < MEM_FILTER_QUERY_FIELDS; f++)
		mem_buf_printf(&names, "%s%s", f > 0 ? ", " : "", mem_filter_field_name((enum mem_filter_field)f));
	if (name.n > 0)
		mem_warn("'%.*s' is no field and is searched as a word; fields are %s", (int)name.n, name.p, names.data);
	if (notes->filters_alone)
		mem_notice("only filters: mem-list prints what they leave");
	if (notes->unembedded > 0)
		mem_notice("%llu of the records searched wait%s for vectors: mem-maintain makes them",
		    (unsigned long long)notes->unembedded, notes->unembedded == 1 ? "s" : "");
	mem_buf_release(&names);
}

static inline void
warn_of_cuts(const struct mem_hits *hits, const char *label)
{
	if (mem_hits_words_cut(hits) > 0)
		mem_warn("%stoo many words: kept the %d rarest, left out %zu", label, MEM_QUERY_WORDS_MAX, mem_hits_words_cut(hits));
	if (mem_hits_notes(hits)->query_cut)
		mem_warn("%sthe query is longer than the model reads: its end was left out of the search by meaning", label);
}

static inline void
begin_hit_table(struct mem_grid *g)
{
	static const struct mem_column columns[] = {
		{ .name = "RANK", .leave_out = 2 }, { .name = "SCORE", .right = true, .leave_out = 3 },
		{ .name = "WHEN", .leave_out = 5 }, { .name = "WHO", .min = 5, .leave_out = 4 }, { .name = "ID", .leave_out = 1 }, { .name = "WHAT", .min = 20, .want = 40 }, { 0 }
	};
	mem_grid_begin(g, columns);
}

static inline void
add_hit_row(struct mem_grid *g, struct mem_store *s, struct mem_hits *hits, struct mem_arena *arena, struct mem_str hit)
{
	struct mem_hit_row row;
	mem_hit_row_read(&row, hits, arena, hit);
	mem_grid_cell(g, mem_str(mem_arena_printf(arena, "%lld", (long long)row.rank)));
	mem_grid_cell(g, isnan(row.score) ? MEM_STR("-") : mem_str(mem_arena_printf(arena, "%.2f", row.score)));
	mem_grid_time_text(g, row.when);
	mem_grid_cell(g, row.who);
	struct mem_txn *t = begin_id_cells(s);
	put_id_cell(g, t, row.id);
	mem_txn_end(t);
	mem_grid_cell_at(g, row.text, row.focus);
}

/* As a table or as records.  label begins a message: "line 3: " of one of many queries.  Frees the hits. */
static inline void
print_hits(struct mem_hits *hits, struct mem_store *s, bool text, const char *label)
{
	struct mem_grid grid = { 0 };
	struct mem_arena arena = { 0 };
	struct mem_str hit;
	struct mem_err err;
	enum mem_status st;
	warn_of_fallback(hits);
	warn_of_cuts(hits, label);
	if (text)
		begin_hit_table(&grid);
	while ((st = mem_hits_next(hits, &hit, &err)) == MEM_OK && mem_out_ok()) {
		if (text)
			add_hit_row(&grid, s, hits, &arena, hit);
		else
			mem_out_line(hit);
		mem_arena_reset(&arena);
	}
	mem_arena_release(&arena);
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_grid_end(&grid);
	mem_hits_free(hits);
}

#endif
