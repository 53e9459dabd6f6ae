/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank against the equations that define it, on random graphs: what comes out must be what it gives back. */
#include "graph_random.h"

#include "graph/copy.h"
#include "graph/ranks.h"

#include <math.h>

/* The share of v's score that goes to w. */
static double
share_between(const struct mem_graph_copy *c, enum mem_walk_direction direction, uint32_t v, uint32_t w)
{
	double to = 0, all = 0;
	for (uint32_t a = 0; a < c->nnodes; a++)
		for (size_t e = c->first[a]; e < c->first[a + 1]; e++) {
			double s = (double)(c->weight[e] * c->confidence[e]);
			bool both = direction == MEM_WALK_BOTH || c->flags[e] != 0;
			bool along = (both || direction == MEM_WALK_OUT) && a == v;
			bool against = (both || direction == MEM_WALK_IN) && c->to[e] == v && !(a == v && both);
			all += (along ? s : 0) + (against ? s : 0);
			to += (along && c->to[e] == w ? s : 0) + (against && a == w ? s : 0);
		}
	return all > 0 ? to / all : -1;
}

static void
check_scores(const struct mem_graph_copy *c, const struct mem_ranks_options *o)
{
	double *scores = mem_ranks_make(c, o), sum = 0, stuck = 0;
	for (uint32_t v = 0; v < c->nnodes; v++) {
		sum += scores[v];
		stuck += share_between(c, o->direction, v, v) < 0 ? scores[v] : 0;
	}
	assert_true(fabs(sum - 1) < 1e-9);
	for (uint32_t w = 0; w < c->nnodes; w++) {
		double seed_share = o->nseeds == 0 ? 1 / (double)c->nnodes : 0, come = 0;
		for (size_t i = 0; i < o->nseeds; i++)
			seed_share += o->seeds[i] == w ? 1 / (double)o->nseeds : 0;
		for (uint32_t v = 0; v < c->nnodes; v++)
			come += scores[v] * fmax(0, share_between(c, o->direction, v, w));
		assert_true(fabs(scores[w] - ((1 - o->damping) * seed_share + o->damping * (come + stuck * seed_share))) < 1e-9);
	}
	free(scores);
}

static void
test_scores_solve_the_equations(void **state)
{
	(void)state;
	for (uint64_t g = 0; g < 30; g++) {
		seed = g << 32;
		make_graph(5 + roll_number(25), roll_number(120));
		ASSERT_OK(mem_store_write(store, world_put, &world, &err));
		for (int i = 0; i < 6; i++) {
			const struct mem_graph_copy_options copy = { .as_of = MEM_TIME_NONE, .orphans = roll_number(2) == 0 };
			struct mem_ranks_options o = MEM_RANKS_OPTIONS_INIT;
			struct mem_graph_copy *c = NULL;
			uint32_t seeds[2];
			ASSERT_OK(mem_graph_copy_make(&c, store, &copy, &err));
			o.direction = (enum mem_walk_direction)roll_number(3);
			o.damping = roll_number(3) == 0 ? .5 : .85;
			o.seeds = seeds;
			for (uint32_t k = 0; k < 2 && c->nnodes > 2 && i % 2 == 0; k++)
				seeds[o.nseeds++] = k == 0 ? roll_number((uint32_t)c->nnodes / 2) : (uint32_t)c->nnodes - 1;
			if (c->nnodes > 0)
				check_scores(c, &o);
			mem_graph_copy_free(c);
		}
		empty_store();
	}
}

static void
test_order(void **state)
{
	const double scores[] = { .1, .3, .1 + 1e-14, .2, .3 };
	uint32_t *order = mem_ranks_order(scores, 5);
	const uint32_t want[] = { 1, 4, 3, 0, 2 };
	(void)state;
	assert_memory_equal(order, want, sizeof want);
	free(order);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_scores_solve_the_equations, world_setup, world_teardown),
		cmocka_unit_test(test_order),
	};
	return cmocka_run_group_tests_name("graph_ranks", tests, NULL, NULL);
}
