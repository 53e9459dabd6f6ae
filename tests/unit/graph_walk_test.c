/* SPDX-License-Identifier: Apache-2.0 */
/* The walk against a breadth-first search over a list of edges, on random graphs and with random options; and that a store
 * with nodes that nobody may see walks like one without them. */
#include "graph_random.h"

#include <math.h>

static struct mem_walk_options
make_options(void)
{
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	o.direction = (enum mem_walk_direction)roll_number(3);
	o.edges_of = (struct mem_words){ (const char **)(uintptr_t)edge_kinds, roll_number(3) == 0 ? 1 + roll_number(2) : 0 };
	if (roll_number(3) == 0)
		o.edges_back = (struct mem_words){ (const char **)(uintptr_t)edge_kinds + 1, 1 };
	if (roll_number(3) == 0)
		mem_kind_set_add(&o.kinds, roll_number(2) == 0 ? MEM_KIND_PAGE : MEM_KIND_ENTITY);
	if (roll_number(3) == 0)
		mem_kind_set_add(&o.kinds, MEM_KIND_TAG);
	o.least_weight = roll_number(3) == 0 ? roll_number(10) / 10.0 : 0;
	o.as_of = roll_number(2) == 0 ? MEM_TIME_NONE : world_now + ((int64_t)roll_number(100) - 50) * 86400000;
	o.dead = roll_number(3) == 0;
	o.every_edge = roll_number(2) == 0;
	o.hops = roll_number(2) == 0 ? 0 : 1 + roll_number(4);
	o.nodes = roll_number(2) == 0 ? 0 : 1 + roll_number((uint32_t)world.nnodes);
	o.edges = roll_number(2) == 0 ? 0 : 1 + roll_number((uint32_t)world.nedges);
	return o;
}

/* ---- the search that it must equal -------------------------------------- */

struct naive_step {
	uint32_t node, hops;
	struct { uint32_t edge; bool against; } by[64]; /* edges from the level before, in order */
	uint32_t from[64];
	size_t nby;
};
static struct naive {
	struct naive_step steps[NODES_MAX];
	size_t nsteps;
	uint32_t step_of[NODES_MAX]; /* UINT32_MAX: not visited */
	bool counted[EDGES_MAX];
	uint64_t nedges;
	unsigned cut;
	/* Edges by node: in the order of tables out and in. */
	uint32_t out[EDGES_MAX], in[EDGES_MAX], out_at[NODES_MAX + 1], in_at[NODES_MAX + 1];
} naive;

static uint32_t
kind_number(const char *kind)
{
	for (uint32_t i = 0; i < 3; i++)
		if (strcmp(edge_kinds[i], kind) == 0)
			return i;
	return 3;
}

static int
compare_rows(const struct world_edge *x, const struct world_edge *y, uint32_t a, uint32_t b, uint32_t other_a, uint32_t other_b)
{
	if (a != b)
		return a < b ? -1 : 1;
	uint32_t p = kind_number(x->kind), q = kind_number(y->kind);
	if (p != q)
		return p < q ? -1 : 1;
	return (other_a > other_b) - (other_a < other_b);
}

static int
compare_out(const void *a, const void *b)
{
	const struct world_edge *x = &edges[*(const uint32_t *)a], *y = &edges[*(const uint32_t *)b];
	return compare_rows(x, y, x->from, y->from, x->to, y->to);
}

static int
compare_in(const void *a, const void *b)
{
	const struct world_edge *x = &edges[*(const uint32_t *)a], *y = &edges[*(const uint32_t *)b];
	return compare_rows(x, y, x->to, y->to, x->from, y->from);
}

static void
index_edges(void)
{
	memset(naive.out_at, 0, sizeof naive.out_at);
	memset(naive.in_at, 0, sizeof naive.in_at);
	for (uint32_t i = 0; i < world.nedges; i++) {
		naive.out[i] = naive.in[i] = i;
		naive.out_at[edges[i].from + 1]++;
		naive.in_at[edges[i].to + 1]++;
	}
	for (size_t i = 0; i < world.nnodes; i++) {
		naive.out_at[i + 1] += naive.out_at[i];
		naive.in_at[i + 1] += naive.in_at[i];
	}
	qsort(naive.out, world.nedges, sizeof *naive.out, compare_out);
	qsort(naive.in, world.nedges, sizeof *naive.in, compare_in);
}

static bool
naive_valid(int64_t from, int64_t to, int64_t as_of)
{
	return as_of == MEM_TIME_NONE || ((from == MEM_TIME_NONE || from <= as_of) && (to == MEM_TIME_NONE || as_of < to));
}

static bool
naive_there(const struct mem_walk_options *o, uint32_t i, bool start)
{
	const struct world_node *n = &nodes[i];
	bool live = strcmp(n->status, "active") == 0 && (n->expired_at == MEM_TIME_NONE || n->expired_at > world_now);
	return (strcmp(n->ns, "global") == 0 || strcmp(n->ns, "agent:alice") == 0) && (live || o->dead) &&
	    (start || mem_kind_set_empty(&o->kinds) || mem_kind_set_has(&o->kinds, mem_kind_parse(mem_str(n->kind)))) &&
	    naive_valid(n->valid_from, n->valid_to, o->as_of);
}

static double
naive_weight(const struct mem_walk_options *o, const struct world_edge *e)
{
	int64_t until = o->as_of == MEM_TIME_NONE ? world_now : o->as_of;
	float weight = (float)e->weight;
	if (e->reinforced_at == MEM_TIME_NONE || until <= e->reinforced_at)
		return (double)weight;
	return (double)(float)((double)weight * pow(HEBB_DECAY, (double)(until - e->reinforced_at) / 86400000));
}

static bool
naive_follows(const struct mem_walk_options *o, const struct world_edge *e, bool against)
{
	bool wanted = o->edges_of.n == 0;
	enum mem_walk_direction direction = o->edges_back.n > 0 && strcmp(o->edges_back.v[0], e->kind) == 0 ? MEM_WALK_IN : o->direction;
	for (size_t i = 0; i < o->edges_of.n; i++)
		wanted = wanted || strcmp(o->edges_of.v[i], e->kind) == 0;
	return wanted && (direction == MEM_WALK_BOTH || e->bidirectional || against == (direction == MEM_WALK_IN)) &&
	    (float)naive_weight(o, e) >= (float)o->least_weight &&
	    naive_valid(e->valid_from, e->valid_to, o->as_of == MEM_TIME_NONE ? world_now : o->as_of);
}

static int
compare_by_ord(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (nodes[x].ord > nodes[y].ord) - (nodes[x].ord < nodes[y].ord);
}

static int
compare_by_id(const void *a, const void *b)
{
	return mem_id_cmp(&nodes[*(const uint32_t *)a].id, &nodes[*(const uint32_t *)b].id);
}

/* The level's edges in the order of the store, each with the node that it leads to; false: the limit on edges. */
static bool
naive_read_level(const struct mem_walk_options *o, size_t from, size_t to, bool probe, uint32_t *next, size_t *nnext)
{
	static uint32_t level[NODES_MAX];
	size_t n = to - from;
	for (size_t i = 0; i < n; i++)
		level[i] = naive.steps[from + i].node;
	qsort(level, n, sizeof *level, compare_by_ord);
	for (size_t i = 0; i < n; i++)
		for (int against = 0; against < 2; against++) {
			const uint32_t *list = against ? naive.in : naive.out, *ends = against ? naive.in_at : naive.out_at;
			for (uint32_t k = ends[level[i]]; k < ends[level[i] + 1]; k++) {
				const struct world_edge *e = &edges[list[k]];
				uint32_t other = against ? e->from : e->to;
				bool visited = naive.step_of[other] != UINT32_MAX;
				if (!naive_follows(o, e, against != 0) || naive.counted[list[k]] || (!visited && !naive_there(o, other, false)) ||
				    (probe && visited))
					continue;
				if (probe) {
					*nnext = 1;
					return true;
				}
				if (o->edges > 0 && naive.nedges == o->edges)
					return false;
				naive.nedges++;
				naive.counted[list[k]] = true;
				bool listed = visited;
				for (size_t j = 0; j < *nnext && !listed; j++)
					listed = next[j] == other;
				if (!listed)
					next[(*nnext)++] = other;
			}
		}
	return true;
}

static int
compare_by(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b; /* from, edge, against */
	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	int names = strcmp(edges[x[1]].kind, edges[y[1]].kind);
	return names != 0 ? names : (int)x[2] - (int)y[2];
}

/* All counted edges between the level before and the step's node. */
static void
naive_find_by(const struct mem_walk_options *o, struct naive_step *s)
{
	uint32_t by[64][3];
	for (int against = 0; against < 2; against++) {
		const uint32_t *list = against ? naive.out : naive.in, *ends = against ? naive.out_at : naive.in_at;
		for (uint32_t k = ends[s->node]; k < ends[s->node + 1]; k++) {
			const struct world_edge *e = &edges[list[k]];
			uint32_t parent = naive.step_of[against ? e->to : e->from];
			if (naive.counted[list[k]] && parent != UINT32_MAX && naive.steps[parent].hops + 1 == s->hops &&
			    naive_follows(o, e, against != 0)) {
				assert_true(s->nby < 64);
				by[s->nby][0] = parent;
				by[s->nby][1] = list[k];
				by[s->nby++][2] = (uint32_t)against;
			}
		}
	}
	qsort(by, s->nby, sizeof *by, compare_by);
	for (size_t i = 0; i < s->nby; i++) {
		s->from[i] = by[i][0];
		s->by[i].edge = by[i][1];
		s->by[i].against = by[i][2] != 0;
	}
}

static size_t
naive_add_level(const struct mem_walk_options *o, uint32_t *list, size_t n, uint32_t hops)
{
	size_t begin = naive.nsteps;
	qsort(list, n, sizeof *list, compare_by_id);
	if (o->nodes > 0 && begin + n > o->nodes) {
		n = o->nodes - begin;
		naive.cut |= MEM_WALK_CUT_NODES;
	}
	for (size_t i = 0; i < n; i++) {
		naive.step_of[list[i]] = (uint32_t)naive.nsteps;
		naive.steps[naive.nsteps++] = (struct naive_step){ .node = list[i], .hops = hops };
	}
	for (size_t i = begin; i < naive.nsteps && hops > 0; i++)
		naive_find_by(o, &naive.steps[i]);
	return begin;
}

static void
naive_walk(const struct mem_walk_options *o, const uint32_t *from, size_t nfrom)
{
	static uint32_t next[NODES_MAX];
	size_t n = 0;
	naive.nsteps = 0;
	naive.nedges = naive.cut = 0;
	memset(naive.step_of, 0xff, sizeof naive.step_of);
	memset(naive.counted, 0, sizeof naive.counted);
	for (size_t i = 0; i < nfrom; i++) {
		bool twice = false;
		for (size_t k = 0; k < i; k++)
			twice = twice || from[k] == from[i];
		if (!twice && naive_there(o, from[i], true))
			next[n++] = from[i];
	}
	size_t begin = naive_add_level(o, next, n, 0);
	for (uint32_t hops = 1; begin < naive.nsteps && naive.cut == 0; hops++) {
		bool far = o->hops > 0 && hops > o->hops, full = o->nodes > 0 && naive.nsteps == o->nodes;
		n = 0;
		if (!naive_read_level(o, begin, naive.nsteps, far || full, next, &n))
			naive.cut |= MEM_WALK_CUT_EDGES;
		if (far || full) {
			naive.cut |= n > 0 ? (far ? MEM_WALK_CUT_HOPS : 0) | (full ? MEM_WALK_CUT_NODES : 0) : 0;
			return;
		}
		begin = naive_add_level(o, next, n, hops);
	}
}

/* ---- the two compared ---------------------------------------------------- */

static void
compare_step(const struct mem_walk_options *o, const struct mem_walk_step *s, size_t i)
{
	const struct naive_step *want = &naive.steps[i];
	assert_int_equal(s->number, i);
	assert_int_equal(s->hops, want->hops);
	assert_int_equal(mem_id_cmp(&s->id, &nodes[want->node].id), 0);
	assert_int_equal(s->ord, nodes[want->node].ord);
	assert_string_equal(mem_kind_name(s->kind), nodes[want->node].kind);
	assert_int_equal(s->nedges, o->every_edge ? want->nby : want->nby > 0);
	for (size_t k = 0; k < s->nedges; k++) {
		const struct world_edge *e = &edges[want->by[k].edge];
		assert_int_equal(s->edges[k].from, want->from[k]);
		assert_string_equal(s->edges[k].kind, e->kind);
		assert_int_equal(s->edges[k].against, want->by[k].against);
		assert_int_equal(s->edges[k].bidirectional, e->bidirectional);
		assert_true((double)s->edges[k].weight == naive_weight(o, e));
	}
}

static void
compare_walk(const struct mem_walk_options *o, const uint32_t *from, size_t nfrom)
{
	struct mem_id ids[8];
	struct mem_walk *w;
	struct mem_walk_step s, again;
	size_t n = 0;
	enum mem_status st;
	naive_walk(o, from, nfrom);
	for (size_t i = 0; i < nfrom; i++)
		ids[i] = nodes[from[i]].id;
	ASSERT_OK(mem_walk_open(&w, store, o, ids, nfrom, &err));
	while ((st = mem_walk_next(w, &s, &err)) == MEM_OK) {
		assert_true(n < naive.nsteps);
		compare_step(o, &s, n++);
	}
	assert_int_equal(st, MEM_END);
	assert_int_equal(mem_walk_next(w, &s, &err), MEM_END);
	assert_int_equal(n, naive.nsteps);
	assert_int_equal(mem_walk_cut(w), naive.cut);
	assert_int_equal(mem_walk_edges(w), naive.nedges);
	if (n > 0) {
		struct mem_walk_options first = *o;
		first.every_edge = false;
		mem_walk_step_at(w, (uint32_t)n / 2, &again);
		compare_step(&first, &again, n / 2);
	}
	mem_walk_free(w);
}

/* The limits that cut one of them. */
static unsigned
compare_walks(int rounds)
{
	unsigned cuts = 0;
	index_edges();
	while (rounds-- > 0) {
		struct mem_walk_options o = make_options();
		uint32_t from[8];
		size_t n = 1 + roll_number(8);
		for (size_t i = 0; i < n; i++)
			from[i] = roll_number((uint32_t)world.nnodes);
		compare_walk(&o, from, n);
		cuts |= naive.cut;
	}
	return cuts;
}

static void
test_random_graphs(void **state)
{
	(void)state;
	unsigned cuts = 0;
	for (uint64_t g = 0; g < 60; g++) {
		seed = g << 32;
		make_graph(2 + roll_number(40), roll_number(160));
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		cuts |= compare_walks(150);
	}
	assert_int_equal(cuts, MEM_WALK_CUT_HOPS | MEM_WALK_CUT_NODES | MEM_WALK_CUT_EDGES);
}

/* Levels that take many snapshots. */
static void
test_large_graph(void **state)
{
	(void)state;
	seed = (uint64_t)77 << 32;
	make_graph(NODES_MAX, EDGES_MAX);
	ASSERT_OK(mem_store_write(store, world_put, &world, &err));
	compare_walks(60);
}

/* Seven tenths are at least seven tenths, though no float is that number. */
static void
test_least_weight(void **state)
{
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	struct mem_walk *w;
	struct mem_walk_step s;
	(void)state;
	world.nnodes = 2;
	world.nedges = 1;
	nodes[0] = world_node_plain(1);
	nodes[1] = world_node_plain(2);
	edges[0] = world_edge_plain(0, 1);
	edges[0].weight = .7;
	ASSERT_OK(mem_store_write(store, world_put, &world, &err));
	for (int more = 0; more < 2; more++) {
		o.least_weight = more ? .7001 : .7;
		ASSERT_OK(mem_walk_open(&w, store, &o, &nodes[0].id, 1, &err));
		ASSERT_OK(mem_walk_next(w, &s, &err));
		assert_int_equal(mem_walk_next(w, &s, &err), more ? MEM_END : MEM_OK);
		mem_walk_free(w);
	}
}

/* ---- what may not be seen ------------------------------------------------ */

struct seen_step {
	struct mem_id id;
	uint32_t hops, from;
	size_t nedges;
};
struct seen {
	struct seen_step steps[200];
	size_t n;
	uint64_t edges;
	unsigned cut;
};

static void
record_walk(const struct mem_walk_options *o, const struct mem_id *from, size_t nfrom, struct seen *out)
{
	struct mem_walk *w;
	struct mem_walk_step s;
	*out = (struct seen){ 0 };
	ASSERT_OK(mem_walk_open(&w, store, o, from, nfrom, &err));
	while (mem_walk_next(w, &s, &err) == MEM_OK)
		out->steps[out->n++] = (struct seen_step){ s.id, s.hops, s.nedges > 0 ? s.edges[0].from : 0, s.nedges };
	out->edges = mem_walk_edges(w);
	out->cut = mem_walk_cut(w);
	mem_walk_free(w);
}

/* Many seen nodes are joined by unseen ones alone. */
static void
test_unseen_nodes(void **state)
{
	enum { ROUNDS = 100 };
	static struct seen with[ROUNDS];
	struct seen without;
	static struct mem_walk_options o[ROUNDS];
	static struct mem_id from[ROUNDS][4];
	(void)state;
	for (uint64_t g = 100; g < 110; g++) {
		empty_store();
		seed = g << 32;
		make_graph(120, 300);
		for (uint32_t i = 0; i < 3; i++) { /* so that kinds get the same numbers */
			nodes[edges[i].from].ns = nodes[edges[i].to].ns = "global";
		}
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		for (size_t i = 0; i < ROUNDS; i++) {
			o[i] = make_options();
			for (size_t k = 0; k < 4; k++)
				from[i][k] = nodes[roll_number((uint32_t)world.nnodes)].id;
			record_walk(&o[i], from[i], 4, &with[i]);
		}
		drop_unseen();
		empty_store();
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		for (size_t i = 0; i < ROUNDS; i++) {
			record_walk(&o[i], from[i], 4, &without);
			assert_int_equal(with[i].n, without.n);
			assert_memory_equal(with[i].steps, without.steps, without.n * sizeof *without.steps);
			assert_int_equal(with[i].edges, without.edges);
			assert_int_equal(with[i].cut, without.cut);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random_graphs, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_large_graph, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_least_weight, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_unseen_nodes, world_setup, world_teardown),
	};
	return cmocka_run_group_tests_name("graph_walk", tests, NULL, NULL);
}
