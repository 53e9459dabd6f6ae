/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spreading: potentials worked out by hand on small graphs, and on random graphs those of a sum over a list of edges, hop
 * by hop; a store with nodes that nobody may see spreads like one without them.
 */
#include "graph_world.h"

#include "graph/spread.h"

#include <math.h>

enum { NODES = 400, EDGES = 3000 };
static struct world_node nodes[NODES];
static struct world_edge edges[EDGES];
static struct world world = { .nodes = nodes, .edges = edges };

/* Begins an empty graph of n nodes, whose ids rise with their numbers. */
static void
begin_graph(uint32_t n)
{
	static uint64_t graphs;
	graphs++;
	world.nnodes = n;
	world.nedges = 0;
	for (uint32_t i = 0; i < n; i++) {
		nodes[i] = world_node_plain(1);
		mem_be64(nodes[i].id.b, graphs);
		mem_be64(nodes[i].id.b + 8, i);
	}
}

static struct world_edge *
link_nodes(uint32_t from, uint32_t to, double weight)
{
	struct world_edge *e = &edges[world.nedges++];
	*e = world_edge_plain(from, to);
	e->weight = weight;
	return e;
}

static void
put_graph(void)
{
	ASSERT_OK(mem_store_write(store, world_put, &world, &err));
}

static struct mem_spread found;
static struct mem_spread_index by_id;

static void
spread_from(const struct mem_spread_options *o, const uint32_t *seeds, size_t n)
{
	struct mem_id ids[NODES];
	for (size_t i = 0; i < n; i++)
		ids[i] = nodes[seeds[i]].id;
	ASSERT_OK(mem_spread_run(&found, store, o, ids, n, &err));
	mem_spread_index_make(&by_id, &found);
}

static void
forget_spread(void)
{
	mem_spread_index_release(&by_id);
	mem_spread_release(&found);
}

static double
potential_of(uint32_t node)
{
	const struct mem_spread_node *n = mem_spread_find(&by_id, &nodes[node].id);
	return n != NULL ? n->potential : 0;
}

static bool
node_fires(uint32_t node)
{
	const struct mem_spread_node *n = mem_spread_find(&by_id, &nodes[node].id);
	return n != NULL && n->fires;
}

static const struct mem_spread_options plain = MEM_SPREAD_OPTIONS_INIT;
static const uint32_t zero[] = { 0 };

#define ASSERT_POTENTIAL(node, value) do { \
	if (fabs(potential_of(node) - (value)) > 6e-7) \
		fail_msg("node %d has %.9f, not %.9f", (int)(node), potential_of(node), (double)(value)); \
} while (0)

/* ---- by hand --------------------------------------------------------------- */

static void
a_signal_leaks_along_a_chain(void **state)
{
	(void)state;
	begin_graph(6);
	link_nodes(0, 1, .9);
	for (uint32_t i = 1; i < 5; i++)
		link_nodes(i, i + 1, 1);
	put_graph();
	spread_from(&plain, zero, 1);
	ASSERT_POTENTIAL(0, 1);
	ASSERT_POTENTIAL(1, .765);
	ASSERT_POTENTIAL(2, .65025);
	ASSERT_POTENTIAL(3, .5527125);
	ASSERT_POTENTIAL(4, 0);
	assert_true(node_fires(0) && node_fires(1) && node_fires(2) && node_fires(3));
	assert_int_equal(found.n, 4);
	forget_spread();
}

static void
paths_of_a_diamond_add_up(void **state)
{
	(void)state;
	begin_graph(5);
	link_nodes(0, 1, .6);
	link_nodes(0, 2, .5);
	link_nodes(1, 3, .8);
	link_nodes(2, 3, .4);
	link_nodes(0, 3, .1);
	link_nodes(3, 4, 1);
	put_graph();
	spread_from(&plain, zero, 1);
	ASSERT_POTENTIAL(1, .51);
	ASSERT_POTENTIAL(2, .425);
	/* .085 in the first hop, .51 * .8 * .85 + .425 * .4 * .85 = .4913 in the second. */
	ASSERT_POTENTIAL(3, .5763);
	/* What arrived at 3 in each hop goes on by itself. */
	ASSERT_POTENTIAL(4, .489855);
	assert_true(node_fires(1) && !node_fires(2) && node_fires(3) && !node_fires(4));
	/* By potential. */
	static const uint32_t order[] = { 0, 3, 1, 4, 2 };
	for (size_t i = 0; i < MEM_COUNT(order); i++)
		assert_int_equal(mem_id_cmp(&found.nodes[i].id, &nodes[order[i]].id), 0);
	forget_spread();
}

static void
a_cycle_ends_with_the_hops(void **state)
{
	(void)state;
	struct mem_spread_options o = plain;
	begin_graph(2);
	link_nodes(0, 1, 1);
	link_nodes(1, 0, 1);
	put_graph();
	spread_from(&plain, zero, 1);
	ASSERT_POTENTIAL(1, .85 + .614125);
	ASSERT_POTENTIAL(0, 1 + .7225);
	forget_spread();
	o.hops = 1;
	spread_from(&o, zero, 1);
	ASSERT_POTENTIAL(0, 1);
	ASSERT_POTENTIAL(1, .85);
	forget_spread();
}

/* A thousand nodes in a circle, more hops than anybody may ask for. */
static void
an_edge_to_itself_and_a_long_circle_end(void **state)
{
	(void)state;
	struct mem_spread_options o = plain;
	begin_graph(2);
	link_nodes(0, 1, .5);
	link_nodes(1, 1, 1)->bidirectional = true; /* stands in both tables, and leads both ways to the same place */
	put_graph();
	spread_from(&plain, zero, 1);
	ASSERT_POTENTIAL(1, .425 + .36125);
	forget_spread();
	/* What has gone round goes on, what comes back by another edge goes round anew. */
	begin_graph(3);
	link_nodes(0, 0, 1);
	link_nodes(0, 1, .5);
	link_nodes(1, 0, .4);
	put_graph();
	spread_from(&plain, zero, 1);
	ASSERT_POTENTIAL(0, 1 + .85 + .1445 + .1445 * .85 + .1445 * .85);
	ASSERT_POTENTIAL(1, .425 + .36125 + .0614125);
	forget_spread();
	begin_graph(NODES);
	for (uint32_t i = 0; i < NODES; i++)
		link_nodes(i, (i + 1) % NODES, 1);
	put_graph();
	o.hops = MEM_SPREAD_HOPS_MAX;
	o.leak = 1;
	spread_from(&o, zero, 1);
	assert_int_equal(found.n, MEM_SPREAD_HOPS_MAX + 1);
	forget_spread();
}

static void
what_is_too_small_goes_no_further(void **state)
{
	(void)state;
	begin_graph(8);
	link_nodes(0, 1, .023529); /* .01999965, printed .02: it is passed on */
	link_nodes(1, 2, 1);
	link_nodes(0, 3, .0235); /* .019975: it is not, but it arrived */
	link_nodes(3, 4, 1);
	link_nodes(0, 5, 0);     /* nothing */
	link_nodes(5, 6, 1);
	put_graph();
	spread_from(&plain, zero, 1);
	ASSERT_POTENTIAL(1, .02);
	ASSERT_POTENTIAL(2, .017);
	ASSERT_POTENTIAL(3, .019975);
	ASSERT_POTENTIAL(4, 0);
	ASSERT_POTENTIAL(5, 0);
	ASSERT_POTENTIAL(6, 0);
	forget_spread();
	/* Two that are too small by themselves are one that is not. */
	begin_graph(4);
	link_nodes(0, 2, .0125);
	link_nodes(1, 2, .0125);
	link_nodes(2, 3, 1);
	put_graph();
	spread_from(&plain, (const uint32_t[]){ 1, 0, 1 }, 3);
	ASSERT_POTENTIAL(0, 1);
	ASSERT_POTENTIAL(2, .02125);
	ASSERT_POTENTIAL(3, .0180625);
	forget_spread();
}

static void
the_threshold_is_met_as_printed(void **state)
{
	(void)state;
	begin_graph(4);
	link_nodes(0, 1, .588235); /* .49999975 */
	link_nodes(0, 2, .588234); /* .4999989 */
	put_graph();
	spread_from(&plain, zero, 1);
	ASSERT_POTENTIAL(1, .5);
	ASSERT_POTENTIAL(2, .499999);
	assert_true(node_fires(1) && !node_fires(2));
	forget_spread();
}

static void
edges_lead_one_way_unless_they_lead_both(void **state)
{
	(void)state;
	begin_graph(4);
	link_nodes(1, 0, 1);
	link_nodes(2, 0, .8)->bidirectional = true;
	link_nodes(0, 3, .5)->bidirectional = true;
	put_graph();
	spread_from(&plain, zero, 1);
	ASSERT_POTENTIAL(1, 0);
	/* Out, back and out again: .68 in the first hop; 0 gets .68 * .68 + .425 * .425 in the second. */
	ASSERT_POTENTIAL(2, .68 + (.4624 + .180625) * .68);
	ASSERT_POTENTIAL(3, .425 + .27328562);
	forget_spread();
}

/* Nodes: a tag, its category, the super_concepts of both, another tag of the category. */
static void
signals_climb_a_taxonomy(void **state)
{
	(void)state;
	begin_graph(5);
	link_nodes(1, 0, .9)->kind = "uses_tag";
	link_nodes(1, 4, 1)->kind = "uses_tag";
	link_nodes(0, 2, .8)->kind = "maps_to_concept";
	link_nodes(1, 3, 1)->kind = "maps_to_concept";
	put_graph();
	spread_from(&plain, zero, 1);
	ASSERT_POTENTIAL(1, .765);
	ASSERT_POTENTIAL(2, .68);
	ASSERT_POTENTIAL(3, .65025);
	ASSERT_POTENTIAL(4, 0);
	forget_spread();
}

static void
some_kinds_carry_nothing_unless_they_are_named(void **state)
{
	(void)state;
	struct mem_spread_options o = plain;
	const char *of[] = { "derived_from", "about" };
	begin_graph(4);
	link_nodes(0, 1, 1)->kind = "derived_from";
	link_nodes(0, 2, 1)->kind = "about";
	link_nodes(0, 3, 1)->kind = "mentions";
	put_graph();
	spread_from(&plain, zero, 1);
	assert_true(potential_of(1) == 0 && potential_of(2) > 0 && potential_of(3) > 0);
	forget_spread();
	o.edges_of = (struct mem_words){ .v = of, .n = 2 };
	spread_from(&o, zero, 1);
	assert_true(potential_of(1) > 0 && potential_of(2) > 0 && potential_of(3) == 0);
	forget_spread();
}

static void
nothing_comes_of_nothing(void **state)
{
	(void)state;
	begin_graph(1);
	spread_from(&plain, zero, 0);
	assert_int_equal(found.n, 0);
	forget_spread();
	spread_from(&plain, zero, 1); /* of a node that is not there */
	assert_int_equal(found.n, 0);
	forget_spread();
}

static void
the_strongest_paths_are_told(void **state)
{
	(void)state;
	struct mem_spread_options o = plain;
	o.paths = true;
	begin_graph(24);
	link_nodes(0, 1, .6);
	link_nodes(0, 2, .5);
	link_nodes(1, 3, .8)->kind = "about";
	link_nodes(2, 3, .4);
	link_nodes(0, 3, .1);
	for (uint32_t i = 0; i < 10; i++) {
		link_nodes(0, 4 + i, .1 + i / 100.0);
		link_nodes(4 + i, 20, 1);
	}
	put_graph();
	spread_from(&o, zero, 1);
	const struct mem_spread_node *n = mem_spread_find(&by_id, &nodes[3].id);
	assert_int_equal(n->npaths, 3);
	assert_true(n->all_paths == 3);
	double sum = 0;
	for (size_t i = 0; i < n->npaths; i++)
		sum += n->paths[i].signal;
	assert_true(fabs(sum - n->potential) < 1e-6);
	assert_int_equal(n->paths[0].n, 3);
	assert_null(n->paths[0].links[0].kind);
	assert_int_equal(mem_id_cmp(&n->paths[0].links[0].id, &nodes[0].id), 0);
	assert_int_equal(mem_id_cmp(&n->paths[0].links[1].id, &nodes[1].id), 0);
	assert_string_equal(n->paths[0].links[1].kind, "references");
	assert_string_equal(n->paths[0].links[2].kind, "about");
	assert_true(fabs(n->paths[0].links[2].weight - .8) < 1e-9);
	assert_int_equal(n->paths[1].n, 3);
	assert_int_equal(n->paths[2].n, 2);
	/* Of many the strongest. */
	n = mem_spread_find(&by_id, &nodes[20].id);
	assert_int_equal(n->npaths, MEM_SPREAD_PATHS_MAX);
	assert_true(n->all_paths == 10);
	for (uint32_t i = 0; i < MEM_SPREAD_PATHS_MAX; i++)
		assert_int_equal(mem_id_cmp(&n->paths[i].links[1].id, &nodes[13 - i].id), 0);
	/* A seed's own charge is a path of no edge. */
	n = mem_spread_find(&by_id, &nodes[0].id);
	assert_int_equal(n->npaths, 1);
	assert_int_equal(n->paths[0].n, 1);
	forget_spread();
}

/* ---- random graphs ----------------------------------------------------------- */

static uint64_t seed = 11;

static uint32_t
roll_number(uint32_t n)
{
	return (uint32_t)(mix(seed++) % n);
}

static double
round_six(double v)
{
	return rint(v * 1e6) / 1e6;
}

/* One hop over the list of edges; looped: of what arrived, that by edges from a node to itself. */
static void
spread_list(const double *sends, double *arrives, double *looped, const bool *there, double leak)
{
	double sent_round[NODES];
	for (size_t i = 0; i < world.nnodes; i++) {
		sent_round[i] = sends[i] > 0 ? sends[i] - looped[i] : 0;
		arrives[i] = looped[i] = 0;
	}
	for (size_t i = 0; i < world.nedges; i++) {
		const struct world_edge *e = &edges[i];
		if (!there[e->from] || !there[e->to])
			continue;
		double carried = (e->from != e->to ? sends : sent_round)[e->from] * e->weight * leak;
		arrives[e->to] += carried;
		looped[e->to] += e->from == e->to ? carried : 0;
		if (e->bidirectional && e->from != e->to)
			arrives[e->from] += sends[e->to] * e->weight * leak;
	}
}

static void
make_random_graph(uint32_t nnodes, uint32_t nedges)
{
	static bool pairs[NODES][NODES];
	memset(pairs, 0, sizeof pairs);
	begin_graph(nnodes);
	for (uint32_t i = 0; i < nnodes; i++) {
		nodes[i].ns = roll_number(5) == 0 ? "agent:bob" : "global";
		nodes[i].status = roll_number(8) == 0 ? "superseded" : "active";
	}
	while (nedges-- > 0) {
		uint32_t from = roll_number(nnodes), to = roll_number(nnodes);
		if (pairs[from][to])
			continue;
		pairs[from][to] = true;
		link_nodes(from, to, roll_number(101) / 100.0)->bidirectional = roll_number(4) == 0;
	}
}

static void
it_is_a_sum_over_all_edges(void **state)
{
	(void)state;
	for (int round = 0; round < 60; round++) {
		double sends[NODES] = { 0 }, arrives[NODES], looped[NODES] = { 0 }, want[NODES] = { 0 };
		bool there[NODES];
		uint32_t seeds[10], nseeds = 1 + roll_number(10);
		struct mem_spread_options o = plain;
		o.leak = roll_number(11) / 10.0;
		o.hops = 1 + roll_number(4);
		make_random_graph(2 + roll_number(NODES / (1 + roll_number(20)) - 2), roll_number(EDGES));
		put_graph();
		for (size_t i = 0; i < world.nnodes; i++)
			there[i] = strcmp(nodes[i].ns, "global") == 0 && strcmp(nodes[i].status, "active") == 0;
		for (uint32_t i = 0; i < nseeds; i++) {
			seeds[i] = roll_number((uint32_t)world.nnodes);
			sends[seeds[i]] = want[seeds[i]] = there[seeds[i]];
		}
		for (uint32_t hop = 0; hop < o.hops; hop++) {
			spread_list(sends, arrives, looped, there, o.leak);
			for (size_t i = 0; i < world.nnodes; i++) {
				want[i] += arrives[i];
				sends[i] = round_six(arrives[i]) >= o.least_signal ? arrives[i] : 0;
			}
		}
		spread_from(&o, seeds, nseeds);
		size_t n = 0;
		for (uint32_t i = 0; i < world.nnodes; i++) {
			ASSERT_POTENTIAL(i, want[i]);
			n += potential_of(i) > 0;
		}
		assert_int_equal(found.n, n);
		for (size_t i = 1; i < found.n; i++)
			assert_true(found.nodes[i - 1].potential > found.nodes[i].potential || (found.nodes[i - 1].potential == found.nodes[i].potential
			    && mem_id_cmp(&found.nodes[i - 1].id, &found.nodes[i].id) < 0));
		forget_spread();
	}
}

static void
it_gives_the_same_bits_again(void **state)
{
	(void)state;
	const uint32_t seeds[] = { 0, 1, 2 };
	make_random_graph(NODES, EDGES);
	put_graph();
	spread_from(&plain, seeds, 3);
	struct mem_spread first = found;
	mem_spread_index_release(&by_id);
	found = (struct mem_spread){ 0 };
	for (int i = 0; i < 3; i++) {
		spread_from(&plain, seeds, 3);
		assert_int_equal(found.n, first.n);
		for (size_t k = 0; k < first.n; k++)
			assert_true(found.nodes[k].potential == first.nodes[k].potential && mem_id_cmp(&found.nodes[k].id, &first.nodes[k].id) == 0);
		forget_spread();
	}
	mem_spread_release(&first);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_leaks_along_a_chain),
		cmocka_unit_test(paths_of_a_diamond_add_up),
		cmocka_unit_test(a_cycle_ends_with_the_hops),
		cmocka_unit_test(an_edge_to_itself_and_a_long_circle_end),
		cmocka_unit_test(what_is_too_small_goes_no_further),
		cmocka_unit_test(the_threshold_is_met_as_printed),
		cmocka_unit_test(edges_lead_one_way_unless_they_lead_both),
		cmocka_unit_test(signals_climb_a_taxonomy),
		cmocka_unit_test(some_kinds_carry_nothing_unless_they_are_named),
		cmocka_unit_test(nothing_comes_of_nothing),
		cmocka_unit_test(the_strongest_paths_are_told),
		cmocka_unit_test(it_is_a_sum_over_all_edges),
		cmocka_unit_test(it_gives_the_same_bits_again),
	};
	return cmocka_run_group_tests_name("spread", tests, world_setup, world_teardown);
}
