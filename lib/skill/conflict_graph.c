/* SPDX-License-Identifier: Apache-2.0 */
/* What the edges and the uses of skills tell: circles, orphans, what is stale. */
#include "skill/conflict_int.h"

#include <stdlib.h>
#include <string.h>

#include "skill/cycles.h"

static const int64_t DAY_MS = INT64_C(86400000);

/* ---- circles -------------------------------------------------------------- */

struct circle_search {
	struct conflict_scan *c;
	struct mem_cycle_edge *edges;
	const char **kinds;         /* by edge */
	size_t n;
};

/* Edges between skills of the scan; nodes of the copy stand in the order of their ids, as the skills do. */
static void
list_circle_edges(struct circle_search *s)
{
	const struct mem_graph_copy *g = s->c->graph;
	s->edges = mem_xmalloc((g->nedges + 1) * sizeof *s->edges);
	s->kinds = mem_xmalloc((g->nedges + 1) * sizeof *s->kinds);
	for (size_t v = 0; v < g->nnodes; v++) {
		size_t from = conflict_find_skill(s->c, &g->ids[v]);
		for (size_t e = g->first[v]; e < g->first[v + 1] && from != SIZE_MAX; e++) {
			const char *kind = g->kind_names[g->kind[e]];
			size_t to = conflict_find_skill(s->c, &g->ids[g->to[e]]);
			if (to == SIZE_MAX)
				continue;
			s->kinds[s->n] = kind;
			s->edges[s->n++] = (struct mem_cycle_edge){ (uint32_t)from, (uint32_t)to, (double)g->weight[e] * (double)g->confidence[e] };
		}
	}
}

/* A mem_cycle_fn.  The weakest edge leads from the loser to the winner. */
static bool
take_circle(void *ctx, const uint32_t *edges, size_t n, uint32_t weakest)
{
	struct circle_search *s = ctx;
	struct conflict_scan *c = s->c;
	const struct mem_cycle_edge *weak = &s->edges[weakest];
	struct mem_id *ids = mem_arena_alloc(&c->arena, n * sizeof *ids);
	for (size_t i = 0; i < n; i++)
		ids[i] = c->skills[s->edges[edges[i]].from].id;
	struct scan_finding *f = conflict_add_finding(c, MEM_CONFLICT_CIRCULAR, &c->skills[weak->from].id,
	    weak->from != weak->to ? &c->skills[weak->to].id : NULL);
	f->over = s->kinds[weakest];
	f->circle = ids;
	f->ncircle = n;
	return true;
}

static void
find_circles(struct conflict_scan *c)
{
	struct circle_search s = { .c = c };
	list_circle_edges(&s);
	mem_cycles_find(s.edges, s.n, (uint32_t)c->nskills, take_circle, &s);
	free(s.edges);
	free(s.kinds);
}

/* ---- uses and edges ------------------------------------------------------- */

static bool
is_stale_skill(const struct scan_skill *s, int64_t now)
{
	return s->uses < MEM_CONFLICT_FEW_USES && (s->last_used == MEM_TIME_NONE || now - s->last_used > MEM_CONFLICT_UNUSED_DAYS * DAY_MS);
}

void
conflict_check_graph(struct conflict_scan *c, int64_t now)
{
	find_circles(c);
	for (size_t i = 0; i < c->nskills; i++) {
		const struct scan_skill *s = &c->skills[i];
		if (now - s->created_at <= MEM_CONFLICT_OLD_DAYS * DAY_MS)
			continue;
		if (is_stale_skill(s, now))
			conflict_add_finding(c, MEM_CONFLICT_STALE, &s->id, NULL)->over = "uses";
		if (s->orphan)
			conflict_add_finding(c, MEM_CONFLICT_ORPHAN, &s->id, NULL)->over = "edges";
	}
}
