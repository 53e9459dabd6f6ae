/* SPDX-License-Identifier: Apache-2.0 */
/* A graph read from files, written to the store: its nodes, then its edges. */
#include "link/graph_files_int.h"

#include <assert.h>
#include <stdlib.h>

#include "base/order.h"

/* ---- what was read --------------------------------------------------------- */

struct mem_graph_import *
mem_graph_import_new(struct mem_link_run *run)
{
	struct mem_graph_import *g = mem_xcalloc(1, sizeof *g);
	g->run = run;
	mem_random(g->ids.key, sizeof g->ids.key);
	return g;
}

void
mem_graph_import_free(struct mem_graph_import *g)
{
	if (g == NULL)
		return;
	free(g->nodes);
	free(g->edges);
	free(g->ids.slots);
	free(g->ids.taken);
	graph_weights_release(g);
	mem_buf_release(&g->line);
	mem_arena_release(&g->arena);
	free(g);
}

struct graph_places
graph_places_begin(struct mem_str text)
{
	return (struct graph_places){ .text = text, .line = 1 };
}

struct graph_place
graph_place_of(struct graph_places *w, const char *p)
{
	size_t to = (size_t)(p - w->text.p);
	for (const char *end; (end = memchr(w->text.p + w->at, '\n', to - w->at)) != NULL;) {
		w->at = w->line_start = (size_t)(end - w->text.p) + 1;
		w->line++;
	}
	w->at = to;
	return (struct graph_place){ w->line, to - w->line_start };
}

struct graph_node *
graph_node_new(struct mem_graph_import *g, struct graph_place at)
{
	g->nodes = mem_grow(g->nodes, &g->nodes_cap, g->nnodes + 1, sizeof *g->nodes);
	struct graph_node *n = &g->nodes[g->nnodes++];
	*n = (struct graph_node){ .at = at };
	return n;
}

struct graph_edge *
graph_edge_new(struct mem_graph_import *g, struct graph_place at)
{
	g->edges = mem_grow(g->edges, &g->edges_cap, g->nedges + 1, sizeof *g->edges);
	struct graph_edge *e = &g->edges[g->nedges++];
	*e = (struct graph_edge){ .at = at };
	return e;
}

void
graph_file_refuse(struct mem_graph_import *g, struct graph_place at, const char *reason)
{
	graph_node_new(g, at)->refused = reason;
}

void
mem_graph_import_read(struct mem_graph_import *g, enum mem_graph_format format, struct mem_str text)
{
	size_t bad = mem_utf8_valid(text.p, text.n);
	if (bad < text.n) {
		struct graph_places places = graph_places_begin(text);
		graph_file_refuse(g, graph_place_of(&places, text.p + bad), "bad_utf8");
		return;
	}
	switch (format) {
	case MEM_GRAPH_TAXONOMY:
		graph_taxonomy_read(g, text);
		break;
	case MEM_GRAPH_JSON:
		graph_json_read(g, text, graph_element_node, graph_element_edge);
		break;
	case MEM_GRAPH_GRAPHML:
		graph_graphml_read(g, text);
		break;
	case MEM_GRAPH_CSV:
		graph_csv_read(g, text);
		break;
	default:
		assert(format != MEM_GRAPH_DOT); /* which is written alone */
	}
}

struct mem_str
mem_graph_import_ignored(const struct mem_graph_import *g)
{
	return g->ignored;
}

/* ---- ends, and what comes twice ------------------------------------------------ */

/* A node by its key; of several with one key the first one comes first. */
struct node_key {
	struct mem_str key;
	size_t node;
};

static int
compare_node_keys(const void *a, const void *b)
{
	const struct node_key *x = a, *y = b;
	int c = mem_str_cmp(x->key, y->key);
	return c != 0 ? c : (x->node > y->node) - (x->node < y->node);
}

static void
refuse_repeated_nodes(struct mem_graph_import *g, const struct node_key *keys, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (mem_str_eq(keys[i - 1].key, keys[i].key))
			g->nodes[keys[i].node].refused = "bad_value";
}

/* The first node with this key; SIZE_MAX: there is none. */
static size_t
find_keyed_node(const struct node_key *keys, size_t n, struct mem_str key)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (mem_str_cmp(keys[mid].key, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && mem_str_eq(keys[low].key, key) ? keys[low].node : SIZE_MAX;
}

static void
find_edge_nodes(struct mem_graph_import *g)
{
	struct node_key *keys = mem_xmalloc((g->nnodes + 1) * sizeof *keys);
	size_t n = 0;
	for (size_t i = 0; i < g->nnodes; i++)
		if (g->nodes[i].refused == NULL)
			keys[n++] = (struct node_key){ g->nodes[i].key, i };
	mem_sort(keys, n, sizeof *keys, compare_node_keys);
	refuse_repeated_nodes(g, keys, n);
	for (size_t i = 0; i < g->nedges; i++) {
		struct graph_edge *e = &g->edges[i];
		if (e->refused != NULL)
			continue;
		e->from_node = find_keyed_node(keys, n, e->from);
		e->to_node = find_keyed_node(keys, n, e->to);
		if (e->from_node == SIZE_MAX || e->to_node == SIZE_MAX)
			e->refused = "not_found";
	}
	free(keys);
}

static int
compare_edge_ends(const void *a, const void *b)
{
	const struct graph_edge *x = *(const struct graph_edge *const *)a, *y = *(const struct graph_edge *const *)b;
	if (x->from_node != y->from_node)
		return x->from_node < y->from_node ? -1 : 1;
	if (x->to_node != y->to_node)
		return x->to_node < y->to_node ? -1 : 1;
	int c = mem_str_cmp(x->kind, y->kind);
	return c != 0 ? c : (x > y) - (x < y);
}

/* Is there, among edges in the order of their ends, this one the other way round? */
static bool
has_opposite_edge(struct graph_edge *const *sorted, size_t n, const struct graph_edge *e)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct graph_edge *m = sorted[mid];
		bool before = m->from_node != e->to_node ? m->from_node < e->to_node : m->to_node != e->from_node ? m->to_node < e->from_node
		    : mem_str_cmp(m->kind, e->kind) < 0;
		if (before)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && sorted[low]->from_node == e->to_node && sorted[low]->to_node == e->from_node && mem_str_eq(sorted[low]->kind, e->kind);
}

/* Refuses those that come twice, and finds out which ones have an opposite. */
static void
compare_edges(struct mem_graph_import *g)
{
	struct graph_edge **sorted = mem_xmalloc((g->nedges + 1) * sizeof(struct graph_edge *));
	size_t n = 0;
	for (size_t i = 0; i < g->nedges; i++)
		if (g->edges[i].refused == NULL)
			sorted[n++] = &g->edges[i];
	mem_sort(sorted, n, sizeof(struct graph_edge *), compare_edge_ends);
	for (size_t i = 1; i < n; i++) {
		const struct graph_edge *before = sorted[i - 1], *e = sorted[i];
		if (before->from_node == e->from_node && before->to_node == e->to_node && mem_str_eq(before->kind, e->kind))
			sorted[i]->refused = "bad_value";
	}
	for (size_t i = 0; i < n; i++)
		if (sorted[i]->symmetric)
			sorted[i]->symmetric = !has_opposite_edge(sorted, n, sorted[i]);
	free(sorted);
}

static void
settle_graph(struct mem_graph_import *g)
{
	find_edge_nodes(g);
	compare_edges(g);
	graph_weights_settle(g);
	g->settled = true;
	g->run->whole = g->run->o.dry_run; /* edges of a dry run find their ends in the batch alone */
}

/* ---- ids of the nodes written ------------------------------------------------------ */

static bool
add_to_id_slots(struct graph_id_set *set, const struct mem_id *id)
{
	size_t mask = ((size_t)1 << set->bits) - 1;
	size_t at = (size_t)mem_hash64(set->key, (struct mem_str){ (const char *)id->b, sizeof id->b }) & mask;
	for (; set->taken[at]; at = (at + 1) & mask)
		if (mem_id_cmp(&set->slots[at], id) == 0)
			return false;
	set->slots[at] = *id;
	set->taken[at] = true;
	return true;
}

/* False: it was there. */
static bool
add_written_id(struct graph_id_set *set, const struct mem_id *id)
{
	if (set->bits == 0 || set->used >= (size_t)1 << (set->bits - 1)) {
		struct graph_id_set old = *set;
		set->bits = old.bits == 0 ? 8 : old.bits + 1;
		set->slots = mem_xcalloc((size_t)1 << set->bits, sizeof *set->slots);
		set->taken = mem_xcalloc((size_t)1 << set->bits, sizeof *set->taken);
		for (size_t i = 0; old.bits > 0 && i < (size_t)1 << old.bits; i++)
			if (old.taken[i])
				add_to_id_slots(set, &old.slots[i]);
		free(old.slots);
		free(old.taken);
	}
	bool added = add_to_id_slots(set, id);
	set->used += added;
	return added;
}

/* ---- writing ----------------------------------------------------------------------- */

/* The record, with the fields that depend on the rest of the file, becomes the line in hand. */
static struct link_item
begin_graph_item(struct mem_graph_import *g, struct graph_place at, struct mem_str record)
{
	mem_buf_reset(&g->line);
	mem_buf_put(&g->line, record.p, record.n > 0 ? record.n - 1 : 0);
	g->run->number = at.line - 1;
	return link_item_new(g->run, record.n);
}

static struct mem_line
end_graph_line(struct mem_graph_import *g, struct graph_place at)
{
	mem_buf_putc(&g->line, '}');
	return (struct mem_line){ .text = mem_buf_span(&g->line), .number = at.line };
}

/* A node or an edge as a store has it keeps its id and times.  Of one who is no operator nothing may be hidden in it. */
static void
queue_own_record(struct mem_graph_import *g, struct link_item *item, struct mem_str record)
{
	struct mem_link_run *r = g->run;
	struct mem_err err = { 0 };
	enum mem_status st = mem_rec_scan(&r->rec, mem_arena_str(mem_writer_arena(r->writer), record), &err);
	if (st == MEM_OK)
		st = mem_rec_refuse_nul(&r->rec, &err);
	if (st == MEM_OK && mem_store_principal(mem_writer_store(r->writer))->is_operator) {
		mem_clean_restored(&r->cleaned, &r->rec);
	} else if (st == MEM_OK) {
		st = mem_write_import_rights(mem_writer_store(r->writer), &r->rec, &err);
		if (st == MEM_OK)
			st = mem_write_verify(r->writer, &r->cleaned, &r->rec, &err);
	}
	if (st == MEM_OK)
		mem_write_restore(r->writer, &item->in, &r->cleaned);
	else
		link_item_refuse(item, err.reason != NULL ? err.reason : "bad_value", 0);
}

/* ARENA of the batch. */
static struct mem_str
join_identity(struct mem_graph_import *g, struct mem_str identity, struct mem_str key)
{
	struct mem_buf b = { 0 };
	mem_buf_str(&b, identity);
	mem_buf_putc(&b, '\0');
	mem_buf_str(&b, key);
	struct mem_str out = mem_arena_str(mem_writer_arena(g->run->writer), mem_buf_span(&b));
	mem_buf_release(&b);
	return out;
}

/* Of two nodes that are one in the store, which their names make them, the first one is written; of a file that shall come back each
 * is one, and the others are told from the first by their ids in it. */
static void
queue_graph_node(struct mem_graph_import *g, struct graph_node *n, struct link_item *item)
{
	struct link_node_fields f = { 0 };
	graph_weight_put(g, &g->line, false, n->group, &n->weight);
	const struct mem_line line = end_graph_line(g, n->at);
	if (!link_new_node_read(g->run, item, &line, &f))
		return;
	struct mem_str id_of = link_new_node_identity(g->run, &f);
	n->id = mem_id_v8(item->in.ns, id_of);
	bool first = add_written_id(&g->ids, &n->id);
	if (!first && n->apart) {
		id_of = join_identity(g, id_of, n->key);
		n->id = mem_id_v8(item->in.ns, id_of);
		first = add_written_id(&g->ids, &n->id);
	}
	n->item = link_new_node_queue(g->run, item, &f, id_of, first);
}

static enum mem_status
end_graph_item(struct mem_graph_import *g, struct link_item *item, const char **refused, struct graph_place at, struct mem_err *err)
{
	if (item->refused != NULL) {
		*refused = item->refused;
		item->offset = at.offset;
	}
	return link_item_end(g->run, item, err);
}

static enum mem_status
write_graph_node(struct mem_graph_import *g, struct graph_node *n, struct mem_err *err)
{
	struct link_item item = begin_graph_item(g, n->at, n->record);
	if (n->refused != NULL)
		link_item_refuse(&item, n->refused, n->at.offset);
	else if (n->own)
		queue_own_record(g, &item, n->record);
	else
		queue_graph_node(g, n, &item);
	return end_graph_item(g, &item, &n->refused, n->at, err);
}

static struct mem_write_end
find_written_end(const struct mem_graph_import *g, const struct graph_node *n)
{
	return g->run->whole ? (struct mem_write_end){ .item = n->item } : (struct mem_write_end){ .id = n->id };
}

static enum mem_status
write_graph_edge(struct mem_graph_import *g, struct graph_edge *e, struct mem_err *err)
{
	struct link_item item = begin_graph_item(g, e->at, e->record);
	if (e->refused == NULL && (g->nodes[e->from_node].refused != NULL || g->nodes[e->to_node].refused != NULL))
		e->refused = "not_found";
	if (e->refused != NULL) {
		link_item_refuse(&item, e->refused, e->at.offset);
	} else if (e->own && g->nodes[e->from_node].own && g->nodes[e->to_node].own) {
		queue_own_record(g, &item, e->own_record);
	} else {
		graph_weight_put(g, &g->line, true, e->kind, &e->weight);
		if (e->symmetric)
			mem_json_put_bool(&g->line, "bidirectional", true);
		const struct mem_line line = end_graph_line(g, e->at);
		struct mem_write_end from = find_written_end(g, &g->nodes[e->from_node]), to = find_written_end(g, &g->nodes[e->to_node]);
		link_edge_queue(g->run, &item, &line, &from, &to);
	}
	return end_graph_item(g, &item, &e->refused, e->at, err);
}

enum mem_status
mem_graph_import_write(struct mem_graph_import *g, size_t max, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (!g->settled)
		settle_graph(g);
	for (; st == MEM_OK && max > 0 && g->at_node < g->nnodes; max--) {
		st = write_graph_node(g, &g->nodes[g->at_node++], err);
		if (st == MEM_OK && g->at_node == g->nnodes && !g->run->whole)
			st = mem_link_run_commit(g->run, err); /* the ends of edges */
	}
	for (; st == MEM_OK && max > 0 && g->at_edge < g->nedges; max--)
		st = write_graph_edge(g, &g->edges[g->at_edge++], err);
	return st == MEM_OK && g->at_node == g->nnodes && g->at_edge == g->nedges ? MEM_END : st;
}
