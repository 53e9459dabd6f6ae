/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that begin at named nodes of the graph, or print nodes with what was computed of them. */
#ifndef MEM_GRAPH_NODES_H
#define MEM_GRAPH_NODES_H

#include "cli/cli.h"
#include "edge_kinds.h"
#include "graph/copy.h"
#include "link/link.h"
#include "listed_nodes.h"
#include "query/noted_nodes.h"
#include "store/store.h"

/* The nodes that operands mean. */
struct named_nodes {
	struct mem_store *store;
	struct mem_id *ids;
	size_t n, cap;
	enum mem_status worst;      /* MEM_NOTFOUND, MEM_REFUSED: some name none, or several */
};

typedef enum mem_status find_node_fn(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err);

static inline void
add_found_node(struct named_nodes *x, struct mem_str text, find_node_fn *find)
{
	struct mem_err err;
	x->ids = mem_grow(x->ids, &x->cap, x->n + 1, sizeof *x->ids);
	enum mem_status st = find(x->store, text, &x->ids[x->n], &err);
	if (st == MEM_OK)
		x->n++;
	else if (st == MEM_NOTFOUND || st == MEM_REFUSED)
		mem_warn("%s", err.msg);
	else
		mem_die_err(&err);
	x->worst = mem_status_worse(x->worst, st);
}

static inline void
add_named_node(struct named_nodes *x, struct mem_str text)
{
	add_found_node(x, text, mem_link_survivor_find);
}

/* Where a page is wanted, tags and entities of its name are not in its way. */
static inline void
add_named_page(struct named_nodes *x, struct mem_str text)
{
	add_found_node(x, text, mem_link_page_find);
}

/* What --kind and --ns say.  The caller releases it. */
static inline struct mem_filter
read_kinds_and_spaces(const struct mem_common *c)
{
	const struct mem_filter_options wanted = { .kinds = c->kinds, .ns = c->ns, .since = MEM_TIME_MIN, .until = MEM_TIME_MAX + 1 };
	struct mem_filter f;
	struct mem_err err;
	if (mem_filter_read(&f, &wanted, &err) != MEM_OK)
		mem_die_err(&err);
	return f;
}

/* The filter of --kind and --ns.  The caller frees it. */
static inline struct mem_node_filter *
make_node_filter(const struct mem_common *c, const struct mem_store *s)
{
	struct mem_filter f = read_kinds_and_spaces(c);
	struct mem_node_filter *out = mem_node_filter_new(&f, s);
	mem_filter_release(&f);
	return out;
}

/* What a record, or a person, knows a node by. */
struct node_name {
	struct mem_str kind, name; /* ARENA; name empty: it has none, nor a title */
};

static inline struct node_name
read_node_name(struct mem_txn *t, const struct mem_id *id, struct mem_arena *a)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct node_name out = { MEM_STR(""), { NULL, 0 } };
	if (mem_node_by_id(t, id, &node, NULL) == MEM_OK && mem_rec_scan(&rec, node.json, NULL) == MEM_OK) {
		out.kind = mem_json_text(a, mem_rec_value(&rec, "kind"));
		out.name = mem_json_text(a, mem_rec_value(&rec, "name"));
		if (out.name.n == 0)
			out.name = mem_json_text(a, mem_rec_value(&rec, "title"));
	}
	mem_rec_release(&rec);
	return out;
}

/* Appends {"id":ID,"kind":KIND,"name":NAME; fields and the brace that closes it are the caller's. */
static inline void
open_name_record(struct mem_buf *out, const struct mem_id *id, const struct node_name *n)
{
	char text[MEM_ID_LEN + 1];
	mem_id_format(id, text);
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "id", mem_str(text));
	mem_json_put_field(out, "kind", n->kind);
	if (n->name.n > 0)
		mem_json_put_field(out, "name", n->name);
	else
		mem_json_put_raw(out, "name", MEM_STR("null"));
}

/* Appends {"edge":KIND,"from":ID,"to":ID; fields and the brace that closes it are the caller's. */
static inline void
open_edge_record(struct mem_buf *out, const char *kind, const struct mem_id *from, const struct mem_id *to)
{
	char id[MEM_ID_LEN + 1];
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "edge", mem_str(kind));
	mem_id_format(from, id);
	mem_json_put_field(out, "from", mem_str(id));
	mem_id_format(to, id);
	mem_json_put_field(out, "to", mem_str(id));
}

/* Appends {"edge":KIND,"from":ID,"to":ID,"weight":W,"confidence":C}. */
static inline void
put_edge_record(struct mem_buf *out, const char *kind, const struct mem_id *from, const struct mem_id *to, double weight, double confidence)
{
	open_edge_record(out, kind, from, to);
	mem_json_put_num(out, "weight", weight);
	mem_json_put_num(out, "confidence", confidence);
	mem_buf_putc(out, '}');
}

/* What --kind and --ns say of the nodes of a copy. */
static inline void
settle_copied_nodes(struct mem_graph_copy_options *o, const struct mem_common *c)
{
	struct mem_filter f = read_kinds_and_spaces(c);
	o->kinds = f.kinds;
	o->namespaces = c->ns;
	mem_filter_release(&f);
}

/* Prints at most *left of the nodes, which becomes less by as many. */
static inline void
print_noted_nodes(struct mem_noted_nodes *x, uint64_t *left, struct mem_grid *g, const struct node_table *table)
{
	struct mem_buf lines = { 0 };
	struct mem_err err;
	enum mem_status st = MEM_OK;
	x->mentions = g->columns == NULL;
	while (st == MEM_OK && *left > 0 && mem_out_ok()) {
		size_t n;
		mem_buf_reset(&lines);
		st = mem_noted_nodes_next(x, *left < SIZE_MAX ? (size_t)*left : SIZE_MAX, &lines, &n, &err);
		*left -= n;
		if (n == 0)
			continue;
		print_node_lines(x->store, mem_buf_span(&lines), g, table);
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_buf_release(&lines);
}

#endif
