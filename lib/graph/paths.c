/* SPDX-License-Identifier: Apache-2.0 */
/* Paths between two nodes: the first by the walk, others on a copy. */
#include "graph/paths.h"

#include <stdlib.h>
#include <string.h>

#include "graph/path_int.h"
#include "store/edge.h"
#include "store/node.h"

static struct mem_path *
add_path(struct mem_paths *p, size_t nedges)
{
	struct mem_path *path = &p->v[p->n++];
	*path = (struct mem_path){ .ids = mem_arena_alloc(&p->arena, (nedges + 1) * sizeof *path->ids),
		.edges = mem_arena_alloc(&p->arena, (nedges + 1) * sizeof *path->edges), .nedges = nedges, .weight = 1 };
	return path;
}

void
mem_paths_release(struct mem_paths *p)
{
	mem_arena_release(&p->arena);
	*p = (struct mem_paths){ 0 };
}

/* ---- by the walk -------------------------------------------------------- */

/* The path that ends at a step, back from edge to edge. */
static void
trace_path(struct mem_paths *p, struct mem_walk *w, struct mem_walk_step step)
{
	struct mem_path *path = add_path(p, step.hops);
	for (size_t i = step.hops; i > 0; i--) {
		struct mem_walk_edge e = step.edges[0];
		struct mem_id reached = path->ids[i] = step.id;
		mem_walk_step_at(w, e.from, &step);
		path->edges[i - 1] = (struct mem_path_edge){ .kind = mem_arena_dup(&p->arena, e.kind, strlen(e.kind)),
			.from = e.against ? reached : step.id, .to = e.against ? step.id : reached, .weight = (double)e.weight };
	}
	path->ids[0] = step.id;
}

static enum mem_status
find_path_by_walk(struct mem_paths *out, struct mem_store *s, const struct mem_path_options *o, const struct mem_id *from,
    const struct mem_id *to, struct mem_err *err)
{
	const struct mem_walk_options walk = { .direction = o->direction, .edges_of = o->edges_of, .least_weight = o->least_weight,
		.as_of = o->as_of, .hops = o->hops, .cut_untold = true };
	struct mem_walk *w = NULL;
	struct mem_walk_step step;
	enum mem_status st = mem_walk_open(&w, s, &walk, from, 1, err);
	while (st == MEM_OK && out->n == 0 && (st = mem_walk_next(w, &step, err)) == MEM_OK)
		if (mem_id_cmp(&step.id, to) == 0)
			trace_path(out, w, step);
	mem_walk_free(w);
	if (out->n > 0)
		st = path_edges_choose(&out->v[0], &out->arena, s, o, err);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- on a copy ----------------------------------------------------------- */

static void
show_route(struct mem_paths *p, const struct mem_graph_copy *c, const struct path_route *r)
{
	struct mem_path *path = add_path(p, r->narcs);
	for (size_t i = 0; i <= r->narcs; i++)
		path->ids[i] = c->ids[r->nodes[i]];
	for (size_t i = 0; i < r->narcs; i++) {
		const struct path_arc *arc = r->arcs[i];
		const char *kind = c->kind_names[c->kind[arc->edge]];
		path->edges[i] = (struct mem_path_edge){ .kind = mem_arena_dup(&p->arena, kind, strlen(kind)),
			.from = path->ids[arc->against ? i + 1 : i], .to = path->ids[arc->against ? i : i + 1],
			.weight = (double)c->weight[arc->edge], .confidence = (double)c->confidence[arc->edge] };
		path->weight *= path->edges[i].weight * path->edges[i].confidence;
	}
}

static void
find_routes_on_copy(struct mem_paths *out, const struct mem_graph_copy *c, const struct mem_path_options *o, uint32_t from, uint32_t to)
{
	struct path_arcs arcs;
	struct path_search search;
	struct path_route *routes;
	path_arcs_make(&arcs, c, o);
	path_search_open(&search, &arcs, to, o->hops);
	size_t n = path_routes_find(&routes, &search, from, o->k);
	for (size_t i = 0; i < n; i++) {
		show_route(out, c, &routes[i]);
		path_route_release(&routes[i]);
	}
	free(routes);
	path_search_release(&search);
	path_arcs_release(&arcs);
}

static enum mem_status
find_paths_on_copy(struct mem_paths *out, struct mem_store *s, const struct mem_path_options *o, const struct mem_id *from,
    const struct mem_id *to, struct mem_err *err)
{
	const struct mem_graph_copy_options copy = { .edges_of = o->edges_of, .least_weight = o->least_weight, .as_of = o->as_of,
		.orphans = true };
	struct mem_graph_copy *c = NULL;
	uint32_t a, b;
	enum mem_status st = mem_graph_copy_make(&c, s, &copy, err);
	if (st == MEM_OK && mem_graph_copy_find(c, from, &a) == MEM_OK && mem_graph_copy_find(c, to, &b) == MEM_OK)
		find_routes_on_copy(out, c, o, a, b);
	mem_graph_copy_free(c);
	return st;
}

enum mem_status
mem_paths_find(struct mem_paths *out, struct mem_store *s, const struct mem_path_options *o, const struct mem_id *from,
    const struct mem_id *to, struct mem_err *err)
{
	*out = (struct mem_paths){ 0 };
	out->v = mem_arena_alloc(&out->arena, o->k * sizeof *out->v);
	return o->k == 1 && !o->weighted ? find_path_by_walk(out, s, o, from, to, err) : find_paths_on_copy(out, s, o, from, to, err);
}
