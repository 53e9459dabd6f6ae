/* SPDX-License-Identifier: Apache-2.0 */
/* Any text is a pattern that keeps the promises of graph_pattern.h, or has a fault at a column inside it; twice the same. */
#include <stdlib.h>
#include <string.h>

#include "graph/match_int.h"
#include "store/edge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_that(bool holds)
{
	if (!holds)
		abort();
}

static void
check_pattern(const struct mem_graph_pattern *p)
{
	size_t names = 0;
	check_that(p->nnodes > 0 && p->nnodes <= MEM_GRAPH_PATTERN_NODES && p->nedges <= MEM_GRAPH_PATTERN_NODES);
	for (size_t i = 0; i < p->nnodes; i++) {
		const struct mem_graph_pattern_node *n = &p->nodes[i];
		names += n->name.n > 0;
		check_that(n->nconditions <= MEM_GRAPH_PATTERN_CONDITIONS && (n->called.p == NULL || (n->called.n > 0 && n->called_column > 0)));
		for (size_t k = 0; k < i; k++)
			check_that(n->name.n == 0 || !mem_str_eq(n->name, p->nodes[k].name));
	}
	for (size_t e = 0; e < p->nedges; e++) {
		const struct mem_graph_pattern_edge *x = &p->edges[e];
		check_that(x->from < p->nnodes && x->to < p->nnodes && x->least >= 1 && x->least <= x->most && x->least <= MEM_GRAPH_PATTERN_LENGTH);
		check_that(x->most <= MEM_GRAPH_PATTERN_LENGTH || x->most == MEM_GRAPH_PATTERN_ANY);
		names += x->name.n > 0;
		check_that(x->name.n == 0 || x->most == 1);
		for (size_t k = 0; k < x->kinds.n; k++)
			check_that(mem_edge_kind_valid(mem_str(x->kinds.v[k])));
	}
	check_that(names > 0 && names == p->nnames);
	for (size_t i = 0; i < p->nnames; i++)
		for (size_t k = 0; k < i; k++)
			check_that(!mem_str_eq(p->names[i].text, p->names[k].text));
}

/* Each node is bound once, each edge counts once. */
static void
check_plan(const struct mem_graph_pattern *p)
{
	struct match_plan plan;
	size_t edges = 0;
	bool bound[MEM_GRAPH_PATTERN_NODES] = { false };
	match_plan_make(&plan, p);
	check_that(plan.nlevels == p->nnodes && plan.last_shown < plan.nlevels);
	for (size_t i = 0; i < plan.nlevels; i++) {
		const struct match_level *l = &plan.levels[i];
		check_that(!bound[l->node]);
		bound[l->node] = true;
		edges += l->nchecks + (l->edge != MATCH_NO_EDGE);
		check_that(l->edge == MATCH_NO_EDGE || (bound[p->edges[l->edge].from] && bound[p->edges[l->edge].to]));
	}
	check_that(edges == p->nedges);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_str text = { (const char *)data, size };
	struct mem_arena arena = { 0 };
	struct mem_graph_pattern p, again;
	struct mem_err err, second;
	enum mem_status st = mem_graph_pattern_read(&p, &arena, text, &err);
	check_that(st == mem_graph_pattern_read(&again, &arena, text, &second));
	if (st == MEM_OK) {
		check_that(p.nnodes == again.nnodes && p.nedges == again.nedges);
		check_pattern(&p);
		check_plan(&p);
	} else
		check_that(st == MEM_USAGE && strcmp(err.msg, second.msg) == 0 &&
		    strtoul(err.msg + strlen("pattern, column "), NULL, 10) <= mem_graph_pattern_column(text, size));
	mem_arena_release(&arena);
	return 0;
}
