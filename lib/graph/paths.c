/* SPDX-License-Identifier: Apache-2.0 */
/* Paths between two nodes: the first by the walk, others on a copy. */
#include "graph/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/order.h"
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

/*
 * Of each step the edge by which the least path comes to it: of paths with as many edges the first by the ids of its nodes, one after
 * another.  Such paths to the steps of one level have an order, their ranks, which those of the next level follow.
 */
struct path_tree {
	struct path_tree_step {
		struct mem_walk_edge edge; /* none on level 0 */
		uint32_t rank;             /* in its level; known once the level is over */
	} *v;                              /* by the number of the step */
	size_t n, cap;
	size_t level;              /* number of the first step of the level in hand */
	uint32_t hops;             /* of that level */
	uint64_t *keys;            /* of that level */
	size_t keys_cap;
};

/* Of a level the steps come by id: so by the rank of the step before, then by their numbers. */
static void
rank_level(struct path_tree *tree)
{
	size_t n = tree->n - tree->level;
	tree->keys = mem_grow(tree->keys, &tree->keys_cap, n, sizeof *tree->keys);
	for (size_t i = 0; i < n; i++) {
		uint32_t before = tree->level > 0 ? tree->v[tree->v[tree->level + i].edge.from].rank : 0;
		tree->keys[i] = (uint64_t)before << 32 | i;
	}
	mem_sort(tree->keys, n, sizeof *tree->keys, mem_number64_compare);
	for (size_t i = 0; i < n; i++)
		tree->v[tree->level + (uint32_t)tree->keys[i]].rank = (uint32_t)i;
}

static void
add_tree_step(struct path_tree *tree, const struct mem_walk_step *step)
{
	struct path_tree_step new = { .rank = 0 };
	if (step->hops > tree->hops) {
		rank_level(tree);
		tree->level = tree->n;
		tree->hops = step->hops;
	}
	for (size_t i = 0; i < step->nedges && tree->n > 0; i++)
		if (i == 0 || tree->v[step->edges[i].from].rank < tree->v[new.edge.from].rank)
			new.edge = step->edges[i];
	tree->v = mem_grow(tree->v, &tree->cap, tree->n + 1, sizeof *tree->v);
	tree->v[tree->n++] = new;
}

/* The path that ends at a step, back from edge to edge. */
static void
trace_path(struct mem_paths *p, struct mem_walk *w, const struct path_tree *tree, struct mem_walk_step step)
{
	struct mem_path *path = add_path(p, step.hops);
	for (size_t i = step.hops; i > 0; i--) {
		struct mem_walk_edge e = tree->v[step.number].edge;
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
		.as_of = o->as_of, .hops = o->hops, .every_edge = true, .cut_untold = true };
	struct path_tree tree = { .n = 0 };
	struct mem_walk *w = NULL;
	struct mem_walk_step step;
	enum mem_status st = mem_walk_open(&w, s, &walk, from, 1, err);
	while (st == MEM_OK && out->n == 0 && (st = mem_walk_next(w, &step, err)) == MEM_OK) {
		add_tree_step(&tree, &step);
		if (mem_id_cmp(&step.id, to) == 0)
			trace_path(out, w, &tree, step);
	}
	mem_walk_free(w);
	free(tree.v);
	free(tree.keys);
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
