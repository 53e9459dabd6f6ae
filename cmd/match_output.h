/* SPDX-License-Identifier: Apache-2.0 */
/* How matches of a pattern are printed: a record of the named nodes, or for people a row with a column for each. */
#ifndef MEM_MATCH_OUTPUT_H
#define MEM_MATCH_OUTPUT_H

#include <ctype.h>

#include "cli/cli.h"
#include "graph/graph_pattern.h"
#include "graph_nodes.h"
#include "store/store.h"

struct match_printer {
	struct mem_store *store;    /* BORROWED */
	const struct mem_graph_pattern *pattern; /* likewise */
	struct mem_column columns[MEM_GRAPH_PATTERN_NODES + 1];
	struct mem_grid grid;
	struct mem_arena heads;     /* of the columns */
};

static inline void
put_match_record(struct mem_buf *out, struct mem_arena *a, const struct mem_graph_pattern *p, const struct node_name *nodes,
    const struct mem_id *ids)
{
	mem_buf_putc(out, '{');
	for (size_t i = 0; i < p->nnodes; i++) {
		const struct mem_str name = p->nodes[i].name;
		if (name.n == 0)
			continue;
		mem_json_put_key(out, mem_arena_dup(a, name.p, name.n));
		open_name_record(out, &ids[i], &nodes[i]);
		mem_buf_putc(out, '}');
	}
	mem_buf_puts(out, "}\n");
}

static inline void
add_match_cells(struct mem_grid *g, const struct mem_graph_pattern *p, const struct node_name *nodes, const struct mem_id *ids)
{
	char id[MEM_ID_LEN + 1];
	for (size_t i = 0; i < p->nnodes; i++) {
		if (p->nodes[i].name.n == 0)
			continue;
		mem_id_format(&ids[i], id);
		mem_grid_cell(g, nodes[i].name.n > 0 ? nodes[i].name : mem_str(id));
	}
}

static inline void
begin_match_grid(struct match_printer *x)
{
	size_t n = 0;
	for (size_t i = 0; i < x->pattern->nnodes; i++) {
		const struct mem_str name = x->pattern->nodes[i].name;
		char *head = mem_arena_dup(&x->heads, name.p, name.n);
		for (char *p = head; *p != '\0'; p++)
			*p = (char)toupper((unsigned char)*p);
		if (name.n > 0)
			x->columns[n++] = (struct mem_column){ .name = head, .min = 8, .want = 30 };
	}
	mem_grid_begin(&x->grid, x->columns);
}

/* `ids`: MEM_GRAPH_PATTERN_NODES of each match.  One snapshot reads the names of all, so that n times the nodes of a pattern stays
 * below 1,000. */
static inline void
print_matches(struct match_printer *x, const struct mem_id *ids, size_t n)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_buf lines = { 0 };
	struct mem_err err;
	if (mem_txn_read(&t, x->store, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t m = 0; m < n; m++) {
		const struct mem_id *match = &ids[m * MEM_GRAPH_PATTERN_NODES];
		struct node_name nodes[MEM_GRAPH_PATTERN_NODES] = { 0 };
		for (size_t i = 0; i < x->pattern->nnodes; i++)
			if (x->pattern->nodes[i].name.n > 0)
				nodes[i] = read_node_name(t, &match[i], &a);
		if (x->grid.columns != NULL)
			add_match_cells(&x->grid, x->pattern, nodes, match);
		else
			put_match_record(&lines, &a, x->pattern, nodes, match);
	}
	mem_txn_end(t);
	mem_store_pause(x->store); /* a slow reader must not hold up a compaction */
	for (struct mem_str rest = mem_buf_span(&lines); rest.n > 0;)
		mem_out_line(cut_first_line(&rest));
	mem_grid_flush(&x->grid);
	mem_buf_release(&lines);
	mem_arena_release(&a);
}

static inline void
end_match_output(struct match_printer *x)
{
	mem_grid_end(&x->grid);
	mem_arena_release(&x->heads);
}

#endif
