/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over copies against counts by other means. */
#include "graph_random.h"

#include "graph/copy.h"
#include "graph/stats.h"

/* Components by spreading the lowest number until nothing changes. */
static uint64_t
count_by_labels(const struct mem_graph_copy *c, uint64_t *largest)
{
	static uint32_t label[NODES_MAX], size[NODES_MAX];
	uint64_t n = 0;
	bool changed = true;
	for (uint32_t v = 0; v < c->nnodes; v++) {
		label[v] = v;
		size[v] = 0;
	}
	while (changed) {
		changed = false;
		for (uint32_t v = 0; v < c->nnodes; v++)
			for (size_t e = c->first[v]; e < c->first[v + 1]; e++) {
				uint32_t *a = &label[v], *b = &label[c->to[e]];
				changed = changed || *a != *b;
				*a = *b = *a < *b ? *a : *b;
			}
	}
	*largest = 0;
	for (uint32_t v = 0; v < c->nnodes; v++) {
		n += size[label[v]]++ == 0;
		*largest = size[label[v]] > *largest ? size[label[v]] : *largest;
	}
	return n;
}

static void
check_stats(const struct mem_graph_copy *c)
{
	struct mem_graph_stats s;
	uint64_t largest, in = 0, out = 0, alone = 0;
	mem_graph_stats_make(&s, c);
	assert_int_equal(s.components, count_by_labels(c, &largest));
	assert_int_equal(s.largest, largest);
	for (size_t v = 0; v < c->nnodes; v++) {
		in += s.in[v];
		out += s.out[v];
		alone += s.in[v] + s.out[v] == 0;
		assert_int_equal(s.out[v], c->first[v + 1] - c->first[v]);
		assert_true(s.in[v] + s.out[v] <= s.max_degree);
	}
	assert_int_equal(in, c->nedges);
	assert_int_equal(out, c->nedges);
	assert_int_equal(s.orphans, alone);
	mem_graph_stats_release(&s);
}

static void
test_random_stats(void **state)
{
	(void)state;
	for (uint64_t g = 0; g < 40; g++) {
		const struct mem_graph_copy_options o = { .as_of = MEM_TIME_NONE, .orphans = g % 2 == 0 };
		struct mem_graph_copy *c = NULL;
		seed = g << 32;
		make_graph(2 + roll_number(60), roll_number(60));
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		ASSERT_OK(mem_graph_copy_make(&c, store, &o, &err));
		check_stats(c);
		mem_graph_copy_free(c);
		empty_store();
	}
}

static void
test_highest(void **state)
{
	const uint64_t values[] = { 0, 3, 7, 3, 9, 0, 7 };
	const uint32_t want[] = { 4, 2, 6, 1, 3 };
	(void)state;
	for (size_t max = 0; max < 8; max++) {
		size_t n = max;
		uint32_t *top = mem_graph_highest(values, MEM_COUNT(values), &n);
		assert_int_equal(n, max < 5 ? max : 5);
		assert_memory_equal(top, want, n * sizeof *top);
		free(top);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random_stats, world_setup, world_teardown),
		cmocka_unit_test(test_highest),
	};
	return cmocka_run_group_tests_name("graph_stats", tests, NULL, NULL);
}
