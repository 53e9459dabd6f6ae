/* SPDX-License-Identifier: Apache-2.0 */
/* Paths against a list of all simple paths, on small random graphs and with random options. */
#include "graph_random.h"

#include "graph/copy.h"
#include "graph/paths.h"

#include <math.h>

enum { FEW = 9, PATHS_MAX = 200000 };

/* The best edge of each pair: what it costs; UINT64_MAX: there is none. */
static uint64_t costs[FEW][FEW];
static struct listed_path {
	uint64_t cost;
	uint32_t hops;
	uint8_t nodes[FEW];        /* numbers in the copy, whose order is that of their ids */
} listed[PATHS_MAX];
static uint8_t trail[FEW];
static size_t nlisted;

static uint64_t
cost_of(double left, bool weighted)
{
	if (!weighted)
		return 1;
	return left > 0 ? (uint64_t)llrint(-log(left) * 0x1p32) : UINT64_MAX;
}

static void
lower_cost(size_t a, size_t b, uint64_t cost)
{
	if (cost < costs[a][b])
		costs[a][b] = cost;
}

static void
read_costs(const struct mem_graph_copy *c, const struct mem_path_options *o)
{
	memset(costs, 0xff, sizeof costs);
	for (size_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++) {
			uint64_t cost = cost_of((double)c->weight[e] * (double)c->confidence[e], o->weighted);
			bool both = c->flags[e] != 0;
			if (o->direction != MEM_WALK_IN || both)
				lower_cost(v, c->to[e], cost);
			if (o->direction != MEM_WALK_OUT || both)
				lower_cost(c->to[e], v, cost);
		}
}

static void
list_paths(size_t n, uint32_t at_node, uint32_t end, uint64_t cost, uint32_t hops, uint32_t hops_max, unsigned visited)
{
	trail[hops] = (uint8_t)at_node;
	if (at_node == end) {
		assert_true(nlisted < PATHS_MAX);
		listed[nlisted] = (struct listed_path){ .cost = cost, .hops = hops };
		memcpy(listed[nlisted++].nodes, trail, hops + 1);
		return;
	}
	for (uint32_t next = 0; next < n && (hops_max == 0 || hops < hops_max); next++)
		if (costs[at_node][next] != UINT64_MAX && (visited >> next & 1) == 0)
			list_paths(n, next, end, cost + costs[at_node][next], hops + 1, hops_max, visited | 1U << next);
}

static int
compare_listed(const void *a, const void *b)
{
	const struct listed_path *x = a, *y = b;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	if (x->hops != y->hops)
		return x->hops < y->hops ? -1 : 1;
	return memcmp(x->nodes, y->nodes, x->hops + 1);
}

/* Edge after edge joins the nodes; no node comes twice. */
static uint64_t
check_path(const struct mem_path *p, bool weighted)
{
	uint64_t cost = 0;
	double weight = 1;
	for (size_t i = 0; i < p->nedges; i++) {
		const struct mem_path_edge *e = &p->edges[i];
		bool along = mem_id_cmp(&e->from, &p->ids[i]) == 0 && mem_id_cmp(&e->to, &p->ids[i + 1]) == 0;
		bool against = mem_id_cmp(&e->to, &p->ids[i]) == 0 && mem_id_cmp(&e->from, &p->ids[i + 1]) == 0;
		assert_true(along || against);
		cost += cost_of(e->weight * e->confidence, weighted);
		weight *= e->weight * e->confidence;
		for (size_t k = 0; k <= i; k++)
			assert_int_not_equal(mem_id_cmp(&p->ids[k], &p->ids[i + 1]), 0);
	}
	assert_true(weight == p->weight);
	return cost;
}

static bool
is_same_path(const struct mem_path *a, const struct mem_path *b)
{
	return a->nedges == b->nedges && memcmp(a->ids, b->ids, (a->nedges + 1) * sizeof *a->ids) == 0;
}

static void
compare_paths(const struct mem_graph_copy *c, const struct mem_path_options *o, const struct mem_id *from, const struct mem_id *to)
{
	struct mem_paths p;
	ASSERT_OK(mem_paths_find(&p, store, o, from, to, &err));
	assert_int_equal(p.n, nlisted < o->k ? nlisted : o->k);
	for (size_t i = 0; i < p.n; i++) {
		assert_int_equal(check_path(&p.v[i], o->weighted), listed[i].cost);
		assert_int_equal(p.v[i].nedges, listed[i].hops);
		for (size_t k = 0; k <= p.v[i].nedges; k++)
			assert_int_equal(mem_id_cmp(&p.v[i].ids[k], &c->ids[listed[i].nodes[k]]), 0);
	}
	/* The walk finds the same first path as the copy. */
	struct mem_path_options one = *o;
	struct mem_paths first;
	one.k = o->k == 1 ? 2 : 1;
	ASSERT_OK(mem_paths_find(&first, store, &one, from, to, &err));
	assert_int_equal(first.n > 0, p.n > 0);
	if (p.n > 0) {
		assert_true(is_same_path(&first.v[0], &p.v[0]));
		for (size_t i = 0; i < p.v[0].nedges; i++) {
			assert_string_equal(first.v[0].edges[i].kind, p.v[0].edges[i].kind);
			assert_int_equal(mem_id_cmp(&first.v[0].edges[i].from, &p.v[0].edges[i].from), 0);
			assert_true(first.v[0].edges[i].confidence == p.v[0].edges[i].confidence);
		}
	}
	mem_paths_release(&first);
	mem_paths_release(&p);
}

static struct mem_path_options
make_path_options(void)
{
	struct mem_path_options o = MEM_PATH_OPTIONS_INIT;
	o.direction = (enum mem_walk_direction)roll_number(3);
	o.edges_of = (struct mem_words){ (const char **)(uintptr_t)edge_kinds, roll_number(4) == 0 ? 1 + roll_number(2) : 0 };
	o.least_weight = roll_number(4) == 0 ? roll_number(10) / 10.0 : 0;
	o.as_of = roll_number(3) > 0 ? MEM_TIME_NONE : world_now + ((int64_t)roll_number(100) - 50) * 86400000;
	o.weighted = roll_number(2) == 0;
	o.hops = roll_number(2) == 0 ? 0 : 1 + roll_number(5);
	o.k = roll_number(3) == 0 ? 1 : 1 + roll_number(40);
	return o;
}

static void
compare_random_paths(void)
{
	const struct mem_path_options o = make_path_options();
	const struct mem_graph_copy_options copy = { .edges_of = o.edges_of, .least_weight = o.least_weight, .as_of = o.as_of, .orphans = true };
	struct mem_graph_copy *c = NULL;
	ASSERT_OK(mem_graph_copy_make(&c, store, &copy, &err));
	const struct mem_id *from = &nodes[roll_number((uint32_t)world.nnodes)].id, *to = &nodes[roll_number((uint32_t)world.nnodes)].id;
	uint32_t a, b;
	nlisted = 0;
	read_costs(c, &o);
	if (mem_graph_copy_find(c, from, &a) == MEM_OK && mem_graph_copy_find(c, to, &b) == MEM_OK)
		list_paths(c->nnodes, a, b, 0, 0, o.hops, 1U << a);
	qsort(listed, nlisted, sizeof *listed, compare_listed);
	compare_paths(c, &o, from, to);
	mem_graph_copy_free(c);
}

static void
test_random_paths(void **state)
{
	size_t found = 0;
	(void)state;
	for (uint64_t g = 0; g < 120; g++) {
		seed = g << 32;
		make_graph(2 + roll_number(FEW - 1), roll_number(50));
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		for (int i = 0; i < 40; i++) {
			compare_random_paths();
			found += nlisted;
		}
		empty_store();
	}
	assert_true(found > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random_paths, world_setup, world_teardown),
	};
	return cmocka_run_group_tests_name("graph_paths", tests, NULL, NULL);
}
