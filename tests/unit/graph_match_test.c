/* SPDX-License-Identifier: Apache-2.0 */
/* Matches on random graphs against all ways to give the pattern's nodes, and edges with a name, those of the graph. */
#include "graph_random.h"

#include "graph/copy.h"
#include "graph/matches.h"

enum { SMALL = 9, EDGES_SMALL = 26, TUPLES_MAX = 600000 };

static const char *const patterns[] = {
	"(a)-->(b)", "(a:page)<-[about]-(b:tag|entity)", "(a)-[supports|mentions]-(b)", "(a)-[*2]->(b)", "(a)-[*2..3]-(b:page)",
	"(a)-[about*..3]->(b)<--(c)", "(a)-->()-->(b)", "()-->(a)", "(a)-->(a)", "(a)-[*2..4]->(a)", "(a)-->(b)-->(c)-->(a)",
	"(a), (b:tag)", "(a)--()--(b), (a)-->(b)", "(a)-->(), ()<-[*2]-(b:entity)", "(a:page {kind:\"page\"})-->(b {ns:\"global\"})",
	"(a {kind:\"tag\"})", "(a)<-[*3..3]-(b)", "(a)-[*]->(b)", "(a)-[about|supports*2..]-(b)", "(a)<-[about*3..]-()-->(b:tag)",
	"(a)-[e:]->(b)", "()-[e:about]-()", "(a)-[e:about|mentions]-()", "(a)<-[e:]-(a)", "(a)-[e:]-(a)", "(a)-[e:]->()<-[f:]-(b)",
	"(a)-[e:]-()-[f:]-(a)", "()<-[e:supports]-(), (a:tag)-->()",
};

static struct mem_graph_copy *whole;
static struct mem_graph_pattern pattern;
static uint8_t ends_of[MEM_GRAPH_PATTERN_NODES][SMALL][SMALL]; /* by edge: is there a way from one node to another? */

/* ---- by the definition ------------------------------------------------------ */

static bool
is_kind_wanted(const struct mem_graph_pattern_edge *e, const char *kind)
{
	bool wanted = e->kinds.n == 0;
	for (size_t i = 0; i < e->kinds.n; i++)
		wanted = wanted || strcmp(e->kinds.v[i], kind) == 0;
	return wanted;
}

/* One step of an edge of the pattern, from row to column. */
static void
fill_single_steps(const struct mem_graph_pattern_edge *e, uint8_t one[SMALL][SMALL])
{
	memset(one, 0, sizeof(uint8_t[SMALL][SMALL]));
	for (size_t v = 0; v < whole->nnodes; v++)
		for (size_t i = whole->first[v]; i < whole->first[v + 1]; i++) {
			bool both = e->direction == MEM_WALK_BOTH || (whole->flags[i] & MEM_GRAPH_EDGE_BIDIRECTIONAL) != 0;
			if (!is_kind_wanted(e, whole->kind_names[whole->kind[i]]))
				continue;
			if (both || e->direction == MEM_WALK_OUT)
				one[v][whole->to[i]] = 1;
			if (both || e->direction == MEM_WALK_IN)
				one[whole->to[i]][v] = 1;
		}
}

static void
fill_ways(size_t e)
{
	uint8_t one[SMALL][SMALL], now[SMALL][SMALL], next[SMALL][SMALL];
	fill_single_steps(&pattern.edges[e], one);
	memset(ends_of[e], 0, sizeof ends_of[e]);
	memcpy(now, one, sizeof now);
	/* What a longer way leads to a shorter one without its cycles does. */
	for (uint32_t length = 1; length <= pattern.edges[e].most && length <= pattern.edges[e].least + SMALL; length++) {
		memset(next, 0, sizeof next);
		for (size_t a = 0; a < SMALL; a++)
			for (size_t b = 0; b < SMALL; b++) {
				ends_of[e][a][b] |= now[a][b] && length >= pattern.edges[e].least;
				for (size_t k = 0; k < SMALL; k++)
					next[a][b] |= now[a][k] && one[k][b];
			}
		memcpy(now, next, sizeof now);
	}
}

static const struct world_node *
world_node_of(uint32_t v)
{
	for (size_t i = 0; i < world.nnodes; i++)
		if (mem_id_cmp(&nodes[i].id, &whole->ids[v]) == 0)
			return &nodes[i];
	return NULL;
}

static bool
is_fit(const uint32_t *places)
{
	for (size_t i = 0; i < pattern.nnodes; i++) {
		const struct mem_graph_pattern_node *n = &pattern.nodes[i];
		const struct world_node *w = world_node_of(places[i]);
		if (!mem_kind_set_empty(&n->kinds) && !mem_kind_set_has(&n->kinds, whole->kinds[places[i]]))
			return false;
		for (size_t k = 0; k < n->nconditions; k++)
			if (!mem_str_is(n->conditions[k].text, strcmp(n->conditions[k].field, "ns") == 0 ? w->ns : w->kind))
				return false;
		for (size_t k = 0; k < i; k++)
			if (places[i] == places[k] && n->name.n > 0 && pattern.nodes[k].name.n > 0)
				return false;
	}
	for (size_t e = 0; e < pattern.nedges; e++)
		if (!ends_of[e][places[pattern.edges[e].from]][places[pattern.edges[e].to]])
			return false;
	return true;
}

/* The named nodes and edges as one number. */
static uint32_t
pack_tuple(const uint32_t *places, const uint32_t *chosen)
{
	uint32_t tuple = 0;
	for (size_t i = 0; i < pattern.nnodes; i++)
		if (pattern.nodes[i].name.n > 0)
			tuple = tuple * SMALL + places[i];
	for (size_t e = 0; e < pattern.nedges; e++)
		if (pattern.edges[e].name.n > 0)
			tuple = tuple * EDGES_SMALL + chosen[e];
	assert_true(tuple < TUPLES_MAX);
	return tuple;
}

/* May edge `i` of the graph, which leaves node v, stand for edge `e` between these two? */
static bool
is_edge_fit(size_t e, uint32_t v, size_t i, uint32_t from, uint32_t to)
{
	const struct mem_graph_pattern_edge *x = &pattern.edges[e];
	bool both = x->direction == MEM_WALK_BOTH || (whole->flags[i] & MEM_GRAPH_EDGE_BIDIRECTIONAL) != 0;
	bool along = v == from && whole->to[i] == to, against = v == to && whole->to[i] == from;
	return is_kind_wanted(x, whole->kind_names[whole->kind[i]]) &&
	    (((both || x->direction == MEM_WALK_OUT) && along) || ((both || x->direction == MEM_WALK_IN) && against));
}

/* Marks each choice of edges with a name, from edge `e` of the pattern on; the number of those that are new. */
static size_t
mark_choices(uint8_t *wanted, const uint32_t *places, uint32_t *chosen, size_t e)
{
	size_t n = 0;
	while (e < pattern.nedges && pattern.edges[e].name.n == 0)
		e++;
	if (e == pattern.nedges) {
		uint32_t tuple = pack_tuple(places, chosen);
		n = wanted[tuple] == 0;
		wanted[tuple] = 1;
		return n;
	}
	for (uint32_t v = 0; v < whole->nnodes; v++)
		for (size_t i = whole->first[v]; i < whole->first[v + 1]; i++) {
			bool taken = false;
			for (size_t k = 0; k < e; k++)
				taken = taken || (pattern.edges[k].name.n > 0 && chosen[k] == i);
			chosen[e] = (uint32_t)i;
			if (!taken && is_edge_fit(e, v, i, places[pattern.edges[e].from], places[pattern.edges[e].to]))
				n += mark_choices(wanted, places, chosen, e + 1);
		}
	return n;
}

static size_t
count_by_definition(uint8_t *wanted)
{
	uint32_t places[MEM_GRAPH_PATTERN_NODES] = { 0 }, chosen[MEM_GRAPH_PATTERN_NODES] = { 0 };
	size_t n = 0;
	memset(wanted, 0, TUPLES_MAX);
	for (size_t e = 0; e < pattern.nedges; e++)
		fill_ways(e);
	for (size_t i = 0; i < pattern.nnodes && whole->nnodes > 0;) {
		if (is_fit(places))
			n += mark_choices(wanted, places, chosen, 0);
		for (i = 0; i < pattern.nnodes && ++places[i] == whole->nnodes; i++)
			places[i] = 0;
	}
	return n;
}

/* ---- against the search -------------------------------------------------------- */

/* The number in the copy of an edge that a match has. */
static uint32_t
find_match_edge(const struct mem_match_edge *x)
{
	uint32_t from, to;
	ASSERT_OK(mem_graph_copy_find(whole, &x->from, &from));
	ASSERT_OK(mem_graph_copy_find(whole, &x->to, &to));
	for (size_t i = whole->first[from]; i < whole->first[from + 1]; i++)
		if (whole->to[i] == to && strcmp(whole->kind_names[whole->kind[i]], x->kind) == 0 &&
		    x->weight == (double)whole->weight[i] && x->confidence == (double)whole->confidence[i])
			return (uint32_t)i;
	fail_msg("no such edge");
	return 0;
}

static uint32_t
pack_match(const struct mem_graph_match *match)
{
	uint32_t places[MEM_GRAPH_PATTERN_NODES], chosen[MEM_GRAPH_PATTERN_NODES];
	for (size_t i = 0; i < pattern.nnodes; i++)
		if (pattern.nodes[i].name.n > 0)
			ASSERT_OK(mem_graph_copy_find(whole, &match->nodes[i], &places[i]));
	for (size_t e = 0; e < pattern.nedges; e++)
		if (pattern.edges[e].name.n > 0)
			chosen[e] = find_match_edge(&match->edges[e]);
	return pack_tuple(places, chosen);
}

static size_t
count_matches(const struct mem_match_options *o, uint8_t *wanted)
{
	struct mem_matches *m = NULL;
	struct mem_graph_match match;
	size_t n = 0;
	ASSERT_OK(mem_matches_open(&m, store, o, &err));
	enum mem_status st;
	for (; (st = mem_matches_next(m, &match, &err)) == MEM_OK; n++) {
		uint32_t tuple = pack_match(&match);
		assert_int_equal(wanted[tuple], 1);
		wanted[tuple] = 2;
	}
	assert_int_equal(st, MEM_END);
	assert_true(o->steps > 0 || !mem_matches_cut(m));
	mem_matches_free(m);
	return n;
}

static void
check_patterns(void)
{
	static uint8_t wanted[TUPLES_MAX];
	struct mem_arena a = { 0 };
	for (size_t i = 0; i < MEM_COUNT(patterns); i++) {
		struct mem_match_options o = MEM_MATCH_OPTIONS_INIT;
		ASSERT_OK(mem_graph_pattern_read(&pattern, &a, mem_str(patterns[i]), &err));
		o.pattern = &pattern;
		size_t n = count_by_definition(wanted);
		size_t found = count_matches(&o, wanted);
		if (found != n)
			fail_msg("%s: %zu matches instead of %zu", patterns[i], found, n);
	}
	mem_arena_release(&a);
}

static void
test_random_matches(void **state)
{
	(void)state;
	for (uint64_t g = 0; g < 60; g++) {
		const struct mem_graph_copy_options o = { .as_of = MEM_TIME_NONE, .orphans = true };
		seed = (g + 77) << 32;
		make_graph(2 + roll_number(SMALL - 1), 3 + roll_number(22));
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		ASSERT_OK(mem_graph_copy_make(&whole, store, &o, &err));
		check_patterns();
		mem_graph_copy_free(whole);
		empty_store();
	}
}

/* Every node leads to every other one: without a bound on steps sixteen of them would take for ever. */
static void
test_steps_end(void **state)
{
	struct mem_match_options o = MEM_MATCH_OPTIONS_INIT;
	struct mem_arena a = { 0 };
	struct mem_matches *m = NULL;
	struct mem_graph_match match;
	enum mem_status st;
	(void)state;
	world.nnodes = 40;
	world.nedges = 0;
	for (uint32_t i = 0; i < 40; i++)
		nodes[i] = world_node_plain(i);
	for (uint32_t i = 0; i < 40; i++)
		for (uint32_t k = 0; k < 40; k++)
			if (i != k && k != 7)
				edges[world.nedges++] = world_edge_plain(i, k);
	ASSERT_OK(mem_store_write(store, world_put, &world, &err));
	ASSERT_OK(mem_graph_pattern_read(&pattern, &a, mem_str("()-->()-->()-->()-->()-->(a {title:\"no\"}), ()-[*99]->(b)-->(a)"),
	    &err));
	o.pattern = &pattern;
	o.steps = 100000;
	ASSERT_OK(mem_matches_open(&m, store, &o, &err));
	assert_int_equal(mem_matches_next(m, &match, &err), MEM_END);
	assert_false(mem_matches_cut(m)); /* no node has that title */
	mem_matches_free(m);
	ASSERT_OK(mem_graph_pattern_read(&pattern, &a, mem_str("(a)-->(b)-->(c)-->(d)-->(e)-->(f)-->(g)-->(h)"), &err));
	ASSERT_OK(mem_matches_open(&m, store, &o, &err));
	while ((st = mem_matches_next(m, &match, &err)) == MEM_OK)
		continue;
	assert_int_equal(st, MEM_END);
	assert_true(mem_matches_cut(m));
	mem_matches_free(m);
	mem_arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random_matches, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_steps_end, world_setup, world_teardown),
	};
	return cmocka_run_group_tests_name("graph_match", tests, NULL, NULL);
}
