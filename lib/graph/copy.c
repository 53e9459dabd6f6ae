/* SPDX-License-Identifier: Apache-2.0 */
/* The copy of all edges that the principal may see: read in the order of the store, then arranged by id. */
#include "graph/copy_int.h"

#include <stdlib.h>
#include <string.h>

enum { SNAPSHOT_ROWS = 1000, CLOCK_ROWS = 64, SNAPSHOT_MS = 1000 };

/* ---- snapshots --------------------------------------------------------- */

static void
end_copy_snapshot(struct copy_run *r)
{
	mem_edge_cursor_close(r->edges);
	mem_cursor_close(r->attrs);
	r->edges = NULL;
	r->attrs = NULL;
	mem_txn_end(r->t);
	r->t = NULL;
}

static enum mem_status
begin_copy_snapshot(struct copy_run *r, struct mem_err *err)
{
	end_copy_snapshot(r);
	r->rows = 0;
	r->began = mem_clock_ms();
	return mem_txn_read(&r->t, r->s, err);
}

/* Counts a row; true when the snapshot has had enough. */
static bool
count_copy_row(struct copy_run *r)
{
	r->rows++;
	return r->rows >= SNAPSHOT_ROWS || (r->rows % CLOCK_ROWS == 0 && mem_clock_ms() - r->began >= SNAPSHOT_MS);
}

/* ---- namespaces -------------------------------------------------------- */

static bool
is_namespace_wanted(const struct mem_words *wanted, const char *name)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (strcmp(wanted->v[i], name) == 0)
			return true;
	return false;
}

/* Marks the numbers of those that are wanted, with their compartments. */
static enum mem_status
find_copy_namespaces(struct copy_run *r, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(r->t, &ns, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (is_namespace_wanted(&r->o->namespaces, ns[i].name)) {
			size_t old = r->nspaces;
			if (ns[i].number >= old) {
				r->nspaces = (size_t)ns[i].number + 1;
				r->spaces = mem_xrealloc(r->spaces, r->nspaces, sizeof *r->spaces);
				memset(r->spaces + old, 0, (r->nspaces - old) * sizeof *r->spaces);
			}
			r->spaces[ns[i].number] = true;
		}
	free(ns);
	return st;
}

/* ---- nodes ------------------------------------------------------------- */

static void
keep_copy_node(struct copy_run *r, uint32_t ord, const struct mem_attr *a)
{
	if (r->o->namespaces.n > 0 && (a->ns >= r->nspaces || !r->spaces[a->ns]))
		return;
	if (!graph_node_filter_pass(&r->nodes_of, r->t, a))
		return;
	r->nodes = mem_grow(r->nodes, &r->nodes_cap, r->nnodes + 1, sizeof *r->nodes);
	r->nodes[r->nnodes++] = (struct copy_node){ .id = a->id, .ord = ord, .kind = (uint8_t)a->kind };
}

/* From r->next on.  MEM_END: there are no more. */
static enum mem_status
read_copy_nodes(struct copy_run *r, struct mem_err *err)
{
	uint8_t key[4];
	bool enough = false;
	mem_be32(key, r->next);
	enum mem_status st = mem_cursor_open(&r->attrs, r->t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(r->attrs, (struct mem_str){ (const char *)key, sizeof key }, err);
	for (; st == MEM_OK && !enough; st = enough ? MEM_OK : mem_cursor_next(r->attrs, err)) {
		struct mem_str k = mem_cursor_key(r->attrs), v;
		enough = count_copy_row(r);
		if (k.n != sizeof key)
			continue; /* mem-check tells */
		uint32_t ord = mem_be32_get((const uint8_t *)k.p);
		r->next = ord + 1;
		if (mem_cursor_read(r->attrs, &v, NULL) == MEM_OK && v.n == sizeof(struct mem_attr))
			keep_copy_node(r, ord, (const struct mem_attr *)(const void *)v.p);
		else
			mem_node_damage_note(r->t, ord);
	}
	return st;
}

/* ---- edges ------------------------------------------------------------- */

static enum mem_status
keep_copy_edge(struct copy_run *r, const struct mem_edge_row *row, struct mem_err *err)
{
	struct mem_edge whole;
	float weight;
	bool pass;
	if (row->other >= r->nplaces || r->places[row->other] == COPY_NO_NODE)
		return MEM_OK;
	enum mem_status st = graph_edge_filter_pass(&r->edges_of, r->edges, row, &weight, &pass, err);
	if (st != MEM_OK || !pass)
		return st;
	st = graph_kind_names_keep(&r->names, r->t, row->kind, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_edge(r->edges, &whole, err);
	if (st != MEM_OK)
		return st;
	r->kept = mem_grow(r->kept, &r->kept_cap, r->nkept + 1, sizeof *r->kept);
	r->kept[r->nkept++] = (struct copy_edge){ .from = r->at, .to = r->places[row->other], .weight = weight,
		.confidence = whole.v.confidence, .kind = row->kind,
		.flags = (row->flags & MEM_EDGE_BIDIRECTIONAL) != 0 ? MEM_GRAPH_EDGE_BIDIRECTIONAL : 0 };
	return MEM_OK;
}

/* The edges of node r->at from (r->next_kind, r->next) on.  MEM_END: it has no more; MEM_OK: the snapshot is used up. */
static enum mem_status
read_node_copy_edges(struct copy_run *r, struct mem_err *err)
{
	struct mem_edge_row row;
	bool enough = false;
	uint16_t kind = graph_edge_filter_next_kind(&r->edges_of, r->next_kind);
	if (r->edges_of.some_kinds && kind == 0)
		return MEM_END;
	enum mem_status st = mem_edge_cursor_seek(r->edges, r->nodes[r->at].ord, kind, kind == r->next_kind ? r->next : 0, err);
	while (st == MEM_OK && !enough && (st = mem_edge_cursor_next(r->edges, &row, err)) == MEM_OK) {
		enough = count_copy_row(r);
		kind = graph_edge_filter_next_kind(&r->edges_of, row.kind);
		if (kind == 0 && r->edges_of.some_kinds)
			return MEM_END;
		if (kind != row.kind) { /* on to the next kind that is wanted */
			r->next_kind = kind;
			r->next = 0;
			st = mem_edge_cursor_seek(r->edges, r->nodes[r->at].ord, kind, 0, err);
			continue;
		}
		r->next_kind = row.other == UINT32_MAX ? (uint16_t)(row.kind + 1) : row.kind;
		r->next = row.other + 1;
		st = keep_copy_edge(r, &row, err);
	}
	return st;
}

static enum mem_status
read_copy_edges(struct copy_run *r, struct mem_err *err)
{
	enum mem_status st = mem_edge_cursor_open(&r->edges, r->t, true, err);
	bool enough = false;
	while (st == MEM_OK && !enough && r->at < r->nnodes) {
		st = read_node_copy_edges(r, err);
		if (st != MEM_END) /* also when the snapshot is used up in between */
			return st;
		enough = count_copy_row(r);
		r->at++;
		r->next = r->next_kind = 0;
		st = MEM_OK;
	}
	return st == MEM_OK && r->at == r->nnodes ? MEM_END : st;
}

/* ---- a run ------------------------------------------------------------- */

/* One piece after another, until there are no more. */
static enum mem_status
read_in_pieces(struct copy_run *r, enum mem_status (*read)(struct copy_run *, struct mem_err *), struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK) {
		st = begin_copy_snapshot(r, err);
		if (st == MEM_OK)
			st = read(r, err);
	}
	end_copy_snapshot(r);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
find_copy_kinds(struct copy_run *r, struct mem_err *err)
{
	enum mem_status st = begin_copy_snapshot(r, err);
	if (st == MEM_OK)
		st = graph_edge_filter_find(&r->edges_of, r->t, &r->o->edges_of, &r->o->edges_but, err);
	return st == MEM_OK && r->o->namespaces.n > 0 ? find_copy_namespaces(r, err) : st;
}

/* Where each ord is among the nodes. */
static void
place_copy_nodes(struct copy_run *r)
{
	r->nplaces = r->next;
	r->places = mem_xmalloc((r->nplaces + 1) * sizeof *r->places);
	memset(r->places, 0xff, (r->nplaces + 1) * sizeof *r->places); /* COPY_NO_NODE */
	for (size_t i = 0; i < r->nnodes; i++)
		r->places[r->nodes[i].ord] = (uint32_t)i;
	r->next = 0;
}

enum mem_status
mem_graph_copy_make(struct mem_graph_copy **out, struct mem_store *s, const struct mem_graph_copy_options *o, struct mem_err *err)
{
	struct copy_run r = { .s = s, .o = o };
	r.nodes_of = (struct graph_node_filter){ .kinds = o->kinds, .as_of = o->as_of, .now = mem_store_now(s) };
	graph_edge_filter_init(&r.edges_of, s, o->least_weight, o->as_of);
	r.edges_of.any_time = o->any_time;
	enum mem_status st = find_copy_kinds(&r, err);
	if (st == MEM_OK)
		st = read_in_pieces(&r, read_copy_nodes, err);
	if (st == MEM_OK) {
		place_copy_nodes(&r);
		st = read_in_pieces(&r, read_copy_edges, err);
	}
	end_copy_snapshot(&r);
	if (st == MEM_OK)
		*out = copy_arrange(&r);
	graph_edge_filter_release(&r.edges_of);
	graph_kind_names_release(&r.names);
	free(r.spaces);
	free(r.nodes);
	free(r.places);
	free(r.kept);
	return st;
}
