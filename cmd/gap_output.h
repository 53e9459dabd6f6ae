/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps as a table for people. */
#ifndef MEM_GAP_OUTPUT_H
#define MEM_GAP_OUTPUT_H

#include <stdio.h>

#include "cli/cli.h"
#include "skill/gaps.h"

static inline void
add_gap_count(struct mem_buf *b, const struct mem_gap *g, enum mem_kind kind, const char *word, const char *words)
{
	long long n = 0;
	for (size_t i = 0; i < g->n; i++)
		n += g->members[i].kind == kind ? g->members[i].times : 0;
	if (n > 0)
		mem_buf_printf(b, "%s%lld %s", b->len > 0 ? ", " : "", n, n == 1 ? word : words);
}

/* "3 queries, 1 failure" */
static inline void
add_gap_sources(struct mem_grid *grid, const struct mem_gap *g)
{
	struct mem_buf b = { 0 };
	add_gap_count(&b, g, MEM_KIND_QUERY, "query", "queries");
	add_gap_count(&b, g, MEM_KIND_BAD_PATTERN, "failure", "failures");
	add_gap_count(&b, g, MEM_KIND_LEARNING, "learning", "learnings");
	mem_grid_cell(grid, mem_buf_span(&b));
	mem_buf_release(&b);
}

static inline void
print_gap_table(const struct mem_gaps *gaps, size_t n)
{
	const struct mem_column columns[] = {
		{ .name = "COUNT", .right = true }, { .name = "FROM", .min = 10, .leave_out = 1 }, { .name = "BEST SKILL", .min = 8 },
		{ .name = gaps->by_words ? "LIKENESS" : "SIMILARITY", .leave_out = 2, .right = true }, { .name = "TOPIC", .min = 20, .want = 30 }, { 0 }
	};
	struct mem_grid grid = { 0 };
	mem_grid_begin(&grid, columns);
	for (size_t i = 0; i < n; i++) {
		const struct mem_gap *g = &gaps->v[i];
		char count[32], near[32] = "-";
		snprintf(count, sizeof count, "%lld", (long long)g->count);
		if (g->has_skill)
			snprintf(near, sizeof near, "%.2f", g->skill_near);
		mem_grid_cell(&grid, mem_str(count));
		add_gap_sources(&grid, g);
		mem_grid_cell(&grid, g->has_skill ? g->skill_name : MEM_STR("-"));
		mem_grid_cell(&grid, mem_str(near));
		mem_grid_cell(&grid, g->topic);
	}
	mem_grid_flush(&grid);
	mem_grid_end(&grid);
}

#endif
