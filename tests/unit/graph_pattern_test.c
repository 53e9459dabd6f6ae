/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns as they are read, and where those are wrong that are none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/graph_pattern.h"

static struct mem_graph_pattern p;
static struct mem_arena arena;
static struct mem_err err;

static void
read_pattern(const char *text)
{
	mem_arena_reset(&arena);
	if (mem_graph_pattern_read(&p, &arena, mem_str(text), &err) != MEM_OK)
		fail_msg("%s: %s", text, err.msg);
}

static int
release_arena(void **state)
{
	(void)state;
	mem_arena_release(&arena);
	return 0;
}

static void
check_edge(size_t e, enum mem_walk_direction direction, uint32_t least, uint32_t most, size_t nkinds)
{
	assert_true(e < p.nedges);
	assert_int_equal(p.edges[e].direction, direction);
	assert_int_equal(p.edges[e].least, least);
	assert_int_equal(p.edges[e].most, most);
	assert_int_equal(p.edges[e].kinds.n, nkinds);
}

static void
test_arrows(void **state)
{
	(void)state;
	read_pattern("(a)-->(b)<--(c)--(d)-[x]->(e)<-[x|y_z]-(f)-[*2]-(g)-[x*1..3]->(h)<-[*..4]-(i)");
	assert_int_equal(p.nnodes, 9);
	assert_int_equal(p.nedges, 8);
	check_edge(0, MEM_WALK_OUT, 1, 1, 0);
	check_edge(1, MEM_WALK_IN, 1, 1, 0);
	check_edge(2, MEM_WALK_BOTH, 1, 1, 0);
	check_edge(3, MEM_WALK_OUT, 1, 1, 1);
	check_edge(4, MEM_WALK_IN, 1, 1, 2);
	check_edge(5, MEM_WALK_BOTH, 2, 2, 0);
	check_edge(6, MEM_WALK_OUT, 1, 3, 1);
	check_edge(7, MEM_WALK_IN, 1, 4, 0);
	assert_string_equal(p.edges[4].kinds.v[1], "y_z");
}

static void
test_lengths(void **state)
{
	(void)state;
	read_pattern("(a)-[*]->(b)-[x*..]->(c)-[* 2 .. ]->(d)-[*100]->(e)");
	check_edge(0, MEM_WALK_OUT, 1, MEM_GRAPH_PATTERN_ANY, 0);
	check_edge(1, MEM_WALK_OUT, 1, MEM_GRAPH_PATTERN_ANY, 1);
	check_edge(2, MEM_WALK_OUT, 2, MEM_GRAPH_PATTERN_ANY, 0);
	check_edge(3, MEM_WALK_OUT, 100, 100, 0);
}

static void
check_name(size_t i, const char *text, bool is_edge, size_t number)
{
	assert_true(i < p.nnames);
	assert_true(mem_str_is(p.names[i].text, text));
	assert_int_equal(p.names[i].is_edge, is_edge);
	assert_int_equal(p.names[i].number, number);
}

/* Names stand in the order in which they come up. */
static void
test_edge_names(void **state)
{
	(void)state;
	read_pattern("(a)-->(b)-[e:x|y]->(a)<-[ f : ]-(), (b)-[x]-(c)");
	assert_int_equal(p.nnames, 5);
	check_name(0, "a", false, 0);
	check_name(1, "b", false, 1);
	check_name(2, "e", true, 1);
	check_name(3, "f", true, 2);
	check_name(4, "c", false, 3);
	check_edge(1, MEM_WALK_OUT, 1, 1, 2);
	check_edge(2, MEM_WALK_IN, 1, 1, 0);
	assert_true(mem_str_is(p.edges[1].name, "e") && p.edges[0].name.n == 0);
	read_pattern("()-[e:]-()");
	assert_int_equal(p.nnames, 1);
}

static void
test_nodes(void **state)
{
	(void)state;
	read_pattern(" ( a : page | tag \"x\\\"\\u00e9\" { title : \"T\" , n : -1.5e3, on: true } ) ");
	assert_int_equal(p.nnodes, 1);
	assert_true(mem_str_is(p.nodes[0].name, "a"));
	assert_true(mem_kind_set_has(&p.nodes[0].kinds, MEM_KIND_PAGE) && mem_kind_set_has(&p.nodes[0].kinds, MEM_KIND_TAG));
	assert_true(mem_str_is(p.nodes[0].called, "x\"\303\251"));
	assert_int_equal(p.nodes[0].called_column, 19);
	assert_int_equal(p.nodes[0].nconditions, 3);
	assert_string_equal(p.nodes[0].conditions[0].field, "title");
	assert_true(mem_str_is(p.nodes[0].conditions[0].text, "T"));
	assert_int_equal(p.nodes[0].conditions[1].value.type, MEM_JSON_NUMBER);
	assert_int_equal(p.nodes[0].conditions[2].value.type, MEM_JSON_TRUE);
}

/* The same name is the same node, and what is said of it adds up; nodes without a name are several. */
static void
test_names(void **state)
{
	(void)state;
	read_pattern("(a:page|tag)-->(), ()-->(a:tag {x:1}), (a {y:2})-->(a)");
	assert_int_equal(p.nnodes, 3);
	assert_int_equal(p.edges[0].from, 0);
	assert_int_equal(p.edges[1].to, 0);
	assert_int_equal(p.edges[2].from, 0);
	assert_int_equal(p.edges[2].to, 0);
	assert_int_equal(p.nodes[0].nconditions, 2);
	assert_true(mem_kind_set_has(&p.nodes[0].kinds, MEM_KIND_TAG) && !mem_kind_set_has(&p.nodes[0].kinds, MEM_KIND_PAGE));
}

static void
check_refused(const char *text, size_t column, const char *what)
{
	char want[100];
	mem_arena_reset(&arena);
	snprintf(want, sizeof want, "pattern, column %zu: ", column);
	assert_int_equal(mem_graph_pattern_read(&p, &arena, mem_str(text), &err), MEM_USAGE);
	if (strncmp(err.msg, want, strlen(want)) != 0 || strstr(err.msg, what) == NULL)
		fail_msg("%s: %s, not column %zu with '%s'", text, err.msg, column, what);
}

static void
test_faults(void **state)
{
	(void)state;
	check_refused("", 1, "'(' expected");
	check_refused("a", 1, "'(' expected");
	check_refused("(a", 3, "')' expected");
	check_refused("(a b)", 4, "')' expected");
	check_refused("(a:)", 4, "kind of nodes");
	check_refused("(a:nothing)", 4, "kind of nodes");
	check_refused("(a:page), (a:tag)", 14, "another kind");
	check_refused("(9)", 2, "a name begins");
	check_refused("(a \"x\"), (a \"y\")", 13, "said elsewhere");
	check_refused("(a \"\")", 4, "empty string");
	check_refused("(a \"x)", 4, "a string in quotes");
	check_refused("(a {x})", 6, "':' expected");
	check_refused("(a {x:})", 7, "a string in quotes");
	check_refused("(a {x:null})", 7, "a string in quotes");
	check_refused("(a {x:[1]})", 7, "a string in quotes");
	check_refused("(a {x:1)", 8, "',' or '}'");
	check_refused("(a {})", 5, "the name of a field");
	check_refused("(a)(b)", 4, "an edge or ','");
	check_refused("(a),", 5, "'(' expected");
	check_refused("(a)-", 5, "'-' or '->'");
	check_refused("(a)<-[x]->(b)", 10, "'(' expected");
	check_refused("(a)-[X]->(b)", 6, "kind of edges");
	check_refused("(a)-[x|]->(b)", 8, "kind of edges");
	check_refused("(a)-[x*0]->(b)", 8, "a length");
	check_refused("(a)-[x*2..y]->(b)", 11, "a length");
	check_refused("(a)-[*x]->(b)", 7, "a length");
	check_refused("(a)-[x*2..1]->(b)", 11, "below the shortest");
	check_refused("(a)-[x*1..101]->(b)", 11, "a length");
	check_refused("(a)-[e:x*2]->(b)", 9, "single edge");
	check_refused("(a)-[a:x]->(b)", 6, "has this name");
	check_refused("(a)-[e:]->(b)-[e:]->(c)", 16, "has this name");
	check_refused("(a)-[e:]->(e)", 12, "an edge has this name");
	check_refused("(a)-[9e:]->(b)", 6, "a name begins");
	check_refused("(a)-[x->(b)", 7, "'*' or ']'");
	check_refused("()-->()", 1, "no node and no edge has a name");
	check_refused("(\303\251)", 2, "')' expected");
	check_refused("(a \"\303\251\303\251\") x", 10, "an edge or ','");
	check_refused("(a)\377", 4, "UTF-8");
}

static void
test_bounds(void **state)
{
	struct mem_buf b = { 0 };
	(void)state;
	mem_buf_puts(&b, "(n0)");
	for (size_t i = 1; i < MEM_GRAPH_PATTERN_NODES; i++)
		mem_buf_printf(&b, "-->(n%zu)", i);
	read_pattern(b.data);
	assert_int_equal(p.nnodes, MEM_GRAPH_PATTERN_NODES);
	mem_buf_puts(&b, "-->(more)");
	assert_int_equal(mem_graph_pattern_read(&p, &arena, mem_buf_span(&b), &err), MEM_USAGE);
	mem_buf_reset(&b);
	mem_buf_puts(&b, "(a)");
	for (size_t i = 0; i <= MEM_GRAPH_PATTERN_NODES; i++)
		mem_buf_printf(&b, "-[e%zu:]-(a)", i);
	assert_int_equal(mem_graph_pattern_read(&p, &arena, mem_buf_span(&b), &err), MEM_USAGE);
	mem_buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrows), cmocka_unit_test(test_lengths), cmocka_unit_test(test_edge_names), cmocka_unit_test(test_nodes), cmocka_unit_test(test_names),
		cmocka_unit_test(test_faults), cmocka_unit_test(test_bounds),
	};
	return cmocka_run_group_tests_name("graph_pattern", tests, NULL, release_arena);
}
