/* SPDX-License-Identifier: Apache-2.0 */
/* The walk where a node has very many edges, where there is too little time, and where nodes go while it walks. */
#include "graph_world.h"

#include <lmdb.h>

#include "graph/graph_int.h"

/* Node 0 leads to all others. */
enum { HUB_EDGES = 100000 };
static struct world_node nodes[HUB_EDGES + 1];
static struct world_edge edges[HUB_EDGES];
static struct world world = { .nodes = nodes, .edges = edges };

static int
compare_ids(const void *a, const void *b)
{
	return mem_id_cmp(a, b);
}

/* So many nodes behind the hub, the first `unseen` of them of another agent; `ids` gets those that are seen, in order. */
static size_t
make_hub(uint32_t n, uint32_t unseen, struct mem_id *ids)
{
	size_t seen = 0;
	world.nnodes = (size_t)n + 1;
	world.nedges = n;
	for (uint32_t i = 0; i <= n; i++) {
		nodes[i] = world_node_plain(i);
		if (i > 0 && i <= unseen)
			nodes[i].ns = "agent:bob";
		else if (i > 0)
			ids[seen++] = nodes[i].id;
		if (i > 0)
			edges[i - 1] = world_edge_plain(0, i);
	}
	qsort(ids, seen, sizeof *ids, compare_ids);
	ASSERT_OK(mem_store_write(store, world_put, &world, &err));
	return seen;
}

/* Steps through a walk whose level 0 is the hub, and compares the next level with ids. */
static size_t
follow_hub(struct mem_walk *w, const struct mem_id *ids)
{
	struct mem_walk_step s;
	size_t n = 0;
	enum mem_status st;
	ASSERT_OK(mem_walk_next(w, &s, &err));
	assert_int_equal(s.hops, 0);
	while ((st = mem_walk_next(w, &s, &err)) == MEM_OK) {
		assert_int_equal(s.hops, 1);
		assert_int_equal(mem_id_cmp(&s.id, &ids[n++]), 0);
		assert_true(s.nedges == 1 && s.edges[0].from == 0 && !s.edges[0].against);
	}
	assert_int_equal(st, MEM_END);
	return n;
}

static struct mem_walk *
walk_from_hub(const struct mem_walk_options *o)
{
	struct mem_walk *w;
	ASSERT_OK(mem_walk_open(&w, store, o, &nodes[0].id, 1, &err));
	return w;
}

/* All of them, and the first few: in snapshots of at most a thousand rows, and with memory for what is kept. */
static void
test_hub(void **state)
{
	static struct mem_id ids[HUB_EDGES];
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	(void)state;
	size_t n = make_hub(HUB_EDGES, 1000, ids);
	struct mem_walk *w = walk_from_hub(&o);
	assert_int_equal(follow_hub(w, ids), n);
	assert_int_equal(mem_walk_cut(w), 0);
	assert_int_equal(mem_walk_edges(w), n);
	/* An edge and a node for each, and the nodes' own edges in two tables. */
	assert_true(mem_walk_snapshots(w) >= 2 * HUB_EDGES / WALK_SNAPSHOT_ROWS);
	mem_walk_free(w);
	o.nodes = 101;
	o.every_edge = true;
	w = walk_from_hub(&o);
	assert_int_equal(follow_hub(w, ids), 100);
	assert_int_equal(mem_walk_cut(w), MEM_WALK_CUT_NODES);
	assert_int_equal(mem_walk_edges(w), n);
	assert_true(w->nodes_cap <= 4096 && w->links_cap <= 4096 && w->map.used < 70000 && w->batch_max <= 256);
	mem_walk_free(w);
	o.edges = 5000;
	o.nodes = 3000;
	w = walk_from_hub(&o);
	struct mem_walk_step s;
	size_t got = 0;
	while (mem_walk_next(w, &s, &err) == MEM_OK)
		got++;
	assert_int_equal(got, 3000);
	assert_int_equal(mem_walk_cut(w), MEM_WALK_CUT_NODES | MEM_WALK_CUT_EDGES);
	assert_int_equal(mem_walk_edges(w), 5000);
	assert_true(w->batch_max <= 4096);
	mem_walk_free(w);
}

/* Strangers' nodes are remembered only up to a number, and then are looked up again. */
static void
test_strangers(void **state)
{
	static struct mem_id ids[HUB_EDGES];
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	(void)state;
	size_t n = make_hub(HUB_EDGES, HUB_EDGES - 5, ids);
	assert_int_equal(n, 5);
	struct mem_walk *w = walk_from_hub(&o);
	assert_int_equal(follow_hub(w, ids), 5);
	assert_int_equal(mem_walk_edges(w), 5);
	assert_int_equal(mem_walk_cut(w), 0);
	mem_walk_free(w);
}

static void
test_time(void **state)
{
	static struct mem_id ids[HUB_EDGES];
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	struct mem_walk_step s;
	(void)state;
	make_hub(5000, 0, ids);
	o.time_ms = 1;
	struct mem_walk *w = walk_from_hub(&o);
	ASSERT_OK(mem_walk_next(w, &s, &err));
	for (int64_t begun = mem_clock_ms(); mem_clock_ms() < begun + 3;)
		;
	assert_int_equal(mem_walk_next(w, &s, &err), MEM_END);
	assert_int_equal(mem_walk_cut(w), MEM_WALK_CUT_TIME);
	mem_walk_free(w);
	o.time_ms = 1000000;
	w = walk_from_hub(&o);
	assert_int_equal(follow_hub(w, ids), 5000);
	assert_int_equal(mem_walk_cut(w), 0);
	mem_walk_free(w);
}

/* The deadline passes while nodes are looked up: what was found comes, the rest is told as cut. */
static void
test_time_within_a_level(void **state)
{
	static struct mem_id ids[HUB_EDGES];
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	struct mem_walk_step s;
	size_t n = 0;
	(void)state;
	make_hub(HUB_EDGES, 0, ids);
	struct mem_walk *w = walk_from_hub(&o);
	w->deadline = mem_clock_ms() + 4;
	while (mem_walk_next(w, &s, &err) == MEM_OK)
		n++;
	assert_true(n < HUB_EDGES + 1);
	assert_int_equal(mem_walk_cut(w), MEM_WALK_CUT_TIME);
	mem_walk_free(w);
}

static enum mem_status
remove_node(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	return mem_node_remove(t, *(const uint32_t *)ctx, "removed", &(struct mem_word_reader){ .fold = mem_buf_str }, e);
}

/* 0 -> 1, 2; 1 -> 3; 2 -> 4; 3 -> 5. */
static void
test_nodes_that_go(void **state)
{
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	struct mem_walk_step s;
	static const uint32_t ends[][2] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 4 }, { 3, 5 } };
	(void)state;
	world.nnodes = 6;
	world.nedges = MEM_COUNT(ends);
	for (uint32_t i = 0; i < 6; i++) {
		nodes[i] = world_node_plain(0);
		nodes[i].id.b[0] = (uint8_t)i;
	}
	for (size_t i = 0; i < MEM_COUNT(ends); i++)
		edges[i] = world_edge_plain(ends[i][0], ends[i][1]);
	ASSERT_OK(mem_store_write(store, world_put, &world, &err));
	struct mem_walk *w = walk_from_hub(&o);
	for (uint8_t i = 0; i < 3; i++) {
		ASSERT_OK(mem_walk_next(w, &s, &err));
		assert_int_equal(s.id.b[0], i);
	}
	/* One whose edges are read next, and one to which such an edge leads. */
	ASSERT_OK(mem_store_write(store, remove_node, &nodes[1].ord, &err));
	ASSERT_OK(mem_walk_next(w, &s, &err));
	assert_int_equal(s.id.b[0], 4);
	mem_walk_step_at(w, s.edges[0].from, &s);
	assert_int_equal(s.id.b[0], 2);
	assert_int_equal(mem_walk_next(w, &s, &err), MEM_END);
	assert_int_equal(mem_walk_cut(w), 0);
	mem_walk_free(w);
	w = walk_from_hub(&o);
	ASSERT_OK(mem_store_write(store, remove_node, &nodes[0].ord, &err));
	ASSERT_OK(mem_walk_next(w, &s, &err));
	assert_int_equal(mem_walk_next(w, &s, &err), MEM_END);
	mem_walk_free(w);
	w = walk_from_hub(&o);
	assert_int_equal(mem_walk_next(w, &s, &err), MEM_END);
	mem_walk_free(w);
	mem_walk_free(NULL);
}

/* A copy of the first row of table out under a key that leads to no node. */
static enum mem_status
lead_to_nothing(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct mem_cursor *c;
	struct mem_buf key = { 0 }, value = { 0 };
	(void)ctx;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_OUT, e);
	assert_int_equal(st, MEM_OK);
	struct mem_str row = { "", 0 };
	st = mem_cursor_seek(c, MEM_STR(""), e);
	assert_int_equal(mem_cursor_read(c, &row, e), MEM_OK);
	mem_buf_str(&key, mem_cursor_key(c));
	mem_buf_str(&value, row);
	mem_cursor_close(c);
	mem_be32((uint8_t *)key.data + 6, 4000000);
	if (st == MEM_OK)
		st = mem_tab_put(t, MEM_T_OUT, mem_buf_span(&key), mem_buf_span(&value), e);
	mem_buf_release(&key);
	mem_buf_release(&value);
	return st;
}

/* So it is for an edge that was read in one snapshot when its node is gone in the next. */
static void
test_edge_without_end(void **state)
{
	static struct mem_id ids[HUB_EDGES];
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	(void)state;
	make_hub(10, 0, ids);
	ASSERT_OK(mem_store_write(store, lead_to_nothing, NULL, &err));
	struct mem_walk *w = walk_from_hub(&o);
	assert_int_equal(follow_hub(w, ids), 10);
	assert_int_equal(mem_walk_edges(w), 10);
	mem_walk_free(w);
}

/* Turns one bit of a node's row in a table over, behind the store's back. */
static void
damage_row(const char *table, uint32_t ord)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	MDB_val k, v;
	uint8_t key[4];
	mem_be32(key, ord);
	k = (MDB_val){ sizeof key, key };
	mem_store_close(store);
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 32), 0);
	assert_int_equal(mdb_env_set_mapsize(env, (size_t)1 << 30), 0);
	assert_int_equal(mdb_env_open(env, at, 0, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, table, 0, &dbi), 0);
	assert_int_equal(mdb_get(txn, dbi, &k, &v), 0);
	char *copy = mem_xmalloc(v.mv_size);
	memcpy(copy, v.mv_data, v.mv_size);
	copy[20] ^= 1;
	v.mv_data = copy;
	assert_int_equal(mdb_put(txn, dbi, &k, &v, 0), 0);
	free(copy);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
	store = open_as("alice");
}

/* A node with damaged attributes is passed over and noted; a damaged text is not met, since the walk reads none. */
static void
test_damaged_node(void **state)
{
	static struct mem_id ids[HUB_EDGES];
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	struct mem_walk_step s;
	(void)state;
	make_hub(10, 1, ids);
	damage_row("node", nodes[10].ord);
	struct mem_walk *w = walk_from_hub(&o);
	assert_int_equal(follow_hub(w, ids), 9);
	mem_walk_free(w);
	assert_int_equal(mem_store_damage_count(store), 0);
	for (int i = 10; i >= 0; i -= 5) {
		damage_row("attr", nodes[i].ord);
		size_t n = 0;
		w = walk_from_hub(&o);
		while (mem_walk_next(w, &s, &err) == MEM_OK)
			n++;
		assert_int_equal(n, i == 10 ? 9 : i == 5 ? 8 : 0);
		assert_int_equal(mem_walk_edges(w), i == 10 ? 8 : i == 5 ? 7 : 0);
		mem_walk_free(w);
		assert_int_equal(mem_store_damage_count(store), i == 10 ? 1 : i == 5 ? 2 : 1);
	}
}

/* Nobody else's write waits for a walk between two steps: no snapshot is open then. */
static void
test_no_snapshot_between_steps(void **state)
{
	static struct mem_id ids[HUB_EDGES];
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	struct mem_walk_step s;
	(void)state;
	make_hub(3000, 0, ids);
	struct mem_walk *w = walk_from_hub(&o);
	assert_null(w->t);
	for (int i = 0; i < 10; i++) {
		ASSERT_OK(mem_walk_next(w, &s, &err));
		assert_null(w->t);
	}
	mem_walk_free(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hub, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_strangers, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_time, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_time_within_a_level, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_nodes_that_go, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_edge_without_end, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_damaged_node, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_no_snapshot_between_steps, world_setup, world_teardown),
	};
	return cmocka_run_group_tests_name("graph_walk_hub", tests, NULL, NULL);
}
