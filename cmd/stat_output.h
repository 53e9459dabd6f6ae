/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-stat prints: a record, or for people lines and a table of the jobs. */
#ifndef MEM_STAT_OUTPUT_H
#define MEM_STAT_OUTPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "belief/consolidate.h"
#include "cli/cli.h"
#include "job_table.h"
#include "model/model.h"
#include "record/record.h"
#include "store/store.h"
#include "upkeep/upkeep.h"
#include "vectors/vectors.h"
#include "write/tidy.h"

struct store_stat {
	struct mem_count *counts;
	size_t ncounts;
	struct mem_index_stat index;
	uint64_t bytes, pending_vectors, seq, nodes;
	struct mem_vectors_pieces_info pieces;
	uint64_t pieces_limit;
	struct mem_consolidate_stat consolidation;
	int64_t now;
	char model[64];              /* who made the vectors; empty: there are none */
	uint64_t texts, unread;      /* that the caller sees; of them in scripts that the model does not read */
	bool knows_totals;  /* may the caller know numbers that count all agents' nodes? */
	struct mem_job_plan plan;
	struct mem_buf jobs;         /* a line for each of them */
};

static inline void
put_node_counts(struct mem_buf *b, const struct store_stat *a)
{
	mem_json_put_key(b, "nodes");
	mem_buf_putc(b, '{');
	for (size_t i = 0; i < a->ncounts; i++) {
		bool first = i == 0 || a->counts[i - 1].kind != a->counts[i].kind;
		bool last = i + 1 == a->ncounts || a->counts[i + 1].kind != a->counts[i].kind;
		if (first) {
			mem_json_put_key(b, mem_kind_name(a->counts[i].kind));
			mem_buf_putc(b, '{');
		}
		mem_json_put_int(b, a->counts[i].ns, (int64_t)a->counts[i].nodes);
		if (last)
			mem_buf_putc(b, '}');
	}
	mem_buf_putc(b, '}');
}

static inline void
put_total(struct mem_buf *b, const struct store_stat *a, const char *name, uint64_t n)
{
	if (a->knows_totals)
		mem_json_put_int(b, name, (int64_t)n);
	else
		mem_json_put_raw(b, name, MEM_STR("null"));
}

/* The lines as elements of an array. */
static inline void
put_jobs(struct mem_buf *b, const struct store_stat *a)
{
	mem_json_put_key(b, "jobs");
	mem_buf_putc(b, '[');
	for (size_t i = 0; i + 1 < a->jobs.len; i++)
		mem_buf_putc(b, a->jobs.data[i] == '\n' ? ',' : a->jobs.data[i]);
	mem_buf_putc(b, ']');
}

/* {"texts":N,"share":X,"model":"me5"}: of nodes whose texts the model does not read, and which one does. */
static inline void
put_unread_texts(struct mem_buf *b, const struct store_stat *a)
{
	mem_json_put_key(b, "unread");
	if (a->unread == 0) {
		mem_buf_puts(b, "null");
		return;
	}
	mem_buf_putc(b, '{');
	mem_json_put_int(b, "texts", (int64_t)a->unread);
	mem_json_put_num(b, "share", (double)a->unread / (double)a->texts);
	mem_json_put_field(b, "model", MEM_STR(MEM_MODEL_ALL_SCRIPTS));
	mem_buf_putc(b, '}');
}

static inline void
put_pieces(struct mem_buf *b, const struct store_stat *a)
{
	mem_json_put_key(b, "pieces");
	mem_buf_putc(b, '{');
	put_total(b, a, "bytes", a->pieces.bytes);
	mem_json_put_int(b, "limit", (int64_t)a->pieces_limit);
	put_total(b, a, "waiting", a->pieces.waiting);
	mem_json_put_raw(b, "full", mem_str(!a->knows_totals ? "null" : a->pieces.bytes >= a->pieces_limit ? "true" : "false"));
	mem_buf_putc(b, '}');
}

/* How long the oldest episode that waits has done so, in seconds; not below 0: the clock may have stepped back. */
static inline double
consolidation_age(const struct store_stat *a)
{
	const int64_t ms = a->now - a->consolidation.oldest;
	return ms > 0 ? (double)ms / 1000 : 0;
}

static inline void
put_consolidation(struct mem_buf *b, const struct store_stat *a)
{
	mem_json_put_key(b, "consolidation");
	mem_buf_putc(b, '{');
	mem_json_put_int(b, "pending", (int64_t)a->consolidation.pending);
	mem_json_put_int(b, "failed", (int64_t)a->consolidation.failed);
	if (a->consolidation.oldest != MEM_TIME_NONE)
		mem_json_put_num(b, "oldest_age", consolidation_age(a));
	else
		mem_json_put_raw(b, "oldest_age", MEM_STR("null"));
	mem_buf_putc(b, '}');
}

static inline void
print_stat_json(const struct store_stat *a)
{
	struct mem_buf b = { 0 };
	mem_buf_putc(&b, '{');
	put_node_counts(&b, a);
	put_total(&b, a, "bytes", a->bytes);
	mem_json_put_key(&b, "index");
	mem_buf_putc(&b, '{');
	put_total(&b, a, "segments", a->index.segments);
	put_total(&b, a, "tail", a->index.tail);
	put_total(&b, a, "bytes", a->index.bytes);
	mem_buf_putc(&b, '}');
	put_total(&b, a, "pending_vectors", a->pending_vectors);
	put_pieces(&b, a);
	put_consolidation(&b, a);
	a->model[0] != '\0' ? mem_json_put_field(&b, "model", mem_str(a->model)) : mem_json_put_raw(&b, "model", MEM_STR("null"));
	put_unread_texts(&b, a);
	mem_json_put_int(&b, "schema", MEM_SCHEMA);
	put_total(&b, a, "seq", a->seq);
	put_jobs(&b, a);
	mem_buf_putc(&b, '}');
	mem_out_line(mem_buf_span(&b));
	mem_buf_release(&b);
}

static inline void
print_jobs_text(const struct store_stat *a)
{
	static const struct mem_column columns[] = { JOB_RUNS, JOB_NEXT };
	struct mem_grid g = { 0 };
	const char *line = a->jobs.data;
	mem_out_str(MEM_STR("\n"));
	mem_grid_begin(&g, columns);
	for (size_t i = 0; i < a->plan.n; i++, line = strchr(line, '\n') + 1)
		add_job_row(&g, (struct mem_str){ line, strcspn(line, "\n") }, &a->plan.at[i], false, a->knows_totals);
	mem_grid_end(&g);
}

static inline void
add_figure_cell(struct mem_grid *g, struct mem_json v, int decimals)
{
	double d;
	char text[32] = "-";
	if (mem_json_num(v, &d))
		snprintf(text, sizeof text, "%.*f", decimals, d);
	mem_grid_cell(g, mem_str(text));
}

/* The record of the query log as a table. */
static inline void
print_queries_text(struct mem_str record)
{
	static const struct mem_column columns[] = { { .name = "MODE" }, { .name = "CLASS" }, { .name = "QUERIES", .right = true },
		{ .name = "MS", .right = true }, { .name = "SCORE", .right = true }, { .name = "EMPTY", .right = true },
		{ .name = "REJECTED", .right = true, .leave_out = 2 }, { .name = "FAILED", .right = true, .leave_out = 1 }, { 0 } };
	struct mem_rec r = { 0 };
	struct mem_arena a = { 0 };
	struct mem_grid g = { 0 };
	if (mem_rec_scan(&r, record, NULL) != MEM_OK)
		return;
	mem_grid_begin(&g, columns);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&r, "by")); mem_json_next(&it);) {
		struct mem_str mode = mem_json_text(&a, mem_json_member(it.value, "mode")), class = mem_json_text(&a, mem_json_member(it.value, "class"));
		mem_grid_cell(&g, mode.n > 0 ? mode : MEM_STR("-"));
		mem_grid_cell(&g, class.n > 0 ? class : MEM_STR("-"));
		add_figure_cell(&g, mem_json_member(it.value, "count"), 0);
		add_figure_cell(&g, mem_json_member(it.value, "ms"), 2);
		add_figure_cell(&g, mem_json_member(it.value, "avg_score"), 3);
		add_figure_cell(&g, mem_json_member(it.value, "empty"), 3);
		add_figure_cell(&g, mem_json_member(it.value, "rejected"), 3);
		add_figure_cell(&g, mem_json_member(it.value, "failed"), 3);
	}
	mem_grid_end(&g);
	mem_arena_release(&a);
	mem_rec_release(&r);
}

static inline void
print_totals_text(const struct store_stat *a)
{
	mem_out_printf("bytes     %8llu\n", (unsigned long long)a->bytes);
	mem_out_printf("index     %8llu bytes\n", (unsigned long long)a->index.bytes);
	mem_out_printf("segments  %8llu, and %llu documents in none\n", (unsigned long long)a->index.segments, (unsigned long long)a->index.tail);
	mem_out_printf("changes   %8llu\n", (unsigned long long)a->seq);
	mem_out_printf("pending   %8llu nodes wait for vectors\n", (unsigned long long)a->pending_vectors);
	mem_out_printf("pieces    %8llu bytes of codes, %llu nodes wait for them\n%s", (unsigned long long)a->pieces.bytes, (unsigned long long)a->pieces.waiting,
	    a->pieces.bytes >= a->pieces_limit ? "          search.pieces_bytes allows no more\n" : "");
}

static inline void
print_stat_text(const struct store_stat *a, const struct mem_store *s)
{
	struct mem_buf path = { 0 };
	mem_show(&path, mem_str(mem_store_path(s)), false);
	mem_out_printf("store     %s, schema %d\n", path.data, MEM_SCHEMA);
	mem_buf_release(&path);
	for (size_t i = 0; i < a->ncounts; i++)
		mem_out_printf("%-9s %8llu  %s\n", mem_kind_name(a->counts[i].kind),
		    (unsigned long long)a->counts[i].nodes, a->counts[i].ns);
	if (a->model[0] != '\0')
		mem_out_printf("vectors   by %s\n", a->model);
	if (a->unread > 0)
		mem_out_printf("unread    %8llu of %llu texts, by %s: other scripts\n%19s%s reads them\n", (unsigned long long)a->unread,
		    (unsigned long long)a->texts, a->model, "", MEM_MODEL_ALL_SCRIPTS);
	mem_out_printf("waiting   %8llu episodes for consolidation\n", (unsigned long long)a->consolidation.pending);
	if (a->consolidation.failed > 0)
		mem_out_printf("failed    %8llu episodes could not be consolidated\n", (unsigned long long)a->consolidation.failed);
	if (a->knows_totals)
		print_totals_text(a);
	print_jobs_text(a);
}

#endif
