/* SPDX-License-Identifier: Apache-2.0 */
/* The copy of edges against a list of them, on random graphs and with random options; that nodes which nobody may see leave no
 * trace in it; and its undirected form. */
#include "graph_random.h"

#include "graph/copy.h"

#include <math.h>

static struct mem_graph_copy_options
make_copy_options(void)
{
	static const char *some_spaces[] = { "global" };
	struct mem_graph_copy_options o = MEM_GRAPH_COPY_OPTIONS_INIT;
	o.edges_of = (struct mem_words){ (const char **)(uintptr_t)edge_kinds, roll_number(3) == 0 ? 1 + roll_number(2) : 0 };
	o.edges_but = (struct mem_words){ (const char **)(uintptr_t)(edge_kinds + 2), roll_number(4) == 0 ? 1 : 0 };
	o.namespaces = (struct mem_words){ some_spaces, roll_number(3) == 0 ? 1 : 0 };
	if (roll_number(3) == 0)
		mem_kind_set_add(&o.kinds, roll_number(2) == 0 ? MEM_KIND_PAGE : MEM_KIND_ENTITY);
	o.least_weight = roll_number(3) == 0 ? roll_number(10) / 10.0 : 0;
	o.as_of = roll_number(2) == 0 ? MEM_TIME_NONE : world_now + ((int64_t)roll_number(100) - 50) * 86400000;
	o.orphans = roll_number(2) == 0;
	if (roll_number(2) == 0)
		mem_kind_set_add(&o.orphans_of, MEM_KIND_TAG);
	return o;
}

/* ---- the list that it must equal ---------------------------------------- */

static bool
is_valid_at(int64_t from, int64_t to, int64_t ms)
{
	return ms == MEM_TIME_NONE || ((from == MEM_TIME_NONE || from <= ms) && (to == MEM_TIME_NONE || to > ms));
}

static bool
is_listed_node(const struct mem_graph_copy_options *o, const struct world_node *n)
{
	bool seen = strcmp(n->ns, "global") == 0 || (strcmp(n->ns, "agent:alice") == 0 && o->namespaces.n == 0);
	bool live = strcmp(n->status, "active") == 0 && (n->expired_at == MEM_TIME_NONE || n->expired_at > world_now);
	return seen && live && is_valid_at(n->valid_from, n->valid_to, o->as_of) &&
	    (mem_kind_set_empty(&o->kinds) || mem_kind_set_has(&o->kinds, (unsigned)mem_kind_parse(mem_str(n->kind))));
}

static double
listed_weight(const struct mem_graph_copy_options *o, const struct world_edge *e)
{
	int64_t until = o->as_of != MEM_TIME_NONE ? o->as_of : world_now;
	if (e->reinforced_at == MEM_TIME_NONE || e->reinforced_at >= until)
		return (double)(float)e->weight;
	double days = (double)(until - e->reinforced_at) / 86400000;
	return (double)(float)((double)(float)e->weight * pow(HEBB_DECAY, days));
}

static bool
is_listed_edge(const struct mem_graph_copy_options *o, const struct world_edge *e)
{
	bool wanted = o->edges_of.n == 0;
	for (size_t i = 0; i < o->edges_of.n; i++)
		wanted = wanted || strcmp(o->edges_of.v[i], e->kind) == 0;
	if (o->edges_but.n > 0 && strcmp(e->kind, o->edges_but.v[0]) == 0)
		wanted = false;
	return wanted && is_listed_node(o, &nodes[e->from]) && is_listed_node(o, &nodes[e->to]) &&
	    is_valid_at(e->valid_from, e->valid_to, o->as_of == MEM_TIME_NONE ? world_now : o->as_of) && listed_weight(o, e) >= (double)(float)o->least_weight;
}

static const struct world_edge *
find_listed_edge(const struct mem_graph_copy_options *o, const struct mem_id *from, const struct mem_id *to, const char *kind)
{
	for (size_t i = 0; i < world.nedges; i++)
		if (mem_id_cmp(&nodes[edges[i].from].id, from) == 0 && mem_id_cmp(&nodes[edges[i].to].id, to) == 0 &&
		    strcmp(edges[i].kind, kind) == 0 && is_listed_edge(o, &edges[i]))
			return &edges[i];
	return NULL;
}

static size_t
count_listed_nodes(const struct mem_graph_copy_options *o)
{
	static bool used[NODES_MAX];
	size_t n = 0;
	memset(used, 0, sizeof used);
	for (size_t i = 0; i < world.nedges; i++)
		if (is_listed_edge(o, &edges[i]))
			used[edges[i].from] = used[edges[i].to] = true;
	for (size_t i = 0; i < world.nnodes; i++)
		n += is_listed_node(o, &nodes[i]) && 
		    (used[i] || (o->orphans && (mem_kind_set_empty(&o->orphans_of) || strcmp(nodes[i].kind, "tag") == 0)));
	return n;
}

static size_t
count_listed_edges(const struct mem_graph_copy_options *o)
{
	size_t n = 0;
	for (size_t i = 0; i < world.nedges; i++)
		n += is_listed_edge(o, &edges[i]);
	return n;
}

/* ---- the two compared ---------------------------------------------------- */

static void
compare_edge(const struct mem_graph_copy_options *o, const struct mem_graph_copy *c, size_t v, size_t e)
{
	const char *kind = c->kind_names[c->kind[e]];
	const struct world_edge *want = find_listed_edge(o, &c->ids[v], &c->ids[c->to[e]], kind);
	assert_non_null(want);
	assert_true((double)c->weight[e] == listed_weight(o, want));
	assert_true(c->confidence[e] == 1.0F);
	assert_int_equal(c->flags[e], want->bidirectional ? MEM_GRAPH_EDGE_BIDIRECTIONAL : 0);
	if (e > c->first[v])
		assert_true(c->to[e - 1] < c->to[e] || (c->to[e - 1] == c->to[e] && strcmp(c->kind_names[c->kind[e - 1]], kind) < 0));
}

static void
compare_copy(const struct mem_graph_copy_options *o)
{
	struct mem_graph_copy *c = NULL;
	uint32_t found;
	ASSERT_OK(mem_graph_copy_make(&c, store, o, &err));
	assert_int_equal(c->nnodes, count_listed_nodes(o));
	assert_int_equal(c->nedges, count_listed_edges(o));
	assert_int_equal(c->first[0], 0);
	assert_int_equal(c->first[c->nnodes], c->nedges);
	for (size_t v = 0; v < c->nnodes; v++) {
		assert_true(v == 0 || mem_id_cmp(&c->ids[v - 1], &c->ids[v]) < 0);
		assert_int_equal(mem_graph_copy_find(c, &c->ids[v], &found), MEM_OK);
		assert_int_equal(found, v);
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++)
			compare_edge(o, c, v, e);
	}
	mem_graph_copy_free(c);
}

static void
test_copies(void **state)
{
	(void)state;
	for (uint64_t g = 0; g < 40; g++) {
		seed = g << 32;
		make_graph(2 + roll_number(40), roll_number(160));
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		for (int i = 0; i < 30; i++) {
			struct mem_graph_copy_options o = make_copy_options();
			compare_copy(&o);
		}
		empty_store();
	}
}

/* Of many snapshots. */
static void
test_large_copy(void **state)
{
	(void)state;
	seed = (uint64_t)77 << 32;
	make_graph(NODES_MAX, 6000);
	ASSERT_OK(mem_store_write(store, world_put, &world, &err));
	for (int i = 0; i < 6; i++) {
		struct mem_graph_copy_options o = make_copy_options();
		compare_copy(&o);
	}
}

/* ---- what may not be seen ------------------------------------------------ */

static void
append_copy(struct mem_buf *out, const struct mem_graph_copy_options *o)
{
	struct mem_graph_copy *c = NULL;
	ASSERT_OK(mem_graph_copy_make(&c, store, o, &err));
	mem_buf_put(out, c->ids, c->nnodes * sizeof *c->ids);
	mem_buf_put(out, c->kinds, c->nnodes);
	mem_buf_put(out, c->first, (c->nnodes + 1) * sizeof *c->first);
	mem_buf_put(out, c->to, c->nedges * sizeof *c->to);
	mem_buf_put(out, c->weight, c->nedges * sizeof *c->weight);
	for (size_t e = 0; e < c->nedges; e++)
		mem_buf_puts(out, c->kind_names[c->kind[e]]);
	mem_graph_copy_free(c);
}

static void
test_unseen_leave_no_trace(void **state)
{
	(void)state;
	for (uint64_t g = 100; g < 110; g++) {
		struct mem_buf with = { 0 }, without = { 0 };
		struct mem_graph_copy_options o;
		seed = g << 32;
		make_graph(120, 300);
		uint64_t options_seed = seed;
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		for (int i = 0; i < 20; i++) {
			o = make_copy_options();
			append_copy(&with, &o);
		}
		drop_unseen();
		empty_store();
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		seed = options_seed;
		for (int i = 0; i < 20; i++) {
			o = make_copy_options();
			append_copy(&without, &o);
		}
		assert_int_equal(with.len, without.len);
		assert_memory_equal(with.data, without.data, with.len);
		mem_buf_release(&with);
		mem_buf_release(&without);
		empty_store();
	}
}

/* ---- undirected ------------------------------------------------------------ */

static double
sum_between(const struct mem_graph_copy *c, size_t a, size_t b)
{
	double sum = 0;
	for (size_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++)
			if ((v == a && c->to[e] == b) || (v == b && c->to[e] == a))
				sum += (double)c->weight[e] * (double)c->confidence[e];
	return sum;
}

static void
test_links(void **state)
{
	const struct mem_graph_copy_options o = MEM_GRAPH_COPY_OPTIONS_INIT;
	struct mem_graph_copy *c = NULL;
	struct mem_graph_links l;
	size_t links = 0;
	(void)state;
	seed = (uint64_t)5 << 32;
	make_graph(40, 400);
	ASSERT_OK(mem_store_write(store, world_put, &world, &err));
	ASSERT_OK(mem_graph_copy_make(&c, store, &o, &err));
	mem_graph_links_make(&l, c);
	assert_int_equal(l.nnodes, c->nnodes);
	for (size_t a = 0; a < c->nnodes; a++) {
		size_t i = l.first[a];
		for (size_t b = 0; b < c->nnodes; b++) {
			double want = a == b ? 0 : sum_between(c, a, b);
			if (want == 0)
				continue;
			assert_true(i < l.first[a + 1]);
			assert_int_equal(l.to[i], b);
			assert_true(l.strength[i++] == want);
			links++;
		}
		assert_int_equal(i, l.first[a + 1]);
	}
	assert_int_equal(l.nlinks, links);
	assert_true(links > 100);
	mem_graph_links_release(&l);
	mem_graph_copy_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_copies, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_large_copy, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_unseen_leave_no_trace, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_links, world_setup, world_teardown),
	};
	return cmocka_run_group_tests_name("graph_copy", tests, NULL, NULL);
}
