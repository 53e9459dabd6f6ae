/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that list nodes: records, or for people a table. */
#ifndef MEM_LISTED_NODES_H
#define MEM_LISTED_NODES_H

#include "cli/cli.h"
#include "graph/mentions.h"
#include "nodes.h"
#include "query/query.h"
#include "store/store.h"

/* A table of nodes: the fields (NULL-terminated) of which a column shows the first that is a number or a string. */
struct node_table {
	const struct mem_column *columns;
	const char *const *const *fields; /* one list for each column; the first is the id */
	size_t time;                      /* the column that holds a time; 0: none does */
};

/* The first of these fields that is a number, or a string with something in it. */
static inline struct mem_str
find_node_text(const struct mem_rec *r, struct mem_arena *a, const char *const *names)
{
	for (; *names != NULL; names++) {
		struct mem_json v = mem_rec_value(r, *names);
		struct mem_str s = v.type == MEM_JSON_NUMBER ? v.raw : mem_json_text(a, v);
		if (s.n > 0)
			return s;
	}
	return MEM_STR("-");
}

static inline void
add_listed_node(struct mem_grid *g, const struct node_table *table, struct mem_txn *t, struct mem_str line)
{
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	bool reads = mem_rec_scan(&rec, line, NULL) == MEM_OK;
	for (size_t i = 0; reads && table->columns[i].name != NULL; i++) {
		struct mem_str text = find_node_text(&rec, &arena, table->fields[i]);
		if (i == 0)
			put_id_cell(g, t, text);
		else
			(i == table->time ? mem_grid_time_text : mem_grid_cell)(g, text);
	}
	mem_arena_release(&arena);
	mem_rec_release(&rec);
}

/* Lines of pages with how often they are linked to; false: there are none. */
static inline bool
count_listed_mentions(struct mem_buf *out, struct mem_store *s, struct mem_str lines)
{
	struct mem_err err;
	if (memmem(lines.p, lines.n, "\"kind\":\"page\"", 13) == NULL)
		return false;
	if (mem_mentions_put(out, s, lines, &err) != MEM_OK)
		mem_die_err(&err);
	return true;
}

/* Lines that are ready to be seen: as records, or for people what fits on a line. */
static inline void
print_node_lines(struct mem_store *s, struct mem_str lines, struct mem_grid *g, const struct node_table *table)
{
	struct mem_txn *t = g->columns != NULL ? begin_id_cells(s) : NULL;
	if (t == NULL)
		mem_store_pause(s); /* a slow reader must not hold up a compaction */
	while (lines.n > 0)
		if (g->columns != NULL)
			add_listed_node(g, table, t, cut_first_line(&lines));
		else
			mem_out_line(cut_first_line(&lines));
	end_id_cells(s, t);
	mem_grid_flush(g);
}

static inline void
print_listed_nodes(struct mem_store *s, struct mem_str lines, struct mem_grid *g, const struct node_table *table)
{
	struct mem_buf counted = { 0 };
	if (g->columns == NULL && count_listed_mentions(&counted, s, lines))
		lines = mem_buf_span(&counted);
	print_node_lines(s, lines, g, table);
	mem_buf_release(&counted);
}

/* Prints what a filter leaves, as far as limit and last of *c say.  MEM_NOTFOUND: `after` is no node. */
static inline enum mem_status
print_listing(struct mem_store *s, const struct mem_filter *f, const struct mem_id *after, const struct mem_common *c,
    const struct node_table *table, struct mem_err *err)
{
	struct mem_listing *l = NULL;
	struct mem_buf lines = { 0 };
	uint64_t left = c->limit > 0 ? (uint64_t)c->limit : UINT64_MAX;
	if (c->last > 0 && (uint64_t)c->last < left)
		left = (uint64_t)c->last; /* what is committed meanwhile is not of them */
	struct mem_grid grid = { 0 };
	if (mem_text_wanted(c->format))
		mem_grid_begin(&grid, table->columns);
	enum mem_status st = mem_listing_open(&l, s, f, after, err);
	if (st == MEM_NOTFOUND)
		return mem_err_set(err, MEM_NOTFOUND, "--after: no such node");
	if (st == MEM_OK && c->last > 0)
		st = mem_listing_skip_to_last(l, (uint64_t)c->last, err);
	while (st == MEM_OK && left > 0 && mem_out_ok()) {
		size_t n;
		mem_buf_reset(&lines);
		st = mem_listing_next(l, left < SIZE_MAX ? (size_t)left : SIZE_MAX, &lines, &n, err);
		left -= n;
		if (n == 0)
			continue;
		print_listed_nodes(s, mem_buf_span(&lines), &grid, table);
	}
	mem_grid_end(&grid);
	mem_listing_free(l);
	mem_buf_release(&lines);
	return st == MEM_END ? MEM_OK : st;
}

/* The same of a store that is opened for it; `after` NULL: from its first node on.  What fails ends the process. */
static inline void
list_store_nodes(const struct mem_store_options *ask, const struct mem_filter *f, const char *after, const struct mem_common *c,
    const struct node_table *table)
{
	struct mem_store *s = NULL;
	struct mem_id id;
	struct mem_err err;
	if (mem_store_open(&s, ask, &err) != MEM_OK)
		mem_die_err(&err);
	if (after != NULL && mem_id_find(s, mem_str(after), &id, &err) != MEM_OK)
		mem_die(err.status, "--after: %s", err.msg);
	if (print_listing(s, f, after != NULL ? &id : NULL, c, table, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_close(s);
}

#endif
