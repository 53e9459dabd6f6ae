/* SPDX-License-Identifier: Apache-2.0 */
/* How matches of a pattern are printed: a record of what has a name in it, or for people a row with a column for each. */
#ifndef MEM_MATCH_OUTPUT_H
#define MEM_MATCH_OUTPUT_H

#include <ctype.h>

#include "cli/cli.h"
#include "graph/matches.h"
#include "graph_nodes.h"
#include "store/store.h"

struct match_printer {
	struct mem_store *store;    /* BORROWED */
	const struct mem_graph_pattern *pattern; /* likewise */
	struct mem_column columns[2 * MEM_GRAPH_PATTERN_NODES + 1];
	struct mem_grid grid;
	struct mem_arena heads;     /* of the columns */
};

static inline void
put_match_record(struct mem_buf *out, struct mem_arena *a, const struct mem_graph_pattern *p, const struct node_name *nodes,
    const struct mem_graph_match *match)
{
	mem_buf_putc(out, '{');
	for (size_t i = 0; i < p->nnames; i++) {
		const struct mem_graph_pattern_name *x = &p->names[i];
		const struct mem_match_edge *e = &match->edges[x->number];
		mem_json_put_key(out, mem_arena_dup(a, x->text.p, x->text.n));
		if (x->is_edge) {
			put_edge_record(out, e->kind, &e->from, &e->to, e->weight, e->confidence);
			continue;
		}
		open_name_record(out, &match->nodes[x->number], &nodes[x->number]);
		mem_buf_putc(out, '}');
	}
	mem_buf_puts(out, "}\n");
}

static inline void
add_match_cells(struct mem_grid *g, const struct mem_graph_pattern *p, const struct node_name *nodes, const struct mem_graph_match *match)
{
	char id[MEM_ID_LEN + 1];
	for (size_t i = 0; i < p->nnames; i++) {
		size_t n = p->names[i].number;
		if (p->names[i].is_edge) {
			mem_grid_cell(g, mem_str(match->edges[n].kind));
			continue;
		}
		mem_id_format(&match->nodes[n], id);
		mem_grid_cell(g, nodes[n].name.n > 0 ? nodes[n].name : mem_str(id));
	}
}

static inline void
begin_match_grid(struct match_printer *x)
{
	for (size_t i = 0; i < x->pattern->nnames; i++) {
		const struct mem_str name = x->pattern->names[i].text;
		char *head = mem_arena_dup(&x->heads, name.p, name.n);
		for (char *p = head; *p != '\0'; p++)
			*p = (char)toupper((unsigned char)*p);
		x->columns[i] = (struct mem_column){ .name = head, .min = 8, .want = 30 };
	}
	mem_grid_begin(&x->grid, x->columns);
}

/* One snapshot reads the names of all nodes, so that n times the nodes of a pattern stays below 1,000. */
static inline void
print_matches(struct match_printer *x, const struct mem_graph_match *matches, size_t n)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_buf lines = { 0 };
	struct mem_err err;
	if (mem_txn_read(&t, x->store, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t m = 0; m < n; m++) {
		struct node_name nodes[MEM_GRAPH_PATTERN_NODES] = { 0 };
		for (size_t i = 0; i < x->pattern->nnodes; i++)
			if (x->pattern->nodes[i].name.n > 0)
				nodes[i] = read_node_name(t, &matches[m].nodes[i], &a);
		if (x->grid.columns != NULL)
			add_match_cells(&x->grid, x->pattern, nodes, &matches[m]);
		else
			put_match_record(&lines, &a, x->pattern, nodes, &matches[m]);
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
