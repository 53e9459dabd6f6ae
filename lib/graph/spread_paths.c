/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strongest paths of a spreading.  What arrives by a path is leak and weight of each of its edges multiplied, so the
 * best paths to a step go through best paths to the steps before it: a few are kept of each.
 */
#include "graph/spread_int.h"

#include <math.h>
#include <stdlib.h>

/* Into its place; of equal ones the first that came stands first. */
static void
insert_trail(struct spread_trails *t, const struct spread_trail *trail)
{
	size_t i = t->n;
	if (i == MEM_SPREAD_PATHS_MAX && trail->signal <= t->v[i - 1].signal)
		return;
	if (i == MEM_SPREAD_PATHS_MAX)
		i--;
	else
		t->n++;
	for (; i > 0 && t->v[i - 1].signal < trail->signal; i--)
		t->v[i] = t->v[i - 1];
	t->v[i] = *trail;
}

/* Is the last edge of a trail to this step one from the node to itself? */
static bool
is_loop_trail(const struct spread_run *r, uint32_t step, const struct spread_trail *t)
{
	return t->kind != NULL && r->nodes[t->from].first == r->nodes[step].first;
}

static void
extend_trails(struct spread_run *r, struct spread_trails *to, const struct mem_walk_edge *e, bool loop)
{
	const struct spread_trails *from = &r->trails[e->from];
	double weight = rint((double)e->weight * 1e6) / 1e6;
	double extended = loop ? from->all - from->looped : from->all;
	to->all += extended;
	to->looped += loop ? extended : 0;
	for (uint32_t i = 0; i < from->n; i++) {
		if (loop && is_loop_trail(r, e->from, &from->v[i]))
			continue;
		const struct spread_trail trail = { .signal = from->v[i].signal * weight * r->o.leak, .from = e->from, .before = i,
			.kind = e->kind, .weight = weight };
		insert_trail(to, &trail);
	}
}

void
spread_paths_add(struct spread_run *r, const struct mem_walk_step *step)
{
	r->trails = mem_grow(r->trails, &r->trails_cap, step->number + 1, sizeof *r->trails);
	struct spread_trails *t = &r->trails[step->number];
	*t = (struct spread_trails){ 0 };
	if (step->hops == 0) {
		t->all = 1;
		t->v[t->n++] = (struct spread_trail){ .signal = 1 };
	}
	for (size_t i = 0; i < step->nedges; i++)
		extend_trails(r, t, &step->edges[i], spread_edge_loops(r, step, &step->edges[i]));
	if (step->first != step->number) {
		t->next = r->trails[step->first].next;
		r->trails[step->first].next = step->number;
	}
}

/* The path that ends at a step with its trail `at`. */
static struct mem_spread_path
show_path(struct spread_run *r, uint32_t number, uint32_t at, struct mem_arena *a)
{
	struct mem_walk_step step;
	mem_walk_step_at(r->walk, number, &step);
	struct mem_spread_link *links = mem_arena_alloc(a, (step.hops + 1) * sizeof *links);
	struct mem_spread_path path = { .links = links, .n = step.hops + 1, .signal = r->trails[number].v[at].signal };
	for (size_t i = path.n; i-- > 0;) {
		const struct spread_trail *trail = &r->trails[number].v[at];
		mem_walk_step_at(r->walk, number, &step);
		links[i] = (struct mem_spread_link){ .id = step.id, .weight = trail->weight };
		if (trail->kind != NULL)
			links[i].kind = mem_arena_dup(a, trail->kind, strlen(trail->kind));
		number = trail->from;
		at = trail->before;
	}
	return path;
}

void
spread_paths_show(struct spread_run *r, uint32_t first, struct mem_spread_node *out, struct mem_arena *a)
{
	uint32_t steps[MEM_SPREAD_HOPS_MAX + 2];
	size_t nsteps = 0;
	struct spread_trails all = { 0 };
	for (uint32_t step = r->trails[first].next; step != 0 && nsteps <= MEM_SPREAD_HOPS_MAX; step = r->trails[step].next)
		steps[nsteps++] = step; /* the last hop first */
	steps[nsteps++] = first;
	while (nsteps-- > 0) {
		const struct spread_trails *t = &r->trails[steps[nsteps]];
		all.all += t->all;
		for (uint32_t i = 0; i < t->n; i++) {
			const struct spread_trail end = { .signal = t->v[i].signal, .from = steps[nsteps], .before = i };
			insert_trail(&all, &end);
		}
	}
	struct mem_spread_path *paths = mem_arena_alloc(a, all.n * sizeof *paths);
	for (size_t i = 0; i < all.n; i++)
		paths[i] = show_path(r, all.v[i].from, all.v[i].before, a);
	out->paths = paths;
	out->npaths = all.n;
	out->all_paths = all.all;
}

void
spread_paths_release(struct spread_run *r)
{
	free(r->trails);
	r->trails = NULL;
}
